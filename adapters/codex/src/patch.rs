//! The files that a patch in Codex's own form touches.

use remora_event::absolute;

/// The first line of a patch.
const BEGIN: &str = "*** Begin Patch";

/// Lines that name a file. What a patch puts into a file begins with `+`, `-` or a blank.
const NAMING: [&str; 5] =
    ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "*** Move File: "];

/// The files, absolute, each once; none if the text holds no patch. A patch may stand inside a shell command.
pub(crate) fn paths(text: &str, cwd: &str) -> Vec<String> {
    let Some(start) = text.find(BEGIN) else { return Vec::new() };
    let mut paths = Vec::new();
    for line in text[start..].lines() {
        let named = NAMING.iter().find_map(|naming| line.strip_prefix(naming)).map(str::trim);
        let Some(path) = named.filter(|path| !path.is_empty()) else { continue };
        let path = absolute(path, cwd);
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_a_patch_names_is_found() {
        let patch = "*** Begin Patch\n*** Add File: new.txt\n+*** Add File: not.txt\n+hello\n\
            *** Update File: src/a b.rs\n*** Move to: /abs/ü.rs\n@@ fn x\n-*** Delete File: no\n x\n\
            *** Delete File: ../old.txt\r\n*** Update File: new.txt\n*** Update File: \n*** End Patch\n";
        let touched = ["/w/d/new.txt", "/w/d/src/a b.rs", "/abs/ü.rs", "/w/old.txt"];
        assert_eq!(paths(patch, "/w/d"), touched);
        assert_eq!(paths(&format!("cd x && apply_patch <<'EOF'\n{patch}EOF\n"), "/w/d"), touched);
        assert_eq!(paths("echo '*** Add File: x'", "/w"), [""; 0]);
        assert_eq!(paths("", "/w"), [""; 0]);
    }
}
