//! Output for people and for programs.

use std::io::{IsTerminal as _, Write as _};

use remora_event::ErrorBody;
use serde_json::{Value, json};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// One line on standard output. A closed pipe is not an error.
pub(crate) fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}");
}

/// A value for programs.
pub(crate) fn json(value: &Value) {
    line(&serde_json::to_string_pretty(value).unwrap_or_default());
}

/// An error with what to do next, on standard error.
pub(crate) fn error(body: &ErrorBody, as_json: bool) {
    let mut err = std::io::stderr().lock();
    let _ = if as_json {
        writeln!(err, "{}", json!({"error": body}))
    } else {
        let hint = body.hint.as_deref().filter(|hint| !hint.is_empty());
        let message = plain(&body.message);
        match hint {
            Some(hint) => writeln!(err, "remora: {message}\n  {hint}"),
            None => writeln!(err, "remora: {message}"),
        }
    };
}

/// How a text is meant.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Style {
    Bold,
    Faint,
    Warning,
}

/// The text in a style, on a terminal that wants colours.
pub(crate) fn styled(text: &str, style: Style) -> String {
    if !colours() {
        return text.to_owned();
    }
    let code = match style {
        Style::Bold => "1",
        Style::Faint => "2",
        Style::Warning => "33",
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

fn colours() -> bool {
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    !no_colour && !dumb && std::io::stdout().is_terminal()
}

/// A JSON text as it is safe to show on a terminal.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> std::borrow::Cow<'a, str> {
    match value.get(key) {
        Some(Value::String(text)) => remora_redact::neutralise(text),
        Some(Value::Null) | None => "".into(),
        Some(other) => other.to_string().into(),
    }
}

/// Text from elsewhere without anything that a terminal would obey.
pub(crate) fn plain(text: &str) -> String {
    remora_redact::neutralise(text).into_owned()
}

/// A whole number in a JSON value.
pub(crate) fn number(value: &Value, key: &str) -> i64 {
    value.get(key).and_then(Value::as_i64).unwrap_or(0)
}

/// The list in a JSON value.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// `1 memory`, `2 memories`.
pub(crate) fn counted(n: i64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

/// A number with its thousands apart.
pub(crate) fn grouped(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if n < 0 { format!("-{out}") } else { out }
}

/// A size for people.
pub(crate) fn bytes(n: i64) -> String {
    let units = ["B", "KB", "MB", "GB"];
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let mut size = n as f64;
    let mut unit = 0;
    while size >= 1000.0 && unit + 1 < units.len() {
        size /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{n} B") } else { format!("{size:.1} {}", units[unit]) }
}

/// Rows in columns. Wide characters count two; the last column is not padded.
pub(crate) fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count)
        .map(|column| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0)
        })
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            line.push_str(cell);
            if column + 1 < row.len() {
                line.push_str(&" ".repeat(widths[column].saturating_sub(cell.width()) + 2));
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// A text cut to so many columns of a terminal.
pub(crate) fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > width {
            break;
        }
        out.push(character);
    }
    out + "…"
}

/// How wide the terminal is. Where there is none, nothing is cut: programs and pagers read it.
pub(crate) fn width() -> usize {
    if !std::io::stdout().is_terminal() {
        return usize::MAX / 2;
    }
    rustix::termios::tcgetwinsize(std::io::stdout())
        .map_or(100, |size| usize::from(size.ws_col))
        .clamp(40, 200)
}

/// A path as a person reads it: relative to where they stand or with `~`, where that is shorter.
pub(crate) fn path(path: &str) -> String {
    let clean = plain(path);
    let relative = std::env::current_dir()
        .ok()
        .and_then(|here| clean.strip_prefix(&format!("{}/", here.display())).map(str::to_owned));
    let home = directories::BaseDirs::new().and_then(|folders| {
        clean.strip_prefix(&format!("{}/", folders.home_dir().display())).map(|rest| format!("~/{rest}"))
    });
    [relative, home].into_iter().flatten().min_by_key(String::len).unwrap_or(clean)
}

/// A moment as RFC 3339 has it, to the minute, as people read it.
pub(crate) fn moment(rfc3339: &str) -> String {
    rfc3339.get(..16).unwrap_or(rfc3339).replace('T', " ")
}

/// An age in whole days, in words.
pub(crate) fn age(days: i64) -> String {
    match days {
        i64::MIN..=0 => "today".into(),
        1 => "yesterday".into(),
        n => format!("{n} days ago"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_also_with_wide_characters() {
        let rows = vec![
            vec!["端口".into(), "a".into()],
            vec!["port".into(), "b".into()],
            vec!["x".into(), "c".into()],
        ];
        insta::assert_snapshot!(columns(&rows), @r"
        端口  a
        port  b
        x     c
        ");
    }

    #[test]
    fn numbers_and_sizes_read_well() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(-999), "-999");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(12_345_678), "12.3 MB");
        assert_eq!(counted(1, "memory", "memories"), "1 memory");
        assert_eq!(fit("端口冲突", 5), "端口…");
    }
}
