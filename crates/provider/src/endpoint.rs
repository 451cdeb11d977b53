//! Where a provider is.

use std::net::IpAddr;

use remora_engine::{KeySource, ModelError, ModelSettings, ProviderKind};
use reqwest::Url;

/// Endings of names that exist in a home or an office alone.
const NEAR: [&str; 4] = [".local", ".lan", ".internal", ".localhost"];

/// The address that is called for a question.
pub(crate) fn endpoint(settings: &ModelSettings) -> Result<Url, ModelError> {
    let (home, path) = match settings.kind {
        ProviderKind::Anthropic => ("https://api.anthropic.com", "v1/messages"),
        ProviderKind::OpenaiCompatible => ("https://api.openai.com/v1", "chat/completions"),
    };
    let written = settings.url.as_deref().map(str::trim).filter(|url| !url.is_empty()).unwrap_or(home);
    let wrong = |problem: &str| ModelError::Settings(format!("provider.url {written:?} {problem}"));
    let base = Url::parse(written).map_err(|error| wrong(&format!("is no address: {error}")))?;
    if !base.username().is_empty() || base.password().is_some() {
        return Err(wrong("has a name or a password in it: use provider.key_command or provider.key_file"));
    }
    if base.query().is_some() || base.fragment().is_some() {
        return Err(wrong("has a query or a fragment"));
    }
    match base.scheme() {
        "https" => {}
        "http" if is_this_machine(&base) => {}
        "http" if is_near(&base) && settings.key == KeySource::None => {}
        "http" => return Err(wrong("is not encrypted: write https, or name a server on this machine")),
        _ => return Err(wrong("is neither https nor http")),
    }
    // People write the address with and without the version, and some copy the whole path.
    let stem = base.as_str().trim_end_matches('/');
    let stem = stem.strip_suffix(path).map_or(stem, |stem| stem.trim_end_matches('/'));
    let path =
        if settings.kind == ProviderKind::Anthropic && stem.ends_with("/v1") { "messages" } else { path };
    Url::parse(&format!("{stem}/{path}")).map_err(|error| wrong(&format!("is no address: {error}")))
}

fn address(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn is_this_machine(url: &Url) -> bool {
    match address(url) {
        Some(address) => address.is_loopback(),
        None => url.host_str() == Some("localhost"),
    }
}

fn is_near(url: &Url) -> bool {
    match address(url) {
        Some(IpAddr::V4(address)) => address.is_private() || address.is_link_local(),
        Some(IpAddr::V6(address)) => address.is_unique_local() || address.is_unicast_link_local(),
        None => url
            .host_str()
            .is_some_and(|name| !name.contains('.') || NEAR.iter().any(|end| name.ends_with(end))),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn at(kind: ProviderKind, url: &str, with_key: bool) -> Result<String, String> {
        let key = if with_key { KeySource::File(PathBuf::from("/k")) } else { KeySource::None };
        let url = Some(url.to_owned()).filter(|url| !url.is_empty());
        let settings = ModelSettings { kind, url, model: "m".into(), key, home: None };
        endpoint(&settings).map(String::from).map_err(|error| error.to_string())
    }

    #[test]
    fn addresses_are_taken_as_people_write_them() {
        let (anthropic, chat) = (ProviderKind::Anthropic, ProviderKind::OpenaiCompatible);
        for (kind, written, expected) in [
            (anthropic, "", "https://api.anthropic.com/v1/messages"),
            (anthropic, "https://proxy.example/anthropic/", "https://proxy.example/anthropic/v1/messages"),
            (anthropic, "https://proxy.example/v1", "https://proxy.example/v1/messages"),
            (anthropic, "http://127.0.0.1:8650", "http://127.0.0.1:8650/v1/messages"),
            (chat, "", "https://api.openai.com/v1/chat/completions"),
            (chat, "http://localhost:11434/v1/", "http://localhost:11434/v1/chat/completions"),
            (
                chat,
                "https://openrouter.ai/api/v1/chat/completions",
                "https://openrouter.ai/api/v1/chat/completions",
            ),
            (chat, "http://[::1]:1234/v1", "http://[::1]:1234/v1/chat/completions"),
        ] {
            assert_eq!(at(kind, written, true).as_deref(), Ok(expected), "{written}");
        }
    }

    #[test]
    fn nothing_goes_in_clear_over_the_net() {
        let chat = ProviderKind::OpenaiCompatible;
        for (written, with_key, fits) in [
            ("http://api.example.com/v1", true, false),
            ("http://api.example.com/v1", false, false),
            ("http://192.168.1.7:11434/v1", false, true),
            ("http://192.168.1.7:11434/v1", true, false),
            ("http://gpu.lan/v1", false, true),
            ("http://gpu/v1", false, true),
            ("http://localhost.example.com/v1", false, false),
            ("http://8.8.8.8/v1", false, false),
            ("ftp://example.com/v1", false, false),
            ("file:///etc/passwd", false, false),
            ("https://me:secret@example.com/v1", false, false),
            ("https://example.com/v1?key=1", false, false),
            ("example.com", false, false),
        ] {
            assert_eq!(at(chat, written, with_key).is_ok(), fits, "{written} {with_key}");
        }
    }
}
