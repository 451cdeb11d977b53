//! `remora forget`.

use serde_json::json;

use crate::arguments::Forget;
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output;

pub(super) fn run(engine: &Engine, args: &Forget, as_json: bool) -> Result<(), Failure> {
    let value = engine.ask("forget", json!({"name": args.name, "undo": args.undo}))?;
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
    } else {
        output::line(&format!(
            "Forgot {} ({}). `remora forget --undo` brings it back.",
            output::text(&value["forgotten"], "name"),
            output::path(&output::text(&value["forgotten"], "path"))
        ));
    }
    Ok(())
}
