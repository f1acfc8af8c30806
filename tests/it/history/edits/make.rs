//! Makes random histories in which a plan is edited while its tasks are worked on, on two branches.

use std::collections::BTreeMap;

use crate::support::repo::Commit;
use proptest::prelude::*;

/// The tree file.
pub(super) const TREE: &str = "task-tree.json";
/// All tasks that a plan may have.
pub(super) const TASKS: [&str; 3] = ["T1", "T10", "T2"];

/// Something that happens in a history.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// A step of the task with this number.
    Work(usize, Work),
    /// A change of the tree file.
    Edit(Edit),
    /// The next commits go to the other branch, which begins here if there is none.
    Switch,
    /// The side branch is merged and ends.
    Merge(Keep),
    /// `main` is merged into the side branch.
    Update(Keep),
    /// A commit that concerns neither the plan nor a task.
    Other,
}

/// The step that a task has gone through.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    Implement,
    FailedTest,
    Failed,
    Complete,
}

/// A change of the tree file.
#[derive(Clone, Debug)]
pub(super) enum Edit {
    /// Another description.
    Reword(usize, u8),
    /// The same values with other white space, also inside of names.
    Reindent,
    /// The task is in the plan, again with the name that it had first.
    Add(usize),
    /// Another name.
    Rename(usize, u8),
    /// The task is not in the plan.
    Remove(usize),
    /// Another name of the whole plan.
    Spec(u8),
    /// No plan.
    Break,
    /// A revert of one of the last edits.
    Revert(usize),
}

/// Which version of the plan a merge keeps.
#[derive(Clone, Copy, Debug)]
pub(super) enum Keep {
    First,
    Second,
    Both,
}

/// The plan at a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    spec: u8,
    is_wide: bool,
    is_broken: bool,
    /// The number of the name, and that of the description.
    tasks: BTreeMap<usize, [u8; 2]>,
}

impl Plan {
    fn first() -> Self {
        let tasks = [0, 1].map(|task| (task, [0, 0]));
        Self { spec: 0, is_wide: false, is_broken: false, tasks: tasks.into() }
    }

    fn text(&self) -> String {
        if self.is_broken {
            return "{".to_owned();
        }
        let gap = if self.is_wide { "\n    " } else { " " };
        let node = |(task, [name, words]): (&usize, &[u8; 2])| {
            let id = TASKS[*task];
            format!(
                r#""{id}":{gap}{{"id": "{id}",{gap}"name": "the{gap}name {name}",{gap}"description": "words {words}"}}"#
            )
            .replace(&format!("the{gap}name"), if self.is_wide { "the  name" } else { "the name" })
        };
        let nodes: Vec<String> = self.tasks.iter().map(node).collect();
        format!(r#"{{"spec_id": "s{}", "nodes": {{{}}}}}"#, self.spec, nodes.join(&format!(",{gap}")))
    }

    /// What a three-way merge makes of two versions; the first one wins where both changed the same.
    fn merged(base: &Self, ours: &Self, theirs: &Self) -> Self {
        fn pick<T: PartialEq>(base: &T, ours: T, theirs: T) -> T {
            if ours == *base { theirs } else { ours }
        }
        let task = |task: usize| {
            let of = |plan: &Self| plan.tasks.get(&task).copied();
            Some((task, pick(&of(base), of(ours), of(theirs))?))
        };
        Self {
            spec: pick(&base.spec, ours.spec, theirs.spec),
            is_wide: pick(&base.is_wide, ours.is_wide, theirs.is_wide),
            is_broken: pick(&base.is_broken, ours.is_broken, theirs.is_broken),
            tasks: (0..TASKS.len()).filter_map(task).collect(),
        }
    }

    /// The plan after an edit that is not a revert.
    fn edited(&self, edit: &Edit) -> Self {
        let mut plan = self.clone();
        plan.is_broken = false;
        match *edit {
            Edit::Reword(task, words) => drop(plan.tasks.get_mut(&task).map(|fields| fields[1] = words)),
            Edit::Rename(task, name) => drop(plan.tasks.get_mut(&task).map(|fields| fields[0] = name)),
            Edit::Reindent => plan.is_wide = !plan.is_wide,
            Edit::Add(task) => drop(plan.tasks.entry(task).or_insert([0, 0])),
            Edit::Remove(task) if plan.tasks.len() > 1 => drop(plan.tasks.remove(&task)),
            Edit::Spec(spec) => plan.spec = spec,
            Edit::Break => plan.is_broken = true,
            Edit::Remove(_) | Edit::Revert(_) => {}
        }
        plan
    }
}

/// A branch while a history is made.
#[derive(Clone)]
struct Branch {
    tip: usize,
    plan: Plan,
}

/// A revert of an edit.
#[derive(Clone, Copy)]
pub(super) struct Revert {
    pub(super) place: usize,
    pub(super) reverted: usize,
}

/// A history while it is made.
pub(super) struct Made {
    pub(super) commits: Vec<Commit>,
    /// The places of reverts, and of the commits whose ids their messages must name.
    pub(super) reverts: Vec<Revert>,
    branches: [Option<Branch>; 2],
    active: usize,
    /// The plan that both branches had last.
    base: Plan,
    edits: Vec<Edited>,
}

/// An edit that was made.
struct Edited {
    place: usize,
    before: Plan,
    after: Plan,
}

impl Made {
    /// The history in which these events happen.
    pub(super) fn of(events: &[Event]) -> Self {
        let plan = Plan::first();
        let branches = [Some(Branch { tip: 0, plan: plan.clone() }), None];
        let mut made = Self {
            commits: Vec::new(),
            reverts: Vec::new(),
            branches,
            active: 0,
            base: plan.clone(),
            edits: Vec::new(),
        };
        made.push(&[], "Add a plan", &plan);
        events.iter().for_each(|event| made.happen(event));
        made.active = 0;
        made.plain("The last commit");
        made
    }

    fn here(&self) -> &Branch {
        self.branches[self.active].as_ref().expect("the active branch is there")
    }

    fn push(&mut self, parents: &[usize], message: &str, plan: &Plan) {
        let place = self.commits.len();
        // The clock of the side branch is ahead, so that dates alone would mislead.
        let time = 1_700_000_000 + i64::try_from(place + self.active * 7).unwrap();
        let files = vec![(TREE.to_owned(), Some(plan.text()))];
        self.commits.push(Commit { parents: parents.to_vec(), time, message: message.to_owned(), files });
        self.branches[self.active] = Some(Branch { tip: place, plan: plan.clone() });
    }

    fn plain(&mut self, message: &str) {
        let Branch { tip, plan } = self.here().clone();
        self.push(&[tip], message, &plan);
    }

    fn happen(&mut self, event: &Event) {
        match event {
            Event::Work(task, work) => self.plain(&step(TASKS[*task], *work)),
            Event::Other => self.plain("Something else"),
            Event::Edit(edit) => self.edit(edit),
            Event::Switch => {
                let other = 1 - self.active;
                if self.branches[other].is_none() {
                    self.branches[other] = self.branches[self.active].clone();
                    self.base = self.here().plan.clone();
                }
                self.active = other;
            }
            Event::Merge(keep) => {
                self.merge(0, *keep);
                self.branches[1] = None;
            }
            Event::Update(keep) => self.merge(1, *keep),
        }
    }

    fn edit(&mut self, edit: &Edit) {
        let Branch { tip, plan } = self.here().clone();
        let (message, edited) = match edit {
            Edit::Revert(number) => {
                let Some(edited) = self.edits.iter().rev().nth(*number) else { return };
                self.reverts.push(Revert { place: self.commits.len(), reverted: edited.place });
                ("Revert \"Edit the plan\"", Plan::merged(&edited.after, &plan, &edited.before))
            }
            _ => ("Edit the plan", plan.edited(edit)),
        };
        self.push(&[tip], message, &edited);
        self.edits.push(Edited { place: self.commits.len() - 1, before: plan, after: edited });
    }

    /// Merges the other branch into this one.
    fn merge(&mut self, into: usize, keep: Keep) {
        let [Some(first), Some(second)] = [&self.branches[into], &self.branches[1 - into]] else {
            self.active = 0;
            return;
        };
        let plan = match keep {
            Keep::First => first.plan.clone(),
            Keep::Second => second.plan.clone(),
            Keep::Both => Plan::merged(&self.base, &first.plan, &second.plan),
        };
        let parents = [first.tip, second.tip];
        self.active = into;
        self.base = plan.clone();
        if parents[0] != parents[1] {
            self.push(&parents, "Merge", &plan);
        }
    }
}

fn step(task: &str, work: Work) -> String {
    let (title, trailers) = match work {
        Work::Implement => {
            ("implement", "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n")
        }
        Work::FailedTest => {
            ("tests fail for", "Arborist-Step: test\nArborist-Test: fail\nArborist-Retry: 0\n")
        }
        Work::Failed => ("failed", "Arborist-Step: complete\nArborist-Result: fail\n"),
        Work::Complete => ("complete", "Arborist-Step: complete\nArborist-Result: pass\n"),
    };
    format!("task({task}): {title} \"x\"\n\n{trailers}")
}

/// Events for a history on a single branch, or on two.
pub(super) fn events(has_branches: bool) -> impl Strategy<Value = Vec<Event>> {
    let work = prop_oneof![
        5 => Just(Work::Complete),
        1 => Just(Work::Implement),
        1 => Just(Work::FailedTest),
        1 => Just(Work::Failed),
    ];
    // Much happens to one task, so that there is much to get wrong.
    let task = || prop_oneof![4 => Just(0), 1 => 1..TASKS.len()];
    let edit = prop_oneof![
        12 => (task(), 0..3_u8).prop_map(|(task, words)| Edit::Reword(task, words)),
        6 => Just(Edit::Reindent),
        9 => task().prop_map(Edit::Add),
        24 => (task(), 0..2_u8).prop_map(|(task, name)| Edit::Rename(task, name)),
        6 => task().prop_map(Edit::Remove),
        12 => (0..3_usize).prop_map(Edit::Revert),
        1 => (0..2_u8).prop_map(Edit::Spec),
        1 => Just(Edit::Break),
    ];
    let keep = prop_oneof![2 => Just(Keep::Both), 1 => Just(Keep::First), 1 => Just(Keep::Second)];
    let branching = u32::from(has_branches);
    let event = prop_oneof![
        8 => (task(), work).prop_map(|(task, work)| Event::Work(task, work)),
        7 => edit.prop_map(Event::Edit),
        1 => Just(Event::Other),
        3 * branching => Just(Event::Switch),
        2 * branching => keep.clone().prop_map(Event::Merge),
        branching => keep.prop_map(Event::Update),
    ];
    proptest::collection::vec(event, 1..32)
}
