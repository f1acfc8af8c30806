//! Lists commands of other tools that have another name here, or are not needed here.

/// The answer to words that are not commands of ours.
#[derive(Debug)]
pub(super) struct OtherWords {
    /// The words that other tools use.
    pub(super) words: &'static [&'static str],
    /// What to do instead, in whole sentences. They never name a command that deletes.
    pub(super) instead: &'static str,
}

/// All these words.
pub(super) const OTHER_WORDS: &[OtherWords] = &[
    OtherWords {
        words: &["run", "start", "go", "execute", "exec", "loop"],
        instead: "`git arborist gardener` works on all tasks, `git arborist garden` on one.",
    },
    OtherWords {
        words: &["resume", "continue"],
        instead: "`git arborist gardener` continues from the last commit of the run.",
    },
    OtherWords {
        words: &["pause", "abort", "cancel", "kill", "quit", "halt"],
        instead: "`git arborist stop` ends the active run after the current task, and with `--now` after the current step. \
                  Every finished step is committed, and `git arborist gardener` continues from there.",
    },
    OtherWords {
        words: &["list", "ls", "tree", "tasks", "progress", "state", "dashboard"],
        instead: "`git arborist status` shows all tasks and their states.",
    },
    OtherWords {
        words: &["log", "logs", "history", "view", "info", "describe", "inspect", "diff"],
        instead: "`git arborist show TASK` shows a task and all its attempts.",
    },
    OtherWords {
        words: &["todo", "ready"],
        instead: "`git arborist next --all` shows the tasks that are ready.",
    },
    OtherWords {
        words: &["retry", "redo", "again"],
        instead: "`git arborist garden TASK` tries a failed task again. `git arborist mark reopen TASK` begins any task \
                  again.",
    },
    OtherWords {
        words: &["reopen", "revert", "reset", "rollback"],
        instead: "`git arborist mark reopen TASK` begins a task again. `git revert COMMIT` takes one of its commits back; \
                  `git arborist show TASK` lists them.",
    },
    OtherWords {
        words: &["skip", "approve", "reject", "complete", "accept", "close", "set-status"],
        instead: "`git arborist mark skip`, `complete`, `reopen`, `approve` and `reject` record what you decide about a \
                  task.",
    },
    OtherWords {
        words: &["setup", "install", "new", "create", "bootstrap"],
        instead: "`git arborist init` prepares this repository, and `git arborist demo` shows an example in another one.",
    },
    OtherWords {
        words: &["config", "configure", "settings"],
        instead: "`git arborist init --show-config` prints every setting, its value and where it comes from.",
    },
    OtherWords {
        words: &["import", "plan", "convert", "parse-prd", "parse"],
        instead: "`git arborist init` finds the plan that is there and makes it ready; `git arborist build FILE` takes one that you \
                  name.",
    },
    OtherWords {
        words: &["expand", "split"],
        instead: "`git arborist build --expand TASK` lets an agent split a task into smaller ones.",
    },
    OtherWords {
        words: &["watch", "follow", "tail", "monitor"],
        instead: "`git arborist status --watch` shows the plan again whenever a step ends.",
    },
    OtherWords {
        words: &["test", "tests"],
        instead: "`git arborist prove TASK` runs the tests of a complete task again, and shows that they test its change.",
    },
    OtherWords {
        words: &["validate"],
        instead: "`git arborist lint` checks the plan, and `git arborist check` checks messages and histories.",
    },
    OtherWords {
        words: &["clean", "cleanup", "clear", "delete", "remove", "rm", "purge", "gc"],
        instead: "Nothing has to be cleaned up before the next run. `git arborist doctor` reports what earlier runs left \
                  behind.",
    },
    OtherWords {
        words: &["recover", "restore", "stash", "unstash"],
        instead: "`git arborist rescue` lists what interrupted steps left behind.",
    },
    OtherWords {
        words: &["verify", "audit", "fsck"],
        instead: "`git arborist check --run` checks the commits of the current run.",
    },
    OtherWords {
        words: &["diagnose", "health", "diagnostics"],
        instead: "`git arborist doctor` reports what is installed and what is missing.",
    },
    OtherWords {
        words: &["tutorial", "example", "examples", "try"],
        instead: "`git arborist demo` runs a small plan in a repository of its own, in seconds and offline.",
    },
];

/// What to do instead of the command `word`, if it is one of these words.
pub(super) fn instead_of(word: &str) -> Option<&'static str> {
    OTHER_WORDS.iter().find(|row| row.words.contains(&word)).map(|row| row.instead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::TABLE;
    use crate::session::Deletes;

    #[test]
    fn no_word_has_two_meanings_or_is_a_command_of_ours() {
        let words: Vec<&str> = OTHER_WORDS.iter().flat_map(|row| row.words).copied().collect();
        for (place, word) in words.iter().enumerate() {
            assert!(!words[..place].contains(word), "{word} is there twice");
            assert!(TABLE.iter().all(|row| row.summary.name != *word), "{word} is a command");
        }
    }

    #[test]
    fn the_commands_that_are_named_exist_and_delete_nothing() {
        for row in OTHER_WORDS {
            for named in row.instead.split("git arborist ").skip(1) {
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
