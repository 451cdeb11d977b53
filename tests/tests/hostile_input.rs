//! Every hook executable is fed what no host should send. It leaves with status 0, says nothing that is
//! no JSON object, and keeps nobody waiting.

use std::sync::Mutex;
use std::time::Duration;

use remora_tests::faults::MountFault;
use remora_tests::installation::HookProgram;
use remora_tests::payloads::{Damaged, Payload, captured, hostile, mutations, truncations};
use remora_tests::{Error, Finished, Installation, Result, TestHome};
use serde_json::{Value, json};

/// Far beyond any deadline of a hook: reached only by one that hangs.
const HANGS: Duration = Duration::from_secs(30);
/// The hosts whose payloads were captured, with the least of them that become events, and of the events that
/// have a hook.
const HOSTS: [(&str, usize, usize); 7] = [
    ("claude-code", 25, 10),
    ("codex", 30, 10),
    ("gemini-cli", 12, 6),
    ("qwen-code", 22, 10),
    ("copilot-cli", 22, 10),
    ("opencode", 14, 9),
    ("pi", 11, 7),
];
/// What the executable of a plugin is called.
const PLUGINS: &str = "hook";
/// Hooks run side by side, as a host may run them.
const AT_ONCE: usize = 4;

/// Hooks without an engine beside them: every event goes to the spool of a home of its own.
struct Hooks {
    home: TestHome,
    installation: Installation,
}

impl Hooks {
    fn new() -> Result<Self> {
        let home = TestHome::new()?;
        let installation = Installation::get()?.copy_to(&home.folder().join("installed"))?;
        // A test of input needs no engine, and thousands of hooks would each look for one.
        let _ = std::fs::remove_file(installation.remora());
        Ok(Self { home, installation })
    }

    /// The hook that a host would run for this payload, if the adapter has one. A plugin's only one is told the
    /// event.
    fn of(&self, host: &str, payload: &Payload) -> Option<HookProgram> {
        let event = kebab(payload.event());
        let found = self.installation.hook(host, &event).or_else(|_| self.installation.hook(host, PLUGINS));
        Some(HookProgram { event, ..found.ok()?.clone() })
    }

    fn feed(&self, hook: &HookProgram, input: &[u8]) -> Result<Finished> {
        let launch = self.home.launch(&hook.path).arg("--root").arg(self.home.root());
        let is_plugins = hook.path.ends_with(PLUGINS);
        launch.args(is_plugins.then_some(&hook.event)).stdin(input).limit(HANGS).run()
    }

    /// Feeds all inputs to a hook, several at once, and gives the complaints.
    fn complaints(&self, hook: &HookProgram, inputs: impl Iterator<Item = Damaged> + Send) -> Vec<String> {
        let inputs = Mutex::new(inputs);
        let found = Mutex::new(Vec::new());
        let next = || inputs.lock().expect("no panic").next();
        std::thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(|| {
                    while let Some(input) = next() {
                        if let Some(complaint) = complaint(self.feed(hook, &input.bytes)) {
                            let line = format!("{} fed {}: {complaint}", hook.event, input.name);
                            found.lock().expect("no panic").push(line);
                        }
                    }
                });
            }
        });
        found.into_inner().expect("no panic")
    }

    fn spooled(&self) -> usize {
        std::fs::read_dir(self.home.root().join("spool")).map_or(0, Iterator::count)
    }
}

/// What is wrong with how a hook ended, if anything is.
fn complaint(ended: Result<Finished>) -> Option<String> {
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => return Some(error.to_string()),
    };
    let says_json = ended.stdout.is_empty()
        || serde_json::from_slice::<Value>(&ended.stdout).is_ok_and(|said| said.is_object());
    let fine = ended.ok() && ended.stderr.is_empty() && !ended.output_held && says_json;
    (!fine).then(|| ended.describe())
}

/// `PostToolUse` is `post-tool-use`.
fn kebab(event: &str) -> String {
    let mut name = String::new();
    for letter in event.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

fn assert_none(complaints: &[String]) {
    let shown = complaints.iter().take(5).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(complaints.is_empty(), "{} complaints, the first are\n{shown}", complaints.len());
}

#[test]
fn every_captured_payload_is_understood() -> Result<()> {
    for (host, least, _) in HOSTS {
        let hooks = Hooks::new()?;
        let mut fed = 0;
        for payload in captured(host)? {
            let Some(hook) = hooks.of(host, &payload) else { continue };
            let before = hooks.spooled();
            if let Some(complaint) = complaint(hooks.feed(&hook, payload.text.as_bytes())) {
                panic!("{host} {}: {complaint}", payload.name);
            }
            // Some payloads are no event of the person's, such as a report of a background task.
            fed += usize::from(hooks.spooled() > before);
        }
        assert!(fed >= least, "only {fed} payloads of {host} became events");
    }
    Ok(())
}

#[test]
fn a_payload_with_a_field_gone_or_of_another_type_harms_nobody() -> Result<()> {
    let hooks = Hooks::new()?;
    let mut complaints = Vec::new();
    for (host, _, least) in HOSTS {
        // One payload of each event: the variants differ in their tool's own fields.
        let mut seen = Vec::new();
        for payload in captured(host)? {
            let Some(hook) = hooks.of(host, &payload) else { continue };
            if !seen.contains(&hook.event) {
                seen.push(hook.event.clone());
                complaints.extend(hooks.complaints(&hook, mutations(&payload.json()?)));
                complaints.extend(hooks.complaints(&hook, truncations(payload.text.as_bytes(), 8)));
            }
        }
        assert!(seen.len() >= least, "{host}: only {seen:?}");
    }
    assert_none(&complaints);
    Ok(())
}

#[test]
fn input_that_is_no_payload_harms_nobody() -> Result<()> {
    let hooks = Hooks::new()?;
    let mut complaints = Vec::new();
    for hook in hooks.installation.hooks() {
        let payload = json!({"session_id": "s", "cwd": "/nowhere", "hook_event_name": "Any", "prompt": "p"});
        let large = |input: &Damaged| input.bytes.len() > 10_000_000;
        // A hundred megabytes once a host, for the hook that reads the most: it takes a second.
        let all = hook.event == "post-tool-use" || hook.event == "after-tool";
        complaints.extend(hooks.complaints(hook, hostile(&payload).filter(|input| all || !large(input))));
    }
    assert!(!hooks.installation.hooks().is_empty());
    assert_none(&complaints);
    Ok(())
}

#[test]
fn a_hook_without_a_place_to_write_leaves_quietly() -> Result<()> {
    if !MountFault::possible() {
        return Ok(());
    }
    let payload = r#"{"session_id": "s", "cwd": "/nowhere", "hook_event_name": "Stop"}"#;
    for name in ["a full disk", "a read-only folder", "no folder"] {
        let hooks = Hooks::new()?;
        let root = hooks.home.root();
        std::fs::create_dir_all(&root).map_err(Error::file("making", &root))?;
        let fault = match name {
            "a full disk" => MountFault::full_disk(&root)?,
            "a read-only folder" => MountFault::read_only(&root)?,
            _ => MountFault::missing(&root)?,
        };
        for hook in hooks.installation.hooks() {
            let launch = hooks.home.launch(&hook.path).arg("--root").arg(hooks.home.root());
            let ended = fault.inside(launch).stdin(payload).limit(HANGS).run();
            assert_eq!(complaint(ended), None, "{} under {name}", hook.event);
        }
    }
    Ok(())
}
