//! How the files of an event are written: absolute, wherever a host took them from.

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
}
