//! What Codex and Gemini CLI report of their tools, their subagents and their compactions, as the journal keeps
//! it.

use remora_tests::{Call, HostId, Installed, Options, Place, Result, Script, Step, journal, times};
use serde_json::{Value, json};

fn options() -> Options {
    Options { skip_hook_trust: true, ..Options::default() }
}

fn shell(host: HostId, command: &str) -> Call {
    let (tool, argument) = host.shell_tool();
    Call::new(tool, json!({argument: command, "description": "as told"}))
}

/// The events of tools in the journal, in order: tool, kind of event, outcome, error, paths below the project.
fn tools(place: &Place) -> Result<Vec<Value>> {
    let project = format!("{}/", place.home.project().display());
    let events = journal::events(&place.home.root())?;
    let of_tools = events.iter().filter(|event| event.body["tool"].is_object());
    let row = |event: &journal::StoredEvent| {
        let (body, tool) = (&event.body, &event.body["tool"]);
        let paths = tool["paths"].to_string().replace(&project, "");
        json!([tool["name"], tool["kind"], event.kind, body["outcome"], tool["error"], paths])
    };
    Ok(of_tools.map(row).collect())
}

#[test]
fn a_patch_of_codex_names_its_files() -> Result<()> {
    let Some(place) = Place::of(HostId::Codex)? else { return Ok(()) };
    let installed = Installed::at_ease_in(&place.home, &[HostId::Codex])?;
    place.home.write_in_project("old.txt", "one\n")?;
    let patch = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** Update File: old.txt\n\
        *** Move to: moved.txt\n@@\n-one\n+two\n*** End Patch\n";
    let script = Script::new([
        Step::calls([Call::freeform("apply_patch", patch)]),
        Step::calls([shell(HostId::Codex, "false")]),
        Step::text("Patched."),
    ]);
    // Codex gives this tool to models that it knows.
    place.run(&script, "patch it", &Options { model: Some("gpt-5.5".into()), ..options() }).map(drop)?;
    let patched = r#"["new.txt","old.txt","moved.txt"]"#;
    assert_eq!(
        tools(&place)?,
        [
            json!(["apply_patch", "edit", "post_tool_use", "completed", null, patched]),
            // That a command failed does not show.
            json!(["Bash", "shell", "post_tool_use", null, null, "null"]),
        ]
    );
    let found = installed.json(&["search", "moved.txt", "--kind", "edit"])?;
    assert_eq!(found["total"], 1, "{found:#}");
    Ok(())
}

#[test]
fn tools_of_gemini_cli_are_told_apart_and_failures_from_success() -> Result<()> {
    let Some(place) = Place::of(HostId::GeminiCli)? else { return Ok(()) };
    let _installed = Installed::at_ease_in(&place.home, &[HostId::GeminiCli])?;
    let file = place.home.project().join("made.txt");
    let script = Script::new([
        Step::calls([Call::new("write_file", json!({"file_path": file, "content": "one\ntwo\n"}))]),
        Step::calls([Call::new(
            "replace",
            json!({"file_path": file, "old_string": "two", "new_string": "three", "instruction": "count on"}),
        )]),
        Step::calls([shell(HostId::GeminiCli, "echo no; exit 3")]),
        Step::text("Written."),
    ]);
    place.run(&script, "write it", &options()).map(drop)?;
    let paths = r#"["made.txt"]"#;
    assert_eq!(
        tools(&place)?,
        [
            json!(["write_file", "write", "post_tool_use", "completed", null, paths]),
            json!(["replace", "edit", "post_tool_use", "completed", null, paths]),
            json!(["run_shell_command", "shell", "tool_failure", "failed", "exit code 3", "null"]),
        ]
    );
    Ok(())
}

#[test]
fn a_subagent_of_codex_is_known_by_its_own_id() -> Result<()> {
    let Some(place) = Place::of(HostId::Codex)? else { return Ok(()) };
    let _installed = Installed::at_ease_in(&place.home, &[HostId::Codex])?;
    let spawn = Call::new("spawn_agent", json!({"message": "INNER-JOB: run it", "agent_type": "default"}))
        .in_namespace("multi_agent_v1");
    let wait = shell(HostId::Codex, "while [ ! -e inner-was-here ]; do sleep 0.1; done; sleep 1");
    let script = Script::new([Step::calls([spawn]), Step::calls([wait]), Step::text("All finished.")])
        .when_unless("INNER-JOB", "OUTER-JOB", Step::calls([shell(HostId::Codex, "touch inner-was-here")]));
    place.run(&script, "OUTER-JOB: let somebody run it", &options()).map(drop)?;

    let events = journal::events(&place.home.root())?;
    let of_command = |event: &&journal::StoredEvent| event.body.to_string().contains("touch inner-was-here");
    let tool_use = |event: &&journal::StoredEvent| event.kind == "post_tool_use" && of_command(event);
    let inner = events.iter().find(tool_use).expect("the inner command");
    assert!(inner.agent.len() > 8, "{inner:#?}");
    let started = events.iter().find(|event| event.kind == "subagent_start").expect("its start");
    assert_eq!((&started.agent, &started.session), (&inner.agent, &inner.session));
    let of_person: Vec<_> =
        events.iter().filter(|event| event.kind == "user_prompt" && event.agent == "-").collect();
    assert_eq!(of_person.len(), 1, "{events:#?}");
    assert_eq!(of_person[0].session, inner.session);
    Ok(())
}

#[test]
fn after_a_compaction_codex_is_given_again() -> Result<()> {
    let Some(place) = Place::of(HostId::Codex)? else { return Ok(()) };
    let installed = Installed::at_ease_in(&place.home, &[HostId::Codex])?;
    installed.json(&["remember", "Deployments happen on Tuesdays only."])?;
    // The model says that its context is nearly full, and Codex has it summed up before it goes on.
    let full = Step::calls([shell(HostId::Codex, "true")]).input_tokens(90_000);
    let script = Script::new([full, Step::text("All finished.")]);
    let args = ["-c", "model_context_window=100000", "-c", "model_auto_compact_token_limit=80000"];
    let options = Options { args: args.map(str::to_owned).to_vec(), ..options() };
    let run = place.run(&script, "when do deployments happen?", &options)?;
    let events = journal::events(&place.home.root())?;
    let kinds = journal::kinds(&events);
    assert_eq!((kinds.get("pre_compact"), kinds.get("post_compact")), (Some(&1), Some(&1)), "{kinds:?}");
    let sources: Vec<_> = events.iter().filter_map(|event| event.body["source"].as_str()).collect();
    assert_eq!(sources, ["startup", "compact"]);
    let told = run.told();
    assert_eq!(times(&told, "Remora keeps memory across sessions"), 1, "{told}");
    Ok(())
}
