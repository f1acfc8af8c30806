//! The implement step: a runner writes code, and its changes are committed.

use std::collections::{BTreeSet, HashSet};

use super::StepMaker;
use super::changes_to_commit::{StepChange, changes_to_commit};
use super::complete::GivenUp;
use super::idle::{break_circuit, ended_at_once};
use super::memory::RunnerMemory;
use super::merging::{OpenMerge, merge_due};
use super::resume::EarlierSession;
use super::runner_call::Request;
use super::runner_outcome::{Answered, AskingAgent, Heard, RunnerOutcome, Seen, complaint_about_nothing};
use super::taken_question::{ended_alike, no_result_again};
use crate::agents::RunnerChain;
use crate::engine::checks::secret_files::possible_secrets;
use crate::engine::record::recorder::Recorder;
use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::{RunContext, Runners};
use crate::engine::tree::changed_packages::listed;
use crate::engine::tree::unit::WorkUnit;
use crate::engine::tree::workspace::Workspace;
use crate::error::Result;
use crate::git::Selection;
use crate::history::{FollowedRun, TaskStep, TreeComparison, changed_paths, have_same_files};
use crate::record::{About, Check, CommitId, Finding, Goal, Outcome, Severity, Statement, Step};
use crate::run::steps::feedback::{files_of, open_objections, removed_obstacles};
use crate::run::steps::foreign_commits::Line;
use crate::text::{clean, listed as in_a_row, show_path};
use crate::worktree::branch_watch::BranchChange;
use crate::worktree::obstacle::StepChanges;
use crate::worktree::space::require_space;
use crate::worktree::suspects::Suspect;

/// Takes a task through its implement step.
pub(crate) struct Implementer<'e, 'a> {
    /// The state of the plan, read from history.
    pub(crate) followed: &'e FollowedRun<'a>,
    /// The work tree.
    pub(crate) workspace: &'e mut Workspace<'a>,
    /// What the run has learned about its runners.
    pub(crate) memory: &'e mut RunnerMemory,
    /// The merge that the step makes, if it makes one.
    pub(crate) open_merge: Option<OpenMerge>,
}

impl Implementer<'_, '_> {
    /// Lets the runner work, and commits what it has changed.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(crate) fn implement(&mut self, job: Assignment<'_>) -> Result<()> {
        let run = self.workspace.run;
        let runners = runners(run, job)?;
        require_space(&run.work_tree)?;
        let role = job.step.role().expect("an agent changes the files");
        let merge = merge_due(run, job, &self.followed.steps_of(job.task.id)?)?;
        self.workspace.merge = merge.as_ref().map(|merge| merge.facts(run, job.leaf)).transpose()?;
        let mut unit = self.workspace.begin(self.followed, job)?;
        if let Some(merge) = merge {
            self.open_merge = Some(merge.apply(self.workspace)?);
        }
        let prompt = unit.prompt.as_deref().expect("an agent changes the files, so there is a prompt");
        let session = EarlierSession::of(run, job, &self.followed.steps_of(job.task.id)?);
        let session = session.as_ref();
        let (head, form) = (&unit.head, run.answer_form(job));
        let request = Request { runners, role, prompt, form, head, place: None, in_session: None, session };
        let packages = listed(run, job.leaf, &self.workspace.ignored)?;
        self.workspace.packages.begin(job.leaf, packages);
        let heard = self.hear(job, &unit, request)?;
        if let Some(stored) = &self.workspace.journal.unit {
            unit.opened.clone_from(&stored.unit.opened);
        }
        self.settle(job, &unit, heard)
    }

    /// Commits what a runner has changed.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    fn settle(&mut self, job: Assignment<'_>, unit: &WorkUnit, heard: Heard) -> Result<()> {
        let answered = self.answer_of(job, &heard)?;
        let Heard { handover, report, seen, repeats } = heard;
        let Seen { watched, after } = seen.expect("a run has looked at what its runner has left");
        if let Answered::Asks(question) = &answered {
            let said = clean(&handover.said);
            let is_denied = question.about == Some(About::DeniedTool);
            let about = question.about.filter(|_| is_denied);
            let other = match is_denied || repeats {
                true => ended_alike(self.followed, job, said.trim(), about)?,
                false => None,
            };
            self.ask(job, unit, AskingAgent { handover: &handover, watched: &watched, question })?;
            return no_result_again(job, other, &question.asked.reason);
        }
        let change = changes_to_commit(self.workspace, self.open_merge.as_ref(), unit, &watched, after)?;
        let packages = listed(self.workspace.run, job.leaf, &self.workspace.ignored)?;
        self.workspace.packages.end(packages);
        let named = self.name_files(job, unit, &watched, &change)?;
        let outcome = RunnerOutcome::new(&handover, report, &watched, &unit.head);
        let mut outcome = self.outcome_of(job, outcome, answered)?;
        outcome.why.append(&mut self.workspace.righted);
        let mut work = self.judge_change(job, StepWork { change, outcome })?;
        work.outcome.notes.append(&mut self.workspace.elsewhere);
        if !work.change.touched {
            work.outcome.states.push(Statement::Unchanged);
        }
        let work = self.check_idle(job, work)?;
        let mut work = self.close_merge(unit, work)?;
        work.outcome.found.extend(named);
        self.record(job, work)?;
        if !repeats {
            return Ok(());
        }
        // Whoever asks is not to be waited for, and nobody is paid for the same words again.
        let job = Assignment { step: Step::COMPLETE, ..job };
        StepMaker { followed: self.followed, workspace: self.workspace }.give_up(job, GivenUp::SameAnswer)
    }

    /// What came back, with what the worker says about it: whether it is done, and its answers to the last review.
    pub(super) fn outcome_of<'w>(
        &self,
        job: Assignment<'_>,
        came_back: RunnerOutcome<'w>,
        answered: Answered,
    ) -> Result<RunnerOutcome<'w>> {
        let asked = open_objections(&self.followed.steps_of(job.task.id)?, job.step);
        let mut outcome = came_back;
        outcome.report.answers.retain(|number, _| (1..=asked.len()).contains(number));
        match answered {
            Answered::Failed(why) => outcome.why.push(why),
            Answered::Worked(finding) => outcome.found.extend(finding),
            Answered::Asks(_) => {}
        }
        Ok(outcome)
    }

    /// Judges the change by what the step is to reach: files that can be committed and, for tests that are written first, that
    /// they fail.
    fn judge_change<'w>(&mut self, job: Assignment<'_>, work: StepWork<'w>) -> Result<StepWork<'w>> {
        let StepWork { change, mut outcome } = work;
        let own = change.own.as_ref().unwrap_or(&change.changed);
        outcome.files = count_files(self.workspace.run, &own.selection, &outcome)?;
        outcome.why.extend(change.changed.obstacles.iter().map(ToString::to_string));
        outcome
            .not_committed
            .extend(change.changed.obstacles.iter().map(|obstacle| obstacle.path().to_owned()));
        let work = StepWork { change, outcome };
        match job.step.row().goal {
            Goal::TestsFail if work.outcome.why.is_empty() => self.judge_tests(job, work),
            Goal::TestsFail => Ok(work),
            _ if work.change.changed.is_empty() => self.note_empty(job, work),
            _ => Ok(work),
        }
    }

    /// Ends the merge that the step makes, if it makes one. What a failed step has merged is taken out again.
    fn close_merge<'w>(&mut self, unit: &WorkUnit, work: StepWork<'w>) -> Result<StepWork<'w>> {
        let Some(merge) = self.open_merge.take() else { return Ok(work) };
        let StepWork { mut change, mut outcome } = work;
        outcome.merges = Some((merge.onto(), merge.why()));
        if outcome.outcome() == Outcome::Fail {
            merge.take_out(self.workspace, unit)?;
            change.changed = StepChanges::default();
        }
        Ok(StepWork { change, outcome })
    }

    /// Names the files that a person should look at: those that the plan does not name, and those that may contain a secret. They
    /// are committed all the same.
    pub(super) fn name_files(
        &self,
        job: Assignment<'_>,
        unit: &WorkUnit,
        watched: &BranchChange,
        change: &StepChange,
    ) -> Result<Vec<Finding>> {
        let run = self.workspace.run;
        let own = change.own.as_ref().unwrap_or(&change.changed);
        let mut changed: BTreeSet<Vec<u8>> = own.selection.paths().map(<[u8]>::to_vec).collect();
        if !watched.adopted.is_empty() {
            let adopted = TreeComparison { commit: watched.head.commit, base: Some(unit.head.commit) };
            changed.extend(changed_paths(run.repository, &[adopted])?);
        }
        let touches = run.plan.tree.touches(job.leaf);
        // A step that writes tests may change nothing else, so the plan need not name them.
        if job.step.row().goal != Goal::Change || touches.is_empty() {
            changed.clear();
        }
        changed.retain(|path| {
            let path = String::from_utf8_lossy(path);
            !touches.iter().any(|pattern| pattern.matches(&path))
        });
        let seen = "These files were changed, but the plan does not say that this task touches them";
        let outside = Finding::new(Check::OutsideTouches, Severity::Warning, seen);
        let outside = (!changed.is_empty()).then(|| outside.at(changed.iter().map(|path| show_path(path))));
        let secrets = possible_secrets(&change.suspects.iter().map(Suspect::in_short).collect());
        let named: Vec<Finding> = outside.into_iter().chain(secrets).collect();
        named.iter().for_each(|finding| run.warn(&format!("{}: {}", job.task.id, finding.sentence())));
        Ok(named)
    }

    /// Commits the change. If git cannot add some of its files, it commits the others, and the attempt has failed.
    fn record(&mut self, job: Assignment<'_>, work: StepWork<'_>) -> Result<()> {
        let run = self.workspace.run;
        let StepWork { change: StepChange { changed, .. }, mut outcome } = work;
        let mut finished = outcome.finished(job, changed.selection.and(changed.index_only));
        let mut recorder = Recorder { followed: self.followed, workspace: &mut *self.workspace };
        let recorded = recorder.record(&finished);
        if recorded.is_ok() {
            return recorded;
        }
        let not_addable = run.git.not_addable(&run.work_tree.git_dir, &finished.selection)?;
        if not_addable.is_empty() {
            return recorded;
        }
        let refused: HashSet<&[u8]> = not_addable.iter().map(|refused| &*refused.path).collect();
        finished.selection.there.retain(|path| !refused.contains(path.as_slice()));
        outcome.why.extend(not_addable.iter().map(|refused| format!("git: {}", refused.why)));
        recorder.record(&outcome.finished(job, finished.selection))
    }

    /// Records that the step changed nothing. That is a success only if nothing was left to do.
    pub(super) fn note_empty<'w>(&self, job: Assignment<'_>, mut work: StepWork<'w>) -> Result<StepWork<'w>> {
        let run = self.workspace.run;
        let outcome = &mut work.outcome;
        let (before, after) = (&outcome.before.commit, &outcome.watched.head.commit);
        if have_same_files(run.repository, before, after, &[])? {
            let steps = self.followed.steps_of(job.task.id)?;
            let removed = removed_obstacles(&steps, job.step, &work.change.gone);
            // The attempt before has done the rest of the work.
            if !removed.is_empty() && !files_of(&run.git, run.repository, &steps)?.is_empty() {
                outcome.notes.push(format!(
                    "Nothing else was changed: what kept the last attempt from being committed is gone ({}).",
                    in_a_row(&removed)
                ));
                return Ok(work);
            }
            if outcome.by.failure.is_none()
                && let Some(note) = self.work_of_others(job, &steps, *after)?
            {
                outcome.notes.push(note);
                return Ok(work);
            }
            let tests = &run.plan.tree.node(job.leaf).test_commands;
            let complaint =
                complaint_about_nothing(&outcome.report.answer, outcome.by.failure.as_deref(), tests);
            outcome.note_nothing_changed(complaint);
        }
        Ok(work)
    }

    /// What is noted if others have committed since the last attempt, so that the tests may pass although the runner has
    /// changed nothing; `None` if nobody has, or no test can tell.
    pub(super) fn work_of_others(
        &self,
        job: Assignment<'_>,
        steps: &[TaskStep],
        head: CommitId,
    ) -> Result<Option<String>> {
        let run = self.workspace.run;
        if !run.plan.tree.node(job.leaf).test_commands.iter().any(|test| test.kind.judges()) {
            return Ok(None);
        }
        let commits = run.foreign_commits().since_last_attempt(Line { steps, head })?;
        let named: Vec<String> = commits.iter().rev().map(CommitId::short).collect();
        let note = || {
            format!(
                "Nothing was changed, but others have committed since the last attempt ({}): the tests judge what is there.",
                named.join(", ")
            )
        };
        Ok((!commits.is_empty()).then(note))
    }

    /// Records that a runner failed without changing anything, and stops the run if it probably cannot work at all.
    fn check_idle<'w>(&self, job: Assignment<'_>, mut work: StepWork<'w>) -> Result<StepWork<'w>> {
        let StepWork { change, outcome } = &work;
        // An agent that ends well but leaves a merge as it was has failed at it. There are few attempts, and each is told why.
        let may_be_broken = job.attempt.merge.is_none() || outcome.by.failure.is_some();
        // A program that has answered works, however little it has done.
        let has_failed =
            outcome.outcome() == Outcome::Fail && ended_at_once(outcome.by) && !outcome.by.has_spoken;
        if change.touched || !may_be_broken || !has_failed {
            return Ok(work);
        }
        break_circuit(self.followed, job.step, &outcome.by.worker, outcome.by)?;
        work.outcome.states.push(Statement::Idle);
        Ok(work)
    }
}

/// The runners that do a step that changes files.
fn runners<'r>(run: &'r RunContext<'_>, job: Assignment<'_>) -> Result<&'r RunnerChain> {
    let Runners { implement, red, .. } = run.runners_of(job.leaf)?;
    Ok(match job.step.row().goal {
        Goal::TestsFail => red.as_ref().expect("a task whose tests are written first has a runner for them"),
        _ => implement,
    })
}

/// The work on a step between its end and its commit: what it has changed, and what came of it.
pub(super) struct StepWork<'w> {
    pub(super) change: StepChange,
    pub(super) outcome: RunnerOutcome<'w>,
}

/// How many files a step changed, in the commits of the runner or in ours.
fn count_files(run: &RunContext<'_>, selection: &Selection, outcome: &RunnerOutcome<'_>) -> Result<usize> {
    let RunnerOutcome { watched, before, .. } = outcome;
    if watched.adopted.is_empty() {
        return Ok(selection.len());
    }
    let adopted = TreeComparison { commit: watched.head.commit, base: Some(before.commit) };
    let adopted = changed_paths(run.repository, &[adopted])?;
    let adopted = adopted.iter().map(Vec::as_slice);
    Ok(selection.paths().chain(adopted).collect::<HashSet<_>>().len())
}
