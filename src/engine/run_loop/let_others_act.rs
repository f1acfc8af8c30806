//! The engine between two steps, where commands of a person beside the run may act.

use super::one_task::Engine;
use crate::engine::run_context::context::RunPart;
use crate::error::Result;
use crate::process::CancelLevel;
use crate::worktree::waiting::Waiters;

impl Engine<'_> {
    /// Lets commands of a person that wait for the moment between two steps do their work, and goes on with what they have
    /// committed.
    ///
    /// # Errors
    /// If the lock cannot be taken back, or the repository cannot be read.
    pub(super) fn let_others_act(&mut self) -> Result<()> {
        let run = self.run;
        let Some(lock) = run.programs.launch.held.as_ref().filter(|_| run.part == RunPart::Whole) else {
            return Ok(());
        };
        let waiters = Waiters::of(&run.work_tree);
        if waiters.is_empty() {
            return Ok(());
        }
        run.warn(&format!("{} acts before the next step", waiters.shown()));
        self.workspace.before_others()?;
        waiters.lend(lock, || run.programs.cancel.level() != CancelLevel::None)?;
        self.workspace.after_others()?;
        run.check_stop()
    }
}
