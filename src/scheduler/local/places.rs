//! The slots of a run: which of them are free, and how one gets ready for the next task.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::known_tips::others_are_at_work;
use crate::engine::event::{Event, SlotPurpose, SlotUse};
use crate::engine::run_context::context::RunContext;
use crate::engine::tree::journal::Journal;
use crate::error::{Error, Kind, Result};
use crate::git::{Git, Head};
use crate::plan::TaskBranch;
use crate::process::LiveLine;
use crate::record::{CommitId, TaskId};
use crate::worktree::{
    Interrupted, PathStates, Preparation, Rescue, Slot, Slots, rescue, slots_left, who_is_at_work,
};

/// How long a worker of a killed run may take to end, besides the time that its programs get.
const ENDING: Duration = Duration::from_secs(15);
/// The time between two looks at it.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The slots of a run.
pub(super) struct Places<'a> {
    run: &'a RunContext<'a>,
    jobs: u32,
    /// Those that were taken and are free.
    free: BTreeMap<u32, Slot>,
    used: BTreeMap<u32, Slot>,
    /// Those with interrupted work on a branch, which only this branch may use.
    interrupted: BTreeMap<u32, String>,
}

/// A slot that was taken.
pub(super) struct Place<'p> {
    pub(super) slot: &'p Slot,
    /// What has to be done there before programs can work in it.
    pub(super) preparation: Option<Preparation>,
}

impl Place<'_> {
    /// The event that the slot is used for something from now on.
    pub(super) fn used(&self, purpose: SlotPurpose, tasks: Vec<TaskId>) -> SlotUse {
        let folder = self.slot.work_tree.top.display().to_string();
        SlotUse { slot: self.slot.number, folder, purpose, tasks, live: LiveLine::new() }
    }
}

impl<'a> Places<'a> {
    /// So many slots. Those of earlier runs are taken over.
    pub(super) fn open(run: &'a RunContext<'a>, jobs: u32, head: &CommitId) -> Result<Self> {
        let mut places =
            Self { run, jobs, free: BTreeMap::new(), used: BTreeMap::new(), interrupted: BTreeMap::new() };
        for left in slots_left(&run.work_tree) {
            if let Some(slot) = places.take_left(left.number, head)? {
                places.take_over(slot)?;
            }
        }
        Ok(places)
    }

    /// Takes a slot of an earlier run, which its programs may hold until they have ended; `None` if another run uses it.
    fn take_left(&self, number: u32, head: &CommitId) -> Result<Option<Slot>> {
        let until = Instant::now() + ENDING;
        loop {
            match self.slots().take(number, head) {
                Ok(slot) => return Ok(Some(slot)),
                Err(error) if error.kind() != Kind::Busy => return Err(error),
                Err(_) if others_are_at_work(self.run) || Instant::now() >= until => return Ok(None),
                Err(_) => {}
            }
            self.run.check_stop()?;
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    fn slots(&self) -> Slots<'a> {
        Slots { scratches: &self.run.programs.scratches, folder: self.run.settings.slot_folder.as_deref() }
    }

    /// Takes over a slot of an earlier run, whose worker may only just be ending.
    fn take_over(&mut self, slot: Slot) -> Result<()> {
        let until = Instant::now() + self.run.programs.launch.grace + ENDING;
        while let Some(busy) = who_is_at_work(&slot.work_tree) {
            if Instant::now() >= until {
                return Err(busy);
            }
            self.run.check_stop()?;
            std::thread::sleep(POLL_INTERVAL);
        }
        self.take_off_branch(&slot)?;
        self.free.insert(slot.number, slot);
        Ok(())
    }

    /// Takes a slot off the branch that is checked out there, unless a step was interrupted on it.
    fn take_off_branch(&mut self, slot: &Slot) -> Result<()> {
        let Some(head) = branch_of(slot)? else { return Ok(()) };
        if Journal::read(&slot.work_tree.git_dir).has_open_work() {
            self.interrupted.insert(slot.number, head.branch_name().to_owned());
            return Ok(());
        }
        slot.git.detach(&head.commit)
    }

    /// Whether a step on this branch was interrupted in a slot.
    pub(super) fn is_interrupted(&self, branch: &str) -> bool {
        self.interrupted.values().any(|name| name == branch)
    }

    /// The branches on which steps were interrupted in slots.
    pub(super) fn interrupted(&self) -> impl Iterator<Item = &str> {
        self.interrupted.values().map(String::as_str)
    }

    /// Whether one more may be in use.
    pub(super) fn has_room(&self) -> bool {
        self.used.len() < self.jobs as usize
    }

    /// Takes a slot for the work on a branch, and checks it out there. `None` if another run uses all that there could be.
    pub(super) fn enter(&mut self, branch: &TaskBranch) -> Result<Option<Place<'_>>> {
        let own = self.interrupted.iter().find(|(_, name)| **name == branch.name).map(|(number, _)| *number);
        let Some(slot) = self.choose(own, &branch.tip)? else { return Ok(None) };
        if branch_of(&slot)?.is_none_or(|head| head.branch_name() != branch.name) {
            let checked_out = self.check_out(&slot, |git| git.switch(&branch.name));
            if let Err(error) = checked_out {
                self.give_back(slot)?;
                return Err(error);
            }
        }
        self.interrupted.remove(&slot.number);
        Ok(Some(self.place_in(slot)))
    }

    /// Takes a slot for tests on a commit, and checks it out there.
    pub(super) fn enter_at(&mut self, commit: &CommitId) -> Result<Option<Place<'_>>> {
        let Some(slot) = self.choose(None, commit)? else { return Ok(None) };
        if let Err(error) = self.check_out(&slot, |git| git.detach(commit)) {
            self.give_back(slot)?;
            return Err(error);
        }
        Ok(Some(self.place_in(slot)))
    }

    /// Checks something out in a slot, after what earlier programs have left there was taken out.
    fn check_out(&self, slot: &Slot, check_out: impl FnOnce(&Git) -> Result<()>) -> Result<()> {
        self.tidy(slot)?;
        check_out(&slot.git)?;
        slot.git.fill_submodules(&slot.work_tree.common_dir.join("modules"))
    }

    fn place_in(&mut self, slot: Slot) -> Place<'_> {
        let preparation = self.slots().preparation(&slot);
        Place { slot: self.used.entry(slot.number).or_insert(slot), preparation }
    }

    fn choose(&mut self, own: Option<u32>, commit: &CommitId) -> Result<Option<Slot>> {
        if let Some(slot) = own.and_then(|number| self.free.remove(&number)) {
            return Ok(Some(slot));
        }
        let usable = self.free.keys().find(|number| !self.interrupted.contains_key(number)).copied();
        if let Some(slot) = usable.and_then(|number| self.free.remove(&number)) {
            return Ok(Some(slot));
        }
        // Another run in this repository may have some of them.
        for number in 0..self.jobs.saturating_mul(2).saturating_add(64) {
            if self.free.contains_key(&number) || self.used.contains_key(&number) {
                continue;
            }
            crate::worktree::space::require_space(&self.run.work_tree)?;
            match self.slots().take(number, commit) {
                Ok(slot) => return Ok(Some(slot)),
                Err(error) if error.kind() == Kind::Busy => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Takes what earlier programs have left in a slot out of it. It is saved, unless it is known to be left by tests.
    fn tidy(&self, slot: &Slot) -> Result<()> {
        let changes = slot.git.status()?;
        if changes.is_empty() {
            return Ok(());
        }
        let journal = Journal::read(&slot.work_tree.git_dir);
        let is_known = changes.iter().all(|change| journal.leftovers.contains(&change.path));
        let rescued = empty(slot)?;
        match rescued.saved {
            Some(saved) if is_known => slot.git.delete_reference(&saved.name).map(drop),
            _ => {
                rescued.sentences.into_iter().for_each(|text| self.run.observer.on(Event::Warning { text }));
                Ok(())
            }
        }
    }

    /// The event that a slot in use is used for something from now on.
    pub(super) fn used_for(&self, number: u32, purpose: SlotPurpose, tasks: Vec<TaskId>) -> SlotUse {
        let slot = self.used.get(&number).expect("a slot is in use until it is given back");
        Place { slot, preparation: None }.used(purpose, tasks)
    }

    /// Gives a slot back.
    pub(super) fn leave(&mut self, number: u32) -> Result<()> {
        let slot = self.used.remove(&number).expect("only a slot in use is given back");
        self.take_off_branch(&slot)?;
        self.give_back(slot)
    }

    /// Keeps a slot for later, unless it could not be prepared.
    fn give_back(&mut self, slot: Slot) -> Result<()> {
        if !slot.is_ready() {
            return slot.remove();
        }
        self.free.insert(slot.number, slot);
        Ok(())
    }

    /// Gives back a slot in which tests have run, and removes what they have left.
    pub(super) fn leave_tests(&mut self, number: u32) -> Result<()> {
        let slot = self.used.remove(&number).expect("only a slot in use is given back");
        if !slot.git.status()?.is_empty()
            && let Some(saved) = empty(&slot)?.saved
        {
            slot.git.delete_reference(&saved.name)?;
        }
        self.give_back(slot)
    }

    pub(super) fn used(&self) -> impl Iterator<Item = &Slot> {
        self.used.values()
    }

    /// Removes all slots, if no work is open in them.
    pub(super) fn remove_all(self) -> Result<()> {
        let Self { free, interrupted, .. } = self;
        for (number, slot) in free {
            if !interrupted.contains_key(&number) && slot.git.status()?.is_empty() {
                slot.remove()?;
            }
        }
        Ok(())
    }
}

/// Saves everything that is not committed in a slot, and takes it out.
fn empty(slot: &Slot) -> Result<Rescue> {
    let Some(head) = slot.git.commit_named("HEAD")? else { return Ok(Rescue::default()) };
    let nothing = PathStates::default();
    let left = Interrupted {
        task: "slot",
        what: format!("what was left in the work tree {}", slot.work_tree.top.display()),
        before: PathStates::default(),
        leftovers: &nothing,
        ignored: None,
    };
    rescue(&slot.git, &slot.work_tree, &head, &left)
}

/// The branch that is checked out in a slot; `None` if it is at a commit.
pub(super) fn branch_of(slot: &Slot) -> Result<Option<Head>> {
    let Some(branch) = slot.git.symbolic_head()? else { return Ok(None) };
    let commit = slot.git.commit_named("HEAD")?.ok_or_else(|| {
        Error::new(
            Kind::Repository,
            format!("the branch of the work tree {} is gone", slot.work_tree.top.display()),
            format!(
                "Nothing else was touched. Make the branch again, or remove that work tree with `git worktree remove --force \
                 --force {}`; then run the same command again.",
                crate::text::shell_word(&slot.work_tree.top.to_string_lossy())
            ),
        )
    })?;
    Ok(Some(Head { branch, commit }))
}

/// Says that other runs use all slots.
pub(super) fn no_slot() -> Error {
    Error::new(
        Kind::Busy,
        "no slot is free in which a task could be worked on or tested",
        "Other runs in this repository use all of them. Wait until they have ended, then run the same command again.",
    )
}
