//! The result of the work on a unit: of a runner that the engine has called, or of somebody else.

use std::time::Duration;

use crate::agents::{ExitReason, PastSession, Runner, RunnerResult};
use crate::record::{Role, Usage};
use crate::workflow::Asked;

/// The result of a worker, handed over when the work on a unit is done.
#[derive(Debug)]
pub(crate) struct Handover {
    /// The name of the worker, for the `Arborist-Runner` trailer.
    pub(crate) worker: String,
    /// The command with which a person can try the worker by hand; empty if it is not a runner of ours.
    pub(crate) command_line: String,
    /// The words of the worker, including a reviewer's verdict.
    pub(crate) said: Vec<u8>,
    /// Whether a part of them was dropped because they were too long.
    pub(crate) is_cut: bool,
    /// Whether they are certainly its answer, and not those of a program that could not begin: it reports its work as events.
    pub(crate) has_answered: bool,
    /// Whether it has ended well and printed something as its answer.
    pub(crate) has_spoken: bool,
    /// How the worker ended.
    pub(crate) exit_reason: ExitReason,
    /// Why the attempt has failed, as a clause; `None` if the worker has ended well.
    pub(crate) failure: Option<String>,
    /// The last line that the worker printed, for messages.
    pub(crate) last_line: Option<String>,
    /// How long it took.
    pub(crate) duration: Duration,
    /// What it has used, as far as it reports that.
    pub(crate) usage: Usage,
    /// The tools that it was not allowed to use, as far as it reports that.
    pub(crate) denied: Vec<String>,
    /// What a person is asked if it has changed nothing and was not allowed to use a tool without which it cannot.
    pub(crate) denied_tool: Option<Asked>,
    /// The commands with which it has made git skip hooks.
    pub(crate) skipped_hooks: Vec<String>,
    /// The session in which it can be asked once more.
    pub(crate) session: Option<PastSession>,
}

impl Handover {
    /// Work that was not done by a program that we ran.
    pub(crate) fn by_hand(worker: &str, said: &[u8], duration: Duration) -> Self {
        Self {
            worker: worker.to_owned(),
            command_line: String::new(),
            said: said.to_vec(),
            is_cut: false,
            has_answered: true,
            has_spoken: true,
            exit_reason: ExitReason::Exited(0),
            failure: None,
            last_line: None,
            duration,
            usage: Usage::default(),
            denied: Vec::new(),
            denied_tool: None,
            skipped_hooks: Vec::new(),
            session: None,
        }
    }

    /// The work of a runner in this role. Its words are its standard output or, if that is empty, its standard error. `usage`
    /// is what all calls have used, of which this was the last one.
    pub(crate) fn of(runner: &Runner, role: Role, result: RunnerResult, usage: Usage) -> Self {
        let denied = result.activity.denied.iter().cloned().collect();
        let denied_tool = result.denied().map(|why| {
            let reason = format!("{}, and has changed nothing", why.words(&runner.label()));
            let text = format!("{reason}\n{}", runner.remedy(why.cause).unwrap_or_default());
            Asked { reason, text }
        });
        let skipped_hooks = result.activity.skipped_hooks.iter().cloned().collect();
        let has_answered = result.activity.final_message.is_some();
        let (failure, result) = (result.failure, result.job);
        let out = result.stdout.to_bytes_with_note();
        let has_spoken = failure.is_none() && !out.trim_ascii().is_empty();
        // Standard error is only for messages: a reviewer without an answer has not reviewed (`RunnerCall::why_unavailable`).
        let said = if out.trim_ascii().is_empty() { result.stderr.to_bytes_with_note() } else { out };
        Self {
            worker: runner.label(),
            command_line: runner.command_line(role),
            said,
            is_cut: result.stdout.omitted() > 0,
            has_answered,
            has_spoken,
            last_line: result.last_line(),
            duration: result.duration,
            exit_reason: result.exit_reason,
            failure,
            usage,
            denied,
            denied_tool,
            skipped_hooks,
            session: None,
        }
    }

    /// This work with that of an earlier call, after which the worker was asked once more. The later words count.
    pub(crate) fn after(self, earlier: &Self) -> Self {
        Self {
            duration: earlier.duration + self.duration,
            usage: earlier.usage.and(self.usage),
            denied: [earlier.denied.clone(), self.denied].concat(),
            skipped_hooks: [earlier.skipped_hooks.clone(), self.skipped_hooks].concat(),
            ..self
        }
    }
}
