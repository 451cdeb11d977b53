//! Files whose content is not kept.

use crate::words::{Words, words};

/// Whether a path names a file that holds credentials by custom: `.env` files, private keys, and the
/// credential files of well-known tools.
///
/// Only the name is looked at, in any case and with any separator; nothing is opened or resolved.
pub fn is_sensitive_path(path: &str) -> bool {
    let mut path = path.trim().trim_matches(['"', '\'', '`']).replace('\\', "/");
    path.make_ascii_lowercase();
    let parts =
        || path.as_bytes().split(|&byte| byte == b'/').filter(|part| !part.is_empty() && part != b".");
    let mut from_end = parts().rev();
    let Some(name) = from_end.next() else { return false };
    let folder = from_end.next().unwrap_or_default();
    let above = from_end.next().unwrap_or_default();

    is_env_file(name)
        || is_private_key(name)
        || NAMES.contains(name)
        || PATTERNS.find(|pattern| fits(name, pattern)).is_some()
        || IN_FOLDERS.find(|path| path.split(|&byte| byte == b'/').eq([folder, name])).is_some()
        || (folder == b".ssh" && !PUBLIC_IN_SSH.contains(name) && extension(name) != b"pub")
        || (folder == b"private-keys-v1.d")
        || (above == b"proc" && name == b"environ")
        || parts().any(|part| WHOLE_FOLDERS.contains(part))
}

fn is_env_file(name: &[u8]) -> bool {
    const SHOWN: Words = words!["example", "sample", "template", "dist", "tpl"];
    if !name.starts_with(b".env") && extension(name) != b"env" {
        return false;
    }
    !name.split(|byte| b".-_".contains(byte)).any(|part| SHOWN.contains(part))
}

fn is_private_key(name: &[u8]) -> bool {
    let kinds = words!["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss"];
    let by_name = kinds.find(|kind| name.starts_with(kind)).is_some() && extension(name) != b"pub";
    by_name || KEY_EXTENSIONS.contains(extension(name))
}

/// What follows the last dot of a name that is in small letters already.
fn extension(name: &[u8]) -> &[u8] {
    name.iter().rposition(|&byte| byte == b'.').map_or(b"", |dot| &name[dot + 1..])
}

/// Whether a name is what a pattern says, of which the `*` stands for anything.
fn fits(name: &[u8], pattern: &[u8]) -> bool {
    let star = pattern.iter().position(|&byte| byte == b'*').unwrap_or(pattern.len());
    let (start, end) = (&pattern[..star], &pattern[(star + 1).min(pattern.len())..]);
    name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
}

const KEY_EXTENSIONS: Words = words![
    "pem", "key", "p12", "pfx", "p8", "pk8", "jks", "keystore", "ppk", "kdbx", "agekey", "keytab", "ovpn"
];

#[rustfmt::skip]
const NAMES: Words = words![
    ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".htpasswd",
    ".git-credentials", ".dockercfg", ".dockerconfigjson", ".boto", ".s3cfg", ".vault-token", ".credentials",
    ".credentials.json", "credentials", "credentials.json", "credentials.toml", "credentials.db",
    "credentials.tfrc.json", "access_tokens.db", "application_default_credentials.json", "oauth_creds.json",
    "kubeconfig", "rclone.conf", "settings-security.xml", "secring.gpg", "secrets.yml", "secrets.yaml",
    "secrets.json", "secrets.toml", "logins.json", "key4.db", "wallet.dat",
];

#[rustfmt::skip]
const PATTERNS: Words = words![
    "client_secret*.json", "service-account*.json", "service_account*.json", "msal_token_cache*",
    "kubeconfig*.yaml", "kubeconfig*.yml", "*.kubeconfig",
];

/// Names that mean this only in their folder.
#[rustfmt::skip]
const IN_FOLDERS: Words = words![
    ".kube/config", ".docker/config.json", ".azure/accesstokens.json", "gh/hosts.yml", "glab-cli/config.yml",
    "github-copilot/hosts.json", "github-copilot/apps.json", ".codex/auth.json", "opencode/auth.json",
    ".composer/auth.json", "containers/auth.json", ".m2/settings.xml", ".gradle/gradle.properties", ".config/hub",
    "etc/shadow", "etc/gshadow",
];

const PUBLIC_IN_SSH: Words =
    words!["config", "known_hosts", "known_hosts.old", "authorized_keys", "environment"];

const WHOLE_FOLDERS: Words = words![".password-store", "legacy_credentials"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_credentials_are_known() {
        for path in [
            ".env",
            "/srv/app/.env.production",
            "./.env.local",
            "app/.envrc",
            "deploy/prod.env",
            r"C:\Users\me\app\.ENV",
            "~/.ssh/id_rsa",
            "/home/me/.ssh/id_ed25519",
            "/home/me/.ssh/work",
            "backup/id_rsa.old",
            "certs/server.pem",
            "server.key",
            "ios/cert.P12",
            "android/release.keystore",
            ".netrc",
            "/home/me/.npmrc",
            ".pypirc",
            ".pgpass",
            "/home/me/.kube/config",
            r"C:\Users\me\.kube\config",
            "kubeconfig.yaml",
            "/home/me/.aws/credentials",
            "~/.config/gcloud/application_default_credentials.json",
            "~/.config/gcloud/credentials.db",
            "~/.config/gcloud/legacy_credentials/me@example.org/adc.json",
            "~/.docker/config.json",
            "~/.config/gh/hosts.yml",
            "~/.cargo/credentials.toml",
            "~/.claude/.credentials.json",
            "~/.codex/auth.json",
            "~/.git-credentials",
            "\"/home/me/.env\"",
            "/proc/self/environ",
            "~/.password-store/mail.gpg",
            "config/master.key",
        ] {
            assert!(is_sensitive_path(path), "{path}");
        }
    }

    #[test]
    fn ordinary_files_are_not() {
        for path in [
            "",
            "/",
            ".env.example",
            "app/.env.sample",
            ".env.template",
            ".env.local.example",
            "src/env.rs",
            "environment.ts",
            "~/.ssh/id_rsa.pub",
            "~/.ssh/config",
            "~/.ssh/known_hosts",
            "src/credentials.rs",
            "src/config.json",
            "docs/config",
            "keyboard.rs",
            "src/key.rs",
            "~/.aws/config",
            "hosts.yml",
            "README.md",
            "auth.json",
            "package.json",
        ] {
            assert!(!is_sensitive_path(path), "{path}");
        }
    }
}
