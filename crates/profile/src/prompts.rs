//! What of a prompt is not the person's: the same names that the host's adapter knows, for whoever reads its
//! transcripts.

use serde::{Deserialize, Serialize};

/// How a host's own words in a prompt are told from the person's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompts {
    /// Elements (`<name>...</name>`) whose whole content is not the person's.
    #[serde(default)]
    pub inserted: Vec<String>,
    /// Beginnings of the names of such elements.
    #[serde(default)]
    pub inserted_prefixes: Vec<String>,
    /// Elements that hold a slash command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Command>,
    /// What an editor puts before the person's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preamble: Option<Preamble>,
    /// What is attached to the person's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attachment: Option<Attachment>,
    /// Beginnings of prompts that the host writes itself.
    #[serde(default)]
    pub synthetic: Vec<String>,
}

/// The elements that hold a slash command's name and its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The element with the name.
    pub name: String,
    /// The element with the arguments.
    pub arguments: String,
}

/// A text before the person's words, up to a heading of theirs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preamble {
    /// What it begins with.
    pub begins: String,
    /// The heading after which the person speaks.
    pub ends: String,
}

/// A text beside the person's words, from one line to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its first line.
    pub begins: String,
    /// Its last line.
    pub ends: String,
}

impl Prompts {
    /// Whether the host wrote this prompt.
    pub fn is_synthetic(&self, prompt: &str) -> bool {
        let start = prompt.trim_start();
        self.synthetic.iter().any(|prefix| !prefix.is_empty() && start.starts_with(prefix.as_str()))
    }

    /// The person's own words of a prompt, or nothing when there are none: what the host and Remora put in is
    /// taken out.
    pub fn own_words(&self, prompt: &str) -> Option<String> {
        if self.is_synthetic(prompt) {
            return None;
        }
        let (inserted, inserted_prefixes) = (borrowed(&self.inserted), borrowed(&self.inserted_prefixes));
        let told = remora_redact::Prompts {
            inserted: &inserted,
            inserted_prefixes: &inserted_prefixes,
            command: self.command.as_ref().map(|command| (command.name.as_str(), command.arguments.as_str())),
            preamble: self
                .preamble
                .as_ref()
                .map(|preamble| remora_redact::Preamble { begins: &preamble.begins, ends: &preamble.ends }),
            attachment: self
                .attachment
                .as_ref()
                .map(|attached| remora_redact::Attachment { begins: &attached.begins, ends: &attached.ends }),
            ..remora_redact::Prompts::PLAIN
        };
        told.own_words(prompt)
    }
}

fn borrowed(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_synthetic_prompt_is_known_by_its_beginning() {
        let prompts = Prompts { synthetic: vec!["<task>".into(), String::new()], ..Prompts::default() };
        assert!(prompts.is_synthetic(" \n<task>x"));
        assert!(!prompts.is_synthetic("what is <task>?"));
        assert_eq!(prompts.own_words("<task>x"), None);
    }

    #[test]
    fn only_the_person_s_words_are_left() {
        let text = "inserted = ['hook_context']\ninserted_prefixes = ['ide_', 'command-']\n\
                    command = { name = 'command-name', arguments = 'command-args' }\n\
                    preamble = { begins = '# From my editor:', ends = '## My request:' }\n\
                    attachment = { begins = '--- Files ---', ends = '--- End ---' }";
        let prompts: Prompts = toml::from_str(text).expect("names");
        for (prompt, words) in [
            ("<hook_context>x</hook_context>\n\n部署在哪里", Some("部署在哪里")),
            ("<ide_selection>x</ide_selection>fix it", Some("fix it")),
            ("<command-name>/review</command-name><command-args>now</command-args>", Some("/review now")),
            ("# From my editor:\nx\n## My request:\ngo", Some("go")),
            ("read @a\n--- Files ---\nx\n--- End ---", Some("read @a")),
            ("<remora-guidance>\nx\n</remora-guidance>", None),
        ] {
            assert_eq!(prompts.own_words(prompt).as_deref(), words, "{prompt}");
        }
    }
}
