//! New values as text, in the manner of the text that they go into.

use std::borrow::Cow;

use serde_json::Value;

/// How a text is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Style {
    /// The line end.
    pub(super) newline: &'static str,
    /// One step of indentation.
    pub(super) unit: String,
    /// What stands after a colon and a comma on one line.
    pub(super) gap: &'static str,
}

/// Where a value goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout<'a> {
    /// Into a line.
    OneLine,
    /// Over several lines, whose first stands at this indentation.
    Indented(&'a str),
}

impl Style {
    /// The style of a text: its first line end, the indentation of its first indented member, and whether
    /// its first colon has a space after it.
    pub(super) fn of(text: &str) -> Self {
        let newline = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let indented =
            text.lines().skip(1).find(|line| line.trim_start_matches([' ', '\t']).starts_with('"'));
        let unit = indented.map_or("  ", |line| &line[..line.len() - line.trim_start().len()]);
        let unit = if unit.is_empty() { "  " } else { unit };
        let tight = text.find("\":").is_some_and(|at| !text[at + 2..].starts_with([' ', '\n', '\r', '\t']));
        Self { newline, unit: unit.to_owned(), gap: if tight { "" } else { " " } }
    }

    /// A value as text.
    pub(super) fn render(&self, value: &Value, layout: Layout<'_>) -> String {
        let mut text = String::new();
        self.write(&mut text, value, layout);
        text
    }

    /// A member as text.
    pub(super) fn render_member(&self, name: &str, value: &Value, layout: Layout<'_>) -> String {
        let mut text = String::new();
        self.write_member(&mut text, name, value, layout);
        text
    }

    fn write_member(&self, text: &mut String, name: &str, value: &Value, layout: Layout<'_>) {
        text.push_str(&Value::from(name).to_string());
        text.push(':');
        text.push_str(if layout == Layout::OneLine { self.gap } else { " " });
        self.write(text, value, layout);
    }

    fn write(&self, text: &mut String, value: &Value, layout: Layout<'_>) {
        match value {
            Value::Array(items) if items.is_empty() => text.push_str("[]"),
            Value::Object(members) if members.is_empty() => text.push_str("{}"),
            Value::Array(items) => {
                let plain = items.iter().all(|item| !item.is_array() && !item.is_object());
                let layout = if plain { Layout::OneLine } else { layout };
                self.write_items(text, ['[', ']'], layout, items, |text, item, inner| {
                    self.write(text, item, inner);
                });
            }
            Value::Object(members) => {
                self.write_items(text, ['{', '}'], layout, members, |text, (name, value), inner| {
                    self.write_member(text, name, value, inner);
                });
            }
            plain => text.push_str(&plain.to_string()),
        }
    }

    fn write_items<T>(
        &self,
        text: &mut String,
        [open, close]: [char; 2],
        layout: Layout<'_>,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut String, T, Layout<'_>),
    ) {
        let inner: Cow<'_, str> = match layout {
            Layout::OneLine => Cow::Borrowed(""),
            Layout::Indented(base) => Cow::Owned(format!("{base}{}", self.unit)),
        };
        text.push(open);
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            match layout {
                Layout::OneLine if index > 0 => text.push_str(if self.gap.is_empty() { "" } else { " " }),
                Layout::OneLine => {}
                Layout::Indented(_) => {
                    text.push_str(self.newline);
                    text.push_str(&inner);
                }
            }
            let item_layout = match layout {
                Layout::OneLine => Layout::OneLine,
                Layout::Indented(_) => Layout::Indented(&inner),
            };
            write(text, item, item_layout);
        }
        if let Layout::Indented(base) = layout {
            text.push_str(self.newline);
            text.push_str(base);
        }
        text.push(close);
    }
}
