//! The commands and options that people use every day. The summary of `-h` and the overview show these; the manual shows
//! all.

use crate::text::advice;
use clap::Command;

/// The commands, in the order in which a new user needs them.
pub(super) const COMMANDS: [&str; 9] =
    ["init", "gardener", "status", "show", "done", "note", "prove", "land", "doctor"];

/// The options that people use, of commands with many. Other commands show all of theirs.
const OPTIONS: &[(&str, &[&str])] = &[
    ("garden", &["runner", "model", "max-attempts", "no-review", "test-first", "dry-run", "yes", "verbose"]),
    (
        "gardener",
        &[
            "runner",
            "model",
            "max-attempts",
            "no-review",
            "jobs",
            "stop-on-failure",
            "failed",
            "max-time",
            "dry-run",
            "yes",
        ],
    ),
    ("work", &["remote", "branch", "runner", "model", "until-idle", "take-over", "dir", "max-time", "yes"]),
    ("integrate", &["remote", "branch", "batch", "dir", "runner", "model", "max-time", "yes"]),
    (
        "autopilot",
        &[
            "resume",
            "dry-run",
            "yes",
            "runner",
            "model",
            "no-review",
            "expand",
            "no-land",
            "no-push",
            "no-pr",
            "follow",
        ],
    ),
    ("pr", &["branch", "base", "remote", "title", "ready", "follow", "watch", "yes", "dry-run", "json"]),
    ("init", &["yes", "plan", "suite", "setup", "runner", "hooks", "no-hooks", "dry-run", "show-config"]),
    ("build", &["from", "output", "test-command", "commit", "update", "check", "expand", "planner", "tag"]),
    ("status", &["watch", "ready", "failed", "blocked", "active", "all", "short", "json"]),
];

/// The definition of a command whose summary shows only what people use, and names what shows the rest.
pub(super) fn shortened(definition: Command, name: &str) -> Command {
    let shown = OPTIONS.iter().find(|(command, _)| *command == name).map(|(_, options)| *options);
    let is_rare = |long: &str| shown.is_some_and(|shown| !shown.contains(&long));
    let definition = definition.mut_args(|arg| match arg.get_long() {
        // The page of the whole program explains it.
        Some("tree") => arg.hide_short_help(true).hide_long_help(true),
        Some(long) if is_rare(long) => arg.hide_short_help(true),
        _ => arg,
    });
    definition
        .after_help(format!("{} lists all options, explains them and gives examples.", advice::help_of(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::TABLE;

    #[test]
    fn every_everyday_command_and_option_exists() {
        for name in COMMANDS {
            assert!(TABLE.iter().any(|row| row.summary.name == name), "{name}");
        }
        for (name, options) in OPTIONS {
            let row = TABLE.iter().find(|row| row.summary.name == *name).expect(name);
            let definition = (row.definition)();
            for option in *options {
                let is_there = definition.get_arguments().any(|arg| arg.get_long() == Some(option));
                assert!(is_there, "{name} has no --{option}");
            }
        }
    }

    #[test]
    fn no_summary_lists_more_than_a_dozen_options() {
        for row in TABLE {
            let help = (row.definition)().render_help().to_string();
            let is_option = |line: &&str| line.trim_start().starts_with('-') && line.contains("--");
            let count = help.lines().filter(is_option).count();
            assert!(count <= 12, "{} lists {count} options:\n{help}", row.summary.name);
            assert!(!help.contains("--tree"), "{help}");
        }
    }
}
