use remora_memory::reader;
fn main() {
    for dir in std::env::args().skip(1) {
        let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        for path in files {
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            if !file.ends_with(".md") || file.starts_with("MEMORY") { continue; }
            match reader::read_file(&file, &path) {
                Ok(m) => {
                    println!("{}\t{}\t{}\t{}", file, m.kind, m.name, m.description);
                    for p in m.problems.iter().filter(|p| !p.what.is_advice()) { println!("    {p}"); }
                }
                Err(e) => println!("UNREADABLE {e}"),
            }
        }
    }
}
