//! The engine of a run in which each phase has its own branch: it goes to the branch of a phase before it works on the phase,
//! and merges the branch when the phase is complete.

use std::collections::HashMap;
use std::rc::Rc;

use super::one_task::Engine;
use crate::engine::branches::Brancher;
use crate::engine::run_context::context::RunPart;
use crate::error::Result;
use crate::history::{Run, have_same_files};
use crate::plan::{NodeIx, TreeReadiness};
use crate::run::branches::union::with_branches;

impl<'a> Engine<'a> {
    /// Reads the state of the plan again, with that of all branches of the run.
    ///
    /// # Errors
    /// As for [`Engine::read`].
    pub(crate) fn read_all(&self) -> Result<Rc<Run>> {
        let run = self.read()?;
        if self.run.phases.is_none() && !matches!(self.run.part, RunPart::Scheduler { .. }) {
            return Ok(run);
        }
        with_branches(self.run.repository, self.run.plan, Rc::unwrap_or_clone(run), None).map(Rc::new)
    }

    /// Lets phases be closed once more that were marked complete with the merge of their last task: tests of earlier tasks may have to
    /// run again.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn look_at_marked(&mut self, run: &Run) -> Result<()> {
        let (tree, head) = (&self.run.plan.tree, self.run.repository.branch()?.commit);
        for phase in tree.roots().iter().copied() {
            let is_new = run.phases.contains_key(&tree.node(phase).id) && self.looked_at.insert(phase);
            if is_new && self.step_maker().may_be_superseded(phase, &head)? {
                self.closes_again.insert(phase);
            }
        }
        Ok(())
    }

    /// Goes to the branch on which a task is worked on, which must contain everything that the task depends on.
    ///
    /// # Errors
    /// If the branch cannot be used, or does not get what the task depends on.
    pub(crate) fn go_to_task(&mut self, leaf: NodeIx) -> Result<()> {
        let phase = self.run.plan.tree.phase_of(leaf);
        self.go_to_phase(phase)?;
        let Some(mut brancher) = self.brancher() else { return Ok(()) };
        let run = brancher.followed.catch_up(brancher.workspace.run.repository.branch()?.commit)?;
        let plan = brancher.workspace.run.plan;
        let here = TreeReadiness::new(&plan.tree, |leaf| plan.state(&run, leaf));
        if here.dependencies_are_met(leaf) { Ok(()) } else { brancher.update(phase) }
    }

    /// Goes to the branch of a phase.
    ///
    /// # Errors
    /// If the branch cannot be used.
    pub(crate) fn go_to_phase(&mut self, phase: NodeIx) -> Result<()> {
        self.brancher().map_or(Ok(()), |mut brancher| brancher.enter(phase))
    }

    /// Merges a phase whose tasks are done and that is marked complete, if it has a branch that is not merged.
    ///
    /// # Errors
    /// If the branch cannot be merged.
    pub(crate) fn merge_phase(&mut self, phase: NodeIx) -> Result<()> {
        let run = self.run;
        let before = run.repository.branch()?.commit;
        let Some(mut brancher) = self.brancher() else { return Ok(()) };
        brancher.merge(phase)?;
        // The suite has seen other files than those that there are now.
        if !have_same_files(run.repository, &before, &run.repository.branch()?.commit, &run.artifacts())? {
            self.step_maker().test_merged_phase(phase)?;
        }
        Ok(())
    }

    /// Merges all phases that are due.
    ///
    /// # Errors
    /// As for [`Self::merge_phase`].
    pub(crate) fn merge_phases(&mut self, run: &Run) -> Result<()> {
        for phase in self.run.plan.tree.roots() {
            if self.is_to_merge(run, *phase) {
                self.merge_phase(*phase)?;
            }
        }
        Ok(())
    }

    /// Whether a phase is complete but not merged yet.
    pub(crate) fn is_to_merge(&self, run: &Run, phase: NodeIx) -> bool {
        let id = &self.run.plan.tree.node(phase).id;
        run.branches.phases.contains_key(id) && run.phases.contains_key(id) && self.is_done(run, phase)
    }

    /// The tasks in the order in which this run takes them: those of the phase whose branch is checked out come first, then
    /// those of other phases that have been begun, then those of the others, in the order in which phases can be merged.
    pub(crate) fn in_order_of_branches(&self, run: &Run, mut leaves: Vec<NodeIx>) -> Vec<NodeIx> {
        if self.run.phases.is_none() {
            return leaves;
        }
        let tree = &self.run.plan.tree;
        let ranks: HashMap<NodeIx, usize> =
            tree.phases_in_order().into_iter().enumerate().map(|(rank, phase)| (phase, rank)).collect();
        let here = self.run.repository.branch().ok().map(|head| head.branch_name().to_owned());
        leaves.sort_by_key(|leaf| {
            let phase = tree.phase_of(*leaf);
            let branch = run.branches.phases.get(&tree.node(phase).id);
            (branch.is_none() || branch != here.as_ref(), branch.is_none(), ranks[&phase])
        });
        leaves
    }

    fn brancher(&mut self) -> Option<Brancher<'_, 'a>> {
        let base = &self.run.phases.as_ref()?.base;
        Some(Brancher { followed: &self.followed, workspace: &mut self.workspace, base })
    }
}
