//! The strict reader: a YAML parser with duplicate keys refused and aliases forbidden.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use crate::value::{Field, Fields, Value};

/// The longest block that is given to the parser, in bytes; what is longer is read by lines.
const MAX_YAML: usize = 64 << 10;

/// Limits far above any real frontmatter and far below what could hurt: an alias bomb is refused at once.
fn options() -> serde_saphyr::Options {
    let budget = serde_saphyr::budget! {
        max_aliases: 0,
        max_anchors: 64,
        max_depth: 32,
        max_documents: 1,
        max_nodes: 20_000,
        max_events: 80_000,
        max_merge_keys: 0,
    };
    serde_saphyr::options! {
        budget: budget,
        strict_booleans: true,
        with_snippet: false,
    }
}

/// The fields of a YAML mapping; `first_line` is the line of the file at which `content` begins.
///
/// # Errors
/// Where `content` is no YAML mapping: the line in the file, if known, and what the parser says.
pub(super) fn read(content: &str, first_line: usize) -> Result<Fields, (Option<usize>, String)> {
    if content.len() > MAX_YAML {
        return Err((Some(first_line), "longer than any frontmatter".to_owned()));
    }
    let tree: Node = serde_saphyr::from_str_with_options(content, options()).map_err(|error| {
        let line = error.location().and_then(|at| usize::try_from(at.line()).ok());
        (line.map(|line| line + first_line - 1), error.to_string())
    })?;
    match tree {
        Node::Map(fields) => Ok(fields_of(fields, content, first_line)),
        Node::Text(_) | Node::Bare | Node::Nothing | Node::List(_) => {
            Err((Some(first_line), "not a mapping of keys to values".to_owned()))
        }
    }
}

/// What the parser hands over, with the place of each scalar so that its own text can be taken.
enum Node {
    Text(String),
    /// A number or a boolean: its text is taken from the file.
    Bare,
    Nothing,
    List(Vec<Spanned<Node>>),
    Map(Vec<(Spanned<Node>, Spanned<Node>)>),
}

fn fields_of(fields: Vec<(Spanned<Node>, Spanned<Node>)>, content: &str, first_line: usize) -> Fields {
    let fields = fields.into_iter().map(|(key, value)| {
        let line = usize::try_from(key.referenced.line()).unwrap_or(1).max(1) + first_line - 1;
        let key = match value_of(key, content, first_line) {
            Value::Text(text) => text,
            other => format!("{other:?}"),
        };
        Field { key, value: value_of(value, content, first_line), line }
    });
    Fields(fields.collect())
}

fn value_of(node: Spanned<Node>, content: &str, first_line: usize) -> Value {
    match node.value {
        Node::Text(text) => Value::Text(text),
        Node::Bare => Value::Text(written(&node.referenced, content).to_owned()),
        Node::Nothing => Value::Text(String::new()),
        Node::List(items) => {
            Value::List(items.into_iter().map(|item| value_of(item, content, first_line)).collect())
        }
        Node::Map(fields) => Value::Map(fields_of(fields, content, first_line)),
    }
}

/// The text of a scalar as it stands in the file.
fn written<'a>(at: &serde_saphyr::Location, content: &'a str) -> &'a str {
    let span = at.span();
    let range = span.byte_offset().zip(span.byte_len()).and_then(|(start, len)| {
        let start = usize::try_from(start).ok()?;
        content.get(start..start.checked_add(usize::try_from(len).ok()?)?)
    });
    range.unwrap_or("").trim()
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Bare)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Node, E> {
        Ok(Node::Bare)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Node, E> {
        Ok(Node::Bare)
    }

    fn visit_i128<E>(self, _: i128) -> Result<Node, E> {
        Ok(Node::Bare)
    }

    fn visit_u128<E>(self, _: u128) -> Result<Node, E> {
        Ok(Node::Bare)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
        Ok(Node::Bare)
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Nothing)
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Node::deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Node::deserialize(deserializer)
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Node, E> {
        Ok(Node::Text(text))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Node, E> {
        Ok(Node::Text(String::from_utf8_lossy(bytes).into_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Node::Map(fields))
    }
}
