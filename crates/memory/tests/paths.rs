//! Paths of memory files: what is accepted, what is refused and why.

use std::path::Path;

use remora_memory::MemoryPath;

#[test]
fn good_paths() {
    for path in [
        "a.md",
        "feedback_real_db.md",
        "team/a.md",
        "a b.md",
        "数据库.md",
        "café.md",
        "データ.md",
        "a..b.md",
        "a...md",
        "x/y/z.md",
        "100%.md",
        "50%25.md",
        "console.md",
        "nullable.md",
        "com10.md",
        "a-_+=@!#$&'()[]{}^~.md",
        "emoji-😀.md",
    ] {
        assert_eq!(MemoryPath::parse(path).map(|path| path.to_string()), Ok(path.to_owned()));
    }
}

#[test]
fn bad_paths() {
    let long = "x".repeat(256);
    let deep = "a/".repeat(20) + "a.md";
    let huge = "a/".repeat(600);
    let cases = [
        ("", "it is empty"),
        ("/etc/passwd", "it is not relative to the folder"),
        ("~/x.md", "it is not relative to the folder"),
        ("../x.md", "it hides a separator or `..` in another spelling"),
        ("a/../../x.md", "it hides a separator or `..` in another spelling"),
        ("./x.md", "it hides a separator or `..` in another spelling"),
        ("a//b.md", "it hides a separator or `..` in another spelling"),
        ("a/", "it hides a separator or `..` in another spelling"),
        ("%2e%2e%2fx.md", "it hides a separator or `..` in another spelling"),
        ("%2E%2E/x.md", "it hides a separator or `..` in another spelling"),
        ("%252e%252e%252fx.md", "it hides a separator or `..` in another spelling"),
        ("%25252e%25252e%25252fx.md", "it hides a separator or `..` in another spelling"),
        ("a%2fb.md", "it hides a separator or `..` in another spelling"),
        ("a%5cb.md", "it hides a separator or `..` in another spelling"),
        ("a%00.md", "it hides a separator or `..` in another spelling"),
        ("%c0%ae%c0%ae/x.md", "it hides a separator or `..` in another spelling"),
        ("\u{ff0e}\u{ff0e}/x.md", "it hides a separator or `..` in another spelling"),
        ("\u{2025}/x.md", "it hides a separator or `..` in another spelling"),
        ("a\u{ff0f}b.md", "it hides a separator or `..` in another spelling"),
        ("a\u{ff3c}b.md", "it hides a separator or `..` in another spelling"),
        ("\u{ff05}2e\u{ff05}2e\u{ff05}2fx.md", "it hides a separator or `..` in another spelling"),
        ("..\\x.md", "it has a backslash"),
        ("C:x.md", "it has a colon"),
        ("a.md:stream", "it has a colon"),
        ("a\0.md", "it has a control character"),
        ("a\n.md", "it has a control character"),
        ("a\u{1b}[31m.md", "it has a control character"),
        ("a\u{202e}dm.md", "it has an invisible or direction-changing character"),
        ("a\u{200b}.md", "it has an invisible or direction-changing character"),
        ("a\u{feff}.md", "it has an invisible or direction-changing character"),
        ("cafe\u{301}.md", "its Unicode is not in the composed form"),
        ("con.md", "it is a reserved name on Windows"),
        ("team/NUL", "it is a reserved name on Windows"),
        ("COM1.txt.md", "it is a reserved name on Windows"),
        ("com\u{b9}.md", "it is a reserved name on Windows"),
        ("a.md.", "a component begins or ends with a space, or ends with a dot"),
        ("a /b.md", "a component begins or ends with a space, or ends with a dot"),
        (" a.md", "a component begins or ends with a space, or ends with a dot"),
        (".git/hooks/x", "it is hidden"),
        ("team/.env", "it is hidden"),
        ("a?.md", "it has a character that Windows does not allow"),
        ("a|b.md", "it has a character that Windows does not allow"),
        (long.as_str(), "a component is too long"),
        (deep.as_str(), "it is too deep"),
        (huge.as_str(), "it is too long"),
    ];
    let mut wrong = Vec::new();
    for (path, reason) in cases {
        match MemoryPath::parse(path) {
            Ok(_) => wrong.push(format!("{path:?} was accepted")),
            Err(refused) if refused.reason != reason => {
                wrong.push(format!("{path:?} is refused because {}, expected {reason}", refused.reason));
            }
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_person_calls_a_file_is_found_all_the_same() {
    for path in ["a:b.md", "cafe\u{301}.md", "con.md", " a .md", "a\u{200b}.md", ".hidden/a.md"] {
        assert!(MemoryPath::found(path).is_ok(), "{path:?}");
    }
    for path in ["", "/a", "../a", "a/../b", "a//b", "a\0b", "a/."] {
        assert!(MemoryPath::found(path).is_err(), "{path:?}");
    }
}

#[test]
fn a_folder_is_not_one_that_begins_like_it() {
    let path = MemoryPath::parse("a.md").expect("good");
    for folder in ["/data/team", "/data/team/", "/"] {
        let inside = path.inside(Path::new(folder)).expect("inside");
        assert_eq!(inside, Path::new(folder).join("a.md"));
    }
    assert_eq!((path.file_name(), path.parent()), ("a.md", ""));
    let deep = MemoryPath::parse("team/x/a.md").expect("good");
    assert_eq!((deep.file_name(), deep.parent()), ("a.md", "team/x"));
}

#[test]
fn names_that_are_one_file_somewhere_fold_alike() {
    let fold = |path: &str| MemoryPath::found(path).expect("good").fold();
    assert_eq!(fold("Caf\u{e9}.md"), fold("cafe\u{301}.MD"));
    assert_ne!(fold("a.md"), fold("b.md"));
}
