//! A named pipe where a file is expected holds nobody: it is named, and everything else goes on.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use remora_tests::wait::wait_until;
use remora_tests::{Error, Finished, Result, TestHome};
use serde_json::Value;

/// Reached only by a command that hangs.
const HANGS: Duration = Duration::from_secs(60);

fn pipe(path: &Path) -> Result<()> {
    let made = Command::new("mkfifo").arg(path).status().map_err(Error::file("making", path))?;
    assert!(made.success(), "no pipe could be made");
    Ok(())
}

fn remora(home: &TestHome, arguments: &[&str]) -> Result<Finished> {
    home.remora(arguments)?.limit(HANGS).run()
}

fn memory_dir(home: &TestHome) -> Result<PathBuf> {
    let listed = remora(home, &["list", "--json"])?.expect_ok("remora list")?;
    let listed: Value = serde_json::from_slice(&listed.stdout).map_err(Error::json("remora"))?;
    Ok(PathBuf::from(listed["memory_dir"].as_str().expect("the project's folder")))
}

#[test]
fn a_pipe_in_a_memory_folder_holds_no_command() -> Result<()> {
    let home = TestHome::new()?;
    let saved = remora(&home, &["remember", "the lamp is lit at dusk", "--json"])?.expect_ok("remember")?;
    let saved: Value = serde_json::from_slice(&saved.stdout).map_err(Error::json("remora"))?;
    let name = saved["saved"]["name"].as_str().expect("a name").to_owned();
    let folder = memory_dir(&home)?;
    pipe(&folder.join("pipe.md"))?;
    let purged = remora(&home, &["journal", "purge", "--match", "lamp", "--dry-run"])?.expect_ok("purge")?;
    assert!(purged.out().contains("holds it"), "what can be read is looked at: {}", purged.out());
    let listed = remora(&home, &["list"])?.expect_ok("list")?;
    assert!(listed.out().contains("not an ordinary file"), "{}", listed.out());

    let index = folder.join("MEMORY.md");
    std::fs::remove_file(&index).map_err(Error::file("removing", &index))?;
    pipe(&index)?;
    let boat = remora(&home, &["remember", "the boat is red"])?.expect_ok("remember")?;
    assert!(boat.out().contains("not an ordinary file"), "the memory stands: {}", boat.out());
    for arguments in [&["undo"][..], &["forget", &name]] {
        let done = remora(&home, arguments)?;
        let said = format!("{}{}", done.out(), done.err());
        assert!(done.ok() || said.contains("not an ordinary file"), "{arguments:?}: {said}");
    }
    Ok(())
}

#[test]
fn a_pipe_as_the_configuration_is_named_and_holds_nobody() -> Result<()> {
    let home = TestHome::new()?;
    let config = home.config().join("config.toml");
    let folder = config.parent().expect("a folder");
    std::fs::create_dir_all(folder).map_err(Error::file("making", folder))?;
    let _ = std::fs::remove_file(&config);
    pipe(&config)?;
    let status = remora(&home, &["status"])?.expect_ok("status")?;
    assert!(status.out().contains("not an ordinary file"), "{}", status.out());
    let set = remora(&home, &["config", "set", "notice", "never"])?;
    assert!(!set.ok() && set.err().contains("not an ordinary file"), "{}", set.describe());
    std::fs::remove_file(&config).map_err(Error::file("removing", &config))?;
    // Without settings that can be read memory is off; they are looked at again after a second.
    wait_until("memory to be on again", || {
        remora(&home, &["remember", "the lamp is lit at dusk"]).is_ok_and(|said| said.ok())
    })
}
