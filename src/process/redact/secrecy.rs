//! Decides which variables of an environment hold secrets, and which of their values are worth masking.
//!
//! A name is only a hint: `HOTKEY_MODE=disabled` holds no secret, and masking an ordinary word everywhere would only do
//! harm. So a value must be long enough, its characters must vary, and it must not be an ordinary word.

use crate::text::information;

/// Words in the names of variables that hold secrets.
const WORDS: &[&str] = &["TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL"];
/// Parts of names, between underscores, that have to do with secrets.
const NEAR: &[&str] = &["AUTH", "AUTHS", "OAUTH", "AUTHORIZATION", "PRIVATE"];
/// What the variables begin with that hold names of git's settings: `GIT_CONFIG_KEY_0`.
const NAMES_OF_SETTINGS: &str = "GIT_CONFIG_KEY_";
/// Shorter values, in bytes, would be found in unrelated text.
const SHORTEST: usize = 8;
/// A shorter user name in an address counts as a name, not as a token.
const SHORTEST_TOKEN: usize = 16;
/// How much information a value must have, in bits: `aaaaaaaa` has none, and eight different letters have 24.
const LEAST_ENTROPY: f64 = 10.0;
/// Shorter parts of a value are ordinary: numbers of versions, hours, countries.
const SHORTEST_PART: usize = 8;
/// Shorter numbers are amounts, and dates in seconds or milliseconds.
const SHORTEST_NUMBER: usize = 16;

/// Ordinary words of eight letters and more that occur as values of such variables. Shorter values are never masked.
const ORDINARY: &str = "\
    accepted administrator anonymous application authenticated authentication authorization authorized automatic \
    available background bitbucket changeit changeme commercial complete component condition connection container \
    credential credentials customer database defaults dependency deployment development disabled distribution \
    document encrypted encryption endpoint enforced environment everyone exception external fallback filename \
    firebase function generated hostname identifier identity important integration interactive internal \
    international keyboard keychain keycloak kubernetes language localhost location maintainer management manifest \
    messages metadata microsoft middleware namespace negative notification optional organization original parallel \
    parameter passphrase password passwords permission permissive persistent personal pipeline placeholder platform \
    postgres postgresql preferred principal priority production properties protected provider published rabbitmq \
    readonly readwrite recommended reference registered registry repository requested required requirements reserved \
    resource response restricted sandboxed scheduled secondary secretsmanager self-hosted separate sequence services \
    sessions settings signature snapshot software something specific standard statement structure subdomain \
    superuser supported temporary terraform timestamp traditional transaction unchanged undefined universal \
    unlimited unrestricted username validation variable webhooks workflow workspace x-oauth-basic yesterday";

/// What the name of a variable says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// It is a secret: `GITHUB_TOKEN`, `DB_PASSWORD_2`.
    OfSecret,
    /// It has to do with a secret, or only sounds like it: `TOKEN_LIFETIME`, `HOTKEY`.
    NearSecret,
}

impl Name {
    /// What this name says; `None` if it does not suggest a secret.
    pub(super) fn of(name: &str) -> Option<Self> {
        let name = name.to_ascii_uppercase();
        if name.starts_with(NAMES_OF_SETTINGS) {
            return None;
        }
        let segments: Vec<&str> =
            name.split(|c: char| !c.is_ascii_alphabetic()).filter(|part| !part.is_empty()).collect();
        let (last, before) = segments.split_last()?;
        let is_secret = |segment: &str| match segment.strip_suffix('S').unwrap_or(segment).strip_suffix("KEY")
        {
            // Most longer words that end in -KEY mean something else.
            Some(before) => [
                "",
                "API",
                "ACCESS",
                "AUTH",
                "DEPLOY",
                "ENCRYPTION",
                "MASTER",
                "PRIVATE",
                "SECRET",
                "SIGNING",
            ]
            .contains(&before),
            None => {
                segment == "PASS" || WORDS.iter().any(|word| segment.trim_end_matches('S').ends_with(word))
            }
        };
        // `PWD` alone is the current folder of a shell.
        let is_password = *last == "PWD" && !before.is_empty();
        if is_secret(last) || is_password || *last == "DSN" {
            return Some(Self::OfSecret);
        }
        let is_near = WORDS.iter().any(|word| name.contains(word))
            || segments.iter().any(|segment| NEAR.contains(segment));
        is_near.then_some(Self::NearSecret)
    }
}

/// Whether a line of the value of a variable with such a name is a secret that can be searched for.
pub(super) fn is_secret(value: &str, name: Name) -> bool {
    if value.len() < SHORTEST || information(value) < LEAST_ENTROPY || is_ordinary(value) {
        return false;
    }
    match name {
        Name::OfSecret => true,
        Name::NearSecret => value.split(|c: char| !c.is_alphanumeric()).any(is_unusual),
    }
}

/// Whether a value is an ordinary word and nothing else, in any case.
fn is_ordinary(value: &str) -> bool {
    let lower = value.to_lowercase();
    ORDINARY.split_ascii_whitespace().any(|word| word == lower)
}

/// The secrets in one line of the value of a variable: the line itself, if the name suggests a secret, and the secret
/// parts of addresses and JSON in it.
pub(super) fn secrets_in(line: &str, name: Option<Name>) -> Vec<&str> {
    let mut secrets = in_addresses(line, name);
    if let Some(name) = name {
        secrets.extend(Some(line).filter(|line| is_secret(line, name)));
        let strings = line.split('"').skip(1).step_by(2);
        secrets.extend(strings.filter(|text| is_secret(text, Name::NearSecret)));
    }
    secrets
}

/// The secret part of addresses such as `postgres://user:password@host/database`, for variables of any name.
fn in_addresses(line: &str, name: Option<Name>) -> Vec<&str> {
    let mut secrets = Vec::new();
    for rest in line.split("://").skip(1) {
        let is_end = |c: char| matches!(c, '/' | '?' | '#' | '"' | '\'') || c.is_whitespace();
        let authority = rest.split(is_end).next().unwrap_or(rest);
        let Some((user_info, _)) = authority.rsplit_once('@') else { continue };
        let (user, password) = user_info.split_once(':').unwrap_or((user_info, ""));
        secrets.extend(Some(password).filter(|password| is_secret(password, Name::OfSecret)));
        // The user name may be a token.
        let is_token = user.len() >= SHORTEST_TOKEN || name == Some(Name::OfSecret);
        secrets.extend(Some(user).filter(|user| is_token && is_secret(user, Name::NearSecret)));
    }
    secrets
}

/// Whether a part of a value is neither a word nor an ordinary number.
fn is_unusual(part: &str) -> bool {
    if part.len() < SHORTEST_PART || information(part) < LEAST_ENTROPY {
        return false;
    }
    if part.bytes().all(|byte| byte.is_ascii_digit()) {
        return part.len() >= SHORTEST_NUMBER;
    }
    !looks_like_words(part)
}

/// Whether letters could be words, even joined ones such as `readOnlyMode`: no digits, few capitals or only capitals,
/// and never many consonants in a row.
fn looks_like_words(part: &str) -> bool {
    let letters = part.chars().all(char::is_alphabetic);
    let is_upper = part.chars().all(char::is_uppercase);
    let capitals = part.chars().filter(|c| c.is_uppercase()).count();
    let odd_capitals = !is_upper && 2 * capitals >= part.chars().count();
    let mut consonants = 0;
    let can_be_spoken = part.chars().all(|c| {
        let vowel = !c.is_ascii() || "aeiouyAEIOUY".contains(c);
        consonants = if vowel { 0 } else { consonants + 1 };
        consonants <= 4
    });
    letters && !odd_capitals && can_be_spoken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_that_its_value_is_a_secret_or_only_sounds_so() {
        for name in [
            "GITHUB_TOKEN",
            "API_KEY",
            "my_apikey",
            "DB_PASSWORD",
            "PGPASSWORD",
            "SECRET_2",
            "SMTP_PASS",
            "AWS_KEYS",
            "X_CREDENTIALS",
            "MYSQL_PWD",
            "DB_PWD_2",
            "SENTRY_DSN",
        ] {
            assert_eq!(Name::of(name), Some(Name::OfSecret), "{name}");
        }
        for name in [
            "HOTKEY_MODE",
            "HOTKEY",
            "MONKEY",
            "TOKEN_LIFETIME",
            "KEYMAP",
            "SECRETS_BACKEND",
            "TOKENIZERS_PARALLELISM",
            "AUTH",
            "DOCKER_AUTH_CONFIG",
            "SSH_AUTH_SOCK",
            "HTTP_AUTHORIZATION",
            "SSH_PRIVATE",
            "MY_PRIVATE_STUFF",
        ] {
            assert_eq!(Name::of(name), Some(Name::NearSecret), "{name}");
        }
        for name in [
            "HOME",
            "PATH",
            "PASSENGER",
            "EDITOR",
            "PWD",
            "OLDPWD",
            "GIT_AUTHOR_NAME",
            "XAUTHORITY",
            "GOPRIVATE",
            "DATABASE_URL",
            "1",
            "",
        ] {
            assert_eq!(Name::of(name), None, "{name}");
        }
    }

    #[test]
    fn long_and_varied_values_are_secrets_and_ordinary_words_never_are() {
        for secret in [
            "ghp_0123456789",
            "sk-lower-case",
            "correct horse battery",
            "hunter2hunter2",
            "abcdefghijkl",
            "qwertzuiop",
            "-----BEGIN KEY-----",
            "48151623",
            "größer-als-null",
        ] {
            assert!(is_secret(secret, Name::OfSecret), "{secret}");
        }
        for ordinary in [
            "",
            "1234567",
            "short",
            "aaaaaaaaaaaa",
            "**********",
            "disabled",
            "Undefined",
            "PRODUCTION",
            "password",
            "changeme",
            "localhost",
        ] {
            assert!(!is_secret(ordinary, Name::OfSecret), "{ordinary}");
        }
        for secret in [
            "ghp_0123456789abcdef",
            "AbCdEfGhIj",
            "550e8400-e29b-41d4-a716-446655440000",
            "kqzvwxyjpr",
            "1234567890123456",
        ] {
            assert!(is_secret(secret, Name::NearSecret), "{secret}");
        }
        for ordinary in [
            "international",
            "31536000",
            "1763000000000",
            "https://keys.example.com/path/to",
            "2026-11-21T10:00:00Z",
            "/usr/share/keymaps",
            "readOnlyMode",
            "us-altgr-intl",
            "v1.23.456-rc1",
            "ctrl+alt+delete",
        ] {
            assert!(!is_secret(ordinary, Name::NearSecret), "{ordinary}");
        }
    }

    #[test]
    fn in_an_address_only_the_password_or_a_token_is_a_secret() {
        for (line, expected) in [
            ("postgres://u:s3cr3tpwQ99@h/db", &["s3cr3tpwQ99"][..]),
            ("redis://:r3disPw77x@h", &["r3disPw77x"]),
            ("http://me:p@ssw0rd:x9@proxy:3128/", &["p@ssw0rd:x9"]),
            ("a=amqp://a:Zq81mmPLs9@h;b='mysql://b:Kq72nnWLt8@h'", &["Zq81mmPLs9", "Kq72nnWLt8"]),
            ("https://Zq7Rk2Vd9Xw4Nf8Tb3Hs@git.example.com/x", &["Zq7Rk2Vd9Xw4Nf8Tb3Hs"]),
            ("https://Zq7Rk2Vd9Xw4Nf8Tb3Hs:x-oauth-basic@git.example.com/x", &["Zq7Rk2Vd9Xw4Nf8Tb3Hs"]),
            ("https://developer7@example.com", &[]),
            ("postgres://postgres:postgres@localhost/app", &[]),
            ("postgres://app:short@localhost/app", &[]),
            ("http://localhost:48151623/a@b", &[]),
            ("https://example.com/?mail=me:q1w2e3r4t5@example.com", &[]),
            ("no address: a:q1w2e3r4t5@b", &[]),
        ] {
            assert_eq!(secrets_in(line, None), expected, "{line}");
        }
    }

    #[test]
    fn parts_of_the_value_are_secrets_too_if_the_name_suggests_a_secret() {
        let dsn = "https://ab12cd34ef56@sentry.example.com/1";
        assert_eq!(secrets_in(dsn, Name::of("SENTRY_DSN")), ["ab12cd34ef56", dsn]);
        let auths = r#"{"auths":{"x":{"auth":"dXNlcjpwYXNzMTIz"}}}"#;
        assert_eq!(secrets_in(auths, Name::of("DOCKER_AUTH_CONFIG")), [auths, "dXNlcjpwYXNzMTIz"]);
        assert_eq!(secrets_in("zzzQ9zzz17x", Name::of("AUTH")), ["zzzQ9zzz17x"]);
        assert_eq!(secrets_in("Zq81mmPLs9", Name::of("SSH_PRIVATE")), ["Zq81mmPLs9"]);
        assert_eq!(secrets_in("enabled-for-everyone", Name::of("AUTH_MODE")), [""; 0]);
        assert_eq!(secrets_in("/home/me/Zq81mmPLs9", Name::of("PWD")), [""; 0]);
    }
}
