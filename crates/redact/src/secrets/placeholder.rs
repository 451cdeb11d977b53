//! What stands where a secret would stand.

/// Whether a token is filled up by hand: `ghp_xxxxxxxxxxxx`, `AKIAIOSFODNN7EXAMPLE`.
pub(super) fn is_filler(body: &[u8]) -> bool {
    let same = body.iter().all(|byte| byte.eq_ignore_ascii_case(&body[0])) && b"xX0_-*".contains(&body[0]);
    same || (0..body.len()).any(|at| is_filled_at(&body[at..]))
}

/// Three stars or dots, four crosses, or a word that real tokens do not have by chance.
fn is_filled_at(text: &[u8]) -> bool {
    let begins = |words: &[&[u8]]| {
        words.iter().any(|word| text.get(..word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word)))
    };
    match text[0] | 0x20 {
        b'x' => begins(&[b"xxxx"]),
        b'e' => begins(&[b"example"]),
        b'p' => begins(&[b"placeholder"]),
        b'y' => begins(&[b"your"]),
        b'c' => begins(&[b"changeme"]),
        b'r' => begins(&[b"redacted", b"replace_", b"replace-"]),
        b'd' => begins(&[b"dummy"]),
        b'i' => begins(&[b"insert"]),
        b'*' | b'.' => begins(&[b"***", b"..."]),
        // An ellipsis, bullets, circles.
        0xe2 => begins(&[b"\xe2\x80\xa6", b"\xe2\x80\xa2\xe2\x80\xa2", b"\xe2\x97\x8f\xe2\x97\x8f"]),
        _ => false,
    }
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find(text, word).is_some()
}

/// Whether a value stands for another one: a variable, a template, a reference, a word for a secret.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    value.is_empty() || is_filler(value) || is_variable(value) || is_reference(value) || is_wording(value)
}

fn is_variable(value: &[u8]) -> bool {
    let is_name = |text: &[u8]| {
        !text.is_empty() && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.:".contains(byte))
    };
    match value {
        [b'<' | b'[' | b'{' | b'`', ..]
        | [b'$', b'{' | b'(' | b'<', ..]
        | [b'%', b'(' | b'{', ..]
        | [b'%', b's' | b'd' | b'v']
        | [b'#', b'{', ..] => true,
        [b'$', rest @ ..] => is_name(rest) && !rest[0].is_ascii_digit(),
        [b'%', name @ .., b'%'] => is_name(name),
        _ => contains(value, b"${") || contains(value, b"{{") || contains(value, b"$("),
    }
}

/// Beginnings of what says where a secret lies.
const REFERENCES: &[&[u8]] = &[
    b"process.env",
    b"os.environ",
    b"os.getenv",
    b"import.meta",
    b"env.",
    b"env:",
    b"env[",
    b"secrets.",
    b"vars.",
    b"vault:",
    b"op://",
    b"ssm:",
    b"arn:aws",
    b"enc[",
    b"file:",
    b"config.",
    b"settings.",
    b"self.",
    b"this.",
    b"args.",
    b"options.",
    b"opts.",
    b"params.",
    b"props.",
    b"state.",
    b"req.",
    b"request.",
    b"data.",
    b"ctx.",
    b"sha1-",
    b"sha256-",
    b"sha384-",
    b"sha512-",
    b"sha1:",
    b"sha256:",
    b"sha512:",
    b"md5:",
    b"!secret",
    b"!ref",
    b"!vault",
    b"@microsoft.keyvault",
    b"projects/",
    b"base64:...",
    b"urn:",
    b"did:",
];

fn is_reference(value: &[u8]) -> bool {
    let begins = |with: &&[u8]| value.len() >= with.len() && value[..with.len()].eq_ignore_ascii_case(with);
    REFERENCES.iter().any(begins)
        || is_path(value)
        || is_windows_path(value)
        || memchr::memmem::find(value, b"://").is_some()
}

/// `/Users/me`, `~/.token`, `../key`: what begins like a path and has a word in it.
fn is_path(value: &[u8]) -> bool {
    let begins = matches!(value, [b'/', ..] | [b'~' | b'.', b'/', ..] | [b'.', b'.', b'/', ..]);
    let is_word = |part: &[u8]| {
        part.len() >= 2
            && (part[0].is_ascii_alphabetic()
                && part[1..].iter().all(|byte| byte.is_ascii_lowercase() || b"-_".contains(byte)))
    };
    begins && value.split(|byte| b"/.".contains(byte)).any(is_word)
}

fn is_windows_path(value: &[u8]) -> bool {
    matches!(value, [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic())
}

/// Words with which people and documents fill in what is not told. Numbers and separators do not count.
#[rustfmt::skip]
const WORDS: &[&[u8]] = &[
    b"a", b"abc", b"access", b"account", b"actual", b"an", b"anon", b"anonymous", b"any", b"api",
    b"app", b"apikey", b"auth", b"bad", b"bar", b"base", b"basic", b"baz", b"bearer", b"bool", b"boolean",
    b"bytes", b"bot", b"change", b"client", b"code", b"confirm", b"confirmation", b"correct", b"credential",
    b"credentials", b"current", b"custom", b"db", b"default", b"dev", b"disabled", b"dummy", b"empty",
    b"enabled", b"encrypted", b"enter", b"env", b"error", b"expired", b"fake", b"false", b"field", b"first",
    b"foo", b"for", b"from", b"generated", b"get", b"github", b"goes", b"grant", b"hash", b"header", b"hello",
    b"here", b"hidden", b"http", b"https", b"id", b"in", b"incorrect", b"input", b"insecure", b"int",
    b"integer", b"invalid", b"is", b"it", b"jwt", b"key", b"local", b"login", b"long", b"lorem", b"master",
    b"me", b"missing", b"mock", b"must", b"my", b"name", b"new", b"nil", b"no", b"none", b"not", b"null",
    b"number", b"oauth", b"old", b"one", b"only", b"openai", b"optional", b"or", b"other", b"pass",
    b"passphrase", b"passwd", b"password", b"path", b"phrase", b"placeholder", b"plain", b"private", b"public",
    b"pw", b"pwd", b"random", b"real", b"refresh", b"replace", b"required", b"reset", b"right", b"sample",
    b"second", b"secret", b"secure", b"session", b"set", b"shared", b"sign", b"some", b"something", b"stale",
    b"string", b"str", b"strong", b"super", b"test", b"testing", b"text", b"that", b"the", b"this", b"to",
    b"todo", b"token", b"true", b"two", b"type", b"uint", b"undefined", b"unknown", b"unset", b"update", b"url",
    b"use", b"user", b"username", b"utf", b"valid", b"value", b"very", b"webhook", b"weak", b"with", b"world",
    b"wrong", b"x", b"xxx", b"xyz", b"y", b"you", b"your", b"yyy", b"zzz",
];

/// Longer values are not put together from words by hand.
const LONGEST_WORDING: usize = 64;

/// Whether a value is made of nothing but such words.
fn is_wording(value: &[u8]) -> bool {
    if value.len() > LONGEST_WORDING {
        return false;
    }
    let mut letters = [0_u8; LONGEST_WORDING];
    let mut len = 0;
    let mut rest = value;
    while let [byte, after @ ..] = rest {
        rest = match after {
            // An escaped separator.
            [high, low, after @ ..]
                if *byte == b'%' && high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                after
            }
            _ => after,
        };
        if byte.is_ascii_alphabetic() {
            letters[len] = byte.to_ascii_lowercase();
            len += 1;
        } else if !(byte.is_ascii_digit() || b"-_. %".contains(byte)) {
            return false;
        }
    }
    let letters = &letters[..len];
    // Each place that a row of words reaches.
    let mut reached = [false; LONGEST_WORDING + 1];
    reached[0] = true;
    for at in 0..len {
        if reached[at] {
            for word in WORDS.iter().filter(|word| letters[at..].starts_with(word)) {
                reached[at + word.len()] = true;
            }
        }
    }
    len > 0 && reached[len]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_are_known() {
        for value in [
            "",
            "<your-token>",
            "xxxxxxxx",
            "XXXX",
            "changeme",
            "${VAR}",
            "$TOKEN",
            "$(cat token)",
            "process.env.X",
            "os.environ['X']",
            "***",
            "****1234",
            "sk-...abcd",
            "example",
            "your_api_key_here",
            "my-secret-token-123",
            "test123",
            "TestPassword1",
            "supersecret",
            "{{ token }}",
            "{password}",
            "%s",
            "%PASSWORD%",
            "#{pass}",
            "/run/secrets/db",
            "./key",
            "~/.token",
            "C:\\keys\\a",
            "op://vault/item",
            "sha256:abcdef",
            "[redacted: x]",
            "null",
            "string",
            "••••",
            "https://example.org/x",
        ] {
            assert!(is_placeholder(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn real_values_are_no_stand_ins() {
        for value in ["hunter2", "s3cr3t!", "Tr0ub4dor&3", "a8f3k2l9", "$2b$10$abc", "postgres", "12345678"] {
            assert!(!is_placeholder(value.as_bytes()), "{value}");
        }
    }
}
