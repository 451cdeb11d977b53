//! `provider_test`: asks the model that the person set up one small question.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::model::Question;

/// Long enough for a model that has to be loaded first.
const PATIENCE: Duration = Duration::from_secs(45);

/// `{"kind", "model", "millis"}`; an error says what went wrong and how to mend it.
pub(super) async fn test(engine: &Arc<Engine>) -> Result<Value, EngineError> {
    let settings = match engine.selector_now() {
        None => {
            return Err(EngineError::not_found(
                "no model is set up",
                "`remora config provider --help` shows how to set one up",
            ));
        }
        Some(Err(problem)) => return Err(EngineError::usage(problem, "`remora config edit` opens the file")),
        Some(Ok(settings)) => settings,
    };
    engine.models().try_again();
    let question = Question {
        instructions: "You are asked whether you can be reached. Answer with the word that you are given."
            .into(),
        material: String::new(),
        request: "The word is: reachable".into(),
        answer: "say",
        schema: json!({
            "type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"],
            "additionalProperties": false,
        }),
        most_tokens: 100,
        patience: PATIENCE,
    };
    let began = Instant::now();
    match engine.models().ask(engine, &settings, "test", &question).await {
        Ok(_) => Ok(json!({
            "kind": settings.kind.as_str(),
            "model": settings.model,
            "millis": u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        })),
        Err(error) => Err(EngineError::refused(
            format!("{} ({}) gave no answer: {error}", settings.model, settings.kind.as_str()),
            "check the model's name, provider.url and the key: `remora config get` shows them",
        )),
    }
}
