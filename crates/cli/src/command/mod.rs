//! One module a command: ask, then show.

mod config;
mod demo;
mod doctor;
mod edit;
mod engine;
mod eval;
mod event;
mod export;
mod forget;
mod history;
mod hook;
mod import;
mod install;
mod journal;
mod list;
mod project;
mod purged;
mod recall;
mod remember;
mod review;
mod search;
mod status;
mod tail;
mod trust;
mod why;
mod work;

use clap::CommandFactory as _;

use crate::arguments::{Arguments, Command};
use crate::ask::Engine;
use crate::failure::Failure;
use crate::places::Places;

/// Runs what was typed.
pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    let json = arguments.json;
    let places = Places::find(arguments.root.as_deref())?;
    let asked = Engine::new(places.clone(), arguments.project.as_deref());
    match arguments.command.unwrap_or(Command::Status) {
        Command::Status => status::run(&asked?, json),
        Command::Install(args) => install::run(&asked?, &places, &args, json),
        Command::Uninstall(args) => install::uninstall(&asked?, &places, &args, json),
        Command::Doctor { prove } => doctor::run(&asked?, &places, prove, json),
        Command::Hosts => install::hosts(&places, json),
        Command::Demo => demo::run(json),
        Command::Remember(args) => remember::run(&asked?, &args, json),
        Command::List => list::run(&asked?, json),
        Command::Show { name } => list::show(&asked?, &name, json),
        Command::Edit { name } => edit::run(&asked?, &name, json),
        Command::Pin { name, off } => edit::pin(&asked?, &name, off, json),
        Command::Import(args) => import::run(&asked?, &args, arguments.project.is_some(), json),
        Command::Ingest(args) => import::ingest(&asked?, &args, json),
        Command::Export(args) => export::run(&asked?, &args, json),
        Command::Review(args) => review::run(&asked?, &args, json),
        Command::Undo { all_projects } => forget::undo(&asked?, all_projects, json),
        Command::Forget(args) => forget::run(&asked?, &args, json),
        Command::Recall(args) => recall::run(&asked?, &args, json),
        Command::Search(args) => search::run(&asked?, &args, json),
        Command::Timeline(args) => journal::timeline(&asked?, &args, json),
        Command::Journal(args) => journal::run(&asked?, args, arguments.project.is_some(), json),
        Command::Work(args) => work::run(&asked?, args, json),
        Command::Tail(args) => tail::run(&asked?, &args, json),
        Command::Why(args) => why::run(&asked?, &args, json),
        Command::Config { command } => config::run(|| asked, &places, command, json),
        Command::Project { command } => project::run(&asked?, &places, command, json),
        Command::Pause(args) => project::pause(&asked?, &args, json),
        Command::Resume => project::resume(&asked?, json),
        Command::Eval(command) => eval::run(command, json),
        Command::Event => event::run(&asked?),
        Command::Engine(command) => engine::run(&asked?, &places, command, json),
        Command::Mcp => crate::mcp::run(places, arguments.project),
        Command::Hook { host, event } => hook::run(&host, &event),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Arguments::command(), "remora", &mut std::io::stdout());
            Ok(())
        }
    }
}
