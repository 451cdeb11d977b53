//! What files of credentials say, taken out of a tool call that looked into one or wrote one.

use serde_json::Value;

use crate::is_sensitive_path;

/// Whether what a call answered is not to be kept, since the call is about a file of credentials: what such a file
/// says is no memory, whatever it looks like. Of what the call was given only paths stay then. `paths` are the files
/// that it names; of a call that runs a command, a file named in the command counts as well, and the command stays.
#[must_use]
pub fn withhold_credentials(paths: &[String], runs_command: bool, input: &mut Value) -> bool {
    let names_one = paths.iter().any(|path| is_sensitive_path(path));
    if names_one && let Value::Object(arguments) = &mut *input {
        arguments.retain(|_, value| value.as_str().is_some_and(is_sensitive_path));
    }
    names_one || (runs_command && texts(input).any(names_credentials))
}

fn texts(input: &Value) -> impl Iterator<Item = &str> {
    input.as_object().into_iter().flat_map(|arguments| arguments.values()).filter_map(Value::as_str)
}

fn names_credentials(command: &str) -> bool {
    command_words(command).any(is_sensitive_path)
}

/// The words of a command that may name files, wherever quotes, pipes and assignments put them; empty ones among them.
pub fn command_words(command: &str) -> impl Iterator<Item = &str> {
    command.split(|c: char| c.is_whitespace() || ";|&<>()=\"'`".contains(c))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_of_a_file_with_credentials_is_kept() {
        let mut input = json!({"file_path": "/p/.env", "content": "no secret shape", "n": 1});
        assert!(withhold_credentials(&["/p/.env".to_owned()], false, &mut input));
        assert_eq!(input, json!({"file_path": "/p/.env"}));
    }

    #[test]
    fn a_command_that_names_such_a_file_loses_its_output_and_others_keep_it() {
        for (command, kept) in [
            ("cat .env", false),
            ("cat '/p/.env'|sort", false),
            ("cat <.env", false),
            ("cat README.md", true),
            ("echo environment", true),
        ] {
            let mut input = json!({"command": command});
            assert_eq!(!withhold_credentials(&[], true, &mut input), kept, "{command}");
            assert_eq!(input["command"], command);
        }
    }
}
