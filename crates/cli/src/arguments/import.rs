//! What can be typed after `remora import`: one variant a source, each with options of its own.

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
