//! Prints answers through the user's pager, as git does.

use std::ffi::OsStr;

use crate::config::Environment;
use crate::error::Result;
use crate::git::ConfigEntry;
use crate::process::page;
use crate::report;

/// The pager of a user who has chosen none.
const DEFAULT: &str = "less";

/// What git's configuration says about the pager.
#[derive(Clone, Debug, Default)]
pub struct PagerSettings {
    /// `core.pager`
    core: Option<String>,
    /// `pager.arborist`
    ours: Option<String>,
}

impl PagerSettings {
    /// The settings among these entries, of which a later one wins.
    #[must_use]
    pub fn of(entries: &[ConfigEntry]) -> Self {
        let last =
            |key: &str| entries.iter().rev().find(|entry| entry.key == key).map(|entry| entry.value.clone());
        Self { core: last("core.pager"), ours: last("pager.arborist") }
    }

    /// Prints an answer, on a terminal through the pager. What happens to the pager does not matter: the answer is
    /// printed without it if it cannot be started, and the user may leave it early.
    ///
    /// # Errors
    /// If the answer cannot be printed.
    pub(crate) fn print(&self, environment: &Environment, text: &str) -> Result<()> {
        let command = if report::out_is_terminal() { self.command(environment) } else { None };
        if let Some(command) = command
            && page(&command, &report::masked(text), |name| environment.has(name)).unwrap_or(false)
        {
            return Ok(());
        }
        report::print(text)
    }

    /// The command of the pager; `None` for none.
    ///
    /// This is git's order. `pager.arborist` is honoured by git itself if it starts us, but the programs can also be
    /// called without git.
    fn command(&self, environment: &Environment) -> Option<String> {
        let set = |name: &str| environment.variables().get(OsStr::new(name))?.to_str().map(str::to_owned);
        let own = match self.ours.as_deref().map(str::to_ascii_lowercase).as_deref() {
            Some("false" | "no" | "off" | "0" | "") => return None,
            Some("true" | "yes" | "on" | "1") | None => None,
            Some(_) => self.ours.clone(),
        };
        // Only where it is installed and the terminal can do what it needs.
        let default = || {
            let is_there = environment.search_path().any(|folder| folder.join(DEFAULT).is_file());
            (is_there && !environment.is_dumb()).then(|| DEFAULT.to_owned())
        };
        let chosen = set("GIT_PAGER").or(own).or_else(|| self.core.clone()).or_else(|| set("PAGER"));
        chosen.or_else(default).filter(|command| !matches!(command.trim(), "" | "cat"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: &str, value: &str) -> ConfigEntry {
        ConfigEntry {
            scope: "local".to_owned(),
            origin: String::new(),
            key: key.to_owned(),
            value: value.to_owned(),
        }
    }

    type Pairs<'p> = &'p [(&'p str, &'p str)];

    #[test]
    fn the_pager_is_chosen_in_the_order_of_git() {
        let cases: [(Pairs<'_>, Pairs<'_>, Option<&str>); 12] = [
            (
                &[("GIT_PAGER", "a"), ("PAGER", "d")],
                &[("core.pager", "c"), ("pager.arborist", "b")],
                Some("a"),
            ),
            (&[("PAGER", "d")], &[("core.pager", "c"), ("pager.arborist", "b")], Some("b")),
            (&[("PAGER", "d")], &[("core.pager", "c"), ("pager.arborist", "true")], Some("c")),
            (&[("PAGER", "d")], &[("core.pager", "c")], Some("c")),
            (&[("PAGER", "d")], &[], Some("d")),
            (&[("PAGER", "d -x | tee y")], &[], Some("d -x | tee y")),
            (&[("GIT_PAGER", "a")], &[("pager.arborist", "false")], None),
            (&[("GIT_PAGER", "cat"), ("PAGER", "d")], &[], None),
            (&[("GIT_PAGER", ""), ("PAGER", "d")], &[], None),
            (&[("PAGER", "d")], &[("core.pager", "")], None),
            (&[("TERM", "dumb"), ("PATH", "/usr/bin:/bin")], &[], None),
            (&[("TERM", "xterm"), ("PATH", "/nowhere")], &[], None),
        ];
        for (variables, entries, expected) in cases {
            let entries: Vec<ConfigEntry> = entries.iter().map(|(key, value)| entry(key, value)).collect();
            let command = PagerSettings::of(&entries).command(&Environment::of(variables));
            assert_eq!(command.as_deref(), expected, "{variables:?} {entries:?}");
        }
    }
}
