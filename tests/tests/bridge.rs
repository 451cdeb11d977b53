//! When a model looks into the memory that its host keeps by itself, or asks another server's memory, the same
//! question is answered beside it, and the native answer stays as it is.

use remora_tests::faults::kill;
use remora_tests::host::host;
use remora_tests::{
    Call, Error, Host, HostId, Installed, Options, Result, Run, Script, Step, TestHome, times,
};
use serde_json::{Value, json};

use crate::mcp::remember;

const NATIVE: &str = "---\nname: beacon\ndescription: How the beacon of the lighthouse is switched\nmetadata: \n  \
                      node_type: memory\n  type: project\n---\nRelay 9 switches the beacon of the lighthouse.\n";
const RELATED: &str = "The beacon of the lighthouse must never be switched during the night watch.";

fn run(host: &Host, home: &TestHome, steps: Vec<Step>, prompt: &str) -> Result<Run> {
    host.run(home, &Script::new(steps), prompt, &Options::default())?.expect_ok(host)
}

/// The texts of the last request that came from tools, and all others.
fn last(run: &Run) -> (String, String) {
    let texts = run.model.main().last().map(remora_tests::fake_model::Request::texts).unwrap_or_default();
    let of = |is_tool: bool| {
        let texts = texts.iter().filter(|text| (text.role == "tool") == is_tool);
        texts.map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n")
    };
    (of(true), of(false))
}

fn native_file(home: &TestHome) -> Result<String> {
    let slug = home.project().to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let file = home.write(format!(".claude/projects/{slug}/memory/project_beacon.md"), NATIVE)?;
    Ok(file.to_string_lossy().into_owned())
}

/// When the ledger says that looks into a memory were answered, in the session that was heard last.
fn answered_at(installed: &Installed<'_>) -> Result<Vec<String>> {
    let why = installed.json(&["why"])?;
    let injections = why["injections"].as_array().cloned().unwrap_or_default();
    let is_answer = |injection: &&Value| {
        injection["items"].as_array().is_some_and(|items| items.iter().any(|item| item["step"] == "bridge"))
    };
    let answers = injections.iter().filter(is_answer);
    Ok(answers.map(|answer| answer["event"].as_str().unwrap_or_default().to_owned()).collect())
}

#[test]
fn beside_a_native_file_comes_what_else_is_remembered() -> Result<()> {
    let Some(host) = host(HostId::ClaudeCode) else { return Ok(()) };
    let home = TestHome::new()?;
    let installed = Installed::at_ease(&home)?;
    let file = native_file(&home)?;
    remember(&home, &home.project(), &["--type", "feedback", RELATED])?;
    let steps = || vec![Step::call("Read", json!({"file_path": file})), Step::text("Read.")];
    let told = run(&host, &home, steps(), "please look at that file")?;
    let (results, beside) = last(&told);
    assert!(results.contains("Relay 9 switches the beacon of the lighthouse."), "{results}");
    let all = format!("{results}\n{beside}");
    assert!(all.contains("<remora-guidance>") && all.contains(RELATED), "{all}");
    assert_eq!(all.matches("### beacon\n").count(), 0, "the file itself was given again\n{all}");
    assert_eq!(answered_at(&installed)?, ["post_tool_use"]);

    // A file that is no memory asks nothing.
    home.write_in_project("beacon.md", "The beacon of the lighthouse, a poem.\n")?;
    let poem = home.project().join("beacon.md");
    let steps = vec![Step::call("Read", json!({"file_path": poem})), Step::text("Read.")];
    let told = run(&host, &home, steps, "please look at that file")?;
    let (results, beside) = last(&told);
    assert!(!format!("{results}\n{beside}").contains("<remora-guidance>"), "{results}\n{beside}");
    Ok(())
}

#[test]
fn beside_another_servers_memory_comes_what_is_remembered_of_the_question() -> Result<()> {
    let Some(host) = host(HostId::ClaudeCode) else { return Ok(()) };
    let home = TestHome::new()?;
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/notes_server.py");
    let servers = json!({"mcpServers": {"notes": {"command": "python3", "args": [server]}}});
    home.write(".claude.json", servers.to_string())?;
    let installed = Installed::at_ease(&home)?;
    remember(&home, &home.project(), &["--type", "feedback", RELATED])?;
    let asking = |query: &str| {
        vec![
            Step::call("ToolSearch", json!({"query": "select:mcp__notes__memory_search"})),
            Step::call("mcp__notes__memory_search", json!({"query": query})),
            Step::text("Asked."),
        ]
    };
    let steps = || asking("switch the beacon of the lighthouse");
    let told = run(&host, &home, steps(), "please ask the notes")?;
    let (results, beside) = last(&told);
    assert!(
        results.contains("NOTES FOUND NOTHING FOR switch the beacon"),
        "{results}\n{}",
        told.model.outline()
    );
    let all = format!("{results}\n{beside}");
    assert_eq!(times(&all, RELATED), 1, "{all}");
    assert!(all.contains("PreToolUse:mcp__notes__memory_search hook additional context"), "{all}");
    assert!(!all.contains("PostToolUse:mcp__notes__memory_search"), "{all}");
    assert_eq!(answered_at(&installed)?, ["pre_tool_use"]);

    // Also when the other memory fails.
    let told =
        run(&host, &home, asking("switch the broken beacon of the lighthouse"), "please ask the notes")?;
    let (results, beside) = last(&told);
    assert_eq!(times(&format!("{results}\n{beside}"), RELATED), 1, "{results}\n{beside}");

    // Where the hook before the tool is not there, it is answered after the tool.
    let before = installed.program().with_file_name("claude-code").join("pre-tool-use");
    std::fs::remove_file(&before).map_err(Error::file("removing", &before))?;
    let told = run(&host, &home, steps(), "please ask the notes")?;
    let (results, beside) = last(&told);
    let all = format!("{results}\n{beside}");
    assert!(results.contains("NOTES FOUND NOTHING FOR switch the beacon"), "{results}");
    assert_eq!(times(&all, RELATED), 1, "{all}");
    assert_eq!(answered_at(&installed)?, ["post_tool_use"]);

    // An engine that cannot be asked changes nothing.
    let program = installed.program();
    let aside = program.with_file_name("aside");
    std::fs::rename(&program, &aside).map_err(Error::file("moving", &program))?;
    for engine in home.engines() {
        kill(engine.pid())?;
    }
    let told = run(&host, &home, steps(), "please ask the notes")?;
    let (results, beside) = last(&told);
    assert!(results.contains("NOTES FOUND NOTHING FOR switch the beacon"), "{results}");
    assert!(!format!("{results}\n{beside}").contains("remora-guidance"), "{results}\n{beside}");
    std::fs::rename(&aside, &program).map_err(Error::file("moving", &aside))?;

    // Without an engine the host's own answer is the same.
    installed.json(&["uninstall", "claude-code", "--yes"])?;
    for engine in home.engines() {
        kill(engine.pid())?;
    }
    let told = run(&host, &home, steps(), "please ask the notes")?;
    let (without, _) = last(&told);
    assert!(without.contains("NOTES FOUND NOTHING FOR switch the beacon"), "{without}");
    Ok(())
}

/// Codex's own tools for its memory, which hooks see: what is remembered of the question comes beside their answer.
#[test]
fn beside_codex_s_memory_tools_comes_what_is_remembered_of_the_question() -> Result<()> {
    let Some(host) = host(HostId::Codex) else { return Ok(()) };
    let home = TestHome::new()?;
    home.write(
        ".codex/config.toml",
        "[features]\nmemories = true\n\n[memories]\ndedicated_tools = true\ngenerate_memories = false\n",
    )?;
    home.write(
        ".codex/memories/MEMORY.md",
        format!(
            "# Task Group: beacon\nscope: the lighthouse\napplies_to: cwd={}; reuse\nRelay 9 switches the beacon \
             of the lighthouse.\n",
            home.project().display()
        ),
    )?;
    home.write(".codex/memories/memory_summary.md", "v1\n- beacon\n")?;
    let installed = Installed::at_ease_in(&home, &[HostId::Codex])?;
    remember(&home, &home.project(), &["--type", "feedback", RELATED])?;
    let script = || {
        let ask = json!({"queries": ["switch the beacon of the lighthouse", "beacon"]});
        let call = Call::new("search", ask).in_namespace("memories");
        Script::new(vec![Step::calls([call]), Step::text("Asked.")])
    };
    let options = Options { skip_hook_trust: true, ..Options::default() };
    let told = host.run(&home, &script(), "please look it up", &options)?.expect_ok(&host)?;
    let (results, beside) = last(&told);
    assert!(results.contains("Relay 9 switches the beacon"), "{results}\n{}", told.model.outline());
    let all = format!("{results}\n{beside}");
    assert!(all.contains("<remora-guidance>") && all.contains(RELATED), "{all}");
    assert_eq!(times(&beside, RELATED), 1, "{all}");
    // What the tool says of Codex's own memory is not given beside it a second time.
    assert!(!beside.contains("Relay 9 switches the beacon"), "{all}");
    let known = installed.json(&["recall", "which relay switches the beacon of the lighthouse?"])?;
    assert!(known["memories"].to_string().contains("\"native\""), "it is not taken in at all: {known:#}");
    assert_eq!(answered_at(&installed)?, ["pre_tool_use"]);

    // Without an engine, and with hooks that have nobody to ask, the native answer is the same.
    let program = installed.program();
    std::fs::remove_file(&program).map_err(Error::file("removing", &program))?;
    for engine in home.engines() {
        kill(engine.pid())?;
    }
    let told = host.run(&home, &script(), "please look it up", &options)?.expect_ok(&host)?;
    let (without, _) = last(&told);
    assert!(without.contains("Relay 9 switches the beacon"), "{without}");
    Ok(())
}
