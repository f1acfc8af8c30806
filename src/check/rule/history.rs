//! Rules for a history, beyond single messages.

use super::{Level, Rule, RuleInfo};

pub(super) const HISTORY: &[RuleInfo] = &[
    RuleInfo {
        rule: Rule::StepOrder,
        id: "H201",
        name: "step-order",
        level: Level::Error,
        about: "a step that cannot follow the one before",
        why: "implement, test, review, complete: a test follows an implementation that passed, a review tests \
            that passed, a completion a review that approved (tests that passed, where reviews are switched \
            off), and whatever failed is followed by another implementation or the end.",
        wrong: "implement pass, review approved",
        right: "implement pass, test pass, review approved",
    },
    RuleInfo {
        rule: Rule::RetryJump,
        id: "H202",
        name: "retry-jump",
        level: Level::Error,
        about: "an attempt that jumps back, or ahead by more than one",
        why: "Attempts count from 0 upwards; after a failure the next one follows. A task that had failed for \
            good begins at 0 again.",
        wrong: "implement fail (2), implement pass (1)",
        right: "implement fail (1), implement pass (2)",
    },
    RuleInfo {
        rule: Rule::ArtifactNotCommitted,
        id: "H203",
        name: "artifact-not-committed",
        level: Level::Warning,
        about: "a report or log that the commit which names it does not contain",
        why: "A clone has the commits and nothing else. Logs that git ignores are left out on purpose.",
        wrong: "complete names spec/reports/T1.json, and its tree has no such file",
        right: "the report is committed with the step",
    },
    RuleInfo {
        rule: Rule::Interleaved,
        id: "H204",
        name: "interleaved",
        level: Level::Warning,
        about: "steps of two tasks in turn on one line of history",
        why: "One run takes one task to its end before the next. Two runs at the same time on one branch test \
            each other's half-finished work.",
        wrong: "T1 implement, T2 implement, T1 test, T2 test",
        right: "T1 implement, T1 test, T2 implement, T2 test",
    },
    RuleInfo {
        rule: Rule::AfterComplete,
        id: "H205",
        name: "after-complete",
        level: Level::Error,
        about: "a step of a task that is complete already",
        why: "A complete task has nothing left to do. `git revert` of its last commit puts it back to where \
            it was, without rewriting anything.",
        wrong: "complete pass, implement pass",
        right: "complete pass, Revert, implement pass",
    },
    RuleInfo {
        rule: Rule::StepsLost,
        id: "H206",
        name: "steps-lost",
        level: Level::Error,
        about: "a push, or a change of a branch here, that would drop steps",
        why: "History is the only state. A push that leaves out steps which the other side has undoes them \
            for everybody; other commits may be left out. The hook reference-transaction guards the branches \
            here in the same way, where it is set up.",
        wrong: "push --force without the steps",
        right: "push of a branch that contains them",
    },
    RuleInfo {
        rule: Rule::SideBySide,
        id: "H207",
        name: "side-by-side",
        level: Level::Warning,
        about: "steps of one task on branches that were merged side by side",
        why: "None of them descends from another, so only their dates decide which one counts, even if it is a \
            failure and the other one passed. The next step of the task settles it; so does a `git revert` of \
            the step that should not count. Found by `check --run`.",
        wrong: "T1 complete on one branch, T1 complete on another, and a merge of both",
        right: "T1 on one branch only",
    },
    RuleInfo {
        rule: Rule::UnclearRevert,
        id: "H208",
        name: "unclear-revert",
        level: Level::Warning,
        about: "a revert that does not do what it says, or does not say what it means",
        why: "A step does not count any more if a commit says that it reverts the step and undoes its changes. \
            Where the two do not agree, or where the commit that is named is not in the history, the finding \
            says how it was read. Found by `check --run`.",
        wrong: "complete pass, and a commit without changes that says \"This reverts commit <complete>.\"",
        right: "complete pass, and `git revert` of it",
    },
    RuleInfo {
        rule: Rule::OldPlan,
        id: "H209",
        name: "old-plan",
        level: Level::Warning,
        about: "the last step of a task was made under an earlier plan, and does not count",
        why: "A step counts for the plan that named its task when the step was made. It does not count if the plan \
            gave the task another name then or did not have it, or if the step was made before the run began, on \
            a branch that was merged later. The next step of the task settles it. Found by `check --run`.",
        wrong: "T1 complete, and a commit that gives T1 another name in the plan",
        right: "T1 complete, and a commit that gives a new task to the plan",
    },
];
