//! Awaited tests: tests that were written before the code which makes them pass. The complete commit of the task that wrote
//! them names those that fail, and that of a later task, or of a phase, those that have passed since. A landed commit says the same
//! of its tasks, right above its trailers.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::lists::List;
use super::{By, Outcome, StepRecord, TaskId};

/// What a step says about awaited tests, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwaitedChange {
    /// The tests of this task that fail, and that a later task has to make pass.
    pub awaited: BTreeSet<String>,
    /// The tests that were awaited and pass now.
    pub passed: BTreeSet<String>,
    /// The tests that fail and were awaited before this task. Only test steps list them.
    pub still: BTreeSet<String>,
}

impl AwaitedChange {
    /// What the complete commit of the task says, according to its last test step.
    #[must_use]
    pub fn to_complete(self) -> Self {
        Self { still: BTreeSet::new(), ..self }
    }

    /// What two steps say together, of which the other one comes next.
    #[must_use]
    pub fn then(mut self, next: Self) -> Self {
        for name in next.passed {
            // A name that the first step awaited and the next one has passed needs no mention any more.
            if !self.awaited.remove(&name) {
                self.passed.insert(name);
            }
        }
        self.passed.retain(|name| !next.awaited.contains(name));
        self.awaited.extend(next.awaited);
        self.still = next.still;
        self
    }

    /// The lists as paragraphs of a message; empty if there are none.
    #[must_use]
    pub fn paragraphs(&self) -> String {
        let written = |(list, names): (List, &BTreeSet<String>)| {
            let lines = list.lines((1..).zip(names.iter().cloned()));
            let lines: Vec<String> = lines.iter().map(|line| line.written(usize::MAX)).collect();
            (!lines.is_empty()).then(|| lines.join("\n"))
        };
        let Self { awaited, passed, still } = self;
        let lists = [(List::Awaited, awaited), (List::NoLongerAwaited, passed), (List::StillAwaited, still)];
        lists.into_iter().filter_map(written).collect::<Vec<_>>().join("\n\n")
    }

    /// Takes in a paragraph of a message if it is nothing but such a list. Returns whether it is.
    pub(super) fn take_paragraph(&mut self, paragraph: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(paragraph) else { return false };
        let lists = [(List::Awaited, &mut self.awaited), (List::NoLongerAwaited, &mut self.passed)];
        lists.into_iter().any(|(list, names)| {
            let found = list.in_paragraph(text);
            let is_list = found.is_some();
            names.extend(found.into_iter().flatten());
            is_list
        })
    }

    /// How many failing tests it excuses.
    #[must_use]
    pub fn failing(&self) -> usize {
        self.awaited.union(&self.still).count()
    }
}

/// The tests that are awaited at a commit, each with the task that wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AwaitedTests(BTreeMap<String, TaskId>);

impl AwaitedTests {
    /// Whether the commit of such a step counts: it completes a task or a phase, and a person has not only vouched for it.
    #[must_use]
    pub fn counts(record: &StepRecord) -> bool {
        record.step.is_end() && record.outcome == Outcome::Pass && record.by == By::Run
    }

    /// Takes in what the next complete commit says. What the same task awaited before is replaced.
    pub fn take(&mut self, task: &TaskId, change: AwaitedChange) {
        self.0.retain(|name, other| other != task && !change.passed.contains(name));
        self.0.extend(change.awaited.into_iter().map(|name| (name, task.clone())));
    }

    /// Takes in what the commit says that completes a phase.
    pub fn take_phase(&mut self, change: &AwaitedChange) {
        self.0.retain(|name, _| !change.passed.contains(name));
    }

    /// Whether no test is awaited.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this test is awaited.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The tests, each with the task that wrote it, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &TaskId)> {
        self.0.iter().map(|(name, task)| (name.as_str(), task))
    }

    /// The names of the tests, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Those of the tests that tasks wrote for which this is true.
    #[must_use]
    pub fn of_tasks(&self, wanted: impl Fn(&TaskId) -> bool) -> Self {
        let of_these = self.0.iter().filter(|(_, task)| wanted(task));
        Self(of_these.map(|(name, task)| (name.clone(), task.clone())).collect())
    }

    /// The same without these tests.
    #[must_use]
    pub fn without(&self, names: &BTreeSet<String>) -> Self {
        let others = self.0.iter().filter(|(name, _)| !names.contains(*name));
        Self(others.map(|(name, task)| (name.clone(), task.clone())).collect())
    }

    /// The same with further tests, which a task has written.
    #[must_use]
    pub fn and(&self, task: &TaskId, names: &BTreeSet<String>) -> Self {
        let mut all = self.clone();
        all.0.extend(names.iter().map(|name| (name.clone(), task.clone())));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_test_is_awaited_until_it_has_passed_once() {
        let [one, two] = ["T1", "T2"].map(|id| TaskId::parse(id).unwrap());
        let mut tests = AwaitedTests::default();
        let wrote = |list: &[&str]| AwaitedChange { awaited: names(list), ..AwaitedChange::default() };
        let passed = |list: &[&str]| AwaitedChange { passed: names(list), ..AwaitedChange::default() };
        tests.take(&one, wrote(&["a", "b"]));
        tests.take(&two, AwaitedChange { awaited: names(&["c"]), ..passed(&["a"]) });
        assert_eq!(tests.names().collect::<Vec<_>>(), ["b", "c"]);
        // A task that was done again awaits what it says now.
        tests.take(&one, wrote(&["d"]));
        assert_eq!(tests.iter().collect::<Vec<_>>(), [("c", &two), ("d", &one)]);
        assert_eq!(tests.of_tasks(|task| *task == two).names().collect::<Vec<_>>(), ["c"]);
        assert!(tests.without(&names(&["c", "d"])).is_empty());
    }
}
