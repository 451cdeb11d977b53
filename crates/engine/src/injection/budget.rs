//! Budgets in the host's own unit.

use remora_event::{Budget, Unit};

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

    /// Takes a text's length off.
    pub(crate) fn take(&mut self, text: &str) {
        self.left = self.left.saturating_sub(self.measure(text));
    }

    /// The longest prefix of a text that fits, splitting no character.
    pub(crate) fn prefix(self, text: &str) -> &str {
        remora_redact::cut_to(text, self.left, self.unit == Unit::Utf16)
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
