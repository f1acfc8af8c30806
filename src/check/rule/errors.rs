//! Rules that a message must not break.

use super::{Level, Rule, RuleInfo};

pub(super) const ERRORS: &[RuleInfo] = &[
    RuleInfo {
        rule: Rule::BlockNotSeen,
        id: "A001",
        name: "block-not-seen",
        level: Level::Error,
        about: "a step whose trailers git does not see",
        why: "Git reads trailers only from the last paragraph, and only if every line of it is a trailer. A \
         paragraph after the block, text attached to it, a code fence, a list marker or a scissors line above it \
         hides the whole block, and the task falls back to its previous state. The finding names the line that does \
         so.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n\nCo-authored-by: Bot <bot@example.com>\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\nCo-authored-by: Bot <bot@example.com>\n",
    },
    RuleInfo {
        rule: Rule::BlockSplit,
        id: "A002",
        name: "block-split",
        level: Level::Error,
        about: "a blank line inside the block",
        why: "Git sees only what is below the blank line; the trailers above it are text.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\n\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::BlockDirty,
        id: "A003",
        name: "block-dirty",
        level: Level::Error,
        about: "lines of text between the trailers",
        why: "Git tolerates such lines only next to a line that it writes itself, such as `Signed-off-by:`, and only \
         three for each trailer. If that line is removed, all trailers are lost.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\nsee the report\nSigned-off-by: A <a@example.com>\n",
        right: "task(T1): implement \"Parser\"\n\nsee the report\n\nArborist-Step: implement\n\
            Arborist-Result: pass\nArborist-Retry: 0\nSigned-off-by: A <a@example.com>\n",
    },
    RuleInfo {
        rule: Rule::NoSubject,
        id: "A004",
        name: "no-subject",
        level: Level::Error,
        about: "Arborist trailers under a subject that names no task",
        why: "Only the subject says to which task a commit belongs, so these trailers have no effect.",
        wrong: "Implement the parser\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::NoTrailers,
        id: "A005",
        name: "no-trailers",
        level: Level::Error,
        about: "a task subject without trailers",
        why: "Such a commit does not count, and other tools may read it as a task that has just been reset. If your \
         team uses `task(...)` for something else, switch this rule off.",
        wrong: "task(T1): implement \"Parser\"\n\nAll of it.\n",
        right: "task(T1): implement \"Parser\"\n\nAll of it.\n\nArborist-Step: implement\n\
            Arborist-Result: pass\nArborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::BadSubject,
        id: "A006",
        name: "bad-subject",
        level: Level::Error,
        about: "a subject that was meant to name a task but does not",
        why: "The form is `task(ID): summary` or `phase(ID): summary`, in lower case, starting in the first column, \
         with one space after the colon.",
        wrong: "Task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::StepMissing,
        id: "A007",
        name: "step-missing",
        level: Level::Error,
        about: "Arborist trailers without `Arborist-Step`",
        why: "Only the step makes a commit count; without it, the other trailers are not read.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Result: pass\nArborist-Retry: 0\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::PhaseMismatch,
        id: "A008",
        name: "phase-mismatch",
        level: Level::Error,
        about: "`phase(...)` without a step of a phase (`phase-complete`, `phase-test`), or the other way round",
        why: "A phase has no other step, and a task has none of these.",
        wrong: "phase(p1): complete\n\nArborist-Step: complete\nArborist-Result: fail\n",
        right: "phase(p1): complete\n\nArborist-Step: phase-complete\nArborist-Result: pass\n",
    },
    RuleInfo {
        rule: Rule::UnknownKey,
        id: "A010",
        name: "unknown-key",
        level: Level::Error,
        about: "a key that looks like one of ours but is unknown",
        why: "An unknown key is never read. The keys are Arborist-Step, -Result, -Test, -Review, -Retry, -Report, \
         -Test-Log, -Review-Log, -Test-Type, -Test-Passed, -Test-Failed, -Test-Skipped, -Test-Runtime, -Runner, \
         -Duration, -Tokens, -Cost, -Baseline, -Red, -Test-Flaky, -Coverage, -Diff-Coverage, -Proof, -Merge, -Reject, \
         -Findings, -By, -Reason, -Plan, -Claimant, -Nonce, -Complete, -Run and -Landed, all of which begin with `Arborist`.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\nArborist-Runer: claude\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\nArborist-Runner: claude\n",
    },
    RuleInfo {
        rule: Rule::KeyCase,
        id: "A011",
        name: "key-case",
        level: Level::Error,
        about: "a key with the wrong capitalisation",
        why: "Git ignores the difference, but some readers of these trailers do not.",
        wrong: "task(T1): implement \"Parser\"\n\narborist-step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::BadValue,
        id: "A012",
        name: "bad-value",
        level: Level::Error,
        about: "a value that the key does not allow",
        why: "Words are compared exactly: `Pass`, `passed` and `pass.` are not `pass`.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: Passed\n\
            Arborist-Retry: 0\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::NotInteger,
        id: "A013",
        name: "not-integer",
        level: Level::Error,
        about: "a count that is not a whole number",
        why: "`Arborist-Retry` and test counts are written in plain digits.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: one\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::NotNumber,
        id: "A014",
        name: "not-number",
        level: Level::Error,
        about: "seconds or dollars that are not a decimal number",
        why: "Write a number without a unit, with a decimal point if needed: 3, 3.2, 1e-05.",
        wrong: "task(T1): tests pass for \"Parser\"\n\nArborist-Step: test\nArborist-Test: pass\n\
            Arborist-Retry: 0\nArborist-Test-Type: unit\nArborist-Test-Runtime: 3.2s\n",
        right: "task(T1): tests pass for \"Parser\"\n\nArborist-Step: test\nArborist-Test: pass\n\
            Arborist-Retry: 0\nArborist-Test-Type: unit\nArborist-Test-Runtime: 3.2\n",
    },
    RuleInfo {
        rule: Rule::EmptyValue,
        id: "A015",
        name: "empty-value",
        level: Level::Error,
        about: "a key without a value",
        why: "Some readers take the next line as the value.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\nArborist-Runner:\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\nArborist-Runner: claude\n",
    },
    RuleInfo {
        rule: Rule::Folded,
        id: "A016",
        name: "folded",
        level: Level::Error,
        about: "a value that spans several lines",
        why: "Git joins the lines, but readers that work line by line, such as libgit2, keep only the first.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\nArborist-Runner: claude\n\
            \x20opus\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\nArborist-Runner: claude opus\n",
    },
    RuleInfo {
        rule: Rule::Duplicate,
        id: "A017",
        name: "duplicate",
        level: Level::Error,
        about: "one key with two different values",
        why: "Some readers take the first value, others the last.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\nArborist-Retry: 1\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::Required,
        id: "A018",
        name: "required",
        level: Level::Error,
        about: "a step without a trailer that it requires",
        why: "implement: Result, Retry; test: Test, Retry; review: Review, Retry; complete: Result, and Report if it \
         passed.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::NotForStep,
        id: "A019",
        name: "not-for-step",
        level: Level::Error,
        about: "a trailer that does not belong on this step",
        why: "A reader that looks for this trailer finds it here and draws the wrong conclusion.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\nArborist-Review: approved\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::BadPath,
        id: "A020",
        name: "bad-path",
        level: Level::Error,
        about: "a path that leads out of the repository, or only works on one machine",
        why: "Paths start at the top of the work tree and use `/`. If you keep logs outside the repository on \
         purpose, switch this rule off.",
        wrong: "task(T1): complete \"Parser\"\n\nArborist-Step: complete\nArborist-Result: pass\n\
            Arborist-Report: /home/me/T1.json\n",
        right: "task(T1): complete \"Parser\"\n\nArborist-Step: complete\nArborist-Result: pass\n\
            Arborist-Report: spec/reports/T1.json\n",
    },
    RuleInfo {
        rule: Rule::BadBytes,
        id: "A021",
        name: "bad-bytes",
        level: Level::Error,
        about: "a value with control characters, invisible characters, odd blanks or broken UTF-8",
        why: "Git keeps such characters, so `pass` followed by a no-break space looks like `pass` but is not equal \
         to it.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\n\
            Arborist-Result: pass\u{a0}\nArborist-Retry: 0\n",
        right: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
    },
    RuleInfo {
        rule: Rule::AgentAtWork,
        id: "A022",
        name: "agent-at-work",
        level: Level::Error,
        about: "a step that the runner itself commits",
        why: "ARBORIST_TASK and ARBORIST_STEP are set in the environment, so a runner makes this commit. Only `git \
         arborist` commits steps, after it has verified the outcome itself.",
        wrong: "task(T1): implement \"Parser\"\n\nArborist-Step: implement\nArborist-Result: pass\n\
            Arborist-Retry: 0\n",
        right: "Add the parser\n",
    },
    RuleInfo {
        rule: Rule::OpenPhase,
        id: "A023",
        name: "open-phase",
        level: Level::Error,
        about: "a marker of a phase that still has open tasks",
        why: "A phase is complete when all its tasks are complete or skipped and its own tests pass; a marker before that \
            counts for nothing. Only the `commit-msg` hook checks this, because it knows the history.",
        wrong: "phase(p1): complete\n\nArborist-Step: phase-complete\n",
        right: "phase(p1): complete, after the last task of p1",
    },
];
