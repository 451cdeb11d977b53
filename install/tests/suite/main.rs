//! Installing and uninstalling on a machine that is made up for each test.

mod round_trip;
mod snapshot;
mod transaction;
mod world;
