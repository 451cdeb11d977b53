//! `<root>/root.toml`: the only place from which the engine learns the person's paths.

use std::path::PathBuf;

use toml_edit::{DocumentMut, value};

use crate::edit::{Problem, position};
use crate::{Environment, Error, Installation};

/// What the engine is told of the person's machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonPaths {
    /// The person's home folder.
    pub home: PathBuf,
    /// The person's configuration file.
    pub config: PathBuf,
    /// The folder of the person's own host profiles.
    pub profiles: PathBuf,
}

impl PersonPaths {
    /// The paths of an environment.
    pub fn of(environment: &Environment) -> Self {
        Self {
            home: environment.home.clone(),
            config: environment.config.join("config.toml"),
            profiles: environment.config.join("hosts"),
        }
    }

    /// The file with these paths in it. Other keys of an existing file stay.
    pub(crate) fn written_into(&self, installation: &Installation, before: &str) -> Result<String, Error> {
        let mut document: DocumentMut = before.parse().map_err(|e: toml_edit::TomlError| {
            let (line, column) = e.span().map_or((1, 1), |span| position(before, span.start));
            Problem::Syntax { line, column, message: e.message().to_owned() }.of(&installation.root_toml())
        })?;
        for (key, path) in [("home", &self.home), ("config", &self.config), ("profiles", &self.profiles)] {
            let text = path.to_str().ok_or_else(|| Error::UnwritablePath(path.clone()))?;
            if document.get(key).and_then(|item| item.as_str()) != Some(text) {
                document[key] = value(text);
            }
        }
        Ok(document.to_string())
    }
}
