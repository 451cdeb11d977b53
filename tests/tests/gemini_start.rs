//! What a session's start gets, on a host whose first prompt is the first moment at which it can be given: by the
//! hooks alone, without the host.

use remora_tests::{HostId, Installed, Result, TestHome, times};
use serde_json::{Value, json};

const PROTOCOL: &str = "<remora-memory>";
const RULE: &str = "Integration tests talk to the real Postgres database on port 5544, never to mocks.";
const RULE_HEAD: &str = "### integration-tests-talk-real-postgres";
const ASKS: &str = "which database do the integration tests use?";

struct Session<'a> {
    home: &'a TestHome,
    installed: &'a Installed<'a>,
    id: &'a str,
}

impl Session<'_> {
    /// What a hook hands to the model; empty where it prints nothing.
    fn tell(&self, hook: &str, fields: &Value) -> Result<String> {
        let mut payload = json!({"session_id": self.id, "cwd": self.home.project()});
        payload.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        let launch = self.installed.hook(HostId::GeminiCli.id(), hook)?.args(["--deadline-ms", "30000"]);
        let printed = launch.stdin(payload.to_string()).run()?.expect_ok(hook)?.out();
        let Ok(printed) = serde_json::from_str::<Value>(&printed) else { return Ok(String::new()) };
        assert_eq!(printed["hookSpecificOutput"]["hookEventName"], "BeforeAgent", "{printed:#}");
        Ok(printed["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned())
    }

    fn start(&self, source: &str) -> Result<String> {
        self.tell("session-start", &json!({"hook_event_name": "SessionStart", "source": source}))
    }

    fn prompt(&self, text: &str) -> Result<String> {
        self.tell("before-agent", &json!({"hook_event_name": "BeforeAgent", "prompt": text}))
    }
}

fn counts(text: &str) -> (usize, usize) {
    (times(text, PROTOCOL), times(text, RULE_HEAD))
}

#[test]
fn it_comes_with_the_first_prompt_and_again_when_the_context_was_cleared() -> Result<()> {
    let home = TestHome::new()?;
    let installed = Installed::programs_only(&home)?;
    installed.json(&["remember", RULE])?;
    installed.json(&["remember", "I am the database administrator.", "--type", "user"])?;
    let session = Session { home: &home, installed: &installed, id: "s1" };
    assert_eq!(session.start("startup")?, "");
    let first = session.prompt("write a haiku about the sea")?;
    assert_eq!(counts(&first), (1, 0), "{first}");
    assert!(first.contains("I am the database administrator."), "{first}");
    let second = session.prompt(ASKS)?;
    assert_eq!(counts(&second), (0, 1), "{second}");
    assert!(!second.contains("I am the database administrator."), "{second}");
    assert_eq!(session.start("resume")?, "");
    assert_eq!(session.prompt(ASKS)?, "", "a resumed session has all of it");
    assert_eq!(session.start("clear")?, "");
    let cleared = session.prompt(ASKS)?;
    assert_eq!(counts(&cleared), (1, 1), "{cleared}");
    // A hook confirms after it printed, and nobody waits for that.
    let mut states = Value::Null;
    for _ in 0..50 {
        states = installed.json(&["why", "--session", "s1", "--host", "gemini-cli"])?;
        let given = states["injections"].as_array().expect("a list");
        if given.iter().all(|given| given["state"] == "shown") {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("never confirmed: {states:#}")
}

#[test]
fn both_together_stay_within_what_the_host_takes() -> Result<()> {
    let home = TestHome::new()?;
    // Together more than the host takes.
    home.write(
        ".config/remora/config.toml",
        "inject = { budget = { start = 9000, prompt = 7000, memory = 3000 } }\n",
    )?;
    let installed = Installed::programs_only(&home)?;
    let long = |text: &str, times: usize| format!("{text} {}", "记忆 and so on, as agreed. ".repeat(times));
    for number in 0..4 {
        let habit = long(&format!("Habit {number}: every change is reviewed by somebody else."), 20);
        installed.json(&["remember", &habit, "--type", "user", "--name", &format!("habit-{number}")])?;
    }
    for topic in ["payments", "invoices", "letters", "images", "queues", "caches", "search", "billing"] {
        let rule = format!(
            "The team of {topic} meets on the second floor, {}",
            "in the room by the stairs ".repeat(7)
        );
        installed.json(&["remember", &rule, "--name", &format!("where-{topic}-meet"), "--anyway"])?;
    }
    for part in ["integration", "acceptance"] {
        let rule = long(&format!("The {part} tests talk to the real Postgres database on port 5544."), 100);
        installed.json(&["remember", &rule, "--name", &format!("{part}-tests")])?;
    }
    let session = Session { home: &home, installed: &installed, id: "s1" };
    assert_eq!(session.start("startup")?, "");
    let first = session.prompt("do the integration tests use the Postgres database on port 5544?")?;
    let units = first.encode_utf16().count();
    assert!((8_000..=10_000).contains(&units), "{units} units: {first}");
    assert_eq!(times(&first, PROTOCOL), 1, "{first}");
    assert!(times(&first, "### integration-tests") == 1, "what the prompt asks for comes first: {first}");
    Ok(())
}
