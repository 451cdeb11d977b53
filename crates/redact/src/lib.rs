//! Text from outside made safe, before it is kept and before it is shown.
//!
//! On the way in, [`clean_text`] and [`clean_value`] take out binary blocks, private spans and secrets, and
//! then cut what is too long. On the way out, [`neutralise`] makes text harmless for a model and a terminal.
//! [`Prompts`] leaves the person's own words of a prompt.
//! [`cut`] and [`cut_to`] shorten without breaking characters, and [`is_sensitive_path`] knows the files
//! whose content is not to be kept at all.
//!
//! Pure functions: no input or output, no clock, no settings but [`Limits`]. No regular expressions, since
//! every hook executable links this crate and scans its whole payload with it: each check is anchored at a
//! known prefix or word and looks at a bounded stretch of text, so that the time stays linear in the input
//! whatever the input is.

mod binary;
mod clean;
mod cut;
mod find;
mod neutralise;
mod own_words;
mod private;
mod secrets;
mod sensitive_path;
mod value;
mod withhold;
mod words;

pub use clean::{Limits, clean_text};
pub use cut::{cut, cut_to};
pub use neutralise::neutralise;
pub use own_words::{Attachment, Preamble, Prompts};
pub use private::strip_private;
pub use secrets::{Finding, find_secrets, redact_secrets};
pub use sensitive_path::is_sensitive_path;
pub use value::clean_value;
pub use withhold::{command_words, withhold_credentials};
