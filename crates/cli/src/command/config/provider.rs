//! `remora config provider`: sets up the model that chooses memories, and asks it once.

use serde_json::{Value, json};
use toml_edit::DocumentMut;

use super::{put, read, split, write};
use crate::arguments::Provider;
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output;
use crate::places::Places;

/// Every key that says whom to ask.
const KEYS: [&str; 5] =
    ["provider.kind", "provider.url", "provider.key_command", "provider.key_file", "models.select"];

const HOW: &str = "for example `remora config provider --kind anthropic --model MODEL --key-command \"pass show anthropic\"`, or \
                   `remora config provider --kind openai-compatible --url http://localhost:11434/v1 --model MODEL`";

pub(super) fn run(engine: &Engine, places: &Places, args: &Provider, as_json: bool) -> Result<(), Failure> {
    if args.test {
        return told(&engine.ask("provider_test", Value::Null)?, as_json);
    }
    let before = remora_engine::ordinary::read_to_string(&places.config).ok();
    let mut document = read(&places.config)?;
    if args.off {
        KEYS.iter().for_each(|key| remove(&mut document, &split(key)));
        write(&places.config, &document.to_string())?;
        if as_json {
            output::json(&json!({"kind": null, "model": null}));
        } else {
            output::line("No model is asked any more: words alone choose.");
        }
        return Ok(());
    }
    let (Some(kind), Some(model)) = (&args.kind, &args.model) else {
        return Err(Failure::usage("--kind and --model say whom to ask", HOW));
    };
    if !["anthropic", "openai-compatible"].contains(&kind.as_str()) {
        return Err(Failure::usage(
            format!("there is no kind {kind:?}: write anthropic or openai-compatible"),
            HOW,
        ));
    }
    let key_file = args.key_file.as_ref().map(std::path::absolute).transpose()?;
    let key_file = key_file.map(|file| file.to_string_lossy().into_owned());
    let values = [Some(kind), args.url.as_ref(), args.key_command.as_ref(), key_file.as_ref(), Some(model)];
    for (key, value) in KEYS.iter().zip(values) {
        match value {
            Some(value) => {
                put(&mut document, &split(key), &toml_edit::Value::from(value.as_str()).to_string())?;
            }
            None => remove(&mut document, &split(key)),
        }
    }
    write(&places.config, &document.to_string())?;
    places.record()?;
    match engine.ask("provider_test", Value::Null) {
        Ok(answer) => told(&answer, as_json),
        Err(failure) => {
            // What does not work is not left behind.
            match before {
                Some(text) => write(&places.config, &text)?,
                None => std::fs::remove_file(&places.config)?,
            }
            Err(failure)
        }
    }
}

fn told(answer: &Value, as_json: bool) -> Result<(), Failure> {
    if as_json {
        output::json(answer);
    } else {
        output::line(&format!(
            "{} ({}) answered in {} ms. From the next prompt on it chooses which memories are given, beside what words \
             alone find; each prompt then costs some tokens: `remora status` counts them, `provider.daily_tokens` limits them.",
            output::text(answer, "model"),
            output::text(answer, "kind"),
            output::number(answer, "millis"),
        ));
    }
    Ok(())
}

fn remove(document: &mut DocumentMut, path: &[String]) {
    let [table, key] = path else { return };
    if let Some(inner) = document.get_mut(table).and_then(|item| item.as_table_like_mut()) {
        inner.remove(key);
        if inner.is_empty() {
            document.remove(table);
        }
    }
}
