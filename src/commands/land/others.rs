//! Looks at what the landed branch has in the remote repository, and takes the commits of other people into the run.

use super::Land;
use super::testing::{TasksToTest, TestedTask};
use crate::engine::check_clean;
use crate::error::{Error, Kind, Result};
use crate::forge::ChosenRemotes;
use crate::git::{BranchesToFetch, Fetching};
use crate::history::read_awaited;
use crate::publish::{LandInputs, LandTarget, OthersCommits};
use crate::record::{RunWord, State};
use crate::report;
use crate::run::read_run;
use crate::session::take_lock::lock;
use crate::session::{Call, Command, Forges, Session};
use crate::text::{advice, counted, listed, one_line};

impl Land {
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
        if inputs.git.commit_named(&format!("refs/remotes/{remote}/{}", target.name))?.is_none() {
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
                target.fetched(inputs, &remote, tips[&target.name])?;
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

    /// Takes into the run what other people have committed on the landed branch, and runs the tests of the tasks whose files
    /// that changes.
    pub(super) fn take_in(
        &self,
        call: &Call,
        session: &Session,
        inputs: &LandInputs<'_>,
        others: &OthersCommits,
    ) -> Result<()> {
        let names = others.names();
        let what = counted(names.len(), "commit");
        if self.dry_run {
            return Err(Error::new(
                Kind::No,
                format!(
                    "the landed branch has {what} of others that the run does not have: {}",
                    listed(&names)
                ),
                "Without --dry-run, they become part of the run first.",
            ));
        }
        let LandInputs { git, work_tree, plan, .. } = *inputs;
        let _lock = lock(session, Self::SUMMARY.name)?;
        check_clean(git, work_tree)?;
        let tip = others.copy_onto_run(inputs)?;
        git.fast_forward(&tip)?;
        report::eprint(&format!("Took {what} of others into the run: {}.", listed(&names)));
        let run = read_run(&session.repository, plan, work_tree)?;
        let awaited = read_awaited(&session.repository, &run)?;
        let subjects =
            others.tasks.iter().filter_map(|task| TestedTask::at(plan, task, tip, &awaited)).collect();
        let mut failed = Vec::new();
        let (yes, may_ask) = (self.yes, !self.json);
        TasksToTest { call, session, plan, subjects, yes, may_ask }.run(
            |TestedTask { task, .. }, seen| {
                if !matches!(seen.verdict, RunWord::None | RunWord::Pass) {
                    report::eprint(&format!("{task} at {}: {seen}\n{}", tip.short(), seen.output));
                    failed.push(task.to_string());
                }
            },
        )?;
        let Some(first) = failed.first() else { return Ok(()) };
        let is_complete = |task: &str| {
            run.tasks.iter().any(|(id, step)| id.as_str() == task && step.record.state() == State::Complete)
        };
        // A task whose landed commit was reverted is open already.
        let agent = if is_complete(first) { advice::reopen(first) } else { advice::gardener() };
        Err(Error::new(
            Kind::No,
            format!(
                "tests of {} fail with the commits of others, which are part of the run now",
                listed(&failed)
            ),
            format!(
                "Nothing was landed. Repair that on this branch and commit it, or let an agent do it: {agent}; then run the same command \
                 again."
            ),
        ))
    }
}
