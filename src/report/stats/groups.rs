//! Adds up the numbers of a run, all together and in groups.

use std::collections::HashMap;

use serde::Serialize;

use super::figures::{AttemptOf, Figures, attempts_of, work_of};
use super::{GroupBy, StatsView};
use crate::plan::NodeIx;
use crate::record::{By, State};
use crate::report::show::StepView;

/// A part of the run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct StatsGroup {
    /// The id of a task or phase, or the name of an agent.
    pub(super) key: String,
    /// The name of the task or phase.
    pub(super) name: Option<String>,
    #[serde(flatten)]
    pub(super) figures: Figures,
}

/// The groups in the order in which they first appear.
#[derive(Default)]
struct Groups {
    places: HashMap<String, usize>,
    groups: Vec<StatsGroup>,
}

impl Groups {
    fn of(&mut self, key: String, name: Option<&str>) -> &mut Figures {
        let next = self.groups.len();
        let place = *self.places.entry(key.clone()).or_insert(next);
        if place == next {
            self.groups.push(StatsGroup { key, name: name.map(str::to_owned), figures: Figures::default() });
        }
        &mut self.groups[place].figures
    }
}

/// Who is named for a step that has no runner.
const UNKNOWN: &str = "unknown";
/// Who is named for the work of a person.
const PERSON: &str = "a person";

/// The numbers of all the tasks together.
pub(crate) fn total<'s>(tasks: impl Iterator<Item = TaskSteps<'s>>) -> Figures {
    let mut total = Figures::default();
    tasks.for_each(|task| task.add_to(&mut total));
    total
}

/// A task and its steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskSteps<'s> {
    pub(crate) state: State,
    pub(crate) steps: &'s [StepView],
}

impl TaskSteps<'_> {
    fn add_to(self, figures: &mut Figures) {
        let attempts = attempts_of(self.steps);
        let numbered: Vec<&AttemptOf<'_>> =
            attempts.iter().filter(|attempt| attempt.number.is_some()).collect();
        figures.add_task(self.state, count(numbered.len()));
        numbered.iter().for_each(|attempt| figures.add_attempt(&attempt.steps));
        let merges = attempts.iter().filter(|attempt| attempt.merge.is_some());
        merges.for_each(|attempt| figures.add_merge(&attempt.steps));
        attempts.iter().flat_map(|attempt| &attempt.steps).for_each(|step| figures.add_use(step));
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl StatsView<'_> {
    /// All of it together.
    pub(super) fn total(&self) -> Figures {
        total(self.tasks.leaves.iter().map(|leaf| self.task(*leaf)))
    }

    fn task(&self, leaf: NodeIx) -> TaskSteps<'_> {
        TaskSteps { state: self.tasks.plan_view.state(leaf), steps: self.tasks.steps_of(leaf) }
    }

    /// The groups.
    pub(super) fn groups(&self) -> Vec<StatsGroup> {
        let mut groups = Groups::default();
        match self.by {
            None => {}
            Some(GroupBy::Task) => self.by_node(&mut groups, |_, leaf| leaf),
            Some(GroupBy::Phase) => {
                self.by_node(&mut groups, |view, leaf| view.tasks.plan_view.tree.phase_of(leaf));
            }
            Some(by @ (GroupBy::Runner | GroupBy::Model)) => {
                self.tasks.leaves.iter().for_each(|leaf| self.by_runner(&mut groups, by, *leaf));
            }
        }
        groups.groups
    }

    fn by_node(&self, groups: &mut Groups, node_of: impl Fn(&Self, NodeIx) -> NodeIx) {
        for leaf in self.tasks.leaves {
            let node = self.tasks.plan_view.tree.node(node_of(self, *leaf));
            let figures = groups.of(node.id.to_string(), Some(&node.name));
            self.task(*leaf).add_to(figures);
        }
    }

    /// An attempt belongs to the one who did its work, and so do its tests; a task to the one who did its first attempt; and
    /// what a step has used to the one who did that step.
    fn by_runner(&self, groups: &mut Groups, by: GroupBy, leaf: NodeIx) {
        let attempts = attempts_of(self.tasks.steps_of(leaf));
        let numbered: Vec<_> = attempts.iter().filter(|attempt| attempt.number.is_some()).collect();
        if let Some(first) = numbered.first() {
            let figures = groups.of(name_of(by, work_of(first)), None);
            figures.add_task(self.tasks.plan_view.state(leaf), count(numbered.len()));
        }
        for attempt in numbered {
            let worker = name_of(by, work_of(attempt));
            groups.of(worker.clone(), None).add_attempt(&attempt.steps);
            for step in &attempt.steps {
                let is_agents = step.record.step.is_work_of_an_agent();
                let user = if is_agents { name_of(by, Some(step)) } else { worker.clone() };
                groups.of(user, None).add_use(step);
            }
        }
    }
}

fn name_of(by: GroupBy, step: Option<&StepView>) -> String {
    let Some(step) = step else { return UNKNOWN.to_owned() };
    match (&step.facts.runner, step.record.by) {
        (_, By::User) => PERSON.to_owned(),
        (None, By::Run | By::Reviewer) => UNKNOWN.to_owned(),
        (Some(runner), By::Run | By::Reviewer) if by == GroupBy::Model => runner.clone(),
        (Some(runner), By::Run | By::Reviewer) => {
            let names: Vec<&str> = runner.split(',').map(without_model).collect();
            names.join(",")
        }
    }
}

fn without_model(runner: &str) -> &str {
    runner.split_once('/').map_or(runner, |(name, _)| name)
}
