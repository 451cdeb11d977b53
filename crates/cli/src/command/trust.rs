//! `remora install --trust`: telling a host that the person trusts our hooks, after showing which.

use remora_install::{Environment, Host, Installation, Untrusted};
use serde_json::{Value, json};

use super::install::{ask, report, said};
use crate::arguments::Install;
use crate::failure::Failure;
use crate::output;

/// The last part of an installation: what hosts want of the person before they run our hooks.
pub(super) struct Trusting<'a> {
    pub(super) environment: &'a Environment,
    pub(super) installation: &'a Installation,
    pub(super) hosts: &'a [&'static Host],
    pub(super) args: &'a Install,
}

impl Trusting<'_> {
    /// Says what the installation did, and what is missing of trust; with `--trust` it is given.
    pub(super) fn told(&self, mut value: Value, mut text: String, as_json: bool) -> Result<(), Failure> {
        if self.args.trust && as_json {
            value["trusted"] = self.give(true)?.into();
        } else if !self.args.trust {
            for wanted in self.wanted() {
                text = format!("{}\nNot yet: {wanted}.", text.trim_end());
                if let Some(notes) = value["notes"].as_array_mut() {
                    notes.push(wanted.into());
                }
            }
        }
        report(as_json, &value, text.trim_end())?;
        if self.args.trust && !as_json {
            self.give(false)?;
        }
        Ok(())
    }

    /// Shows, asks and records, host by host; gives what was trusted, for programs.
    fn give(&self, as_json: bool) -> Result<Vec<Value>, Failure> {
        let mut trusted = Vec::new();
        for host in self.hosts.iter().copied() {
            let Some(untrusted) = self.untrusted(host)? else { continue };
            if !as_json {
                output::line(&shown(host, &untrusted));
            }
            if !self.args.yes {
                ask(&format!("Tell {} that you trust these hooks?", host.name))?;
            }
            let hooks = untrusted.hooks().to_vec();
            untrusted.record(self.environment, self.installation).map_err(said)?;
            if !as_json {
                output::line(&format!("{} trusts them from now on.", host.name));
            }
            trusted.push(json!({"host": host.id, "hooks": hooks}));
        }
        Ok(trusted)
    }

    /// What a host passes over; nothing: it has no hook of ours, or trusts them all.
    fn untrusted(&self, host: &'static Host) -> Result<Option<Untrusted>, Failure> {
        let cwd = std::env::current_dir()?;
        let found = remora_install::untrusted(self.environment, self.installation, host, &cwd);
        Ok(found.map_err(said)?.filter(|untrusted| !untrusted.hooks().is_empty()))
    }

    /// What hosts still want of the person.
    fn wanted(&self) -> Vec<String> {
        let is_missing = |host: &&&'static Host| {
            let is_trusted = remora_install::is_trusted(self.environment, self.installation, host);
            matches!(is_trusted, Ok(Some(false)))
        };
        let missing = self.hosts.iter().filter(is_missing);
        missing.filter_map(|host| Some(format!("{}: {}", host.name, host.trust.as_ref()?.wants))).collect()
    }
}

fn shown(host: &Host, untrusted: &Untrusted) -> String {
    let row = |hook: &remora_install::Listed| {
        vec![format!("  {}", output::plain(&hook.event)), output::plain(&hook.command)]
    };
    let rows: Vec<Vec<String>> = untrusted.hooks().iter().map(row).collect();
    let title = format!("{} passes these hooks over until you trust them:", host.name);
    format!("{title}\n{}", output::columns(&rows).trim_end())
}
