//! Every event made safe a second time before it is kept: not every sender is our own hook, and only the engine knows
//! the person's own patterns.

mod entropy;

use std::borrow::Cow;

use regex::{Regex, RegexBuilder};
use remora_event::{Event, ToolKind};
use remora_redact::{Limits, clean_text, clean_value, redact_secrets, strip_private, withhold_credentials};
use serde_json::Value;

use crate::config::RedactConfig;
use crate::faults::Fault;

/// What stands where one of the person's own patterns matched.
const BY_PATTERN: &str = "[redacted: by your pattern]";

/// A pattern that would need more memory than this is refused.
const PATTERN_BYTES: usize = 1 << 20;

/// Elements in which Remora gives text to models.
const OWN: [&str; 3] = ["remora-memory", "remora-guidance", "remora-background"];

/// How events are made safe.
#[derive(Debug, Default)]
pub(crate) struct Redaction {
    patterns: Vec<Regex>,
    entropy: bool,
}

impl Redaction {
    /// By the person's settings, with what is wrong with them.
    pub(crate) fn new(config: &RedactConfig) -> (Self, Vec<Fault>) {
        let (mut patterns, mut faults) = (Vec::new(), Vec::new());
        for text in &config.patterns {
            match RegexBuilder::new(text).size_limit(PATTERN_BYTES).build() {
                Ok(pattern) => patterns.push(pattern),
                Err(error) => faults.push(Fault::of_pattern("redact.patterns", text, &reason(text, &error))),
            }
        }
        (Self { patterns, entropy: config.entropy }, faults)
    }

    /// The event as it may be kept.
    pub(crate) fn accepted(&self, mut event: Event) -> Event {
        names_of(&mut event).for_each(in_one_line);
        if let Some(tool) = &mut event.tool {
            let runs_command = tool.kind == ToolKind::Shell;
            if withhold_credentials(&tool.paths, runs_command, &mut tool.input) {
                (tool.output, tool.error) = (None, tool.error.take().map(|_| "withheld".to_owned()));
            }
            if runs_command && commands(&tool.input).any(is_own_command) {
                tool.output = None;
            }
            self.clean_value(&mut tool.input);
            if let Some(output) = &mut tool.output {
                self.clean_value(output);
            }
            self.clean(&mut tool.error);
            tool.paths.iter_mut().for_each(|path| replace_if_changed(path, redact_secrets));
        }
        for text in [&mut event.prompt, &mut event.message, &mut event.memory_query] {
            self.clean(text);
        }
        for text in [&mut event.source, &mut event.reason, &mut event.trigger] {
            self.clean(text);
        }
        event.extra.values_mut().for_each(|value| self.clean_value(value));
        event
    }

    /// A text as it may be kept, not cut.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        replace_if_changed(&mut text, without_own);
        replace_if_changed(&mut text, strip_private);
        replace_if_changed(&mut text, redact_secrets);
        self.redact_further(&mut text);
        text
    }

    fn clean(&self, text: &mut Option<String>) {
        let Some(text) = text else { return };
        // Before anything is cut, so that a cut never halves what a pattern would have found.
        self.redact_further(text);
        replace_if_changed(text, without_own);
        replace_if_changed(text, |text| clean_text(text, Limits::default()));
    }

    fn clean_value(&self, value: &mut Value) {
        let mut waiting = vec![&mut *value];
        while let Some(value) = waiting.pop() {
            match value {
                Value::String(text) => {
                    self.redact_further(text);
                    replace_if_changed(text, without_own);
                }
                Value::Array(items) => waiting.extend(items),
                Value::Object(fields) => waiting.extend(fields.values_mut()),
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        clean_value(value, Limits::default());
    }

    fn redact_further(&self, text: &mut String) {
        for pattern in &self.patterns {
            replace_if_changed(text, |text| without_matches(text, pattern));
        }
        if self.entropy {
            replace_if_changed(text, entropy::redact);
        }
    }
}

/// Why a text is no pattern, and at which character, counted from one.
fn reason(text: &str, error: &regex::Error) -> String {
    let (kind, offset) = match regex_syntax::parse(text) {
        Err(regex_syntax::Error::Parse(error)) => (error.kind().to_string(), error.span().start.offset),
        Err(regex_syntax::Error::Translate(error)) => (error.kind().to_string(), error.span().start.offset),
        // It is one, and too large.
        _ => return error.to_string().trim_end_matches('.').to_owned(),
    };
    let before = text.get(..offset).unwrap_or(text).chars().count();
    format!("{kind}, at character {}", before + 1)
}

fn commands(input: &Value) -> impl Iterator<Item = &str> {
    ["command", "cmd"].into_iter().filter_map(|key| input.get(key)?.as_str())
}

/// Whether a command asks Remora itself: what it answers is known already.
fn is_own_command(command: &str) -> bool {
    command.split([';', '|', '&', '\n', '(', ')', '`']).any(|part| {
        let first = part.split_whitespace().find(|word| !word.contains('='));
        first.is_some_and(|word| word.trim_matches(['"', '\'']).rsplit('/').next() == Some("remora"))
    })
}

/// Each match, or what its first group holds, replaced.
fn without_matches<'a>(text: &'a str, pattern: &Regex) -> Cow<'a, str> {
    let found: Vec<_> = pattern
        .captures_iter(text)
        .filter_map(|captures| captures.get(1).or_else(|| captures.get(0)))
        .map(|found| found.range())
        .filter(|range| !range.is_empty())
        .collect();
    if found.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(replaced(text, &found, BY_PATTERN)) }
}

fn replaced(text: &str, ranges: &[std::ops::Range<usize>], by: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut kept_to = 0;
    for range in ranges.iter().filter(|range| !text[range.start..range.end].starts_with("[redacted: ")) {
        out.push_str(&text[kept_to..range.start]);
        out.push_str(by);
        kept_to = range.end;
    }
    out.push_str(&text[kept_to..]);
    out
}

/// The text without what Remora gave to a model: memory must not eat its own words. An element that is not closed
/// runs to the end.
fn without_own(text: &str) -> Cow<'_, str> {
    if !text.contains("<remora-") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((start, name)) = first_own(rest) {
        out.push_str(&rest[..start]);
        let close = format!("</{name}>");
        rest = rest[start..].find(&close).map_or("", |end| &rest[start + end + close.len()..]);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn first_own(text: &str) -> Option<(usize, &'static str)> {
    OWN.iter().filter_map(|name| Some((text.find(&format!("<{name}>"))?, *name))).min()
}

fn replace_if_changed(text: &mut String, change: impl Fn(&str) -> Cow<'_, str>) {
    if let Cow::Owned(changed) = change(text) {
        *text = changed;
    }
}

/// What an event is told by: ids and names, which stand in lines beside others.
fn names_of(event: &mut Event) -> impl Iterator<Item = &mut String> {
    let of_agent = event.agent.iter_mut().flat_map(|agent| [&mut agent.id, &mut agent.kind]);
    let of_tool = event
        .tool
        .iter_mut()
        .flat_map(|tool| [Some(&mut tool.name), tool.call.as_mut()].into_iter().flatten());
    [&mut event.session, &mut event.host]
        .into_iter()
        .chain(event.turn.as_mut())
        .chain(of_agent)
        .chain(of_tool)
}

/// No host has an id or a name of several lines or pages.
fn in_one_line(name: &mut String) {
    const LONGEST: usize = 256;
    if name.chars().any(char::is_control) || name.len() > LONGEST {
        *name = name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect();
    }
}

#[cfg(test)]
mod tests {
    use remora_event::{EventKind, Tool};
    use serde_json::json;

    use super::*;

    fn with(patterns: &[&str]) -> Redaction {
        let patterns = patterns.iter().map(|text| (*text).to_owned()).collect();
        let (redaction, faults) = Redaction::new(&RedactConfig { patterns, entropy: true });
        assert_eq!(faults, []);
        redaction
    }

    #[test]
    fn the_person_s_patterns_are_taken_out_everywhere() {
        let redaction = with(&[r"EMP-\d{6}", r"badge (\w+)"]);
        let [id, session, cwd, at] = ["id", "s", "/p", ""].map(str::to_owned);
        let mut event = Event::new(EventKind::PostToolUse, id, "h", session, cwd, at);
        event.prompt = Some("EMP-123456 has badge violet".into());
        event.tool = Some(Tool {
            name: "T".into(),
            call: None,
            input: json!({"deep": [{"er": "EMP-123456"}]}),
            output: Some(json!("badge violet")),
            error: Some("no EMP-123456".into()),
            duration_ms: None,
            kind: ToolKind::Other,
            paths: vec![],
        });
        let kept = serde_json::to_string(&redaction.accepted(event)).expect("JSON");
        assert!(!kept.contains("123456") && !kept.contains("violet"), "{kept}");
        assert!(kept.contains("badge [redacted: by your pattern]"), "{kept}");
    }

    #[test]
    fn a_pattern_beyond_the_cut_is_found_before_the_cut() {
        let redaction = with(&["SECRETWORD"]);
        let text = format!("{}SECRETWORD{}", "x ".repeat(3_997), " y".repeat(20_000));
        let [id, session, cwd, at] = ["id", "s", "/p", ""].map(str::to_owned);
        let mut event = Event::new(EventKind::UserPrompt, id, "h", session, cwd, at);
        event.prompt = Some(text);
        let kept = redaction.accepted(event).prompt.expect("a prompt");
        assert!(!kept.contains("SECRET") && kept.chars().count() <= 16_000, "{}", kept.len());
    }

    #[test]
    fn what_is_no_pattern_is_said_and_the_others_hold() {
        let config = RedactConfig {
            patterns: ["(", "密码[", r"a\p{No}\p{Nope}", "x{1000}{1000}", "ok1"].map(str::to_owned).into(),
            entropy: false,
        };
        let (redaction, faults) = Redaction::new(&config);
        let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(said.join("\n"), @r#"
        redact.patterns: "(" is no pattern (unclosed group, at character 1); memory is off until this is mended
        redact.patterns: "密码[" is no pattern (unclosed character class, at character 3); memory is off until this is mended
        redact.patterns: "a\\p{No}\\p{Nope}" is no pattern (Unicode property not found, at character 8); memory is off until this is mended
        redact.patterns: "x{1000}{1000}" is no pattern (Compiled regex exceeds size limit of 1048576 bytes); memory is off until this is mended
        "#);
        assert_eq!(redaction.text("ok1"), BY_PATTERN);
    }

    #[test]
    fn commands_that_ask_remora_are_known() {
        for (command, own) in [
            ("remora search x", true),
            ("cd /p && REMORA_ROOT=/x '/home/me/.local/share/remora/bin/remora' recall y | head", true),
            ("echo $(remora list)", true),
            ("cd remora && cargo test", false),
            ("cat docs/remora.md", false),
            ("grep remora README.md", false),
        ] {
            assert_eq!(is_own_command(command), own, "{command}");
        }
    }

    #[test]
    fn what_remora_gave_is_not_taken_in() {
        let redaction = with(&[]);
        for (text, kept) in [
            ("a <remora-guidance>\nUse tabs.\n</remora-guidance> b", "a  b"),
            ("<remora-memory>x</remora-memory><remora-background>y</remora-background>z", "z"),
            ("a <remora-background>never closed", "a "),
            ("a <remora-other>x</remora-other>", "a <remora-other>x</remora-other>"),
            ("a <private>my diary", "a [private]"),
        ] {
            assert_eq!(redaction.text(text), kept);
        }
    }

    #[test]
    fn an_id_or_a_name_is_one_line() {
        let mut event = remora_event::Event::new(
            EventKind::SessionStart,
            "1".into(),
            "h",
            "s-5\nFAKE\u{1b}[31m".into(),
            "/p".into(),
            "2026-11-30T10:00:00Z".into(),
        );
        event.turn = Some("t".repeat(5_000));
        let event = Redaction::default().accepted(event);
        assert_eq!(event.session, "s-5 FAKE [31m");
        assert_eq!(event.turn.map(|turn| turn.len()), Some(256));
    }
}
