//! What a person may do next: the paragraphs that `status` shows below the tree.

use super::RunDocument;
use crate::plan::Readiness;
use crate::record::{EndedPhase, State, TaskId};
use crate::report::advice::{
    LastTask, after_failure, after_superseded, after_the_last_task, approvals, only_to_merge, open_questions,
    phases_fail,
};
use crate::report::text::first_few;
use crate::text::{advice, pathspec_word};

/// How many doubts are described in full.
const DOUBTS: usize = 3;

impl RunDocument<'_> {
    /// The same document with what a person may do, where everything else is known.
    #[must_use]
    pub fn with_advice(mut self) -> Self {
        let paragraphs = self.questions().into_iter().chain(self.unmerged_phases()).chain(self.to_merge());
        let paragraphs = paragraphs
            .chain(self.doubtful())
            .chain(self.killed())
            .chain(self.saved_work())
            .chain(self.ends());
        self.advice = paragraphs.chain(self.approvals()).chain(self.what_next()).collect();
        self
    }

    /// The open questions, one paragraph each, with how to answer them.
    fn questions(&self) -> Vec<String> {
        let questions = self.known.questions.iter();
        questions
            .map(|open| {
                format!("{}\n{}", open_questions(std::slice::from_ref(open)), self.how_to_answer(open))
            })
            .collect()
    }

    /// How a person approves what waits for that. While a run is at work, nothing can be recorded.
    fn approvals(&self) -> Option<String> {
        approvals(&self.ids_where(|task| task.readiness == Readiness::Held))
            .filter(|_| self.run.at_work.is_none())
    }

    /// The branches of phases that are not merged yet, one line each.
    fn unmerged_phases(&self) -> Option<String> {
        let line =
            |id: &str, branch: &str| format!("{id} is on the branch {branch}, which is not merged yet.");
        let phases = self.phases.iter();
        let lines: Vec<String> = phases.filter_map(|phase| Some(line(phase.id, phase.branch?))).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// What a person may do about tasks that are complete on their branches while no run is at work.
    fn to_merge(&self) -> Option<String> {
        let is_mine = self.run.at_work.is_none() && !self.is_of_fleet();
        let first = self.tasks.iter().find(|task| task.unmerged).filter(|_| is_mine)?;
        Some(only_to_merge(&self.ids_where(|task| task.unmerged), first.branch?))
    }

    /// The doubts that the history leaves, one paragraph each.
    fn doubtful(&self) -> Vec<String> {
        let told = self.doubts.iter().take(self.refused + DOUBTS);
        let mut told: Vec<String> =
            told.map(|doubt| format!("In doubt: {}; {}.", doubt.what, doubt.help)).collect();
        if let more @ 1.. = self.doubts.len() - told.len() {
            told.push(format!("{more} more in doubt: {} names them all.", advice::check_run()));
        }
        told
    }

    /// What becomes of a step in the middle of which a run was killed.
    fn killed(&self) -> Option<String> {
        let task = self.interrupted.filter(|_| self.run.at_work.is_none())?;
        Some(format!(
            "A run was stopped in the middle of a step of {task}: the next {} saves what it left, and goes on.",
            advice::gardener()
        ))
    }

    /// What was saved of stopped steps, and how to go on.
    fn saved_work(&self) -> Option<String> {
        let first = self.saved.first().filter(|_| self.run.at_work.is_none())?;
        let saved = first_few(self.saved.iter().map(TaskId::as_str));
        Some(format!(
            "A step of {saved} was stopped, and what it left in the work tree is saved: {} restores it, and when you have \
             finished it, {} hands it in. {} lets an agent do the step again and tells it what is saved.",
            advice::rescue_apply(first),
            advice::done(first),
            advice::gardener()
        ))
    }

    /// What fails at the ends of phases, and what else they have found, one paragraph each.
    fn ends(&self) -> Vec<String> {
        let of_phase = |end: &EndedPhase| match end.has_failed() {
            true => vec![format!("{}: {}.", end.id, end.what())],
            false => end.findings.iter().map(|finding| format!("{}: {finding}", end.id)).collect(),
        };
        let mut told: Vec<String> = self.known.ends.iter().flat_map(of_phase).collect();
        if self.known.ends.iter().any(|end| !end.has_failed()) {
            told.push(after_superseded(&advice::gardener()));
        }
        told
    }

    /// What to do if a run has not begun, has ended, or needs a decision.
    fn what_next(&self) -> Option<String> {
        let failed_phases = self.failed_phases();
        let failed = self.ids_where(|task| task.state == State::Failed);
        if self.run.at_work.is_some() {
            // While a run is at work, nothing can be tried again and nothing be handed in.
            let told = failed.into_iter().chain(failed_phases);
            let told: Vec<String> =
                told.map(|id| format!("{} says why {id} has failed.", advice::show(id))).collect();
            return (!told.is_empty()).then(|| told.join("\n"));
        }
        if !failed_phases.is_empty() {
            let suspects: Vec<TaskId> = self.known.ends.iter().flat_map(|end| end.suspects.clone()).collect();
            return Some(phases_fail(&failed_phases, &suspects, &advice::gardener()));
        }
        if self.counts.done() == self.counts.total {
            let done = LastTask { tree: self.plan, skipped: self.counts.skipped, landed: self.landed };
            let marked = self.known.marked;
            return Some(after_the_last_task(done, |phase| {
                marked.is_some_and(|all| all.contains_key(phase))
            }));
        }
        if let Some(first) = self.tasks.iter().find(|task| task.state == State::Failed) {
            let branch = self.branch_for(first).filter(|branch| Some(*branch) != self.branch);
            let have = if failed.len() == 1 { "has" } else { "have" };
            let names = first_few(failed.iter().copied());
            let then =
                after_failure(&failed, &self.ids_where(|task| task.ready), branch, &advice::gardener());
            return Some(format!("{names} {have} failed. {then}"));
        }
        let is_new = self.counts.is_untouched()
            && self.saved.is_empty()
            && self.interrupted.is_none()
            && !self.is_of_fleet()
            && self.tasks.iter().all(|task| task.claimant.is_none());
        if is_new && self.anchor.is_none() {
            let file = pathspec_word(self.tree);
            return Some(format!(
                "The plan is in no commit yet: `git add {file} && git commit -m \"Add the plan\"` commits it."
            ));
        }
        is_new.then(|| {
            format!(
                "Nothing has been done yet: {} works on one task, {} on all.",
                advice::garden_any(),
                advice::gardener()
            )
        })
    }
}
