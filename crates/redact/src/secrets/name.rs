//! Names under which secrets are kept.

use crate::words::{Words, words};

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
        let words = Parts::of(name);
        let mut rest = words.all();
        while let [before @ .., last] = rest {
            let last = words.get(*last);
            if before.is_empty() || !(last.iter().all(u8::is_ascii_digit) || NEUTRAL.contains(last)) {
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
const NEUTRAL: Words = words![
    "value", "val", "string", "str", "plain", "plaintext", "text", "raw", "prod", "production",
    "dev", "development", "staging", "stage", "live", "test", "default", "new", "old", "current",
    "b64", "base64", "base", "primary", "secondary", "main", "confirm", "confirmation", "again",
];

fn classify(previous: &[u8], last: &[u8], in_capitals: bool) -> Option<Name> {
    let ends = |endings: Words| endings.find(|ending| last.ends_with(ending)).is_some();
    if ends(words!["password", "passwd", "passphrase", "passcode", "pwd", "passwort", "kennwort"]) {
        return Some(Name::of(Kind::Password, false));
    }
    if ends(words!["pass", "pw"]) {
        let owner = last.strip_suffix(b"pass").or(last.strip_suffix(b"pw")).unwrap_or(last);
        let owner = if owner.is_empty() { previous } else { owner };
        let known = owner.is_empty() || ACCOUNTS.contains(owner);
        let is_bare = owner.is_empty();
        return known.then_some(Name { is_bare, ..Name::of(Kind::Password, false) });
    }
    if last.ends_with(b"secret") {
        return Some(Name::of(Kind::Secret, false));
    }
    if last.ends_with(b"token") {
        let owner = if last == b"token" { previous } else { &last[..last.len() - b"token".len()] };
        let is_bare = owner.is_empty();
        let opens = !OTHER_TOKENS.contains(owner);
        return opens.then_some(Name { is_bare, ..Name::of(Kind::Token, false) });
    }
    if last.ends_with(b"key") {
        let owner = if last == b"key" { previous } else { &last[..last.len() - b"key".len()] };
        if SECRET_KEYS.find(|secret| owner.ends_with(secret)).is_some() {
            return Some(Name::of(Kind::Key, false));
        }
        let other = owner.is_empty() || OTHER_KEYS.contains(owner);
        return (in_capitals && !other).then_some(Name::of(Kind::Key, true));
    }
    if ends(words!["credential", "credentials", "creds", "auth", "authorization", "bearer", "jwt", "pat"]) {
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
const ACCOUNTS: Words = words![
    "db", "database", "smtp", "ftp", "sftp", "mysql", "pg", "postgres", "postgresql", "redis",
    "mongo", "mongodb", "mail", "email", "imap", "user", "admin", "root", "ssh", "http", "proxy",
    "basic", "auth", "rabbitmq", "rabbit", "ldap", "wifi", "api", "app", "my", "sudo", "login",
    "account", "keystore", "key", "cert", "zip", "es", "elastic", "influx", "jenkins", "registry",
    "docker", "service", "server", "client", "host", "guest", "bot", "vpn", "pfx", "p12",
];

/// Tokens that open nothing.
#[rustfmt::skip]
const OTHER_TOKENS: Words = words![
    "page", "progress", "pagination", "continuation", "next", "prev", "previous", "cancel",
    "cancellation", "pad", "eos", "bos", "unk", "sep", "cls", "mask", "stop", "special", "max",
    "min", "sync", "lex", "syntax", "start", "end", "first", "last", "change", "resume", "request",
    "idempotency", "design", "color",
];

/// Whose `key` is a secret.
#[rustfmt::skip]
const SECRET_KEYS: Words = words![
    "api", "access", "secret", "private", "encryption", "encrypt", "decryption", "signing",
    "signature", "auth", "account", "master", "service", "subscription", "shared", "deploy", "ssh",
    "admin", "crypto", "cipher", "hmac", "aes", "jwt", "webhook", "storage", "license", "app",
    "consumer", "functions", "host", "sas",
];

/// Whose `KEY` is none.
#[rustfmt::skip]
const OTHER_KEYS: Words = words![
    "public", "pub", "primary", "foreign", "cache", "partition", "sort", "idempotency", "hot",
    "registry", "hash", "range", "row", "group", "publishable", "site", "storage", "session", "query",
    "local", "map", "object", "dedup", "routing", "lookup", "index", "unique", "metadata", "feature",
    "translation", "i18n", "shortcut", "enter", "escape", "return", "anon",
];

/// A name taken apart.
struct Parts {
    letters: [u8; LONGEST],
    bounds: [(u8, u8); MOST_WORDS],
    count: usize,
}

/// Names of more words are read up to there.
const MOST_WORDS: usize = 24;

impl Parts {
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
