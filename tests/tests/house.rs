//! The rules of the house: who may depend on whom, and names that must not meet.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use remora_tests::workspace::{Package, Workspace, cargo};
use remora_tests::{HostId, Result};

/// What a room may use: rooms of the workspace, and crates of others that it must not have.
struct Rule {
    rooms: &'static [&'static str],
    /// The only rooms that these may depend on.
    may_use: &'static [&'static str],
    /// Crates that must not be anywhere below them.
    never: &'static [&'static str],
}

/// Types and text: no room but each other.
const TYPES: [&str; 3] = ["remora-event", "remora-redact", "remora-profile"];
/// What makes a hook executable large or slow.
const HEAVY: [&str; 9] =
    ["tokio", "reqwest", "rusqlite", "regex", "rustls", "hyper", "axum", "rmcp", "remora-engine"];
const OF_A_HOOK: [&str; 4] = ["remora-event", "remora-redact", "remora-profile", "remora-hook"];

const RULES: [Rule; 8] = [
    Rule { rooms: &TYPES, may_use: &TYPES, never: &HEAVY },
    Rule { rooms: &["remora-hook"], may_use: &OF_A_HOOK, never: &HEAVY },
    Rule { rooms: &["remora-memory"], may_use: &TYPES, never: &["tokio", "rusqlite", "reqwest", "hyper"] },
    Rule { rooms: &["remora-recall"], may_use: &TYPES, never: &["tokio", "rusqlite", "reqwest", "hyper"] },
    Rule {
        rooms: &["remora-transcript"],
        may_use: &TYPES,
        never: &["tokio", "reqwest", "hyper", "remora-engine", "remora-memory"],
    },
    Rule {
        rooms: &["remora-engine"],
        may_use: &[
            "remora-event",
            "remora-redact",
            "remora-profile",
            "remora-memory",
            "remora-recall",
            "remora-transcript",
        ],
        never: &["reqwest", "rustls", "native-tls", "rmcp", "hyper", "axum", "clap"],
    },
    // Clients of models stand behind the engine's trait; nothing but `remora` carries them.
    Rule {
        rooms: &["remora-provider"],
        may_use: &[
            "remora-event",
            "remora-redact",
            "remora-profile",
            "remora-memory",
            "remora-recall",
            "remora-transcript",
            "remora-engine",
        ],
        never: &["rmcp", "axum", "clap", "native-tls", "aws-lc-rs"],
    },
    Rule {
        rooms: &["remora-install"],
        may_use: &["remora-event", "remora-redact", "remora-profile", "remora-build-id"],
        never: &["remora-memory", "remora-engine", "tokio", "rusqlite", "reqwest"],
    },
];

/// Everything below a package in a normal build of it alone. `cargo metadata` would unite the features
/// of the whole workspace.
fn below(package: &str) -> Result<BTreeSet<String>> {
    let printed = cargo(&["tree", "-p", package, "-e", "normal", "--prefix", "none", "--format", "{p}"])?;
    let printed = String::from_utf8_lossy(&printed).into_owned();
    let names = printed.lines().filter_map(|line| line.split_whitespace().next());
    Ok(names.filter(|name| *name != package).map(str::to_owned).collect())
}

fn check(workspace: &Workspace, room: &str, may_use: &[&str], never: &[&str]) -> Result<()> {
    let below = below(room)?;
    for package in workspace.packages.iter().filter(|package| below.contains(&package.name)) {
        assert!(may_use.contains(&package.name.as_str()), "{room} must not depend on {}", package.name);
    }
    for name in never {
        assert!(!below.contains(*name), "{room} must not carry {name}");
    }
    Ok(())
}

#[test]
fn rooms_depend_only_on_what_they_may() -> Result<()> {
    let workspace = Workspace::read()?;
    let mut checked = 0;
    for rule in &RULES {
        // A room appears with what first needs it.
        for room in rule.rooms.iter().filter(|room| workspace.package(room).is_some()) {
            check(&workspace, room, rule.may_use, rule.never)?;
            checked += 1;
        }
    }
    assert!(checked >= 1, "no room of the rules exists: were they renamed?");
    Ok(())
}

#[test]
fn adapters_carry_nothing_heavy() -> Result<()> {
    let workspace = Workspace::read()?;
    let may_use = [OF_A_HOOK.as_slice(), &["remora-dialect"]].concat();
    for adapter in workspace.packages_in("adapters") {
        check(&workspace, &adapter.name, &may_use, &HEAVY)?;
    }
    Ok(())
}

#[test]
fn the_tree_of_a_package_is_read_as_it_is() -> Result<()> {
    let below = below("remora-tests")?;
    assert!(below.contains("tokio") && below.contains("axum"), "{below:?}");
    assert!(!below.contains("remora-tests") && !below.contains("insta"), "{below:?}");
    Ok(())
}

#[test]
fn names_of_executables_are_unique() -> Result<()> {
    let workspace = Workspace::read()?;
    let mut owners: BTreeMap<&str, &Package> = BTreeMap::new();
    for package in &workspace.packages {
        for executable in package.executables() {
            // Cargo lets two packages' executables overwrite each other without a word.
            if let Some(other) = owners.insert(executable, package) {
                panic!("{executable} is built by {} and by {}", other.name, package.name);
            }
        }
    }
    assert!(owners.contains_key("remora-fake-model"));
    Ok(())
}

#[test]
fn an_adapters_executables_bear_its_name() -> Result<()> {
    let workspace = Workspace::read()?;
    for adapter in workspace.packages_in("adapters") {
        for executable in adapter.executables() {
            let event = executable.strip_prefix(adapter.name.as_str());
            let fits = event.is_some_and(|event| event.is_empty() || event.starts_with('-'));
            assert!(fits, "{executable} of {} is not named remora-<host>-<event>", adapter.name);
        }
    }
    Ok(())
}

#[test]
fn an_adapter_is_known_wherever_a_host_is() -> Result<()> {
    let workspace = Workspace::read()?;
    let read = |file: &str| std::fs::read_to_string(workspace.workspace_root.join(file)).unwrap_or_default();
    let (command, hosts, table) =
        (read("crates/cli/src/adapters.rs"), read("install/src/host.rs"), read("docs/hosts/README.md"));
    let mut known = 0;
    let adapters = workspace.packages_in("adapters").filter(|package| package.executables().next().is_some());
    for host in adapters.filter_map(|adapter| adapter.name.strip_prefix("remora-")) {
        let module = host.replace('-', "_");
        for (found, what) in [
            (command.contains(&format!("adapter!(remora_{module}),")), "crates/cli/src/adapters.rs"),
            (hosts.contains(&format!("&{module}::HOST")), "HOSTS in install/src/host.rs"),
            (read(&format!("docs/hosts/{host}.md")).contains("Tried with"), "a page in docs/hosts"),
            (table.contains(&format!("({host}.md)")), "docs/hosts/README.md"),
            (read(&format!("adapters/{host}/profile.toml")).contains("tried = ["), "its profile.toml"),
            (HostId::ALL.iter().any(|id| id.id() == host), "HostId::ALL in tests/src/host/recipe.rs"),
        ] {
            assert!(found, "{host} is missing: {what}");
        }
        known += 1;
    }
    assert!(known >= 7, "only {known} adapters");
    Ok(())
}

/// Lines of code without comments and without what follows `#[cfg(test)]`.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    lines.filter(|line| !line.trim_start().starts_with("//"))
}

#[test]
fn rooms_behind_the_socket_know_no_host_by_name() -> Result<()> {
    let workspace = Workspace::read()?;
    let adapters =
        workspace.packages_in("adapters").filter_map(|adapter| adapter.name.strip_prefix("remora-"));
    let hosts: BTreeSet<&str> =
        adapters.chain(HostId::ALL.map(HostId::id)).filter(|name| *name != "dialect").collect();
    let literals: Vec<String> = hosts.iter().map(|host| format!("\"{host}\"")).collect();
    for room in ["crates/engine/src", "crates/recall/src", "crates/memory/src"] {
        for file in rust_files(&workspace.workspace_root.join(room)) {
            let text = std::fs::read_to_string(&file).expect("a readable source file");
            let named = code(&text).find(|line| literals.iter().any(|literal| line.contains(literal)));
            assert_eq!(named, None, "{} names a host", file.display());
        }
    }
    Ok(())
}

/// The source files below a folder but for files of tests; none if the folder is not there yet.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn code_is_told_from_comments_and_tests() {
    let text = "let a = 1;\n    // \"codex\"\nlet b = 2;\n#[cfg(test)]\nlet c = \"codex\";\n";
    assert_eq!(code(text).collect::<Vec<_>>(), ["let a = 1;", "let b = 2;"]);
}
