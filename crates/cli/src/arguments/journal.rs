//! What can be typed about the journal.

use clap::{Args, Subcommand};

/// Which entries or sessions are meant.
#[derive(Debug, Default, Args)]
pub(crate) struct Filters {
    /// Only of this host, for example codex
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// Only of this session; the beginning of its id is enough
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only about this file, or the files in this folder
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Only from then on: 2026-11-02, "2026-11-02 14:30", yesterday, 3d
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only until then; a day counts to its end
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// In all projects but those that are isolated
    #[arg(long, visible_alias = "everywhere")]
    pub(crate) all_projects: bool,
    /// In this project instead of the one you stand in, by name or path; may be given again
    #[arg(long = "in", value_name = "PROJECT", conflicts_with = "all_projects")]
    projects: Vec<String>,
}

impl Filters {
    /// As the engine takes them, into the arguments of a command.
    pub(crate) fn add_to(&self, arguments: &mut serde_json::Value) {
        for (name, value) in [
            ("host", &self.host),
            ("session", &self.session),
            ("file", &self.file),
            ("since", &self.since),
            ("until", &self.until),
        ] {
            if let Some(value) = value {
                arguments[name] = value.as_str().into();
            }
        }
        arguments["everywhere"] = self.all_projects.into();
        arguments["projects"] = self.projects.clone().into();
    }

    /// Whether entries of several projects may come.
    pub(crate) fn may_mix_projects(&self) -> bool {
        self.all_projects || self.projects.len() > 1
    }
}

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Words to look for
    #[arg(required = true, num_args = 1..)]
    pub(crate) query: Vec<String>,
    /// At most so many
    #[arg(long, default_value_t = 10)]
    pub(crate) limit: usize,
    /// Newest first instead of best first
    #[arg(long)]
    pub(crate) newest: bool,
    /// Only of this kind: prompt, turn, shell, edit, read, ...; may be given again
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Vec<String>,
    #[command(flatten)]
    pub(crate) filters: Filters,
}

#[derive(Debug, Args)]
pub(crate) struct Timeline {
    /// The number of an entry, as `remora search` shows it
    #[arg(value_name = "ENTRY")]
    pub(crate) id: String,
    /// So many entries before it
    #[arg(long, default_value_t = 8)]
    pub(crate) before: usize,
    /// So many entries after it
    #[arg(long, default_value_t = 8)]
    pub(crate) after: usize,
    /// In this project instead of the one you stand in, by name or path
    #[arg(long = "in", value_name = "PROJECT")]
    pub(crate) projects: Vec<String>,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Journal {
    #[command(subcommand)]
    pub(crate) command: Option<JournalCommand>,
    #[command(flatten)]
    pub(crate) sessions: Sessions,
}

/// Which sessions are listed.
#[derive(Debug, Args)]
pub(crate) struct Sessions {
    /// At most so many
    #[arg(long, default_value_t = 20)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) filters: Filters,
}

#[derive(Debug, Subcommand)]
pub(crate) enum JournalCommand {
    /// The sessions here, the newest first (also without any command)
    Sessions(Sessions),
    /// What happened, the newest first: of a session, about a file, since a time
    Entries {
        /// At most so many
        #[arg(long, default_value_t = 20)]
        limit: usize,
        /// Only of this kind: prompt, turn, shell, edit, read, ...; may be given again
        #[arg(long, value_name = "KIND")]
        kind: Vec<String>,
        #[command(flatten)]
        filters: Filters,
    },
    /// Entries that say nearly the same
    Duplicates {
        /// Make one of the two, where every rare word agrees
        #[arg(long)]
        merge: bool,
    },
    /// Delete for good: rows, search, spool, backups. Name exactly one of --project DIR, --in, --session, --before, --match
    Purge(Purge),
}

#[derive(Debug, Args)]
pub(crate) struct Purge {
    /// Everything of this project, by name or path, also one whose folder is gone
    #[arg(long = "in", value_name = "PROJECT")]
    pub(crate) of_project: Option<String>,
    /// Everything of this session; the beginning of its id is enough
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// The host of that session, where several have one
    #[arg(long, requires = "session", value_name = "HOST")]
    pub(crate) host: Option<String>,
    /// Everything that happened before: 2026-11-02, 90d
    #[arg(long, value_name = "TIME")]
    pub(crate) before: Option<String>,
    /// Everything that holds these words, in all projects
    #[arg(long = "match", value_name = "WORDS")]
    pub(crate) words: Option<String>,
    /// Say what would go, delete nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Work {
    #[command(subcommand)]
    pub(crate) command: Option<WorkCommand>,
    /// Also what is done or dropped
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorkCommand {
    /// Something is to be done
    Add {
        /// What, in a sentence
        #[arg(required = true, num_args = 1..)]
        text: Vec<String>,
    },
    /// It is being done
    Start {
        /// Its number or what it says
        #[arg(required = true, num_args = 1..)]
        item: Vec<String>,
    },
    /// It is done
    Done {
        /// Its number, or words that only it has
        #[arg(required = true, num_args = 1..)]
        item: Vec<String>,
    },
    /// It is not to be done any more
    Drop {
        /// Its number, or words that only it has
        #[arg(required = true, num_args = 1..)]
        item: Vec<String>,
    },
}
