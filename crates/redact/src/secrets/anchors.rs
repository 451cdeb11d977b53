//! Where to look: one pass over the text for all beginnings and words at once.
//!
//! A hook executable lives for a few milliseconds and scans a few kilobytes, so that the search must cost
//! nothing to set up: building an automaton for these words took longer than all the rest of a hook. Instead
//! each three bytes of the text are looked up in a small filter that the compiler fills; where it says yes,
//! the words that have these bytes at their rarest place are compared.

use std::ops::Range;

use super::assignment;
use super::command::{self, COMMANDS};
use super::key_block::{self, KeyBlocks};
use super::name::Kind;
use super::shapes::SHAPES;
use super::span::Found;
use super::{dotted, header, token, url};
use crate::words::{pack, packed_len};

/// What to do where an anchor was found.
#[derive(Clone, Copy)]
enum Check {
    /// A name of a secret may be here.
    Word,
    /// The same in a language without spaces.
    Label(Kind),
    /// `pw` and the character after it.
    Pw,
    /// A line of dashes may be around.
    KeyBlock,
    Putty,
    Sk,
    Telegram,
    Jwt,
    Url,
    Bearer,
    Basic,
    Cookie,
    Azure,
    Twilio,
}

use Check::{Azure, Basic, Bearer, Cookie, Jwt, KeyBlock, Label, Putty, Pw, Sk, Telegram, Twilio, Url, Word};

/// What is searched for beside the beginnings of tokens; in small letters, found in any case. None is shorter
/// than three bytes.
const ANCHORS: &[(&str, Check)] = &[
    ("pass", Word),
    ("pw=", Pw),
    ("pw:", Pw),
    ("pw\"", Pw),
    ("pw'", Pw),
    ("pw ", Pw),
    ("pwd", Word),
    ("secret", Word),
    ("token", Word),
    ("key", Word),
    ("auth", Word),
    ("cred", Word),
    ("bearer", Word),
    ("jwt", Word),
    ("_pat", Word),
    ("mnemonic", Word),
    ("phrase", Word),
    ("kennwort", Word),
    ("密码", Label(Kind::Password)),
    ("密碼", Label(Kind::Password)),
    ("mot de passe", Label(Kind::Password)),
    ("contraseña", Label(Kind::Password)),
    ("пароль", Label(Kind::Password)),
    ("Пароль", Label(Kind::Password)),
    ("口令", Label(Kind::Password)),
    ("パスワード", Label(Kind::Password)),
    ("暗証番号", Label(Kind::Password)),
    ("비밀번호", Label(Kind::Password)),
    ("암호", Label(Kind::Password)),
    ("密钥", Label(Kind::Key)),
    ("密鑰", Label(Kind::Key)),
    ("秘钥", Label(Kind::Key)),
    ("私钥", Label(Kind::Key)),
    ("令牌", Label(Kind::Token)),
    ("トークン", Label(Kind::Token)),
    ("토큰", Label(Kind::Token)),
    ("private key", KeyBlock),
    ("private-lines:", Putty),
    ("sk-", Sk),
    (":aa", Telegram),
    ("eyj", Jwt),
    ("://", Url),
    ("bearer", Bearer),
    ("basic", Basic),
    ("cookie", Cookie),
    // A digit, and `Q~`.
    ("0q~", Azure),
    ("1q~", Azure),
    ("2q~", Azure),
    ("3q~", Azure),
    ("4q~", Azure),
    ("5q~", Azure),
    ("6q~", Azure),
    ("7q~", Azure),
    ("8q~", Azure),
    ("9q~", Azure),
    // `SK`, and a hexadecimal digit.
    ("sk0", Twilio),
    ("sk1", Twilio),
    ("sk2", Twilio),
    ("sk3", Twilio),
    ("sk4", Twilio),
    ("sk5", Twilio),
    ("sk6", Twilio),
    ("sk7", Twilio),
    ("sk8", Twilio),
    ("sk9", Twilio),
    ("ska", Twilio),
    ("skb", Twilio),
    ("skc", Twilio),
    ("skd", Twilio),
    ("ske", Twilio),
    ("skf", Twilio),
];

/// All that is searched for: the beginnings of tokens, the programs, and the rest.
const ALL: [&str; COUNT] = {
    let mut all = [""; COUNT];
    let mut number = 0;
    while number < COUNT {
        all[number] = if number < SHAPES.len() {
            SHAPES[number].prefix
        } else if number < SHAPES.len() + COMMANDS.len() {
            COMMANDS[number - SHAPES.len()].program
        } else {
            ANCHORS[number - SHAPES.len() - COMMANDS.len()].0
        };
        number += 1;
    }
    all
};

const COUNT: usize = SHAPES.len() + COMMANDS.len() + ANCHORS.len();

/// The letters of all anchors, each after its length.
static LETTERS: [u8; packed_len(&ALL)] = pack(&ALL);

/// Anchor number so and so.
fn anchor(number: usize) -> &'static [u8] {
    let at = usize::from(INDEX.letters[number]);
    &LETTERS[at + 1..][..usize::from(LETTERS[at])]
}

/// What is done at each of [`ANCHORS`].
static CHECKS: [Check; ANCHORS.len()] = {
    let mut checks = [Word; ANCHORS.len()];
    let mut number = 0;
    while number < ANCHORS.len() {
        checks[number] = ANCHORS[number].1;
        number += 1;
    }
    checks
};

/// Which three bytes are in an anchor, and which anchors those are.
struct Index {
    /// One bit for each hash of three bytes.
    filter: [u64; FILTER_BITS / 64],
    /// For the low bits of a hash, the first anchor of its chain.
    heads: [u8; CHAINS],
    /// For each anchor, the next one of its chain.
    next: [u8; COUNT],
    /// For each anchor, where in it the three bytes are.
    places: [u8; COUNT],
    /// For each anchor, where it is in [`LETTERS`].
    letters: [u16; COUNT],
}

/// 32,768 bits, 4 KiB: about two hundred are set, so that it lets through little else.
const FILTER_BITS: usize = 1 << 15;
const CHAINS: usize = 256;
const NONE: u8 = u8::MAX;

static INDEX: Index = index();

const fn index() -> Index {
    let mut index = Index {
        filter: [0; FILTER_BITS / 64],
        heads: [NONE; CHAINS],
        next: [NONE; COUNT],
        places: [0; COUNT],
        letters: [0; COUNT],
    };
    assert!(COUNT < NONE as usize, "the chains count in bytes");
    let (mut number, mut letters) = (0, 0);
    while number < COUNT {
        let bytes = ALL[number].as_bytes();
        let place = rarest(bytes);
        let hash = hash(three_at(bytes, place));
        index.filter[hash / 64] |= 1 << (hash % 64);
        index.next[number] = index.heads[hash % CHAINS];
        #[expect(
            clippy::cast_possible_truncation,
            reason = "no anchor is so long, nor are all, and their number is asserted"
        )]
        {
            index.heads[hash % CHAINS] = number as u8;
            index.places[number] = place as u8;
            index.letters[number] = letters as u16;
        }
        letters += 1 + bytes.len();
        number += 1;
    }
    index
}

/// The bit that tells small letters from capitals, in every byte. Setting it makes some other bytes equal
/// too, which the comparison sorts out.
const FOLD: u64 = 0x2020_2020_2020_2020;
const THREE: u64 = 0xff_ffff;

/// Places looked at in one step.
const PLACES: usize = 6;

/// The hash of three folded bytes.
#[expect(clippy::inline_always, reason = "the executables are built for size, and this runs for every byte")]
#[inline(always)]
const fn hash(three: u64) -> usize {
    // The odd number next to 2^64 divided by the golden ratio spreads neighbours best.
    let hash = three.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - FILTER_BITS.trailing_zeros());
    #[expect(clippy::cast_possible_truncation, reason = "fifteen bits")]
    {
        hash as usize
    }
}

/// Three bytes, folded.
const fn three_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], 0, 0, 0, 0, 0]) | FOLD & THREE
}

/// Where in an anchor the three bytes are that are the rarest in other text.
const fn rarest(anchor: &[u8]) -> usize {
    let (mut best, mut least, mut at) = (0, u32::MAX, 0);
    while at + 3 <= anchor.len() {
        let weight = frequency(anchor[at]) * frequency(anchor[at + 1]) * frequency(anchor[at + 2]);
        if weight < least {
            (best, least) = (at, weight);
        }
        at += 1;
    }
    best
}

/// About how often a byte occurs in English and in code, of a hundred.
const fn frequency(byte: u8) -> u32 {
    match byte | 0x20 {
        b' ' => 15,
        b'e' => 10,
        b't' => 8,
        b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 6,
        b'l' | b'd' | b'c' => 4,
        b'u' | b'm' | b'p' | b'f' | b'/' => 3,
        b'q' | b'j' | b'z' | b'x' => 1,
        _ => 2,
    }
}

#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn filtered(hash: usize) -> u64 {
    INDEX.filter[hash / 64] >> (hash % 64) & 1
}

/// Checks every anchor of a text, about in order of their places.
pub(super) fn scan(text: &[u8], found: &mut Found) {
    let mut pass = Pass { text, keys: KeyBlocks::default(), looked: [0; COMMANDS.len()] };
    let mut at = 0;
    // Eight bytes hold six places. One branch for all of them lets the processor run ahead.
    while let Some(eight) = text[at..].first_chunk() {
        let eight = u64::from_le_bytes(*eight) | FOLD;
        let place = |place: usize| hash((eight >> (8 * place)) & THREE);
        // Written out, since a compiler that is asked for small code keeps a loop.
        let any = filtered(place(0))
            | filtered(place(1))
            | filtered(place(2))
            | filtered(place(3))
            | filtered(place(4))
            | filtered(place(5));
        if any != 0 {
            for number in 0..PLACES {
                pass.look(at + number, place(number), found);
            }
        }
        at += PLACES;
    }
    for (place, three) in text[at..].windows(3).enumerate() {
        let [first, second, third] = [three[0], three[1], three[2]];
        pass.look(
            at + place,
            hash(u64::from_le_bytes([first, second, third, 0, 0, 0, 0, 0]) | FOLD & THREE),
            found,
        );
    }
    pass.keys.finish(text, found);
    dotted::scan_discord(text, found);
}

/// One pass over a text.
struct Pass<'a> {
    text: &'a [u8],
    keys: KeyBlocks,
    /// For each program how far its flags were read.
    looked: [usize; COMMANDS.len()],
}

impl Pass<'_> {
    /// Compares the anchors whose rarest three bytes may be at `at`.
    fn look(&mut self, at: usize, hash: usize, found: &mut Found) {
        if filtered(hash) == 0 {
            return;
        }
        let mut next = INDEX.heads[hash % CHAINS];
        while next != NONE {
            let number = usize::from(next);
            let anchor = anchor(number);
            if let Some(start) = at.checked_sub(usize::from(INDEX.places[number]))
                && let Some(text) = self.text.get(start..start + anchor.len())
                && text.eq_ignore_ascii_case(anchor)
            {
                self.check(number, anchor, start..start + anchor.len(), found);
            }
            next = INDEX.next[number];
        }
    }

    fn check(&mut self, number: usize, anchor: &[u8], at: Range<usize>, found: &mut Found) {
        let text = self.text;
        if number < SHAPES.len() {
            return token::check(text, at, number, anchor, found);
        }
        let number = number - SHAPES.len();
        if let Some(command) = COMMANDS.get(number) {
            if at.start >= self.looked[number] {
                self.looked[number] = command::check(text, at, command, found);
            }
            return;
        }
        match CHECKS[number - COMMANDS.len()] {
            Word => assignment::check(text, at, found),
            Label(kind) => assignment::check_label(text, at, kind, found),
            Pw => assignment::check_pw(text, at, found),
            KeyBlock => self.keys.check(text, at, found),
            Putty => key_block::check_putty(text, at, found),
            Sk => token::check_sk(text, at, found),
            Telegram => token::check_telegram(text, at, found),
            Jwt => dotted::check_jwt(text, at, found),
            Url => url::check(text, at, found),
            Bearer => header::check_bearer(text, at, found),
            Basic => header::check_basic(text, at, found),
            Cookie => header::check_cookie(text, at, found),
            Azure => token::check_azure(text, at, found),
            Twilio => token::check_twilio(text, at, found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_anchor_is_found_in_any_case() {
        for number in 0..COUNT {
            let anchor = String::from_utf8(anchor(number).to_vec()).expect("anchors are text");
            for text in [anchor.to_lowercase(), anchor.to_uppercase()] {
                let place = usize::from(INDEX.places[number]);
                let hash = hash(three_at(text.as_bytes(), place));
                assert_eq!(filtered(hash), 1, "{text}");
                let mut next = INDEX.heads[hash % CHAINS];
                while usize::from(next) != number {
                    assert_ne!(next, NONE, "{text} is in no chain");
                    next = INDEX.next[usize::from(next)];
                }
            }
        }
    }
}
