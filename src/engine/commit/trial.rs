//! Tries, before the first agent of a run is paid, what decides about every commit of the run, whatever an agent does: the hooks for
//! messages, and the program that signs. pre-commit is not tried, because it may change files.

use std::num::NonZeroU32;

use crate::error::{Error, Kind, Result};
use crate::git::{Git, HookRefusal, WorkTree};
use crate::record::{Attempt, Outcome, Quote, Step, StepDraft, SubjectForm, TaskId, TaskRef};

/// The name of a task that is in no plan.
const NAME: &str = "Try the hook that checks the messages of commits";

/// Makes sure that git can make the commits of a run.
///
/// # Errors
/// [`Kind::Environment`] if a hook refuses the messages of steps, or git cannot sign a commit.
pub(crate) fn try_commits(git: &Git, work_tree: &WorkTree, form: &SubjectForm) -> Result<()> {
    let tried = try_messages(git, work_tree, form).and_then(|()| git.try_signing(work_tree));
    tried.map_err(|error| error.stating("No agent was asked."))
}

/// Makes sure that the hooks for messages let those of steps in this form through. This runs the hooks.
///
/// # Errors
/// [`Kind::Environment`] with what a hook has said, and the form that it accepts, if there is one.
pub fn try_messages(git: &Git, work_tree: &WorkTree, form: &SubjectForm) -> Result<()> {
    let Some(refusal) = refusal_of_steps(git, work_tree, form)? else { return Ok(()) };
    let conventional = SubjectForm::conventional();
    let remedy = if *form != conventional && refusal_of_steps(git, work_tree, &conventional)?.is_none() {
        format!(
            "`git config arborist.subject '{}'` gives steps subjects that it accepts; then run the same command again.",
            SubjectForm::CONVENTIONAL
        )
    } else {
        format!(
            "Let the hook {} accept them, or choose other subjects with `git config arborist.subject`; then run the same command \
             again.",
            refusal.hook
        )
    };
    let what = format!("the hook {} refuses the messages of steps{}", refusal.hook, refusal.quoted());
    Err(Error::new(Kind::Environment, what, remedy))
}

/// The refusal of a hook that does not accept the messages of steps in this form; `None` if all of them do.
///
/// # Errors
/// If a hook does not end, or the message cannot be written.
pub fn refusal_of_steps(git: &Git, work_tree: &WorkTree, form: &SubjectForm) -> Result<Option<HookRefusal>> {
    for draft in drafts() {
        let message = draft.message(str::to_owned, form);
        let refusal = git.try_message(&work_tree.git_dir, &message.text)?;
        if refusal.is_some() {
            return Ok(refusal);
        }
    }
    Ok(None)
}

/// One step of each kind whose message a hook may find too long or unknown: a failed step with a long output, a note, and the
/// marker of a phase.
fn drafts() -> [StepDraft; 3] {
    // No plan has these, as far as possible: our own hook refuses a phase that is a task of the plan.
    let [id, phase] = ["T000", "P000"].map(|id| TaskId::parse(id).expect("this is an id"));
    let task = TaskRef { id: &id, name: NAME };
    let attempt = Attempt::new(0, NonZeroU32::MIN);
    let output = "This output of a program is longer than a line of a message may be. ".repeat(4);
    let mut failed = StepDraft::new(Step::IMPLEMENT, task, attempt, Outcome::Fail);
    failed.quotes.push(Quote::runner(output.as_bytes()));
    let mut note = StepDraft::new(Step::NOTE, task, attempt, Outcome::Pass);
    note.notes.push("Only a trial.".to_owned());
    let phase = TaskRef { id: &phase, ..task };
    [failed, note, StepDraft::new(Step::PHASE_COMPLETE, phase, attempt, Outcome::Pass)]
}
