//! Rules for a history, beyond single messages.

use super::{Level, Rule, RuleInfo};

pub(super) const HISTORY: &[RuleInfo] = &[
    RuleInfo {
        rule: Rule::StepOrder,
        id: "H201",
        name: "step-order",
        level: Level::Error,
        about: "a step that cannot follow the one before it",
        why: "The order is implement, test, review, complete. A test step follows a passed implementation, a review \
         follows passed tests, and a completion follows an approved review, or passed tests if reviews are switched \
         off. A failed step is followed by another implementation or by the end of the task. A person may decide \
         otherwise at any time, with `Arborist-By: user`, but approves only what has passed its tests.",
        wrong: "implement pass, review approved",
        right: "implement pass, test pass, review approved",
    },
    RuleInfo {
        rule: Rule::RetryJump,
        id: "H202",
        name: "retry-jump",
        level: Level::Error,
        about: "an attempt number that goes back, or ahead by more than one",
        why: "Attempts are numbered from 0, and a failure is followed by the next number. A task that had failed for \
         good begins at 0 again.",
        wrong: "implement fail (2), implement pass (1)",
        right: "implement fail (1), implement pass (2)",
    },
    RuleInfo {
        rule: Rule::ArtifactNotCommitted,
        id: "H203",
        name: "artifact-not-committed",
        level: Level::Warning,
        about: "a report or log that is missing from the commit that names it",
        why: "A clone has only the commits. Logs that git ignores are not reported.",
        wrong: "complete names spec/reports/T1.json, and its tree has no such file",
        right: "the report is committed with the step",
    },
    RuleInfo {
        rule: Rule::Interleaved,
        id: "H204",
        name: "interleaved",
        level: Level::Warning,
        about: "interleaved steps of two tasks on one line of history",
        why: "A run finishes one task before it begins the next. Two runs at the same time on one branch test each \
         other's half-finished work.",
        wrong: "T1 implement, T2 implement, T1 test, T2 test",
        right: "T1 implement, T1 test, T2 implement, T2 test",
    },
    RuleInfo {
        rule: Rule::AfterComplete,
        id: "H205",
        name: "after-complete",
        level: Level::Error,
        about: "a step of a task that was already complete",
        why: "Nothing is left to do for a complete or skipped task. `git arborist mark reopen` opens it again, and so does \
         `git revert` of its last commit. If a finished task could not be merged into the branch of the run, an implement step \
         that is this merge may follow, and so may its failure.",
        wrong: "complete pass, implement pass",
        right: "complete pass, reopen, implement pass",
    },
    RuleInfo {
        rule: Rule::StepsLost,
        id: "H206",
        name: "steps-lost",
        level: Level::Error,
        about: "a push or a branch change that would drop steps",
        why: "History is the only state. A push that leaves out steps of the other side undoes them for everyone; \
         other commits may be left out. If the hook reference-transaction is installed, it guards the branches here \
         in the same way.",
        wrong: "push --force without the steps",
        right: "push of a branch that contains them",
    },
    RuleInfo {
        rule: Rule::SideBySide,
        id: "H207",
        name: "side-by-side",
        level: Level::Warning,
        about: "steps of one task on parallel branches that were merged",
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
        about: "a revert that may not do what it was meant to",
        why: "A step no longer counts if a commit says that it reverts the step and also undoes its changes. If the \
         message and the changes do not agree, or if the commit that it names is not in the history, the finding \
         says how it was read. If a later step of the same task was not reverted, that one still counts, and the task \
         stays where it is. Found by `check --run`.",
        wrong: "complete pass, and a commit without changes that says \"This reverts commit <complete>.\"",
        right: "complete pass, and `git revert` of it",
    },
    RuleInfo {
        rule: Rule::OldPlan,
        id: "H209",
        name: "old-plan",
        level: Level::Warning,
        about: "the last step of a task was made under an earlier plan, and does not count",
        why: "A step counts for the plan that named its task when the step was made. It does not count if the task \
         had another name in the plan at that time, or was not in it, or if the step was made before the run began, \
         on a branch that was merged later. The next step of the task settles it. Found by `check --run`.",
        wrong: "T1 complete, and a commit that gives T1 another name in the plan",
        right: "T1 complete, and a commit that gives a new task to the plan",
    },
    RuleInfo {
        rule: Rule::PassedWithError,
        id: "H210",
        name: "passed-with-error",
        level: Level::Error,
        about: "a step that passed although it records a finding that fails it",
        why: "A finding with the word `error` fails its step. A step that records one and passed all the same was not made \
         by git-arborist, or was edited. Found by `check --run`.",
        wrong: "test pass, with `error[counts]: No test ran.` in its body",
        right: "test fail, with the same body",
    },
    RuleInfo {
        rule: Rule::ChangedAfterReview,
        id: "H211",
        name: "changed-after-review",
        level: Level::Warning,
        about: "files of a task that were changed between its review and its completion",
        why: "The tests and the review judged other files than those that were completed. The change may be good, but it is \
         evidence for nothing. Found by `check --run`.",
        wrong: "T1 review approved, a commit that changes a file of T1, T1 complete",
        right: "T1 review approved, T1 complete, and then the commit",
    },
    RuleInfo {
        rule: Rule::UnfoundedLanding,
        id: "H212",
        name: "unfounded-landing",
        level: Level::Warning,
        about: "a commit that says that it completes tasks, but does not count",
        why: "A landed commit names the run whose work it contains. It counts if that run began in the commit's own history \
         and, where the commits of the run are there to be read, if they complete these tasks and the commit has the same \
         files, apart from generated ones and from those that were changed on the other branch as well. Found by \
         `check --run`.",
        wrong: "a commit without changes, and the trailers of a landed commit",
        right: "a commit that `git arborist land` made, or a squash of them with its message",
    },
    RuleInfo {
        rule: Rule::NotAttested,
        id: "H213",
        name: "not-attested",
        level: Level::Warning,
        about: "a complete task that no attestation vouches for",
        why: "Trailers are claims: whoever can commit can write them. An attestation says that somebody has repeated the proof on \
         exactly this commit, with exactly this plan. `git arborist prove --attest FILE` makes one. Found by \
         `check --run --attested`.",
        wrong: "T1 complete, and no attestation of its commit",
        right: "T1 complete, and an attestation of its commit that says that it is proven",
    },
    RuleInfo {
        rule: Rule::JudgesChanged,
        id: "H214",
        name: "judges-changed",
        level: Level::Warning,
        about: "a commit between the steps that changes files that judge tasks",
        why: "Tests, their data and the configuration of their runners decide whether a task is complete. A commit that is no \
         step may change them for good reasons, but no step has judged it. Look at it. Found by `check --run`.",
        wrong: "T1 complete, a commit of a person that changes a test, and T2 complete",
        right: "T1 complete, a commit of a person that changes a README, and T2 complete",
    },
];
