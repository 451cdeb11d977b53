//! A memory that explains a tool which the model is using right now tells it what the tool's own definition says.
//! One that warns of a trap in it is worth more than ever.

use crate::memories::Entry;

/// What only documents have in their name or description.
const DOCUMENTS: &[&str] = &[
    "usage",
    "how to use",
    "how to call",
    "documentation",
    "docs",
    "api reference",
    "reference for",
    "manual",
    "parameters",
    "arguments",
    "options of",
    "syntax",
    "cheat sheet",
    "cheatsheet",
    "用法",
    "文档",
    "手册",
    "参数",
    "使い方",
    "ドキュメント",
    "사용법",
    "문서",
];

/// What only warnings have, anywhere.
const WARNINGS: &[&str] = &[
    "never",
    "don't",
    "do not",
    "must not",
    "avoid",
    "beware",
    "careful",
    "caution",
    "trap",
    "gotcha",
    "pitfall",
    "caveat",
    "warning",
    "bug",
    "broken",
    "breaks",
    "fails",
    "failure",
    "hangs",
    "silently",
    "instead of",
    "workaround",
    "limit",
    "不要",
    "不能",
    "别用",
    "注意",
    "陷阱",
    "踩坑",
    "避免",
    "失败",
    "警告",
    "避ける",
    "失敗",
    "罠",
    "주의",
    "버그",
    "실패",
    "함정",
];

/// Whether a memory only explains one of the tools that are in use.
pub(crate) fn explains(entry: &Entry, tools: &[String]) -> bool {
    if !is_document(entry) {
        return false;
    }
    let head = format!("{} {}", entry.name, entry.description);
    let whole = format!("{head} {}", entry.memory.body).to_lowercase();
    if WARNINGS.iter().any(|word| whole.contains(word)) {
        return false;
    }
    let said = words(&head);
    tools.iter().any(|tool| is_named(tool, &said))
}

/// Whether a memory reads like a document at all.
pub(crate) fn is_document(entry: &Entry) -> bool {
    let head = format!("{} {}", entry.name, entry.description).to_lowercase();
    DOCUMENTS.iter().any(|word| head.contains(word))
}

/// Whether words name a tool. The server of an MCP tool is enough; the plain names of hosts' own tools are everyday
/// words, so that they count beside the word "tool" alone.
fn is_named(tool: &str, said: &[String]) -> bool {
    let says = |word: &String| said.contains(word);
    let parts = words(tool);
    match parts.split_first() {
        Some((first, rest)) if first == "mcp" && !rest.is_empty() => {
            let server = tool.split("__").nth(1).map_or_else(|| rest[..1].to_vec(), words);
            !server.is_empty() && server.iter().all(says)
        }
        Some(_) => {
            parts.iter().all(says)
                && ["tool", "工具", "ツール", "도구"].iter().any(|word| says(&(*word).to_owned()))
        }
        None => false,
    }
}

/// Words in lower case, `camelCase` and `snake_case` taken apart.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in text.chars() {
        let begins = character.is_uppercase() && was_lower;
        if (!character.is_alphanumeric() || begins) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(last) = words.last_mut()
        {
            last.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explains_of(description: &str, body: &str, tool: &str) -> bool {
        let entry = crate::memories::entry_for_tests("note.md", description, body);
        explains(&entry, &[tool.to_owned()])
    }

    #[test]
    fn documents_of_tools_in_use_are_left_out_and_warnings_are_not() {
        for (description, body, tool, expected) in [
            (
                "Usage of the playwright MCP tools",
                "browser_click takes a ref.",
                "mcp__playwright__browser_click",
                true,
            ),
            ("Usage of the playwright MCP tools", "browser_click takes a ref.", "Bash", false),
            (
                "Usage of the playwright MCP tools",
                "Never close the tab: it hangs.",
                "mcp__playwright__click",
                false,
            ),
            (
                "Issue tracker: usage and parameters",
                "list_issues takes a team.",
                "mcp__linear__list_issues",
                false,
            ),
            ("Linear: usage and parameters", "list_issues takes a team.", "mcp__linear__list_issues", true),
            ("How to use the WebFetch tool", "Give it a URL and a question.", "WebFetch", true),
            ("How to read the bash history", "Use ctrl-r.", "Bash", false),
            ("playwright 的用法", "点击按钮", "mcp__playwright__click", true),
            ("playwright 的用法，注意不要关闭标签页", "点击按钮", "mcp__playwright__click", false),
            ("Deploys rest in the freeze week", "Docs are in the wiki.", "mcp__playwright__click", false),
        ] {
            assert_eq!(explains_of(description, body, tool), expected, "{description} / {tool}");
        }
    }

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(words("mcp__my-server__browserClick"), ["mcp", "my", "server", "browser", "click"]);
    }
}
