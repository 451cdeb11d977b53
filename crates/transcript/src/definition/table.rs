//! One table of a definition, read key by key, with errors that name the key.

use serde_json::{Map, Value};

use crate::error::DefinitionError;
use crate::path::FieldPath;

/// A table and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Table<'a> {
    values: &'a Map<String, Value>,
    host: &'a str,
    file: &'a str,
    key: String,
}

impl<'a> Table<'a> {
    pub(crate) fn new(values: &'a Map<String, Value>, host: &'a str, file: &'a str, key: &str) -> Self {
        Self { values, host, file, key: key.to_owned() }
    }

    /// What is wrong at a key of this table; of the table itself where the key is empty.
    pub(crate) fn error(&self, key: &str, problem: String) -> DefinitionError {
        let key = match (self.key.as_str(), key) {
            (above, "") => above.to_owned(),
            ("", key) => key.to_owned(),
            (above, key) => format!("{above}.{key}"),
        };
        DefinitionError { host: self.host.to_owned(), file: self.file.to_owned(), key, problem }
    }

    pub(crate) fn missing(&self, key: &str) -> DefinitionError {
        self.error(key, "is missing".to_owned())
    }

    /// Refuses any other key.
    pub(crate) fn only(&self, allowed: &[&str]) -> Result<(), DefinitionError> {
        match self.values.keys().find(|key| !allowed.contains(&key.as_str())) {
            None => Ok(()),
            Some(unknown) => {
                Err(self.error(unknown, format!("is no key here; allowed are {}", allowed.join(", "))))
            }
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a Value> {
        self.values.get(key)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
        self.values.iter()
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<&'a str>, DefinitionError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.error(key, "must be a text".to_owned())),
        }
    }

    pub(crate) fn flag(&self, key: &str) -> Result<bool, DefinitionError> {
        match self.get(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.error(key, "must be true or false".to_owned())),
        }
    }

    /// One of these words.
    pub(crate) fn word(
        &self,
        key: &str,
        words: &[&'static str],
    ) -> Result<Option<&'static str>, DefinitionError> {
        let Some(written) = self.text(key)? else { return Ok(None) };
        match words.iter().find(|word| **word == written) {
            Some(word) => Ok(Some(word)),
            None => {
                Err(self.error(key, format!("{written:?} is not known; allowed are {}", words.join(", "))))
            }
        }
    }

    /// A text, or a list of texts.
    pub(crate) fn texts(&self, key: &str) -> Result<Vec<&'a str>, DefinitionError> {
        match self.get(key) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text]),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| {
                    item.as_str().ok_or_else(|| self.error(key, "must be a list of texts".to_owned()))
                })
                .collect(),
            Some(_) => Err(self.error(key, "must be a text or a list of texts".to_owned())),
        }
    }

    /// A path.
    pub(crate) fn path(&self, key: &str) -> Result<Option<FieldPath>, DefinitionError> {
        let parse = |text| FieldPath::parse(text).map_err(|problem| self.error(key, problem));
        self.text(key)?.map(parse).transpose()
    }

    /// A path, or a list of them.
    pub(crate) fn paths(&self, key: &str) -> Result<Vec<FieldPath>, DefinitionError> {
        let parse = |text| FieldPath::parse(text).map_err(|problem| self.error(key, problem));
        self.texts(key)?.into_iter().map(parse).collect()
    }

    /// A table in this one.
    pub(crate) fn inner(&self, key: &str) -> Result<Self, DefinitionError> {
        match self.get(key) {
            Some(Value::Object(values)) => Ok(self.below(key, values)),
            Some(_) => Err(self.error(key, "must be a table".to_owned())),
            None => Err(self.missing(key)),
        }
    }

    /// A list of tables in this one.
    pub(crate) fn list(&self, key: &str) -> Result<Vec<Self>, DefinitionError> {
        match self.get(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => items
                .iter()
                .enumerate()
                .map(|(place, item)| match item {
                    Value::Object(values) => Ok(self.below(&format!("{key}[{place}]"), values)),
                    _ => Err(self.error(&format!("{key}[{place}]"), "must be a table".to_owned())),
                })
                .collect(),
            Some(_) => Err(self.error(key, "must be a list of tables".to_owned())),
        }
    }

    /// A table that stands at a key of this one.
    pub(crate) fn below(&self, key: &str, values: &'a Map<String, Value>) -> Self {
        Self { values, host: self.host, file: self.file, key: self.error(key, String::new()).key }
    }
}
