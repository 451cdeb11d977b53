//! `remora recall`.

use serde_json::{Value, json};

use crate::arguments::Recall;
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output::{self, Style};

pub(super) fn run(engine: &Engine, args: &Recall, as_json: bool) -> Result<(), Failure> {
    let value =
        engine.ask("recall", json!({"query": args.query.join(" "), "limit": args.limit, "all": args.all}))?;
    if as_json {
        output::json(&value);
    } else {
        output::line(render(&value, args.explain).trim_end());
    }
    Ok(())
}

fn render(value: &Value, explain: bool) -> String {
    let memories = output::list(value, "memories");
    let offered = output::number(value, "offered");
    if memories.is_empty() {
        let known = output::counted(offered, "memory", "memories");
        return format!(
            "Nothing would be recalled: of {known} none clearly helps with this.\n  `--all` shows the nearest ones, `remora search` looks through earlier sessions.\n"
        );
    }
    let mut out = String::new();
    for memory in memories {
        let score = memory.get("score").and_then(Value::as_f64).unwrap_or(0.0);
        out.push_str(&format!(
            "{:.2}  {}  {}\n",
            score,
            output::styled(&output::text(memory, "name"), Style::Bold),
            output::styled(
                &format!(
                    "{} · {} · {}",
                    output::text(memory, "type"),
                    output::text(memory, "scope"),
                    output::age(output::number(memory, "age_days"))
                ),
                Style::Faint
            ),
        ));
        out.push_str(&format!(
            "      {}\n",
            output::fit(&output::text(memory, "description"), output::width() - 6)
        ));
        if explain {
            for reason in output::list(memory, "why") {
                out.push_str(&format!("      · {}\n", output::plain(reason.as_str().unwrap_or_default())));
            }
        }
    }
    out
}
