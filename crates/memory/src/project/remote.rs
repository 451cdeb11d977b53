//! The remote of a repository: by it a project that was moved or cloned again is recognised.

/// The normalised URL of a git repository's remote, read from the text of its `config`: `origin`, else the only
/// one, else the first by name. Includes and rewriting rules are not followed.
pub fn remote_in_config(config: &str) -> Option<String> {
    let mut remotes: Vec<(String, String)> = Vec::new();
    let mut section = None;
    for line in config.lines().take(10_000) {
        let line = line.trim().trim_start_matches('\u{feff}');
        if let Some(rest) = line.strip_prefix('[') {
            section = remote_of(rest);
            continue;
        }
        let (Some(remote), Some((key, value))) = (&section, line.split_once('=')) else { continue };
        let known = remotes.iter().any(|(name, _)| name == remote);
        if key.trim().eq_ignore_ascii_case("url") && !known {
            remotes.push((remote.clone(), plain_value(value)));
        }
    }
    remotes.sort_by_key(|(name, _)| (name != "origin", name.clone()));
    remotes.iter().find_map(|(_, url)| normalised_remote(url))
}

/// The name in a section head `[remote "name"]`, given without its first bracket.
fn remote_of(head: &str) -> Option<String> {
    let (kind, name) = head.trim().split_once(char::is_whitespace)?;
    let name = name.trim().strip_prefix('"')?;
    let end = name.rfind("\"]").or_else(|| name.rfind('"'))?;
    kind.eq_ignore_ascii_case("remote").then(|| name[..end].replace("\\\"", "\"").replace("\\\\", "\\"))
}

/// A value of git's configuration without quotes and comment.
fn plain_value(value: &str) -> String {
    let mut out = String::new();
    let (mut quoted, mut chars) = (false, value.trim().chars());
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' => out.extend(chars.next()),
            '#' | ';' if !quoted => break,
            c => out.push(c),
        }
    }
    out.trim().to_owned()
}

/// A remote URL in the one form that all its spellings share, `host/path`: user, password, scheme, default
/// port and `.git` are gone, the host is in small letters. `None` for a path on this machine, which names no
/// repository to anyone else.
pub fn normalised_remote(url: &str) -> Option<String> {
    let url = url.trim();
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
        None => (String::new(), url),
    };
    let scheme = scheme.strip_prefix("git+").unwrap_or(&scheme).to_owned();
    if !matches!(scheme.as_str(), "" | "ssh" | "http" | "https" | "git" | "ftp" | "ftps") {
        return None;
    }
    let (authority, path) = if scheme.is_empty() { scp_parts(rest)? } else { rest.split_once('/')? };
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_ascii_lowercase();
    let host = without_default_port(&host, &scheme);
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let usable =
        !host.is_empty() && !path.is_empty() && !host.contains(|c: char| c.is_whitespace() || c.is_control());
    usable.then(|| format!("{host}/{path}"))
}

/// `user@host:path`, unless it is a path with a colon or a Windows drive.
fn scp_parts(text: &str) -> Option<(&str, &str)> {
    let after_bracket = text.rfind("]:").map(|at| at + 1);
    let colon = after_bracket.or_else(|| text.find(':'))?;
    let (authority, path) = (&text[..colon], &text[colon + 1..]);
    // `ext::sh -c ...` names a program.
    let is_program = path.starts_with(':');
    let is_path = is_program || authority.contains('/') || authority.contains('\\') || authority.len() == 1;
    (!is_path).then_some((authority, path))
}

fn without_default_port(host: &str, scheme: &str) -> String {
    let port = match scheme {
        "ssh" => ":22",
        "https" => ":443",
        "http" => ":80",
        "git" => ":9418",
        _ => return host.to_owned(),
    };
    host.strip_suffix(port).unwrap_or(host).to_owned()
}
