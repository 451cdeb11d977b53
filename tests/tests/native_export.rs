//! Everything out and in again, and what other tools have kept.

use std::path::{Path, PathBuf};

use remora_tests::{Error, Normaliser, Result, Session, TestHome, wait_until};
use serde_json::{Value, json};

use crate::native_memory::{memory, names, remora, says};

/// A home with memories of the person and of a project, snapshots, and something in the journal.
fn filled(home: &TestHome) -> Result<()> {
    remora(home, &["remember", "--type", "user", "The person designs databases."])?;
    remora(home, &["remember", "--type", "feedback", "Use pnpm, never npm."])?;
    remora(home, &["remember", "--type", "project", "数据库端口是 5544，不要改。"])?;
    home.write_long_ago("vault/a.md", memory("ferry", "project", "The ferry leaves at seven."))?;
    remora(home, &["ingest", &home.home().join("vault").to_string_lossy()])?;
    let session = Session::new(home, "one");
    let _ = session.start("startup")?;
    let _ = session.prompt("look at the lighthouse")?;
    let _ = session.shell("make beacon", "beacon built")?;
    let _ = session.stop("Done.")?;
    wait_until("the journal", || found(home, "beacon").is_ok_and(|total| total > 0))
}

fn found(home: &TestHome, words: &str) -> Result<u64> {
    Ok(remora(home, &["search", words])?["total"].as_u64().unwrap_or(0))
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let (Ok(relative), Ok(bytes)) = (path.strip_prefix(folder), std::fs::read(&path)) {
                all.push((relative.to_owned(), bytes));
            }
        }
    }
    all.sort();
    all
}

fn comes_back(format: &str, name: &str) -> Result<()> {
    let home = TestHome::new()?;
    filled(&home)?;
    let to = home.home().join(name);
    let path = to.to_string_lossy().into_owned();
    let out = remora(&home, &["export", "--format", format, "--journal", "--to", &path])?;
    assert_eq!((&out["projects"], &out["left_out"]), (&json!(1), &json!({})), "{out:#}");

    // Into a home that knows nothing.
    let other = TestHome::new()?;
    let dry = remora(&other, &["import", "export", &path, "--dry-run"])?;
    assert_eq!(names(&other)?, Vec::<String>::new());
    let taken = remora(&other, &["import", "export", &path])?;
    assert_eq!((&taken["new"], &dry["new"]), (&dry["new"], &taken["new"]), "{taken:#}");
    assert_eq!((&taken["kept"], &taken["left_out"]), (&json!([]), &json!({})), "{taken:#}");
    assert_eq!(taken["events"]["new"], out["events"], "{taken:#}");
    let again = remora(&other, &["import", "export", &path])?;
    assert_eq!((&again["new"], &again["events"]["new"]), (&json!([]), &json!(0)), "{again:#}");
    assert_eq!(again["same"].as_array().map(Vec::len), taken["new"].as_array().map(Vec::len));

    // What comes out of that one is the same to the byte.
    let back = other.home().join(name);
    remora(&other, &["export", "--format", format, "--journal", "--to", &back.to_string_lossy()])?;
    if to.is_dir() {
        assert_eq!(files(&to), files(&back));
    } else {
        let read = |path: &Path| std::fs::read_to_string(path).map_err(Error::file("reading", path));
        assert_eq!(read(&to)?, read(&back)?);
    }
    // And it is recalled and found as before.
    let adopted = home.project();
    let list = remora(&other, &["--project", &adopted.to_string_lossy(), "list"])?;
    assert_eq!(list["memories"].as_array().map(Vec::len), Some(4), "{list:#}");
    wait_until("the journal", || {
        remora(&other, &["--project", &adopted.to_string_lossy(), "search", "beacon"])
            .is_ok_and(|found| found["total"].as_u64().is_some_and(|total| total > 0))
    })
}

#[test]
fn an_export_as_markdown_comes_back() -> Result<()> {
    comes_back("markdown", "out")
}

#[test]
fn an_export_as_json_comes_back() -> Result<()> {
    comes_back("json", "out.json")
}

#[test]
fn nothing_is_written_over() -> Result<()> {
    let home = TestHome::new()?;
    filled(&home)?;
    let to = home.home().join("out");
    let path = to.to_string_lossy().into_owned();
    let first = says(&home, &["export", "--to", &path])?;
    insta::assert_snapshot!(first, @r"
    Exported to ~/out: 8 files from 1 project.
    `remora import export ~/out` brings it in again.
    ");
    for format in ["markdown", "json"] {
        let refused = home.remora(&["export", "--format", format, "--to", &path])?.run()?;
        insta::allow_duplicates! {
            insta::assert_snapshot!(Normaliser::of(&home).apply(&refused.err()), @r"
            remora: [HOME]/out is there already
              name another place with --to, or move it away: nothing is written over
            ");
        }
    }
    // What the person has written since stays, what they deleted stays deleted, and both are said.
    let pnpm = remora(&home, &["show", "use-pnpm-never-npm"])?;
    let file = PathBuf::from(pnpm["path"].as_str().expect("a path"));
    std::fs::write(&file, memory("use-pnpm-never-npm", "feedback", "Use yarn now."))
        .map_err(Error::file("writing", &file))?;
    remora(&home, &["forget", "ferry"])?;
    let said = says(&home, &["import", "export", &path])?;
    insta::assert_snapshot!(said, @r"
    Brought in: 0 new, 6 as before.
      projects/[SLUG]/memory/feedback_use_pnpm_never_npm.md: another text is there, which stays
      projects/[SLUG]/imported/folder-vault-[HASH]/a.md: left out: deleted by you
    ");
    assert!(std::fs::read_to_string(&file).expect("there").contains("yarn"));
    for (path, says) in
        [(home.home().join("vault"), "is no export"), (home.home().join("none"), "there is no ")]
    {
        let refused = home.remora(&["import", "export", &path.to_string_lossy()])?.run()?;
        assert!(refused.err().contains(says), "{}", refused.err());
    }
    Ok(())
}

#[test]
fn an_export_that_somebody_changed_leads_nowhere_else() -> Result<()> {
    let home = TestHome::new()?;
    let file = |path: &str| json!({"path": path, "modified": "2026-01-01T00:00:00Z", "text": "out"});
    let paths = [
        "user/memory/../../../../out.md",
        "/etc/out.md",
        "projects/../../out.md",
        "journal.db",
        "user/memory/ok.md",
    ];
    let export = json!({"format": "remora-export", "version": 1, "files": paths.map(file)});
    let path = home.write("bad.json", export.to_string())?;
    let taken = remora(&home, &["import", "export", &path.to_string_lossy()])?;
    assert_eq!(taken["new"], json!(["user/memory/ok.md"]), "{taken:#}");
    assert_eq!(taken["left_out"].as_object().map(serde_json::Map::len), Some(4), "{taken:#}");
    let newer =
        home.write("newer.json", json!({"format": "remora-export", "version": 2, "files": []}).to_string())?;
    let refused = home.remora(&["import", "export", &newer.to_string_lossy()])?.run()?;
    assert!(refused.err().contains("a newer Remora"), "{}", refused.err());
    Ok(())
}

/// A database as claude-mem makes it, by the `sqlite3` of Python.
fn claude_mem(home: &TestHome) -> Result<PathBuf> {
    let path = home.write(".claude-mem/.made", "")?.with_file_name("claude-mem.db");
    let script = home.write_beside("make.py", include_str!("../fixtures/claude_mem.py"))?;
    let project = home.project().file_name().expect("a name").to_string_lossy().into_owned();
    let made = std::process::Command::new("python3").arg(&script).arg(&path).arg(&project).status();
    let made = made.map_err(Error::file("running", &script))?;
    assert!(made.success(), "no database could be made");
    Ok(path)
}

#[test]
fn what_claude_mem_kept_is_found_again_and_its_rules_are_recalled() -> Result<()> {
    let home = TestHome::new()?;
    let missing = home.remora(&["import", "claude-mem"])?.run()?;
    insta::assert_snapshot!(Normaliser::of(&home).apply(&missing.err()), @r"
    remora: there is no [HOME]/.claude-mem/claude-mem.db
      claude-mem keeps its memory there; nothing was imported
    ");
    let database = claude_mem(&home)?;
    let before = (std::fs::read(&database).expect("there"), files(&home.home().join(".claude-mem")).len());
    let dry = remora(&home, &["import", "claude-mem", "--dry-run"])?;
    assert_eq!(
        (&dry["observations"], &dry["summaries"]),
        (&json!({"new": 3, "same": 0}), &json!({"new": 1, "same": 0})),
        "{dry:#}"
    );
    assert_eq!(found(&home, "beacon")?, 0);
    insta::assert_snapshot!(says(&home, &["import", "claude-mem"])?, @r"
    Taken from ~/.claude-mem/claude-mem.db for project:
      observations: 3 new, 0 as before
      summaries of sessions: 1 new, 0 as before
      rules that you gave it: 2 new, 0 changed, 0 as before
    It also knows another-app (1): import them from their folders, or name one with --called.
    ");
    let again = remora(&home, &["import", "claude-mem"])?;
    assert_eq!(
        (&again["observations"], &again["summaries"]),
        (&json!({"new": 0, "same": 3}), &json!({"new": 0, "same": 1})),
        "{again:#}"
    );
    assert_eq!(
        (&again["rules"]["new"], &again["rules"]["same"].as_array().map(Vec::len)),
        (&json!([]), &Some(2))
    );
    wait_until("the journal", || found(&home, "beacon").is_ok_and(|total| total > 0))?;
    let hits = remora(&home, &["search", "beacon"])?;
    let hit = &hits["hits"][0];
    assert_eq!((&hit["host"], &hit["kind"]), (&json!("claude-mem"), &json!("note")), "{hits:#}");
    assert!(
        hit["at"].as_str().is_some_and(|at| at.starts_with("2026-0")),
        "it is as old as it was: {hits:#}"
    );
    assert!(!remora(&home, &["search", "ghp"])?.to_string().contains("ghp_16C7"), "a secret was kept");
    let told = Session::new(&home, "one").prompt("how are commits written, in which tense?")?;
    assert!(told.says("by claude-mem") && !told.says("<remora-guidance>"), "{}", told.context);
    let now = (std::fs::read(&database).expect("there"), files(&home.home().join(".claude-mem")).len());
    assert!(before == now, "the database was touched");

    // What is no database of that kind is said to be none, and is left alone.
    home.write(
        ".claude-mem/claude-mem.db",
        "no database at all, but long enough to be looked at as one".repeat(20),
    )?;
    let refused = home.remora(&["import", "claude-mem"])?.run()?;
    assert!(refused.err().contains("cannot be read"), "{}", refused.err());
    Ok(())
}

#[test]
fn an_import_of_a_database_is_answered_as_json_in_a_stable_shape() -> Result<()> {
    let home = TestHome::new()?;
    claude_mem(&home)?;
    let value = remora(&home, &["import", "claude-mem", "--called", "another-app"])?;
    let keys: Vec<&String> = value.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        [
            "database",
            "project",
            "called",
            "dry_run",
            "elsewhere",
            "cut",
            "observations",
            "summaries",
            "rules"
        ]
    );
    assert_eq!(
        (&value["observations"]["new"], &value["called"]),
        (&json!(1), &json!("another-app")),
        "{value:#}"
    );
    let _: &Value = &value;
    Ok(())
}
