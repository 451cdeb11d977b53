//! The first sentence of a text, in any script.

/// Words whose dot ends no sentence.
const ABBREVIATIONS: [&str; 9] = ["e.g.", "i.e.", "etc.", "vs.", "cf.", "no.", "dr.", "mr.", "approx."];

/// The first sentence of `text` as one line, at most `limit` characters, without Markdown marks at its
/// beginning and without a final full stop; cut at a word with `…` where it is longer. Empty if there is none.
pub fn first_sentence(text: &str, limit: usize) -> String {
    let Some(paragraph) = first_paragraph(text) else { return String::new() };
    let sentence = &paragraph[..end_of_sentence(&paragraph)];
    let sentence = sentence.trim().trim_end_matches(['。', '.', ';', ':', '\u{ff1a}']).trim_end();
    cut(sentence, limit)
}

/// The first lines that say something, joined; a heading alone is one.
fn first_paragraph(text: &str) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        let mark = line.starts_with("```") || line.chars().all(|c| matches!(c, '-' | '=' | '*' | '_'));
        if line.is_empty() || mark {
            if words.is_empty() {
                continue;
            }
            break;
        }
        let heading = line.starts_with('#');
        let item = line.starts_with(['-', '*', '+']) && line[1..].starts_with(' ');
        if (heading || item) && !words.is_empty() {
            break;
        }
        let bare = line.trim_start_matches(['#', '>', ' ', '\t']);
        let bare = if item { bare[1..].trim_start() } else { bare };
        words.extend(bare.split_whitespace());
        if heading && !words.is_empty() {
            break;
        }
    }
    (!words.is_empty()).then(|| words.join(" "))
}

/// The byte at which the first sentence of a line ends.
fn end_of_sentence(line: &str) -> usize {
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let next = chars.peek().map(|(_, next)| *next);
        let ends = match c {
            '。' | '\u{ff01}' | '\u{ff1f}' | '\u{ff61}' => true,
            '.' | '!' | '?' | ';' => next.is_none_or(char::is_whitespace) && !is_abbreviation(&line[..end]),
            _ => false,
        };
        if ends && end > 8 {
            return end;
        }
    }
    line.len()
}

pub(crate) fn is_abbreviation(upto: &str) -> bool {
    let word = upto.rsplit(char::is_whitespace).next().unwrap_or(upto).to_lowercase();
    let word = word.trim_start_matches(['(', '"', '\'']);
    ABBREVIATIONS.contains(&word)
}

/// `text` cut to `limit` characters, at a word where one ends in the last third, with `…` for what is gone.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let end = text.char_indices().nth(limit.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    let word = head.rfind(char::is_whitespace).filter(|at| *at * 3 > head.len() * 2);
    let head = word.map_or(head, |at| &head[..at]);
    format!("{}…", head.trim_end())
}
