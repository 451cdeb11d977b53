//! Which build a program is: a hash of the workspace's sources and its lock file, and the time of the
//! newest of them.
//!
//! Build scripts of executables call [`emit`]; tests call [`compute`] to know which build to expect.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use sha2::{Digest as _, Sha256};

/// The folders of the workspace that hold what executables are made of.
const SOURCES: [&str; 3] = ["crates", "adapters", "install"];

/// Folders inside those that no executable is made of.
const OTHERS: [&str; 6] = ["benches", "examples", "fuzz", "node_modules", "target", "tests"];

/// How many bytes of the hash are kept, spelled as twice as many hexadecimal digits.
const ID_BYTES: usize = 8;

/// Which build a program is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildId {
    /// The package version, `major.minor.patch`, or empty where no package is being built.
    pub version: String,
    /// When the newest source file was written, in seconds since 1970.
    pub built_at: u64,
    /// The first sixteen hexadecimal digits of a SHA-256 over relative paths and contents.
    pub id: String,
}

/// Computes the build of the workspace at `root`: everything in its source folders, and `Cargo.lock`.
/// Of a package that stands alone, everything in its own folder.
pub fn compute(root: &Path) -> io::Result<BuildId> {
    let mut files = Vec::new();
    for path in sources(root) {
        collect(&path, &mut files)?;
    }
    files.sort();
    let mut hash = Sha256::new();
    let mut built_at = 0;
    for file in &files {
        let name = file.strip_prefix(root).unwrap_or(file).to_string_lossy().replace('\\', "/");
        let content = fs::read(file)?;
        // Lengths, so that no two sets of files run together into the same bytes.
        hash.update((name.len() as u64).to_be_bytes());
        hash.update(name.as_bytes());
        hash.update((content.len() as u64).to_be_bytes());
        hash.update(&content);
        built_at = built_at.max(written_at(file)?);
    }
    let id = hash.finalize()[..ID_BYTES].iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    Ok(BuildId { version: std::env::var("CARGO_PKG_VERSION").unwrap_or_default(), built_at, id })
}

/// For a build script: hands `REMORA_BUILD_ID` and `REMORA_BUILT_AT` to the compiler, and has the script
/// run again when a source changes.
///
/// # Panics
/// When the sources cannot be read: a build without its id must not succeed.
#[expect(clippy::print_stdout, reason = "this is how a build script speaks")]
pub fn emit() {
    let package =
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("a build script has a package"));
    let root = workspace_root(&package);
    let build = compute(&root).unwrap_or_else(|error| panic!("hashing {}: {error}", root.display()));
    println!("cargo::rustc-env=REMORA_BUILD_ID={}", build.id);
    println!("cargo::rustc-env=REMORA_BUILT_AT={}", build.built_at);
    for path in watched(&root).unwrap_or_else(|error| panic!("listing {}: {error}", root.display())) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

/// The same for the executables of an adapter. Those that are built for size end at a panic, so that nothing
/// ever looks into the index for unwinding: leaving it out saves 11 KB of each.
#[expect(clippy::print_stdout, reason = "this is how a build script speaks")]
pub fn emit_for_hooks() {
    emit();
    let variable = |name| std::env::var(name).unwrap_or_default();
    if variable("OPT_LEVEL") == "s" && variable("CARGO_CFG_TARGET_OS") == "linux" {
        println!("cargo::rustc-link-arg-bins=-Wl,--no-eh-frame-hdr");
    }
}

/// The folder above `package` that holds the lock file and the workspace's sources, or the package's own.
fn workspace_root(package: &Path) -> PathBuf {
    let is_root = |folder: &&Path| folder.join("Cargo.lock").is_file() && folder.join(SOURCES[0]).is_dir();
    package.ancestors().find(is_root).unwrap_or(package).to_owned()
}

/// What the id depends on, as far as it exists.
fn sources(root: &Path) -> Vec<PathBuf> {
    if !root.join(SOURCES[0]).is_dir() {
        return vec![root.to_owned()];
    }
    let names = SOURCES.into_iter().chain(["Cargo.lock"]);
    names.map(|name| root.join(name)).filter(|path| path.exists()).collect()
}

/// The same in pieces without the folders that do not count: cargo looks at all of a folder that it
/// watches, and tests write into theirs.
fn watched(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for path in sources(root) {
        let is_package = path.join("Cargo.toml").is_file();
        let packages = if path.is_dir() && !is_package { entries(&path)? } else { vec![path] };
        for package in packages {
            paths.extend(if package.is_dir() { entries(&package)? } else { vec![package] });
        }
    }
    Ok(paths)
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in entries(path)? {
        collect(&entry, files)?;
    }
    Ok(())
}

/// What counts in a folder, in order.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with('.') && !OTHERS.contains(&name.as_ref()) && !entry.file_type()?.is_symlink() {
            entries.push(entry.path());
        }
    }
    entries.sort();
    Ok(entries)
}

fn written_at(file: &Path) -> io::Result<u64> {
    let modified = fs::metadata(file)?.modified()?;
    Ok(modified.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write(folder.path(), "Cargo.lock", "lock");
        write(folder.path(), "crates/a/src/lib.rs", "a");
        write(folder.path(), "adapters/b/src/lib.rs", "b");
        folder
    }

    fn write(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn id(root: &Path) -> String {
        compute(root).expect("a readable workspace").id
    }

    #[test]
    fn every_source_and_the_lock_file_change_the_id() {
        let folder = workspace();
        let before = id(folder.path());
        assert_eq!(before.len(), 2 * ID_BYTES);
        for name in ["Cargo.lock", "crates/a/src/lib.rs", "adapters/b/src/lib.rs", "crates/a/src/new.rs"] {
            let old = fs::read_to_string(folder.path().join(name)).ok();
            write(folder.path(), name, "changed");
            assert_ne!(id(folder.path()), before, "{name}");
            match old {
                Some(text) => write(folder.path(), name, &text),
                None => fs::remove_file(folder.path().join(name)).expect("a file to remove"),
            }
            assert_eq!(id(folder.path()), before, "{name} as it was");
        }
    }

    #[test]
    fn what_is_no_source_does_not_change_the_id() {
        let folder = workspace();
        let before = id(folder.path());
        for name in ["target/x", "crates/a/target/x", "crates/a/tests/x.rs", "crates/.hidden", "docs/x.md"] {
            write(folder.path(), name, "x");
            assert_eq!(id(folder.path()), before, "{name}");
        }
    }

    #[test]
    fn a_moved_file_is_another_build() {
        let folder = workspace();
        let before = id(folder.path());
        fs::rename(folder.path().join("crates/a/src/lib.rs"), folder.path().join("crates/a/src/main.rs"))
            .expect("a renamed file");
        assert_ne!(id(folder.path()), before);
    }

    #[test]
    fn the_root_is_found_from_a_package_and_a_lone_package_is_its_own() {
        let folder = workspace();
        assert_eq!(workspace_root(&folder.path().join("adapters/b")), folder.path());
        let lone = tempfile::tempdir().expect("a temporary folder");
        write(lone.path(), "src/lib.rs", "x");
        assert_eq!(workspace_root(lone.path()), lone.path());
        assert_eq!(id(lone.path()).len(), 2 * ID_BYTES);
    }

    #[test]
    fn packages_are_watched_in_pieces() {
        let folder = workspace();
        write(folder.path(), "crates/a/tests/x.rs", "x");
        write(folder.path(), "crates/a/Cargo.toml", "x");
        write(folder.path(), "install/Cargo.toml", "x");
        write(folder.path(), "install/src/lib.rs", "x");
        let watched = watched(folder.path()).expect("a readable workspace");
        let names: Vec<_> = watched
            .iter()
            .map(|path| path.strip_prefix(folder.path()).expect("inside").to_string_lossy())
            .collect();
        assert_eq!(
            names,
            [
                "crates/a/Cargo.toml",
                "crates/a/src",
                "adapters/b/src",
                "install/Cargo.toml",
                "install/src",
                "Cargo.lock"
            ]
        );
    }

    #[test]
    fn the_newest_file_gives_the_time() {
        let folder = workspace();
        let old = UNIX_EPOCH + std::time::Duration::from_secs(1_000);
        for name in ["Cargo.lock", "crates/a/src/lib.rs", "adapters/b/src/lib.rs"] {
            let file = fs::File::options().write(true).open(folder.path().join(name)).expect("a file");
            file.set_modified(old).expect("a time");
        }
        let file = fs::File::options().write(true).open(folder.path().join("Cargo.lock")).expect("a file");
        file.set_modified(old + std::time::Duration::from_secs(5)).expect("a time");
        assert_eq!(compute(folder.path()).expect("a readable workspace").built_at, 1_005);
    }
}
