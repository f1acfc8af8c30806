//! The one table of rules: ids, names, levels, what they are for, and an example of each.
//!
//! `check --explain`, the documentation and the tests draw from it: every example that is wrong triggers its rule, every
//! example that is right triggers none.

use super::row::{Level, RuleInfo, rules};

/// The subject of an implement step, and more lines.
macro_rules! task {
    ($more:literal) => {
        concat!("task(T1): implement \"Parser\"\n\n", $more)
    };
}

/// A good implement step, and more lines.
macro_rules! implement {
    ($($more:literal)?) => {
        concat!(
            "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n",
            $($more)?
        )
    };
}

rules! {
    BlockNotSeen "A001" "block-not-seen" Error {
        about: "a step whose trailers git does not see",
        why: "Git reads trailers only from the last paragraph, and only if every line of it is a trailer. A \
            paragraph after the block, text attached to it, a code fence, a list marker or a scissors line above \
            it hides the whole block, and the task falls back to its previous state. The finding names the line \
            that does so.",
        wrong: implement!("\nCo-authored-by: Bot <bot@example.com>\n"),
        right: implement!("Co-authored-by: Bot <bot@example.com>\n"),
    }
    BlockSplit "A002" "block-split" Error {
        about: "a blank line inside the block",
        why: "Git sees only what is below the blank line; the trailers above it are text.",
        wrong: task!("Arborist-Step: implement\n\nArborist-Result: pass\nArborist-Retry: 0\n"),
        right: implement!(),
    }
    BlockDirty "A003" "block-dirty" Error {
        about: "lines of text between the trailers",
        why: "Git tolerates such lines only next to a line that it writes itself, such as `Signed-off-by:`, and \
            only three for each trailer. If that line is removed, all trailers are lost.",
        wrong: implement!("see the report\nSigned-off-by: A <a@example.com>\n"),
        right: task!("see the report\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n\
            Signed-off-by: A <a@example.com>\n"),
    }
    NoSubject "A004" "no-subject" Error {
        about: "Arborist trailers under a subject that names no task",
        why: "Only the subject says to which task a commit belongs, or `Arborist-Task` under a subject of your own choice, so these \
            trailers have no effect. The form is `task(ID): summary` or `phase(ID): summary`, in lower case, starting in \
            the first column, with one space after the colon.",
        wrong: "Implement the parser\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n",
        right: implement!(),
    }
    NoTrailers "A005" "no-trailers" Error {
        about: "a task subject without trailers",
        why: "Such a commit does not count, and other tools may read it as a task that has just been reset. If your \
            team uses `task(...)` for something else, switch this rule off.",
        wrong: task!("All of it.\n"),
        right: task!("All of it.\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n"),
    }
    StepMissing "A007" "step-missing" Error {
        about: "Arborist trailers without `Arborist-Step`",
        why: "Only the step makes a commit count; without it, the other trailers are not read.",
        wrong: task!("Arborist-Result: pass\nArborist-Retry: 0\n"),
        right: implement!(),
    }
    PhaseMismatch "A008" "phase-mismatch" Error {
        about: "`phase(...)` without a step of a phase (`phase-complete`, `phase-test`), or the other way round; or a subject and a \
            trailer that name two tasks",
        why: "A phase has no other step, and a task has none of these. If `Arborist-Task` or `Arborist-Phase` says something else than \
            the subject, it is unclear whose step it is, and it does not count.",
        wrong: "phase(p1): complete\n\nArborist-Step: complete\nArborist-Result: fail\n",
        right: "phase(p1): complete\n\nArborist-Step: phase-complete\nArborist-Result: pass\n",
    }
    UnknownKey "A010" "unknown-key" Error {
        about: "a key that looks like one of ours but is unknown",
        why: "An unknown key is never read. The keys are Arborist-Step, -Result, -Test, -Review, -Retry, -Report, \
            -Test-Log, -Review-Log, -Test-Type, -Test-Passed, -Test-Failed, -Test-Skipped, -Test-Runtime, -Runner, \
            -Duration, -Tokens, -Cost, -Red, -Coverage, -Diff-Coverage, -Proof, -Merge, -Range, \
            -Reject, -Findings, -By, -From, -Reason, -Plan, -Claimant, -Nonce, -Complete, -Run, -Landed, -Task and -Phase, all of which \
            begin with `Arborist`.",
        wrong: implement!("Arborist-Runer: claude\n"),
        right: implement!("Arborist-Runner: claude\n"),
    }
    KeyCase "A011" "key-case" Error {
        about: "a key with the wrong capitalisation",
        why: "Git ignores the difference, but some readers of these trailers do not.",
        wrong: task!("arborist-step: implement\nArborist-Result: pass\nArborist-Retry: 0\n"),
        right: implement!(),
    }
    BadValue "A012" "bad-value" Error {
        about: "a value that the key does not allow",
        why: "Words are compared exactly: `Pass`, `passed` and `pass.` are not `pass`. Counts are written in plain digits, \
            seconds and dollars as a decimal number without a unit: 3, 3.2, 1e-05.",
        wrong: task!("Arborist-Step: implement\nArborist-Result: Passed\nArborist-Retry: 0\n"),
        right: implement!(),
    }
    Duplicate "A017" "duplicate" Error {
        about: "one key with two different values",
        why: "Some readers take the first value, others the last.",
        wrong: implement!("Arborist-Retry: 1\n"),
        right: implement!(),
    }
    Required "A018" "required" Error {
        about: "a step without a trailer that it requires",
        why: "implement: Result, Retry; test: Test, Retry; review: Review, Retry; complete: Result, and Report if \
            it passed.",
        wrong: task!("Arborist-Step: implement\nArborist-Result: pass\n"),
        right: implement!(),
    }
    NotForStep "A019" "not-for-step" Error {
        about: "a trailer that does not belong on this step",
        why: "A reader that looks for this trailer finds it here and draws the wrong conclusion.",
        wrong: implement!("Arborist-Review: approved\n"),
        right: implement!(),
    }
    BadPath "A020" "bad-path" Error {
        about: "a path that leads out of the repository, or only works on one machine",
        why: "Paths start at the top of the work tree and use `/`. If you keep logs outside the repository on \
            purpose, switch this rule off.",
        wrong: "task(T1): complete \"Parser\"\n\nArborist-Step: complete\nArborist-Result: pass\n\
            Arborist-Report: /home/me/T1.json\n",
        right: "task(T1): complete \"Parser\"\n\nArborist-Step: complete\nArborist-Result: pass\n\
            Arborist-Report: spec/reports/T1.json\n",
    }
    BadBytes "A021" "bad-bytes" Error {
        about: "a value with control characters, invisible characters, odd blanks or broken UTF-8",
        why: "Git keeps such characters, so `pass` followed by a no-break space looks like `pass` but is not equal \
            to it.",
        wrong: task!("Arborist-Step: implement\nArborist-Result: pass\u{a0}\nArborist-Retry: 0\n"),
        right: implement!(),
    }
    AgentAtWork "A022" "agent-at-work" Error {
        about: "a step that the runner itself commits",
        why: "ARBORIST_TASK and ARBORIST_STEP are set in the environment, so a runner makes this commit. Only `git \
            arborist` commits steps, after it has verified the outcome itself.",
        wrong: implement!(),
        right: "Add the parser\n",
    }
    Divider "W101" "divider" Warning {
        about: "a line `---` above the trailers",
        why: "Git reads the trailers all the same, but `git am`, `git interpret-trailers` and libgit2 take the line \
            for the end of the message.",
        wrong: task!("--- FAIL: one test\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n"),
        right: task!("\x20--- FAIL: one test\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n"),
    }
    PassWithFailures "W103" "pass-with-failures" Warning {
        about: "a passed test step that counts failed tests",
        why: "One of the two trailers is wrong.",
        wrong: "task(T1): tests pass for \"Parser\"\n\nArborist-Step: test\nArborist-Test: pass\nArborist-Retry: 0\n\
            Arborist-Test-Failed: 2\nArborist-Test-Type: unit\nArborist-Test-Runtime: 3.2\n",
        right: "task(T1): tests pass for \"Parser\"\n\nArborist-Step: test\nArborist-Test: pass\nArborist-Retry: 0\n\
            Arborist-Test-Failed: 0\nArborist-Test-Type: unit\nArborist-Test-Runtime: 3.2\n",
    }
    GitDisagrees "W108" "git-disagrees" Warning {
        about: "local settings that make `git log` show other trailers than git-arborist reads",
        why: "Such a setting is `trailer.separators` without a colon, a comment character with which our keys \
            begin, or a `trailer.<name>.key` that begins like one of them. git-arborist ignores these settings, so \
            only what you see differs. Remove the setting.",
        wrong: implement!(),
        right: implement!(),
    }
    StepOrder "H201" "step-order" Error {
        about: "a step that cannot follow the one before it",
        why: "The order is implement, test, review, complete. A test step follows a passed implementation, a review \
            follows passed tests, and a completion follows an approved review, or passed tests if reviews are \
            switched off. A failed step is followed by another implementation or by the end of the task. A person \
            may decide otherwise at any time, with `Arborist-By: user`, but approves only what has passed its \
            tests.",
        wrong: "implement pass, review approved",
        right: "implement pass, test pass, review approved",
    }
    RetryJump "H202" "retry-jump" Error {
        about: "an attempt number that goes back, or ahead by more than one",
        why: "Attempts are numbered from 0, and a failure is followed by the next number. A task that had failed \
            for good begins at 0 again.",
        wrong: "implement fail (2), implement pass (1)",
        right: "implement fail (1), implement pass (2)",
    }
    ArtifactNotCommitted "H203" "artifact-not-committed" Warning {
        about: "a report or log that is missing from the commit that names it",
        why: "A clone has only the commits. Logs that git ignores are not reported.",
        wrong: "complete names spec/reports/T1.json, and its tree has no such file",
        right: "the report is committed with the step",
    }
    Interleaved "H204" "interleaved" Warning {
        about: "interleaved steps of two tasks on one line of history",
        why: "A run finishes one task before it begins the next. Two runs at the same time on one branch test each \
            other's half-finished work.",
        wrong: "T1 implement, T2 implement, T1 test, T2 test",
        right: "T1 implement, T1 test, T2 implement, T2 test",
    }
    AfterComplete "H205" "after-complete" Error {
        about: "a step of a task that was already complete",
        why: "Nothing is left to do for a complete or skipped task. `git arborist mark reopen` opens it again, and \
            so does `git revert` of its last commit. If a finished task could not be merged into the branch of the \
            run, an implement step that is this merge may follow, and so may its failure.",
        wrong: "complete pass, implement pass",
        right: "complete pass, reopen, implement pass",
    }
    StepsLost "H206" "steps-lost" Error {
        about: "a push that would drop steps",
        why: "History is the only state. A push that leaves out steps of the other side undoes them for everyone; \
            other commits may be left out.",
        wrong: "push --force without the steps",
        right: "push of a branch that contains them",
    }
    SideBySide "H207" "side-by-side" Warning {
        about: "steps of one task on parallel branches that were merged",
        why: "None of them descends from another, so only their dates decide which one counts, even if it is a \
            failure and the other one passed. The next step of the task settles it; so does a `git revert` of the \
            step that should not count. Found by `check --run`.",
        wrong: "T1 complete on one branch, T1 complete on another, and a merge of both",
        right: "T1 on one branch only",
    }
    UnclearRevert "H208" "unclear-revert" Warning {
        about: "a revert that may not do what it was meant to",
        why: "A step no longer counts if a commit says that it reverts the step. If the commit that it names is not \
            in the history, nothing shows which step is meant. If a later step of the same task was not reverted, \
            that one still counts, and the task stays where it is. Found by `check --run`.",
        wrong: "implement pass, complete pass, and `git revert` of the first alone",
        right: "complete pass, and `git revert` of it",
    }
    OldPlan "H209" "old-plan" Warning {
        about: "the last step of a task was made under an earlier plan, and does not count",
        why: "A step counts for the plan that named its task when the step was made. It does not count if the task \
            had another name in the plan at that time, or was not in it, or if the step was made before the run \
            began, on a branch that was merged later. The next step of the task settles it. Found by `check --run`.",
        wrong: "T1 complete, and a commit that gives T1 another name in the plan",
        right: "T1 complete, and a commit that gives a new task to the plan",
    }
    PassedWithError "H210" "passed-with-error" Error {
        about: "a step that passed although it records a finding that fails it",
        why: "A finding with the word `error` fails its step. A step that records one and passed all the same was \
            not made by git-arborist, or was edited. Found by `check --run`.",
        wrong: "test pass, with `error[counts]: No test ran.` in its body",
        right: "test fail, with the same body",
    }
    ChangedAfterReview "H211" "changed-after-review" Warning {
        about: "files of a task that were changed between its review and its completion",
        why: "The tests and the review judged other files than those that were completed. The change may be good, \
            but it is evidence for nothing. Found by `check --run`.",
        wrong: "T1 review approved, a commit that changes a file of T1, T1 complete",
        right: "T1 review approved, T1 complete, and then the commit",
    }
    UnfoundedLanding "H212" "unfounded-landing" Warning {
        about: "a commit that says that it completes tasks, but does not count",
        why: "A landed commit names the run whose work it contains. It counts if that run began in the commit's own \
            history and, where the commits of the run are there to be read, for the tasks that they complete. Found \
            by `check --run`.",
        wrong: "a commit with the trailers of a landed commit, and a task that the run has left open",
        right: "a commit that `git arborist land` made, or a squash of them with its message",
    }
    JudgesChanged "H214" "judges-changed" Warning {
        about: "a commit between the steps that changes files that judge tasks",
        why: "Tests, their data and the configuration of their runners decide whether a task is complete. A commit \
            that is no step may change them for good reasons, but no step has judged it. Look at it. Found by \
            `check --run`.",
        wrong: "T1 complete, a commit of a person that changes a test, and T2 complete",
        right: "T1 complete, a commit of a person that changes a README, and T2 complete",
    }
}
