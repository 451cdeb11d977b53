//! Results as tables for people, and as JSON for programs.

use std::fmt;

use serde::Serialize;

/// One table of results.
#[derive(Debug, Clone, Serialize)]
pub struct Table {
    /// What was measured.
    pub title: String,
    /// The heads of the columns; the first is that of the rows' names.
    pub columns: Vec<&'static str>,
    /// The rows.
    pub rows: Vec<Row>,
    /// What a reader must know to believe it.
    pub notes: Vec<String>,
}

/// One row.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// What the row is about.
    pub name: String,
    /// One for each further column.
    pub figures: Vec<Figure>,
}

/// One measured value, perhaps with what it should be.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// The value, in the unit of its column.
    pub value: f64,
    /// What it should be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
}

/// What a value should be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Not more than this.
    AtMost(f64),
    /// Not less than this.
    AtLeast(f64),
}

impl Target {
    fn is_met(self, value: f64) -> bool {
        match self {
            Self::AtMost(most) => value <= most,
            Self::AtLeast(least) => value >= least,
        }
    }
}

impl Figure {
    /// A value.
    pub fn of(value: f64) -> Self {
        Self { value, target: None }
    }

    /// A count.
    #[expect(clippy::cast_precision_loss, reason = "no count here is near 2^52")]
    pub fn count(value: u64) -> Self {
        Self::of(value as f64)
    }

    /// The same, with the most that it should be.
    #[must_use]
    pub fn at_most(mut self, most: f64) -> Self {
        self.target = Some(Target::AtMost(most));
        self
    }

    /// The same, with the least that it should be.
    #[must_use]
    pub fn at_least(mut self, least: f64) -> Self {
        self.target = Some(Target::AtLeast(least));
        self
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&number(self.value))?;
        match self.target {
            None => Ok(()),
            Some(target) => {
                let (sign, wanted) = match target {
                    Target::AtMost(most) => ("<=", most),
                    Target::AtLeast(least) => (">=", least),
                };
                let mark = if target.is_met(self.value) { "ok" } else { "MISSED" };
                write!(f, " {sign} {} {mark}", number(wanted))
            }
        }
    }
}

/// Whole numbers in groups of three, others with as many digits as they deserve.
fn number(value: f64) -> String {
    if value.is_nan() {
        return "-".to_owned();
    }
    if value.abs() < 100.0 && value.fract() != 0.0 {
        return format!("{value:.2}");
    }
    let digits = format!("{value:.0}");
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |digits| ("-", digits));
    let mut grouped = String::from(sign);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>, columns: &[&'static str]) -> Self {
        Self { title: title.into(), columns: columns.to_vec(), rows: Vec::new(), notes: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, name: impl Into<String>, figures: impl IntoIterator<Item = Figure>) {
        self.rows.push(Row { name: name.into(), figures: figures.into_iter().collect() });
    }

    /// Adds a note.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}

/// As Markdown, which is a table for people in a terminal too.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![self.columns.iter().map(|&column| column.to_owned()).collect::<Vec<_>>()];
        for row in &self.rows {
            let figures = row.figures.iter().map(Figure::to_string);
            lines.push(std::iter::once(row.name.clone()).chain(figures).collect());
        }
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                lines
                    .iter()
                    .filter_map(|line| line.get(column))
                    .map(|cell| cell.chars().count())
                    .max()
                    .unwrap_or(3)
            })
            .collect();
        writeln!(f, "## {}\n", self.title)?;
        for (number, line) in lines.iter().enumerate() {
            for (width, cell) in widths.iter().zip(line) {
                write!(f, "| {cell:width$} ")?;
            }
            writeln!(f, "|")?;
            if number == 0 {
                for (column, width) in widths.iter().enumerate() {
                    let line = "-".repeat(width.saturating_sub(1));
                    // Names to the left, figures to the right.
                    write!(f, "| {} ", if column == 0 { format!("-{line}") } else { format!("{line}:") })?;
                }
                writeln!(f, "|")?;
            }
        }
        if !self.notes.is_empty() {
            writeln!(f)?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_says_what_was_missed() {
        let mut table = Table::new("Things", &["thing", "ms", "per second"]);
        table.row("one", [Figure::of(1.234).at_most(2.0), Figure::count(4_999).at_least(5_000.0)]);
        table.row("another", [Figure::of(f64::NAN), Figure::count(12)]);
        table.note("All of it was invented.");
        insta::assert_snapshot!(table.to_string(), @"
        ## Things

        | thing   | ms           | per second            |
        | ------- | -----------: | --------------------: |
        | one     | 1.23 <= 2 ok | 4,999 >= 5,000 MISSED |
        | another | -            | 12                    |

        All of it was invented.
        ");
    }

    #[test]
    fn numbers_are_written_for_people() {
        let written = [0.0, 0.5, 99.994, 123.4, 716_800.0, 1_000_000.0, -1_234.0].map(number);
        assert_eq!(written, ["0", "0.50", "99.99", "123", "716,800", "1,000,000", "-1,234"]);
    }
}
