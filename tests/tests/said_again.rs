//! What is said again is confirmed, what a model merely repeats is not; where two memories disagree, it is said.

use std::path::{Path, PathBuf};

use remora_tests::{Error, Result, Session, TestHome};
use serde_json::{Value, json};

const FACT: &str = "Invoices are rounded to the nearest five cents, never to one.";
const ASKS: &str = "how are invoices rounded?";

fn remora(home: &TestHome, arguments: &[&str]) -> Result<Value> {
    let said = home.remora(arguments)?.arg("--json").run()?.expect_ok("remora")?;
    serde_json::from_slice(&said.stdout).map_err(Error::json(arguments.join(" ")))
}

/// A fact that was saved long ago.
fn old_fact(home: &TestHome) -> Result<PathBuf> {
    let _ = Session::new(home, "first").start("startup")?;
    let list = remora(home, &["list"])?;
    let file = Path::new(list["memory_dir"].as_str().expect("a folder")).join("feedback_rounding.md");
    let head = format!(
        "name: rounding\ndescription: {FACT}\ntype: feedback\nmetadata:\n  created: 2026-01-05\n  by: person\n"
    );
    std::fs::write(&file, format!("---\n{head}---\n{FACT}\n")).map_err(Error::file("writing", &file))?;
    // A command looks at the folders again.
    remora(home, &["list"])?;
    Ok(file)
}

fn days(file: &Path) -> Result<usize> {
    let text = std::fs::read_to_string(file).map_err(Error::file("reading", file))?;
    let line = text.lines().find(|line| line.trim_start().starts_with("reinforced:"));
    Ok(line.map_or(0, |line| line.matches('-').count() / 2))
}

#[test]
fn the_same_fact_again_is_a_day_of_confirmation_and_no_change() -> Result<()> {
    let home = TestHome::new()?;
    let file = old_fact(&home)?;
    let changed = || {
        std::fs::metadata(&file).and_then(|found| found.modified()).map_err(Error::file("looking at", &file))
    };
    let before = changed()?;
    for expected in [true, false] {
        let said = remora(&home, &["remember", FACT])?;
        assert_eq!((&said["already"], &said["confirmed"]), (&json!(true), &json!(expected)), "{said:#}");
        assert_eq!(days(&file)?, 1);
    }
    assert_eq!(changed()?, before, "the fact is as old as it was");
    Ok(())
}

#[test]
fn what_a_model_was_told_and_says_back_confirms_nothing() -> Result<()> {
    let home = TestHome::new()?;
    let file = old_fact(&home)?;
    let session = Session::new(&home, "one");
    assert!(session.prompt(ASKS)?.says(FACT));
    let said = remora(&home, &["remember", FACT])?;
    assert_eq!((&said["confirmed"], days(&file)?), (&json!(false), 0), "an echo: {said:#}");
    let told =
        session.prompt("Remember that invoices are rounded to the nearest five cents, never to one.")?;
    assert_eq!(days(&file)?, 1, "the person's own words are no echo: {told:?}");
    Ok(())
}

#[test]
fn a_hosts_own_memory_that_says_otherwise_is_shown_beside_and_named() -> Result<()> {
    let home = TestHome::new()?;
    let slug = home.project().to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let native = "---\nname: staging-api\ndescription: The staging API listens on port 8080\ntype: project\n---\n\
                  The staging API listens on port 8080.\n";
    let file = home.write(format!(".claude/projects/{slug}/memory/project_staging_api.md"), native)?;
    let age = std::time::Duration::from_hours(24 * 47 + 12);
    let set =
        || std::fs::File::options().write(true).open(&file)?.set_modified(std::time::SystemTime::now() - age);
    set().map_err(Error::file("changing the time of", &file))?;
    remora(&home, &["status"])?;
    let session = Session::new(&home, "one");
    let _ = session.start("startup")?;
    remora(&home, &["remember", "The staging API listens on port 9090."])?;
    let answer = session.prompt("on which port does the staging API listen?")?;
    for told in ["listens on port 8080.", "listens on port 9090.", "These two disagree: "] {
        assert!(answer.says(told), "{told}: {}", answer.context);
    }
    let line = answer.context.lines().find(|line| line.starts_with("These two disagree")).unwrap_or_default();
    insta::assert_snapshot!(line, @"These two disagree: staging-api-listens-port-9090 (Remora's memory, today) and staging-api (the agent's own memory, 47 days ago): the first says 9090, the second 8080. Find out which holds before you act on either.");
    Ok(())
}
