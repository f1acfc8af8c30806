//! Puts the open questions of agents to the user on a terminal, and records the answers as notes.

use super::decisions::decided_about;
use super::decisions::{Chosen, Recording};
use crate::error::{Error, Result};
use crate::plan::NodeIx;
use crate::process::CancelLevel;
use crate::record::OpenQuestion;
use crate::report;
use crate::run::TaskScope;
use crate::session::plan_state::PlanState;
use crate::session::{Call, Exit};
use crate::text::advice;
use crate::workflow::Decision;

/// Asks what the agents that work on tasks below these nodes want to know, which the end of the run has just said. Returns whether the
/// run can go on with an answer.
///
/// # Errors
/// If an answer cannot be recorded, or the user leaves with Ctrl-C.
pub(crate) fn put_questions(call: &Call, nodes: &[String]) -> Result<bool> {
    let (cancel, signals) = call.stop.watch()?;
    let mut is_answered = false;
    for OpenQuestion { task, .. } in open_questions(call, nodes)? {
        let question = format!("Your answer about {task} (an empty line leaves the question open): ");
        let is_stopped = || cancel.level() != CancelLevel::None;
        let answer = report::ask(&question, is_stopped);
        if is_stopped() {
            let remedy = format!("The question is open. {} answers it.", advice::note("TASK"));
            return Err(Error::stopped(signals.last(), remedy.replace("TASK", task.as_str())));
        }
        let Some(words) = answer.filter(|answer| !answer.is_empty()) else { continue };
        let recording =
            Recording { command: "gardener", decision: Decision::Note, words: &words, request: None };
        let id = task.to_string();
        is_answered |= recording
            .record(call, |plan_state| Chosen::named(plan_state, std::slice::from_ref(&id)))?
            == Exit::Done;
    }
    Ok(is_answered)
}

/// The questions that a note answers.
fn open_questions(call: &Call, nodes: &[String]) -> Result<Vec<OpenQuestion>> {
    let PlanState { plan, mut questions, .. } = PlanState::open(call)?;
    let nodes = nodes.iter().map(|id| decided_about(&plan, id)).collect::<Result<Vec<NodeIx>>>()?;
    let scope = TaskScope::below(&plan.tree, &nodes);
    let is_wanted = |open: &OpenQuestion| {
        !open.needs_reopening && plan.tree.find(open.task.as_str()).is_some_and(|leaf| scope.includes(leaf))
    };
    questions.retain(is_wanted);
    Ok(questions)
}
