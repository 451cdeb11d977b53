//! Installing and uninstalling on a machine that is made up for each test.

mod doctor;
mod other_hosts;
mod project;
mod proof;
mod property;
mod removal;
mod round_trip;
mod scripts;
mod snapshot;
mod transaction;
mod world;
