//! One configuration file while it is being planned.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::edit::Text;
use crate::edit::json::{Edited, MemberPath, hook_groups, member};
use crate::host::Shape;
use crate::install::{read, wanted_hooks};
use crate::manifest::{Before, EntryKind, EntryRecord, FileRecord, Manifest, digest};
use crate::mcp::{self, McpServer};
use crate::ownership::Ownership;
use crate::transaction::{self, FileEdit};
use crate::{Environment, Error, Host, Installation, backup, check, plugin};

/// A file as it is, and as it shall be. Hooks and an MCP server may go into the same one.
pub(crate) struct Draft<'a> {
    installation: &'a Installation,
    host: &'static Host,
    path: PathBuf,
    inside: Option<PathBuf>,
    recorded: &'a [EntryRecord],
    before: Option<Vec<u8>>,
    text: Text,
    edited: String,
    had_ours: bool,
    entries: Vec<EntryRecord>,
    hollow: Vec<MemberPath>,
}

impl<'a> Draft<'a> {
    /// Reads a file.
    pub(crate) fn read(
        installation: &'a Installation,
        old: &'a Manifest,
        host: &'static Host,
        path: PathBuf,
        inside: Option<PathBuf>,
    ) -> Result<Self, Error> {
        if let Some(project) = &inside {
            transaction::stays_inside(&path, project)?;
        }
        let before = read(&path)?;
        let text = Text::read(&path, before.as_deref().unwrap_or_default())?;
        let recorded = old.entries(&path);
        Ok(Self {
            installation,
            host,
            inside,
            recorded,
            before,
            edited: text.as_str().to_owned(),
            text,
            had_ours: false,
            entries: Vec::new(),
            hollow: Vec::new(),
            path,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What the host's own reader does not take of the file, as a sentence.
    pub(crate) fn unreadable(&self) -> Option<String> {
        check::unreadable(self.host, &self.path, &self.edited)
    }

    /// Puts the host's hooks in.
    pub(crate) fn put_hooks(&mut self) -> Result<(), Error> {
        let ownership = Ownership::new(self.installation, self.recorded);
        let ours = |handler: &Value| ownership.is_ours(handler);
        let wanted = wanted_hooks(self.host, self.installation, self.inside.is_some())?;
        let of_path = |problem: crate::edit::Problem| problem.of(&self.path);
        let there = self.host.present(&self.edited).map_err(of_path)?;
        let wishes: Vec<_> = wanted.iter().map(|(wish, _)| wish.clone()).collect();
        let edited = match self.host.shape {
            Shape::Groups => {
                let headed = with_heading(&self.edited, self.host.heading).map_err(of_path)?;
                hook_groups::write(&headed, &wishes, &ours).map_err(of_path)?
            }
            Shape::Plugin(own) => {
                if !self.edited.trim().is_empty() && !there.iter().any(|entry| ours(&entry.handler)) {
                    return Err(plugin::stranger(&self.path));
                }
                let text = plugin::text(own, self.host, self.installation)?;
                Edited { text, hollow: Vec::new() }
            }
        };
        self.had_ours |= there.iter().any(|entry| ours(&entry.handler));
        self.entries.extend(wanted.into_iter().map(|(wish, executable)| {
            let args = wish.handler.get("args").and_then(Value::as_array);
            EntryRecord {
                kind: EntryKind::Hook,
                command: wish.handler["command"].as_str().unwrap_or_default().to_owned(),
                args: args.map(|args| args.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
                event: wish.event,
                matcher: wish.matcher,
                executable,
            }
        }));
        self.edited = edited.text;
        self.hollow.extend(edited.hollow);
        Ok(())
    }

    /// Makes it a file with this text. One that was there already stays as it is.
    pub(crate) fn put_text(&mut self, text: &str) {
        self.edited = if self.before.is_some() { self.text.as_str().to_owned() } else { text.to_owned() };
        self.had_ours |= self.before.is_some();
    }

    /// Registers an MCP server. Says `false` where another server has our name: it is left alone.
    pub(crate) fn put_server(
        &mut self,
        format: crate::host::McpFormat,
        server: &McpServer,
    ) -> Result<bool, Error> {
        let ownership = Ownership::new(self.installation, self.recorded);
        let of_path = |problem: crate::edit::Problem| problem.of(&self.path);
        let there = mcp::get(format, &self.edited).map_err(of_path)?;
        if there.as_ref().is_some_and(|server| !ownership.is_ours(server)) {
            return Ok(false);
        }
        let command = server.command.to_str().ok_or_else(|| Error::UnwritablePath(server.command.clone()))?;
        let edited = mcp::set(format, &self.edited, command, &server.args).map_err(of_path)?;
        self.had_ours |= there.is_some();
        self.entries.push(EntryRecord {
            kind: EntryKind::McpServer,
            event: mcp::NAME.to_owned(),
            matcher: None,
            command: command.to_owned(),
            args: Some(server.args.clone()),
            executable: server.command.clone(),
        });
        self.edited = edited.text;
        self.hollow.extend(edited.hollow);
        Ok(true)
    }

    /// The file's record and its edit, where there is one to be made.
    pub(crate) fn finish(
        mut self,
        environment: &Environment,
        old: &Manifest,
    ) -> (FileRecord, Option<FileEdit>) {
        let after = self.text.bytes(&self.edited);
        let changes = self.before.as_deref() != Some(after.as_slice());
        let copy = self.before.is_some() && changes;
        let copy =
            copy.then(|| backup::free_name(self.installation, environment.now, self.host.id, &self.path));
        // A server that was registered before and is not asked for now is still ours.
        let kept = |entry: &&EntryRecord| !self.entries.iter().any(|new| new.kind == entry.kind);
        let kept: Vec<_> = self.recorded.iter().filter(kept).cloned().collect();
        self.had_ours |= !kept.is_empty();
        self.entries.extend(kept);

        let first = self.first(old.file(&self.path), copy.as_deref());
        let record = FileRecord {
            host: self.host.id.to_owned(),
            path: self.path.clone(),
            before: first.before,
            after: digest(&after),
            entries: self.entries,
            hollow: first.hollow,
            folders: first.folders,
        };
        let edit = changes.then(|| FileEdit {
            host: Some(self.host.id),
            path: self.path,
            before: self.before,
            after: Some(after),
            backup: copy.map(|name| self.installation.root().join(name)),
            inside: self.inside,
        });
        (record, edit)
    }

    fn first(&self, old: Option<&FileRecord>, copy: Option<&Path>) -> First {
        let hollow = self.hollow.clone();
        match (&self.before, copy) {
            (None, _) => First { before: Before::Missing, hollow, folders: missing_folders(&self.path) },
            (Some(bytes), Some(copy)) if !self.had_ours => First {
                before: Before::Kept { digest: digest(bytes), backup: copy.to_owned() },
                hollow,
                folders: Vec::new(),
            },
            (Some(bytes), _) => First::carried_over(old, bytes, hollow),
        }
    }
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
        let before = match &old.before {
            // That there was no file is true whatever others did since.
            Before::Missing => Before::Missing,
            known if old.after == digest(now) => known.clone(),
            _ => Before::Unknown,
        };
        let mut all = old.hollow.clone();
        all.extend(hollow.into_iter().filter(|path| !old.hollow.contains(path)));
        Self { before, hollow: all, folders: old.folders.clone() }
    }
}

/// A text with what the host wants at its top; what is there already stays as it is.
fn with_heading(text: &str, heading: &[(&str, u32)]) -> Result<String, crate::edit::Problem> {
    heading.iter().try_fold(text.to_owned(), |text, (key, number)| match member::get(&text, &[key])? {
        Some(_) => Ok(text),
        None => Ok(member::set(&text, &[key], &(*number).into())?.text),
    })
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
