//! The same conversation as a person's command has it.

use std::time::{Duration, Instant};

use remora_event::wire::{Build, Command};
use remora_hook::{Client, ClientError};
use serde_json::json;

use crate::engine::{Engine, Manner};
use crate::world::World;

const LONG: Duration = Duration::from_secs(20);

fn connect(world: &World) -> Result<Client, ClientError> {
    let build = Build { version: "0.1.0".into(), built_at: 1, id: "x".into() };
    Client::connect(&world.root(), &build, Instant::now() + LONG)
}

fn command(name: &str) -> Command {
    Command { name: name.into(), args: json!({"n": 1}), cwd: None, memory_dir: None }
}

#[test]
fn one_connection_answers_several_commands() {
    let world = World::new();
    let _engine = Engine::listen(&world.root(), Manner::Answers(Box::default()));
    std::fs::write(world.root().join("run/start"), "2\n\n").expect("a stamp");
    let mut client = connect(&world).expect("an engine");
    assert!(client.engine().is_none(), "nothing was said yet");
    for name in ["recall", "status"] {
        let value = client.command(command(name), LONG).expect("an answer");
        assert_eq!(value, json!({"command": name, "args": {"n": 1}}));
    }
    assert_eq!(client.engine().and_then(|engine| engine.pid), Some(1));
    assert!(!world.has("run/start"), "whoever is answered forgets earlier attempts to start the engine");
}

#[test]
fn a_refusal_says_why_and_the_connection_goes_on() {
    let world = World::new();
    let _engine = Engine::listen(&world.root(), Manner::Refuses);
    let mut client = connect(&world).expect("an engine");
    for _ in 0..2 {
        let refused = client.command(command("show"), LONG).expect_err("a refusal");
        assert!(matches!(&refused, ClientError::Refused(error) if error.kind == "not_found"), "{refused}");
    }
}

#[test]
fn what_hinders_a_command_is_told_apart() {
    let world = World::new();
    let absent = connect(&world).expect_err("no engine");
    assert!(matches!(absent, ClientError::Absent(_)) && absent.wants_start(), "{absent}");

    let _engine = Engine::listen(&world.root(), Manner::Leaving);
    let leaving =
        connect(&world).expect("an engine").command(command("status"), LONG).expect_err("it leaves");
    assert!(matches!(leaving, ClientError::Leaving) && leaving.wants_start(), "{leaving}");

    let world = World::new();
    let _engine = Engine::listen(&world.root(), Manner::Silent);
    let mut client = connect(&world).expect("an engine");
    let late = client.command(command("status"), Duration::from_millis(30)).expect_err("silence");
    assert!(matches!(late, ClientError::Late) && !late.wants_start(), "{late}");
}
