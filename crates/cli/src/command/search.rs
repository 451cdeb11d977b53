//! `remora search`.

use serde_json::{Value, json};

use crate::arguments::{Filters, Search};
use crate::ask::Engine;
use crate::failure::Failure;
use crate::output::{self, Style};

pub(super) fn run(engine: &Engine, args: &Search, as_json: bool) -> Result<(), Failure> {
    let mut asked = json!({
        "query": args.query.join(" "), "limit": args.limit, "newest": args.newest, "kind": args.kind,
    });
    args.filters.add_to(&mut asked);
    let value = engine.ask("search", asked)?;
    if as_json {
        output::json(&value);
    } else {
        output::line(render(&value, args).trim_end());
    }
    Ok(())
}

fn render(value: &Value, args: &Search) -> String {
    let hits = output::list(value, "hits");
    if hits.is_empty() {
        let wider =
            if args.filters.all_projects { "" } else { "\n  `--all-projects` looks in all projects." };
        return format!("Nothing found in what happened here.{wider}\n");
    }
    let mut out = String::new();
    for hit in hits {
        out.push_str(&format!(
            "{}  {}\n",
            output::styled(&output::fit(&title(hit), output::width() - 8), Style::Bold),
            output::styled(&format!("#{}", output::number(hit, "id")), Style::Faint),
        ));
        out.push_str(&format!("  {}\n", output::styled(&origin(hit, &args.filters), Style::Faint)));
        let snippet = output::text(hit, "snippet");
        if !snippet.is_empty() && snippet != output::text(hit, "title") {
            out.push_str(&format!("  {}\n", output::fit(&snippet, output::width() - 2)));
        }
    }
    let shown = i64::try_from(hits.len()).unwrap_or(0);
    let total = output::number(value, "total");
    if total > shown {
        let more = if value["more"] == Value::Bool(true) { "more than " } else { "" };
        out.push_str(&format!("{shown} of {more}{}; --limit shows more.\n", output::grouped(total)));
    }
    if let Some(note) = value.get("limited").and_then(Value::as_str) {
        out.push_str(&format!("{}\n", output::plain(note)));
    }
    out
}

/// An entry's line with its paths as a person reads them from where they stand.
pub(super) fn title(entry: &Value) -> String {
    let mut title = output::text(entry, "title").into_owned();
    for path in output::list(entry, "paths").iter().filter_map(Value::as_str) {
        let clean = output::plain(path);
        if title.contains(clean.as_str()) {
            title = title.replace(clean.as_str(), &output::path(path));
        }
    }
    title
}

/// When, where and what an entry is, in one line.
pub(super) fn origin(entry: &Value, filters: &Filters) -> String {
    let mut parts = vec![
        output::moment(&output::text(entry, "at")),
        output::text(entry, "host").into_owned(),
        output::text(entry, "kind").into_owned(),
    ];
    if entry["agent"].is_string() {
        parts.push("by a subagent".to_owned());
    }
    let days = output::list(entry, "days").len();
    if days > 1 {
        parts.push(format!("on {days} days"));
    }
    if filters.may_mix_projects() {
        parts.push(output::text(entry, "project").into_owned());
    }
    parts.join(" · ")
}
