//! Reads memory folders and prints what is in them: `read_folder DIR...`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::path::Path;

use remora_memory::new_memory::{excluded, kind_from_text, too_vague};
use remora_memory::{Error, Folder};

fn main() -> Result<(), Error> {
    for dir in std::env::args().skip(1) {
        let scan = Folder::scan(Path::new(&dir))?;
        println!("== {dir}: {} memories, {} unreadable", scan.memories.len(), scan.unreadable.len());
        for memory in &scan.memories {
            println!("{}\t{}\t{}\t{}", memory.file, memory.kind, memory.name, memory.description);
            for problem in memory.problems.iter().filter(|problem| !problem.what.is_advice()) {
                println!("    {problem}");
            }
            for text in [&memory.description, &memory.body] {
                if let Some(why) = excluded(text) {
                    println!("    would be excluded: {why:?}");
                }
            }
            if let Some(why) = too_vague(&memory.description) {
                println!("    too vague: {why}");
            }
            let guess = kind_from_text(&memory.body);
            if guess != memory.kind {
                println!("    kind from its text alone: {guess}");
            }
        }
        for unreadable in &scan.unreadable {
            println!("  {unreadable}");
        }
        let Some(index) = &scan.index else { continue };
        let pointed = |memory: &&std::sync::Arc<remora_memory::Memory>| {
            index.entries().iter().any(|entry| entry.is_for_memory(memory))
        };
        let without: Vec<_> = scan.memories.iter().filter(|memory| !pointed(memory)).collect();
        println!("index: {} entries, {} memories without one", index.entries().len(), without.len());
        for entry in index.entries() {
            if scan.memory(&entry.file).is_none() {
                println!("  dead pointer in line {}: {}", entry.line, entry.file);
            }
        }
    }
    Ok(())
}
