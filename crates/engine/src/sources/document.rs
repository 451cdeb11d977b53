//! A file that holds several memories, taken apart.

use std::path::PathBuf;

use remora_memory::new_memory;
use remora_profile::MemoryDocument;

/// One memory of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// By what it is known again: the title of a block; an item is what it says.
    pub(super) id: String,
    /// The title of a block.
    pub(super) title: Option<String>,
    /// What it is about, in a line of its own.
    pub(super) about: Option<String>,
    pub(super) text: String,
    /// The folders that it is about; none where it is about the person's work as a whole.
    pub(super) folders: Vec<PathBuf>,
}

/// The memories of a document, in its order.
pub(super) fn parts(document: &MemoryDocument, text: &str) -> Vec<Part> {
    let mut found = Vec::new();
    if let Some(heading) = &document.items_below {
        found.extend(items(heading, text).into_iter().map(|text| Part {
            id: text.clone(),
            title: None,
            about: None,
            text,
            folders: Vec::new(),
        }));
    }
    if let Some(start) = &document.blocks {
        found.extend(blocks(start, text).into_iter().map(|(title, text)| {
            let folders =
                document.project_line.as_deref().map(|line| folders(line, &text)).unwrap_or_default();
            let about = document.about_line.as_deref().and_then(|start| line(start, &text));
            let about = about.map(new_memory::description_from);
            Part { id: title.clone(), title: Some(title), about, text, folders }
        }));
    }
    found
}

/// The items of the list below a heading. An item goes on over the lines that are indented.
fn items(heading: &str, text: &str) -> Vec<String> {
    let is_heading = |line: &str| line.starts_with('#');
    let mut lines = text.lines();
    let title = |line: &str| line.trim_start_matches('#').trim().to_owned();
    if !lines.by_ref().any(|line| is_heading(line) && title(line) == heading) {
        return Vec::new();
    }
    let mut items: Vec<String> = Vec::new();
    for line in lines.take_while(|line| !is_heading(line)) {
        if let Some(item) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
            items.push(item.trim().to_owned());
        } else if let Some(item) = items.last_mut().filter(|_| line.starts_with([' ', '\t'])) {
            item.push('\n');
            item.push_str(line.trim_end());
        }
    }
    items.retain(|item| !item.trim().is_empty());
    items
}

/// The blocks that begin with a line that starts so, each with its title.
fn blocks(start: &str, text: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix(start) {
            blocks.push((title.trim().to_owned(), String::new()));
        }
        if let Some((_, text)) = blocks.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    blocks
}

/// What follows the beginning of a line.
fn line<'a>(start: &str, block: &'a str) -> Option<&'a str> {
    block.lines().find_map(|line| line.trim_start().strip_prefix(start)).map(str::trim)
}

/// The folders that a block names. A path may have ` and ` in it: only where all parts are paths it is several.
fn folders(start: &str, block: &str) -> Vec<PathBuf> {
    let Some(named) = line(start, block) else { return Vec::new() };
    let named = named.split(';').next().unwrap_or_default().trim();
    let several: Vec<&str> = named.split(" and ").flat_map(|part| part.split(", ")).map(str::trim).collect();
    let named = if several.iter().all(|path| path.starts_with('/')) { several } else { vec![named] };
    named.into_iter().filter(|path| path.starts_with('/')).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> MemoryDocument {
        MemoryDocument {
            path: "~/.some/ALL.md".into(),
            items_below: Some("Added Memories".into()),
            blocks: Some("# Group:".into()),
            about_line: Some("scope:".into()),
            project_line: Some("applies_to: cwd=".into()),
        }
    }

    #[test]
    fn the_items_below_a_heading_are_memories() {
        let text = "# Mine\n- not this\n\n## Added Memories\n- The person uses pnpm.\n- 回答要简短\n  和清楚\n\n* A third.\n- \nloose\n## Next\n- nor this\n";
        let said: Vec<String> = parts(&document(), text).into_iter().map(|part| part.text).collect();
        assert_eq!(said, ["The person uses pnpm.", "回答要简短\n  和清楚", "A third."]);
        assert!(parts(&document(), "## Other\n- x\n").is_empty());
    }

    #[test]
    fn blocks_name_the_folders_that_they_are_about() {
        let text = "intro\n# Group: Releases\nscope: x\napplies_to: cwd=/p/a and /p/b; reuse_rule=safe\n\n## Task\n# Group: Odd\napplies_to: cwd=/p/salt and pepper; x\n# Group: Anywhere\napplies_to: cwd=unknown; x\n";
        let found: Vec<(String, Vec<PathBuf>)> =
            parts(&document(), text).into_iter().map(|part| (part.id, part.folders)).collect();
        let paths = |all: &[&str]| all.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(
            found,
            [
                ("Releases".to_owned(), paths(&["/p/a", "/p/b"])),
                ("Odd".to_owned(), paths(&["/p/salt and pepper"])),
                ("Anywhere".to_owned(), paths(&[])),
            ]
        );
    }
}
