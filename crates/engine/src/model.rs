//! What the engine asks of a language model, and what it is told back. No client lies here: whoever starts the
//! engine hands it a function that opens one.

use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

/// A client of one language model. It keeps to the question's patience, tries again where that may help, and
/// answers only what fits the schema.
pub trait Model: fmt::Debug + Send + Sync {
    /// Asks once. What it cost is told also where nothing came of it.
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a>;
}

/// A question on its way.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Answered> + Send + 'a>>;

/// Opens the client that some settings describe. Nothing is called yet.
pub type OpenModel = fn(&ModelSettings) -> Result<Arc<dyn Model>, ModelError>;

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What the model is to do; the same words from call to call, so that a provider may keep them.
    pub instructions: String,
    /// What it needs to know; changes seldom.
    pub material: String,
    /// What is asked now.
    pub request: String,
    /// What the answer is called, one word.
    pub answer: &'static str,
    /// The JSON schema of the answer, of an object. Only `type`, `properties`, `required`, `items`, `enum` and
    /// `additionalProperties: false` are used.
    pub schema: Value,
    /// At most so many tokens of answer.
    pub most_tokens: u32,
    /// How long all tries together may take.
    pub patience: Duration,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The answer, which fits the schema, or why there is none.
    pub answer: Result<Value, ModelError>,
    /// What all tries cost.
    pub spent: Spent,
}

/// What calls of a model cost, in the provider's own tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Tokens that were read, also from a cache.
    pub input: u64,
    /// Tokens that were written.
    pub output: u64,
}

impl Spent {
    /// Both together.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
    }
}

/// Why a model gave no answer that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The settings lead nowhere; only the person can mend that.
    #[error("{0}")]
    Settings(String),
    /// The provider does not take the key, or there is none.
    #[error("{0}")]
    Key(String),
    /// Nobody answered, or the connection broke.
    #[error("the model could not be reached: {0}")]
    Unreachable(String),
    /// The provider said no.
    #[error("the provider answered {status}: {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// Its own words, shortened.
        message: String,
    },
    /// No answer came in time.
    #[error("no answer within {} s", .0.as_secs())]
    Late(Duration),
    /// The answer is not what was asked for.
    #[error("the answer is of no use: {0}")]
    Useless(String),
}

/// Which protocol a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProviderKind {
    /// Anthropic's Messages.
    Anthropic,
    /// Chat Completions as `OpenAI` made them: also `OpenRouter`, Ollama, LM Studio, vLLM, llama.cpp.
    OpenaiCompatible,
}

impl ProviderKind {
    /// The spelling in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenaiCompatible => "openai-compatible",
        }
    }
}

/// Everything that is needed to call one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSettings {
    /// The protocol.
    pub kind: ProviderKind,
    /// Where the provider is, up to and without the protocol's own path; absent: the protocol's home.
    pub url: Option<String>,
    /// The model's name as the provider spells it.
    pub model: String,
    /// Where the key comes from.
    pub key: KeySource,
    /// The person's home folder, for the command that prints the key.
    pub home: Option<PathBuf>,
}

/// Where a key comes from: never from an environment, never from a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// None is needed.
    None,
    /// A command of the person's that prints it.
    Command(String),
    /// A file that the person alone can read.
    File(PathBuf),
}
