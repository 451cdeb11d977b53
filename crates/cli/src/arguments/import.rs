//! What can be typed after `remora import`: one variant a source, each with options of its own.

use std::path::PathBuf;

/// `remora import SOURCE`.
#[derive(Debug, clap::Args)]
pub(crate) struct Import {
    #[command(subcommand)]
    pub(crate) source: ImportSource,
}

/// Where memory comes from.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ImportSource {
    /// What Claude Code keeps for this project
    ClaudeCode(NativeImport),
    /// What Codex keeps by itself
    Codex(NativeImport),
    /// What Gemini CLI keeps by itself
    #[command(name = "gemini-cli", visible_alias = "gemini")]
    GeminiCli(NativeImport),
    /// What Qwen Code keeps for this project
    QwenCode(NativeImport),
    /// What claude-mem has kept of this project: what happened goes into the journal, rules become memories
    ClaudeMem {
        /// How claude-mem calls the project, instead of by its folder's name
        #[arg(long, value_name = "NAME")]
        called: Option<String>,
        /// Say what would be taken, take nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// What `remora export` wrote; what is there already stays as it is
    Export {
        /// The folder, or the JSON file
        from: PathBuf,
        /// Say what would be brought in, write nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// What agents wrote down of earlier sessions: prompts, tool uses, ends of turns
    History(HistoryImport),
    /// What another agent keeps, of which there is a profile
    Host {
        /// Its id, as `remora hosts` shows it
        host: String,
        #[command(flatten)]
        native: NativeImport,
    },
}

/// `remora ingest PATH`.
#[derive(Debug, clap::Args)]
pub(crate) struct Ingest {
    /// A folder, or a Markdown file
    pub(crate) path: PathBuf,
    /// Say what would be taken, take nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// `remora export`.
#[derive(Debug, clap::Args)]
pub(crate) struct Export {
    /// A folder of Markdown files, or one JSON file
    #[arg(long, value_enum, default_value_t = ExportFormat::Markdown)]
    pub(crate) format: ExportFormat,
    /// Where to; without it `remora-export` or `remora-export.json` here. What is there is never written over
    #[arg(value_name = "PATH")]
    pub(crate) to: Option<PathBuf>,
    /// The same as PATH
    #[arg(long = "to", value_name = "PATH", hide = true, conflicts_with = "to")]
    pub(crate) named: Option<PathBuf>,
    /// Also what happened in sessions
    #[arg(long)]
    pub(crate) journal: bool,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ExportFormat {
    /// The files as they are
    Markdown,
    /// One file
    Json,
}

/// Options of every agent's own memory.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct NativeImport {
    /// Say what would be taken, take nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Options of `remora import history`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct HistoryImport {
    /// Only what this agent wrote down, for example codex
    #[arg(long)]
    pub(crate) host: Option<String>,
    /// Leave out what happened before: 2026-11-02, yesterday, 90d
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Say what would be brought in, bring nothing in
    #[arg(long)]
    pub(crate) dry_run: bool,
}
