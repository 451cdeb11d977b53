//! Words that look as if they were drawn by lot, where the text beside them speaks of a secret.
//!
//! The hook's scanner knows the shapes of tokens, and values that are assigned to names of secrets. What is left is
//! told in a sentence: "use the token ... for staging".

use std::borrow::Cow;

/// What stands where such a word was.
const MARKER: &str = "[redacted: likely a secret]";

/// Shorter words are not judged.
const SHORTEST: usize = 16;

/// A word of this length or more is no secret that anybody copies by hand.
const LONGEST: usize = 512;

/// How far before a word, in bytes of its line, the text must speak of a secret.
const BEFORE: usize = 60;

/// Bits of each character that a word drawn by lot has at least. Sixteen different characters have four.
const BITS: f32 = 3.2;

/// Words that speak of a secret, in small letters.
const SPEAK: [&str; 26] = [
    "secret",
    "token",
    "password",
    "passwd",
    "passphrase",
    "passwort",
    "api key",
    "apikey",
    "api-key",
    "api_key",
    "access key",
    "private key",
    "credential",
    "bearer",
    "login",
    "pin code",
    "密码",
    "口令",
    "令牌",
    "密钥",
    "パスワード",
    "トークン",
    "秘密",
    "비밀번호",
    "토큰",
    "암호",
];

/// Takes such words out.
pub(super) fn redact(text: &str) -> Cow<'_, str> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        let belongs = byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'+' | b'/' | b'=' | b'_' | b'-' | b'~' | b'!' | b'#' | b'$' | b'%' | b'^' | b'*'
            );
        match start {
            None if belongs => start = Some(at),
            Some(from) if !belongs => {
                if is_drawn_by_lot(&text.as_bytes()[from..at]) && speaks_of_secret(text, from) {
                    found.push(from..at);
                }
                start = None;
            }
            _ => {}
        }
    }
    if found.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(super::replaced(text, &found, MARKER)) }
}

fn is_drawn_by_lot(word: &[u8]) -> bool {
    if !(SHORTEST..=LONGEST).contains(&word.len()) {
        return false;
    }
    let count = |is: fn(&u8) -> bool| word.iter().filter(|byte| is(byte)).count();
    let (digits, lower, upper) =
        (count(u8::is_ascii_digit), count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase));
    // Names of things have few digits, times and numbers have nothing else.
    if digits < 3 || lower + upper < 4 {
        return false;
    }
    if is_digest_or_number(word) || looks_like_path_or_name(word) {
        return false;
    }
    changes_of_class(word) * 3 >= word.len() && bits(word) >= BITS
}

/// Digests, ids and numbers in hexadecimal are everywhere, and seldom secrets.
fn is_digest_or_number(word: &[u8]) -> bool {
    word.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
}

/// Several words with signs between them: a path, a slug, a version, the name of a file.
fn looks_like_path_or_name(word: &[u8]) -> bool {
    let parts = word.split(|byte| matches!(byte, b'/' | b'-' | b'_' | b'=' | b'+'));
    let parts: Vec<&[u8]> = parts.filter(|part| !part.is_empty()).collect();
    let plain = |part: &&&[u8]| {
        let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
        digits == part.len()
            || digits == 0
            || part[..part.len() - digits].iter().all(u8::is_ascii_alphabetic)
                && part[part.len() - digits..].iter().all(u8::is_ascii_digit)
    };
    parts.len() > 1 && parts.iter().filter(plain).count() * 3 >= parts.len() * 2
}

/// How often a letter is followed by a digit, a small letter by a great one, and so on.
fn changes_of_class(word: &[u8]) -> usize {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    word.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count()
}

/// Shannon's entropy of the word's characters.
fn bits(word: &[u8]) -> f32 {
    let mut counts = [0_u16; 256];
    word.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    #[expect(clippy::cast_precision_loss, reason = "at most 512")]
    let all = word.len() as f32;
    let share = |count: u16| f32::from(count) / all;
    counts.iter().filter(|count| **count > 0).map(|count| -share(*count) * share(*count).log2()).sum()
}

fn speaks_of_secret(text: &str, at: usize) -> bool {
    let from = text.floor_char_boundary(at.saturating_sub(BEFORE));
    let line = text[from..at].rsplit('\n').next().unwrap_or_default().to_lowercase();
    SPEAK.iter().any(|word| line.match_indices(word).any(|(at, _)| stands_alone(&line, at, word)))
}

/// Whether a word is one by itself: `nextPageToken` speaks of no secret. Scripts without blanks have no such edges.
fn stands_alone(line: &str, at: usize, word: &str) -> bool {
    let is_letter =
        |character: Option<char>| character.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let after = line[at + word.len()..].trim_start_matches('s');
    !word.is_ascii() || !is_letter(line[..at].chars().next_back()) && !is_letter(after.chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_word_where_a_secret_is_spoken_of_goes() {
        for text in [
            "use the staging token for now, it is q7Xb2LmZ9aRt4KwP here",
            "the credentials for the old box were: ops then Kd83jQz71LmPv92x",
            "トークンは x9Qm27LrTz81KbVw4e です",
            "我们的令牌 在这里 q7Xb2LmZ9aRt4KwP8c",
            "login with me and then with Zt9!kq2#Lm8$Rw4x",
        ] {
            assert!(redact(text).contains(MARKER), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_one_stays() {
        for text in [
            "nothing to hide here: q7Xb2LmZ9aRt4KwP",
            "the token is in commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
            "token id 550e8400-e29b-41d4-a716-446655440000",
            "the secret lies in src/config2/loader3/mod1.rs",
            "the token parser is in parse_token_stream_v2_2026_11",
            "password rules: minimum-length-12-characters",
            "token TokenKindIdentifierNumber2 is read",
            "the api key page is https://example.org/docs/2026/11/02/api-keys-v2",
            "token expires 2026-11-02T14:30:00Z or 1793577600000",
            "nextPageToken: \"CAUQAA1b2C3d4E5f6x8\"",
            "login failed at 10.0.0.1:5432 with ECONNREFUSED",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn doing_it_twice_changes_nothing() {
        let once = redact("the token q7Xb2LmZ9aRt4KwP and the secret x9Qm27LrTz81KbVw4e").into_owned();
        assert_eq!(redact(&once), once);
    }
}
