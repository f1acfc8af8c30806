//! Checks, after a runner, a reviewer or a test has ended, that settings, hooks, branch and plan are as they must be.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::Workspace;
use crate::engine::run_context::context::RunContext;
use crate::engine::tree::plan_on_disk::{how_to_reveal, pathspec_words, uncommitted_files};
use crate::error::{Error, Kind, Result};
use crate::git::Head;
use crate::record::{Check, Finding, Severity, Step, TaskId};
use crate::run::JournalView;
use crate::text::{listed, shell_word};
use crate::worktree::active_runs;
use crate::worktree::branch_watch::{BranchChange, During, check_branch, forged_since, who};
use crate::worktree::check_in_place;
use crate::worktree::snapshot::{ChangedBy, Compared, StepFate};

impl Workspace<'_> {
    /// Makes sure, after a runner, a reviewer or a test has ended, that settings, hooks and plan are unchanged, and
    /// that the branch has no commits that it must not have. Returns the head of the branch and the commits of the
    /// runner.
    ///
    /// # Errors
    /// [`Kind::Unsafe`], naming what has changed.
    pub(crate) fn check_after(&mut self, before: &Head, step: Step) -> Result<BranchChange> {
        let checked = self.compare_after(before, step).and_then(|change| {
            self.journal.note_plan_commits(self.run.repository);
            self.check_plan(step)?;
            self.journal.undecided.forget_plan();
            Ok(change)
        });
        if checked.is_err() {
            self.journal.note_plan_commits(self.run.repository);
            // What could not be put back must be known even if this process is killed now. The error itself is told in any case.
            let _ = self.write_journal();
        } else if !self.righted.is_empty() {
            // The next run must not find again what was put right.
            self.note_compared()?;
        }
        checked
    }

    /// Notes the present state of the repository in the journal, with which the next run compares it if this one is killed in the
    /// step.
    ///
    /// # Errors
    /// If the journal cannot be written.
    pub(crate) fn note_compared(&mut self) -> Result<()> {
        if let Some(stored) = self.journal.unit.as_mut().filter(|stored| stored.snapshot.is_none()) {
            stored.snapshot = Some(self.snapshot.clone());
            self.write_journal()?;
        }
        Ok(())
    }

    fn compare_after(&mut self, before: &Head, step: Step) -> Result<BranchChange> {
        let RunContext { git, work_tree, repository, programs, .. } = self.run;
        if let Some(stored) = &mut self.journal.unit {
            // What this comparison finds is reported now. The next run need not compare again.
            stored.snapshot = None;
        }
        let changed_by = ChangedBy { who: who(step), head: before, fate: StepFate::NotCommitted };
        let known = self.snapshot.tips();
        let compared = self.snapshot.compare(self.run.source(), changed_by);
        // Nothing that is forged may stay on the branch, no matter what else was changed. This runs no hook.
        let during = During::step(step, &known);
        let during = if compared.is_ok() { during.putting_right() } else { during };
        let branch = check_branch(git, repository, before, during).inspect_err(|_| self.note_refused(before));
        let (compared, unstashed) = if step.changes_files() && branch.is_ok() {
            compared?.unstashed(git, who(step))?
        } else {
            (compared?.without_stash(who(step))?, None)
        };
        if unstashed.is_some() {
            self.know_users_files_again()?;
        }
        let Compared { warnings, elsewhere, pushed, instructions, .. } = compared;
        let righted: Vec<String> =
            branch.iter().flat_map(|change| change.righted.clone()).chain(unstashed).collect();
        let told = |clause: &String| format!("While {} was at work, {clause}", who(step));
        righted.iter().for_each(|clause| self.run.warn(&told(clause)));
        self.righted.extend(righted);
        warnings.iter().chain(&elsewhere).for_each(|warning| self.run.warn(warning));
        let changed = (!instructions.is_empty()).then(|| self.changed_instructions(&instructions));
        self.tainted = changed.clone().or(self.tainted.take());
        let seen: Vec<Finding> = pushed.into_iter().chain(changed).collect();
        seen.iter().for_each(|finding| self.run.warn(&finding.sentence()));
        self.elsewhere.extend(elsewhere);
        self.seen.extend(seen);
        if let Some(lock) = &programs.launch.held {
            check_in_place(work_tree, lock, who(step))?;
        }
        self.refuse_unfinished(step)?;
        branch
    }

    /// The finding about changed files from which reviewers take instructions. It names all tasks at work: any of their agents may have
    /// changed them.
    fn changed_instructions(&self, files: &[PathBuf]) -> Finding {
        let own = self.journal.unit.iter().map(|stored| stored.unit.task.clone());
        let others = active_runs(&self.run.work_tree).into_iter();
        let others = others.filter_map(|run| Some(JournalView::read(&run.git_dir).unit?.unit.begun.task));
        let tasks: BTreeSet<TaskId> = own.chain(others).collect();
        let tasks: Vec<String> = tasks.iter().map(ToString::to_string).collect();
        let verb = if tasks.len() == 1 { "was" } else { "were" };
        let seen = format!(
            "While {} {verb} at work, files outside of the repository were changed from which reviewers take instructions",
            listed(&tasks)
        );
        let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        let words: Vec<String> = files.iter().map(|file| shell_word(file)).collect();
        let finding = Finding::new(Check::Instructions, Severity::Warning, &seen).at(&files);
        finding.look(&format!("tail -n +1 {}", words.join(" ")))
    }

    /// Files of the user that a stash took away and that are there again count as unchanged if they are as in the copy.
    fn know_users_files_again(&mut self) -> Result<()> {
        let Some(copy) = &self.journal.copy else { return Ok(()) };
        let same = copy.still_in(&self.run.git, &self.changes_now()?, &self.foreign.users)?;
        if let Some(copy) = &mut self.journal.copy {
            copy.files.merge(same.path_states());
        }
        let opened = self.journal.unit.iter_mut().map(|stored| &mut stored.unit.opened);
        opened.for_each(|opened| {
            opened.tree_changes.merge(same.clone());
            opened.foreign.users.merge(same.clone());
        });
        self.tree_changes.merge(same.clone());
        self.foreign.users.merge(same);
        Ok(())
    }

    /// Makes sure that the plan was changed neither in a commit nor on disk.
    fn check_plan(&self, step: Step) -> Result<()> {
        let RunContext { git, plan, repository, .. } = self.run;
        let during = format!("the {} step", step.word());
        if let Some(found) = self.journal.undecided.commit_with_plan(self.run.source())? {
            return Err(found.to_error(&during).stating("The step was not committed."));
        }
        if plan.is_unchanged() {
            return Ok(());
        }
        let head = repository.branch()?.commit;
        let changed = uncommitted_files(git, &head, plan, &self.changes_now()?)?;
        let files = pathspec_words(&changed);
        let remedy = if changed.is_empty() {
            "No commit contains it. Look at it and correct it if necessary: the next run uses it as it finds it."
                .to_owned()
        } else {
            format!(
                "{}Look at it with `git diff HEAD -- {files}`, put it back with `git restore --source=HEAD --staged \
                 --worktree -- {files}` or commit it, and run the same command again.",
                how_to_reveal(git, &changed)?
            )
        };
        let what = format!("{} was changed during {during}", plan.shown);
        Err(Error::new(Kind::Unsafe, what, remedy).stating("The step was not committed."))
    }

    /// Records the commits because of which the run stops, so that the next run refuses them too.
    fn note_refused(&mut self, before: &Head) {
        // An error here does not matter: the user is told why the run stops.
        let forged = forged_since(&self.run.git, self.run.repository, before).unwrap_or_default();
        self.journal.undecided.note_forged(&forged);
        let _ = self.write_journal();
    }
}
