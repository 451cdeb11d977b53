//! Why a command ended without its result: one sentence and the next step.

use remora_event::ErrorBody;
use remora_hook::ClientError;

/// Why a command ended without its result.
#[derive(Debug)]
pub(crate) struct Failure {
    body: ErrorBody,
    said: bool,
}

impl Failure {
    /// A failure of a kind, with what to do next.
    pub(crate) fn new(kind: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let body = ErrorBody { kind: kind.into(), message: message.into(), hint: Some(hint.into()) };
        Self { body, said: false }
    }

    /// Wrong usage: exit code 2.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new("usage", message, hint)
    }

    /// The command has said everything itself; only the exit code is left.
    pub(crate) fn said() -> Self {
        Self { said: true, ..Self::new("said", "", "") }
    }

    pub(crate) fn is_said(&self) -> bool {
        self.said
    }

    pub(crate) fn is_usage(&self) -> bool {
        self.body.kind == "usage"
    }

    pub(crate) fn body(&self) -> ErrorBody {
        self.body.clone()
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Refused(body) => Self { body, said: false },
            ClientError::Late => Self::new(
                "engine",
                "the engine is there but does not answer",
                "`remora engine restart` starts a new one; nothing is lost",
            ),
            other => Self::new("engine", other.to_string(), "`remora doctor` looks for the reason"),
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        let body = ErrorBody { kind: "io".into(), message: format!("{error:#}"), hint: None };
        Self { body, said: false }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        anyhow::Error::from(error).into()
    }
}
