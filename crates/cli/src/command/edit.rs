//! `remora edit` and `remora pin`.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::ask::Engine;
use crate::failure::Failure;
use crate::output;

/// Opens the memory in the person's editor; afterwards it is read again and what is odd is said.
pub(super) fn run(engine: &Engine, name: &str, as_json: bool) -> Result<(), Failure> {
    let before = engine.ask("show", json!({"name": name}))?;
    // A snapshot is read-only: its source is what can be edited.
    let path =
        before["source"].as_str().map_or_else(|| output::text(&before, "path").into_owned(), str::to_owned);
    open_in_editor(Path::new(&path))?;
    let listed = engine.ask("list", serde_json::Value::Null)?;
    let unreadable =
        output::list(&listed, "unreadable").iter().find(|file| output::text(file, "file") == path);
    if let Some(file) = unreadable {
        return Err(Failure::new(
            "memory",
            format!("{path}:{}: {}", output::number(file, "line"), output::text(file, "problem")),
            format!("`remora edit {name}` opens it again; until then it is not recalled"),
        ));
    }
    if as_json {
        output::json(&json!({"edited": path}));
    } else {
        output::line(&format!("Read again: {}", output::path(&path)));
    }
    Ok(())
}

/// Opens a file in the person's editor and waits for it.
pub(super) fn open_in_editor(path: &Path) -> Result<(), Failure> {
    let (program, arguments) = editor()?;
    let status = Command::new(&program).args(arguments).arg(path).status().map_err(|error| {
        Failure::new(
            "usage",
            format!("the editor {program:?} does not start: {error}"),
            "set EDITOR to one that is there",
        )
    })?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new("usage", format!("the editor left with {status}"), "the file is as the editor left it"))
}

/// The person's editor with its own arguments: VISUAL, EDITOR, else vi.
fn editor() -> Result<(String, Vec<String>), Failure> {
    let set = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()));
    let words = set.unwrap_or_else(|| "vi".into());
    let mut words = words.split_whitespace().map(str::to_owned);
    match words.next() {
        Some(program) => Ok((program, words.collect())),
        None => Err(Failure::usage("there is no editor", "set EDITOR")),
    }
}

/// Sets or takes out a pin.
pub(super) fn pin(engine: &Engine, name: &str, off: bool, as_json: bool) -> Result<(), Failure> {
    let value = engine.ask("pin", json!({"name": name, "off": off}))?;
    if as_json {
        output::json(&value);
    } else {
        let verb = if off { "Unpinned" } else { "Pinned" };
        output::line(&format!(
            "{verb} {} ({})",
            output::text(&value, "name"),
            output::path(&output::text(&value, "path"))
        ));
    }
    Ok(())
}
