//! Reads a benchmark folder: projects with `memory/*.md`, `queries.jsonl`, `dates.json`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use remora_recall::{Document, Kind};
use serde_json::Value;

pub(crate) struct Asked {
    pub(crate) id: String,
    pub(crate) project: String,
    pub(crate) text: String,
    pub(crate) kind: String,
    pub(crate) relevant: Vec<String>,
    pub(crate) neutral: Vec<String>,
    pub(crate) stale: Vec<String>,
}

pub(crate) fn queries(folder: &Path) -> Vec<Asked> {
    let text = fs::read_to_string(folder.join("queries.jsonl")).expect("the folder has queries.jsonl");
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let value: Value = serde_json::from_str(line).expect("each line is JSON");
            let string = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
            let strings = |key: &str| -> Vec<String> {
                let items = value[key].as_array().map(Vec::as_slice).unwrap_or_default();
                items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
            };
            Asked {
                id: string("id"),
                project: string("project"),
                text: string("query"),
                kind: string("kind"),
                relevant: strings("relevant"),
                neutral: strings("ok"),
                stale: strings("stale"),
            }
        })
        .collect()
}

/// The memories of each project.
pub(crate) fn memories(folder: &Path) -> BTreeMap<String, Vec<Document>> {
    let dates: Value = fs::read_to_string(folder.join("dates.json"))
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let mut projects = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("the folder can be listed").flatten() {
        let memory = entry.path().join("memory");
        if !memory.is_dir() {
            continue;
        }
        let project = entry.file_name().to_string_lossy().into_owned();
        let mut documents = Vec::new();
        let mut names: Vec<_> = fs::read_dir(&memory).expect("memory can be listed").flatten().collect();
        names.sort_by_key(std::fs::DirEntry::file_name);
        for file in names {
            let id = file.file_name().to_string_lossy().into_owned();
            if id == "MEMORY.md" || file.path().extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let text = fs::read_to_string(file.path()).expect("a memory can be read");
            let age = dates[&project][&id].as_i64().unwrap_or(0);
            documents.push(document(&id, &text, 20_000 - i32::try_from(age).unwrap_or(0)));
        }
        projects.insert(project, documents);
    }
    projects
}

/// A lenient reading of the head; good enough to measure with.
fn document(id: &str, text: &str, day: i32) -> Document {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let mut document = Document { id: id.to_owned(), kind: Kind::Project, day, ..Document::default() };
    let mut body = String::new();
    let mut rest = text.as_str();
    // A line before the head, and a head twice: everything between the first pair of rules that
    // has a key is head, and so is a second one directly behind it.
    while let Some(start) = rest.find("---\n") {
        let Some(length) = rest[start + 4..].find("\n---") else { break };
        let head = &rest[start + 4..start + 4 + length];
        if !head.contains("name:") && !head.contains("description:") {
            break;
        }
        body.push_str(&rest[..start]);
        read_head(head, &mut document);
        rest = rest[start + 4 + length + 4..].trim_start_matches('\n');
        if !rest.starts_with("---\n") {
            break;
        }
    }
    body.push_str(rest);
    document.links =
        body.split("[[").skip(1).filter_map(|link| Some(link.split_once("]]")?.0.to_owned())).collect();
    document.body = body;
    document
}

fn read_head(head: &str, document: &mut Document) {
    for line in head.lines() {
        let Some((key, value)) = line.trim().split_once(':') else { continue };
        let value = value.trim().trim_matches(['"', '\'']).to_owned();
        match key {
            "name" if document.name.is_empty() => document.name = value,
            "description" if document.description.is_empty() => document.description = value,
            "type" => {
                document.kind = match value.as_str() {
                    "user" => Kind::User,
                    "feedback" => Kind::Feedback,
                    "project" => Kind::Project,
                    "reference" => Kind::Reference,
                    _ => document.kind,
                }
            }
            _ => {}
        }
    }
}
