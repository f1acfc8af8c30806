//! The outcome of the work of a runner that changes files, and what its commit says.

use super::judged_tests::JudgedTests;
use crate::engine::record::FinishedStep;
use crate::engine::run_context::Assignment;
use crate::engine::tree::handover::Handover;
use crate::git::{Head, Selection};
use crate::plan::TestCommand;
use crate::record::{About, CommitId, Finding, Outcome, Quote, Statement, StepDraft, Work};
use crate::text::{ellipsis, one_line};
use crate::workflow::{Asked, WorkerAnswer, WorkerReport};
use crate::worktree::branch_watch::BranchChange;
use crate::worktree::changes::WorktreeChanges;

/// The outcome of a runner's work, with the reasons if it failed.
pub(super) struct RunnerOutcome<'a> {
    pub(super) by: &'a Handover,
    pub(super) watched: &'a BranchChange,
    /// The head of the branch before the step.
    pub(super) before: &'a Head,
    /// Why the attempt failed, as clauses.
    pub(super) why: Vec<String>,
    /// The files that cannot be committed.
    pub(super) not_committed: Vec<String>,
    /// Further remarks, as sentences.
    pub(super) notes: Vec<String>,
    /// What is said in a sentence that has a meaning.
    pub(super) states: Vec<Statement>,
    /// What a person should look at.
    pub(super) found: Vec<Finding>,
    /// The commit that the step merges, and why the finished task could not be merged, as a clause.
    pub(super) merges: Option<(CommitId, String)>,
    /// How many files were changed.
    pub(super) files: usize,
    /// How its tests were judged, if it was asked for failing tests and nothing else.
    pub(super) judged: JudgedTests,
    /// What the worker says of it.
    pub(super) report: WorkerReport,
}

impl<'a> RunnerOutcome<'a> {
    pub(super) fn new(
        by: &'a Handover,
        report: WorkerReport,
        watched: &'a BranchChange,
        before: &'a Head,
    ) -> Self {
        let why = by.failure.iter().cloned().collect();
        let notes = [denied_sentence(&by.denied), skipped_hooks_sentence(&by.skipped_hooks)];
        let notes = notes.into_iter().flatten().collect();
        let judged = JudgedTests::default();
        Self {
            by,
            watched,
            before,
            why,
            not_committed: Vec::new(),
            notes,
            states: Vec::new(),
            found: Vec::new(),
            merges: None,
            files: 0,
            judged,
            report,
        }
    }

    /// Notes that nothing was changed, and whether that is a complaint. If the runner ended badly, the attempt has failed for
    /// that reason already.
    pub(super) fn note_nothing_changed(&mut self, complaint: Option<&str>) {
        match complaint {
            Some(why) if self.why.is_empty() => self.why.push(why.to_owned()),
            Some(_) => {}
            None => {
                self.notes
                    .push("Nothing was changed: the runner says that nothing is left to do.".to_owned());
            }
        }
    }

    pub(super) fn outcome(&self) -> Outcome {
        let is_good = self.why.is_empty() && !self.judged.have_failed();
        if is_good { Outcome::Pass } else { Outcome::Fail }
    }

    pub(super) fn finished<'p>(&self, job: Assignment<'p>, selection: Selection) -> FinishedStep<'p> {
        FinishedStep {
            selection,
            duration: self.by.duration + self.judged.runtime(),
            detail: self.detail(),
            ..FinishedStep::new(job, self.watched.head.clone(), self.draft(job))
        }
    }

    /// A few words for a progress line.
    fn detail(&self) -> String {
        match (self.why.first(), &self.by.failure) {
            (Some(why), None) => why.clone(),
            (Some(why), _) => match &self.by.last_line {
                Some(line) => format!("{why}: {line}"),
                None => why.clone(),
            },
            (None, _) => self.judged.detail().unwrap_or_else(|| {
                format!("{} file{} changed", self.files, if self.files == 1 { "" } else { "s" })
            }),
        }
    }

    fn draft(&self, job: Assignment<'_>) -> StepDraft {
        let Handover { worker, duration, usage, .. } = self.by;
        let work = Work { runner: worker.clone(), duration: *duration, usage: *usage };
        let draft = job.draft(self.outcome()).done_by(&work).finding(&self.found);
        let mut draft = draft.adopting(&self.watched.adopted, &self.before.commit);
        if let Some((onto, why)) = &self.merges {
            draft.facts.merges = Some(*onto);
            draft.facts.not_merged = Some(why.clone());
        }
        self.describe(&mut draft);
        draft.quotes.push(Quote::notes(&self.report.notes));
        draft.quotes.push(Quote::runner(self.report.words.as_bytes()));
        draft
    }

    /// Adds to a step what came of the work, whoever did it.
    pub(super) fn describe(&self, draft: &mut StepDraft) {
        draft.facts.failed.extend_from_slice(&self.why);
        draft.facts.not_committed.clone_from(&self.not_committed);
        draft.notes.extend_from_slice(&self.notes);
        draft.facts.states.extend(&self.states);
        draft.facts.answers.clone_from(&self.report.answers);
        self.judged.describe(draft);
    }
}

/// What a commit says about the tools that its runner was not allowed to use; `None` if there are none.
fn denied_sentence(tools: &[String]) -> Option<String> {
    const FEW: usize = 10;
    let mut names: Vec<String> =
        tools.iter().map(|tool| one_line(tool)).filter(|name| !name.is_empty()).collect();
    let others = names.len().saturating_sub(FEW);
    names.truncate(FEW);
    if others > 0 {
        names.push(format!("and {others} other{}", if others == 1 { "" } else { "s" }));
    }
    (!names.is_empty()).then(|| format!("The runner was not allowed to use: {}.", names.join(", ")))
}

/// That an agent has made git skip the hooks of the repository, with the first command; `None` if it has not.
fn skipped_hooks_sentence(commands: &[String]) -> Option<String> {
    let first = ellipsis(&one_line(commands.first()?), 100);
    let more = if commands.len() > 1 { format!(" (and {} more)", commands.len() - 1) } else { String::new() };
    Some(format!("The runner has made git skip hooks: `{first}`{more}."))
}

/// What has come back from the work on a step.
pub(super) struct Heard {
    pub(super) handover: Handover,
    /// What the worker says of it.
    pub(super) report: WorkerReport,
    /// What it has left; `None` if nobody has looked yet.
    pub(super) seen: Option<Seen>,
    /// Whether it has changed nothing, and has said the same when it was asked once more.
    pub(super) repeats: bool,
}

/// What a worker has left.
pub(super) struct Seen {
    /// On the branch.
    pub(super) watched: BranchChange,
    /// In the work tree; `None` if nobody has looked there yet.
    pub(super) after: Option<WorktreeChanges>,
}

/// What an agent asks.
pub(super) struct AgentsQuestion {
    pub(super) asked: Asked,
    /// The word for what it is about: the tests, which a reviewer judges, or a tool that was denied; `None` for all else.
    pub(super) about: Option<About>,
}

/// What follows from the answer of an agent.
pub(super) enum Answered {
    /// It has worked; with what a person should know of its answer.
    Worked(Option<Finding>),
    /// It has failed for this reason, a clause.
    Failed(String),
    /// It asks.
    Asks(AgentsQuestion),
}

/// What an agent has done that asks.
pub(super) struct AskingAgent<'a> {
    pub(super) handover: &'a Handover,
    pub(super) watched: &'a BranchChange,
    pub(super) question: &'a AgentsQuestion,
}

/// Why an implement step that changed nothing has failed, as a clause. `None` if its runner says that nothing is left to do,
/// and the task has tests that judge that next.
pub(super) fn complaint_about_nothing(
    answer: &WorkerAnswer,
    failure: Option<&str>,
    tests: &[TestCommand],
) -> Option<&'static str> {
    if failure.is_some() || *answer != WorkerAnswer::NothingLeft {
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
        let claims = WorkerAnswer::NothingLeft;
        assert_eq!(complaint_about_nothing(&claims, None, &unit), None);
        assert_eq!(complaint_about_nothing(&WorkerAnswer::Done, None, &unit), Some(UNEXPLAINED));
        assert_eq!(complaint_about_nothing(&claims, Some("exit status 1"), &unit), Some(UNEXPLAINED));
        let setup = tests(&[TestType::Setup, TestType::Teardown]);
        assert_eq!(complaint_about_nothing(&claims, None, &setup), Some(UNTESTED));
    }
}
