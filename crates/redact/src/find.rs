//! Finding few bytes in little text.
//!
//! The general search of `memchr` would be a fortieth of every hook executable, and its preparation costs more
//! than what is searched here.

/// Where `word` begins first in `text`. Linear for words of a few bytes.
pub(crate) fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    let first = *word.first()?;
    memchr::memchr_iter(first, text).find(|&at| text[at..].starts_with(word))
}

/// Where `word` begins last in `text`.
pub(crate) fn rfind(text: &[u8], word: &[u8]) -> Option<usize> {
    let first = *word.first()?;
    memchr::memrchr_iter(first, text).find(|&at| text[at..].starts_with(word))
}

/// Whether `word` is in `text`.
pub(crate) fn contains(text: &[u8], word: &[u8]) -> bool {
    find(text, word).is_some()
}
