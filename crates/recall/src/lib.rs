//! Choosing which memories help with a request: analysis, ranking, abstention, strength.
//!
//! Everything here is a pure function over a [`Corpus`]: no file, no clock, no network, and no
//! knowledge of any host. What a caller does:
//!
//! ```
//! use remora_recall::{Corpus, Document, Options, Query};
//!
//! let mut corpus = Corpus::default();
//! corpus.put(&Document {
//!     id: "feedback_real_database.md".into(),
//!     name: "real-database-in-integration-tests".into(),
//!     description: "Integration tests must use a real database, never mocks".into(),
//!     ..Document::default()
//! });
//! let outcome = corpus.recall(&Query::new("mock the database in the integration tests"), &Options::default());
//! assert_eq!(outcome.ranked[0].id, "feedback_real_database.md");
//! ```

pub mod analysis;
pub mod calibration;
mod choose;
mod confidence;
mod corpus;
mod document;
pub mod eval;
mod head;
mod lexicon;
mod likeness;
mod meaning;
mod outcome;
pub mod overturned;
mod passage;
mod query;
mod reading;
mod score;
pub mod similar;
pub mod strength;
mod synonyms;
mod units;

pub use choose::Options;
pub use corpus::Corpus;
pub use document::{Document, Kind};
pub use outcome::{Field, Hit, Outcome, Reason, Through};
pub use query::Query;
pub use synonyms::{Synonyms, SynonymsError};
