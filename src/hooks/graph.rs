//! A repository in memory, for tests of the guard.

use std::collections::{BTreeMap, BTreeSet};

use super::commits::CommitGraph;
use crate::error::Result;
use crate::git::Message;
use crate::record::CommitId;

/// Commits with one-letter names, and references to them.
#[derive(Default)]
pub(super) struct TestGraph {
    /// The parents and the message of each commit; parents come before their children in the alphabet.
    commits: BTreeMap<char, (String, String)>,
    pub(super) references: Vec<(String, CommitId)>,
}

impl TestGraph {
    /// A graph of lines such as `c ab step`: a commit, its parents, and whether it is a step. `-` stands for no parents.
    pub(super) fn new(lines: &[&str]) -> Self {
        let mut graph = Self::default();
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let name = words[0].chars().next().expect("a line begins with a name");
            let parents = words[1].trim_matches('-').to_owned();
            let message = match words.get(2) {
                Some(_) => format!("task({name}): x\n\nArborist-Task: {name}\nArborist-Step: implement\n"),
                None => format!("{name} of a person\n"),
            };
            graph.commits.insert(name, (parents, message));
        }
        graph
    }

    pub(super) fn with_references(mut self, references: &[(&str, char)]) -> Self {
        self.references = references.iter().map(|(name, commit)| ((*name).to_owned(), id(*commit))).collect();
        self
    }

    /// The commits that these can reach, including themselves.
    fn reachable(&self, from: &[CommitId]) -> BTreeSet<char> {
        let mut waiting: Vec<char> = from.iter().map(name).collect();
        let mut found = BTreeSet::new();
        while let Some(commit) = waiting.pop() {
            if found.insert(commit) {
                waiting.extend(self.commits[&commit].0.chars());
            }
        }
        found
    }
}

impl CommitGraph for TestGraph {
    fn between(
        &self,
        wanted: &[CommitId],
        unwanted: &[CommitId],
        each: &mut dyn FnMut(Message<'_>),
    ) -> Result<()> {
        let unwanted = self.reachable(unwanted);
        for commit in self.reachable(wanted).iter().rev().filter(|commit| !unwanted.contains(commit)) {
            let (parents, message) = &self.commits[commit];
            each(Message { id: id(*commit), parents: parents.len(), bytes: message.as_bytes() });
        }
        Ok(())
    }
}

/// The id of a commit: its name, forty times.
pub(super) fn id(name: char) -> CommitId {
    CommitId::from_hex(name.to_string().repeat(40).as_bytes()).expect("the names are hexadecimal digits")
}

/// The name of the commit with this id.
pub(super) fn name(id: &CommitId) -> char {
    id.to_string().chars().next().expect("an id has digits")
}
