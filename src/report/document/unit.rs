//! What comes next for a task, and why, as a unit of work; and what became of a unit that was handed in.

use serde::{Serialize, Serializer};

use super::{InPlan, RunStep};
use crate::record::{CommitId, Outcome, State, Step, StepRecord};
use crate::report::screen::{Screen, Style};
use crate::workflow::NextAction;

/// The next step of a task that can be worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextStep {
    /// The step.
    pub step: Step,
    /// The attempt, from 0.
    pub attempt: u32,
    /// How the task ends with this step, if that is decided.
    pub result: Option<Outcome>,
    /// The attempt to merge the finished task, from 0, if the step is part of one.
    pub merge: Option<u32>,
}

impl NextStep {
    /// The next step according to the workflow, for a task with this latest step; `None` if there is none.
    #[must_use]
    pub fn of(next: NextAction, latest: Option<&StepRecord>) -> Option<Self> {
        match next {
            NextAction::Run { step, attempt, merge } => {
                let result = (step == Step::COMPLETE).then_some(Outcome::Pass);
                Some(Self { step, attempt, result, merge })
            }
            NextAction::GiveUp => {
                let attempt = latest.map_or(0, |record| record.attempt);
                Some(Self { step: Step::COMPLETE, attempt, result: Some(Outcome::Fail), merge: None })
            }
            NextAction::AwaitApproval { .. }
            | NextAction::AwaitAnswer
            | NextAction::Done
            | NextAction::Failed => None,
        }
    }
}

/// The next step of a task.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Unit<'a> {
    /// The name under which `git arborist done` takes the step in; `None` if the branch has no commit, or nobody has asked for it.
    pub unit: Option<String>,
    /// The id of the task.
    pub task: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The id of its phase.
    pub phase: &'a str,
    /// The branch of its own on which the task is worked on; `None` if it has none, or if it is checked out.
    pub branch: Option<&'a str>,
    /// The step that comes next.
    pub step: Step,
    /// How the task ends with this step, if that is already decided.
    #[serde(serialize_with = "word_of_end")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub result: Option<Outcome>,
    /// The attempt, counted from 0.
    pub attempt: u32,
    /// How many attempts the task has.
    pub max_attempts: u32,
    /// Why this step comes next.
    pub why: String,
    /// What is needed to do it, where that is asked for.
    #[serde(flatten)]
    pub work: Option<UnitWork<'a>>,
}

/// How a task ends, as its complete step says it.
fn word_of_end<S: Serializer>(result: &Option<Outcome>, serializer: S) -> Result<S::Ok, S::Error> {
    result.map(|result| result.word(Step::COMPLETE)).serialize(serializer)
}

/// All units that are ready.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Units<'a> {
    /// The work units, in the order in which a run would begin them.
    pub tasks: &'a [Unit<'a>],
}

/// What is needed to do a step.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UnitWork<'a> {
    /// What the plan says about the task.
    #[serde(flatten)]
    pub in_plan: InPlan<'a>,
    /// The commands that judge the work, without their details.
    pub tests: Vec<&'a str>,
    /// The merge of which the step is part; `None` if it is part of none.
    pub merge: Option<MergeView>,
    /// What an agent would be asked to do; `None` if no agent does the step, or all units are listed.
    pub prompt: Option<String>,
    /// Feedback from earlier attempts, newest first.
    pub feedback: Vec<FeedbackView>,
    /// The paths of logs of earlier attempts, newest first.
    pub logs: Vec<String>,
}

/// The merge of the branch of a finished task with the branch of the run, which git cannot make alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MergeView {
    /// The attempt to merge the task, counted from 0.
    pub attempt: u32,
    /// Whether the merge is committed, and only what it broke is left to be done or to be judged.
    pub made: bool,
    /// Why the task could not be merged, as a clause.
    pub why: String,
    /// The branch of the run; `None` if it is not known.
    pub branch: Option<String>,
    /// The commit of the branch of the run with which the task is merged.
    #[cfg_attr(test, schemars(with = "String"))]
    pub commit: CommitId,
    /// The commit of the branch of the task that is merged with it.
    #[cfg_attr(test, schemars(with = "String"))]
    pub own: CommitId,
    /// The tasks on the other side, with which it collides as far as that is known.
    pub tasks: Vec<MergedWith>,
    /// The files in conflict; none if the tests fail on the merged files.
    pub conflicts: Vec<String>,
}

/// A task on the other side of a merge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MergedWith {
    /// The id of the task.
    pub task: String,
    /// Its name.
    pub name: String,
}

/// Feedback from an earlier attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FeedbackView {
    /// Its kind.
    pub title: &'static str,
    /// Its text.
    pub text: String,
}

impl Unit<'_> {
    /// Task, step, attempt and reason in one line.
    #[must_use]
    pub fn line(&self, screen: &Screen) -> String {
        let result = if self.result == Some(Outcome::Fail) { " as failed" } else { "" };
        let place = self.branch.map(|branch| format!(" (on the branch {branch})")).unwrap_or_default();
        format!(
            "{} {}: {}{result}, attempt {} of {}, because {}{place}\n",
            screen.out.paint(Style::Cyan, self.task),
            self.name,
            screen.out.paint(Style::Bold, self.step.word()),
            self.attempt.saturating_add(1),
            self.max_attempts,
            self.why,
        )
    }
}

/// What became of work that was handed in, what shows it, and what comes next.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DoneDocument<'a> {
    /// The id of the task; `None` if it is not known.
    pub task: Option<&'a str>,
    /// What became of it.
    pub verdict: Verdict,
    /// The state of the task; `None` if the work was refused.
    pub state: Option<State>,
    /// Why the work was refused, or is not good enough; otherwise `None`.
    pub reason: Option<String>,
    /// What to do next.
    pub remedy: String,
    /// The steps that were committed, oldest first.
    pub evidence: Vec<RunStep<'a>>,
    /// The next step of the task or, if nothing is left to do for it, of the next one that is ready.
    pub next: Option<Unit<'a>>,
}

impl<'a> DoneDocument<'a> {
    /// Says that nothing could be taken in.
    #[must_use]
    pub fn refused(task: Option<&'a str>, reason: &str, remedy: &str) -> Self {
        Self {
            task,
            verdict: Verdict::Refused,
            state: None,
            reason: Some(reason.to_owned()),
            remedy: remedy.to_owned(),
            evidence: Vec::new(),
            next: None,
        }
    }
}

/// What became of work that was handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Verdict {
    /// The step is good enough.
    Pass,
    /// It is not, and its attempt has failed.
    Fail,
    /// It could not be taken: the reason says why, and `git arborist status` shows whether a part of it was committed.
    Refused,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_those_of_the_documents() {
        crate::schema::assert_committed_in_parts::<Unit<'_>>("next", "git arborist next --json");
        crate::schema::assert_committed_in_parts::<Units<'_>>("next-all", "git arborist next --all --json");
        crate::schema::assert_committed_in_parts::<DoneDocument<'_>>("done", "git arborist done --json");
    }
}
