//! Whether a value can be a secret.

use super::name::{Kind, Name};
use super::placeholder;
use super::value::SEEN;
use crate::find::contains;
use crate::words::{Words, words};

/// Where a value stands, which says how much it takes to believe it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// `NAME=value` with a name in capitals: shells, `.env` files.
    Env,
    /// The whole rest of a line after `name: `: YAML.
    Line,
    /// The whole rest of a line after `name=`: INI, properties.
    Setting,
    /// The same after ` = `, which is an assignment in most languages.
    SpacedLine,
    /// In quotes.
    Quoted,
    /// After `?name=` or `&name=`.
    Query,
    /// After `--name`.
    Flag,
    /// In an element of that name.
    Element,
    /// In a sentence, or after a label in another language.
    Sentence,
    /// In the next cell of a table.
    Cell,
    /// Elsewhere, without quotes.
    Inline,
    /// The value of a field in structured data.
    Field,
}

/// What a value is made of.
#[derive(Debug, Default)]
struct Mix {
    len: usize,
    upper: usize,
    lower: usize,
    digits: usize,
    /// Signs that names, paths and sentences do not have.
    signs: usize,
    /// Hyphens, underscores, dots, slashes and the like.
    joints: usize,
    spaces: usize,
    other: usize,
    /// How often the kind of character changes between neighbours; a capital at the head of a word does not
    /// count twice.
    changes: usize,
    different: u32,
    is_hex: bool,
}

impl Mix {
    fn of(value: &[u8]) -> Self {
        let mut mix = Self { len: value.len(), is_hex: true, ..Self::default() };
        let mut seen = 0_u128;
        let mut last = b' ';
        for &byte in value {
            match byte {
                b'A'..=b'Z' => mix.upper += 1,
                b'a'..=b'z' => mix.lower += 1,
                b'0'..=b'9' => mix.digits += 1,
                b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+' | b'~' | b'?' | b'=' | b';'
                | b'|' => {
                    mix.signs += 1;
                }
                b' ' | b'\t' => mix.spaces += 1,
                b'-' | b'_' | b'.' | b'/' | b':' | b',' => mix.joints += 1,
                _ => mix.other += 1,
            }
            let change = match (kind(last), kind(byte)) {
                (Char::Upper, Char::Lower) | (Char::Other, _) | (_, Char::Other) => false,
                (before, now) => before != now,
            };
            mix.changes += usize::from(change);
            mix.is_hex &= byte.is_ascii_hexdigit();
            if byte < 128 {
                seen |= 1 << byte;
            }
            last = byte;
        }
        mix.different = seen.count_ones();
        mix
    }

    fn letters(&self) -> usize {
        self.upper + self.lower
    }

    fn has_letter_and_digit(&self) -> bool {
        self.letters() > 0 && self.digits > 0
    }

    /// What a person or a program might choose: letters with a digit or a sign among them, or with more
    /// capitals than names have.
    fn is_chosen(&self, least: usize) -> bool {
        let marked = self.digits + self.signs > 0 || (self.len >= 8 && self.is_of_both_cases());
        self.len >= least && self.spaces == 0 && self.letters() > 0 && marked
    }

    /// Whether a third of the letters is of the other case.
    fn is_of_both_cases(&self) -> bool {
        self.upper.min(self.lower) * 10 >= self.letters() * 3
    }

    /// What no name looks like: several changes, or a sign.
    fn is_scrambled(&self, least: usize) -> bool {
        self.is_chosen(least)
            && ((self.changes >= 3 && self.digits >= 2) || (self.signs > 0 && self.digits > 0))
    }

    fn is_random(&self) -> bool {
        let alnum = self.letters() + self.digits;
        let clean = self.spaces == 0 && self.other == 0 && 5 * (self.joints + self.signs) <= 2 * self.len;
        let with_digits = self.digits >= 2 && self.letters() >= 2 && 4 * self.changes >= alnum;
        let without = self.letters() >= 12 && self.is_of_both_cases() && 6 * self.changes >= alnum;
        let hex = self.is_hex && self.len >= 32 && self.digits >= 4 && self.letters() >= 4;
        self.len >= SHORTEST_RANDOM && clean && self.different >= 8 && (with_digits || without || hex)
    }
}

/// Shorter values may be names with numbers.
const SHORTEST_RANDOM: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Char {
    Upper,
    Lower,
    Digit,
    Other,
}

fn kind(byte: u8) -> Char {
    match byte {
        b'A'..=b'Z' => Char::Upper,
        b'a'..=b'z' => Char::Lower,
        b'0'..=b'9' => Char::Digit,
        _ => Char::Other,
    }
}

/// Whether a value looks drawn by lot: at least 16 characters, many different ones, in no order that words
/// have.
pub(super) fn is_random(value: &[u8]) -> bool {
    Mix::of(value).is_random()
}

/// Whether the value at a secret-looking key of structured data is to be taken out.
pub(crate) fn is_plausible_field(name: &Name, value: &str) -> bool {
    is_plausible(name, Place::Field, &value.as_bytes()[..value.len().min(SEEN)])
}

/// Whether `value` in `place` can be what `name` says it is.
pub(super) fn is_plausible(name: &Name, place: Place, value: &[u8]) -> bool {
    // What it is made of comes first: it settles most cases, and quickly.
    let mix = Mix::of(value);
    if name.kind == Kind::Phrase {
        return mix.spaces >= 11 && mix.lower + mix.spaces == mix.len;
    }
    let fits = match name.kind {
        _ if name.is_weak => mix.is_random(),
        Kind::Password if name.is_bare && !matches!(place, Place::Env | Place::Line | Place::Setting) => {
            mix.is_scrambled(6)
        }
        Kind::Password => is_password(&mix, place),
        Kind::Token if name.is_bare && is_uuid(value) => false,
        Kind::Secret | Kind::Token | Kind::Key | Kind::Phrase => is_key(&mix, place, name.kind),
    };
    if !fits {
        return false;
    }
    let literal = matches!(place, Place::Quoted | Place::Field);
    let names_another = (!literal && is_expression(value, place)) || placeholder::is_placeholder(value);
    !names_another && !is_address(value) && !is_pattern(value)
}

fn is_password(mix: &Mix, place: Place) -> bool {
    let number = mix.digits == mix.len && mix.len >= 6;
    match place {
        Place::Env | Place::Field => mix.spaces == 0 && mix.len >= 4 && mix.len <= LONGEST_PASSWORD,
        Place::Line | Place::Sentence => number || mix.is_chosen(6),
        Place::Setting => number || mix.is_chosen(6) || (mix.lower == mix.len && mix.len >= 6),
        Place::Flag | Place::Element => mix.is_chosen(5),
        Place::Quoted | Place::Query => mix.is_chosen(6),
        Place::Inline => mix.is_chosen(6) && mix.digits > 0,
        Place::SpacedLine | Place::Cell => mix.is_scrambled(8) || (mix.signs > 0 && mix.is_chosen(6)),
    }
}

/// Longer values are something else that has the name by chance.
const LONGEST_PASSWORD: usize = 256;

fn is_key(mix: &Mix, place: Place, kind: Kind) -> bool {
    if mix.is_random() {
        return true;
    }
    if mix.spaces > 0 || !mix.has_letter_and_digit() {
        return false;
    }
    match place {
        Place::Env | Place::Field => mix.len >= 8 && mix.changes + mix.signs >= 1,
        Place::Sentence | Place::Flag | Place::Query | Place::Element | Place::Line | Place::Setting => {
            mix.is_scrambled(8)
        }
        Place::Quoted if kind == Kind::Secret => mix.is_scrambled(8),
        Place::Quoted => mix.is_scrambled(12),
        Place::Inline | Place::SpacedLine | Place::Cell => false,
    }
}

/// Code that gives the value, not the value: calls, paths of names, types.
fn is_expression(value: &[u8], place: Place) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let first = value.iter().take_while(|byte| is_name(byte)).count();
    let begins_name = first > 0 && !value[0].is_ascii_digit();
    let call = value.windows(2).any(|two| is_name(&two[0]) && two[1] == b'(');
    if begins_name && place != Place::Env && (call || matches!(value.get(first), Some(b'[' | b'{' | b'<'))) {
        return true;
    }
    if begins_name && value.get(first) == Some(&b'(') {
        return true;
    }
    if value.windows(2).any(|two| {
        two == b"!("
            || two == b"!["
            || two == b"::"
            || two == b"->"
            || two == b"()"
            || two == b"=>"
            || two == b"?."
    }) {
        return true;
    }
    if is_number(value) || TYPES.contains(value) {
        return true;
    }
    if place != Place::Env && matches!(value[0], b'&' | b'*' | b'(' | b'!' | b'\\') {
        return true;
    }
    // `self.inner.token2` and `user.password`
    let parts = value.split(|&byte| byte == b'.');
    value.contains(&b'.')
        && parts.clone().all(|part| !part.is_empty() && part.iter().all(is_name) && !part[0].is_ascii_digit())
        && !is_random(value)
}

/// A number with a base or a type: `0x80070005`, `131072u32`.
fn is_number(value: &[u8]) -> bool {
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'_').count();
    let rest = &value[digits..];
    let typed = matches!(rest, [b'u' | b'i' | b'f' | b'U' | b'L' | b'l' | b'n', size @ ..]
        if size.len() <= 4 && size.iter().all(u8::is_ascii_alphanumeric));
    let hex = matches!(value, [b'0', b'x' | b'X', number @ ..]
        if number.len() <= 20 && number.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'));
    digits > 0 && (typed || hex)
}

#[rustfmt::skip]
const TYPES: Words = words![
    "int32", "int64", "uint8", "uint32", "uint64", "uint128", "uint160", "uint256", "bytes32",
    "bytes20", "float32", "float64", "base64", "md5sum", "sha256", "sha512", "oauth2", "varchar2",
    "bcrypt2", "argon2", "argon2id", "argon2i", "pbkdf2", "utf8mb4", "ed25519", "secp256k1",
    "ripemd160", "keccak256", "blake2b", "hmacsha256",
];

/// `550e8400-e29b-41d4-a716-446655440000`
fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// An address of mail: `user1@example.org`.
fn is_address(value: &[u8]) -> bool {
    let Some(at) = memchr::memchr(b'@', value) else { return false };
    let (user, host) = (&value[..at], &value[at + 1..]);
    let Some(dot) = memchr::memrchr(b'.', host) else { return false };
    let ending = &host[dot + 1..];
    !user.is_empty()
        && dot > 0
        && (2..=6).contains(&ending.len())
        && ending.iter().all(u8::is_ascii_lowercase)
        && host.iter().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(byte))
}

/// A pattern or a format instead of a value.
fn is_pattern(value: &[u8]) -> bool {
    const SIGNS: Words = words![
        "[a-z", "[A-Z", "[0-9", "\\d", "\\w", "\\s", "(?", ".*", ".+", "{}", "min:", "max:", "required",
        "\\u",
    ];
    let anchored = value.starts_with(b"^") && (value.ends_with(b"$") || value.contains(&b'['));
    anchored || SIGNS.find(|sign| contains(value, sign)).is_some() || has_format(value)
}

/// `%s` and its kin, where a word ends.
fn has_format(value: &[u8]) -> bool {
    memchr::memchr_iter(b'%', value).any(|at| {
        matches!(value.get(at + 1), Some(b's' | b'd' | b'v' | b'q'))
            && !value.get(at + 2).is_some_and(u8::is_ascii_alphanumeric)
    })
}
