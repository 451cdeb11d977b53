//! What is about the person holds in all their projects, wherever its file lies.

use std::path::PathBuf;

use remora_tests::test_home::make_checkout;
use remora_tests::{Error, Result, Session, TestHome, wait_until};
use serde_json::Value;

fn memory(name: &str, kind: &str, more: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {body}\ntype: {kind}\n{more}---\n{body}\n")
}

/// A second project of the same person.
fn other_project(home: &TestHome) -> Result<PathBuf> {
    let other = home.folder().join("other");
    make_checkout(&other)?;
    Ok(other)
}

fn list(home: &TestHome, arguments: &[&str]) -> Result<Value> {
    let said = home.remora(arguments)?.arg("--json").run()?.expect_ok("remora")?;
    serde_json::from_slice(&said.stdout).map_err(Error::json("remora"))
}

fn names(value: &Value) -> Vec<&str> {
    let memories = value["memories"].as_array().expect("a list");
    let mut names: Vec<&str> = memories.iter().filter_map(|memory| memory["name"].as_str()).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_memory_about_the_person_in_one_project_is_recalled_in_another() -> Result<()> {
    let home = TestHome::new()?;
    let other = other_project(&home)?;
    home.remora(&["status"])?.run()?.expect_ok("remora status").map(drop)?;
    let _ = Session::new(&home, "first").start("startup")?;
    let here = list(&home, &["list"])?;
    let folder = PathBuf::from(here["memory_dir"].as_str().expect("the project's folder"));
    for (file, text) in [
        (
            "user_sight.md",
            memory("sight", "user", "", "The person is colour-blind: never red against green."),
        ),
        (
            "user_pager.md",
            memory("pager", "user", "metadata:\n  project: project\n", "The person carries the pager."),
        ),
        ("feedback_ports.md", memory("ports", "feedback", "", "Ports of this project begin at 7000.")),
    ] {
        std::fs::write(folder.join(file), text).map_err(Error::file("writing", &folder))?;
    }
    let native = format!(
        ".claude/projects/{}/memory/user_language.md",
        home.project().to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-")
    );
    home.write_long_ago(native, memory("language", "user", "", "The person speaks Portuguese."))?;

    let own = Session::new(&home, "own").start("startup")?;
    for told in ["never red against green", "carries the pager", "- ports (feedback_ports.md)"] {
        assert!(own.says(told), "{told} is missing in\n{}", own.context);
    }

    let elsewhere = Session::new(&home, "elsewhere").in_folder(&other);
    let start = elsewhere.start("startup")?;
    assert!(start.says("never red against green") && start.says("speaks Portuguese"), "{}", start.context);
    assert!(!start.says("pager") && !start.says("7000"), "{}", start.context);
    assert_eq!(start.notice.as_deref(), Some("Remora: 2 memories about you, 0 here"));
    // It is there already and not given again.
    let answer = elsewhere.prompt("which colours may the chart have for a colour-blind person?")?;
    assert!(!answer.says("red against green"), "{}", answer.context);

    let seen = list(&home, &["list", "--project", &other.to_string_lossy()])?;
    assert_eq!(names(&seen), ["language", "sight"], "{seen:#}");
    let sight = seen["memories"].as_array().expect("a list").iter().find(|one| one["name"] == "sight");
    let path = sight.and_then(|one| one["path"].as_str()).map(PathBuf::from);
    assert_eq!(path, Some(folder.join("user_sight.md")), "it is not moved");
    assert_eq!(names(&list(&home, &["list"])?), ["language", "pager", "ports", "sight"]);
    Ok(())
}

#[test]
fn a_project_that_is_switched_off_says_nothing_elsewhere_either() -> Result<()> {
    let home = TestHome::new()?;
    let other = other_project(&home)?;
    home.remora(&["status"])?.run()?.expect_ok("remora status").map(drop)?;
    let _ = Session::new(&home, "first").start("startup")?;
    let here = list(&home, &["list"])?;
    let folder = PathBuf::from(here["memory_dir"].as_str().expect("the project's folder"));
    let text = memory("sight", "user", "", "The person is colour-blind: never red against green.");
    std::fs::write(folder.join("user_sight.md"), text).map_err(Error::file("writing", &folder))?;
    home.remora(&["project", "disable"])?.run()?.expect_ok("remora project disable").map(drop)?;
    // The configuration is looked at once a second.
    let mut session = 0;
    wait_until("the project to be off", || {
        session += 1;
        let start = Session::new(&home, &session.to_string()).in_folder(&other).start("startup");
        !start.expect("an answer").says("colour-blind")
    })
}
