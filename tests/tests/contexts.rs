//! What a session's context has is not given again: not when the session goes on, not to a fork of it. What is gone is
//! given again: after a clear, and after a compaction. By each host's hooks alone, as the host runs them.

use std::cell::Cell;

use remora_tests::session::at_ease;
use remora_tests::{Error, Installed, Result, TestHome, journal, times};
use serde_json::{Value, json};

const PROTOCOL: &str = "<remora-memory>";
const RULE: &str = "Integration tests talk to the real Postgres database on port 5544, never to mocks.";
const RULE_HEAD: &str = "### integration-tests-talk-real-postgres";
const ASKS: &str = "which database do the integration tests use?";

/// What a host tells, in the order in which it tells it.
struct Speaks {
    host: &'static str,
    prompt: &'static str,
    /// What it tells of a session that goes on; nothing where it tells nothing.
    goes_on: &'static [Told],
    /// Of a context that was cleared, in the same session.
    cleared: &'static [Told],
    /// Of a compaction.
    compacted: &'static [Told],
    /// How a fork says whose it is.
    fork: Fork,
}

/// A hook, and what its payload says beside what all say.
type Told = (&'static str, &'static [(&'static str, &'static str)]);

enum Fork {
    /// By what stands in its transcript.
    Transcript,
    /// By a field.
    Field,
    /// Not at all, or there is none.
    Never,
}

const CLAUDE_CODE: Speaks = Speaks {
    host: "claude-code",
    prompt: "user-prompt-submit",
    goes_on: &[("session-start", &[("source", "resume")])],
    cleared: &[("session-start", &[("source", "clear")])],
    compacted: &[
        ("pre-compact", &[("trigger", "auto")]),
        ("session-start", &[("source", "compact")]),
        ("post-compact", &[("trigger", "auto")]),
    ],
    fork: Fork::Transcript,
};

const ALL: [Speaks; 7] = [
    CLAUDE_CODE,
    Speaks {
        host: "codex",
        compacted: &[
            ("pre-compact", &[("trigger", "auto")]),
            ("post-compact", &[("trigger", "auto")]),
            ("session-start", &[("source", "compact")]),
        ],
        ..CLAUDE_CODE
    },
    Speaks { host: "gemini-cli", prompt: "before-agent", compacted: &[], fork: Fork::Never, ..CLAUDE_CODE },
    Speaks {
        host: "qwen-code",
        compacted: &[("session-start", &[("source", "compact")]), ("post-compact", &[("trigger", "auto")])],
        fork: Fork::Never,
        ..CLAUDE_CODE
    },
    Speaks {
        host: "copilot-cli",
        cleared: &[],
        compacted: &[("pre-compact", &[("trigger", "auto")])],
        fork: Fork::Never,
        ..CLAUDE_CODE
    },
    Speaks {
        host: "opencode",
        prompt: "user-prompt",
        goes_on: &[],
        cleared: &[],
        compacted: &[("post-compact", &[])],
        fork: Fork::Never,
    },
    Speaks {
        host: "pi",
        prompt: "user-prompt",
        cleared: &[],
        compacted: &[("post-compact", &[])],
        fork: Fork::Field,
        ..CLAUDE_CODE
    },
];

/// A session of a host, told by its hooks.
struct Session<'a> {
    home: &'a TestHome,
    speaks: &'a Speaks,
    id: String,
    told: Cell<u32>,
}

impl<'a> Session<'a> {
    fn new(home: &'a TestHome, speaks: &'a Speaks, id: &str) -> Self {
        Self { home, speaks, id: format!("{id}-{}", speaks.host), told: Cell::new(0) }
    }

    fn transcript(&self) -> std::path::PathBuf {
        self.home.home().join(".sessions").join(format!("{}.jsonl", self.id))
    }

    /// What the hook hands to the model.
    fn tell(&self, hook: &str, more: &[(&str, &str)]) -> Result<String> {
        self.told.set(self.told.get() + 1);
        let mut payload = json!({
            "session_id": self.id, "cwd": self.home.project(), "transcript_path": self.transcript(),
        });
        for (key, value) in more {
            payload[*key] = json!(value);
        }
        let is_plugin = self.home.hook(self.speaks.host, "hook").is_ok();
        let launch = if is_plugin {
            self.home.hook(self.speaks.host, "hook")?.arg(hook)
        } else {
            self.home.hook(self.speaks.host, hook)?
        };
        let done = launch.args(at_ease()).stdin(payload.to_string()).run()?.expect_ok(hook)?;
        if done.stdout.is_empty() {
            return Ok(String::new());
        }
        let value: Value = serde_json::from_slice(&done.stdout).map_err(Error::json(hook))?;
        let context = [&value["hookSpecificOutput"]["additionalContext"], &value["additionalContext"]];
        Ok(context.into_iter().find_map(Value::as_str).unwrap_or_default().to_owned())
    }

    fn tell_all(&self, told: &[Told]) -> Result<String> {
        told.iter().map(|(hook, more)| self.tell(hook, more)).collect()
    }

    /// How often what follows, and a prompt that asks for the rule, are given how to use memory, and the rule.
    fn given(&self, told: &[Told]) -> Result<(usize, usize)> {
        let mut given = self.tell_all(told)?;
        given.push_str(&self.tell(self.speaks.prompt, &[("prompt", ASKS)])?);
        Ok((times(&given, PROTOCOL), times(&given, RULE_HEAD)))
    }
}

#[test]
fn what_a_context_has_is_not_given_again_and_what_is_gone_is() -> Result<()> {
    let home = TestHome::new()?;
    Installed::programs_only(&home)?.json(&["remember", RULE])?;
    let again = (1, 1);
    for speaks in &ALL {
        let host = speaks.host;
        let session = Session::new(&home, speaks, "0192a3b4-first-session");
        assert_eq!(session.given(&[("session-start", &[("source", "startup")])])?, again, "{host}");
        assert_eq!(session.given(&[])?, (0, 0), "{host}: the next prompt");
        assert_eq!(session.given(speaks.goes_on)?, (0, 0), "{host}: the session goes on");
        fork(&home, speaks, &session)?;
        for (what, told) in [("cleared", speaks.cleared), ("compacted", speaks.compacted)] {
            if !told.is_empty() {
                assert_eq!(session.given(told)?, again, "{host}: {what}");
                assert_eq!(session.given(&[])?, (0, 0), "{host}: {what}, and the next prompt");
                assert_eq!(session.given(speaks.goes_on)?, (0, 0), "{host}: {what}, and it goes on");
            }
        }
        let another = Session::new(&home, speaks, "0192a3b4-another-one");
        assert_eq!(another.given(&[("session-start", &[("source", "startup")])])?, again, "{host}: another");
    }
    Ok(())
}

/// A fork has what its parent has.
fn fork(home: &TestHome, speaks: &Speaks, parent: &Session<'_>) -> Result<()> {
    let fork = Session::new(home, speaks, "0192a3b4-fork-of-it");
    let line = json!({"type": "user", "sessionId": parent.id, "message": "hello"});
    let told: &[(&str, &str)] = match speaks.fork {
        Fork::Transcript => {
            home.write(
                fork.transcript().strip_prefix(home.home()).expect("in the home"),
                format!("{line}\n"),
            )?;
            &[("source", "fork")]
        }
        Fork::Field => &[("source", "fork"), ("parent_session", &parent.id)],
        Fork::Never => return Ok(()),
    };
    let mut given = fork.tell("session-start", told)?;
    given.push_str(&fork.tell(speaks.prompt, &[("prompt", ASKS)])?);
    assert_eq!((times(&given, PROTOCOL), times(&given, RULE_HEAD)), (0, 0), "{}: a fork", speaks.host);
    Ok(())
}

/// The agent that tidies up Codex's own memory is a session that nobody sees.
#[test]
fn the_hidden_session_of_codex_is_neither_kept_nor_given_anything() -> Result<()> {
    let home = TestHome::new()?;
    Installed::programs_only(&home)?.json(&["remember", RULE])?;
    let memories = home.home().join(".codex/memories");
    std::fs::create_dir_all(&memories).map_err(Error::file("making", &memories))?;
    let memories = memories.to_string_lossy().into_owned();
    let session = Session::new(&home, &ALL[1], "0192a3b4-hidden");
    let (start, prompt) =
        ([("source", "startup"), ("cwd", memories.as_str())], [("prompt", ASKS), ("cwd", &memories)]);
    assert_eq!(session.tell("session-start", &start)?, "");
    assert_eq!(session.tell("user-prompt-submit", &prompt)?, "");
    assert_eq!(journal::events(&home.root())?, []);
    // What happens beside it is.
    assert_eq!(session.given(&[])?.1, 1);
    Ok(())
}
