//! The key: read when it is first needed, kept in a form that is never printed.

use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use remora_engine::{KeySource, ModelError};
use reqwest::header::HeaderValue;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;
use tokio::sync::Mutex;

/// A key is never longer.
const LONGEST: u64 = 16 * 1024;
/// How long the command may take that prints the key: it may ask the person for a fingerprint.
const PATIENCE: Duration = Duration::from_secs(20);
/// Where programs lie; a command of the person's may also name a whole path.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/home/linuxbrew/.linuxbrew/bin";

/// A key as a header's value, which its `Debug` does not show.
#[derive(Debug)]
pub(crate) struct Key {
    source: KeySource,
    home: Option<std::path::PathBuf>,
    prefix: &'static str,
    known: Mutex<Option<HeaderValue>>,
}

impl Key {
    /// `prefix`: what stands before the key in the header.
    pub(crate) fn new(source: KeySource, home: Option<std::path::PathBuf>, prefix: &'static str) -> Self {
        Self { source, home, prefix, known: Mutex::default() }
    }

    /// The header's value; nothing where none is needed.
    pub(crate) async fn header(&self) -> Result<Option<HeaderValue>, ModelError> {
        if self.source == KeySource::None {
            return Ok(None);
        }
        let mut known = self.known.lock().await;
        if let Some(header) = &*known {
            return Ok(Some(header.clone()));
        }
        let text = match &self.source {
            KeySource::None => return Ok(None),
            KeySource::File(path) => {
                let path = path.clone();
                let read = tokio::task::spawn_blocking(move || from_file(&path));
                read.await.map_err(|error| ModelError::Key(error.to_string()))??
            }
            KeySource::Command(command) => from_command(command, self.home.as_deref()).await?,
        };
        let header = sealed(self.prefix, &text)?;
        *known = Some(header.clone());
        Ok(Some(header))
    }

    /// Reads it again the next time: the provider did not take it.
    pub(crate) async fn forget(&self) {
        *self.known.lock().await = None;
    }
}

/// The first line that is not empty.
fn sealed(prefix: &str, text: &str) -> Result<HeaderValue, ModelError> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.ok_or_else(|| ModelError::Key("the key is empty".into()))?;
    let mut header = HeaderValue::from_str(&format!("{prefix}{line}"))
        .map_err(|_| ModelError::Key("the key has characters in it that no key has".into()))?;
    header.set_sensitive(true);
    Ok(header)
}

/// Only a file of the person's that nobody else can read.
fn from_file(path: &Path) -> Result<String, ModelError> {
    let wrong = |problem: String| ModelError::Key(format!("the key file {} {problem}", path.display()));
    if !path.is_absolute() {
        return Err(wrong("is not an absolute path".into()));
    }
    let file =
        remora_engine::ordinary::open(path).map_err(|error| wrong(format!("cannot be opened: {error}")))?;
    let found = file.metadata().map_err(|error| wrong(format!("cannot be looked at: {error}")))?;
    if !found.is_file() {
        return Err(wrong("is no file".into()));
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(wrong("belongs to somebody else".into()));
    }
    if found.mode() & 0o077 != 0 {
        return Err(wrong(format!("can be read by others (mode {:o}): chmod 600 it", found.mode() & 0o777)));
    }
    let mut text = String::new();
    file.take(LONGEST)
        .read_to_string(&mut text)
        .map_err(|error| wrong(format!("cannot be read: {error}")))?;
    Ok(text)
}

/// What a command prints. It gets the person's home and the usual path, nothing else of any environment, and does not
/// outlive its patience.
async fn from_command(command: &str, home: Option<&Path>) -> Result<String, ModelError> {
    let wrong = |problem: String| ModelError::Key(format!("provider.key_command {problem}"));
    let mut program = Command::new("/bin/sh");
    program.args(["-c", command]).current_dir("/").env_clear().env("PATH", PATH).process_group(0);
    if let Some(home) = home {
        program.env("HOME", home);
    }
    let spawned =
        program.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true).spawn();
    let mut child = spawned.map_err(|error| wrong(format!("cannot be run: {error}")))?;
    let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
    let out = child.stdout.take().ok_or_else(|| wrong("has no output".into()))?;
    let reading = async {
        let mut text = String::new();
        let read = out.take(LONGEST).read_to_string(&mut text).await;
        let status = child.wait().await;
        (read.map(|_| text), status)
    };
    let Ok((text, status)) = tokio::time::timeout(PATIENCE, reading).await else {
        if let Some(group) = group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        return Err(wrong(format!("has not ended within {} s", PATIENCE.as_secs())));
    };
    match status {
        Ok(status) if status.success() => text.map_err(|error| wrong(format!("prints no text: {error}"))),
        Ok(status) => Err(wrong(format!("ended with {status}"))),
        Err(error) => Err(wrong(format!("cannot be waited for: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[tokio::test]
    async fn a_key_is_read_and_never_printed() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key");
        std::fs::write(&file, "\n  sk-very-secret  \n# a comment\n").expect("written");
        for (mode, fits) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false)] {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("a mode");
            let key = Key::new(KeySource::File(file.clone()), None, "Bearer ");
            let header = key.header().await;
            assert_eq!(header.is_ok(), fits, "{mode:o} {header:?}");
            assert!(!format!("{key:?} {header:?}").contains("very-secret"));
            if let Ok(Some(header)) = header {
                assert_eq!(header.to_str().ok(), Some("Bearer sk-very-secret"));
            }
        }
        let missing = Key::new(KeySource::File("relative/key".into()), None, "").header().await;
        assert_eq!(missing, Err(ModelError::Key("the key file relative/key is not an absolute path".into())));
    }

    #[tokio::test]
    async fn a_command_prints_the_key_and_sees_nothing_of_the_environment() {
        let home = tempfile::tempdir().expect("a folder");
        let by = |command: &str| Key::new(KeySource::Command(command.into()), Some(home.path().into()), "");
        let value = |header: Option<HeaderValue>| header.and_then(|h| h.to_str().ok().map(str::to_owned));
        let printed = by("echo $HOME").header().await.map(value);
        assert_eq!(printed, Ok(Some(home.path().to_string_lossy().into_owned())));
        let names = by("env | sed 's/=.*//' | sort | tr '\\n' ' '").header().await.map(value);
        assert_eq!(names.map(|names| names.unwrap_or_default().contains("CARGO")), Ok(false));
        for (command, said) in [
            ("exit 3", "provider.key_command ended with exit status: 3"),
            ("true", "the key is empty"),
            ("printf 'a\\001b'", "the key has characters in it that no key has"),
        ] {
            assert_eq!(by(command).header().await, Err(ModelError::Key(said.into())), "{command}");
        }
    }
}
