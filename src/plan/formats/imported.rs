//! The draft of a plan that was read from files of another tool: its nodes with their places, before ids and links are
//! settled.

use super::super::Expect;
use super::super::document::{About, Document};
use super::account::{Account, Use};

/// A line of a source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The position of the file in the list of sources.
    pub file: usize,
    /// The line, from 1.
    pub line: u32,
}

/// A plan as an importer read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedPlan {
    /// What it says about itself.
    pub about: About,
    /// The name of the tag from which it was read, unless that is the usual one.
    pub tag: Option<String>,
    /// The nodes, parents before their children, otherwise in the order of the sources.
    pub nodes: Vec<ImportedNode>,
    /// What is doubtful, or was read differently than one might expect.
    pub warnings: Vec<SourceNote>,
    /// What makes the plan unusable.
    pub problems: Vec<SourceNote>,
    /// What became of each line of the sources.
    pub account: Account,
}

/// One node of an imported plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedNode {
    /// The id, or what it is derived from.
    pub id: ImportedId,
    /// Its name.
    pub name: String,
    /// The text for the prompt.
    pub description: String,
    /// What must be so when it is done.
    pub acceptance: Vec<String>,
    /// The documents that belong to it.
    pub documents: Vec<Document>,
    /// Whether it only groups others. Without tasks below it, it is left out then.
    pub is_group: bool,
    /// The position of the node above it.
    pub parent: Option<usize>,
    /// Where it was read.
    pub place: Place,
    /// The commands that judge it.
    pub tests: Vec<String>,
    /// What must be complete first, as the source states it.
    pub needs: Vec<Prerequisite>,
    /// The positions of the nodes before it in the order of the source. They give way to what is stated.
    pub follows: Vec<usize>,
    /// Whether the source says that it is done.
    pub claimed: bool,
    /// Tags of the source, such as the user story.
    pub labels: Vec<String>,
    /// Which of several tasks that are ready comes first: the smallest number.
    pub priority: Option<u32>,
    /// The kind of change that it makes, if the words of the plan say it.
    pub expect: Option<Expect>,
    /// Whether a person must approve it.
    pub gate: bool,
    /// Whether its tests are written before its code.
    pub test_first: bool,
}

/// The id of an imported node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ImportedId {
    /// Written in the source. No two nodes of a file have the same one: the second is named by its name.
    Given(String),
    /// Suggested by a number in the source, such as `phase2`. It is made different from others if need be.
    Suggested(String),
    /// The source has none: it is derived from the names of the node and of those above it.
    #[default]
    Derived,
}

/// Something of which a source states that it must be complete before a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prerequisite {
    /// What must be complete.
    pub on: Needed,
    /// Where this was read.
    pub place: Place,
}

/// The node on which another one depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needed {
    /// The node with this id in the source.
    Id(String),
    /// All tasks from one id to another one, such as `T001` to `T004`.
    Range(String, String),
    /// The node at this position.
    Node(usize),
}

impl Prerequisite {
    /// The position of the node, if that is known.
    pub fn node(&self) -> Option<usize> {
        if let Needed::Node(on) = self.on { Some(on) } else { None }
    }
}

impl Needed {
    /// Makes the number of a heading such as `Task 1` the id of that task.
    pub(super) fn of_task_headings(&mut self) {
        let named = |id: &str| {
            if id.starts_with(|c: char| c.is_ascii_digit()) { format!("task{id}") } else { id.to_owned() }
        };
        match self {
            Self::Id(id) => *id = named(id),
            Self::Range(from, to) => (*from, *to) = (named(from), named(to)),
            Self::Node(_) => {}
        }
    }
}

/// Something about a line of a source that the user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceNote {
    /// The line.
    pub place: Place,
    /// What it is, as a clause without a full stop.
    pub what: String,
    /// What to do about it, in whole sentences; may be empty.
    pub remedy: String,
}

impl SourceNote {
    /// A note about this line.
    pub(in crate::plan) fn new(place: Place, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { place, what: what.into(), remedy: remedy.into() }
    }
}

impl ImportedPlan {
    /// Adds a node and returns its position.
    pub fn add(&mut self, node: ImportedNode) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Records something doubtful.
    pub fn warn(&mut self, place: Place, what: impl Into<String>, remedy: impl Into<String>) {
        self.account.take(place.file, [place.line; 2], Use::Warned);
        self.warnings.push(SourceNote::new(place, what, remedy));
    }

    /// Records a mistake.
    pub fn fault(&mut self, place: Place, what: impl Into<String>, remedy: impl Into<String>) {
        self.problems.push(SourceNote::new(place, what, remedy));
    }
}

impl ImportedNode {
    /// A task with a name and nothing else.
    pub fn task(id: ImportedId, name: String, place: Place) -> Self {
        Self { id, name, place, ..Self::default() }
    }

    /// Adds a paragraph to the description.
    pub fn describe(&mut self, text: &str) {
        let text = text.trim_end();
        if text.is_empty() {
            return;
        }
        if !self.description.is_empty() {
            self.description.push('\n');
        }
        self.description.push_str(text);
    }
}
