//! Offers a sandbox at the end of `init`, after what a run starts was tried in it.

use crate::agents::{Cancel, Lookup, RunnerChain, StopSignals};
use crate::audit::proving::run_suite;
use crate::config::{Origin, Override, Setting};
use crate::error::Result;
use crate::launch::programs::{Programs, USUAL_SANDBOX};
use crate::record::{Role, RunWord};
use crate::report::{self, Health};
use crate::session::take_lock::lock;
use crate::session::{Call, Session};
use crate::setup::change::SettingChange;
use crate::setup::checks::probe::Probe;
use crate::setup::dialogue::YesOrNo;
use crate::text::one_line;
use crate::worktree::ConfirmedCommands;

/// How many commands are tried in it.
const TRIED: usize = 3;

const QUESTION: YesOrNo =
    YesOrNo { sentence: "Keep agents and tests from writing outside of this work tree?", default: true };
const HELP: &str = "They can still write to caches, temporary files and the agent's own state, read everything, and use the network. \
                    `git config --unset arborist.sandbox` and the same for arborist.test.sandbox turn it off.";

/// The settings of a sandbox, if the one of this system works here with the agent and the commands that are confirmed, and the user
/// wants it.
///
/// # Errors
/// If a setting is wrong, or there is no answer.
pub(super) fn offer_sandbox(session: &Session, call: &Call) -> Result<Vec<SettingChange>> {
    // Nothing can be tried without a commit.
    if session.repository.branch().is_err() {
        return Ok(Vec::new());
    }
    let settings = [Setting::Sandbox, Setting::TestSandbox];
    let is_chosen =
        |setting| session.config.value(setting).is_some_and(|value| value.origin != Origin::Default);
    let overrides = settings.map(|setting| Override::new(setting, "--sandbox", USUAL_SANDBOX));
    let inside = Session::open(call, overrides.into())?;
    if settings.into_iter().any(is_chosen) || !works(&inside, call)? {
        return Ok(Vec::new());
    }
    report::eprint(&format!("\nTrying the agent and the tests in a sandbox ({}) ...", USUAL_SANDBOX));
    if let Some(why) = hindrance(session, &inside, call)? {
        report::eprint(&format!("It is not offered: {why}."));
        return Ok(Vec::new());
    }
    // Everything else is done, so no answer means no.
    if !QUESTION.ask(HELP).unwrap_or(false) {
        return Ok(Vec::new());
    }
    let change = |setting| SettingChange::of(&session.config, setting, USUAL_SANDBOX);
    let changes: Vec<Option<SettingChange>> = settings.into_iter().map(change).collect::<Result<_>>()?;
    Ok(changes.into_iter().flatten().collect())
}

/// Whether the sandbox starts programs and protects what it should.
fn works(inside: &Session, call: &Call) -> Result<bool> {
    let cancel = Cancel::new();
    let _signals = StopSignals::watch(&cancel)?;
    // While another program works here, nothing is tried.
    let Ok(lock) = lock(inside, "init") else { return Ok(false) };
    Ok(Programs::new(inside, &call.environment, &cancel).holding(&lock).sandbox(Setting::Sandbox).is_ok())
}

/// What does not work in the sandbox, as a clause.
fn hindrance(session: &Session, inside: &Session, call: &Call) -> Result<Option<String>> {
    let confirmed = ConfirmedCommands::read(&session.work_tree);
    let plan = if session.plan_file().is_ok() { session.plan().ok() } else { None };
    let tests = plan
        .iter()
        .flat_map(|plan| plan.tree.order().iter().flat_map(|leaf| &plan.tree.node(*leaf).test_commands));
    let of_plan = tests.map(|test| test.command.as_str()).filter(|command| confirmed.contains(command));
    let mut commands: Vec<String> = session.config.optional(Setting::Suite).into_iter().collect();
    for command in of_plan {
        if !commands.iter().any(|known| known == command) {
            commands.push(command.to_owned());
        }
    }
    if let Some(head) = session.repository.head()? {
        for command in commands.iter().take(TRIED) {
            let fails = |session| -> Result<bool> {
                Ok(run_suite(call, session, command, &head)?.verdict != RunWord::Pass)
            };
            // Much of what is planned fails anyway.
            if fails(inside)? && !fails(session)? {
                return Ok(Some(format!("`{}` fails in it, and passes without it", one_line(command))));
            }
        }
    }
    let lookup = &Lookup::new(&call.environment, &session.work_tree.top);
    let Ok(runners) = RunnerChain::choose(&inside.config, lookup, Role::Implementer) else { return Ok(None) };
    let runner = runners.first();
    let probe = match Probe::begin(inside, &call.environment, "init")? {
        Ok(probe) => probe,
        Err(busy) => return Ok(Some(busy.words)),
    };
    let answer = probe.ask(runner, Role::Implementer, &runner.label())?.diagnosis;
    Ok((answer.health != Health::Good).then_some(answer.words))
}
