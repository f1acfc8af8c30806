//! Ends a run because of hooks before it pays for what they refuse in any case: at its beginning, if git cannot make its commits, and
//! when tasks fail one after the other because a hook says the same of each.

use std::collections::HashMap;

use crate::engine::commit::trial::try_commits;
use crate::engine::run_context::context::RunContext;
use crate::error::{Error, Kind, Result};
use crate::record::{Goal, Outcome, Quote, QuoteKind, Step, TaskId};
use crate::text::advice;
use crate::worktree::snapshot::{ChangedBy, RepoSnapshot, StepFate};

/// What hooks have said in this run. It is in no file: a later run may have another hook.
#[derive(Debug, Default)]
pub(crate) struct HookRefusals {
    /// Whether git was tried.
    has_tried: bool,
    /// What a hook has said of the last attempt of each task, if it refused that.
    last_attempts: HashMap<TaskId, String>,
    /// The task that has ended last, and what the hook said, if that is why it has failed.
    last_failed: Option<(TaskId, String)>,
}

impl HookRefusals {
    /// Tries once in a run whether git can make its commits, before an agent is paid.
    ///
    /// # Errors
    /// If it cannot, or if the hooks have been changed since the run began.
    pub(crate) fn try_commits(&mut self, run: &RunContext<'_>, snapshot: &RepoSnapshot) -> Result<()> {
        if !self.has_tried {
            let head = &run.repository.branch()?;
            let changed_by = ChangedBy { who: "another program", head, fate: StepFate::NotCommitted };
            let git = snapshot.checked_git(run.source(), changed_by)?;
            try_commits(&git, &run.work_tree, &run.settings.commit.subject)?;
            self.has_tried = true;
        }
        Ok(())
    }

    /// Takes note of a step, by its message. Returns the error that ends the run if a task has failed with it for what the hook has
    /// said of the task before it, too.
    pub(crate) fn note(
        &mut self,
        task: &TaskId,
        step: Step,
        outcome: Outcome,
        message: &[u8],
    ) -> Option<Error> {
        match step.row().goal {
            Goal::Change | Goal::TestsFail => {
                match Quote::first_in(QuoteKind::Hook, message) {
                    Some(said) => self.last_attempts.insert(task.clone(), said.whole()),
                    None => self.last_attempts.remove(task),
                };
                None
            }
            _ if step == Step::COMPLETE => {
                let said = self.last_attempts.remove(task).filter(|_| outcome == Outcome::Fail);
                let before = std::mem::replace(&mut self.last_failed, said.map(|said| (task.clone(), said)));
                let ((other, before), (_, now)) = before.zip(self.last_failed.as_ref())?;
                (before == *now && other != *task).then(|| same_words(&other, task, now))
            }
            _ => None,
        }
    }
}

fn same_words(one: &TaskId, other: &TaskId, said: &str) -> Error {
    let said: Vec<&str> = said.lines().skip(1).filter(|line| !line.is_empty()).take(5).collect();
    Error::new(
        Kind::Environment,
        format!(
            "a hook has refused the last attempts at {one} and at {other} with the same words: {}",
            said.join("\n  ")
        ),
        format!(
            "What it complains about is probably not their work. Correct that, or the hook; then {} tries the failed tasks again.",
            advice::gardener().failed()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Attempt, StepDraft, SubjectForm, TaskRef};

    const ATTEMPT: Attempt = Attempt { number: 0, max: 1, merge: None };

    /// The answer after an attempt at a task that a hook has refused with these words, or not at all, and its end.
    fn ended(refusals: &mut HookRefusals, id: &str, said: Option<&str>, end: Outcome) -> bool {
        let id = TaskId::parse(id).unwrap();
        let task = TaskRef { id: &id, name: "x" };
        let draft = StepDraft::new(Step::IMPLEMENT, task, ATTEMPT, Outcome::Pass);
        let draft = match said {
            Some(said) => draft.refused_by("pre-commit", said),
            None => draft,
        };
        let message = draft.message(str::to_owned, &SubjectForm::default());
        let attempt = refusals.note(&id, Step::IMPLEMENT, Outcome::Fail, message.text.as_bytes());
        assert!(attempt.is_none());
        refusals.note(&id, Step::COMPLETE, end, b"").is_some()
    }

    #[test]
    fn only_two_tasks_in_a_row_that_fail_with_the_same_words_end_a_run() {
        use Outcome::{Fail, Pass};
        for (ends, expected) in [
            (&[("T1", Some("a"), Fail), ("T2", Some("a"), Fail)][..], true),
            (&[("T1", Some("a"), Fail), ("T2", Some("b"), Fail), ("T3", Some("b"), Fail)], true),
            (&[("T1", Some("a"), Fail), ("T1", Some("a"), Fail)], false),
            (&[("T1", Some("a"), Fail), ("T2", Some("b"), Fail)], false),
            (&[("T1", Some("a"), Fail), ("T2", None, Pass), ("T3", Some("a"), Fail)], false),
            (&[("T1", Some("a"), Fail), ("T2", None, Fail), ("T3", Some("a"), Fail)], false),
            (&[("T1", Some("a"), Fail), ("T2", Some("a"), Pass)], false),
            (&[("T1", None, Fail), ("T2", None, Fail)], false),
        ] {
            let mut refusals = HookRefusals::default();
            let ended: Vec<bool> =
                ends.iter().map(|(id, said, end)| ended(&mut refusals, id, *said, *end)).collect();
            assert_eq!(ended.last(), Some(&expected), "{ends:?}");
            assert!(!ended[..ended.len() - 1].contains(&true), "{ends:?}");
        }
    }
}
