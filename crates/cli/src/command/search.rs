//! `remora search`.

use serde_json::{Value, json};

use crate::arguments::Search;
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output::{self, Style};

pub(super) fn run(engine: &Engine, args: &Search, as_json: bool) -> Result<(), Failure> {
    let value = engine.ask(
        "search",
        json!({
            "query": args.query.join(" "), "limit": args.limit,
            "everywhere": args.everywhere, "newest": args.newest,
        }),
    )?;
    if as_json {
        output::json(&value);
    } else {
        output::line(render(&value, args.everywhere).trim_end());
    }
    Ok(())
}

fn render(value: &Value, everywhere: bool) -> String {
    let hits = output::list(value, "hits");
    if hits.is_empty() {
        let wider = if everywhere { "" } else { "\n  `--everywhere` looks in all projects." };
        return format!("Nothing found in what happened here.{wider}\n");
    }
    let mut out = String::new();
    for hit in hits {
        let at = output::text(hit, "at").replace('T', " ");
        out.push_str(&format!(
            "{}  {}\n",
            output::styled(&output::fit(&output::text(hit, "title"), output::width() - 4), Style::Bold),
            output::styled(&format!("#{}", output::number(hit, "id")), Style::Faint),
        ));
        let origin = format!(
            "{} · {} · {}",
            at.get(..16).unwrap_or(&at),
            output::text(hit, "host"),
            output::text(hit, "kind")
        );
        out.push_str(&format!("  {}\n", output::styled(&origin, Style::Faint)));
        let snippet = output::text(hit, "snippet");
        if !snippet.is_empty() && snippet != output::text(hit, "title") {
            out.push_str(&format!("  {}\n", output::fit(&snippet, output::width() - 2)));
        }
    }
    let shown = i64::try_from(hits.len()).unwrap_or(0);
    let total = output::number(value, "total");
    if total > shown {
        out.push_str(&format!("{} of {}; --limit shows more.\n", shown, output::grouped(total)));
    }
    if let Some(note) = value.get("limited").and_then(Value::as_str) {
        out.push_str(&format!("{}\n", output::plain(note)));
    }
    out
}
