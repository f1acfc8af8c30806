//! Implement steps that change nothing: they fail, unless the runner says that nothing is left to do and tests can
//! confirm it (docs/agents.md).

use crate::plan::TestCommand;
use crate::workflow::{NOTHING_LEFT, last_line_is};

/// Why an implement step that changed nothing has failed, as a clause. `None` if its runner says that nothing is left to do,
/// and the task has tests that judge that next.
pub(super) fn complaint_about_nothing(
    said: &[u8],
    failure: Option<&str>,
    tests: &[TestCommand],
) -> Option<&'static str> {
    if failure.is_some() || !last_line_is(said, NOTHING_LEFT) {
        return Some(UNEXPLAINED);
    }
    (!tests.iter().any(|test| test.kind.judges())).then_some(UNTESTED)
}

/// The runner did not say that nothing is left to do.
const UNEXPLAINED: &str = "nothing was changed";

/// It said so, but no tests can confirm it.
const UNTESTED: &str = "nothing was changed; the runner says that nothing is left to do, but the task has no tests to confirm it";

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
            ("It is all there.\n\nNOTHING LEFT TO DO\n", None),
            ("**Nothing left to do.**", None),
            ("", Some(UNEXPLAINED)),
            ("I cannot do this.", Some(UNEXPLAINED)),
            ("There is NOTHING LEFT TO DO but to write the code.", Some(UNEXPLAINED)),
            ("NOTHING LEFT TO DO\n\nexcept for the tests", Some(UNEXPLAINED)),
            ("> NOTHING LEFT TO DO", Some(UNEXPLAINED)),
        ];
        for (said, expected) in cases {
            assert_eq!(complaint_about_nothing(said.as_bytes(), None, &unit), expected, "{said}");
        }
        let claim = b"NOTHING LEFT TO DO";
        assert_eq!(complaint_about_nothing(claim, Some("exit status 1"), &unit), Some(UNEXPLAINED));
        let setup = tests(&[TestType::Setup, TestType::Teardown]);
        assert_eq!(complaint_about_nothing(claim, None, &setup), Some(UNTESTED));
    }
}
