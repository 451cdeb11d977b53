//! Frontmatter as a tree of texts: what stands in the file, in its order, with nothing interpreted.
//!
//! A scalar stays the text that was written (`1.10` is not the number 1.1, `NO` is not a boolean), because
//! a memory belongs to a person and what it says must come back as it was said.

/// One value of the frontmatter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A scalar, unquoted.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A mapping, in the order of the file.
    Map(Fields),
}

impl Value {
    /// The text of a scalar.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::List(_) | Self::Map(_) => None,
        }
    }

    /// A scalar as one text, a list as its texts: people write `supersedes: a` as often as `supersedes: [a]`.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Self::Text(text) if text.trim().is_empty() => Vec::new(),
            Self::Text(text) => vec![text.as_str()],
            Self::List(items) => items.iter().filter_map(Self::text).collect(),
            Self::Map(_) => Vec::new(),
        }
    }

    /// Whether nothing was written: an empty scalar (an unquoted `~` or `null` is read as one), list or mapping.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.trim().is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Map(fields) => fields.is_empty(),
        }
    }
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The key as it is written.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// The line of the key in the file, from 1.
    pub line: usize,
}

/// The fields of one mapping, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fields(pub Vec<Field>);

impl Fields {
    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The fields in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Field> {
        self.0.iter()
    }

    /// The field at a dotted path such as `metadata.type`; the first one where a key is doubled.
    pub fn find(&self, path: &str) -> Option<&Field> {
        if let Some(field) = self.0.iter().find(|field| field.key == path) {
            return Some(field);
        }
        let (head, rest) = path.split_once('.')?;
        match &self.0.iter().find(|field| field.key == head)?.value {
            Value::Map(inner) => inner.find(rest),
            Value::Text(_) | Value::List(_) => None,
        }
    }

    /// The value at a dotted path.
    pub fn get(&self, path: &str) -> Option<&Value> {
        self.find(path).map(|field| &field.value)
    }

    /// The text at a dotted path, if it is a scalar that says something.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.get(path).filter(|value| !value.is_empty()).and_then(Value::text)
    }

    /// The value under `metadata.<key>`, else at the top level: real folders have both.
    pub fn metadata(&self, key: &str) -> Option<&Field> {
        self.find(&format!("metadata.{key}"))
            .or_else(|| self.find(key))
            .filter(|field| !field.value.is_empty())
    }
}

impl<'a> IntoIterator for &'a Fields {
    type Item = &'a Field;
    type IntoIter = std::slice::Iter<'a, Field>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
