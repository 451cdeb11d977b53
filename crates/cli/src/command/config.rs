//! `remora config`: the person's one configuration file, edited in place.

use std::path::Path;

use remora_engine::{Config, Fault, KEYS, Key, nearest};
use serde_json::{Value, json};
use toml_edit::{DocumentMut, Item, Table};

use crate::arguments::ConfigCommand;
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output::{self, Style};
use crate::places::Places;

mod provider;

pub(super) fn run(
    engine: impl FnOnce() -> Result<Engine, Failure>,
    places: &Places,
    command: Option<ConfigCommand>,
    as_json: bool,
) -> Result<(), Failure> {
    match command.unwrap_or(ConfigCommand::Get { key: None }) {
        ConfigCommand::Path => {
            output::line(&places.config.to_string_lossy());
            Ok(())
        }
        ConfigCommand::Get { key } => get(places, key.as_deref(), as_json),
        ConfigCommand::Set { key, value } => set(places, &key, &value, as_json),
        ConfigCommand::Edit => edit(places),
        ConfigCommand::Provider(args) => provider::run(&engine()?, places, &args, as_json),
    }
}

fn get(places: &Places, key: Option<&str>, as_json: bool) -> Result<(), Failure> {
    let document = read(&places.config)?;
    let keys: Vec<&Key> = match key {
        None => KEYS.iter().collect(),
        Some(wanted) => vec![known(wanted)?],
    };
    let value_of = |key: &Key| written(&document, &split(key.name));
    let single = key.map(|wanted| written(&document, split(wanted).as_slice()));
    let rows: Vec<Value> = keys
        .iter()
        .map(|key| {
            let set = single.clone().unwrap_or_else(|| value_of(key));
            json!({"key": key.name, "value": set.clone().unwrap_or_else(|| key.default.to_owned()), "is_default": set.is_none(), "about": key.about})
        })
        .collect();
    if as_json {
        output::json(&json!({"file": places.config, "keys": rows}));
        return Ok(());
    }
    for row in &rows {
        let value = output::text(row, "value");
        let value = if value.is_empty() { "(not set)".into() } else { value };
        let mark = if row["is_default"] == Value::Bool(true) { "" } else { "  (yours)" };
        output::line(&format!("{} = {value}{mark}", output::styled(&output::text(row, "key"), Style::Bold)));
        output::line(&output::styled(&format!("  {}", output::text(row, "about")), Style::Faint));
    }
    output::line(&output::styled(
        &format!("\nYour file: {}", output::path(&places.config.to_string_lossy())),
        Style::Faint,
    ));
    Ok(())
}

/// Writes one value; every other byte of the file stays, and a file that would not be understood is not written.
fn set(places: &Places, key: &str, value: &str, as_json: bool) -> Result<(), Failure> {
    known(key)?;
    let mut document = read(&places.config)?;
    put(&mut document, &split(key), value)?;
    let text = document.to_string();
    let (config, mut problems) = Config::parse(&text).map_err(|problem| {
        Failure::usage(
            format!("{key} cannot be {value}: {}", problem.lines().last().unwrap_or_default()),
            "`remora config get` shows what it may be",
        )
    })?;
    let faults = config.faults(places.home.as_deref(), &places.root);
    refuse_faults(&faults, key, value)?;
    problems.extend(faults.iter().map(ToString::to_string));
    write(&places.config, &text)?;
    places.record()?;
    if as_json {
        output::json(&json!({"file": places.config, "key": key, "value": value, "problems": problems}));
    } else {
        output::line(&format!("{key} = {value} in {}", output::path(&places.config.to_string_lossy())));
        problems.iter().for_each(|problem| output::line(&format!("  {problem}")));
    }
    Ok(())
}

/// A value that would not be applied is not written. What is wrong with other settings is no reason.
fn refuse_faults(faults: &[Fault], key: &str, value: &str) -> Result<(), Failure> {
    let path = split(key);
    let of_key = faults.iter().filter(|fault| split(&fault.key) == path);
    let what: Vec<&str> = of_key.map(|fault| fault.what.as_str()).collect();
    if what.is_empty() {
        return Ok(());
    }
    Err(Failure::usage(
        format!("{key} cannot be {value}: {}", what.join("; ")),
        format!("nothing was changed; `remora config get {key}` shows what it is and what it may be"),
    ))
}

/// Switches memory in one project on or off.
pub(super) fn switch_project(places: &Places, root: &str, on: bool) -> Result<(), Failure> {
    let mut document = read(&places.config)?;
    put(
        &mut document,
        &["projects".to_owned(), root.to_owned(), "enabled".to_owned()],
        if on { "true" } else { "false" },
    )?;
    write(&places.config, &document.to_string())
}

fn edit(places: &Places) -> Result<(), Failure> {
    if !places.config.exists() {
        write(&places.config, &template())?;
    }
    super::edit::open_in_editor(&places.config)?;
    let text = remora_engine::ordinary::read_to_string(&places.config)?;
    match Config::parse(&text) {
        Ok((config, mut problems)) => {
            let faults = config.faults(places.home.as_deref(), &places.root);
            problems.extend(faults.iter().map(ToString::to_string));
            if problems.is_empty() {
                output::line("Read again: all is understood.");
            }
            problems.iter().for_each(|problem| output::line(problem));
        }
        Err(problem) => {
            return Err(Failure::new(
                "config",
                format!("{} does not parse: {problem}", places.config.display()),
                "`remora config edit` opens it again; an engine that runs keeps the settings from before, one that starts keeps memory off",
            ));
        }
    }
    Ok(())
}

/// A first file: nothing set, everything explained.
fn template() -> String {
    let mut text = String::from("# Remora's configuration. Take the # off what you want to change.\n");
    for key in KEYS.iter().filter(|key| !key.name.contains(['.', '*'])) {
        text.push_str(&format!("\n# {}\n# {} = {}\n", key.about, key.name, key.default));
    }
    text
}

fn known(wanted: &str) -> Result<&'static Key, Failure> {
    let path = split(wanted);
    let pattern = match path.as_slice() {
        [projects, _, rest @ ..] if projects == "projects" => format!("projects.*.{}", rest.join(".")),
        _ => wanted.to_owned(),
    };
    KEYS.iter().find(|key| key.name == pattern).ok_or_else(|| {
        let hint = match nearest(&pattern) {
            Some(near) => format!("did you mean {near}?"),
            None => "`remora config get` lists the keys".to_owned(),
        };
        Failure::usage(format!("there is no key {wanted:?}"), hint)
    })
}

/// A key's parts; a project's path, which may have dots, is quoted: `projects."/home/me/x.y".enabled`.
fn split(key: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for character in key.chars() {
        match character {
            '"' => quoted = !quoted,
            '.' if !quoted => parts.push(String::new()),
            other => parts.last_mut().expect("never empty").push(other),
        }
    }
    parts
}

fn written(document: &DocumentMut, path: &[String]) -> Option<String> {
    let mut item: &Item = document.as_item();
    for part in path {
        item = item.get(part)?;
    }
    // Tables that are written one by one are a list all the same.
    let value = match item {
        Item::ArrayOfTables(tables) => toml_edit::Value::Array(tables.clone().into_array()),
        other => other.as_value()?.clone(),
    };
    Some(value.decorated("", "").to_string())
}

fn put(document: &mut DocumentMut, path: &[String], value: &str) -> Result<(), Failure> {
    let parsed: toml_edit::Value = value
        .parse()
        .or_else(|_| format!("{value:?}").parse())
        .map_err(|_| Failure::usage(format!("{value:?} is no value"), "write true, 9000 or \"30m\""))?;
    let (last, tables) =
        path.split_last().ok_or_else(|| Failure::usage("which key?", "`remora config get` lists them"))?;
    let mut table: &mut Table = document.as_table_mut();
    for (depth, part) in tables.iter().enumerate() {
        let made = table.entry(part).or_insert_with(|| {
            let mut new = Table::new();
            new.set_implicit(depth + 1 < tables.len());
            Item::Table(new)
        });
        table = made.as_table_mut().ok_or_else(|| {
            Failure::new("config", format!("{part} is written inline"), "`remora config edit` opens the file")
        })?;
    }
    match table.get_mut(last).and_then(Item::as_value_mut) {
        // What stands around the old value stays: a comment behind it, for one.
        Some(old) => {
            let decor = old.decor().clone();
            *old = parsed;
            *old.decor_mut() = decor;
        }
        None => {
            table.insert(last, Item::Value(parsed));
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<DocumentMut, Failure> {
    let text = match remora_engine::ordinary::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        read => read?,
    };
    text.parse().map_err(|error: toml_edit::TomlError| {
        Failure::new(
            "config",
            format!("{} does not parse: {}", path.display(), error.to_string().trim_end()),
            "`remora config edit` opens it; it was left as it is",
        )
    })
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    // A link in somebody's dot files is followed, not replaced.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let fresh = path.with_extension("toml.new");
    std::fs::write(&fresh, text)?;
    if let Ok(found) = std::fs::metadata(&path) {
        std::fs::set_permissions(&fresh, found.permissions())?;
    }
    std::fs::rename(&fresh, &path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_set_in_place_and_everything_else_stays() {
        let text = "# mine\nnotice = \"start\"  # quiet\n\n[engine]\n# long\nidle_exit = \"2h\"\n";
        let mut document: DocumentMut = text.parse().expect("it parses");
        put(&mut document, &split("notice"), "never").expect("set");
        put(&mut document, &split("inject.budget.prompt"), "3000").expect("set");
        put(&mut document, &split("projects.\"/home/me/x.y\".enabled"), "false").expect("set");
        insta::assert_snapshot!(document.to_string(), @r#"
        # mine
        notice = "never"  # quiet

        [engine]
        # long
        idle_exit = "2h"

        [inject.budget]
        prompt = 3000

        [projects."/home/me/x.y"]
        enabled = false
        "#);
        assert_eq!(written(&document, &split("inject.budget.prompt")), Some("3000".into()));
    }
}
