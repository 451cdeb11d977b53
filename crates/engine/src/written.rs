//! What a model itself wrote into a memory folder: looked at at once, mended at the end of its turn.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use remora_event::{Event, EventKind, ToolKind};
use remora_memory::edit::{self, NewValue};
use remora_memory::index::{Index, MAX_BYTES, MAX_LINE_CHARS, MAX_LINES, is_index_file};
use remora_memory::{By, Memory, dates, new_memory, reader};
use remora_recall::similar::normal_content;
use serde_json::Value;

use crate::config::ChosenFolder;
use crate::engine::{Engine, blocking};
use crate::error::EngineError;
use crate::injection::one_line;
use crate::journal::SessionRow;
use crate::memories::{Freshness, Shelf};
use crate::redaction::Redaction;
use crate::review::{Candidate, Put, What};
use crate::{clock, file_keeper, texts, touched, turn};

/// Longer bodies are documents: recall gives only their beginning.
const LONG_BODY: usize = 30_000;

/// The time of a file may lag behind the clock by so much, in milliseconds.
const CLOCK_TICK: i64 = 20;

/// A folder into which a model may write.
#[derive(Debug, Clone)]
struct Folder {
    path: PathBuf,
    /// Where its memories are recalled from, if that is elsewhere: a host's own folder, of which snapshots are taken.
    snapshots: Option<PathBuf>,
    /// Whether it is the host's own, also where it is the memory itself: what is not needed is not added there.
    is_native: bool,
}

/// One file of such a folder.
#[derive(Debug, Clone)]
struct Written {
    folder: Folder,
    file: String,
}

/// What an event wrote into memory: what is to be said of it, one sentence each.
pub(crate) async fn look(engine: &Arc<Engine>, event: &Event, session: Option<&SessionRow>) -> Vec<String> {
    let may_write = event.tool.as_ref().is_some_and(|tool| match tool.kind {
        ToolKind::Write | ToolKind::Edit => tool.paths.iter().any(|path| is_markdown(Path::new(path))),
        ToolKind::Shell => true,
        _ => false,
    });
    if !may_write || event.probe || event.event != EventKind::PostToolUse {
        return Vec::new();
    }
    let (keeper, event, session) = (Arc::clone(engine), event.clone(), session.cloned());
    let looked = blocking(move || {
        let folders = folders(&keeper, &event.host, session.as_ref());
        let by_shell = by_shell(&keeper, &event, &folders)?;
        // Nothing else is known of what a command writes: what it claims must not stand until somebody looks.
        mend_all(&keeper, &by_shell, &event.host);
        let mut files = files(&keeper, &event, &folders);
        add(&mut files, by_shell);
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let outside = keeper.journal().read(|journal| turn::outside(journal, &event.host, &event.session))?;
        let view = keeper.view(
            session.as_ref().map(|row| (row.slug.clone(), PathBuf::from(&row.path))),
            None,
            Freshness::Kept,
        );
        let shelf = keeper.memories().shelf(&view, Freshness::Kept);
        let slug = session.as_ref().map(|row| row.slug.as_str());
        let said = files.iter().filter_map(|written| {
            let held = outside.as_deref().and_then(|tool| hold(&keeper, written, slug, &event.host, tool));
            held.or_else(|| oddities(written, &shelf))
        });
        Ok(said.collect())
    });
    looked.await.unwrap_or_else(|error| {
        tracing::warn!(%error, "what a model wrote into memory could not be looked at");
        Vec::new()
    })
}

/// Mends what a turn wrote and brings the indexes in step. Blocks.
pub(crate) fn settle(engine: &Engine, event: &Event, session: Option<&SessionRow>) {
    let folders = folders(engine, &event.host, session);
    let paths = engine
        .journal()
        .read(|journal| turn::written(journal, event))
        .inspect_err(|error| tracing::warn!(%error, "it is not known what a turn wrote"))
        .unwrap_or_default();
    let mut files = files_of(&paths, &folders);
    let by_shell = engine
        .journal()
        .read(|journal| Ok((turn::commands(journal, event)?, turn::began(journal, event)?)))
        .inspect_err(|error| tracing::warn!(%error, "it is not known what a turn's commands were"))
        .map(|(commands, since)| named(engine, &folders, &commands, since))
        .unwrap_or_default();
    // One that was not known while the turn went on: the command named its folder by a variable.
    let outside = engine.journal().read(|journal| turn::outside(journal, &event.host, &event.session));
    if let Ok(Some(tool)) = outside {
        for written in &by_shell {
            hold(engine, written, session.map(|row| row.slug.as_str()), &event.host, &tool);
        }
    }
    add(&mut files, by_shell);
    mend_all(engine, &files, &event.host);
    for folder in folders.iter().filter(|folder| folder.snapshots.is_none() && folder.path.is_dir()) {
        let own: BTreeSet<String> = files
            .iter()
            .filter(|written| written.folder.path == folder.path && !is_index(&written.file))
            .map(|written| written.file.clone())
            .collect();
        if let Err(error) = engine.memories().settle(&folder.path, own) {
            tracing::warn!(%error, "an index could not be brought in step");
        }
    }
    engine.memories().look_again();
}

/// The folders of a session's memory, and the one that its host keeps by itself.
fn folders(engine: &Engine, host: &str, session: Option<&SessionRow>) -> Vec<Folder> {
    let own = |path, is_native| Folder { path, snapshots: None, is_native };
    let mut folders = vec![own(engine.root().user_memory(), false)];
    let Some(row) = session else { return folders };
    let root = Path::new(&row.path);
    let is_native = matches!(engine.config().memory_dir_of(root), Some(ChosenFolder::Native(_)));
    let memory_dir = engine.memory_dir(&row.slug, root);
    if let Some(path) = engine.native_folder(host, root).filter(|path| *path != memory_dir) {
        let snapshots = Some(engine.root().project(&row.slug).join("imported").join(host));
        folders.push(Folder { path, snapshots, is_native: true });
    }
    folders.push(own(memory_dir, is_native));
    folders
}

/// The memory files that a tool call wrote. Of a shell's doing is only known that its command names the folder.
fn files(engine: &Engine, event: &Event, folders: &[Folder]) -> Vec<Written> {
    let Some(tool) = &event.tool else { return Vec::new() };
    if tool.kind != ToolKind::Shell {
        return files_of(&tool.paths, folders);
    }
    let command = words_of(&tool.input);
    let named = folders.iter().filter(|folder| command.contains(&*folder.path.to_string_lossy()));
    named
        .flat_map(|folder| {
            let fresh = engine.memories().fresh(&folder.path).into_iter();
            fresh.map(|file| Written { folder: folder.clone(), file })
        })
        .collect()
}

/// The files that the command of this event names, in folders that it names, and that changed in its turn.
fn by_shell(engine: &Engine, event: &Event, folders: &[Folder]) -> Result<Vec<Written>, EngineError> {
    let Some(tool) = event.tool.as_ref().filter(|tool| tool.kind == ToolKind::Shell) else {
        return Ok(Vec::new());
    };
    let command = words_of(&tool.input);
    let folders: Vec<Folder> =
        folders.iter().filter(|folder| command.contains(&tail_of(&folder.path))).cloned().collect();
    if folders.is_empty() {
        return Ok(Vec::new());
    }
    let since = engine.journal().read(|journal| turn::began(journal, event))?;
    Ok(named(engine, &folders, std::slice::from_ref(&tool.input), since))
}

/// The end of a folder's path, as it stands behind `~`, a variable or a relative path too.
fn tail_of(folder: &Path) -> String {
    let names: Vec<_> = folder.iter().rev().take(2).map(std::ffi::OsStr::to_string_lossy).collect();
    names.into_iter().rev().collect::<Vec<_>>().join("/")
}

/// The memories in these folders that somebody other than Remora changed since then and that a command names. A
/// command that only reads a file names it too: one that did not change is nobody's doing.
fn named(engine: &Engine, folders: &[Folder], inputs: &[Value], since: i64) -> Vec<Written> {
    if inputs.is_empty() {
        return Vec::new();
    }
    let commands: Vec<String> = inputs.iter().map(words_of).collect();
    let mut found = Vec::new();
    for folder in folders {
        let scan = engine.memories().scanned(&folder.path);
        let files = scan.memories.iter().map(|memory| &memory.file).filter(|file| {
            touched::changed_at(&folder.path.join(file)).is_some_and(|at| at + CLOCK_TICK >= since)
                && commands.iter().any(|command| names(command, file))
        });
        found.extend(files.map(|file| Written { folder: folder.clone(), file: file.clone() }));
    }
    found
}

/// Whether a command names a file, by its last name as a whole word.
fn names(command: &str, file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    command.match_indices(name).any(|(at, _)| {
        let before = command[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
    })
}

/// All texts in a tool's input, each in lines of its own.
fn words_of(input: &Value) -> String {
    texts::all(input).join("\n")
}

fn add(files: &mut Vec<Written>, more: Vec<Written>) {
    for written in more {
        let is_known =
            |other: &Written| other.folder.path == written.folder.path && other.file == written.file;
        if !files.iter().any(is_known) {
            files.push(written);
        }
    }
}

/// Of these paths the Markdown files in one of the folders, by whatever way the path leads there.
fn files_of(paths: &[String], folders: &[Folder]) -> Vec<Written> {
    let mut found: Vec<Written> = Vec::new();
    for path in paths.iter().map(Path::new).filter(|path| is_markdown(path)) {
        let real = path.parent().and_then(|parent| parent.canonicalize().ok());
        let real = real.and_then(|parent| Some(parent.join(path.file_name()?)));
        for folder in folders {
            let is_below = |path: &Path, folder: &Path| path.strip_prefix(folder).ok().map(Path::to_owned);
            let file = is_below(path, &folder.path)
                .or_else(|| is_below(real.as_deref()?, &folder.path.canonicalize().ok()?));
            let Some(file) = file.and_then(|file| file.to_str().map(str::to_owned)) else { continue };
            if !found.iter().any(|other| other.folder.path == folder.path && other.file == file) {
                found.push(Written { folder: folder.clone(), file });
            }
        }
    }
    found
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "md")
}

fn is_index(file: &str) -> bool {
    is_index_file(file.rsplit('/').next().unwrap_or(file))
}

/// Puts a file before the person that was written in a turn that read from outside; says so.
fn hold(engine: &Engine, written: &Written, project: Option<&str>, host: &str, tool: &str) -> Option<String> {
    if is_index(&written.file) {
        return None;
    }
    let path = written.folder.path.join(&written.file);
    let (folder, source) = match &written.folder.snapshots {
        Some(snapshots) => (snapshots.clone(), Some(path)),
        None => (written.folder.path.clone(), None),
    };
    let project = project.filter(|_| folder != engine.root().user_memory());
    let what = What::Written { folder, file: written.file.clone(), source };
    let why = format!("an agent wrote it in a turn that used {}", one_line(tool));
    match engine.memories().review().put(&Candidate::new(project, host, &why, what), None) {
        Ok(Put::Waits(_)) => Some(format!(
            "The memory file {} was written in a turn that used {}: it waits for the person's word and is not recalled until then. Tell them in one line that `remora review` shows it.",
            one_line(&written.file),
            one_line(tool),
        )),
        Ok(Put::Rejected) => None,
        Err(error) => {
            tracing::error!(%error, "a memory could not be put before the person");
            None
        }
    }
}

/// What is odd about a file and cannot be mended without its author.
fn oddities(written: &Written, shelf: &Shelf) -> Option<String> {
    // A host's own folder is its own affair.
    if written.folder.snapshots.is_some() {
        return None;
    }
    let path = written.folder.path.join(&written.file);
    if is_index(&written.file) {
        let text = remora_memory::ordinary::read_to_string(&path).ok()?;
        return sentence("The index", &written.file, &index_oddities(&text));
    }
    let said = match reader::read_file(&written.file, &path) {
        Err(unreadable) => vec![format!("line {}: {}", unreadable.line, unreadable.problem)],
        Ok(memory) => memory_oddities(&memory, &path, shelf),
    };
    sentence("The memory file", &written.file, &said)
}

fn memory_oddities(memory: &Memory, path: &Path, shelf: &Shelf) -> Vec<String> {
    let mut said: Vec<String> = memory.problems.iter().map(ToString::to_string).collect();
    said.extend(new_memory::too_vague(&memory.description).map(str::to_owned));
    said.extend(new_memory::excluded(&memory.body).map(|exclusion| exclusion.reason().to_owned()));
    let length = memory.body.chars().count();
    if length > LONG_BODY {
        said.push(format!("{length} characters are a document: keep the fact, and where the rest is"));
    }
    let content = normal_content(&memory.body);
    let same = shelf
        .entries
        .iter()
        .find(|entry| entry.path != path && normal_content(&entry.memory.body) == content);
    if let Some(same) = same.filter(|_| !content.is_empty()) {
        said.push(format!("it says the same as {}: keep one of the two", same.file));
    }
    said
}

fn index_oddities(text: &str) -> Vec<String> {
    let mut said = Vec::new();
    let index = Index::parse(text);
    if text.lines().count() > MAX_LINES || text.len() > MAX_BYTES {
        said.push(format!(
            "{} lines and {} bytes are more than the {MAX_LINES} lines and {MAX_BYTES} bytes that a session is given: one line a memory, the detail in its file",
            text.lines().count(),
            text.len(),
        ));
    }
    let long = index.entries().iter().filter(|entry| {
        text.lines()
            .nth(entry.line.saturating_sub(1))
            .is_some_and(|line| line.chars().count() > MAX_LINE_CHARS)
    });
    if let Some(first) = long.min_by_key(|entry| entry.line) {
        said.push(format!(
            "line {} is longer than {MAX_LINE_CHARS} characters: the detail belongs into {}",
            first.line, first.file
        ));
    }
    said
}

fn sentence(what: &str, file: &str, said: &[String]) -> Option<String> {
    let listed = said.iter().map(|text| one_line(text)).collect::<Vec<_>>().join("; ");
    (!said.is_empty()).then(|| format!("{what} {} needs a correction: {listed}", one_line(file)))
}

/// Mends these files, but none of a host's own folder of which there are snapshots.
fn mend_all(engine: &Engine, files: &[Written], host: &str) {
    for Written { folder, file } in files {
        if folder.snapshots.is_some() || is_index(file) {
            continue;
        }
        if let Err(error) = mend(folder, file, host, &engine.redaction()) {
            tracing::warn!(%error, file, "a memory that a model wrote could not be mended");
        }
    }
}

/// What needs no author: no secret, absolute dates, and who wrote it.
fn mend(folder: &Folder, file: &str, host: &str, redaction: &Redaction) -> Result<(), EngineError> {
    let path = folder.path.join(file);
    let Ok(memory) = reader::read_file(file, &path) else { return Ok(()) };
    let today = clock::today();
    file_keeper::change(&folder.path, file, |text| {
        let mut text = redaction.text(text);
        let description = dates::absolute_dates(&memory.description, today);
        if description != memory.description {
            text = edit::set(file, &text, "description", NewValue::Text(&description))?;
        }
        let body = reader::read_text(file, &text).map(|memory| memory.body).unwrap_or_default();
        let dated = dates::absolute_dates(&body, today);
        if dated != body {
            text = edit::set_body(file, &text, &dated)?;
        }
        // A model's words do not become the person's because it says so.
        let claims = memory.metadata.by.is_some_and(|by| by != By::Agent);
        if claims || (memory.metadata.by.is_none() && !folder.is_native) {
            text = edit::set_metadata(file, &text, "by", NewValue::Text(By::Agent.as_str()))?;
        }
        if memory.metadata.source.is_none() && !folder.is_native {
            text = edit::set_metadata(file, &text, "source", NewValue::Text(host))?;
        }
        if memory.metadata.created.is_none() && !folder.is_native {
            text = edit::set_metadata(file, &text, "created", NewValue::Text(&today.to_string()))?;
        }
        Ok(text)
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(path: &Path) -> Folder {
        Folder { path: path.to_owned(), snapshots: None, is_native: false }
    }

    fn mended(text: &str, is_native: bool) -> String {
        let temp = tempfile::tempdir().expect("a folder");
        std::fs::write(temp.path().join("a.md"), text).expect("written");
        let folder = Folder { is_native, ..folder(temp.path()) };
        mend(&folder, "a.md", "some-host", &Redaction::default()).expect("mended");
        let text = std::fs::read_to_string(temp.path().join("a.md")).expect("read");
        text.replace(&clock::today().to_string(), "[TODAY]")
    }

    #[test]
    fn what_is_mechanical_is_mended_and_the_rest_stays() {
        let plain =
            "---\nname: a\ndescription: \"Ship: soon\"\ntype: project\nown: 1 # kept\n---\n\nShip it.\n";
        insta::assert_snapshot!(mended(plain, false), @r#"
        ---
        name: a
        description: "Ship: soon"
        type: project
        own: 1 # kept
        metadata:
          by: agent
          source: some-host
          created: [TODAY]
        ---

        Ship it.
        "#);
        assert_eq!(mended(plain, true), plain, "a host's own folder gets nothing that is not needed");
        let claims =
            plain.replace("own: 1 # kept", "metadata:\n  by: person\n  source: me\n  created: 2026-01-01");
        for is_native in [false, true] {
            let mended = mended(&claims, is_native);
            assert_eq!(mended, claims.replace("by: person", "by: agent"));
        }
        let secret = plain.replace("Ship it.", "The token is ghp_16C7e42F292c6912E7710c838347Ae178B4a.");
        assert!(mended(&secret, true).contains("[redacted: "), "{}", mended(&secret, true));
        let relative = plain.replace("Ship it.", "Ship it tomorrow.");
        let once = mended(&relative, true);
        assert!(once.contains("Ship it tomorrow ("), "{once}");
        assert_eq!(mended(&once, true), once, "a date that stands there is not said twice");
    }

    #[test]
    fn a_path_leads_into_a_folder_by_its_name_or_through_a_link() {
        let temp = tempfile::tempdir().expect("a folder");
        let (real, link) = (temp.path().join("real"), temp.path().join("link"));
        std::fs::create_dir(&real).expect("a folder");
        std::os::unix::fs::symlink(&real, &link).expect("a link");
        let found = |path: PathBuf| {
            let paths = [path.to_string_lossy().into_owned()];
            files_of(&paths, &[folder(&real)]).into_iter().map(|written| written.file).collect::<Vec<_>>()
        };
        assert_eq!(found(real.join("sub/a.md")), ["sub/a.md"]);
        assert_eq!(found(link.join("a.md")), ["a.md"]);
        assert_eq!(found(real.join("a.txt")), Vec::<String>::new());
        assert_eq!(found(temp.path().join("real-evil/a.md")), Vec::<String>::new());
    }

    #[test]
    fn a_command_names_a_file_as_a_whole_word() {
        for (command, expected) in [
            ("cat > $M/x.md <<'EOF'", true),
            ("cd m\nx.md", true),
            ("python3 -c \"open('x.md','w')\"", true),
            ("cp a.md m/feedback_x.md", false),
            ("ls m", false),
            ("記憶/x.md", true),
        ] {
            assert_eq!(names(command, "sub/x.md"), expected, "{command}");
        }
        assert_eq!(tail_of(Path::new("/r/projects/slug/memory")), "slug/memory");
        let input = serde_json::json!({"command": ["bash", "-lc", "cat > a.md"], "timeout": 3});
        assert_eq!(words_of(&input).trim_end(), "bash\n-lc\ncat > a.md");
    }

    #[test]
    fn an_index_past_its_caps_is_said() {
        let long = format!("- [A](a.md) — {}\n", "word ".repeat(60));
        assert_eq!(
            index_oddities(&long),
            ["line 1 is longer than 200 characters: the detail belongs into a.md"]
        );
        let many = "- [A](a.md) — b\n".repeat(201);
        assert!(index_oddities(&many)[0].starts_with("201 lines and "), "{:?}", index_oddities(&many));
        assert!(index_oddities("# Index\n\n- [A](a.md) — b\n").is_empty());
    }
}
