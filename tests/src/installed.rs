//! Remora as a person has it: under the data root of a test's home, wired to a host.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::host::HostId;
use crate::installation::Installation;
use crate::launch::Launch;
use crate::test_home::TestHome;

/// Far beyond what a hook needs on the busiest machine, in milliseconds: a test of what hooks say must not
/// depend on how soon they say it.
pub(crate) const AT_EASE_MS: u64 = 30_000;

/// The limit that a host then gives its hooks, in seconds.
const HOST_PATIENCE_S: u64 = 60;

/// An installation in a test's home that may be used, broken and removed.
#[derive(Debug)]
pub struct Installed<'a> {
    home: &'a TestHome,
    copy: Installation,
}

impl<'a> Installed<'a> {
    /// Puts the executables into the home's data root and wires a host up, as `remora install` does.
    pub fn in_home(home: &'a TestHome, host: HostId) -> Result<Self> {
        let installed = Self::programs_only(home)?;
        let said = installed.remora(&["install", host.id(), "--yes"]).run()?;
        said.expect_ok("remora install").map(|_| installed)
    }

    /// The same with Claude Code, and every hook gets all the time that it can use.
    pub fn at_ease(home: &'a TestHome) -> Result<Self> {
        let installed = Self::in_home(home, HostId::ClaudeCode)?;
        installed.give_hooks_time(HostId::ClaudeCode)?;
        Ok(installed)
    }

    /// The same with several hosts.
    pub fn at_ease_in(home: &'a TestHome, hosts: &[HostId]) -> Result<Self> {
        let installed = Self::programs_only(home)?;
        for host in hosts {
            host.prepare(home)?;
            installed
                .remora(&["install", host.id(), "--yes"])
                .run()?
                .expect_ok("remora install")
                .map(drop)?;
            installed.give_hooks_time(*host)?;
        }
        Ok(installed)
    }

    /// The same, with the executables elsewhere and a link to them in the data root, so that a file system
    /// that is too small for them can lie over it.
    pub fn with_programs_elsewhere(home: &'a TestHome) -> Result<Self> {
        let installed = Self::in_home(home, HostId::ClaudeCode)?;
        let (bin, elsewhere) = (home.root().join("bin"), home.folder().join("programs"));
        std::fs::rename(&bin, &elsewhere).map_err(Error::file("moving", &bin))?;
        std::os::unix::fs::symlink(&elsewhere, &bin).map_err(Error::file("linking", &bin))?;
        Ok(installed)
    }

    /// Puts the executables there and wires nothing up.
    pub fn programs_only(home: &'a TestHome) -> Result<Self> {
        Ok(Self { home, copy: Installation::get()?.copy_to(&home.root())? })
    }

    /// The installed `remora` with these arguments.
    pub fn remora(&self, arguments: &[&str]) -> Launch {
        let root = self.home.root();
        self.home.launch(self.copy.remora()).arg("--root").arg(root).args(arguments.iter().copied())
    }

    /// What the installed `remora` answers with `--json`.
    pub fn json(&self, arguments: &[&str]) -> Result<Value> {
        let said = self.remora(arguments).arg("--json").run()?.expect_ok("remora")?;
        serde_json::from_slice(&said.stdout).map_err(Error::json(arguments.join(" ")))
    }

    /// An installed hook executable, as an installed entry calls it.
    pub fn hook(&self, host: &str, event: &str) -> Result<Launch> {
        let hook = self.copy.hook(host, event)?;
        Ok(self.home.launch(&hook.path).arg("--root").arg(self.home.root()))
    }

    /// The installed `remora`.
    pub fn program(&self) -> PathBuf {
        self.copy.remora()
    }

    /// Claude Code's settings.
    pub fn settings(&self) -> PathBuf {
        claude_settings(self.home)
    }

    /// Lets every hook in a host's file wait as long as it needs to, through the argument that people with slow
    /// machines have.
    fn give_hooks_time(&self, host: HostId) -> Result<()> {
        match host {
            HostId::OpenCode => return self.give_plugin_time(".config/opencode/plugin/remora.js"),
            HostId::Pi => return self.give_plugin_time(".pi/agent/extensions/remora.js"),
            _ => {}
        }
        let (file, second) = match host {
            HostId::Codex => (self.home.home().join(".codex/hooks.json"), 1),
            HostId::GeminiCli => (self.home.home().join(".gemini/settings.json"), 1_000),
            HostId::CopilotCli => (self.home.home().join(".copilot/hooks/remora.json"), 1),
            HostId::QwenCode => (self.home.home().join(".qwen/settings.json"), 1_000),
            _ => (self.settings(), 1),
        };
        let text = std::fs::read(&file).map_err(Error::file("reading", &file))?;
        let mut settings: Value =
            serde_json::from_slice(&text).map_err(Error::json(file.display().to_string()))?;
        let bin = self.home.root().join("bin").to_string_lossy().into_owned();
        let mut changed = 0;
        for handler in handlers(&mut settings) {
            let Some(command) = handler["command"].as_str().filter(|command| command.contains(&bin)) else {
                continue;
            };
            let at_ease = format!("--deadline-ms {AT_EASE_MS}");
            let line = command.replacen("--root ", &format!("{at_ease} --root "), 1);
            // A key that is looked up by index is there afterwards, and Copilot CLI refuses `null`.
            if let Some(arguments) = handler.get_mut("args").and_then(Value::as_array_mut) {
                arguments.extend(at_ease.split(' ').map(|word| json!(word)));
            } else {
                handler["command"] = json!(line);
            }
            handler["timeout"] = json!(HOST_PATIENCE_S * second);
            changed += 1;
        }
        if changed == 0 {
            let problem = format!("has no hook of ours:\n{settings:#}");
            return Err(Error::Program { program: file.display().to_string(), problem });
        }
        std::fs::write(&file, settings.to_string()).map_err(Error::file("writing", &file))
    }

    /// The same for a plugin, which says in one line what it starts and how long it waits.
    fn give_plugin_time(&self, file: &str) -> Result<()> {
        let file = self.home.home().join(file);
        let text = std::fs::read_to_string(&file).map_err(Error::file("reading", &file))?;
        let at_ease = format!("\"arguments\":[\"--deadline-ms\",\"{AT_EASE_MS}\",");
        let patient = format!("\"patience\":{}", HOST_PATIENCE_S * 1_000);
        let changed =
            text.replacen("\"arguments\":[", &at_ease, 1).replacen("\"patience\":2000", &patient, 1);
        if !changed.contains(&at_ease) || !changed.contains(&patient) {
            let problem = "has no line of ours".to_owned();
            return Err(Error::Program { program: file.display().to_string(), problem });
        }
        std::fs::write(&file, changed).map_err(Error::file("writing", &file))
    }
}

/// The settings of Claude Code in a home.
pub fn claude_settings(home: &TestHome) -> PathBuf {
    home.home().join(".claude").join("settings.json")
}

/// All hook handlers of a host's settings.
fn handlers(settings: &mut Value) -> impl Iterator<Item = &mut Value> {
    let events = settings["hooks"].as_object_mut().into_iter().flat_map(|hooks| hooks.values_mut());
    let groups = events.filter_map(Value::as_array_mut).flatten();
    groups.filter_map(|group| group["hooks"].as_array_mut()).flatten()
}
