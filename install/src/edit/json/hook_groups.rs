//! Hooks as Claude Code, Codex, Gemini CLI and Qwen Code keep them:
//! `{"hooks": {EVENT: [{"matcher"?, "hooks": [HANDLER, ...]}, ...]}}`.

use jsonc_parser::ast::{Array, Object, Value as Node};
use jsonc_parser::common::Ranged;
use serde_json::{Value, json};

use super::document::{Document, span, to_value};
use super::render::{Layout, Style};
use super::splice::{self, Container};
use super::{Edited, MemberPath, member};
use crate::edit::Problem;

const HOOKS: &str = "hooks";

/// One handler that shall be there: alone in a group, the last group of its event.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The host's name of the event. Each event is wanted at most once.
    pub event: String,
    /// What the group's `matcher` says; nothing: no such key.
    pub matcher: Option<String>,
    /// The handler object.
    pub handler: Value,
}

/// One handler that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Present {
    /// The host's name of the event.
    pub event: String,
    /// Its group's place in the event's list, from 0.
    pub group: usize,
    /// Its place in the group, from 0.
    pub index: usize,
    /// The whole group.
    pub in_group: Value,
    /// The handler object.
    pub handler: Value,
}

impl Present {
    /// Whether its group holds nothing else.
    pub(crate) fn is_alone(&self) -> bool {
        self.in_group[HOOKS].as_array().is_some_and(|handlers| handlers.len() == 1)
    }
}

impl Wanted {
    fn group(&self) -> Value {
        match &self.matcher {
            Some(matcher) => json!({"matcher": matcher, "hooks": [self.handler]}),
            None => json!({"hooks": [self.handler]}),
        }
    }
}

/// All handlers of a text, in order. Events, groups and handlers of an odd shape are passed over.
pub fn present(text: &str) -> Result<Vec<Present>, Problem> {
    let document = Document::parse(text)?;
    let Some(hooks) = hooks_object(&document)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for event in &hooks.properties {
        let Node::Array(groups) = &event.value else { continue };
        for (group, node) in groups.elements.iter().enumerate() {
            let Some(handlers) = handlers_of(node) else { continue };
            let in_group = to_value(node);
            found.extend(handlers.elements.iter().enumerate().map(|(index, handler)| Present {
                event: event.name.as_str().to_owned(),
                group,
                index,
                in_group: in_group.clone(),
                handler: to_value(handler),
            }));
        }
    }
    Ok(found)
}

/// Brings the handlers that are `ours` to what is wanted: adds, replaces in place, takes out what is no
/// longer wanted or there twice. Nothing else changes; that is checked before the text is given back.
pub fn write(text: &str, wanted: &[Wanted], ours: &dyn Fn(&Value) -> bool) -> Result<Edited, Problem> {
    let mut edited = Edited { text: text.to_owned(), hollow: hollow(text, wanted)? };
    let surplus = |entry: &Present, all: &[Present]| {
        !wanted.iter().any(|wish| wish.event == entry.event)
            || all.iter().take_while(|other| *other != entry).any(|other| other.event == entry.event)
    };
    while let Some(entry) = {
        let all = ours_in(&edited.text, ours)?;
        all.iter().rev().find(|entry| surplus(entry, &all)).cloned()
    } {
        edited.text = take_out(&edited.text, &entry, &edited.hollow)?;
    }
    for wish in wanted {
        let there = ours_in(&edited.text, ours)?.into_iter().find(|entry| entry.event == wish.event);
        match there {
            Some(entry) => edited.text = renew(&edited.text, &entry, wish)?,
            None => edited.text = add(&edited.text, wish)?,
        }
    }
    if others(text, ours)? != others(&edited.text, ours)? {
        return Err(Problem::NotOurs);
    }
    Ok(edited)
}

/// Takes out every handler that is `ours`. A group that held nothing else goes with its handler, and so does
/// a list of an event, and `hooks` itself, that held nothing else, unless it is among the `hollow`.
pub fn remove(text: &str, ours: &dyn Fn(&Value) -> bool, hollow: &[MemberPath]) -> Result<String, Problem> {
    let mut edited = text.to_owned();
    while let Some(entry) = ours_in(&edited, ours)?.pop() {
        edited = take_out(&edited, &entry, hollow)?;
    }
    if others(text, ours)? != others(&edited, ours)? {
        return Err(Problem::NotOurs);
    }
    Ok(edited)
}

/// `hooks` and the lists of the wanted events, as far as they are there and empty.
fn hollow(text: &str, wanted: &[Wanted]) -> Result<Vec<MemberPath>, Problem> {
    let events = wanted.iter().map(|wish| vec![HOOKS.to_owned(), wish.event.clone()]);
    let mut hollow = Vec::new();
    for path in std::iter::once(vec![HOOKS.to_owned()]).chain(events) {
        if member::is_hollow(text, &path)? {
            hollow.push(path);
        }
    }
    Ok(hollow)
}

fn ours_in(text: &str, ours: &dyn Fn(&Value) -> bool) -> Result<Vec<Present>, Problem> {
    Ok(present(text)?.into_iter().filter(|entry| ours(&entry.handler)).collect())
}

/// What a text says besides our handlers. Empty lists of events do not count.
fn others(text: &str, ours: &dyn Fn(&Value) -> bool) -> Result<Value, Problem> {
    let Some(mut value) = Document::parse(text)?.value() else { return Ok(json!({})) };
    if let Some(events) = value.get_mut(HOOKS).and_then(Value::as_object_mut) {
        for groups in events.values_mut().filter_map(Value::as_array_mut) {
            groups.retain_mut(|group| {
                let Some(handlers) = group.get_mut(HOOKS).and_then(Value::as_array_mut) else { return true };
                let before = handlers.len();
                handlers.retain(|handler| !ours(handler));
                before == 0 || !handlers.is_empty()
            });
        }
        events.retain(|_, groups| groups.as_array().is_none_or(|groups| !groups.is_empty()));
        if events.is_empty() {
            value.as_object_mut().and_then(|root| root.shift_remove(HOOKS));
        }
    }
    Ok(value)
}

fn add(text: &str, wish: &Wanted) -> Result<String, Problem> {
    let style = Style::of(text);
    let document = Document::parse(text)?;
    let group = wish.group();

    let Some(root) = document.root_object()? else {
        return Ok(member::fill_empty_text(text, &json!({HOOKS: {wish.event.as_str(): [group]}})));
    };
    let container = Container::from(root);
    let Some(hooks) = hooks_object(&document)? else {
        let events = json!({wish.event.as_str(): [group]});
        let render = |layout: Layout<'_>| style.render_member(HOOKS, &events, layout);
        return Ok(splice::append(text, &container, &style, false, render));
    };
    let one_line = container.is_one_line(text);
    let container = Container::from(hooks);
    let Some(event) = document.member(hooks, &wish.event)? else {
        let groups = json!([group]);
        let render = |layout: Layout<'_>| style.render_member(&wish.event, &groups, layout);
        return Ok(splice::append(text, &container, &style, one_line, render));
    };
    let Node::Array(groups) = &event.value else {
        return Err(
            document.odd(event.value.start(), &format!("the hooks of {:?} are not a list", wish.event))
        );
    };
    let one_line = container.is_one_line(text);
    let render = |layout: Layout<'_>| style.render(&group, layout);
    Ok(splice::append(text, &Container::from(groups), &style, one_line, render))
}

/// Makes an entry of ours equal to what is wanted. In a group that the person shares with it, only the
/// handler is ours.
fn renew(text: &str, entry: &Present, wish: &Wanted) -> Result<String, Problem> {
    let (is_current, place, value) = if entry.is_alone() {
        let group = wish.group();
        (entry.in_group == group, Place::Group, group)
    } else {
        (entry.handler == wish.handler, Place::Handler, wish.handler.clone())
    };
    if is_current {
        return Ok(text.to_owned());
    }
    let document = Document::parse(text)?;
    let range = with_groups(&document, entry, |groups, handlers| match place {
        Place::Group => span(&groups.elements[entry.group]),
        Place::Handler => span(&handlers.elements[entry.index]),
    })?;
    let style = Style::of(text);
    Ok(splice::replace(text, &range, |layout| style.render(&value, layout)))
}

fn take_out(text: &str, entry: &Present, hollow: &[MemberPath]) -> Result<String, Problem> {
    let document = Document::parse(text)?;
    let mut edited = with_groups(&document, entry, |groups, handlers| {
        if entry.is_alone() {
            splice::remove(text, &Container::from(groups), entry.group)
        } else {
            splice::remove(text, &Container::from(handlers), entry.index)
        }
    })?;
    for path in [vec![HOOKS.to_owned(), entry.event.clone()], vec![HOOKS.to_owned()]] {
        if hollow.contains(&path) || !member::is_hollow(&edited, &path)? {
            break;
        }
        edited = member::remove_if_hollow(&edited, &path)?;
    }
    Ok(edited)
}

enum Place {
    Group,
    Handler,
}

/// Finds an entry's lists again.
fn with_groups<T>(
    document: &Document<'_>,
    entry: &Present,
    then: impl FnOnce(&Array<'_>, &Array<'_>) -> T,
) -> Result<T, Problem> {
    let hooks = hooks_object(document)?;
    // Of two members of one name, `present` reads each: the place decides which one is meant.
    let mut lists = hooks.iter().flat_map(|hooks| &hooks.properties).filter_map(|event| {
        let groups = event.value.as_array().filter(|_| event.name.as_str() == entry.event)?;
        let handlers = groups.elements.get(entry.group).and_then(handlers_of)?;
        let same = handlers.elements.get(entry.index).is_some_and(|found| to_value(found) == entry.handler);
        same.then_some((groups, handlers))
    });
    let found = lists.next();
    found.map(|(groups, handlers)| then(groups, handlers)).ok_or(Problem::NotOurs)
}

fn hooks_object<'o, 'a>(document: &'o Document<'a>) -> Result<Option<&'o Object<'a>>, Problem> {
    let Some(root) = document.root_object()? else { return Ok(None) };
    match document.member(root, HOOKS)?.map(|member| &member.value) {
        None => Ok(None),
        Some(Node::Object(hooks)) => Ok(Some(hooks)),
        Some(other) => Err(document.odd(other.start(), "\"hooks\" is not an object")),
    }
}

fn handlers_of<'o, 'a>(group: &'o Node<'a>) -> Option<&'o Array<'a>> {
    group.as_object()?.properties.iter().find(|member| member.name.as_str() == HOOKS)?.value.as_array()
}
