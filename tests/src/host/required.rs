//! Which hosts a run of the tests must not go without.

use super::recipe::HostId;
use super::run::Host;

/// The variable that lists them, separated by commas.
const REQUIRE: &str = "REMORA_REQUIRE_HOSTS";

/// The host, or nothing with a line on standard error that says why the test is skipped.
///
/// # Panics
/// If the host cannot be run and `REMORA_REQUIRE_HOSTS` names it.
#[expect(clippy::print_stderr, reason = "a skipped test must say so")]
pub fn host(id: HostId) -> Option<Host> {
    match Host::find(id) {
        Ok(host) => Some(host),
        Err(reason) => {
            let list = std::env::var(REQUIRE).unwrap_or_default();
            assert!(!required(&list, id), "{id} is required by {REQUIRE} but cannot be run: {reason}");
            eprintln!("SKIPPED {id}: {reason}");
            None
        }
    }
}

/// Whether a list such as `claude-code,codex` names a host.
pub fn required(list: &str, id: HostId) -> bool {
    list.split(',').any(|name| name.trim() == id.id())
}
