//! What a text points to: `[[wikilinks]]` and links to other `.md` files.

/// A link in a line: the bytes that it covers, its label and its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link<'a> {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The text that is shown; empty for a bare `[[name]]`.
    pub(crate) label: &'a str,
    /// The target as it is written.
    pub(crate) target: &'a str,
    pub(crate) wiki: bool,
}

/// How far a link or a code span may reach, in bytes.
const REACH: usize = 4096;

/// How many bytes are looked at for links, for each byte of the line: a line of a million brackets must not cost
/// a square. Behind that no further links are found, as no line that was written to be read needs it.
const FUEL: usize = 16;

/// All links of one line, from left to right, those inside `code` left out.
pub(crate) fn in_line(text: &str) -> Vec<Link<'_>> {
    let bytes = text.as_bytes();
    let mut fuel = REACH + FUEL * bytes.len();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() && fuel > 0 {
        match bytes[at] {
            b'\\' => at += 2,
            b'`' => at = after_code(text, at, &mut fuel),
            b'[' => match wikilink(text, at, &mut fuel).or_else(|| inline_link(text, at, &mut fuel)) {
                Some(link) => {
                    at = link.end;
                    found.push(link);
                }
                None => at += 1,
            },
            _ => at += 1,
        }
    }
    found
}

/// The end of the code span that opens at `at`, or the end of its ticks where it is not closed.
fn after_code(line: &str, at: usize, fuel: &mut usize) -> usize {
    let ticks = line[at..].bytes().take_while(|byte| *byte == b'`').count();
    let after = at + ticks;
    let mut run = 0;
    for (nth, byte) in line.bytes().enumerate().skip(after).take(REACH) {
        *fuel = fuel.saturating_sub(1);
        if byte == b'`' {
            run += 1;
        } else if run == ticks {
            return nth;
        } else {
            run = 0;
        }
    }
    if run == ticks { line.len().min(after + REACH) } else { after }
}

fn wikilink<'a>(line: &'a str, at: usize, fuel: &mut usize) -> Option<Link<'a>> {
    let inner_start = at + 2;
    let inner = line[at..].strip_prefix("[[")?;
    // A bracket inside is no part of a name, so there is nothing to look for behind it.
    let end = inner.bytes().take(REACH).position(|byte| matches!(byte, b']' | b'['));
    *fuel = fuel.saturating_sub(end.unwrap_or(REACH.min(inner.len())));
    let close = end.filter(|close| inner[*close..].starts_with("]]"))?;
    let inner = &inner[..close];
    if inner.trim().is_empty() {
        return None;
    }
    // In a table the bar inside a wikilink is escaped.
    let (target, label) = match inner.split_once('|') {
        Some((target, label)) => (target.strip_suffix('\\').unwrap_or(target), label),
        None => (inner, ""),
    };
    let target = target.split('#').next().unwrap_or(target).trim();
    Some(Link { start: at, end: inner_start + close + 2, label: label.trim(), target, wiki: true })
}

fn inline_link<'a>(line: &'a str, at: usize, fuel: &mut usize) -> Option<Link<'a>> {
    let label_end = matching(line, at, b'[', b']', fuel)?;
    if line.as_bytes().get(label_end + 1) != Some(&b'(') {
        return None;
    }
    let open = label_end + 1;
    let close = matching(line, open, b'(', b')', fuel)?;
    let inside = line[open + 1..close].trim();
    let target = match inside.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        Some((target, _)) => target,
        None => without_title(inside),
    };
    Some(Link { start: at, end: close + 1, label: line[at + 1..label_end].trim(), target, wiki: false })
}

/// The target without a title behind it, as in `(file.md "Title")`.
fn without_title(inside: &str) -> &str {
    for quote in [" \"", " '"] {
        if let Some((target, _)) = inside.split_once(quote) {
            return target.trim_end();
        }
    }
    inside
}

/// The place of the bracket that closes the one at `open`, brackets inside it counted.
fn matching(line: &str, open: usize, opening: u8, closing: u8, fuel: &mut usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut escaped = false;
    for (nth, byte) in line.bytes().enumerate().skip(open).take(REACH) {
        *fuel = fuel.saturating_sub(1);
        if std::mem::take(&mut escaped) {
            continue;
        }
        match byte {
            b'\\' => escaped = true,
            byte if byte == opening => depth += 1,
            byte if byte == closing => {
                depth -= 1;
                if depth == 0 {
                    return Some(nth);
                }
            }
            _ => {}
        }
    }
    None
}

/// The `.md` file that a link names, as a path with `/`: `./`, anchors and percent-encoding undone.
/// `None` for another site, another kind of file or a bare anchor.
pub(crate) fn markdown_file(target: &str) -> Option<String> {
    let target = target.split(['#', '?']).next().unwrap_or(target).trim();
    let path = match target.strip_prefix("file://") {
        Some(path) => path,
        None if target.contains("://") || target.starts_with("mailto:") => return None,
        None => target,
    };
    let path = percent_decoded(path);
    let mut path = path.as_str();
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty() && extension.eq_ignore_ascii_case("md")).then(|| path.to_owned())
}

/// `%20` and the like undone, where the result is a text; otherwise the text as it stands.
fn percent_decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        let decoded = hex.filter(|_| bytes[at] == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(decoded.unwrap_or(bytes[at]));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// What a whole text points to, each target once, fenced code left out.
pub(crate) fn in_text(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        let start = line.trim_start();
        if start.starts_with("```") || start.starts_with("~~~") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for link in in_line(line) {
            let target = if link.wiki { Some(link.target.to_owned()) } else { markdown_file(link.target) };
            found.extend(target.filter(|target| !target.is_empty()));
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|target| seen.insert(target.clone()));
    found
}
