//! Planning an installation.

use std::io;
use std::path::{Path, PathBuf};

use crate::command;
use crate::draft::Draft;
use crate::edit::json::hook_groups::Wanted;
use crate::edit::{Text, toml};
use crate::environment::is_executable;
use crate::manifest::Manifest;
use crate::mcp::McpServer;
use crate::plan::{Applied, Note, Plan};
use crate::transaction::FileEdit;
use crate::{Environment, Error, Host, Installation, PersonPaths, backup};

/// How often an edit starts again when another program writes the same file.
const ATTEMPTS: usize = 4;

/// What an installation shall do besides the hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Whose hooks.
    pub scope: Scope,
    /// The MCP server to register with each host. Not in a project: its servers are the repository's matter.
    pub mcp: Option<McpServer>,
    /// What becomes of Claude Code's own memory; nothing: the configuration stays as it is.
    pub claude_memory: Option<ClaudeMemory>,
}

/// What becomes of the memory that Claude Code keeps itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaudeMemory {
    /// Its folder is the memory of each project: one copy, which both read.
    Use,
    /// The two are kept apart, and Claude Code's is imported.
    Import,
}

/// Whose hooks are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Scope {
    /// The person's: they run in every project.
    #[default]
    User,
    /// The person's in one project, whose root this is: in the file that is theirs alone, not the one that
    /// the repository carries.
    Project(PathBuf),
}

/// Plans and applies, again when another program was faster.
pub fn install(
    environment: &Environment,
    installation: &Installation,
    hosts: &[&'static Host],
    options: &Options,
) -> Result<Applied, Error> {
    retrying(|| plan_install(environment, installation, hosts, options))
}

pub(crate) fn retrying(plan: impl Fn() -> Result<Plan, Error>) -> Result<Applied, Error> {
    let lost_a_race = |e: &Error| {
        matches!(e, Error::RolledBack { source, stuck }
        if stuck.is_empty() && matches!(**source, Error::Changed(_)))
    };
    for _ in 1..ATTEMPTS {
        match plan()?.apply() {
            Err(e) if lost_a_race(&e) => {}
            result => return result,
        }
    }
    plan()?.apply()
}

/// Works out what it takes to wire up these hosts. Reads the files, writes nothing.
pub fn plan_install(
    environment: &Environment,
    installation: &Installation,
    hosts: &[&'static Host],
    options: &Options,
) -> Result<Plan, Error> {
    let old = Manifest::read(installation)?;
    let mut manifest = Manifest { program: Manifest::default().program, ..old.clone() };
    let mut edits = Vec::new();
    let mut notes = Vec::new();
    let mut missing = Vec::new();
    for &host in hosts {
        for draft in drafts(environment, installation, &old, host, options, &mut notes)? {
            let (record, edit) = draft.finish(environment, &old);
            manifest.put(record);
            edits.extend(edit);
        }
        let absent: Vec<_> = host
            .hooks
            .iter()
            .map(|hook| installation.executable(host.id, hook.executable))
            .filter(|path| !is_executable(path))
            .collect();
        if !absent.is_empty() {
            missing.push((host.id.to_owned(), absent));
        }
        notes.extend(
            host.wants.iter().map(|text| Note { host: host.id.to_owned(), text: (*text).to_owned() }),
        );
    }
    let mut all = own_files(installation, Some(&PersonPaths::of(environment)), &manifest)?;
    if let Some(choice) = options.claude_memory {
        all.extend(memory_choice(environment, installation, choice, &mut notes)?);
    }
    all.extend(edits);
    Ok(Plan {
        installation: installation.clone(),
        edits: all,
        manifest,
        notes,
        missing,
        emptied_folders: Vec::new(),
    })
}

/// The edits of the installation's own files.
pub(crate) fn own_files(
    installation: &Installation,
    paths: Option<&PersonPaths>,
    manifest: &Manifest,
) -> Result<Vec<FileEdit>, Error> {
    let mut edits = Vec::new();
    let mut edit = |path: PathBuf, before: Option<Vec<u8>>, after: Option<Vec<u8>>| {
        if before != after {
            edits.push(FileEdit { host: None, path, before, after, backup: None, inside: None });
        }
    };
    if let Some(paths) = paths {
        let path = installation.root_toml();
        let before = read(&path)?;
        let text = Text::read(&path, before.as_deref().unwrap_or_default())?;
        let after = paths.written_into(installation, text.as_str())?;
        edit(path, before, Some(after.into_bytes()));
    }
    let path = installation.manifest();
    let after = if manifest.files.is_empty() { None } else { Some(manifest.bytes()?) };
    edit(path.clone(), read(&path)?, after);
    Ok(edits)
}

/// Writes the choice down in Remora's configuration. A folder that the person named there themselves stays.
fn memory_choice(
    environment: &Environment,
    installation: &Installation,
    choice: ClaudeMemory,
    notes: &mut Vec<Note>,
) -> Result<Option<FileEdit>, Error> {
    const KEY: &str = "memory_dir";
    let native = serde_json::Value::from("native:claude-code");
    let path = PersonPaths::of(environment).config;
    let before = read(&path)?;
    let text = Text::read(&path, before.as_deref().unwrap_or_default())?;
    let of_path = |problem: crate::edit::Problem| problem.of(&path);
    let there = toml::get(text.as_str(), &[KEY]).map_err(of_path)?;
    if let Some(named) = there.as_ref().filter(|there| **there != native) {
        let text = format!("`{KEY}` is {named} in {}, and stays so", path.display());
        notes.push(Note { host: "claude-code".into(), text });
        return Ok(None);
    }
    let value = (choice == ClaudeMemory::Use).then_some(&native);
    if there.as_ref() == value {
        return Ok(None);
    }
    let edited = toml::set_root_key(text.as_str(), KEY, value).map_err(of_path)?;
    let backup = before.is_some().then(|| backup::free_name(installation, environment.now, "remora", &path));
    Ok(Some(FileEdit {
        host: None,
        after: Some(text.bytes(&edited)),
        backup: backup.map(|name| installation.root().join(name)),
        inside: None,
        before,
        path,
    }))
}

fn drafts<'a>(
    environment: &Environment,
    installation: &'a Installation,
    old: &'a Manifest,
    host: &'static Host,
    options: &Options,
    notes: &mut Vec<Note>,
) -> Result<Vec<Draft<'a>>, Error> {
    let (path, inside) = match &options.scope {
        Scope::User => (host.hooks_path(environment), None),
        Scope::Project(project) => (host.project_hooks_path(project), Some(project.clone())),
    };
    let mut hooks = Draft::read(installation, old, host, path, inside)?;
    hooks.put_hooks()?;
    notes.extend(hooks.unreadable().map(|text| Note { host: host.id.to_owned(), text }));
    let mut drafts = vec![hooks];
    drafts.extend(beside(installation, old, host, drafts[0].path(), &options.scope)?);
    let (Some(server), Scope::User, Some(file)) = (&options.mcp, &options.scope, &host.mcp) else {
        return Ok(drafts);
    };
    let path = file.path(host, environment);
    let is_new = drafts[0].path() != path;
    if is_new {
        drafts.push(Draft::read(installation, old, host, path.clone(), None)?);
    }
    let of_server = if is_new { drafts.len() - 1 } else { 0 };
    if !drafts[of_server].put_server(file.format, server)? {
        let text = format!("{} has another MCP server called remora, which was left alone", path.display());
        notes.push(Note { host: host.id.to_owned(), text });
        if is_new {
            drafts.truncate(of_server);
        }
    }
    Ok(drafts)
}

/// What spares the person a download, where nothing of it is there yet. What was written before stays on record.
fn beside<'a>(
    installation: &'a Installation,
    old: &'a Manifest,
    host: &'static Host,
    hooks: &Path,
    scope: &Scope,
) -> Result<Vec<Draft<'a>>, Error> {
    let Some(folder) = hooks.ancestors().nth(Path::new(host.hooks_file).components().count()) else {
        return Ok(Vec::new());
    };
    if host.beside.unless.iter().any(|name| std::fs::symlink_metadata(folder.join(name)).is_ok()) {
        return Ok(Vec::new());
    }
    let inside = match scope {
        Scope::User => None,
        Scope::Project(project) => Some(project.clone()),
    };
    let draft = |(name, text): &(&str, &str)| {
        let mut draft = Draft::read(installation, old, host, folder.join(name), inside.clone())?;
        draft.put_text(text);
        Ok(draft)
    };
    host.beside.files.iter().map(draft).collect()
}

/// What a host's hooks look like in this installation, each with its executable. `in_project`: in a project's file.
pub(crate) fn wanted_hooks(
    host: &Host,
    installation: &Installation,
    in_project: bool,
) -> Result<Vec<(Wanted, PathBuf)>, Error> {
    host.hooks
        .iter()
        .filter(|hook| !(in_project && hook.own_file_only))
        .map(|hook| {
            let handler = command::handler(host, hook, installation)?;
            let matcher = hook.matcher.map(str::to_owned);
            let wish = Wanted { event: hook.event.to_owned(), matcher, handler };
            Ok((wish, installation.executable(host.id, hook.executable)))
        })
        .collect()
}

/// A file's bytes; nothing: there is no such file. A link that leads nowhere is no file either.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(_) if path.is_dir() => Err(Error::NotAFile(path.to_owned())),
        Err(e) => Err(Error::io("read", path)(e)),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn edit(path: &Path, before: &str) -> Plan {
        let edit = FileEdit {
            host: None,
            path: path.to_owned(),
            before: Some(before.into()),
            after: Some("ours".into()),
            backup: None,
            inside: None,
        };
        Plan {
            installation: Installation::new("/nowhere").expect("an absolute root"),
            edits: vec![edit],
            manifest: Manifest::default(),
            notes: Vec::new(),
            missing: Vec::new(),
            emptied_folders: Vec::new(),
        }
    }

    #[test]
    fn a_race_that_was_lost_is_run_again_but_not_for_ever() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("settings.json");
        for (races, wins) in [(0, true), (3, true), (4, false)] {
            let run = Cell::new(0);
            let result = retrying(|| {
                let seen = format!("theirs {}", run.get());
                run.set(run.get() + 1);
                // The other program writes after we have read, as often as the case says.
                let now = if run.get() <= races { format!("theirs {}", run.get()) } else { seen.clone() };
                std::fs::write(&path, now).map_err(Error::io("write", &path))?;
                Ok(edit(&path, &seen))
            });
            assert_eq!(result.is_ok(), wins, "{races}: {result:?}");
            let left = std::fs::read_to_string(&path).expect("the file");
            assert_eq!(left == "ours", wins, "{races}: {left}");
        }
    }
}
