//! What hosts wrote down of earlier sessions: brought in once, beside what hooks tell, whatever is interrupted.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};
use regex::{Captures, Regex};
use remora_tests::session::Session;
use remora_tests::wait::wait_until;
use remora_tests::{Error, Installed, Result, TestHome, journal};
use serde_json::{Value, json};

use crate::found_again::tell;

const HOSTS: [&str; 7] = ["claude-code", "codex", "gemini-cli", "qwen-code", "copilot-cli", "opencode", "pi"];

/// Puts a host's transcripts below the home, as if their sessions had been in the home's project and had ended now.
fn put(home: &TestHome, host: &str) -> Result<()> {
    let from = fixtures().join(host);
    copy(home, host, &from, &from)
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts")
}

fn copy(home: &TestHome, host: &str, root: &Path, folder: &Path) -> Result<()> {
    for entry in std::fs::read_dir(folder).map_err(Error::file("reading", folder))? {
        let path = entry.map_err(Error::file("reading", folder))?.path();
        if path.is_dir() {
            copy(home, host, root, &path)?;
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(&path);
        let text = std::fs::read_to_string(&path).map_err(Error::file("reading", &path))?;
        let text = at_home(home, host, &text);
        if name == Path::new("opencode.sql") {
            let file = home.write(".local/share/opencode/opencode.db", "")?;
            let database = rusqlite::Connection::open(&file);
            database.and_then(|database| database.execute_batch(&text)).expect("the tables of OpenCode");
        } else if name != Path::new("hooks.jsonl") {
            age(&home.write(name, text)?);
        }
    }
    Ok(())
}

/// Replaces all transcripts below a folder by copies of another time, of which no place in them can be known.
fn restore(folder: &Path) -> Result<usize> {
    let mut restored = 0;
    for entry in std::fs::read_dir(folder).map_err(Error::file("reading", folder))? {
        let path = entry.map_err(Error::file("reading", folder))?.path();
        if path.is_dir() {
            restored += restore(&path)?;
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            let mut bytes = std::fs::read(&path).map_err(Error::file("reading", &path))?;
            bytes.insert(0, b'\n');
            let fresh = path.with_extension("fresh");
            std::fs::write(&fresh, bytes).map_err(Error::file("writing", &fresh))?;
            std::fs::rename(&fresh, &path).map_err(Error::file("renaming", &fresh))?;
            age(&path);
            restored += 1;
        }
    }
    Ok(restored)
}

/// Nobody has written this file for an hour.
fn age(file: &Path) {
    let then = SystemTime::now() - Duration::from_hours(1);
    let opened = std::fs::File::options().write(true).open(file).expect("the file");
    opened.set_modified(then).expect("another time");
}

/// The moments in the fixtures.
const MOMENTS: &str = r"2026-11-30T08:\d\d:\d\d(?:\.\d+)?Z";

/// A text of a host with the home's own project and the present time.
fn at_home(home: &TestHome, host: &str, text: &str) -> String {
    let project = home.project().to_string_lossy().into_owned();
    let later = Utc::now() - ended(host);
    let text = text.replace("/home/dev/proj", &project);
    let moments = Regex::new(MOMENTS).expect("a pattern");
    let text = moments.replace_all(&text, |found: &Captures<'_>| {
        (moment(&found[0]) + later).to_rfc3339_opts(SecondsFormat::Millis, true)
    });
    let numbers = Regex::new(r"\b1796026\d{6}\b").expect("a pattern");
    let text = numbers.replace_all(&text, |found: &Captures<'_>| {
        (found[0].parse::<i64>().unwrap_or(0) + later.num_milliseconds()).to_string()
    });
    text.into_owned()
}

fn moment(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).expect("a moment").to_utc()
}

/// When a host's sessions in the fixtures ended.
fn ended(host: &str) -> DateTime<Utc> {
    let last = match host {
        "claude-code" => "2026-11-30T08:10:18Z",
        "codex" => "2026-11-30T08:10:42Z",
        "gemini-cli" => "2026-11-30T08:11:40Z",
        "qwen-code" => "2026-11-30T08:13:06Z",
        "copilot-cli" => "2026-11-30T08:13:32Z",
        _ => "2026-11-30T08:14:57Z",
    };
    moment(last)
}

/// Runs the hooks that the host ran in the same sessions.
fn run_hooks(home: &TestHome, host: &str) -> Result<usize> {
    let file = fixtures().join(host).join("hooks.jsonl");
    let text = std::fs::read_to_string(&file).map_err(Error::file("reading", &file))?;
    let mut ran = 0;
    let words = Regex::new("([a-z])([A-Z])").expect("a pattern");
    for line in at_home(home, host, &text).lines() {
        let told: Value = serde_json::from_str(line).map_err(Error::json("a hook"))?;
        let event = told["event"].as_str().unwrap_or_default();
        let name = words.replace_all(event, "$1-$2").to_lowercase();
        let hook = home.hook(host, &name)?.args(["--deadline-ms", "30000"]).cwd(home.project());
        hook.stdin(told["payload"].to_string()).run()?.expect_ok(event).map(drop)?;
        ran += 1;
    }
    Ok(ran)
}

fn import(home: &TestHome, more: &[&str]) -> Result<Value> {
    let arguments = [&["import", "history", "--json"], more].concat();
    let said = home.remora(&arguments)?.limit(Duration::from_mins(3)).run()?.expect_ok("import history")?;
    serde_json::from_slice(&said.stdout).map_err(Error::json("import history"))
}

fn found(home: &TestHome, words: &str) -> Result<Vec<Value>> {
    let said = home.remora(&["search", words, "--json"])?.cwd(home.project()).run()?.expect_ok("search")?;
    let value: Value = serde_json::from_slice(&said.stdout).map_err(Error::json("search"))?;
    Ok(value["hits"].as_array().cloned().unwrap_or_default())
}

/// What is found again of the journal, without numbers: session, kind, title.
fn entries(home: &TestHome) -> Vec<(String, String, String)> {
    let database = rusqlite::Connection::open(home.root().join("journal.db")).expect("the journal");
    let mut query = database
        .prepare(
            "SELECT sessions.session, kind, title FROM observations JOIN sessions ON sessions.id = observations.session
             UNION ALL
             SELECT sessions.session, kind, title || ' (again)' FROM repeats JOIN sessions ON sessions.id = repeats.session
               JOIN observations ON observations.id = repeats.observation",
        )
        .expect("a query");
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).expect("rows");
    let mut entries: Vec<_> = rows.collect::<rusqlite::Result<_>>().expect("entries");
    entries.sort();
    entries
}

#[test]
fn sessions_of_every_host_are_found_again_and_come_once() -> Result<()> {
    let home = TestHome::new()?;
    for host in HOSTS {
        put(&home, host)?;
    }
    let tried = import(&home, &["--dry-run"])?;
    assert_eq!(journal::events(&home.root())?.len(), 0, "a try brings nothing in");
    let value = import(&home, &[])?;
    let rows = value["hosts"].as_array().cloned().unwrap_or_default();
    assert_eq!(rows.len(), HOSTS.len(), "{value:#}");
    for row in &rows {
        assert!(row["sessions"].as_i64() >= Some(1) && row["prompts"].as_i64() >= Some(2), "{row}");
        assert!(row["tool_uses"].as_i64() >= Some(4), "{row}");
        // A fork of Claude Code's begins with copies of what was said and done before it.
        let copies = if row["host"] == "claude-code" { 2 } else { 0 };
        assert_eq!(row["already"], json!(copies), "{row}");
    }
    for count in ["sessions", "prompts", "tool_uses"] {
        assert_eq!(tried["total"][count], value["total"][count], "a try says what would be");
    }
    assert_eq!(value["problems"], json!([]));
    let hosts: std::collections::BTreeSet<String> = found(&home, "look around port")?
        .iter()
        .filter_map(|hit| hit["host"].as_str().map(str::to_owned))
        .collect();
    assert!(!hosts.is_empty());
    let (before, events) = (entries(&home), journal::events(&home.root())?.len());
    for (host, answer) in
        [("claude-code", "the port is 5434"), ("codex", "端口"), ("opencode", "look around")]
    {
        assert!(!found(&home, answer)?.is_empty(), "{host}: {answer}");
    }

    let again = import(&home, &[])?;
    assert_eq!(
        (again["total"]["prompts"].clone(), again["total"]["tool_uses"].clone()),
        (json!(0), json!(0))
    );
    // OpenCode's sessions ended just now by its own clock, and may go on.
    let as_before = |row: &Value| row["host"] == "opencode" || row["transcripts"] == json!(0);
    assert!(again["hosts"].as_array().is_some_and(|rows| rows.iter().all(as_before)), "{again:#}");
    assert_eq!(journal::events(&home.root())?.len(), events);

    // The same files under their old names, as a restored backup brings them.
    let restored = restore(&home.home())?;
    assert!(restored >= 8, "{restored}");
    let value = import(&home, &[])?;
    assert!(value["total"]["already"].as_i64() > Some(40), "{value:#}");
    assert_eq!(
        (value["total"]["prompts"].clone(), value["total"]["tool_uses"].clone()),
        (json!(0), json!(0))
    );
    assert_eq!(journal::events(&home.root())?.len(), events);
    assert_eq!(journal::integrity(&home.root())?, "ok");
    assert_eq!(entries(&home), before);
    Ok(())
}

#[test]
fn what_hooks_told_is_not_told_again_by_a_transcript() -> Result<()> {
    for host in ["claude-code", "codex", "gemini-cli", "qwen-code", "copilot-cli"] {
        let home = TestHome::new()?;
        put(&home, host)?;
        home.remora(&["status"])?.run()?.expect_ok("status").map(drop)?;
        assert!(run_hooks(&home, host)? > 5);
        let told = entries(&home);
        let value = import(&home, &["--host", host])?;
        assert!(value["total"]["already"].as_i64() >= Some(4), "{host}: {value:#}");
        let all = entries(&home);
        for entry in &told {
            let count =
                |list: &[(String, String, String)]| list.iter().filter(|other| *other == entry).count();
            assert_eq!(count(&all), count(&told), "{host}: {entry:?} came twice");
        }
        // What they missed is there now: these hosts run no hook for a tool that failed, or it was not registered.
        let new: Vec<_> = all.iter().filter(|entry| !told.contains(entry)).collect();
        assert!(new.iter().all(|(_, kind, _)| kind != "prompt" || host == "codex"), "{host}: {new:?}");
    }
    Ok(())
}

#[test]
fn hooks_that_come_after_an_import_tell_nothing_twice() -> Result<()> {
    for host in ["claude-code", "codex", "gemini-cli", "qwen-code", "copilot-cli"] {
        let home = TestHome::new()?;
        put(&home, host)?;
        import(&home, &["--host", host])?;
        let told = entries(&home);
        run_hooks(&home, host)?;
        let all = entries(&home);
        // A turn's digest may be made again of the same turn, and only hooks see what Qwen Code's subagents do.
        let is_whole = |(_, kind, title): &&(String, String, String)| {
            kind != "turn" && !(host == "qwen-code" && title.ends_with("echo sub-shell-out"))
        };
        let whole =
            |list: &[(String, String, String)]| list.iter().filter(is_whole).cloned().collect::<Vec<_>>();
        assert_eq!(whole(&all), whole(&told), "{host}");
        let is_turn = |(_, kind, title): &&(String, String, String)| {
            kind == "turn" && !(host == "qwen-code" && title == "sub done")
        };
        let turns = |list: &[(String, String, String)]| list.iter().filter(is_turn).count();
        assert_eq!(turns(&all), turns(&told), "{host}: {all:?}");
    }
    Ok(())
}

/// A long session in the form of a real one: so many turns with three tool uses each.
fn long_session(home: &TestHome, turns: usize) -> Result<PathBuf> {
    let mut text = String::new();
    let (session, project) = ("0f000000-0000-4000-8000-00000000000a", home.project());
    let mut number = 0;
    let mut line = |value: Value, text: &mut String| {
        number += 1;
        let mut value = value;
        value["uuid"] = json!(format!("u-{number}"));
        value["sessionId"] = json!(session);
        value["cwd"] = json!(project);
        value["timestamp"] =
            json!(format!("2026-10-01T{:02}:{:02}:{:02}Z", number / 3600, number / 60 % 60, number % 60));
        text.push_str(&format!("{value}\n"));
    };
    for turn in 0..turns {
        let prompt = json!({"type": "user", "promptId": format!("p-{turn}"), "message": {"role": "user", "content": format!("prompt number {turn}")}});
        line(prompt, &mut text);
        for call in 0..3 {
            let id = format!("toolu_{turn}_{call}");
            let tool = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": format!("make {turn} {call}")}});
            line(
                json!({"type": "assistant", "message": {"role": "assistant", "content": [tool]}}),
                &mut text,
            );
            let result =
                json!({"type": "tool_result", "tool_use_id": id, "content": format!("made {turn} {call}")});
            line(json!({"type": "user", "message": {"role": "user", "content": [result]}}), &mut text);
        }
        let end = json!({"type": "text", "text": format!("turn {turn} is done")});
        line(json!({"type": "assistant", "message": {"role": "assistant", "content": [end]}}), &mut text);
    }
    let file = home.write(format!(".claude/projects/-p/{session}.jsonl"), text)?;
    age(&file);
    Ok(file)
}

#[test]
fn an_import_whose_engine_and_command_are_killed_goes_on_where_it_was() -> Result<()> {
    const TURNS: usize = 600;
    let home = TestHome::new()?;
    long_session(&home, TURNS)?;
    home.remora(&["status"])?.run()?.expect_ok("status").map(drop)?;
    let stored = || journal::events(&home.root()).map_or(0, |events| events.len());
    let mut command = home.remora(&["import", "history", "--json"])?.command();
    let mut child = command.stdout(std::process::Stdio::null()).spawn().map_err(Error::run("remora"))?;
    wait_until("a part of the import", || stored() > 100)?;
    if let Some(engine) = home.engine()? {
        let _ = rustix::process::kill_process(engine.pid(), rustix::process::Signal::KILL);
    }
    wait_until("more of it, by another engine", || stored() > 600)?;
    child.kill().map_err(Error::run("remora"))?;
    child.wait().map_err(Error::run("remora"))?;
    let value = import(&home, &[])?;
    assert_eq!(value["problems"], json!([]));
    let events = journal::events(&home.root())?;
    let ids: std::collections::HashSet<&str> = events.iter().map(|event| event.id.as_str()).collect();
    assert_eq!(ids.len(), events.len(), "none twice");
    let kinds = journal::kinds(&events);
    assert_eq!((kinds["user_prompt"], kinds["post_tool_use"], kinds["stop"]), (TURNS, TURNS * 3, TURNS));
    Ok(())
}

#[test]
fn live_events_are_answered_while_history_is_read() -> Result<()> {
    let home = TestHome::new()?;
    long_session(&home, 1_500)?;
    home.remora(&["status"])?.run()?.expect_ok("status").map(drop)?;
    let mut command = home.remora(&["import", "history", "--json"])?.command();
    let mut child = command.stdout(std::process::Stdio::null()).spawn().map_err(Error::run("remora"))?;
    let stored = || journal::events(&home.root()).unwrap_or_default();
    wait_until("a part of the import", || stored().len() > 50)?;
    let session = Session::new(&home, "live-session");
    session.prompt("what is the live port?").map(drop)?;
    let events = stored();
    let place = events.iter().position(|event| event.session == "live-session");
    assert!(place.is_some(), "the event is kept when its hook ends");
    child.wait().map_err(Error::run("remora"))?;
    let all = stored();
    assert!(all.len() > events.len(), "history was being read meanwhile: {} of {}", events.len(), all.len());
    Ok(())
}

#[test]
fn what_the_person_keeps_out_does_not_come_by_a_transcript() -> Result<()> {
    let home = TestHome::new()?;
    long_session(&home, 3)?;
    home.write(
        ".config/remora/config.toml",
        "[redact]\npatterns = ['number (\\w+)']\n[journal]\nexclude_tools = ['Bash']\n",
    )?;
    let value = import(&home, &[])?;
    assert_eq!(value["total"]["left_out"]["excluded"], json!(9), "{value:#}");
    let events = journal::events(&home.root())?;
    assert!(events.iter().all(|event| !event.body.to_string().contains("number 1")), "{events:?}");

    // What was purged stays away, also when its place is forgotten or the file is written anew.
    home.remora(&["journal", "purge", "--session", "0f00", "--yes"])?.run()?.expect_ok("purge").map(drop)?;
    let file = long_session(&home, 4)?;
    age(&file);
    let value = import(&home, &[])?;
    assert_eq!(value["total"]["prompts"], json!(0), "{value:#}");
    assert!(value["total"]["left_out"]["purged"].as_i64() > Some(0), "{value:#}");
    Ok(())
}

#[test]
fn only_what_is_asked_for_is_brought_in_and_the_rest_later() -> Result<()> {
    let home = TestHome::new()?;
    long_session(&home, 3)?;
    let elsewhere = home.folder().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).map_err(Error::file("making", &elsewhere))?;
    let value = import(&home, &["--project", &elsewhere.to_string_lossy()])?;
    assert_eq!(value["total"]["prompts"], json!(0), "{value:#}");
    assert!(value["total"]["left_out"]["other_project"].as_i64() > Some(0), "{value:#}");
    let value = import(&home, &["--since", "2026-11-01"])?;
    assert_eq!(value["total"]["prompts"], json!(0), "{value:#}");
    let value = import(&home, &["--host", "codex"])?;
    assert_eq!(value["hosts"], json!([]));
    let value = import(&home, &[])?;
    assert_eq!(value["total"]["prompts"], json!(3), "{value:#}");
    Ok(())
}

const OWN: &str = r#"
id = "own-agent"
name = "Own Agent"

[transcript]
path = "~/.own/{session}.jsonl"
format = "jsonl"
follow = true
fields = { cwd = "cwd" }

[[transcript.events]]
event = "prompt"
when = [{ path = "who", equals = "me" }]
text = "says"

[[transcript.events]]
event = "message"
when = [{ path = "who", equals = "it" }]
text = "says"
"#;

#[test]
fn what_a_followed_host_writes_in_folders_that_it_has_just_made_is_read() -> Result<()> {
    let home = TestHome::new()?;
    let own = OWN.replace("~/.own/{session}.jsonl", "~/.own/sessions/*/*/{session}.jsonl");
    home.write(".config/remora/hosts/own.toml", own)?;
    home.remora(&["status"])?.run()?.expect_ok("status").map(drop)?;
    let has = |prompts: usize| {
        journal::events(&home.root())
            .is_ok_and(|events| journal::kinds(&events).get("user_prompt").copied().unwrap_or(0) == prompts)
    };
    // Nothing of the host is there yet, not even its folder; each session gets folders of its own.
    for (number, path) in ["2026/01/a", "2026/02/b", "2027/01/c"].iter().enumerate() {
        let record = json!({"who": "me", "says": format!("dig hole {number}"), "cwd": home.project()});
        home.write(format!(".own/sessions/{path}.jsonl"), format!("{record}\n"))?;
        wait_until("the first prompt of a session", || has(number * 2 + 1))?;
        let more = json!({"who": "me", "says": format!("and fill hole {number}"), "cwd": home.project()});
        home.write(format!(".own/sessions/{path}.jsonl"), format!("{record}\n{more}\n"))?;
        wait_until("the second", || has(number * 2 + 2))?;
    }
    Ok(())
}

/// A chat as Gemini CLI wrote it before it wrote a record a line.
fn older_chat(project: &Path, at: DateTime<Utc>) -> Value {
    let at = |seconds| (at + chrono::Duration::seconds(seconds)).to_rfc3339_opts(SecondsFormat::Millis, true);
    let answer = json!({"functionResponse": {"id": "c-1", "name": "run_shell_command",
        "response": {"output": "Output: the lighthouse is lit\nExit Code: 0"}}});
    let call = json!({"id": "c-1", "name": "run_shell_command", "args": {"command": "light --lighthouse"},
        "result": [answer], "status": "success", "timestamp": at(3), "displayName": "Shell"});
    json!({
        "sessionId": "older-chat", "projectHash": sha256(project), "startTime": at(0), "lastUpdated": at(5),
        "messages": [
            {"id": "m-1", "timestamp": at(1), "type": "user", "content": "light the lighthouse 灯塔"},
            {"id": "m-2", "timestamp": at(2), "type": "gemini", "content": "", "toolCalls": [call], "thoughts": []},
            {"id": "m-3", "timestamp": at(4), "type": "gemini", "content": "The lighthouse is lit."},
            {"id": "m-4", "timestamp": at(5), "type": "info", "content": "a word of the host's own"},
        ],
    })
}

fn sha256(path: &Path) -> String {
    use sha2::Digest as _;
    format!("{:x}", sha2::Sha256::digest(path.to_string_lossy().as_bytes()))
}

#[test]
fn an_older_chat_of_gemini_cli_comes_once_its_folder_is_known() -> Result<()> {
    let home = TestHome::new()?;
    let project = home.project();
    let chats = format!(".gemini/tmp/{}/chats", sha256(&project));
    let chat = older_chat(&project, Utc::now() - chrono::Duration::hours(3)).to_string();
    age(&home.write(format!("{chats}/session-2026-01-02T03-04-older.json"), chat)?);
    // One that is too long to be read whole, as a hole in a file.
    let long = home.write(format!("{chats}/session-2026-01-02T03-05-long.json"), "{}")?;
    let file = std::fs::File::options().write(true).open(&long).map_err(Error::file("opening", &long))?;
    file.set_len(33 * 1024 * 1024).map_err(Error::file("lengthening", &long))?;
    age(&long);

    let said = home.remora(&["import", "history"])?.run()?.expect_ok("import history")?.out();
    assert!(
        said.contains("4 in folders that are not known") && said.contains("1 files over 32 MiB"),
        "{said}"
    );
    let value = import(&home, &[])?;
    assert_eq!(value["total"]["prompts"], 0, "{value:#}");
    assert_eq!(value["hosts"][0]["left_out"], json!({"without_folder": 4}), "{value:#}");

    // Another agent works there, and tells of the folder.
    put(&home, "pi")?;
    import(&home, &["--host", "pi"])?;
    let value = import(&home, &["--host", "gemini-cli"])?;
    assert_eq!(
        (&value["total"]["prompts"], &value["total"]["tool_uses"]),
        (&json!(1), &json!(1)),
        "{value:#}"
    );
    let hits = found(&home, "灯塔")?;
    assert!(hits.iter().any(|hit| hit["host"] == "gemini-cli"), "{hits:#?}");
    assert!(!found(&home, "lighthouse lit")?.is_empty());
    assert!(found(&home, "\"a word of the host's own\"")?.is_empty());
    let value = import(&home, &["--host", "gemini-cli"])?;
    assert_eq!((&value["total"]["prompts"], &value["total"]["already"]), (&json!(0), &json!(0)), "{value:#}");
    Ok(())
}

#[test]
fn a_host_without_hooks_is_followed_by_a_definition_of_the_person_s_own() -> Result<()> {
    let home = TestHome::new()?;
    home.write(".config/remora/hosts/own.toml", OWN)?;
    home.write(".own/old.jsonl", "{\"who\":\"me\",\"says\":\"an old kangaroo\"}\n")?;
    age(&home.home().join(".own/old.jsonl"));
    home.remora(&["status"])?.run()?.expect_ok("status").map(drop)?;
    let line =
        |who: &str, says: &str| format!("{}\n", json!({"who": who, "says": says, "cwd": home.project()}));
    let file = home.write(".own/s1.jsonl", line("me", "remember that the wombat port is 5433"))?;
    wait_until("the prompt", || {
        journal::events(&home.root())
            .is_ok_and(|events| events.iter().any(|event| event.kind == "user_prompt"))
    })?;
    let text = line("me", "remember that the wombat port is 5433")
        + &line("it", "noted")
        + &line("me", "and the numbat?");
    std::fs::write(&file, text).map_err(Error::file("writing", &file))?;
    wait_until("what was written on", || {
        // The turn's end is told before the prompt that shows it.
        journal::events(&home.root())
            .is_ok_and(|events| journal::kinds(&events).get("user_prompt") == Some(&2))
    })?;
    let events = journal::events(&home.root())?;
    let kinds = journal::kinds(&events);
    assert_eq!((kinds["user_prompt"], kinds["stop"]), (2, 1), "{events:?}");
    assert!(!events.iter().any(|event| event.session == "old"), "what was there before is for an import");
    // What the person asks to be remembered is remembered, as in any agent.
    let listed = home.remora(&["list", "--json"])?.cwd(home.project()).run()?.expect_ok("list")?.out();
    assert!(listed.contains("wombat"), "{listed}");
    let value = import(&home, &["--host", "own-agent"])?;
    assert_eq!(value["total"]["prompts"], json!(1), "{value:#}");
    Ok(())
}

#[test]
fn a_definition_that_is_wrong_is_said_with_its_file_and_key() -> Result<()> {
    let home = TestHome::new()?;
    let file =
        home.write(".config/remora/hosts/own.toml", OWN.replace("equals = \"me\"", "equal = \"me\""))?;
    let said = home.remora(&["import", "history", "--host", "own-agent"])?.run()?;
    let err = said.err().replace(&*file.to_string_lossy(), "own.toml");
    insta::assert_snapshot!(err.trim(), @r"
    remora: own.toml: transcript.events[0].when[0].equal: is no key here; allowed are path, equals, in, contains, exists, regex, not_equals, not_in, not_contains, not_exists, not_regex
      docs/history.md says what a definition may hold
    ");
    let status = home.remora(&["status"])?.run()?.expect_ok("status")?.out();
    assert!(status.contains("a definition of transcripts is not used"), "{status}");
    Ok(())
}

#[test]
fn imported_sessions_are_where_the_last_one_was_left_off_only_if_they_were_last() -> Result<()> {
    let home = TestHome::new()?;
    long_session(&home, 3)?;
    let stop = json!({"event": "stop", "message": "the newest work is done"});
    let work = json!({"event": "user_prompt", "prompt": "finish the newest work please"});
    tell(&home, &home.project(), "codex", "newest", "2026-11-20T10:00:00Z", &work)?;
    tell(&home, &home.project(), "codex", "newest", "2026-11-20T10:05:00Z", &stop)?;
    import(&home, &[])?;
    let start = Session::new(&home, "next-session").start("startup")?;
    assert!(start.says("the newest work is done"), "{}", start.context);
    let (newest, imported) = (start.context.find("newest work"), start.context.find("prompt number"));
    assert!(
        imported.is_none_or(|imported| newest.is_some_and(|newest| newest < imported)),
        "{}",
        start.context
    );
    Ok(())
}

#[test]
fn an_installation_says_how_many_sessions_there_are() -> Result<()> {
    let home = TestHome::new()?;
    put(&home, "claude-code")?;
    put(&home, "codex")?;
    let installed = Installed::programs_only(&home)?;
    let said =
        installed.remora(&["install", "claude-code", "--yes"]).run()?.expect_ok("remora install")?.out();
    let line =
        "Earlier sessions: 4 transcripts of Claude Code and Codex; `remora import history` brings them in.";
    assert!(said.lines().any(|said| said == line), "{said}");
    assert_eq!(journal::events(&home.root())?.len(), 0, "nothing is brought in unasked");
    Ok(())
}

#[test]
fn a_session_that_is_resumed_and_of_which_nothing_is_known_is_read() -> Result<()> {
    let home = TestHome::new()?;
    put(&home, "claude-code")?;
    home.remora(&["status"])?.run()?.expect_ok("status").map(drop)?;
    let session = Session::new(&home, "476c327b-d6a4-47e2-bdda-0b2a0f6ef5b2");
    session.start("resume").map(drop)?;
    wait_until("what came before", || {
        let events = journal::events(&home.root()).unwrap_or_default();
        let told = |event: &journal::StoredEvent| {
            event.body["prompt"].as_str().unwrap_or_default().contains("second prompt")
        };
        events.iter().any(told)
    })?;
    let events = journal::events(&home.root())?;
    assert!(events.iter().all(|event| event.session.starts_with("476c327b")), "no other session is read");
    Ok(())
}
