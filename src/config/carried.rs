//! What a clone does not have: settings from git's configuration and from the environment.

use super::{Config, Origin, Setting};

impl Config {
    /// The settings that a clone would not have, with their values.
    pub fn not_in_clones(&self) -> impl Iterator<Item = (Setting, &str)> {
        let is_here_alone = |origin: &Origin| {
            matches!(origin, Origin::CommandLine(_) | Origin::Environment(_) | Origin::Git(..))
        };
        let own = self.values.iter().filter(move |(_, value)| is_here_alone(&value.origin));
        own.map(|(setting, value)| (*setting, value.text.as_str()))
    }

    /// The keys of git's configuration that define runners, with their values.
    pub fn runner_keys(&self) -> impl Iterator<Item = (String, &str)> {
        self.runners.iter().flat_map(|(name, runner)| {
            let fields =
                [("command", &runner.command), ("vendor", &runner.vendor), ("protocol", &runner.protocol)];
            let key = move |field: &str| format!("arborist.runner.{name}.{field}");
            fields.into_iter().filter_map(move |(field, value)| Some((key(field), value.as_deref()?)))
        })
    }
}
