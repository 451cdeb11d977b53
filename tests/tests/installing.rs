//! `remora install`, `doctor --prove` and `uninstall` with what Claude Code and other tools really have.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use remora_tests::faults::MountFault;
use remora_tests::host::host;
use remora_tests::installed::claude_settings;
use remora_tests::{Error, Finished, HostId, Installed, Normaliser, Options, Result, Script, Step, TestHome};
use serde_json::{Value, json};

/// Settings as people have them, none of them as a program would print them.
const SETTINGS: [(&str, &str); 6] = [
    ("nothing but braces", "{}"),
    ("no end of line", "{\n  \"model\": \"opus\"\n}"),
    (
        "other tools' hooks, tabs and odd spaces",
        "{\n\t\"permissions\" : { \"allow\": [ \"Bash(ls:*)\" ,\"Read\" ] },\n\t\"hooks\": {\n\t\t\"SessionStart\": [\n\
         \t\t\t{ \"hooks\": [ {\"type\":\"command\",   \"command\": \"echo one\"} ] },\n\
         \t\t\t{\"matcher\":\"startup\",\"hooks\":[{\"type\":\"command\",\"command\":\"echo two\",\"timeout\":3}]}\n\t\t],\n\
         \t\t\"Notification\": []\n\t}\n}\n\n",
    ),
    ("lines of Windows", "{\r\n  \"env\": {\"A\": \"b\"},\r\n  \"hooks\": {}\r\n}\r\n"),
    (
        "one long line",
        r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"notify-send 完了 ✓"}]}]},"theme":"dark"}"#,
    ),
    (
        "numbers and escapes that a parser would write otherwise",
        "{ \"cleanupPeriodDays\": 30.0, \"statusLine\": {\"type\":\"command\",\"command\":\"printf '\\u001b[1m\\/x'\"} }\n",
    ),
];

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(Error::file("reading", path))
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("a file").permissions().mode() & 0o777
}

fn ok(installed: &Installed<'_>, arguments: &[&str]) -> Result<Finished> {
    installed.remora(arguments).run()?.expect_ok(&arguments.join(" "))
}

#[test]
fn settings_come_back_byte_for_byte() -> Result<()> {
    for (name, text) in SETTINGS {
        let home = TestHome::new()?;
        // A person who keeps their settings in a folder of their own, closed to others.
        let kept = home.write("dotfiles/claude.json", text)?;
        fs::set_permissions(&kept, fs::Permissions::from_mode(0o600)).expect("a mode");
        let settings = claude_settings(&home);
        fs::create_dir_all(settings.parent().expect("a folder")).expect("a folder");
        std::os::unix::fs::symlink(&kept, &settings).expect("a link");

        let installed = Installed::in_home(&home, HostId::ClaudeCode)?;
        let wired = read(&kept)?;
        let value: Value = serde_json::from_slice(&wired).map_err(Error::json(name))?;
        assert_eq!(value["hooks"]["UserPromptSubmit"].as_array().map(Vec::len), Some(1), "{name}");
        let again = ok(&installed, &["install", "claude-code", "--yes"])?;
        assert!(again.out().contains("Nothing was changed"), "{name}: {}", again.describe());
        assert_eq!(read(&kept)?, wired, "{name}");

        ok(&installed, &["uninstall", "--yes"]).map(drop)?;
        assert_eq!(String::from_utf8_lossy(&read(&kept)?), text, "{name}");
        assert_eq!(fs::read_link(&settings).expect("still a link"), kept, "{name}");
        assert_eq!(mode(&kept), 0o600, "{name}");
        assert!(!home.home().join(".claude.json").exists(), "{name}: the file that we made is left");
    }
    Ok(())
}

#[test]
fn what_others_write_meanwhile_stays() -> Result<()> {
    let home = TestHome::new()?;
    let settings = home.write(".claude/settings.json", SETTINGS[2].1)?;
    let installed = Installed::in_home(&home, HostId::ClaudeCode)?;
    let text = fs::read_to_string(&settings).map_err(Error::file("reading", &settings))?;
    fs::write(&settings, text.replacen("echo two", "echo 'two and a half'", 1)).expect("written");
    ok(&installed, &["uninstall", "--yes"]).map(drop)?;
    let expected = SETTINGS[2].1.replacen("echo two", "echo 'two and a half'", 1);
    let (left, expected): (Value, Value) = (
        serde_json::from_slice(&read(&settings)?).map_err(Error::json("settings.json"))?,
        serde_json::from_str(&expected).map_err(Error::json("settings.json"))?,
    );
    assert_eq!(left, expected);
    Ok(())
}

#[test]
fn settings_that_do_not_parse_are_left_alone() -> Result<()> {
    for text in ["{\"hooks\": {", "{\"a\": 1} trailing", "not json at all", "[1, 2]", "\u{feff}{,}"] {
        let home = TestHome::new()?;
        let settings = home.write(".claude/settings.json", text)?;
        let installed = Installed::programs_only(&home)?;
        let done = installed.remora(&["install", "claude-code", "--yes"]).run()?;
        assert_eq!(done.status.code(), Some(1), "{text}: {}", done.describe());
        let said = Normaliser::of(&home).apply(&done.err());
        assert!(said.contains("settings.json") && said.lines().count() >= 2, "{text}: {said}");
        assert_eq!(String::from_utf8_lossy(&read(&settings)?), text);
        assert!(!home.home().join(".claude.json").exists(), "{text}: half of it was written");
        assert_eq!(home.engines(), [], "{text}");
    }
    Ok(())
}

/// All or nothing, also where the last file of several cannot be written.
#[test]
fn where_one_file_cannot_be_written_nothing_is() -> Result<()> {
    if !MountFault::possible() {
        return Ok(());
    }
    let home = TestHome::new()?;
    let settings = home.write(".claude/settings.json", SETTINGS[2].1)?;
    let codex = home.write(".codex/config.toml", "model = \"x\" # mine\n")?;
    let installed = Installed::programs_only(&home)?;
    let fault = MountFault::read_only(codex.parent().expect("a folder"))?;
    let install = ["install", "claude-code", "codex", "gemini-cli", "--yes"];
    let done = fault.inside(installed.remora(&install)).run()?;
    assert_eq!(done.status.code(), Some(1), "{}", done.describe());
    let said = Normaliser::of(&home).apply(&done.err());
    assert!(said.contains("[HOME]/.codex") && said.lines().count() >= 2, "{said}");
    assert_eq!(String::from_utf8_lossy(&read(&settings)?), SETTINGS[2].1);
    assert_eq!(String::from_utf8_lossy(&read(&codex)?), "model = \"x\" # mine\n");
    for file in [".claude.json", ".codex/hooks.json", ".gemini"] {
        assert!(!home.home().join(file).exists(), "half of it was written: {file}");
    }
    assert_eq!(home.engines(), []);
    ok(&installed, &install).map(drop)?;
    Ok(())
}

/// A file that is not to be written by anybody keeps that.
#[test]
fn a_file_that_is_closed_to_writing_stays_so() -> Result<()> {
    let home = TestHome::new()?;
    let settings = home.write(".claude/settings.json", SETTINGS[2].1)?;
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o444)).expect("a mode");
    let installed = Installed::in_home(&home, HostId::ClaudeCode)?;
    assert_eq!(mode(&settings), 0o444);
    ok(&installed, &["uninstall", "--yes"]).map(drop)?;
    assert_eq!(
        (String::from_utf8_lossy(&read(&settings)?).as_ref(), mode(&settings)),
        (SETTINGS[2].1, 0o444)
    );
    Ok(())
}

/// A hook that leaves a mark wherever somebody runs it.
fn marking_hook(mark: &Path) -> Value {
    let hook = json!({"type": "command", "command": format!("touch '{}'", mark.display())});
    json!({"hooks": {"SessionStart": [{"hooks": [hook.clone()]}], "UserPromptSubmit": [{"hooks": [hook]}]}})
}

#[test]
fn doctor_proves_our_hooks_and_runs_nobody_elses() -> Result<()> {
    let home = TestHome::new()?;
    let marks: [PathBuf; 3] =
        ["of the project", "of the person", "of the folder"].map(|name| home.folder().join(name));
    home.write_in_project(".claude/settings.json", marking_hook(&marks[0]).to_string())?;
    home.write(".claude/settings.json", marking_hook(&marks[1]).to_string())?;
    home.write_in_project(".claude/settings.local.json", marking_hook(&marks[2]).to_string())?;
    let installed = Installed::in_home(&home, HostId::ClaudeCode)?;

    let proved = installed.json(&["doctor", "--prove"])?;
    assert_eq!(proved["ok"], true, "{proved:#}");
    let proofs = proved["proofs"].as_array().expect("proofs");
    let outcomes = |outcome: &str| proofs.iter().filter(|proof| proof["outcome"] == outcome).count();
    assert_eq!((outcomes("passed"), outcomes("failed")), (11, 0), "{proved:#}");
    assert_eq!(outcomes("not_run"), 2, "the person's own hooks are shown: {proved:#}");
    assert_eq!(proved["hosts"][0]["proved"], true, "{proved:#}");
    for mark in &marks {
        assert!(!mark.exists(), "{}", mark.display());
    }
    // A proof leaves no trace.
    let status = installed.json(&["status"])?;
    assert_eq!((&status["journal"]["events"], &status["hosts"]), (&json!(0), &json!([])), "{status:#}");

    // The host would have run them all: the marks can be made.
    if let Some(host) = host(HostId::ClaudeCode) {
        let script = Script::new([Step::text("Hello.")]);
        host.run(&home, &script, "hello", &Options::default())?.expect_ok(&host).map(drop)?;
        for mark in &marks {
            assert!(mark.exists(), "{}", mark.display());
        }
        let heard = installed.json(&["doctor"])?;
        assert_eq!(heard["ok"], true, "{heard:#}");
        assert!(heard["hosts"][0]["last_heard"].is_string(), "{heard:#}");
    }
    Ok(())
}

#[test]
fn a_broken_installation_is_said_to_be_broken() -> Result<()> {
    let home = TestHome::new()?;
    let installed = Installed::in_home(&home, HostId::ClaudeCode)?;
    let hook = home.root().join("bin/claude-code/user-prompt-submit");
    fs::remove_file(&hook).map_err(Error::file("removing", &hook))?;
    let done = installed.remora(&["doctor", "--prove", "--json"]).run()?;
    assert_eq!(done.status.code(), Some(1), "{}", done.describe());
    let said: Value = serde_json::from_slice(&done.stdout).map_err(Error::json("remora doctor"))?;
    assert_eq!(said["ok"], false);
    let proofs = said["proofs"].as_array().expect("proofs");
    let failed = |proof: &&Value| proof["outcome"] != "passed";
    let events: Vec<&Value> = proofs.iter().filter(failed).map(|proof| &proof["event"]).collect();
    assert_eq!(events, ["UserPromptSubmit"], "{said:#}");
    Ok(())
}

#[test]
fn nothing_runs_after_uninstall_and_memory_stays_unless_purged() -> Result<()> {
    let home = TestHome::new()?;
    let real = host(HostId::ClaudeCode);
    let talk = |home: &TestHome| -> Result<()> {
        let Some(host) = &real else { return Ok(()) };
        let run = host.run(home, &Script::new([Step::text("Hello.")]), "hello", &Options::default())?;
        let run = run.expect_ok(host)?;
        assert!(run.process.stderr.is_empty(), "{}", run.process.describe());
        Ok(())
    };
    // The host has been used before, and has files of its own.
    talk(&home)?;
    let own = home.home().join(".claude.json");
    let before = if real.is_some() { Some(read(&own)?) } else { None };

    let installed = Installed::in_home(&home, HostId::ClaudeCode)?;
    ok(&installed, &["remember", "Deploys go out on Tuesdays, never on Fridays."]).map(drop)?;
    let memory = installed.json(&["list"])?["memory_dir"].as_str().map(PathBuf::from).expect("a folder");
    assert_eq!(home.engines().len(), 1);

    ok(&installed, &["uninstall", "--yes"]).map(drop)?;
    assert_eq!(home.engines(), []);
    assert!(!home.root().join("bin").exists() && !home.root().join("run/s").exists());
    assert!(!claude_settings(&home).exists(), "the file that we made is left");
    if let Some(before) = before {
        assert_eq!(String::from_utf8_lossy(&read(&own)?), String::from_utf8_lossy(&before));
    }
    let files: Vec<_> = fs::read_dir(&memory).expect("the memory").flatten().collect();
    assert!(files.iter().any(|file| file.path().extension().is_some_and(|end| end == "md")), "{files:?}");
    talk(&home)?;

    // Installed again, it is all there; and the host has written its own file in the meantime.
    let installed = Installed::in_home(&home, HostId::ClaudeCode)?;
    assert_eq!(installed.json(&["list"])?["memories"].as_array().map(Vec::len), Some(1));
    talk(&home)?;
    ok(&installed, &["uninstall", "--yes", "--purge"]).map(drop)?;
    assert_eq!(home.engines(), []);
    assert!(!home.root().exists(), "{:?}", fs::read_dir(home.root()).map(Iterator::count));
    if real.is_some() {
        let left = String::from_utf8_lossy(&read(&own)?).into_owned();
        assert!(!left.contains("remora/bin"), "{left}");
    }
    talk(&home)
}

#[test]
fn without_a_terminal_nothing_is_changed_unasked() -> Result<()> {
    let home = TestHome::new()?;
    let settings = home.write(".claude/settings.json", SETTINGS[1].1)?;
    let installed = Installed::programs_only(&home)?;
    for arguments in [["install", "claude-code"].as_slice(), &["uninstall"]] {
        let done = installed.remora(arguments).run()?;
        assert_eq!(done.status.code(), Some(2), "{}", done.describe());
        assert!(done.err().contains("--yes"), "{}", done.describe());
    }
    let shown = ok(&installed, &["install", "claude-code", "--dry-run"])?;
    assert!(shown.out().contains("user-prompt-submit"), "{}", shown.describe());
    assert_eq!(String::from_utf8_lossy(&read(&settings)?), SETTINGS[1].1);
    Ok(())
}
