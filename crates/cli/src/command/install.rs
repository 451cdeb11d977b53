//! `remora install` and `remora uninstall`: the hosts' configuration, shown before it is written.

use std::io::{IsTerminal as _, Write as _};

use remora_install::{
    ClaudeMemory, Environment, HOSTS, Host, Installation, McpServer, Options as InstallOptions, Plan, Scope,
};
use serde_json::{Value, json};

use super::history;
use super::purged::Purged;
use super::trust::Trusting;
use crate::arguments::{ClaudeMemoryChoice, HistoryImport, Install, InstallScope, Uninstall};
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output::{self, Style};
use crate::places::Places;

/// The person's machine as this command sees it.
pub(super) fn environment(places: &Places) -> Result<Environment, Failure> {
    let folder = places.config.parent().map(std::path::Path::to_owned).unwrap_or_default();
    Environment::of_process(folder).ok_or_else(|| {
        Failure::new(
            "usage",
            "there is no home folder, so there are no hosts to wire up",
            "set HOME to your home folder",
        )
    })
}

pub(super) fn installation(places: &Places) -> Result<Installation, Failure> {
    Installation::new(&places.root).map_err(said)
}

/// The installer's error with its next step.
#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
pub(super) fn said(error: remora_install::Error) -> Failure {
    let hint = error.hint().unwrap_or_default();
    let mut message = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        if !message.contains(&cause.to_string()) {
            message = format!("{message}: {cause}");
        }
        source = cause.source();
    }
    Failure::new("install", message, hint)
}

pub(super) fn run(engine: &Engine, places: &Places, args: &Install, as_json: bool) -> Result<(), Failure> {
    let environment = environment(places)?;
    let installation = installation(places)?;
    let hosts = chosen(&environment, &args.hosts, args.all)?;
    if hosts.is_empty() {
        return nothing_found(as_json);
    }
    let scope = match args.scope {
        InstallScope::User => Scope::User,
        InstallScope::Project => Scope::Project(engine.folder()?),
    };
    let claude_memory = args.claude_memory.map(|choice| match choice {
        ClaudeMemoryChoice::Use => ClaudeMemory::Use,
        ClaudeMemoryChoice::Import => ClaudeMemory::Import,
    });
    let options = InstallOptions { scope, mcp: Some(mcp_server(&installation)), claude_memory };
    let plan = remora_install::plan_install(&environment, &installation, &hosts, &options).map_err(said)?;
    let names: Vec<&str> = hosts.iter().map(|host| host.id).collect();
    if args.dry_run && !plan.is_empty() {
        return dry_run(&plan, &installation, None, as_json);
    }
    let trust = Trusting { environment: &environment, installation: &installation, hosts: &hosts, args };
    if plan.is_empty() {
        let text = format!("Already wired up: {}. Nothing was changed.", names.join(", "));
        return trust.told(json!({"hosts": names, "changed": [], "notes": []}), text, as_json);
    }
    if !args.yes {
        confirm(&plan, &format!("Wire up {}?", names.join(", ")))?;
    }
    let notes = notes_of(&plan);
    let wired = wired(&hosts, &plan);
    drop(plan);
    let applied = remora_install::install(&environment, &installation, &hosts, &options).map_err(said)?;
    // The engine learns of the new installation by being the newest build.
    let status = engine.ask("status", Value::Null);
    let running = status.is_ok();
    let mut text = wired;
    if let Some(folder) = applied.backups.first().and_then(|backup| backup.parent()) {
        let count = i64::try_from(applied.backups.len()).unwrap_or(i64::MAX);
        text.push_str(&format!(
            "{} as it was before: {}\n",
            output::counted(count, "file is kept", "files are kept"),
            output::path(&folder.to_string_lossy())
        ));
    }
    if !notes.is_empty() {
        text.push_str("Left to you:\n");
        notes.iter().for_each(|note| text.push_str(&format!("  {note}\n")));
    }
    let sources = status.as_ref().map(|status| output::list(status, "sources").to_vec()).unwrap_or_default();
    if let Some(sources) = super::status::sources(&sources) {
        text.push_str(&format!("Snapshots are taken of what lies in {sources}; nothing is written there.\n"));
    }
    if !running {
        text.push_str("The engine could not be started yet: `remora doctor` looks for the reason.\n");
    }
    text.push_str(
        "`remora doctor --prove` runs every hook once; sessions that start from now on remember.\n",
    );
    let found = running.then(|| history::found(&environment.home)).flatten();
    if let Some(found) = &found {
        text.push_str(&format!("Earlier sessions: {found}; `remora import history` brings them in.\n"));
    }
    let value = json!({
        "hosts": names, "changed": applied.files, "backups": applied.backups, "notes": notes, "engine": running, "sources": sources,
        "history": found,
    });
    trust.told(value, text, as_json)?;
    if found.is_some() && !args.yes && !as_json && is_wanted("Bring these earlier sessions in now?")? {
        history::run(engine, &HistoryImport::default(), false, as_json)?;
    }
    Ok(())
}

/// One line a host: its name, and the files that are written for it.
fn wired(hosts: &[&'static Host], plan: &Plan) -> String {
    let width = hosts.iter().map(|host| host.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for host in hosts {
        let of_host = plan.edits().iter().filter(|edit| edit.host == Some(host.id));
        let files: Vec<String> = of_host.map(|edit| output::path(&edit.path.to_string_lossy())).collect();
        let files = if files.is_empty() { "as before".to_owned() } else { files.join(", ") };
        let name = output::styled(host.name, Style::Bold);
        let space = " ".repeat(width - host.name.len());
        text.push_str(&format!("{name} is wired up.{space}  {files}\n"));
    }
    text
}

/// What is left to the person, host by host.
fn notes_of(plan: &Plan) -> Vec<String> {
    let name_of = |id: &str| Host::by_id(id).map_or_else(|| id.to_owned(), |host| host.name.to_owned());
    plan.notes().iter().map(|note| format!("{}: {}", name_of(&note.host), note.text)).collect()
}

/// Our MCP server as a host starts it: with its data root named, whatever the host's environment says.
fn mcp_server(installation: &Installation) -> McpServer {
    let root = installation.root().to_string_lossy().into_owned();
    McpServer { command: installation.command(), args: vec!["--root".into(), root, "mcp".into()] }
}

pub(super) fn uninstall(
    engine: &Engine,
    places: &Places,
    args: &Uninstall,
    as_json: bool,
) -> Result<(), Failure> {
    let environment = environment(places)?;
    let installation = installation(places)?;
    let named: Vec<String> = args.hosts.clone();
    for host in &named {
        known(host)?;
    }
    let hosts = if args.all || named.is_empty() { None } else { Some(named.as_slice()) };
    let plan = remora_install::plan_uninstall(&environment, &installation, hosts).map_err(said)?;
    let everything = hosts.is_none();
    // With hosts named, memory stays for the others.
    let purges = args.purge && everything;
    let purged = (purges && (args.dry_run || !args.yes)).then(|| Purged::of(engine, places)).flatten();
    if args.dry_run {
        return dry_run(&plan, &installation, purged.as_ref(), as_json);
    }
    if !args.yes {
        let what = hosts.map_or_else(|| "every host".to_owned(), |hosts| hosts.join(", "));
        let purge = purged.map_or(String::new(), |purged| format!(" and DELETE {}", purged.said()));
        confirm(&plan, &format!("Take Remora out of {what}{purge}?"))?;
    }
    drop(plan);
    let applied = remora_install::uninstall(&environment, &installation, hosts).map_err(said)?;
    let mut text = String::new();
    for file in applied.files.iter().filter(|file| !file.starts_with(&places.root)) {
        text.push_str(&format!("Taken out of {}\n", output::path(&file.to_string_lossy())));
    }
    if everything {
        // Entries went first; now nobody calls the executables any more.
        super::engine::stop_and_wait(engine)?;
        remove_programs(places)?;
        text.push_str("The engine has left and the programs are removed.\n");
        if args.purge {
            std::fs::remove_dir_all(&places.root)?;
            text.push_str("All memory and the journal are deleted.\n");
        } else if places.root.exists() {
            text.push_str(&format!(
                "Memory stays in {}; --purge deletes it.\n",
                output::path(&places.root.to_string_lossy())
            ));
        }
    }
    if text.is_empty() {
        text.push_str("Nothing of Remora was there.");
    }
    report(as_json, &json!({"changed": applied.files, "purged": purges}), text.trim_end())
}

/// `remora hosts`: what there is on this machine.
pub(super) fn hosts(places: &Places, as_json: bool) -> Result<(), Failure> {
    let environment = environment(places)?;
    let rows: Vec<Value> = HOSTS
        .iter()
        .map(|host| {
            let found = host.detect(&environment);
            json!({
                "host": host.id,
                "name": host.name,
                "found": found.is_found(),
                "version": Value::Null,
                "program": found.program,
                "folder": found.folder,
                "events": host.hooks.iter().map(|hook| hook.event).collect::<Vec<_>>(),
            })
        })
        .collect();
    if as_json {
        output::json(&json!({"hosts": rows}));
        return Ok(());
    }
    let lines: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let found = if row["found"] == Value::Bool(true) { "found" } else { "not here" };
            vec![
                output::text(row, "host").into_owned(),
                output::text(row, "name").into_owned(),
                found.to_owned(),
                output::text(row, "version").into_owned(),
            ]
        })
        .collect();
    output::line(output::columns(&lines).trim_end());
    Ok(())
}

fn known(id: &str) -> Result<&'static Host, Failure> {
    Host::by_id(id).ok_or_else(|| {
        let ids: Vec<&str> = HOSTS.iter().map(|host| host.id).collect();
        Failure::usage(format!("there is no host {id:?}"), format!("the hosts are {}", ids.join(", ")))
    })
}

/// The hosts that were named, or those that are on this machine.
fn chosen(environment: &Environment, named: &[String], all: bool) -> Result<Vec<&'static Host>, Failure> {
    if !named.is_empty() && !all {
        return named.iter().map(|id| known(id)).collect();
    }
    Ok(HOSTS.iter().copied().filter(|host| host.detect(environment).is_found()).collect())
}

fn nothing_found(as_json: bool) -> Result<(), Failure> {
    let ids: Vec<&str> = HOSTS.iter().map(|host| host.id).collect();
    report(
        as_json,
        &json!({"hosts": [], "changed": [], "notes": []}),
        &format!(
            "No coding agent was found on this machine (looked for {}).\n  `remora demo` shows what Remora does; `remora install HOST` wires one up all the same.",
            ids.join(", ")
        ),
    )
}

fn dry_run(
    plan: &Plan,
    installation: &Installation,
    purged: Option<&Purged>,
    as_json: bool,
) -> Result<(), Failure> {
    let files: Vec<Value> =
        plan.edits().iter().map(|edit| json!({"file": edit.path, "does": edit.verb()})).collect();
    let mut text = if plan.is_empty() { "Nothing would be changed.".to_owned() } else { plan.diff() };
    let missing: Vec<&std::path::PathBuf> = plan.missing().iter().flat_map(|(_, missing)| missing).collect();
    if let Some(note) = missing_programs(plan, installation) {
        text.push_str(&format!("\n{note}"));
    }
    if let Some(purged) = purged {
        text.push_str(&format!("\nDELETED for good would be {}.\n", purged.said()));
    }
    let purged = purged.map(Purged::value);
    let value =
        json!({"dry_run": true, "edits": files, "diff": plan.diff(), "missing": missing, "purge": purged});
    report(as_json, &value, text.trim_end())
}

/// Which programs have to be there before this can be done, and where they come from.
fn missing_programs(plan: &Plan, installation: &Installation) -> Option<String> {
    let count = plan.missing().iter().map(|(_, missing)| missing.len()).sum::<usize>();
    if count == 0 {
        return None;
    }
    let hosts: Vec<&str> = plan.missing().iter().map(|(host, _)| host.as_str()).collect();
    let bin = installation.bin();
    let own = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.to_owned()));
    let beside = own.filter(|own| *own != bin && hosts.iter().any(|host| own.join(host).is_dir()));
    let next = match beside {
        Some(own) => format!(
            "They lie beside this program: copy what is in {} there, and run that `remora`.",
            output::path(&own.to_string_lossy())
        ),
        None => "`install/install.sh` in the sources builds them and puts them there.".to_owned(),
    };
    Some(format!(
        "Not there yet: {} of {} in {}. Nothing is wired up before they are.\n  {next}\n",
        output::counted(i64::try_from(count).unwrap_or(i64::MAX), "program", "programs"),
        hosts.join(", "),
        output::path(&bin.to_string_lossy()),
    ))
}

/// Shows what would be written and asks. Without a terminal it says which flag it needed.
fn confirm(plan: &Plan, question: &str) -> Result<(), Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "this changes files, and there is no terminal to ask at",
            "--yes does it, --dry-run shows it",
        ));
    }
    output::line(plan.diff().trim_end());
    ask(question)
}

/// Asks; anything but yes ends the command.
pub(super) fn ask(question: &str) -> Result<(), Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "this is asked of you, and there is no terminal to ask at",
            "--yes says yes",
        ));
    }
    if is_wanted(question)? {
        return Ok(());
    }
    output::line("Nothing was changed.");
    Err(Failure::said())
}

/// Whether the person says yes. Nobody there says no.
fn is_wanted(question: &str) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    let mut out = std::io::stdout().lock();
    let _ = write!(out, "\n{question} [y/N] ");
    let _ = out.flush();
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn remove_programs(places: &Places) -> Result<(), Failure> {
    let bin = places.root.join("bin");
    match std::fs::remove_dir_all(&bin) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(anyhow::Error::from(error).context(format!("removing {}", bin.display())).into())
        }
        _ => Ok(()),
    }
}

pub(super) fn report(as_json: bool, value: &Value, text: &str) -> Result<(), Failure> {
    if as_json {
        output::json(value);
    } else {
        output::line(text);
    }
    Ok(())
}
