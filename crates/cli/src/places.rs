//! Where things are for a command that a person types: here, and only here, the person's environment counts.

use std::path::{Path, PathBuf};

use directories::{BaseDirs, ProjectDirs};

use crate::failure::Failure;

/// The folders of the person who types.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    /// The data root.
    pub(crate) root: PathBuf,
    /// The person's home folder.
    pub(crate) home: Option<PathBuf>,
    /// The configuration file.
    pub(crate) config: PathBuf,
    /// The folder of the person's own host profiles.
    pub(crate) profiles: PathBuf,
}

impl Places {
    /// `--root`, else `REMORA_HOME`, else the data root that this program is installed in, else the
    /// platform's folder.
    pub(crate) fn find(root: Option<&Path>) -> Result<Self, Failure> {
        let platform = ProjectDirs::from("", "", "remora");
        let root = root
            .map(Path::to_owned)
            .or_else(|| std::env::var_os("REMORA_HOME").filter(|value| !value.is_empty()).map(PathBuf::from))
            .or_else(installed_in)
            .or_else(|| platform.as_ref().map(|folders| folders.data_dir().to_owned()))
            .ok_or_else(|| {
                Failure::new(
                    "usage",
                    "there is no home folder to keep memory in",
                    "name a folder with --root or REMORA_HOME",
                )
            })?;
        let root = std::path::absolute(&root)?;
        let settings =
            platform.map_or_else(|| root.join("config"), |folders| folders.config_dir().to_owned());
        Ok(Self {
            home: BaseDirs::new().map(|folders| folders.home_dir().to_owned()),
            config: settings.join("config.toml"),
            profiles: settings.join("hosts"),
            root,
        })
    }

    /// Writes down for the engine what it may not learn from an environment, unless it is there already.
    pub(crate) fn record(&self) -> Result<(), Failure> {
        let path = self.root.join("root.toml");
        if path.exists() {
            return Ok(());
        }
        create_private(&self.root)?;
        let mut record = toml::Table::new();
        let mut put = |key: &str, value: &Path| {
            record.insert(key.into(), toml::Value::String(value.to_string_lossy().into_owned()));
        };
        if let Some(home) = &self.home {
            put("home", home);
        }
        put("config", &self.config);
        put("profiles", &self.profiles);
        std::fs::write(&path, record.to_string())?;
        Ok(())
    }
}

/// The data root whose `bin` folder this program lies in.
fn installed_in() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let bin = own.parent()?;
    let root = bin.parent()?;
    let is_installed = bin.file_name().is_some_and(|name| name == "bin") && root.join("root.toml").is_file();
    is_installed.then(|| root.to_owned())
}

fn create_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}
