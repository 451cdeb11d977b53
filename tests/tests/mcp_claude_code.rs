//! Claude Code with the server that `remora install` registers: its model searches and saves memory.

use remora_tests::host::host;
use remora_tests::{Error, Host, HostId, Installed, Options, Result, Run, Script, Step, TestHome};
use serde_json::{Value, json};

use crate::mcp::{happened, remember};

fn servers(home: &TestHome) -> Result<Value> {
    let file = home.home().join(".claude.json");
    let text = std::fs::read(&file).map_err(Error::file("reading", &file))?;
    let config: Value = serde_json::from_slice(&text).map_err(Error::json(".claude.json"))?;
    Ok(config["mcpServers"].clone())
}

fn run(host: &Host, home: &TestHome, steps: Vec<Step>, prompt: &str) -> Result<Run> {
    host.run(home, &Script::new(steps), prompt, &Options::default())?.expect_ok(host)
}

/// The texts that came back to the model as results of its tools.
fn results(run: &Run) -> String {
    let last = run.model.main().last().map(remora_tests::fake_model::Request::texts).unwrap_or_default();
    last.into_iter().filter(|text| text.role == "tool").map(|text| text.text).collect::<Vec<_>>().join("\n")
}

#[test]
fn install_registers_the_server_and_uninstall_takes_it_out() -> Result<()> {
    let home = TestHome::new()?;
    let other = json!({"mcpServers": {"other": {"command": "/bin/true", "args": []}}, "numStartups": 7});
    let before = serde_json::to_string_pretty(&other).expect("JSON");
    home.write(".claude.json", &before)?;
    let installed = Installed::programs_only(&home)?;
    for _ in 0..2 {
        installed.json(&["install", "claude-code", "--yes"])?;
        let servers = servers(&home)?;
        let root = home.root();
        let ours = json!({"command": root.join("bin/remora"), "args": ["--root", root, "mcp"]});
        assert_eq!(servers["remora"], ours, "{servers}");
        assert_eq!(servers["other"], other["mcpServers"]["other"]);
    }
    installed.json(&["uninstall", "claude-code", "--yes"])?;
    let file = home.home().join(".claude.json");
    assert_eq!(std::fs::read_to_string(&file).map_err(Error::file("reading", &file))?, before);
    Ok(())
}

#[test]
fn a_server_of_our_name_that_is_not_ours_is_left_alone_and_named() -> Result<()> {
    let home = TestHome::new()?;
    let theirs = r#"{"mcpServers": {"remora": {"command": "/opt/fish/bin/remora", "args": []}}}"#;
    home.write(".claude.json", theirs)?;
    let installed = Installed::programs_only(&home)?;
    let done = installed.remora(&["install", "claude-code", "--yes"]).run()?.expect_ok("remora install")?;
    assert!(done.out().contains("another MCP server called remora"), "{}", done.describe());
    let file = home.home().join(".claude.json");
    assert_eq!(std::fs::read_to_string(&file).map_err(Error::file("reading", &file))?, theirs);
    Ok(())
}

#[test]
fn its_model_finds_what_is_remembered_and_what_happened() -> Result<()> {
    let Some(host) = host(HostId::ClaudeCode) else { return Ok(()) };
    let home = TestHome::new()?;
    Installed::at_ease(&home)?;
    let project = home.project();
    remember(&home, &project, &["--type", "project", "The observatory opens on 2027-03-01."])?;
    happened(&home, &project, "earlier", "why is the observatory's dome stuck")?;
    let steps = vec![
        Step::call(
            "ToolSearch",
            json!({"query": "select:mcp__remora__memory_search,mcp__remora__memory_get"}),
        ),
        Step::call("mcp__remora__memory_search", json!({"query": "observatory"})),
        Step::call("mcp__remora__memory_get", json!({"ids": ["journal:1"]})),
        Step::text("All finished."),
    ];
    let run = run(&host, &home, steps, "please look it up")?;
    let (outline, results) = (run.model.outline(), results(&run));
    let offered = run.model.main().flat_map(remora_tests::fake_model::Request::tools).collect::<Vec<_>>();
    assert!(offered.iter().any(|tool| tool == "mcp__remora__memory_search"), "{offered:?}\n{outline}");
    assert!(results.contains("memory:private/project_observatory_opens"), "{results}\n{outline}");
    assert!(results.contains("- journal:1 · prompt in claude-code"), "{results}\n{outline}");
    assert!(
        results.contains("why is the observatory's dome stuck\n</remora-background>"),
        "{results}\n{outline}"
    );
    let instructions = run.model.find("Remora is the person's memory across sessions");
    assert!(!instructions.is_empty(), "the instructions did not arrive\n{outline}");

    // What was searched makes no memory of itself.
    let found = home.remora(&["search", "observatory", "--json"])?.run()?.expect_ok("remora search")?.out();
    let found: Value = serde_json::from_str(&found).map_err(Error::json("remora search"))?;
    let kinds: Vec<&str> =
        found["hits"].as_array().into_iter().flatten().filter_map(|hit| hit["kind"].as_str()).collect();
    assert_eq!(kinds, ["prompt"], "{found}");
    Ok(())
}

#[test]
fn what_its_model_saves_is_there_in_the_next_session() -> Result<()> {
    let Some(host) = host(HostId::ClaudeCode) else { return Ok(()) };
    let home = TestHome::new()?;
    Installed::at_ease(&home)?;
    let fact = "Telescope nights are booked by phone.\n\n**Why:** the form loses bookings.\n**How to apply:** never use the form.";
    let steps = vec![
        Step::call("ToolSearch", json!({"query": "select:mcp__remora__memory_save"})),
        Step::call("mcp__remora__memory_save", json!({"text": fact, "type": "feedback"})),
        Step::text("All finished."),
    ];
    let saved = run(&host, &home, steps, "we book telescope nights by phone")?;
    assert!(results(&saved).contains("Remembered in this project"), "{}", saved.model.outline());
    let shown = home
        .remora(&["show", "telescope-nights-booked-phone", "--json"])?
        .run()?
        .expect_ok("remora show")?
        .out();
    assert!(shown.contains(r#""by": "agent""#) && shown.contains("source: claude-code"), "{shown}");
    let next = run(&host, &home, vec![Step::text("All finished.")], "how do I book a telescope night?")?;
    assert!(!next.model.find("the form loses bookings").is_empty(), "{}", next.model.outline());
    Ok(())
}

/// The person's slash command brings the task to the model, with all that was typed after it.
#[test]
fn the_slash_command_reaches_the_model() -> Result<()> {
    let Some(host) = host(HostId::ClaudeCode) else { return Ok(()) };
    let home = TestHome::new()?;
    Installed::at_ease(&home)?;
    let typed = "/mcp__remora__remember Comets are logged in UTC";
    let run = run(&host, &home, vec![Step::text("All finished.")], typed)?;
    let outline = run.model.outline();
    assert!(!run.model.find("The person wants one fact remembered").is_empty(), "{outline}");
    assert!(!run.model.find("Comets are logged in UTC").is_empty(), "{outline}");
    Ok(())
}
