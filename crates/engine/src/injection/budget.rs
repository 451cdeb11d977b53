//! Budgets in the host's own unit.

use remora_event::{Budget, Unit};

/// Joins two pictures to one.
pub(crate) const JOINER: char = '\u{200d}';

/// What is left to be filled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    left: usize,
    unit: Unit,
}

impl Room {
    /// At most `most`, and never more than the call can take.
    pub(crate) fn new(most: usize, call: Option<Budget>) -> Self {
        match call {
            Some(budget) => Self { left: most.min(budget.amount), unit: budget.unit },
            None => Self { left: most, unit: Unit::Utf16 },
        }
    }

    /// A part of the room, in the same unit.
    pub(crate) fn part(self, most: usize) -> Self {
        Self { left: self.left.min(most), unit: self.unit }
    }

    /// How much is left.
    pub(crate) fn left(self) -> usize {
        self.left
    }

    /// How long a text is in this unit.
    pub(crate) fn measure(self, text: &str) -> usize {
        self.unit.measure(text)
    }

    /// Whether a text fits.
    pub(crate) fn fits(self, text: &str) -> bool {
        self.measure(text) <= self.left
    }

    /// How long a text is with the blank line that stands before it in a wrapper.
    pub(crate) fn measure_in_wrapper(self, text: &str) -> usize {
        self.measure(text) + 1
    }

    /// The room for one text in a wrapper, at most `most`.
    pub(crate) fn part_in_wrapper(self, most: usize) -> Self {
        self.part(most.min(self.left.saturating_sub(1)))
    }

    /// Whether a text fits into a wrapper.
    pub(crate) fn fits_in_wrapper(self, text: &str) -> bool {
        self.measure_in_wrapper(text) <= self.left
    }

    /// Takes the length of a text in a wrapper off.
    pub(crate) fn take_in_wrapper(&mut self, text: &str) {
        self.left = self.left.saturating_sub(self.measure_in_wrapper(text));
    }

    /// Takes a text's length off.
    pub(crate) fn take(&mut self, text: &str) {
        self.left = self.left.saturating_sub(self.measure(text));
    }

    /// The longest prefix of a text that fits, splitting no character; nothing is left that joined it to what is gone.
    pub(crate) fn prefix(self, text: &str) -> &str {
        remora_redact::cut_to(text, self.left, self.unit == Unit::Utf16).trim_end_matches(JOINER)
    }
}

/// What a text costs, estimated: four ASCII characters to a token, other characters one each.
pub(crate) fn tokens_of(text: &str) -> i64 {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let other = text.chars().filter(|c| !c.is_ascii()).count();
    i64::try_from(ascii.div_ceil(4) + other).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_call_s_own_limit_wins_over_a_larger_budget() {
        let room = Room::new(9_000, Some(Budget { amount: 10, unit: Unit::Bytes }));
        assert_eq!(room.left(), 10);
        assert_eq!(room.prefix("ééééééé"), "ééééé");
    }

    #[test]
    fn an_emoji_counts_two_utf16_units_and_is_never_split() {
        let room = Room::new(3, Some(Budget { amount: 100, unit: Unit::Utf16 }));
        assert_eq!(room.prefix("😀😀"), "😀");
    }

    #[test]
    fn tokens_grow_with_the_text_in_any_language() {
        assert_eq!(tokens_of("abcd"), 1);
        assert_eq!(tokens_of("端口冲突"), 4);
    }
}
