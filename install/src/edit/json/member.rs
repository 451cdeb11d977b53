//! One member somewhere in an object, for example `mcpServers.remora`.

use jsonc_parser::ast::{Object, Value as Node};
use jsonc_parser::common::Ranged;
use serde_json::{Map, Value};

use super::document::{Document, to_value};
use super::render::{Layout, Style};
use super::splice::{self, Container};
use super::{Edited, MemberPath};
use crate::edit::{Problem, take_out};

/// The value at a path of names, as plain data.
pub fn get(text: &str, path: &[&str]) -> Result<Option<Value>, Problem> {
    let mut value = Document::parse(text)?.value();
    for name in path {
        value = value.and_then(|mut value| value.get_mut(*name).map(Value::take));
    }
    Ok(value)
}

/// Sets the member at a path of names, making the objects on the way. That nothing else changes is checked.
pub fn set(text: &str, path: &[&str], value: &Value) -> Result<Edited, Problem> {
    let edited = set_unchecked(text, path, value)?;
    unless_others_changed(text, &edited.text, path)?;
    Ok(edited)
}

/// Takes out the member at a path of names, if it is there. That nothing else changes is checked.
pub fn remove(text: &str, path: &[&str]) -> Result<String, Problem> {
    let edited = remove_if(text, path, |_| true)?;
    unless_others_changed(text, &edited, path)?;
    Ok(edited)
}

/// Checks that two texts say the same but for what is at a path, and for objects on the way that are empty
/// without it.
fn unless_others_changed(before: &str, after: &str, path: &[&str]) -> Result<(), Problem> {
    let others = |text: &str| -> Result<Value, Problem> {
        let mut value = Document::parse(text)?.value().unwrap_or_else(|| Value::Object(Map::new()));
        take_out(&mut value, path);
        Ok(value)
    };
    if others(before)? == others(after)? { Ok(()) } else { Err(Problem::NotOurs) }
}

fn set_unchecked(text: &str, path: &[&str], value: &Value) -> Result<Edited, Problem> {
    let document = Document::parse(text)?;
    let style = Style::of(text);
    let Some(root) = document.root_object()? else {
        let whole = nested(path, value);
        return Ok(Edited { text: fill_empty_text(text, &whole), hollow: Vec::new() });
    };
    let mut object = root;
    let mut one_line = false;
    for (depth, name) in path.iter().enumerate() {
        let is_last = depth + 1 == path.len();
        match document.member(object, name)?.map(|member| &member.value) {
            None => {
                let is_hollow = depth > 0 && object.properties.is_empty();
                let hollow = Vec::from_iter(is_hollow.then(|| owned(&path[..depth])));
                let new = nested(&path[depth + 1..], value);
                let text = splice::append(text, &Container::from(object), &style, one_line, |layout| {
                    style.render_member(name, &new, layout)
                });
                return Ok(Edited { text, hollow });
            }
            Some(found) if is_last => {
                let text = if to_value(found) == *value {
                    text.to_owned()
                } else {
                    let range = found.start()..found.end();
                    splice::replace(text, &range, |layout| style.render(value, layout))
                };
                return Ok(Edited { text, hollow: Vec::new() });
            }
            Some(Node::Object(inner)) => {
                one_line = Container::from(object).is_one_line(text);
                object = inner;
            }
            Some(other) => return Err(document.odd(other.start(), &format!("{name:?} is not an object"))),
        }
    }
    Ok(Edited { text: text.to_owned(), hollow: Vec::new() })
}

/// Whether an empty object or array is at a path of names. One with a comment in it is not empty.
pub(super) fn is_hollow(text: &str, path: &MemberPath) -> Result<bool, Problem> {
    let mut found = false;
    remove_if(text, path, |value| {
        found = found || is_hollow_node(text, value);
        false
    })?;
    Ok(found)
}

/// Takes out the member at a path of names if it is an empty object or array.
pub fn remove_if_hollow(text: &str, path: &MemberPath) -> Result<String, Problem> {
    remove_if(text, path, |value| is_hollow_node(text, value))
}

fn is_hollow_node(text: &str, node: &Node<'_>) -> bool {
    let is_container = matches!(node, Node::Object(_) | Node::Array(_));
    is_container && text[node.start() + 1..node.end() - 1].trim().is_empty()
}

fn remove_if<N: AsRef<str>>(
    text: &str,
    path: &[N],
    mut condition: impl FnMut(&Node<'_>) -> bool,
) -> Result<String, Problem> {
    let document = Document::parse(text)?;
    let Some((last, parents)) = path.split_last() else { return Ok(text.to_owned()) };
    let Some(mut object) = document.root_object()? else { return Ok(text.to_owned()) };
    for name in parents {
        match inner_object(object, name.as_ref()) {
            Some(inner) => object = inner,
            None => return Ok(text.to_owned()),
        }
    }
    let index =
        object.properties.iter().position(|m| m.name.as_str() == last.as_ref() && condition(&m.value));
    Ok(index.map_or_else(|| text.to_owned(), |index| splice::remove(text, &Container::from(object), index)))
}

fn inner_object<'o, 'a>(object: &'o Object<'a>, name: &str) -> Option<&'o Object<'a>> {
    object.properties.iter().find(|member| member.name.as_str() == name)?.value.as_object()
}

/// The first value of a text that has none, behind whatever comments it has.
pub(super) fn fill_empty_text(text: &str, value: &Value) -> String {
    let style = Style::of(text);
    let gap = if text.trim().is_empty() || text.ends_with('\n') { "" } else { style.newline };
    let rendered = style.render(value, Layout::Indented(""));
    [text, gap, &rendered, style.newline].concat()
}

fn nested(path: &[&str], value: &Value) -> Value {
    path.iter()
        .rev()
        .fold(value.clone(), |inner, name| Value::Object(Map::from_iter([((*name).to_owned(), inner)])))
}

fn owned(path: &[&str]) -> MemberPath {
    path.iter().map(|name| (*name).to_owned()).collect()
}
