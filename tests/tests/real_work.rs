//! The to-do lists of real hosts become open work.

use remora_tests::{Call, HostId, Installed, Options, Place, Result, Script, Step};
use serde_json::{Value, json};

fn open_work(
    host: HostId,
    env: &[(&str, &str)],
    calls: impl IntoIterator<Item = Call>,
) -> Result<Option<Vec<String>>> {
    let Some(place) = Place::of(host)? else { return Ok(None) };
    let installed = Installed::at_ease_in(&place.home, &[host])?;
    let steps = calls.into_iter().map(|call| Step::calls([call])).chain([Step::text("Planned.")]);
    let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let options = Options { skip_hook_trust: true, env, ..Options::default() };
    place.run(&Script::new(steps), "plan the release", &options).map(drop)?;
    let work = installed.json(&["work", "--all"])?;
    let items = work["items"].as_array().cloned().unwrap_or_default();
    let item = |item: &Value| format!("{} {}", item["state"], item["text"]).replace('"', "");
    if items.is_empty() {
        let events = remora_tests::journal::events(&place.home.root())?;
        let told: Vec<String> = events.iter().map(|event| event.body["tool"].to_string()).collect();
        panic!("{host:?}: {told:#?}");
    }
    Ok(Some(items.iter().map(item).collect()))
}

/// Where nobody sits at the terminal, Claude Code offers its tools for this only when it is told to.
const TASKS: [(&str, &str); 2] = [("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1"), ("CLAUDE_CODE_ENABLE_TASKS", "1")];
const TODOS: [(&str, &str); 2] = [("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1"), ("CLAUDE_CODE_ENABLE_TASKS", "0")];

#[test]
fn the_list_of_claude_code() -> Result<()> {
    let todos = |one: &str, two: &str| {
        let todo = |text: &str, state: &str| json!({"content": text, "status": state, "activeForm": text});
        Call::new("TodoWrite", json!({"todos": [todo("write the notes", one), todo("tag it", two)]}))
    };
    let calls = [todos("in_progress", "pending"), todos("completed", "in_progress")];
    let Some(work) = open_work(HostId::ClaudeCode, &TODOS, calls)? else { return Ok(()) };
    assert_eq!(work, ["doing tag it", "done write the notes"]);
    Ok(())
}

#[test]
fn tasks_of_claude_code() -> Result<()> {
    let calls = [
        Call::new("TaskCreate", json!({"subject": "write the notes", "description": "of the release"})),
        Call::new("TaskCreate", json!({"subject": "tag it", "description": "v2"})),
        Call::new("TaskUpdate", json!({"taskId": "1", "status": "completed"})),
        Call::new("TaskUpdate", json!({"taskId": "2", "status": "in_progress"})),
    ];
    let Some(work) = open_work(HostId::ClaudeCode, &TASKS, calls)? else { return Ok(()) };
    assert_eq!(work, ["doing tag it", "done write the notes"]);
    Ok(())
}

/// Codex shows no plan of its own to hooks; its model has Remora's tool.
#[test]
fn an_item_that_codex_keeps_with_our_tool() -> Result<()> {
    let item = |state: &str| {
        let arguments = json!({"text": "tag the release", "state": state});
        Call::new("work_state", arguments).in_namespace("mcp__remora")
    };
    let Some(work) = open_work(HostId::Codex, &[], [item("todo"), item("doing")])? else { return Ok(()) };
    assert_eq!(work, ["doing tag the release"]);
    Ok(())
}

#[test]
fn to_dos_of_gemini_cli() -> Result<()> {
    let todos = |one: &str, two: &str| {
        let todos = json!([{"description": "write the notes", "status": one}, {"description": "tag it", "status": two}]);
        Call::new("write_todos", json!({"todos": todos}))
    };
    let calls = [todos("in_progress", "pending"), todos("completed", "in_progress")];
    let Some(work) = open_work(HostId::GeminiCli, &[], calls)? else { return Ok(()) };
    assert_eq!(work, ["doing tag it", "done write the notes"]);
    Ok(())
}
