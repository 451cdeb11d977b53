//! Sources that mean harm, or are merely odd: nothing is followed, nothing is waited for, nothing grows without end.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use remora_tests::{Error, Result, TestHome, wait_until};
use serde_json::{Value, json};

use crate::native_memory::{memory, names, remora};

const SECRET: &str = "the key of the vault is under the mat";

fn link(to: &Path, at: &Path) -> Result<()> {
    symlink(to, at).map_err(Error::file("linking", at))
}

fn whys(taken: &Value) -> Vec<(&str, &str)> {
    let reasons = taken["reasons"].as_object().into_iter().flatten();
    reasons.map(|(file, why)| (file.as_str(), why.as_str().unwrap_or_default())).collect()
}

/// Everything that lies below the data root, in one text.
fn everything(home: &TestHome) -> String {
    let mut all = String::new();
    let mut folders = vec![home.root().join("projects"), home.root().join("user")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                all.push_str(&String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap_or_default()));
            }
        }
    }
    all
}

#[test]
fn odd_files_are_left_out_and_named() -> Result<()> {
    let home = TestHome::new()?;
    home.write("vault/good.md", memory("good", "project", "The lamp is lit at dusk."))?;
    let vault = home.home().join("vault");
    let secret = home.write_beside("secret.md", SECRET)?;
    link(&secret, &vault.join("link.md"))?;
    let outside = home.folder().join("outside");
    std::fs::create_dir(&outside).map_err(Error::file("making", &outside))?;
    home.write_beside("outside/inner.md", SECRET)?;
    link(&outside, &vault.join("folder"))?;
    home.write("vault/large.md", "x".repeat(64 * 1024 + 1))?;
    home.write("vault/utf16.md", [0xff, 0xfe, b'a', 0])?;
    home.write("vault/latin.md", b"caf\xe9 at the pier")?;
    home.write("vault/nul.md", "a\0b")?;
    home.write(format!("vault/{}x.md", "d/".repeat(9)), "Too deep.")?;
    home.write("vault/.git/config.md", SECRET)?;
    let pipe = vault.join("pipe.md");
    let made = Command::new("mkfifo").arg(&pipe).status().map_err(Error::file("making", &pipe))?;
    assert!(made.success(), "no pipe could be made");

    let taken = remora(&home, &["ingest", &vault.to_string_lossy()])?;
    assert_eq!(taken["new"], json!(["good.md"]), "{taken:#}");
    assert_eq!(
        whys(&taken),
        [
            ("d/d/d/d/d/d/d/d/d", "more than 8 folders deep"),
            ("large.md", "larger than 64 KiB"),
            ("link.md", "a symbolic link"),
            ("pipe.md", "not an ordinary file"),
            ("latin.md", "not valid UTF-8"),
            ("nul.md", "a NUL byte: not a text file"),
            ("utf16.md", "not valid UTF-8"),
        ]
    );
    assert!(!everything(&home).contains(SECRET));
    Ok(())
}

#[test]
fn of_very_many_files_so_many_are_taken_and_those_stay() -> Result<()> {
    let home = TestHome::new()?;
    let folder = home.home().join("vault");
    std::fs::create_dir(&folder).map_err(Error::file("making", &folder))?;
    for n in 0..10_000 {
        let file = folder.join(format!("n{n:05}.md"));
        std::fs::write(&file, format!("Note number {n} of the vault.\n"))
            .map_err(Error::file("writing", &file))?;
    }
    let path = folder.to_string_lossy();
    let taken = remora(&home, &["ingest", &path])?;
    let count = |taken: &Value, key: &str| taken[key].as_array().map_or(0, Vec::len);
    assert_eq!((count(&taken, "new"), count(&taken, "left_out")), (500, 9_500));
    assert_eq!(taken["reasons"]["n09999.md"], "only 500 files of a folder are taken");
    // Names that come before those that were taken do not push them out.
    home.write("vault/a.md", "The first by name.")?;
    let again = remora(&home, &["ingest", &path])?;
    assert_eq!((count(&again, "new"), count(&again, "same"), count(&again, "gone")), (0, 500, 0));
    Ok(())
}

#[test]
fn names_that_are_one_on_another_system_get_files_of_their_own() -> Result<()> {
    let home = TestHome::new()?;
    home.write("vault/Notes.md", "The boat is painted white.")?;
    home.write("vault/notes.md", "The oars are painted red.")?;
    home.write("vault/12:30.md", "Lunch is at half past twelve.")?;
    home.write("vault/logs/day.md", "The harbour log is kept by Ada.")?;
    let path = home.home().join("vault");
    let taken = remora(&home, &["ingest", &path.to_string_lossy()])?;
    assert_eq!(taken["new"].as_array().map(Vec::len), Some(4), "{taken:#}");
    assert_eq!(names(&home)?.len(), 4, "each is read");
    assert_eq!(
        remora(&home, &["ingest", &path.to_string_lossy()])?["same"].as_array().map(Vec::len),
        Some(4)
    );
    Ok(())
}

#[test]
fn a_watched_folder_in_a_repository_leads_nowhere_else() -> Result<()> {
    let home = TestHome::new()?;
    let private = home.home().join("private");
    home.write_long_ago("private/diary.md", SECRET)?;
    home.write_in_project("kept/a.md", "The mast is checked in spring.")?;
    link(&private, &home.project().join("docs"))?;
    let project = home.project();
    let entry = |folder: &str| {
        format!("{{folder = {:?}, project = {:?}}}", project.join(folder).display(), project.display())
    };
    let value = format!("[{}, {}]", entry("docs"), entry("kept"));
    home.remora(&["config", "set", "watch", &value])?.run()?.expect_ok("config set").map(drop)?;
    wait_until("what may be taken", || names(&home).is_ok_and(|names| names == ["a"]))?;
    let status = remora(&home, &["status"])?;
    let findings = status["findings"].to_string();
    assert!(findings.contains("it leads out of the repository"), "{findings}");
    // What lies in the work tree is the repository's text, whoever named the folder.
    let list = remora(&home, &["list"])?;
    assert_eq!(list["memories"][0]["scope"], "team", "{list:#}");
    let docs = project.join("docs");
    let refused = home.remora(&["ingest", &docs.to_string_lossy()])?.run()?;
    assert!(refused.err().contains("it leads out of the repository"), "{}", refused.err());
    assert!(!everything(&home).contains(SECRET));
    Ok(())
}

#[test]
fn a_native_folder_that_is_the_memory_is_never_imported() -> Result<()> {
    let home = TestHome::new()?;
    let slug = home.project().to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let folder = home.home().join(format!(".claude/projects/{slug}/memory"));
    home.write_long_ago(
        format!(".claude/projects/{slug}/memory/a.md"),
        memory("a", "project", "The anchor is new."),
    )?;
    home.remora(&["config", "set", "memory_dir", &folder.to_string_lossy()])?
        .run()?
        .expect_ok("set")
        .map(drop)?;
    wait_until("the configuration to be read", || {
        remora(&home, &["list"]).is_ok_and(|list| list["memory_dir"] == json!(folder))
    })?;
    let taken = remora(&home, &["import", "claude-code"])?;
    assert_eq!(
        (&taken["new"], &taken["reasons"]),
        (&json!([]), &json!({"": "it is the memory itself"})),
        "{taken:#}"
    );
    // Nor by another way to it.
    let other = home.home().join("another-way");
    link(&folder, &other)?;
    let refused = home.remora(&["ingest", &other.to_string_lossy()])?.run()?;
    assert!(refused.err().contains("it is the memory itself"), "{}", refused.err());
    Ok(())
}
