//! Identifiers: where they are cut, and what they look like whole.

/// Characters that hold an identifier together when letters or digits stand on both sides.
pub(super) fn joins(character: char) -> bool {
    matches!(character, '_' | '-' | '.' | '/' | ':' | '@' | '#' | '+' | '\\')
}

/// The parts of a chunk such as `src/auth/sessionStore.rs`, `--no-verify`, `HTTPServer`,
/// `ERR_MODULE_NOT_FOUND` or `v1.2.3`, with letter case kept: cut at joiners, where lower case
/// turns to upper case, and before the last capital of a run (`HTTP|Server`).
///
/// Letters and digits stay together (`e0308`, `utf8`), versions stay whole (`1.2.3`).
pub(super) fn parts(chunk: &str) -> Vec<&str> {
    // Most words are plain.
    if chunk.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return vec![chunk];
    }
    let mut found = Vec::new();
    for piece in cut_at_joiners(chunk) {
        cut_at_case(piece, &mut found);
    }
    found
}

fn cut_at_joiners(chunk: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, character) in chunk.char_indices() {
        let decimal_point = character == '.'
            && chunk[..at].ends_with(|c: char| c.is_ascii_digit())
            && chunk[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        if joins(character) && !decimal_point {
            found.push(&chunk[start..at]);
            start = at + character.len_utf8();
        }
    }
    found.push(&chunk[start..]);
    found.retain(|piece| !piece.is_empty());
    found
}

fn cut_at_case<'a>(piece: &'a str, found: &mut Vec<&'a str>) {
    let mut start = 0;
    let characters: Vec<(usize, char)> = piece.char_indices().collect();
    for window in 1..characters.len() {
        let (at, this) = characters[window];
        let (_, before) = characters[window - 1];
        let next_is_lower = characters.get(window + 1).is_some_and(|(_, next)| next.is_lowercase());
        let word_begins = this.is_uppercase() && before.is_lowercase();
        // The plural of an abbreviation (`URLs`, `PRs`) is no new word.
        let plural = window + 2 == characters.len() && piece.ends_with('s');
        let run_ends = this.is_uppercase()
            && before.is_uppercase()
            && next_is_lower
            && !plural
            && window + 1 < characters.len();
        if word_begins || run_ends {
            found.push(&piece[start..at]);
            start = at;
        }
    }
    found.push(&piece[start..]);
}

/// An identifier as it is compared whole: lower case, without the joiners inside names, so that
/// `readinessProbe`, `readiness_probe` and `readiness-probe` are one; paths and dots stay.
pub(super) fn whole(chunk: &str) -> String {
    chunk.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_cut_where_a_reader_would() {
        for (chunk, expected) in [
            ("sessionStore", vec!["session", "Store"]),
            ("HTTPServer", vec!["HTTP", "Server"]),
            ("src/auth/session.rs", vec!["src", "auth", "session", "rs"]),
            ("ERR_MODULE_NOT_FOUND", vec!["ERR", "MODULE", "NOT", "FOUND"]),
            ("no-verify", vec!["no", "verify"]),
            ("E0308", vec!["E0308"]),
            ("ECONNREFUSED", vec!["ECONNREFUSED"]),
            ("v1.2.3", vec!["v1.2.3"]),
            ("URLs", vec!["URLs"]),
            ("parseURL", vec!["parse", "URL"]),
            ("std::io::Error", vec!["std", "io", "Error"]),
        ] {
            assert_eq!(parts(chunk), expected, "{chunk}");
        }
    }
}
