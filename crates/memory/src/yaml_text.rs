//! Writing a text as one YAML scalar on one line.

/// Words that YAML, in one of its versions, reads as something else than a text.
const NOT_TEXT: [&str; 14] =
    ["", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".inf", ".nan", "<<"];

/// `text` as a scalar that every YAML reader takes for exactly this text: plain where that is certain, in double
/// quotes where it is not. Dates stand plain, as hosts and people write them.
pub(crate) fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

fn is_plain(text: &str) -> bool {
    let first = text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '/' || c == '_');
    let numeric = text.starts_with(|c: char| c.is_ascii_digit());
    let date = numeric
        && (is_date(text) || (crate::memory::moment(text).is_none() && text.contains(char::is_alphabetic)));
    let number =
        text.replace('_', "").parse::<f64>().is_ok() || text.starts_with("0x") || text.starts_with("0o");
    let words = !NOT_TEXT.contains(&text.to_ascii_lowercase().as_str());
    let inside =
        !(text.contains(": ") || text.contains(" #") || text.contains(":\t") || text.contains("\t#"));
    let ends = !text.ends_with([':', ' ']);
    (first || date) && !number && words && inside && ends && !text.chars().any(needs_escape)
}

fn is_date(text: &str) -> bool {
    text.len() >= 10
        && text.as_bytes()[4] == b'-'
        && crate::memory::moment(text).is_some()
        && !text.contains(' ')
}

fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{85}' | '\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if needs_escape(c) => out.push_str(&escaped(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn escaped(c: char) -> String {
    let code = u32::from(c);
    if code <= 0xff { format!("\\x{code:02X}") } else { format!("\\u{code:04X}") }
}
