//! Memory that is off, by the person's wish or because it is not known what they keep out: nothing is taken, and it is
//! said with how to undo it.

use std::fs;
use std::path::PathBuf;

use remora_tests::{Error, Normaliser, Result, Session, TestHome};
use serde_json::Value;

use crate::secrets::holding;

const CONFIG: &str = ".config/remora/config.toml";
const CLOSED: &str = "[journal]\nexclude_projects = [\"*/apart\"]\n[redact]\npatterns = ['EMP-\\d+']\n";

fn apart(home: &TestHome) -> Result<PathBuf> {
    let apart = home.folder().join("apart");
    fs::create_dir_all(&apart).map_err(Error::file("making", &apart))?;
    Ok(apart)
}

fn asked(home: &TestHome, arguments: &[&str]) -> Result<Value> {
    let said = home.remora(arguments)?.arg("--json").run()?;
    serde_json::from_slice(&said.stdout).map_err(Error::json("remora"))
}

/// What `remora` says, with what was typed.
fn says(home: &TestHome, arguments: &[&str]) -> Result<String> {
    let done = home.remora(arguments)?.run()?;
    Ok(format!("$ remora {}\n{}{}", arguments.join(" "), done.out(), done.err()))
}

#[test]
fn a_file_that_does_not_parse_opens_nothing() -> Result<()> {
    let home = TestHome::new()?;
    home.write(CONFIG, CLOSED)?;
    home.remora(&["status"])?.run()?.expect_ok("remora status").map(drop)?;
    let apart = apart(&home)?;

    home.write(CONFIG, format!("{CLOSED}oops = = \n"))?;
    let finding = asked(&home, &["status"])?["findings"].to_string();
    assert!(finding.contains("line 5") && finding.contains("from before hold"), "{finding}");
    let _ = Session::new(&home, "kept out").in_folder(&apart).prompt("walrus-one")?;
    let _ = Session::new(&home, "taken").prompt("my number is EMP-4711 and there is a seahorse")?;
    let found = home.remora(&["search", "seahorse"])?.run()?.expect_ok("remora search")?.out();
    assert!(found.contains("[redacted: by your pattern]"), "{found}");

    home.remora(&["engine", "stop"])?.run()?.expect_ok("engine stop").map(drop)?;
    let start = Session::new(&home, "anew").start("startup")?;
    let notice = start.notice.clone().unwrap_or_default();
    assert!(
        notice.contains("memory is off") && notice.contains("line 5") && start.context.is_empty(),
        "{notice}"
    );
    let _ = Session::new(&home, "anew").prompt("walrus-two")?;
    let _ = Session::new(&home, "kept out").in_folder(&apart).prompt("walrus-three")?;
    let refused = says(&home, &["remember", "The walrus-four is EMP-4712."])?;
    assert!(refused.contains("memory is off") && refused.contains("remora config edit"), "{refused}");
    let finding = asked(&home, &["doctor"])?["findings"].to_string();
    assert!(finding.contains("memory is off") && finding.contains("line 5"), "{finding}");

    home.write(CONFIG, CLOSED)?;
    assert_eq!(asked(&home, &["status"])?["findings"], serde_json::json!([]));
    let _ = Session::new(&home, "anew").prompt("an octopus with EMP-4713")?;
    let found = home.remora(&["search", "octopus"])?.run()?.expect_ok("remora search")?.out();
    assert!(found.contains("[redacted: by your pattern]"), "{found}");
    home.remora(&["engine", "stop"])?.run()?.expect_ok("engine stop").map(drop)?;
    for text in ["walrus", "EMP-471"] {
        assert_eq!(holding(&home.root(), text), Vec::<String>::new(), "{text}");
    }
    Ok(())
}

#[test]
fn a_wrong_value_costs_itself_alone_and_is_named_as_what_it_is() -> Result<()> {
    let home = TestHome::new()?;
    home.write(CONFIG, format!("notice = \"bogus\"\n{CLOSED}"))?;
    home.remora(&["status"])?.run()?.expect_ok("remora status").map(drop)?;
    let apart = apart(&home)?;
    let _ = Session::new(&home, "kept out").in_folder(&apart).prompt("walrus-one")?;
    let _ = Session::new(&home, "taken").prompt("my number is EMP-4711 and there is a seahorse")?;
    let found = home.remora(&["search", "seahorse"])?.run()?.expect_ok("remora search")?.out();
    assert!(found.contains("[redacted: by your pattern]"), "{found}");
    let finding = asked(&home, &["status"])?["findings"].to_string();
    assert!(finding.contains("notice (line 1)"), "{finding}");
    // What is to be kept out is not known: nothing is taken.
    home.write(CONFIG, CLOSED.replace("[\"*/apart\"]", "\"*/apart\""))?;
    let finding = asked(&home, &["status"])?["findings"].to_string();
    assert!(finding.contains("journal.exclude_projects (line 2)"), "{finding}");
    let _ = Session::new(&home, "kept out").in_folder(&apart).prompt("walrus-two")?;

    home.write(CONFIG, "enabled = \"yes\"\n")?;
    let said = says(&home, &["config", "set", "redact.patterns", "['EMP-\\d+']"])?;
    let said = [said, says(&home, &["config", "set", "enabled", "maybe"])?].join("\n");
    home.remora(&["engine", "stop"])?.run()?.expect_ok("engine stop").map(drop)?;
    for text in ["walrus", "EMP-471"] {
        assert_eq!(holding(&home.root(), text), Vec::<String>::new(), "{text}");
    }
    insta::assert_snapshot!(Normaliser::of(&home).apply(&said));
    Ok(())
}

#[test]
fn that_memory_is_off_is_said_everywhere_with_how_to_undo_it() -> Result<()> {
    let home = TestHome::new()?;
    home.remora(&["status"])?.run()?.expect_ok("remora status").map(drop)?;
    let _ = Session::new(&home, "first").start("startup")?;
    let mut said = Vec::new();
    // The lines that speak of it; the rest is another test's.
    let mut look = |does: &[&str], on: bool| -> Result<()> {
        said.push(says(&home, does)?);
        for command in [&["status"][..], &["doctor"], &["project", "list"]] {
            let text = says(&home, command)?;
            let about = [
                "$ ",
                "Memory ",
                "  · memory",
                "· memory",
                "* ",
                "memory",
                "~",
                "/",
                "  `remora",
                "All is",
                "Nothing is",
            ];
            let lines = text.lines().filter(|line| about.iter().any(|start| line.starts_with(start)));
            said.push(
                lines.filter(|line| !line.contains("here, not wired up")).collect::<Vec<_>>().join("\n")
                    + "\n",
            );
        }
        for command in ["status", "doctor"] {
            assert_eq!(asked(&home, &[command])?["memory"]["on"], on, "{does:?} {command}");
        }
        assert_eq!(asked(&home, &["project", "list"])?["projects"][0]["memory"]["on"], on, "{does:?}");
        Ok(())
    };
    look(&["pause"], false)?;
    look(&["resume"], true)?;
    look(&["pause", "--session"], true)?;
    look(&["resume"], true)?;
    look(&["project", "disable"], false)?;
    look(&["project", "enable"], true)?;
    look(&["config", "set", "enabled", "false"], true)?;
    let normaliser = Normaliser::of(&home).and_all(r"projects/[^/]+/", "projects/[SLUG]/");
    insta::assert_snapshot!(normaliser.apply(&said.join("\n")));
    Ok(())
}

#[test]
fn a_trial_of_a_purge_says_what_would_be_deleted() -> Result<()> {
    let home = TestHome::new()?;
    home.remora(&["remember", "The ferry of the demo is painted yellow until May 2027."])?
        .run()?
        .expect_ok("remember")
        .map(drop)?;
    let _ = Session::new(&home, "first").prompt("paint the ferry")?;
    let said = says(&home, &["uninstall", "--purge", "--dry-run"])?;
    let purge = asked(&home, &["uninstall", "--purge", "--dry-run"])?["purge"].clone();
    assert_eq!((&purge["memories"], &purge["journal"]["events"]), (&1.into(), &1.into()), "{purge:#}");
    assert_eq!(purge["folder"].as_str(), home.root().to_str());
    assert_eq!(asked(&home, &["uninstall", "--dry-run"])?["purge"], Value::Null);
    assert!(home.root().join("journal.db").exists(), "it is a trial");
    insta::assert_snapshot!(Normaliser::of(&home).apply(&said));
    Ok(())
}
