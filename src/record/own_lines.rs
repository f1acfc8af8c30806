//! Tells our own lines in the message of a step from those that other programs have printed, which come after them
//! under a label.

/// The beginning of the line above a runner's output.
pub const RUNNER_LABEL: &str = "Runner output (";
/// The line above a review.
pub(super) const REVIEW_LABEL: &str = "Review:";
/// The beginning of the line above the review of one of several reviewers.
pub(super) const REVIEW_BY: &str = "Review (";
/// The line above the question of an agent.
pub(super) const QUESTION_LABEL: &str = "Question:";
/// The line above what an agent leaves for later tasks.
pub const NOTES_LABEL: &str = "Notes:";
/// The beginning of the label above the output of a test.
pub const TEST_LABEL: &str = "Test (";

/// The lines of a message above the words of a runner or reviewer and the output of tests.
pub(super) fn own_lines(message: &[u8]) -> impl Iterator<Item = &str> {
    let lines =
        message.split(|byte| *byte == b'\n').map(|line| std::str::from_utf8(line).unwrap_or_default());
    let is_quoted = |line: &str| {
        line == REVIEW_LABEL
            || line == QUESTION_LABEL
            || line == NOTES_LABEL
            || [RUNNER_LABEL, TEST_LABEL, REVIEW_BY].iter().any(|label| line.starts_with(label))
    };
    lines.take_while(move |line| !is_quoted(line))
}
