//! What an agent is told of earlier attempts: of failed tests, their names and the end of the log that was committed with them.

use crate::error::Result;
use crate::git::Git;
use crate::history::TaskStep;
use crate::plan::TestCommand;
use crate::record::{Goal, Step, StepFacts};
use crate::run::steps::feedback::steps_with_feedback;
use crate::suite::{Framework, TestOutcome, read_names};
use crate::text::clean;
use crate::workflow::Feedback;

/// The feedback for the next agent. `steps` are those of the task, newest first, and `tests` are its commands.
///
/// # Errors
/// If git cannot read a log.
pub(crate) fn feedback_with_logs(
    git: &Git,
    steps: &[TaskStep],
    next: Step,
    tests: &[TestCommand],
) -> Result<Vec<Feedback>> {
    let mut told = Vec::new();
    for (step, mut feedback) in steps_with_feedback(steps, next) {
        if let Some(attempt) = &mut feedback.attempt
            && attempt.repaired_in.is_none()
            && step.goal() == Goal::TestsPass
        {
            if let Some(path) = StepFacts::of(&step.message).test_log {
                // A person may have removed it from the history.
                if let Ok(log) = git.blob(&format!("{}:{path}", step.step.id)) {
                    feedback.text = clean(&log);
                    attempt.shown_by = format!("git show {}:{path}", step.step.id.short());
                }
            }
            attempt.failing = failing_in(&feedback.text, tests);
        }
        told.push(feedback);
    }
    Ok(told)
}

/// The tests that failed according to the output of these commands.
pub(crate) fn failing_in(output: &str, tests: &[TestCommand]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for test in tests {
        let named = test.framework.as_deref().and_then(Framework::from_name);
        let Some(framework) = named.or_else(|| Framework::guess(&test.command)) else { continue };
        let found = read_names(framework, output.as_bytes());
        for name in found.with(TestOutcome::Failed).chain(found.with(TestOutcome::NotLoaded)) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}
