//! Names of files that nearly always contain secrets.
//!
//! A word such as `example` makes a name harmless, but only as a whole word: `.env.distribution` is not `.env.dist`.
//! The name of a key file is never harmless, no matter what else is in it: `latest.key`, `example.p12`. Nor does the
//! folder make it harmless, because a key among test data may be a real one.
//!
//! Source code that deals with secrets contains none: `api_key.py` and `secrets.go` are ordinary names.

/// Names of keys, and of stores of keys and passwords. In a pattern, `*` matches any text.
const KEYS: &[&str] = &[
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.p8",
    "*.pk8",
    "*.ppk",
    "*.jks",
    "*.jceks",
    "*.keystore",
    "*.keytab",
    "*.kdbx",
    "*.kdb",
    "*.agekey",
    "*.ovpn",
    "*.tfstate",
];
/// Files of programs that keep passwords or tokens in them. A pattern with a slash matches the end of a path; one that
/// begins with a slash, the whole path from the top of the work tree.
const NAMES: &[&str] = &[
    ".env",
    ".env.*",
    ".env-*",
    ".env_*",
    "*.env",
    "env.prod",
    "env.production",
    "env.staging",
    "env.local",
    ".netrc",
    "_netrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".s3cfg",
    ".boto",
    ".vault_pass*",
    ".git-credentials",
    ".htpasswd",
    ".dockercfg",
    ".docker/config.json",
    ".kube/config",
    "kubeconfig",
    ".vault-token",
    "rclone.conf",
    "credentials",
    "application_default_credentials.json",
    "google-credentials.json",
    "gcp-*key.json",
    "serviceaccount*.json",
    "service-account*.json",
    "service_account*.json",
    "*firebase-adminsdk*.json",
    "client_secret*.json",
    "*accesskeys.csv",
    "rootkey.csv",
    "*.tfvars",
    "*.tfvars.json",
    "/auth.json",
    ".composer/auth.json",
    "token.txt",
    "password.txt",
    ".*_history",
    "ssh_host_*_key",
    "*_rsa",
    "*_dsa",
    "*_ecdsa",
    "*_ed25519",
    "id_rsa_*",
    "id_rsa-*",
    "id_ed25519_*",
    "id_ed25519-*",
];
/// Files of programs that mostly hold settings, and sometimes a password: the name of the file, and the ends of the keys whose
/// values are one. `=` is part of a key where others end alike.
const JUDGED: &[(&str, &[&str])] = &[
    (".npmrc", &["_authtoken=", "_auth=", "_password=", "npmauthtoken:"]),
    (".yarnrc.yml", &["npmauthtoken:", "npmauthident:"]),
    (".envrc", &["token=", "secret=", "password=", "passwd=", "api_key=", "apikey=", "access_key="]),
    (".terraformrc", &["token="]),
];
/// Names of files that hold one token and nothing else. In JSON or YAML, such a name is as often that of a schema.
const TOKENS: &[&str] = &[
    "api_key",
    "apikey",
    "access_key",
    "access_token",
    "auth_token",
    "oauth_token",
    "refresh_token",
    "bearer_token",
];
/// The kinds of files for which a name in [`TOKENS`] counts.
const PLAIN: &[&str] = &["", "txt", "ini", "cfg", "conf", "properties", "env"];
/// The beginnings of names of data files that hold secrets: `credentials.prod.json`.
const STEMS: &[&str] = &["credential", "credentials", "secret", "secrets", "client_secret", "client_secrets"];
/// The other kinds of files for which a name in [`STEMS`] counts. Code that deals with secrets holds none.
const DATA: &[&str] = &["json", "yml", "yaml", "toml", "xml", "csv"];
/// Folders in which people keep passwords, one a file. Among sources, `secrets` is a subject.
const FOLDERS: &[&str] = &[".env/", ".secrets/", "/secrets/", "/config/secrets/", "/deploy/secrets/"];
/// Files without an ending that are not passwords in any folder.
const NO_PASSWORDS: &[&str] = &["readme", "license", "makefile", "dockerfile"];
/// Words that mean that a file holds no secret.
const HARMLESS: &[&str] = &[
    "example",
    "examples",
    "sample",
    "samples",
    "template",
    "templates",
    "tmpl",
    "dist",
    "default",
    "defaults",
    "schema",
    "dummy",
    "encrypted",
    "enc",
    "sops",
    "pub",
];
/// Suffixes that editors and people append to the name of a copy, and programs to that of a file in another format.
const COPIES: &[&str] =
    &["~", ".bak", ".backup", ".old", ".orig", ".save", ".copy", ".tmp", ".swp", ".gz", ".b64"];

/// Whether the last part of a path, or the path as a whole, is the name of a file with secrets.
pub(super) fn is_secret_name(path: &str) -> bool {
    let path = format!("/{}", path.to_lowercase());
    let (folder, written) = path.rsplit_once('/').unwrap_or(("", &path));
    let name = original(written);
    if KEYS.iter().any(|pattern| matches(pattern, name)) || name == "application_default_credentials.json" {
        return true;
    }
    let of_program = |pattern: &&str| match pattern.contains('/') {
        true => matches_end(&path, pattern),
        false => matches(pattern, name) || matches(pattern, written),
    };
    let is_meant = NAMES.iter().any(of_program)
        || holds_secrets(name)
        || holds_secrets(written)
        || is_kept_apart(folder, name);
    let mut words = written.split(|c: char| !c.is_alphanumeric());
    is_meant && !words.any(|word| HARMLESS.contains(&word))
}

/// The lines, from 1, on which a file of settings has a password or token, as far as its name says what the keys are. A value that
/// is taken from a variable is none.
pub(super) fn lines_with_passwords(path: &str, content: &[u8]) -> Vec<usize> {
    let path = path.to_lowercase();
    let name = original(path.rsplit('/').next().unwrap_or_default());
    let Some((_, keys)) = JUDGED.iter().find(|(judged, _)| *judged == name) else { return Vec::new() };
    let has_password = |line: &[u8]| {
        let text = String::from_utf8_lossy(line).to_lowercase();
        let plain: String = text.split_whitespace().collect();
        let is_comment = plain.starts_with(['#', ';']);
        let value = keys.iter().find_map(|key| plain.split_once(key)).map(|(_, value)| value);
        let value = value.map(|value| value.trim_matches(['"', '\'']));
        !is_comment && value.is_some_and(|value| !value.is_empty() && !value.starts_with(['$', '<', '%']))
    };
    let lines = content.split(|byte| *byte == b'\n').enumerate();
    lines.filter(|(_, line)| has_password(line)).map(|(at, _)| at + 1).collect()
}

/// The name of the original, if this may be the name of a copy.
fn original(mut name: &str) -> &str {
    // `#x#` and `.#x` are Emacs's.
    name = name.strip_prefix(".#").unwrap_or(name).trim_matches('#');
    loop {
        // Also `server.pem.1` and `server.pem.bak2`.
        let unnumbered = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_numbered = unnumbered.len() < name.len();
        let shorter = without_suffix(name)
            .or_else(|| without_suffix(unnumbered))
            .or_else(|| unnumbered.strip_suffix('.').filter(|_| is_numbered));
        match shorter {
            Some(shorter) if !shorter.is_empty() => name = shorter,
            _ => return name,
        }
    }
}

fn without_suffix(name: &str) -> Option<&str> {
    COPIES.iter().find_map(|copy| name.strip_suffix(copy))
}

/// Whether a name is that of a data file with secrets, or of a file with a token: `secrets.production.yml`, `oauth-token`.
fn holds_secrets(name: &str) -> bool {
    let name = name.trim_start_matches('.');
    let (before, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let stem = before.split('.').next().unwrap_or(before).replace('-', "_");
    let is_plain = PLAIN.contains(&ending);
    TOKENS.contains(&stem.strip_suffix('s').unwrap_or(&stem)) && is_plain
        || STEMS.contains(&&*stem) && !ending.is_empty() && (is_plain || DATA.contains(&ending))
}

/// Whether a file is in a folder for passwords, and is not code: `secrets/db.txt`, `.secrets/github`.
fn is_kept_apart(folder: &str, name: &str) -> bool {
    let folder = format!("{folder}/");
    let is_for_passwords = FOLDERS.iter().any(|place| match place.strip_prefix('/') {
        Some(_) => folder.starts_with(place),
        None => folder.contains(&format!("/{place}")),
    });
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_data = PLAIN.contains(&ending) || DATA.contains(&ending) || ending == "password";
    is_for_passwords && is_data && !NO_PASSWORDS.contains(&name)
}

/// Whether a pattern matches a whole text.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            (0..=text.len()).any(|at| text.is_char_boundary(at) && matches(rest, &text[at..]))
        }),
    }
}

/// Whether a path ends in a place, which begins at a folder or, after a slash, at the top.
fn matches_end(path: &str, place: &str) -> bool {
    place.starts_with('/') && path == place || !place.starts_with('/') && path.ends_with(&format!("/{place}"))
}

#[cfg(test)]
mod tests;
