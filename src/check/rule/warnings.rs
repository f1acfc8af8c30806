//! Rules that a message had better not break.

use super::{Level, Rule, RuleInfo};

pub(super) const WARNINGS: &[RuleInfo] = &[
    RuleInfo {
        rule: Rule::Divider,
        id: "W101",
        name: "divider",
        level: Level::Warning,
        about: "a line `---` above the trailers",
        why: "Git reads the trailers all the same; `git am`, `git interpret-trailers` and libgit2 take the \
            line for the end of the message.",
        wrong: "task(T1): implement \"Parser\"\n\n--- FAIL: one test\n\nArborist-Step: implement\n\
            Arborist-Result: pass\nArborist-Retry: 0\n",
        right: "task(T1): implement \"Parser\"\n\n\
            \x20--- FAIL: one test\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::MissingFile,
        id: "W102",
        name: "missing-file",
        level: Level::Warning,
        about: "a log or report that is neither in the index nor on disk",
        why: "Whoever follows the path later finds nothing.",
        wrong: "task(T1): complete \"Parser\"\n\nArborist-Step: complete\nArborist-Result: pass\n\
            Arborist-Report: spec/reports/gone.json\n",
        right: "task(T1): complete \"Parser\"\n\nArborist-Step: complete\nArborist-Result: pass\n\
            Arborist-Report: spec/reports/T1.json\n",
    },
    RuleInfo {
        rule: Rule::PassWithFailures,
        id: "W103",
        name: "pass-with-failures",
        level: Level::Warning,
        about: "tests that pass with failures among them",
        why: "One of the two trailers is wrong.",
        wrong: "task(T1): tests pass for \"Parser\"\n\nArborist-Step: test\nArborist-Test: pass\n\
            Arborist-Retry: 0\nArborist-Test-Failed: 2\nArborist-Test-Type: unit\n\
            Arborist-Test-Runtime: 3.2\n",
        right: "task(T1): tests pass for \"Parser\"\n\nArborist-Step: test\nArborist-Test: pass\n\
            Arborist-Retry: 0\nArborist-Test-Failed: 0\nArborist-Test-Type: unit\n\
            Arborist-Test-Runtime: 3.2\n",
    },
    RuleInfo {
        rule: Rule::Sparse,
        id: "W104",
        name: "sparse",
        level: Level::Warning,
        about: "a step without what a later reader will look for",
        why: "A test says its type and runtime, a failed one its log, a rejected review too.",
        wrong: "task(T1): tests pass for \"Parser\"\n\nArborist-Step: test\nArborist-Test: pass\n\
            Arborist-Retry: 0\nArborist-Test-Type: unit\n",
        right: "task(T1): tests pass for \"Parser\"\n\nArborist-Step: test\nArborist-Test: pass\n\
            Arborist-Retry: 0\nArborist-Test-Type: unit\nArborist-Test-Runtime: 3.2\n",
    },
    RuleInfo {
        rule: Rule::UnseenTrailer,
        id: "W105",
        name: "unseen-trailer",
        level: Level::Warning,
        about: "a line like our trailers in an ordinary message, where git does not see it",
        why: "A quotation is fine; indent it, so that nobody takes it for a trailer.",
        wrong: "Explain the format\n\nArborist-Step: implement\nis what a step begins with.\n",
        right: "Explain the format\n\n\
            \x20 Arborist-Step: implement\nis what a step begins with.\n",
    },
    RuleInfo {
        rule: Rule::Autosquash,
        id: "W106",
        name: "autosquash",
        level: Level::Warning,
        about: "a commit that is to be melted into a step",
        why: "Steps are never rewritten: the history of a task is what its state is read from.",
        wrong: "fixup! task(T1): implement \"Parser\"\n",
        right: "Correct the parser\n",
    },
    RuleInfo {
        rule: Rule::UnknownTask,
        id: "W107",
        name: "unknown-task",
        level: Level::Warning,
        about: "an id that is not in the task tree",
        why: "Nobody will ever ask for the state of such a task.",
        wrong: "task(T9): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::GitDisagrees,
        id: "W108",
        name: "git-disagrees",
        level: Level::Warning,
        about: "local settings that make `git log` read other trailers than we do",
        why: "`trailer.separators` without a colon, a comment character that begins our keys, or a \
            `trailer.<name>.key` that begins like one of them. State is read without these settings, so \
            only what you see differs. Remove the setting.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::Contradiction,
        id: "W109",
        name: "contradiction",
        level: Level::Warning,
        about: "a subject that says something else than the trailers",
        why: "State is read from the trailers, people read the subject.",
        wrong: "task(T1): tests pass for \"Parser\"\n\nArborist-Step: test\nArborist-Test: fail\n\
            Arborist-Retry: 0\nArborist-Test-Log: spec/logs/T1.log\nArborist-Test-Type: unit\n\
            Arborist-Test-Runtime: 3.2\n",
        right: "task(T1): tests fail for \"Parser\"\n\nArborist-Step: test\nArborist-Test: fail\n\
            Arborist-Retry: 0\nArborist-Test-Log: spec/logs/T1.log\nArborist-Test-Type: unit\n\
            Arborist-Test-Runtime: 3.2\n",
    },
    RuleInfo {
        rule: Rule::SameTwice,
        id: "W110",
        name: "same-twice",
        level: Level::Warning,
        about: "one trailer twice",
        why: "It says nothing new, and one of the two may be forgotten when it changes.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\nArborist-Retry: 0\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::OddRetry,
        id: "W111",
        name: "odd-number",
        level: Level::Warning,
        about: "a retry on a step that is no attempt, or a number with leading zeros",
        why: "Both are read without trouble, and both are surely a slip.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 01\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 1\n",
    },
];
