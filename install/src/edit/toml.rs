//! TOML: tables and root keys set and taken out by splicing the text. Writing a whole parsed document back would
//! change every line end of a file that came from Windows.

use std::ops::Range;

use serde_json::{Map, Value};
use toml_edit::{Document, Item, Table, TableLike};

use super::{Problem, take_out};

/// A parsed text that knows where everything stands.
type Parsed<'a> = Document<&'a str>;

/// The value at a path of keys, as plain data; dates are text.
pub fn get(text: &str, path: &[&str]) -> Result<Option<Value>, Problem> {
    let parsed = parse(text)?;
    Ok(item(&parsed, path).map(to_value))
}

/// Sets keys of the table at a path of names. A table that is not there is added at the end of the text, under
/// a header of its own; of one that is there only the keys that differ are changed, and other keys stay.
pub fn set_table(text: &str, path: &[&str], keys: &[(&str, Value)]) -> Result<String, Problem> {
    let mut edited = text.to_owned();
    let parsed = parse(text)?;
    if item(&parsed, path).is_none() {
        let parents =
            (1..path.len()).filter_map(|depth| Some((&path[..depth], item(&parsed, &path[..depth])?)));
        if let Some((parent, closed)) = parents.into_iter().find(|(_, item)| !item.is_table()) {
            return Err(odd(text, closed.span(), parent, "takes no table under a header of its own"));
        }
        edited = append_table(text, path, keys);
    } else {
        for (key, value) in keys {
            edited = set_in_table(&edited, path, key, value)?;
        }
    }
    unless_others_changed(text, edited, path)
}

/// Takes out the table at a path of names, with the tables below it.
pub fn remove_table(text: &str, path: &[&str]) -> Result<String, Problem> {
    let parsed = parse(text)?;
    let Some(item) = item(&parsed, path) else { return Ok(text.to_owned()) };
    let Some(table) = item.as_table().filter(|table| !table.is_dotted()) else {
        return Err(odd(text, item.span(), path, "is not under a header of its own"));
    };
    let mut regions = Vec::new();
    collect_regions(text, table, &mut regions);
    regions.sort_by_key(|region| std::cmp::Reverse(region.start));
    let edited = regions.iter().fold(text.to_owned(), |mut edited, region| {
        edited.replace_range(region.clone(), "");
        edited
    });
    unless_others_changed(text, edited, path)
}

/// Sets a key of the root, or takes it out. A new key goes before the first table.
pub fn set_root_key(text: &str, key: &str, value: Option<&Value>) -> Result<String, Problem> {
    let parsed = parse(text)?;
    let edited = match (parsed.get(key), value) {
        (Some(there), Some(value)) if to_value(there) == *value => text.to_owned(),
        (Some(there), Some(value)) => {
            let span = there.span().ok_or(Problem::NotOurs)?;
            [&text[..span.start], &literal(value), &text[span.end..]].concat()
        }
        (Some(there), None) => {
            let span = there.span().ok_or(Problem::NotOurs)?;
            [&text[..line_start(text, span.start)], &text[line_end(text, span.end)..]].concat()
        }
        (None, Some(value)) => {
            let at =
                first_header(&parsed).map_or(text.len(), |at| above_comments(text, line_start(text, at)));
            let newline = newline_of(text);
            let gap = if at == 0 || text[..at].ends_with('\n') { "" } else { newline };
            let line = format!("{gap}{key} = {}{newline}", literal(value));
            [&text[..at], &line, &text[at..]].concat()
        }
        (None, None) => text.to_owned(),
    };
    unless_others_changed(text, edited, &[key])
}

fn append_table(text: &str, path: &[&str], keys: &[(&str, Value)]) -> String {
    let newline = newline_of(text);
    let mut lines = vec![format!("[{}]", path.join("."))];
    lines.extend(keys.iter().map(|(key, value)| format!("{key} = {}", literal(value))));
    let gap = match text {
        "" => String::new(),
        text if text.ends_with('\n') => newline.to_owned(),
        _ => newline.repeat(2),
    };
    [text, &gap, &lines.join(newline), newline].concat()
}

fn set_in_table(text: &str, path: &[&str], key: &str, value: &Value) -> Result<String, Problem> {
    let parsed = parse(text)?;
    let item = item(&parsed, path).ok_or(Problem::NotOurs)?;
    let Some(table) = item.as_table_like() else {
        return Err(odd(text, item.span(), path, "is not a table"));
    };
    match table.get(key) {
        Some(there) if to_value(there) == *value => Ok(text.to_owned()),
        Some(there) => {
            let span = there.span().ok_or(Problem::NotOurs)?;
            Ok([&text[..span.start], &literal(value), &text[span.end..]].concat())
        }
        None => {
            let Some(header) = item.as_table().filter(|table| !table.is_dotted()).and_then(Table::span)
            else {
                return Err(odd(text, item.span(), path, "is not under a header of its own"));
            };
            let at = line_end(text, header.end);
            let newline = newline_of(text);
            let gap = if text[..at].ends_with('\n') { "" } else { newline };
            let line = format!("{gap}{key} = {}{newline}", literal(value));
            Ok([&text[..at], &line, &text[at..]].concat())
        }
    }
}

/// The lines of a table and of those below it: from its header to its last value, with one empty line before.
fn collect_regions(text: &str, table: &Table, regions: &mut Vec<Range<usize>>) {
    let mut end = None;
    for (_, item) in table {
        match item {
            Item::Table(inner) if !inner.is_dotted() => collect_regions(text, inner, regions),
            Item::ArrayOfTables(inner) => inner.iter().for_each(|each| collect_regions(text, each, regions)),
            other => end = end.max(last_byte(other)),
        }
    }
    let Some(header) = table.span().filter(|_| !table.is_implicit()) else { return };
    let start = line_start(text, header.start);
    let end = line_end(text, end.unwrap_or(header.end).max(header.end));
    let before = &text[..start];
    let blank = ["\r\n", "\n"].iter().find(|newline| {
        before.strip_suffix(**newline).is_some_and(|above| above.is_empty() || above.ends_with('\n'))
    });
    regions.push(start - blank.map_or(0, |newline| newline.len())..end);
}

/// The end of the last value of an item; a dotted table's own span is only its key.
fn last_byte(item: &Item) -> Option<usize> {
    match item.as_table_like().filter(|table| table.is_dotted()) {
        Some(table) => table.iter().filter_map(|(_, inner)| last_byte(inner)).max(),
        None => item.span().map(|span| span.end),
    }
}

fn parse(text: &str) -> Result<Parsed<'_>, Problem> {
    Document::parse(text).map_err(|e| {
        let (line, column) = super::position(text, e.span().map_or(0, |span| span.start));
        Problem::Syntax { line, column, message: e.message().trim().replace('\n', "; ") }
    })
}

fn item<'p>(parsed: &'p Parsed<'_>, path: &[&str]) -> Option<&'p Item> {
    path.iter().try_fold(parsed.as_item(), |item, key| item.get(*key))
}

fn to_value(item: &Item) -> Value {
    fn table(table: &dyn TableLike) -> Value {
        table.iter().map(|(key, item)| (key.to_owned(), to_value(item))).collect::<Map<_, _>>().into()
    }
    fn plain(value: &toml_edit::Value) -> Value {
        match value {
            toml_edit::Value::String(text) => text.value().as_str().into(),
            toml_edit::Value::Integer(number) => (*number.value()).into(),
            toml_edit::Value::Float(number) => (*number.value()).into(),
            toml_edit::Value::Boolean(truth) => (*truth.value()).into(),
            toml_edit::Value::Datetime(time) => time.value().to_string().into(),
            toml_edit::Value::Array(items) => items.iter().map(plain).collect(),
            toml_edit::Value::InlineTable(inner) => table(inner),
        }
    }
    match item {
        Item::None => Value::Null,
        Item::Value(value) => plain(value),
        Item::Table(inner) => table(inner),
        Item::ArrayOfTables(tables) => tables.iter().map(|each| table(each)).collect(),
    }
}

/// A text, a number, a truth or a list of those, as TOML.
fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => toml_edit::Value::from(text.as_str()).to_string(),
        Value::Array(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// Checks that an edit changed nothing but what is at the path.
fn unless_others_changed(before: &str, after: String, path: &[&str]) -> Result<String, Problem> {
    let others = |text: &str| -> Result<Value, Problem> {
        let mut value = to_value(parse(text)?.as_item());
        take_out(&mut value, path);
        Ok(value)
    };
    if others(before)? == others(&after)? { Ok(after) } else { Err(Problem::NotOurs) }
}

fn odd(text: &str, span: Option<Range<usize>>, path: &[&str], what: &str) -> Problem {
    let (line, column) = super::position(text, span.map_or(0, |span| span.start));
    Problem::Shape { line, column, message: format!("`{}` {what}", path.join(".")) }
}

fn first_header(parsed: &Parsed<'_>) -> Option<usize> {
    fn headers(table: &Table) -> Vec<usize> {
        let own = table.span().filter(|_| !table.is_implicit() && !table.is_dotted()).map(|span| span.start);
        let below = table.iter().flat_map(|(_, item)| match item {
            Item::Table(inner) => headers(inner),
            Item::ArrayOfTables(inner) => inner.iter().flat_map(headers).collect(),
            _ => Vec::new(),
        });
        own.into_iter().chain(below).collect()
    }
    let tables = parsed.iter().flat_map(|(_, item)| match item {
        Item::Table(table) => headers(table),
        Item::ArrayOfTables(tables) => tables.iter().flat_map(headers).collect(),
        _ => Vec::new(),
    });
    tables.min()
}

/// Above the comments that stand directly over a line: they are about it.
fn above_comments(text: &str, line: usize) -> usize {
    let mut at = line;
    while at > 0 {
        let above = line_start(text, at - 1);
        if !text[above..at].trim_start().starts_with('#') {
            break;
        }
        at = above;
    }
    at
}

fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}

/// Behind the line end that follows an offset.
fn line_end(text: &str, offset: usize) -> usize {
    text[offset..].find('\n').map_or(text.len(), |length| offset + length + 1)
}

fn newline_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SERVER: [&str; 2] = ["mcp_servers", "remora"];

    fn keys(command: &str) -> Vec<(&'static str, Value)> {
        vec![("command", json!(command)), ("args", json!(["mcp", "--x=\"y\""]))]
    }

    /// Texts of all manners that have no such table.
    const TEXTS: &[&str] = &[
        "",
        "model = \"gpt\"\n",
        "# mine\nmodel = \"gpt\" # best\n\n[mcp_servers.other]\ncommand = \"o\"\n",
        "model = \"gpt\"\r\n\r\n[mcp_servers.other] # c\r\ncommand = \"o\"\r\nargs = [\r\n  \"a\",\r\n]\r\n",
        "mixed = 1\r\nends = 2\n\n\n",
        "mcp_servers.other.command = \"o\"\n",
        "[mcp_servers]\n",
        "[[list]]\na = 1\n[[list]]\na = 2\n[list.sub]\nb = 1979-05-27T07:32:00Z\n",
        "  [hooks.state.\"/x/hooks.json:stop:0:0\"]\n  trusted_hash = \"sha256:00\"\n",
        "\"키\" = 'x'\n\"a.b\" = '''\n[not.a.table]\n'''\n# end\n",
    ];

    #[test]
    fn a_table_comes_and_goes_without_a_trace() {
        for text in TEXTS {
            let with = set_table(text, &SERVER, &keys("/opt/remora")).expect("the text is well formed");
            assert_eq!(get(&with, &SERVER).expect("TOML").expect("the table")["args"][1], "--x=\"y\"");
            assert_eq!(set_table(&with, &SERVER, &keys("/opt/remora")).as_ref(), Ok(&with));
            let moved = set_table(&with, &SERVER, &keys("/other")).expect("the text is well formed");
            assert_eq!(moved, with.replace("/opt/remora", "/other"));
            assert_eq!(remove_table(&moved, &SERVER).as_deref(), Ok(*text));
        }
    }

    #[test]
    fn a_text_without_a_final_line_end_gets_one() {
        let with = set_table("a = 1", &SERVER, &keys("/r")).expect("the text is well formed");
        assert_eq!(with, "a = 1\n\n[mcp_servers.remora]\ncommand = \"/r\"\nargs = [\"mcp\", '--x=\"y\"']\n");
        assert_eq!(remove_table(&with, &SERVER).as_deref(), Ok("a = 1\n"));
    }

    #[test]
    fn what_the_person_added_to_our_table_stays_until_it_goes() {
        let text = "[mcp_servers.remora] # ours\ncommand = \"/old\" # c\nstartup_timeout_sec = 9\n\n[mcp_servers.remora.env]\nA = \"b\"\n\n[z]\na = 1\n";
        let renewed = set_table(text, &SERVER, &keys("/new")).expect("the text is well formed");
        assert_eq!(
            renewed,
            "[mcp_servers.remora] # ours\nargs = [\"mcp\", '--x=\"y\"']\ncommand = \"/new\" # c\nstartup_timeout_sec = 9\n\n[mcp_servers.remora.env]\nA = \"b\"\n\n[z]\na = 1\n"
        );
        assert_eq!(remove_table(&renewed, &SERVER).as_deref(), Ok("\n[z]\na = 1\n"));
    }

    #[test]
    fn a_root_key_goes_before_the_first_table() {
        let cases = [
            ("", "k = true\n"),
            ("a = 1", "a = 1\nk = true\n"),
            ("a = 1\n\n[t]\nb = 2\n", "a = 1\n\nk = true\n[t]\nb = 2\n"),
            ("# c\r\n[t]\r\nb = 2\r\n", "k = true\r\n# c\r\n[t]\r\nb = 2\r\n"),
            ("a = 1\n# c\n\n# d\n[[t]]\n", "a = 1\n# c\n\nk = true\n# d\n[[t]]\n"),
            ("k = false # why\n", "k = true # why\n"),
        ];
        for (before, after) in cases {
            assert_eq!(set_root_key(before, "k", Some(&json!(true))).as_deref(), Ok(after));
        }
        assert_eq!(set_root_key("a = 1\nk = \"x\" # c\nb = 2\n", "k", None).as_deref(), Ok("a = 1\nb = 2\n"));
        assert_eq!(set_root_key("a = 1\n", "k", None).as_deref(), Ok("a = 1\n"));
    }

    #[test]
    fn what_cannot_be_edited_is_refused_with_its_place() {
        let cases = [
            ("a = \n", "syntax 1:5"),
            ("a = 1\nmcp_servers = { other = { command = \"o\" } }\n", "shape 2:15"),
            ("mcp_servers = 7\n", "shape 1:15"),
            ("[mcp_servers]\nremora = \"x\"\n", "shape 2:10"),
            ("[mcp_servers]\nremora = {}\n", "shape 2:10"),
            ("[mcp_servers]\nremora.x = 1\n", "shape 2:1"),
        ];
        for (text, expected) in cases {
            let place = match set_table(text, &SERVER, &keys("/r")).expect_err(text) {
                Problem::Syntax { line, column, .. } => format!("syntax {line}:{column}"),
                Problem::Shape { line, column, .. } => format!("shape {line}:{column}"),
                Problem::NotOurs => "not ours".to_owned(),
            };
            assert_eq!(place, expected, "{text}");
        }
        let inline = "[mcp_servers]\nremora = { command = \"x\" }\n";
        assert!(matches!(remove_table(inline, &SERVER), Err(Problem::Shape { line: 2, .. })));
    }
}
