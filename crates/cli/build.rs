//! Gives the command the identity of the sources it is built from.

fn main() {
    remora_build_id::emit();
}
