//! Which project a conversation is about: what the host says that it has open, else where it was started.

#![expect(
    deprecated,
    reason = "the protocol plans to drop roots; hosts say what they have open in no other way"
)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use rmcp::RoleServer;
use rmcp::model::{InputRequest, InputRequiredResult, InputResponses, ListRootsRequest, ProtocolVersion};
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio::sync::Mutex;

/// How long a host may take to say what it has open, before the folder it was started in is taken.
const PATIENCE: Duration = Duration::from_secs(2);

/// What one call is about.
pub(super) enum Subject {
    /// The project of this folder, and the person.
    Folder(PathBuf),
    /// The person alone.
    Person,
    /// That is to be asked first.
    Unknown(InputRequiredResult),
}

/// The project of one host's conversation.
#[derive(Debug)]
pub(super) struct Workspace {
    /// The project that was named on the command line.
    named: Option<PathBuf>,
    /// Where the host was started, if that is a project at all.
    cwd: Option<PathBuf>,
    root: Mutex<Known>,
}

impl Workspace {
    /// Call it first of all: starting an engine changes the working directory for a moment.
    pub(super) fn new(named: Option<PathBuf>, home: Option<&Path>) -> Self {
        let named = named.and_then(|folder| std::path::absolute(folder).ok());
        let cwd = std::env::current_dir().ok().filter(|folder| may_be_project(folder, home));
        Self { named, cwd, root: Mutex::default() }
    }

    /// Where the conversation began; what the host has open is not asked for.
    pub(super) fn at_start(&self) -> Option<PathBuf> {
        self.named.clone().or_else(|| self.cwd.clone())
    }

    /// What a call is about. `answers`: what the host answered to a question that came instead of an earlier
    /// answer to this very call.
    pub(super) async fn of(
        &self,
        context: &RequestContext<RoleServer>,
        answers: Option<&InputResponses>,
    ) -> Subject {
        if let Some(named) = &self.named {
            return Subject::Folder(named.clone());
        }
        let root = match self.first_root(context, answers).await {
            Root::Open(root) => Some(root),
            Root::None => None,
            Root::Ask(question) => return Subject::Unknown(question),
        };
        root.or_else(|| self.cwd.clone()).map_or(Subject::Person, Subject::Folder)
    }

    /// The host opened or closed a folder: it is asked again.
    pub(super) async fn changed(&self) {
        *self.root.lock().await = Known::NotAsked;
    }

    async fn first_root(
        &self,
        context: &RequestContext<RoleServer>,
        answers: Option<&InputResponses>,
    ) -> Root {
        if context.client_capabilities().is_none_or(|offered| offered.roots.is_none()) {
            return Root::None;
        }
        if context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
            return match answers {
                Some(answers) => first_folder_in(answers.get(ROOTS)),
                None => Root::Ask(question()),
            };
        }
        let mut known = self.root.lock().await;
        if let Known::Answered(root) = &*known {
            return Root::of(root.clone());
        }
        let listed = tokio::time::timeout(PATIENCE, context.peer.list_roots()).await;
        let Ok(Ok(listed)) = listed else { return Root::None };
        let root = listed.roots.iter().find_map(|root| folder_of_uri(&root.uri));
        *known = Known::Answered(root.clone());
        Root::of(root)
    }
}

/// What is known of the host's roots.
#[derive(Debug, Default)]
enum Known {
    #[default]
    NotAsked,
    /// The first one that is a folder here.
    Answered(Option<PathBuf>),
}

/// The host's first root.
enum Root {
    Open(PathBuf),
    None,
    Ask(InputRequiredResult),
}

impl Root {
    fn of(folder: Option<PathBuf>) -> Self {
        folder.map_or(Self::None, Self::Open)
    }
}

/// The name of the one question.
const ROOTS: &str = "roots";

/// From this version of the protocol on a server does not ask by itself: its question comes instead of an
/// answer, and the host calls again with what it was asked for.
fn question() -> InputRequiredResult {
    let roots = InputRequest::ListRoots(ListRootsRequest::default());
    InputRequiredResult::from_input_requests([(ROOTS.to_owned(), roots)].into())
}

fn first_folder_in(answer: Option<&Value>) -> Root {
    let listed = answer.and_then(|answer| answer["roots"].as_array()).into_iter().flatten();
    Root::of(listed.filter_map(|root| root["uri"].as_str()).find_map(folder_of_uri))
}

/// Whether a host that was started in this folder was started in a project: no host is in `/`, in the home
/// folder or above it for a project's sake.
fn may_be_project(folder: &Path, home: Option<&Path>) -> bool {
    folder.is_absolute() && folder.parent().is_some() && !home.is_some_and(|home| home.starts_with(folder))
}

/// The folder that a `file:` address names on this machine, if it is there.
fn folder_of_uri(uri: &str) -> Option<PathBuf> {
    let rest = uri.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("file://")).map(|_| &uri[7..])?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let path = percent_decode_str(path).decode_utf8().ok()?;
    let path = PathBuf::from(path.as_ref());
    (path.is_absolute() && path.is_dir()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_in_the_home_folder_or_above_has_no_project() {
        let home = Some(Path::new("/home/ada"));
        for (folder, is_project) in [
            ("/", false),
            ("/home", false),
            ("/home/ada", false),
            ("/home/ada/work", true),
            ("/home/ad", true),
            ("/srv/code", true),
            ("relative", false),
        ] {
            assert_eq!(may_be_project(Path::new(folder), home), is_project, "{folder}");
        }
        assert!(!may_be_project(Path::new("/"), None));
        assert!(may_be_project(Path::new("/home/ada"), None));
    }

    #[test]
    fn an_address_of_a_folder_becomes_its_path() {
        let temp = std::env::temp_dir().join(format!("remora 記 {}", std::process::id()));
        std::fs::create_dir_all(&temp).expect("a folder");
        let path = temp.to_str().expect("a readable path");
        let encoded = path.replace(' ', "%20").replace('記', "%E8%A8%98");
        for (uri, is_found) in [
            (format!("file://{encoded}"), true),
            (format!("FILE://localhost{encoded}"), true),
            (format!("file://{path}"), true),
            (format!("file://{encoded}#part"), true),
            (format!("file://{encoded}/missing"), false),
            (format!("file://elsewhere{encoded}"), false),
            (format!("https://example.org{encoded}"), false),
            (encoded.clone(), false),
            ("file:".to_owned(), false),
            ("é".repeat(7), false),
        ] {
            assert_eq!(folder_of_uri(&uri), is_found.then(|| temp.clone()), "{uri}");
        }
        std::fs::remove_dir(&temp).expect("an empty folder");
    }
}
