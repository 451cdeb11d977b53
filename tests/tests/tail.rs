//! `remora tail`: what agents tell and are given, as it happens, whoever reads it and however slowly.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use remora_tests::{Error, Installed, Launch, Normaliser, Result, Session, TestHome, wait_until};
use serde_json::Value;

/// What ends a test that hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// A `remora tail` that runs; it ends with this.
struct Tail {
    child: Child,
    lines: std::sync::mpsc::Receiver<String>,
    said: std::sync::mpsc::Receiver<String>,
}

impl Tail {
    fn start(launch: &Launch) -> Result<Self> {
        let mut command = launch.command();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|source| Error::Program {
            program: "remora tail".into(),
            problem: source.to_string(),
        })?;
        let (out, err) = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
        Ok(Self { child, lines: lines(out), said: lines(err) })
    }

    /// The next lines on standard output.
    fn next(&self, count: usize) -> Vec<String> {
        let until = Instant::now() + LIMIT;
        let mut found = Vec::new();
        while found.len() < count {
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => found.push(line),
                Err(error) => panic!("only {} of {count} lines ({error}): {found:#?}", found.len()),
            }
        }
        found
    }

    fn says(&self, text: &str) {
        loop {
            let line = self.said.recv_timeout(LIMIT).unwrap_or_else(|error| panic!("no {text:?}: {error}"));
            if line.contains(text) {
                return;
            }
        }
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(from: impl std::io::Read + Send + 'static) -> std::sync::mpsc::Receiver<String> {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(std::result::Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

/// So many lines of a `remora tail --json`, as values.
pub(crate) fn lines_of(launch: &Launch, count: usize) -> Result<Vec<Value>> {
    let lines = Tail::start(launch)?.next(count);
    lines.iter().map(|line| serde_json::from_str(line).map_err(Error::json("a line"))).collect()
}

fn tail<'a>(home: &'a TestHome, installed: &Installed<'a>, arguments: &[&str]) -> Launch {
    let mut all = vec!["tail"];
    all.extend(arguments);
    installed.remora(&all).cwd(home.project())
}

#[test]
fn what_agents_tell_and_are_given_is_seen_as_it_happens() -> Result<()> {
    let home = TestHome::new()?;
    let installed = Installed::programs_only(&home)?;
    installed.json(&["remember", "Integration tests talk to a real database, never to mocks."])?;
    let session = Session::new(&home, "0192ab34-before");
    let _ = session.start("startup")?;
    let _ = session.prompt("write an integration test, mock the database")?;

    let tail = Tail::start(&tail(&home, &installed, &[]))?;
    let mut seen = tail.next(2);
    let other = home.folder().join("elsewhere");
    std::fs::create_dir(&other).map_err(Error::file("making", &other))?;
    let _ = Session::new(&home, "9999-elsewhere").in_folder(&other).prompt("not of this project")?;
    let key = ["sk", "ant", "api03", &"Xy9".repeat(30)].join("-");
    let _ = session.shell(&format!("curl -H 'x-api-key: {key}' localhost\u{1b}[31m"), "ok")?;
    let _ = session.of_agent("a1").shell("cargo test --workspace", "ok")?;
    let _ = session.stop("All green, 全部通过。")?;
    seen.extend(tail.next(3));
    let text = seen.join("\n");
    assert!(!text.contains(&key) && !text.contains('\u{1b}'), "{text}");
    let text =
        Normaliser::of(&home).and_all(r"(?m)^\d\d:\d\d:\d\d", "[TIME]").and_all(r"about [\d,]+", "about [N]");
    insta::assert_snapshot!(text.apply(&seen.join("\n")));

    // In JSON a line is an event, and what is asked for is chosen.
    let all = self::tail(&home, &installed, &["--all", "--session", "9999", "--json"]);
    let [event] = lines_of(&all, 1)?.try_into().expect("one");
    assert_eq!(
        (&event["text"], &event["host"]),
        (&"not of this project".into(), &"claude-code".into()),
        "{event:#}"
    );
    for key in
        ["seq", "at", "session", "agent", "project", "event", "tool", "via", "adapter", "seen_also", "given"]
    {
        assert!(event.get(key).is_some(), "no {key}: {event:#}");
    }
    Ok(())
}

#[test]
fn who_waits_for_a_session_that_nobody_knows_is_told_so_at_once() -> Result<()> {
    let home = TestHome::new()?;
    let installed = Installed::programs_only(&home)?;
    let other = home.folder().join("elsewhere");
    std::fs::create_dir(&other).map_err(Error::file("making", &other))?;
    // With an engine that is there the session is known when its hook has ended.
    installed.json(&["status"])?;
    let _ = Session::new(&home, "9999-elsewhere").in_folder(&other).prompt("not of this project")?;
    let nobody = Tail::start(&tail(&home, &installed, &["--session", "nonsense"]))?;
    nobody.says("No session whose id begins with \"nonsense\" is known yet. Waiting for one;");
    let elsewhere = Tail::start(&tail(&home, &installed, &["--session", "9999"]))?;
    elsewhere.says("`remora tail --all --session 9999` shows it");
    // It is waited for indeed.
    let _ = Session::new(&home, "nonsense-1").prompt("here it is")?;
    assert!(nobody.next(1)[0].contains("here it is"));
    Ok(())
}

#[test]
fn an_engine_that_ends_is_waited_for_and_nothing_is_missed() -> Result<()> {
    let home = TestHome::new()?;
    let installed = Installed::programs_only(&home)?;
    let session = Session::new(&home, "s");
    let _ = session.prompt("the first")?;
    let tail = Tail::start(&tail(&home, &installed, &["--json"]))?;
    tail.next(1);
    installed.remora(&["engine", "stop"]).run()?.expect_ok("stop").map(drop)?;
    tail.says("The engine has ended");
    // Who only looks on starts none.
    assert_eq!(home.engines(), []);
    let _ = session.start("resume")?;
    let _ = session.prompt("the second")?;
    let seen = tail.next(2);
    tail.says("The engine is back");
    assert!(seen[1].contains("the second"), "{seen:#?}");
    Ok(())
}

/// A program whose output nobody reads; it ends with this.
struct Stuck(Child);

impl Stuck {
    fn start(launch: &Launch) -> Self {
        let mut command = launch.command();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        Self(command.spawn().expect("remora tail"))
    }

    fn runs(&mut self) -> bool {
        self.0.try_wait().expect("a child").is_none()
    }
}

impl Drop for Stuck {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// More is printed than a pipe takes, and nobody reads it: hooks are answered all the same, and the engine leaves when
/// there is no work.
#[test]
fn who_looks_on_and_does_not_read_delays_nobody() -> Result<()> {
    let home = TestHome::new()?;
    home.write(".config/remora/config.toml", "[engine]\nidle_exit = \"3s\"\n")?;
    let installed = Installed::programs_only(&home)?;
    // The first command writes down where the configuration lies.
    installed.json(&["status"])?;
    let session = Session::new(&home, "s");
    let long = "a long line of text ".repeat(20);
    for number in 0..150 {
        let _ = session.prompt(&format!("{number} {long}"))?;
    }
    let mut stuck = Stuck::start(&tail(&home, &installed, &["-n", "200", "--json"]));
    let mut still = Stuck::start(&tail(&home, &installed, &["-n", "0"]));
    for number in 0..10 {
        let _ = session.prompt(&format!("again {number}"))?;
    }
    assert_eq!(remora_tests::journal::events(&home.root())?.len(), 160);
    wait_until("the engine to leave", || home.engines().is_empty())?;
    assert!(stuck.runs() && still.runs(), "they did not look on any more");
    Ok(())
}
