//! What `doctor --prove` runs, and how it judges.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use remora_install::{Outcome, Proof, ProofOptions, prove};
use serde_json::Value;

use crate::world::{ROOT, World, hosts, write_scripts};

fn proofs(world: &World) -> Vec<Proof> {
    let options = ProofOptions { cwd: world.path().to_owned(), limit: Duration::from_mins(1) };
    prove(&world.environment, &world.installation, &world.manifest(), &hosts(), &options)
}

fn outcome(world: &World, event: &str) -> String {
    let proof = proofs(world).into_iter().find(|proof| proof.event == event).expect("the event is proved");
    match proof.outcome {
        Outcome::Passed { bytes, .. } => format!("passed, {bytes} bytes"),
        Outcome::Failed { why } => format!("failed: {}", world.plain(&why)),
        Outcome::NotRun { why } => format!("not run: {}", world.plain(&why)),
    }
}

#[test]
fn every_hook_is_run_with_a_payload_that_is_marked() {
    let world = World::that_runs(ROOT);
    world.install();
    let seen = world.path().join("seen");
    let executables: Vec<_> = hosts()[0]
        .hooks
        .iter()
        .map(|hook| world.installation.executable("claude-code", hook.executable))
        .collect();
    let body = format!(
        "cat >>'{0}'; printf '\\n%s|%s|%s|%s\\n' \"$*\" \"$PWD\" \"$CLAUDECODE\" \"$SECRET\" >>'{0}'",
        seen.display()
    );
    write_scripts(&executables, &body);
    let mut world = world;
    world.environment.variables.insert("SECRET".into(), "leaks".into());
    world.environment.variables.insert("PATH".into(), "/usr/bin:/bin".into());

    let proofs = proofs(&world);
    assert_eq!(proofs.len(), hosts()[0].hooks.len());
    assert!(
        proofs.iter().all(|proof| matches!(proof.outcome, Outcome::Passed { bytes: 0, .. })),
        "{proofs:?}"
    );
    let seen = fs::read_to_string(seen).expect("what the hooks saw");
    let lines: Vec<_> = seen.lines().collect();
    for (hook, pair) in hosts()[0].hooks.iter().zip(lines.chunks(2)) {
        let payload: Value = serde_json::from_str(pair[0]).expect("a JSON payload");
        assert_eq!(payload["hook_event_name"], hook.event);
        assert!(payload["session_id"].as_str().is_some_and(|id| id.starts_with("remora-probe-")));
        let root = world.installation.root().display();
        let cwd = fs::canonicalize(world.path()).expect("a folder");
        assert_eq!(pair[1], format!("--root {root}|{}|1|", cwd.display()));
    }
}

#[test]
fn replies_are_judged_as_the_host_would() {
    let context = r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"x"}}"#;
    let print = |text: &str| format!("cat >/dev/null; printf %s '{text}'");
    let cases = [
        ("SessionStart", print(context), "passed, 79 bytes"),
        ("SessionStart", print(" \n"), "passed, 2 bytes"),
        (
            "SessionStart",
            print(&context.replace("SessionStart", "Stop")),
            "failed: its reply names the event \"Stop\"",
        ),
        (
            "SessionStart",
            print("hello"),
            "failed: it printed something else than one JSON object: expected value at line 1 column 1",
        ),
        ("SessionStart", print("[]"), "failed: it printed JSON that is not an object"),
        (
            "SessionStart",
            print("{}{}"),
            "failed: it printed something else than one JSON object: trailing characters at line 1 column 3",
        ),
        ("SessionStart", print(r#"{"continue":false}"#), "failed: its reply decides something: `continue`"),
        (
            "SessionStart",
            print(r#"{"hookSpecificOutput":{"permissionDecision":"allow"}}"#),
            "failed: its reply decides something: `permissionDecision`",
        ),
        ("Stop", print("{}"), "failed: it printed something, where the host expects nothing"),
        ("Stop", "exit 2".into(), "failed: it ended with exit status: 2"),
        ("Stop", "kill -9 $$".into(), "failed: it ended with signal: 9 (SIGKILL)"),
        ("Stop", "cat >/dev/null; echo oops >&2".into(), "failed: it wrote to standard error: oops"),
        ("Stop", "true".into(), "passed, 0 bytes"),
        (
            "Stop",
            "sleep 30 & echo $! >pid".into(),
            "failed: a process that it started keeps its output open, and the host would wait",
        ),
    ];
    for (event, body, expected) in cases {
        let world = World::that_runs(ROOT);
        world.install();
        let hook = hosts()[0].hooks.iter().find(|hook| hook.event == event).expect("a hook");
        write_scripts(&[world.installation.executable("claude-code", hook.executable)], &body);
        assert_eq!(outcome(&world, event), expected, "{body}");
        if let Ok(pid) = fs::read_to_string(world.path().join("pid")) {
            let killed = std::process::Command::new("/bin/kill").arg(pid.trim()).status();
            assert!(killed.is_ok(), "{killed:?}");
        }
    }
}

#[test]
fn a_hook_that_hangs_is_ended_with_its_children() {
    let world = World::that_runs(ROOT);
    world.install();
    let hang = "sh -c 'echo $$ >>pid; exec sleep 600' & echo $$ >>pid; wait";
    write_scripts(&[world.installation.executable("claude-code", "stop")], hang);
    let options = ProofOptions { cwd: world.path().to_owned(), limit: Duration::from_millis(700) };
    let proofs = prove(&world.environment, &world.installation, &world.manifest(), &hosts(), &options);
    let stop = proofs.iter().find(|proof| proof.event == "Stop").expect("a proof");
    assert_eq!(stop.outcome, Outcome::Failed { why: "it did not end within 700ms".into() });
    for pid in fs::read_to_string(world.path().join("pid")).expect("two ids").lines() {
        let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(state.is_empty() || state.contains(") Z "), "{pid} is alive: {state}");
    }
}

#[test]
fn entries_of_others_are_shown_and_never_run() {
    let world = World::that_runs(ROOT);
    let trap = world.path().join("sprung");
    let theirs = format!(
        "{{\"hooks\": {{\"Stop\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": \"touch '{}'\"}}, {{\"type\": \"http\", \"url\": \"http://127.0.0.1\"}}]}}]}}}}",
        trap.display()
    );
    World::write(&world.settings(), theirs);
    world.install();
    let proofs = proofs(&world);
    let shown: Vec<_> = proofs.iter().filter(|p| matches!(p.outcome, Outcome::NotRun { .. })).collect();
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert!(shown[0].command.starts_with("touch ") && shown[1].command.starts_with("http"));
    assert!(!trap.exists());
}

#[test]
fn what_is_not_what_was_written_is_not_run() {
    type Fault = fn(&World);
    let cases: [(Fault, &str); 4] = [
        (
            |world| change(world, "/bin/claude-code/stop\"", "/bin/claude-code/../../../trap\""),
            "failed: the entry is not in the file any more",
        ),
        (|world| change(world, "\"Stop\"", "\"Halt\""), "failed: the entry is not in the file any more"),
        (
            |world| {
                let executable = world.installation.executable("claude-code", "stop");
                fs::remove_file(&executable).expect("an executable");
                write_scripts(&[world.path().join("trap")], "touch sprung");
                symlink(world.path().join("trap"), executable).expect("a link");
            },
            "not run: its executable is a link that leads out of this installation",
        ),
        (
            |world| {
                fs::remove_file(world.installation.executable("claude-code", "stop")).expect("an executable");
            },
            "not run: /data root/记忆/bin/claude-code/stop: No such file or directory (os error 2)",
        ),
    ];
    for (fault, expected) in cases {
        let world = World::that_runs(ROOT);
        world.install();
        fault(&world);
        assert_eq!(outcome(&world, "Stop"), expected);
        assert!(!world.path().join("sprung").exists());
    }
}

#[test]
fn a_manifest_cannot_make_a_stranger_run() {
    let world = World::that_runs(ROOT);
    world.install();
    let trap = world.path().join("bin/claude-code/stop");
    write_scripts(std::slice::from_ref(&trap), "touch sprung");
    let ours = world.installation.executable("claude-code", "stop").display().to_string();
    let theirs = trap.display().to_string();
    for file in [world.settings(), world.installation.manifest()] {
        let text = fs::read_to_string(&file).expect("a file");
        fs::write(file, text.replace(&ours, &theirs)).expect("a file");
    }
    assert_eq!(outcome(&world, "Stop"), "not run: its executable does not lie in this installation");
    assert!(!world.path().join("sprung").exists());
}

fn change(world: &World, from: &str, to: &str) {
    let text = fs::read_to_string(world.settings()).expect("the settings");
    assert!(text.contains(from), "{from}");
    fs::write(world.settings(), text.replacen(from, to, 1)).expect("the settings");
}
