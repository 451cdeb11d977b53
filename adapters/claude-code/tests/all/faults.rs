//! Engines that are stuck, broken, leaving or strange: the host sees nothing, the event is kept.

use std::os::unix::net::UnixStream;

use crate::engine::{Engine, Manner, bind, context};
use crate::world::{AT_EASE, PROMPT, START, Seen, TOOL, World, run};
use remora_event::SocketAddress;

#[test]
fn a_stuck_engine_is_felt_once() {
    let world = World::new();
    let engine = Engine::listen(&world.root(), Manner::Silent);
    let patient = run(world.command("user-prompt-submit").args(["--deadline-ms", "1000"]), PROMPT.as_bytes());
    assert_eq!(patient, Seen::nothing());
    assert!(world.has("run/slow"));
    assert_eq!(world.spooled().len(), 1);
    assert_eq!(world.run("post-tool-use", TOOL.as_bytes()), Seen::nothing());
    assert_eq!(world.run("session-start", START.as_bytes()), Seen::nothing());
    assert_eq!(world.spooled().len(), 3);
    assert!(!world.has("run/start"), "an engine that is there is not started");

    let waited: Vec<u64> = (0..3).filter_map(|_| engine.event().deadline_ms).collect();
    assert!(waited[0] > 20 && waited[0] <= 1_000 && waited[1] <= 20 && waited[2] <= 20, "{waited:?}");
}

#[test]
fn an_engine_that_answers_again_is_waited_for_again() {
    let world = World::new();
    std::fs::create_dir_all(world.root().join("run")).expect("a folder");
    std::fs::write(world.root().join("run/slow"), "").expect("a stamp");
    let engine = Engine::listen(&world.root(), context("x"));
    for _ in 0..2 {
        assert!(
            world.run_at_ease("user-prompt-submit", PROMPT.as_bytes()).stdout.contains("additionalContext")
        );
        assert!(!world.has("run/slow"));
    }
    let waited: Vec<u64> = [engine.event(), {
        engine.next();
        engine.event()
    }]
    .iter()
    .filter_map(|event| event.deadline_ms)
    .collect();
    assert!(waited[0] <= 20 && waited[1] > 20, "{waited:?}");
}

#[test]
fn an_engine_that_died_is_not_a_slow_one() {
    let world = World::new();
    std::fs::create_dir_all(world.root().join("run")).expect("a folder");
    std::fs::write(world.root().join("run/slow"), "").expect("a stamp");
    assert_eq!(world.run("post-tool-use", TOOL.as_bytes()), Seen::nothing());
    assert!(!world.has("run/slow"));
}

#[test]
fn what_is_no_answer_is_no_output_and_the_event_is_kept() {
    let frame = |json: &str| {
        let length = u32::try_from(json.len()).expect("a short text");
        [&length.to_be_bytes(), json.as_bytes()].concat()
    };
    for (what, manner) in [
        ("a closed connection", Manner::HangsUp),
        ("zeros", Manner::Says(vec![0; 64])),
        ("a huge frame", Manner::Says(vec![0xff; 64])),
        ("no JSON", Manner::Says(frame("not json"))),
        ("half a frame", Manner::Says(frame("{\"type\":\"hello\"")[..9].to_vec())),
        ("no hello", Manner::Says(frame("{\"type\":\"reply\",\"context\":\"x\"}"))),
        ("an unknown answer", Manner::Says(frame("{\"type\":\"surprise\"}"))),
        ("a web server", Manner::Says(b"HTTP/1.1 200 OK\r\n\r\n".to_vec())),
        ("another protocol", Manner::FromTheFuture),
        ("a refusal", Manner::Refuses),
    ] {
        let world = World::new();
        let _engine = Engine::listen(&world.root(), manner);
        // Half a frame is waited for, so that this is as short as it is by itself.
        assert_eq!(world.run("user-prompt-submit", PROMPT.as_bytes()), Seen::nothing(), "{what}");
        assert_eq!(world.spooled().len(), 1, "{what}");
        assert_eq!(world.log().lines().count(), 1, "{what}: {}", world.log());
        assert!(!world.log().contains("my own words"), "no word of the prompt: {}", world.log());
    }
}

#[test]
fn a_full_queue_is_a_stuck_engine() {
    let world = World::new();
    let _listener = bind(&world.root());
    // Nobody accepts: connections queue up until the next one has no room.
    let mut queue = Vec::new();
    let path = world.root().join("run/s");
    std::thread::scope(|scope| {
        let (sender, connected) = std::sync::mpsc::channel();
        scope.spawn(|| {
            let sender = sender;
            while let Ok(stream) = connect_without_waiting(&path) {
                if sender.send(stream).is_err() {
                    return;
                }
            }
        });
        queue.extend(connected);
    });
    assert!(queue.len() > 1, "the queue holds something");
    assert_eq!(world.run("user-prompt-submit", PROMPT.as_bytes()), Seen::nothing());
    assert_eq!(world.spooled().len(), 1);
    assert!(world.has("run/slow"), "{}", world.log());
}

fn connect_without_waiting(path: &std::path::Path) -> rustix::io::Result<UnixStream> {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

    let socket = socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::NONBLOCK | SocketFlags::CLOEXEC,
        None,
    )?;
    connect(&socket, &SocketAddrUnix::new(path)?)?;
    Ok(UnixStream::from(socket))
}

#[test]
fn a_closed_standard_output_is_survived_and_nothing_is_confirmed() {
    let world = World::new();
    let engine = Engine::listen(&world.root(), context("for a host that does not listen"));
    let mut child = world.command("user-prompt-submit").args(AT_EASE).spawn().expect("the hook runs");
    drop(child.stdout.take());
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), PROMPT.as_bytes()).expect("it reads");
    assert_eq!(Seen::of(child), Seen::nothing());
    engine.event();
    assert_eq!(engine.rest(), []);
    assert!(world.log().contains("standard output is closed"), "{}", world.log());
}

#[test]
fn a_root_that_cannot_be_written_is_survived() {
    let world = World::new();
    std::fs::write(world.root(), "a file where the root should be").expect("a file");
    for event in ["session-start", "user-prompt-submit", "stop"] {
        assert_eq!(world.run(event, PROMPT.as_bytes()), Seen::nothing(), "{event}");
    }
    std::fs::remove_file(world.root()).expect("the file is as it was");
}

#[test]
fn a_long_root_has_its_socket_elsewhere() {
    let world = World::new();
    let root = world.root().join("long".repeat(30));
    let engine = Engine::listen(&root, context("far away"));
    let seen = run(world.command_for("user-prompt-submit", &root).args(AT_EASE), PROMPT.as_bytes());
    assert!(seen.stdout.contains("far away"), "{seen:?}");
    engine.event();
    let address = SocketAddress::of(&root, rustix::process::getuid().as_raw());
    assert!(address.guarded.is_some() && !root.join("run/s").exists());
    std::fs::remove_file(address.path).expect("the socket");
}
