//! The settings of the clone of a worker: what its configuration file gets, and what only the worker itself is given. The agents
//! and tests of a task read the file, so no login is in it.

use super::source::{ORIGIN, Source};
use crate::git::UnwrittenSetting;
use crate::git::without_password;
use crate::text::clean;

/// The sections of a repository's own settings that a clone needs to do the same: who commits, what is set for runs, and how to
/// reach others.
const TAKEN: [&str; 8] = ["arborist.", "user.", "author.", "committer.", "commit.", "gpg.", "http.", "url."];

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CloneSettings {
    /// The text that is added to its configuration file.
    pub(super) text: String,
    /// From where is fetched.
    pub(super) address: String,
    /// What is in no file, because it may be a login.
    pub(super) unwritten: Vec<UnwrittenSetting>,
}

impl CloneSettings {
    /// Those of a clone of this source.
    pub(super) fn of(source: &Source) -> Self {
        let mut all = Self { address: source.fetch.clone(), ..Self::default() };
        for entry in &source.settings {
            if is_login(&entry.key) {
                all.unwritten.push(UnwrittenSetting { key: entry.key.clone(), value: entry.value.clone() });
            } else if TAKEN.iter().any(|start| entry.key.starts_with(start)) {
                all.text.push_str(&setting(&entry.key, &entry.value));
            }
        }
        all.write("arborist.branches", "task");
        let fetch = all.without_login(&source.fetch);
        let push = all.without_login(&source.push);
        all.write(&format!("remote.{ORIGIN}.url"), &fetch);
        // A push is remembered as well as a fetch: so it can be told later what was not pushed.
        all.write(&format!("remote.{ORIGIN}.fetch"), &format!("+refs/heads/*:refs/remotes/{ORIGIN}/*"));
        if push != fetch {
            all.write(&format!("remote.{ORIGIN}.pushurl"), &push);
        }
        all
    }

    fn write(&mut self, key: &str, value: &str) {
        self.text.push_str(&setting(key, value));
    }

    /// The address without the password in it, which only the worker gets.
    fn without_login(&mut self, address: &str) -> String {
        let plain = without_password(address);
        if let Some(plain) = &plain {
            let key = format!("url.{address}.insteadOf");
            self.unwritten.push(UnwrittenSetting { key, value: plain.clone() });
        }
        plain.unwrap_or_else(|| address.to_owned())
    }
}

/// Whether a setting is, or may be, a login.
fn is_login(key: &str) -> bool {
    let ends = [".extraheader", ".cookiefile", ".proxy"];
    key.starts_with("credential.")
        || key.starts_with("http.") && ends.iter().any(|end| key.to_lowercase().ends_with(end))
        || key.starts_with("url.") && without_password(key.trim_start_matches("url.")).is_some()
}

/// A setting as git's configuration files have it.
fn setting(key: &str, value: &str) -> String {
    let (section, name) = key.rsplit_once('.').unwrap_or(("arborist", key));
    let quoted = |text: &str| clean_value(text).replace('\\', "\\\\").replace('"', "\\\"");
    let header = match section.split_once('.') {
        Some((section, sub)) => format!("[{section} \"{}\"]", quoted(sub)),
        None => format!("[{section}]"),
    };
    format!("{header}\n\t{name} = \"{}\"\n", quoted(value).replace('\n', "\\n"))
}

fn clean_value(text: &str) -> String {
    clean(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::git::ConfigEntry;

    #[test]
    fn settings_are_written_as_git_reads_them() {
        assert_eq!(setting("user.name", "A \"B\" \\ C"), "[user]\n\tname = \"A \\\"B\\\" \\\\ C\"\n");
        assert_eq!(
            setting("http.https://example.com/.sslcainfo", "a: b; # c"),
            "[http \"https://example.com/\"]\n\tsslcainfo = \"a: b; # c\"\n"
        );
        assert_eq!(
            setting("arborist.worktree.setup", "a\nb"),
            "[arborist \"worktree\"]\n\tsetup = \"a\\nb\"\n"
        );
    }

    #[test]
    fn no_login_is_written_where_an_agent_reads_it() {
        let entry = |key: &str, value: &str| ConfigEntry {
            scope: "local".to_owned(),
            origin: "file:.git/config".to_owned(),
            key: key.to_owned(),
            value: value.to_owned(),
        };
        let source = Source {
            fetch: "https://me:sesame@h/o/n.git".to_owned(),
            push: "https://me:sesame@h/o/n.git".to_owned(),
            settings: vec![
                entry("credential.helper", "store --file=/run/sesame"),
                entry("http.https://h/.extraheader", "AUTHORIZATION: basic sesame"),
                entry("url.https://x:sesame@h/.insteadof", "https://h/"),
                entry("user.name", "A"),
                entry("core.editor", "vi"),
            ],
            current: None,
            place: None,
            near: None,
            patience: Duration::ZERO,
        };
        let CloneSettings { text, unwritten, .. } = CloneSettings::of(&source);
        assert!(!text.contains("sesame") && text.contains("url = \"https://h/o/n.git\""), "{text}");
        assert!(
            text.contains("name = \"A\"") && !text.contains("editor") && !text.contains("pushurl"),
            "{text}"
        );
        assert_eq!(unwritten.len(), 5);
        assert_eq!(unwritten.last().unwrap().key, "url.https://me:sesame@h/o/n.git.insteadOf");
        assert_eq!(without_password("https://Zq7Rk2Vd9Xw4Nf8Tb3Hs@h/o").as_deref(), Some("https://h/o"));
        for plain in ["https://h/o", "https://me@h/o", "git@h:o/n", "/a:b@c/d", "ssh://git@h/a:b@c"] {
            assert_eq!(without_password(plain), None, "{plain}");
        }
    }
}
