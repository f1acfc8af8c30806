//! Writes and reads what we say ourselves in the bodies of steps. It comes before the output of a runner or reviewer, so
//! no other program can put it there.

use std::collections::BTreeSet;

use super::{Block, RUNNER_LIMIT, StepMessage};
use crate::record::lines::{HOOK_LABEL, RUNNER_LABEL, is_label, own_lines};
use crate::record::{Check, CommitId, Finding, List, TrailerKey, trailers};
use crate::text::one_line;

/// The sentence of a step that failed because its runner had no result, and may not be able to work at all.
pub const IDLE: &str = "The runner ended at once, and nothing came of it.";

/// The sentence of a step whose agent has left everything as it was.
pub const UNCHANGED: &str = "The agent left all files as they were.";

/// The commit that `Arborist-Range` or a list names in the message of an implement step, on top of which others have made
/// commits that belong to the step. The changes of the step are the differences from this commit.
#[must_use]
pub fn adopted_base(message: &[u8]) -> Option<CommitId> {
    let trailers = trailers(message);
    let range =
        trailers.iter().find(|trailer| TrailerKey::from_name(&trailer.key) == Some(TrailerKey::Range));
    if let Some(range) = range {
        // As long as an id of this hash.
        return CommitId::from_hex(range.value.get(..range.value.len().checked_sub(2)? / 2)?);
    }
    only_commit(List::OnTopOf, message)
}

/// The commit of the branch of the run that an implement step merges.
#[must_use]
pub fn merged_commit(message: &[u8]) -> Option<CommitId> {
    only_commit(List::Merges, message)
}

/// Whether a message says that a finished task could not be merged.
#[must_use]
pub fn was_not_merged(message: &[u8]) -> bool {
    only_commit(List::NotMergedInto, message).is_some()
}

/// Why the finished task could not be merged before this step, as a clause.
#[must_use]
pub fn why_not_merged(message: &[u8]) -> Option<String> {
    List::WhyNotMerged.recorded_in(message).into_iter().next()
}

/// The commit of the branch of the run into which the finished task could not be merged before this step.
#[must_use]
pub fn not_merged_onto(message: &[u8]) -> Option<CommitId> {
    merged_commit(message).or_else(|| only_commit(List::NotMergedInto, message))
}

fn only_commit(list: List, message: &[u8]) -> Option<CommitId> {
    CommitId::from_hex(list.recorded_in(message).first()?.as_bytes())
}

/// Whether the message of a step contains [`IDLE`].
#[must_use]
pub fn is_idle(message: &[u8]) -> bool {
    own_lines(message).any(|line| line == IDLE)
}

/// Whether the message of a step contains [`UNCHANGED`].
#[must_use]
pub fn is_unchanged(message: &[u8]) -> bool {
    own_lines(message).any(|line| line == UNCHANGED)
}

/// What a hook has said that refused the work of a step, for the body of this step.
#[must_use]
pub fn refusal_block(hook: &str, output: &str) -> Block {
    let label = format!("{HOOK_LABEL}{hook} refused the commit. It said (last {RUNNER_LIMIT} chars):");
    let text = if output.trim().is_empty() { "(nothing)" } else { output };
    Block { label, text: text.as_bytes().to_vec(), limit: RUNNER_LIMIT }
}

/// What [`refusal_block`] has put into a message, with the name of the hook above it; `None` if no hook has refused the step.
#[must_use]
pub fn refused_by_hook(message: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(message);
    let mut lines = text.lines().skip_while(|line| !is_label(line));
    let label = lines.next().filter(|line| line.starts_with(HOOK_LABEL))?;
    // What a hook has printed is defused, so that no line of it begins like our trailers.
    let is_over = |line: &&str| line.starts_with(RUNNER_LABEL) || line.starts_with("Arborist-");
    let said = lines.take_while(|line| !is_over(line));
    Some(std::iter::once(label).chain(said).collect::<Vec<_>>().join("\n").trim_end().to_owned())
}

impl StepMessage {
    /// The same message with a finding of this step as another paragraph.
    #[must_use]
    pub fn with_finding(self, finding: &Finding) -> Self {
        self.with_lines(finding.lines())
    }

    /// The same message with a finding before all other paragraphs.
    #[must_use]
    pub fn opening_with_finding(self, finding: &Finding) -> Self {
        self.opening_with_lines(finding.lines())
    }

    /// The same message with commits that a runner made itself on top of `base` and that belong to its step.
    #[must_use]
    pub fn adopting(self, commits: &[CommitId], base: &CommitId) -> Self {
        let ids = commits.iter().map(CommitId::to_string);
        self.listing(List::OwnCommits, ids).listing(List::OnTopOf, [base.to_string()])
    }

    /// The same message with the commits on top of `base` in which somebody committed files of the step before the step itself
    /// could be committed.
    #[must_use]
    pub fn committed_in(self, commits: &[CommitId], base: &CommitId) -> Self {
        let ids = commits.iter().map(CommitId::to_string);
        self.opening_with_list(List::OnTopOf, [base.to_string()]).opening_with_list(List::CommittedLater, ids)
    }

    /// The same message with the commit of the branch of the run that an implement step merges, and with why it has to, as a
    /// clause.
    #[must_use]
    pub fn merging(self, onto: &CommitId, why: &str) -> Self {
        self.listing(List::Merges, [onto.to_string()]).listing(List::WhyNotMerged, [one_line(why)])
    }

    /// The same message with why a finished task has failed after all, as a clause.
    #[must_use]
    pub fn not_merged_into(self, onto: &CommitId, why: &str) -> Self {
        self.listing(List::NotMergedInto, [onto.to_string()]).listing(List::WhyNotMerged, [one_line(why)])
    }

    /// The same message with the names of the checks that have found something, if there are any, beside those that it
    /// has already.
    #[must_use]
    pub fn with_findings(mut self, findings: &[Finding]) -> Self {
        let is_list = |(key, _): &&(TrailerKey, String)| *key == TrailerKey::Findings;
        let known = self.trailers.iter().filter(is_list).flat_map(|(_, names)| names.split(' '));
        let known = known.filter_map(Check::from_name);
        let checks: BTreeSet<Check> = known.chain(findings.iter().map(Finding::check)).collect();
        let names: Vec<&str> = checks.into_iter().map(Check::name).collect();
        self.trailers.retain(|(key, _)| *key != TrailerKey::Findings);
        self.set(TrailerKey::Findings, &names.join(" "));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Attempt, Block, Outcome, Step, StepMessage, SubjectForm, TaskId, TaskRef, Work};

    #[test]
    fn what_a_hook_has_said_is_read_from_the_step_that_it_refused_and_from_no_other() {
        let id = TaskId::parse("T1").unwrap();
        let task = TaskRef { id: &id, name: "x" };
        let attempt = Attempt { number: 0, max: 5, merge: None };
        let passed = |runner: &str| {
            let step = StepMessage::new(Step::IMPLEMENT, task, attempt, Outcome::Pass).with_sentence("Ours.");
            step.with_block(&Block::of_runner(runner.as_bytes().to_vec()))
        };
        let refused = |output: &str, runner: &str| {
            passed(runner).refused(task, attempt, &refusal_block("pre-commit", output)).text()
        };
        for output in ["a:1: no any, \"b\"", "two\n\nlines\n", "🦀 \\ 'x'", &"x ".repeat(3000), IDLE] {
            let text = refused(output, "done");
            let read = refused_by_hook(text.as_bytes()).unwrap();
            assert!(read.starts_with("Failed: the hook pre-commit"), "{read}");
            assert_eq!(refused_by_hook(refused(output, "otherwise").as_bytes()).unwrap(), read);
            assert_ne!(refused_by_hook(refused("else", "done").as_bytes()).unwrap(), read);
            assert!(!is_idle(text.as_bytes()), "{text}");
            assert!(text.find("Ours.") < text.find("Failed: ") && text.find("It said") < text.find("Runner"));
        }
        assert!(refused_by_hook(refused(" \n", "").as_bytes()).unwrap().ends_with("(nothing)"));
        let said = refusal_block("pre-commit", "x").label;
        assert_eq!(refused_by_hook(passed(&format!("{said}\nx\n")).text().as_bytes()), None);
    }

    #[test]
    fn only_a_sentence_of_our_own_makes_a_step_idle() {
        let id = TaskId::parse("T1").unwrap();
        let task = TaskRef { id: &id, name: IDLE };
        let (attempt, work) = (
            Attempt { number: 0, max: 5, merge: None },
            Work { runner: "mine".to_owned(), ..Work::default() },
        );
        let step = || StepMessage::new(Step::IMPLEMENT, task, attempt, Outcome::Fail).with_work(&work);
        assert!(is_idle(step().with_sentence(IDLE).text().as_bytes()));
        let form = SubjectForm::parse("chore({id}): {summary}").unwrap();
        assert!(is_idle(step().with_sentence(IDLE).in_form(&form).text().as_bytes()));
        assert!(!is_idle(step().text().as_bytes()));
        let said = || format!("hello\n{IDLE}\n").into_bytes();
        assert!(!is_idle(step().with_block(&Block::of_runner(said())).text().as_bytes()));
        assert!(!is_idle(step().with_block(&Block::of_review(None, said())).text().as_bytes()));
        assert!(is_idle(
            step().with_sentence(IDLE).with_block(&Block::of_review(None, said())).text().as_bytes()
        ));
    }
}
