//! JSON as it comes: cut, broken or nested too deep, what is whole in it is kept.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Map, Value};

/// Values nested deeper than this are left out. The reader is recursive and refuses 128 levels.
const MAX_DEPTH: usize = 100;

/// An object read as far as it could be understood.
#[derive(Debug, PartialEq)]
pub(crate) struct Read {
    /// The complete leading fields.
    pub(crate) fields: Map<String, Value>,
    /// Whether anything is missing.
    pub(crate) truncated: bool,
}

/// Reads an object, or nothing when `bytes` do not begin one. What follows the object is ignored.
pub(crate) fn read(bytes: &[u8]) -> Option<Read> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = text_of(bytes);
    let (read, problem) = read_text(&text);
    if problem == Some(Category::Syntax)
        && let Some(mended) = without_lone_surrogates(&text)
    {
        return read_text(&mended).0;
    }
    read
}

/// Reads an object that must be whole.
pub(crate) fn read_whole(json: &[u8]) -> Option<Map<String, Value>> {
    let read = read_text(std::str::from_utf8(json).ok()?).0?;
    (!read.truncated).then_some(read.fields)
}

/// The bytes as text: invalid ones are replaced, a character that is cut at the end is left out.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        // Checked here, since the replacing looks at each character even where there is nothing to replace.
        Ok(text) => Cow::Borrowed(text),
        Err(error) if error.error_len().is_none() => String::from_utf8_lossy(&bytes[..error.valid_up_to()]),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// What could be read, and what kind of problem ended the reading.
fn read_text(text: &str) -> (Option<Read>, Option<Category>) {
    let mut value = Value::Null;
    let mut left_out = false;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let fill = Fill { slot: &mut value, depth: 0, left_out: &mut left_out };
    let problem = fill.deserialize(&mut deserializer).err().map(|error| error.classify());
    match value {
        Value::Object(fields) => (Some(Read { fields, truncated: left_out || problem.is_some() }), problem),
        _ => (None, problem),
    }
}

/// Fills a value in place, so that an error leaves what was read before it.
struct Fill<'a> {
    slot: &'a mut Value,
    depth: usize,
    left_out: &'a mut bool,
}

impl<'de> DeserializeSeed<'de> for Fill<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.depth > MAX_DEPTH {
            *self.left_out = true;
            return deserializer.deserialize_ignored_any(IgnoredAny).map(drop);
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Fill<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        *self.slot = value.into();
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        *self.slot = value.into();
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        *self.slot = value.into();
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        *self.slot = value.into();
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        *self.slot = value.into();
        Ok(())
    }

    fn visit_string<E>(self, value: String) -> Result<(), E> {
        *self.slot = value.into();
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        *self.slot = Value::Array(Vec::new());
        let Value::Array(items) = self.slot else { return Ok(()) };
        loop {
            let mut item = Value::Null;
            let fill = Fill { slot: &mut item, depth: self.depth + 1, left_out: self.left_out };
            match sequence.next_element_seed(fill) {
                Ok(Some(())) => items.push(item),
                Ok(None) => return Ok(()),
                Err(error) => {
                    if !item.is_null() {
                        items.push(item);
                    }
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        *self.slot = Value::Object(Map::new());
        let Value::Object(fields) = self.slot else { return Ok(()) };
        while let Some(key) = map.next_key::<String>()? {
            let mut value = Value::Null;
            let fill = Fill { slot: &mut value, depth: self.depth + 1, left_out: self.left_out };
            let outcome = map.next_value_seed(fill);
            if outcome.is_ok() || !value.is_null() {
                fields.insert(key, value);
            }
            outcome?;
        }
        Ok(())
    }
}

/// The text with every half of a surrogate pair that stands alone replaced, or nothing when there is none.
///
/// Hosts written in JavaScript cut texts between the two halves of an emoji and write the half as an
/// escape, which no Rust string can hold. Escape and replacement are equally long.
fn without_lone_surrogates(text: &str) -> Option<Cow<'_, str>> {
    let bytes = text.as_bytes();
    let mut mended: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(step) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        at += step;
        match surrogate(bytes, at) {
            Some(Half::High) if surrogate(bytes, at + 6) == Some(Half::Low) => at += 12,
            Some(_) => {
                let copy = mended.get_or_insert_with(|| bytes.to_vec());
                copy[at + 2..at + 6].copy_from_slice(b"fffd");
                at += 6;
            }
            None => at += 2,
        }
    }
    mended.and_then(|bytes| String::from_utf8(bytes).ok()).map(Cow::Owned)
}

#[derive(PartialEq)]
enum Half {
    High,
    Low,
}

/// Which half the escape at `at` stands for, if it is one.
fn surrogate(bytes: &[u8], at: usize) -> Option<Half> {
    let escape = bytes.get(at..at + 6)?;
    let digits = std::str::from_utf8(escape.strip_prefix(b"\\u")?).ok()?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(Half::High),
        0xdc00..=0xdfff => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_whole_is_kept() {
        for (text, fields, truncated) in [
            (r#"{"a":1,"b":[true,null,"x"]}"#, json!({"a":1,"b":[true,null,"x"]}), false),
            ("\u{feff} {\"a\":1}", json!({"a":1}), false),
            (r#"{"a":1} trailing {"#, json!({"a":1}), false),
            (r#"{"a":1,"b":"cut in the midd"#, json!({"a":1}), true),
            (r#"{"a":1,"b":{"c":"whole","d":"cu"#, json!({"a":1,"b":{"c":"whole"}}), true),
            (r#"{"a":[1,2,"cu"#, json!({"a":[1,2]}), true),
            (r#"{"a":1,"#, json!({"a":1}), true),
            (r#"{"a":1,"b""#, json!({"a":1}), true),
            (r#"{"a":1, b:2}"#, json!({"a":1}), true),
            ("{", json!({}), true),
            (
                r#"{"a":"x\ud83d","b":"\ud83d\ude00","c":"\\ud83d","d":1}"#,
                json!({"a":"x\u{fffd}","b":"😀","c":"\\ud83d","d":1}),
                false,
            ),
        ] {
            let read = read(text.as_bytes()).expect(text);
            assert_eq!((Value::Object(read.fields), read.truncated), (fields, truncated), "{text}");
        }
    }

    #[test]
    fn what_is_no_object_is_nothing() {
        for text in ["", " ", "null", "[1]", "\"x\"", "12", "garbage", "\0\0"] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_value_nested_too_deep_is_left_out_and_the_fields_behind_it_are_kept() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let read = read(format!(r#"{{"a":1,"deep":{deep},"z":2}}"#).as_bytes()).expect("an object");
        assert_eq!((&read.fields["a"], &read.fields["z"]), (&json!(1), &json!(2)));
        assert!(read.truncated);
    }

    #[test]
    fn invalid_utf8_is_replaced() {
        let read = read(b"{\"a\":\"x\xff\xfey\"}").expect("an object");
        assert_eq!(read.fields["a"], json!("x\u{fffd}\u{fffd}y"));
        let read =
            super::read("{\"a\":1,\"b\":\"中".as_bytes().split_last().expect("bytes").1).expect("an object");
        assert_eq!((read.fields, read.truncated), (Map::from_iter([("a".to_owned(), json!(1))]), true));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let _ = read(&bytes);
        }

        #[test]
        fn a_cut_never_invents(cut in 0usize..60) {
            let whole = r#"{"session":"abc","tool":{"name":"Bash","n":[1,2,3]},"é":"ü"}"#;
            let full = read(whole.as_bytes()).expect("whole").fields;
            if let Some(part) = read(&whole.as_bytes()[..cut.min(whole.len())]) {
                for (key, value) in part.fields {
                    if !value.is_object() {
                        proptest::prop_assert_eq!(&value, &full[&key]);
                    }
                }
            }
        }
    }
}
