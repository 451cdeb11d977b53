//! Whatever becomes of Remora, a session of the real Claude Code runs as if it were not there: the model is
//! asked the same, the person sees the same, and what could be kept is in the journal afterwards, once.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use regex::Regex;
use remora_tests::faults::{MountFault, Paused};
use remora_tests::host::host;
use remora_tests::{
    Call, Engine, Error, Host, HostId, Installed, Normaliser, Options, Result, Run, Script, Step, TestHome,
    journal, wait_until,
};
use serde_json::json;

use crate::first_event::spooled;

const RULE: &str = "Integration tests talk to the real Postgres database on port 5544, never to mocks.";
const PROMPT: &str = "which database do the integration tests use?";
/// What our hooks tell of such a session, by kind.
const TOLD: [(&str, usize); 5] =
    [("post_tool_use", 3), ("session_end", 1), ("session_start", 1), ("stop", 1), ("user_prompt", 1)];

/// A home and the host that runs in it.
struct Place {
    host: Host,
    home: TestHome,
}

impl Place {
    /// Nothing where the host cannot be run.
    fn new() -> Result<Option<Self>> {
        let Some(host) = host(HostId::ClaudeCode) else { return Ok(None) };
        let place = Self { host, home: TestHome::new()? };
        place.first_does("true")?;
        Ok(Some(place))
    }

    /// What the session's first tool call does. The model's words stay the same.
    fn first_does(&self, script: &str) -> Result<()> {
        self.home.write_beside("first", script).map(drop)
    }

    /// A session of three tool calls.
    fn run(&self, options: &Options) -> Result<Run> {
        let shell = |command: String| Call::new("Bash", json!({"command": command, "description": "work"}));
        let first = self.home.folder().join("first");
        let script = Script::new([
            Step::calls([shell(format!("sh '{}'; echo first", first.display()))]),
            Step::calls([shell("printf 'second-%s-mark\n' call".to_owned())]),
            Step::calls([shell("printf 'third-%s-mark\n' call".to_owned())]),
            Step::text("All finished."),
        ]);
        // Hooks are looked at: what the host says of an MCP server is another matter.
        let args = vec!["--strict-mcp-config".to_owned()];
        let options = Options { args, ..options.clone() };
        self.host.run(&self.home, &script, PROMPT, &options)?.expect_ok(&self.host)
    }

    /// Runs the session and sees that nobody could tell it from one without Remora.
    fn runs_as_ever(&self, options: &Options) -> Result<()> {
        self.is_as_ever(&self.seen(&self.run(options)?))
    }

    fn is_as_ever(&self, seen: &str) -> Result<()> {
        let expected = without_remora(self.host.clone())?;
        // Not `assert_eq`: twenty thousand characters twice show nobody what differs.
        assert!(seen == expected, "the session differs:\n{}", difference(seen, expected));
        Ok(())
    }

    /// What the model was sent and the person saw, without our context and without what differs between any
    /// two runs.
    fn seen(&self, run: &Run) -> String {
        let mut seen = String::new();
        for request in run.model.requests() {
            seen.push_str(&format!("== {:?}\n", request.purpose));
            for text in request.texts() {
                seen.push_str(&format!("-- {}\n{}\n", text.role, text.text));
            }
        }
        seen.push_str(&format!("== standard error\n{}", run.process.err()));
        let context = r"(?s)\w+ hook additional context: (<remora-(\w+)>.*?</remora-\w+>\n)+\n*";
        let seen = Regex::new(context).expect("a pattern").replace_all(&seen, "").into_owned();
        let slug = self.home.project().to_string_lossy().replace(['/', '.'], "-");
        Normaliser::of(&self.home).and(slug, "[SLUG]").apply(&seen)
    }

    /// The journal has every event of the session, once.
    fn assert_all_told(&self, installed: &Installed<'_>) -> Result<()> {
        installed.json(&["status"])?;
        wait_until("the spool to be taken in", || spooled(&self.home.root()).is_empty())?;
        let events = journal::events(&self.home.root())?;
        assert_eq!(journal::kinds(&events), BTreeMap::from(TOLD), "{}", self.hooks_log());
        assert!(events.iter().all(|event| !event.seen_also), "an event is there twice");
        Ok(())
    }

    fn hooks_log(&self) -> String {
        std::fs::read_to_string(self.home.root().join("logs/hooks.log")).unwrap_or_default()
    }
}

/// The lines that only one of two texts has.
fn difference(seen: &str, expected: &str) -> String {
    let only = |mark, these: &str, those: &str| {
        let missing = |line: &&str| !those.lines().any(|other| other == *line);
        let lines: Vec<String> = these.lines().filter(missing).map(|line| format!("{mark} {line}")).collect();
        lines.join("\n")
    };
    [only('+', seen, expected), only('-', expected, seen)].join("\n")
}

/// How the session is seen in a home that Remora never was in.
fn without_remora(host: Host) -> Result<&'static String> {
    static SEEN: OnceLock<String> = OnceLock::new();
    if let Some(seen) = SEEN.get() {
        return Ok(seen);
    }
    let place = Place { host, home: TestHome::new()? };
    place.first_does("true")?;
    let seen = place.seen(&place.run(&Options::default())?);
    assert!(seen.contains("third-call-mark") && !seen.contains("remora-memory"), "{seen}");
    Ok(SEEN.get_or_init(|| seen))
}

fn under(fault: MountFault) -> Options {
    Options { fault: Some(Arc::new(fault)), ..Options::default() }
}

#[test]
fn an_engine_that_cannot_be_started() -> Result<()> {
    let Some(place) = Place::new()? else { return Ok(()) };
    let installed = Installed::in_home(&place.home, HostId::ClaudeCode)?;
    installed.remora(&["engine", "stop"]).run()?.expect_ok("remora engine stop").map(drop)?;
    let (program, away) = (installed.program(), place.home.root().join("bin/away"));
    std::fs::rename(&program, &away).map_err(Error::file("moving", &program))?;
    place.runs_as_ever(&Options::default())?;
    assert_eq!(spooled(&place.home.root()).len(), 7, "{}", place.hooks_log());
    assert_eq!(place.home.engines(), []);
    std::fs::rename(&away, &program).map_err(Error::file("moving", &away))?;
    place.assert_all_told(&installed)
}

#[test]
fn an_engine_that_stands_still() -> Result<()> {
    let Some(place) = Place::new()? else { return Ok(()) };
    let installed = Installed::in_home(&place.home, HostId::ClaudeCode)?;
    installed.json(&["remember", RULE])?;
    let [engine] = place.home.engines().try_into().expect("one engine");
    let paused = Paused::new(engine.pid())?;
    place.runs_as_ever(&Options::default())?;
    assert_eq!(spooled(&place.home.root()).len(), 7, "{}", place.hooks_log());
    assert!(place.home.root().join("run/slow").exists(), "later hooks do not know that it stands still");
    let log = place.hooks_log();
    assert_eq!(log.matches("did not answer in time; the event is in the spool").count(), 7, "{log}");
    assert!(!log.contains("watchdog"), "{log}");
    drop(paused);
    place.assert_all_told(&installed)?;
    assert_eq!(place.home.engines(), [engine]);
    Ok(())
}

#[test]
fn an_engine_that_is_killed_in_the_middle() -> Result<()> {
    let Some(place) = Place::new()? else { return Ok(()) };
    let installed = Installed::at_ease(&place.home)?;
    installed.json(&["remember", RULE])?;
    let [engine] = place.home.engines().try_into().expect("one engine");
    place.first_does(&format!("kill -9 {}", engine.pid()))?;
    place.runs_as_ever(&Options::default())?;
    assert!(!engine.runs(), "the fault did not bite");
    place.assert_all_told(&installed)?;
    let after: Vec<Engine> = place.home.engines();
    assert!(after.len() == 1 && after[0] != engine, "{after:?}");
    assert_eq!(journal::integrity(&place.home.root())?, "ok");
    Ok(())
}

#[test]
fn an_installation_that_is_gone() -> Result<()> {
    let Some(place) = Place::new()? else { return Ok(()) };
    if !MountFault::possible() {
        return Ok(());
    }
    let installed = Installed::in_home(&place.home, HostId::ClaudeCode)?;
    installed.remora(&["engine", "stop"]).run()?.expect_ok("remora engine stop").map(drop)?;
    let seen = place.seen(&place.run(&under(MountFault::missing(&place.home.root())?))?);
    // Who removes an installation by hand leaves entries behind, of which the host itself says one thing.
    let complaint = Regex::new(r"SessionEnd hook \[\[ROOT\]/bin/\S+ --root \[ROOT\]\] failed: .*ENOENT.*\n");
    let complaint = complaint.expect("a pattern");
    assert_eq!(complaint.find_iter(&seen).count(), 1, "{seen}");
    place.is_as_ever(&complaint.replace(&seen, ""))?;
    assert_eq!(spooled(&place.home.root()), Vec::<PathBuf>::new());
    Ok(())
}

#[test]
fn a_home_that_can_only_be_read() -> Result<()> {
    let Some(place) = Place::new()? else { return Ok(()) };
    if !MountFault::possible() {
        return Ok(());
    }
    let installed = Installed::in_home(&place.home, HostId::ClaudeCode)?;
    installed.remora(&["engine", "stop"]).run()?.expect_ok("remora engine stop").map(drop)?;
    place.runs_as_ever(&under(MountFault::read_only(&place.home.home())?))?;
    assert_eq!(place.home.engines(), []);
    assert_eq!(spooled(&place.home.root()), Vec::<PathBuf>::new());
    Ok(())
}

#[test]
fn a_disk_that_is_full_or_runs_full() -> Result<()> {
    let Some(place) = Place::new()? else { return Ok(()) };
    if !MountFault::possible() {
        return Ok(());
    }
    let installed = Installed::with_programs_elsewhere(&place.home)?;
    installed.remora(&["engine", "stop"]).run()?.expect_ok("remora engine stop").map(drop)?;
    // What was begun before is not what the fault is about: the disk is too small for it.
    for begun in ["journal.db", "journal.db-wal", "journal.db-shm", "logs"] {
        let path = place.home.root().join(begun);
        let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
    }
    place.runs_as_ever(&under(MountFault::full_disk(&place.home.root())?))?;
    place.runs_as_ever(&under(MountFault::small_disk(&place.home.root())?))
}
