//! Faults that bite whoever runs the tests, root too: no file mode stops root, a full file system does.
//!
//! Each fault proves itself when it is made; one that does not bite is an error, since a test under it
//! would pass for nothing.

mod mount;
mod process;
mod user;

pub use mount::MountFault;
pub use process::{Paused, kill};
pub use user::OtherUser;
