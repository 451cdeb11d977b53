//! Memory folders of any size.

use std::fmt::Write as _;
use std::path::Path;

use super::text::Text;
use crate::error::{Error, Result};

/// What agents load of an index; longer ones are not read to their end.
const INDEX_LINES: usize = 200;

const KINDS: &[&str] = &["project", "project", "feedback", "reference", "user"];

/// Writes so many memories into a folder, with an index of the first of them. Gives some words of each, which
/// a prompt can use.
pub fn write(folder: &Path, count: usize, seed: u64) -> Result<Vec<String>> {
    std::fs::create_dir_all(folder).map_err(Error::file("making", folder))?;
    let mut text = Text::new(seed);
    let mut index = String::new();
    let mut about = Vec::with_capacity(count);
    for number in 0..count {
        let (verb, one, two) = (text.verb(), text.noun(), text.identifier());
        let name = format!("{verb}-{one}-{number}");
        let description = format!("{} {one} {two}: {}", verb, text.sentence(8)).replace('"', "");
        let length = text.numbers.skewed(200, 4_000);
        let content = format!(
            "---\nname: {name}\ndescription: \"{description}\"\ntype: {}\nmetadata:\n  created: 2026-{:02}-{:02}\n---\n\
             {}\n\n**Why:** {}\n\n**How to apply:** {}\n",
            text.numbers.one(KINDS),
            1 + number % 11,
            1 + number % 28,
            text.prose(length),
            text.sentence(12),
            text.sentence(12),
        );
        let file = folder.join(format!("{name}.md"));
        std::fs::write(&file, content).map_err(Error::file("writing", &file))?;
        if number < INDEX_LINES {
            let _ = writeln!(index, "- [{verb} {one}]({name}.md): {description}");
        }
        about.push(format!("{verb} the {one} {two}"));
    }
    let file = folder.join("MEMORY.md");
    std::fs::write(&file, index).map_err(Error::file("writing", &file))?;
    Ok(about)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_holds_what_was_asked_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let about = write(folder.path(), 30, 1).expect("memories");
        let files = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!((about.len(), files), (30, 31));
        let index = std::fs::read_to_string(folder.path().join("MEMORY.md")).expect("an index");
        assert_eq!(index.lines().count(), 30);
    }
}
