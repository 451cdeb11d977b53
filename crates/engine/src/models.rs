//! The models that the engine may ask: opened as the configuration says, metered by day, and left alone for a while
//! when they fail.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chrono::NaiveDate;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::clock;
use crate::engine::{Engine, blocking};
use crate::ledger::{self, ModelUse};
use crate::model::{Model, ModelError, ModelSettings, OpenModel, Question, Spent};

/// So many failures in a row, and the provider is left alone.
const PATIENCE: u32 = 3;
/// For how long at first; doubled with each failure after that.
const FIRST_REST: Duration = Duration::from_secs(60);
/// For how long at most, and at once where only the person can mend it.
const LONGEST_REST: Duration = Duration::from_secs(30 * 60);
/// So many calls at once: what people do in parallel must not become a storm.
const AT_ONCE: usize = 4;

/// All models.
#[derive(Debug)]
pub(crate) struct Models {
    open: OpenModel,
    clients: Mutex<HashMap<String, Client>>,
    today: Mutex<Option<Today>>,
    calls: Semaphore,
}

/// One model and how it has behaved.
#[derive(Debug)]
struct Client {
    settings: ModelSettings,
    model: Result<Arc<dyn Model>, ModelError>,
    failures: u32,
    rests_until: Option<Instant>,
    last_failure: Option<(i64, String)>,
}

/// What was spent on a day.
#[derive(Debug, Clone, Copy)]
struct Today {
    day: NaiveDate,
    spent: u64,
}

/// Why nothing came back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unanswered {
    /// It failed several times; it is asked again later.
    #[error("the provider failed and is left alone for {} s more", .0.as_secs())]
    Resting(Duration),
    /// The day's budget is spent.
    #[error("today's budget of tokens is spent")]
    Spent,
    /// Too many questions are on their way.
    #[error("too many questions are on their way")]
    Busy,
    /// It was asked, or would have been.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl Models {
    pub(crate) fn new(open: OpenModel) -> Self {
        Self { open, clients: Mutex::default(), today: Mutex::default(), calls: Semaphore::new(AT_ONCE) }
    }

    /// Asks a model. `purpose`: what the tokens are counted under.
    pub(crate) async fn ask(
        &self,
        engine: &Arc<Engine>,
        settings: &ModelSettings,
        purpose: &'static str,
        question: &Question,
    ) -> Result<Value, Unanswered> {
        if self.spent_today(engine).await >= engine.config().provider.daily_tokens {
            return Err(Unanswered::Spent);
        }
        let model = self.ready(settings)?;
        let _turn = self.calls.try_acquire().map_err(|_| Unanswered::Busy)?;
        let answered = model.ask(question).await;
        self.note(settings, answered.answer.as_ref().err());
        self.count(engine, settings, purpose, answered.spent, answered.answer.is_err()).await;
        Ok(answered.answer?)
    }

    /// The client, unless it is left alone.
    fn ready(&self, settings: &ModelSettings) -> Result<Arc<dyn Model>, Unanswered> {
        let mut clients = self.clients();
        let client = clients.entry(settings.model.clone()).or_insert_with(|| self.opened(settings));
        if client.settings != *settings {
            *client = self.opened(settings);
        }
        let rest = client.rests_until.and_then(|until| until.checked_duration_since(Instant::now()));
        match rest.filter(|rest| !rest.is_zero()) {
            Some(rest) => Err(Unanswered::Resting(rest)),
            None => Ok(client.model.clone()?),
        }
    }

    fn opened(&self, settings: &ModelSettings) -> Client {
        let model = (self.open)(settings);
        let last_failure = model.as_ref().err().map(|error| (clock::now_millis(), error.to_string()));
        Client { settings: settings.clone(), model, failures: 0, rests_until: None, last_failure }
    }

    /// Remembers how it went.
    fn note(&self, settings: &ModelSettings, failure: Option<&ModelError>) {
        let mut clients = self.clients();
        let Some(client) = clients.get_mut(&settings.model).filter(|client| client.settings == *settings)
        else {
            return;
        };
        let Some(failure) = failure else {
            (client.failures, client.rests_until) = (0, None);
            return;
        };
        tracing::warn!(model = %settings.model, %failure, "a model gave no answer");
        client.failures = client.failures.saturating_add(1);
        client.last_failure =
            Some((clock::now_millis(), remora_redact::neutralise(&failure.to_string()).into_owned()));
        client.rests_until = rest_after(failure, client.failures).map(|rest| Instant::now() + rest);
    }

    /// Tokens of this day, from the journal when the day is first asked for.
    async fn spent_today(&self, engine: &Arc<Engine>) -> u64 {
        let day = clock::today();
        let known = *self.today();
        if let Some(today) = known.filter(|today| today.day == day) {
            return today.spent;
        }
        let reader = Arc::clone(engine);
        let read =
            blocking(move || Ok(reader.journal().read(|connection| ledger::model_use(connection, day))?));
        let spent = read.await.map_or(0, |used| used.iter().map(|one| one.input + one.output).sum());
        *self.today() = Some(Today { day, spent });
        spent
    }

    async fn count(
        &self,
        engine: &Arc<Engine>,
        settings: &ModelSettings,
        purpose: &'static str,
        spent: Spent,
        failed: bool,
    ) {
        let day = clock::today();
        match &mut *self.today() {
            Some(today) if today.day == day => today.spent = today.spent.saturating_add(spent.total()),
            other => *other = Some(Today { day, spent: spent.total() }),
        }
        let used = ModelUse {
            purpose: purpose.to_owned(),
            model: settings.model.clone(),
            calls: 1,
            failed: u64::from(failed),
            input: spent.input,
            output: spent.output,
        };
        let written = engine.journal().write(move |connection| ledger::add_model_use(connection, day, &used));
        if let Err(error) = written.await {
            tracing::warn!(%error, "what a model cost could not be written down");
        }
    }

    /// `{"kind", "model", "state", "rests_seconds", "last_failure", "last_failure_at"}` of a model that is set up:
    /// the state is ready, resting or wrong.
    pub(crate) fn state(&self, settings: &ModelSettings) -> Value {
        let clients = self.clients();
        let client = clients.get(&settings.model).filter(|client| client.settings == *settings);
        let rest = client.and_then(|client| client.rests_until?.checked_duration_since(Instant::now()));
        let failure = client.and_then(|client| client.last_failure.as_ref());
        let state = match client {
            Some(client) if client.model.is_err() => "wrong",
            Some(_) if rest.is_some() => "resting",
            _ => "ready",
        };
        json!({
            "kind": settings.kind.as_str(),
            "model": settings.model,
            "state": state,
            "rests_seconds": rest.map(|rest| rest.as_secs()),
            "last_failure": failure.map(|(_, what)| what),
            "last_failure_at": failure.map(|(at, _)| clock::rfc3339(*at)),
        })
    }

    /// Forgets failures, so that the next question is asked whatever happened before.
    pub(crate) fn try_again(&self) {
        self.clients().clear();
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<String, Client>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn today(&self) -> MutexGuard<'_, Option<Today>> {
        self.today.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// For how long a provider is left alone after its `failures`-th failure in a row.
fn rest_after(failure: &ModelError, failures: u32) -> Option<Duration> {
    if matches!(failure, ModelError::Key(_) | ModelError::Settings(_)) {
        return Some(LONGEST_REST);
    }
    let beyond = failures.checked_sub(PATIENCE)?;
    Some(FIRST_REST.saturating_mul(2_u32.saturating_pow(beyond.min(10))).min(LONGEST_REST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_that_fails_is_left_alone_longer_and_longer() {
        let late = ModelError::Late(Duration::from_secs(5));
        let rests: Vec<Option<u64>> =
            [1, 2, 3, 4, 5, 20].map(|n| rest_after(&late, n).map(|rest| rest.as_secs())).to_vec();
        assert_eq!(rests, [None, None, Some(60), Some(120), Some(240), Some(1800)]);
        let key = ModelError::Key("the provider does not take the key".into());
        assert_eq!(rest_after(&key, 1), Some(LONGEST_REST), "only the person can mend that");
    }
}
