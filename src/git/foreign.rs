//! Keeps the programs that the configuration of a repository names from running: people who only look at somebody else's
//! repository have not agreed to run anything from it.

use super::{ConfigEntry, Git, Variable};
use crate::error::Result;

/// The variable in which git passes settings of a command line on.
pub const PARAMETERS: &str = "GIT_CONFIG_PARAMETERS";

impl Git {
    /// The same git, which runs no monitor and no filter that the configuration of this repository names when it looks at the
    /// work tree, and which writes nothing then, so that no hook runs either. Those of the user and of the system stay.
    /// `passed_on` are the settings that an outer git has passed on in [`PARAMETERS`].
    ///
    /// # Errors
    /// If git cannot read its configuration.
    pub fn without_programs_of_repository(self, passed_on: Option<&str>) -> Result<Self> {
        let entries = self.settings_in_effect()?;
        let harmless = entries.iter().filter(|entry| is_of_repository(entry)).filter_map(harmless);
        let all: Vec<String> = passed_on.map(str::to_owned).into_iter().chain(harmless).collect();
        let mut variables = self.variables.clone();
        variables.push(Variable { name: PARAMETERS, value: all.join(" ").into() });
        variables.push(Variable { name: "GIT_OPTIONAL_LOCKS", value: "0".into() });
        Ok(self.with_variables(variables))
    }

    /// The setting of this repository that names the program which signs commits, if there is one.
    ///
    /// # Errors
    /// If git cannot read its configuration.
    pub fn signer_of_repository(&self) -> Result<Option<String>> {
        let entries = self.settings_in_effect()?.into_iter();
        let is_signer = |entry: &ConfigEntry| {
            entry.key.starts_with("gpg.")
                && (entry.key.ends_with("program") || entry.key.ends_with("command"))
        };
        Ok(entries.filter(is_of_repository).find(is_signer).map(|entry| entry.key))
    }
}

fn is_of_repository(entry: &ConfigEntry) -> bool {
    entry.scope == "local" || entry.scope == "worktree"
}

/// The setting in the form of [`PARAMETERS`] with a value that runs nothing; `None` if looking at the work tree does not run
/// it.
fn harmless(entry: &ConfigEntry) -> Option<String> {
    let key = entry.key.as_str();
    let value = match key.rsplit_once('.')? {
        ("core", "fsmonitor") => "false",
        (section, "clean" | "smudge" | "process") if section.starts_with("filter.") => "",
        // A filter that does nothing fails.
        (section, "required") if section.starts_with("filter.") => "false",
        _ => return None,
    };
    Some(format!("'{}'='{value}'", key.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_run_a_program_are_taken_back_whatever_their_name() {
        let entry = |key: &str| ConfigEntry {
            scope: "local".to_owned(),
            origin: "file:.git/config".to_owned(),
            key: key.to_owned(),
            value: "x".to_owned(),
        };
        let of = |key: &str| harmless(&entry(key));
        assert_eq!(of("core.fsmonitor").unwrap(), "'core.fsmonitor'='false'");
        assert_eq!(of("filter.it's.a.clean").unwrap(), r"'filter.it'\''s.a.clean'=''");
        assert_eq!(of("filter.x.required").unwrap(), "'filter.x.required'='false'");
        assert_eq!(of("core.pager"), None);
    }
}
