//! The one memory engine: what it keeps between requests, and how it answers an event.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant, SystemTime};

use remora_event::wire::Build;
use remora_event::{Event, EventKind, Reply, Want};
use remora_memory::project::ProjectId;
use remora_profile::{HostProfile, ToldWork};
use tokio::sync::{Mutex as AsyncMutex, Semaphore};

use crate::clock;
use crate::config::{ChosenFolder, Config, Notice};
use crate::error::EngineError;
use crate::exclusion::Exclusion;
use crate::faults::Fault;
use crate::history::History;
use crate::injection::{self, Injection, Late};
use crate::journal::complaint::Attempt;
use crate::journal::work::Said;
use crate::journal::{self, Appended, Journal, NewEvent, Observation, SessionRow, Told, indexer};
use crate::memories::Memories;
use crate::model::{ModelSettings, OpenModel};
use crate::models::Models;
use crate::native;
use crate::pause::Pauses;
use crate::recording::Recording;
use crate::redaction::Redaction;
use crate::root::{Root, RootRecord};
use crate::sources::{Sources, WatchRoot, watch_roots};
use crate::{wishes, written};

/// At most so many requests at once do file work for one directory, so that a hung mount holds only these
/// threads of the pool.
const PER_DIRECTORY: usize = 2;

/// Sessions whose project is remembered without asking the journal.
const KNOWN_SESSIONS: usize = 1_024;

/// So many journal entries are added to the search index at a time: few while events keep coming, since these wait for
/// it, and more otherwise, since every time makes a part of the index that is to be merged with others.
const SMALL_INDEX_BATCH: usize = 64;
const INDEX_BATCH: usize = 200;

/// Events that come faster than this are a burst: what is not for their answers waits.
const BUSY: Duration = Duration::from_millis(50);

/// At most one hand-over in this time, whatever two installations say to each other.
const HAND_OVER_PAUSE: Duration = Duration::from_secs(60);

/// An engine that left at once could not even be asked why.
const SHORTEST_IDLE: Duration = Duration::from_secs(1);

/// Contexts whose answers are made one after the other: two hooks of one context at once must not both
/// give the same memory. A power of two.
const CONTEXT_LOCKS: usize = 64;

/// The engine.
#[derive(Debug)]
pub struct Engine {
    root: Root,
    record: RootRecord,
    settings: RwLock<Settings>,
    pauses: Mutex<Pauses>,
    profiles: HashMap<String, Arc<HostProfile>>,
    build: Build,
    started: Instant,
    last_work: AtomicU64,
    journal: Journal,
    history: History,
    memories: Memories,
    models: Models,
    late: Late,
    sources: Sources,
    sessions: Mutex<HashMap<(String, String), Arc<SessionRow>>>,
    directories: Mutex<HashMap<PathBuf, Arc<Semaphore>>>,
    contexts: Vec<AsyncMutex<()>>,
    index_wanted: tokio::sync::Notify,
    /// Something was written into the journal.
    pub(crate) happened: tokio::sync::Notify,
    /// Somebody waits for what is in the spool.
    pub(crate) spool_wanted: tokio::sync::Notify,
}

/// The configuration as it was read last.
#[derive(Debug)]
struct Settings {
    config: Arc<Config>,
    redaction: Arc<Redaction>,
    exclusion: Arc<Exclusion>,
    watched: Arc<[WatchRoot]>,
    problems: Vec<ConfigProblem>,
    source: Source,
    stamp: Option<(SystemTime, u64)>,
    looked: Instant,
}

/// Where the settings are from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The file as it is, or none.
    File,
    /// The file as it was: as it is now it says nothing.
    Before,
    /// Nowhere: the file said nothing from the start.
    Nothing,
}

/// What is wrong with the configuration, and what to do.
#[derive(Debug, Clone)]
pub(crate) struct ConfigProblem {
    pub(crate) what: String,
    pub(crate) next: &'static str,
}

impl Settings {
    /// Reads the file. `before`: what this engine read last. Where the file says nothing, that holds on; without it
    /// memory is off, since what the person keeps out of it is not known.
    fn read(record: &RootRecord, data_root: &Path, before: Option<&Self>) -> Self {
        let stamp = stamp_of(record);
        let problem = match Config::read(record.config.as_deref()) {
            Ok((config, unknown)) => return Self::of(config, unknown, record, data_root, stamp),
            Err(problem) => problem,
        };
        tracing::warn!(%problem, "the configuration says nothing");
        match before.filter(|before| before.source != Source::Nothing) {
            Some(before) => Self {
                config: Arc::clone(&before.config),
                redaction: Arc::clone(&before.redaction),
                exclusion: Arc::clone(&before.exclusion),
                watched: Arc::clone(&before.watched),
                problems: vec![ConfigProblem {
                    what: format!("{problem}; the settings from before hold while this engine runs"),
                    next: "mend it with `remora config edit`; an engine that starts before that keeps memory off",
                }],
                source: Source::Before,
                stamp,
                looked: Instant::now(),
            },
            None => {
                let what = format!("memory is off: {problem}");
                let config = Config { stopped: Some(problem), ..Config::default() };
                let mut settings = Self::of(config, Vec::new(), record, data_root, stamp);
                let next = "mend it with `remora config edit`; memory is on again a second later";
                settings.problems = vec![ConfigProblem { what, next }];
                settings.source = Source::Nothing;
                settings
            }
        }
    }

    fn of(
        mut config: Config,
        unknown: Vec<String>,
        record: &RootRecord,
        data_root: &Path,
        stamp: Option<(SystemTime, u64)>,
    ) -> Self {
        let home = record.home.as_deref();
        let (redaction, of_redaction) = Redaction::new(&config.redact);
        let (exclusion, of_exclusion) = Exclusion::new(&config.journal, home);
        let (watched, of_watch) = watch_roots(&config, home, data_root);
        let wrong = config.wrong.iter().cloned();
        let faults: Vec<Fault> =
            wrong.chain(of_redaction).chain(of_exclusion).chain(config.journal.too_short()).collect();
        let file = record.config.as_deref().unwrap_or(Path::new("")).display();
        let what: Vec<String> =
            unknown.into_iter().chain(faults.iter().map(ToString::to_string)).chain(of_watch).collect();
        let problem = |what: String| ConfigProblem {
            what: format!("{file}: {what}"),
            next: "mend it with `remora config edit`; the other settings hold",
        };
        if let Some(stopping) = faults.iter().find(|fault| fault.stops) {
            config.stopped = Some(format!("{file}: {}", stopping.cause()));
        }
        Self {
            config: Arc::new(config),
            redaction: Arc::new(redaction),
            exclusion: Arc::new(exclusion),
            watched: watched.into(),
            problems: what.into_iter().map(problem).collect(),
            source: Source::File,
            stamp,
            looked: Instant::now(),
        }
    }
}

/// What tells without reading it that the configuration changed.
fn stamp_of(record: &RootRecord) -> Option<(SystemTime, u64)> {
    let found = std::fs::metadata(record.config.as_deref()?).ok()?;
    Some((found.modified().ok()?, found.len()))
}

impl Engine {
    /// Opens everything that the first request needs; the rest is opened when it is needed.
    pub(crate) fn open(
        root: Root,
        record: RootRecord,
        profiles: Vec<HostProfile>,
        build: Build,
        open_model: OpenModel,
    ) -> Result<Self, EngineError> {
        let journal = Journal::open(&root.journal(), &root.backups())?;
        let memories = Memories::new(root.clone());
        let profiles: Vec<Arc<HostProfile>> = profiles.into_iter().map(Arc::new).collect();
        Ok(Self {
            history: History::new(profiles.clone()),
            journal,
            memories,
            models: Models::new(open_model),
            late: Late::default(),
            sources: Sources::default(),
            settings: RwLock::new(Settings::read(&record, root.path(), None)),
            pauses: Mutex::new(Pauses::open(root.path())),
            record,
            profiles: profiles.into_iter().map(|profile| (profile.id.clone(), profile)).collect(),
            build,
            started: Instant::now(),
            last_work: AtomicU64::new(0),
            sessions: Mutex::default(),
            directories: Mutex::default(),
            contexts: (0..CONTEXT_LOCKS).map(|_| AsyncMutex::new(())).collect(),
            index_wanted: tokio::sync::Notify::new(),
            happened: tokio::sync::Notify::new(),
            spool_wanted: tokio::sync::Notify::new(),
            root,
        })
    }

    /// Writes what is open and closes the journal.
    pub(crate) fn close(&self) {
        self.journal.close();
    }

    pub(crate) fn root(&self) -> &Root {
        &self.root
    }

    /// The person's home folder, if it is known.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.record.home.as_deref()
    }

    pub(crate) fn build(&self) -> &Build {
        &self.build
    }

    /// The configuration; a file that changed is read again, without a restart.
    pub(crate) fn config(&self) -> Arc<Config> {
        const LOOK: Duration = Duration::from_secs(1);
        let Ok(settings) = self.settings.read() else { return Arc::default() };
        if settings.looked.elapsed() < LOOK {
            return Arc::clone(&settings.config);
        }
        drop(settings);
        let Ok(mut settings) = self.settings.write() else { return Arc::default() };
        // Rights that come back leave a file's stamp as it was.
        if settings.stamp == stamp_of(&self.record) && settings.source == Source::File {
            settings.looked = Instant::now();
        } else {
            *settings = Settings::read(&self.record, self.root.path(), Some(&settings));
        }
        Arc::clone(&settings.config)
    }

    /// How texts are made safe, as the configuration was read last.
    pub(crate) fn redaction(&self) -> Arc<Redaction> {
        self.config();
        self.settings.read().map(|settings| Arc::clone(&settings.redaction)).unwrap_or_default()
    }

    pub(crate) fn exclusion(&self) -> Arc<Exclusion> {
        self.settings.read().map(|settings| Arc::clone(&settings.exclusion)).unwrap_or_default()
    }

    /// The folders of the person's own that are taken for projects.
    pub(crate) fn watched_roots(&self) -> Arc<[WatchRoot]> {
        self.config();
        self.settings.read().map(|settings| Arc::clone(&settings.watched)).unwrap_or_default()
    }

    /// What is kept in step with what lies elsewhere.
    pub(crate) fn sources(&self) -> &Sources {
        &self.sources
    }

    /// What is wrong with the configuration.
    pub(crate) fn config_problems(&self) -> Vec<ConfigProblem> {
        self.config();
        self.settings.read().map(|settings| settings.problems.clone()).unwrap_or_default()
    }

    /// Looks at the pauses, or changes them.
    pub(crate) fn pauses<T>(&self, look: impl FnOnce(&mut Pauses) -> T) -> T {
        let mut pauses = self.pauses.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        look(&mut pauses)
    }

    /// Whether memory is on for a session: everything of it, or nothing.
    fn is_on(&self, event: &Event, session: Option<&SessionRow>) -> bool {
        let root = session.map(|row| Path::new(&row.path));
        let slug = session.map(|row| row.slug.as_str());
        self.config().is_on(root) && !self.pauses(|pauses| pauses.hold_for(slug, Some(&event.session)))
    }

    /// What the person is told at a session's start where the configuration keeps memory off.
    fn notice_of_stop(&self, event: &Event) -> Option<String> {
        let config = self.config();
        let is_told = event.event == EventKind::SessionStart && config.notice != Notice::Never;
        let why = config.stopped.as_ref().filter(|_| is_told)?;
        Some(format!("Remora: memory is off: {why}; `remora config edit` opens the file"))
    }

    /// Saves nothing while it is not known what the person keeps out.
    pub(crate) fn may_take(&self) -> Result<(), EngineError> {
        match &self.config().stopped {
            None => Ok(()),
            Some(why) => Err(EngineError::refused(
                format!("memory is off: {why}"),
                "mend the configuration with `remora config edit`, then try again",
            )),
        }
    }

    /// The folder of a project's memories: what the person chose, else the one in the data root. Nothing
    /// inside a repository is asked.
    pub(crate) fn memory_dir(&self, slug: &str, root: &Path) -> PathBuf {
        let computed = || self.memories.folder_of(slug);
        match self.config().memory_dir_of(root) {
            None => computed(),
            Some(ChosenFolder::Path(path)) if path.is_absolute() => path,
            Some(ChosenFolder::Path(path)) => {
                tracing::warn!(path = %path.display(), "memory_dir is not an absolute path and is not used");
                computed()
            }
            Some(ChosenFolder::Native(host)) => {
                let home = self.record.home.as_deref();
                home.and_then(|home| native::folder_of(&self.profile(&host), root, home)).unwrap_or_else(|| {
                    tracing::warn!(%host, "this host keeps no folder for a project; the data root's is used");
                    computed()
                })
            }
        }
    }

    /// The project of a session that is known.
    pub(crate) fn slug_of_session(&self, host: &str, session: &str) -> Option<String> {
        let known = self.journal.read(|connection| journal::session(connection, host, session));
        known.ok().flatten().map(|row| row.slug)
    }

    /// Forgets which session and which directory belong to which project, after projects were joined.
    pub(crate) fn forget_places(&self) {
        if let Ok(mut known) = self.sessions.lock() {
            known.clear();
        }
        self.history.forget_directories();
    }

    /// What is known of hosts' transcripts.
    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    pub(crate) fn journal(&self) -> &Journal {
        &self.journal
    }

    pub(crate) fn memories(&self) -> &Memories {
        &self.memories
    }

    /// The models that may be asked.
    pub(crate) fn models(&self) -> &Models {
        &self.models
    }

    /// What was chosen and not given yet.
    pub(crate) fn late(&self) -> &Late {
        &self.late
    }

    /// The model that chooses memories, if the person set one up.
    pub(crate) fn selector(&self) -> Option<Result<ModelSettings, String>> {
        self.config().selector(self.home())
    }

    /// The same, by the file as it is at this moment.
    pub(crate) fn selector_now(&self) -> Option<Result<ModelSettings, String>> {
        self.look_at_config();
        self.selector()
    }

    /// Reads the configuration as it is at this moment.
    pub(crate) fn look_at_config(&self) {
        if let Ok(mut settings) = self.settings.write() {
            *settings = Settings::read(&self.record, self.root.path(), Some(&settings));
        }
    }

    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    /// The profiles of all hosts that are known.
    pub(crate) fn profiles(&self) -> impl Iterator<Item = &HostProfile> {
        self.profiles.values().map(AsRef::as_ref)
    }

    /// The profile of a host; an unknown host gets the plain one.
    pub(crate) fn profile(&self, host: &str) -> Arc<HostProfile> {
        self.profiles.get(host).cloned().unwrap_or_else(|| Arc::new(HostProfile::plain(host)))
    }

    /// Says that there was work just now: the engine does not leave for a while.
    pub(crate) fn note_work(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_work.store(now, Ordering::Release);
    }

    /// Whether there was work within this time.
    fn worked_within(&self, time: Duration) -> bool {
        let last = Duration::from_millis(self.last_work.load(Ordering::Acquire));
        self.started.elapsed().saturating_sub(last) < time
    }

    /// When the engine may leave if nothing happens until then.
    pub(crate) fn idle_at(&self) -> Instant {
        let last = Duration::from_millis(self.last_work.load(Ordering::Acquire));
        self.started + last + self.config().engine.idle_exit.0.max(SHORTEST_IDLE)
    }

    pub(crate) fn is_idle(&self) -> bool {
        Instant::now() >= self.idle_at()
    }

    /// Whether a hand-over is due; a stamp in the data root outlives this process.
    pub(crate) fn may_hand_over(&self) -> bool {
        let stamp = self.root.run().join("hand-over");
        let recent = std::fs::metadata(&stamp)
            .and_then(|found| found.modified())
            .is_ok_and(|when| when.elapsed().is_ok_and(|age| age < HAND_OVER_PAUSE));
        !recent && std::fs::write(&stamp, "").is_ok()
    }

    /// Answers one event: it is in the journal when this returns.
    pub async fn handle(self: &Arc<Self>, event: Event) -> Result<Reply, EngineError> {
        self.note_work();
        let _ = std::fs::remove_file(self.root.slow_stamp());
        let redaction = self.redaction();
        let event = tokio::task::spawn_blocking(move || redaction.accepted(event))
            .await
            .map_err(|e| EngineError::Internal(e.to_string()))?;
        let understood = (event.v > remora_event::EVENT_VERSION).then_some(remora_event::EVENT_VERSION);
        if self.profile(&event.host).ignores(&event.cwd) {
            return Ok(Reply { understood, ..Reply::default() });
        }
        let session = self.session_of(&event).await?;
        if !self.is_on(&event, session.as_deref()) {
            return Ok(Reply { understood, notice: self.notice_of_stop(&event), ..Reply::default() });
        }
        let _alone = match event.want {
            Want::Context => Some(self.contexts[context_slot(&event)].lock().await),
            Want::Ack | Want::None => None,
        };
        let attempt = Attempt::of(&event);
        // A host that runs two agents' hooks asks twice: the second time everything is said.
        let is_told = event.want == Want::Context && self.told(&event).await? == Told::Another;
        let kept = wishes::keep(self, &event, session.as_deref()).await;
        let said = written::look(self, &event, session.as_deref()).await;
        let mut injection = match event.want {
            Want::Context if is_told => None,
            Want::Context => {
                injection::for_event(self, &event, session.as_deref(), &said, attempt.as_ref()).await?
            }
            Want::Ack | Want::None => {
                injection::at_silent_start(self, &event).await?;
                None
            }
        };
        if let Some(injection) = &mut injection {
            injection.tell(&kept, &event, &self.config());
        }
        if !event.probe {
            if event.event == EventKind::SessionEnd {
                self.late.forget(&event);
            }
            self.settle_after(&event, session.as_deref());
            let resumed = (event.source.as_deref() == Some("resume"))
                .then(|| (event.host.clone(), event.session.clone()));
            self.keep(event, session, attempt, injection.clone()).await?;
            if let Some((host, session)) = resumed {
                self.fill_session(host, session);
            }
        }
        Ok(reply_of(injection, understood))
    }

    /// When a turn has ended, what was written into the memory folders gets its lines in the index. Nobody
    /// waits for it.
    fn settle_after(self: &Arc<Self>, event: &Event, session: Option<&SessionRow>) {
        if !matches!(event.event, EventKind::Stop | EventKind::SessionEnd) {
            return;
        }
        let (engine, event, session) = (Arc::clone(self), event.clone(), session.cloned());
        if let Some(row) = &session {
            self.sources.want(&row.slug);
        }
        tokio::task::spawn_blocking(move || written::settle(&engine, &event, session.as_ref()));
    }

    /// Writes the event and what is offered for it in one commit.
    async fn keep(
        &self,
        event: Event,
        session: Option<Arc<SessionRow>>,
        attempt: Option<Attempt>,
        injection: Option<Injection>,
    ) -> Result<(), EngineError> {
        let root = session.as_ref().map(|row| row.path.as_str());
        let profile = self.profile(&event.host);
        let recording = if self.exclusion().covers(&event, root) {
            Recording::Nothing
        } else {
            Recording::of(&event, &self.config(), &profile)
        };
        let observed = recording == Recording::Observed;
        let work = if observed { work_told(&event, &profile) } else { None };
        let new = NewEvent {
            at_ms: clock::millis_of(&event.at).unwrap_or_else(clock::now_millis),
            project: session.map(|row| (row.slug.clone(), row.path.clone())),
            observation: if observed { Observation::of(&event) } else { None },
            attempt: attempt.filter(|_| observed),
            observed,
            event: event.without_call(),
        };
        let forget_shown = new.event.event == EventKind::SessionStart
            && matches!(new.event.source.as_deref(), Some("clear" | "compact"))
            || new.event.event == EventKind::PostCompact && profile.compaction_at_post_compact()
            || new.event.event == EventKind::PreCompact && profile.compaction_at_pre_compact();
        let appended = self
            .journal
            .write(move |connection| {
                let appended = match recording {
                    Recording::Nothing => Appended::Not,
                    Recording::Unobserved | Recording::Observed => journal::append(connection, &new)?,
                };
                if matches!(appended, Appended::New { .. })
                    && let (Some(work), Some((slug, root))) = (&work, &new.project)
                {
                    let event = &new.event;
                    let (host, session) = (event.host.as_str(), event.session.as_str());
                    let said = Said { project: (slug, root), host, session, at_ms: new.at_ms };
                    journal::work::tell(connection, said, work)?;
                }
                if forget_shown && !appended.is_told() {
                    crate::ledger::context_gone(connection, &new.event)?;
                }
                if let Some(injection) = &injection {
                    crate::ledger::offer(connection, &new.event, appended.seq(), injection)?;
                }
                Ok(appended)
            })
            .await?;
        if matches!(appended, Appended::New { .. }) {
            self.index_wanted.notify_one();
        }
        self.happened.notify_waiters();
        Ok(())
    }

    /// Who told of an event's happening before.
    pub(crate) async fn told(self: &Arc<Self>, event: &Event) -> Result<Told, EngineError> {
        let (engine, event) = (Arc::clone(self), event.clone());
        let at_ms = clock::millis_of(&event.at).unwrap_or_else(clock::now_millis);
        blocking(move || Ok(engine.journal.read(|connection| journal::told(connection, &event, at_ms))?))
            .await
    }

    /// The hook says that it printed what it was given.
    pub(crate) async fn shown(&self, id: String) {
        self.late.confirm(&id);
        let done = self.journal.write(move |connection| crate::ledger::confirm(connection, &id)).await;
        if let Err(error) = done {
            tracing::warn!(%error, "an injection could not be confirmed");
        }
    }

    /// The project of the event's session: fixed by its first event, whatever directory a later one has.
    async fn session_of(self: &Arc<Self>, event: &Event) -> Result<Option<Arc<SessionRow>>, EngineError> {
        let key = (event.host.clone(), event.session.clone());
        if let Some(known) = self.sessions.lock().ok().and_then(|known| known.get(&key).cloned()) {
            return Ok(Some(known));
        }
        let row = match self.session_in_journal(&event.host, &event.session).await? {
            Some(row) => {
                // A session that only its transcript told of may have no folder yet.
                if !event.probe && !self.root.project(&row.slug).is_dir() {
                    self.open_project(&ProjectId { root: row.path.clone().into(), slug: row.slug.clone() })
                        .await;
                }
                row
            }
            None => match self.project_of(Path::new(&event.cwd)).await? {
                Some(project) => {
                    if !event.probe {
                        self.open_project(&project).await;
                    }
                    SessionRow { path: project.root.to_string_lossy().into_owned(), slug: project.slug }
                }
                None => return Ok(None),
            },
        };
        let row = Arc::new(row);
        if !event.probe
            && let Ok(mut known) = self.sessions.lock()
        {
            if known.len() >= KNOWN_SESSIONS {
                known.clear();
            }
            known.insert(key, Arc::clone(&row));
        }
        Ok(Some(row))
    }

    /// A session that is known, whether or not it was heard since this engine began.
    pub(crate) async fn known_session(
        self: &Arc<Self>,
        host: &str,
        session: &str,
    ) -> Result<Option<Arc<SessionRow>>, EngineError> {
        let key = (host.to_owned(), session.to_owned());
        if let Some(known) = self.sessions.lock().ok().and_then(|known| known.get(&key).cloned()) {
            return Ok(Some(known));
        }
        Ok(self.session_in_journal(host, session).await?.map(Arc::new))
    }

    async fn session_in_journal(
        self: &Arc<Self>,
        host: &str,
        session: &str,
    ) -> Result<Option<SessionRow>, EngineError> {
        let (engine, host, session) = (Arc::clone(self), host.to_owned(), session.to_owned());
        let known =
            move || Ok(engine.journal.read(|connection| journal::session(connection, &host, &session))?);
        blocking(known).await
    }

    /// The project of a directory. File work on the bounded pool, few at once for one directory.
    pub(crate) async fn project_of(self: &Arc<Self>, cwd: &Path) -> Result<Option<ProjectId>, EngineError> {
        if !cwd.is_absolute() {
            return Ok(None);
        }
        let gate = self.gate(cwd);
        let _turn = gate.acquire_owned().await.map_err(|e| EngineError::Internal(e.to_string()))?;
        let engine = Arc::clone(self);
        let cwd = cwd.to_owned();
        blocking(move || Ok(Some(engine.project_at(&cwd)))).await
    }

    /// Makes a project's folders and its record, so that an agent that is told of the memory folder finds it.
    /// A full disk or a read-only home must not stop the event that came.
    pub(crate) async fn open_project(self: &Arc<Self>, project: &ProjectId) {
        let (engine, project) = (Arc::clone(self), project.clone());
        let opened = blocking(move || engine.memories.open_project(&project)).await;
        if let Err(error) = opened {
            tracing::warn!(%error, "a project's folder could not be made");
        }
    }

    /// Few at once do file work for one directory.
    pub(crate) fn gate(&self, directory: &Path) -> Arc<Semaphore> {
        let Ok(mut gates) = self.directories.lock() else { return Arc::new(Semaphore::new(PER_DIRECTORY)) };
        if gates.len() >= KNOWN_SESSIONS {
            gates.retain(|_, gate| Arc::strong_count(gate) > 1);
        }
        Arc::clone(
            gates.entry(directory.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(PER_DIRECTORY))),
        )
    }

    /// Has what is new in the journal indexed soon.
    pub(crate) fn wake_indexer(&self) {
        self.index_wanted.notify_one();
    }

    /// Keeps the search index in step with the journal, beside the reply path.
    pub(crate) async fn keep_index(self: Arc<Self>) {
        loop {
            loop {
                let began = Instant::now();
                if !self.index_some().await {
                    break;
                }
                // Live events have the writer, also while many entries are waiting: a search asks for what it needs.
                let rest = if self.worked_within(BUSY) { 8 } else { 1 };
                tokio::time::sleep(rest * began.elapsed()).await;
            }
            self.index_wanted.notified().await;
            // Events come in bursts: wait for the rest of it.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Indexes a batch; answers whether more is waiting.
    pub(crate) async fn index_some(self: &Arc<Self>) -> bool {
        self.try_index_some().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the search index could not be extended");
            false
        })
    }

    async fn try_index_some(self: &Arc<Self>) -> Result<bool, EngineError> {
        let engine = Arc::clone(self);
        let most = if self.worked_within(BUSY) { SMALL_INDEX_BATCH } else { INDEX_BATCH };
        let read = move || Ok(engine.journal().read(|connection| indexer::next_batch(connection, most))?);
        let Some(batch) = blocking(read).await? else { return Ok(false) };
        let is_full = batch.is_full;
        self.journal.write(move |connection| indexer::add(connection, &batch)).await?;
        Ok(is_full)
    }
}

/// What a tool of the main agent said of the work. What a subagent has to do is its own.
fn work_told(event: &Event, profile: &HostProfile) -> Option<ToldWork> {
    if event.event != EventKind::PostToolUse || event.agent.is_some() {
        return None;
    }
    let tool = event.tool.as_ref()?;
    profile.work.told(&tool.name, &tool.input, tool.output.as_ref())
}

/// Runs file or database work on the bounded pool.
pub(crate) async fn blocking<T, F>(work: F) -> Result<T, EngineError>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T, EngineError> + Send + 'static,
{
    tokio::task::spawn_blocking(work).await.map_err(|e| EngineError::Internal(e.to_string()))?
}

fn context_slot(event: &Event) -> usize {
    use std::hash::{Hash, Hasher};
    let mut hasher = std::hash::DefaultHasher::new();
    (&event.host, &event.session, event.agent_id()).hash(&mut hasher);
    usize::try_from(hasher.finish() % CONTEXT_LOCKS as u64).unwrap_or(0)
}

fn reply_of(injection: Option<Injection>, understood: Option<u32>) -> Reply {
    match injection {
        None => Reply { understood, ..Reply::default() },
        Some(injection) => Reply {
            context: (!injection.text.is_empty()).then_some(injection.text),
            notice: injection.notice,
            injection: Some(injection.id),
            understood,
            more: serde_json::Value::Null,
        },
    }
}
