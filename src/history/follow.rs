//! Follows a run while commits are added to it. Nothing is read twice, no matter how long the run is.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::awaited::read_awaited;
use super::linear::walk_to;
use super::path::RepoPath;
use super::phase_marks::PhaseMarks;
use super::plan_version::PlanRelation;
use super::range::Range;
use super::read_run;
use super::repository::Repository;
use super::run::{Index, Note, Query, Run};
use super::squash::is_numbered;
use super::steps::{Picked, StepValidity, TaskStep, pick_steps};
use super::tree_files::TreeFiles;
use crate::error::Result;
use crate::record::{AwaitedChange, AwaitedTests, CommitId, CommitKind, Doubt, Step, StepCommit, TaskId};

/// A run that was read, kept up to date with the branch.
///
/// New commits are added one by one if they are a line of steps and of commits that do not concern steps. For
/// everything else (a merge, a revert, a change of the tree file, a rewritten branch), the history is read again. So
/// the answer is always the same as that of [`read_run`].
pub struct FollowedRun<'a> {
    repository: &'a Repository,
    query: Query<'a>,
    index: Index<'a>,
    known: RefCell<KnownRun>,
    tree_files: RefCell<TreeFiles>,
}

/// The known part of a run.
struct KnownRun {
    run: Rc<Run>,
    /// The steps of each task, oldest first; read on first use.
    steps: Option<HashMap<TaskId, Vec<BriefStep>>>,
    /// The tests that are awaited; read on first use.
    awaited: Option<KnownAwaited>,
}

/// The tests that are awaited, as far as they were read.
#[derive(Default)]
struct KnownAwaited {
    tests: AwaitedTests,
    /// The commits that were added since and complete a task, or a phase, in order.
    unread: Vec<(Option<TaskId>, CommitId)>,
}

impl KnownAwaited {
    /// Remembers a new commit if it may say something about awaited tests; without a task, it is the marker of a phase.
    fn note(known: &mut Option<Self>, task: Option<&TaskId>, step: &StepCommit) {
        if let Some(known) = known.as_mut().filter(|_| AwaitedTests::counts(&step.record)) {
            known.unread.push((task.cloned(), step.id));
        }
    }
}

/// A step without its message, which is read on demand.
#[derive(Clone, Copy)]
struct BriefStep {
    step: StepCommit,
    validity: StepValidity,
}

/// The contribution of a commit to a run.
enum Added {
    Step(usize, StepCommit),
    Marker(usize, StepCommit),
}

impl<'a> FollowedRun<'a> {
    /// Follows `run`, which was read with `query`.
    #[must_use]
    pub fn new(repository: &'a Repository, query: Query<'a>, run: Run) -> Self {
        let known = RefCell::new(KnownRun { run: Rc::new(run), steps: None, awaited: None });
        Self { repository, query, index: Index::new(&query), known, tree_files: RefCell::default() }
    }

    /// The repository of the run.
    #[must_use]
    pub fn repository(&self) -> &'a Repository {
        self.repository
    }

    /// The run as it was last read.
    #[must_use]
    pub fn run(&self) -> Rc<Run> {
        self.known.borrow().run.clone()
    }

    /// The path of the tree file of the run, if the commit contains another tree file as well. Steps then say which
    /// plan they belong to.
    ///
    /// # Errors
    /// As for [`read_run`].
    pub fn plan_to_name(&self, commit: &CommitId) -> Result<Option<&'a RepoPath>> {
        let Some(path) = self.query.tree_file else { return Ok(None) };
        let mut files = self.tree_files.borrow_mut();
        let several = self.repository.read_with(|source| files.has_another(source, commit, path))?;
        Ok(several.then_some(path))
    }

    /// Reads what was committed since, up to `head`.
    ///
    /// # Errors
    /// As for [`read_run`].
    pub fn catch_up(&self, head: CommitId) -> Result<Rc<Run>> {
        if let Some(run) = self.follow(head)? {
            return Ok(run);
        }
        let run = Rc::new(read_run(self.repository, head, &self.query)?);
        *self.known.borrow_mut() = KnownRun { run: run.clone(), steps: None, awaited: None };
        Ok(run)
    }

    /// Like [`FollowedRun::catch_up`], but returns `None`, and changes nothing, if the history has to be read again.
    pub(super) fn follow(&self, head: CommitId) -> Result<Option<Rc<Run>>> {
        let mut known = self.known.borrow_mut();
        if known.run.range.head() != head {
            let Some(added) = self.added_to(&known.run, head)? else { return Ok(None) };
            self.take(&mut known, head, &added);
        }
        Ok(Some(known.run.clone()))
    }

    /// All steps of one task in the run, newest first: children before parents.
    ///
    /// # Errors
    /// As for [`read_run`].
    pub fn steps_of(&self, task: &TaskId) -> Result<Vec<TaskStep>> {
        let with_message = |placed: &BriefStep| {
            let BriefStep { step, validity } = *placed;
            Ok(TaskStep { step, validity, message: self.repository.commit(&step.id)?.message })
        };
        self.places_of(task)?.iter().rev().map(with_message).collect()
    }

    /// The tests that are awaited at the head of the run.
    ///
    /// # Errors
    /// As for [`read_run`].
    pub fn awaited(&self) -> Result<AwaitedTests> {
        let known = &mut *self.known.borrow_mut();
        let awaited = match &mut known.awaited {
            Some(awaited) => awaited,
            none => {
                let tests = read_awaited(self.repository, &known.run)?;
                none.insert(KnownAwaited { tests, unread: Vec::new() })
            }
        };
        for (task, id) in awaited.unread.drain(..) {
            let message = self.repository.commit(&id)?.message;
            let change = AwaitedChange::recorded_in(&message);
            match task {
                Some(task) => awaited.tests.take(&task, change),
                None => awaited.tests.take_phase(&change),
            }
        }
        Ok(awaited.tests.clone())
    }

    /// The steps of a task, oldest first.
    fn places_of(&self, task: &TaskId) -> Result<Vec<BriefStep>> {
        let known = &mut *self.known.borrow_mut();
        let steps = match &mut known.steps {
            Some(steps) => steps,
            none => none.insert(self.all_places(&known.run)?),
        };
        Ok(steps.get(task).cloned().unwrap_or_default())
    }

    fn all_places(&self, run: &Run) -> Result<HashMap<TaskId, Vec<BriefStep>>> {
        let picked = pick_steps(self.repository, &run.range, |kind, _| match kind {
            CommitKind::Task(id, record) => Some((id.clone(), *record)),
            _ => None,
        })?;
        let mut steps: HashMap<TaskId, Vec<BriefStep>> = HashMap::new();
        for Picked { id, time, validity, value: (task, record) } in picked.into_iter().rev() {
            let step = StepCommit { id, time, record };
            steps.entry(task).or_default().push(BriefStep { step, validity });
        }
        Ok(steps)
    }

    /// The contributions of a line of commits on top of `run`, oldest first; `None` if the history has to be read
    /// again.
    fn added_to(&self, run: &Run, head: CommitId) -> Result<Option<Vec<Added>>> {
        // We do not remember which tasks such a revert leaves in doubt.
        let is_vague = |doubt: &Doubt| doubt.task().is_none();
        let is_union = !run.range.beside().is_empty();
        if is_union || !run.unknown.is_empty() || !run.range.is_known() || run.doubts.iter().any(is_vague) {
            return Ok(None);
        }
        let range = Range::to_find(head, self.query.tree_file, self.query.anchor);
        self.repository.read_with(|source| {
            let (mut added, mut is_plain) = (Vec::new(), true);
            let (mut has_remark, mut has_question) = (false, run.has_questions());
            let is_line = walk_to(source, &range, run.range.head(), &mut |commit| {
                if commit.relation() != PlanRelation::Counts {
                    return;
                }
                // Such a commit may have landed the work of a run.
                is_plain &= !is_numbered(commit.message);
                let step = |record| StepCommit { id: commit.id, time: commit.time, record };
                match self.index.note(commit.subject, commit.message) {
                    Note::Step(leaf, record) => {
                        has_question |= record.step == Step::BLOCK;
                        added.push(Added::Step(leaf, step(record)));
                    }
                    Note::Marker(phase, record) => added.push(Added::Marker(phase, step(record))),
                    Note::Unknown(..) | Note::Landed(_) => is_plain = false,
                    Note::Remark => has_remark = true,
                    Note::Plain => {}
                }
            })?;
            added.reverse();
            // A remark may be the answer to a question.
            Ok((is_line && is_plain && !(has_remark && has_question)).then_some(added))
        })
    }

    /// Adds a commit that descends from all known ones. A step becomes the latest of its task, resolves doubts about
    /// that task, and reopens its phase.
    fn take(&self, known: &mut KnownRun, head: CommitId, added: &[Added]) {
        let run = Rc::make_mut(&mut known.run);
        run.range = run.range.moved_to(head);
        for added in added {
            match added {
                Added::Step(leaf, step) => {
                    let task = self.index.leaf_id(*leaf);
                    run.edited.remove(&task);
                    run.doubts.retain(|doubt| doubt.task() != Some(&task));
                    let phase = self.index.phase_id(self.index.phase_of(*leaf));
                    run.phases.remove(&phase);
                    run.failed_phases.remove(&phase);
                    if let Some(steps) = &mut known.steps {
                        let placed = BriefStep { step: *step, validity: StepValidity::Counts };
                        steps.entry(task.clone()).or_default().push(placed);
                    }
                    KnownAwaited::note(&mut known.awaited, Some(&task), step);
                    run.tasks.insert(task, *step);
                }
                Added::Marker(phase, step) => {
                    KnownAwaited::note(&mut known.awaited, None, step);
                    let id = self.index.phase_id(*phase);
                    run.phases.remove(&id);
                    run.failed_phases.remove(&id);
                    let PhaseMarks { complete, failed } = self.index.marks(&run.tasks, [(*phase, *step)]);
                    run.phases.extend(complete);
                    run.failed_phases.extend(failed);
                }
            }
        }
    }
}
