//! The implement step: a runner writes code, and its changes are committed.

use std::collections::HashSet;
use std::time::SystemTime;

use super::backoff::Request;
use super::empty::EmptyChange;
use super::exit_reason::{describe, last_line};
use super::idle::{break_circuit, ended_at_once};
use super::named::WorkDone;
use super::set_aside::stash;
use super::settle::FinishedStep;
use super::state::{Assignment, Engine, stopped};
use super::unit::{Handover, WorkUnit};
use crate::agents::{EnvChange, ExitReason, Invocation, JobResult, Runner};
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::git::{Head, Selection};
use crate::history::have_same_files;
use crate::record::{Block, Finding, IDLE, Outcome, Role, StepMessage, Work, adopted_sentence};
use crate::worktree::changed::Changed;
use crate::worktree::changes::WorktreeChanges;
use crate::worktree::fingerprint::Fingerprint;
use crate::worktree::guard::BranchChange;
use crate::worktree::space::require_space;
use crate::worktree::suspects::Suspect;
use crate::worktree::tokens::without_tokens;

impl<'a> Engine<'a> {
    pub(super) fn implement(&mut self, job: Assignment<'a>) -> Result<()> {
        require_space(&self.context.work_tree, self.context.settings.min_free)?;
        let unit = self.begin(job)?;
        let runner = self.context.runners.implement.clone();
        let prompt = unit.prompt.as_deref().expect("an agent implements, so there is a prompt");
        let request = Request { runner: &runner, role: Role::Implementer, prompt, head: &unit.head };
        let result = self.run_runner(job, request)?;
        self.settle_change(job, &unit, &Handover::of(runner.label(), result), Some(request))
    }

    /// Commits the changes of a worker. `request` is the request to it, if it is a runner that we started.
    pub(super) fn settle_change(
        &mut self,
        job: Assignment<'_>,
        unit: &WorkUnit,
        handover: &Handover,
        request: Option<Request<'_>>,
    ) -> Result<()> {
        let WorkUnit { head, opened, .. } = unit;
        let watched = self.check_after(head, job.step)?;
        self.refuse_users_files(unit, &watched)?;
        self.unstage_ignored()?;
        let mut after = WorktreeChanges::read(&self.context.git, &self.context.work_tree.top)?.0;
        self.unstage_editor_files(job, unit, &mut after)?;
        let mut changed =
            after.changed_since(&opened.tree_changes, &self.workspace.foreign, &self.context.work_tree.top);
        self.workspace.tree_changes = after;
        refuse_entangled(&changed)?;
        self.hold_back_conflicts(&mut changed, &watched.head.commit)?;
        let mut suspects = self.check_adopted(&watched, &head.commit)?;
        suspects.extend(self.hold_back_secrets(&mut changed, &watched.head.commit)?);
        self.set_index_changes_apart(&mut changed, &watched.head)?;
        let touched = !watched.adopted.is_empty()
            || self.workspace.tree_changes.clone().without(&changed.index_only)
                != opened.tree_changes.clone().without(&changed.index_only);

        let mut done = RunnerOutcome::new(handover, &watched, head);
        done.files = self.count_files(&changed.selection, &watched, head)?;
        done.why.extend(changed.obstacles.iter().map(ToString::to_string));
        if changed.is_empty() {
            self.note_empty(job, &mut done)?;
        }
        if !touched && let Some(request) = request {
            self.note_idle(job, request, &mut done)?;
        }
        let state_before = opened.state_before.as_ref().ok_or_else(|| {
            // The unit may come from a file that was edited by hand.
            let what =
                format!("the journal does not say what the work tree was like when {} began", job.task.id);
            Error::new(Kind::Input, what, "The step was not committed. Abandon it and begin it again.")
        })?;
        let before = &opened.tree_changes;
        let work = WorkDone {
            head,
            watched: &watched,
            before,
            after: &self.workspace.tree_changes,
            changed: &changed,
        };
        let mut named = self.files_to_name(job, state_before, work)?;
        if let Some(sentence) = self.committed_ignored(unit, &watched)? {
            self.warn(&format!("{}: {sentence}", job.task.id));
            done.notes.push(sentence);
        }
        named.add(Finding::PossibleSecret, suspects.iter().map(Suspect::in_short));
        for sentence in named.sentences() {
            self.warn(&format!("{}: {sentence}", job.task.id));
            done.notes.push(sentence);
        }
        let mut finished = done.finished(job, changed.selection.and(changed.index_only));
        let recorded = self.record(&finished);
        let not_addable = if recorded.is_err() {
            self.context.git.not_addable(&self.context.work_tree.git_dir, &finished.selection)?
        } else {
            Vec::new()
        };
        if not_addable.is_empty() {
            return recorded;
        }
        let refused: HashSet<&[u8]> = not_addable.iter().map(|refused| &*refused.path).collect();
        finished.selection.there.retain(|path| !refused.contains(path.as_slice()));
        done.why.extend(not_addable.iter().map(|refused| format!("git: {}", refused.why)));
        self.record(&done.finished(job, finished.selection))
    }

    /// Records that the work tree has nothing to commit. This is right only if nothing was left to do.
    fn note_empty(&self, job: Assignment<'_>, done: &mut RunnerOutcome<'_>) -> Result<()> {
        let (before, after) = (&done.before.commit, &done.watched.head.commit);
        if have_same_files(self.context.repository, before, after)? {
            let tests = &self.context.plan.tree.node(job.leaf).test_commands;
            done.take(EmptyChange::of(&done.by.said, &done.by.exit_reason, tests));
        }
        Ok(())
    }

    /// Records that a runner failed without changing anything, and stops the run if it probably cannot work at all.
    fn note_idle(
        &self,
        job: Assignment<'_>,
        request: Request<'_>,
        done: &mut RunnerOutcome<'_>,
    ) -> Result<()> {
        if done.outcome() == Outcome::Fail && ended_at_once(&done.by.exit_reason, done.by.duration) {
            break_circuit(&self.followed, job.step, request, done.by)?;
            done.notes.push(IDLE.to_owned());
        }
        Ok(())
    }

    /// Runs a runner for a step, once. It is an error, and no attempt, if it could not be started or was stopped.
    pub(super) fn start_runner(&mut self, job: Assignment<'_>, request: Request<'_>) -> Result<JobResult> {
        let Request { runner, prompt, .. } = request;
        self.note_program(runner, request.role);
        let live = self.announce(job, Some(runner.label()));
        let prompt_file = self.context.work_tree.git_dir.join("arborist").join("prompt");
        write_prompt(&prompt_file, prompt)?;
        let Invocation { program, args } = runner.invocation(request.role);
        let set = |name: &str, value: String| EnvChange::Set(name.into(), value.into());
        let mut env = vec![
            set("ARBORIST_TASK", job.task.id.to_string()),
            set("ARBORIST_STEP", job.step.word().to_owned()),
            set("ARBORIST_ATTEMPT", job.attempt.number.to_string()),
            EnvChange::Set("ARBORIST_PROMPT_FILE".into(), prompt_file.into_os_string()),
        ];
        env.extend(runner.model().map(|model| set("ARBORIST_MODEL", model.to_owned())));
        let started = SystemTime::now();
        let program = self.context.job(program, self.context.settings.runner_timeout);
        let result = program.args(args).env(env).prompt(prompt).live(&live).run().map_outputs(without_tokens);
        self.name_leaks(&result, &runner.label());
        self.note_killed(&result, started);
        match &result.exit_reason {
            ExitReason::Cancelled => Err(stopped()),
            ExitReason::CouldNotStart(error) => Err(Error::new(
                Kind::Environment,
                format!("the runner {} did not start: {error}", runner.label()),
                "No step was committed, and no attempt is used up. Correct it, then run the same command again.",
            )),
            ExitReason::Exited(126 | 127) => Err(Error::new(
                Kind::Environment,
                format!(
                    "the runner {} did not start: {}",
                    runner.label(),
                    last_line(&result).unwrap_or_else(|| describe(&result.exit_reason))
                ),
                format!(
                    "No step was committed, and no attempt is used up. Correct {}, then run the same command again.",
                    if runner.is_command() { "its command in git config" } else { "its installation" }
                ),
            )),
            _ => Ok(result),
        }
    }

    /// Warns if the program of a runner has changed since this run last used it.
    fn note_program(&mut self, runner: &Runner, role: Role) {
        let program = runner.invocation(role).program;
        let now = Fingerprint::of(&program);
        if self.programs.insert(program, now).is_some_and(|before| before != now) {
            self.warn(&format!("the program of {} has changed since the last step", runner.label()));
        }
    }

    /// Records that a program was killed: a git command that it ran may have left lock files behind.
    pub(super) fn note_killed(&self, result: &JobResult, started: SystemTime) {
        let by_itself = matches!(result.exit_reason, ExitReason::Exited(_) | ExitReason::CouldNotStart(_));
        if !by_itself || !result.leaked.is_empty() {
            self.context.git.killed_programs().note(started);
        }
    }

    pub(super) fn name_leaks(&mut self, result: &JobResult, who: &str) {
        for process in &result.leaked {
            self.warn(&format!("{who} left {process} running; it has been ended"));
        }
        for process in &result.survivors {
            self.warn(&format!("{who} left {process} running, and it could not be ended"));
        }
    }
}

/// The outcome of a runner's work, with the reasons if it failed.
struct RunnerOutcome<'a> {
    by: &'a Handover,
    watched: &'a BranchChange,
    /// The head of the branch before.
    before: &'a Head,
    /// Why the attempt failed, as clauses.
    why: Vec<String>,
    /// Further remarks, as sentences.
    notes: Vec<String>,
    /// How many files were changed.
    files: usize,
}

impl<'a> RunnerOutcome<'a> {
    fn new(by: &'a Handover, watched: &'a BranchChange, before: &'a Head) -> Self {
        Self { by, watched, before, why: complaints(&by.exit_reason), notes: Vec::new(), files: 0 }
    }

    /// Records that nothing was changed. If the runner ended badly, that is reason enough.
    fn take(&mut self, change: EmptyChange) {
        match change.complaint() {
            Some(why) if self.why.is_empty() => self.why.push(why.to_owned()),
            Some(_) => {}
            None => {
                self.notes
                    .push("Nothing was changed: the runner says that nothing is left to do.".to_owned());
            }
        }
    }

    fn outcome(&self) -> Outcome {
        if self.why.is_empty() { Outcome::Pass } else { Outcome::Fail }
    }

    fn finished<'p>(&self, job: Assignment<'p>, selection: Selection) -> FinishedStep<'p> {
        FinishedStep {
            job,
            outcome: self.outcome(),
            head: self.watched.head.clone(),
            message: self.message(job),
            duration: self.by.duration,
            detail: self.detail(),
            selection,
        }
    }

    /// A few words for a progress line.
    fn detail(&self) -> String {
        match (self.why.first(), &self.by.exit_reason) {
            (Some(why), ExitReason::Exited(0)) => why.clone(),
            (Some(why), _) => match &self.by.last_line {
                Some(line) => format!("{why}: {line}"),
                None => why.clone(),
            },
            (None, _) => format!("{} file{} changed", self.files, if self.files == 1 { "" } else { "s" }),
        }
    }

    fn message(&self, job: Assignment<'_>) -> StepMessage {
        let work = Work { runner: self.by.worker.clone(), duration: self.by.duration };
        let mut message = StepMessage::new(job.step, job.task, job.attempt, self.outcome()).with_work(&work);
        for sentence in &self.why {
            message = message.with_sentence(&format!("Failed: {sentence}."));
        }
        for sentence in &self.notes {
            message = message.with_sentence(sentence);
        }
        if !self.watched.adopted.is_empty() {
            message = message.with_sentence(&adopted_sentence(&self.watched.adopted, &self.before.commit));
        }
        message.with_block(&Block::of_runner(self.by.said.clone()))
    }
}

/// The error for files that both the user and the runner changed. A commit with them would contain changes of the user,
/// and a commit without them would lack changes of the runner.
fn refuse_entangled(changed: &Changed) -> Result<()> {
    if changed.entangled.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        Kind::Unsafe,
        format!(
            "the runner modified files that had uncommitted changes of yours: {}",
            changed.entangled.join(", ")
        ),
        format!(
            "The step was not committed; both changes are in the work tree. Commit your own part, or set the files aside with {}, \
             then run the same command again.",
            stash(changed.entangled.iter().map(String::as_bytes))
        ),
    ))
}

/// Why the attempt failed although the runner worked, as clauses.
fn complaints(exit_reason: &ExitReason) -> Vec<String> {
    match exit_reason {
        ExitReason::Exited(0) => Vec::new(),
        end => vec![describe(end)],
    }
}

fn write_prompt(file: &std::path::Path, prompt: &str) -> Result<()> {
    let folder = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    folder
        .and_then(|()| files::replace(file, prompt.as_bytes()))
        .map_err(|error| Error::not_written(file.display(), &error))
}
