//! What can be typed.

mod import;
mod journal;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use import::{Export, ExportFormat, HistoryImport, Import, ImportSource, Ingest, NativeImport};
pub(crate) use journal::{
    Filters, Journal, JournalCommand, Purge, Search, Sessions, Timeline, Work, WorkCommand,
};

/// A memory for coding agents that lasts: across sessions, worktrees and agents.
#[derive(Debug, Parser)]
#[command(name = "remora", version, disable_help_subcommand = true, args_conflicts_with_subcommands = false)]
pub(crate) struct Arguments {
    /// Print JSON for programs
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// The project to act on, instead of the one you stand in
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,

    /// The data root, instead of the usual one
    #[arg(long, global = true, value_name = "DIR", hide = true)]
    pub(crate) root: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// One screen: engine, hosts, memories, journal, tokens (also without any command)
    Status,
    /// Wire up the coding agents on this machine
    Install(Install),
    /// Take Remora out of them again; memory stays unless --purge
    Uninstall(Uninstall),
    /// What works, what does not, and what to do about it
    Doctor {
        /// Also run every hook once, exactly as its host would
        #[arg(long)]
        prove: bool,
    },
    /// The coding agents Remora knows, and which are here
    Hosts,
    /// Play recorded sessions in a temporary home and show what each model is given
    Demo,
    /// Save one memory
    Remember(Remember),
    /// List the memories about you and of this project
    List,
    /// Show one memory
    Show {
        /// Its name or file
        name: String,
    },
    /// Open one memory in your editor
    Edit {
        /// Its name or file
        name: String,
    },
    /// Keep one memory from ever being tidied away
    Pin {
        /// Its name or file
        name: String,
        /// Take the pin out
        #[arg(long)]
        off: bool,
    },
    /// Move a memory to the trash, or take that back
    Forget(Forget),
    /// What waits for your word: accept, edit or reject it
    Review(Review),
    /// Take the last save or forget of this project back, or of what is about you
    Undo {
        /// Whatever came last in any project
        #[arg(long, visible_alias = "everywhere")]
        all_projects: bool,
    },
    /// Bring memory in: what an agent keeps by itself; repeatable, nothing comes twice
    Import(Import),
    /// Take a folder of Markdown files, or one, as snapshots for this project
    Ingest(Ingest),
    /// Everything out: memories, indexes, snapshots, and the journal when asked
    Export(Export),
    /// What would be recalled for a question, and why
    Recall(Recall),
    /// Search what happened in earlier sessions
    Search(Search),
    /// What happened before and after one entry, in its session
    Timeline(Timeline),
    /// Sessions and what happened in them, by file and by time
    Journal(Journal),
    /// What is still to be done here
    Work(Work),
    /// What was given to the model, and why
    Why(Why),
    /// What your agents tell and are given, as it happens
    Tail(Tail),
    /// Show or change the configuration
    Config {
        #[command(subcommand)]
        command: Option<ConfigCommand>,
    },
    /// The projects that have memory here, and which are on
    Project {
        #[command(subcommand)]
        command: Option<ProjectCommand>,
    },
    /// Switch memory off for a while
    Pause(Pause),
    /// Switch memory on again
    Resume,
    /// Take one event as JSON on standard input, print the reply
    Event,
    /// Measure recall on a benchmark
    #[command(subcommand)]
    Eval(EvalCommand),
    /// Run, look at or stop the engine
    #[command(subcommand)]
    Engine(EngineCommand),
    /// Serve memory to a coding agent over MCP on standard input and output
    Mcp,
    /// Run one hook, as the small executables do
    #[command(hide = true)]
    Hook {
        /// The host, for example claude-code
        host: String,
        /// The event, for example session-start
        event: String,
    },
    /// Print the completions of a shell
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Install {
    /// The hosts, for example claude-code; without any: those found on this machine
    #[arg(value_name = "HOST")]
    pub(crate) hosts: Vec<String>,
    /// All that are found on this machine
    #[arg(long)]
    pub(crate) all: bool,
    /// For all your projects, or only for the one you stand in
    #[arg(long, value_enum, default_value_t = InstallScope::User)]
    pub(crate) scope: InstallScope,
    /// Also tell hosts that ask for it that you trust these hooks (Codex); shows them first
    #[arg(long)]
    pub(crate) trust: bool,
    /// What becomes of the memory that Claude Code keeps itself: use its folder as each project's memory, or
    /// keep the two apart and import it
    #[arg(long, value_enum, value_name = "CHOICE")]
    pub(crate) claude_memory: Option<ClaudeMemoryChoice>,
    /// Show what would be written, write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClaudeMemoryChoice {
    /// One copy, which both read and write
    Use,
    /// Kept apart; `remora import claude-code` takes snapshots
    Import,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InstallScope {
    /// All your projects
    User,
    /// Only this project, in the file that is yours alone
    Project,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Uninstall {
    /// The hosts; without any: all, and the programs
    #[arg(value_name = "HOST")]
    pub(crate) hosts: Vec<String>,
    /// All of them, and the programs
    #[arg(long)]
    pub(crate) all: bool,
    /// Show what would be changed, change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    /// Also delete all memory and the journal
    #[arg(long)]
    pub(crate) purge: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Review {
    #[command(subcommand)]
    pub(crate) command: Option<ReviewCommand>,
    /// Of all your projects, not only of this one
    #[arg(long, visible_alias = "all-projects")]
    pub(crate) everywhere: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// List it (also without any command where there is no terminal)
    List,
    /// It holds: from now on it is what you say
    Accept {
        /// Names or ids, or `all`
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
    /// It does not: it goes, and the same words do not come up again
    Reject {
        /// Names or ids, or `all`
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
    /// Open one in your editor
    Edit {
        /// Its name or id
        name: String,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Remember {
    /// The fact, in one or a few sentences; `-` reads it from standard input
    #[arg(required = true, num_args = 1.., value_name = "TEXT")]
    pub(crate) text: Vec<String>,
    /// The type, instead of the one the words suggest
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<Kind>,
    /// The name, instead of the first words
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The line that recall judges by, instead of the first sentence
    #[arg(long)]
    pub(crate) description: Option<String>,
    /// Save it although it looks like something that needs no memory
    #[arg(long)]
    pub(crate) anyway: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Kind {
    /// Who you are: role, expertise, preferences
    User,
    /// How to work: corrections and confirmed approaches
    Feedback,
    /// What is going on: goals, decisions, deadlines
    Project,
    /// Where to look: dashboards, trackers, documents
    Reference,
}

impl Kind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Feedback => "feedback",
            Self::Project => "project",
            Self::Reference => "reference",
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Forget {
    /// Its name or file; with --undo: which one to bring back, the last one without a name
    #[arg(required_unless_present = "undo")]
    pub(crate) name: Option<String>,
    /// Bring it back from the trash
    #[arg(long)]
    pub(crate) undo: bool,
    /// Leave nothing of it: no copy in the trash, no line in the ledger
    #[arg(long, conflicts_with = "undo")]
    pub(crate) for_good: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Recall {
    /// The question, as you would type it to your agent
    #[arg(required = true, num_args = 1..)]
    pub(crate) query: Vec<String>,
    /// At most so many
    #[arg(long, default_value_t = 5)]
    pub(crate) limit: usize,
    /// Show why each one was chosen
    #[arg(long)]
    pub(crate) explain: bool,
    /// Also what recall would keep to itself because it is not sure
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Why {
    /// A session's id, instead of the newest session here
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// The host of that session
    #[arg(long, requires = "session")]
    pub(crate) host: Option<String>,
    /// Only the newest injection
    #[arg(long)]
    pub(crate) last: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Tail {
    /// Of all your projects, not only of the one you stand in
    #[arg(long, visible_alias = "all-projects")]
    pub(crate) all: bool,
    /// Only of this host, for example codex
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Option<String>,
    /// Only of this session; the beginning of its id is enough
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// How many of the last events to begin with
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub(crate) lines: usize,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum EngineCommand {
    /// Be the engine, in the foreground
    Run {
        /// Started by a hook or a command: leave its terminal and its files
        #[arg(long, hide = true)]
        detached: bool,
    },
    /// Whether it runs, with its process id
    Status,
    /// End it; hooks and commands start it again when they need it
    Stop,
    /// End it and start it again
    Restart,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// A folder of projects with memory files, queries and the right answers
    Recall {
        /// The folder: PROJECT/memory/*.md, queries.jsonl, dates.json
        folder: PathBuf,
        /// Also write what was returned for each query, a line of JSON each
        #[arg(long, value_name = "FILE")]
        run: Option<PathBuf>,
    },
    /// The `LoCoMo` file: which sessions hold the evidence for a question
    Locomo {
        /// The file
        file: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Every key with its value, or one
    Get {
        /// For example `engine.idle_exit`
        key: Option<String>,
    },
    /// Set one key
    Set {
        /// For example notice
        key: String,
        /// For example never
        value: String,
    },
    /// Open the file in your editor
    Edit,
    /// Where the file is
    Path,
    /// Set up the model that chooses memories, and ask it once
    Provider(Provider),
}

#[derive(Debug, Default, clap::Args)]
pub(crate) struct Provider {
    /// anthropic, or openai-compatible (`OpenAI`, `OpenRouter`, Ollama, LM Studio, vLLM, llama.cpp)
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// The model's name as the provider spells it; a small, quick one is enough
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Where the provider is, for example `http://localhost:11434/v1`; without it the protocol's home
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// A command that prints the key
    #[arg(long, value_name = "COMMAND", conflicts_with = "key_file")]
    pub(crate) key_command: Option<String>,
    /// A file with the key, of mode 0600
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// Ask the model that is set up once, change nothing
    #[arg(long, conflicts_with_all = ["kind", "model", "url", "key_command", "key_file"])]
    pub(crate) test: bool,
    /// Ask no model any more
    #[arg(long, conflicts_with_all = ["kind", "model", "url", "key_command", "key_file", "test"])]
    pub(crate) off: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectCommand {
    /// The projects that have memory here
    List,
    /// Join this project to the memory of an earlier one: it was moved, or cloned again
    Adopt {
        /// The earlier project's slug or path, as `remora project list` shows it
        #[arg(value_name = "PROJECT")]
        earlier: String,
    },
    /// Switch memory on in this project
    Enable,
    /// Switch memory off in this project: no capture, no recall, nothing
    Disable,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Pause {
    /// Only in this project
    #[arg(long, conflicts_with = "session")]
    pub(crate) here: bool,
    /// Only in the newest session here
    #[arg(long)]
    pub(crate) session: bool,
    /// For so long: 30m, 1h
    #[arg(long, value_name = "TIME")]
    pub(crate) r#for: Option<String>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_journal_without_a_command_takes_what_its_sessions_take() {
        for typed in ["journal --all-projects --limit 3", "journal sessions --all-projects --limit 3"] {
            let read = Arguments::try_parse_from(format!("remora {typed}").split(' ')).expect(typed);
            let Some(Command::Journal(journal)) = read.command else { panic!("{typed}") };
            let sessions = match journal.command {
                Some(JournalCommand::Sessions(sessions)) => sessions,
                _ => journal.sessions,
            };
            assert!(sessions.filters.all_projects && sessions.limit == 3, "{typed}");
        }
        assert!(Arguments::try_parse_from(["remora", "journal", "--limit", "3", "purge", "--yes"]).is_err());
    }

    /// An argument that is called like one of those that every command takes is read as that one.
    #[test]
    fn no_command_has_an_argument_of_a_name_that_all_have() {
        fn look(command: &clap::Command, of_all: &[String]) {
            for argument in command.get_arguments().filter(|argument| !argument.is_global_set()) {
                let id = argument.get_id().as_str();
                assert!(!of_all.iter().any(|name| name == id), "{} {id}", command.get_name());
            }
            command.get_subcommands().for_each(|below| look(below, of_all));
        }
        let command = Arguments::command();
        let of_all = command.get_arguments().filter(|argument| argument.is_global_set());
        let of_all: Vec<String> = of_all.map(|argument| argument.get_id().to_string()).collect();
        assert_eq!(of_all, ["json", "project", "root"]);
        command.get_subcommands().for_each(|below| look(below, &of_all));
        command.debug_assert();
    }
}
