//! What stands where a secret would stand.

use crate::find::contains;
use crate::words::{Words, words};

/// Whether a token is filled up by hand: `ghp_xxxxxxxxxxxx`, `AKIAIOSFODNN7EXAMPLE`.
pub(super) fn is_filler(body: &[u8]) -> bool {
    let same = body.iter().all(|byte| byte.eq_ignore_ascii_case(&body[0])) && b"xX0_-*".contains(&body[0]);
    same || (0..body.len()).any(|at| is_filled_at(&body[at..]))
}

/// Three stars or dots, four crosses, or a word that real tokens do not have by chance.
fn is_filled_at(text: &[u8]) -> bool {
    let begins = |words: Words| words.find(|word| begins_in_any_case(text, word)).is_some();
    match text[0] | 0x20 {
        b'x' => begins(words!["xxxx"]),
        b'e' => begins(words!["example"]),
        b'p' => begins(words!["placeholder"]),
        b'y' => begins(words!["your"]),
        b'c' => begins(words!["changeme"]),
        b'r' => begins(words!["redacted", "replace_", "replace-"]),
        b'd' => begins(words!["dummy"]),
        b'i' => begins(words!["insert"]),
        b'*' | b'.' => begins(words!["***", "..."]),
        // An ellipsis, bullets, circles.
        0xe2 => begins(words!["…", "••", "●●"]),
        _ => false,
    }
}

fn begins_in_any_case(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word))
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
const REFERENCES: Words = words![
    "process.env",
    "os.environ",
    "os.getenv",
    "import.meta",
    "env.",
    "env:",
    "env[",
    "secrets.",
    "vars.",
    "vault:",
    "op://",
    "ssm:",
    "arn:aws",
    "enc[",
    "file:",
    "config.",
    "settings.",
    "self.",
    "this.",
    "args.",
    "options.",
    "opts.",
    "params.",
    "props.",
    "state.",
    "req.",
    "request.",
    "data.",
    "ctx.",
    "sha1-",
    "sha256-",
    "sha384-",
    "sha512-",
    "sha1:",
    "sha256:",
    "sha512:",
    "md5:",
    "!secret",
    "!ref",
    "!vault",
    "@microsoft.keyvault",
    "projects/",
    "base64:...",
    "urn:",
    "did:",
];

fn is_reference(value: &[u8]) -> bool {
    REFERENCES.find(|word| begins_in_any_case(value, word)).is_some()
        || is_path(value)
        || is_windows_path(value)
        || contains(value, b"://")
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
const WORDS: Words = words![
    "a", "abc", "access", "account", "actual", "an", "anon", "anonymous", "any", "api",
    "app", "apikey", "auth", "bad", "bar", "base", "basic", "baz", "bearer", "bool", "boolean",
    "bytes", "bot", "change", "client", "code", "confirm", "confirmation", "correct", "credential",
    "credentials", "current", "custom", "db", "default", "dev", "disabled", "dummy", "empty",
    "enabled", "encrypted", "enter", "env", "error", "expired", "fake", "false", "field", "first",
    "foo", "for", "from", "generated", "get", "github", "goes", "grant", "hash", "header", "hello",
    "here", "hidden", "http", "https", "id", "in", "incorrect", "input", "insecure", "int",
    "integer", "invalid", "is", "it", "jwt", "key", "local", "login", "long", "lorem", "master",
    "me", "missing", "mock", "must", "my", "name", "new", "nil", "no", "none", "not", "null",
    "number", "oauth", "old", "one", "only", "openai", "optional", "or", "other", "pass",
    "passphrase", "passwd", "password", "path", "phrase", "placeholder", "plain", "private", "public",
    "pw", "pwd", "random", "real", "refresh", "replace", "required", "reset", "right", "sample",
    "second", "secret", "secure", "session", "set", "shared", "sign", "some", "something", "stale",
    "string", "str", "strong", "super", "test", "testing", "text", "that", "the", "this", "to",
    "todo", "token", "true", "two", "type", "uint", "undefined", "unknown", "unset", "update", "url",
    "use", "user", "username", "utf", "valid", "value", "very", "webhook", "weak", "with", "world",
    "wrong", "x", "xxx", "xyz", "y", "you", "your", "yyy", "zzz",
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
            for word in WORDS.iter().filter(|word| word[0] == letters[at] && letters[at..].starts_with(word))
            {
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
