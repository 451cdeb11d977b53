//! Who gets which step of the script.

use super::recording::{Purpose, Request};
use super::script::{Script, Step};

/// What is said to the main conversation beyond the script, and to every side request.
const DONE: &str = "Done.";

/// A script being played.
///
/// A request belongs to the main conversation if it calls a model, offers it at least the tools that the
/// first such request offered, and carries the script's marker where there is one. Hosts ask for titles,
/// summaries and routing without tools, and give subagents and their own memory's agents fewer tools, so
/// that such requests do not use up the script. A rule comes before all that.
#[derive(Debug)]
pub(super) struct Play {
    script: Script,
    next_step: usize,
    used_rules: Vec<bool>,
    /// What the first request of the main conversation offered.
    first_tools: Option<Vec<String>>,
}

impl Play {
    pub(super) fn new(script: Script) -> Self {
        Self { next_step: 0, used_rules: vec![false; script.rules.len()], first_tools: None, script }
    }

    /// Says what a request is for and, if it calls a model, what the answer is.
    pub(super) fn answer(&mut self, request: &Request) -> (Purpose, Option<Step>) {
        if request.protocol().is_none() {
            return (Purpose::Other, None);
        }
        if let Some(rule) = self.matching_rule(request) {
            self.used_rules[rule] = true;
            return (Purpose::Rule { rule }, Some(self.script.rules[rule].step.clone()));
        }
        if !self.is_main(request) {
            return (Purpose::Side, Some(Step::text(DONE)));
        }
        let number = self.next_step;
        self.next_step += 1;
        let step = self.script.steps.get(number).cloned().unwrap_or_else(|| Step::text(DONE));
        (Purpose::Main { step: number }, Some(step))
    }

    fn is_main(&mut self, request: &Request) -> bool {
        let marked = self.script.marker.as_ref().is_none_or(|marker| request.says(marker));
        let tools = request.tools();
        if !marked || tools.is_empty() || request.path.contains("/compact") {
            return false;
        }
        let first = self.first_tools.get_or_insert_with(|| tools.clone());
        first.iter().all(|tool| tools.contains(tool))
    }

    fn matching_rule(&self, request: &Request) -> Option<usize> {
        let matches = |rule: &super::script::Rule| {
            request.says(&rule.when) && !rule.unless.as_ref().is_some_and(|unless| request.says(unless))
        };
        let rules = self.script.rules.iter().zip(&self.used_rules).enumerate();
        rules.filter(|(_, (rule, used))| !**used && matches(rule)).map(|(number, _)| number).next()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn ask(path: &str, prompt: &str, tools: &Value) -> Request {
        Request {
            at_ms: 0,
            method: "POST".to_owned(),
            path: path.to_owned(),
            headers: std::collections::BTreeMap::new(),
            body: json!({"messages": [{"role": "user", "content": prompt}], "tools": tools}),
            purpose: Purpose::Other,
        }
    }

    #[test]
    fn only_the_main_conversation_uses_up_the_script() {
        let script = Script::new([Step::text("one"), Step::text("two")]).when("SUBJOB", Step::text("sub"));
        let mut play = Play::new(script);
        let tools = &json!([{"name": "Bash"}, {"name": "Agent"}]);
        let fewer = &json!([{"name": "Bash"}]);
        let more = &json!([{"name": "Agent"}, {"name": "mcp__x"}, {"name": "Bash"}]);
        let asked = [
            (ask("/v1/messages", "hi", tools), Purpose::Main { step: 0 }, Some("one")),
            (ask("/v1/messages", "a title, please", &json!([])), Purpose::Side, Some(DONE)),
            (ask("/v1/messages/count_tokens", "hi", tools), Purpose::Other, None),
            (ask("/v1/messages", "SUBJOB", tools), Purpose::Rule { rule: 0 }, Some("sub")),
            (ask("/v1/messages", "of a subagent", fewer), Purpose::Side, Some(DONE)),
            (ask("/v1/messages?beta=true", "hi", more), Purpose::Main { step: 1 }, Some("two")),
            (ask("/v1/messages", "SUBJOB again", tools), Purpose::Main { step: 2 }, Some(DONE)),
        ];
        for (request, purpose, text) in asked {
            let (found, step) = play.answer(&request);
            assert_eq!(found, purpose, "{}", request.body);
            assert_eq!(step.and_then(|step| step.text).as_deref(), text, "{}", request.body);
        }
    }

    #[test]
    fn a_marker_tells_two_conversations_with_tools_apart() {
        let mut play = Play::new(Script { marker: Some("MARK".into()), ..Script::new([Step::text("one")]) });
        let tools = &json!([{"name": "Bash"}]);
        assert_eq!(play.answer(&ask("/messages", "other", tools)).0, Purpose::Side);
        assert_eq!(play.answer(&ask("/messages", "MARK it", tools)).0, Purpose::Main { step: 0 });
    }
}
