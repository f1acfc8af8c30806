//! Commits a person's decision about a task. Such a commit changes no file, so nothing but its message is prepared.

use std::num::NonZeroU32;

use super::place::{branch_beside, check_place};
use crate::check::first_error;
use crate::engine::commit::{Branch, FailedCommit, commit_step};
use crate::engine::tree::journal::Journal;
use crate::engine::tree::preflight::{CommittedPlan, refuse_edited_plan};
use crate::error::{Error, Kind, Result};
use crate::git::{CommitRequest, Git, Head, Selection, Staging, WorkTree};
use crate::history::{FollowedRun, Repository, StepValidity};
use crate::plan::{NodeIx, TaskBranch};
use crate::process::Secrets;
use crate::record::{
    Attempt, By, CommitId, Effect, Origin, Quote, StepDraft, StepMessage, StepRecord, SubjectForm, TaskRef,
};
use crate::run::Plan;
use crate::text::advice;
use crate::workflow::{Decision, Standing, Unfit};
use crate::worktree::Lock;
use crate::worktree::changes::WorktreeChanges;
use crate::worktree::secret_search::SecretSearch;

/// Records what a person decides about the tasks of a plan.
pub struct Decisions<'a> {
    /// git, called at the top of the work tree.
    pub git: &'a Git,
    /// The work tree.
    pub work_tree: &'a WorkTree,
    /// The plan.
    pub plan: &'a Plan,
    /// The state of the plan, read from history.
    pub followed: &'a FollowedRun<'a>,
    /// The secrets that no message may show.
    pub secrets: &'a Secrets,
    /// The form of the subjects of commits.
    pub subject: &'a SubjectForm,
    /// The lock of the work tree.
    pub lock: &'a Lock,
}

/// A decision about a task, ready to be recorded.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The task.
    pub leaf: NodeIx,
    /// The step that records it.
    draft: StepDraft,
    /// The branch of the task, if it is committed there while another branch is checked out.
    beside: Option<TaskBranch>,
}

/// What a person says about a task.
#[derive(Clone, Copy, Debug)]
pub struct StatedDecision<'a> {
    /// The decision.
    pub decision: Decision,
    /// The reason, the review or the note.
    pub words: &'a str,
    /// How many attempts the task has.
    pub max_attempts: NonZeroU32,
    /// Where the words come from, if they were taken in from a request.
    pub request: Option<FromRequest<'a>>,
}

/// What was taken in from a request.
#[derive(Clone, Copy, Debug)]
pub struct FromRequest<'a> {
    /// The threads or checks.
    pub origins: &'a [Origin],
    /// Where it comes from, in words of ours.
    pub why: &'a str,
}

impl Decisions<'_> {
    /// The steps of a task on which a decision depends.
    fn standing(&self, leaf: NodeIx) -> Result<Standing> {
        let Self { followed, plan, .. } = self;
        let latest = plan.latest(&followed.run(), leaf).copied();
        // They come newest first.
        let steps = followed.steps_of(&plan.tree.node(leaf).id)?;
        let counted = steps.iter().filter(|step| step.validity == StepValidity::Counts);
        let attempt = counted
            .map(|step| step.step.record)
            .take_while(|record| record.step.row().effect != Effect::Restart)
            .find(|record| record.step.is_part_of_an_attempt());
        Ok(Standing { latest, attempt: attempt.filter(|_| latest.is_some()) })
    }

    /// Whether the newest step of a task is this decision, with the same words: a command that was killed has recorded it.
    ///
    /// # Errors
    /// If history cannot be read.
    pub fn is_recorded(&self, leaf: NodeIx, statement: StatedDecision<'_>) -> Result<bool> {
        let steps = self.followed.steps_of(&self.plan.tree.node(leaf).id)?;
        let Some(newest) = steps.iter().find(|step| step.validity == StepValidity::Counts) else {
            return Ok(false);
        };
        let StepRecord { step, outcome, by, .. } = newest.step.record;
        // A message is wrapped into lines.
        let in_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = in_one_line(&SecretSearch::of(self.secrets).redact(statement.words));
        let message = in_one_line(&String::from_utf8_lossy(&newest.message));
        Ok(by == By::User && (step, outcome) == statement.decision.recorded_as() && message.contains(&words))
    }

    /// Prepares the commit of a decision.
    ///
    /// # Errors
    /// [`Kind::No`] if the task cannot take the decision now; [`Kind::Input`] if the words cannot be committed.
    pub fn decide(&self, leaf: NodeIx, statement: StatedDecision<'_>) -> Result<Decided> {
        let StatedDecision { decision, words, max_attempts, request } = statement;
        let run = self.followed.run();
        let beside = branch_beside(self.git, self.plan, &run, leaf)?;
        if beside.is_none() {
            check_place(self.followed.repository(), self.plan, &run, leaf)?;
        }
        let node = self.plan.tree.node(leaf);
        let standing = self.standing(leaf)?;
        let record = decision.step(&standing).map_err(|unfit| refusal(unfit, node.id.as_str()))?;
        let task = TaskRef { id: &node.id, name: &node.name };
        let attempt = Attempt { merge: record.merge, ..Attempt::new(record.attempt, max_attempts) };
        let mut draft = StepDraft::new(record.step, task, attempt, record.outcome);
        draft.facts.by = if request.is_some() { By::Request } else { By::User };
        draft.facts.rejects_tests = record.rejects_tests;
        match (request, decision) {
            (Some(FromRequest { origins, why }), _) => {
                draft = draft.because(why);
                draft.facts.from = origins.to_vec();
                draft.quotes.push(Quote::request(words));
            }
            (None, Decision::Skip | Decision::Complete | Decision::Reopen) => draft = draft.because(words),
            (None, Decision::Approve | Decision::Reject) => draft.quotes.push(Quote::users_review(words)),
            (None, Decision::Note) => draft.notes.push(words.to_owned()),
        }
        if let Some(broken) = first_error(self.message(&draft).text.as_bytes()) {
            return Err(Error::new(
                Kind::Input,
                format!("the message about {} would break rule {}: {}", node.id, broken.rule, broken.what),
                "Nothing was committed. Say it in other words.",
            ));
        }
        Ok(Decided { leaf, draft, beside })
    }

    /// Commits a decision. Nothing else is committed, and changes in the work tree and in the index stay as they are.
    ///
    /// # Errors
    /// [`Kind::Repository`] if no step can be committed here now; otherwise if git refuses.
    pub fn commit(&self, decided: Decided) -> Result<CommitId> {
        let Self { git, work_tree, followed, .. } = *self;
        let repository = followed.repository();
        let (changes, staged) = WorktreeChanges::read(git, &work_tree.top)?;
        let (head, mut journal) = self.prepare(repository, &changes)?;
        let mut draft = decided.draft;
        let path = followed.plan_to_name(&head.commit)?;
        draft.facts.plan = path.map(|path| String::from_utf8_lossy(&path.to_bytes()).into_owned());
        let message = self.message(&draft);
        if let Some(branch) = &decided.beside {
            return self.commit_beside(branch, &message);
        }
        let staging = Staging::of(&staged);
        let request =
            CommitRequest { selection: &Selection::default(), message: &message.text, staging, merges: None };
        let branch = Branch { git, work_tree, repository, head: &head };
        let commit = commit_step(branch, &request, &message).map_err(|failure| {
            if let FailedCommit::Wrong(wrong) = failure.outcome {
                journal.undecided.wrong = Some(wrong);
                // The user needs to know what is wrong with the commit, not why that could not be noted.
                let _ = journal.write(&work_tree.git_dir);
            }
            failure.error
        })?;
        if journal.moves_to(&head, commit) {
            journal.write(&work_tree.git_dir)?;
        }
        Ok(commit)
    }

    fn message(&self, draft: &StepDraft) -> StepMessage {
        let secrets = SecretSearch::of(self.secrets);
        draft.message(|text| secrets.mask(text), self.subject)
    }

    /// Commits a decision on a branch that no work tree has checked out.
    fn commit_beside(&self, branch: &TaskBranch, message: &StepMessage) -> Result<CommitId> {
        let git = self.git;
        let commit = git.commit_on(branch.tip, message.text.clone().into_bytes(), git.signs_commits()?)?;
        git.advance_branch(&branch.name, &branch.tip, &commit)?;
        Ok(commit)
    }

    /// Makes sure that a step can be committed here now.
    fn prepare(&self, repository: &Repository, changes: &WorktreeChanges) -> Result<(Head, Journal)> {
        let Self { git, work_tree, plan, .. } = *self;
        git.check_version()?;
        work_tree.check_nothing_in_progress()?;
        let head = repository.branch()?;
        git.check_branch_is_ours_alone(work_tree, &head)?;
        work_tree.check_writable(&head.branch)?;
        git.check_identity()?;
        let journal = Journal::read(&work_tree.git_dir);
        journal.undecided.check(git, repository)?;
        if journal.is_behind(&head) {
            return Err(Error::new(
                Kind::Repository,
                "an earlier run was killed, and what it left on this branch has not been looked at yet",
                format!(
                    "Start the command that was killed once more ({}, `garden` or `gardener`): it looks at this before anything \
                 else. Then run the same command again.",
                    advice::done_any()
                ),
            ));
        }
        refuse_edited_plan(CommittedPlan { git, plan, head: &head.commit }, changes, self.subject)?;
        Ok((head, journal))
    }
}

impl Decided {
    /// The branch on which it is committed while another one is checked out.
    #[must_use]
    pub fn beside(&self) -> Option<&str> {
        self.beside.as_ref().map(|branch| branch.name.as_str())
    }

    /// The subject of its commit in this form.
    #[must_use]
    pub fn subject(&self, form: &SubjectForm) -> String {
        self.draft.subject(form)
    }
}

fn refusal(unfit: Unfit, id: &str) -> Error {
    Error::new(Kind::No, format!("{id} {}", unfit.what()), unfit.remedy(id))
}
