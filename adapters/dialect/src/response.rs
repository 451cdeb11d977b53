//! How a tool's answer says that the tool failed, on hosts that report failures as they report success.

use remora_event::Outcome;
use serde_json::Value;

/// The signs by which a failure is known.
#[derive(Debug)]
pub struct FailureSigns {
    /// The answer's field that holds what went wrong: a text, or an object with a `message`.
    pub error: Option<&'static str>,
    /// The answer's field that is true then.
    pub flag: Option<&'static str>,
    /// How the answer's text tells the exit status of a command.
    pub exit_code: Option<ExitCode>,
    /// Tools whose answer looks the same whether they failed or not: of them nothing is claimed without a
    /// sign.
    pub silent: &'static [&'static str],
}

/// Where a command's exit status stands in the answer's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExitCode {
    /// What the line begins with.
    pub label: &'static str,
    /// What stands right before the number, if something of another kind comes between it and the beginning.
    pub before: Option<&'static str>,
    /// What the line ends with, after the number.
    pub ends: &'static str,
    /// Beginnings of lines that only the host writes. The line counts where it stands first with one of
    /// these below it, or last with nothing but these below it: anything else is a program's own words.
    pub beside: &'static [&'static str],
}

impl FailureSigns {
    /// A host on which failures come as an event of their own.
    pub const NONE: Self = Self { error: None, flag: None, exit_code: None, silent: &[] };

    /// What went wrong, if a field of the answer says so.
    pub(crate) fn in_fields(&self, answer: &Value) -> Option<String> {
        let error = self.error.and_then(|key| answer.get(key)).and_then(message);
        let is_flagged = self.flag.is_some_and(|key| answer.get(key) == Some(&Value::Bool(true)));
        error.or_else(|| is_flagged.then(|| first_text(answer).unwrap_or("it failed").to_owned()))
    }

    /// What went wrong, if the answer's text tells a command's exit status.
    pub(crate) fn in_text(&self, answer: &Value) -> Option<String> {
        let code = self.exit_code?.find(answer.as_str()?).filter(|code| *code != 0)?;
        Some(format!("exit code {code}"))
    }

    /// How a tool that shows no sign of failure ended, as far as its answer tells.
    pub(crate) fn otherwise(&self, tool: &str) -> Option<Outcome> {
        (!self.silent.contains(&tool)).then_some(Outcome::Completed)
    }
}

impl ExitCode {
    /// A number and nothing else on a line.
    pub const PLAIN: Self = Self { label: "", before: None, ends: "", beside: &[] };

    /// The exit status, if the text has it.
    pub fn find(self, text: &str) -> Option<i64> {
        let is_beside = |line: &str| self.beside.iter().any(|start| line.starts_with(start));
        let mut from_start = text.lines();
        let at_start = from_start.next().and_then(|line| self.code(line));
        if at_start.is_some() && from_start.next().is_some_and(is_beside) {
            return at_start;
        }
        let from_end = text.trim_end().lines().rev().skip_while(|line| is_beside(line));
        from_end.take(1).find_map(|line| self.code(line))
    }

    fn code(self, line: &str) -> Option<i64> {
        let rest = line.strip_prefix(self.label)?.strip_suffix(self.ends)?;
        let number =
            self.before.map_or(Some(rest), |before| rest.split_once(before).map(|(_, number)| number));
        number?.trim().parse().ok()
    }
}

/// The first text in an answer of several parts.
fn first_text(answer: &Value) -> Option<&str> {
    /// Parts lie no deeper than this.
    const DEPTH: usize = 6;
    let mut part = answer;
    for _ in 0..DEPTH {
        part = match part {
            Value::String(text) => return Some(text),
            Value::Array(parts) => parts.first()?,
            Value::Object(fields) => fields.get("text").or_else(|| fields.get("content"))?,
            _ => return None,
        };
    }
    None
}

fn message(value: &Value) -> Option<String> {
    let text = value.as_str().or_else(|| value.get("message")?.as_str())?;
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_exit_code_counts_only_where_the_host_writes_it() {
        let sign = ExitCode { label: "Exit code: ", beside: &["Wall time: ", "PID: "], ..ExitCode::PLAIN };
        for (text, code) in [
            ("Exit code: 2\nWall time: 0 seconds\nOutput:\nx", Some(2)),
            ("Exit code: 0\nWall time: 0 seconds", Some(0)),
            ("Output: x\nExit code: 3\nPID: 7", Some(3)),
            ("Output: x\nExit code: 3\n", Some(3)),
            ("Exit code: 2\nsaid a program\nbye", None),
            ("said: Exit code: 2\nWall time: x", None),
            ("Output: x\nExit code: 3\nand more", None),
            ("Exit code: no\nWall time: x", None),
            ("Wall time: 1\nPID: 7", None),
            ("", None),
        ] {
            assert_eq!(sign.find(text), code, "{text}");
        }
    }

    #[test]
    fn an_exit_code_may_stand_inside_a_line() {
        let sign = ExitCode { label: "<shell: ", before: Some(" ended with "), ends: ">", beside: &[] };
        for (text, code) in [
            ("no\n<shell: 0 ended with 3>", Some(3)),
            ("<shell: build 2 ended with 0>", Some(0)),
            ("<shell: 0 ended with 3>\nbye", None),
            ("<shell: 0 runs>", None),
            ("<shell: 0 ended with >", None),
            ("<shell: ", None),
        ] {
            assert_eq!(sign.find(text), code, "{text}");
        }
    }

    #[test]
    fn errors_are_texts_or_have_a_message() {
        let signs = FailureSigns { error: Some("error"), flag: Some("isError"), ..FailureSigns::NONE };
        for (answer, said) in [
            (json!({"error": "no such file"}), Some("no such file")),
            (json!({"error": {"message": "no", "type": "x"}}), Some("no")),
            (json!({"error": null, "isError": false}), None),
            (json!({"isError": true, "content": [{"type": "text", "text": "no server"}]}), Some("no server")),
            (json!({"isError": true}), Some("it failed")),
            (json!("error"), None),
            (json!([1]), None),
        ] {
            assert_eq!(signs.in_fields(&answer).as_deref(), said, "{answer}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(Exit code: |[0-9]{1,30}|\n|Wall time: |中| ){0,40}") {
            let sign = ExitCode { label: "Exit code: ", beside: &["Wall time: "], ..ExitCode::PLAIN };
            let _ = sign.find(&text);
        }
    }
}
