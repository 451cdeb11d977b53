//! What can go wrong in a request, and how it is said.

use remora_event::ErrorBody;

use crate::journal::JournalError;

/// Why a request could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A memory file could not be read or written.
    #[error("{0}")]
    Memory(String),
    /// The person asked for something that is not there, or not allowed.
    #[error("{}", .0.message)]
    Said(ErrorBody),
    /// A transcript could not be read.
    #[error("{0}")]
    History(String),
    /// Something that should not happen.
    #[error("{0}")]
    Internal(String),
}

impl EngineError {
    /// The form in which it travels.
    pub fn body(&self) -> ErrorBody {
        match self {
            Self::Said(body) => body.clone(),
            Self::Journal(error) => {
                error_body("journal", &error.to_string(), Some("`remora doctor` says more"))
            }
            Self::Memory(message) => error_body("memory", message, None),
            Self::History(message) => error_body("history", message, None),
            Self::Internal(message) => internal(message),
        }
    }

    /// Something that is not there, with what to do next.
    pub(crate) fn not_found(message: impl Into<String>, hint: &str) -> Self {
        Self::Said(error_body("not_found", &message.into(), Some(hint)))
    }

    /// Something that Remora does not do, with what to do next.
    pub(crate) fn refused(message: impl Into<String>, hint: &str) -> Self {
        Self::Said(error_body("refused", &message.into(), Some(hint)))
    }

    /// A request that makes no sense.
    pub(crate) fn usage(message: impl Into<String>, hint: &str) -> Self {
        Self::Said(error_body("usage", &message.into(), Some(hint)))
    }
}

impl From<remora_memory::Error> for EngineError {
    fn from(error: remora_memory::Error) -> Self {
        let mut message = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            message = format!("{message}: {cause}");
            source = cause.source();
        }
        Self::Memory(message)
    }
}

impl From<remora_memory::path::Refused> for EngineError {
    fn from(refused: remora_memory::path::Refused) -> Self {
        remora_memory::Error::from(refused).into()
    }
}

impl From<std::io::Error> for EngineError {
    fn from(error: std::io::Error) -> Self {
        Self::Memory(error.to_string())
    }
}

/// An unreadable message.
pub(crate) fn usage(problem: &str) -> ErrorBody {
    error_body("usage", problem, Some("docs/event-format.md describes the messages"))
}

/// Something that should not happen.
pub(crate) fn internal(message: &str) -> ErrorBody {
    error_body("internal", message, Some("logs/engine.log in the data root says more"))
}

fn error_body(kind: &str, message: &str, hint: Option<&str>) -> ErrorBody {
    ErrorBody { kind: kind.into(), message: message.into(), hint: hint.map(Into::into) }
}
