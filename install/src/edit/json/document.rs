//! A parsed text: values with their places.

use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::edit::{Problem, position};

/// What is taken besides plain JSON: comments and trailing commas, as every JSONC reader does. Nothing else,
/// because a host would refuse it and an edit would hide that.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// What a host's reader takes. None of them takes a trailing comma.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonReader {
    /// JSON alone.
    Strict,
    /// JSON with comments.
    WithComments,
}

/// A parsed text.
#[derive(Debug)]
pub struct Document<'a> {
    text: &'a str,
    root: Option<Value<'a>>,
}

impl<'a> Document<'a> {
    /// Parses a text. Nothing but white space and comments is a document without a value.
    pub fn parse(text: &'a str) -> Result<Self, Problem> {
        let parsed =
            parse_to_ast(text, &CollectOptions::default(), &OPTIONS).map_err(|e| Problem::Syntax {
                line: e.line_display(),
                column: e.column_display(),
                message: lower_first(&e.kind().to_string()),
            })?;
        Ok(Self { text, root: parsed.value })
    }

    /// Where a text goes beyond what a reader takes, or nothing where it does not. Such a reader drops the
    /// whole file.
    pub fn first_excess(text: &str, reader: JsonReader) -> Option<Problem> {
        let allow_comments = reader == JsonReader::WithComments;
        let taken = ParseOptions { allow_comments, allow_trailing_commas: false, ..OPTIONS };
        let e = parse_to_ast(text, &CollectOptions::default(), &taken).err()?;
        Some(Problem::Syntax {
            line: e.line_display(),
            column: e.column_display(),
            message: lower_first(&e.kind().to_string()),
        })
    }

    /// The text that was parsed.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The root value as plain data, or nothing for an empty text.
    pub fn value(&self) -> Option<serde_json::Value> {
        self.root.as_ref().map(to_value)
    }

    /// The root object; nothing for an empty text.
    pub(super) fn root_object(&self) -> Result<Option<&Object<'a>>, Problem> {
        match &self.root {
            None => Ok(None),
            Some(Value::Object(object)) => Ok(Some(object)),
            Some(other) => Err(self.odd(other.start(), "the file's value is not an object")),
        }
    }

    /// The only member of that name. Two members of one name are refused: which of them counts is the
    /// host's own choice.
    pub(super) fn member<'o>(
        &self,
        object: &'o Object<'a>,
        name: &str,
    ) -> Result<Option<&'o ObjectProp<'a>>, Problem> {
        let mut found = object.properties.iter().filter(|member| member.name.as_str() == name);
        let first = found.next();
        match found.next() {
            Some(second) => Err(self.odd(second.start(), &format!("{name:?} is there twice"))),
            None => Ok(first),
        }
    }

    pub(super) fn odd(&self, offset: usize, message: &str) -> Problem {
        let (line, column) = position(self.text, offset);
        Problem::Shape { line, column, message: message.to_owned() }
    }
}

/// A parsed value as plain data. A number that JSON cannot hold becomes its text.
pub fn to_value(value: &Value<'_>) -> serde_json::Value {
    match value {
        Value::StringLit(text) => text.value.clone().into_owned().into(),
        Value::NumberLit(number) => {
            serde_json::from_str(number.value).unwrap_or_else(|_| number.value.into())
        }
        Value::BooleanLit(truth) => truth.value.into(),
        Value::NullKeyword(_) => serde_json::Value::Null,
        Value::Array(array) => array.elements.iter().map(to_value).collect(),
        Value::Object(object) => object
            .properties
            .iter()
            .map(|member| (member.name.as_str().to_owned(), to_value(&member.value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}

/// The bytes of a parsed node.
pub(super) fn span(node: &impl Ranged) -> Range<usize> {
    node.start()..node.end()
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}
