//! Looks at what the landed branch has in the remote repository, and takes the commits of other people into the run.

use super::Land;
use super::testing::{TasksToTest, TestedTask};
use crate::engine::check_clean;
use crate::error::{Error, Kind, Result};
use crate::forge::ChosenRemotes;
use crate::git::{BranchesToFetch, Fetching};
use crate::history::{read_awaited, read_run as read_run_at};
use crate::intervene::decisions::{Chosen, Recording};
use crate::publish::{CopiedOthers, LandInputs, LandTarget, OthersCommits};
use crate::record::{CommitId, RunWord, State, TaskId};
use crate::report;
use crate::run::read_run;
use crate::session::take_lock::lock;
use crate::session::{Call, Command, Forges, Session};
use crate::text::{advice, counted, listed, one_line};
use crate::workflow::Decision;

impl Land {
    /// The same on a branch that exists.
    pub(in crate::commands) fn on(self, branch: &str, yes: bool) -> Self {
        Self { branch: Some(branch.to_owned()), yes, ..self }
    }

    /// The same where of the commits of others on the branch only these are taken in.
    pub(in crate::commands) fn allowing(mut self, commits: Vec<CommitId>) -> Self {
        self.allowed.get_or_insert_default().extend(commits);
        self
    }

    /// The same where nothing is changed.
    pub(in crate::commands) fn only_shown(self, dry_run: bool) -> Self {
        Self { dry_run, ..self }
    }

    /// The same without tests of what others have committed on the branch.
    pub(in crate::commands) fn untested(self) -> Self {
        Self { is_untested: true, ..self }
    }

    /// If the landed branch was pushed, fetches what it has there, and what its base has. Returns the name of the remote repository
    /// if the branch is there.
    pub(super) fn fetch(
        &self,
        call: &Call,
        inputs: &LandInputs<'_>,
        session: &Session,
        target: &mut LandTarget,
    ) -> Result<Option<String>> {
        let Some(remote) = ChosenRemotes::to_push(inputs.git, &target.name)? else { return Ok(None) };
        let known = inputs.git.tips_seen(&remote, &target.name)?;
        // A repository that fetches only some branches does not know what it has pushed.
        if known.is_empty() && target.tip.is_none() && !self.push {
            return Ok(None);
        }
        let forges = Forges::new(call, session);
        let git = inputs.git.clone().with_limit(forges.limit);
        let from = |remote: &str, branch: &str| {
            git.fetch_tips(remote, BranchesToFetch { branch: Some(branch), below: &[] })
        };
        if let Some(base) = self.base_of(call, session)? {
            let remotes = ChosenRemotes::of(inputs.git, &target.name, None, forges.stated)?;
            from(&remotes.base.name, &base.name)?;
        }
        match from(&remote, &target.name)? {
            Fetching::Tips(tips) => {
                target.fetched(inputs, &remote, &known, tips[&target.name])?;
                Ok(Some(remote))
            }
            Fetching::Missing(_) => Ok(None),
            Fetching::Silent(said) | Fetching::Refused(said) => {
                let (name, remote) = (one_line(&target.name), one_line(&remote));
                let said = one_line(&said);
                report::warn(
                    &session.screen,
                    &format!("it is not known what {remote} has on {name}: {said}"),
                );
                Ok(None)
            }
        }
    }

    /// Takes what is new on the landed branch into the run, and lands nothing. Before that, `ready` may refuse what would follow if the
    /// tests of these tasks fail with it. Returns what the branch has in the remote repository, if that is known.
    pub(in crate::commands) fn take_in_new(
        &self,
        call: &Call,
        ready: &dyn Fn(&[Option<TaskId>]) -> Result<()>,
    ) -> Result<Option<CommitId>> {
        let session = Session::open(call, Vec::new())?;
        let plan = session.plan()?;
        let run = read_run(&session.repository, &plan, &session.work_tree)?;
        let Session { git, work_tree, repository, .. } = &session;
        let inputs = LandInputs { git, work_tree, repository, plan: &plan, run: &run, go_on: "", held: &[] };
        let name = self.branch_name(&session)?;
        if repository.branch().is_ok_and(|head| head.branch_name() == name) {
            return Ok(None);
        }
        let mut target = LandTarget::find(&inputs, &name)?;
        self.fetch(call, &inputs, &session, &mut target)?;
        let into = self.base_of(call, &session)?;
        let others = OthersCommits::find(&inputs, into.as_ref(), &target)?;
        if let Some(others) = &others {
            ready(&others.tasks.iter().cloned().map(Some).collect::<Vec<_>>())?;
        }
        match others {
            Some(others) if self.dry_run => {
                self.copied(&inputs, &others)?.all()?;
                if !others.commits.is_empty() {
                    let (what, names) = (counted(others.commits.len(), "commit"), listed(&others.names()));
                    report::eprint(&format!("Taken into the run first: {what} of others, {names}."));
                }
            }
            Some(others) => drop(self.take_in(call, &session, &inputs, &others)?),
            None => {}
        }
        // What is added from now on is added on top of it.
        if let Some(tip) = target.tip.filter(|_| !self.dry_run) {
            target.set(&inputs, &tip, &tip)?;
        }
        Ok(target.there)
    }

    /// Takes into the run what other people have committed on the landed branch, and runs the tests of the tasks whose files
    /// that changes. Returns the tasks whose tests fail with it, which are open again. What fits before one that does not is
    /// taken in all the same.
    pub(super) fn take_in(
        &self,
        call: &Call,
        session: &Session,
        inputs: &LandInputs<'_>,
        others: &OthersCommits,
    ) -> Result<Vec<String>> {
        let copied = self.copied(inputs, others)?;
        let names = &others.names()[..copied.count];
        let what = counted(names.len(), "commit");
        if self.dry_run {
            copied.all()?;
            let taken_back: Vec<String> = others.taken_back.iter().map(TaskId::to_string).collect();
            return Err(match others.commits.as_slice() {
                [] => Error::new(
                    Kind::No,
                    format!("others have taken back the landed work of {}", listed(&taken_back)),
                    "Without --dry-run, it is opened again first.",
                ),
                _ => Error::new(
                    Kind::No,
                    format!(
                        "the landed branch has {what} of others that the run does not have: {}",
                        listed(names)
                    ),
                    "Without --dry-run, they become part of the run first.",
                ),
            });
        }
        let reopen = |task: &TaskId, words: &str| {
            let (command, decision) = (Self::SUMMARY.name, Decision::Reopen);
            Recording { command, decision, words, request: None }
                .record(call, |state| Chosen::named(state, &[task.to_string()]))
        };
        for task in &others.taken_back {
            reopen(task, "Somebody has taken back its landed work.")?;
        }
        if names.is_empty() {
            return copied.all().map(|()| Vec::new());
        }
        let tip = copied.tip;
        let LandInputs { git, work_tree, repository, plan, run, .. } = *inputs;
        // A test that fails without them as well is not their doing.
        let tested = if self.is_untested { &[][..] } else { &others.tasks };
        let with_them = self.failing(call, session, inputs, tested, tip)?;
        let tasks: Vec<TaskId> = with_them.iter().map(|failing| failing.task.clone()).collect();
        let without = self.failing(call, session, inputs, &tasks, run.range.head())?;
        let failing: Vec<FailingTask> = with_them
            .into_iter()
            .filter(|one| without.iter().all(|before| before.task != one.task))
            .collect();
        // What reverts the work of a task opens it as well.
        let then = read_run_at(repository, tip, &plan.query())?;
        for FailingTask { task, output } in &failing {
            report::eprint(&format!("{task} at {}: its tests fail\n{output}", tip.short()));
            if then.tasks.get(task).is_none_or(|step| step.record.state() != State::Complete) {
                continue;
            }
            // The task is opened before its branch has their commits, so that a run which is killed in between asks for too much,
            // but never lands what fails.
            let words =
                format!("Its tests fail with these commits of other people: {}.\n\n{output}", listed(names));
            reopen(task, words.trim())?;
        }
        let _lock = lock(session, Self::SUMMARY.name)?;
        let run = read_run(repository, plan, work_tree)?;
        let copied = others.copy_onto_run(&LandInputs { run: &run, ..*inputs })?;
        git.fast_forward(&copied.tip)?;
        report::eprint(&format!("Took {what} of others into the run: {}.", listed(names)));
        copied.all()?;
        Ok(failing.iter().map(|failing| failing.task.to_string()).collect())
    }

    /// Copies on top of the run what other people have committed on the landed branch; no branch is moved. What cannot be taken in
    /// is refused.
    fn copied(&self, inputs: &LandInputs<'_>, others: &OthersCommits) -> Result<CopiedOthers> {
        let is_allowed = |id: &&CommitId| self.allowed.as_ref().is_none_or(|allowed| allowed.contains(id));
        let strangers: Vec<String> =
            others.commits.iter().filter(|id| !is_allowed(id)).map(CommitId::short).collect();
        if !strangers.is_empty() {
            return Err(Error::new(
                Kind::Person,
                format!(
                    "the branch of the request has commits of people who may not write here, as far as is known: {}",
                    listed(&strangers)
                ),
                format!(
                    "They were not taken in. Look at them. If they are good, {} takes them into the run.",
                    advice::land()
                ),
            ));
        }
        check_clean(inputs.git, inputs.work_tree)?;
        others.copy_onto_run(inputs)
    }

    /// The error where commits of others have opened tasks again.
    pub(super) fn opened_by_others(failed: &[String]) -> Error {
        Error::new(
            Kind::No,
            format!(
                "tests of {} fail with the commits of others, which are part of the run now",
                listed(failed)
            ),
            format!(
                "Nothing was landed, and {} open again. {} lets an agent repair that; then run the same command again.",
                if failed.len() == 1 { "the task is" } else { "the tasks are" },
                advice::gardener()
            ),
        )
    }

    /// Those of these tasks whose tests fail at a commit.
    fn failing(
        &self,
        call: &Call,
        session: &Session,
        inputs: &LandInputs<'_>,
        tasks: &[TaskId],
        commit: CommitId,
    ) -> Result<Vec<FailingTask>> {
        let awaited = read_awaited(&session.repository, inputs.run)?;
        let subjects =
            tasks.iter().filter_map(|task| TestedTask::at(inputs.plan, task, commit, &awaited)).collect();
        let mut failing = Vec::new();
        let (plan, yes, may_ask) = (inputs.plan, self.yes, !self.json);
        TasksToTest { call, session, plan, subjects, yes, may_ask }.run(
            |TestedTask { task, .. }, seen| {
                if !matches!(seen.verdict, RunWord::None | RunWord::Pass) {
                    failing.push(FailingTask { task: task.clone(), output: seen.output.clone() });
                }
            },
        )?;
        Ok(failing)
    }
}

/// A task whose tests fail.
struct FailingTask {
    task: TaskId,
    /// The last lines of their output.
    output: String,
}
