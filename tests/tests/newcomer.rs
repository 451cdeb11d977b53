//! What somebody who does not know the program yet tries first, and what they are told.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use remora_tests::{Error, Normaliser, Result, TestHome};
use serde_json::json;

use crate::found_again::tell;

/// What `remora` says, with what was typed.
fn says(home: &TestHome, arguments: &[&str]) -> Result<String> {
    let done = home.remora(arguments)?.run()?;
    let normaliser = Normaliser::of(home).and_all(r"projects/[^/]+/", "projects/[SLUG]/");
    let said = format!("$ remora {}\n{}{}", arguments.join(" "), done.out(), done.err());
    Ok(normaliser.apply(&said))
}

#[test]
fn what_would_not_be_applied_is_not_set() -> Result<()> {
    let home = TestHome::new()?;
    let mut said = Vec::new();
    for arguments in [
        &["config", "set", "redact.patterns", r#"["("]"#][..],
        &["config", "set", "journal.exclude_paths", r#"["{a"]"#],
        &["config", "set", "journal.keep", "1s"],
        &["config", "set", "journal.keep", "1d"],
        &["config", "set", "redact.patterns", r#"["EMP-\\d+"]"#],
        &["config", "get", "redact.patterns"],
    ] {
        said.push(says(&home, arguments)?);
    }
    // What is wrong already stops no other setting.
    home.write(".config/remora/config.toml", "[journal]\nkeep = \"1s\"\n")?;
    said.push(says(&home, &["config", "set", "notice", "never"])?);
    insta::assert_snapshot!(said.join("\n"));
    Ok(())
}

#[test]
fn too_much_is_not_ingested_and_limits_are_said() -> Result<()> {
    let home = TestHome::new()?;
    let one = home.home().to_string_lossy().into_owned();
    let above = home.folder().to_string_lossy().into_owned();
    std::os::unix::fs::symlink(home.home(), home.folder().join("link"))
        .map_err(Error::file("linking", home.folder()))?;
    let link = home.folder().join("link").to_string_lossy().into_owned();
    let mut said = Vec::new();
    for path in ["/", &one, &above, &link] {
        said.push(says(&home, &["ingest", path, "--dry-run"])?);
    }
    for number in 0..503 {
        home.write_long_ago(format!("notes/n{number:03}.md"), format!("Note {number} of the harbour.\n"))?;
    }
    home.write_long_ago("notes/1/2/3/4/5/6/7/8/9/deep.md", "Deep.\n")?;
    let notes = home.home().join("notes").to_string_lossy().into_owned();
    let listed = says(&home, &["ingest", &notes])?;
    said.push(listed.lines().take(6).collect::<Vec<_>>().join("\n"));
    insta::assert_snapshot!(said.join("\n"));
    Ok(())
}

#[test]
fn what_was_purged_is_counted_nowhere() -> Result<()> {
    let home = TestHome::new()?;
    let project = home.project();
    for (second, words) in ["paint the ferry", "quokka one", "quokka two"].iter().enumerate() {
        let at = format!("2026-11-20T10:00:0{second}Z");
        tell(
            &home,
            &project,
            "codex",
            "first-session",
            &at,
            &json!({"event": "user_prompt", "prompt": words}),
        )?;
    }
    home.remora(&["journal", "purge", "--match", "quokka", "--yes"])?.run()?.expect_ok("purge").map(drop)?;
    let asked = |arguments: &[&str]| -> Result<serde_json::Value> {
        let said = home.remora(arguments)?.arg("--json").run()?.expect_ok("remora")?;
        serde_json::from_slice(&said.stdout).map_err(Error::json("remora"))
    };
    let sessions = asked(&["journal", "--all-projects"])?;
    let session = &sessions["sessions"][0];
    assert_eq!((&session["turns"], &session["entries"]), (&json!(1), &json!(1)), "{sessions:#}");
    let journal = &asked(&["status"])?["journal"];
    assert_eq!((&journal["events"], &journal["observations"]), (&json!(1), &json!(1)), "{journal:#}");
    Ok(())
}

#[test]
fn the_journal_is_private_from_its_first_byte() -> Result<()> {
    let home = TestHome::new()?;
    home.remora(&["status"])?.run()?.expect_ok("status").map(drop)?;
    for name in ["journal.db", "journal.db-wal", "journal.db-shm"] {
        let path = home.root().join(name);
        let mode = std::fs::metadata(&path).map_err(Error::file("looking at", &path))?.permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    Ok(())
}

#[test]
fn an_export_goes_where_it_is_said_and_mistakes_say_what_to_do() -> Result<()> {
    let home = TestHome::new()?;
    home.remora(&["remember", "The ferry of the demo is painted yellow until May 2027."])?
        .run()?
        .expect_ok("remember")
        .map(drop)?;
    let said = [
        says(&home, &["export", "all"])?,
        says(&home, &["export", "--to", "again"])?,
        says(&home, &["export", "one", "--to", "two"])?,
        says(&home, &["exprot"])?,
        says(&home, &["list", "--jsn", "--json"])?,
    ];
    assert!(home.project().join("all/README.md").exists() || Path::new(&home.project()).join("all").is_dir());
    insta::assert_snapshot!(said.join("\n"));
    Ok(())
}

#[test]
fn a_trial_of_the_installation_says_which_programs_are_missing() -> Result<()> {
    let home = TestHome::new()?;
    // As somebody unpacks it: the programs beside the command, and nothing in the data root.
    let bin = home.folder().join("release/bin");
    std::fs::create_dir_all(bin.join("codex")).map_err(Error::file("making", &bin))?;
    let remora = remora_tests::Installation::get()?.remora();
    std::fs::hard_link(&remora, bin.join("remora"))
        .or_else(|_| std::fs::copy(&remora, bin.join("remora")).map(drop))
        .map_err(Error::file("copying", &remora))?;
    let arguments = ["install", "codex", "--dry-run"];
    let unpacked = home.launch(bin.join("remora")).args(arguments).run()?;
    let alone = home.folder().join("alone/remora");
    std::fs::create_dir_all(home.folder().join("alone")).map_err(Error::file("making", &alone))?;
    std::fs::rename(bin.join("remora"), &alone).map_err(Error::file("moving", &alone))?;
    let alone = home.launch(alone).args(arguments).run()?;
    let tail = |said: &str| {
        said.lines().rev().take(2).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n")
    };
    let said = format!("{}\n{}", tail(&unpacked.out()), tail(&alone.out()));
    insta::assert_snapshot!(Normaliser::of(&home).apply(&said));
    Ok(())
}
