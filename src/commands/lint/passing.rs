//! `lint --run`: finds tasks whose tests pass before anything has been done for them. The commands run as in the test step.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::SystemTime;

use crate::agents::{Cancel, EnvChange, JobResult, Launch, LiveLine, Lookup, Secrets, StopSignals};
use crate::commands::plan_commands::Confirmation;
use crate::commands::plan_state::PlanState;
use crate::commands::sandboxed::SandboxTrial;
use crate::commands::{Call, Session};
use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::plan::{Node, PassingTests, TestCommand};
use crate::record::Outcome;
use crate::report::{self, LiveView};
use crate::suite::{NamesWanted, NoResults, StoppedTeardown, TestListener, TestRunner};
use crate::text::one_line;
use crate::worktree::tag_of;

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
    // A run that starts here would end our programs, and be told that we changed its files.
    let lock = session.lock("lint --run")?;
    let trial = SandboxTrial {
        session: &session,
        environment: &call.environment,
        lookup: &lookup,
        cancel: &cancel,
        held: lock.file(),
    };
    let sandbox = trial.of(Setting::TestSandbox)?;
    let live = LiveLine::new();
    let removed = session.git.local_env_vars()?;
    let tests = TestRunner {
        launch: Launch {
            directory: session.work_tree.top.clone(),
            tag: tag_of(&session.work_tree),
            env: removed.iter().map(|name| EnvChange::Remove(name.into())).collect(),
            grace: session.config.duration(Setting::Grace),
            cancel,
            secrets: Secrets::of(call.environment.variables()),
            held: lock.file(),
            front: sandbox.map(|sandbox| sandbox.around_tests(&session.work_tree)),
        },
        shell: lookup.find("sh")?.unwrap_or_else(|| PathBuf::from("/bin/sh")),
        timeout: session.config.duration(Setting::TestTimeout),
        confirm: 0,
        live: live.clone(),
        listener: &Unheard,
        names: NamesWanted::AsPrinted,
        diff: None,
    };
    let before = session.git.status()?;
    let mut passing = Vec::new();
    for node in pending {
        let known = results.get_mut(node.test_commands.as_slice()).expect("all pending tasks are there");
        let passes = match *known {
            Some(passes) => passes,
            None => {
                let last_line = live.clone();
                let _shown = LiveView::of_one(&session.screen, format!("testing {}", node.id), move || {
                    last_line.get()
                });
                *known.insert(pass(&tests, node, &signals)?)
            }
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
    node.test_commands.iter().filter(|test| test.kind.judges())
}

/// Nothing is recorded of these runs.
struct Unheard;

impl TestListener for Unheard {
    fn ended(&self, _command: &TestCommand, result: JobResult, _started: SystemTime) -> JobResult {
        result
    }

    fn after_stop(&self, _command: &TestCommand, _teardown: StoppedTeardown<'_>) {}
}

/// Whether all commands of a task pass.
fn pass(tests: &TestRunner<'_>, node: &Node, signals: &StopSignals) -> Result<bool> {
    match tests.run(&node.test_commands) {
        Ok(results) => Ok(results.outcome() == Outcome::Pass),
        Err(NoResults::Stopped) => Err(Error::stopped(signals.last(), "Nothing was changed.")),
        Err(NoResults::CouldNotStart { command, error }) => Err(Error::new(
            Kind::Environment,
            format!("the test command `{}` did not start: {error}", one_line(&command)),
            "A POSIX shell `sh` is needed on PATH.",
        )),
    }
}
