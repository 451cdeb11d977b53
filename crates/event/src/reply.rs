//! What the engine answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The answer to one event. There is no way to express a permission decision: memory never decides over
/// a tool call or a prompt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Reply {
    /// Text for the model, already within the budget that the event named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// One line for the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The ledger's id of the context; the sender confirms it with `shown` once it has printed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injection: Option<String>,
    /// The event format version that the engine understood, when the event's was newer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub understood: Option<u32>,
    /// Whatever a later version adds.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub more: Value,
}

impl Reply {
    /// Nothing to say: the event was taken.
    pub fn is_empty(&self) -> bool {
        self.context.is_none() && self.notice.is_none()
    }
}

/// An error as commands show it: `{"kind", "message", "hint"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ErrorBody {
    /// A stable word for programs: `not_found`, `refused`, `usage`, `config`, `io`, `internal`, ...
    pub kind: String,
    /// One sentence, without a trailing period.
    pub message: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}
