//! The files that a tool's arguments name.

use serde_json::Value;

/// The texts under these keys as paths, absolute, each once. A list gives all its texts.
pub(crate) fn named(keys: &[&str], input: &Value, cwd: &str) -> Vec<String> {
    let texts = keys.iter().filter_map(|key| input.get(key)).flat_map(|value| match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        other => Vec::from_iter(other.as_str()),
    });
    let mut paths: Vec<String> = Vec::new();
    for path in texts.filter(|path| !path.is_empty()).map(|path| absolute(path, cwd)) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// `path` taken from `cwd`, without `.` and `..`; nothing is looked up on the disk.
pub fn absolute(path: &str, cwd: &str) -> String {
    let is_windows = path.get(1..2) == Some(":");
    if is_windows || path.starts_with('~') {
        return path.to_owned();
    }
    let whole = if path.starts_with('/') { path.to_owned() } else { format!("{cwd}/{path}") };
    if cwd.get(1..2) == Some(":") {
        return whole;
    }
    let mut parts = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_are_taken_from_the_working_directory() {
        for (path, cwd, expected) in [
            ("a.rs", "/w/d", "/w/d/a.rs"),
            ("/x/../y/./a", "/w", "/y/a"),
            ("../a", "/w/d", "/w/a"),
            ("../../..", "/w", "/"),
            ("~/a", "/w", "~/a"),
            ("C:\\a", "/w", "C:\\a"),
            ("a", "C:\\w", "C:\\w/a"),
            ("记忆/ä", "/w", "/w/记忆/ä"),
        ] {
            assert_eq!(absolute(path, cwd), expected, "{path}");
        }
    }

    #[test]
    fn a_list_of_paths_gives_each_once() {
        let input = json!({"path": "a", "paths": ["b", "./a", 7, ""], "file": {"x": 1}});
        assert_eq!(named(&["path", "paths", "file"], &input, "/w"), ["/w/a", "/w/b"]);
    }
}
