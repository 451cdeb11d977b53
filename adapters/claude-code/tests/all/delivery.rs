//! The way of an event to an engine that is there, and into the spool where it is not.

use remora_event::wire::Request;
use remora_event::{Budget, EventKind, Reply, Unit, Via, Want};

use crate::captures::CLAUDE;
use crate::engine::{Engine, Manner, context};
use crate::world::{AT_EASE, PROMPT, START, Seen, TOOL, World};

#[test]
fn an_event_is_answered_printed_and_confirmed() {
    let world = World::new();
    let engine = Engine::listen(&world.root(), context("remember the milk"));
    let seen = world.run_at_ease("post-tool-use", TOOL.as_bytes());
    assert_eq!(
        seen,
        Seen::printed(
            "{\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\",\"additionalContext\":\"remember the milk\"}}\n"
        )
    );
    let event = engine.event();
    assert_eq!(
        (event.event, event.via, event.want, event.late),
        (EventKind::PostToolUse, Via::Executable, Want::Context, true)
    );
    assert_eq!(event.budget, Some(Budget { amount: 10_000, unit: Unit::Utf16 }));
    assert_eq!(event.key.as_deref(), Some("post_tool_use:t1:-"));
    assert!(chrono::DateTime::parse_from_rfc3339(&event.at).is_ok(), "{}", event.at);
    assert_eq!(uuid::Uuid::parse_str(&event.id).expect("an id").get_version_num(), 7);
    assert_eq!(engine.next(), Some(Request::Shown { id: "i-1".into() }));
    assert!(!world.has("spool") && !world.has("logs"), "nothing is written where nothing went wrong");
}

#[test]
fn what_prints_nothing_confirms_nothing() {
    let world = World::new();
    let engine = Engine::listen(&world.root(), context("for nobody"));
    assert_eq!(world.run_at_ease("stop", TOOL.as_bytes()), Seen::nothing());
    let event = engine.event();
    assert_eq!((event.event, event.want, event.budget), (EventKind::Stop, Want::Ack, None));
    assert_eq!(engine.rest(), []);
}

#[test]
fn a_notice_alone_is_printed_and_not_confirmed() {
    let world = World::new();
    let reply = Reply { notice: Some("2 memories".into()), injection: Some("i".into()), ..Reply::default() };
    let engine = Engine::listen(&world.root(), Manner::Answers(Box::new(reply)));
    assert_eq!(
        world.run_at_ease("session-start", START.as_bytes()),
        Seen::printed("{\"systemMessage\":\"2 memories\"}\n")
    );
    engine.event();
    assert_eq!(engine.rest(), []);
}

#[test]
fn every_capture_arrives_by_its_executable() {
    let world = World::new();
    let engine = Engine::listen(&world.root(), Manner::Answers(Box::default()));
    for capture in CLAUDE.captures() {
        let name = &capture.name;
        assert_eq!(
            world.run_at_ease(&executable_of(name), capture.text.as_bytes()),
            Seen::nothing(),
            "{name}"
        );
        assert_eq!(engine.event().event, capture.hook.event, "{name}");
    }
}

/// `PostToolUse.Bash` is captured by `post-tool-use`.
pub(crate) fn executable_of(capture: &str) -> String {
    let name = capture.split('.').next().unwrap_or_default();
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push('-');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

#[test]
fn without_an_engine_every_event_is_in_the_spool() {
    let world = World::new();
    for capture in CLAUDE.captures() {
        let seen = world.run(&executable_of(&capture.name), capture.text.as_bytes());
        assert_eq!(seen, Seen::nothing(), "{}", capture.name);
    }
    assert_eq!(world.spooled().len(), CLAUDE.captures().len());
    let event = world.spooled().pop().expect("an event");
    assert_eq!((event.want, event.budget, event.deadline_ms), (Want::Ack, None, None));
    assert!(world.log().contains("no engine listens at "), "{}", world.log());
}

#[cfg(unix)]
#[test]
fn what_is_written_is_for_the_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let world = World::new();
    assert_eq!(world.run_at_ease("user-prompt-submit", PROMPT.as_bytes()), Seen::nothing());
    let mut looked_at = 0;
    for folder in ["spool", "run", "logs"] {
        let folder = world.root().join(folder);
        assert_eq!(folder.metadata().expect("a folder").permissions().mode() & 0o777, 0o700, "{folder:?}");
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            assert_eq!(path.metadata().expect("a file").permissions().mode() & 0o077, 0, "{path:?}");
            looked_at += 1;
        }
    }
    assert!(looked_at >= 4, "{looked_at}");
}

#[test]
fn a_switched_off_shell_and_a_session_of_its_own_do_nothing() {
    for variable in ["REMORA_DISABLE", "REMORA_INTERNAL"] {
        let world = World::new();
        let engine = Engine::listen(&world.root(), context("x"));
        let seen = crate::world::run(world.command("session-start").env(variable, "1"), START.as_bytes());
        assert_eq!(seen, Seen::nothing(), "{variable}");
        assert_eq!(engine.rest(), [], "{variable}");
        assert!(!world.has("spool") && !world.has("logs"), "{variable}");
    }
}

#[test]
fn no_other_variable_changes_anything() {
    let world = World::new();
    let engine = Engine::listen(&world.root(), context("x"));
    let elsewhere = world.path("elsewhere");
    let names = [
        "HOME",
        "XDG_DATA_HOME",
        "XDG_CONFIG_HOME",
        "XDG_RUNTIME_DIR",
        "XDG_CACHE_HOME",
        "TMPDIR",
        "REMORA_ROOT",
        "REMORA_HOME",
        "REMORA_MEMORY_DIR",
        "REMORA_SOCKET",
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_PROJECT_DIR",
        "GIT_DIR",
        "GIT_WORK_TREE",
    ];
    let mut command = world.command("user-prompt-submit");
    command
        .args(AT_EASE)
        .env("REMORA_DISABLE", "0")
        .env("REMORA_INTERNAL", "")
        .env("RUST_LOG", "trace")
        .env("RUST_BACKTRACE", "full");
    for name in names {
        command.env(name, &elsewhere);
    }
    let seen = crate::world::run(&mut command, PROMPT.as_bytes());
    assert!(seen.stdout.contains("additionalContext") && seen.stderr.is_empty());
    let event = engine.event();
    assert_eq!(
        (event.host.as_str(), event.cwd.as_str(), event.session.as_str()),
        ("claude-code", "/w", "s1")
    );
    assert!(!elsewhere.exists());
}

#[test]
fn the_build_is_told_and_is_the_workspaces() {
    let world = World::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let build = remora_build_id::compute(&root.canonicalize().expect("the workspace")).expect("its build");
    for (event, _) in [("session-start", 0), ("stop", 0)] {
        let seen = crate::world::run(world.command(event).arg("--build-id"), b"");
        assert_eq!(seen, Seen::printed(&format!("{}\n", build.id)));
    }
}
