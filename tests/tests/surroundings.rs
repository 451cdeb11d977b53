//! Hooks in surroundings that no host should make, and variables that a repository can set: the host is not
//! kept waiting, and nothing of it reaches the engine.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Instant;

use remora_tests::faults::Paused;
use remora_tests::host::{Terminal, host};
use remora_tests::session::at_ease;
use remora_tests::{
    Answer, Call, Engine, Error, HostId, Installed, Launch, Options, Result, Script, Session, Step, TestHome,
    journal, wait_until,
};
use serde_json::json;

use crate::first_event::spooled;

const RULE: &str = "Integration tests talk to the real Postgres database on port 5544, never to mocks.";
const PROMPT: &str = "which database do the integration tests use?";

fn payload(home: &TestHome, number: usize) -> String {
    json!({
        "session_id": "one", "cwd": home.project(), "hook_event_name": "UserPromptSubmit", "prompt": PROMPT,
        "prompt_id": number.to_string(),
    })
    .to_string()
}

/// Waits for a hook; a host sees status 0.
fn assert_leaves_well(mut hook: Child) -> Result<()> {
    let mut status = None;
    let waited = wait_until("the hook to leave", || {
        status = hook.try_wait().expect("a status");
        status.is_some()
    });
    if waited.is_err() {
        let _ = hook.kill();
    }
    waited?;
    assert!(status.is_some_and(|status| status.success()), "{status:?}");
    Ok(())
}

fn spawn(launch: &Launch, stdin: Stdio, stdout: Stdio) -> Result<Child> {
    let mut command = launch.command();
    command.stdin(stdin).stdout(stdout).stderr(Stdio::null()).spawn().map_err(Error::run("a hook"))
}

#[test]
fn an_output_that_nobody_reads_is_not_said_to_have_been_shown() -> Result<()> {
    let home = TestHome::new()?;
    let remembered = home.remora(&["remember", RULE])?.run()?;
    remembered.expect_ok("remora remember").map(drop)?;
    let hook = home.hook("claude-code", "user-prompt-submit")?.args(at_ease());
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut child = spawn(&hook, Stdio::piped(), writer.into())?;
    child.stdin.take().expect("a pipe").write_all(payload(&home, 1).as_bytes()).expect("written");
    assert_leaves_well(child)?;
    let log = hooks_log(&home);
    assert!(log.contains("standard output is closed"), "{log}");
    let why = home.remora(&["why", "--json"])?.run()?.expect_ok("remora why")?;
    assert!(why.out().contains(r#""state": "offered""#), "{}", why.out());
    Ok(())
}

#[test]
fn a_terminal_as_input_is_no_payload() -> Result<()> {
    let home = TestHome::new()?;
    for event in ["session-start", "user-prompt-submit", "stop"] {
        let terminal = Terminal::new()?;
        // All the time of the world: one that waited for input would never leave.
        let hook = home.hook("claude-code", event)?.args(["--deadline-ms", "600000"]);
        assert_leaves_well(spawn(&hook, terminal.end()?.into(), Stdio::null())?)?;
    }
    assert_eq!(home.engines(), [], "nothing happened that an engine must know");
    Ok(())
}

#[test]
fn an_input_that_never_ends_is_read_until_the_deadline() -> Result<()> {
    let home = TestHome::new()?;
    let hook = home.hook("claude-code", "post-tool-use")?;
    let mut child = spawn(&hook, Stdio::piped(), Stdio::null())?;
    let mut input = child.stdin.take().expect("a pipe");
    let begun = json!({
        "session_id": "one", "cwd": home.project(), "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_use_id": "call", "tool_input": {"command": "make everything"}, "tool_response": {"stdout": "begun"},
    });
    let begun = begun.to_string();
    input.write_all(&begun.as_bytes()[..begun.len() - 2]).expect("written");
    assert_leaves_well(child)?;
    drop(input);
    // What had arrived is kept: in the spool, since the time was up.
    home.remora(&["status"])?.run()?.expect_ok("remora status").map(drop)?;
    wait_until("the spool to be taken in", || spooled(&home.root()).is_empty())?;
    let events = journal::events(&home.root())?;
    let commands: Vec<_> = events.iter().map(|event| &event.body["tool"]["input"]["command"]).collect();
    assert_eq!(commands, ["make everything"], "{}", hooks_log(&home));
    Ok(())
}

#[test]
fn an_engine_that_stands_still_is_felt_once() -> Result<()> {
    let home = TestHome::new()?;
    let _ = Session::new(&home, "one").start("startup")?;
    let [engine] = home.engines().try_into().expect("one engine");
    let paused = Paused::new(engine.pid())?;
    let mut waited = Vec::new();
    for number in 0..6 {
        // So long that the time that a busy machine takes to start a program is nothing beside it.
        let hook = home.hook("claude-code", "user-prompt-submit")?.args(["--deadline-ms", "4000"]);
        let started = Instant::now();
        let done = hook.stdin(payload(&home, number)).run()?.expect_ok("the hook")?;
        assert!(done.stdout.is_empty() && done.stderr.is_empty(), "{}", done.describe());
        waited.push(started.elapsed());
    }
    let (first, later) = waited.split_first().expect("hooks");
    assert!(later.iter().max() < Some(&(*first / 2)), "{waited:?}\n{}", hooks_log(&home));
    drop(paused);
    wait_until("the spool to be taken in", || spooled(&home.root()).is_empty())?;
    let events = journal::events(&home.root())?;
    assert_eq!(journal::kinds(&events).get("user_prompt"), Some(&6), "{events:#?}");
    // It answers again, and is waited for again.
    assert!(Session::new(&home, "two").start("startup")?.says("<remora-memory>"));
    assert!(!home.root().join("run/slow").exists());
    Ok(())
}

/// Variables with which a repository would lead memory elsewhere, and the folder that they lead to.
fn hostile(folder: &Path) -> Vec<(&'static str, String)> {
    let inside = |name: &str| folder.join(name).to_string_lossy().into_owned();
    vec![
        ("HOME", inside("home")),
        ("XDG_DATA_HOME", inside("data")),
        ("XDG_CONFIG_HOME", inside("config")),
        ("XDG_STATE_HOME", inside("state")),
        ("XDG_RUNTIME_DIR", inside("runtime")),
        ("XDG_CACHE_HOME", inside("cache")),
        ("TMPDIR", inside("tmp")),
        ("REMORA_HOME", inside("remora")),
        ("REMORA_MEMORY_DIR", inside("memory")),
        ("REMORA_CONFIG", inside("config.toml")),
        ("GIT_DIR", inside("git")),
        ("GIT_CONFIG_GLOBAL", inside("gitconfig")),
        ("LD_PRELOAD", inside("missing.so")),
        ("LD_LIBRARY_PATH", inside("lib")),
        ("http_proxy", "http://127.0.0.1:9".to_owned()),
        ("HTTPS_PROXY", "http://127.0.0.1:9".to_owned()),
        ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9".to_owned()),
        ("OPENAI_BASE_URL", "http://127.0.0.1:9".to_owned()),
        ("RUST_LOG", "trace".to_owned()),
    ]
}

/// An evil configuration that would be seen to be read.
fn set_the_trap(folder: &Path) -> Result<()> {
    for place in ["config/remora", "home/.config/remora"] {
        let place = folder.join(place);
        std::fs::create_dir_all(&place).map_err(Error::file("making", &place))?;
        let file = place.join("config.toml");
        std::fs::write(&file, "notice = \"never\"\n").map_err(Error::file("writing", &file))?;
    }
    Ok(())
}

fn assert_trap_untouched(folder: &Path) {
    let mut found = Vec::new();
    collect(folder, &mut found);
    found.retain(|file| !file.ends_with("remora/config.toml"));
    assert_eq!(found, Vec::<PathBuf>::new());
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}

/// The engine that was started under such variables has none of them, only what the hook itself gives it.
fn assert_clean(engine: Engine) {
    let process = PathBuf::from(format!("/proc/{}", engine.pid()));
    let environment = std::fs::read(process.join("environ")).expect("its environment");
    let variables = String::from_utf8_lossy(&environment);
    let names = variables.split('\0').filter_map(|variable| variable.split('=').next());
    let others: Vec<&str> =
        names.filter(|name| !["", "LANG", "LC_ALL", "TZ", "MALLOC_ARENA_MAX"].contains(name)).collect();
    assert_eq!(others, Vec::<&str>::new());
    assert_eq!(std::fs::read_link(process.join("cwd")).expect("its folder"), Path::new("/"));
    for stream in 0..3 {
        let leads_to = std::fs::read_link(process.join("fd").join(stream.to_string())).expect("a stream");
        assert_eq!(leads_to, Path::new("/dev/null"), "{stream}");
    }
}

#[test]
fn variables_of_a_hook_change_nothing_in_the_engine() -> Result<()> {
    let home = TestHome::new()?;
    let trap = home.folder().join("trap");
    set_the_trap(&trap)?;
    let installed = Installed::in_home(&home, HostId::ClaudeCode)?;
    installed.json(&["remember", RULE])?;
    installed.remora(&["engine", "stop"]).run()?.expect_ok("remora engine stop").map(drop)?;

    let mut hook = installed.hook("claude-code", "session-start")?.args(at_ease());
    for (name, value) in hostile(&trap) {
        hook = hook.env(name, value);
    }
    let start = json!({"session_id": "one", "cwd": home.project(), "source": "startup"});
    // The system's linker says on standard error what it thinks of LD_PRELOAD before a program begins.
    let done = hook.stdin(start.to_string()).run()?.expect_ok("the hook")?;
    let answer = Answer::of(&done.stdout)?;
    assert!(answer.says("integration-tests-talk-real-postgres"), "{}", done.describe());
    assert_eq!(answer.notice.as_deref(), Some("Remora: 0 memories about you, 1 here"));
    let [engine] = home.engines().try_into().expect("one engine, of this root");
    assert_clean(engine);
    assert_trap_untouched(&trap);
    assert_eq!(journal::events(&home.root())?.len(), 1);
    Ok(())
}

#[test]
fn variables_that_a_project_gives_claude_code_change_nothing_either() -> Result<()> {
    let Some(host) = host(HostId::ClaudeCode) else { return Ok(()) };
    let home = TestHome::new()?;
    let trap = home.folder().join("trap");
    set_the_trap(&trap)?;
    let installed = Installed::at_ease(&home)?;
    installed.json(&["remember", RULE])?;
    installed.remora(&["engine", "stop"]).run()?.expect_ok("remora engine stop").map(drop)?;
    // Without those that lead the host itself astray.
    let own =
        ["HOME", "TMPDIR", "ANTHROPIC_BASE_URL", "http_proxy", "HTTPS_PROXY", "LD_LIBRARY_PATH", "GIT_DIR"];
    let variables = hostile(&trap).into_iter().filter(|(name, _)| !own.contains(name));
    let variables: serde_json::Map<_, _> =
        variables.map(|(name, value)| (name.to_owned(), json!(value))).collect();
    home.write_in_project(".claude/settings.json", json!({"env": variables}).to_string())?;

    let call = Call::new("Bash", json!({"command": "echo led to \"$REMORA_HOME\"", "description": "look"}));
    let script = Script::new([Step::calls([call]), Step::text("Well.")]);
    let run = host.run(&home, &script, PROMPT, &Options::default())?.expect_ok(&host)?;
    let led = format!("led to {}", trap.join("remora").display());
    assert!(!run.model.find(&led).is_empty(), "the variables do not reach the host's children");
    assert!(
        !run.model.find("### integration-tests-talk-real-postgres").is_empty(),
        "{}",
        run.model.outline()
    );
    let [engine] = home.engines().try_into().expect("one engine, of this root");
    assert_clean(engine);
    assert_trap_untouched(&trap);
    assert_eq!(journal::events(&home.root())?.len(), 5);
    Ok(())
}

fn hooks_log(home: &TestHome) -> String {
    std::fs::read_to_string(home.root().join("logs/hooks.log")).unwrap_or_default()
}
