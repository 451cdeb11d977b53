//! What hosts really sent to their hooks, and what becomes of it when it is damaged.

mod captured;
mod damaged;

pub use captured::{Payload, captured};
pub use damaged::{Damaged, hostile, mutations, truncations};
