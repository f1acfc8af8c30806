//! Rules that a message should not break.

use super::{Level, Rule, RuleInfo};

pub(super) const WARNINGS: &[RuleInfo] = &[
    RuleInfo {
        rule: Rule::Divider,
        id: "W101",
        name: "divider",
        level: Level::Warning,
        about: "a line `---` above the trailers",
        why: "Git reads the trailers all the same, but `git am`, `git interpret-trailers` and libgit2 take the line \
         for the end of the message.",
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
        why: "A reader who follows the path later will find nothing.",
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
        about: "a passed test step that counts failed tests",
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
        about: "a step without details that readers will look for",
        why: "A test step should name its type and runtime. A failed test step and a rejected review should also \
         name their log.",
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
        about: "a line that looks like an Arborist trailer, but that git does not read as one",
        why: "If this is a quotation, indent it, so that it is not mistaken for a trailer.",
        wrong: "Explain the format\n\nArborist-Step: implement\nis what a step begins with.\n",
        right: "Explain the format\n\n\
            \x20 Arborist-Step: implement\nis what a step begins with.\n",
    },
    RuleInfo {
        rule: Rule::Autosquash,
        id: "W106",
        name: "autosquash",
        level: Level::Warning,
        about: "a fixup or squash commit for a step",
        why: "Steps must never be rewritten, because the state of a task is read from its history.",
        wrong: "fixup! task(T1): implement \"Parser\"\n",
        right: "Correct the parser\n",
    },
    RuleInfo {
        rule: Rule::UnknownTask,
        id: "W107",
        name: "unknown-task",
        level: Level::Warning,
        about: "an id that is not in the task tree",
        why: "No command will ever show the state of such a task.",
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
        about: "local settings that make `git log` show other trailers than git-arborist reads",
        why: "Such a setting is `trailer.separators` without a colon, a comment character with which our keys begin, \
         or a `trailer.<name>.key` that begins like one of them. git-arborist ignores these settings, so only what \
         you see differs. Remove the setting.",
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
        about: "a subject that contradicts the trailers",
        why: "The state is read from the trailers, but people read the subject.",
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
        about: "the same trailer twice",
        why: "The second one adds nothing, and may be forgotten when the first one changes.",
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
        about: "a retry count on a step that has no attempts, or a number with leading zeros",
        why: "Both can be read, but are probably mistakes.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 01\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 1\n",
    },
];
