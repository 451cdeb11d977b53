//! `status`: one screen about everything.

use std::path::PathBuf;
use std::sync::Arc;

use chrono::{Local, TimeZone};
use serde_json::{Map, Value, json};

use super::Place;
use crate::clock;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::journal;
use crate::ledger::{self, ModelUse};
use crate::sources::Whose;

/// `{"engine", "memory", "hosts", "memories", "sources", "journal", "tokens", "provider", "choices", "review", "findings"}`.
pub(super) async fn run(engine: &Arc<Engine>, place: &Place) -> Result<Value, EngineError> {
    let shelf = engine.shelf_of(place).await?;
    let mut by_scope = Map::new();
    let mut by_type = Map::new();
    for entry in &shelf.entries {
        count(&mut by_scope, entry.scope.as_str());
        count(&mut by_type, entry.kind.as_str());
    }
    let project = place.project_json();
    let slug = place.slug().map(str::to_owned);
    let (reader, whose) = (Arc::clone(engine), place.project.clone());
    let unreadable = shelf.unreadable.len();
    blocking(move || {
        let engine = reader;
        engine.look_at_config();
        let midnight = clock::today()
            .and_hms_opt(0, 0, 0)
            .and_then(|at| Local.from_local_datetime(&at).earliest())
            .map_or(0, |at| at.timestamp_millis());
        let (heard, (events, sessions, observations), tokens, used, choices) = engine.journal().read(|connection| {
            Ok((
                journal::last_heard(connection)?,
                journal::counts(connection)?,
                ledger::tokens_since(connection, midnight)?,
                ledger::model_use(connection, clock::today())?,
                ledger::choices_since(connection, midnight)?,
            ))
        })?;
        let hosts: Vec<Value> =
            heard.iter().map(|(host, at)| json!({"host": host, "last_heard": clock::rfc3339(*at)})).collect();
        let waiting = engine.memories().review().waiting();
        let here = waiting.of(slug.as_deref()).count();
        let review = json!({"here": here, "elsewhere": waiting.candidates.len() - here});
        let mut findings = findings(&engine);
        let sources = sources(&engine, whose.clone(), &mut findings);
        if unreadable > 0 {
            findings.push(json!({
                "what": format!("{unreadable} memory files cannot be read"),
                "next": "`remora list` names them with the line",
            }));
        }
        Ok(json!({
            "engine": {
                "pid": std::process::id(),
                "version": engine.build().version,
                "build": engine.build().id,
                "up_seconds": engine.started().elapsed().as_secs(),
                "idle_exit_seconds": engine.config().engine.idle_exit.0.as_secs(),
                "root": engine.root().path(),
            },
            "memory": engine.memory_state(whose.as_ref().map(|(slug, root)| (slug.as_str(), root.as_path())), true),
            "hosts": hosts,
            "project": project,
            "sources": sources,
            "memories": {"total": shelf.entries.len(), "by_scope": by_scope, "by_type": by_type},
            "journal": {
                "events": events, "sessions": sessions, "observations": observations,
                "bytes": engine.journal().bytes(),
            },
            "tokens": {"injected_today": tokens, "spent_today": used.iter().map(|one| one.input + one.output).sum::<u64>()},
            "provider": provider(&engine, &used),
            "choices": choices,
            "review": review,
            "findings": findings,
        }))
    })
    .await
}

/// Where memory is taken from for this project; what cannot be taken is a finding.
fn sources(engine: &Engine, project: Option<(String, PathBuf)>, findings: &mut Vec<Value>) -> Vec<Value> {
    let Some((slug, root)) = project else { return Vec::new() };
    let sources = engine.described(&Whose::Project { slug, root: root.clone() }, &engine.sources_of(&root));
    for source in &sources {
        if let Some(problem) = source["problem"].as_str().filter(|_| source["kind"] != "native") {
            let folder = source["folder"].as_str().unwrap_or_default();
            findings.push(json!({
                "what": format!("nothing is taken from {}: {problem}", remora_redact::neutralise(folder)),
                "next": "`watch` in the configuration names the folders: `remora config edit`",
            }));
        }
    }
    sources
}

/// The model that chooses, how it is, and what models cost today; null where none is set up.
fn provider(engine: &Engine, used: &[ModelUse]) -> Value {
    let mut state = match engine.selector() {
        None => return Value::Null,
        Some(Err(problem)) => json!({"state": "wrong", "last_failure": problem}),
        Some(Ok(settings)) => engine.models().state(&settings),
    };
    let daily = engine.config().provider.daily_tokens;
    let spent: u64 = used.iter().map(|one| one.input + one.output).sum();
    if state["state"] == "ready" && spent >= daily {
        state["state"] = json!("spent");
    }
    state["daily_tokens"] = json!(daily);
    state["today"] = json!(used);
    state
}

fn count(into: &mut Map<String, Value>, key: &str) {
    let now = into.get(key).and_then(Value::as_u64).unwrap_or(0);
    into.insert(key.to_owned(), json!(now + 1));
}

/// What a person should know and can mend.
fn findings(engine: &Engine) -> Vec<Value> {
    let mut findings = Vec::new();
    for problem in engine.config_problems() {
        findings.push(json!({"what": problem.what, "next": problem.next}));
    }
    for problem in engine.history().problems() {
        findings.push(json!({
            "what": format!("a definition of transcripts is not used: {}", remora_redact::neutralise(&problem.to_string())),
            "next": "mend the file and run `remora engine restart`; docs/history.md says what it may hold",
        }));
    }
    if let Ok(reason) = remora_memory::ordinary::read_to_string(&engine.root().start_failure()) {
        findings.push(json!({
            "what": format!("a hook could not start the engine: {}", remora_redact::neutralise(reason.trim())),
            "next": "`remora doctor` looks further",
        }));
    }
    findings.extend(of_provider(engine));
    let bad = std::fs::read_dir(engine.root().spool_bad()).map_or(0, Iterator::count);
    if bad > 0 {
        findings.push(json!({
            "what": format!("{bad} spooled events could not be read"),
            "next": format!("they lie in {}", engine.root().spool_bad().display()),
        }));
    }
    findings
}

/// What is wrong with the model that was set up, if anything.
fn of_provider(engine: &Engine) -> Option<Value> {
    let settings = match engine.selector()? {
        Err(problem) => {
            return Some(
                json!({"what": format!("no model is asked: {problem}"), "next": "`remora config edit` opens the file"}),
            );
        }
        Ok(settings) => settings,
    };
    let state = engine.models().state(&settings);
    let failure = state["last_failure"].as_str().unwrap_or_default();
    match state["state"].as_str() {
        Some("wrong") => Some(json!({
            "what": format!("no model is asked: {failure}"), "next": "`remora config provider --help` shows the settings",
        })),
        Some("resting") => Some(json!({
            "what": format!("the model {} is left alone for {} s: {failure}", settings.model, state["rests_seconds"]),
            "next": "until then words alone choose; `remora config provider --test` tries it now",
        })),
        _ => None,
    }
}
