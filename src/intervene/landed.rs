//! `git arborist mark landed`: records that a commit contains the work of tasks, where its own message does not say so.

use std::collections::HashSet;

use super::decisions::decided_about;

use crate::error::{Error, Kind, Result};
use crate::history::read_union;
use crate::plan::NodeIx;
use crate::record::{CommitId, Landing, State, TaskId, title};
use crate::report;
use crate::session::plan_state::PlanState;
use crate::session::take_lock::lock;
use crate::session::{Call, Exit, Session};
use crate::text::{advice, counted, listed, one_line, wrapped};

/// A commit that contains the work of tasks, as a person says.
pub(crate) struct MarkLanded<'a> {
    pub(crate) commit: &'a str,
    /// The tasks, or parents of them; none for all that nobody has worked on here.
    pub(crate) tasks: &'a [String],
    /// Whether all of them may be taken without a question.
    pub(crate) yes: bool,
}

impl MarkLanded<'_> {
    /// Records it in a commit without changes.
    ///
    /// # Errors
    /// [`Kind::Input`] if the commit is not part of this branch, or a task does not exist.
    pub(crate) fn record(&self, call: &Call) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        let _lock = lock(&session, "mark")?;
        let plan = session.plan()?;
        let plan_state = PlanState::of(session, plan)?;
        let PlanState { session, run, .. } = &plan_state;
        let git = &session.git;
        let head = session.repository.branch()?;
        let shown = one_line(self.commit);
        let commit = git.commit_named(self.commit)?.filter(|commit| {
            *commit == head.commit || session.repository.reaches(head.commit, *commit).unwrap_or(false)
        });
        let before = commit.map(|commit| session.repository.first_parent(&commit)).transpose()?.flatten();
        let (Some(commit), Some(before)) = (commit, before) else {
            return Err(Error::new(
                Kind::Input,
                format!("`{shown}` is not a commit of this branch, or it is the first one"),
                "Nothing was recorded. `git log --oneline` lists the commits.",
            ));
        };
        let tasks = self.chosen(&plan_state)?;
        let is_skipped = match self.tasks.is_empty() {
            true => skipped_elsewhere(&plan_state, head.commit)?,
            false => HashSet::new(),
        };
        let (skipped, tasks): (Vec<TaskId>, Vec<TaskId>) =
            tasks.into_iter().partition(|task| is_skipped.contains(task));
        if self.tasks.is_empty() && !self.yes {
            self.confirm(&tasks, &skipped)?;
        }
        let named = |tasks: &[TaskId]| -> Vec<String> { tasks.iter().map(TaskId::to_string).collect() };
        let mut recorded = Vec::new();
        recorded.extend(
            (!tasks.is_empty()).then(|| format!("{} landed in {}", listed(&named(&tasks)), commit.short())),
        );
        recorded.extend(
            (!skipped.is_empty())
                .then(|| format!("{} skipped, as on another branch", listed(&named(&skipped)))),
        );
        let claims = [Landing::skipping(skipped, before, commit), Landing::new(tasks, before, commit)];
        let claims: Vec<Landing> =
            claims.into_iter().flatten().map(|claim| claim.of_commit(commit)).collect();
        let message = message(&claims, commit, &session.repository.commit(&commit)?.message);
        git.check_identity()?;
        let id = git.commit_on(head.commit, message, git.signs_commits()?)?;
        git.advance_branch(head.branch_name(), &head.commit, &id)?;
        debug_assert_eq!(run.range.head(), head.commit, "the lock keeps other commands away");
        report::eprint(&format!(
            "{}: {}. `git revert --no-edit {}` and `git commit --allow-empty --no-edit` take this back.",
            id.short(),
            recorded.join("; "),
            id.short()
        ));
        Ok(Exit::Done)
    }

    /// Asks whether the commit contains the work of all these tasks.
    fn confirm(&self, tasks: &[TaskId], skipped: &[TaskId]) -> Result<()> {
        let tasks = if tasks.is_empty() { skipped } else { tasks };
        let names: Vec<String> = tasks.iter().map(TaskId::to_string).collect();
        let pending = counted(names.len(), "pending task");
        let text = format!(
            "This records that {} has the work of {pending}: {}.",
            one_line(self.commit),
            listed(&names)
        );
        if report::confirm(&text, "Is that so?") == Some(true) {
            return Ok(());
        }
        Err(Error::new(
            Kind::Input,
            format!(
                "it is not said which tasks {} contains; {}",
                one_line(self.commit),
                listed_as_pending(&names)
            ),
            format!(
                "Nothing was recorded. Name the tasks, as in {}; with --yes, all of them are recorded.",
                advice::landed(self.commit).of(&names[..1])
            ),
        ))
    }

    fn chosen(&self, plan_state: &PlanState) -> Result<Vec<TaskId>> {
        let PlanState { plan, run, .. } = plan_state;
        let is_open = |leaf: &NodeIx| plan.state(run, *leaf) == State::Pending;
        let mut leaves = Vec::new();
        for name in self.tasks {
            leaves.extend(plan.tree.leaves_below(decided_about(plan, name)?));
        }
        if self.tasks.is_empty() {
            leaves = plan.tree.order().iter().copied().filter(is_open).collect();
        }
        if leaves.is_empty() {
            return Err(Error::new(
                Kind::No,
                "no task is pending, so there is nothing to record",
                format!(
                    "A task that was done again since it was landed has to be named, as in {}. {} shows the state of all tasks.",
                    advice::landed(self.commit).of(["TASK"]),
                    advice::status()
                ),
            ));
        }
        Ok(leaves.into_iter().map(|leaf| plan.tree.node(leaf).id.clone()).collect())
    }
}

fn listed_as_pending(names: &[String]) -> String {
    format!("{} {} pending", listed(names), if names.len() == 1 { "is" } else { "are" })
}

/// The tasks that are skipped on other branches, here or as they were fetched, or in a record of a run.
fn skipped_elsewhere(plan_state: &PlanState, head: CommitId) -> Result<HashSet<TaskId>> {
    let repository = &plan_state.session.repository;
    let all = repository.references()?.into_iter().chain(repository.remote_branches()?);
    let folders = ["refs/heads/", "refs/remotes/", "refs/arborist/runs/"];
    let is_branch = |name: &str| folders.iter().any(|folder| name.starts_with(folder));
    let mut tips: Vec<CommitId> = all.filter(|(name, _)| is_branch(name)).map(|(_, tip)| tip).collect();
    tips.sort_unstable();
    tips.dedup();
    let reached = repository.reached_from(head, &tips)?;
    tips.retain(|tip| !reached.contains(tip));
    let everywhere = read_union(repository, head, tips, &plan_state.plan.query())?;
    let skipped = everywhere.tasks.into_iter().filter(|(_, step)| step.record.state() == State::Skipped);
    Ok(skipped.map(|(task, _)| task).collect())
}

fn message(claims: &[Landing], commit: CommitId, of_commit: &[u8]) -> Vec<u8> {
    let quoted = one_line(&String::from_utf8_lossy(&title(of_commit)));
    let about =
        wrapped(&format!("A person says that the work of these tasks is in {} ({quoted}).", commit.short()));
    let mut text = format!("chore(arborist): landed in {}\n\n{about}\n\n", commit.short());
    text.push_str(&claims.iter().map(Landing::trailers).collect::<Vec<_>>().join("\n"));
    text.into_bytes()
}
