//! The life of one job: start, watch, end, clear up.

use super::cookie::Cookie;
use super::decide::{Cause, Order, Phase, Signs, order};
use super::lifeline::Lifeline;
use super::pipes::{Pipes, Sinks};
use super::processes::Process;
use super::start::{self, Child, Status};
use super::tree::Tree;
use super::{End, Ended, Job, ProcessName, Urgency, registry};
use std::time::{Duration, Instant};

/// Longest time between two looks at clock, program and stop.
const TICK: Duration = Duration::from_millis(50);
/// Between two looks at what the program left.
const LOOK: Duration = Duration::from_millis(10);
/// Between two times that adopted zombies are reaped.
const REAP_EVERY: Duration = Duration::from_secs(1);
/// How long after the program its other processes may end by themselves before they count as leaked.
const SETTLE: Duration = Duration::from_millis(100);
/// Longest time between SIGTERM and SIGKILL for what leaked.
const LEAK_GRACE: Duration = Duration::from_secs(1);
/// How long output is still read when everything has ended but a pipe is open.
const DRAIN: Duration = Duration::from_millis(500);

/// Longest grace: whoever asks for more means for ever, which is what must not be.
const LONGEST_GRACE: Duration = Duration::from_secs(24 * 60 * 60);

/// Runs `job` to its end.
pub(super) fn run(mut job: Job) -> Ended {
    if job.stop.urgency() != Urgency::None {
        return Ended::without_start(End::Stopped);
    }
    let cookie = Cookie::new(&job.tag);
    let began = Instant::now();
    let started = match start::start(&job, &cookie) {
        Ok(started) => started,
        Err(error) => return Ended::without_start(End::CouldNotStart(error)),
    };
    let leader = started.child.pid();
    let sinks = Sinks {
        limits: job.limits,
        log: job.log.take(),
        live: job.live.clone(),
        secrets: job.secrets.clone(),
    };
    let mut pipes = Pipes::new(started.outputs, sinks);
    if let Some((pipe, prompt)) = started.input.zip(job.prompt.take()) {
        pipes.feed(pipe, prompt);
    }
    let watch = Watch {
        began,
        phase: Phase::Running,
        pipes,
        tree: Tree::new(leader, cookie),
        lifeline: Lifeline::of(leader),
        child: started.child,
        job,
    };
    watch.run()
}

/// A job that runs.
struct Watch {
    job: Job,
    began: Instant,
    phase: Phase,
    pipes: Pipes,
    tree: Tree,
    lifeline: Option<Lifeline>,
    child: Child,
}

/// What was found when a job had ended.
#[derive(Default)]
struct Rest {
    leaked: Vec<Process>,
    survivors: Vec<Process>,
}

impl Watch {
    fn run(mut self) -> Ended {
        let status = self.watch();
        registry::leaving(self.child.pid());
        self.pipes.close_input();
        let rest = self.clear_up();
        self.drain();
        let end = self.end(status);
        // The watcher lets go before the program is reaped: only so long is the group certainly the right one.
        drop(self.lifeline);
        drop(self.child);
        let brought = self.pipes.finish();
        Ended {
            end,
            stdout: brought.stdout,
            stderr: brought.stderr,
            duration: self.began.elapsed(),
            leaked: names(&rest.leaked),
            survivors: names(&rest.survivors),
            log: brought.log,
        }
    }

    /// Watches until the program has ended, or has got SIGKILL.
    fn watch(&mut self) -> Status {
        let mut tick = Duration::from_micros(20);
        let mut reap_at = self.began + REAP_EVERY;
        loop {
            // The end of both outputs wakes us, and mostly the program ends with them, or a moment later.
            self.pipes.pump(if self.pipes.outputs_ended() { tick } else { TICK });
            if let Some(status) = self.child.status() {
                return status;
            }
            match order(self.phase, self.signs()) {
                Order::GoOn => {}
                Order::Ask(cause) => {
                    self.tree.ask();
                    let kill_at = Instant::now() + self.job.grace.min(LONGEST_GRACE);
                    self.phase = Phase::Asked { cause, kill_at };
                }
                Order::Kill(cause) => {
                    self.phase = Phase::Killed { cause };
                    return Status::Unknown;
                }
            }
            if self.pipes.outputs_ended() {
                tick = (tick * 2).min(TICK);
            }
            if Instant::now() >= reap_at {
                self.tree.reap();
                reap_at = Instant::now() + REAP_EVERY;
            }
        }
    }

    fn signs(&self) -> Signs {
        Signs {
            now: Instant::now(),
            timeout_at: self.began.checked_add(self.job.timeout),
            urgency: self.job.stop.urgency(),
            flood: self.pipes.flood(),
        }
    }

    /// Ends what is left of the tree.
    fn clear_up(&mut self) -> Rest {
        let mut rest = Rest::default();
        let left = match self.phase {
            Phase::Killed { .. } => true,
            Phase::Asked { kill_at, .. } => !self.vanishes_until(kill_at),
            Phase::Running => {
                let leaked = !self.vanishes_until(Instant::now() + SETTLE);
                if leaked {
                    rest.leaked = self.tree.members();
                    self.tree.ask();
                }
                leaked && !self.vanishes_until(Instant::now() + self.job.grace.min(LEAK_GRACE))
            }
        };
        if left {
            rest.survivors = self.tree.kill();
        } else {
            self.tree.kill_group();
        }
        rest
    }

    /// Whether the whole tree is gone before `until`; who wants an end at once does not wait for it.
    fn vanishes_until(&mut self, until: Instant) -> bool {
        loop {
            if self.tree.members().is_empty() {
                return true;
            }
            if Instant::now() >= until || self.job.stop.urgency() == Urgency::Now {
                return false;
            }
            self.pipes.pump(LOOK);
        }
    }

    /// Reads what is still in the pipes.
    fn drain(&mut self) {
        let until = Instant::now() + DRAIN;
        while !self.pipes.outputs_ended() && Instant::now() < until {
            self.pipes.pump(LOOK);
        }
    }

    fn end(&self, status: Status) -> End {
        match (self.phase, status) {
            (Phase::Running, Status::Exited(code)) => End::Exited(code),
            (Phase::Running, Status::Signalled(signal)) => End::Signalled(signal),
            (Phase::Running, Status::Unknown) => End::Unknown,
            (Phase::Asked { cause, .. } | Phase::Killed { cause }, _) => match cause {
                Cause::Timeout => End::TimedOut { after: self.job.timeout },
                Cause::Stop => End::Stopped,
                Cause::Flood => End::Flooded { limit: self.job.limits.flood },
            },
        }
    }
}

fn names(processes: &[Process]) -> Vec<ProcessName> {
    processes.iter().map(Process::to_name).collect()
}
