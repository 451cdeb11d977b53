//! What an adapter knows of its host's prompts and tools, its profile knows too: transcripts are read by it.

use std::collections::BTreeMap;

use remora_dialect::Dialect;
use remora_profile::HostProfile;

/// The profile has the same names as the dialect: what the host puts into prompts, what its tools do, which arguments
/// name files.
pub fn check_profile(profile: &str, dialect: &Dialect) {
    let profile: HostProfile = toml::from_str(profile).expect("a profile");
    let (known, told) = (&dialect.prompts, &profile.prompts);
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    assert_eq!(told.inserted, owned(known.inserted), "prompts.inserted");
    assert_eq!(told.inserted_prefixes, owned(known.inserted_prefixes), "prompts.inserted_prefixes");
    assert_eq!(told.synthetic, owned(known.synthetic), "prompts.synthetic");
    let command = told.command.as_ref().map(|command| (command.name.as_str(), command.arguments.as_str()));
    assert_eq!(command, known.command, "prompts.command");
    let preamble = told.preamble.as_ref().map(|text| (text.begins.as_str(), text.ends.as_str()));
    assert_eq!(preamble, known.preamble.map(|text| (text.begins, text.ends)), "prompts.preamble");
    let attachment = told.attachment.as_ref().map(|text| (text.begins.as_str(), text.ends.as_str()));
    assert_eq!(attachment, known.attachment.map(|text| (text.begins, text.ends)), "prompts.attachment");

    let tools = profile.transcript.get("tools").expect("transcript.tools");
    let kinds = tools["kinds"].as_object().expect("transcript.tools.kinds");
    let plain = kinds.iter().filter(|(name, _)| !name.contains('*'));
    let told: BTreeMap<&str, &str> =
        plain.filter_map(|(name, kind)| Some((name.as_str(), kind.as_str()?))).collect();
    let known: BTreeMap<&str, &str> =
        dialect.tools.kinds.iter().map(|(name, kind)| (*name, kind.as_str())).collect();
    assert_eq!(told, known, "transcript.tools.kinds");
    let paths: Vec<&str> =
        tools["paths"].as_array().into_iter().flatten().filter_map(|path| path.as_str()).collect();
    assert_eq!(paths, dialect.tools.paths, "transcript.tools.paths");
}
