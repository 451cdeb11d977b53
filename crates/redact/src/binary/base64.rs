//! Base64: where it is, and what it holds.

use std::fmt::Write as _;
use std::ops::Range;

use memchr::memchr2;
use sha2::{Digest, Sha256};

use super::SHORTEST_RUN;

/// Real content has nearly all of the 64 characters; words, numbers and repetitions have few.
const FEWEST_DIFFERENT: u32 = 32;

/// Tools wrap at 64 or 76 characters.
const LINE_LENGTHS: Range<usize> = 60..129;

const SPACE: u8 = 0x40;
const PADDING: u8 = 0x41;
const OTHER: u8 = 0xff;

/// The value of each character, of both alphabets.
static VALUES: [u8; 256] = {
    let mut values = [OTHER; 256];
    let mut value = 0_u8;
    while value < 26 {
        values[b'A' as usize + value as usize] = value;
        values[b'a' as usize + value as usize] = 26 + value;
        if value < 10 {
            values[b'0' as usize + value as usize] = 52 + value;
        }
        value += 1;
    }
    values[b'+' as usize] = 62;
    values[b'-' as usize] = 62;
    values[b'/' as usize] = 63;
    values[b'_' as usize] = 63;
    values[b'=' as usize] = PADDING;
    values[b'\n' as usize] = SPACE;
    values[b'\r' as usize] = SPACE;
    values
};

#[expect(clippy::inline_always, reason = "the executables are built for size, and this runs for every byte")]
#[inline(always)]
fn value(byte: u8) -> u8 {
    VALUES[usize::from(byte)]
}

/// Whether `text` begins as base64 does. Decoding tells the rest.
pub(super) fn may_be_encoded(text: &[u8]) -> bool {
    text[..text.len().min(SHORTEST_RUN)].iter().all(|&byte| value(byte) <= PADDING)
}

/// Whether so many different characters occur that it is no writing.
pub(super) fn is_varied(text: &[u8]) -> bool {
    let mut seen = 0_u64;
    // Real content shows it within its first bytes.
    text.chunks(256).any(|chunk| {
        let values = chunk.iter().map(|&byte| value(byte)).filter(|&value| value < SPACE);
        seen = values.fold(seen, |seen, value| seen | 1 << value);
        seen.count_ones() >= FEWEST_DIFFERENT
    })
}

/// All long runs, in order, each within a line or wrapped over lines of one length.
///
/// Only every thousandth byte of ordinary text is looked at: a run that is long enough covers one.
pub(super) fn runs(text: &[u8]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut settled = 0;
    while let Some(&probe) = text.get(settled + SHORTEST_RUN - 1) {
        let at = settled + SHORTEST_RUN - 1;
        if value(probe) > SPACE {
            settled = at + 1;
            continue;
        }
        let stretch = &text[settled..at];
        if let Some(break_at) = stretch.iter().rposition(|&byte| value(byte) > SPACE) {
            settled += break_at + 1;
            continue;
        }
        let end = text[at..].iter().position(|&byte| value(byte) > SPACE).map_or(text.len(), |len| at + len);
        let padded = end + text[end..].iter().take(2).take_while(|&&byte| value(byte) == PADDING).count();
        collect(text, settled..end, padded, &mut runs);
        settled = padded.max(end + 1);
    }
    runs
}

/// The runs within a stretch of base64 characters and line breaks.
fn collect(text: &[u8], stretch: Range<usize>, padded: usize, runs: &mut Vec<Range<usize>>) {
    let mut at = stretch.start;
    while at < stretch.end {
        let run = wrapped_run(text, at..stretch.end);
        if run.len() >= SHORTEST_RUN && is_varied(&text[run.clone()]) {
            let end = if run.end == stretch.end { padded } else { run.end };
            runs.push(run.start..end);
        }
        at = run.end.max(at) + 1;
    }
}

/// The lines of equal length (the last may be shorter) that begin at the start of `within`, or one line.
fn wrapped_run(text: &[u8], within: Range<usize>) -> Range<usize> {
    let line = |from: usize| {
        let len = memchr2(b'\n', b'\r', &text[from..within.end]);
        from..len.map_or(within.end, |len| from + len)
    };
    let first = line(within.start);
    let mut run = first.clone();
    if !LINE_LENGTHS.contains(&first.len()) {
        return run;
    }
    while run.end < within.end {
        let break_len = if text[run.end..within.end].starts_with(b"\r\n") { 2 } else { 1 };
        let next = line((run.end + break_len).min(within.end));
        if next.is_empty() || next.len() > first.len() {
            break;
        }
        run.end = next.end;
        if next.len() < first.len() {
            break;
        }
    }
    run
}

/// What is known of decoded content.
pub(super) struct Decoded {
    pub(super) bytes: usize,
    pub(super) sha256: String,
    /// The first bytes, to tell the media type by.
    pub(super) head: Vec<u8>,
}

/// Decodes without keeping the content; nothing if it is not base64 after all.
pub(super) fn digest(encoded: &[u8]) -> Option<Decoded> {
    let end = encoded.iter().rposition(|&byte| value(byte) < SPACE).map_or(0, |last| last + 1);
    let mut rest = &encoded[..end];
    let mut decoder = Decoder::new();
    let (mut bits, mut count) = (0_u32, 0);
    loop {
        // Nearly all of it comes in fours.
        while let (0, Some(four)) = (count, rest.first_chunk()) {
            let [a, b, c, d]: [u8; 4] = *four;
            let (a, b, c, d) = (value(a), value(b), value(c), value(d));
            if (a | b | c | d) >= SPACE {
                break;
            }
            decoder.push(u32::from(a) << 18 | u32::from(b) << 12 | u32::from(c) << 6 | u32::from(d), 3);
            rest = &rest[4..];
        }
        let Some((&byte, after)) = rest.split_first() else { break };
        rest = after;
        match value(byte) {
            SPACE => {}
            six if six < SPACE => {
                bits = bits << 6 | u32::from(six);
                count += 1;
                if count == 4 {
                    decoder.push(bits, 3);
                    (bits, count) = (0, 0);
                }
            }
            _ => return None,
        }
    }
    if count >= 2 {
        decoder.push(bits << (6 * (4 - count)), count - 1);
    }
    Some(decoder.finish())
}

/// Hashes decoded bytes, a buffer at a time.
struct Decoder {
    hash: Sha256,
    head: Vec<u8>,
    bytes: usize,
    buffer: [u8; BUFFER],
    filled: usize,
}

const BUFFER: usize = 3 * 2048;

impl Decoder {
    fn new() -> Self {
        Self { hash: Sha256::new(), head: Vec::new(), bytes: 0, buffer: [0; BUFFER], filled: 0 }
    }

    /// Takes the first `len` of the three bytes in the low bits.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    fn push(&mut self, bits: u32, len: usize) {
        let [_, bytes @ ..] = bits.to_be_bytes();
        self.buffer[self.filled..self.filled + 3].copy_from_slice(&bytes);
        self.filled += len;
        if self.filled == BUFFER {
            self.flush();
        }
    }

    #[inline(never)]
    fn flush(&mut self) {
        let filled = &self.buffer[..self.filled];
        if self.bytes == 0 {
            self.head = filled[..filled.len().min(16)].to_vec();
        }
        self.hash.update(filled);
        self.bytes += self.filled;
        self.filled = 0;
    }

    fn finish(mut self) -> Decoded {
        self.flush();
        Decoded { bytes: self.bytes, sha256: hex(&self.hash.finalize()), head: self.head }
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The media type that the first bytes tell.
pub(super) fn media_type(head: &[u8]) -> &'static str {
    const MAGIC: &[(&[u8], &str)] = &[
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF8", "image/gif"),
        (b"BM", "image/bmp"),
        (b"%PDF-", "application/pdf"),
        (b"PK\x03\x04", "application/zip"),
        (b"\x1f\x8b", "application/gzip"),
        (b"ID3", "audio/mpeg"),
        (b"OggS", "audio/ogg"),
        (b"\0asm", "application/wasm"),
    ];
    if head.starts_with(b"RIFF") && head.len() >= 12 {
        return match &head[8..12] {
            b"WEBP" => "image/webp",
            b"WAVE" => "audio/wav",
            _ => "application/octet-stream",
        };
    }
    MAGIC
        .iter()
        .find(|(magic, _)| head.starts_with(magic))
        .map_or("application/octet-stream", |(_, name)| name)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn encode(content: &[u8]) -> String {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut out = String::new();
        for chunk in content.chunks(3) {
            let bits = (0..3).fold(0, |bits, at| bits << 8 | usize::from(*chunk.get(at).unwrap_or(&0)));
            for at in 0..4 {
                let six = bits >> (18 - 6 * at) & 63;
                out.push(if at <= chunk.len() { ALPHABET[six] as char } else { '=' });
            }
        }
        out
    }

    #[test]
    fn the_media_type_is_read_from_the_content() {
        for (head, wanted) in [
            (b"\x89PNG\r\n\x1a\n0000".as_slice(), "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"RIFF\0\0\0\0WEBP", "image/webp"),
            (b"RIFF", "application/octet-stream"),
            (b"", "application/octet-stream"),
        ] {
            assert_eq!(media_type(head), wanted);
        }
    }

    proptest! {
        #[test]
        fn decoding_gives_back_what_was_encoded(content in proptest::collection::vec(any::<u8>(), 0..200)) {
            let decoded = digest(encode(&content).as_bytes()).expect("it is base64");
            prop_assert_eq!(decoded.bytes, content.len());
            prop_assert_eq!(decoded.sha256, hex(&Sha256::digest(&content)));
            prop_assert_eq!(&decoded.head[..], &content[..content.len().min(16)]);
        }

        #[test]
        fn runs_are_found_wherever_they_lie(before in 0usize..2500, len in 900usize..3000, after in 0usize..2500) {
            let run: String = encode(&(0..=255).cycle().take(len).collect::<Vec<u8>>());
            let run = run.trim_end_matches('=');
            let text = format!("{}{run}{}", ". ".repeat(before), " .".repeat(after));
            let found = runs(text.as_bytes());
            if run.len() < SHORTEST_RUN {
                prop_assert!(found.is_empty());
            } else {
                prop_assert_eq!(found.len(), 1);
                prop_assert_eq!(&text[found[0].clone()], run);
            }
        }
    }
}
