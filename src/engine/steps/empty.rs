//! Implement steps that change nothing: they fail, unless the runner says that nothing is left to do and tests can
//! confirm it (docs/agents.md).

use crate::plan::TestCommand;
use crate::workflow::{NOTHING_LEFT, last_line_is};

/// How an implement step that changed nothing is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmptyChange {
    /// The runner did not say that nothing is left to do.
    Unexplained,
    /// It said so, but the task has no tests that could confirm it.
    Untested,
    /// It said so; the tests judge that next.
    Claimed,
}

impl EmptyChange {
    /// Judges the step by its runner's words and the task's tests.
    pub(crate) fn of(said: &[u8], failure: Option<&str>, tests: &[TestCommand]) -> Self {
        let judges = |test: &TestCommand| test.kind.judges();
        match (failure.is_none() && last_line_is(said, NOTHING_LEFT), tests.iter().any(judges)) {
            (false, _) => Self::Unexplained,
            (true, false) => Self::Untested,
            (true, true) => Self::Claimed,
        }
    }

    /// Why the attempt has failed, as a clause, if it has.
    pub(crate) fn complaint(self) -> Option<&'static str> {
        match self {
            Self::Unexplained => Some("nothing was changed"),
            Self::Untested => Some(
                "nothing was changed; the runner says that nothing is left to do, but the task has no tests to confirm it",
            ),
            Self::Claimed => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::TestType;

    fn tests(kinds: &[TestType]) -> Vec<TestCommand> {
        let test = |kind: &TestType| TestCommand {
            kind: *kind,
            command: "true".to_owned(),
            framework: None,
            timeout: None,
            coverage: None,
        };
        kinds.iter().map(test).collect()
    }

    #[test]
    fn an_empty_change_passes_only_if_the_runner_says_so_explicitly_and_there_are_tests() {
        let unit = tests(&[TestType::Setup, TestType::Unit]);
        let cases = [
            ("It is all there.\n\nNOTHING LEFT TO DO\n", EmptyChange::Claimed),
            ("**Nothing left to do.**", EmptyChange::Claimed),
            ("", EmptyChange::Unexplained),
            ("I cannot do this.", EmptyChange::Unexplained),
            ("There is NOTHING LEFT TO DO but to write the code.", EmptyChange::Unexplained),
            ("NOTHING LEFT TO DO\n\nexcept for the tests", EmptyChange::Unexplained),
            ("> NOTHING LEFT TO DO", EmptyChange::Unexplained),
        ];
        for (said, expected) in cases {
            assert_eq!(EmptyChange::of(said.as_bytes(), None, &unit), expected, "{said}");
        }
        let claim = b"NOTHING LEFT TO DO";
        assert_eq!(EmptyChange::of(claim, Some("exit status 1"), &unit), EmptyChange::Unexplained);
        let setup = tests(&[TestType::Setup, TestType::Teardown]);
        assert_eq!(EmptyChange::of(claim, None, &setup), EmptyChange::Untested);
    }
}
