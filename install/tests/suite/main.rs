//! Installing and uninstalling on a machine that is made up for each test.

mod before_tools;
mod doctor;
mod every_host;
mod other_hosts;
mod project;
mod proof;
mod property;
mod refusal;
mod removal;
mod round_trip;
mod scripts;
mod server;
mod snapshot;
mod transaction;
mod trust;
mod upgrade;
mod world;
