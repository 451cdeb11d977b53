//! The prompt `remember`: what the person types as a slash command to have one fact saved.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use super::answer;

const NAME: &str = "remember";
const DESCRIPTION: &str = "Save one fact for later sessions";
const FACT: &str = "fact";

/// A person types a few sentences.
const LONGEST: usize = 4_000;

/// What the model is told.
const TASK: &str = "The person wants one fact remembered for later sessions. Save it with memory_save:\n\
    - one fact, in the person's own words where that is possible, dates as YYYY-MM-DD;\n\
    - for how to work (feedback) and what is going on (project): after the fact a line `**Why:**` and a line \
    `**How to apply:**`, as far as the person or this conversation says so; invent neither;\n\
    - as `description` one sentence by which a later session can judge whether it matters.\n\
    If memory_search shows that it is remembered already, say so; if it replaces what is remembered, forget \
    the old one. What the project itself shows (code, layout, git history) is no memory: ask what was \
    surprising about it. At the end say in one line what was saved.";

/// The prompts there are.
pub(super) fn all() -> Vec<Prompt> {
    let fact = PromptArgument::new(FACT)
        .with_description("The fact; without it, what this conversation just settled")
        .with_required(false);
    vec![Prompt::new(NAME, Some(DESCRIPTION), Some(vec![fact])).with_title("Remember")]
}

/// One prompt with its arguments.
pub(super) fn get(name: &str, arguments: Option<&JsonObject>) -> Result<GetPromptResult, ErrorData> {
    if name != NAME {
        let message = format!("there is no prompt {:?}; there is {NAME:?}", answer::line(name, 40));
        return Err(ErrorData::invalid_params(message, None));
    }
    let fact = match arguments.and_then(|arguments| arguments.get(FACT)) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(fact)) => fact.trim().to_owned(),
        Some(_) => {
            let message = format!("{FACT:?} of the prompt {NAME:?} must be a text");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    if fact.chars().count() > LONGEST {
        let message = format!("{FACT:?} is longer than {LONGEST} characters; say it in a few sentences");
        return Err(ErrorData::invalid_params(message, None));
    }
    let what = if fact.is_empty() {
        "The fact: what the person just said or what this conversation just settled; ask if that is not clear."
            .to_owned()
    } else {
        format!("The fact: {fact}")
    };
    let message = PromptMessage::new_text(Role::User, format!("{TASK}\n\n{what}"));
    Ok(GetPromptResult::new(vec![message]).with_description(DESCRIPTION))
}
