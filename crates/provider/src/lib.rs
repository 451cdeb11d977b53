//! Clients of language models: Anthropic's Messages, and Chat Completions as `OpenAI` made them and many others
//! took over. Each stands behind the engine's [`Model`].
//!
//! Nothing is read from an environment here: no provider's variables, no proxies. A key comes from a command or from
//! a file that the person alone can read, is kept in a form that cannot be printed, and goes to the one address that
//! the person named: redirects are not followed.

mod answer;
mod anthropic;
mod chat;
mod client;
mod endpoint;
mod http;
mod key;
mod retry;
mod schema;

use std::sync::Arc;

use remora_engine::{Model, ModelError, ModelSettings};

/// Opens the client that some settings describe. Nothing is called, and no key is read, before the first question.
pub fn open(settings: &ModelSettings) -> Result<Arc<dyn Model>, ModelError> {
    Ok(Arc::new(client::Client::open(settings)?))
}
