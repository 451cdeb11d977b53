//! Names under which secrets are kept.

/// What kind of secret a name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Password,
    Secret,
    Token,
    Key,
    /// The words of a wallet.
    Phrase,
}

/// A name that promises a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Name {
    pub(super) kind: Kind,
    /// The name alone says little: only a value that looks drawn by lot is believed.
    pub(super) is_weak: bool,
    /// `pass`, `pw` or `token` and nothing else, which name other things too.
    pub(super) is_bare: bool,
    says: &'static str,
}

impl Name {
    /// Reads a name in any style: `dbPassword`, `DB_PASSWORD`, `db-password`, `db.password`.
    ///
    /// What counts is what the name is of, which is at its end: `token_count` is a number.
    pub(crate) fn read(name: &[u8]) -> Option<Self> {
        let name = &name[name.len().saturating_sub(LONGEST)..];
        let words = Words::of(name);
        let mut rest = words.all();
        while let [before @ .., last] = rest {
            let last = words.get(*last);
            if before.is_empty() || !(last.iter().all(u8::is_ascii_digit) || NEUTRAL.contains(&last)) {
                break;
            }
            rest = before;
        }
        let [before @ .., last] = rest else { return None };
        let digits = words.get(*last).iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let last = words.get(*last);
        let last = &last[..last.len() - digits];
        let previous = before.last().map_or(&b""[..], |word| words.get(*word));
        let in_capitals = name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase);
        classify(previous, last, in_capitals)
    }

    /// How the redaction calls it.
    pub(crate) fn says(&self) -> &'static str {
        self.says
    }

    pub(super) const fn of(kind: Kind, is_weak: bool) -> Self {
        let says = match kind {
            Kind::Password => "password",
            Kind::Secret => "secret",
            Kind::Token => "token",
            Kind::Key => "key",
            Kind::Phrase => "seed phrase",
        };
        Self { kind, is_weak, is_bare: false, says }
    }
}

/// Longer names are looked at from their end.
const LONGEST: usize = 64;

/// Words after the one that counts, which change nothing.
#[rustfmt::skip]
const NEUTRAL: &[&[u8]] = &[
    b"value", b"val", b"string", b"str", b"plain", b"plaintext", b"text", b"raw", b"prod", b"production",
    b"dev", b"development", b"staging", b"stage", b"live", b"test", b"default", b"new", b"old", b"current",
    b"b64", b"base64", b"base", b"primary", b"secondary", b"main", b"confirm", b"confirmation", b"again",
];

fn classify(previous: &[u8], last: &[u8], in_capitals: bool) -> Option<Name> {
    let ends = |endings: &[&[u8]]| endings.iter().any(|ending| last.ends_with(ending));
    if ends(&[b"password", b"passwd", b"passphrase", b"passcode", b"pwd", b"passwort", b"kennwort"]) {
        return Some(Name::of(Kind::Password, false));
    }
    if ends(&[b"pass", b"pw"]) {
        let owner = last.strip_suffix(b"pass").or(last.strip_suffix(b"pw")).unwrap_or(last);
        let owner = if owner.is_empty() { previous } else { owner };
        let known = owner.is_empty() || ACCOUNTS.contains(&owner);
        let is_bare = owner.is_empty();
        return known.then_some(Name { is_bare, ..Name::of(Kind::Password, false) });
    }
    if ends(&[b"secret"]) {
        return Some(Name::of(Kind::Secret, false));
    }
    if ends(&[b"token"]) {
        let owner = if last == b"token" { previous } else { &last[..last.len() - b"token".len()] };
        let is_bare = owner.is_empty();
        let opens = !OTHER_TOKENS.contains(&owner);
        return opens.then_some(Name { is_bare, ..Name::of(Kind::Token, false) });
    }
    if ends(&[b"key"]) {
        let owner = if last == b"key" { previous } else { &last[..last.len() - b"key".len()] };
        if SECRET_KEYS.iter().any(|secret| owner.ends_with(secret)) {
            return Some(Name::of(Kind::Key, false));
        }
        let other = owner.is_empty() || OTHER_KEYS.contains(&owner);
        return (in_capitals && !other).then_some(Name::of(Kind::Key, true));
    }
    if ends(&[b"credential", b"credentials", b"creds", b"auth", b"authorization", b"bearer", b"jwt", b"pat"])
    {
        let exact = last != b"pat" || in_capitals;
        return exact.then_some(Name::of(Kind::Token, true));
    }
    if last == b"mnemonic" || (previous == b"seed" && last == b"phrase") {
        return Some(Name::of(Kind::Phrase, false));
    }
    None
}

/// Whose `pass` is a password.
#[rustfmt::skip]
const ACCOUNTS: &[&[u8]] = &[
    b"db", b"database", b"smtp", b"ftp", b"sftp", b"mysql", b"pg", b"postgres", b"postgresql", b"redis",
    b"mongo", b"mongodb", b"mail", b"email", b"imap", b"user", b"admin", b"root", b"ssh", b"http", b"proxy",
    b"basic", b"auth", b"rabbitmq", b"rabbit", b"ldap", b"wifi", b"api", b"app", b"my", b"sudo", b"login",
    b"account", b"keystore", b"key", b"cert", b"zip", b"es", b"elastic", b"influx", b"jenkins", b"registry",
    b"docker", b"service", b"server", b"client", b"host", b"guest", b"bot", b"vpn", b"pfx", b"p12",
];

/// Tokens that open nothing.
#[rustfmt::skip]
const OTHER_TOKENS: &[&[u8]] = &[
    b"page", b"progress", b"pagination", b"continuation", b"next", b"prev", b"previous", b"cancel",
    b"cancellation", b"pad", b"eos", b"bos", b"unk", b"sep", b"cls", b"mask", b"stop", b"special", b"max",
    b"min", b"sync", b"lex", b"syntax", b"start", b"end", b"first", b"last", b"change", b"resume", b"request",
    b"idempotency", b"design", b"color",
];

/// Whose `key` is a secret.
#[rustfmt::skip]
const SECRET_KEYS: &[&[u8]] = &[
    b"api", b"access", b"secret", b"private", b"encryption", b"encrypt", b"decryption", b"signing",
    b"signature", b"auth", b"account", b"master", b"service", b"subscription", b"shared", b"deploy", b"ssh",
    b"admin", b"crypto", b"cipher", b"hmac", b"aes", b"jwt", b"webhook", b"storage", b"license", b"app",
    b"consumer", b"functions", b"host", b"sas",
];

/// Whose `KEY` is none.
#[rustfmt::skip]
const OTHER_KEYS: &[&[u8]] = &[
    b"public", b"pub", b"primary", b"foreign", b"cache", b"partition", b"sort", b"idempotency", b"hot",
    b"registry", b"hash", b"range", b"row", b"group", b"publishable", b"site", b"storage", b"session", b"query",
    b"local", b"map", b"object", b"dedup", b"routing", b"lookup", b"index", b"unique", b"metadata", b"feature",
    b"translation", b"i18n", b"shortcut", b"enter", b"escape", b"return", b"anon",
];

/// A name taken apart.
struct Words {
    letters: [u8; LONGEST],
    bounds: [(u8, u8); MOST_WORDS],
    count: usize,
}

/// Names of more words are read up to there.
const MOST_WORDS: usize = 24;

impl Words {
    /// Parts at separators and at capitals, in small letters.
    fn of(name: &[u8]) -> Self {
        let mut words = Self { letters: [0; LONGEST], bounds: [(0, 0); MOST_WORDS], count: 0 };
        let mut start = 0;
        for (at, &byte) in name.iter().enumerate() {
            words.letters[at] = byte.to_ascii_lowercase();
            let before = at.checked_sub(1).map_or(b'_', |before| name[before]);
            let next_is_small = name.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            if !byte.is_ascii_alphanumeric() {
                words.push(start, at);
                start = at + 1;
            } else if byte.is_ascii_uppercase()
                && (before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_ascii_uppercase() && next_is_small))
            {
                words.push(start, at);
                start = at;
            }
        }
        words.push(start, name.len());
        words
    }

    fn push(&mut self, start: usize, end: usize) {
        if start >= end {
            return;
        }
        if self.count == MOST_WORDS {
            // The end of a name says what it is of.
            self.bounds.rotate_left(1);
            self.count -= 1;
        }
        let bound = |at: usize| u8::try_from(at).unwrap_or(u8::MAX);
        self.bounds[self.count] = (bound(start), bound(end));
        self.count += 1;
    }

    fn all(&self) -> &[(u8, u8)] {
        &self.bounds[..self.count]
    }

    fn get(&self, (start, end): (u8, u8)) -> &[u8] {
        &self.letters[usize::from(start)..usize::from(end)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known() {
        for (name, says) in [
            ("password", "password"),
            ("dbPassword", "password"),
            ("PGPASSWORD", "password"),
            ("spring.datasource.password", "password"),
            ("password_confirmation", "password"),
            ("db_pass", "password"),
            ("SMTP_PASS", "password"),
            ("rootpw", "password"),
            ("client-secret", "secret"),
            ("SECRET_KEY_BASE", "key"),
            ("accessToken", "token"),
            ("x-auth-token", "token"),
            ("API_KEY", "key"),
            ("apiKey2", "key"),
            ("APIKey", "key"),
            ("aws_secret_access_key", "key"),
            ("STRIPE_KEY", "key"),
            ("_authToken", "token"),
            ("Authorization", "token"),
            ("mnemonic", "seed phrase"),
        ] {
            assert_eq!(Name::read(name.as_bytes()).map(|name| name.says()), Some(says), "{name}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for name in [
            "",
            "key",
            "cacheKey",
            "PUBLIC_KEY",
            "token_count",
            "tokens",
            "max_tokens",
            "nextPageToken",
            "password_hash",
            "passwordField",
            "secret_name",
            "apiKeyId",
            "bypass",
            "compass",
            "author",
            "primary_key",
            "monkey",
            "keyboard",
            "access_key_id",
            "token_type",
            "path",
            "render_pass",
            "secretsmanager",
        ] {
            assert_eq!(Name::read(name.as_bytes()), None, "{name}");
        }
    }
}
