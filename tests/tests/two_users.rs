//! Two people on one machine: neither's programs talk to the other's engine, even where a file's mode allows it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Stdio};

use remora_tests::faults::OtherUser;
use remora_tests::session::at_ease;
use remora_tests::{Error, Installed, Result, Session, TestHome, journal, wait_until};

use crate::first_event::spooled;

const RULE: &str = "Integration tests talk to the real Postgres database on port 5544, never to mocks.";

fn open_up(path: &Path, mode: u32) -> Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(Error::file("opening", path))
}

/// Everybody may enter every folder from the home's own down to this one.
fn open_the_way(home: &TestHome, to: &Path) -> Result<()> {
    for folder in to.ancestors().take_while(|folder| folder.starts_with(home.folder())) {
        open_up(folder, 0o755)?;
    }
    Ok(())
}

fn another_user(home: &TestHome) -> Result<OtherUser> {
    open_up(home.folder(), 0o755)?;
    let private = home.write_beside("private", "mine")?;
    open_up(&private, 0o600)?;
    OtherUser::new(&private)
}

#[test]
fn an_engine_answers_its_own_user_alone() -> Result<()> {
    if !OtherUser::possible() {
        return Ok(());
    }
    let home = TestHome::new()?;
    let other = another_user(&home)?;
    let installed = Installed::programs_only(&home)?;
    installed.json(&["remember", RULE])?;
    // As careless as can be: the socket is there for everybody.
    open_the_way(&home, &home.root().join("run"))?;
    open_the_way(&home, &home.root().join("bin"))?;
    open_up(&home.root().join("run/s"), 0o666)?;

    let own = installed.remora(&["list"]).run()?.expect_ok("remora list")?;
    assert!(own.out().contains("integration-tests-talk-real-postgres"), "{}", own.describe());
    let theirs = other.runs(installed.remora(&["list"])).run()?;
    assert!(!theirs.ok() && theirs.stdout.is_empty(), "{}", theirs.describe());
    assert!(!theirs.err().contains("integration-tests"), "{}", theirs.describe());
    // The engine lives on, and private folders are closed again when the next one starts.
    assert!(Session::new(&home, "one").start("startup")?.says("integration-tests-talk-real-postgres"));
    installed.remora(&["engine", "restart"]).run()?.expect_ok("remora engine restart").map(drop)?;
    let mode = fs::metadata(home.root().join("run")).expect("the folder").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    Ok(())
}

/// Somebody else's engine; it ends with this value.
struct TheirEngine(Child);

impl Drop for TheirEngine {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_hook_tells_nothing_to_somebody_elses_engine() -> Result<()> {
    if !OtherUser::possible() {
        return Ok(());
    }
    let home = TestHome::new()?;
    let other = another_user(&home)?;
    let installed = Installed::programs_only(&home)?;
    open_the_way(&home, &home.root().join("bin"))?;
    let (theirs, ours) = (home.folder().join("theirs"), home.root().join("run/s"));
    fs::create_dir_all(&theirs).map_err(Error::file("making", &theirs))?;
    open_up(&theirs, 0o777)?;
    let launch = home.launch(installed.program()).arg("--root").arg(theirs.join("r")).args(["engine", "run"]);
    let launch = other.runs(launch.env("HOME", &theirs).cwd("/"));
    let mut command = launch.command();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _engine = TheirEngine(command.spawn().map_err(Error::run("somebody's engine"))?);
    let socket = theirs.join("r/run/s");
    wait_until("somebody's engine", || socket.exists())?;
    // They put their socket in the place of ours.
    fs::create_dir_all(ours.parent().expect("a folder")).map_err(Error::file("making", &ours))?;
    std::os::unix::fs::symlink(&socket, &ours).map_err(Error::file("linking", &ours))?;

    let hook = installed.hook("claude-code", "user-prompt-submit")?.args(at_ease());
    let payload = serde_json::json!({"session_id": "one", "cwd": home.project(), "prompt": "a secret plan"});
    let done = hook.stdin(payload.to_string()).run()?.expect_ok("the hook")?;
    assert!(done.stdout.is_empty() && done.stderr.is_empty(), "{}", done.describe());
    assert_eq!(spooled(&home.root()).len(), 1);
    let log = fs::read_to_string(home.root().join("logs/hooks.log")).unwrap_or_default();
    assert!(log.contains("is not only the user's own"), "{log}");
    assert_eq!(journal::events(&theirs.join("r"))?, []);
    Ok(())
}
