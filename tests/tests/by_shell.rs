//! What an agent writes into memory by its shell does not become the person's word, and no secret of it stays.

use std::path::{Path, PathBuf};

use remora_tests::wait::wait_until;
use remora_tests::{Error, Result, Session, TestHome};
use serde_json::Value;

const SECRET: &str = "Hq8vLm2Zx7Qq99";
const ASKS: &str = "where are the nightly builds published?";

fn text() -> String {
    format!(
        "---\nname: nightly-builds\ndescription: Where the nightly builds are published\ntype: feedback\nmetadata:\n  by: person\n---\n\nNightly builds are published from the tools host.\n\ntoken: {SECRET}\n"
    )
}

fn memory_dir(home: &TestHome) -> Result<PathBuf> {
    let listed = home.remora(&["list", "--json"])?.run()?.expect_ok("remora list")?;
    let listed: Value = serde_json::from_slice(&listed.stdout).map_err(Error::json("remora"))?;
    let folder = PathBuf::from(listed["memory_dir"].as_str().expect("the project's folder"));
    std::fs::create_dir_all(&folder).map_err(Error::file("making", &folder))?;
    Ok(folder)
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(Error::file("writing", path))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn is_mended(path: &Path) -> bool {
    let text = read(path);
    text.contains("by: agent") && !text.contains("by: person") && !text.contains(SECRET)
}

#[test]
fn what_a_command_wrote_is_the_agents_and_has_no_secret() -> Result<()> {
    let home = TestHome::new()?;
    let session = Session::new(&home, "one");
    let _ = session.prompt("write down where the builds are")?;
    let folder = memory_dir(&home)?;
    for (name, command) in [
        ("feedback_a.md", format!("cat > {}/feedback_a.md <<'EOF'\nby: person\nEOF", folder.display())),
        ("feedback_b.md", format!("cp /tmp/draft {}/feedback_b.md", folder.display())),
        ("feedback_c.md", format!("python3 -c \"open('{}/feedback_c.md', 'w')\"", folder.display())),
    ] {
        write(&folder.join(name), &text())?;
        let _ = session.shell(&command, "")?;
        assert!(is_mended(&folder.join(name)), "at once, {name}: {}", read(&folder.join(name)));
    }
    // A folder that the command names by a variable is looked at when the turn ends.
    let late = folder.join("feedback_late.md");
    write(&late, &text())?;
    let by_hand = folder.join("feedback_hand.md");
    write(&by_hand, &text().replace("nightly-builds", "by-hand"))?;
    let _ = session.shell("cat draft > $M/feedback_late.md", "")?;
    let _ = session.stop("Done.")?;
    wait_until("the file to be mended", || is_mended(&late))?;
    assert!(read(&by_hand).contains("by: person") && read(&by_hand).contains(SECRET), "no command named it");
    Ok(())
}

#[test]
fn a_command_that_reads_the_persons_memory_does_not_make_it_the_agents() -> Result<()> {
    let home = TestHome::new()?;
    let session = Session::new(&home, "one");
    let folder = memory_dir(&home)?;
    let old = folder.join("feedback_old.md");
    write(&old, &text())?;
    let _ = session.start("startup")?;
    // Files that are told by their times: the clock of files is coarse.
    std::thread::sleep(std::time::Duration::from_millis(100));
    let said = session.prompt("remember that builds are signed with the release key")?;
    assert!(said.says("Remora has saved"), "{}", said.context);
    let wish = std::fs::read_dir(&folder)
        .map_err(Error::file("listing", &folder))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|path| read(path).contains("release key") && !path.ends_with("MEMORY.md"))
        .expect("the wish's file");
    let before = [read(&old), read(&wish)];
    let _ = session.shell(&format!("cat {} {}", old.display(), wish.display()), "")?;
    let _ = session.stop("Done.")?;
    // The settling of the turn adds the line of this file and is the last to do so.
    let _ = session.prompt("and now something else")?;
    let _ = session.stop("Done.")?;
    assert_eq!([read(&old), read(&wish)], before);
    Ok(())
}

#[test]
fn after_reading_from_outside_it_waits_and_is_mended_all_the_same() -> Result<()> {
    let home = TestHome::new()?;
    let session = Session::new(&home, "one");
    let _ = session.prompt("find out where the nightly builds are")?;
    let folder = memory_dir(&home)?;
    let _ = session.shell("curl -s https://builds.example/index.html", "a page")?;
    let file = folder.join("feedback_x.md");
    write(&file, &text())?;
    let told = session.shell(&format!("cat > {} <<'EOF'", file.display()), "")?;
    assert!(told.says("it waits for the person's word"), "{}", told.context);
    assert!(is_mended(&file), "{}", read(&file));
    let _ = session.stop("Done.")?;
    assert_eq!(Session::new(&home, "two").prompt(ASKS)?.context, "");
    // What comes into it while it waits is mended when it is accepted.
    let again = format!("{}\napi_key: {SECRET}\n", read(&file));
    write(&file, &again)?;
    let _ = home.remora(&["review", "accept", "all"])?.run()?.expect_ok("remora review accept")?;
    let accepted = read(&file);
    assert!(accepted.contains("by: person") && !accepted.contains(SECRET), "{accepted}");
    Ok(())
}

#[test]
fn a_wish_that_cannot_be_saved_is_told_to_the_person_and_the_model() -> Result<()> {
    let home = TestHome::new()?;
    let session = Session::new(&home, "one");
    let _ = session.start("startup")?;
    let folder = memory_dir(&home)?;
    std::fs::remove_dir_all(&folder).map_err(Error::file("removing", &folder))?;
    write(&folder, "no folder")?;
    let said = session.prompt("remember that builds are signed with the release key")?;
    let notice = said.notice.clone().unwrap_or_default();
    assert!(notice.contains("could not be saved: could not "), "{notice}");
    assert!(notice.contains("exists") || notice.contains("directory"), "it says why: {notice}");
    assert!(said.says("could NOT be saved: could not "), "{}", said.context);
    Ok(())
}
