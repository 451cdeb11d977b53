//! A folder of memory files that people and hosts wrote, in every odd way: read rightly, and not one byte of it
//! changed by a whole session that uses it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use remora_tests::{Error, Result, Session, TestHome};
use serde_json::{Value, json};

/// Name, type and description of each file of the folder, as a person reads them.
const EXPECTED: [(&str, &str, &str, &str); 9] = [
    (
        "feedback_few_dependencies.md",
        "Few dependencies",
        "feedback",
        "A new crate needs a reason in the pull request; under 120 crates in the tree in total",
    ),
    (
        "feedback_no_notebooks.md",
        "No notebooks in the repository",
        "feedback",
        "Analysis is scripts in analysis/ that write figures; notebooks are not committed",
    ),
    (
        "feedback_unsafe.md",
        "Unsafe code",
        "feedback",
        "unsafe is allowed only in fsx/ffi.rs with a SAFETY comment",
    ),
    (
        "project_encryption.md",
        "Encryption",
        "project",
        "XChaCha20-Poly1305 with a key from Argon2id; parameters are stored per key slot, no custom crypto",
    ),
    (
        "project_lr_schedule.md",
        "Learning rate",
        "project",
        "Cosine to 10 % with 2,000 warm-up steps; peak 3e-4 for the base model; higher diverged twice",
    ),
    (
        "project_macos_permissions.md",
        "macOS privacy folders",
        "project",
        "Without Full Disk Access, reading ~/Library/Mail fails with \"Operation not permitted\"; report as partial, not as an error",
    ),
    (
        "project_rerank_timeout.md",
        "重排超时",
        "project",
        "重排服务 P99 约 900 毫秒,超时 1.5 秒就降级为向量分数,不报错",
    ),
    (
        "reference_eval_set.md",
        "评测集",
        "reference",
        "600 条人工标注问答在 eval/qa_v4.jsonl,每晚跑,结果发到群里",
    ),
    (
        "units-locale.md",
        "units-locale",
        "feedback",
        "Distances and heights go through formatDistance and formatHeight; never hard-code km or m",
    ),
];

/// The folder's files with their bytes.
fn bytes_of(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let entries = std::fs::read_dir(folder).map_err(Error::file("listing", folder))?;
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).map_err(Error::file("reading", &path))?;
        Ok((path, bytes))
    };
    entries.filter_map(std::result::Result::ok).map(|entry| read(entry.path())).collect()
}

/// A copy of the odd folder, beside the person's home.
fn odd_folder(home: &TestHome) -> Result<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/memory-folder");
    for (path, bytes) in bytes_of(&source)? {
        let name = path.file_name().expect("a file's name");
        home.write_beside(Path::new("own memory/记忆").join(name), bytes)?;
    }
    Ok(home.folder().join("own memory/记忆"))
}

fn listed(value: &Value) -> Vec<(String, String, String, String)> {
    let text = |memory: &Value, key: &str| memory[key].as_str().unwrap_or_default().to_owned();
    let memories = value["memories"].as_array().expect("a list").iter();
    let mut listed: Vec<_> = memories
        .map(|memory| {
            (text(memory, "file"), text(memory, "name"), text(memory, "type"), text(memory, "description"))
        })
        .collect();
    listed.sort();
    listed
}

fn expected() -> Vec<(String, String, String, String)> {
    let own = |text: &str| text.to_owned();
    EXPECTED.iter().map(|(file, name, kind, says)| (own(file), own(name), own(kind), own(says))).collect()
}

#[test]
fn every_memory_of_a_folder_that_the_shell_names_is_listed_rightly() -> Result<()> {
    let home = TestHome::new()?;
    let folder = odd_folder(&home)?;
    let before = bytes_of(&folder)?;
    let list = home.remora(&["list", "--json"])?.env("REMORA_MEMORY_DIR", &folder).run()?;
    let list: Value =
        serde_json::from_slice(&list.expect_ok("remora list")?.stdout).map_err(Error::json("remora list"))?;
    assert_eq!(listed(&list), expected());
    assert_eq!(list["unreadable"], json!([]));
    assert_eq!(list["memory_dir"], json!(folder));
    assert_eq!(bytes_of(&folder)?, before);
    Ok(())
}

#[test]
fn a_whole_session_changes_no_byte_of_the_folder_that_is_its_memory() -> Result<()> {
    let home = TestHome::new()?;
    let folder = odd_folder(&home)?;
    home.write(".config/remora/config.toml", format!("memory_dir = {:?}\n", folder.display().to_string()))?;
    let before = bytes_of(&folder)?;
    // Where the person's configuration lies is written down by the command, never told by a hook.
    home.remora(&["status"])?.run()?.expect_ok("remora status").map(drop)?;

    let session = Session::new(&home, "one");
    let start = session.start("startup")?;
    assert!(start.says("- Unsafe code (feedback_unsafe.md)"), "{}", start.context);
    let answer = session.prompt("where may unsafe code stand, and what does each block need?")?;
    assert!(answer.says("### Unsafe code"), "{}", answer.context);
    let answer = session.prompt("重排服务超时了怎么办?")?;
    assert!(answer.says("### 重排超时"), "{}", answer.context);
    let _ = session.shell("cargo test", "test result: ok")?;
    let payload = json!({
        "hook_event_name": "PostToolUse", "tool_name": "Read", "tool_use_id": "read",
        "tool_input": {"file_path": folder.join("project_encryption.md")}, "tool_response": {"type": "text"},
    });
    let _ = session.tell("post-tool-use", &payload)?;
    let _ = session.stop("All is well.")?;
    for reason in ["compact", "resume"] {
        let _ = session.start(reason)?;
    }
    let _ = session.tell("session-end", &json!({"hook_event_name": "SessionEnd", "reason": "other"}))?;
    let list = home.remora(&["list", "--json"])?.run()?.expect_ok("remora list")?;
    let list: Value = serde_json::from_slice(&list.stdout).map_err(Error::json("remora list"))?;
    assert_eq!((listed(&list), &list["unreadable"]), (expected(), &json!([])));
    home.remora(&["engine", "stop"])?.run()?.expect_ok("remora engine stop").map(drop)?;
    assert_eq!(bytes_of(&folder)?, before);
    Ok(())
}
