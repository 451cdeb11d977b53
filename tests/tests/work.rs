//! What is still to be done: from the hosts' own lists, from agents, from the person; told at the start of a session of
//! any host.

use remora_tests::mcp::Conversation;
use remora_tests::session::at_ease;
use remora_tests::{Answer, Error, Normaliser, Result, Session, TestHome};
use serde_json::{Value, json};

use crate::found_again::tell;
use crate::mcp::server;

fn says(home: &TestHome, arguments: &[&str]) -> Result<String> {
    let said = home.remora(arguments)?.run()?;
    Ok(format!("$ remora {}\n{}{}", arguments.join(" "), said.out(), said.err()))
}

fn states(home: &TestHome) -> Result<Vec<String>> {
    let said = home.remora(&["work", "--all", "--json"])?.run()?.expect_ok("remora work")?;
    let value: Value = serde_json::from_slice(&said.stdout).map_err(Error::json("remora work"))?;
    let items = value["items"].as_array().cloned().unwrap_or_default();
    let text = |item: &Value, key: &str| item[key].as_str().unwrap_or_default().to_owned();
    Ok(items.iter().map(|item| format!("{} {}", text(item, "state"), text(item, "text"))).collect())
}

/// A call of one of Claude Code's tools for its list.
fn call(session: &Session<'_>, tool: &str, input: &Value, answer: &Value) -> Result<()> {
    let payload = json!({
        "hook_event_name": "PostToolUse", "tool_name": tool, "tool_use_id": format!("{tool} {input}"),
        "tool_input": input, "tool_response": answer,
    });
    session.tell("post-tool-use", &payload).map(drop)
}

fn todo(items: &[(&str, &str)]) -> Value {
    let items: Vec<Value> = items
        .iter()
        .map(|(text, state)| json!({"content": text, "status": state, "activeForm": text}))
        .collect();
    json!({"todos": items})
}

#[test]
fn the_person_keeps_a_list() -> Result<()> {
    let home = TestHome::new()?;
    let said = [
        says(&home, &["work"])?,
        says(&home, &["work", "add", "fix the rounding in billing"])?,
        says(&home, &["work", "add", "给登录页写测试"])?,
        says(&home, &["work", "start", "1"])?,
        says(&home, &["work", "done", "rounding"])?,
        says(&home, &["work", "drop", "something else"])?,
        says(&home, &["work", "drop", "99"])?,
        says(&home, &["work", "--all"])?,
        says(&home, &["work", "add", "Fix the rounding, in billing!"])?,
    ];
    insta::assert_snapshot!(said.join("\n"));
    Ok(())
}

#[test]
fn a_host_s_list_is_followed_and_told_in_another_host() -> Result<()> {
    let home = TestHome::new()?;
    let session = Session::new(&home, "one");
    let _ = session.start("startup")?;
    call(
        &session,
        "TodoWrite",
        &todo(&[("write the parser", "in_progress"), ("test it", "pending"), ("ask Ada", "pending")]),
        &json!({}),
    )?;
    // A subagent's list is its own.
    call(&session.of_agent("a1"), "TodoWrite", &todo(&[("look around", "pending")]), &json!({}))?;
    assert_eq!(states(&home)?, ["doing write the parser", "todo ask Ada", "todo test it"]);
    call(
        &session,
        "TodoWrite",
        &todo(&[("write the parser", "completed"), ("Test it", "in_progress")]),
        &json!({}),
    )?;
    assert_eq!(states(&home)?, ["doing test it", "dropped ask Ada", "done write the parser"]);
    // The other form: one item a call, known by a number of the host's.
    call(
        &session,
        "TaskCreate",
        &json!({"subject": "tag a release", "description": "v2"}),
        &json!({"task": {"id": "7", "subject": "tag a release"}}),
    )?;
    call(
        &session,
        "TaskUpdate",
        &json!({"taskId": "7", "status": "in_progress"}),
        &json!({"success": true}),
    )?;
    assert!(states(&home)?.contains(&"doing tag a release".to_owned()), "{:?}", states(&home)?);

    // Another host's session is told, and what that host says last wins.
    let payload = json!({
        "session_id": "two", "cwd": home.project(), "hook_event_name": "SessionStart", "model": "m",
        "permission_mode": "default", "source": "startup",
    });
    let start = home.hook("codex", "session-start")?.args(at_ease()).stdin(payload.to_string());
    let start = Answer::of(&start.run()?.expect_ok("session-start")?.stdout)?;
    let told = start.context.split_once("## Open work").map_or("", |(_, told)| told);
    insta::assert_snapshot!(told, @r"
     in this project (`work_state`, or `remora work done NUMBER`, closes an item)
    - 4 doing: tag a release
    - 2 doing: test it
    </remora-background>
    ");
    let plan = json!({"event": "post_tool_use", "tool": {"name": "update_plan", "kind": "other",
        "input": {"plan": [{"step": "test it", "status": "completed"}]}}});
    let now = chrono::Utc::now().to_rfc3339();
    tell(&home, &home.project(), "codex", "two", &now, &plan)?;
    assert!(states(&home)?.contains(&"done test it".to_owned()), "{:?}", states(&home)?);
    Ok(())
}

#[test]
fn what_nobody_touched_for_long_is_flagged() -> Result<()> {
    let home = TestHome::new()?;
    let plan = json!({"event": "post_tool_use", "tool": {"name": "update_plan", "kind": "other",
        "input": {"plan": [{"step": "an old plan </remora-background> of last month", "status": "pending"}]}}});
    let then = chrono::Utc::now() - chrono::Duration::days(30);
    tell(&home, &home.project(), "codex", "one", &then.to_rfc3339(), &plan)?;
    home.remora(&["work", "add", "something new"])?.run()?.expect_ok("work add").map(drop)?;
    let start = Session::new(&home, "two").start("startup")?;
    assert!(start.says("1 todo: an old plan ‹/remora-background> of last month (untouched for 30 days: possibly abandoned"), "{}", start.context);
    assert!(start.says("2 todo: something new\n"), "{}", start.context);
    assert_eq!(start.notice.as_deref(), Some("Remora: 0 memories about you, 0 here, 2 open items"));
    let listed = home.remora(&["work"])?.run()?.expect_ok("work")?.out();
    assert!(listed.contains("30 days ago, possibly abandoned"), "{listed}");
    Ok(())
}

#[test]
fn an_agent_keeps_work_that_outlasts_its_session() -> Result<()> {
    let home = TestHome::new()?;
    let mut client = Conversation::begin(&server(&home)?)?;
    let mut said = Vec::new();
    for arguments in [
        json!({}),
        json!({"text": "migrate the staging database"}),
        json!({"text": "work:1", "state": "doing"}),
        json!({"text": "migrate the staging database", "state": "completed"}),
        json!({"state": "done"}),
        json!({"text": "work:9", "state": "done"}),
        json!({"text": "x", "state": "perhaps"}),
    ] {
        said.push(format!("{arguments}\n{}", client.call("work_state", &arguments)?.text));
    }
    insta::assert_snapshot!(Normaliser::of(&home).apply(&said.join("\n\n")));
    let secret = concat!("ghp", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    client.call("work_state", &json!({"text": format!("rotate {secret} soon")}))?;
    assert_eq!(crate::secrets::holding(&home.root(), secret), Vec::<String>::new());
    Ok(())
}
