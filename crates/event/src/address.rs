//! Where the engine of a data root listens.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Socket paths over this many bytes do not fit every platform's `sun_path` (104 on macOS, 108 on Linux).
const MAX_SOCKET_PATH: usize = 100;

/// The engine's address. It depends on the data root alone, so that a hook and an engine that were told
/// the same root always meet, whatever their environments say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SocketAddress {
    /// The socket file (or, on Windows, what the pipe's name is made of).
    pub path: PathBuf,
    /// Set when the socket lies in the system's temp folder: this directory must be a real directory of
    /// ours with mode 0700, checked by server and client.
    pub guarded: Option<PathBuf>,
}

impl SocketAddress {
    /// The address for a data root, `<root>/run/s`, or a folder under the system's fixed temp folder
    /// where that is too long. `uid` is the user's id.
    pub fn of(root: &Path, uid: u32) -> Self {
        let near = root.join("run").join("s");
        if near.as_os_str().len() <= MAX_SOCKET_PATH {
            return Self { path: near, guarded: None };
        }
        let folder = PathBuf::from(format!("/tmp/remora-{uid}"));
        Self { path: folder.join(short_hash(root)), guarded: Some(folder) }
    }
}

fn short_hash(root: &Path) -> String {
    let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
    digest[..8].iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_root_has_its_socket_inside() {
        let address = SocketAddress::of(Path::new("/home/dev/.local/share/remora"), 1000);
        assert_eq!(address.path, Path::new("/home/dev/.local/share/remora/run/s"));
        assert_eq!(address.guarded, None);
    }

    #[test]
    fn a_long_root_has_a_short_address_of_its_own() {
        let one = SocketAddress::of(Path::new(&format!("/{}", "a".repeat(150))), 7);
        let two = SocketAddress::of(Path::new(&format!("/{}", "b".repeat(150))), 7);
        assert!(one.path.as_os_str().len() <= MAX_SOCKET_PATH);
        assert_ne!(one.path, two.path);
        assert_eq!(one.guarded.as_deref(), Some(Path::new("/tmp/remora-7")));
    }
}
