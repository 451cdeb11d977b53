//! The local socket: private to the person, checked on every connection.

use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use interprocess::local_socket::traits::StreamCommon;
use interprocess::local_socket::traits::tokio::Listener as _;
use interprocess::local_socket::{GenericFilePath, ListenerOptions, ToFsName, tokio as local};
use interprocess::os::unix::local_socket::ListenerOptionsExt;
use remora_event::SocketAddress;

/// An accepted connection.
pub(crate) type Connection = local::Stream;

/// The bound socket.
pub(crate) struct Listener {
    inner: local::Listener,
    inode: u64,
}

impl Listener {
    /// The next connection of this very user; others are refused.
    pub(crate) async fn accept(&self) -> io::Result<Connection> {
        let connection = self.inner.accept().await?;
        let ours = rustix::process::geteuid().as_raw();
        match connection.peer_creds()?.euid() {
            Some(theirs) if theirs == ours => Ok(connection),
            _ => Err(io::Error::new(io::ErrorKind::PermissionDenied, "the peer is another user")),
        }
    }

    /// Whether the address still leads to this socket.
    pub(crate) fn is_still_ours(&self, address: &SocketAddress) -> bool {
        inode(&address.path).is_ok_and(|found| found == self.inode)
    }
}

/// Binds the socket with mode 0600. A file left by a dead engine is removed, and only if connecting to it
/// is refused.
pub(crate) fn bind(address: &SocketAddress) -> io::Result<Listener> {
    if let Some(folder) = &address.guarded {
        crate::root::create_private(folder)?;
        verify_guarded(folder)?;
    }
    let inner = match listen(&address.path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && is_stale(address) => {
            std::fs::remove_file(&address.path)?;
            listen(&address.path)?
        }
        listening => listening?,
    };
    Ok(Listener { inner, inode: inode(&address.path)? })
}

/// Whether an engine answers at the address: connecting is not refused.
pub(crate) fn somebody_listens(address: &SocketAddress) -> bool {
    std::os::unix::net::UnixStream::connect(&address.path).is_ok()
}

fn listen(path: &Path) -> io::Result<local::Listener> {
    ListenerOptions::new().name(path.to_fs_name::<GenericFilePath>()?).mode(0o600).create_tokio()
}

fn is_stale(address: &SocketAddress) -> bool {
    let is_socket = std::fs::symlink_metadata(&address.path).is_ok_and(|found| found.file_type().is_socket());
    is_socket
        && matches!(
            std::os::unix::net::UnixStream::connect(&address.path),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused
        )
}

fn inode(path: &Path) -> io::Result<u64> {
    std::fs::symlink_metadata(path).map(|found| found.ino())
}

/// The folder in the system's temp folder must be a real directory, ours, and closed to everybody else.
fn verify_guarded(folder: &Path) -> io::Result<()> {
    let found = std::fs::symlink_metadata(folder)?;
    let ours =
        found.is_dir() && found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o077 == 0;
    if ours {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!(
            "{} is not a private folder of this user: remove it or move the data root to a shorter path",
            folder.display()
        ),
    ))
}
