//! Which project a conversation is about: what the host says that it has open, else where it was started.

use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio::sync::Mutex;

/// How long a host may take to say what it has open, before the folder it was started in is taken.
const PATIENCE: Duration = Duration::from_secs(2);

/// The project of one host's conversation.
#[derive(Debug)]
pub(super) struct Workspace {
    /// The project that was named on the command line.
    named: Option<PathBuf>,
    /// Where the host was started, if that is a project at all.
    cwd: Option<PathBuf>,
    /// The host's first root, once it was asked.
    root: Mutex<Option<Option<PathBuf>>>,
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

    /// The folder that a call is about; none: only what is about the person.
    pub(super) async fn project(&self, context: &RequestContext<RoleServer>) -> Option<PathBuf> {
        if let Some(named) = &self.named {
            return Some(named.clone());
        }
        self.root_of(context).await.or_else(|| self.cwd.clone())
    }

    /// The host opened or closed a folder: it is asked again.
    pub(super) async fn changed(&self) {
        *self.root.lock().await = None;
    }

    #[expect(
        deprecated,
        reason = "the protocol plans to drop roots; hosts say what they have open in no other way"
    )]
    async fn root_of(&self, context: &RequestContext<RoleServer>) -> Option<PathBuf> {
        context.client_capabilities()?.roots?;
        let mut known = self.root.lock().await;
        if let Some(root) = &*known {
            return root.clone();
        }
        let listed = tokio::time::timeout(PATIENCE, context.peer.list_roots()).await.ok()?.ok()?;
        let root = listed.roots.iter().find_map(|root| folder_of_uri(&root.uri));
        *known = Some(root.clone());
        root
    }
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
