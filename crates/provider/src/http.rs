//! One HTTP call.

use std::time::Duration;

use remora_engine::ModelError;
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use serde_json::Value;

use crate::retry;

/// No answer to our questions is longer, in bytes.
const LONGEST_ANSWER: usize = 1024 * 1024;
/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(5);

/// What came back.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// How long the provider asks to wait.
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: Vec<u8>,
}

/// A client that goes nowhere but where it is sent: no proxy, no redirect, nothing from an environment.
pub(crate) fn client() -> Result<reqwest::Client, ModelError> {
    // Somebody else may have chosen a provider for the process first; then that one serves.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .referer(false)
        .connect_timeout(CONNECTING)
        .pool_idle_timeout(Duration::from_secs(60))
        .user_agent(concat!("remora/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| ModelError::Settings(format!("no connection can be made here: {}", chain(&error))))
}

/// Sends a document and reads what comes back.
pub(crate) async fn post(
    client: &reqwest::Client,
    url: &Url,
    mut headers: HeaderMap,
    body: &Value,
) -> Result<Response, ModelError> {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let sent = client.post(url.clone()).headers(headers).body(body.to_string()).send().await;
    let mut response = sent.map_err(unreachable)?;
    let retry_after =
        response.headers().get(RETRY_AFTER).and_then(|value| retry::asked_for(value.to_str().ok()?));
    let status = response.status().as_u16();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if body.len() + chunk.len() > LONGEST_ANSWER {
            return Err(ModelError::Useless(format!("it is longer than {LONGEST_ANSWER} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Response { status, retry_after, body })
}

fn unreachable(error: reqwest::Error) -> ModelError {
    ModelError::Unreachable(chain(&error.without_url()))
}

/// An error with its causes, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
