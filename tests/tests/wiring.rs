//! A test file that is in the folder and in no binary is never run, and nobody notices.

use std::path::Path;

const MAIN: &str = include_str!("main.rs");

#[test]
fn every_file_here_is_a_module_of_the_test_binary() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut files = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder of the tests") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if name == "main" || name.starts_with('.') || path.is_dir() {
            continue;
        }
        files += 1;
        let declared = MAIN.lines().any(|line| line == format!("mod {name};"));
        assert!(declared, "{} is not run: main.rs does not say `mod {name};`", path.display());
    }
    assert!(files > 0, "there are no tests in {}", folder.display());
}
