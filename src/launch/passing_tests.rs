//! `lint --run`: finds tasks whose tests pass before anything has been done for them. The commands run as in the test step.

use std::collections::{HashMap, HashSet};

use super::confirmation::Confirmation;
use super::programs::Programs;
use crate::agents::{Launch, LiveLine, StopSignals};
use crate::config::Setting;
use crate::error::{Error, Result};
use crate::git::Change;
use crate::plan::{Node, PassingTests, TestCommand};
use crate::record::Outcome;
use crate::report::{self, LiveView};
use crate::session::plan_state::PlanState;
use crate::session::take_lock::lock;
use crate::session::{Call, Session};
use crate::suite::{NamesWanted, TestRunner, Unheard};

/// How many changed files are named.
const FEW: usize = 5;

/// How the test commands of a plan are confirmed.
#[derive(Clone, Copy)]
pub(crate) struct Confirming {
    /// The user has confirmed them with an option.
    pub(crate) yes: bool,
    /// A terminal can ask for that.
    pub(crate) may_ask: bool,
}

/// The tasks without a step whose test commands all pass. Tasks with the same commands share one run of them.
pub(crate) fn passing_tests(
    session: Session,
    call: &Call,
    Confirming { yes, may_ask }: Confirming,
) -> Result<Vec<PassingTests>> {
    let plan = session.plan()?;
    let PlanState { session, plan, run, .. } = PlanState::of(session, plan)?;
    let leaves = plan.tree.order().iter().map(|leaf| plan.tree.node(*leaf));
    let pending: Vec<&Node> =
        leaves.filter(|node| !run.tasks.contains_key(&node.id) && judges(node).next().is_some()).collect();
    if pending.is_empty() {
        report::eprint("No test command has to run: no pending task has one.");
        return Ok(Vec::new());
    }
    Confirmation { session: &session, plan: &plan, yes, may_ask }.obtain()?;
    let different: HashSet<&[TestCommand]> =
        pending.iter().map(|node| node.test_commands.as_slice()).collect();
    report::eprint(&format!(
        "Running the test commands of {} {} not begun yet, {} in all.",
        pending.len(),
        if pending.len() == 1 { "task that was" } else { "tasks that were" },
        different.iter().map(|commands| commands.len()).sum::<usize>()
    ));
    let before = session.git.status()?;
    let passing = run_tests(&session, call, &pending)?;
    let after = session.git.status()?;
    let new = after.iter().filter(|change| !before.contains(change));
    let changed: Vec<String> = new.take(FEW).map(Change::shown).collect();
    if !changed.is_empty() {
        let warning = format!("the test commands changed files in the work tree: {}", changed.join(", "));
        report::warn(&session.screen, &warning);
    }
    Ok(passing)
}

/// Those of these tasks whose test commands all pass.
fn run_tests(session: &Session, call: &Call, pending: &[&Node]) -> Result<Vec<PassingTests>> {
    let (cancel, signals) = call.stop.watch()?;
    // A run that starts here would end our programs, and be told that we changed its files.
    let lock = lock(session, "lint --run")?;
    let programs = Programs::new(session, &call.environment, &cancel).holding(&lock);
    let sandbox = programs.sandbox(Setting::TestSandbox)?;
    let front = sandbox.map(|sandbox| sandbox.around_tests(&session.work_tree));
    let live = LiveLine::new();
    let tests = TestRunner {
        launch: Launch { front, ..programs.launch()? },
        shell: programs.lookup.shell()?,
        timeout: session.config.duration(Setting::TestTimeout),
        confirm: 0,
        live: live.clone(),
        listener: &Unheard,
        names: NamesWanted::AsPrinted,
        diff: None,
    };
    let mut results: HashMap<&[TestCommand], bool> = HashMap::new();
    let mut passing = Vec::new();
    for node in pending {
        let commands = node.test_commands.as_slice();
        let passes = match results.get(commands) {
            Some(passes) => *passes,
            None => {
                let last_line = live.clone();
                let what = format!("testing {}", node.id);
                let _shown = LiveView::of_one(&session.screen, what, move || last_line.get());
                pass(&tests, node, &signals)?
            }
        };
        results.insert(commands, passes);
        if passes {
            let commands = judges(node).map(|test| test.command.clone()).collect();
            passing.push(PassingTests { task: node.id.clone(), commands });
        }
    }
    Ok(passing)
}

/// The commands that judge the work on a task.
fn judges(node: &Node) -> impl Iterator<Item = &TestCommand> {
    node.test_commands.iter().filter(|test| test.kind.judges())
}

/// Whether all commands of a task pass.
fn pass(tests: &TestRunner<'_>, node: &Node, signals: &StopSignals) -> Result<bool> {
    let stopped = || Error::stopped(signals.last(), "Nothing was changed.");
    let results = tests.run(&node.test_commands).map_err(|none| none.error(stopped))?;
    Ok(results.outcome() == Outcome::Pass)
}
