//! Reading a memory file, leniently: what can be understood is read, and what is odd is said by line.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::frontmatter::{self, Frontmatter};
use crate::links;
use crate::memory::{By, Memory, MemoryKind, Metadata, is_true, moment};
use crate::ordinary;
use crate::problem::{Flaw, Problem, Unreadable};
use crate::sentence::first_sentence;
use crate::value::Fields;

/// The largest file that is read as a memory: 1 MiB. Real memories have 2 to 30 KB.
pub const MAX_FILE: u64 = 1 << 20;

/// How many lines make the head of a file.
const HEAD_LINES: usize = 30;

/// The most bytes that are read for a head: 30 lines are short, but a description may be a page.
const HEAD_BYTES: u64 = 64 << 10;

/// Reads a memory from its text. `file` is the path relative to its folder; it gives the name and the
/// type where the text does not.
///
/// # Errors
/// Only where the text has NUL bytes (it is no text) or is larger than [`MAX_FILE`].
pub fn read_text(file: &str, text: &str) -> Result<Memory, Unreadable> {
    let refuse =
        |line, problem: &str| Err(Unreadable { file: file.to_owned(), line, problem: problem.to_owned() });
    if text.len() as u64 > MAX_FILE {
        return refuse(1, "larger than 1 MiB");
    }
    if let Some(at) = text.find('\0') {
        return refuse(line_of(text.as_bytes(), at), "a NUL byte: not a text file");
    }
    Ok(read_any(file, text, false))
}

/// Reads a memory from the bytes of its file.
///
/// # Errors
/// As [`read_text`], and where the bytes are no UTF-8: with the line of the first wrong byte.
pub fn read_bytes(file: &str, bytes: &[u8]) -> Result<Memory, Unreadable> {
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = bytes {
        let problem = "UTF-16, which is not read; save it as UTF-8".to_owned();
        return Err(Unreadable { file: file.to_owned(), line: 1, problem });
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => read_text(file, text),
        Err(error) => {
            let line = line_of(bytes, error.valid_up_to());
            Err(Unreadable { file: file.to_owned(), line, problem: "not valid UTF-8".to_owned() })
        }
    }
}

/// Reads the memory at `path`, with its modification time.
///
/// # Errors
/// As [`read_bytes`], and where the file cannot be opened or read.
pub fn read_file(file: &str, path: &Path) -> Result<Memory, Unreadable> {
    let opened = ordinary::open(path).map_err(|error| not_read(file, &error))?;
    read_open(file, opened)
}

/// Reads only as much of the memory at `path` as its head needs: the frontmatter and 30 lines, more only
/// where the frontmatter is longer or doubled. The body is cut there, and [`Memory::is_head`] set.
///
/// # Errors
/// As [`read_file`].
pub fn read_head(file: &str, path: &Path) -> Result<Memory, Unreadable> {
    let opened = ordinary::open(path).map_err(|error| not_read(file, &error))?;
    let meta = opened.metadata().map_err(|error| not_read(file, &error))?;
    let mut bytes = Vec::new();
    opened.take(HEAD_BYTES).read_to_end(&mut bytes).map_err(|error| not_read(file, &error))?;
    let whole = bytes.len() as u64 == meta.len();
    if !whole {
        // A character may have been cut in two.
        let valid = std::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), str::len);
        if bytes.len() - valid < 4 {
            bytes.truncate(valid);
        }
    }
    let mut memory = match std::str::from_utf8(&bytes) {
        Ok(text) if !text.contains('\0') => {
            let head = head_of(text);
            read_any(file, head, !whole || head.len() < text.len())
        }
        _ => read_bytes(file, &bytes)?,
    };
    memory.mtime = meta.modified().ok();
    Ok(memory)
}

/// Reads the memory in a file that is already open.
pub(crate) fn read_open(file: &str, mut opened: File) -> Result<Memory, Unreadable> {
    let meta = opened.metadata().map_err(|error| not_read(file, &error))?;
    if meta.len() > MAX_FILE {
        let problem = format!("larger than 1 MiB ({} bytes)", meta.len());
        return Err(Unreadable { file: file.to_owned(), line: 1, problem });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0));
    (&mut opened).take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| not_read(file, &error))?;
    let mut memory = read_bytes(file, &bytes)?;
    memory.mtime = meta.modified().ok();
    Ok(memory)
}

pub(crate) fn not_read(file: &str, error: &io::Error) -> Unreadable {
    Unreadable { file: file.to_owned(), line: 1, problem: error.to_string() }
}

fn line_of(bytes: &[u8], at: usize) -> usize {
    bytes[..at].split(|byte| *byte == b'\n').count()
}

/// The first 30 lines of `text`, or all lines up to the body where the frontmatter is longer.
fn head_of(text: &str) -> &str {
    let lines: usize = text.split_inclusive('\n').take(HEAD_LINES).map(str::len).sum();
    if lines == text.len() {
        return text;
    }
    let layout = frontmatter::layout(text);
    let body = &text[layout.body.clone()];
    let some_body: usize = body.split_inclusive('\n').take(5).map(str::len).sum();
    &text[..lines.max(layout.body.start + some_body)]
}

fn read_any(file: &str, text: &str, is_head: bool) -> Memory {
    let layout = frontmatter::layout(text);
    let Frontmatter { mut fields, mut problems } = frontmatter::read(text, &layout);
    if layout.blocks.is_empty() {
        problems.push(Problem::new(1, Flaw::NoFrontmatter));
    }
    mend_capitals(&mut fields, &mut problems);

    let raw_body = &text[layout.body.clone()];
    let skipped = raw_body.lines().take_while(|line| line.trim().is_empty()).count();
    let body = without_outer_blank_lines(raw_body).replace("\r\n", "\n");
    let head_line = layout.blocks.first().map_or(1, |block| block.line);
    let has_block = !layout.blocks.is_empty();
    let mut say = |what| {
        if has_block {
            problems.push(Problem::new(head_line, what));
        }
    };

    let name = fields.text("name").map(one_line);
    let name = name.unwrap_or_else(|| {
        say(Flaw::NoName);
        name_from_file(file)
    });
    let description = fields.text("description").map(one_line);
    let description = description.unwrap_or_else(|| {
        say(Flaw::NoDescription);
        first_sentence(&body, 150)
    });
    let kind = kind_of(file, &fields, head_line, has_block, &mut problems);
    let metadata = metadata_of(fields, &mut problems);
    let body_line = layout.body_line + skipped;
    if !is_head {
        judge_body(kind, &body, body_line, &mut problems);
    }
    problems.sort_by_key(|problem| problem.line);
    let before = text[layout.before.clone()].trim().to_owned();
    let links = links::in_text(&body);
    let file = file.to_owned();
    Memory {
        file,
        name,
        description,
        kind,
        metadata,
        before,
        body,
        body_line,
        is_head,
        links,
        problems,
        mtime: None,
    }
}

/// `Name:` and `TYPE:` are read as `name` and `type` where those are missing.
fn mend_capitals(fields: &mut Fields, problems: &mut Vec<Problem>) {
    for known in ["name", "description", "type", "metadata"] {
        if fields.find(known).is_some() {
            continue;
        }
        if let Some(field) = fields.0.iter_mut().find(|field| field.key.eq_ignore_ascii_case(known)) {
            problems.push(Problem::new(field.line, Flaw::KeyInCapitals { key: field.key.clone() }));
            known.clone_into(&mut field.key);
        }
    }
}

fn without_outer_blank_lines(text: &str) -> &str {
    let start = text.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
    text[start..].trim_end()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The topic of a file name: `feedback_real_db.md` is `real-db`.
fn name_from_file(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let topic = match MemoryKind::from_file_name(file) {
        Some(kind) => stem.get(kind.as_str().len() + 1..).filter(|topic| !topic.is_empty()).unwrap_or(stem),
        None => stem,
    };
    topic.replace('_', "-")
}

fn kind_of(
    file: &str,
    fields: &Fields,
    head_line: usize,
    has_block: bool,
    problems: &mut Vec<Problem>,
) -> MemoryKind {
    let top = fields.find("type").filter(|field| !field.value.is_empty());
    let nested = fields.find("metadata.type").filter(|field| !field.value.is_empty());
    let kind_in = |field: &crate::value::Field| field.value.text().and_then(MemoryKind::from_word);
    if let Some((top, nested)) = top.zip(nested)
        && kind_in(top) != kind_in(nested)
    {
        problems.push(Problem::new(nested.line, Flaw::TypesDisagree));
    }
    if let Some(kind) = [top, nested].into_iter().flatten().find_map(kind_in) {
        return kind;
    }
    match top.or(nested) {
        Some(field) => {
            let word = field.value.texts().join(", ");
            problems.push(Problem::new(field.line, Flaw::UnknownType { word }));
        }
        None if has_block => problems.push(Problem::new(head_line, Flaw::NoType)),
        None => {}
    }
    MemoryKind::from_file_name(file).unwrap_or(MemoryKind::Project)
}

fn metadata_of(fields: Fields, problems: &mut Vec<Problem>) -> Metadata {
    let mut bad = |line, key: &str, value: &str| {
        let flaw = Flaw::BadValue { key: key.to_owned(), value: value.chars().take(60).collect() };
        problems.push(Problem::new(line, flaw));
    };
    let text = |key| fields.metadata(key).and_then(|field| field.value.text()).map(one_line);
    let texts = |key| {
        let field = fields.metadata(key);
        let texts = field.map(|field| field.value.texts()).unwrap_or_default();
        texts.into_iter().map(|text| link_name(text).to_owned()).collect::<Vec<_>>()
    };
    let mut time = |key| {
        let field = fields.metadata(key)?;
        let written = field.value.text().unwrap_or("");
        let at = moment(written);
        if at.is_none() {
            bad(field.line, key, written);
        }
        at
    };
    let created = time("created");
    let updated = time("updated").or_else(|| time("modified"));
    let by = fields.metadata("by").and_then(|field| {
        let written = field.value.text().unwrap_or("");
        let by = By::from_word(written);
        if by.is_none() {
            bad(field.line, "by", written);
        }
        by
    });
    let mut reinforced = Vec::new();
    if let Some(field) = fields.metadata("reinforced") {
        for written in field.value.texts().iter().flat_map(|text| text.split([',', ' '])) {
            match moment(written) {
                Some(at) => reinforced.push(at.date_naive()),
                None if written.is_empty() => {}
                None => bad(field.line, "reinforced", written),
            }
        }
    }
    Metadata {
        created,
        updated,
        source: text("source"),
        by,
        pinned: text("pinned").is_some_and(|text| is_true(&text)),
        confidence: text("confidence"),
        supersedes: texts("supersedes"),
        superseded_by: texts("superseded_by"),
        reinforced,
        project: text("project"),
        author: text("author"),
        all: fields,
    }
}

/// `[[name]]` in a list of names is the name.
fn link_name(text: &str) -> &str {
    text.trim().strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")).unwrap_or(text.trim())
}

/// The words that open the reason and the way of applying it, as people write them.
const WHY: [&str; 12] =
    ["**why", "why:", "because", "为什么", "原因", "理由", "因为", "なぜ", "背景", "이유", "왜", "reason:"];
const HOW: [&str; 10] =
    ["how to apply", "**how", "how:", "如何应用", "怎么用", "做法", "适用", "適用", "使い方", "적용"];

fn judge_body(kind: MemoryKind, body: &str, line: usize, problems: &mut Vec<Problem>) {
    if body.is_empty() {
        problems.push(Problem::new(line, Flaw::NoBody));
        return;
    }
    if !matches!(kind, MemoryKind::Feedback | MemoryKind::Project) {
        return;
    }
    let lower = body.to_lowercase();
    if !WHY.iter().any(|word| lower.contains(word)) {
        problems.push(Problem::new(line, Flaw::NoWhy));
    }
    if !HOW.iter().any(|word| lower.contains(word)) {
        problems.push(Problem::new(line, Flaw::NoHow));
    }
}
