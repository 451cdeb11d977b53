//! Whether an edit did what was meant and nothing else.

use super::{NewValue, by_lines, same_fields};
use crate::frontmatter::{self, Layout};
use crate::value::{Field, Fields, Value};

/// The fields as they should be after the edit.
pub(super) fn intended(mut fields: Fields, path: &str, value: Option<NewValue<'_>>) -> Fields {
    apply(&mut fields, path, value);
    fields
}

fn apply(fields: &mut Fields, path: &str, value: Option<NewValue<'_>>) {
    if let Some(at) = fields.0.iter().position(|field| field.key == path) {
        match value {
            Some(value) => fields.0[at].value = value.as_value(),
            None => {
                fields.0.remove(at);
            }
        }
        return;
    }
    let (head, rest) = path.split_once('.').map_or((path, None), |(head, rest)| (head, Some(rest)));
    let at = fields.0.iter().position(|field| field.key == head);
    let Some(rest) = rest else {
        if let Some(value) = value {
            fields.0.push(Field { key: head.to_owned(), value: value.as_value(), line: 0 });
        }
        return;
    };
    let at = at.unwrap_or_else(|| {
        fields.0.push(Field { key: head.to_owned(), value: Value::Map(Fields::default()), line: 0 });
        fields.0.len() - 1
    });
    let inner = &mut fields.0[at].value;
    if !matches!(inner, Value::Map(_)) {
        *inner = Value::Map(Fields::default());
    }
    if let Value::Map(inner) = inner {
        apply(inner, rest, value);
        // A mapping whose last key went is read as an empty value.
        if inner.is_empty() {
            fields.0[at].value = Value::Text(String::new());
        }
    }
}

/// Whether `edited` says what was meant, and differs from `text` in nothing but the lines of the key.
pub(super) fn only_this_changed(
    text: &str,
    layout: &Layout,
    nth: usize,
    edited: &str,
    path: &str,
    meant: &Fields,
) -> bool {
    let again = frontmatter::layout(edited);
    let same_parts = again.blocks.len() == layout.blocks.len()
        && again.blocks.iter().zip(&layout.blocks).all(|(one, other)| one.closed == other.closed)
        && again.before == layout.before
        && edited[again.body.clone()] == text[layout.body.clone()];
    if !same_parts {
        return false;
    }
    let old = &text[layout.blocks[nth].content.clone()];
    let new = &edited[again.blocks[nth].content.clone()];
    let others = (0..layout.blocks.len()).filter(|other| *other != nth);
    let mut others = others.map(|other| (&layout.blocks[other].content, &again.blocks[other].content));
    if !others.all(|(one, other)| text[one.clone()] == edited[other.clone()]) {
        return false;
    }
    let mut said = frontmatter::read(edited, &again).fields;
    empty_alike(&mut said);
    let mut meant = meant.clone();
    empty_alike(&mut meant);
    same_fields(&said, &meant) && lines_outside_stay(old, new, path)
}

/// `key:` and `key: {}` and a mapping without keys mean the same here.
fn empty_alike(fields: &mut Fields) {
    for field in &mut fields.0 {
        if let Value::Map(inner) = &mut field.value {
            empty_alike(inner);
        }
        if field.value.is_empty() {
            field.value = Value::Text(String::new());
        }
    }
}

/// Whether what was before the key's value and what follows its lines is the same to the byte, a comment behind
/// the value included.
fn lines_outside_stay(old: &str, new: &str, path: &str) -> bool {
    let Some(lines) = by_lines::find(old, path) else { return one_place_changed(old, new, path) };
    let removed = by_lines::find(new, path).is_none();
    let (keep_start, keep_end) =
        if removed { (lines.whole.start, lines.whole.end) } else { (lines.value.start, lines.value.end) };
    let before = old[..keep_start].trim_end_matches([' ', '\t']);
    new.starts_with(before)
        && new.ends_with(&old[keep_end..])
        && new.len() + 1 >= before.len() + old.len() - keep_end
}

/// Where the key has no line of its own: something was inserted and everything else is there, or, inside a mapping
/// on one line, one stretch of that line is another.
fn one_place_changed(old: &str, new: &str, path: &str) -> bool {
    let prefix = common_prefix(old.as_bytes(), new.as_bytes());
    let inserted = new.len() >= old.len() && new.as_bytes().ends_with(&old.as_bytes()[prefix..]);
    if inserted {
        return true;
    }
    let Some(parent) = path.split_once('.').and_then(|(parent, _)| by_lines::find(old, parent)) else {
        return false;
    };
    let rest = old.len().min(new.len()) - prefix;
    let suffix = common_prefix_of_ends(old.as_bytes(), new.as_bytes()).min(rest);
    let changed = prefix..old.len() - suffix;
    let stretch = &old.as_bytes()[changed.clone()];
    parent.value.start <= changed.start && changed.end <= parent.value.end && !stretch.contains(&b'\n')
}

fn common_prefix_of_ends(one: &[u8], other: &[u8]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count()
}

fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}
