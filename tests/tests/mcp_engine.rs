//! The server over MCP is a client of the engine, whatever becomes of the engine: not there yet, killed, stopped
//! by hand, hanging.

use std::path::Path;
use std::time::Duration;

use remora_tests::mcp::{Conversation, holders};
use remora_tests::{Engine, Installed, Result, TestHome, wait_until};
use rustix::process::Signal;
use serde_json::json;

use crate::mcp::{remember, server};

const LIMIT: Duration = Duration::from_secs(30);

#[test]
fn it_answers_before_there_is_an_engine_and_starts_one() -> Result<()> {
    let home = TestHome::new()?;
    // A data root in which no engine can come up: it may not be written.
    std::fs::create_dir_all(home.root()).expect("a data root");
    std::fs::write(home.root().join("run"), "no folder").expect("a file in the way");
    let mut client = Conversation::start(&server(&home)?)?;
    assert_eq!(client.greet()?["serverInfo"]["name"], "remora");
    assert_eq!(
        client.request("tools/list", &json!({}))?["result"]["tools"].as_array().map(Vec::len),
        Some(6)
    );
    let failed = client.call("memory_search", &json!({"query": "anything"}))?;
    assert!(
        failed.is_error && failed.text.contains("engine") && failed.text.contains("Next: "),
        "{failed:?}"
    );

    // Now it can: nobody calls a tool, and the server that greeted starts the engine by itself.
    std::fs::remove_file(home.root().join("run")).expect("the way is free");
    let mut other = Conversation::start(&server(&home)?)?;
    other.greet()?;
    let engine = Engine::wait_for(&home, LIMIT)?;
    assert!(engine.runs());
    // The first conversation finds it as well.
    let found = client.call("memory_search", &json!({"query": "anything"}))?;
    assert!(!found.is_error, "{found:?}");
    Ok(())
}

#[test]
fn an_engine_that_dies_is_replaced_and_one_process_alone_has_the_journal() -> Result<()> {
    let home = TestHome::new()?;
    remember(&home, &home.project(), &["--type", "feedback", "Anchors are checked twice."])?;
    let journal = home.root().join("journal.db");
    let mut client = Conversation::begin(&server(&home)?)?;
    let mut engines = Vec::new();
    for signal in [Signal::KILL, Signal::TERM, Signal::KILL] {
        let found = client.call("memory_search", &json!({"query": "anchors"}))?;
        assert!(found.text.contains("Anchors are checked twice"), "{found:?}");
        let saved =
            client.call("memory_save", &json!({"text": format!("Buoy {} is red.", engines.len())}))?;
        assert!(!saved.is_error, "{saved:?}");
        let engine = Engine::of(&home)?.expect("an engine");
        let pid = u32::try_from(engine.pid().as_raw_nonzero().get()).expect("a number");
        assert_eq!(holders(&journal), [pid], "the engine alone has the journal open");
        assert_ne!(pid, client.pid());
        engines.push(pid);
        rustix::process::kill_process(engine.pid(), signal).expect("a signal");
        // Some calls come while the old engine still goes.
        if signal == Signal::KILL {
            wait_until("the engine's end", || !engine.runs())?;
            // Killed, it was taken note of: nothing is left in the list of processes.
            wait_until("nothing left of it", || !Path::new(&format!("/proc/{pid}")).exists())?;
        }
    }
    let found = client.call("memory_search", &json!({"query": "buoy"}))?;
    assert_eq!(found.text.matches("is red").count(), 3, "{found:?}");
    engines.dedup();
    assert_eq!(engines.len(), 3, "three engines answered: {engines:?}");
    assert!(client.end()?.success());
    Ok(())
}

/// Many conversations with one engine: none opens the journal, and no save is lost.
#[test]
fn many_conversations_share_one_engine() -> Result<()> {
    let home = TestHome::new()?;
    let journal = home.root().join("journal.db");
    let mut clients: Vec<Conversation> =
        (0..4).map(|_| Conversation::begin(&server(&home)?)).collect::<Result<_>>()?;
    for (number, client) in clients.iter_mut().enumerate() {
        let saved =
            client.call("memory_save", &json!({"text": format!("Dock number {number} is closed.")}))?;
        assert!(!saved.is_error, "{saved:?}");
        assert!(holders(&journal).len() <= 1, "{:?}", holders(&journal));
    }
    for client in &mut clients {
        let found = client.call("memory_search", &json!({"query": "dock"}))?.text;
        assert_eq!(found.matches("is closed").count(), 4, "{found}");
    }
    let engine = Engine::of(&home)?.expect("an engine");
    assert_eq!(holders(&journal), [u32::try_from(engine.pid().as_raw_nonzero().get()).expect("a number")]);
    Ok(())
}

/// A host that goes takes its server with it, also in the middle of a call that hangs.
#[test]
fn it_ends_with_its_host_while_the_engine_hangs() -> Result<()> {
    let home = TestHome::new()?;
    let mut client = Conversation::begin(&server(&home)?)?;
    client.call("memory_search", &json!({"query": "anything"}))?;
    let engine = Engine::of(&home)?.expect("an engine");
    rustix::process::kill_process(engine.pid(), Signal::STOP).expect("a signal");
    let call = json!({"name": "memory_search", "arguments": {"query": "anything"}});
    client.send(&json!({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": call}).to_string())?;
    // What needs no engine is answered meanwhile.
    assert!(client.request("tools/list", &json!({}))?["result"].is_object());
    let ended = client.end();
    rustix::process::kill_process(engine.pid(), Signal::CONT).expect("a signal");
    assert!(ended?.success());
    Ok(())
}

/// A host's session outlives an upgrade: its server goes on as the program that is not there any more.
#[test]
fn a_server_whose_program_was_replaced_starts_the_new_one() -> Result<()> {
    let home = TestHome::new()?;
    let installed = Installed::programs_only(&home)?;
    let mut client = Conversation::begin(&installed.remora(&["mcp"]))?;
    client.call("memory_save", &json!({"text": "The ferry is yellow."}))?;
    let engine = Engine::of(&home)?.expect("an engine");

    let (program, next) = (installed.program(), home.folder().join("next"));
    std::fs::copy(&program, &next).expect("a copy");
    std::fs::rename(&next, &program).expect("a replaced program");
    let running = std::fs::read_link(format!("/proc/{}/exe", client.pid())).expect("a link");
    assert!(running.to_string_lossy().ends_with(" (deleted)"), "{}", running.display());
    rustix::process::kill_process(engine.pid(), Signal::KILL).expect("a signal");

    let found = client.call("memory_search", &json!({"query": "ferry"}))?;
    assert!(found.text.contains("The ferry is yellow"), "{found:?}");
    let now = Engine::of(&home)?.expect("an engine");
    assert_ne!(now, engine);
    let forgotten = client.call("memory_forget", &json!({"name": "ferry-yellow"}))?;
    let command = format!("`{} forget --undo ferry-yellow`", program.display());
    assert!(forgotten.text.contains(&command), "{forgotten:?}");
    Ok(())
}
