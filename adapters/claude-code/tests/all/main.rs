//! Claude Code's hooks: captured payloads through the parser, and the real executables against an engine
//! that a test plays.

mod captures;
mod commands;
mod delivery;
mod engine;
mod faults;
mod input;
mod outputs;
mod starting;
mod tolerance;
mod world;
