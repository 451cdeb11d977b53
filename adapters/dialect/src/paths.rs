//! The files that a tool's arguments name.

use remora_event::absolute;
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_list_of_paths_gives_each_once() {
        let input = json!({"path": "a", "paths": ["b", "./a", 7, ""], "file": {"x": 1}});
        assert_eq!(named(&["path", "paths", "file"], &input, "/w"), ["/w/a", "/w/b"]);
    }
}
