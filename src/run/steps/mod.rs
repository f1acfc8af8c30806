//! What the commits of the steps of a task say: the work, the tests, the findings, and the feedback for the next attempt.

pub(crate) mod branch_line;
pub(crate) mod earlier_tests;
pub(crate) mod evidence;
pub(crate) mod failing_tests;
pub(crate) mod feedback;
pub(crate) mod findings;
pub(crate) mod foreign_commits;
pub(crate) mod implement_commits;
pub(crate) mod merge_facts;
pub(crate) mod same_answer;
