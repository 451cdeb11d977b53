//! Transcripts read as events: what real ones of each host give, what damage does, and definitions that are wrong.

mod damage;
mod definitions;
mod documents;
mod hosts;
mod kept;
