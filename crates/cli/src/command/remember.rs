//! `remora remember`.

use std::io::Read as _;

use serde_json::{Value, json};

use crate::arguments::Remember;
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output;

/// Variables that hosts give the commands of their agents, with the host's id. What an agent types is not what the
/// person typed.
const AGENTS: [(&str, &str); 8] = [
    ("CLAUDECODE", "claude-code"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "codex"),
    ("GEMINI_CLI", "gemini-cli"),
    ("QWEN_CODE", "qwen-code"),
    ("COPILOT_CLI", "copilot-cli"),
    ("OPENCODE", "opencode"),
    ("AI_AGENT", "agent"),
];

pub(super) fn run(engine: &Engine, args: &Remember, as_json: bool) -> Result<(), Failure> {
    let text = match args.text.as_slice() {
        [dash] if dash == "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            text
        }
        words => words.join(" "),
    };
    let mut said = json!({
        "text": text,
        "type": args.kind.map(crate::arguments::Kind::as_str),
        "name": args.name,
        "description": args.description,
        "anyway": args.anyway,
    });
    if let Some(host) = agent() {
        said["by"] = json!("agent");
        said["source"] = json!(host);
    }
    let value = engine.ask("remember", said)?;
    if as_json {
        output::json(&value);
    } else {
        output::line(render(&value).trim_end());
    }
    Ok(())
}

/// The host whose agent runs this command, if one does.
fn agent() -> Option<&'static str> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    AGENTS.iter().find(|(name, _)| is_set(name)).map(|(_, host)| *host)
}

/// One line that says what went where, and a line for each thing worth knowing.
fn render(value: &Value) -> String {
    let waiting = &value["waiting"];
    if !waiting.is_null() {
        return format!(
            "Not saved yet: {} waits for the person's word, because {}.\n  `remora review` shows it.",
            output::text(waiting, "name"),
            output::text(waiting, "why"),
        );
    }
    let saved = &value["saved"];
    let whose = if output::text(saved, "scope") == "user" { "about you" } else { "in this project" };
    let verb = if value["already"] == Value::Bool(true) { "Already remembered" } else { "Remembered" };
    let mut out = format!(
        "{verb} {whose} as {} ({}): {}\n",
        output::text(saved, "name"),
        output::text(saved, "type"),
        output::path(&output::text(saved, "path")),
    );
    for note in output::list(value, "notes") {
        out.push_str(&format!("  {}\n", output::plain(note.as_str().unwrap_or_default())));
    }
    out
}
