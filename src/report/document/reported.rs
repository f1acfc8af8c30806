//! What a report adds to the document of a run: how the branches were merged, what a person should look at, and one sentence that
//! says how the run has ended, or how far it has come, and with which evidence.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::figures::total;
use super::look::look_at;
use super::{
    CodeChange, Effort, LookAt, Merge, PhaseReport, Report, RunDocument, RunPhase, RunStep, RunTask,
    StepView, TaskCounts,
};
use crate::plan::NodeIx;
use crate::record::{CommitId, Landing, ProofRecord, ProofRun, RunWord, State, TaskId, TaskWord};
use crate::report::text::first_few;
use crate::text::advice;

/// What a report is made from besides the state of the tasks.
#[derive(Clone, Debug)]
pub struct ReportInput<'a> {
    /// The steps of every task, oldest first.
    pub steps: &'a HashMap<TaskId, Vec<StepView>>,
    /// The commits that have landed the work of tasks.
    pub landed: &'a HashMap<TaskId, CommitId>,
    /// The tasks that are shown, in the order of execution.
    pub leaves: &'a [NodeIx],
    /// The nodes that were asked for; none for the whole plan.
    pub nodes: &'a [String],
    /// The commit on which the run is said to begin in the trailers of the body; `None` if nothing can be said.
    pub base: Option<CommitId>,
    /// The tasks whose step that counts is on another branch than the one that is reported.
    pub elsewhere: &'a HashSet<TaskId>,
    /// The commits of the branch since the run began, along first parents, newest first, each followed by its parents.
    pub line: &'a [Vec<CommitId>],
    /// What the steps have changed, by their commits.
    pub changes: &'a HashMap<CommitId, CodeChange>,
    /// The command that fetches the commits of the run, if they are recorded.
    pub fetch: Option<String>,
}

impl<'a> RunDocument<'a> {
    /// Makes it the report of these tasks.
    pub fn add_report(&mut self, input: &ReportInput<'a>) {
        for task in &mut self.tasks {
            task.unmerged = task.state.is_done() && input.elsewhere.contains(task.id);
        }
        let trailers = self.landing_trailers(input.base);
        for leaf in input.leaves {
            let id = &self.plan.node(*leaf).id;
            let steps = input.steps.get(id).map(Vec::as_slice).unwrap_or_default();
            self.add_steps(*leaf, steps, input.landed.get(id).copied(), Some(input.changes));
        }
        self.keep_tasks(input.leaves);
        self.counts = TaskCounts::of(&self.tasks);
        self.effort = Effort::sum(self.tasks.iter().map(|task| task.effort));
        let shown = |phase: &RunPhase<'a>| self.tasks_below(phase.node).next().is_some();
        let mut phases: Vec<RunPhase<'a>> =
            self.phases.iter().filter(|phase| shown(phase)).cloned().collect();
        for phase in &mut phases {
            let figures = total(self.tasks_below(phase.node));
            phase.report = Some(PhaseReport { figures, groups: self.groups(phase.node) });
        }
        self.phases = phases;
        self.run.state = self.state();
        let look = look_at(&self.tasks, &self.phases, &self.doubts[self.refused..]);
        let times = |task: &RunTask<'_>| task.steps.as_ref().map(|steps| (steps.began, steps.ended));
        let prove = match self.tasks.iter().any(RunTask::is_complete) {
            true => Some(self.prove_command(input.fetch.as_deref())),
            false => None,
        };
        self.report = Some(Report {
            verdict: verdict(&self.tasks, &self.phases, &look),
            nodes: input.nodes.to_vec(),
            began: self.tasks.iter().filter_map(|task| times(task)?.0).min(),
            ended: self.tasks.iter().filter_map(|task| times(task)?.1).max(),
            total: total(self.tasks.iter()),
            look,
            merges: self.merges(input.line),
            prove,
            trailers,
        });
    }

    /// What only a report tells.
    ///
    /// # Panics
    /// If it is no report.
    pub(crate) fn report(&self) -> &Report {
        self.report.as_ref().expect("a view of a report is given a report")
    }

    /// The command that repeats the proof, after one that fetches the commits of the run.
    fn prove_command(&self, fetch: Option<&str>) -> String {
        let prove = match (&self.anchor, self.head) {
            (Some(anchor), Some(head)) => advice::prove_one(format_args!("{anchor}..{head}")).line(),
            _ => advice::prove().line(),
        };
        fetch.map_or(prove.clone(), |fetch| format!("{fetch} && {prove}"))
    }

    /// Also of tasks that are not shown: a merge brings the work of all that are merged here.
    fn landing_trailers(&self, base: Option<CommitId>) -> Vec<String> {
        let Some((base, head)) = base.zip(self.head) else { return Vec::new() };
        let those_in = |state: State| {
            self.tasks
                .iter()
                .filter(move |task| task.state == state && !task.unmerged)
                .map(|task| task.id.clone())
                .collect()
        };
        let Some(landing) = Landing::new(those_in(State::Complete), base, head) else { return Vec::new() };
        // git itself reads the last block.
        let skipped = Landing::skipping(those_in(State::Skipped), base, head);
        let blocks =
            skipped.map(|skipped| skipped.trailers() + "\n").unwrap_or_default() + &landing.trailers();
        blocks.lines().map(str::to_owned).collect()
    }

    /// The merges of tasks and phases that are shown, in the order of the branch of the run. A failed one follows the merge because
    /// of which it failed.
    fn merges(&self, line: &[Vec<CommitId>]) -> Vec<Merge> {
        let steps: HashMap<CommitId, (&TaskId, &RunStep<'_>)> = self
            .tasks
            .iter()
            .flat_map(|task| task.all_steps().map(move |step| (step.commit, (task.id, step))))
            .collect();
        let marker = |phase: &RunPhase<'a>| Some((phase.marker?.commit, phase.id));
        let markers: HashMap<CommitId, &str> = self.phases.iter().filter_map(marker).collect();
        let (mut found, mut places) = (Vec::new(), HashMap::new());
        for (place, line) in line.iter().rev().enumerate() {
            let Some((commit, parents)) = line.split_first() else { continue };
            places.insert(*commit, place);
            // A step that merges the branch of the run is no merge of a branch into it.
            let Some(tip) = parents.get(1).filter(|_| !steps.contains_key(commit)) else { continue };
            let (task, phase, claimant) = match (steps.get(tip), markers.get(tip)) {
                // It came with the base, and not from the branch of a task.
                (Some((_, step)), _) if step.facts.landed => continue,
                (Some((task, step)), _) => (Some(task.to_string()), None, step.claimant.map(str::to_owned)),
                (None, Some(phase)) => (None, Some((*phase).to_owned()), None),
                (None, None) => continue,
            };
            found.push((place, Merge { task, phase, commit: *commit, merged: true, reason: None, claimant }));
        }
        // The failed merges by their times, each with the place of the commit into which the task was to be merged.
        let failed = steps.values().filter_map(|(task, step)| {
            let merge = Merge {
                task: Some(task.to_string()),
                phase: None,
                commit: step.commit,
                merged: false,
                reason: step.not_merged.map(str::to_owned),
                claimant: step.claimant.map(str::to_owned),
            };
            let onto = step.facts.not_merged_onto()?;
            Some((places.get(&onto).copied().unwrap_or(usize::MAX), step.time, merge))
        });
        let mut failed: Vec<_> = failed.collect();
        failed.sort_by(|a, b| (a.0, a.1, &a.2.task).cmp(&(b.0, b.1, &b.2.task)));
        found.extend(failed.into_iter().map(|(place, _, merge)| (place, merge)));
        // The sort is stable: what could not be merged into a commit comes after the merge that made it.
        found.sort_by_key(|(place, _)| *place);
        found.into_iter().map(|(_, merge)| merge).collect()
    }
}

/// The sentence, without a full stop.
fn verdict(tasks: &[RunTask<'_>], phases: &[RunPhase<'_>], look: &[LookAt]) -> String {
    let complete: Vec<&RunTask<'_>> = tasks.iter().filter(|task| task.is_complete()).collect();
    let mut parts = vec![match (complete.len(), tasks.len()) {
        (1, 1) => "1 task complete".to_owned(),
        (some, all) if some == all => format!("{all} tasks complete"),
        (some, all) => format!("{some} of {all} tasks complete"),
    }];
    for state in [State::Failed, State::Skipped] {
        let number = tasks.iter().filter(|task| task.state == state && !task.unmerged).count();
        if number > 0 {
            parts.push(format!("{number} {}", state.word()));
        }
    }
    let red = first_few(phases.iter().filter(|phase| phase.failed_tests.is_some()).map(|phase| phase.id));
    if !red.is_empty() {
        parts.push(format!("the tests of {red} fail"));
    }
    let unmerged = tasks.iter().filter(|task| task.unmerged).count();
    if unmerged > 0 {
        parts.push(format!("{unmerged} not merged yet"));
    }
    let landed = complete.iter().filter(|task| task.evidence().landed).count();
    if landed > 0 {
        parts.push(format!("{} landed", share(landed, complete.len())));
    }
    let complete: Vec<&RunTask<'_>> = complete.into_iter().filter(|task| !task.evidence().landed).collect();
    if !complete.is_empty() {
        let tested = complete.iter().filter(|task| task.evidence().tested.is_some()).count();
        parts.push(match (tested, complete.len()) {
            (1, 1) if tasks.len() == 1 => "its tests pass".to_owned(),
            (1, 1) => "tests pass for the complete one".to_owned(),
            (tested, all) => format!("tests pass for {}", share(tested, all)),
        });
        parts.extend(proofs(&complete));
        parts.push(approvals(&complete));
    }
    parts.push(match look.len() {
        0 => "nothing to look at".to_owned(),
        1 => "1 thing to look at".to_owned(),
        many => format!("{many} things to look at"),
    });
    parts.join(", ")
}

fn share(part: usize, whole: usize) -> String {
    match part {
        0 => "none of them".to_owned(),
        part if part == whole && whole == 1 => "it".to_owned(),
        part if part == whole => format!("all {whole}"),
        part => part.to_string(),
    }
}

/// How many of these tasks are proven; `None` if none is.
fn proofs(complete: &[&RunTask<'_>]) -> Option<String> {
    let proven = complete.iter().map(|task| task.evidence());
    let proven = proven.filter(|evidence| evidence.word == Some(TaskWord::Proven));
    let proven: Vec<&ProofRecord> = proven.filter_map(|evidence| evidence.proof.as_ref()).collect();
    // Proofs may be made without the run on a clean checkout.
    let is_clean = proven.iter().all(|proof| proof.run(ProofRun::Clean) == Some(RunWord::Pass));
    let place = match (is_clean, proven.len()) {
        (_, 0) => return None,
        (false, _) => "",
        (true, 1) => " on a clean checkout",
        (true, _) => " on clean checkouts",
    };
    Some(match complete.len() {
        1 => format!("proven{place}"),
        all => format!("{} proven{place}", share(proven.len(), all)),
    })
}

fn approvals(complete: &[&RunTask<'_>]) -> String {
    let reviewers: BTreeSet<&str> =
        complete.iter().filter_map(|task| task.evidence().reviewer.as_deref()).collect();
    let approved = complete.iter().filter(|task| task.evidence().reviewed.is_some()).count();
    let by = match reviewers.len() {
        0 => return "not reviewed".to_owned(),
        1..=3 => format!(" by {}", reviewers.into_iter().collect::<Vec<_>>().join(" and ")),
        many => format!(" by {many} reviewers"),
    };
    if approved == complete.len() { format!("approved{by}") } else { format!("{approved} approved{by}") }
}
