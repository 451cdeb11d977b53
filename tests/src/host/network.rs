//! A network in which there is only loopback.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The arguments of `unshare` that make such a network here: root needs no more, others need a user
/// namespace. `None` where neither is allowed.
pub(super) fn unshare_arguments() -> Option<&'static [&'static str]> {
    static FOUND: OnceLock<Option<&'static [&'static str]>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let candidates: [&[&str]; 2] = [&["--net"], &["--net", "--map-root-user"]];
        candidates.into_iter().find(|arguments| works(arguments))
    })
}

fn works(arguments: &[&str]) -> bool {
    let mut command = Command::new("unshare");
    command.args(arguments).args(["--", "ip", "link", "set", "lo", "up"]);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The fake model's executable, which cargo puts beside the tests of this package.
pub(super) fn fake_model_program() -> Option<PathBuf> {
    let test = std::env::current_exe().ok()?;
    let mut folders = test.ancestors().skip(1).take(2).map(Path::to_owned);
    folders.find_map(|folder| {
        let program = folder.join("remora-fake-model");
        program.is_file().then_some(program)
    })
}
