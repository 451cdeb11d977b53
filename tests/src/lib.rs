//! What the whole-system tests of Remora stand on: a fake model server, real hosts run against it
//! without a network, a hermetic home, the executables under test, faults that bite, and payloads
//! that hosts really sent.
//!
//! Nothing here is part of what people install.

pub mod bench;
pub mod engine;
pub mod error;
pub mod fake_model;
pub mod faults;
pub mod host;
pub mod installation;
pub mod installed;
pub mod journal;
pub mod launch;
pub mod mcp;
pub mod normalise;
pub mod payloads;
pub mod place;
pub mod process;
pub mod session;
pub mod test_home;
pub mod wait;
pub mod workspace;

pub use engine::Engine;
pub use error::{Error, Result};
pub use fake_model::{Call, FakeModel, Recording, Script, Step};
pub use host::{Host, HostId, Options, Run};
pub use installation::Installation;
pub use installed::Installed;
pub use launch::Launch;
pub use normalise::Normaliser;
pub use place::{Place, times};
pub use process::Finished;
pub use session::{Answer, Session};
pub use test_home::TestHome;
pub use wait::wait_until;
