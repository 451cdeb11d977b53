//! Prints the stem of each line of standard input, for the script that makes the table of word
//! vectors.
#![allow(clippy::print_stdout, missing_docs)]

fn main() {
    for line in std::io::stdin().lines() {
        println!("{}", remora_recall::analysis::stem(&line.expect("standard input is text")));
    }
}
