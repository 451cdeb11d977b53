//! Payloads as no host should send them.

use serde_json::{Value, json};

/// How long a text is that is far longer than expected.
const HUGE: usize = 1024 * 1024;
const HUNDRED_MB: usize = 100 * 1000 * 1000;
const DEEP: usize = 100_000;

/// One damaged payload, with a name for the message of a failed test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// What was done to it, as in `/tool_input/command is null`.
    pub name: String,
    /// What the hook is to be fed.
    pub bytes: Vec<u8>,
}

/// Makes one piece of hostile input from a payload.
type Make = fn(&Value) -> Vec<u8>;

/// The payload with each of its fields, at every depth, once taken out and once of every other type.
pub fn mutations(payload: &Value) -> impl Iterator<Item = Damaged> {
    let whole = payload.clone();
    fields(payload).into_iter().flat_map(move |place| {
        let removed = Damaged { name: format!("{place} is gone"), bytes: bytes(&without(&whole, &place)) };
        let found = whole.pointer(&place).cloned().unwrap_or_default();
        let base = whole.clone();
        let retyped =
            replacements().into_iter().filter(move |(_, value)| *value != found).map(move |(kind, value)| {
                let mut changed = base.clone();
                if let Some(field) = changed.pointer_mut(&place) {
                    *field = value;
                }
                Damaged { name: format!("{place} is {kind}"), bytes: bytes(&changed) }
            });
        std::iter::once(removed).chain(retyped)
    })
}

/// The payload cut off at about `count` places, and each byte before its last few.
pub fn truncations(payload: &[u8], count: usize) -> impl Iterator<Item = Damaged> {
    let length = payload.len();
    let spread = (0..count).map(move |part| length * part / count.max(1));
    let last = length.saturating_sub(4)..length;
    spread.chain(last).map(move |at| Damaged {
        name: format!("cut after {at} of {length} bytes"),
        bytes: payload[..at].to_vec(),
    })
}

/// Input that has nothing to do with a payload, or far too much; made one by one, since one of them is a
/// hundred megabytes. `payload` is what the large one starts with.
pub fn hostile(payload: &Value) -> impl Iterator<Item = Damaged> {
    let payload = payload.clone();
    let made: Vec<(&str, Make)> = vec![
        ("nothing", |_| Vec::new()),
        ("white space", |_| b" \n\t\r\n ".to_vec()),
        ("null", |_| b"null".to_vec()),
        ("a number", |_| b"-1.7e308".to_vec()),
        ("a list", |_| b"[]".to_vec()),
        ("no JSON", |_| b"Segmentation fault (core dumped)\n".to_vec()),
        ("NUL alone", |_| vec![0; 4096]),
        ("NUL in a text", |payload| bytes(&with(payload, json!("a\0b")))),
        ("a lone surrogate", |payload| spliced(payload, br#""\ud800""#)),
        ("invalid UTF-8 in a text", |payload| spliced(payload, b"\"\xff\xfe\xc3(\"")),
        ("invalid UTF-8 alone", |_| vec![0xff; 4096]),
        ("a byte order mark", |payload| [b"\xef\xbb\xbf".to_vec(), bytes(payload)].concat()),
        ("two payloads", |payload| bytes(payload).repeat(2)),
        ("text behind it", |payload| [bytes(payload), b"\nbye".to_vec()].concat()),
        ("a field twice", |payload| spliced(payload, br#"1, "hook_event_name": 1"#)),
        ("lists in lists", |payload| spliced(payload, &[b"[".repeat(DEEP), b"]".repeat(DEEP)].concat())),
        ("lists without an end", |_| b"[".repeat(DEEP)),
        ("objects in objects", |payload| {
            spliced(payload, &[br#"{"a":"#.repeat(DEEP), b"1".to_vec(), b"}".repeat(DEEP)].concat())
        }),
        ("a number without an end", |payload| spliced(payload, &b"9".repeat(HUGE))),
        ("100 MB in a last field", |payload| bytes(&with(payload, json!("x".repeat(HUNDRED_MB))))),
        ("100 MB of no JSON", |_| vec![b'x'; HUNDRED_MB]),
    ];
    made.into_iter().map(move |(name, make)| Damaged { name: name.to_owned(), bytes: make(&payload) })
}

/// The pointers of all fields and items below a value.
fn fields(value: &Value) -> Vec<String> {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, field)| (escaped(name), field)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect(),
        _ => Vec::new(),
    };
    let mut all = Vec::new();
    for (name, field) in inner {
        all.push(format!("/{name}"));
        all.extend(fields(field).into_iter().map(|below| format!("/{name}{below}")));
    }
    all
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn without(whole: &Value, place: &str) -> Value {
    let mut changed = whole.clone();
    let (above, name) = place.rsplit_once('/').unwrap_or(("", place));
    match changed.pointer_mut(above) {
        Some(Value::Object(fields)) => drop(fields.shift_remove(&name.replace("~1", "/").replace("~0", "~"))),
        Some(Value::Array(items)) => drop(name.parse().map(|at: usize| items.remove(at))),
        _ => {}
    }
    changed
}

/// A value of every type, and one far too long.
fn replacements() -> [(&'static str, Value); 8] {
    [
        ("null", Value::Null),
        ("a boolean", json!(true)),
        ("a number", json!(-1.5)),
        ("a text", json!("text")),
        ("an empty text", json!("")),
        ("a list", json!([1, "two", null])),
        ("an object", json!({"unexpected": {"deep": [1]}})),
        ("huge", json!("é".repeat(HUGE / 2))),
    ]
}

fn with(payload: &Value, last: Value) -> Value {
    let mut changed = payload.clone();
    if let Value::Object(fields) = &mut changed {
        fields.insert("remora_last".to_owned(), last);
    }
    changed
}

/// The payload with a last field whose value is written as it stands, JSON or not.
fn spliced(payload: &Value, value: &[u8]) -> Vec<u8> {
    let mut text = bytes(&with(payload, json!(0)));
    text.truncate(text.len().saturating_sub(b"0}".len()));
    [text, value.to_vec(), b"}".to_vec()].concat()
}

fn bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(damaged: impl Iterator<Item = Damaged>) -> Vec<String> {
        damaged.map(|damaged| damaged.name).collect()
    }

    #[test]
    fn every_field_at_every_depth_is_taken_out_and_retyped() {
        let payload = json!({"a": null, "b": {"c/d": [1]}});
        let names = names(mutations(&payload));
        for place in ["/a", "/b", "/b/c~1d", "/b/c~1d/0"] {
            assert!(names.contains(&format!("{place} is gone")), "{place} in {names:?}");
            assert!(names.contains(&format!("{place} is a number")), "{place} in {names:?}");
        }
        assert!(!names.contains(&"/a is null".to_owned()), "that is what it was");
        assert_eq!(names.len(), 4 * 9 - 1);
    }

    #[test]
    fn a_mutation_differs_in_one_place() {
        let payload = json!({"a": 1, "b": {"c": [1, 2]}});
        let find = |name: &str| {
            let found = mutations(&payload).find(|damaged| damaged.name == name).expect("a mutation");
            String::from_utf8(found.bytes).expect("text")
        };
        assert_eq!(find("/b/c/0 is gone"), r#"{"a":1,"b":{"c":[2]}}"#);
        assert_eq!(find("/a is gone"), r#"{"b":{"c":[1,2]}}"#);
        assert_eq!(find("/b/c is null"), r#"{"a":1,"b":{"c":null}}"#);
    }

    #[test]
    fn cuts_are_spread_and_reach_the_end() {
        let cuts: Vec<usize> = truncations(&[b'x'; 100], 4).map(|damaged| damaged.bytes.len()).collect();
        assert_eq!(cuts, [0, 25, 50, 75, 96, 97, 98, 99]);
    }

    #[test]
    fn hostile_input_starts_with_the_payload_where_it_says_so() {
        let payload = json!({"hook_event_name": "Stop"});
        let all: Vec<Damaged> = hostile(&payload).collect();
        let size =
            |name: &str| all.iter().find(|damaged| damaged.name == name).map(|found| found.bytes.len());
        assert!(size("100 MB in a last field").is_some_and(|size| size > HUNDRED_MB));
        assert_eq!(size("nothing"), Some(0));
        let odd = all.iter().find(|damaged| damaged.name == "invalid UTF-8 in a text").expect("it");
        assert!(odd.bytes.starts_with(br#"{"hook_event_name":"Stop","remora_last":"#));
        assert!(std::str::from_utf8(&odd.bytes).is_err());
    }
}
