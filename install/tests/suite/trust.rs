//! Trust in Codex's hooks, against a program that a test puts in the place of Codex.

use std::fs;
use std::path::PathBuf;

use remora_install::host::codex;
use remora_install::{Error, Options, install, is_trusted, untrusted};
use serde_json::{Value, json};

use crate::world::{World, write_scripts};

/// Answers each request with the next line of a file, and takes the answers of its next start from the next
/// file: `answers.1`, `answers.2`, ...
const SCRIPT: &str = r#"[ "$1" = app-server ] || exit 9
cd "$(dirname "$0")"
start=$(cat starts 2>/dev/null || echo 0); start=$((start + 1)); echo $start >starts
exec 3<answers.$start || exit 8
while read -r line; do
    echo "$line" >>asked
    case $line in *'"id"'*) read -r answer <&3 || exit 0; printf '%s\n' "$answer" ;; esac
done"#;

struct Codex {
    world: World,
    folder: PathBuf,
}

impl Codex {
    fn new() -> Self {
        let mut world = World::that_runs("r");
        let folder = world.path().join("bin");
        write_scripts(&[folder.join("codex")], SCRIPT);
        let path = format!("{}:/usr/bin:/bin", folder.display());
        world.environment.variables.insert("PATH".into(), path.into());
        install(&world.environment, &world.installation, &[&codex::HOST], &Options::default())
            .expect("the installation succeeds");
        Self { world, folder }
    }

    /// What it answers at its next start, after the greeting.
    fn will_answer(&self, start: usize, answers: &[Value]) {
        let lines = std::iter::once(json!({"id": 1, "result": {}}))
            .chain(answers.iter().cloned())
            .map(|answer| answer.to_string() + "\n");
        fs::write(self.folder.join(format!("answers.{start}")), lines.collect::<String>()).expect("a file");
    }

    fn untrusted(&self) -> Result<Option<remora_install::Untrusted>, Error> {
        let World { environment, installation, .. } = &self.world;
        untrusted(environment, installation, &codex::HOST, self.world.path())
    }

    /// Codex's list: our hook of `Stop`, one of somebody else, and ours in another file.
    fn list(&self, id: u32, hash: &str, status: &str) -> Value {
        let ours = self.world.installation.executable("codex", "stop");
        let command = format!("{} --root {}", ours.display(), self.world.installation.root().display());
        let file = self.world.home(".codex/hooks.json");
        let hook = |command: &str, file: &str, group: u32| {
            json!({
                "key": format!("{file}:stop:{group}:0"), "eventName": "stop", "command": command,
                "sourcePath": file, "currentHash": hash, "trustStatus": status,
            })
        };
        let file = file.to_string_lossy();
        let hooks = [
            hook("notify-send done", &file, 0),
            hook(&command, &file, 1),
            hook(&command, "/elsewhere/hooks.json", 0),
            json!({"eventName": "stop"}),
        ];
        json!({"id": id, "result": {"data": [{"cwd": "/", "hooks": hooks}]}})
    }

    fn config(&self) -> Option<String> {
        fs::read_to_string(self.world.home(".codex/config.toml")).ok()
    }
}

#[test]
fn only_our_own_hooks_are_asked_about() {
    let codex = Codex::new();
    codex.will_answer(1, &[codex.list(2, "sha256:1", "untrusted")]);
    let untrusted = codex.untrusted().expect("a list").expect("hooks of ours");
    let names: Vec<_> = untrusted.hooks().iter().map(|hook| codex.world.plain(&hook.name)).collect();
    assert_eq!(names, ["/home/.codex/hooks.json:stop:1:0"]);
    codex.will_answer(2, &[codex.list(2, "sha256:1", "trusted")]);
    assert!(codex.untrusted().expect("a list").expect("hooks of ours").hooks().is_empty());
    assert!(codex.config().is_none(), "asking changes nothing");
}

#[test]
fn a_hook_that_changed_since_it_was_shown_is_not_trusted() {
    let codex = Codex::new();
    codex.will_answer(1, &[codex.list(2, "sha256:1", "untrusted")]);
    codex.will_answer(2, &[codex.list(2, "sha256:2", "untrusted")]);
    let untrusted = codex.untrusted().expect("a list").expect("hooks of ours");
    let World { environment, installation, .. } = &codex.world;
    let refused = untrusted.record(environment, installation);
    assert!(matches!(refused, Err(Error::Changed(_))), "{refused:?}");
    let asked = fs::read_to_string(codex.folder.join("asked")).expect("what it was asked");
    assert!(asked.contains("hooks/list") && !asked.contains("batchWrite"), "{asked}");
}

#[test]
fn what_is_recorded_is_on_record_and_goes_again() {
    let codex = Codex::new();
    codex.will_answer(1, &[codex.list(2, "sha256:1", "untrusted")]);
    codex.will_answer(2, &[codex.list(2, "sha256:1", "untrusted")]);
    codex.will_answer(
        3,
        &[json!({"id": 2, "result": {"status": "ok"}}), codex.list(3, "sha256:1", "trusted")],
    );
    let untrusted = codex.untrusted().expect("a list").expect("hooks of ours");
    let World { environment, installation, .. } = &codex.world;
    untrusted.record(environment, installation).expect("it is recorded");
    let asked = fs::read_to_string(codex.folder.join("asked")).expect("what it was asked");
    let written: Value =
        serde_json::from_str(asked.lines().find(|line| line.contains("batchWrite")).expect("a write"))
            .expect("JSON");
    let name = format!("{}:stop:1:0", codex.world.home(".codex/hooks.json").display());
    assert_eq!(
        written["params"]["edits"],
        json!([{"keyPath": "hooks.state", "value": {name.clone(): {"trusted_hash": "sha256:1"}}, "mergeStrategy": "upsert"}])
    );
    // The stand-in writes nothing: that is done for it now, with a table of somebody else's beside ours.
    let theirs = "[hooks.state.\"/x/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:9\"\n";
    let text = format!("[hooks.state]\n\n{theirs}\n[hooks.state.\"{name}\"]\ntrusted_hash = \"sha256:1\"\n");
    fs::write(codex.world.home(".codex/config.toml"), text).expect("the configuration");
    codex.world.uninstall();
    assert_eq!(codex.config(), Some(format!("[hooks.state]\n\n{theirs}")));
}

#[test]
fn trust_that_the_person_gave_to_codex_itself_goes_with_the_hooks() {
    let codex = Codex::new();
    let hooks = codex.world.home(".codex/hooks.json");
    let table = |event: &str| {
        format!("[hooks.state.\"{}:{event}:0:0\"]\ntrusted_hash = \"sha256:1\"\n", hooks.display())
    };
    let before = "model = \"m\"\n";
    let text = format!("{before}\n[hooks.state]\n\n{}\n{}", table("stop"), table("session_start"));
    fs::write(codex.world.home(".codex/config.toml"), text).expect("the configuration");
    codex.world.uninstall();
    assert_eq!(codex.config().as_deref(), Some(before));
}

#[test]
fn a_codex_that_does_not_do_what_it_is_asked_is_named() {
    let refusal = json!({"id": 2, "error": {"code": -32601, "message": "no such method"}});
    for (answers, expected) in [
        (vec![refusal], "asking Codex to list and trust hooks: no such method"),
        (vec![json!({"id": 2, "result": {}})], "asking Codex to list and trust hooks: it lists no hooks"),
        (vec![], "asking Codex to list and trust hooks: it did not answer"),
    ] {
        let codex = Codex::new();
        codex.will_answer(1, &answers);
        let error = codex.untrusted().expect_err("a refusal");
        assert_eq!(error.to_string(), expected);
        assert!(error.hint().is_some_and(|hint| hint.contains("/hooks")));
    }
    let mut codex = Codex::new();
    codex.world.environment.variables.clear();
    assert!(matches!(codex.untrusted(), Err(Error::NoProgram { host: "Codex" })));
}

#[test]
fn trust_that_does_not_take_is_an_error() {
    let codex = Codex::new();
    codex.will_answer(1, &[codex.list(2, "sha256:1", "untrusted")]);
    codex.will_answer(2, &[codex.list(2, "sha256:1", "untrusted")]);
    codex.will_answer(3, &[json!({"id": 2, "result": {}}), codex.list(3, "sha256:1", "untrusted")]);
    let untrusted = codex.untrusted().expect("a list").expect("hooks of ours");
    let World { environment, installation, .. } = &codex.world;
    let error = untrusted.record(environment, installation).expect_err("a refusal").to_string();
    assert!(error.contains("it does not trust the hooks all the same"), "{error}");
    assert_eq!(is_trusted(environment, installation, &codex::HOST).expect("an answer"), Some(false));
}

#[test]
fn a_host_that_asks_for_no_trust_has_none() {
    let world = World::new();
    world.install();
    let claude = crate::world::hosts()[0];
    assert!(
        untrusted(&world.environment, &world.installation, claude, world.path())
            .expect("an answer")
            .is_none()
    );
    assert_eq!(is_trusted(&world.environment, &world.installation, claude).expect("an answer"), None);
    assert_eq!(is_trusted(&world.environment, &world.installation, &codex::HOST).expect("an answer"), None);
}
