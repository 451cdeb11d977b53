//! Planning an installation.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::command;
use crate::edit::Text;
use crate::edit::json::hook_groups::{self, Wanted};
use crate::edit::json::{Edited, MemberPath, member};
use crate::environment::is_executable;
use crate::manifest::{Before, EntryRecord, FileRecord, Manifest, Part, digest};
use crate::ownership::Ownership;
use crate::plan::{Applied, Note, Plan};
use crate::transaction::FileEdit;
use crate::{Environment, Error, Host, Installation, PersonPaths, backup};

/// How often an edit starts again when another program writes the same file.
const ATTEMPTS: usize = 4;

/// Our MCP server's name.
const MCP_NAME: &str = "remora";

/// The member under which it is registered.
pub(crate) const MCP_PATH: [&str; 2] = ["mcpServers", MCP_NAME];

/// What an installation shall do besides the hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Whose hooks.
    pub scope: Scope,
    /// The MCP server to register with each host that keeps servers in a JSON file of its own.
    pub mcp: Option<McpServer>,
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

/// An MCP server on standard input and output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// The executable, absolute.
    pub command: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
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
    let mut planning = Planning {
        environment,
        installation,
        manifest: Manifest { program: Manifest::default().program, ..old.clone() },
        old,
        edits: Vec::new(),
        notes: Vec::new(),
    };
    let mut missing = Vec::new();
    for &host in hosts {
        planning.hooks(host, &options.scope)?;
        if let (Some(server), Scope::User) = (&options.mcp, &options.scope) {
            planning.mcp(host, server)?;
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
        planning.notes.extend(
            host.wants.iter().map(|text| Note { host: host.id.to_owned(), text: (*text).to_owned() }),
        );
    }
    let Planning { manifest, edits, notes, .. } = planning;
    let mut all = own_files(installation, Some(&PersonPaths::of(environment)), &manifest)?;
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

struct Planning<'a> {
    environment: &'a Environment,
    installation: &'a Installation,
    old: Manifest,
    manifest: Manifest,
    edits: Vec<FileEdit>,
    notes: Vec<Note>,
}

impl Planning<'_> {
    fn hooks(&mut self, host: &'static Host, scope: &Scope) -> Result<(), Error> {
        let (path, inside) = match scope {
            Scope::User => (host.hooks_path(self.environment), None),
            Scope::Project(project) => (host.project_hooks_path(project), Some(project.clone())),
        };
        let recorded = self.old.file(&path, Part::Hooks).map_or(&[][..], |record| &record.entries);
        let ownership = Ownership::new(self.installation, recorded);
        let wanted = wanted_hooks(host, self.installation)?;
        let entries = wanted.iter().map(|(wish, executable)| entry_record(wish, executable)).collect();
        let wanted: Vec<_> = wanted.into_iter().map(|(wish, _)| wish).collect();

        let ours = |handler: &Value| ownership.is_ours(handler);
        let before = read(&path)?;
        let text = Text::read(&path, before.as_deref().unwrap_or_default())?;
        let had_ours = hook_groups::present(text.as_str())
            .map_err(|problem| problem.of(&path))?
            .iter()
            .any(|entry| ours(&entry.handler));
        let edited =
            hook_groups::write(text.as_str(), &wanted, &ours).map_err(|problem| problem.of(&path))?;
        self.put(File { host, part: Part::Hooks, path, inside, text, before, had_ours }, edited, entries);
        Ok(())
    }

    fn mcp(&mut self, host: &'static Host, server: &McpServer) -> Result<(), Error> {
        let Some(path) = host.mcp_path(self.environment) else { return Ok(()) };
        let command = server.command.to_str().ok_or_else(|| Error::UnwritablePath(server.command.clone()))?;
        let before = read(&path)?;
        let text = Text::read(&path, before.as_deref().unwrap_or_default())?;
        let there = member::get(text.as_str(), &MCP_PATH).map_err(|problem| problem.of(&path))?;
        let recorded = self.old.file(&path, Part::Mcp).map_or(&[][..], |record| &record.entries);
        let ownership = Ownership::new(self.installation, recorded);
        if there.as_ref().is_some_and(|server| !ownership.is_ours(server)) {
            let text =
                format!("{} has another MCP server called {MCP_NAME}, which was left alone", path.display());
            self.notes.push(Note { host: host.id.to_owned(), text });
            return Ok(());
        }
        let value = json!({"command": command, "args": server.args});
        let edited = member::set(text.as_str(), &MCP_PATH, &value).map_err(|problem| problem.of(&path))?;
        let entry = EntryRecord {
            event: MCP_NAME.to_owned(),
            matcher: None,
            command: command.to_owned(),
            args: Some(server.args.clone()),
            executable: server.command.clone(),
        };
        let file =
            File { host, part: Part::Mcp, path, inside: None, text, before, had_ours: there.is_some() };
        self.put(file, edited, vec![entry]);
        Ok(())
    }

    /// Adds a file's edit and its record.
    fn put(&mut self, file: File, edited: Edited, entries: Vec<EntryRecord>) {
        let File { host, part, path, inside, text, before, had_ours } = file;
        let after = text.bytes(&edited.text);
        let changes = before.as_deref() != Some(after.as_slice());
        let backup = (changes && before.is_some())
            .then(|| backup::free_name(self.installation, self.environment.now, host.id, &path));
        let old = self.old.file(&path, part);
        let first = match (&before, &backup) {
            (None, _) => {
                First { before: Before::Missing, hollow: edited.hollow, folders: missing_folders(&path) }
            }
            (Some(bytes), Some(copy)) if !had_ours => First {
                before: Before::Kept { digest: digest(bytes), backup: copy.clone() },
                hollow: edited.hollow,
                folders: Vec::new(),
            },
            (Some(bytes), _) => First::carried_over(old, bytes, edited.hollow),
        };
        self.manifest.put(FileRecord {
            host: host.id.to_owned(),
            part,
            path: path.clone(),
            before: first.before,
            after: digest(&after),
            entries,
            hollow: first.hollow,
            folders: first.folders,
        });
        if changes {
            let backup = backup.map(|name| self.installation.root().join(name));
            self.edits.push(FileEdit {
                host: Some(host.id),
                path,
                before,
                after: Some(after),
                backup,
                inside,
            });
        }
    }
}

/// One file as it was read.
struct File {
    host: &'static Host,
    part: Part,
    path: PathBuf,
    inside: Option<PathBuf>,
    text: Text,
    before: Option<Vec<u8>>,
    had_ours: bool,
}

/// What is recorded of the time before the first installation.
struct First {
    before: Before,
    hollow: Vec<MemberPath>,
    folders: Vec<PathBuf>,
}

impl First {
    /// The file had our entries already. What was before them is known only if nobody touched it since.
    fn carried_over(old: Option<&FileRecord>, now: &[u8], hollow: Vec<MemberPath>) -> Self {
        let Some(old) = old else { return Self { before: Before::Unknown, hollow, folders: Vec::new() } };
        let before = if old.after == digest(now) { old.before.clone() } else { untouched_part(&old.before) };
        let mut all = old.hollow.clone();
        all.extend(hollow.into_iter().filter(|path| !old.hollow.contains(path)));
        Self { before, hollow: all, folders: old.folders.clone() }
    }
}

/// Of a file that others changed since: it did not exist before, or its bytes before are of no more use.
fn untouched_part(before: &Before) -> Before {
    match before {
        Before::Missing => Before::Missing,
        Before::Kept { .. } | Before::Unknown => Before::Unknown,
    }
}

fn wanted_hooks(host: &Host, installation: &Installation) -> Result<Vec<(Wanted, PathBuf)>, Error> {
    host.hooks
        .iter()
        .map(|hook| {
            let executable = installation.executable(host.id, hook.executable);
            let handler = command::handler(
                host.form,
                host.timeout_unit,
                &executable,
                installation.root(),
                hook.timeout,
            )?;
            let matcher = hook.matcher.map(str::to_owned);
            Ok((Wanted { event: hook.event.to_owned(), matcher, handler }, executable))
        })
        .collect()
}

fn entry_record(wish: &Wanted, executable: &Path) -> EntryRecord {
    let args = wish.handler.get("args").and_then(Value::as_array);
    EntryRecord {
        event: wish.event.clone(),
        matcher: wish.matcher.clone(),
        command: wish.handler["command"].as_str().unwrap_or_default().to_owned(),
        args: args.map(|args| args.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        executable: executable.to_owned(),
    }
}

/// The folders above a file that do not exist, outermost first.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<_> = path
        .ancestors()
        .skip(1)
        .take_while(|folder| std::fs::symlink_metadata(folder).is_err())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    missing
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
