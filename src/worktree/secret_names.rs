//! Names of files that nearly always contain secrets.
//!
//! A word such as `example` makes a name harmless, but only as a whole word: `.env.distribution` is not `.env.dist`.
//! The name of a key file is never harmless, whatever else it says: `latest.key`, `example.p12`. Nor does the folder
//! make it harmless, because a key among test data may be a real one.

/// Endings of files that are keys, or stores of keys and passwords.
const KEY_ENDINGS: &[&str] = &[
    "pem", "key", "p12", "pfx", "p8", "pk8", "ppk", "jks", "jceks", "bks", "keystore", "keytab", "kdb",
    "kdbx", "psafe3", "agekey", "ovpn", "tfstate",
];
/// Kinds of keys, as they are at the end of a name that ssh-keygen proposes.
const SSH_KINDS: &[&str] = &["rsa", "dsa", "ecdsa", "ed25519", "ecdsa_sk", "ed25519_sk", "xmss"];
/// Files of programs that keep passwords or tokens in them.
const KNOWN: &[&str] = &[
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    "pgpass.conf",
    ".my.cnf",
    ".mylogin.cnf",
    ".git-credentials",
    ".htpasswd",
    ".dockercfg",
    ".dockerconfigjson",
    ".s3cfg",
    ".boto",
    ".vault-token",
    ".vault_pass",
    ".terraformrc",
    "terraform.rc",
    "credentials",
    "kubeconfig",
    "secring.gpg",
    "wallet.dat",
];
/// The same, where the name alone says too little.
const KNOWN_PLACES: &[&str] = &[".docker/config.json", ".kube/config"];
/// How the names of data files begin that hold secrets.
const STEMS: &[&str] = &[
    "credential",
    "credentials",
    "secret",
    "secrets",
    "client_secret",
    "client_secrets",
    "service-account",
    "service_account",
    "serviceaccount",
];
/// The kinds of data files for which a stem counts. Code that deals with secrets holds none.
const DATA: &[&str] =
    &["json", "yml", "yaml", "toml", "ini", "cfg", "conf", "properties", "xml", "csv", "txt", "env"];
/// Words that say that there is no secret in a file.
const HARMLESS: &[&str] = &[
    "example",
    "examples",
    "sample",
    "samples",
    "template",
    "templates",
    "tpl",
    "tmpl",
    "dist",
    "default",
    "defaults",
    "skeleton",
    "schema",
    "dummy",
    "encrypted",
    "enc",
    "sops",
];
/// What editors and people put behind the name of a copy, or a program behind that of a file in another form.
const COPIES: &[&str] = &[
    "~", ".bak", ".backup", ".old", ".orig", ".save", ".saved", ".copy", ".tmp", ".swp", ".swo", ".rej",
    ".txt", ".gz", ".b64", ".base64",
];

/// Whether the last part of a path, or the path as a whole, is the name of a file with secrets.
pub(super) fn is_secret_name(path: &str) -> bool {
    let path = path.to_lowercase();
    let (_, written) = path.rsplit_once('/').unwrap_or(("", &path));
    let name = original(written);
    if is_key_file(name) {
        return true;
    }
    let is_known = KNOWN.contains(&name)
        || is_env_file(name)
        || is_data_with_secrets(name)
        || is_data_with_secrets(written)
        || KNOWN_PLACES.iter().any(|place| ends_in(&path, place));
    let mut words = written.split(|c: char| !c.is_alphanumeric());
    is_known && !words.any(|word| HARMLESS.contains(&word))
}

/// The name of the file of which this may be a copy.
fn original(mut name: &str) -> &str {
    // `#x#` and `.#x` are Emacs's, `.x.swp` is Vim's.
    name = name.strip_prefix(".#").unwrap_or(name).trim_matches('#');
    if let Some(edited) = name.strip_prefix('.').and_then(|rest| rest.strip_suffix(".swp")) {
        name = edited;
    }
    loop {
        let shorter = COPIES.iter().find_map(|copy| name.strip_suffix(copy));
        // Also `server.pem.1` and `server.pem.bak2`.
        let without_number = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let numbered = (without_number.len() < name.len())
            .then(|| {
                without_number
                    .strip_suffix('.')
                    .or_else(|| COPIES.iter().find_map(|copy| without_number.strip_suffix(copy)))
            })
            .flatten();
        match shorter.or(numbered) {
            Some(shorter) if !shorter.is_empty() => name = shorter,
            _ => return name,
        }
    }
}

fn is_key_file(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    if KEY_ENDINGS.contains(&ending) {
        return true;
    }
    // `id_rsa`, `deploy_ed25519`, `id_rsa_work`, `id_rsa-old`; with an ending it is something else, such as a public key.
    let ssh_kind = |name: &str| {
        SSH_KINDS
            .iter()
            .any(|kind| name.strip_suffix(kind).is_some_and(|before| before.ends_with(['_', '-'])))
    };
    let ssh_user_key = name.strip_prefix("id_").is_some_and(|rest| {
        SSH_KINDS.iter().any(|kind| {
            rest.strip_prefix(kind).is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '-']))
        })
    });
    let ssh_host_key = name.starts_with("ssh_host_") && name.ends_with("_key");
    !name.contains('.') && (ssh_kind(name) || ssh_user_key || ssh_host_key)
}

/// `.env`, `.env.production`, `.env-production`, `production.env`.
fn is_env_file(name: &str) -> bool {
    name.ends_with(".env")
        || name.strip_prefix(".env").is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
}

/// `credentials.json`, `secrets.production.yml`.
fn is_data_with_secrets(name: &str) -> bool {
    let name = name.trim_start_matches('.');
    let stem = name.split('.').next().unwrap_or(name);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    DATA.contains(&ending) && STEMS.contains(&stem)
}

/// Whether a path is this one below any folder.
fn ends_in(path: &str, place: &str) -> bool {
    path.strip_suffix(place).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_with_secrets_are_held_back() {
        let secret = [
            ".env",
            "config/.env.production",
            ".env.local",
            ".env.test",
            ".env.testing",
            ".env.latest",
            ".env.distribution",
            ".ENV",
            ".env-prod",
            ".env_prod",
            "prod.env",
            "docker/.prod.env",
            ".env.bak",
            "server.pem",
            "certs/latest.pem",
            "server.pem~",
            "server.pem.bak",
            "server.pem.orig",
            "server.pem.1",
            "server.pem.bak2",
            ".server.pem.swp",
            "#server.pem#",
            ".#server.pem",
            "server.key.old",
            "server.key.b64",
            "prod-latest.key",
            "attestation.key",
            "example.key",
            "config/master.key",
            "ios_distribution.p12",
            "apple_distribution.p12",
            "sample.pfx",
            "AuthKey_X1.p8",
            "x.ppk",
            "test.jks",
            "release.keystore",
            "template.kdbx",
            "krb5.keytab",
            "office.ovpn",
            "terraform.tfstate",
            "terraform.tfstate.backup",
            "id_rsa",
            "home/id_dsa",
            "id_ecdsa",
            "id_ed25519",
            "id_ed25519_sk",
            "id_rsa_work",
            "id_rsa-test",
            "id_rsa.bak",
            "deploy_rsa",
            "ssh_host_ed25519_key",
            ".netrc",
            "_netrc",
            ".npmrc",
            ".pypirc",
            ".pgpass",
            ".my.cnf",
            ".git-credentials",
            ".htpasswd",
            "credentials",
            ".aws/credentials",
            "credentials.json",
            "credentials.yml",
            "credentials.prod.json",
            "secrets.yaml",
            ".secrets.toml",
            "client_secret.json",
            "service-account.json",
            "secrets.txt",
            ".docker/config.json",
            "home/.kube/config",
            "kubeconfig",
            ".vault-token",
            "tests/fixtures/server.key",
            "examples/.env",
        ];
        for path in secret {
            assert!(is_secret_name(path), "{path}");
        }
    }

    #[test]
    fn examples_templates_and_code_are_not_held_back() {
        let plain = [
            ".env.example",
            ".env.sample",
            ".env.template",
            ".env.dist",
            "example.env",
            ".env.defaults",
            ".env.production.example",
            ".env.example.bak",
            ".env.schema",
            "env.rs",
            "environment.ts",
            ".envrc",
            "src/env/mod.rs",
            "dotenv.js",
            "id_map.rs",
            "identity.txt",
            "id_rsa.pub",
            "id_ed25519.pub",
            "deploy_rsa.pub",
            "keys.md",
            "monkey.rs",
            "keyboard.json",
            "hotkey",
            "keystore.rs",
            "server.pem.md",
            "pem.rs",
            "server.crt",
            "server.csr",
            "credentials.rs",
            "credentials_test.go",
            "test_credentials.py",
            "credentials.test.ts",
            "credentials.example.json",
            "credentials.json.example",
            "secrets.example.yaml",
            "secrets.enc.yaml",
            "secrets.rs",
            "secret_names.rs",
            "docs/secrets.md",
            "config.json",
            "docker/config.json",
            ".npmrc.example",
            "kubeconfig.example",
            "universa",
            "parsa",
            "package.json",
            "Cargo.lock",
            "tests/fixtures/plan.json",
            "server.key.enc",
            "server.pem.gpg",
            "",
        ];
        for path in plain {
            assert!(!is_secret_name(path), "{path}");
        }
    }
}
