//! A host that runs another host's hooks beside its own tells everything twice: each happening counts once, and its
//! model is given nothing twice.

use std::collections::BTreeMap;

use remora_tests::payloads::{Payload, captured};
use remora_tests::session::at_ease;
use remora_tests::{
    Call, Error, HostId, Installed, Launch, Options, Place, Result, Script, Step, TestHome, journal, times,
};
use serde_json::{Value, json};

use crate::first_event::kebab;

const RULE: &str = "Integration tests talk to the real Postgres database on port 5544, never to mocks.";
const RULE_HEAD: &str = "### integration-tests-talk-real-postgres";
const PROTOCOL: &str = "Remora keeps memory across sessions, worktrees and coding agents.";
const CAPTURED_IN: &str = "/home/dev/proj";
/// Copilot CLI runs its own hooks, and those that a project has for Claude Code.
const OWN: &str = "copilot-cli";
const OTHER: &str = "claude-code";

/// A hook of an adapter as Copilot CLI runs it.
fn hook(home: &TestHome, adapter: &str, event: &str) -> Result<Launch> {
    let hook = home.hook(adapter, event)?.args(at_ease()).cwd(home.project());
    Ok(hook.env("COPILOT_CLI", "1").env("CLAUDE_PROJECT_DIR", home.project()))
}

/// What both adapters print for a payload, told to one after the other.
fn tell(home: &TestHome, first: &str, event: &str, payload: &str) -> Result<[String; 2]> {
    let second = if first == OWN { OTHER } else { OWN };
    let one = |adapter: &str| -> Result<String> {
        let done = hook(home, adapter, event)?.stdin(payload.to_owned()).run()?.expect_ok(event)?;
        assert!(done.stderr.is_empty(), "{}", done.describe());
        Ok(done.out())
    };
    Ok([one(first)?, one(second)?])
}

/// The captured payloads for whose event both adapters have a hook.
fn told_by_both(home: &TestHome) -> Result<Vec<Payload>> {
    let has = |event: &str| [OWN, OTHER].iter().all(|adapter| home.hook(adapter, event).is_ok());
    Ok(captured(OWN)?.into_iter().filter(|payload| has(&kebab(payload.event()))).collect())
}

/// How many events of each kind count, and how many are further reports.
fn counted(home: &TestHome) -> Result<(BTreeMap<String, usize>, usize)> {
    let events = journal::events(&home.root())?;
    let (seen_also, counting): (Vec<_>, Vec<_>) = events.into_iter().partition(|event| event.seen_also);
    let kinds = journal::kinds(&counting).into_iter().map(|(kind, count)| (kind.to_owned(), count)).collect();
    Ok((kinds, seen_also.len()))
}

#[test]
fn what_two_adapters_tell_of_one_host_counts_once() -> Result<()> {
    let home = TestHome::new()?;
    let payloads = told_by_both(&home)?;
    assert!(payloads.len() >= 15, "only {} payloads", payloads.len());
    for (number, payload) in payloads.iter().enumerate() {
        let text = payload.text.replace(CAPTURED_IN, &home.project().to_string_lossy());
        // Which hook comes first is the host's affair.
        let first = if number % 2 == 0 { OWN } else { OTHER };
        tell(&home, first, &kebab(payload.event()), &text).map(drop)?;
    }
    let (kinds, seen_also) = counted(&home)?;
    assert_eq!(kinds.values().sum::<usize>(), payloads.len(), "{kinds:?}");
    assert_eq!(seen_also, payloads.len());
    Ok(())
}

/// One session, of which one adapter's hooks always come first.
fn a_session(first: &str) -> Result<()> {
    let home = TestHome::new()?;
    let installed = Installed::programs_only(&home)?;
    installed.json(&["remember", RULE])?;
    let mut given = String::new();
    let mut tell = |event: &str, more: Value| -> Result<()> {
        let mut payload =
            json!({"session_id": "s", "cwd": home.project(), "timestamp": "2026-11-29T20:37:50.092Z"});
        payload.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        for printed in tell(&home, first, event, &payload.to_string())? {
            if !printed.is_empty() {
                let value: Value = serde_json::from_str(&printed).map_err(Error::json(event))?;
                given.push_str(value["additionalContext"].as_str().unwrap_or_default());
            }
        }
        Ok(())
    };
    let run = |command: &str| {
        let result = json!({"result_type": "success", "text_result_for_llm": "ok"});
        json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_result": result})
    };
    tell("session-start", json!({"source": "new"}))?;
    tell(
        "user-prompt-submit",
        json!({"prompt": "which database do the integration tests use? remember that the port is 5544"}),
    )?;
    tell("post-tool-use", run("make test"))?;
    tell("post-tool-use", run("make test"))?;
    tell("post-tool-use-failure", json!({"tool_name": "Read", "tool_input": {"path": "/x"}, "error": "no"}))?;
    tell("stop", json!({"stop_reason": "end_turn"}))?;
    tell("user-prompt-submit", json!({"prompt": "and on Fridays, which database do they use?"}))?;
    tell("stop", json!({"stop_reason": "end_turn"}))?;
    tell("session-end", json!({"reason": "complete"}))?;

    assert_eq!((times(&given, PROTOCOL), times(&given, RULE_HEAD)), (1, 1), "{first}: {given}");
    let (kinds, seen_also) = counted(&home)?;
    let expected = [
        ("post_tool_use", 2),
        ("session_end", 1),
        ("session_start", 1),
        ("stop", 2),
        ("tool_failure", 1),
        ("user_prompt", 2),
    ];
    assert_eq!(kinds, expected.map(|(kind, count)| (kind.to_owned(), count)).into(), "{first}");
    assert_eq!(seen_also, 9);
    let sessions = installed.json(&["journal"])?;
    assert_eq!(
        (&sessions["sessions"][0]["turns"], sessions["sessions"][1].is_null()),
        (&json!(2), true),
        "{sessions:#}"
    );
    let memories = installed.json(&["list"])?;
    assert_eq!(memories["memories"].as_array().map(Vec::len), Some(2), "a wish was kept twice: {memories:#}");
    // Whoever looks on sees which is which.
    let mut lines = installed.remora(&["tail", "--json", "-n", "50"]);
    lines = lines.limit(std::time::Duration::from_secs(600));
    let seen = crate::tail::lines_of(&lines, 18)?;
    let marked = seen.iter().filter(|event| event["seen_also"] == true).count();
    assert_eq!(marked, 9, "{seen:#?}");
    Ok(())
}

#[test]
fn a_session_that_two_adapters_serve_is_given_nothing_twice() -> Result<()> {
    a_session(OWN)?;
    a_session(OTHER)
}

/// Spooled while there was no engine, in whatever order.
#[test]
fn what_two_adapters_spooled_counts_once() -> Result<()> {
    let home = TestHome::new()?;
    let installed = Installed::programs_only(&home)?;
    let (program, away) = (installed.program(), home.root().join("bin/away"));
    std::fs::rename(&program, &away).map_err(Error::file("moving", &program))?;
    let payloads = told_by_both(&home)?;
    for adapter in [OTHER, OWN] {
        for payload in &payloads {
            let text = payload.text.replace(CAPTURED_IN, &home.project().to_string_lossy());
            let event = kebab(payload.event());
            let hook = installed.hook(adapter, &event)?.cwd(home.project()).env("COPILOT_CLI", "1");
            hook.stdin(text).run()?.expect_ok(&event).map(drop)?;
        }
    }
    std::fs::rename(&away, &program).map_err(Error::file("moving", &away))?;
    assert_eq!(crate::first_event::spooled(&home.root()).len(), 2 * payloads.len(), "they were not spooled");
    installed.json(&["status"])?;
    remora_tests::wait_until("the spool to be taken in", || {
        crate::first_event::spooled(&home.root()).is_empty()
    })?;
    let (kinds, seen_also) = counted(&home)?;
    assert_eq!((kinds.values().sum::<usize>(), seen_also), (payloads.len(), payloads.len()), "{kinds:?}");
    Ok(())
}

/// Lets the hooks that a project has for Claude Code wait as long as they need to.
fn give_time(home: &TestHome) -> Result<()> {
    let file = home.project().join(".claude/settings.local.json");
    let text = std::fs::read_to_string(&file).map_err(Error::file("reading", &file))?;
    let mut settings: Value = serde_json::from_str(&text).map_err(Error::json("settings.local.json"))?;
    for groups in settings["hooks"].as_object_mut().expect("hooks").values_mut() {
        for handler in groups
            .as_array_mut()
            .expect("groups")
            .iter_mut()
            .flat_map(|group| group["hooks"].as_array_mut().expect("handlers").iter_mut())
        {
            handler["timeout"] = json!(60);
            if let Some(arguments) = handler.get_mut("args").and_then(Value::as_array_mut) {
                arguments.extend(at_ease().map(Value::from));
            }
        }
    }
    std::fs::write(&file, settings.to_string()).map_err(Error::file("writing", &file))
}

/// The real Copilot CLI, in a project whose hooks for Claude Code it runs beside its own.
#[test]
fn copilot_cli_with_the_hooks_of_claude_code_beside_its_own() -> Result<()> {
    let Some(place) = Place::of(HostId::CopilotCli)? else { return Ok(()) };
    let installed = Installed::at_ease_in(&place.home, &[HostId::CopilotCli])?;
    let in_project = installed.remora(&["install", "claude-code", "--scope", "project", "--yes"]);
    in_project.cwd(place.home.project()).run()?.expect_ok("remora install").map(drop)?;
    give_time(&place.home)?;
    installed.json(&["remember", RULE])?;
    let (shell, argument) = HostId::CopilotCli.shell_tool();
    let call = || Call::new(shell, json!({argument: "echo the-same", "description": "twice"}));
    let script =
        Script::new([Step::calls([call()]), Step::calls([call()]), Step::text("The real Postgres.")]);
    let told =
        place.run(&script, "which database do the integration tests use?", &Options::default())?.told();
    assert_eq!((times(&told, PROTOCOL), times(&told, RULE_HEAD)), (1, 1), "{told}");
    let (kinds, seen_also) = counted(&place.home)?;
    assert!(seen_also > 0, "the host did not run the other hooks: {kinds:?}");
    let expected =
        [("post_tool_use", 2), ("session_end", 1), ("session_start", 1), ("stop", 1), ("user_prompt", 1)];
    assert_eq!(kinds, expected.map(|(kind, count)| (kind.to_owned(), count)).into());
    Ok(())
}
