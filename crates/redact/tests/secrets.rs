//! What is a secret and what only looks like one, as two tables.

mod tables;

use remora_redact::{find_secrets, redact_secrets};
use tables::{INNOCENT, NAMES, PLACES, TOKENS, key_blocks};

#[test]
fn every_secret_is_redacted() {
    let blocks = key_blocks();
    let cases = [TOKENS, PLACES, NAMES].concat();
    let cases = cases.iter().map(|(text, wanted)| (*text, *wanted));
    let cases = cases.chain(blocks.iter().map(|(text, wanted)| (text.as_str(), wanted.as_str())));
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (text, wanted) in cases {
        count += 1;
        let got = redact_secrets(text);
        if got != wanted {
            wrong.push(format!("{text}\n    wanted {wanted}\n    got    {got}"));
        }
        assert_eq!(redact_secrets(&got), got, "redacting again changes {got}");
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    let wrong: Vec<String> = INNOCENT
        .iter()
        .filter(|text| redact_secrets(text) != **text)
        .map(|text| format!("{text}\n    got {}", redact_secrets(text)))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), INNOCENT.len(), wrong.join("\n"));
}

#[test]
fn a_finding_says_where_and_what() {
    let text = "token für 密码: DB_PASSWORD=s3cr3t ende";
    let findings = find_secrets(text);
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].kind, &text[findings[0].range.clone()]), ("password", "s3cr3t"));
}
