//! A host's transcripts as plain data: the table `[transcript]` of its profile.

mod rule;
mod table;

use std::path::{Path, PathBuf};

use regex::{Regex, RegexBuilder};
use remora_profile::{HostProfile, Prompts};

use crate::condition::Condition;
use crate::error::DefinitionError;
use crate::field::Field;
use crate::path::FieldPath;
use crate::pattern::Pattern;
use crate::tools::Tools;
pub(crate) use rule::{Makes, Rule};
pub(crate) use table::Table;

/// A pattern that would need more memory than this is refused.
const PATTERN_BYTES: usize = 1 << 20;

/// How one host's transcripts are found and read.
#[derive(Debug, Clone)]
pub struct Definition {
    pub(crate) host: String,
    pub(crate) form: Form,
    /// Where transcripts lie: of sessions, and of what subagents did in them.
    pub(crate) paths: Vec<Pattern>,
    pub(crate) subagents: Vec<Pattern>,
    /// Transcripts that are one JSON value each, with the path to their records, where others have a record a line.
    pub(crate) documents: Option<(Vec<Pattern>, FieldPath)>,
    pub(crate) follow: bool,
    /// Whether a record's id is its own in all sessions, so that one which a fork copied is known by it.
    pub(crate) shared_ids: bool,
    /// Whether the ids of calls are the transcript's own: hooks of the same host are told others, or none.
    pub(crate) own_calls: bool,
    pub(crate) fields: Fields,
    /// Records about which no rule is.
    pub(crate) skip: Vec<Condition>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) tools: Tools,
    pub(crate) prompts: Prompts,
}

/// What a transcript is.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// A file with one JSON value a line.
    Lines,
    /// A file that is one JSON value; its records lie at this path.
    Document { records: FieldPath },
    /// An SQLite database.
    Rows {
        /// Gives one row a session: `session`, and `changed`, which differs when anything of it does.
        sessions: String,
        /// Gives the records of `:session`, in their order.
        records: String,
        /// Columns that hold JSON.
        json: Vec<String>,
    },
}

/// What every record may say, whatever it is about.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields {
    pub(crate) session: Option<Field>,
    pub(crate) parent: Option<Field>,
    pub(crate) cwd: Option<Field>,
    /// The folder's SHA-256 in hexadecimal digits, where only that is said.
    pub(crate) cwd_digest: Option<Field>,
    pub(crate) at: Option<Field>,
    /// What tells a record from all others.
    pub(crate) id: Option<Field>,
    pub(crate) version: Option<Field>,
    pub(crate) agent: Option<Field>,
    pub(crate) agent_kind: Option<Field>,
    pub(crate) turn: Option<Field>,
}

const FORMS: [&str; 3] = ["jsonl", "json", "sqlite"];

impl Definition {
    /// The definition in a profile; nothing where the profile has none.
    pub fn of(profile: &HostProfile) -> Result<Option<Self>, DefinitionError> {
        if profile.transcript.is_empty() {
            return Ok(None);
        }
        let table = Table::new(&profile.transcript, &profile.id, &profile.file, "transcript");
        table.only(&[
            "path",
            "subagents",
            "format",
            "documents",
            "records",
            "sessions",
            "json",
            "follow",
            "shared_ids",
            "own_calls",
            "fields",
            "skip",
            "events",
            "tools",
        ])?;
        let patterns = |key: &str| -> Result<Vec<Pattern>, DefinitionError> {
            let parse = |text| Pattern::parse(text).map_err(|problem| table.error(key, problem));
            table.texts(key)?.into_iter().map(parse).collect()
        };
        let (paths, subagents) = (patterns("path")?, patterns("subagents")?);
        if paths.is_empty() {
            return Err(table.missing("path"));
        }
        let rules: Vec<Rule> = table.list("events")?.iter().map(Rule::read).collect::<Result<_, _>>()?;
        if rules.is_empty() {
            return Err(table.error("events", "is missing: no record would make an event".to_owned()));
        }
        let fields = match table.get("fields") {
            None => Fields::default(),
            Some(_) => Fields::read(&table.inner("fields")?)?,
        };
        let names_session = |pattern: &Pattern| pattern.names("session");
        let is_said = fields.session.is_some() || rules.iter().any(|rule| rule.fields.session.is_some());
        let form = Form::read(&table)?;
        let documents = match patterns("documents")? {
            none if none.is_empty() => None,
            _ if !matches!(form, Form::Lines) => {
                return Err(table.error("documents", "goes with the format \"jsonl\" alone".to_owned()));
            }
            documents => Some((documents, table.path("records")?.ok_or_else(|| table.missing("records"))?)),
        };
        let mut all_paths = paths.iter().chain(documents.iter().flat_map(|(documents, _)| documents));
        if !is_said && !matches!(form, Form::Rows { .. }) && !all_paths.all(names_session) {
            return Err(table.error(
                "fields.session",
                "is missing: a session is known by a field, or by {session} in the path".to_owned(),
            ));
        }
        Ok(Some(Self {
            host: profile.id.clone(),
            form,
            paths,
            subagents,
            documents,
            follow: table.flag("follow")?,
            shared_ids: table.flag("shared_ids")?,
            own_calls: table.flag("own_calls")?,
            fields,
            skip: conditions(&table, "skip")?,
            rules,
            tools: match table.get("tools") {
                None => Tools::default(),
                Some(_) => Tools::read(&table.inner("tools")?, &profile.memory)?,
            },
            prompts: profile.prompts.clone(),
        }))
    }

    /// The host's id.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether records say of the folder that a session ran in only its digest: then somebody must know folders.
    pub fn wants_folders(&self) -> bool {
        let fields = self.rules.iter().map(|rule| &rule.fields).chain([&self.fields]);
        fields.into_iter().any(|fields| fields.cwd_digest.is_some())
    }

    /// Whether sessions lie in a database, several in one file.
    pub fn is_of_database(&self) -> bool {
        matches!(self.form, Form::Rows { .. })
    }

    /// Whether a file of this path is one of its transcripts.
    pub fn names(&self, home: &Path, path: &Path) -> bool {
        self.patterns().any(|pattern| pattern.read(path, home).is_some())
    }

    /// The folders below which all its transcripts lie.
    pub fn roots(&self, home: &Path) -> Vec<PathBuf> {
        let mut roots: Vec<PathBuf> = self.patterns().map(|pattern| pattern.root(home)).collect();
        roots.sort();
        roots.dedup();
        roots
    }

    /// All patterns of its transcripts.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let documents = self.documents.iter().flat_map(|(documents, _)| documents);
        self.paths.iter().chain(&self.subagents).chain(documents)
    }

    /// Whether new records are to be read as they are written, because nothing else tells of them.
    pub fn follows(&self) -> bool {
        self.follow
    }
}

impl Form {
    fn read(table: &Table<'_>) -> Result<Self, DefinitionError> {
        let needed = |key: &str| table.text(key)?.ok_or_else(|| table.missing(key));
        match table.word("format", &FORMS)?.ok_or_else(|| table.missing("format"))? {
            "json" => Ok(Self::Document {
                records: table.path("records")?.ok_or_else(|| table.missing("records"))?,
            }),
            "sqlite" => {
                let (sessions, records) = (needed("sessions")?, needed("records")?);
                for (key, query) in [("sessions", sessions), ("records", records)] {
                    let first = query.split_whitespace().next().unwrap_or_default().to_lowercase();
                    if !["select", "with"].contains(&first.as_str()) {
                        return Err(
                            table.error(key, "must be a query that begins with SELECT or WITH".to_owned())
                        );
                    }
                }
                if !records.contains(":session") {
                    return Err(table.error("records", "must ask for the session :session".to_owned()));
                }
                Ok(Self::Rows {
                    sessions: sessions.to_owned(),
                    records: records.to_owned(),
                    json: table.texts("json")?.into_iter().map(str::to_owned).collect(),
                })
            }
            _ => Ok(Self::Lines),
        }
    }
}

impl Fields {
    pub(crate) const KEYS: [&str; 10] =
        ["session", "parent", "cwd", "cwd_digest", "at", "id", "version", "agent", "agent_kind", "turn"];

    fn read(table: &Table<'_>) -> Result<Self, DefinitionError> {
        table.only(&Self::KEYS)?;
        Self::among(table)
    }

    /// The fields of a table that has others as well.
    pub(crate) fn among(table: &Table<'_>) -> Result<Self, DefinitionError> {
        Ok(Self {
            session: Field::read(table, "session")?,
            parent: Field::read(table, "parent")?,
            cwd: Field::read(table, "cwd")?,
            cwd_digest: Field::read(table, "cwd_digest")?,
            at: Field::read(table, "at")?,
            id: Field::read(table, "id")?,
            version: Field::read(table, "version")?,
            agent: Field::read(table, "agent")?,
            agent_kind: Field::read(table, "agent_kind")?,
            turn: Field::read(table, "turn")?,
        })
    }
}

/// A list of conditions.
pub(crate) fn conditions(table: &Table<'_>, key: &str) -> Result<Vec<Condition>, DefinitionError> {
    table.list(key)?.iter().map(Condition::read).collect()
}

/// A regular expression.
pub(crate) fn compiled(table: &Table<'_>, key: &str) -> Result<Regex, DefinitionError> {
    let text = table.text(key)?.ok_or_else(|| table.missing(key))?;
    pattern(text).map_err(|problem| table.error(key, problem))
}

/// The same of a text.
pub(crate) fn pattern(text: &str) -> Result<Regex, String> {
    RegexBuilder::new(text).size_limit(PATTERN_BYTES).build().map_err(|error| {
        let reason = error.to_string();
        format!("{text:?} is no regular expression ({})", reason.lines().last().unwrap_or_default().trim())
    })
}
