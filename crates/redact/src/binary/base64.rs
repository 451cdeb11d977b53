//! Base64: where it is, and what it holds.

use std::fmt::Write as _;
use std::ops::Range;

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

fn value(byte: u8) -> u8 {
    VALUES[usize::from(byte)]
}

/// Whether `text` is base64 from end to end, perhaps wrapped, perhaps padded.
pub(super) fn is_encoded(text: &[u8]) -> bool {
    let end = text.iter().rposition(|&byte| value(byte) != PADDING).map_or(0, |last| last + 1);
    text.len() - end <= 2 && text[..end].iter().all(|&byte| value(byte) <= SPACE)
}

/// Whether so many different characters occur that it is no writing.
pub(super) fn is_varied(text: &[u8]) -> bool {
    let seen = text.iter().map(|&byte| value(byte)).filter(|&value| value < SPACE);
    seen.fold(0_u64, |seen, value| seen | 1 << value).count_ones() >= FEWEST_DIFFERENT
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
        let len = text[from..within.end].iter().position(|&byte| value(byte) == SPACE);
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

/// Decodes without keeping the content. Characters outside the alphabets are passed over.
pub(super) fn digest(encoded: &[u8]) -> Decoded {
    let mut hash = Sha256::new();
    let mut head = Vec::new();
    let mut bytes = 0;
    let mut buffer = Vec::with_capacity(BUFFER + 3);
    let mut bits = 0_u32;
    let mut count = 0;
    let mut flush = |buffer: &mut Vec<u8>| {
        if head.is_empty() {
            head.extend_from_slice(&buffer[..buffer.len().min(16)]);
        }
        bytes += buffer.len();
        hash.update(&*buffer);
        buffer.clear();
    };
    for &byte in encoded {
        let six = value(byte);
        if six >= SPACE {
            continue;
        }
        bits = bits << 6 | u32::from(six);
        count += 1;
        if count == 4 {
            buffer.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, count) = (0, 0);
            if buffer.len() >= BUFFER {
                flush(&mut buffer);
            }
        }
    }
    if count >= 2 {
        let left = (bits << (6 * (4 - count))).to_be_bytes();
        buffer.extend_from_slice(&left[1..count]);
    }
    flush(&mut buffer);
    let sha256 = hex(&hash.finalize());
    Decoded { bytes, sha256, head }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

const BUFFER: usize = 16 * 1024;

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
            let decoded = digest(encode(&content).as_bytes());
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
