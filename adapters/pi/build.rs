//! Tells the executables which build they are.

fn main() {
    remora_build_id::emit_for_hooks();
}
