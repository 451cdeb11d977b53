//! Which hosts a run of the tests must not go without.

use super::recipe::HostId;
use super::run::Host;

/// The variable that lists them, separated by commas.
const REQUIRE: &str = "REMORA_REQUIRE_HOSTS";

/// The host, or nothing with a line on standard error that says why the test is skipped.
///
/// # Panics
/// If the host cannot be run and `REMORA_REQUIRE_HOSTS` names it, and if that names a host that does not
/// exist, which would otherwise require nothing in silence.
#[expect(clippy::print_stderr, reason = "a skipped test must say so")]
pub fn host(id: HostId) -> Option<Host> {
    let list = std::env::var(REQUIRE).unwrap_or_default();
    if let Some(name) = unknown(&list) {
        panic!("{REQUIRE} names {name:?}, which is no host of the tests");
    }
    match Host::find(id) {
        Ok(host) => Some(host),
        Err(reason) => {
            assert!(!required(&list, id), "{id} is required by {REQUIRE} but cannot be run: {reason}");
            eprintln!("SKIPPED {id}: {reason}");
            None
        }
    }
}

/// Whether a list such as `claude-code,codex` names a host.
pub fn required(list: &str, id: HostId) -> bool {
    names(list).any(|name| name == id.id())
}

fn unknown(list: &str) -> Option<&str> {
    names(list).find(|name| HostId::ALL.iter().all(|id| id.id() != *name))
}

fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_requires_what_it_names() {
        let list = "claude-code, codex,";
        assert!(required(list, HostId::ClaudeCode) && required(list, HostId::Codex));
        assert!(!required(list, HostId::GeminiCli) && !required("", HostId::ClaudeCode));
        assert_eq!(unknown(list), None);
        assert_eq!(unknown("claude-code,claude"), Some("claude"));
    }
}
