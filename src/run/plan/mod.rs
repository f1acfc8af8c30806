//! Finds, reads and checks the tree file, and says what to look for in history.

pub(crate) mod changed;
pub(crate) mod file;
pub(crate) mod found;

use std::collections::HashMap;
use std::path::PathBuf;

use self::file::{BranchMode, BranchRule, PlanFile, files_behind};
use crate::error::{Error, Kind, Result};
use crate::git::Git;
use crate::history::{AnchorRule, Query, RepoPath, Repository, Run};
use crate::plan::{LeafState, NodeIx, Problem, TaskTree, TestCommand, in_file};
use crate::record::{CommitId, State, StepRecord, TaskId};
use crate::text::{advice, listed, one_line};
use crate::workflow::{Policy, awaits_approval, state_of};
use crate::{files, suggest};

/// A valid tree and the file that it comes from.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The tree.
    pub tree: TaskTree,
    /// The file.
    pub file: PathBuf,
    /// The name of the file in messages: its path from the top of the work tree, if it is in there.
    pub shown: String,
    /// Warnings for the author of the file.
    pub warnings: Vec<String>,
    in_repository: Option<RepoPath>,
    anchor: AnchorRule,
    branches: BranchRule,
    top: PathBuf,
    /// The files and links of the repository that make up the plan, from the top.
    files: Vec<Vec<u8>>,
    bytes: Vec<u8>,
    phases: HashMap<TaskId, TaskId>,
}

impl Plan {
    /// Reads a tree file.
    ///
    /// # Errors
    /// [`Kind::Input`] with all problems of the file at once.
    pub fn from_file(file: PlanFile) -> Result<Self> {
        let loaded = TaskTree::from_json(&file.bytes).map_err(|problems| invalid(&file.shown, &problems))?;
        let tree = loaded.tree;
        let phase = |ix: &NodeIx| (tree.node(*ix).id.clone(), tree.node(tree.phase_of(*ix)).id.clone());
        let phases = tree.order().iter().map(phase).collect();
        let warnings = in_file(&loaded.warnings, &file.shown);
        let PlanFile { path, shown, in_repository, anchor, branches, top, bytes } = file;
        let files = files_behind(&top, &path);
        Ok(Self {
            tree,
            file: path,
            shown,
            warnings,
            in_repository,
            anchor,
            branches,
            top,
            files,
            bytes,
            phases,
        })
    }

    /// The steps to look for in history.
    #[must_use]
    pub fn query(&self) -> Query<'_> {
        Query { tree_file: self.in_repository.as_ref(), anchor: self.anchor, tasks: &self.phases }
    }

    /// On which branches the user wants steps to be committed, if the user has said so.
    #[must_use]
    pub fn branch_mode(&self) -> Option<BranchMode> {
        self.branches.chosen
    }

    /// What the settings say about branches.
    pub(crate) fn branch_rule(&self) -> &BranchRule {
        &self.branches
    }

    /// The files and links of the repository that make up the plan, from the top of the work tree: more than one if it is
    /// reached through links.
    pub(crate) fn files(&self) -> &[Vec<u8>] {
        &self.files
    }

    /// The content of the file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The files and links of the repository that make up the plan, from the top of the work tree; `None` if the plan is
    /// not in the repository, or a name is not text.
    #[must_use]
    pub fn files_in_repository(&self) -> Option<Vec<String>> {
        self.in_repository.as_ref()?;
        self.files.iter().map(|path| String::from_utf8(path.clone()).ok()).collect()
    }

    /// The tree as it was at a commit; `None` if it was not there, or cannot be read.
    pub(crate) fn tree_at(&self, git: &Git, commit: &CommitId) -> Option<TaskTree> {
        self.files_in_repository()?.iter().find_map(|file| {
            let bytes = git.blob(&format!("{commit}:{file}")).ok()?;
            Some(TaskTree::from_json(&bytes).ok()?.tree)
        })
    }

    /// Whether the file has not changed since it was read, and is not reached through other links.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        files_behind(&self.top, &self.file) == self.files
            && files::read(&self.file, files::LARGE).is_ok_and(|bytes| bytes == self.bytes)
    }

    /// The leaf with this id.
    ///
    /// # Errors
    /// [`Kind::Input`] if there is no such node, or if it has children.
    pub fn leaf(&self, id: &str) -> Result<NodeIx> {
        self.only_leaf(id, self.find(id, "task")?)
    }

    /// The leaf that a person means by its id, or by a beginning that no other id has.
    ///
    /// # Errors
    /// [`Kind::Input`] if there is no such node, if it has children, or if several ids begin like this.
    pub fn leaf_meant(&self, word: &str) -> Result<NodeIx> {
        self.only_leaf(word, self.meant(word, "task")?)
    }

    fn only_leaf(&self, id: &str, ix: NodeIx) -> Result<NodeIx> {
        if self.tree.is_leaf(ix) {
            return Ok(ix);
        }
        Err(Error::new(
            Kind::Input,
            format!(
                "{} has tasks below it in {}; only tasks without children can be worked on",
                one_line(id),
                self.shown
            ),
            format!("Name one of its tasks, or run them all with {}.", advice::gardener()),
        ))
    }

    /// The node with this id.
    ///
    /// # Errors
    /// [`Kind::Input`] if there is no such node.
    pub fn node(&self, id: &str) -> Result<NodeIx> {
        self.find(id, "task or phase")
    }

    /// The node that a person means by its id, or by a beginning that no other id has.
    ///
    /// # Errors
    /// [`Kind::Input`] if there is no such node, or if several ids begin like this.
    pub fn node_meant(&self, word: &str) -> Result<NodeIx> {
        self.meant(word, "task or phase")
    }

    fn meant(&self, word: &str, noun: &str) -> Result<NodeIx> {
        let begins = |node: &NodeIx| self.tree.node(*node).id.as_str().starts_with(word);
        let all: Vec<NodeIx> = match self.tree.find(word) {
            Some(exact) => vec![exact],
            None if word.is_empty() => Vec::new(),
            None => self.tree.nodes().map(|(ix, _)| ix).filter(begins).collect(),
        };
        match all.as_slice() {
            [only] => Ok(*only),
            [] => self.find(word, noun),
            several => {
                let ids: Vec<String> =
                    several.iter().map(|node| self.tree.node(*node).id.to_string()).collect();
                Err(Error::new(
                    Kind::Input,
                    format!("{} ids begin with {} in {}", several.len(), one_line(word), self.shown),
                    format!("Write more of the one that you mean: {}.", listed(&ids)),
                ))
            }
        }
    }

    fn find(&self, id: &str, noun: &str) -> Result<NodeIx> {
        self.tree.find(id).ok_or_else(|| {
            let near = suggest::question(self.tree.nearest(id).map(TaskId::as_str));
            Error::new(
                Kind::Input,
                format!("there is no {noun} {} in {}", one_line(id), self.shown),
                format!("{near}{} lists them all.", advice::status_all()),
            )
        })
    }

    /// The test commands that a phase has to pass: those of its parent nodes, the deepest first.
    pub(crate) fn tests_of_phase(&self, phase: NodeIx) -> Vec<TestCommand> {
        let tree = &self.tree;
        let mut parents: Vec<(usize, NodeIx)> = tree
            .nodes()
            .filter(|(ix, node)| !node.is_leaf() && tree.phase_of(*ix) == phase)
            .map(|(ix, node)| (node.depth, ix))
            .collect();
        parents.sort_by_key(|(depth, ix)| (std::cmp::Reverse(*depth), ix.position()));
        parents.iter().flat_map(|(_, ix)| tree.node(*ix).test_commands.clone()).collect()
    }

    /// The commit at which the run is read: the newest one of the branch that is checked out.
    ///
    /// # Errors
    /// [`Kind::Repository`] if there is none.
    pub(crate) fn tip_in(&self, repository: &Repository) -> Result<CommitId> {
        repository.head()?.ok_or_else(|| {
            Error::new(
                Kind::Repository,
                "this branch has no commits yet",
                // A run begins only when all changes are committed.
                "Commit the plan first: `git add -A && git commit -m \"Add the plan\"`.",
            )
        })
    }

    /// The latest step of a leaf in a run.
    #[must_use]
    pub fn latest<'r>(&self, run: &'r Run, leaf: NodeIx) -> Option<&'r StepRecord> {
        run.tasks.get(&self.tree.node(leaf).id).map(|commit| &commit.record)
    }

    /// The state of a leaf in a run, and whether it waits for a person under this policy.
    #[must_use]
    pub fn leaf_state(&self, run: &Run, leaf: NodeIx, policy: &Policy) -> LeafState {
        let latest = self.latest(run, leaf);
        LeafState {
            state: state_of(latest, policy),
            is_held: awaits_approval(latest, policy),
            ..self.standing(run, leaf)
        }
    }

    /// The state of a leaf in a run, and where its work is.
    #[must_use]
    pub fn standing(&self, run: &Run, leaf: NodeIx) -> LeafState {
        let phase = &self.tree.node(self.tree.phase_of(leaf)).id;
        let place = run.branches.place_of(&self.tree.node(leaf).id, phase);
        let has_failed = run.failed_phases.contains_key(phase);
        let place = if has_failed { place.in_failed_phase() } else { place };
        LeafState { place, ..self.state(run, leaf).into() }
    }

    /// The state of a leaf in a run.
    #[must_use]
    pub fn state(&self, run: &Run, leaf: NodeIx) -> State {
        self.latest(run, leaf).map_or(State::Pending, StepRecord::state)
    }
}

fn invalid(shown: &str, problems: &[Problem]) -> Error {
    if let [only] = problems {
        return Error::new(
            Kind::Input,
            format!("{}: {}", only.place_in(shown), only.what),
            only.remedy.clone(),
        );
    }
    let what = format!("{shown} has {} problems:\n{}", problems.len(), in_file(problems, shown).join("\n"));
    Error::new(Kind::Input, what, "Correct the file, then run the same command again.")
}
