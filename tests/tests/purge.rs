//! What is purged is in no file any more; the rest is as it was.

use std::fs;
use std::path::PathBuf;

use remora_tests::test_home::make_checkout;
use remora_tests::{Error, Result, TestHome, journal};
use serde_json::{Value, json};

use crate::found_again::tell;
use crate::secrets::holding;

/// A word that is to go, and one that is to stay. Neither has an ending that the search would cut off.
const GONE: &str = "quokkaword";
const KEPT: &str = "narwhalword";

/// A journal with two sessions of one project and one of another; a copy of it; an event that waits; and a log that
/// names everything.
struct Filled {
    home: TestHome,
    other: PathBuf,
}

impl Filled {
    fn new() -> Result<Self> {
        let home = TestHome::new()?;
        let other = home.folder().join("other");
        make_checkout(&other)?;
        let here = home.project();
        for number in 0..12 {
            let at = |day: u32| format!("2026-11-{day:02}T10:00:{number:02}Z");
            let shell = |word: &str| {
                json!({"event": "post_tool_use", "tool": {
                "name": "Bash", "kind": "shell", "input": {"command": format!("make {word}{number}")},
                "output": {"stdout": format!("{word} \"quoted\" {number}")}}})
            };
            tell(&home, &here, "codex", "first-session", &at(1), &shell(GONE))?;
            tell(&home, &here, "codex", "second-session", &at(20), &shell(KEPT))?;
            tell(&home, &other, "codex", "other-session", &at(21), &shell(KEPT))?;
        }
        let at = "2026-11-01T11:00:00Z";
        let prompt = json!({"event": "user_prompt", "prompt": format!("what is a {GONE}?")});
        tell(&home, &here, "codex", "first-session", at, &prompt)?;
        let stop = json!({"event": "stop", "message": "An animal."});
        tell(&home, &here, "codex", "first-session", "2026-11-01T11:00:01Z", &stop)?;
        // The same words in both sessions are one entry.
        let shared = json!({"event": "user_prompt", "prompt": "run everything again please"});
        tell(&home, &here, "codex", "first-session", "2026-11-01T11:00:02Z", &shared)?;
        tell(&home, &here, "codex", "second-session", "2026-11-20T11:00:02Z", &shared)?;
        let found = home.remora(&["search", GONE, "--json"])?.run()?.expect_ok("remora search")?.out();
        assert!(found.contains(GONE), "{found}");

        home.remora(&["engine", "stop"])?.run()?.expect_ok("engine stop").map(drop)?;
        let root = home.root();
        fs::create_dir_all(root.join("backups")).map_err(Error::file("making", &root))?;
        fs::copy(root.join("journal.db"), root.join("backups/journal-schema-1.db"))
            .map_err(Error::file("copying", &root))?;
        let waiting = json!({
            "v": 1, "event": "user_prompt", "id": "waiting", "host": "codex", "adapter": "test",
            "session": "first-session", "cwd": here, "at": at, "prompt": format!("{GONE} waits"),
        });
        // An event that no engine can take in waits for ever.
        fs::write(root.join("spool/bad/1-waiting.json"), waiting.to_string())
            .map_err(Error::file("writing", &root))?;
        Ok(Self { home, other })
    }

    fn purge(&self, arguments: &[&str]) -> Result<Value> {
        let arguments = [&["journal", "purge", "--yes", "--json"], arguments].concat();
        let said = self.home.remora(&arguments)?.run()?.expect_ok("journal purge")?;
        serde_json::from_slice(&said.stdout).map_err(Error::json("journal purge"))
    }

    fn finds(&self, word: &str, elsewhere: bool) -> Result<i64> {
        let folder = if elsewhere { self.other.clone() } else { self.home.project() };
        let said = self.home.remora(&["search", word, "--json"])?.cwd(folder).run()?.expect_ok("search")?;
        let value: Value = serde_json::from_slice(&said.stdout).map_err(Error::json("search"))?;
        Ok(value["total"].as_i64().unwrap_or(-1))
    }
}

#[test]
fn whatever_is_purged_leaves_no_word_in_any_file() -> Result<()> {
    for arguments in [
        vec!["--match", GONE],
        vec!["--session", "first"],
        vec!["--before", "2026-11-10"],
        vec!["--in", "project"],
    ] {
        let filled = Filled::new()?;
        let root = filled.home.root();
        assert!(holding(&root, GONE).len() >= 3, "{:?}", holding(&root, GONE));
        let tried = filled.purge(&[&arguments[..], &["--dry-run"]].concat())?;
        assert_eq!(filled.finds(GONE, false)?, 14, "{arguments:?}: a try deletes nothing");
        let done = filled.purge(&arguments)?;
        assert_eq!(tried["removed"], done["removed"], "{arguments:?}");
        assert_eq!(done["removed"]["backups"].as_array().map(Vec::len), Some(1), "{done:#}");
        assert_eq!(done["removed"]["spooled"], 1, "{done:#}");

        // While the engine lives, and after it.
        assert_eq!(holding(&root, GONE), Vec::<String>::new(), "{arguments:?}: {done:#}");
        let whole_project = arguments[0] == "--in";
        assert_eq!(filled.finds(KEPT, true)?, 12, "{arguments:?}");
        assert_eq!(filled.finds(KEPT, false)?, if whole_project { 0 } else { 12 }, "{arguments:?}");
        assert_eq!(filled.finds(GONE, false)?, 0, "{arguments:?}");
        filled.home.remora(&["engine", "stop"])?.run()?.expect_ok("engine stop").map(drop)?;
        assert_eq!(holding(&root, GONE), Vec::<String>::new(), "{arguments:?}");
        assert_eq!(journal::integrity(&root)?, "ok");
        if !whole_project {
            // What another session said as well is still there.
            assert_eq!(filled.finds("run everything again", false)?, 1, "{arguments:?}");
        }
        // What happens afterwards is found: its number may be one that was used before.
        let prompt = json!({"event": "user_prompt", "prompt": "an axolotlword came by"});
        let project = filled.home.project();
        tell(&filled.home, &project, "codex", "later", "2026-11-25T10:00:00Z", &prompt)?;
        assert_eq!(filled.finds("axolotlword", false)?, 1, "{arguments:?}");
    }
    Ok(())
}

#[test]
fn what_is_purged_is_said_and_asked_for() -> Result<()> {
    let filled = Filled::new()?;
    let says = |arguments: &[&str]| -> Result<String> {
        let said = filled.home.remora(&[&["journal", "purge"], arguments].concat())?.run()?;
        Ok(format!("$ remora journal purge {}\n{}{}", arguments.join(" "), said.out(), said.err()))
    };
    filled
        .home
        .remora(&["remember", &format!("The {GONE} sleeps by day, ask the zoo why.")])?
        .run()?
        .expect_ok("remember")
        .map(drop)?;
    let said = [
        says(&[])?,
        says(&["--match", GONE])?,
        says(&["--match", "ab", "--yes"])?,
        says(&["--match", GONE, "--before", "3d", "--yes"])?,
        says(&["--session", "nobody", "--yes"])?,
        says(&["--match", GONE, "--dry-run"])?,
        says(&["--session", "first", "--yes"])?,
    ];
    let normal = remora_tests::Normaliser::of(&filled.home)
        .and_all(r"projects/[^/]+/memory", "projects/[SLUG]/memory");
    insta::assert_snapshot!(normal.apply(&said.join("\n")));
    Ok(())
}

#[test]
fn what_is_older_than_the_person_wants_to_keep_goes_by_itself() -> Result<()> {
    let filled = Filled::new()?;
    filled.home.write(".config/remora/config.toml", "[journal]\nkeep = \"1d\"\n")?;
    filled.home.remora(&["status"])?.run()?.expect_ok("status").map(drop)?;
    remora_tests::wait_until("the old entries to go", || {
        filled.finds(GONE, false).is_ok_and(|found| found == 0)
            && holding(&filled.home.root(), GONE).is_empty()
    })?;
    Ok(())
}
