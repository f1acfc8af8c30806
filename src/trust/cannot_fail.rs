//! Finds commands that succeed whatever happens. Such a command also succeeds in an empty folder, where there is nothing to test.

use super::counts::no_test_ran;
use super::no_tests::found_none;
use crate::suite::{Framework, TestRun, is_silent};
use crate::text::simple_commands;

/// Whether a command is tried: it starts a known test runner, which fails where there are no tests, or its end hides how it
/// went. One that leads out of its folder is not.
pub(super) fn is_tried(command: &str) -> bool {
    let simple = simple_commands(command);
    let runs_tests = simple.iter().any(|words| Framework::guess(&words.join(" ")).is_some());
    let end = command.trim_end().rsplit("||").next().unwrap_or_default();
    let is_hidden =
        simple.len() > 1 && simple.last().is_some_and(|words| is_silent(words)) || end.contains('|');
    let leads_out = |word: &String| {
        let is_out =
            |part: &str| part.starts_with(['/', '~', '$']) || part.split('/').any(|name| name == "..");
        word.split(['=', ':']).any(is_out) || ["cd", "pushd", "chdir"].contains(&word.as_str())
    };
    (runs_tests || is_hidden) && !simple.iter().flatten().any(leads_out)
}

/// Whether a command that was tried cannot fail. One that says that it found no test may be asked not to fail because of that.
pub(super) fn is_deaf(run: &TestRun) -> bool {
    run.passed() && !found_none(run) && run.counts.and_then(no_test_ran).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_stay_in_their_folder_and_test_or_hide_something_are_tried() {
        for (command, expected) in [
            ("pytest -q", true),
            ("npx jest", true),
            ("sh check.sh || true", true),
            ("sh check.sh; true", true),
            ("sh check.sh | tee log", true),
            ("sh check.sh && echo done", true),
            ("sh check.sh || sh other.sh", false),
            ("sh check.sh", false),
            ("make test", false),
            ("cd app && pytest", false),
            ("pytest ../tests", false),
            ("PYTHONPATH=/usr/x pytest", false),
            ("pytest $TESTS", false),
        ] {
            assert_eq!(is_tried(command), expected, "{command}");
        }
    }
}
