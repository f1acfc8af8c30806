//! What is said of a task beside its name.

use super::{Presence, RunDocument, RunTask};
use crate::plan::Readiness;
use crate::record::{Attempt, OpenQuestion, State, TaskId, TaskWord, UNTESTED};
use crate::report::advice::{how_to_answer, how_to_answer_later};
use crate::report::mark::TaskMark;
use crate::report::text::{ago, first_few};
use crate::workflow::NextAction;

impl<'a> RunDocument<'a> {
    /// The open question about a task.
    pub(crate) fn question_about(&self, task: &TaskId) -> Option<&'a OpenQuestion> {
        self.known.questions.iter().find(|open| open.task == *task)
    }

    /// The branch of its own on which a task is worked on.
    #[must_use]
    pub fn branch_for(&self, task: &RunTask<'_>) -> Option<&'a str> {
        self.known.branches.branch_for(task.id, &self.plan.node(self.plan.phase_of(task.leaf)).id)
    }

    /// How a person answers a question now: beside workers, nothing can be recorded.
    pub(crate) fn how_to_answer(&self, open: &OpenQuestion) -> String {
        let beside_workers = self.running().iter().any(|step| step.slot.is_some());
        if beside_workers { how_to_answer_later(open) } else { how_to_answer(open) }
    }

    /// The most important word of the remark on a task.
    pub(crate) fn short_remark(&self, task: &RunTask<'_>) -> &'static str {
        match (task.mark(), self.known.presence) {
            _ if task.unmerged => "not merged",
            _ if task.proof == Some(TaskWord::VouchedFor) => "vouched for",
            _ if matches!(task.readiness, Readiness::Held | Readiness::Asked) => "waits",
            (TaskMark::Active, Presence::Stopped) => "stopped",
            (TaskMark::Active, _) => TaskMark::Active.word(),
            _ => task.state.word(),
        }
    }

    /// The remark in parentheses after a task: its state, and other useful facts.
    pub(crate) fn remark(&self, task: &RunTask<'_>) -> String {
        if let Some(step) = task.running {
            return step.remark();
        }
        let mut parts = Vec::new();
        if TaskMark::of(task.state) == TaskMark::Active {
            // Its latest step is over, so its word would be wrong.
            match self.known.presence {
                _ if matches!(task.readiness, Readiness::Held | Readiness::Asked) => {}
                Presence::Stopped => parts.push("stopped".to_owned()),
                Presence::Fleet if task.claimant.is_none() => parts.push("given back".to_owned()),
                Presence::Fleet | Presence::AtWork(_) | Presence::Unknown => {}
            }
            parts.extend(task.latest.and_then(|step| step.record.shown_stage()).map(str::to_owned));
            parts.extend(task.next_words().map(|next| format!("next: {next}")));
            parts.extend(task.latest.map(|step| format!("last step {}", ago(self.known.now, step.time))));
        } else if task.state != State::Pending || task.readiness != Readiness::Blocked {
            parts.push(task.state.word().to_owned());
        }
        if task.unmerged {
            parts.push("not merged yet".to_owned());
        }
        parts.extend(task.claimant.map(|claimant| format!("claimed by {claimant}")));
        parts.extend(task.known_words().map(str::to_owned));
        if task.plan_edited {
            parts.push("plan edited since".to_owned());
        }
        parts.extend(self.readiness_words(task));
        if !task.state.is_done() && !task.is_tested {
            parts.push(UNTESTED.to_owned());
        }
        parts.join(", ")
    }

    /// Whether a task can be worked on, and if not, why.
    fn readiness_words(&self, task: &RunTask<'_>) -> Option<String> {
        match task.readiness {
            Readiness::Blocked => Some(format!("blocked by {}", first_few(task.blocked_by.iter().copied()))),
            Readiness::Waiting => {
                let ids = self.ids(&self.readiness.waits_for(task.leaf));
                Some(format!("after {}", first_few(ids.into_iter())))
            }
            // Somebody has begun already.
            Readiness::Ready if task.claimant.is_some() => None,
            Readiness::Ready if task.state == State::Pending => {
                Some(if self.next_leaf == Some(task.leaf) { "next" } else { "ready" }.to_owned())
            }
            Readiness::Held => Some("waits for your approval".to_owned()),
            Readiness::Asked | Readiness::Ready | Readiness::Done | Readiness::Failed => None,
        }
    }
}

impl RunTask<'_> {
    /// Its state as people read it, in a report.
    pub(crate) fn shown(&self) -> String {
        if self.awaits_approval {
            return "waits for your approval".to_owned();
        }
        let stage = self.latest.and_then(|step| step.record.shown_stage()).unwrap_or(self.state.in_words());
        format!("{stage}{}", if self.unmerged { ", not merged yet" } else { "" })
    }

    /// What is known of it, in words, if it is not what everybody expects of a complete task.
    pub(crate) fn known_words(&self) -> Option<&'static str> {
        let is_said = |word: &TaskWord| {
            *word != TaskWord::Tested || self.latest.is_some_and(|step| step.record.proof.is_some())
        };
        self.proof.filter(is_said).map(TaskWord::shown)
    }

    /// What a run would do next with it, in words: `implement 2/5`; `None` if it is done or waits for a person.
    pub(crate) fn next_words(&self) -> Option<String> {
        match self.action {
            NextAction::Run { step, merge: Some(merge), .. } if step.is_part_of_an_attempt() => {
                Some(format!("{}, attempt {} to merge", step.word(), merge.saturating_add(1)))
            }
            NextAction::Run { step, attempt, .. } if step.is_part_of_an_attempt() => {
                Some(format!("{} {}", step.word(), Attempt::new(attempt, self.max_attempts)))
            }
            NextAction::Run { step, .. } => Some(step.word().to_owned()),
            NextAction::GiveUp => Some("record that it failed".to_owned()),
            NextAction::AwaitApproval { .. }
            | NextAction::AwaitAnswer
            | NextAction::Done
            | NextAction::Failed => None,
        }
    }
}
