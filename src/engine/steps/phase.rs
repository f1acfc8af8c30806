//! The end of a phase: its own tests, and the commit that says it is complete.

use super::suite::run_suite;
use super::test::{StepTests, run_tests};
use crate::engine::assignment::Assignment;
use crate::engine::checks::overlooked::name_overlooked;
use crate::engine::commit::finished::FinishedStep;
use crate::engine::commit::recorder::Recorder;
use crate::engine::event::Event;
use crate::engine::phase_tests::tests_of_phase;
use crate::engine::unit::Worker;
use crate::engine::workspace::Workspace;
use crate::error::Result;
use crate::git::Selection;
use crate::history::FollowedRun;
use crate::plan::NodeIx;
use crate::record::{Attempt, Finding, Outcome, Severity, Step, StepMessage, TaskRef};

/// How the end of a phase went.
#[derive(Debug)]
pub(in crate::engine) struct Closed {
    /// Whether it is marked complete.
    pub(in crate::engine) outcome: Outcome,
    /// What the whole suite has found.
    pub(in crate::engine) suite: Option<Finding>,
}

/// Ends a phase.
pub(in crate::engine) struct PhaseCloser<'e, 'a> {
    /// The state of the plan, read from history.
    pub(in crate::engine) followed: &'e FollowedRun<'a>,
    /// The work tree.
    pub(in crate::engine) workspace: &'e mut Workspace<'a>,
}

impl PhaseCloser<'_, '_> {
    /// Runs the tests of a phase whose tasks are all complete, innermost first, and marks it complete if they pass.
    /// The whole suite runs then too.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(in crate::engine) fn close(&mut self, phase: NodeIx) -> Result<Closed> {
        let run = self.workspace.run;
        let node = run.plan.tree.node(phase);
        let task = TaskRef { id: &node.id, name: &node.name };
        let job = Assignment {
            leaf: phase,
            task,
            step: Step::PHASE_COMPLETE,
            attempt: Attempt { number: 0, max: 1 },
        };
        let unit = self.workspace.begin(self.followed, job, Worker::Run)?;
        let live = run.announce(job, None);
        let commands = &tests_of_phase(run.plan, phase);
        let results = run_tests(run, StepTests { job, head: &unit.head.commit, commands }, &live)?;
        self.workspace.check_after(&unit.head, job.step)?;
        self.workspace.name_leftovers(&format!("the tests of {}", node.id))?;
        let named = name_overlooked(run, &unit)?;
        let outcome = results.outcome();
        if outcome == Outcome::Fail {
            self.workspace.end_step()?;
            let (phase, name) = (node.id.clone(), run.shown_name(&node.name));
            run.observer.on(Event::PhaseFailed { phase, name, detail: results.summary() });
            return Ok(Closed { outcome, suite: None });
        }
        let suite = run_suite(run, &unit.head.commit, &live)?;
        if let Some(finding) = suite.as_ref().filter(|finding| finding.severity() == Severity::Error) {
            self.workspace.end_step()?;
            let (phase, name) = (node.id.clone(), run.shown_name(&node.name));
            run.observer.on(Event::PhaseFailed { phase, name, detail: finding.sentence() });
            return Ok(Closed { outcome: Outcome::Fail, suite });
        }
        let message = StepMessage::new(job.step, job.task, job.attempt, outcome);
        let message = suite.iter().fold(message, StepMessage::with_finding);
        let finished = FinishedStep {
            job,
            outcome,
            head: unit.head,
            selection: Selection::default(),
            message: named.findings().fold(message, |message, finding| message.with_finding(&finding)),
            duration: results.runtime(),
            detail: results.summary(),
            reason: None,
        };
        Recorder { followed: self.followed, workspace: self.workspace }.record(&finished)?;
        Ok(Closed { outcome, suite })
    }
}
