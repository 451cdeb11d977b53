//! Measures the scanner on the files given, and lists what it finds in them:
//! `cargo run --release --example measure -- [--list] PATH...`
#![expect(clippy::print_stdout, reason = "it is a report")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use remora_redact::{Limits, clean_text, clean_value, find_secrets, neutralise, redact_secrets};
use serde_json::json;

/// Texts are measured in pieces of this size, about that of a large tool output.
const PIECE: usize = 64 * 1024;

/// What gives the checks the most to do.
const HOSTILE: &[&str] = &[
    "password=\"token: secret=",
    "glpat-ghp_sk-eyJ.eyJ://a:-",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----END PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj",
    "curl -u ",
    "eyJabcdefghijklmnopqrstuvwx",
    "a1b2c3d4e5token=",
    "密码是",
    "http://a:b@c",
    "<private <system <",
    "\u{1b}]",
];

fn main() -> std::io::Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let list = arguments.iter().any(|argument| argument == "--list");
    arguments.retain(|argument| argument != "--list");

    if arguments.is_empty() {
        for piece in HOSTILE {
            measure(&format!("hostile {piece:?}"), &piece.repeat((4 << 20) / piece.len()));
        }
        picture();
        return Ok(());
    }

    let mut files = Vec::new();
    for argument in &arguments {
        collect(Path::new(argument), &mut files)?;
    }
    let texts: Vec<(PathBuf, String)> = files
        .into_iter()
        .filter_map(|path| Some((path.clone(), std::fs::read_to_string(path).ok()?)))
        .collect();
    let all: String = texts.iter().map(|(_, text)| text.as_str()).collect();
    measure("files", &all);

    let mut findings = 0_u32;
    for (path, text) in &texts {
        for finding in find_secrets(text) {
            findings += 1;
            if list {
                let line = text[..finding.range.start].rfind('\n').map_or(0, |at| at + 1);
                let end =
                    text[finding.range.end..].find('\n').map_or(text.len(), |at| finding.range.end + at);
                let shown: String = text[line..end].trim().chars().take(160).collect();
                println!("{}\t{}\t{shown}", finding.kind, path.display());
            }
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a report")]
    let per_mb = f64::from(findings) / (all.len() as f64 / 1e6);
    println!("{findings} findings in {} files, {} bytes: {per_mb:.3} per MB", texts.len(), all.len());
    Ok(())
}

fn measure(what: &str, text: &str) {
    let pieces = pieces(text);
    let secrets = time(|| pieces.iter().for_each(|piece| drop(redact_secrets(piece))));
    let whole = time(|| drop(redact_secrets(text)));
    let clean = time(|| pieces.iter().for_each(|piece| drop(clean_text(piece, Limits::default()))));
    let shown = time(|| pieces.iter().for_each(|piece| drop(neutralise(piece))));
    #[expect(clippy::cast_precision_loss, reason = "a report")]
    let per_mb = |time: Duration| time.as_secs_f64() * 1e3 / (text.len() as f64 / 1e6);
    println!(
        "{what}: {} bytes; ms per MB: secrets {:.2} (in one text {:.2}), clean {:.2}, neutralise {:.2}",
        text.len(),
        per_mb(secrets),
        per_mb(whole),
        per_mb(clean),
        per_mb(shown),
    );
}

/// A picture in a payload: found, decoded and hashed.
fn picture() {
    const LEN: usize = 4 << 20;
    let mut state = 42_u32;
    let data: String = (0..LEN)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(
                b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[(state >> 26) as usize],
            )
        })
        .collect();
    let block =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}});
    let inside = json!({"stdout": format!("before data:image/png;base64,{data} after")});
    for (what, value) in [("block", block), ("text", inside)] {
        let mut copies = vec![value; 3].into_iter();
        let spent = time(|| {
            if let Some(mut value) = copies.next() {
                clean_value(&mut value, Limits::default());
            }
        });
        println!("picture of {LEN} bytes in a {what}: {spent:?}");
    }
}

fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// The best of three runs.
fn time(mut run: impl FnMut()) -> Duration {
    (0..3)
        .map(|_| {
            let start = now();
            run();
            now().saturating_sub(start)
        })
        .min()
        .unwrap_or_default()
}

/// The processor time of this thread where the system tells it, so that a busy machine measures the same.
fn now() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|stat| Some(Duration::from_nanos(stat.split(' ').next()?.parse().ok()?)))
        .unwrap_or_else(|| START.elapsed())
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            collect(&entry?.path(), files)?;
        }
    } else if path.is_file() {
        files.push(path.to_owned());
    }
    Ok(())
}
