//! Which folders are watched where transcripts are followed, and which transcripts a piece of news is about.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use remora_transcript::{Definition, Source};

use crate::watch::{Changed, Watch, sub_folders};

/// So many folders are watched, those of the transcripts that were written last before all others.
const MOST: usize = 128;

/// Of more news than this one by one is not looked at: everything is.
const NEWS: usize = 256;

/// Of a folder that has just been made so many below it are looked into, so deep.
const MADE: usize = 32;
const DEEP: usize = 4;

/// So often it is looked again because a folder was not watched yet.
const ROUNDS: usize = 4;

/// What is to be read.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// These transcripts, each with its definition's place in the list.
    pub(super) sources: Vec<(usize, Source)>,
    /// Perhaps more than these.
    pub(super) everything: bool,
}

/// A watch for the folders of transcripts. Nothing is watched yet.
pub(super) fn watch() -> Watch {
    Watch::of(MOST, 0)
}

/// How many folders of each of so many hosts are watched, so that there is room for new ones.
pub(super) fn share(hosts: usize) -> usize {
    (MOST - MADE) / hosts.max(1)
}

/// Watches the folders of one host's transcripts, and gives the transcripts, the one written last at the end. What was
/// written before its folder was watched is among them. `most`: of transcripts, and of folders.
pub(super) fn watched(
    definition: &Definition,
    home: &Path,
    most: (usize, usize),
    watch: &Watch,
) -> Vec<Source> {
    let (sources, folders_left) = most;
    let mut found = definition.sources(home, sources).sources;
    for _ in 0..ROUNDS {
        let mut is_new = watch.on(folders(definition, &found, home, folders_left).into_iter(), true);
        for root in definition.roots(home) {
            is_new |= watch_way(&root, watch).is_new;
        }
        if !is_new {
            break;
        }
        found = definition.sources(home, sources).sources;
    }
    found
}

/// The folders of one host in which those transcripts lie that were written last. `sources`: the one written last at the end.
fn folders(definition: &Definition, sources: &[Source], home: &Path, most: usize) -> Vec<PathBuf> {
    let roots = definition.roots(home);
    let mut folders: Vec<PathBuf> = Vec::new();
    let is_below = |folder: &&Path| roots.iter().any(|root| folder.starts_with(root));
    for source in sources.iter().rev() {
        for folder in source.path.ancestors().skip(1).take_while(is_below) {
            if folders.len() >= most {
                return folders;
            }
            if !folders.iter().any(|known| known == folder) {
                folders.push(folder.to_owned());
            }
        }
    }
    folders
}

/// Watches the folder in which transcripts begin with what is below it, or the one in which it would be made.
fn watch_way(root: &Path, watch: &Watch) -> Below {
    let mut below = Below::default();
    for _ in root.ancestors() {
        let Some(there) = nearest(root) else { break };
        if there == root {
            below.add(watch_below(root, watch));
            break;
        }
        below.is_new |= watch.on(std::iter::once(there.clone()), true);
        // The next may have been made before this one was watched.
        if nearest(root).as_ref() == Some(&there) {
            break;
        }
    }
    below
}

/// A folder that is there: this one, or the one in which it would be made.
fn nearest(folder: &Path) -> Option<PathBuf> {
    let there = folder.ancestors().find(|folder| folder.is_dir())?;
    // Nobody waits for a folder in the root of a machine.
    there.parent().map(|_| there.to_owned())
}

/// What news is about. Folders that are new are watched from now on, with what is in them already. Blocks for a moment.
pub(super) fn heard(changed: &Changed, definitions: &[Arc<Definition>], home: &Path, watch: &Watch) -> Heard {
    let mut heard = Heard { everything: changed.anywhere, ..Heard::default() };
    if changed.paths.len() > NEWS {
        heard.everything = true;
        return heard;
    }
    for (number, definition) in definitions.iter().enumerate() {
        let roots = definition.roots(home);
        for path in &changed.paths {
            let is_inside = roots.iter().any(|root| path.starts_with(root));
            let mut made = Below::default();
            if is_inside && is_folder(path) {
                made = watch_below(path, watch);
            } else if is_inside && definition.is_of_database() {
                heard.everything |= definition.names(home, database(path));
            } else if is_inside {
                heard.sources.extend(source(definition, home, path).map(|source| (number, source)));
            } else {
                let leads_there = roots.iter().filter(|root| root.starts_with(path));
                leads_there.for_each(|root| made.add(watch_way(root, watch)));
            }
            heard.everything |= made.is_more || !made.folders.is_empty() && definition.is_of_database();
            let files = made.folders.iter().flat_map(|folder| files_in(folder)).take(NEWS);
            let sources = files.filter_map(|file| source(definition, home, &file));
            heard.sources.extend(sources.map(|source| (number, source)));
        }
    }
    heard
}

/// The database that a file belongs to: SQLite keeps its log beside it.
fn database(file: &Path) -> &Path {
    let log =
        file.to_str().and_then(|name| ["-wal", "-journal"].iter().find_map(|end| name.strip_suffix(end)));
    log.map_or(file, Path::new)
}

fn source(definition: &Definition, home: &Path, file: &Path) -> Option<Source> {
    definition.source(home, file.to_str()?).ok().flatten()
}

fn is_folder(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Watches a folder and those below it; gives them, and whether there are more. Each is watched before it is looked into,
/// so that nothing that is made meanwhile falls between.
fn watch_below(folder: &Path, watch: &Watch) -> Below {
    let mut below = Below { folders: vec![folder.to_owned()], ..Below::default() };
    let mut level = 0..1;
    for _ in 0..=DEEP {
        for at in level.clone() {
            below.is_new |= watch.on(std::iter::once(below.folders[at].clone()), true);
            below.folders.extend(sub_folders(&below.folders[at], MADE + 1));
            if below.folders.len() > MADE {
                below.folders.truncate(MADE);
                below.is_more = true;
                below.is_new |= watch.on(below.folders[at..].iter().cloned(), true);
                return below;
            }
        }
        level = level.end..below.folders.len();
    }
    below.is_more = !level.is_empty();
    below
}

/// Folders that are watched.
#[derive(Debug, Default)]
struct Below {
    folders: Vec<PathBuf>,
    is_more: bool,
    /// Whether any was not watched before.
    is_new: bool,
}

impl Below {
    fn add(&mut self, other: Self) {
        self.folders.extend(other.folders);
        self.is_more |= other.is_more;
        self.is_new |= other.is_new;
    }
}

fn files_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use remora_profile::HostProfile;

    use super::*;

    fn definition(path: &str) -> Arc<Definition> {
        let text = format!(
            "id = 'own'\n[transcript]\npath = '{path}'\nformat = 'jsonl'\n\
             [[transcript.events]]\nevent = 'prompt'\ntext = 'says'\n"
        );
        let profile: HostProfile = toml::from_str(&text).expect("a profile");
        Arc::new(Definition::of(&profile).expect("a definition").expect("one that is there"))
    }

    fn write(path: &Path) {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, "{}\n").expect("written");
    }

    fn news(paths: &[&Path]) -> Changed {
        let paths: HashSet<PathBuf> = paths.iter().map(|&path| path.to_owned()).collect();
        Changed { paths, anywhere: false }
    }

    #[test]
    fn where_the_first_would_be_made_is_watched_and_what_is_made_on_the_way_is_found() {
        let home = tempfile::tempdir().expect("a home");
        let own = definition("~/.own/sessions/*/{session}.jsonl");
        let watch = watch();
        assert!(watched(&own, home.path(), (10, 10), &watch).is_empty());
        assert!(watch.works(), "the home itself");
        // The home's other folders lead nowhere.
        write(&home.path().join("work/a.jsonl"));
        let on_the_way = news(&[&home.path().join("work"), home.path()]);
        assert!(heard(&on_the_way, &[Arc::clone(&own)], home.path(), &watch).sources.is_empty());
        assert!(!watch.on(std::iter::once(home.path().to_owned()), false), "it is watched");
        assert!(watch.on(std::iter::once(home.path().join("work")), false), "it was not");
        write(&home.path().join(".own/sessions/a/1.jsonl"));
        let made = heard(&news(&[&home.path().join(".own")]), &[Arc::clone(&own)], home.path(), &watch);
        assert_eq!(made.sources.len(), 1, "{made:?}");
        for folder in [".own/sessions", ".own/sessions/a"] {
            assert!(!watch.on(std::iter::once(home.path().join(folder)), false), "{folder} is watched");
        }
    }

    #[test]
    fn many_folders_are_not_all_watched() {
        let home = tempfile::tempdir().expect("a home");
        let own = definition("~/.own/*/{session}.jsonl");
        (0..MOST).for_each(|number| write(&home.path().join(format!(".own/{number}/1.jsonl"))));
        let sources = own.sources(home.path(), 1_000).sources;
        assert_eq!(folders(&own, &sources, home.path(), share(2)).len(), share(2));
    }

    #[test]
    fn news_is_about_the_transcript_that_was_written_or_about_those_in_a_new_folder() {
        let home = tempfile::tempdir().expect("a home");
        let at = |path: &str| home.path().join(path);
        let own = [definition("~/.own/**/{session}.jsonl")];
        for file in [".own/1.jsonl", ".own/2.jsonl", ".own/log.txt", ".own/2026/12/3.jsonl", ".other/4.jsonl"]
        {
            write(&at(file));
        }
        let watch = watch();
        let heard = |paths: &[&Path]| {
            let heard = heard(&news(paths), &own, home.path(), &watch);
            let names = heard.sources.iter().map(|(_, source)| source.path.strip_prefix(home.path()));
            let mut names: Vec<_> = names.map(|name| name.expect("below").display().to_string()).collect();
            names.sort();
            (names, heard.everything)
        };
        assert_eq!(heard(&[&at(".own/1.jsonl"), &at(".own/log.txt")]), (vec![".own/1.jsonl".into()], false));
        assert_eq!(heard(&[&at(".other/4.jsonl"), &at(".other")]), (vec![], false));
        assert!(!watch.works(), "nothing of these is to be watched");
        assert_eq!(heard(&[&at(".own/2026")]), (vec![".own/2026/12/3.jsonl".into()], false));
        assert!(watch.works());
        // Where it begins was made just now.
        let all = [".own/1.jsonl", ".own/2.jsonl", ".own/2026/12/3.jsonl"].map(str::to_owned);
        assert_eq!(heard(&[&at(".own")]), (all.to_vec(), false));
    }

    #[test]
    fn a_database_that_is_written_and_nothing_beside_it_is_news() {
        let home = tempfile::tempdir().expect("a home");
        let text = "id = 'own'\n[transcript]\npath = '~/.own/own.db'\nformat = 'sqlite'\nsessions = 'SELECT 1'\n\
                    records = 'SELECT :session'\n[[transcript.events]]\nevent = 'prompt'\ntext = 'says'\n";
        let profile: HostProfile = toml::from_str(text).expect("a profile");
        let own = [Arc::new(Definition::of(&profile).expect("a definition").expect("one that is there"))];
        for (file, is_news) in
            [("own.db", true), ("own.db-wal", true), ("own.db-shm", false), ("log/a.txt", false)]
        {
            let path = home.path().join(".own").join(file);
            assert_eq!(heard(&news(&[&path]), &own, home.path(), &watch()).everything, is_news, "{file}");
        }
    }

    #[test]
    fn of_too_much_news_everything_is_looked_at() {
        let home = tempfile::tempdir().expect("a home");
        let own = [definition("~/.own/{session}.jsonl")];
        let paths: Vec<PathBuf> = (0..=NEWS).map(|n| home.path().join(format!(".own/{n}.jsonl"))).collect();
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        assert!(heard(&news(&paths), &own, home.path(), &watch()).everything);
        let missed = Changed { anywhere: true, ..Changed::default() };
        assert!(heard(&missed, &own, home.path(), &watch()).everything);
    }
}
