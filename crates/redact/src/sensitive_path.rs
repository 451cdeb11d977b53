//! Files whose content is not kept.

/// Whether a path names a file that holds credentials by custom: `.env` files, private keys, and the
/// credential files of well-known tools.
///
/// Only the name is looked at, in any case and with any separator; nothing is opened or resolved.
pub fn is_sensitive_path(path: &str) -> bool {
    let path = path.trim().trim_matches(['"', '\'', '`']).replace('\\', "/").to_lowercase();
    let mut parts = path.trim_end_matches('/').rsplit('/').filter(|part| !part.is_empty() && *part != ".");
    let Some(name) = parts.next() else { return false };
    let folder = parts.next().unwrap_or_default();
    let above = parts.next().unwrap_or_default();

    is_env_file(name)
        || is_private_key(name)
        || NAMES.contains(&name)
        || BEGINNINGS.iter().any(|(start, end)| name.starts_with(start) && name.ends_with(end))
        || IN_FOLDERS.iter().any(|(within, file)| *within == folder && *file == name)
        || (folder == ".ssh" && !PUBLIC_IN_SSH.contains(&name) && extension(name) != "pub")
        || (folder == "private-keys-v1.d")
        || (above == "proc" && name == "environ")
        || path.split('/').any(|part| WHOLE_FOLDERS.contains(&part))
}

fn is_env_file(name: &str) -> bool {
    if !name.starts_with(".env") && extension(name) != "env" {
        return false;
    }
    !name
        .split(['.', '-', '_'])
        .any(|part| matches!(part, "example" | "sample" | "template" | "dist" | "tpl"))
}

fn is_private_key(name: &str) -> bool {
    let by_name = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss"]
        .iter()
        .any(|kind| name.starts_with(kind) && extension(name) != "pub");
    by_name || KEY_EXTENSIONS.contains(&extension(name))
}

/// What follows the last dot of a name that is in small letters already.
fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

const KEY_EXTENSIONS: &[&str] =
    &["pem", "key", "p12", "pfx", "p8", "pk8", "jks", "keystore", "ppk", "kdbx", "agekey", "keytab", "ovpn"];

#[rustfmt::skip]
const NAMES: &[&str] = &[
    ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".htpasswd",
    ".git-credentials", ".dockercfg", ".dockerconfigjson", ".boto", ".s3cfg", ".vault-token", ".credentials",
    ".credentials.json", "credentials", "credentials.json", "credentials.toml", "credentials.db",
    "credentials.tfrc.json", "access_tokens.db", "application_default_credentials.json", "oauth_creds.json",
    "kubeconfig", "rclone.conf", "settings-security.xml", "secring.gpg", "secrets.yml", "secrets.yaml",
    "secrets.json", "secrets.toml", "logins.json", "key4.db", "wallet.dat",
];

/// Beginnings and endings of names.
const BEGINNINGS: &[(&str, &str)] = &[
    ("client_secret", ".json"),
    ("service-account", ".json"),
    ("service_account", ".json"),
    ("msal_token_cache", ""),
    ("kubeconfig", ".yaml"),
    ("kubeconfig", ".yml"),
    ("", ".kubeconfig"),
];

/// Names that mean this only in their folder.
const IN_FOLDERS: &[(&str, &str)] = &[
    (".kube", "config"),
    (".docker", "config.json"),
    (".azure", "accesstokens.json"),
    ("gh", "hosts.yml"),
    ("glab-cli", "config.yml"),
    ("github-copilot", "hosts.json"),
    ("github-copilot", "apps.json"),
    (".codex", "auth.json"),
    ("opencode", "auth.json"),
    (".composer", "auth.json"),
    ("containers", "auth.json"),
    (".m2", "settings.xml"),
    (".gradle", "gradle.properties"),
    (".config", "hub"),
    ("etc", "shadow"),
    ("etc", "gshadow"),
];

const PUBLIC_IN_SSH: &[&str] =
    &["config", "known_hosts", "known_hosts.old", "authorized_keys", "environment"];

const WHOLE_FOLDERS: &[&str] = &[".password-store", "legacy_credentials"];

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
