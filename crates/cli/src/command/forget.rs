//! `remora forget`.

use serde_json::json;

use crate::arguments::Forget;
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output;

pub(super) fn run(engine: &Engine, args: &Forget, as_json: bool) -> Result<(), Failure> {
    let value =
        engine.ask("forget", json!({"name": args.name, "undo": args.undo, "for_good": args.for_good}))?;
    if as_json {
        output::json(&value);
        return Ok(());
    }
    if args.undo {
        output::line(&format!(
            "Brought back {}: {}",
            output::text(&value["restored"], "name"),
            output::path(&output::text(&value["restored"], "path"))
        ));
    } else if args.for_good {
        let erased = &value["erased"];
        output::line(&format!(
            "Erased {} ({}), with {} in the trash and {} in the ledger.",
            output::text(erased, "name"),
            output::path(&output::text(erased, "path")),
            output::counted(output::number(&value["removed"], "trash"), "copy", "copies"),
            output::counted(output::number(&value["removed"], "ledger"), "line", "lines"),
        ));
        if let Some(note) = value["note"].as_str() {
            output::line(&format!("  {}", output::plain(note)));
        }
    } else {
        output::line(&format!(
            "Forgot {} ({}). `remora forget --undo` brings it back.",
            output::text(&value["forgotten"], "name"),
            output::path(&output::text(&value["forgotten"], "path"))
        ));
    }
    Ok(())
}

/// `remora undo`: takes the last save or forget back, of this project or of any.
pub(super) fn undo(engine: &Engine, everywhere: bool, as_json: bool) -> Result<(), Failure> {
    let value = engine.ask("undo", json!({"everywhere": everywhere}))?;
    if as_json {
        output::json(&value);
        return Ok(());
    }
    let (name, path) = (output::text(&value, "name"), output::path(&output::text(&value, "path")));
    let whose = whose(&value);
    output::line(&match output::text(&value, "undone").as_ref() {
        "saved" => format!("Took back what was saved last {whose}: {name} ({path}) is in the trash."),
        _ => format!("Took back what was forgotten last {whose}: {name} is there again ({path})."),
    });
    Ok(())
}

fn whose(undone: &serde_json::Value) -> String {
    let project = &undone["project"];
    match (output::text(undone, "scope").as_ref(), undone["here"].as_bool(), project["path"].as_str()) {
        ("user", ..) => "about you".to_owned(),
        (_, Some(true), _) => "in this project".to_owned(),
        (_, _, Some(path)) => format!("in the project {}", output::path(path)),
        _ => "in a folder of no known project".to_owned(),
    }
}
