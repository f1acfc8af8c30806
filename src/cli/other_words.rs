//! Lists commands of other tools that have another name here, or are not needed here.

use crate::text::advice;

/// The answer to words that are not commands of ours.
#[derive(Debug)]
pub(super) struct OtherWords {
    /// The words that other tools use.
    pub(super) words: &'static [&'static str],
    /// What to do instead, in whole sentences. They never name a command that deletes.
    pub(super) instead: fn() -> String,
}

/// All these words.
pub(super) const OTHER_WORDS: &[OtherWords] = &[
    OtherWords {
        words: &["run", "start", "go", "execute", "exec", "loop"],
        instead: || format!("{} works on all tasks, {} on one.", advice::gardener(), advice::garden_any()),
    },
    OtherWords {
        words: &["resume", "continue"],
        instead: || format!("{} continues from the last commit of the run.", advice::gardener()),
    },
    OtherWords {
        words: &["pause", "abort", "cancel", "kill", "quit", "halt"],
        instead: || {
            format!(
                "{} ends the active run after the current task, and with `--now` after the current step. Every finished step is \
             committed, and {} continues from there.",
                advice::stop(),
                advice::gardener()
            )
        },
    },
    OtherWords {
        words: &["list", "ls", "tree", "tasks", "progress", "state", "dashboard"],
        instead: || format!("{} shows all tasks and their states.", advice::status()),
    },
    OtherWords {
        words: &["log", "logs", "history", "view", "info", "describe", "inspect", "diff"],
        instead: || format!("{} shows a task and all its attempts.", advice::show("TASK")),
    },
    OtherWords {
        words: &["todo", "ready"],
        instead: || format!("{} shows the tasks that are ready.", advice::next_all()),
    },
    OtherWords {
        words: &["retry", "redo", "again"],
        instead: || {
            format!(
                "{} tries a failed task again. {} begins any task again.",
                advice::garden("TASK"),
                advice::reopen_any("TASK")
            )
        },
    },
    OtherWords {
        words: &["reopen", "revert", "reset", "rollback"],
        instead: || {
            format!(
                "{} begins a task again. `git revert COMMIT` takes one of its commits back; {} lists them.",
                advice::reopen_any("TASK"),
                advice::show("TASK")
            )
        },
    },
    OtherWords {
        words: &["skip", "approve", "reject", "complete", "accept", "close", "set-status"],
        instead: || format!("{} lists what you can decide about a task.", advice::options_of("mark")),
    },
    OtherWords {
        words: &["setup", "install", "new", "create", "bootstrap"],
        instead: || {
            format!(
                "{} prepares this repository, and {} shows an example in another one.",
                advice::init(),
                advice::demo()
            )
        },
    },
    OtherWords {
        words: &["config", "configure", "settings"],
        instead: || {
            format!("{} prints every setting, its value and where it comes from.", advice::show_config())
        },
    },
    OtherWords {
        words: &["import", "plan", "convert", "parse-prd", "parse"],
        instead: || {
            format!(
                "{} finds the plan that is there and makes it ready; {} takes one that you name.",
                advice::init(),
                advice::build("FILE")
            )
        },
    },
    OtherWords {
        words: &["expand", "split"],
        instead: || format!("{} lets an agent split a task into smaller ones.", advice::build_expand("TASK")),
    },
    OtherWords {
        words: &["watch", "follow", "tail", "monitor"],
        instead: || format!("{} shows the plan again whenever a step ends.", advice::watch()),
    },
    OtherWords {
        words: &["test", "tests"],
        instead: || {
            format!(
                "{} runs the tests of a complete task again, and shows that they test its change.",
                advice::prove_one("TASK")
            )
        },
    },
    OtherWords {
        words: &["validate"],
        instead: || {
            format!(
                "{} checks the plan, and {} checks messages and histories.",
                advice::doctor(),
                advice::check()
            )
        },
    },
    OtherWords {
        words: &["clean", "cleanup", "clear", "delete", "remove", "rm", "purge", "gc"],
        instead: || {
            format!(
                "Nothing has to be cleaned up before the next run. {} reports what earlier runs left behind.",
                advice::doctor()
            )
        },
    },
    OtherWords {
        words: &["recover", "restore", "stash", "unstash"],
        instead: || format!("{} lists what interrupted steps left behind.", advice::rescue()),
    },
    OtherWords {
        words: &["verify", "audit", "fsck"],
        instead: || format!("{} checks the commits of the current run.", advice::check_run()),
    },
    OtherWords {
        words: &["diagnose", "health", "diagnostics"],
        instead: || format!("{} reports what is installed and what is missing.", advice::doctor()),
    },
    OtherWords {
        words: &["tutorial", "example", "examples", "try"],
        instead: || {
            format!(
                "{} runs a small plan in a repository of its own, in seconds and offline.",
                advice::demo()
            )
        },
    },
];

/// What to do instead of the command `word`, if it is one of these words.
pub(super) fn instead_of(word: &str) -> Option<String> {
    OTHER_WORDS.iter().find(|row| row.words.contains(&word)).map(|row| (row.instead)())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Rule;
    use crate::cli::TABLE;
    use crate::config::Setting;
    use crate::session::Deletes;
    use crate::text::gone;

    #[test]
    fn no_word_has_two_meanings_or_is_a_command_of_ours() {
        let words: Vec<&str> = OTHER_WORDS.iter().flat_map(|row| row.words).copied().collect();
        for (place, word) in words.iter().enumerate() {
            assert!(!words[..place].contains(word), "{word} is there twice");
            assert!(TABLE.iter().all(|row| row.summary.name != *word), "{word} is a command");
        }
    }

    #[test]
    fn nothing_that_went_is_still_there() {
        for name in gone::names() {
            match name.split_once(' ') {
                _ if name.starts_with("arborist.") => {
                    let key = name.trim_start_matches("arborist.");
                    assert!(Setting::from_key(key).is_none(), "{name} is a setting");
                    let rule = key.strip_prefix("hook.level.").and_then(Rule::from_id);
                    assert!(rule.is_none(), "{name} is the level of a rule");
                }
                Some((command, word)) => {
                    let definition =
                        (TABLE.iter().find(|row| row.summary.name == command).expect(name).definition)();
                    let mut words = definition.get_arguments().filter_map(|arg| arg.get_long());
                    assert!(words.all(|long| word != format!("--{long}")), "{name} is an option");
                    assert!(
                        definition.get_subcommands().all(|sub| sub.get_name() != word),
                        "{name} is a command"
                    );
                }
                None => assert!(TABLE.iter().all(|row| row.summary.name != name), "{name} is a command"),
            }
        }
    }

    #[test]
    fn the_commands_that_are_named_exist_and_delete_nothing() {
        for row in OTHER_WORDS {
            for named in (row.instead)().split("git arborist ").skip(1) {
                let mut words = named.split(['`', ' ']);
                let name = words.next().unwrap();
                let command = TABLE.iter().find(|row| row.summary.name == name).expect(name);
                match command.deletes {
                    Deletes::Nothing => {}
                    Deletes::Always => panic!("{name} deletes"),
                    Deletes::With(with) => assert!(!with.contains(&words.next().unwrap()), "{named}"),
                }
            }
        }
    }
}
