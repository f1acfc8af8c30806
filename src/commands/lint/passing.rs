//! `lint --run`: finds tasks whose tests pass before anything has been done for them. The commands run as in the test step.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::agents::{Cancel, EnvChange, ExitReason, Job, Limits, LiveLine, Lookup, Secrets, StopSignals};
use crate::commands::plan_commands::Confirmation;
use crate::commands::plan_state::PlanState;
use crate::commands::{Call, Session};
use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::plan::{Node, PassingTests, TestCommand, TestType};
use crate::report::{self, LiveStep};
use crate::text::one_line;
use crate::worktree::{Lock, tag_of};

/// How many changed files are named.
const FEW: usize = 5;

/// How the user confirms the commands of a plan that comes from elsewhere.
#[derive(Clone, Copy)]
pub(super) struct Confirming {
    pub(super) yes: bool,
    pub(super) may_ask: bool,
}

/// The tasks without a step whose test commands all pass. Tasks with the same commands share one run of them.
pub(super) fn passing_tests(
    session: Session,
    call: &Call,
    confirming: Confirming,
) -> Result<Vec<PassingTests>> {
    let plan = session.plan()?;
    let PlanState { session, plan, run, .. } = PlanState::of(session, plan)?;
    let leaves = plan.tree.order().iter().map(|leaf| plan.tree.node(*leaf));
    let pending: Vec<&Node> =
        leaves.filter(|node| !run.tasks.contains_key(&node.id) && judges(node).next().is_some()).collect();
    let mut results: HashMap<&[TestCommand], Option<bool>> =
        pending.iter().map(|node| (node.test_commands.as_slice(), None)).collect();
    if pending.is_empty() {
        report::eprint("No test command has to run: every task with tests has been begun.");
        return Ok(Vec::new());
    }
    let Confirming { yes, may_ask } = confirming;
    Confirmation { session: &session, plan: &plan, yes, may_ask }.obtain()?;
    report::eprint(&format!(
        "Running the test commands of {} {} not begun yet, {} in all.",
        pending.len(),
        if pending.len() == 1 { "task that was" } else { "tasks that were" },
        results.keys().map(|commands| commands.len()).sum::<usize>()
    ));
    let cancel = Cancel::new();
    let signals = StopSignals::watch(&cancel)?;
    let lookup = Lookup::new(&call.environment, &session.work_tree.top);
    let tests = TestRunner {
        session: &session,
        shell: lookup.find("sh")?.unwrap_or_else(|| PathBuf::from("/bin/sh")),
        removed: session.git.local_env_vars()?,
        secrets: Secrets::of(call.environment.variables()),
        // A run that starts here would end our programs, and be told that we changed its files.
        lock: session.lock("lint --run")?,
        cancel,
    };
    let before = session.git.status()?;
    let mut passing = Vec::new();
    for node in pending {
        let known = results.get_mut(node.test_commands.as_slice()).expect("all pending tasks are there");
        let passes = match *known {
            Some(passes) => passes,
            None => *known.insert(tests.pass(node, &signals)?),
        };
        if passes {
            let commands = judges(node).map(|test| test.command.clone()).collect();
            passing.push(PassingTests { task: node.id.clone(), commands });
        }
    }
    let after = session.git.status()?;
    let changed: Vec<String> = after
        .iter()
        .filter(|change| !before.contains(change))
        .take(FEW)
        .map(crate::git::Change::shown)
        .collect();
    if !changed.is_empty() {
        let warning = format!("the test commands changed files in the work tree: {}", changed.join(", "));
        report::warn(&session.screen, &warning);
    }
    Ok(passing)
}

/// The commands that judge the work on a task.
fn judges(node: &Node) -> impl Iterator<Item = &TestCommand> {
    node.test_commands.iter().filter(|test| !matches!(test.kind, TestType::Setup | TestType::Teardown))
}

struct TestRunner<'a> {
    session: &'a Session,
    shell: PathBuf,
    /// The variables that would make git look elsewhere.
    removed: Vec<String>,
    secrets: Secrets,
    lock: Lock,
    cancel: Cancel,
}

impl TestRunner<'_> {
    /// Whether all commands of a task pass: those of type setup first, then those that judge the work, and those of type
    /// teardown whatever happened.
    fn pass(&self, node: &Node, signals: &StopSignals) -> Result<bool> {
        let of = |kind| node.test_commands.iter().filter(move |test| test.kind == kind);
        let judged = self.all_pass(of(TestType::Setup).chain(judges(node)), node);
        for test in of(TestType::Teardown) {
            self.passes(test, node)?;
        }
        match judged {
            Err(_) if signals.last().is_some() => Err(Error::stopped(signals.last(), "Nothing was changed.")),
            judged => judged,
        }
    }

    fn all_pass<'t>(&self, mut tests: impl Iterator<Item = &'t TestCommand>, node: &Node) -> Result<bool> {
        tests.try_fold(true, |pass, test| if pass { self.passes(test, node) } else { Ok(false) })
    }

    fn passes(&self, test: &TestCommand, node: &Node) -> Result<bool> {
        let Session { work_tree, config, screen, .. } = self.session;
        let limit: Duration = test.timeout.unwrap_or(config.duration(Setting::TestTimeout));
        let live = LiveLine::new();
        let last_line = live.clone();
        let what = format!("testing {}: {}", node.id, one_line(&test.command));
        let _shown = LiveStep::begin(screen, what, move || last_line.get());
        // Teardown runs even if the user has asked to stop.
        let cancel = if test.kind == TestType::Teardown { self.cancel.second() } else { self.cancel.clone() };
        let result = Job::new(self.shell.clone(), &work_tree.top, tag_of(work_tree), limit)
            .args(["-c", &test.command])
            .env(self.removed.iter().map(|name| EnvChange::Remove(name.into())))
            .grace(config.duration(Setting::Grace))
            .cancel_with(&cancel)
            .secrets(&self.secrets)
            .holding(self.lock.file())
            .limits(Limits::default())
            .live(&live)
            .run();
        match result.exit_reason {
            ExitReason::Exited(status) => Ok(status == 0),
            ExitReason::Cancelled => Err(Error::stopped(None, "Nothing was changed.")),
            ExitReason::CouldNotStart(error) => Err(Error::new(
                Kind::Environment,
                format!("the test command `{}` did not start: {error}", one_line(&test.command)),
                "A POSIX shell `sh` is needed on PATH.",
            )),
            _ => Ok(false),
        }
    }
}
