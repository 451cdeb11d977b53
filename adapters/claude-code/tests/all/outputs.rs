//! Every reply as output.

use remora_claude_code::render;
use remora_event::{Event, EventKind, Reply};

use crate::captures::CLAUDE;

#[test]
fn context_and_notice_go_where_claude_code_reads_them() {
    CLAUDE.check_outputs();
    CLAUDE.check_nothing_decides();
    insta::assert_snapshot!(CLAUDE.outputs(), @r#"
    SessionStart: {"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    UserPromptSubmit: {"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    PreToolUse: {"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    PostToolUse: {"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    PostToolUseFailure: {"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    SubagentStart: {"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"line \"one\"\n第二行"},"systemMessage":"2 memories"}
    SubagentStop: nothing
    PreCompact: nothing
    PostCompact: nothing
    Stop: nothing
    SessionEnd: nothing
    "#);
}

#[test]
fn a_notice_alone_and_another_host() {
    let print = |reply: Reply, kind, host: &str| {
        let mut event = Event::new(kind, "id".into(), "claude-code", "s".into(), "/".into(), "now".into());
        host.clone_into(&mut event.host);
        render(&reply, &event).expect("output")
    };
    let (notice, context) = (Some("hi".to_owned()), Some("c".to_owned()));
    insta::assert_snapshot!(
        print(Reply { notice, ..Reply::default() }, EventKind::SessionStart, "claude-code"),
        @r#"{"systemMessage":"hi"}"#
    );
    insta::assert_snapshot!(
        print(Reply { context, ..Reply::default() }, EventKind::PostToolUse, "copilot-cli"),
        @r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"},"additionalContext":"c"}"#
    );
}
