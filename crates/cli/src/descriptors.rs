//! File descriptors that a host left open: the engine outlives the host and must not hold its pipes.
//!
//! This module has `unsafe` code. Closing descriptors by number is only sound while nothing in
//! this process owns one, so it is called first thing in the engine's `main`, before any file is opened.

#![expect(unsafe_code, reason = "descriptors that nobody in this process owns can only be closed by number")]

use std::os::fd::{BorrowedFd, RawFd};

/// Closes every descriptor above the standard three.
///
/// Call it before anything in this process opens a file, a socket or a thread.
pub(crate) fn close_inherited() {
    for descriptor in open_above_standard() {
        // SAFETY: nothing in this process has opened a descriptor yet, so no owner is left with a closed one.
        // The folder's own is among them and closed already: it is looked at first.
        unsafe {
            if rustix::io::fcntl_getfd(BorrowedFd::borrow_raw(descriptor)).is_ok() {
                rustix::io::close(descriptor);
            }
        }
    }
}

fn open_above_standard() -> Vec<RawFd> {
    let Ok(entries) = std::fs::read_dir("/dev/fd") else { return Vec::new() };
    entries
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()))
        .filter(|descriptor| *descriptor > 2)
        .collect()
}
