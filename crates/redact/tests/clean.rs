//! From what came in to what may be kept.

use proptest::prelude::*;
use remora_redact::{Limits, clean_text, clean_value, find_secrets, redact_secrets};
use serde_json::{Value, json};

const TOKEN: &str = concat!("ghp", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
const REDACTED: &str = "[redacted: github token]";

/// Base64 without the signs of writing, as a picture is.
fn picture(len: usize) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 42_u32;
    (0..len)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(ALPHABET[(state >> 26) as usize])
        })
        .collect()
}

fn cleaned(mut value: Value) -> Value {
    clean_value(&mut value, Limits::default());
    value
}

#[test]
fn everything_is_cleaned_in_one_pass() {
    let data = picture(4000);
    let value = cleaned(json!({
        "tool_name": "Read",
        "tool_input": {"command": format!("git push https://me:{TOKEN}@host"), "password": "letmein"},
        "tool_response": {"type": "image", "file": {"base64": data, "type": "image/jpeg", "originalSize": 3000}},
        "prompt": "my <private>address</private> is secret",
        "content": [
            {"type": "text", "text": "a caption"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}},
            {"type": "image_url", "image_url": {"url": format!("data:image/webp;base64,{data}")}},
            {"type": "input_image", "image_url": format!("data:image/gif;base64,{data}")},
            {"inlineData": {"mimeType": "application/pdf", "data": data}},
        ],
        "env": [{"name": "DB_PASSWORD", "value": "plainword"}, {"name": "PORT", "value": "5432"}],
        "max_tokens": 4096,
    }));
    insta::assert_json_snapshot!(value, {".**.sha256" => "(digest)"}, @r#"
    {
      "tool_name": "Read",
      "tool_input": {
        "command": "git push https://me:[redacted: github token]@host",
        "password": "[redacted: password]"
      },
      "tool_response": {
        "elided": true,
        "media_type": "image/jpeg",
        "bytes": 3000,
        "sha256": "(digest)"
      },
      "prompt": "my [private] is secret",
      "content": [
        {
          "type": "text",
          "text": "a caption"
        },
        {
          "elided": true,
          "media_type": "image/png",
          "bytes": 3000,
          "sha256": "(digest)"
        },
        {
          "type": "image_url",
          "image_url": {
            "url": {
              "elided": true,
              "media_type": "image/webp",
              "bytes": 3000,
              "sha256": "(digest)"
            }
          }
        },
        {
          "type": "input_image",
          "image_url": {
            "elided": true,
            "media_type": "image/gif",
            "bytes": 3000,
            "sha256": "(digest)"
          }
        },
        {
          "inlineData": {
            "elided": true,
            "media_type": "application/pdf",
            "bytes": 3000,
            "sha256": "(digest)"
          }
        }
      ],
      "env": [
        {
          "name": "DB_PASSWORD",
          "value": "[redacted: password]"
        },
        {
          "name": "PORT",
          "value": "5432"
        }
      ],
      "max_tokens": 4096
    }
    "#);
}

#[test]
fn what_is_found_in_a_text_is_found_in_a_value() {
    for (value, wanted) in [
        (json!(TOKEN), json!(REDACTED)),
        (json!({"a": [[{"b": TOKEN}]]}), json!({"a": [[{"b": REDACTED}]]})),
        (json!({TOKEN: 1}), json!({REDACTED: 1})),
        (json!({"api_key": "a1b2c3d4e5"}), json!({"api_key": "[redacted: key]"})),
        (
            json!({"authorization": "Bearer a1B2c3D4e5F6g7H8i9J0"}),
            json!({"authorization": "Bearer [redacted: bearer token]"}),
        ),
        (json!({"token": TOKEN}), json!({"token": REDACTED})),
        (json!({"password": 1234}), json!({"password": 1234})),
        (json!({"password": ""}), json!({"password": ""})),
        (json!({"password": {"type": "string"}}), json!({"password": {"type": "string"}})),
        (json!({"password": "string"}), json!({"password": "string"})),
        (json!({"password": "${PASSWORD}"}), json!({"password": "${PASSWORD}"})),
        (
            json!({"token": "431a39eb-3471-47f3-90e3-7b0f1e1585fa"}),
            json!({"token": "431a39eb-3471-47f3-90e3-7b0f1e1585fa"}),
        ),
        (
            json!({"session_id": "431a39eb-3471-47f3-90e3-7b0f1e1585fa"}),
            json!({"session_id": "431a39eb-3471-47f3-90e3-7b0f1e1585fa"}),
        ),
        (json!({"stdout": "DB_PASSWORD=hunter2\n"}), json!({"stdout": "DB_PASSWORD=[redacted: password]\n"})),
        (json!([null, true, 1.5, "plain"]), json!([null, true, 1.5, "plain"])),
    ] {
        assert_eq!(cleaned(value.clone()), wanted, "{value}");
    }
}

#[test]
fn a_picture_goes_before_the_text_is_cut() {
    let text = format!("before {} after", picture(100_000));
    let clean = clean_text(&text, Limits { text: 200 });
    assert!(clean.starts_with("before [elided: application/octet-stream, 75000 bytes, sha256 "), "{clean}");
    assert!(clean.ends_with("] after"), "{clean}");
}

#[test]
fn a_secret_is_taken_out_before_a_cut_could_halve_it() {
    for at in 0..400 {
        let text = format!("{}{TOKEN} {}", " ".repeat(at), "x ".repeat(300));
        let clean = clean_text(&text, Limits { text: 400 });
        assert!(!clean.contains("ghp_"), "{at}: {clean}");
    }
}

#[test]
fn depth_is_no_danger() {
    let mut value = json!(TOKEN);
    for level in 0..200_000 {
        let object = level % 2 == 0;
        value = if object {
            Value::Object([("k".to_owned(), value)].into_iter().collect())
        } else {
            Value::Array(vec![value])
        };
    }
    clean_value(&mut value, Limits::default());
    // Dropping recurses, so that it is taken apart by hand.
    while value.is_array() || value.is_object() {
        value = match value {
            Value::Array(mut items) => items.pop().expect("one item"),
            Value::Object(mut object) => object.remove("k").expect("one field"),
            other => other,
        };
    }
    assert_eq!(value, json!(REDACTED));
}

#[test]
fn of_a_huge_text_both_ends_are_clean() {
    let key = (picture(64) + "\n").repeat(40);
    let limits = Limits { text: 1000 };
    let filler = "nothing to see here\n".repeat(10_000);
    for (text, gone) in [
        // Near either end, and where the kept part ends.
        (format!("{TOKEN} {filler}"), "ghp_"),
        (format!("{filler} {TOKEN}"), "ghp_"),
        (format!("{}{TOKEN} {filler}", "x ".repeat(230)), "ghp_"),
        (format!("{filler} {TOKEN}{}", " x".repeat(230)), "ghp_"),
        // A key that begins in what is kept and ends beyond the margin, and the other way round.
        (format!("-----BEGIN RSA PRIVATE KEY-----\n{}{filler}", key.repeat(20)), "MII"),
        (format!("{filler}{}-----END RSA PRIVATE KEY-----", key.repeat(20)), "END RSA"),
        // A private span that opens long before the tail and is closed in it, or never.
        (format!("<private>{filler}family</private> end"), "family"),
        (format!("start <private>{filler}family"), "family"),
    ] {
        let clean = clean_text(&text, limits);
        assert!(!clean.contains(gone), "{gone}: {clean}");
        assert!(!clean.contains(&picture(64)), "{clean}");
        assert!(clean.chars().count() <= limits.text);
        assert_eq!(clean_text(&clean, limits), clean);
    }
}

#[test]
fn of_a_huge_text_the_marker_counts_what_is_missing() {
    let text = "é".repeat(300_000);
    let clean = clean_text(&text, Limits::default());
    let kept = clean.chars().filter(|&char| char == 'é').count();
    assert!(clean.contains(&format!("\n[... {} characters missing ...]\n", 300_000 - kept)));
    assert!((15_900..=16_000).contains(&clean.chars().count()));
}

/// Text full of what the checks look for.
fn risky() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(TOKEN.to_owned()),
        Just(concat!("AKIA", "Q3EGKRPWZVYTNMLB").to_owned()),
        Just(concat!("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3ODkwIn0").to_owned()),
        Just("-----BEGIN RSA PRIVATE KEY-----\n".to_owned()),
        Just("\n-----END RSA PRIVATE KEY-----".to_owned()),
        Just("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".to_owned()),
        Just("password".to_owned()),
        Just("API_KEY".to_owned()),
        Just("密码是".to_owned()),
        Just("https://me:".to_owned()),
        Just("curl -u ".to_owned()),
        Just("Authorization: Bearer ".to_owned()),
        Just("<private>".to_owned()),
        Just("</private>".to_owned()),
        Just("[redacted: ".to_owned()),
        Just("data:image/png;base64,".to_owned()),
        (1000_usize..1100).prop_map(picture),
        "[=: \"'@/.\\\\\n|,>\\]-]{1,3}",
        "[a-zA-Z0-9]{1,24}",
        "[a-zA-Z0-9._~+/=!$%^&*-]{1,40}",
        "(?s).{0,8}",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn what_is_redacted_has_no_secret(text in risky()) {
        let redacted = redact_secrets(&text);
        prop_assert_eq!(find_secrets(&redacted), vec![]);
        prop_assert_eq!(redact_secrets(&redacted), redacted.clone());
    }

    #[test]
    fn what_is_clean_has_no_secret_and_keeps_the_limit(text in risky(), limit in 0_usize..600) {
        let limits = Limits { text: limit };
        let clean = clean_text(&text, limits);
        prop_assert_eq!(find_secrets(&clean), vec![]);
        prop_assert!(clean.chars().count() <= limit);
        let mut value = json!({"text": text, "list": [text]});
        clean_value(&mut value, limits);
        prop_assert_eq!(&value["text"], &value["list"][0]);
    }

    #[test]
    fn findings_are_in_order_apart_and_on_characters(text in risky()) {
        let mut end = 0;
        for finding in find_secrets(&text) {
            prop_assert!(finding.range.start >= end);
            prop_assert!(!finding.range.is_empty());
            prop_assert!(text.get(finding.range.clone()).is_some());
            end = finding.range.end;
        }
    }

    #[test]
    fn any_text_is_taken(text in "(?s).{0,300}") {
        let _ = clean_text(&text, Limits { text: 100 });
    }
}
