//! One model of one provider.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use remora_engine::{Answered, Asking, Model, ModelError, ModelSettings, ProviderKind, Question, Spent};
use remora_redact::Limits;
use reqwest::Url;
use reqwest::header::HeaderName;
use serde_json::Value;

use crate::chat::Habits;
use crate::http::Response;
use crate::key::Key;
use crate::{anthropic, chat, endpoint, http, retry, schema};

/// A provider's own words are shown up to this length, in characters.
const LONGEST_MESSAGE: usize = 200;

/// The client of one model.
#[derive(Debug)]
pub(crate) struct Client {
    kind: ProviderKind,
    model: String,
    url: Url,
    http: reqwest::Client,
    key: Key,
    key_header: HeaderName,
    habits: Mutex<Habits>,
    calls: AtomicU64,
}

/// How one try went wrong.
enum Failure {
    /// Another try may go better, after this pause if the provider names one.
    ForNow(ModelError, Option<Duration>),
    /// The same request was put in a way that this server does not take; it is put otherwise now.
    Rephrase(ModelError),
    /// The key was not taken.
    Key(ModelError),
    /// No other try would help.
    ForGood(ModelError),
}

impl Client {
    pub(crate) fn open(settings: &ModelSettings) -> Result<Self, ModelError> {
        let (key_header, prefix) = match settings.kind {
            ProviderKind::Anthropic => anthropic::KEY,
            ProviderKind::OpenaiCompatible => chat::KEY,
        };
        Ok(Self {
            kind: settings.kind,
            model: settings.model.clone(),
            url: endpoint::endpoint(settings)?,
            http: http::client()?,
            key: Key::new(settings.key.clone(), settings.home.clone(), prefix),
            key_header,
            habits: Mutex::default(),
            calls: AtomicU64::new(0),
        })
    }

    /// Tries until there is an answer or no sense in trying; adds what each try cost.
    async fn tries(&self, question: &Question, spent: &Mutex<Spent>) -> Result<Value, ModelError> {
        let (mut tried, mut has_new_key) = (1, false);
        loop {
            let (error, pause) = match self.attempt(question, spent).await {
                Ok(answer) => return Ok(answer),
                Err(Failure::ForGood(error)) => return Err(error),
                Err(Failure::Rephrase(error)) => (error, Some(Duration::ZERO)),
                Err(Failure::Key(error)) if has_new_key => return Err(error),
                Err(Failure::Key(error)) => {
                    // It may have been changed since it was read.
                    has_new_key = true;
                    self.key.forget().await;
                    (error, Some(Duration::ZERO))
                }
                Err(Failure::ForNow(error, asked)) => (error, asked),
            };
            tried += 1;
            let pause = retry::pause_before(tried, pause, self.spread());
            let Some(pause) = pause.filter(|_| tried <= retry::TRIES) else { return Err(error) };
            tokio::time::sleep(pause).await;
        }
    }

    async fn attempt(&self, question: &Question, spent: &Mutex<Spent>) -> Result<Value, Failure> {
        let habits = *self.habits.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut headers, body) = match self.kind {
            ProviderKind::Anthropic => (anthropic::headers(), anthropic::body(&self.model, question)),
            ProviderKind::OpenaiCompatible => {
                (reqwest::header::HeaderMap::new(), chat::body(&self.model, question, habits))
            }
        };
        if let Some(key) = self.key.header().await.map_err(Failure::ForGood)? {
            headers.insert(self.key_header.clone(), key);
        }
        let response =
            http::post(&self.http, &self.url, headers, &body).await.map_err(|error| match error {
                ModelError::Unreachable(_) => Failure::ForNow(error, None),
                other => Failure::ForGood(other),
            })?;
        if response.status != 200 {
            return Err(self.refused(&response, habits));
        }
        let body: Value = serde_json::from_slice(&response.body).map_err(|error| {
            Failure::ForGood(ModelError::Useless(format!("it is no JSON document: {error}")))
        })?;
        let (answer, cost) = match self.kind {
            ProviderKind::Anthropic => anthropic::read(&body, question),
            ProviderKind::OpenaiCompatible => chat::read(&body),
        };
        *spent.lock().unwrap_or_else(PoisonError::into_inner) += cost;
        let useless = |problem: String| Failure::ForGood(ModelError::Useless(problem));
        let answer = answer.ok_or_else(|| useless("there is no JSON object in it".into()))?;
        match schema::misfit(&question.schema, &answer) {
            Some(misfit) => Err(useless(misfit)),
            None => Ok(answer),
        }
    }

    fn refused(&self, response: &Response, habits: Habits) -> Failure {
        let status = response.status;
        if matches!(status, 401 | 403) {
            // Its own words may repeat the key.
            return Failure::Key(ModelError::Key(format!("the provider does not take the key ({status})")));
        }
        let message = message_of(&response.body);
        let error = ModelError::Refused { status, message: message.clone() };
        if retry::may_help(status) {
            return Failure::ForNow(error, response.retry_after);
        }
        match habits.after_refusal(&message) {
            Some(changed) if status == 400 && self.kind == ProviderKind::OpenaiCompatible => {
                *self.habits.lock().unwrap_or_else(PoisonError::into_inner) = changed;
                Failure::Rephrase(error)
            }
            _ => Failure::ForGood(error),
        }
    }

    /// Differs from call to call; how much does not matter.
    fn spread(&self) -> u8 {
        let call = self.calls.fetch_add(1, Ordering::Relaxed).wrapping_add(u64::from(std::process::id()));
        call.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes()[0]
    }
}

impl Model for Client {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin(async move {
            let spent = Mutex::new(Spent::default());
            let answer = tokio::time::timeout(question.patience, self.tries(question, &spent)).await;
            Answered {
                answer: answer.unwrap_or(Err(ModelError::Late(question.patience))),
                spent: spent.into_inner().unwrap_or_else(PoisonError::into_inner),
            }
        })
    }
}

/// What a provider says of a refusal, on one short line, without anything that looks like a secret.
fn message_of(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let parsed: Value = serde_json::from_slice(body).unwrap_or_default();
    let said = [&parsed["error"]["message"], &parsed["message"], &parsed["error"]];
    let said = said.into_iter().find_map(Value::as_str).map_or(text.as_ref(), |said| said);
    let clean = remora_redact::clean_text(said, Limits::default());
    let line = remora_redact::neutralise(&clean).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.is_empty() => "(nothing)".into(),
        None => line,
    }
}
