//! Another user of the machine.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::launch::Launch;
use crate::process;

/// The user whom every system has and who owns nothing.
const NOBODY: u32 = 65534;
const LIMIT: Duration = Duration::from_secs(20);

/// A second user, as whom programs can be run. Only root can become somebody else.
#[derive(Debug, Clone, Copy)]
pub struct OtherUser(());

impl OtherUser {
    /// Becomes somebody else and sees that a private file of ours is closed to them. `private` is a file
    /// of mode 0600 in a folder that everybody can enter.
    pub fn new(private: &Path) -> Result<Self> {
        let own = rustix::process::getuid().as_raw();
        let script = r#"[ "$(id -u)" = "$2" ] && [ "$(id -u)" != "$3" ] && ! cat "$1""#;
        let mut command = Command::new(words()[0].clone());
        command.args(&words()[1..]).args(["sh", "-c", script, "sh"]).arg(private);
        command.args([NOBODY.to_string(), own.to_string()]);
        let tried = process::run(&mut command, b"", LIMIT)?;
        if tried.ok() && tried.stdout.is_empty() && private.exists() {
            return Ok(Self(()));
        }
        Err(Error::Toothless(format!("another user: {}", tried.describe())))
    }

    /// Whether this process may become another user. If not, says on standard error that a test is skipped.
    #[expect(clippy::print_stderr, reason = "a skipped test must say so")]
    pub fn possible() -> bool {
        let possible = rustix::process::getuid().is_root();
        if !possible {
            eprintln!("SKIPPED: only root can become another user");
        }
        possible
    }

    /// The same launch, as the other user.
    pub fn runs(self, launch: Launch) -> Launch {
        launch.through(words())
    }
}

fn words() -> Vec<String> {
    let ids = [format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")];
    ["setpriv".to_owned()]
        .into_iter()
        .chain(ids)
        .chain(["--clear-groups".to_owned(), "--".to_owned()])
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::test_home::TestHome;

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a changed mode");
    }

    #[test]
    fn another_user_reads_what_is_open_and_not_what_is_private() {
        if !OtherUser::possible() {
            return;
        }
        let home = TestHome::new().expect("a home");
        set_mode(home.folder(), 0o755);
        let file = home.write_beside("file", "text").expect("a written file");
        set_mode(&file, 0o644);
        OtherUser::new(&file).expect_err("the file is open to all");
        set_mode(&file, 0o600);
        let other = OtherUser::new(&file).expect("another user");
        let who = other.runs(home.launch("/usr/bin/id").arg("-u")).run().expect("id");
        assert_eq!(who.out().trim(), NOBODY.to_string());
    }
}
