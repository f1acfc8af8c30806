//! The common part of `garden` and `gardener`: take the lock, open the engine, work, and report how the run ended.

use std::cell::RefCell;

use super::before_run::{RunKind, Start};
use super::monitor::events::{self, RunSummary};
use super::monitor::notify::Notifier;
use super::monitor::progress::{Form, Progress};
use super::monitor::tally::RunTally;
use super::options::RunOptions;
use super::programs::Programs;
use super::runners::runners;
use super::settings::settings;
use crate::agents::CancelLevel;
use crate::config::Setting;
use crate::engine::{Engine, Event, EventLine, Observer, RunContext, RunEnd, RunLimits, RunPrograms};
use crate::error::{Error, Kind, Result};
use crate::plan::NodeIx;
use crate::process::CallLimit;
use crate::report;
use crate::session::take_lock::lock;
use crate::session::{Call, Exit, Listener, Session, plan_panel};
use crate::text::shell_word;
use crate::worktree::forget_stop_request;

/// Runs a command whose events may be printed. The stream of events always ends with the outcome.
pub(crate) fn with_events(
    call: &Call,
    options: &RunOptions,
    run: impl FnOnce(&mut Option<RunSummary>) -> Result<Exit>,
) -> Result<Exit> {
    let mut summary = None;
    // An error may come before an engine is open. The engine masks its own errors.
    let result = run(&mut summary).map_err(|error| call.mask_error(&error));
    if options.json && !options.dry_run {
        let told = events::end(&result, summary.as_ref());
        // An error of the run matters more than an error of printing it.
        return result.and_then(|exit| told.map(|()| exit));
    }
    result
}

/// Takes the lock, opens an engine over the plan, and lets `work` run in it, which may take on these leaves.
///
/// # Errors
/// If anything keeps the run from working. If a signal asked to stop, that is the error, and not its consequences.
pub(crate) fn work(
    start: Start<'_>,
    summary: &mut Option<RunSummary>,
    leaves: &[NodeIx],
    work: impl FnOnce(&mut Engine<'_>) -> Result<RunEnd>,
) -> Result<Exit> {
    let (end, tally) = perform(start, summary, leaves, work)?;
    *summary = Some(start.summary(&end, &tally));
    start.conclude(&end, &tally)
}

/// The same without a report of how the run ended.
///
/// # Errors
/// As for [`work`].
pub(crate) fn perform(
    start: Start<'_>,
    summary: &mut Option<RunSummary>,
    leaves: &[NodeIx],
    work: impl FnOnce(&mut Engine<'_>) -> Result<RunEnd>,
) -> Result<(RunEnd, RunTally)> {
    let Start { call, options, session, plan, part, .. } = start;
    start.require_coverage(leaves)?;
    // Signals are watched before anything is opened, so that saving the work of an earlier run is never interrupted
    // halfway.
    let (cancel, signals) = call.stop.watch()?;
    let lock = lock(session, start.kind.word())?;
    let phases = start.phases()?;
    let base = phases.as_ref().map(|phases| phases.base.clone());
    let programs = Programs::new(session, &call.environment, &cancel).holding(&lock);
    let runners = runners(start, leaves, &programs.lookup)?;
    let panel = plan_panel(session, plan, start.tasks, leaves, part.jobs())?;
    let form = match (options.json, options.verbose) {
        (true, _) => Form::Json,
        (false, true) => Form::Verbose,
        (false, false) => Form::Lines,
    };
    let progress = Progress::new(session.screen, form, options.heartbeat(), panel);
    let observer = RunObserver {
        progress: &progress,
        notifier: Notifier::new(start, programs.lookup.shell()?),
        listener: &call.listener,
        tally: RefCell::new(RunTally::new()),
        holds_back_merges: start.kind == RunKind::Work,
    };
    let settings = settings(start)?;
    // Where no agent works, the sandbox of agents is not needed. That of tests is only tried.
    let sandbox = if leaves.is_empty() { None } else { programs.sandbox(Setting::Sandbox)? };
    programs.sandbox(Setting::TestSandbox)?;
    let context = RunContext {
        git: session.git.clone().with_limit(CallLimit::new(settings.commit.hook_timeout, &cancel)),
        work_tree: session.work_tree.clone(),
        repository: &session.repository,
        plan,
        phases,
        part: part.clone(),
        settings,
        runners,
        observer: &observer,
        limits: RunLimits { time: options.limits.time(), budget: options.limits.budget() },
        programs: RunPrograms {
            launch: programs.launch()?,
            shell: programs.lookup.shell()?,
            cancel: cancel.clone(),
            secrets: programs.secrets.clone(),
            scratches: programs.scratches()?,
            sandbox,
        },
    };
    // An error may contain the output of the user's hooks. If a stop was requested, other errors are only consequences.
    let shown = |error: Error| match cancel.level() {
        CancelLevel::None => call.mask_error(&error),
        _ => Error::stopped(
            signals.last(),
            format!("Every finished step is committed. {} continues from there.", start.again),
        ),
    };
    let mut engine = Engine::open(&context, options.dirty()).map_err(shown)?;
    let result = engine.commit_pending().and_then(|()| work(&mut engine)).map_err(shown);
    let used = engine.used();
    // A failure to save work is worse than the reason why the run ended.
    let closed = engine.close().map_err(|error| call.mask_error(&error));
    forget_stop_request(&session.work_tree);
    observer.finish(&result);
    let tally = observer.tally.borrow().clone();
    progress.close();
    if let Some(base) = base.filter(|_| !options.json) {
        tell_branch(session, &base);
    }
    let error = match result {
        Ok(end) => return closed.map(|()| (end, tally)),
        Err(error) => error,
    };
    // What an error has ended is reported as far as it was done.
    *summary = Some(RunSummary::of_error(used, &tally));
    // The error of the run matters more than one of printing this.
    let _ = start.tell_done(&tally, used);
    if matches!(error.kind(), Kind::Signal(_)) {
        closed?;
    } else {
        let _ = start.tell_open(&tally);
    }
    Err(error)
}

/// Says on which branch the user is now, if it is not the base branch.
fn tell_branch(session: &Session, base: &str) {
    let Ok(head) = session.repository.branch() else { return };
    let here = head.branch_name();
    if here != base {
        report::eprint(&format!(
            "You are on the branch {here}, where the run continues; `git switch {}` goes back.",
            shell_word(base)
        ));
    }
}

/// Passes events on to all who want to know of them.
struct RunObserver<'a, 'n> {
    progress: &'a Progress,
    notifier: Notifier<'n>,
    listener: &'a Listener,
    tally: RefCell<RunTally>,
    /// Whether it keeps quiet about merges, because the run is that of a worker, which still has to push them.
    holds_back_merges: bool,
}

impl RunObserver<'_, '_> {
    /// Tells the user's command how the run ended, and waits until it was told everything.
    fn finish(&self, result: &Result<RunEnd>) {
        match result {
            Ok(end) => self.notifier.ended(end),
            Err(error) => self.notifier.stopped(error),
        }
        for text in self.notifier.finish() {
            self.progress.on(Event::Warning { text });
        }
    }
}

impl Observer for RunObserver<'_, '_> {
    fn receive(&self, line: EventLine) {
        let event = &line.event;
        if let (true, Event::BranchMerged(merged)) = (self.holds_back_merges, event) {
            return self.tally.borrow_mut().held_back.push(merged.clone());
        }
        if let Event::Ended(ended) = event {
            self.tally.borrow_mut().add(ended);
        }
        self.notifier.on(event);
        if let Some(words) = words_of(event) {
            self.listener.tell(&words);
        }
        self.progress.receive(line);
    }
}

/// An event of a step in words.
fn words_of(event: &Event) -> Option<String> {
    Some(match event {
        Event::Begins(begins) => format!("{} {} begins", begins.task, begins.step.word()),
        Event::Ended(ended) => {
            let (result, detail) = (ended.result, ended.detail_beside_word());
            format!("{} {} {} {detail}", ended.task, result.step.word(), result.word())
        }
        Event::Tried { task, result, .. } => {
            format!("{task} trial of the test commands: {}", result.word())
        }
        _ => return None,
    })
}
