//! A language model as the selector: in a real session of Claude Code its choice arrives with the next tool call, and
//! whatever it does wrong harms nothing.

use std::path::PathBuf;
use std::time::Duration;

use remora_tests::{
    Answer, Call, Error, FakeModel, HostId, Installed, Options, Place, Result, Run, Script, Session, Step,
    TestHome, times, wait_until,
};
use serde_json::{Value, json};

/// A memory that no word of the prompt leads to.
const CLOCK: &str =
    "The scheduler is driven by the vector clock in ticks.rs; wall time never decides an order.";
const CLOCK_FILE: &str = "feedback_scheduler_driven_vector_clock_ticks.md";
const CLOCK_HEAD: &str = "### scheduler-driven-vector-clock-ticks";
const ASKS: &str = "make the two events come out sorted correctly";

/// Only the selector is told this.
const SELECTOR: &str = "You choose which memories a coding agent is given";
/// Where the fake model listens in a host's own network.
const IN_HOST_NETWORK: &str = "http://127.0.0.1:8650";

fn shell(command: &str) -> Call {
    Call::new("Bash", json!({"command": command, "description": "look around"}))
}

/// The selector's answer in Anthropic's protocol: the call of the tool that takes it.
fn chooses(files: &[&str]) -> Step {
    Step::call("choose", json!({"files": files}))
}

/// Sets a provider up as a person may who writes the file by hand.
fn set_up(home: &TestHome, kind: &str, url: &str) -> Result<PathBuf> {
    let text = format!("[provider]\nkind = \"{kind}\"\nurl = \"{url}\"\n\n[models]\nselect = \"small\"\n");
    home.write(".config/remora/config.toml", text)
}

/// A turn of Claude Code with two tool calls one after the other, in the network in which the model is.
fn turn(place: &Place, selector: Step) -> Result<Run> {
    let script = Script::new([
        Step::calls([shell("sleep 3; printf 'first-%s\\n' done")]),
        Step::calls([shell("printf 'second-%s\\n' done")]),
        Step::text("Sorted."),
    ])
    .when(SELECTOR, selector);
    // The engine lives in the host's network, where the model is: the hooks start it there.
    if let Some(engine) = place.home.engine()? {
        engine.stop();
    }
    place.run(&script, ASKS, &Options::default())
}

#[test]
fn the_choice_arrives_with_the_next_tool_call() -> Result<()> {
    let Some(place) = Place::of(HostId::ClaudeCode)? else { return Ok(()) };
    let installed = Installed::at_ease(&place.home)?;
    installed.json(&["remember", CLOCK])?;
    // What the memory names is there: nothing is to be said of it later.
    place.home.write_in_project("src/ticks.rs", "")?;
    set_up(&place.home, "anthropic", IN_HOST_NETWORK)?;
    let run = turn(&place, chooses(&[CLOCK_FILE]))?;

    let asked = run.model.find(SELECTOR);
    assert_eq!(asked.len(), 1, "{}", run.model.outline());
    let told: Vec<String> = run.model.main().map(texts).collect();
    assert_eq!(told.len(), 3, "{}", run.model.outline());
    assert_eq!(times(&told[0], CLOCK_HEAD), 0, "the prompt did not wait:\n{}", told[0]);
    assert_eq!(times(&told[1], CLOCK_HEAD), 1, "it came with the first tool call:\n{}", told[1]);
    assert!(told[1].contains(CLOCK), "{}", told[1]);
    assert_eq!(times(&told[2], CLOCK_HEAD), 1, "and only once:\n{}", told[2]);

    let request = run.model.requests().iter().find(|request| request.says(SELECTOR)).expect("the request");
    let told = texts(request);
    assert!(told.contains(&format!("feedback {CLOCK_FILE} (today): The scheduler is driven by")), "{told}");
    assert!(told.contains(ASKS), "{told}");

    let why = installed.json(&["why"])?;
    let given = why["injections"].as_array().expect("a list");
    let late = given.iter().find(|given| given["event"] == "post_tool_use").expect("what came late");
    assert_eq!((&late["state"], &late["items"][0]["step"]), (&json!("shown"), &json!("selector")), "{why:#}");
    let choice = choice(&why, "selector");
    assert_eq!((&choice["offered"], &choice["taken"]), (&json!(1), &json!(1)), "{why:#}");
    let status = installed.json(&["status"])?;
    assert_eq!(status["tokens"]["spent_today"], 15, "{status:#}");
    assert_eq!(
        (&status["provider"]["model"], &status["provider"]["state"]),
        (&json!("small"), &json!("ready"))
    );
    Ok(())
}

#[test]
fn a_model_that_does_anything_else_harms_nothing() -> Result<()> {
    let Some(place) = Place::of(HostId::ClaudeCode)? else { return Ok(()) };
    let installed = Installed::at_ease(&place.home)?;
    installed.json(&["remember", CLOCK])?;
    set_up(&place.home, "anthropic", IN_HOST_NETWORK)?;
    let cases = [
        ("late", chooses(&[CLOCK_FILE]).after(Duration::from_mins(1)), None),
        ("nothing", chooses(&[]), Some("")),
        ("unknown", chooses(&["../../etc/passwd", "made_up.md"]), Some("2 names that are not in the list")),
        ("prose", Step::text("I would look at the scheduler."), Some("no choice: the answer is of no use")),
        ("wrong", Step::call("choose", json!({"files": "all"})), Some("no choice: the answer is of no use")),
        (
            "refused",
            Step::error(400, "no such model"),
            Some("no choice: the provider answered 400: no such model"),
        ),
    ];
    for (name, step, note) in cases {
        let run = turn(&place, step)?;
        let told: Vec<String> = run.model.main().map(texts).collect();
        assert_eq!(told.len(), 3, "{name}: {}", run.model.outline());
        assert_eq!(times(&told[2], CLOCK_HEAD), 0, "{name}: {}", told[2]);
        assert!(told[2].contains("second-done"), "{name}: {}", told[2]);
        let Some(note) = note else { continue };
        let why = installed.json(&["why"])?;
        let choice = choice(&why, "selector");
        assert_eq!((&choice["offered"], &choice["taken"]), (&json!(1), &json!(0)), "{name}: {why:#}");
        let said = choice["note"].as_str().expect("a note");
        assert!(if note.is_empty() { said.is_empty() } else { said.starts_with(note) }, "{name}: {said}");
    }
    Ok(())
}

fn texts(request: &remora_tests::fake_model::Request) -> String {
    request.texts().iter().map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The newest choice of a step.
fn choice<'a>(why: &'a Value, step: &str) -> &'a Value {
    let choices = why["choices"].as_array().expect("a list");
    choices.iter().find(|choice| choice["step"] == step).unwrap_or_else(|| panic!("no {step}: {why:#}"))
}

/// A home with one memory and a model that speaks Chat Completions; no host.
struct Alone {
    home: TestHome,
    _model: FakeModel,
}

impl Alone {
    fn new(script: Script) -> Result<Self> {
        let home = TestHome::new()?;
        let model = FakeModel::start(script)?;
        set_up(&home, "openai-compatible", &format!("{}/v1", model.url()))?;
        // What the memory names is there: nothing is to be said of it later.
        home.write_in_project("src/ticks.rs", "")?;
        let alone = Self { home, _model: model };
        alone.json(&["remember", CLOCK])?;
        Ok(alone)
    }

    fn json(&self, arguments: &[&str]) -> Result<Value> {
        let said = self.home.remora(arguments)?.arg("--json").run()?.expect_ok("remora")?;
        serde_json::from_slice(&said.stdout).map_err(Error::json(arguments.join(" ")))
    }

    /// Waits until a session has so many choices of a step.
    fn wait_for(&self, session: &str, step: &str, count: usize) -> Result<()> {
        wait_until(&format!("{count} choices of {step}"), || {
            let why = self.json(&["why", "--session", session]).unwrap_or_default();
            let choices = why["choices"].as_array().map(Vec::as_slice).unwrap_or_default();
            choices.iter().filter(|one| one["step"] == step).count() >= count
        })
    }
}

fn says(files: &[&str]) -> Step {
    Step::text(json!({"files": files}).to_string())
}

#[test]
fn of_parallel_hooks_one_gets_it_and_no_other_agent_does() -> Result<()> {
    let alone = Alone::new(Script::default().when(SELECTOR, says(&[CLOCK_FILE])))?;
    let session = Session::new(&alone.home, "one");
    let _ = session.start("startup")?;
    assert_eq!(session.prompt(ASKS)?, Answer::default(), "a prompt takes what words are sure of");
    alone.wait_for("one", "selector", 1)?;
    assert_eq!(session.of_agent("sub").shell("ls", "x")?, Answer::default(), "another agent's call");
    assert_eq!(
        Session::new(&alone.home, "two").shell("ls", "x")?,
        Answer::default(),
        "another session's call"
    );
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let hooks: Vec<_> = (0..6).map(|n| {
            let payload = json!({
                "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": format!("parallel-{n}"),
                "tool_input": {"command": format!("echo {n}")}, "tool_response": {"stdout": "x", "stderr": ""},
            });
            let home = &alone.home;
            scope.spawn(move || Session::new(home, "one").tell("post-tool-use", &payload))
        }).collect();
        hooks.into_iter().map(|hook| hook.join().expect("no panic")).collect::<Result<_>>()
    })?;
    let got = answers.iter().filter(|answer| answer.says(CLOCK)).count();
    assert_eq!(got, 1, "{answers:#?}");
    assert_eq!(answers.iter().filter(|answer| **answer == Answer::default()).count(), 5, "{answers:#?}");
    assert_eq!(session.shell("ls", "again")?, Answer::default());
    Ok(())
}

#[test]
fn a_turn_without_a_tool_call_leaves_it_to_the_next_prompt_if_it_is_still_relevant() -> Result<()> {
    let script = Script::default()
        .when_unless(SELECTOR, "Windows", says(&[CLOCK_FILE]))
        .when_unless(SELECTOR, "haiku", says(&[CLOCK_FILE]))
        .when_unless(SELECTOR, "imports", says(&[CLOCK_FILE]));
    let alone = Alone::new(script)?;
    for (session, next, expected) in [
        ("one", "is the order the same on Windows?", true),
        ("two", "write a haiku about the sea", false),
        ("three", "sort the imports of this file", false),
    ] {
        let told = Session::new(&alone.home, session);
        let _ = told.start("startup")?;
        assert_eq!(told.prompt(ASKS)?, Answer::default());
        alone.wait_for(session, "selector", 1)?;
        let _ = told.stop("Well.")?;
        assert_eq!(told.prompt(next)?.says(CLOCK), expected, "{next}");
    }
    Ok(())
}

#[test]
fn a_provider_is_set_up_tested_and_switched_off() -> Result<()> {
    let home = TestHome::new()?;
    let model = FakeModel::start(
        Script::default()
            .when("reachable", Step::text("{\"word\": \"reachable\"}"))
            .when("reachable", Step::text("Hello!")),
    )?;
    let url = format!("{}/v1", model.url());
    let set = ["config", "provider", "--kind", "openai-compatible", "--model", "small", "--url", &url];
    let said = home.remora(&set)?.run()?.expect_ok("remora config provider")?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.starts_with("small (openai-compatible) answered in "), "{said}");
    let written = std::fs::read_to_string(home.config().join("config.toml")).expect("the file");
    assert_eq!(
        written,
        format!(
            "[provider]\nkind = \"openai-compatible\"\nurl = \"{url}\"\n\n[models]\nselect = \"small\"\n"
        )
    );

    let other = ["config", "provider", "--kind", "openai-compatible", "--model", "other", "--url", &url];
    let refused = home.remora(&other)?.run()?;
    assert!(!refused.status.success());
    let said = refused.err();
    assert!(said.contains("other (openai-compatible) gave no answer: the answer is of no use"), "{said}");
    let still = std::fs::read_to_string(home.config().join("config.toml")).expect("the file");
    assert_eq!(still, written, "what does not work is not left behind");

    let _ =
        home.remora(&["config", "provider", "--off"])?.run()?.expect_ok("remora config provider --off")?;
    let left = std::fs::read_to_string(home.config().join("config.toml")).expect("the file");
    assert_eq!(left, "");
    Ok(())
}
