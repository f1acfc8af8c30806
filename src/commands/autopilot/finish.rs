//! What `autopilot` does when all tasks are complete: it formats and checks the work, proves it, lands it, and opens a
//! request. Every part does nothing if it was done before, so the same command goes on after it was interrupted.

use std::path::PathBuf;

use super::diary::Diary;
use super::target::Without;
use crate::agents::Lookup;
use crate::audit::proving::run_suite;
use crate::commands::land::Land;
use crate::commands::pr::{Delivered, Pr, PushWhen};
use crate::commands::prove::Prove;
use crate::commands::report::Report;
use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::process::{CallLimit, ProgramCall, Unfinished, call_program};
use crate::record::{By, CommitId, RunWord, TaskId};
use crate::report::{self, AroundPhase};
use crate::run::{landed_name, read_run};
use crate::session::plan_state::PlanState;
use crate::session::take_lock::lock;
use crate::session::{Call, Command, Exit, Session};
use crate::setup::found::suite_of;
use crate::text::advice::{self, Advice};
use crate::text::{clean, duration, listed, one_line, tail};

/// How much of the output of a command is shown, in characters.
const SHOWN: usize = 2000;

/// What remains to be done.
pub(super) struct Finish<'a> {
    pub(super) call: &'a Call,
    pub(super) session: &'a Session,
    pub(super) nodes: &'a [String],
    /// The branch of the run.
    pub(super) branch: &'a str,
    /// The branch into which it will be merged.
    pub(super) base: &'a str,
    pub(super) without: Without,
    pub(super) yes: bool,
    /// The commits of others on the branch that may be taken in; all of them if there is no list.
    pub(super) allowed: Option<&'a [CommitId]>,
    /// The command that goes on.
    pub(super) resume: &'a Advice,
}

impl Finish<'_> {
    pub(super) fn carry_out(&self) -> Result<Exit> {
        let Self { call, session, nodes, branch, without, .. } = *self;
        if !without.no_lint {
            self.clean_up(Setting::FormatCommand, "Format the code")?;
            self.clean_up(Setting::LintCommand, "Follow the linter")?;
        }
        if let (Some(command), false) = (suite_of(session, call)?, without.no_suite) {
            self.check_suite(&command)?;
        }
        if !without.no_prove {
            self.prove()?;
        }
        let diary = self.diary();
        let mut branch = branch.to_owned();
        if !without.no_land {
            report::announce(&session.screen, "Land the tasks");
            let land = Land::of_tasks(nodes.to_vec(), self.base_branch());
            let land = match self.allowed {
                Some(allowed) => land.allowing(allowed.to_vec()),
                None => land,
            };
            land.run(call)?;
            branch = landed_name(&branch);
            diary.note(AroundPhase::Land, true, &branch);
        }
        let delivered = if without.no_push { Ok(Exit::Done) } else { self.deliver(&branch) };
        let folder = diary.run_folder();
        diary.make_place().map_err(|error| Error::not_written(folder.display(), &error))?;
        Report::into_folder(nodes.to_vec(), folder.to_owned(), diary.read()).run(call)?;
        let exit = delivered?;
        report::eprint(&format!(
            "Everything is complete, on the branch {branch}.\nRun report: {}",
            folder.display()
        ));
        Ok(exit)
    }

    fn diary(&self) -> Diary<'_> {
        Diary::of(self.call, self.session, self.branch)
    }

    /// Runs the suite on a clean checkout of the branch.
    fn check_suite(&self, command: &str) -> Result<()> {
        let Self { call, session, .. } = *self;
        report::announce(
            &session.screen,
            &format!("Run the suite on a clean checkout: {}", one_line(command)),
        );
        let head = session.repository.branch()?.commit;
        let run = run_suite(call, session, command, &head)?;
        let seen = (run.verdict != RunWord::Pass).then(|| run.to_string());
        let told = seen.as_ref().map(|seen| format!(": {seen}")).unwrap_or_default();
        self.diary().note(AroundPhase::Suite, seen.is_none(), &format!("{}{told}", one_line(command)));
        let Some(seen) = seen else { return Ok(()) };
        Err(Error::new(
            Kind::No,
            format!("the suite fails on a clean checkout of {}: {seen}", head.short()),
            "Nothing was landed. Repair it on this branch, commit that, and run the same command again.",
        ))
    }

    fn prove(&self) -> Result<()> {
        let Self { session, .. } = *self;
        report::announce(&session.screen, "Prove the tasks");
        // Tasks that were added for a request belong to the work as well.
        let node = self.nodes.first().filter(|_| self.nodes.len() == 1).cloned();
        let open = Prove::below(node, self.yes).not_enough(self.call)?;
        let run = read_run(&session.repository, &session.plan()?, &session.work_tree)?;
        let is_vouched_for = |task: &String| {
            let ends = TaskId::parse(task).ok().and_then(|task| run.tasks.get(&task));
            ends.is_some_and(|step| step.record.by == By::User)
        };
        let open: Vec<String> = open.into_iter().filter(|task| !is_vouched_for(task)).collect();
        self.diary().note(AroundPhase::Prove, open.is_empty(), &open.join(" "));
        let Some(first) = open.first() else { return Ok(()) };
        Err(Error::new(
            Kind::No,
            format!("{} {} not proven", listed(&open), if open.len() == 1 { "is" } else { "are" }),
            format!(
                "Nothing was landed. Look at what the proof says above. If no test can notice the change, as where a task only sets \
                 something up, vouch for that task: {reopen} and {complete}; then {} goes on. With --no-prove as well, no task is \
                 proven.",
                self.resume,
                reopen = advice::reopen(first),
                complete = advice::complete(first)
            ),
        ))
    }

    /// The branch into which the request goes, unless the work began at another revision.
    fn base_branch(&self) -> Option<String> {
        let is_branch = |base: &&str| self.session.repository.tip_of(base).is_ok_and(|tip| tip.is_some());
        Some(self.base).filter(is_branch).map(str::to_owned)
    }

    /// Pushes this branch and opens a request for it, unless that is left out.
    fn deliver(&self, branch: &str) -> Result<Exit> {
        let (push, what) = match self.without.no_pr {
            true => (PushWhen::Alone, "Push the branch"),
            false => (PushWhen::InAnyCase, "Push the branch and open a request"),
        };
        report::announce(&self.session.screen, what);
        let pr = Pr {
            nodes: self.nodes.to_vec(),
            branch: Some(branch.to_owned()),
            base: self.base_branch(),
            yes: self.yes,
            push,
            ..Pr::default()
        };
        let diary = self.diary();
        match PlanState::open(self.call).and_then(|plan_state| pr.deliver(self.call, &plan_state)) {
            Ok(Delivered { exit, request }) => {
                diary.note(AroundPhase::Push, exit == Exit::Done, branch);
                if let Some(request) = request {
                    diary.note(AroundPhase::Request, true, &request);
                }
                Ok(exit)
            }
            Err(error) => {
                diary.note(AroundPhase::Push, false, error.what());
                Err(error)
            }
        }
    }

    /// Runs a command in the work tree and commits what it changes.
    fn clean_up(&self, setting: Setting, title: &str) -> Result<()> {
        let Self { call, session, .. } = *self;
        let Some(command) = session.config.optional(setting) else { return Ok(()) };
        report::announce(&session.screen, &format!("{title}: {}", one_line(&command)));
        let lookup = Lookup::new(&call.environment, &session.work_tree.top);
        let shell = lookup.find("sh")?.unwrap_or_else(|| PathBuf::from("/bin/sh"));
        let lock = lock(session, "autopilot")?;
        let args = ["-c".to_owned(), command.clone()];
        let line = ProgramCall { program: &shell, args: &args, folder: &session.work_tree.top, env: &[] };
        let limit = session.config.duration(Setting::TestTimeout);
        let failed = match call_program(&line, Vec::new(), &CallLimit::within(limit)) {
            Ok(finished) if finished.status.success() => None,
            Ok(finished) => {
                let said = [finished.stdout.as_slice(), finished.stderr.as_slice()].concat();
                Some(format!("{}\n{}", finished.status, tail(&clean(&said), SHOWN)))
            }
            Err(Unfinished::NotStarted(error)) => Some(format!("it could not be started: {error}")),
            Err(Unfinished::TimedOut(after)) => Some(format!("it did not end within {}", duration(after))),
            Err(Unfinished::Stopped) => Some("it was stopped".to_owned()),
        };
        let message = format!("{title}\n\nMade by `{}`.\n", one_line(&command));
        session.git.commit_all(&message)?;
        drop(lock);
        match failed {
            None => Ok(()),
            Some(why) => Err(Error::new(
                Kind::No,
                call.mask(&format!("`{}` failed: {why}", one_line(&command))),
                "Nothing was landed. Repair it on this branch, commit that, and run the same command again; --no-lint leaves it out.",
            )),
        }
    }
}
