//! `git arborist mark allow`: writes into the plan which files a task may change although they judge it.

use super::decisions::leaf_decided_about;
use super::decisions::{Chosen, Recording, commit_plan_files};
use crate::error::{Error, Kind, Result};
use crate::plan::{NodeIx, PathPattern, TaskTree, with_may_change};
use crate::run::Plan;
use crate::session::plan_state::PlanState;
use crate::session::refuse_inside;
use crate::session::take_lock::lock;
use crate::session::{Call, Exit, Session};
use crate::workflow::Decision;
use crate::{files, report};

/// Files that a task may change from now on.
pub(crate) struct Allowing<'a> {
    pub(crate) task: &'a str,
    pub(crate) globs: &'a [String],
}

impl Allowing<'_> {
    /// Commits the plan with the files, and answers the open question about the task.
    ///
    /// # Errors
    /// [`Kind::Input`] if a pattern is wrong, or the plan cannot be written; [`Kind::Repository`] if it has changes that are
    /// not committed.
    pub(crate) fn record(&self, call: &Call) -> Result<Exit> {
        let patterns = self.patterns()?;
        let was_asked = self.write(call, &patterns)?;
        if !was_asked {
            return Ok(Exit::Done);
        }
        let words = format!("The task may change {} now.", self.globs.join(", "));
        let recording = Recording { command: "mark", decision: Decision::Note, words: &words };
        recording.record(call, |plan_state| Chosen::named(plan_state, &[self.task.to_owned()]))
    }

    fn patterns(&self) -> Result<Vec<PathPattern>> {
        let parse = |glob: &String| {
            PathPattern::parse(glob).map_err(|why| {
                let what = format!("`{}` is not a valid file pattern: {why}", crate::text::one_line(glob));
                Error::new(
                    Kind::Input,
                    what,
                    "Write it from the top of the work tree, such as tests/test_a.py or tests/**.",
                )
            })
        };
        self.globs.iter().map(parse).collect()
    }

    /// Writes and commits the plan, if that changes anything. Returns whether a question about the task is open.
    fn write(&self, call: &Call, patterns: &[PathPattern]) -> Result<bool> {
        let session = Session::open(call, Vec::new())?;
        refuse_inside(call, &session, "mark")?;
        let lock = lock(&session, "mark")?;
        let plan = session.plan()?;
        let PlanState { session, plan, questions, .. } = PlanState::of(session, plan)?;
        let leaf = leaf_decided_about(&plan, self.task)?;
        let id = &plan.tree.node(leaf).id;
        let was_asked = questions.iter().any(|open| open.task == *id);
        let Some(text) = allowed(&plan, leaf, patterns)? else {
            report::print(&format!("{id} may change {} already\n", self.globs.join(", ")))?;
            return Ok(was_asked);
        };
        let paths = committed_files(&plan, "may_change")?;
        let head = session.repository.branch()?.commit;
        for path in &paths {
            if !session.git.is_as_in(&head, path.as_bytes())? {
                let what = format!("{path} has changes that are not committed");
                return Err(Error::new(
                    Kind::Repository,
                    what,
                    "Commit or undo them, then run the same command again.",
                ));
            }
        }
        files::write_whole(&plan.file, text.as_bytes())
            .map_err(|error| Error::not_written(&plan.shown, &error))?;
        let title = format!("Allow {id} to change {}", crate::text::ellipsis(&self.globs.join(", "), 50));
        let message = format!(
            "{}\n\nThese files judge the task. It may change them all the same.\n",
            session.config.subject_form().title(&title)
        );
        if let Some(made) = commit_plan_files(&session, &paths, &message, &lock)? {
            let subject = message.lines().next().unwrap_or_default();
            report::print(&format!("{} {subject}\n", made.short()))?;
        }
        Ok(was_asked)
    }
}

/// The files of a plan that a command commits after it has written a field into it.
///
/// # Errors
/// [`Kind::Input`] if the plan is not in the repository.
pub(super) fn committed_files(plan: &Plan, field: &str) -> Result<Vec<String>> {
    plan.files_in_repository().ok_or_else(|| {
        let what = format!("{} is not in this repository, so it cannot be committed", plan.shown);
        Error::new(Kind::Input, what, format!("Write `{field}` into it by hand."))
    })
}

/// The text of the plan in which a task may change these files; `None` if it may already.
///
/// # Errors
/// [`Kind::Input`] if the plan would not be valid.
fn allowed(plan: &Plan, leaf: NodeIx, patterns: &[PathPattern]) -> Result<Option<String>> {
    let before = plan.tree.may_change(leaf);
    if patterns.iter().all(|new| before.iter().any(|old| old.as_str() == new.as_str())) {
        return Ok(None);
    }
    // What the node says itself hides what the nodes above it say.
    let mut all: Vec<PathPattern> = before.to_vec();
    all.extend(patterns.iter().filter(|new| !before.iter().any(|old| old.as_str() == new.as_str())).cloned());
    let text = with_may_change(plan.bytes(), plan.tree.node(leaf).id.as_str(), &all);
    valid_plan(plan, text, "may_change").map(Some)
}

/// The text of a plan into which a command has written this field.
///
/// # Errors
/// [`Kind::Input`] if it could not be written there, or the plan would not be valid.
pub(super) fn valid_plan(plan: &Plan, text: Option<String>, field: &str) -> Result<String> {
    text.filter(|text| TaskTree::from_json(text.as_bytes()).is_ok()).ok_or_else(|| {
        let what = format!("{} cannot be changed by a command", plan.shown);
        Error::new(Kind::Input, what, format!("Write `{field}` into it by hand, and commit it."))
    })
}
