//! Finds the version of the plan at each commit of a generated history, for the slow reader.

use std::collections::HashSet;

use super::make::{Made, PLANS};
use super::{LEAVES, MOVED, TREE};
use git_arborist::history::AnchorRule;

/// What a step is to the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PlanRelation {
    Counts,
    OtherName,
    NotNamed,
    OtherRun,
    OtherPlan,
}

/// Where the plan is, and what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct View {
    path: &'static str,
    content: Option<usize>,
}

/// The reading of the plan alone.
pub(super) struct SlowPlans<'a> {
    pub(super) made: &'a Made,
    pub(super) rule: AnchorRule,
}

impl SlowPlans<'_> {
    fn at(&self, place: usize, path: &str) -> Option<usize> {
        self.made.commits[place].files().get(path).copied()
    }

    fn head(&self) -> View {
        View { path: TREE, content: self.at(self.made.commits.len() - 1, TREE) }
    }

    /// What is seen at the parents of a commit, as far as no run begins between.
    fn ways_on(&self, place: usize, view: View) -> Vec<Option<View>> {
        let parents = &self.made.commits[place].parents;
        let is_step = self.made.what[place].carries_step();
        if is_step && parents.len() == 1 {
            return vec![Some(view)];
        }
        let mut on: Vec<_> =
            parents.iter().map(|&parent| self.version_at_parent(place, parent, view)).collect();
        if is_step && !on.is_empty() && on.iter().all(Option::is_none) {
            on[0] = Some(view);
        }
        on
    }

    fn version_at_parent(&self, child: usize, parent: usize, view: View) -> Option<View> {
        let (now, before) = (self.at(child, view.path), self.at(parent, view.path));
        if now == before {
            return Some(view);
        }
        if self.rule == AnchorRule::File {
            return None;
        }
        let now = now?;
        let Some(before) = before else {
            let path = if view.path == TREE { MOVED } else { TREE };
            let moved = self.at(parent, path).filter(|_| self.at(child, path).is_none())?;
            // The two versions of plan `a` have four of their nodes in common.
            let continues = || PLANS[now].zip(PLANS[moved]).is_some_and(|(now, moved)| now.0 == moved.0);
            let content = if now == moved { view.content } else { Some(moved) };
            return (now == moved || continues()).then_some(View { path, content });
        };
        let spec = PLANS[before]?.0;
        let continues = PLANS[now].is_none_or(|(now, ..)| now == spec);
        continues.then_some(View { content: Some(before), ..view })
    }

    /// The commit at which the run begins.
    pub(super) fn anchor(&self) -> Option<usize> {
        let (mut place, mut view) = (self.made.commits.len() - 1, self.head());
        loop {
            let parents = &self.made.commits[place].parents;
            if parents.is_empty() {
                let adds = self.at(place, view.path).is_some() && !self.made.what[place].carries_step();
                return adds.then_some(place);
            }
            let on = self.ways_on(place, view);
            let Some(first) = on.iter().position(Option::is_some) else { return Some(place) };
            (place, view) = (parents[first], on[first].unwrap());
        }
    }

    /// What each commit is to the plan, if it is about this task or phase; and what the commit that began the run is.
    pub(super) fn bearings(
        &self,
        inside: &[bool],
        anchor: Option<usize>,
        name: &str,
    ) -> (Vec<PlanRelation>, PlanRelation) {
        let mut at_anchor = Vec::new();
        let mut views: Vec<HashSet<View>> = vec![HashSet::new(); self.made.commits.len()];
        if let Some(head) = views.last_mut() {
            head.insert(self.head());
        }
        for place in (0..views.len()).rev() {
            for view in views[place].clone() {
                let parents = &self.made.commits[place].parents;
                for (&parent, on) in parents.iter().zip(self.ways_on(place, view)) {
                    at_anchor.extend(on.filter(|_| inside[place] && Some(parent) == anchor));
                    views[parent].extend(on.filter(|_| inside[place] && inside[parent]));
                }
            }
        }
        let relation = |place: usize| {
            let claim = self.made.claims[place];
            let best = views[place].iter().map(|view| self.relation(place, name, *view)).min();
            let is_of_another = claim.is_some_and(|claim| claim != TREE);
            best.unwrap_or(if is_of_another { PlanRelation::OtherPlan } else { PlanRelation::OtherRun })
        };
        let of_anchor = |place: usize| {
            let best = at_anchor.iter().map(|view| self.relation(place, name, *view)).min();
            best.unwrap_or_else(|| self.relation(place, name, self.head()))
        };
        ((0..views.len()).map(relation).collect(), anchor.map_or(PlanRelation::Counts, of_anchor))
    }

    /// Whether the plan was where tree files are moved to, at some of these commits: those of the run and the one that began it.
    pub(super) fn was_moved(&self, inside: &[bool]) -> bool {
        let mut views: Vec<HashSet<View>> = vec![HashSet::new(); self.made.commits.len()];
        if let Some(head) = views.last_mut() {
            head.insert(self.head());
        }
        for place in (0..views.len()).rev().filter(|place| inside[*place]) {
            for view in views[place].clone() {
                let parents = &self.made.commits[place].parents;
                for (&parent, on) in parents.iter().zip(self.ways_on(place, view)) {
                    views[parent].extend(on);
                }
            }
        }
        let of_run = views.iter().zip(inside).filter(|(_, inside)| **inside);
        of_run.flat_map(|(views, _)| views).any(|view| view.path == MOVED)
    }

    /// The same for a run that was landed: all its steps count but those that name another path than the plan had there. At its tip, the plan
    /// is where it is now, or where it was before.
    pub(super) fn bearings_of_landed(
        &self,
        inside: &[bool],
        base: usize,
        tip: usize,
        was_moved: bool,
    ) -> (Vec<PlanRelation>, PlanRelation) {
        let spec = |content: usize| PLANS[content].map(|plan| plan.0);
        let now = self.head().content.and_then(spec);
        let is_ours = |path: &&str| {
            let then = self.at(tip, path);
            then.is_some_and(|then| now.zip(spec(then)).is_none_or(|(now, then)| now == then))
        };
        let top = [TREE, MOVED].into_iter().take(1 + usize::from(was_moved)).find(is_ours).unwrap_or(TREE);
        let mut paths: Vec<HashSet<&str>> = vec![HashSet::new(); self.made.commits.len()];
        paths[tip].insert(top);
        let plans = SlowPlans { made: self.made, rule: AnchorRule::Plan };
        for place in (0..paths.len()).rev().filter(|place| inside[*place]) {
            for path in paths[place].clone() {
                let parents = &self.made.commits[place].parents;
                let is_step = self.made.what[place].carries_step() && parents.len() == 1;
                for &parent in parents {
                    let path = if path == TREE { TREE } else { MOVED };
                    let view = View { path, content: self.at(place, path) };
                    let on = plans.version_at_parent(place, parent, view).filter(|_| !is_step);
                    paths[parent]
                        .extend((inside[parent] || parent == base).then(|| on.map_or(path, |on| on.path)));
                }
            }
        }
        let relation = |place: usize| match self.made.claims[place] {
            Some(named) if paths[place].is_empty() && named != top => PlanRelation::OtherPlan,
            Some(named) if !paths[place].is_empty() && !paths[place].contains(named) => {
                PlanRelation::OtherPlan
            }
            _ => PlanRelation::Counts,
        };
        ((0..paths.len()).map(relation).collect(), relation(base))
    }

    /// Which commits are on a way from the head on which no merge dropped the name of a task, because it kept another.
    pub(super) fn taken(&self, inside: &[bool], leaf: usize) -> Vec<bool> {
        let mut taken = vec![HashSet::new(); self.made.commits.len()];
        if let Some(head) = taken.last_mut() {
            head.insert(self.head());
        }
        let name = |view: View| called(view.content.and_then(|content| PLANS[content]), LEAVES[leaf].0);
        for place in (0..taken.len()).rev() {
            for view in taken[place].clone() {
                let parents = &self.made.commits[place].parents;
                let ways = parents.iter().zip(self.ways_on(place, view));
                let on: Vec<(usize, View)> = ways
                    .filter(|(parent, _)| inside[place] && inside[**parent])
                    .filter_map(|(&parent, on)| Some((parent, on?)))
                    .collect();
                let is_kept = on.iter().any(|(_, on)| name(*on) == name(view));
                for (parent, on) in on {
                    taken[parent].extend((!is_kept || name(on) == name(view)).then_some(on));
                }
            }
        }
        taken.iter().map(|views| !views.is_empty()).collect()
    }

    fn relation(&self, place: usize, name: &str, view: View) -> PlanRelation {
        if self.made.claims[place].is_some_and(|claim| claim != view.path) {
            return PlanRelation::OtherPlan;
        }
        let Some(now) = self.head().content.and_then(|content| PLANS[content]) else {
            return PlanRelation::Counts;
        };
        let then = view.content.and_then(|content| PLANS[content]);
        match (called(then, name), called(Some(now), name)) {
            (then, now) if then == now => PlanRelation::Counts,
            (None, _) => PlanRelation::NotNamed,
            _ => PlanRelation::OtherName,
        }
    }
}

/// The name that a plan gives to a task.
fn called<'a>(plan: Option<(&'a str, &'a str, bool)>, task: &'a str) -> Option<&'a str> {
    let (_, first, has_second) = plan?;
    match task {
        "T1" => Some(first),
        "T10" => has_second.then_some("ten"),
        other => Some(other),
    }
}
