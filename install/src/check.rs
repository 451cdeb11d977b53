//! Whether a host is wired up, for `doctor` and `hosts`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use crate::command;
use crate::edit::json::Document;
use crate::edit::json::hook_groups::{Present, Wanted};
use crate::edit::{Problem, Text};
use crate::environment::is_executable;
use crate::host::{Host, Inspection, Shape, detect};
use crate::install::{read, wanted_hooks};
use crate::manifest::{EntryKind, Manifest};
use crate::mcp;
use crate::ownership::Ownership;
use crate::{Environment, Error, Installation};

/// Something that is wrong or could be better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether it keeps memory from working; otherwise it is advice.
    pub is_problem: bool,
    /// What was found, one sentence without a period.
    pub text: String,
    /// What to do about it.
    pub next: String,
}

impl Finding {
    /// Something that keeps memory from working.
    pub fn problem(text: impl Into<String>, next: impl Into<String>) -> Self {
        Self { is_problem: true, text: text.into(), next: next.into() }
    }

    /// Something worth knowing.
    pub fn advice(text: impl Into<String>, next: impl Into<String>) -> Self {
        Self { is_problem: false, text: text.into(), next: next.into() }
    }
}

/// The state of one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostReport {
    /// The host's id.
    pub host: &'static str,
    /// The name that people know.
    pub name: &'static str,
    /// Whether its command or its configuration folder is here.
    pub found: bool,
    /// What its command says its version is.
    pub version: Option<String>,
    /// Its configuration folder.
    pub folder: PathBuf,
    /// Whether there are hooks of ours.
    pub installed: bool,
    /// Whether all hooks are there, as this version would write them.
    pub current: bool,
    /// Whether the host's person trusts the hooks; nothing where the host does not ask, or does not say.
    pub trusted: Option<bool>,
    /// Whether our MCP server is registered; nothing where the host keeps servers elsewhere.
    pub mcp: Option<bool>,
    /// What is wrong or could be better.
    pub findings: Vec<Finding>,
}

/// Looks at one host. Starts nothing but the host's command with `--version`, and changes nothing.
pub fn check(
    environment: &Environment,
    installation: &Installation,
    manifest: &Manifest,
    host: &'static Host,
) -> HostReport {
    let detection = host.detect(environment);
    let path = host.hooks_path(environment);
    let mut report = HostReport {
        host: host.id,
        name: host.name,
        found: detection.is_found(),
        version: detection.program.as_deref().and_then(|program| detect::version(environment, program)),
        folder: host.config_folder(environment),
        installed: false,
        current: false,
        trusted: None,
        mcp: None,
        findings: Vec::new(),
    };
    if let Err(error) = look_at_hooks(environment, installation, manifest, host, &path, &mut report) {
        report.findings.push(Finding::problem(error.to_string(), error.hint().unwrap_or_default()));
    }
    report.mcp = registered(environment, installation, manifest, host);
    let is_recorded = manifest
        .of_host(host.id)
        .flat_map(|record| &record.entries)
        .any(|entry| entry.kind == EntryKind::Hook);
    if is_recorded && !report.installed && report.findings.is_empty() {
        report.findings.push(Finding::problem(
            format!("the hooks that were written into {} are gone", path.display()),
            format!("run `remora install {}`", host.id),
        ));
    }
    if report.installed && !report.found {
        report.findings.push(Finding::advice(
            format!("{} itself was not found", host.name),
            format!("run `remora uninstall {}` if it is gone", host.id),
        ));
    }
    report
}

/// What the host's own reader does not take of a file that we could read.
pub(crate) fn unreadable(host: &Host, path: &Path, text: &str) -> Option<String> {
    if host.shape != Shape::Groups {
        return None;
    }
    match Document::first_excess(text, host.json)? {
        Problem::Syntax { line, column, message } => {
            let path = path.display();
            Some(format!("{path}:{line}:{column}: {message}, so {} does not read this file", host.name))
        }
        Problem::Shape { .. } | Problem::NotOurs => None,
    }
}

fn look_at_hooks(
    environment: &Environment,
    installation: &Installation,
    manifest: &Manifest,
    host: &'static Host,
    path: &Path,
    report: &mut HostReport,
) -> Result<(), Error> {
    let bytes = read(path)?.unwrap_or_default();
    let text = Text::read(path, &bytes)?;
    let of_path = |problem: Problem| problem.of(path);
    let entries = host.present(text.as_str()).map_err(of_path)?;
    let ownership = Ownership::new(installation, manifest.entries(path));
    let (ours, others): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| ownership.is_ours(&entry.handler));

    report.installed = !ours.is_empty();
    if report.installed {
        let findings = compare(installation, host, &ours)?;
        report.current = findings.is_empty();
        report.findings.extend(findings);
        if let Some(trust) = &host.trust {
            let is_given = (trust.is_given)(environment, path, &ours);
            report.trusted = Some(is_given);
            if !is_given {
                report.findings.push(Finding::problem(
                    format!("{} was not told yet to trust these hooks, and passes them over", host.name),
                    trust.wants,
                ));
            }
        }
    }
    report.findings.extend(strangers(host, &others));
    if host.shape != Shape::Groups {
        return Ok(());
    }
    if let Some(settings) = Document::parse(text.as_str()).map_err(of_path)?.value() {
        report.findings.extend((host.inspect)(&Inspection { environment, settings: &settings }));
    }
    if let Some(text) = unreadable(host, path, text.as_str()) {
        report.findings.push(Finding::problem(text, "take it out"));
    }
    Ok(())
}

/// Our entries against those that this version would write.
fn compare(
    installation: &Installation,
    host: &'static Host,
    ours: &[Present],
) -> Result<Vec<Finding>, Error> {
    let again = format!("run `remora install {}`", host.id);
    let mut findings = Vec::new();
    let mut find = |what: Vec<&str>, text: &str| {
        if !what.is_empty() {
            findings.push(Finding::problem(format!("{text}: {}", what.join(", ")), again.as_str()));
        }
    };
    let wanted = wanted_hooks(host, installation, false)?;
    let of = |event: &str| ours.iter().filter(|entry| entry.event == event).collect::<Vec<_>>();
    let events = |which: &dyn Fn(&[&Present], &Wanted) -> bool| -> Vec<&str> {
        let chosen = wanted.iter().filter(|(wish, _)| which(&of(&wish.event), wish));
        chosen.map(|(wish, _)| wish.event.as_str()).collect()
    };
    find(events(&|there, _| there.is_empty()), "hooks are missing");
    find(events(&|there, _| there.len() > 1), "hooks are there twice");
    find(
        events(&|there, wish| there.first().is_some_and(|entry| is_another(entry, wish))),
        "hooks are of another version",
    );
    let surplus: BTreeSet<_> = ours
        .iter()
        .map(|entry| entry.event.as_str())
        .filter(|event| !wanted.iter().any(|(wish, _)| wish.event == *event))
        .collect();
    find(surplus.into_iter().collect(), "hooks are there that are not needed");
    let missing: Vec<_> = wanted.iter().map(|(_, path)| path).filter(|path| !is_executable(path)).collect();
    let missing: Vec<_> = missing.iter().filter_map(|path| path.to_str()).collect();
    if !missing.is_empty() {
        findings.push(Finding::problem(
            format!("executables are missing: {}", missing.join(", ")),
            format!("build them with `install/build.sh {}` or run `install/install.sh`", host.id),
        ));
    }
    Ok(findings)
}

/// Whether an entry of ours is not what this version would write: it says something else, or hears something else. What
/// is heard is left to whoever put a hook beside it.
fn is_another(entry: &Present, wish: &Wanted) -> bool {
    let heard = entry.in_group.get("matcher").and_then(Value::as_str);
    let hears = |matcher: &str| heard == Some(matcher) || !entry.is_alone();
    entry.handler != wish.handler || !wish.matcher.as_deref().is_none_or(hears)
}

/// Entries that look like ours, but belong to another installation.
fn strangers(host: &'static Host, others: &[Present]) -> Vec<Finding> {
    let roots: BTreeSet<_> = others
        .iter()
        .filter_map(|entry| command::executable(&entry.handler))
        .filter_map(|executable| Some((root_of(host, &executable)?, executable.exists())))
        .collect();
    roots
        .into_iter()
        .map(|(root, exists)| {
            let root = root.display();
            if exists {
                Finding::problem(
                    format!("another installation, {root}, has hooks for {} too", host.name),
                    format!("run `{root}/bin/remora uninstall {}` if it is not needed", host.id),
                )
            } else {
                Finding::problem(
                    format!("hooks of an installation that is gone, {root}, are still there"),
                    "take these entries out of the file",
                )
            }
        })
        .collect()
}

/// The data root that an executable lies in, if it is called and placed as a hook of this host.
fn root_of(host: &Host, executable: &Path) -> Option<PathBuf> {
    let name = executable.file_stem()?;
    let bin = executable.parent()?.parent()?;
    let is_named = host.hooks.iter().any(|hook| name == hook.executable);
    let is_placed = executable.parent()?.ends_with(host.id) && bin.ends_with("bin");
    (is_named && is_placed).then(|| bin.parent().map(Path::to_owned))?
}

fn registered(
    environment: &Environment,
    installation: &Installation,
    manifest: &Manifest,
    host: &'static Host,
) -> Option<bool> {
    let file = host.mcp.as_ref()?;
    let path = file.path(host, environment);
    let bytes = read(&path).ok()?.unwrap_or_default();
    let text = Text::read(&path, &bytes).ok()?;
    let ownership = Ownership::new(installation, manifest.entries(&path));
    Some(mcp::get(file.format, text.as_str()).ok()?.is_some_and(|server| ownership.is_ours(&server)))
}
