//! The HTTP server: takes every request whole, writes it down, answers by the script.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{io, net};

use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::play::Play;
use super::protocol::{Answer, Ids};
use super::recording::{Purpose, Request, file_name, path_without_key, without_keys};
use super::script::Script;

/// What all requests share.
#[derive(Debug)]
pub(super) struct Shared {
    started: Instant,
    folder: Option<PathBuf>,
    state: Mutex<Conversation>,
}

#[derive(Debug)]
struct Conversation {
    play: Play,
    ids: Ids,
    requests: Vec<Request>,
}

impl Shared {
    pub(super) fn new(script: Script, folder: Option<PathBuf>) -> Self {
        let state = Conversation { play: Play::new(script), ids: Ids::new(), requests: Vec::new() };
        Self { started: Instant::now(), folder, state: Mutex::new(state) }
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.locked().requests.clone()
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Conversation> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays the next step for a request and writes the request down. The order in which requests
    /// are written is the order in which they took their steps.
    fn take(&self, mut request: Request) -> io::Result<(Answer, Duration)> {
        let mut state = self.locked();
        let (purpose, step) = state.play.answer(&request);
        request.purpose = purpose;
        let delay = Duration::from_millis(step.as_ref().map_or(0, |step| step.delay_ms));
        let answer = match (request.protocol(), step) {
            (Some(protocol), Some(step)) => {
                protocol.render(&step, &request.path, &request.body, &mut state.ids)
            }
            _ => Answer::Document(200, beside_the_model(&request.path)),
        };
        if let Some(folder) = &self.folder {
            let file = folder.join(file_name(state.requests.len()));
            std::fs::write(file, serde_json::to_vec_pretty(&request)?)?;
        }
        state.requests.push(request);
        Ok((answer, delay))
    }
}

/// Serves until `stop` is sent or dropped.
pub(super) async fn serve(
    listener: net::TcpListener,
    shared: Arc<Shared>,
    stop: oneshot::Receiver<()>,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let router = Router::new().fallback(answer).with_state(shared);
    tokio::select! {
        served = axum::serve(listener, router).into_future() => served,
        _ = stop => Ok(()),
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: axum::extract::Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let body = match to_bytes(body, usize::MAX).await {
        Ok(bytes) => json_of(&bytes, &parts.headers),
        Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    };
    let request = Request {
        at_ms: u64::try_from(shared.started.elapsed().as_millis()).unwrap_or(u64::MAX),
        method: parts.method.to_string(),
        path: path_without_key(path),
        headers: without_keys(readable(&parts.headers)),
        body,
        purpose: Purpose::Other,
    };
    match shared.take(request) {
        Ok((answer, delay)) => {
            tokio::time::sleep(delay).await;
            respond(&parts.method, answer)
        }
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

fn respond(method: &Method, answer: Answer) -> Response {
    if method == Method::HEAD {
        return StatusCode::OK.into_response();
    }
    match answer {
        Answer::Document(status, document) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            (status, axum::Json(document)).into_response()
        }
        Answer::Stream(events) => {
            ([(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")], events)
                .into_response()
        }
    }
}

/// What a host gets that asks for something else than an answer of the model.
fn beside_the_model(path: &str) -> Value {
    let bare = path.split('?').next().unwrap_or(path);
    match bare {
        _ if bare.ends_with("/count_tokens") => json!({"input_tokens": 10}),
        _ if bare.ends_with(":countTokens") => json!({"totalTokens": 10}),
        _ if bare.contains("/models") => {
            let model = json!({
                "id": "fake-model", "object": "model", "type": "model", "display_name": "Fake model",
                "created": 0, "created_at": "2026-01-01T00:00:00Z", "owned_by": "nobody",
            });
            json!({"object": "list", "data": [model], "models": []})
        }
        _ => json!({}),
    }
}

fn json_of(bytes: &Bytes, headers: &HeaderMap) -> Value {
    if bytes.is_empty() {
        return Value::Null;
    }
    serde_json::from_slice(bytes).unwrap_or_else(|error| {
        let encoding = headers.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok());
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(2000)]).into_owned();
        json!({"unreadable": text, "bytes": bytes.len(), "encoding": encoding, "error": error.to_string()})
    })
}

fn readable(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
}
