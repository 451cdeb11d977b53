//! How common a word is in what people ask of a coding agent, whatever the project.
//!
//! With thirty memories a word that stands in one of them looks rare although everybody uses it.
//! The table gives such words less weight than their rarity in the corpus would.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::stem;

const TABLE: &str = include_str!("../../data/common.txt");

/// The factor on a term's weight: 1 for a word that is not in the table, less for common ones.
/// Asked for the stem of an English word, or for a CJK word.
pub(crate) fn commonness(term: &str) -> f32 {
    static FACTORS: OnceLock<HashMap<String, f32>> = OnceLock::new();
    FACTORS.get_or_init(|| read(TABLE)).get(term).copied().unwrap_or(1.0)
}

fn read(table: &str) -> HashMap<String, f32> {
    let mut factors = HashMap::new();
    let mut factor: f32 = 1.0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        if let Some(given) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            factor = given.parse().unwrap_or(1.0);
            continue;
        }
        for word in line.split_whitespace() {
            let known = factors.entry(stem(word)).or_insert(factor);
            *known = known.min(factor);
        }
    }
    factors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_weigh_less() {
        assert!(commonness(&stem("adding")) < commonness(&stem("database")));
        assert!((commonness("zstd") - 1.0).abs() < f32::EPSILON);
    }
}
