//! What the allocator keeps after it was freed, given back to the system.
//!
//! Reading a thousand memories and making their index frees as much as stays, in pieces between what stays: glibc gives
//! back only what lies at the end of its heap, so that an idle engine would hold nearly twice what it needs.

/// Gives back free memory wherever it lies. Takes some milliseconds, during which nobody gets memory: for moments in which
/// nobody waits. Does nothing where the allocator is another one.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator of the C library has no other door")]
pub(crate) fn give_back() {
    // SAFETY: it takes no pointer, and it locks out every other call of the allocator while it runs.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Other allocators give back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}
