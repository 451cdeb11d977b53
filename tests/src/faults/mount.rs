//! Private mount namespaces: what is mounted in them exists for the programs that enter them alone.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::process::{self, Finished};

const LIMIT: Duration = Duration::from_secs(20);

/// A small file system over the folder, holding what the folder held, filled to the last byte. It is put
/// together at /mnt, which is the namespace's own.
const FULL: &str = r#"
mount -t tmpfs -o size=64k,mode=0700 remora-full /mnt
cp -a "$1/." /mnt/
mount --bind /mnt "$1"
cat /dev/zero >"$1/.filler" 2>/dev/null || true
"#;
/// The same with room left, for programs that are to run full by themselves.
const SMALL: &str = r#"
mount -t tmpfs -o size=64k,mode=0700 remora-small /mnt
cp -a "$1/." /mnt/
mount --bind /mnt "$1"
"#;
const READ_ONLY: &str = r#"
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
"#;
/// Nothing where the folder was, and no way to make it.
const MISSING: &str = r#"
mount -t tmpfs -o size=64k,ro remora-missing "$(dirname "$1")"
"#;

/// A fault of the file system, for the programs that are run [inside](MountFault::inside) it. It ends
/// with this value.
#[derive(Debug)]
pub struct MountFault {
    holder: Child,
    enter: Vec<OsString>,
}

impl MountFault {
    /// The folder lies on a file system of 64 KiB, with what it held, and not a byte is left. What it
    /// held must fit.
    pub fn full_disk(folder: &Path) -> Result<Self> {
        let fault = Self::mounted(FULL, folder)?;
        fault.must_fail("writing on a full disk", &write_and_remove(4096), folder)?;
        Ok(fault)
    }

    /// The folder lies on a file system of 64 KiB, with what it held and the rest free.
    pub fn small_disk(folder: &Path) -> Result<Self> {
        let fault = Self::mounted(SMALL, folder)?;
        fault.must_fail("writing 128 KiB", &write_and_remove(128 * 1024), folder)?;
        Ok(fault)
    }

    /// Nothing in the folder can be changed.
    pub fn read_only(folder: &Path) -> Result<Self> {
        let fault = Self::mounted(READ_ONLY, folder)?;
        fault.must_fail("writing to a read-only folder", ": >\"$1/.proof\"", folder)?;
        Ok(fault)
    }

    /// The folder is not there and cannot be made. The one above it must exist; it looks empty.
    pub fn missing(folder: &Path) -> Result<Self> {
        let fault = Self::mounted(MISSING, folder)?;
        fault.must_fail("finding a missing folder", "[ -e \"$1\" ]", folder)?;
        fault.must_fail("making a missing folder", "mkdir \"$1\"", folder)?;
        Ok(fault)
    }

    /// Whether mounts can be made here at all: as root, or where people may have namespaces. If not, says
    /// on standard error that a test is skipped.
    #[expect(clippy::print_stderr, reason = "a skipped test must say so")]
    pub fn possible() -> bool {
        let possible = namespace_arguments().is_some();
        if !possible {
            eprintln!("SKIPPED: no mount namespace can be made here");
        }
        possible
    }

    /// The same launch, under this fault. An engine that it starts lives under the fault too.
    pub fn inside(&self, launch: Launch) -> Launch {
        launch.in_namespace(&self.enter)
    }

    fn mounted(script: &str, folder: &Path) -> Result<Self> {
        let arguments = namespace_arguments()
            .ok_or_else(|| Error::Toothless("no mount namespace can be made here".to_owned()))?;
        // The namespace lives as long as its holder, and the holder as long as its standard input.
        let script = format!("set -e\n{script}\necho mounted\nexec cat >/dev/null");
        let mut command = Command::new("unshare");
        command.args(arguments).args(["--", "sh", "-c", &script, "sh"]).arg(folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut holder = command.spawn().map_err(Error::run("unshare"))?;
        let mut said = String::new();
        if let Some(output) = holder.stdout.take() {
            BufReader::new(output).read_line(&mut said).map_err(Error::run("unshare"))?;
        }
        let enter = enter_words(holder.id(), arguments);
        let fault = Self { holder, enter };
        if said.trim() != "mounted" {
            return Err(Error::Toothless(format!("nothing could be mounted over {}", folder.display())));
        }
        Ok(fault)
    }

    fn must_fail(&self, what: &str, script: &str, folder: &Path) -> Result<()> {
        let tried = self.shell(script, folder)?;
        if tried.ok() {
            Err(Error::Toothless(format!("{what} succeeded in {}", folder.display())))
        } else {
            Ok(())
        }
    }

    fn shell(&self, script: &str, folder: &Path) -> Result<Finished> {
        let mut command = Command::new(&self.enter[0]);
        command.args(&self.enter[1..]).args(["sh", "-c", script, "sh"]).arg(folder);
        process::run(&mut command, b"", LIMIT)
    }
}

impl Drop for MountFault {
    fn drop(&mut self) {
        drop(self.holder.stdin.take());
        let _ = self.holder.wait();
    }
}

/// A script that writes so many bytes, takes them away again, and leaves with how the writing went.
fn write_and_remove(bytes: usize) -> String {
    format!(r#"head -c {bytes} /dev/zero >"$1/.proof"; status=$?; rm -f "$1/.proof"; exit $status"#)
}

/// The arguments of `unshare` for a mount namespace: root needs no more, others become root of a
/// namespace of their own.
fn namespace_arguments() -> Option<&'static [&'static str]> {
    let candidates: [&[&str]; 2] = [
        &["--mount", "--propagation", "private"],
        &["--mount", "--propagation", "private", "--map-root-user"],
    ];
    candidates.into_iter().find(|arguments| {
        let mut command = Command::new("unshare");
        command.args(*arguments).args(["--", "mount", "-t", "tmpfs", "remora-try", "/mnt"]);
        process::run(&mut command, b"", LIMIT).is_ok_and(|done| done.ok())
    })
}

/// The words before a command line that runs it in the holder's namespace.
fn enter_words(holder: u32, arguments: &[&str]) -> Vec<OsString> {
    let mut words = vec!["nsenter".to_owned(), format!("--target={holder}"), "--mount".to_owned()];
    if arguments.contains(&"--map-root-user") {
        words.extend(["--user".to_owned(), "--preserve-credentials".to_owned()]);
    }
    words.push("--".to_owned());
    words.into_iter().map(OsString::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_home::TestHome;

    fn home_with_data() -> TestHome {
        let home = TestHome::new().expect("a home");
        home.write(".local/share/remora/memory.md", "kept").expect("a written file");
        home
    }

    fn shell(home: &TestHome, fault: &MountFault, script: &str) -> Finished {
        let launch = home.launch("/bin/sh").args(["-c", script, "sh"]).arg(home.root());
        fault.inside(launch).run().expect("a shell")
    }

    #[test]
    fn a_full_disk_keeps_what_was_there_and_takes_nothing() {
        if !MountFault::possible() {
            return;
        }
        let home = home_with_data();
        let fault = MountFault::full_disk(&home.root()).expect("a fault that bites");
        assert_eq!(shell(&home, &fault, "cat \"$1/memory.md\"").out(), "kept");
        let written = shell(&home, &fault, "printf more | cat >\"$1/new.md\"");
        assert!(!written.ok() && written.err().contains("No space left"), "{}", written.describe());
        drop(fault);
        assert_eq!(std::fs::read(home.root().join("memory.md")).expect("the file outside"), b"kept");
        assert!(!home.root().join(".filler").exists());
    }

    #[test]
    fn a_small_disk_runs_full() {
        if !MountFault::possible() {
            return;
        }
        let home = home_with_data();
        let fault = MountFault::small_disk(&home.root()).expect("a fault that bites");
        assert!(shell(&home, &fault, "head -c 20000 /dev/zero >\"$1/new\"").ok());
        assert!(!shell(&home, &fault, "head -c 60000 /dev/zero >\"$1/more\"").ok());
    }

    #[test]
    fn a_read_only_folder_can_be_read() {
        if !MountFault::possible() {
            return;
        }
        let home = home_with_data();
        let fault = MountFault::read_only(&home.root()).expect("a fault that bites");
        assert_eq!(
            shell(&home, &fault, "cat \"$1/memory.md\"; pwd").out(),
            format!("kept{}\n", home.project().display())
        );
        assert!(shell(&home, &fault, ": >\"$1/x\"").err().contains("Read-only"));
    }

    #[test]
    fn a_missing_folder_cannot_be_made() {
        if !MountFault::possible() {
            return;
        }
        let home = home_with_data();
        let fault = MountFault::missing(&home.root()).expect("a fault that bites");
        assert!(!shell(&home, &fault, "mkdir -p \"$1\"").ok());
        assert!(home.root().exists());
    }

    #[test]
    fn a_fault_that_does_not_bite_is_an_error() {
        if !MountFault::possible() {
            return;
        }
        let home = home_with_data();
        let harmless = MountFault::mounted("true", &home.root()).expect("a namespace");
        let error = harmless.must_fail("writing", ": >\"$1/.proof\"", &home.root()).expect_err("no fault");
        assert!(error.to_string().contains("does not bite"), "{error}");
    }
}
