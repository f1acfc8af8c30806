//! A slow reading of a history, which asks only `git log` and `git show` and shares nothing with the program.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::make::TREE;
use crate::support::repo::Repo;
use serde_json::Value;

/// What the tree file says: the name of the plan, and the names of its tasks.
#[derive(Debug, PartialEq, Eq)]
struct Version {
    spec: Option<String>,
    names: BTreeMap<String, String>,
    descriptions: BTreeMap<String, String>,
}

/// A commit as git shows it.
struct Seen {
    id: String,
    parents: Vec<usize>,
    time: i64,
    /// The task of a step, and whether the step completes it.
    step: Option<(String, bool)>,
    blob: Option<String>,
}

/// The reading of a history, whose commits come with parents before children.
pub(super) struct Slow {
    seen: Vec<Seen>,
    versions: HashMap<String, Option<Rc<Version>>>,
    /// For each commit, all commits from which it descends.
    ancestors: Vec<BTreeSet<usize>>,
}

impl Slow {
    pub(super) fn read(repo: &Repo) -> Self {
        let format = "--format=>%H|%P|%ct|%s|%(trailers:key=Arborist-Step,valueonly,separator=%x2C)|%(trailers:key=Arborist-Result,valueonly,separator=%x2C)";
        let text = repo.git(&[
            "log",
            "--topo-order",
            "--reverse",
            "--raw",
            "--no-abbrev",
            "--diff-merges=first-parent",
            format,
        ]);
        let (mut seen, mut places): (Vec<Seen>, HashMap<String, usize>) = (Vec::new(), HashMap::new());
        for line in text.lines() {
            if let Some(line) = line.strip_prefix('>') {
                let [id, parents, time, subject, step, result] = line.split('|').collect::<Vec<_>>()[..]
                else {
                    panic!("{line}")
                };
                let parents: Vec<usize> = parents.split_whitespace().map(|id| places[id]).collect();
                let task = subject.strip_prefix("task(").and_then(|rest| rest.split_once(')'));
                let task = task.filter(|_| !step.is_empty()).map(|(task, _)| task.to_owned());
                let blob = parents.first().and_then(|&parent| seen[parent].blob.clone());
                places.insert(id.to_owned(), seen.len());
                let step = task.map(|task| (task, step == "complete" && result == "pass"));
                seen.push(Seen { id: id.to_owned(), parents, time: time.parse().unwrap(), step, blob });
            } else if line.ends_with(&format!("\t{TREE}")) {
                let blob = line.split_whitespace().nth(3).unwrap().to_owned();
                seen.last_mut().unwrap().blob = Some(blob);
            }
        }
        let mut versions = HashMap::new();
        for blob in seen.iter().filter_map(|seen| seen.blob.clone()) {
            versions.entry(blob).or_insert_with_key(|blob| version(&repo.git(&["show", blob])));
        }
        let mut ancestors: Vec<BTreeSet<usize>> = Vec::new();
        for Seen { parents, .. } in &seen {
            let above =
                |&parent: &usize| ancestors[parent].iter().copied().chain([parent]).collect::<Vec<_>>();
            let all = parents.iter().flat_map(above).collect();
            ancestors.push(all);
        }
        Self { seen, versions, ancestors }
    }

    fn head(&self) -> usize {
        self.seen.len() - 1
    }

    fn version(&self, place: usize) -> Option<&Version> {
        self.versions[self.seen[place].blob.as_ref()?].as_deref()
    }

    fn name(&self, place: usize, task: &str) -> Option<&str> {
        self.version(place)?.names.get(task).map(String::as_str)
    }

    /// The tasks of the plan at the head; `None` if there is no plan.
    pub(super) fn tasks(&self) -> Option<Vec<String>> {
        Some(self.version(self.head())?.names.keys().cloned().collect())
    }

    /// Whether the run of a commit goes on at its parent.
    fn goes_on(&self, child: usize, parent: usize) -> bool {
        if self.seen[child].blob == self.seen[parent].blob {
            return true;
        }
        match (self.version(child), self.version(parent)) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(now), Some(before)) => now.spec == before.spec,
        }
    }

    /// The commit at which the run begins.
    fn anchor_place(&self) -> usize {
        let mut place = self.head();
        while let Some(&next) = self.seen[place].parents.iter().find(|&&parent| self.goes_on(place, parent)) {
            place = next;
        }
        place
    }

    pub(super) fn anchor(&self) -> String {
        self.seen[self.anchor_place()].id.clone()
    }

    /// The commits to which ways within the run lead.
    fn reached(&self) -> BTreeSet<usize> {
        let anchor = self.anchor_place();
        let is_inside = |place: &usize| *place != anchor && !self.ancestors[anchor].contains(place);
        let mut open: Vec<usize> = [self.head()].into_iter().filter(|place| is_inside(place)).collect();
        let mut reached = BTreeSet::new();
        while let Some(place) = open.pop() {
            if reached.insert(place) {
                let parents = self.seen[place].parents.iter().copied();
                open.extend(parents.filter(|parent| is_inside(parent) && self.goes_on(place, *parent)));
            }
        }
        reached
    }

    fn is_step_of(&self, place: usize, task: &str) -> bool {
        self.seen[place].step.as_ref().is_some_and(|(of, _)| of == task)
    }

    /// The steps of a task that count.
    pub(super) fn counting(&self, task: &str) -> BTreeSet<String> {
        self.counting_places(task).into_iter().map(|place| self.seen[place].id.clone()).collect()
    }

    fn counting_places(&self, task: &str) -> Vec<usize> {
        let mut steps = self.reached();
        steps.retain(|&place| self.is_step_of(place, task));
        let Some(now) = self.name(self.head(), task) else { return steps.into_iter().collect() };
        // Work under another name leaves nothing of what was done before, unless a merge kept the name of another parent.
        let taken = self.taken(task);
        let is_other =
            |place: &usize| taken.contains(place) && self.name(*place, task).is_some_and(|name| name != now);
        let others: Vec<usize> = steps.iter().copied().filter(is_other).collect();
        let counts = |place: &usize| {
            let is_redone = others.iter().any(|other| self.ancestors[*other].contains(place));
            self.name(*place, task) == Some(now) && !is_redone
        };
        steps.into_iter().filter(counts).collect()
    }

    /// The latest step of a task.
    pub(super) fn latest(&self, task: &str) -> Option<String> {
        let steps = self.counting_places(task);
        let is_last = |place: &&usize| !steps.iter().any(|other| self.ancestors[*other].contains(*place));
        let latest = steps.iter().filter(is_last).map(|&place| &self.seen[place]);
        latest.max_by_key(|seen| (seen.time, seen.id.clone())).map(|seen| seen.id.clone())
    }

    /// Whether a task is complete, and was described in other words when it was completed.
    pub(super) fn is_edited_since(&self, task: &str) -> bool {
        let latest = self.latest(task).and_then(|id| self.seen.iter().position(|seen| seen.id == id));
        let Some(place) = latest.filter(|place| self.completes(*place)) else { return false };
        let [then, now] = [place, self.head()].map(|place| self.version(place));
        let words = |version: &Version| version.descriptions.get(task).cloned();
        now.is_some_and(|now| then.and_then(words) != words(now))
    }

    fn completes(&self, place: usize) -> bool {
        self.seen[place].step.as_ref().is_some_and(|(_, completes)| *completes)
    }

    /// Whether a step was made while the plan gave its task the name that it has now.
    pub(super) fn has_present_name(&self, id: &str, task: &str) -> bool {
        let place = self.seen.iter().position(|seen| seen.id == id).expect("a commit of this history");
        let now = self.name(self.head(), task);
        now.is_none() || self.name(place, task) == now
    }

    /// Whether a commit gives the plan another `spec_id`, or leaves no plan.
    pub(super) fn has_several_runs(&self) -> bool {
        let spec = self.version(0).map(|version| &version.spec);
        (0..self.seen.len()).any(|place| self.version(place).map(|version| &version.spec) != spec)
    }

    /// The commits to which ways within the run lead on which no merge drops the name of the task.
    fn taken(&self, task: &str) -> BTreeSet<usize> {
        let inside = self.reached();
        let mut taken = BTreeSet::new();
        let mut open = vec![self.head()];
        while let Some(place) = open.pop() {
            if !inside.contains(&place) || !taken.insert(place) {
                continue;
            }
            let parents = self.seen[place].parents.iter().copied();
            let on: Vec<usize> =
                parents.filter(|parent| inside.contains(parent) && self.goes_on(place, *parent)).collect();
            let keeps = |parent: &usize| self.name(*parent, task) == self.name(place, task);
            let is_kept = on.iter().any(keeps);
            open.extend(on.iter().filter(|parent| !is_kept || keeps(parent)));
        }
        taken
    }

    /// The last step of a task if it completed the task, no other step of the same name may have come later, and the
    /// task did not change since. That is so if nothing was done under another name, or if the task kept its name on the
    /// main line, and what was done under another name was merged when the task still had that name there.
    pub(super) fn complete_and_unchanged(&self, task: &str) -> Option<String> {
        let now = self.name(self.head(), task)?;
        let is_at_or_above =
            |place: usize, other: usize| place == other || self.ancestors[place].contains(&other);
        let steps = (0..self.seen.len()).filter(|place| self.is_step_of(*place, task));
        let (same, others): (Vec<usize>, Vec<usize>) =
            steps.partition(|place| self.name(*place, task) == Some(now));
        let last = *same.last()?;
        if !self.completes(last) || !same.iter().all(|&place| is_at_or_above(last, place)) {
            return None;
        }
        let mut place = self.head();
        while let Some(&first) = self.seen[place].parents.first().filter(|_| place != last) {
            let came_in = |other: &&usize| is_at_or_above(place, **other) && !is_at_or_above(first, **other);
            let merged = self.seen[place].parents.get(1).copied().unwrap_or(place);
            let is_harmless =
                |other: &usize| self.name(*other, task).is_none() || self.name(merged, task) != Some(now);
            let is_main = is_at_or_above(first, last);
            if !others.iter().filter(came_in).all(is_harmless)
                || is_main && self.name(place, task) != Some(now)
            {
                return None;
            }
            if !is_main {
                break;
            }
            place = first;
        }
        // On a branch, nothing else may have happened to the task.
        let is_earlier = |other: &usize| self.name(*other, task).is_none() || is_at_or_above(last, *other);
        (place == last || others.iter().all(is_earlier)).then(|| self.seen[last].id.clone())
    }
}

/// The plan in a text; `None` if there is none.
fn version(text: &str) -> Option<Rc<Version>> {
    let plan: Value = serde_json::from_str(text).ok()?;
    let name = |(id, node): (&String, &Value)| {
        let words: Vec<&str> = node["name"].as_str().unwrap().split_whitespace().collect();
        (id.clone(), words.join(" "))
    };
    let names = plan["nodes"].as_object()?.iter().map(name).collect();
    let description = |(id, node): (&String, &Value)| (id.clone(), node["description"].to_string());
    let descriptions = plan["nodes"].as_object()?.iter().map(description).collect();
    Some(Rc::new(Version { spec: plan["spec_id"].as_str().map(str::to_owned), names, descriptions }))
}
