//! The units of a query: what must be found, each by its own word or by a synonym.

use std::collections::HashMap;

use crate::analysis::{Token, commonness, cut_at_stop_words, tokens};
use crate::query::Query;
use crate::synonyms::{Linear, Member, Synonyms, linear};

/// More units than this are not asked for; the heaviest stay.
const MOST_UNITS: usize = 48;
/// An identifier's part counts less than a word of prose: it came with its neighbours.
const PART: f32 = 0.7;
/// A bigram that no dictionary confirms may straddle two words.
const LOOSE_BIGRAM: f32 = 0.6;
/// One CJK character alone.
const CHARACTER: f32 = 0.3;

/// One thing that the query asks for.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    /// What stood in the query.
    pub(crate) surface: String,
    /// Terms that say it literally; their shares add up to 1.
    pub(crate) literals: Vec<(String, f32)>,
    /// Synonym groups that the unit is a word of.
    pub(crate) members: Vec<Member>,
    /// How much it counts, before its rarity: origin and shape.
    pub(crate) weight: f32,
    /// What its commonness leaves of it.
    pub(crate) common: f32,
    pub(crate) shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Word,
    Identifier,
    Cjk,
}

/// What a query asks for, without repetition, heaviest first where it must be cut.
pub(crate) fn units(query: &Query, synonyms: &Synonyms) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for stretch in query.stretches() {
        for mut unit in units_of(stretch.text, synonyms) {
            unit.weight *= stretch.weight;
            let key = unit.literals.iter().map(|(term, _)| term.as_str()).collect::<Vec<_>>().join(" ");
            if let Some(&at) = known.get(&key) {
                units[at].weight = units[at].weight.max(unit.weight);
            } else {
                known.insert(key, units.len());
                units.push(unit);
            }
        }
    }
    if units.len() > MOST_UNITS {
        units.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        units.truncate(MOST_UNITS);
    }
    units
}

/// What a text says, as [`units`] of a query, with repetition.
pub(crate) fn units_of(text: &str, synonyms: &Synonyms) -> Vec<Unit> {
    let tokens = tokens(text);
    let parts = parts_of_identifiers(&tokens);
    let mut units: Vec<Unit> = tokens.iter().filter_map(whole_identifier).collect();

    let linear = linear(&tokens);
    let mentions = synonyms.mentions(&linear);
    let mut taken = vec![false; linear.len()];
    for mention in &mentions {
        let items = &linear[mention.item..mention.item + mention.items];
        if let Linear::Cjk { text, .. } = &items[0] {
            units.push(cjk_word(&text[mention.from..mention.to], &mention.all_members()));
        } else {
            taken[mention.item..mention.item + mention.items].fill(true);
            units.push(phrase(items, &mention.all_members(), &parts));
        }
    }
    for (at, item) in linear.iter().enumerate() {
        match item {
            Linear::Word { stop: false, .. } if !taken[at] => {
                units.push(phrase(std::slice::from_ref(item), &[], &parts));
            }
            Linear::Word { .. } => {}
            Linear::Cjk { text, .. } => {
                let inside: Vec<(usize, usize)> =
                    mentions.iter().filter(|m| m.item == at).map(|m| (m.from, m.to)).collect();
                push_rest_of_cjk(text, &inside, &mut units);
            }
        }
    }
    units.retain(|unit| !unit.literals.is_empty());
    units
}

/// Positions of words that are parts of a longer identifier.
fn parts_of_identifiers(tokens: &[Token]) -> Vec<u32> {
    let mut positions = Vec::new();
    for token in tokens {
        if let Token::Word { whole: Some(_), pieces } = token {
            positions.extend(pieces.iter().map(|piece| piece.position));
        }
    }
    positions
}

fn whole_identifier(token: &Token) -> Option<Unit> {
    let Token::Word { whole: Some(whole), .. } = token else { return None };
    Some(Unit {
        surface: whole.clone(),
        literals: vec![(whole.clone(), 1.0)],
        members: Vec::new(),
        weight: 1.0,
        common: 1.0,
        shape: Shape::Identifier,
    })
}

/// A word, or several that a synonym group knows as one phrase.
fn phrase(items: &[Linear<'_>], members: &[Member], parts: &[u32]) -> Unit {
    let mut literals: Vec<(String, f32)> = Vec::new();
    let mut surface = String::new();
    let mut weight: f32 = 0.0;
    let mut common: f32 = 0.0;
    for item in items {
        let Linear::Word { stem, surface: word, stop, position } = item else { continue };
        if !surface.is_empty() {
            surface.push(' ');
        }
        surface.push_str(word);
        if *stop || (word.len() == 1 && parts.contains(position)) {
            continue;
        }
        let part = if items.len() == 1 && parts.contains(position) { PART } else { 1.0 };
        weight = weight.max(number_weight(word) * part);
        common = common.max(commonness(stem));
        literals.push(((*stem).to_owned(), 1.0));
    }
    share(&mut literals);
    Unit { surface, literals, members: members.to_vec(), weight, common, shape: Shape::Word }
}

/// One or two digits say little.
fn number_weight(word: &str) -> f32 {
    if !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return 1.0;
    }
    match word.len() {
        1 => 0.15,
        2 => 0.3,
        3 => 0.7,
        _ => 1.0,
    }
}

fn cjk_word(word: &str, members: &[Member]) -> Unit {
    let characters: Vec<char> = word.chars().collect();
    let mut literals: Vec<(String, f32)> =
        characters.windows(2).map(|pair| (pair.iter().collect(), 1.0)).collect();
    share(&mut literals);
    Unit {
        surface: word.to_owned(),
        literals,
        members: members.to_vec(),
        weight: 1.0,
        common: commonness(word),
        shape: Shape::Cjk,
    }
}

/// What the synonym table does not know of a run: cut at function words, then bigram by bigram.
fn push_rest_of_cjk(run: &str, inside: &[(usize, usize)], units: &mut Vec<Unit>) {
    let mut start = 0;
    let mut rests = Vec::new();
    for &(from, to) in inside {
        // Entries may overlap.
        rests.push(&run[start.min(from)..from]);
        start = start.max(to);
    }
    rests.push(&run[start..]);
    for segment in rests.into_iter().flat_map(cut_at_stop_words) {
        let characters: Vec<char> = segment.chars().collect();
        if let [single] = characters[..] {
            units.push(cjk_unit(single.to_string(), CHARACTER));
        }
        let loose = if characters.len() == 2 { 1.0 } else { LOOSE_BIGRAM };
        for pair in characters.windows(2) {
            let bigram: String = pair.iter().collect();
            units.push(cjk_unit(bigram, loose));
        }
    }
}

fn cjk_unit(text: String, weight: f32) -> Unit {
    Unit {
        common: commonness(&text),
        surface: text.clone(),
        literals: vec![(text, 1.0)],
        members: Vec::new(),
        weight,
        shape: Shape::Cjk,
    }
}

fn share(literals: &mut [(String, f32)]) {
    #[allow(clippy::cast_precision_loss)]
    let each = 1.0 / literals.len().max(1) as f32;
    for (_, share) in literals {
        *share = each;
    }
}
