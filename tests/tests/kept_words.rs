//! What a person asks to be remembered, and what a model writes itself, in the real Claude Code: it is a file when
//! the session is over, whatever becomes of the engine meanwhile.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use remora_tests::faults::{Paused, kill};
use remora_tests::mcp::holders;
use remora_tests::{
    Call, Error, HostId, Installed, Options, Place, Result, Script, Step, TestHome, wait_until,
};
use serde_json::{Value, json};

const WISHES: [(&str, &str); 2] = [
    ("remember that we use pnpm, never npm. Then fix the typo in the README.", "we use pnpm, never npm."),
    ("记住：集成测试必须连真实数据库。然后修一下登录的问题。", "集成测试必须连真实数据库。"),
];

fn memories(installed: &Installed<'_>) -> Result<Vec<Value>> {
    let list = installed.json(&["list"])?;
    Ok(list["memories"].as_array().cloned().unwrap_or_default())
}

/// The bodies of the memory files that there are.
fn bodies(installed: &Installed<'_>) -> Result<Vec<String>> {
    let read = |memory: &Value| {
        let path = PathBuf::from(memory["path"].as_str().expect("a path"));
        let text = std::fs::read_to_string(&path).map_err(Error::file("reading", &path))?;
        Ok(text.rsplit("---\n").next().unwrap_or_default().trim().to_owned())
    };
    memories(installed)?.iter().map(read).collect()
}

#[test]
fn what_the_person_asks_to_remember_is_a_file_when_the_session_is_over() -> Result<()> {
    let Some(place) = Place::of(HostId::ClaudeCode)? else { return Ok(()) };
    let installed = Installed::at_ease(&place.home)?;
    for (prompt, _) in WISHES {
        let told = place.ask(prompt)?.told();
        assert!(told.contains("Remora has saved what the person asked to remember"), "{told}");
    }
    let mut kept = bodies(&installed)?;
    kept.sort();
    assert_eq!(kept, WISHES.map(|(_, body)| body));
    for memory in memories(&installed)? {
        assert_eq!((&memory["by"], &memory["wrapper"]), (&json!("person"), &json!("guidance")), "{memory:#}");
    }
    Ok(())
}

#[test]
fn so_it_is_when_the_engine_hangs_and_is_killed_in_between() -> Result<()> {
    let Some(place) = Place::of(HostId::ClaudeCode)? else { return Ok(()) };
    // Hooks have their ordinary patience: they put the prompt aside and go.
    let installed = Installed::in_home(&place.home, HostId::ClaudeCode)?;
    for (prompt, _) in WISHES {
        installed.json(&["status"])?;
        let [engine] = place.home.engines().try_into().expect("one engine");
        let paused = Paused::new(engine.pid())?;
        let _ = place.ask(prompt)?;
        kill(engine.pid())?;
        drop(paused);
    }
    wait_until("the spool to be taken in", || {
        bodies(&installed).is_ok_and(|kept| kept.len() == WISHES.len())
    })?;
    let mut kept = bodies(&installed)?;
    kept.sort();
    assert_eq!(kept, WISHES.map(|(_, body)| body));
    Ok(())
}

/// A home in which Claude Code's own folder is the memory; the folder of the project.
fn with_native_memory(home: &TestHome) -> Result<(Installed<'_>, PathBuf)> {
    let installed = Installed::at_ease(home)?;
    installed.json(&["config", "set", "memory_dir", "native:claude-code"])?;
    wait_until("the configuration to be read", || {
        installed.json(&["list"]).is_ok_and(|list| {
            list["memory_dir"].as_str().is_some_and(|folder| folder.contains("/.claude/projects/"))
        })
    })?;
    let list = installed.json(&["list"])?;
    let folder = PathBuf::from(list["memory_dir"].as_str().expect("a folder"));
    std::fs::create_dir_all(&folder).map_err(Error::file("making", &folder))?;
    Ok((installed, folder))
}

#[test]
fn what_its_model_writes_into_its_folder_is_checked_and_gets_its_line() -> Result<()> {
    let Some(place) = Place::of(HostId::ClaudeCode)? else { return Ok(()) };
    let (installed, folder) = with_native_memory(&place.home)?;
    let write =
        |file: &str, text: &str| Call::new("Write", json!({"file_path": folder.join(file), "content": text}));
    let good = "---\nname: ferry-times\ndescription: The ferry leaves at seven on working days\ntype: project\n---\n\
                The ferry leaves at seven.\n\n**Why:** the pier closes at eight.\n**How to apply:** plan deliveries before.\n";
    let vague = "---\nname: x\ndescription: testing stuff\ntype: opinion\n---\nSome stuff.\n";
    let script = Script::new([
        Step::calls([write("project_ferry_times.md", good)]),
        Step::calls([write("x.md", vague)]),
        Step::text("Written."),
    ]);
    let run = place.run(&script, "keep what you learned about the ferry", &Options::default())?;
    let told = run.told();
    assert!(!told.contains("project_ferry_times.md needs a correction"), "{told}");
    let said = told
        .lines()
        .find(|line| line.contains("The memory file x.md needs a correction"))
        .unwrap_or_default();
    assert!(said.contains("`opinion` is none of user, feedback, project, reference"), "{told}");

    let index = folder.join("MEMORY.md");
    let indexed =
        |file: &str| std::fs::read_to_string(&index).is_ok_and(|text| text.contains(&format!("({file})")));
    wait_until("the index to be mended", || indexed("project_ferry_times.md") && indexed("x.md"))?;
    let text = std::fs::read_to_string(folder.join("project_ferry_times.md"))
        .map_err(Error::file("reading", &folder))?;
    // The host itself adds what it wants to know of its file; what needs no mending gets nothing of ours.
    assert!(text.contains("\nThe ferry leaves at seven.\n") && !text.contains("by:"), "{text}");
    let list = memories(&installed)?;
    assert!(
        list.iter().any(|memory| memory["name"] == "ferry-times" && memory["scope"] == "native"),
        "{list:#?}"
    );
    Ok(())
}

#[test]
fn its_own_memories_are_recalled() -> Result<()> {
    let Some(place) = Place::of(HostId::ClaudeCode)? else { return Ok(()) };
    let installed = Installed::at_ease(&place.home)?;
    let slug = place.home.project().to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let text = "---\nname: beacon\ndescription: The beacon of the lighthouse is switched by relay 9\nmetadata: \n  \
                node_type: memory\n  type: project\n---\nRelay 9 switches the beacon.\n";
    place.home.write_long_ago(format!(".claude/projects/{slug}/memory/beacon.md"), text)?;
    place.home.write_long_ago(
        format!(".claude/projects/{slug}/memory/MEMORY.md"),
        "- [Beacon](beacon.md) — relay 9\n",
    )?;
    let told = place.ask("which relay switches the beacon of the lighthouse?")?.told();
    assert!(told.contains("### beacon") && told.contains("Relay 9 switches the beacon."), "{told}");
    let list = memories(&installed)?;
    assert_eq!(list.len(), 1, "{list:#?}");
    assert_eq!((&list[0]["scope"], &list[0]["type"]), (&json!("native"), &json!("project")));
    Ok(())
}

#[test]
fn one_process_alone_has_the_journal_open_throughout() -> Result<()> {
    let Some(place) = Place::of(HostId::ClaudeCode)? else { return Ok(()) };
    let installed = Installed::at_ease(&place.home)?;
    installed.json(&["status"])?;
    let journal = place.home.root().join("journal.db");
    let over = Arc::new(AtomicBool::new(false));
    let watch = {
        let (journal, over) = (journal.clone(), Arc::clone(&over));
        std::thread::spawn(move || {
            let mut most = Vec::new();
            while !over.load(Ordering::Acquire) {
                let now = holders(&journal);
                if now.len() > most.len() {
                    most = now;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            most
        })
    };
    let steps = [
        Step::call(
            "ToolSearch",
            json!({"query": "select:mcp__remora__memory_search,mcp__remora__memory_save"}),
        ),
        Step::call(
            "mcp__remora__memory_save",
            json!({"text": "The pier closes at eight.", "type": "project"}),
        ),
        Step::call("mcp__remora__memory_search", json!({"query": "pier"})),
        Step::text("Done."),
    ];
    let run = place.run(&Script::new(steps), "remember that we use pnpm, never npm", &Options::default());
    over.store(true, Ordering::Release);
    let most = watch.join().expect("the watcher");
    run.map(drop)?;
    assert_eq!(most.len(), 1, "{most:?} had the journal open at once");
    Ok(())
}
