//! The person's trust in our hooks, on hosts that keep it and offer a way to record it.
//!
//! Trust is shown before it is recorded, and recorded by the host itself: [`untrusted`] asks the host which of
//! our hooks it passes over, [`Untrusted::record`] tells it that the person trusts them.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;

use crate::edit::json::hook_groups::{self, Present};
use crate::edit::{Problem, Text, toml};
use crate::host::Host;
use crate::install::{own_files, read};
use crate::manifest::{Before, EntryKind, EntryRecord, FileRecord, Manifest, digest};
use crate::ownership::Ownership;
use crate::transaction::{self, FileEdit};
use crate::{Environment, Error, Installation, backup};

/// How a host keeps and takes trust in hooks.
#[derive(Debug)]
pub struct Trust {
    /// What the person is asked for while trust is missing.
    pub wants: &'static str,
    /// The file that keeps it, TOML, in the host's configuration folder.
    pub file: &'static str,
    /// The table in it that has a table for each hook.
    pub table: [&'static str; 2],
    /// The names that a hook's own table may have: of the hook's file and the hook.
    pub names: fn(&Path, &Present) -> Vec<String>,
    /// Whether every one of these hooks is trusted: the machine, the file that they are in, and the hooks.
    pub is_given: fn(&Environment, &Path, &[Present]) -> bool,
    /// Asks the host for its hooks as a session in that folder has them: its command, and the folder.
    pub list: fn(&Environment, &Path, &Path) -> Result<Vec<Listed>, Error>,
    /// Tells the host that the person trusts these hooks.
    pub record: fn(&Environment, &Path, &Path, &[Listed]) -> Result<(), Error>,
}

/// A hook as its host lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// The name of the hook's table.
    pub name: String,
    /// The host's name of the event, as it lists it.
    pub event: String,
    /// What it runs.
    pub command: String,
    /// The file that it stands in.
    pub file: PathBuf,
    /// What exactly would be trusted: a digest of the hook.
    pub hash: String,
    /// Whether it is trusted.
    pub is_trusted: bool,
}

/// Hooks of ours that a host passes over.
#[derive(Debug)]
pub struct Untrusted {
    host: &'static Host,
    trust: &'static Trust,
    program: PathBuf,
    cwd: PathBuf,
    hooks: Vec<Listed>,
}

/// Whether the host trusts all our hooks, as far as it keeps that on disk. Nothing: it does not ask for trust, or has
/// none of our hooks.
pub fn is_trusted(
    environment: &Environment,
    installation: &Installation,
    host: &'static Host,
) -> Result<Option<bool>, Error> {
    let Some(trust) = &host.trust else { return Ok(None) };
    let manifest = Manifest::read(installation)?;
    let mut of_each = Vec::new();
    for record in manifest.of_host(host.id).filter(has_hooks) {
        of_each.push((trust.is_given)(environment, &record.path, &ours(installation, record)?));
    }
    Ok((!of_each.is_empty()).then(|| of_each.into_iter().all(|is_given| is_given)))
}

/// Asks a host which of our hooks it does not trust. Nothing: it keeps no trust, or has none of our hooks. `cwd`
/// is where the session would stand whose hooks are looked at. Starts the host's command and changes nothing.
pub fn untrusted(
    environment: &Environment,
    installation: &Installation,
    host: &'static Host,
    cwd: &Path,
) -> Result<Option<Untrusted>, Error> {
    let manifest = Manifest::read(installation)?;
    let records: Vec<_> = manifest.of_host(host.id).filter(has_hooks).collect();
    let (Some(trust), false) = (host.trust.as_ref(), records.is_empty()) else { return Ok(None) };
    let program = host.detect(environment).program.ok_or(Error::NoProgram { host: host.name })?;
    let mut hooks = (trust.list)(environment, &program, cwd)?;
    hooks.retain(|hook| {
        let mut of_file = records.iter().filter(|record| is_same(&record.path, &hook.file));
        let is_ours = |record: &&FileRecord| {
            Ownership::new(installation, &record.entries).is_ours(&json!({"command": hook.command}))
        };
        !hook.is_trusted && of_file.any(is_ours)
    });
    Ok(Some(Untrusted { host, trust, program, cwd: cwd.to_owned(), hooks }))
}

impl Untrusted {
    /// The hooks, in the host's order; none: all of ours are trusted.
    pub fn hooks(&self) -> &[Listed] {
        &self.hooks
    }

    /// Tells the host that the person trusts exactly these hooks: if one has changed since it was listed, none
    /// is. What the host writes is put on record, so that it goes with the hooks.
    pub fn record(self, environment: &Environment, installation: &Installation) -> Result<(), Error> {
        let again = (self.trust.list)(environment, &self.program, &self.cwd)?;
        if let Some(changed) = self.hooks.iter().find(|hook| !again.contains(hook)) {
            return Err(Error::Changed(changed.file.clone()));
        }
        let file = self.host.config_folder(environment).join(self.trust.file);
        let before = read(&file)?;
        let mut manifest = Manifest::read(installation)?;
        self.put_on_record(environment, installation, &mut manifest, &file, before.as_deref())?;
        (self.trust.record)(environment, &self.program, &self.cwd, &self.hooks)?;
        let after = read(&file)?.unwrap_or_default();
        let is_untouched = |record: &FileRecord| {
            let planned = before.as_deref().map_or_else(|| digest(b""), digest);
            record.after == planned
        };
        if let Some(record) = manifest.files.iter_mut().find(|record| record.path == file)
            && is_untouched(record)
        {
            record.after = digest(&after);
        }
        write(installation, &own_files(installation, None, &manifest)?)
    }

    /// Keeps a copy of the file and the names of the tables before the host writes them.
    fn put_on_record(
        &self,
        environment: &Environment,
        installation: &Installation,
        manifest: &mut Manifest,
        file: &Path,
        before: Option<&[u8]>,
    ) -> Result<(), Error> {
        let mut edits = Vec::new();
        let mut record = if let Some(record) = manifest.file(file) {
            record.clone()
        } else {
            let copy = before
                .map(|bytes| (bytes, backup::free_name(installation, environment.now, self.host.id, file)));
            edits.extend(copy.as_ref().map(|(bytes, name)| created(installation.root().join(name), bytes)));
            self.new_record(file, copy)
        };
        let table = self.trust.table.map(str::to_owned).to_vec();
        if record.of_kind(EntryKind::Trust).next().is_none() && self.has_table(file, before)? {
            record.hollow.push(table);
        }
        let is_new = |entry: &EntryRecord| {
            entry.kind != EntryKind::Trust || !self.hooks.iter().any(|hook| hook.name == entry.command)
        };
        record.entries.retain(is_new);
        record.entries.extend(self.hooks.iter().map(|hook| EntryRecord {
            kind: EntryKind::Trust,
            event: hook.event.clone(),
            matcher: None,
            command: hook.name.clone(),
            args: None,
            executable: hook.file.clone(),
        }));
        manifest.put(record);
        edits.extend(own_files(installation, None, manifest)?);
        write(installation, &edits)
    }

    fn new_record(&self, file: &Path, copy: Option<(&[u8], PathBuf)>) -> FileRecord {
        let after = digest(copy.as_ref().map_or(b"", |(bytes, _)| bytes));
        let before = copy.map(|(_, backup)| Before::Kept { digest: after.clone(), backup });
        FileRecord {
            host: self.host.id.to_owned(),
            path: file.to_owned(),
            before: before.unwrap_or(Before::Missing),
            after,
            entries: Vec::new(),
            hollow: Vec::new(),
            folders: Vec::new(),
        }
    }

    fn has_table(&self, file: &Path, bytes: Option<&[u8]>) -> Result<bool, Error> {
        let text = Text::read(file, bytes.unwrap_or_default())?;
        let table = toml::get(text.as_str(), &self.trust.table).map_err(|problem| problem.of(file))?;
        Ok(table.is_some())
    }
}

/// The names of the tables in which a host may keep trust in our hooks of a file, as the file has them now.
pub(crate) fn names(
    trust: &Trust,
    installation: &Installation,
    record: &FileRecord,
) -> Result<Vec<String>, Error> {
    let ours = ours(installation, record)?;
    Ok(ours.iter().flat_map(|hook| (trust.names)(&record.path, hook)).collect())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that `filter` asks for")]
fn has_hooks(record: &&FileRecord) -> bool {
    record.hooks().next().is_some()
}

/// Our hooks in a file, as it is now.
fn ours(installation: &Installation, record: &FileRecord) -> Result<Vec<Present>, Error> {
    let Some(bytes) = read(&record.path)? else { return Ok(Vec::new()) };
    let text = Text::read(&record.path, &bytes)?;
    let mut there = hook_groups::present(text.as_str()).map_err(|problem| problem.of(&record.path))?;
    let ownership = Ownership::new(installation, &record.entries);
    there.retain(|hook| ownership.is_ours(&hook.handler));
    Ok(there)
}

/// Whether a file keeps trust under one of these names. A file that cannot be read keeps none.
pub(crate) fn keeps(trust: &Trust, file: &Path, names: &[String]) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let tables = toml::get(&text, &trust.table).ok().flatten().unwrap_or_default();
    names.iter().any(|name| tables.get(name).is_some())
}

/// The text without the tables of these names, and without the table of all if that is empty then and was
/// not there before.
pub(crate) fn without(trust: &Trust, text: &str, names: &[String], stays: bool) -> Result<String, Problem> {
    let [outer, inner] = trust.table;
    let mut edited = text.to_owned();
    for name in names {
        match toml::remove_table(&edited, &[outer, inner, name]) {
            Ok(without) => edited = without,
            // Somebody wrote it in a form of their own: it does no harm.
            Err(Problem::Shape { .. }) => {}
            Err(other) => return Err(other),
        }
    }
    let is_empty = toml::get(&edited, &trust.table)? == Some(json!({}));
    let was_empty = toml::get(text, &trust.table)? == Some(json!({}));
    if is_empty && !was_empty && !stays {
        edited = toml::remove_table(&edited, &trust.table)?;
    }
    Ok(edited)
}

/// Whether two names are of one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    one == other || real(one).is_some_and(|one| real(other) == Some(one))
}

fn created(path: PathBuf, bytes: &[u8]) -> FileEdit {
    FileEdit { host: None, path, before: None, after: Some(bytes.to_owned()), backup: None, inside: None }
}

fn write(installation: &Installation, edits: &[FileEdit]) -> Result<(), Error> {
    transaction::run(installation.root(), edits, &mut |_| Ok(())).map(drop)
}
