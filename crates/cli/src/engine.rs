//! `remora engine run`: this process becomes the engine.

use std::path::Path;

use remora_engine::Exit;
use remora_profile::HostProfile;

use crate::adapters::ADAPTERS;
use crate::failure::Failure;
use crate::places::Places;
use crate::{descriptors, logging};

/// Runs the engine until it leaves.
pub(crate) fn run(places: &Places, detached: bool) -> Result<(), Failure> {
    if detached {
        descriptors::close_inherited();
        // Fails only when this process leads a group already: then it is detached enough.
        let _ = rustix::process::setsid();
    }
    std::fs::create_dir_all(places.root.join("logs"))?;
    logging::to_file(&places.root);
    // Where the person's own profiles lie is written down: this process may have been started without an environment.
    let recorded = remora_engine::Root::new(places.root.clone()).and_then(|root| root.record());
    let folder = recorded.ok().and_then(|record| record.profiles);
    let profiles = profiles(folder.as_deref().unwrap_or(&places.profiles));
    match remora_engine::run(places.root.clone(), crate::build(), profiles, remora_provider::open) {
        Ok(Exit::Left) => Ok(()),
        Ok(Exit::AlreadyRunning) if detached => Ok(()),
        Ok(Exit::AlreadyRunning) => Err(Failure::new(
            "engine",
            "an engine of this data root is running already",
            "`remora engine status` shows it, `remora engine stop` ends it",
        )),
        Err(error) => {
            tracing::error!("the engine could not run: {error:#}");
            Err(error.into())
        }
    }
}

/// What is known of hosts: from the adapters, then from the person's own files, which win.
fn profiles(folder: &Path) -> Vec<HostProfile> {
    let mut profiles = Vec::new();
    for adapter in ADAPTERS {
        match toml::from_str(adapter.profile) {
            Ok(profile) => profiles.push(profile),
            Err(error) => tracing::error!(%error, "a built-in host profile does not parse"),
        }
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return profiles };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        if path.extension().is_none_or(|end| end != "toml") {
            continue;
        }
        let read = remora_engine::ordinary::read_to_string(&path).map_err(|e| e.to_string());
        match read.and_then(|text| toml::from_str::<HostProfile>(&text).map_err(|e| e.to_string())) {
            Ok(profile) => profiles.push(HostProfile { file: path.display().to_string(), ..profile }),
            Err(error) => tracing::warn!(file = %path.display(), %error, "a host profile is left out"),
        }
    }
    profiles
}
