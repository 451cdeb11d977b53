//! Lists of words in one piece.
//!
//! Every hook executable carries these lists. A slice of slices takes forty bytes for each word beside its
//! letters (address, length, and what the loader needs to know to correct the address), and the loader visits
//! each at every start. Here a word takes one byte beside its letters, and nothing is to be corrected.

/// A list of words, none longer than 255 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    /// For each word its length, then its letters.
    packed: &'static [u8],
}

impl Words {
    /// See [`words`].
    pub(crate) const fn of(packed: &'static [u8]) -> Self {
        Self { packed }
    }

    /// The words, in the order in which they were written.
    pub(crate) fn iter(self) -> Iter {
        Iter { rest: self.packed }
    }

    /// The first of the words that holds for `fits`.
    pub(crate) fn find(self, fits: impl Fn(&[u8]) -> bool) -> Option<&'static [u8]> {
        self.iter().find(|word| fits(word))
    }

    pub(crate) fn contains(self, wanted: &[u8]) -> bool {
        self.find(|word| word == wanted).is_some()
    }
}

/// The words of a list.
pub(crate) struct Iter {
    rest: &'static [u8],
}

impl Iterator for Iter {
    type Item = &'static [u8];

    fn next(&mut self) -> Option<&'static [u8]> {
        let (&len, rest) = self.rest.split_first()?;
        let (word, rest) = rest.split_at_checked(usize::from(len))?;
        self.rest = rest;
        Some(word)
    }
}

/// Bytes that a list takes.
pub(crate) const fn packed_len(words: &[&str]) -> usize {
    let (mut len, mut number) = (0, 0);
    while number < words.len() {
        len += 1 + words[number].len();
        number += 1;
    }
    len
}

/// Packs a list; `LEN` is its [`packed_len`].
pub(crate) const fn pack<const LEN: usize>(words: &[&str]) -> [u8; LEN] {
    let mut packed = [0; LEN];
    let (mut end, mut number) = (0, 0);
    while number < words.len() {
        let word = words[number].as_bytes();
        assert!(word.len() <= u8::MAX as usize, "the length takes one byte");
        #[expect(clippy::cast_possible_truncation, reason = "asserted")]
        {
            packed[end] = word.len() as u8;
        }
        end += 1;
        let mut at = 0;
        while at < word.len() {
            packed[end] = word[at];
            (end, at) = (end + 1, at + 1);
        }
        number += 1;
    }
    packed
}

/// Makes [`Words`] of words, when the program is compiled.
macro_rules! words {
    ($($word:literal),* $(,)?) => {{
        const WORDS: &[&str] = &[$($word),*];
        const PACKED: &[u8] = &$crate::words::pack::<{ $crate::words::packed_len(WORDS) }>(WORDS);
        $crate::words::Words::of(PACKED)
    }};
}
pub(crate) use words;

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn words_come_back_as_they_were_written() {
        const SOME: Words = words!["a", "", "密码", "abc"];
        let read: Vec<&[u8]> = SOME.iter().collect();
        assert_eq!(read, [&b"a"[..], b"", "密码".as_bytes(), b"abc"]);
        assert!(SOME.contains(b"abc") && SOME.contains(b"") && !SOME.contains(b"ab"));
        assert_eq!(words![].iter().count(), 0);
    }
}
