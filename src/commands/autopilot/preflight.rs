//! What `autopilot` checks before it changes anything.

use super::branch::{OwnBranch, Place};
use super::target::{Target, Without};
use crate::agents::Lookup;
use crate::audit::proving::run_suite;
use crate::config::Setting;
use crate::error::Result;
use crate::forge::{ChosenRemotes, logged_in};
use crate::history::Run;
use crate::launch::confirmation::Confirmation;
use crate::record::RunWord;
use crate::report::{Diagnosis, Health};
use crate::run::Plan;
use crate::session::{Call, Forges, Session};
use crate::setup::checks::{plan as plan_checks, probe, repository, runners};
use crate::setup::found::suite_of;
use crate::text::advice;
use crate::worktree::space::{NEEDED, free_space};

/// What is checked.
pub(super) struct AutopilotChecks<'a> {
    pub(super) call: &'a Call,
    pub(super) session: &'a Session,
    pub(super) plan: &'a Plan,
    pub(super) run: &'a Run,
    pub(super) target: &'a Target,
    pub(super) own: &'a OwnBranch,
    pub(super) without: Without,
    /// Whether the user has confirmed everything with an option.
    pub(super) yes: bool,
}

impl AutopilotChecks<'_> {
    /// All checks. A dry run starts no agent and no test; changes that will be committed are no obstacle.
    ///
    /// # Errors
    /// If a check cannot be made.
    pub(super) fn look(&self, is_dry: bool, commits_changes: bool) -> Result<Vec<Diagnosis>> {
        let Self { call, session, plan, run, target, without, .. } = *self;
        let lookup = Lookup::new(&call.environment, &session.work_tree.top);
        let open = target.open(plan, run);
        let mut checks = repository::diagnose(session)?;
        checks.push(self.base()?);
        checks.extend(plan_checks::diagnose(session, &call.environment, None));
        checks.push(self.ready());
        checks.push(self.space());
        if !open.is_empty() {
            let mut chosen = runners::diagnose(session, &call.environment, &lookup);
            // Which other agents are installed does not matter here.
            chosen.retain(|check| check.what != runners::INSTALLED);
            checks.extend(chosen);
        }
        if !without.no_push {
            checks.push(self.forge()?);
        }
        let suite = suite_of(session, call)?;
        if !without.no_suite {
            checks.push(match &suite {
                Some(command) => Diagnosis::good("suite", command),
                None => Diagnosis::note(
                    "suite",
                    "no command is known that runs all tests",
                    "Set `arborist.suite`, or leave it out with --no-suite.",
                ),
            });
        }
        let is_solved = |check: &Diagnosis| commits_changes && check.what == repository::CHANGES;
        let is_sound = checks.iter().all(|check| check.health != Health::Bad || is_solved(check));
        if is_dry || !is_sound || open.is_empty() {
            return Ok(checks);
        }
        self.confirm(suite.as_deref())?;
        if !without.no_probe {
            checks.extend(probe::diagnose(session, &call.environment, &lookup)?);
        }
        // Later, the tests that are written first fail on purpose.
        if let (Some(command), false, Place::New) = (suite, without.no_suite, self.own.place) {
            checks.push(self.baseline(&command)?);
        }
        Ok(checks)
    }

    /// Lets the user confirm the commands of a plan from elsewhere before anything runs: those of its tests, and the suite that
    /// was found in the repository.
    fn confirm(&self, suite: Option<&str>) -> Result<()> {
        let Self { session, plan, .. } = *self;
        let suite = suite.filter(|_| session.config.optional(Setting::Suite).is_none());
        let tests = plan.tree.nodes().flat_map(|(_, node)| {
            node.test_commands.iter().map(|test| (test.command.as_str(), node.id.as_str()))
        });
        let confirmation = Confirmation { session, plan, yes: self.yes, may_ask: true };
        confirmation.obtain_for(tests.chain(suite.map(|command| (command, "the suite"))))
    }

    /// Whether the node can be worked on.
    fn ready(&self) -> Diagnosis {
        let Self { plan, run, target, .. } = self;
        let tree = &plan.tree;
        let waits = target.leaves.iter().flat_map(|leaf| tree.dependencies(*leaf)).filter(|needed| {
            !target.leaves.contains(needed) && tree.is_leaf(*needed) && !plan.state(run, *needed).is_done()
        });
        let mut waits: Vec<&str> = waits.map(|needed| tree.node(needed).id.as_str()).collect();
        waits.sort_unstable();
        waits.dedup();
        let (all, open) = (target.leaves.len(), target.open(plan, run).len());
        match waits.as_slice() {
            [] => Diagnosis::good("tasks", &format!("{} of {all} complete", all - open)),
            waits => Diagnosis::bad(
                "tasks",
                &format!("they depend on {}", waits.join(", ")),
                &format!(
                    "Do these first: {} with them, or merge the branch on which they are done.",
                    advice::autopilot("TASK")
                ),
            ),
        }
    }

    /// Where the branch begins and what it will be merged into, and whether newer commits of that were fetched.
    fn base(&self) -> Result<Diagnosis> {
        let OwnBranch { name, target, start, place } = self.own;
        let git = &self.session.git;
        let tip = git.commit_named(target)?.unwrap_or(*start);
        let is_new = *place == Place::New;
        let at = if is_new { String::new() } else { format!("; {name} is at {}", start.short()) };
        let shown = format!("{target} ({}){at}", tip.short());
        let fetched = git.commit_named(&format!("refs/remotes/origin/{target}"))?;
        let is_behind = match fetched {
            Some(fetched) => !git.is_ancestor(&fetched, &tip)? && !git.is_ancestor(&fetched, start)?,
            None => false,
        };
        if !is_behind {
            return Ok(Diagnosis::good("base", &shown));
        }
        let (lack, todo) = match is_new {
            true => ("which lacks", format!("`--base origin/{target}` begins with them.")),
            false => ("and both lack", format!("`git merge origin/{target}` on {name} takes them in.")),
        };
        Ok(Diagnosis::note("base", &format!("{shown}, {lack} commits of origin/{target}"), &todo))
    }

    fn space(&self) -> Diagnosis {
        match free_space(&self.session.work_tree) {
            None => Diagnosis::note("disk", "its free space is not known", ""),
            Some(free) if free < NEEDED => Diagnosis::bad(
                "disk",
                &format!("{} MB are free, and {} MB are needed", free >> 20, NEEDED >> 20),
                "Make room.",
            ),
            Some(free) => Diagnosis::good("disk", &format!("{} MB are free", free >> 20)),
        }
    }

    /// Whether a request can be opened.
    fn forge(&self) -> Result<Diagnosis> {
        let Self { call, session, own, .. } = self;
        let forges = Forges::new(call, session);
        let remotes = match ChosenRemotes::of(&session.git, &own.name, None, forges.stated) {
            Ok(remotes) => remotes,
            Err(error) => {
                let todo = "Add a remote repository, or use --no-push.";
                return Ok(Diagnosis::bad("forge", error.what(), todo));
            }
        };
        let todo = "The branch is pushed, and the text of the request and its page are printed.";
        Ok(match logged_in(remotes.base.place.as_ref(), &|kind| forges.program(kind))? {
            Ok(program) => {
                Diagnosis::good("forge", &format!("{} for the remote {}", program.name(), remotes.push.name))
            }
            Err(obstacle) => Diagnosis::note("forge", &obstacle.words(), todo),
        })
    }

    /// Whether all tests pass before anything is changed.
    fn baseline(&self, command: &str) -> Result<Diagnosis> {
        let run = run_suite(self.call, self.session, command, &self.own.start)?;
        Ok(match run.verdict {
            RunWord::Pass => Diagnosis::good("baseline", "the suite passes before the work begins"),
            _ => Diagnosis::bad(
                "baseline",
                &format!("the suite fails before the work begins: {run}"),
                "Repair it first, or go on without the suite with --no-suite.",
            ),
        })
    }
}
