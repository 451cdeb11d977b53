//! Changing one value of a memory file and no other byte.
//!
//! Key order, comments, quoting, unknown keys, the byte order mark and the line endings stay. Every edit is read
//! again and compared with what was meant: all other fields equal, all other lines equal to the byte. Where the
//! YAML library's edit does not pass, a line editor tries, and where neither is sure the edit is refused.

mod by_lines;
mod check;

use std::str::FromStr;

use crate::error::Error;
use crate::frontmatter::{self, Layout};
use crate::value::{Fields, Value};

/// A value to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewValue<'a> {
    /// One text, written on one line.
    Text(&'a str),
    /// A list of texts, written as `[a, b]`.
    List(&'a [String]),
}

impl NewValue<'_> {
    fn as_value(self) -> Value {
        match self {
            Self::Text(text) => Value::Text(text.to_owned()),
            Self::List(items) => Value::List(items.iter().cloned().map(Value::Text).collect()),
        }
    }
}

/// Writes the value of a key, which is added where it is missing. `path` is `description` or, one level deep,
/// `metadata.updated`.
///
/// # Errors
/// [`Error::Edit`] where the file has no frontmatter or neither editor is certain to change only this value.
pub fn set(file: &str, text: &str, path: &str, value: NewValue<'_>) -> Result<String, Error> {
    change(file, text, path, Some(value))
}

/// Writes a metadata key where it stands: under `metadata:` or, in files that have it there, at the top level.
///
/// # Errors
/// As [`set`].
pub fn set_metadata(file: &str, text: &str, key: &str, value: NewValue<'_>) -> Result<String, Error> {
    let layout = frontmatter::layout(text);
    let fields = frontmatter::read(text, &layout).fields;
    let nested = format!("metadata.{key}");
    let at_top = fields.find(&nested).is_none() && fields.find(key).is_some();
    set(file, text, if at_top { key } else { &nested }, value)
}

/// Removes a key with its value.
///
/// # Errors
/// As [`set`]; a key that is not there is no error and changes nothing.
pub fn remove(file: &str, text: &str, path: &str) -> Result<String, Error> {
    change(file, text, path, None)
}

/// Puts a new body in the place of the old one. The blank lines before it and what ends the file stay; line
/// endings become those of the file.
///
/// # Errors
/// [`Error::Edit`] where the new body would be read as frontmatter.
pub fn set_body(file: &str, text: &str, body: &str) -> Result<String, Error> {
    let layout = frontmatter::layout(text);
    let old = &text[layout.body.clone()];
    let lead: usize = old.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
    let kept = old[lead..].trim_end().len();
    let ending = line_ending(text);
    let start = layout.body.start + lead;
    let body = body.replace("\r\n", "\n");
    let body = body.trim_matches('\n').trim_end().replace('\n', ending);
    let mut new = text[..start].to_owned();
    if !new.is_empty() && !new.ends_with('\n') && new != "\u{feff}" {
        new.push_str(ending);
    }
    new.push_str(&body);
    let tail = &text[start + kept..];
    new.push_str(if tail.is_empty() { ending } else { tail });

    let again = frontmatter::layout(&new);
    let same = again.blocks == layout.blocks && again.before == layout.before;
    if same && new[again.body.clone()].trim() == body.trim() {
        Ok(new)
    } else {
        Err(refuse(file, "the new body would be taken for frontmatter"))
    }
}

fn refuse(file: &str, reason: &str) -> Error {
    Error::Edit { file: file.to_owned(), reason: reason.to_owned() }
}

/// The line ending of a text: that of its first line.
fn line_ending(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

fn change(file: &str, text: &str, path: &str, value: Option<NewValue<'_>>) -> Result<String, Error> {
    let layout = frontmatter::layout(text);
    if layout.blocks.is_empty() {
        return Err(refuse(file, "it has no frontmatter"));
    }
    let whole = frontmatter::read(text, &layout).fields;
    let found = whole.find(path).is_some();
    if value.is_none() && !found {
        return Ok(text.to_owned());
    }
    if let Some(value) = value
        && whole.get(path) == Some(&value.as_value())
    {
        return Ok(text.to_owned());
    }
    let meant = check::intended(whole, path, value);
    let nth = block_of(text, &layout, path);
    let content = &text[layout.blocks[nth].content.clone()];
    let candidates = [
        by_library(content, path, value, false),
        by_lines::change(content, path, value, line_ending(text)),
        by_library(content, path, value, true),
    ];
    for new in candidates.into_iter().flatten() {
        let edited = with_block(text, &layout, nth, &new);
        if check::only_this_changed(text, &layout, nth, &edited, path, &meant) {
            return Ok(edited);
        }
    }
    Err(refuse(file, "it is not certain that nothing else would change"))
}

/// The block in which a key stands; a new key goes into the one that has its mapping, else the first.
fn block_of(text: &str, layout: &Layout, path: &str) -> usize {
    let has = |path: &str| {
        layout.blocks.iter().position(|block| {
            let one = Layout { blocks: vec![block.clone()], ..layout.clone() };
            frontmatter::read(text, &one).fields.find(path).is_some_and(|field| !field.value.is_empty())
        })
    };
    let parent = path.split_once('.').map(|(parent, _)| parent);
    has(path).or_else(|| parent.and_then(has)).unwrap_or(0)
}

fn with_block(text: &str, layout: &Layout, nth: usize, content: &str) -> String {
    let range = layout.blocks[nth].content.clone();
    format!("{}{content}{}", &text[..range.start], &text[range.end..])
}

/// The longest block that is given to the YAML library, in bytes: it takes long over large ones.
const MAX_FOR_LIBRARY: usize = 16 << 10;

/// The edit by the YAML library, for one text. A key that does not exist is left to the line editor, which keeps to
/// the style of the block; only where that cannot tell how, as in `{a: b}`, the library adds it.
fn by_library(content: &str, path: &str, value: Option<NewValue<'_>>, adding: bool) -> Option<String> {
    let Some(NewValue::Text(value)) = value.filter(|_| content.len() <= MAX_FOR_LIBRARY) else { return None };
    let document = yaml_edit::Document::from_str(content).ok()?;
    let mapping = document.as_mapping()?;
    let (mapping, key) = match path.split_once('.') {
        Some((parent, key)) if !mapping.contains_key(path) => (mapping.get_mapping(parent)?, key),
        _ => (mapping, path),
    };
    if mapping.contains_key(key) == adding {
        return None;
    }
    let scalar = crate::yaml_text::scalar(value);
    if scalar == value {
        mapping.set(key, yaml_edit::ScalarValue::plain(value));
    } else {
        mapping.set(key, yaml_edit::ScalarValue::double_quoted(value));
    }
    Some(document.to_string())
}

/// Whether two sets of fields say the same, wherever their lines are.
fn same_fields(one: &Fields, other: &Fields) -> bool {
    one.0.len() == other.0.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| one.key == other.key && same_value(&one.value, &other.value))
}

fn same_value(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Map(one), Value::Map(other)) => same_fields(one, other),
        (one, other) => one == other,
    }
}
