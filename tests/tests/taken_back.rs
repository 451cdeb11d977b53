//! `undo` takes back what came last where the person stands, not what an agent did meanwhile in another project.

use std::path::Path;

use remora_tests::test_home::make_checkout;
use remora_tests::{Normaliser, Result, TestHome};

struct Two {
    home: TestHome,
    other: std::path::PathBuf,
}

impl Two {
    fn new() -> Result<Self> {
        let home = TestHome::new()?;
        let other = home.folder().join("other");
        make_checkout(&other)?;
        Ok(Self { home, other })
    }

    /// What `remora` says in a folder, also where it fails.
    fn says(&self, at: &Path, arguments: &[&str]) -> Result<String> {
        let done = self.home.remora(arguments)?.cwd(at).run()?;
        let normaliser = Normaliser::of(&self.home).and_all(r"projects/[^/]+/", "projects/[SLUG]/");
        Ok(normaliser.apply(&format!("{}{}", done.out(), done.err())))
    }

    fn remembers(&self, at: &Path, name: &str, kind: &str, text: &str) -> Result<()> {
        let arguments = ["remember", "--name", name, "--type", kind, text];
        self.home.remora(&arguments)?.cwd(at).run()?.expect_ok("remember").map(drop)
    }
}

#[test]
fn the_last_change_of_this_project_is_taken_back_and_it_is_said_which_it_is() -> Result<()> {
    let two = Two::new()?;
    let (here, other) = (two.home.project(), two.other.clone());
    two.remembers(
        &here,
        "ferry-yellow",
        "project",
        "The ferry of the demo is painted yellow until May 2027.",
    )?;
    two.remembers(&here, "likes-tabs", "user", "The person writes tabs, never spaces.")?;
    two.remembers(
        &other,
        "bridge-green",
        "project",
        "The bridge of the demo is painted green until May 2027.",
    )?;
    let mut said = Vec::new();
    for (at, arguments) in [
        (&here, &["undo"][..]),
        (&here, &["undo"]),
        (&here, &["undo"]),
        (&here, &["undo", "--all-projects"]),
        (&here, &["undo", "--all-projects"]),
        // What was forgotten elsewhere stays where it is, too.
        (&other, &["forget", "--undo"]),
        (&other, &["forget", "bridge-green"]),
        (&other, &["undo"]),
        (&other, &["forget", "bridge-green"]),
        (&here, &["forget", "--undo", "ferry-yellow"]),
        (&here, &["forget", "--undo", "likes-tabs"]),
        (&here, &["forget", "--undo"]),
    ] {
        said.push(format!("{}$ remora {}", if at == &here { "here" } else { "other" }, arguments.join(" ")));
        said.push(two.says(at, arguments)?);
    }
    insta::assert_snapshot!(said.join("\n"));
    Ok(())
}

#[test]
fn what_cannot_be_taken_back_does_not_stand_in_the_way_of_what_came_before() -> Result<()> {
    let two = Two::new()?;
    let here = two.home.project();
    two.remembers(
        &here,
        "ferry-yellow",
        "project",
        "The ferry of the demo is painted yellow until May 2027.",
    )?;
    two.remembers(&here, "kiosk-red", "project", "The kiosk of the demo is painted red until May 2027.")?;
    let shown = two.home.remora(&["show", "kiosk-red", "--json"])?.run()?.expect_ok("show")?;
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).expect("JSON");
    let path = shown["memory"]["path"].as_str().or(shown["path"].as_str()).expect("a path");
    std::fs::remove_file(path).expect("deleted by hand");
    let said = [two.says(&here, &["undo"])?, two.says(&here, &["undo"])?].concat();
    insta::assert_snapshot!(said, @r#"
    remora: "kiosk-red", which was saved last, is not there any more
      `remora undo` once more takes back what came before it
    Took back what was saved last in this project: ferry-yellow (~/.local/share/remora/projects/[SLUG]/memory/project_ferry_yellow.md) is in the trash.
    "#);
    Ok(())
}
