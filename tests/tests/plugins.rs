//! The plugin that is put into a host, without the host: whatever its program does and whatever it is told, it lets
//! nothing through that could end a prompt.

use std::path::PathBuf;
use std::time::Duration;

use remora_tests::workspace;
use remora_tests::{Error, HostId, Installed, Result, TestHome};
use serde_json::{Value, json};

/// Far beyond what the plugin waits for, times all that it is told.
const HANGS: Duration = Duration::from_mins(3);

/// Node.js, which runs the plugin as well as its host does.
#[expect(clippy::print_stderr, reason = "a skipped test must say so")]
fn node() -> Option<PathBuf> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&search).map(|folder| folder.join("node")).find(|node| node.is_file());
    if found.is_none() {
        eprintln!("SKIPPED plugins: Node.js is not on the PATH");
    }
    found
}

/// What the plugin made of a session when its program is this script and is waited for so long, in milliseconds.
fn told(node: &PathBuf, program: &str, patience: u32, more: &str) -> Result<Value> {
    let home = TestHome::new()?;
    let _installed = Installed::in_home(&home, HostId::OpenCode)?;
    let file = home.home().join(".config/opencode/plugin/remora.js");
    let text = std::fs::read_to_string(&file).map_err(Error::file("reading", &file))?;
    let hook = home.root().join("bin/opencode/hook");
    let text = text.replacen("\"patience\":2000", &format!("\"patience\":{patience}"), 1);
    let module = home.write_beside("plugin.mjs", text)?;
    std::fs::remove_file(&hook).map_err(Error::file("removing", &hook))?;
    if !program.is_empty() {
        // A shell writes it, so that no thread of this process holds it open for writing while it is started.
        let script = "printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$2\" && chmod 755 \"$2\"";
        home.launch("/bin/sh")
            .args(["-c", script, "sh", program])
            .arg(&hook)
            .run()?
            .expect_ok("sh")
            .map(drop)?;
    }
    let driver = workspace::root().join("tests/plugins/opencode.mjs");
    let ran =
        home.launch(node).arg(driver).arg(&module).arg(more).limit(HANGS).run()?.expect_ok("the plugin")?;
    assert!(ran.stderr.is_empty(), "{}", ran.describe());
    serde_json::from_slice(&ran.stdout).map_err(Error::json("what the plugin did"))
}

#[test]
fn a_plugin_whose_program_does_what_it_should_not_is_as_if_it_were_not_there() -> Result<()> {
    let Some(node) = node() else { return Ok(()) };
    let nothing = json!({"parts": ["say hello"], "built_in": "done", "of_server": ["done"]});
    for (name, program) in [
        ("is gone", ""),
        ("says nothing", "cat >/dev/null"),
        ("fails", "exit 3"),
        ("dies", "kill -9 $$"),
        ("does not read", "exec 0<&-; sleep 0.02"),
        ("hangs", "exec sleep 100"),
        ("says no JSON", "cat >/dev/null; echo '{\"additionalContext\": \"x'"),
        ("says other JSON", "cat >/dev/null; echo '[1]'"),
        ("says null", "cat >/dev/null; echo null"),
        ("complains", "cat >/dev/null; echo no >&2"),
    ] {
        assert_eq!(told(&node, program, 300, "")?, nothing, "a program that {name}");
    }
    Ok(())
}

#[test]
fn a_plugin_survives_what_no_host_should_tell_it() -> Result<()> {
    let Some(node) = node() else { return Ok(()) };
    let nothing = json!({"parts": ["say hello"], "built_in": "done", "of_server": ["done"]});
    assert_eq!(told(&node, "", 300, "odd")?, nothing);
    Ok(())
}

#[test]
fn what_the_program_says_is_put_where_the_model_reads_it() -> Result<()> {
    let Some(node) = node() else { return Ok(()) };
    let told =
        told(&node, "cat >/dev/null; printf '{\"additionalContext\":\"from %s\"}\\n' \"$1\"", 60_000, "");
    let expected = json!({
        "parts": ["say hello", "from user-prompt"],
        "built_in": "done\n\nfrom post-tool-use",
        "of_server": ["done", "from post-tool-use"],
    });
    assert_eq!(told?, expected);
    Ok(())
}
