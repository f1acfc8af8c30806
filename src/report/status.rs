//! Prints the tree with the state of every task, as text, as one line and as JSON.

mod at_work;
mod effort;
mod frame;
mod json;
mod progress;
mod run_state;

use std::collections::HashMap;

use at_work::Detail;
pub use at_work::{AccountLeftAlone, RunAtWork, WaitAtWork};
pub use effort::{Effort, WorkedStep};
pub use progress::Progress;

use super::advice::{
    LastTask, after_failure, after_superseded, after_the_last_task, how_to_approve, only_to_merge,
    open_questions, phases_fail, tasks_done,
};
use super::plan_tree::{LineSelection, PlanTree};
use super::plan_view::PlanView;
use super::run_view::RunSource;
use super::task_counts::TaskCounts;
use super::text::{columns, cut, first_few, wrap};
use super::{Screen, Style};
use crate::plan::{NodeIx, Readiness};
use crate::record::{Doubt, EndedPhase, NotedCommit, OpenQuestion, State, StepCommit, TaskId};
use crate::text::{advice, pathspec_word};

/// How many columns the bar takes.
const BAR: usize = 16;
/// How many doubts are described in full.
const DOUBTS: usize = 3;
/// The title is not cut to fewer columns than this.
const TITLE_ROOM: usize = 12;

/// Everything that `status` prints.
#[derive(Clone, Debug)]
pub struct StatusView<'a> {
    /// The state of every task.
    pub plan_view: PlanView<'a>,
    /// The name of the work tree's folder, for a plan that has no name of its own.
    pub folder: &'a str,
    /// Where it was read.
    pub source: RunSource<'a>,
    /// The markers of the phases that are marked complete.
    pub marked: &'a HashMap<TaskId, StepCommit>,
    /// The doubts that the history leaves.
    pub doubts: &'a [Doubt],
    /// Commits that count and for which a run stops.
    pub refused: &'a [NotedCommit],
    /// What the steps of each task have taken, for the JSON document.
    pub effort: &'a HashMap<TaskId, Effort>,
    /// The name of the branch; `None` if HEAD is detached.
    pub branch: Option<&'a str>,
    /// The commands that are at work in the work trees of the repository.
    pub runs: &'a [RunAtWork],
    /// Who merges what workers on other machines have finished.
    pub integrator: Option<&'a str>,
    /// The open tasks of which a step was stopped, and nobody has worked on them since: what it left is saved.
    pub saved: &'a [TaskId],
    /// The branch on which everything is landed already.
    pub landed: Option<&'a str>,
    /// The file of the plan, if it is in no commit.
    pub uncommitted: Option<&'a str>,
    /// What is shown of the tree.
    pub selection: LineSelection<'a>,
}

impl StatusView<'_> {
    /// The tree with a line for each node, and advice if a run cannot simply continue.
    #[must_use]
    pub fn text(&self, screen: &Screen) -> String {
        let tally = self.tally();
        let mut text = self.top(tally, Detail::Full, screen);
        let tree = PlanTree { plan_view: &self.plan_view, running: self.plan_view.running(), screen };
        for line in tree.lines(self.selection) {
            text.push_str(&format!("{line}\n"));
        }
        for paragraph in self.bottom(tally, screen) {
            text.push_str(&format!("\n{paragraph}"));
        }
        text
    }

    /// The tasks that are complete on branches of their own.
    fn unmerged_tasks(&self) -> impl Iterator<Item = NodeIx> {
        let order = self.plan_view.tree.order().iter().copied();
        order.filter(|leaf| self.plan_view.is_unmerged(*leaf))
    }

    /// What a person may do about tasks that are complete on their branches while no run is at work.
    fn to_merge(&self) -> Option<String> {
        let ids: Vec<&str> = self.unmerged_tasks().map(|leaf| self.plan_view.id(leaf)).collect();
        let is_mine = self.active().is_none() && !self.plan_view.is_of_fleet();
        let first = self.unmerged_tasks().next().filter(|_| is_mine)?;
        Some(only_to_merge(&ids, &self.plan_view.task_branch(first)?.name))
    }

    /// The open questions, one paragraph each, with how to answer them.
    fn questions(&self) -> Vec<String> {
        let told = |open: &OpenQuestion| {
            format!("{}\n{}", open_questions(std::slice::from_ref(open)), self.plan_view.how_to_answer(open))
        };
        self.plan_view.questions().iter().map(told).collect()
    }

    /// The branches that are not merged yet, one line each.
    fn unmerged(&self) -> Option<String> {
        let roots = self.plan_view.tree.roots().iter();
        let line = |root: &NodeIx| {
            let branch = self.plan_view.branch(*root)?;
            Some(format!("{} is on the branch {branch}, which is not merged yet.", self.plan_view.id(*root)))
        };
        let lines: Vec<String> = roots.filter_map(line).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// The lines above the tree: how far the plan has come, and what a run does now.
    fn top(&self, tally: TaskCounts, detail: Detail, screen: &Screen) -> String {
        let mut text = self.header(tally, screen);
        let integrator = self.integrator.map(|name| format!("integrating: {name}"));
        let lines = self.run_lines(tally, detail).into_iter().chain(integrator);
        lines.for_each(|line| text.push_str(&run_line(&line, screen)));
        text
    }

    /// The paragraphs below the tree: doubts and advice. They are about the whole plan.
    fn bottom(&self, tally: TaskCounts, screen: &Screen) -> Vec<String> {
        if let LineSelection::Tasks(_) = self.selection {
            return Vec::new();
        }
        let paragraphs = self
            .questions()
            .into_iter()
            .chain(self.unmerged())
            .chain(self.to_merge())
            .chain(self.doubtful())
            .chain(self.saved_work())
            .chain(self.ends())
            .chain(self.advice(tally));
        paragraphs.map(|paragraph| paragraph.lines().map(|line| wrapped(line, screen)).collect()).collect()
    }

    /// What fails at the ends of phases, and what else they have found, one paragraph each.
    fn ends(&self) -> Vec<String> {
        let of_phase = |end: &EndedPhase| match end.has_failed() {
            true => vec![format!("{}: {}.", end.id, end.what())],
            false => end.findings.iter().map(|finding| format!("{}: {finding}", end.id)).collect(),
        };
        let mut told: Vec<String> = self.plan_view.ends().iter().flat_map(of_phase).collect();
        if self.plan_view.ends().iter().any(|end| !end.has_failed()) {
            told.push(after_superseded(&advice::gardener()));
        }
        told
    }

    /// What was saved of stopped steps, and how to go on.
    fn saved_work(&self) -> Option<String> {
        let first = self.saved.first().filter(|_| self.active().is_none())?;
        let saved = first_few(self.saved.iter().map(TaskId::as_str));
        Some(format!(
            "A step of {saved} was stopped, and what it left in the work tree is saved: {} restores it, and when you have \
             finished it, {} hands it in. {} lets an agent do the step again and tells it what is saved.",
            advice::rescue_apply(first),
            advice::done(first),
            advice::gardener()
        ))
    }

    /// The doubts that the history leaves, one paragraph each.
    fn doubtful(&self) -> Vec<String> {
        let paragraph = |what: &str, help: &str| format!("In doubt: {what};\n{help}.");
        let doubt = |doubt: &Doubt| paragraph(&doubt.what(), &doubt.help());
        let refused = self.refused.iter().map(|refused| paragraph(&refused.what, &refused.help));
        let mut paragraphs: Vec<String> = refused.chain(self.doubts.iter().take(DOUBTS).map(doubt)).collect();
        if let more @ 1.. = self.doubts.len().saturating_sub(DOUBTS) {
            paragraphs.push(format!("{more} more in doubt: {} names them all.", advice::check_run()));
        }
        paragraphs
    }

    fn tally(&self) -> TaskCounts {
        TaskCounts::of_all(&self.plan_view)
    }

    fn header(&self, tally: TaskCounts, screen: &Screen) -> String {
        let count = tasks_done(tally.complete, tally.skipped, tally.total);
        let bar = tally.bar(screen);
        let title = self.plan_view.tree.spec_id().unwrap_or(self.folder);
        let out = screen.out;
        let taken = columns(&count) + 2;
        let Some(room) = screen.width.map(|width| width.saturating_sub(taken)) else {
            return format!("{}  {count}  {bar}\n", out.paint(Style::Bold, title));
        };
        // On a narrow terminal, the numbers say more than the bar.
        let room_beside_bar = room.saturating_sub(BAR + 4);
        let (room, bar) = if room_beside_bar < columns(title).min(TITLE_ROOM) {
            (room, String::new())
        } else {
            (room_beside_bar, format!("  {bar}"))
        };
        let title = cut(title, room, screen.symbols);
        format!("{}  {count}{bar}\n", out.paint(Style::Bold, &title))
    }

    /// Advice if a run has not begun, has ended, or needs a decision.
    fn advice(&self, tally: TaskCounts) -> Option<String> {
        let failed_phases = self.plan_view.failed_phases();
        if self.active().is_some() {
            // While a run is at work, nothing can be tried again and nothing be handed in.
            let failed: Vec<NodeIx> = self.plan_view.in_state(State::Failed).collect();
            let failed = self.plan_view.ids(&failed).into_iter().chain(failed_phases);
            let told: Vec<String> =
                failed.map(|id| format!("{} says why {id} has failed.", advice::show(id))).collect();
            return (!told.is_empty()).then(|| told.join("\n"));
        }
        if !failed_phases.is_empty() {
            return Some(phases_fail(&failed_phases, &advice::gardener()));
        }
        if tally.done() == tally.total {
            let done = LastTask { tree: self.plan_view.tree, skipped: tally.skipped, landed: self.landed };
            return Some(after_the_last_task(done, |phase| self.marked.contains_key(phase)));
        }
        let failed: Vec<NodeIx> = self.plan_view.in_state(State::Failed).collect();
        if let Some(first) = failed.first().copied() {
            let ready: Vec<NodeIx> = self.plan_view.readiness.ready().collect();
            let (failed, ready) = (self.plan_view.ids(&failed), self.plan_view.ids(&ready));
            let branch = self.plan_view.branch_for(first).filter(|branch| Some(*branch) != self.branch);
            let have = if failed.len() == 1 { "has" } else { "have" };
            let names = first_few(failed.iter().copied());
            return Some(format!(
                "{names} {have} failed. {}",
                after_failure(&failed, &ready, branch, &advice::gardener())
            ));
        }
        let readiness = &self.plan_view.readiness;
        let held = |leaf: &&NodeIx| readiness.of(**leaf) == Readiness::Held;
        if let (Some(leaf), None) = (self.plan_view.tree.order().iter().find(held), self.active()) {
            return Some(how_to_approve(self.plan_view.id(*leaf)));
        }
        let is_claimed = |leaf: &NodeIx| self.plan_view.claimant(*leaf).is_some();
        let is_new = tally.is_untouched()
            && self.active().is_none()
            && self.saved.is_empty()
            && !self.plan_view.is_of_fleet()
            && !self.plan_view.tree.order().iter().any(is_claimed);
        if let (true, Some(file)) = (is_new, self.uncommitted) {
            let file = pathspec_word(file);
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

/// A line, broken to the width of the terminal, with its end.
fn wrapped(line: &str, screen: &Screen) -> String {
    let lines = screen.width.map_or_else(|| vec![line.to_owned()], |width| wrap(line, width));
    format!("{}\n", lines.join("\n"))
}

/// A line about a run. Its first word says in colour what the run does.
fn run_line(line: &str, screen: &Screen) -> String {
    let text = wrapped(line, screen);
    let end = text.find([':', ';', ' ']).unwrap_or(0);
    format!("{}{}", screen.out.paint(Style::Yellow, &text[..end]), &text[end..])
}
