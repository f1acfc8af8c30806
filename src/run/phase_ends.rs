//! Reads how the ends of phases went.

use std::collections::HashMap;

use crate::error::Result;
use crate::git::Git;
use crate::history::{Picked, Repository, Run, StepValidity, pick_steps};
use crate::plan::NodeIx;
use crate::record::{By, Check, CommitKind, EndedPhase, Outcome, State, Step, StepCommit, StepFacts, TaskId};
use crate::run::briefs::phase_failure::FailedPhase;
use crate::run::plan::Plan;
use crate::run::steps::feedback::body_of;
use crate::text::one_line;
use crate::workflow::suspects;

/// The ends of phases that somebody should know about, in the order of the plan. The tests of a phase fail until they have passed: also
/// while tasks are worked on again that the run has opened. What was found about a test command that the plan no longer has is settled.
///
/// # Errors
/// If a commit cannot be read.
pub fn phase_ends(git: &Git, repository: &Repository, plan: &Plan, run: &Run) -> Result<Vec<EndedPhase>> {
    let opened = failed_before(repository, plan, run)?;
    let mut ends = Vec::new();
    for phase in plan.tree.roots() {
        let id = &plan.tree.node(*phase).id;
        let known = run.failed_phases.get(id).or_else(|| run.phases.get(id));
        let Some(step) = known.or_else(|| opened.get(id)) else { continue };
        let message = repository.commit(&step.id)?.message;
        let mut findings = StepFacts::of(&message).found;
        let has_command = |wanted: &str| {
            let mut tests = plan.tree.nodes().flat_map(|(_, node)| &node.test_commands);
            tests.any(|test| one_line(&test.command) == wanted)
        };
        findings.retain(|finding| match finding.check {
            Check::Superseded => finding.look.as_deref().is_none_or(has_command),
            check => matches!(check, Check::PhaseTests | Check::Awaited | Check::Suite | Check::Protect),
        });
        let tasks = FailedPhase { git, repository, plan, run, phase: *phase }.tasks()?;
        let places: Vec<_> = tasks.iter().map(|task| task.suspect).collect();
        let named = suspects(&places).into_iter().map(|place| plan.tree.node(tasks[place].leaf).id.clone());
        let suspects = named.collect();
        let end = EndedPhase { id: id.clone(), step: *step, findings, output: body_of(&message), suspects };
        if end.has_failed() || !end.findings.is_empty() {
            ends.push(end);
        }
    }
    Ok(ends)
}

/// The steps that say that the tests of phases have failed, where a task is not done any more that was.
fn failed_before(repository: &Repository, plan: &Plan, run: &Run) -> Result<HashMap<TaskId, StepCommit>> {
    let is_again = |leaf: &NodeIx| {
        let latest = plan.latest(run, *leaf);
        let state = plan.state(run, *leaf);
        !state.is_done()
            && latest.is_some_and(|latest| latest.goes_on() || latest.attempt > 0 || state == State::Failed)
    };
    // Otherwise the history need not be read once more.
    if !plan.tree.order().iter().any(is_again) {
        return Ok(HashMap::new());
    }
    let steps = pick_steps(repository, &run.range, |kind, _| match kind {
        CommitKind::Phase(id, record) => Some((id.clone(), Some(*record))),
        // A note says something to the next agent, and nothing about the tests.
        CommitKind::Task(id, record)
            if matches!(record.by, By::User | By::Request) && record.step != Step::NOTE =>
        {
            Some((id.clone(), None))
        }
        _ => None,
    })?;
    let mut newest: HashMap<TaskId, Option<StepCommit>> = HashMap::new();
    for Picked { id: commit, time, validity, value: (id, record) } in steps {
        let phase = match record {
            Some(_) => Some(id),
            // What a person has done since decides.
            None => {
                plan.tree.find(id.as_str()).map(|leaf| plan.tree.node(plan.tree.phase_of(leaf)).id.clone())
            }
        };
        let step =
            record.filter(|record| record.outcome == Outcome::Fail && validity == StepValidity::Counts);
        let step = step.map(|record| StepCommit { id: commit, time, record });
        if let Some(phase) = phase {
            newest.entry(phase).or_insert(step);
        }
    }
    Ok(newest.into_iter().filter_map(|(id, step)| Some((id, step?))).collect())
}
