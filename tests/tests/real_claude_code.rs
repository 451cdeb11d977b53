//! Remora in the real Claude Code: what reached the model, what the person saw, what the journal kept.

use std::fs::File;
use std::time::{Duration, SystemTime};

use remora_tests::{
    Call, Error, HostId, Installed, Options, Place, Result, Script, Step, TestHome, journal, times,
};
use serde_json::{Value, json};

/// What the person told Remora.
const RULE: &str = "Integration tests talk to the real Postgres database on port 5544, never to mocks.";
/// The head of its body, as a model gets it; its line in the index looks otherwise.
const RULE_HEAD: &str = "### integration-tests-talk-real-postgres";
const ROLE: &str = "I am the database administrator and answer in Swedish.";
/// What is said once in a context: how to use this memory.
const PROTOCOL: &str = "<remora-memory>";
const ASKS_FOR_RULE: &str = "which database do the integration tests use?";

fn shell(command: &str) -> Call {
    Call::new("Bash", json!({"command": command, "description": "look around"}))
}

#[test]
fn what_was_remembered_reaches_the_next_session_once() -> Result<()> {
    let Some(place) = Place::of(HostId::ClaudeCode)? else { return Ok(()) };
    let installed = Installed::at_ease(&place.home)?;
    installed.json(&["remember", RULE])?;
    installed.json(&["remember", ROLE, "--type", "user"])?;

    let script = Script::new([
        Step::calls([shell("printf 'first-%s-mark\\n' tool-output")]),
        Step::text("The real Postgres."),
    ]);
    let first = place.run(&script, ASKS_FOR_RULE, &Options::default())?.told();
    assert!(first.contains("\nI am the database administrator and answer in Swedish.\n"), "{first}");
    let line = "- integration-tests-talk-real-postgres (feedback_integration_tests_talk_real_postgres.md): ";
    assert_eq!((times(&first, PROTOCOL), times(&first, line)), (1, 1), "{first}");
    let body = format!(
        "<remora-guidance>\nGuidance the person gave earlier (kept by Remora):\n\n{RULE_HEAD}\n\
         (feedback · private · feedback_integration_tests_talk_real_postgres.md · today · by the person)\n\
         {RULE}\n</remora-guidance>"
    );
    assert_eq!(times(&first, &body), 1, "{first}");

    let found = installed.json(&["search", "first-tool-output-mark"])?;
    assert_eq!((&found["total"], &found["hits"][0]["kind"]), (&json!(1), &json!("shell")), "{found:#}");
    let why = installed.json(&["why"])?;
    let states: Vec<&Value> =
        why["injections"].as_array().expect("a list").iter().map(|given| &given["state"]).collect();
    assert_eq!(states, ["shown", "shown"], "the hooks confirm what they printed: {why:#}");

    // The session goes on: what its context has is not given again, what is new is.
    write_old_memory(&place.home, &installed)?;
    let second = place.go_on("and which database do the integration tests use on Fridays?")?.told();
    assert_eq!((times(&second, PROTOCOL), times(&second, RULE_HEAD)), (1, 1), "{second}");
    let third = place.go_on("where is the staging dashboard for the payment queue?")?.told();
    assert_eq!((times(&third, PROTOCOL), times(&third, RULE_HEAD)), (1, 1), "{third}");
    assert!(third.contains("staging-dashboard.md · 47 days ago · "), "{third}");
    assert!(third.contains("saved 47 days ago") || third.contains("Saved 47 days ago"), "{third}");

    // After a compaction the context has nothing any more.
    place.go_on("/compact").map(drop)?;
    let fourth = place.go_on(ASKS_FOR_RULE)?.told();
    assert_eq!((times(&fourth, PROTOCOL), times(&fourth, RULE_HEAD)), (1, 1), "{fourth}");
    let events = journal::events(&place.home.root())?;
    let kinds = journal::kinds(&events);
    assert_eq!((kinds.get("pre_compact"), kinds.get("post_compact")), (Some(&1), Some(&1)), "{kinds:?}");
    Ok(())
}

/// A memory that somebody else wrote into the folder, long ago.
fn write_old_memory(home: &TestHome, installed: &Installed<'_>) -> Result<()> {
    let list = installed.json(&["list"])?;
    let folder = list["memory_dir"].as_str().expect("the project's folder");
    let file = std::path::Path::new(folder).join("staging-dashboard.md");
    let text = "---\nname: staging-dashboard\ndescription: The staging dashboard of the payment queue\n\
                type: reference\n---\nThe payment queue's staging dashboard is at grafana.example/d/queue.\n";
    assert!(file.starts_with(home.root()), "{}", file.display());
    std::fs::write(&file, text).map_err(Error::file("writing", &file))?;
    let day = Duration::from_hours(24);
    let long_ago = SystemTime::now() - day * 47 - day / 2;
    let age = || File::options().write(true).open(&file)?.set_modified(long_ago);
    age().map_err(Error::file("changing the time of", &file))
}

#[test]
fn a_prompt_that_has_nothing_to_do_with_it_gets_no_memory() -> Result<()> {
    let Some(place) = Place::of(HostId::ClaudeCode)? else { return Ok(()) };
    let installed = Installed::at_ease(&place.home)?;
    installed.json(&["remember", RULE])?;
    for prompt in ["write a haiku about the sea", "Fix the typo in the README, please."] {
        let text = place.ask(prompt)?.told();
        assert_eq!((times(&text, PROTOCOL), times(&text, RULE_HEAD)), (1, 0), "{text}");
        assert_eq!(times(&text, "UserPromptSubmit hook additional context"), 0, "{text}");
    }
    let why = installed.json(&["why"])?;
    let choice = &why["choices"][0];
    assert_eq!((&choice["offered"], &choice["taken"]), (&json!(1), &json!(0)), "{why:#}");
    Ok(())
}

#[test]
fn the_person_sees_a_line_at_the_start_of_a_session_in_their_terminal() -> Result<()> {
    let Some(place) = Place::of(HostId::ClaudeCode)? else { return Ok(()) };
    HostId::ClaudeCode.prepare_terminal(&place.home)?;
    let installed = Installed::at_ease(&place.home)?;
    installed.json(&["remember", RULE])?;
    let script = Script::new([Step::text("THE-ANSWER")]);
    let line = "SessionStart:startup says: Remora: 0 memories about you, 1 here";
    let enough = |shown: &str| shown.contains(line) && shown.contains("THE-ANSWER");
    let shown = place.host.watch(&place.home, &script, ASKS_FOR_RULE, &Options::default(), enough)?;
    assert!(!shown.contains("UserPromptSubmit says"), "{shown}");
    Ok(())
}

#[test]
fn programs_are_told_one_line_at_the_start_of_a_session() -> Result<()> {
    let Some(place) = Place::of(HostId::ClaudeCode)? else { return Ok(()) };
    let installed = Installed::at_ease(&place.home)?;
    installed.json(&["remember", RULE])?;
    installed.json(&["remember", ROLE, "--type", "user"])?;
    let args = ["--verbose", "--include-hook-events", "--output-format", "stream-json"];
    let options = Options { args: args.map(str::to_owned).to_vec(), ..Options::default() };
    let script = Script::new([Step::calls([shell("true")]), Step::text("Well.")]);
    let run = place.run(&script, ASKS_FOR_RULE, &options)?;
    let mut notices = Vec::new();
    let mut heard = 0;
    for line in run.process.out().lines() {
        let said: Value = serde_json::from_str(line).map_err(Error::json("Claude Code"))?;
        if said["subtype"] == "hook_response" {
            heard += 1;
            assert_eq!((&said["exit_code"], &said["outcome"]), (&json!(0), &json!("success")), "{said:#}");
            let printed = said["output"].as_str().expect("a hook's output");
            if let Ok(Value::Object(printed)) = serde_json::from_str(printed) {
                notices.extend(printed.get("systemMessage").cloned());
            }
        }
    }
    assert!(heard >= 4, "only {heard} hooks were heard of\n{}", run.process.out());
    assert_eq!(notices, ["Remora: 1 memory about you, 1 here"]);
    Ok(())
}

#[test]
fn a_subagents_work_is_in_the_journal_as_its_own() -> Result<()> {
    let Some(place) = Place::of(HostId::ClaudeCode)? else { return Ok(()) };
    let installed = Installed::at_ease(&place.home)?;
    let input = json!({
        "description": "inner job", "prompt": "INNER-JOB: run the tests", "subagent_type": "general-purpose",
    });
    let script = Script::new([Step::calls([Call::new("Agent", input)]), Step::text("It is on its way.")])
        .when_unless("INNER-JOB", "OUTER-JOB", Step::calls([shell("printf 'inner-%s-mark\\n' output")]))
        .when_unless("inner-output-mark", "OUTER-JOB", Step::text("The inner job is done."));
    let run = place.run(&script, "OUTER-JOB: let somebody run the tests", &Options::default())?;
    assert!(!run.model.find("<task-notification>").is_empty(), "{}", run.model.outline());

    let events = journal::events(&place.home.root())?;
    let commands: Vec<_> = events.iter().filter(|event| event.body["tool"]["name"] == "Bash").collect();
    let [command] = commands.as_slice() else { panic!("{events:#?}") };
    let agent = command.agent.as_str();
    assert!(agent.len() > 8, "{command:#?}");
    let of_agent =
        |kind: &str| events.iter().filter(|event| event.kind == kind && event.agent == agent).count();
    assert_eq!((of_agent("subagent_start"), of_agent("subagent_stop")), (1, 1), "{events:#?}");
    let spawned = events.iter().find(|event| event.body["tool"]["name"] == "Agent").expect("the call");
    assert_eq!((spawned.agent.as_str(), &spawned.session), ("-", &command.session));

    let prompts: Vec<_> = events.iter().filter_map(|event| event.body["prompt"].as_str()).collect();
    assert_eq!(prompts, ["OUTER-JOB: let somebody run the tests"]);
    for event in &events {
        assert!(!event.body.to_string().contains("<task-notification>"), "{event:#?}");
    }
    let found = installed.json(&["search", "inner-output-mark"])?;
    assert_eq!(found["total"], 1, "{found:#}");
    Ok(())
}
