//! `memory_forget`: one memory, to the trash.

use serde_json::json;

use super::answer::line;
use super::fields::Fields;
use super::link::Link;
use crate::failure::Failure;
use crate::output;

/// The longest name: an id with a file's name.
const NAME: usize = 300;

/// Moves a memory to the trash, if exactly one is called so.
pub(super) async fn call(link: &Link, fields: Fields) -> Result<String, Failure> {
    let name = fields.text("name", NAME)?;
    let value = link.ask_once("forget", json!({"name": name, "exact": true})).await?;
    let forgotten = &value["forgotten"];
    let name = line(&output::text(forgotten, "name"), 200);
    Ok(format!(
        "Forgotten: {name} ({}). It lies in the trash: `{} forget --undo {}` brings it back.\n\
         Tell the person in one line what was forgotten.\n",
        line(&output::text(forgotten, "id"), 300),
        shell_word(&link.command()),
        shell_word(&name),
    ))
}

/// A text as one word of a shell.
fn shell_word(text: &str) -> String {
    let plain = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "/._-+@".contains(c));
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
