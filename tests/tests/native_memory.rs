//! What lies elsewhere is taken as snapshots: what agents keep by themselves, folders that the person named, what a
//! repository brings along. Nothing comes twice, nothing comes back as its own confirmation, and no source is touched.

use std::path::{Path, PathBuf};

use remora_tests::host::host;
use remora_tests::{
    Call, Error, HostId, Installed, Normaliser, Options, Place, Result, Script, Session, Step, TestHome,
    times, wait_until,
};
use serde_json::{Value, json};

const FACT: &str = "Relay 9 switches the beacon of the lighthouse.";
const ASKS: &str = "which relay switches the beacon of the lighthouse?";

pub(crate) fn remora(home: &TestHome, arguments: &[&str]) -> Result<Value> {
    let said = home.remora(arguments)?.arg("--json").run()?.expect_ok("remora")?;
    serde_json::from_slice(&said.stdout).map_err(Error::json(arguments.join(" ")))
}

pub(crate) fn says(home: &TestHome, arguments: &[&str]) -> Result<String> {
    let done = home.remora(arguments)?.run()?.expect_ok("remora")?;
    Ok(Normaliser::of(home)
        .and_all(r"projects/[^/]+/", "projects/[SLUG]/")
        .and_all(r"-[0-9a-f]{8}/", "-[HASH]/")
        .apply(&done.out()))
}

pub(crate) fn memory(name: &str, kind: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {body}\ntype: {kind}\n---\n{body}\n")
}

fn slug(folder: &Path) -> String {
    folder.to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-")
}

/// A file in the folder that Claude Code keeps for the home's project.
fn native(home: &TestHome, file: &str, text: &str) -> Result<PathBuf> {
    home.write_long_ago(format!(".claude/projects/{}/memory/{file}", slug(&home.project())), text)
}

pub(crate) fn names(home: &TestHome) -> Result<Vec<String>> {
    let list = remora(home, &["list"])?;
    let mut names: Vec<String> = list["memories"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|memory| memory["name"].as_str().map(str::to_owned))
        .collect();
    names.sort();
    Ok(names)
}

fn has(home: &TestHome, name: &str) -> bool {
    names(home).is_ok_and(|names| names.iter().any(|other| other == name))
}

fn remove(path: &Path) -> Result<()> {
    std::fs::remove_file(path).map_err(Error::file("removing", path))
}

/// Has the configuration name a folder for the home's project.
fn watch(home: &TestHome, folders: &[&Path]) -> Result<()> {
    let project = home.project();
    let entries: Vec<String> = folders
        .iter()
        .map(|folder| format!("{{folder = {:?}, project = {:?}}}", folder.display(), project.display()))
        .collect();
    let done = home.remora(&["config", "set", "watch", &format!("[{}]", entries.join(", "))])?;
    done.run()?.expect_ok("config set").map(drop)
}

#[test]
fn what_claude_code_wrote_is_recalled_in_codex_with_its_origin_named() -> Result<()> {
    let (Some(place), Some(codex)) = (Place::of(HostId::ClaudeCode)?, host(HostId::Codex)) else {
        return Ok(());
    };
    let home = &place.home;
    let installed = Installed::at_ease_in(home, &[HostId::ClaudeCode, HostId::Codex])?;
    let file =
        home.home().join(format!(".claude/projects/{}/memory/project_beacon.md", slug(&home.project())));
    let write = Call::new("Write", json!({"file_path": file, "content": memory("beacon", "project", FACT)}));
    let script = Script::new([Step::calls([write]), Step::text("Written.")]);
    let _ = place.run(&script, "keep in mind how the beacon is switched", &Options::default())?;
    assert!(file.is_file(), "the host did not write its memory");

    let list = || installed.json(&["list"]);
    let is_taken = |list: &Value| {
        list["memories"].as_array().is_some_and(|all| all.iter().any(|one| one["name"] == "beacon"))
    };
    wait_until("the snapshot", || list().is_ok_and(|list| is_taken(&list)))?;
    let options = Options { skip_hook_trust: true, ..Options::default() };
    let well = Script::new([Step::text("Well.")]);
    let ask = |prompt| codex.run(home, &well, prompt, &options)?.expect_ok(&codex);
    let told = ask(ASKS)?.told();
    assert_eq!((times(&told, "### beacon\n"), times(&told, FACT)), (1, 2), "{told}");
    let head = told.lines().skip_while(|line| *line != "### beacon").nth(1).unwrap_or_default();
    assert_eq!(head, "(project · native · project_beacon.md · today · by claude-code)", "{told}");
    let before = told.find("<remora-background>").expect("a wrapper");
    assert!(told[before..].contains("### beacon"), "it is evidence, not guidance: {told}");

    // What is deleted there stays here, and is marked.
    remove(&file)?;
    let source = |list: &Value| list["sources"].as_array().cloned().unwrap_or_default();
    let is_marked =
        |status: &Value| source(status).iter().any(|one| one["gone"] == 1 && one["snapshots"] == 1);
    wait_until("the mark", || installed.json(&["status"]).is_ok_and(|status| is_marked(&status)))?;
    assert!(is_taken(&list()?));
    assert!(ask(ASKS)?.told().contains("### beacon"));
    Ok(())
}

#[test]
fn the_same_text_from_two_agents_is_one_snapshot_and_what_is_known_is_not_taken() -> Result<()> {
    let home = TestHome::new()?;
    remora(&home, &["remember", "--type", "project", "The pier closes at eight."])?;
    let text = memory("beacon", "project", FACT);
    native(&home, "beacon.md", &text)?;
    native(&home, "pier.md", &memory("the-pier", "project", "The pier closes at eight."))?;
    let other = format!(".qwen/projects/{}/memory/lighthouse.md", slug(&home.project()));
    home.write_long_ago(&other, memory("another-name", "project", FACT))?;

    let taken = remora(&home, &["import", "claude-code"])?;
    assert_eq!(
        (&taken["new"], &taken["left_out"]),
        (&json!(["beacon.md"]), &json!(["pier.md"])),
        "{taken:#}"
    );
    assert_eq!(taken["reasons"]["pier.md"], "a memory of yours says the same");
    let again = remora(&home, &["import", "claude-code"])?;
    assert_eq!((&again["new"], &again["same"]), (&json!([]), &json!(["beacon.md"])), "{again:#}");
    let qwen = remora(&home, &["import", "qwen-code"])?;
    assert_eq!((&qwen["new"], &qwen["same"]), (&json!([]), &json!(["lighthouse.md"])), "{qwen:#}");
    assert_eq!(names(&home)?, ["beacon", "pier-closes-eight"]);

    // Said again by an agent that was told, or by another's memory, it is no confirmation of anything.
    let own = remora(&home, &["show", "pier-closes-eight"])?;
    assert!(!own["text"].as_str().expect("a text").contains("reinforced"), "{own:#}");
    let said = remora(&home, &["remember", FACT])?;
    assert_eq!((&said["already"], &said["confirmed"]), (&json!(true), &json!(false)), "{said:#}");
    // Of one source nothing is left: the other still says it.
    remove(&home.home().join(&other))?;
    let gone = remora(&home, &["import", "qwen-code"])?;
    assert_eq!(gone["gone"], json!(["lighthouse.md"]), "{gone:#}");
    let shown = remora(&home, &["show", "beacon"])?;
    assert!(shown["source"].as_str().expect("a source").contains(".claude/"), "{shown:#}");
    assert_eq!(std::fs::read_to_string(native(&home, "beacon.md", &text)?).expect("there"), text);
    Ok(())
}

#[test]
fn a_changed_source_changes_its_snapshot_unless_the_person_did() -> Result<()> {
    let home = TestHome::new()?;
    native(&home, "a.md", &memory("ferry", "project", "The ferry leaves at seven."))?;
    native(&home, "b.md", &memory("crane", "project", "The crane lifts two tons."))?;
    remora(&home, &["import", "claude-code"])?;
    let path = |name: &str| -> Result<PathBuf> {
        let shown = remora(&home, &["show", name])?;
        Ok(PathBuf::from(shown["path"].as_str().expect("a path")))
    };
    let mine = memory("crane", "project", "The crane lifts two tons, three on Sundays.");
    let crane = path("crane")?;
    std::fs::write(&crane, &mine).map_err(Error::file("writing", &crane))?;

    native(&home, "a.md", &memory("ferry", "project", "The ferry leaves at nine."))?;
    native(&home, "b.md", &memory("crane", "project", "The crane lifts five tons."))?;
    let taken = remora(&home, &["import", "claude-code"])?;
    assert_eq!(taken["changed"], json!(["a.md"]), "{taken:#}");
    assert_eq!(taken["beside"], json!({"b.md": "claude-code/b-2.md"}), "{taken:#}");
    let ferry = path("ferry")?;
    assert!(std::fs::read_to_string(ferry).expect("there").contains("at nine"));
    assert_eq!(std::fs::read_to_string(&crane).expect("there"), mine, "the person's words stay");
    assert!(std::fs::read_to_string(crane.with_file_name("b-2.md")).expect("there").contains("five tons"));
    insta::assert_snapshot!(says(&home, &["import", "claude-code"])?, @"Taken from claude-code: 0 new, 0 changed, 2 as before.");

    // What the person forgets stays forgotten, also under another name.
    remora(&home, &["forget", "ferry"])?;
    native(&home, "c.md", &memory("ferry-again", "project", "The ferry leaves at nine."))?;
    let taken = remora(&home, &["import", "claude-code"])?;
    assert_eq!(taken["reasons"], json!({"a.md": "deleted by you", "c.md": "deleted by you"}), "{taken:#}");
    // And comes back where the person brings it back.
    remora(&home, &["forget", "--undo"])?;
    let taken = remora(&home, &["import", "claude-code"])?;
    assert_eq!(
        (&taken["left_out"], &taken["same"]),
        (&json!([]), &json!(["a.md", "b.md", "c.md"])),
        "{taken:#}"
    );
    Ok(())
}

#[test]
fn a_folder_that_the_person_named_is_kept_in_step_while_the_engine_runs() -> Result<()> {
    let home = TestHome::new()?;
    let notes = home.home().join("notes");
    let file = home
        .write_long_ago("notes/deploy.md", "# Deploys\n\nDeploys go out on Tuesdays, never on Fridays.\n")?;
    home.write_long_ago("notes/.hidden.md", "Hidden.\n")?;
    watch(&home, &[&notes])?;
    wait_until("the first look", || has(&home, "deploy"))?;
    let told = Session::new(&home, "one").prompt("on which day do deploys go out?")?;
    assert!(
        told.says("by import from the folder notes") && told.says("never on Fridays"),
        "{}",
        told.context
    );

    home.write("notes/sub/rollback.md", "A rollback takes ten minutes and needs two people.\n")?;
    wait_until("what came", || has(&home, "rollback"))?;
    home.write("notes/deploy.md", "Deploys go out on Thursdays.\n")?;
    let says_so = || {
        remora(&home, &["show", "deploy"])
            .is_ok_and(|shown| shown["body"].as_str().is_some_and(|body| body.contains("Thursdays")))
    };
    wait_until("what changed", says_so)?;
    remove(&file)?;
    let gone = |status: &Value| {
        status["sources"].as_array().is_some_and(|all| all.iter().any(|one| one["gone"] == 1))
    };
    wait_until("what went", || remora(&home, &["status"]).is_ok_and(|status| gone(&status)))?;
    assert_eq!(names(&home)?, ["deploy", "rollback"]);
    Ok(())
}

#[test]
fn what_cannot_be_watched_is_said_with_what_to_do() -> Result<()> {
    let home = TestHome::new()?;
    let nowhere = home.home().join("nowhere");
    let entry = |folder: &Path| format!("{{folder = {folder:?}, project = {:?}}}", home.project());
    // What would not be watched is not set; by hand it can be written all the same.
    let none =
        home.remora(&["config", "set", "watch", &format!("[{}]", entry(Path::new("notes")))])?.run()?;
    assert!(
        none.err().contains("watch cannot be") && none.err().contains("not a whole path"),
        "{}",
        none.err()
    );
    let all = [nowhere.as_path(), Path::new("notes"), &home.root()].map(entry).join(", ");
    home.write(".config/remora/config.toml", format!("watch = [{all}]\n"))?;
    wait_until("the configuration to be read", || {
        remora(&home, &["status"])
            .is_ok_and(|status| status["findings"].as_array().is_some_and(|all| all.len() >= 3))
    })?;
    let status = remora(&home, &["status"])?;
    let findings: Vec<&str> =
        status["findings"].as_array().into_iter().flatten().filter_map(|one| one["what"].as_str()).collect();
    let all = Normaliser::of(&home).apply(&findings.join("\n"));
    insta::assert_snapshot!(all, @r#"
    [CONFIG]/config.toml: watch: the folder "notes" is not a whole path: write it from / or ~/ on
    [CONFIG]/config.toml: watch: [ROOT] lies in Remora's own folder and is not watched
    nothing is taken from [HOME]/nowhere: it is not there
    "#);
    for nonsense in ["5", "[{folder = \"/n\"}]", "[\"/n\"]"] {
        let refused = home.remora(&["config", "set", "watch", nonsense])?.run()?;
        assert!(refused.err().contains("watch cannot be"), "{nonsense}: {}", refused.err());
    }
    let shown = remora(&home, &["config", "get", "watch"])?;
    assert!(shown["keys"][0]["value"].as_str().is_some_and(|value| value.contains("nowhere")), "{shown:#}");
    Ok(())
}

#[test]
fn a_file_that_was_just_written_is_taken_when_it_has_settled() -> Result<()> {
    let home = TestHome::new()?;
    remora(&home, &["status"])?;
    home.write(
        format!(".claude/projects/{}/memory/log.md", slug(&home.project())),
        "The log is kept by Ada.\n",
    )?;
    let _ = Session::new(&home, "one").start("startup")?;
    wait_until("the file to settle", || has(&home, "log"))
}

#[test]
fn what_a_repository_brings_along_is_evidence_of_others_and_stays_there() -> Result<()> {
    let home = TestHome::new()?;
    let claims = "---\nname: deploys\ndescription: How this team deploys\ntype: feedback\nmetadata:\n  by: person\n---\n\
                  Deploys go out on Tuesdays from the release branch.\n";
    home.write_in_project(".qwen/team-memory/deploys.md", claims)?;
    home.write_in_project(
        ".qwen/team-memory/who.md",
        memory("who", "user", "The person speaks Klingon at work."),
    )?;
    home.write_in_project(".qwen/team-memory/%2e%2e%2fescape.md", memory("escape", "project", "Escaped."))?;
    let taken = remora(&home, &["import", "qwen-code"])?;
    assert_eq!(taken["new"], json!(["deploys.md", "who.md"]), "{taken:#}");
    assert_eq!(taken["reasons"]["%2e%2e%2fescape.md"], "it hides a separator or `..` in another spelling");

    let session = Session::new(&home, "one");
    let start = session.start("startup")?;
    assert!(!start.says("### who"), "no word about a person is given whole: {}", start.context);
    let told = session.prompt("how do deploys go out of the release branch?")?;
    let head = told.context.lines().skip_while(|line| *line != "### deploys").nth(1).unwrap_or_default();
    assert_eq!(
        head, "(feedback · team · deploys.md · today · by the repository (qwen-code))",
        "{}",
        told.context
    );
    assert!(!told.says("<remora-guidance>"), "nobody becomes the person by saying so: {}", told.context);

    let elsewhere = home.folder().join("elsewhere");
    std::fs::create_dir(&elsewhere).map_err(Error::file("making", &elsewhere))?;
    let list = remora(&home, &["--project", &elsewhere.to_string_lossy(), "list"])?;
    assert_eq!(list["memories"], json!([]), "{list:#}");
    Ok(())
}

#[test]
fn what_codex_and_gemini_keep_for_all_is_taken_by_project_and_by_person() -> Result<()> {
    let home = TestHome::new()?;
    let project = home.project();
    let index = format!(
        "# Task Group: Releases\nscope: releases\napplies_to: cwd={}; reuse_rule=safe\n\n## Reusable knowledge\n- Tag after the publish check.\n\n\
         # Task Group: Farms\napplies_to: cwd=/somewhere/else; reuse_rule=x\n- Render at night.\n\n\
         # Task Group: Habits\napplies_to: cwd=unknown; reuse_rule=x\n- Reports are one page.\n",
        project.display()
    );
    home.write_long_ago(".codex/memories/MEMORY.md", index)?;
    home.write_long_ago(".codex/memories/raw_memories.md", "raw\n")?;
    home.write_long_ago(".codex/memories/rollout_summaries/x.md", "a summary\n")?;
    home.write_long_ago(".codex/memories/extensions/ad_hoc/instructions.md", "how to\n")?;
    home.write_long_ago(
        ".codex/memories/extensions/ad_hoc/notes/n.md",
        "The person wants British spelling.\n",
    )?;
    home.write_long_ago(
        ".gemini/GEMINI.md",
        "# Mine\n- not a memory\n\n## Gemini Added Memories\n- My favourite editor is Helix.\n- The staging host is called Otter.\n",
    )?;
    home.write_long_ago(
        ".gemini/projects.json",
        json!({"projects": {project.to_string_lossy(): "app"}}).to_string(),
    )?;
    home.write_long_ago(".gemini/tmp/app/memory/port.md", "The mock server listens on port 7411.\n")?;

    let codex = remora(&home, &["import", "codex"])?;
    assert_eq!(codex["new"], json!(["Releases", "extensions/ad_hoc/notes/n.md", "Habits"]), "{codex:#}");
    let dry = remora(&home, &["import", "gemini", "--dry-run"])?;
    let gemini = remora(&home, &["import", "gemini"])?;
    assert_eq!(dry["new"], gemini["new"]);
    assert_eq!(
        gemini["new"],
        json!(["port.md", "My favourite editor is Helix", "The staging host is called Otter"]),
        "{gemini:#}"
    );
    for host in ["codex", "gemini-cli"] {
        let again = remora(&home, &["import", host])?;
        assert_eq!((&again["new"], &again["changed"]), (&json!([]), &json!([])), "{again:#}");
    }
    let shown = remora(&home, &["show", "releases"])?;
    let text = shown["text"].as_str().expect("a text");
    assert!(
        text.contains("  source: codex\n  by: import\n  origin: ") && text.contains("MEMORY.md"),
        "{text}"
    );

    // The person's are known everywhere, the project's only here.
    let elsewhere = home.folder().join("elsewhere");
    std::fs::create_dir(&elsewhere).map_err(Error::file("making", &elsewhere))?;
    let list = remora(&home, &["--project", &elsewhere.to_string_lossy(), "list"])?;
    let mut there: Vec<&str> =
        list["memories"].as_array().into_iter().flatten().filter_map(|one| one["name"].as_str()).collect();
    there.sort_unstable();
    assert_eq!(there, ["favourite-editor-helix", "habits", "n", "staging-host-called-otter"], "{list:#}");
    Ok(())
}

#[test]
fn a_folder_is_taken_by_hand_again_and_again() -> Result<()> {
    let home = TestHome::new()?;
    home.write_long_ago("vault/a.md", memory("ferry", "project", "The ferry leaves at seven."))?;
    home.write_long_ago("vault/deep/端口.md", "数据库端口是 5544。\n")?;
    home.write_long_ago("vault/empty.md", "\n")?;
    home.write_long_ago(
        "vault/token.md",
        "The token is ghp_16C7e42F292c6912E7710c838347Ae178B4a, keep it.\n",
    )?;
    let folder = home.home().join("vault");
    let folder = folder.to_string_lossy();
    insta::assert_snapshot!(says(&home, &["ingest", &folder, "--dry-run"])?, @r"
    Would be taken from ~/vault: 3 new, 0 changed, 0 as before.
      + a.md
      + deep/端口.md
      + token.md
      · empty.md: left out: it says nothing
    ");
    assert_eq!(names(&home)?, Vec::<String>::new(), "a dry run writes nothing");
    assert_eq!(remora(&home, &["ingest", &folder])?["new"], json!(["a.md", "deep/端口.md", "token.md"]));
    assert_eq!(remora(&home, &["ingest", &folder])?["same"], json!(["a.md", "deep/端口.md", "token.md"]));
    let one = format!("{folder}/a.md");
    assert_eq!(remora(&home, &["ingest", &one])?["same"], json!(["a.md"]));
    let token = remora(&home, &["show", "token"])?;
    assert!(token["text"].as_str().is_some_and(|text| text.contains("[redacted: ")), "{token:#}");
    assert!(Session::new(&home, "one").prompt("数据库端口是多少？")?.says("5544"));

    for (path, why) in [
        (home.root(), "it is the memory itself"),
        (home.home().join("nothing"), "there is no "),
        (home.write("vault/x.txt", "x")?, "is no Markdown file"),
    ] {
        let refused = home.remora(&["ingest", &path.to_string_lossy()])?.run()?;
        assert!(refused.err().contains(why), "{}: {}", path.display(), refused.err());
    }
    Ok(())
}

#[test]
fn nothing_is_taken_where_memory_is_off() -> Result<()> {
    let home = TestHome::new()?;
    home.remora(&["project", "disable"])?.run()?.expect_ok("disable").map(drop)?;
    wait_until("the configuration to be read", || {
        Session::new(&home, "off").start("startup").is_ok_and(|start| start.context.is_empty())
    })?;
    native(&home, "beacon.md", &memory("beacon", "project", FACT))?;
    let _ = Session::new(&home, "one").start("startup")?;
    assert_eq!(names(&home)?, Vec::<String>::new());
    Ok(())
}
