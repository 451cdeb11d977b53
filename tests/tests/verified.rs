//! What a memory names is looked up in the project before the memory is handed over.

use remora_tests::{Error, Result, Session, TestHome, wait_until};

const FACT: &str =
    "Session renewal happens in `src/auth/session.rs` by `SessionStore`, never in the middleware.";
const ASKS: &str = "where does session renewal happen?";

fn remember(home: &TestHome) -> Result<()> {
    let _ = home.remora(&["remember", FACT, "--anyway"])?.run()?.expect_ok("remora remember")?;
    Ok(())
}

#[test]
fn a_memory_that_names_a_renamed_file_says_so() -> Result<()> {
    let home = TestHome::new()?;
    let source = home.write_in_project("src/auth/session.rs", "pub struct SessionStore;\n")?;
    remember(&home)?;
    let there = Session::new(&home, "there").prompt(ASKS)?;
    assert!(
        there.says("\nLooked up just now: src/auth/session.rs: still there; SessionStore: still there.\n"),
        "{}",
        there.context
    );

    let moved = home.project().join("src/login/session.rs");
    std::fs::create_dir_all(home.project().join("src/login")).map_err(Error::file("making", &moved))?;
    std::fs::rename(&source, &moved).map_err(Error::file("moving", &source))?;
    let session = Session::new(&home, "moved");
    let gone = session.prompt(ASKS)?;
    let said = "\nLooked up just now: src/auth/session.rs: not found in this tree (renamed or removed?); SessionStore: not \
                checked.\n";
    assert!(gone.says(said), "{}", gone.context);
    // The whole tree is looked through while nobody waits; what it shows comes with a later tool call.
    let mut later = String::new();
    wait_until("the look through the tree", || {
        later = session.shell("true", "").map(|answer| answer.context).unwrap_or_default();
        !later.is_empty()
    })?;
    assert!(
        later.contains("given before. Looked up since: src/auth/session.rs: not found in this tree (moved to src/login/session.rs?)."),
        "{later}"
    );
    assert!(later.starts_with("<remora-background>"), "{later}");
    assert!(!later.contains("SessionStore:"), "it is still there: {later}");
    Ok(())
}

#[test]
fn a_worktree_is_looked_at_where_the_agent_works() -> Result<()> {
    let home = TestHome::new()?;
    home.write_in_project("src/auth/session.rs", "pub struct SessionStore;\n")?;
    remember(&home)?;
    let tree = home.folder().join("worktree");
    let git = home.project().join(".git/worktrees/one");
    let write = |file: std::path::PathBuf, text: String| {
        std::fs::write(&file, text).map_err(Error::file("writing", &file))
    };
    std::fs::create_dir_all(&git).map_err(Error::file("making", &git))?;
    std::fs::create_dir_all(&tree).map_err(Error::file("making", &tree))?;
    write(tree.join(".git"), format!("gitdir: {}\n", git.display()))?;
    write(git.join("gitdir"), format!("{}\n", tree.join(".git").display()))?;
    write(git.join("commondir"), "../..\n".to_owned())?;
    write(git.join("HEAD"), "ref: refs/heads/one\n".to_owned())?;
    let answer = Session::new(&home, "there").in_folder(&tree).prompt(ASKS)?;
    assert!(answer.says("src/auth/session.rs: not found in this tree"), "{}", answer.context);
    Ok(())
}
