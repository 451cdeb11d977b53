//! Planning a removal.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::edit::json::{Document, MemberPath, hook_groups, member};
use crate::edit::{Problem, Text};
use crate::install::{MCP_PATH, own_files, read, retrying};
use crate::manifest::{Before, FileRecord, Manifest, Part, digest};
use crate::ownership::Ownership;
use crate::plan::{Applied, Plan};
use crate::transaction::FileEdit;
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
    for record in &going {
        edits.extend(edit(environment, installation, record)?);
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

fn edit(
    environment: &Environment,
    installation: &Installation,
    record: &FileRecord,
) -> Result<Option<FileEdit>, Error> {
    let Some(bytes) = read(&record.path)? else { return Ok(None) };
    let after = match given_back(installation, record, &bytes) {
        Some(before) => before,
        None => without_ours(installation, record, &bytes)?,
    };
    if after.as_ref() == Some(&bytes) {
        return Ok(None);
    }
    let name = backup::free_name(installation, environment.now, &record.host, &record.path);
    Ok(Some(FileEdit {
        host: crate::Host::by_id(&record.host).map(|host| host.id),
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
    now: &[u8],
) -> Result<Option<Vec<u8>>, Error> {
    let ownership = Ownership::new(installation, &record.entries);
    let text = Text::read(&record.path, now)?;
    let edited = match record.part {
        Part::Hooks => {
            let ours = |handler: &Value| ownership.is_ours(handler);
            hook_groups::remove(text.as_str(), &ours, &record.hollow)
        }
        Part::Mcp => without_server(text.as_str(), &ownership, &record.hollow),
    }
    .map_err(|problem| problem.of(&record.path))?;
    let is_void =
        Document::parse(&edited).is_ok_and(|left| left.value().is_none_or(|value| value == json!({})));
    let only_ours = record.before == Before::Missing && is_void && !edited.contains('/');
    Ok((!only_ours).then(|| text.bytes(&edited)))
}

fn without_server(text: &str, ownership: &Ownership<'_>, hollow: &[MemberPath]) -> Result<String, Problem> {
    let is_ours = member::get(text, &MCP_PATH)?.is_some_and(|server| ownership.is_ours(&server));
    if !is_ours {
        return Ok(text.to_owned());
    }
    let edited = member::remove(text, &MCP_PATH)?;
    let servers = vec![MCP_PATH[0].to_owned()];
    if hollow.contains(&servers) { Ok(edited) } else { member::remove_if_hollow(&edited, &servers) }
}
