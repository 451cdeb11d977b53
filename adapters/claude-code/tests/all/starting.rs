//! Starting the engine: by whom, how often, and with what around it.

use std::fs;
use std::time::Duration;

use crate::engine::{Engine, Manner, context};
use crate::world::{PROMPT, START, Seen, TOOL, World, run};

/// The lines of a file that an engine's stand-in writes; waits for it, since nobody waits for an engine.
fn lines(world: &World, name: &str) -> Vec<String> {
    for _ in 0..400 {
        if let Ok(text) = fs::read_to_string(world.path("bin").join(name))
            && text.ends_with('\n')
        {
            return text.lines().map(str::to_owned).collect();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Vec::new()
}

/// Lets the stamp of the last attempt look as old as it is after the pause.
fn age_the_stamp(world: &World) {
    let stamp = fs::File::options().write(true).open(world.root().join("run/start")).expect("a stamp");
    stamp.set_modified(std::time::SystemTime::now() - Duration::from_secs(11)).expect("an old stamp");
}

#[test]
fn the_engine_beside_is_started_with_the_root_and_little_else() {
    let world = World::new();
    world.install_engine("notes-and-leaves");
    let mut command = world.command("post-tool-use");
    command
        .env("LANG", "C.UTF-8")
        .env("TZ", "Asia/Tokyo")
        .env("HOME", "/evil")
        .env("LD_PRELOAD", "")
        .env("SECRET", "x");
    assert_eq!(run(&mut command, TOOL.as_bytes()), Seen::nothing());
    let root = world.root();
    assert_eq!(
        lines(&world, "started"),
        [format!("started: engine run --root {} --detached", root.display())]
    );
    let surroundings = lines(&world, "surroundings");
    assert_eq!(surroundings[0], "/");
    for name in ["LANG=C.UTF-8", "TZ=Asia/Tokyo"] {
        assert!(surroundings.iter().any(|line| line == name), "{surroundings:?}");
    }
    for name in ["HOME=", "SECRET=", "LD_PRELOAD="] {
        assert!(!surroundings.iter().any(|line| line.starts_with(name)), "{surroundings:?}");
    }
    assert_eq!(world.spooled().len(), 1);
}

#[test]
fn ten_hooks_at_once_start_one_engine() {
    let world = World::new();
    world.install_engine("notes-and-leaves");
    world.executable("post-tool-use");
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| assert_eq!(world.run_at_ease("post-tool-use", TOOL.as_bytes()), Seen::nothing()));
        }
    });
    assert_eq!(lines(&world, "started").len(), 1);
    assert_eq!(world.spooled().len(), 10);
}

#[test]
fn a_session_start_waits_for_the_engine_that_it_started() {
    let world = World::new();
    world.install_engine("notes-and-leaves");
    let seen = std::thread::scope(|scope| {
        let hook = scope.spawn(|| world.run_at_ease("session-start", START.as_bytes()));
        assert_eq!(lines(&world, "started").len(), 1);
        let _engine = Engine::listen(&world.root(), context("good morning"));
        hook.join().expect("the hook ends")
    });
    assert!(seen.stdout.contains("good morning"), "{seen:?} {}", world.log());
    assert!(!world.has("run/start") && !world.has("spool"), "the attempt is forgotten");
}

#[test]
fn a_session_start_does_not_wait_for_an_engine_that_fails() {
    let world = World::new();
    world.install_engine("fails");
    assert_eq!(world.run_at_ease("session-start", START.as_bytes()), Seen::nothing());
    assert_eq!(world.spooled().len(), 1);
    assert!(world.log().contains("the engine left with status 3"), "{}", world.log());
    // For ten seconds nobody tries again.
    assert_eq!(world.run_at_ease("session-start", START.as_bytes()), Seen::nothing());
    assert_eq!(lines(&world, "started").len(), 1);
    assert_eq!(world.spooled().len(), 2);
}

#[test]
fn three_failures_in_a_row_are_written_where_people_look() {
    let world = World::new();
    world.install_engine("fails");
    for attempt in 1..=3 {
        assert!(!world.has("run/start-failure"), "{attempt}");
        assert_eq!(world.run_at_ease("session-start", START.as_bytes()), Seen::nothing());
        assert_eq!(lines(&world, "started").len(), attempt);
        age_the_stamp(&world);
    }
    let story = fs::read_to_string(world.root().join("run/start-failure")).expect("a story");
    assert_eq!(story, "the engine did not start in 3 attempts: the engine left with status 3\n");

    let _engine = Engine::listen(&world.root(), Manner::Answers(Box::default()));
    assert_eq!(world.run_at_ease("stop", TOOL.as_bytes()), Seen::nothing());
    assert!(!world.has("run/start-failure") && !world.has("run/start"), "an answer ends the story");
}

#[test]
fn hooks_that_do_not_wait_notice_failures_as_well() {
    let world = World::new();
    world.install_engine("fails");
    for attempt in 1..=4 {
        assert_eq!(world.run_at_ease("user-prompt-submit", PROMPT.as_bytes()), Seen::nothing());
        for _ in 0..400 {
            if lines(&world, "started").len() == attempt {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        age_the_stamp(&world);
    }
    assert!(world.has("run/start-failure"));
}

#[test]
fn an_installation_without_an_engine_says_so() {
    let world = World::new();
    assert_eq!(world.run_at_ease("session-start", START.as_bytes()), Seen::nothing());
    assert!(world.log().contains("there is no ") && world.log().contains("bin/remora"), "{}", world.log());
    assert_eq!(world.spooled().len(), 1);
}

#[test]
fn an_engine_that_leaves_is_followed_by_the_newer_one() {
    let world = World::new();
    world.install_engine("notes-and-leaves");
    let _old = Engine::listen(&world.root(), Manner::Leaving);
    assert_eq!(world.run_at_ease("post-tool-use", TOOL.as_bytes()), Seen::nothing());
    assert_eq!(lines(&world, "started").len(), 1);
    assert_eq!(world.spooled().len(), 1);
    assert!(!world.has("run/slow"));
}

#[test]
fn a_socket_that_a_dead_engine_left_is_no_engine() {
    let world = World::new();
    world.install_engine("notes-and-leaves");
    fs::create_dir_all(world.root().join("run")).expect("a folder");
    // Binding and closing leaves the file behind, as a killed process does.
    drop(std::os::unix::net::UnixListener::bind(world.root().join("run/s")).expect("a socket"));
    assert!(world.has("run/s"));
    assert_eq!(world.run_at_ease("post-tool-use", TOOL.as_bytes()), Seen::nothing());
    assert_eq!(lines(&world, "started").len(), 1);
    assert_eq!(world.spooled().len(), 1);
}
