//! What a hook does when its own code fails: the host sees status 0 and its neutral answer.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

const NEUTRAL: &str = "{\"neutral\":true}\n";

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The example, which `cargo test -p remora-hook` builds before it runs tests.
fn example() -> PathBuf {
    let test = std::env::current_exe().expect("this test's path");
    let folder = test.parent().and_then(Path::parent).expect("the build's folder");
    folder.join("examples").join(format!("misbehaving{}", std::env::consts::EXE_SUFFIX))
}

fn run(root: &Path, input: &str) -> Output {
    // In a folder of its own: beside the other freshly built programs it would start their engine.
    let alone = tempfile::tempdir().expect("a temporary folder");
    let hook = alone.path().join("bin/host/misbehaving");
    std::fs::create_dir_all(hook.parent().expect("its folder")).expect("its folder");
    // A program that another test begins meanwhile would hold the copy open for writing for a moment.
    let alone_here = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    std::fs::copy(example(), &hook).expect("the example is there (`--test` alone does not build it)");
    let mut child = Command::new(&hook)
        .arg("--root")
        .arg(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the example runs");
    drop(alone_here);
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("the example reads");
    child.wait_with_output().expect("the example ends")
}

fn log(root: &Path) -> String {
    std::fs::read_to_string(root.join("logs/hooks.log")).unwrap_or_default()
}

#[test]
fn a_panic_is_a_line_in_the_log_and_nothing_to_the_host() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let output = run(root.path(), r#"{"do":"panic","secret":"hunter2"}"#);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stdout), NEUTRAL);
    assert!(output.stderr.is_empty());
    let log = log(root.path());
    assert!(log.contains("misbehaving stop: panicked at ") && !log.contains("hunter2"), "{log}");
}

#[test]
fn a_hook_that_hangs_is_ended_by_its_watchdog() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let output = run(root.path(), r#"{"do":"hang"}"#);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stdout), NEUTRAL);
    assert!(log(root.path()).contains("ended by its watchdog"));
}

#[test]
fn the_neutral_answer_is_given_once_on_every_other_path() {
    for input in ["", "garbage", "{\"do\":\"nothing\"}", "{\"session\":\"s\",\"cwd\":\"/\"}"] {
        let root = tempfile::tempdir().expect("a temporary folder");
        let output = run(root.path(), input);
        assert_eq!(output.status.code(), Some(0), "{input}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), NEUTRAL, "{input}");
        assert!(output.stderr.is_empty(), "{input}");
    }
}

/// Enough text for the scanner of a build that is not optimised to need longer than a hook may live. Where
/// it is quicker than that the event is whole; either way it is not lost.
#[test]
fn an_event_that_takes_too_long_to_clean_is_not_lost() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let message = "password=\"token: secret=".replace('"', "'").repeat(600_000);
    let output = run(root.path(), &format!("{{\"session\":\"s\",\"cwd\":\"/w\",\"message\":\"{message}\"}}"));
    assert_eq!(output.status.code(), Some(0));
    let spooled = std::fs::read_dir(root.path().join("spool")).expect("a spool");
    let files: Vec<_> = spooled
        .map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).expect("a file"))
        .filter(|text| text.starts_with('{'))
        .collect();
    assert!(!files.is_empty(), "{}", log(root.path()));
    assert!(files.iter().all(|file| file.contains("\"session\":\"s\"")), "{files:?}");
}
