//! The table of the checks that report findings: names, how long their findings matter, and what they mean.

/// How long a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Until the next step that changes the code, after which the check looks again.
    UntilNextLook,
    /// For as long as the step's commit counts.
    WithCommit,
}

/// Makes the checks from their rows: name, lifetime, meaning.
macro_rules! checks {
    ($($check:ident $name:literal $lifetime:ident $about:literal;)+) => {
        /// A check that reports findings.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Check {
            $(#[doc = $about] $check,)+
        }

        impl Check {
            /// All checks, in the order in which findings are listed.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$check),+];

            /// Its name in the trailer.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$check => $name,)+
                }
            }

            /// What a finding of it means, as a sentence.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$check => $about,)+
                }
            }

            /// How long a finding of it matters.
            #[must_use]
            pub fn lifetime(self) -> Lifetime {
                match self {
                    $(Self::$check => Lifetime::$lifetime,)+
                }
            }
        }
    };
}

checks! {
    EmptyChange "empty-change" UntilNextLook "The task has changed nothing: nothing was left to do, or its attempts cancel each other out.";
    UnclearAnswer "unclear-answer" WithCommit "The agent said that it was blocked, but not why.";
    OutsideTouches "outside-touches" WithCommit "The implement step changed files that the plan does not expect it to change.";
    PossibleSecret "possible-secret" WithCommit "The implement step committed something that looks like a secret.";
    Tests "tests" UntilNextLook "The task has no test command.";
    Red "red" WithCommit "The agent was asked for failing tests and nothing else, but wrote something else, or tests that pass.";
    Awaited "awaited" UntilNextLook
        "Tests that were written before the code still fail, though this task should make them pass.";
    Protect "protect" UntilNextLook "Tests from before the task fail with its change, or the agent changed instructions for agents.";
    RewrittenTests "rewritten-tests" UntilNextLook
        "A test of the task that failed in an earlier attempt was changed since.";
    MixedFile "mixed-file" UntilNextLook
        "A file that is source and decides how tests run was changed, and the old tests only load with the change.";
    LooserChecks "looser-checks" UntilNextLook
        "Linters, type checks or libraries for tests only let the change pass because it changed them.";
    ChangedCheck "changed-check" UntilNextLook
        "A command only passes because the change touched a file that the command starts or reads.";
    CannotFail "cannot-fail" UntilNextLook "A test command succeeds even where there is nothing to test.";
    Counts "counts" UntilNextLook "No test ran, or a command printed failed tests and ended with exit status 0.";
    CountsUnknown "counts-unknown" UntilNextLook "The output does not say how many tests ran.";
    FewerTests "fewer-tests" UntilNextLook "Fewer tests ran than before the task, or more were skipped.";
    Dirty "dirty" UntilNextLook "The tests changed files that are in the commit.";
    Flaky "flaky" UntilNextLook "A test command failed and then passed without a change.";
    Coverage "coverage" UntilNextLook "The tests cover less than they must.";
    Mutation "mutation" UntilNextLook "The tests did not notice some changes that were made to the code at random.";
    Merge "merge" UntilNextLook "The merge loses something that others have done.";
    Suite "suite" UntilNextLook "The whole suite fails.";
    PhaseTests "phase-tests" UntilNextLook "The tests of a phase fail, though all its tasks are complete.";
    Superseded "superseded" UntilNextLook "The tests of a complete task fail since a later task has changed files.";
    Prove "prove" UntilNextLook "The task could not be proven.";
    Canary "canary" UntilNextLook "A test that must fail did not fail, or was not counted.";
    InsensitiveTests "insensitive-tests" UntilNextLook "The tests still pass if the values that they expect are changed.";
    ContradictoryReview "contradictory-review" UntilNextLook
        "The reviewer rejected the change and approved it, and was asked which of the two it meant.";
    UnseenChange "unseen-change" UntilNextLook "The reviewer could not see a part of the change.";
    Pushed "pushed" WithCommit "Commits were pushed from the repository while a step was at work.";
    Instructions "instructions" WithCommit
        "Files outside of the repository were changed from which reviewers take instructions.";
    ForeignCommit "foreign-commit" WithCommit
        "A commit came onto the branch of the run while a task was at work, from a person or a program of a task.";
}

impl Check {
    /// The check with exactly this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|check| check.name() == name)
    }
}
