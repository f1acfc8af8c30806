//! Names of files that nearly always contain secrets.
//!
//! A word such as `example` makes a name harmless, but only as a whole word: `.env.distribution` is not `.env.dist`.
//! The name of a key file is never harmless, no matter what else is in it: `latest.key`, `example.p12`. Nor does the
//! folder make it harmless, because a key among test data may be a real one. Only `auth.json` and what lies in a folder
//! called `secrets` depend on the folders around them.
//!
//! Source code that deals with secrets contains none: `api_key.py` and `secrets.go` are ordinary names.

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
    "rclone.conf",
    ".envrc",
    "rootkey.csv",
    "token.txt",
    "password.txt",
    "credentials",
    "kubeconfig",
    "secring.gpg",
    "wallet.dat",
];
/// The same, if the name alone says too little.
const KNOWN_PLACES: &[&str] = &[".docker/config.json", ".kube/config"];
/// The beginnings of names of data files that hold secrets.
const STEMS: &[&str] = &["credential", "credentials", "secret", "secrets", "client_secret", "client_secrets"];
/// The kinds of data files for which a stem counts. Code that deals with secrets holds none.
const DATA: &[&str] =
    &["json", "yml", "yaml", "toml", "ini", "cfg", "conf", "properties", "xml", "csv", "txt", "env"];
/// Names of files that hold one token and nothing else.
const TOKENS: &[&str] = &[
    "api_key",
    "apikey",
    "api_token",
    "access_key",
    "access_token",
    "auth_token",
    "bearer_token",
    "oauth_token",
    "refresh_token",
];
/// The kinds of files for which such a name counts. In JSON or YAML it is as often the name of a schema or of test data.
const TOKEN_DATA: &[&str] = &["", "txt", "ini", "cfg", "conf", "properties"];
/// Where gcloud keeps its credentials. The word "default" in this name does not make it harmless.
const CLOUD_DEFAULT: &str = "application_default_credentials.json";
/// Clouds whose tools propose names such as `gcp-key.json`.
const CLOUDS: &[&str] = &["google", "gcp", "gcloud", "firebase", "aws", "azure"];
/// How such names end.
const CLOUD_SECRETS: &[&str] = &["credential", "credentials", "creds", "key", "keyfile"];
/// What follows `env.` in the names of files with the variables of one environment.
const ENVIRONMENTS: &[&str] = &[
    "prod",
    "production",
    "staging",
    "stage",
    "live",
    "dev",
    "development",
    "local",
    "test",
    "testing",
    "qa",
    "uat",
    "ci",
];
/// Folders in which people keep passwords, one a file.
const SECRET_FOLDERS: &[&str] = &["secrets", ".secrets", ".secret"];
/// The kinds of files, beside those of [`DATA`], that hold passwords in such a folder. Source code does not.
const SECRET_FOLDER_DATA: &[&str] = &[
    "", "json5", "jsonc", "plist", "db", "sqlite", "sqlite3", "pass", "passwd", "password", "pwd", "secret",
    "token", "pin",
];
/// Files without an extension that are not passwords in any folder.
const PLAIN_NAMES: &[&str] = &[
    "readme",
    "license",
    "licence",
    "copying",
    "notice",
    "changelog",
    "authors",
    "codeowners",
    "owners",
    "makefile",
    "gnumakefile",
    "justfile",
    "rakefile",
    "gemfile",
    "procfile",
    "dockerfile",
    "containerfile",
    "jenkinsfile",
    "vagrantfile",
    "build",
    "workspace",
];
/// Words in the names of folders that hold sources, test data and translations: `auth.json` is not Composer's there, and
/// `secrets` is a subject.
const ORDINARY_FOLDERS: &[&str] = &[
    "test",
    "tests",
    "testdata",
    "spec",
    "specs",
    "e2e",
    "fixture",
    "fixtures",
    "mock",
    "mocks",
    "locale",
    "locales",
    "lang",
    "langs",
    "language",
    "languages",
    "i18n",
    "l10n",
    "intl",
    "messages",
    "translations",
    "schema",
    "schemas",
    "docs",
    "src",
    "public",
    "assets",
];
/// Words that mean that a file holds no secret.
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
/// Suffixes that editors and people append to the name of a copy, and programs to that of a file in another format.
const COPIES: &[&str] = &[
    "~", ".bak", ".backup", ".old", ".orig", ".save", ".saved", ".copy", ".tmp", ".swp", ".swo", ".rej",
    ".txt", ".gz", ".b64", ".base64",
];

/// Whether the last part of a path, or the path as a whole, is the name of a file with secrets.
pub(super) fn is_secret_name(path: &str) -> bool {
    let path = path.to_lowercase();
    let (folders, written) = path.rsplit_once('/').unwrap_or(("", &path));
    let name = original(written);
    if is_key_file(name) || name == CLOUD_DEFAULT {
        return true;
    }
    let is_known = KNOWN.contains(&name)
        || is_env_file(name)
        || is_data_with_secrets(name)
        || is_data_with_secrets(written)
        || is_token(name)
        || is_token(written)
        || is_account(name)
        || is_terraform_variables(name)
        || is_shell_history(name)
        || (name == "auth.json" && !folders.split('/').any(is_folder_without_passwords))
        || KNOWN.contains(&written)
        || folders.split('/').any(|folder| folder == ".env")
        || is_in_secret_folder(folders, name)
        || KNOWN_PLACES.iter().any(|place| ends_in(&path, place));
    let mut words = written.split(|c: char| !c.is_alphanumeric());
    is_known && !words.any(|word| HARMLESS.contains(&word))
}

/// The name of the original, if this may be the name of a copy.
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
    // `id_rsa`, `deploy_ed25519`, `id_rsa_work`, `id_rsa-old`. With an extension, it is something else, such as a
    // public key.
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

/// `.env`, `.env.production`, `.env-production`, `production.env`, `env.production`.
fn is_env_file(name: &str) -> bool {
    name.ends_with(".env")
        || name
            .strip_prefix("env.")
            .is_some_and(|rest| rest.split('.').all(|part| ENVIRONMENTS.contains(&part)))
        || name.strip_prefix(".env").is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
}

/// `credentials.json`, `secrets.production.yml`.
fn is_data_with_secrets(name: &str) -> bool {
    let name = name.trim_start_matches('.');
    let stem = name.split('.').next().unwrap_or(name);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    DATA.contains(&ending) && STEMS.contains(&stem)
}

/// `api_key.txt`, `oauth-token`.
fn is_token(name: &str) -> bool {
    let (stem, ending) = name.trim_start_matches('.').rsplit_once('.').unwrap_or((name, ""));
    let stem = stem.trim_start_matches('.').replace('-', "_");
    let singular = stem.strip_suffix('s').unwrap_or(&stem);
    TOKEN_DATA.contains(&ending) && TOKENS.contains(&singular)
}

/// Names of files from the consoles of Google, Firebase and AWS: `serviceAccountKey.json`, `client_secret_1.apps.json`.
fn is_account(name: &str) -> bool {
    let Some(stem) = name.strip_suffix(".json") else { return name.ends_with("accesskeys.csv") };
    let mut words = stem.split(|c: char| !c.is_alphanumeric());
    let (first, last) = (words.next().unwrap_or_default(), words.next_back().unwrap_or_default());
    stem.replace(['-', '_'], "").starts_with("serviceaccount")
        || stem.starts_with("client_secret")
        || stem.contains("firebase-adminsdk")
        || CLOUDS.contains(&first) && CLOUD_SECRETS.contains(&last)
}

/// `terraform.tfvars`, `prod.tfvars.json`.
fn is_terraform_variables(name: &str) -> bool {
    name.ends_with(".tfvars") || name.ends_with(".tfvars.json")
}

/// `.bash_history`, `.psql_history`: passwords are often typed where such a file records them.
fn is_shell_history(name: &str) -> bool {
    name.starts_with('.') && name.ends_with("_history")
}

/// `secrets/db.txt`, `config/secrets/production.yml`, `.secrets/github`.
fn is_in_secret_folder(folders: &str, name: &str) -> bool {
    let mut folders = folders.split('/');
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_data = DATA.contains(&ending) || SECRET_FOLDER_DATA.contains(&ending);
    // A hidden folder does not belong to the sources or tests around it.
    let is_named = |folder: &str| SECRET_FOLDERS.contains(&folder);
    let mut named = folders.clone().filter(|folder| is_named(folder));
    is_data
        && !PLAIN_NAMES.contains(&name)
        && (named.clone().any(|folder| folder.starts_with('.'))
            || named.next().is_some() && !folders.any(is_folder_with_samples))
}

fn is_folder_with_samples(folder: &str) -> bool {
    let mut words = folder.split(|c: char| !c.is_alphanumeric());
    is_folder_without_passwords(folder) || words.any(|word| HARMLESS.contains(&word))
}

/// Whether `auth.json` is ordinary data in such a folder: `fixtures`, `locales`, or a language such as `pt-br`.
fn is_folder_without_passwords(folder: &str) -> bool {
    let mut words = folder.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_language = folder.len() == 2 || folder.len() == 5 && matches!(folder.as_bytes()[2], b'-' | b'_');
    is_language || words.any(|word| ORDINARY_FOLDERS.contains(&word))
}

/// Whether a path is this one below any folder.
fn ends_in(path: &str, place: &str) -> bool {
    path.strip_suffix(place).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests;
