//! Planning a removal.

use std::path::PathBuf;

use serde_json::Value;

use crate::edit::json::{Document, hook_groups};
use crate::edit::{Problem, Text};
use crate::host::{Host, McpFormat, Shape};
use crate::install::{own_files, read, retrying};
use crate::manifest::{Before, EntryKind, FileRecord, Manifest, digest};
use crate::mcp;
use crate::ownership::Ownership;
use crate::plan::{Applied, Plan};
use crate::transaction::FileEdit;
use crate::trust;
use crate::{Environment, Error, Installation, backup};

/// Plans and applies, again when another program was faster. Takes the entries out; the executables are the
/// caller's to remove, afterwards.
pub fn uninstall(
    environment: &Environment,
    installation: &Installation,
    hosts: Option<&[String]>,
) -> Result<Applied, Error> {
    retrying(|| plan_uninstall(environment, installation, hosts))
}

/// Works out how to take our entries out of what the manifest names. `hosts`: only of these; nothing: of all.
/// A file that nobody touched since is given back byte for byte, of another only our entries are taken.
pub fn plan_uninstall(
    environment: &Environment,
    installation: &Installation,
    hosts: Option<&[String]>,
) -> Result<Plan, Error> {
    let manifest = Manifest::read(installation)?;
    let (going, staying): (Vec<_>, Vec<_>) = manifest
        .files
        .iter()
        .cloned()
        .partition(|record| hosts.is_none_or(|hosts| hosts.contains(&record.host)));
    let manifest = Manifest { files: staying, ..manifest };
    let mut edits = Vec::new();
    let mut emptied_folders: Vec<PathBuf> = Vec::new();
    let mut going = going;
    let trusted = trusted(environment, installation, &mut going)?;
    for record in &going {
        let names = trusted.iter().filter(|(file, _)| *file == record.path).flat_map(|(_, names)| names);
        edits.extend(edit(environment, installation, record, &names.cloned().collect::<Vec<_>>())?);
        emptied_folders.extend(record.folders.iter().cloned());
    }
    edits.extend(own_files(installation, None, &manifest)?);
    Ok(Plan {
        installation: installation.clone(),
        edits,
        manifest,
        notes: Vec::new(),
        missing: Vec::new(),
        emptied_folders,
    })
}

/// The files in which hosts keep trust in our hooks, with the names that it has there. Where the person gave it to
/// the host itself, the file is on no record yet, and joins the records.
fn trusted(
    environment: &Environment,
    installation: &Installation,
    going: &mut Vec<FileRecord>,
) -> Result<Vec<(PathBuf, Vec<String>)>, Error> {
    let mut trusted = Vec::new();
    for record in going.iter().filter(|record| record.hooks().next().is_some()) {
        let Some(host) = Host::by_id(&record.host) else { continue };
        let Some(trust) = &host.trust else { continue };
        let file = host.config_folder(environment).join(trust.file);
        let names = trust::names(trust, installation, record)?;
        if trust::keeps(trust, &file, &names) {
            trusted.push((record.host.clone(), file, names));
        }
    }
    for (host, file, _) in &trusted {
        if !going.iter().any(|record| record.path == *file) {
            let (host, path) = (host.clone(), file.clone());
            let record = FileRecord {
                host,
                path,
                before: Before::Unknown,
                after: String::new(),
                entries: Vec::new(),
                hollow: Vec::new(),
                folders: Vec::new(),
            };
            going.push(record);
        }
    }
    Ok(trusted.into_iter().map(|(_, file, names)| (file, names)).collect())
}

fn edit(
    environment: &Environment,
    installation: &Installation,
    record: &FileRecord,
    trusted: &[String],
) -> Result<Option<FileEdit>, Error> {
    let Some(bytes) = read(&record.path)? else { return Ok(None) };
    let after = match given_back(installation, record, &bytes) {
        Some(before) => before,
        None => without_ours(installation, record, trusted, &bytes)?,
    };
    if after.as_ref() == Some(&bytes) {
        return Ok(None);
    }
    let name = backup::free_name(installation, environment.now, &record.host, &record.path);
    Ok(Some(FileEdit {
        host: Host::by_id(&record.host).map(|host| host.id),
        path: record.path.clone(),
        before: Some(bytes),
        after,
        backup: Some(installation.root().join(name)),
        inside: None,
    }))
}

/// What the file was before, if nobody touched it since and that is still known: the outer `None` says it
/// is not, the inner that there was no file.
#[allow(clippy::option_option)]
fn given_back(installation: &Installation, record: &FileRecord, now: &[u8]) -> Option<Option<Vec<u8>>> {
    if digest(now) != record.after {
        return None;
    }
    match &record.before {
        Before::Missing => Some(None),
        Before::Kept { digest: expected, backup } => {
            let bytes = std::fs::read(installation.root().join(backup)).ok()?;
            (digest(&bytes) == *expected).then_some(Some(bytes))
        }
        Before::Unknown => None,
    }
}

/// The file without our entries; nothing: it was made by us and holds nothing else.
fn without_ours(
    installation: &Installation,
    record: &FileRecord,
    trusted: &[String],
    now: &[u8],
) -> Result<Option<Vec<u8>>, Error> {
    let ownership = Ownership::new(installation, &record.entries);
    let text = Text::read(&record.path, now)?;
    let of_path = |problem: Problem| problem.of(&record.path);
    let mut edited = text.as_str().to_owned();
    if record.hooks().next().is_some() {
        let ours = |handler: &Value| ownership.is_ours(handler);
        edited = match Host::by_id(&record.host).map(|host| (host, host.shape)) {
            Some((host, Shape::Plugin(_))) => {
                let there = host.present(&edited).map_err(of_path)?;
                if there.iter().any(|entry| ours(&entry.handler)) { String::new() } else { edited }
            }
            _ => hook_groups::remove(&edited, &ours, &record.hollow).map_err(of_path)?,
        };
    }
    if record.entries.iter().any(|entry| entry.kind == EntryKind::McpServer) {
        let file = Host::by_id(&record.host).and_then(|host| host.mcp.as_ref());
        let format = file.map_or(McpFormat::Json, |file| file.format);
        let there = mcp::get(format, &edited).map_err(of_path)?;
        if there.is_some_and(|server| ownership.is_ours(&server)) {
            edited = mcp::remove(format, &edited, &record.hollow).map_err(of_path)?;
        }
    }
    if let Some(trust) = Host::by_id(&record.host).and_then(|host| host.trust.as_ref()) {
        let recorded = record.of_kind(EntryKind::Trust).map(|entry| entry.command.clone());
        let names: Vec<_> = recorded.chain(trusted.iter().cloned()).collect();
        if !names.is_empty() {
            let stays = record.hollow.iter().any(|hollow| *hollow == trust.table);
            edited = trust::without(trust, &edited, &names, stays).map_err(of_path)?;
        }
    }
    let heading = Host::by_id(&record.host).map_or(&[] as &[_], |host| host.heading);
    let says_nothing =
        |left: &Document<'_>| left.value().is_some_and(|value| is_heading_alone(&value, heading));
    let is_void = edited.trim().is_empty() || Document::parse(&edited).is_ok_and(|left| says_nothing(&left));
    let only_ours = record.before == Before::Missing && is_void && !edited.contains('/');
    Ok((!only_ours).then(|| text.bytes(&edited)))
}

/// Whether nothing is left but what the host wants at the file's top.
fn is_heading_alone(value: &Value, heading: &[(&str, u32)]) -> bool {
    let is_of_heading = |(key, value): (&String, &Value)| heading.iter().any(|(k, n)| k == key && value == n);
    value.as_object().is_some_and(|members| members.iter().all(is_of_heading))
}
