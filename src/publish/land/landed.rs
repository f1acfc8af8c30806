//! What has been landed of a run already: on the branch that an earlier landing has made, and on the branch into which that was
//! merged, squashed or rebased.

use std::collections::{HashMap, HashSet};

use super::base::LandBase;
use super::build::{LandedCommit, title_of};
use super::survey::{LandInputs, LandSurvey};
use crate::error::{Error, Kind, Result};
use crate::git::{Author, ObjectWriter, Written};
use crate::history::read_run;
use crate::record::{
    CommitId, CommitKind, Landing, Outcome, RevertClaim, State, TaskId, carries_step, commit_kind, title,
    trailers,
};
use crate::text::shell_word;

/// The key by which Gerrit knows a change.
const CHANGE_ID: &[u8] = b"Change-Id";

/// The landed commits that a branch has.
#[derive(Clone, Debug, Default)]
pub(super) struct LandedSoFar {
    /// For each task that is complete there, the ends of those parts of the run whose work is there.
    ends: HashMap<TaskId, Vec<CommitId>>,
    /// The first landed commit of each task, whether or not a revert has taken it back.
    first: HashMap<TaskId, CommitId>,
    /// The landed commits that count.
    commits: Vec<CommitId>,
    /// The tasks that were landed there and are not complete any more.
    reverted: HashSet<TaskId>,
    /// Where the run that they name began.
    pub(super) origin: Option<CommitId>,
}

/// A commit of somebody else, by what stays the same when it is copied.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Copied {
    author: Author,
    title: Vec<u8>,
}

impl Copied {
    /// What stays the same of this commit.
    pub(super) fn of(writer: &mut ObjectWriter<'_>, commit: &CommitId) -> Result<Self> {
        Ok(Self::by(writer.written_by(commit)?))
    }

    fn by(Written { author, message, .. }: Written) -> Self {
        Self { author, title: title(&message) }
    }
}

/// A commit that somebody else has made on a landed branch.
#[derive(Debug)]
pub(super) struct OthersCommit {
    pub(super) id: CommitId,
    pub(super) copied: Copied,
}

impl LandedSoFar {
    /// Reads those of these commits, oldest first, that land work of the run. `tip` is the newest commit of the branch.
    fn read(
        inputs: &LandInputs<'_>,
        survey: &LandSurvey,
        tip: CommitId,
        commits: &[CommitId],
    ) -> Result<Self> {
        let LandInputs { repository, plan, .. } = *inputs;
        let there = read_run(repository, tip, &plan.query())?;
        let mut found = Self::default();
        for &commit in commits {
            for landing in Landing::all_in(&repository.commit(&commit)?.message) {
                let tip = landing.tip;
                let is_of_run = landing.landed.is_some()
                    || survey.commits.contains(&tip)
                    || survey.is_in_base(inputs, tip);
                for task in landing.tasks.iter().filter(|_| is_of_run) {
                    found.first.entry(task.clone()).or_insert(commit);
                    if there.tasks.get(task).is_none_or(|step| step.record.state() != State::Complete) {
                        found.reverted.insert(task.clone());
                        continue;
                    }
                    let end = match landing.landed {
                        // A person has said so.
                        Some(landed) => survey.completed_before(inputs, task, landed)?,
                        None => Some(landing.tip),
                    };
                    found.ends.entry(task.clone()).or_default().extend(end);
                    found.commits.push(commit);
                    found.origin.get_or_insert(landing.base);
                }
            }
        }
        Ok(found)
    }

    /// Whether the work that this commit completes is there.
    pub(super) fn has(&self, inputs: &LandInputs<'_>, task: &TaskId, complete: CommitId) -> Result<bool> {
        let Some(ends) = self.ends.get(task) else { return Ok(false) };
        if ends.contains(&complete) {
            return Ok(true);
        }
        for end in ends {
            if inputs.repository.reaches(*end, complete)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// This with what another branch has as well.
    fn and(mut self, other: &Self) -> Self {
        for (task, ends) in &other.ends {
            self.ends.entry(task.clone()).or_default().extend(ends);
        }
        for (task, commit) in &other.first {
            self.first.entry(task.clone()).or_insert(*commit);
        }
        self.origin = other.origin.or(self.origin);
        self.reverted.clone_from(&other.reverted);
        self
    }

    /// Whether the base has taken back the work of a task, and the run has gone on without that: it does not have the revert.
    pub(super) fn comes_again(
        &self,
        inputs: &LandInputs<'_>,
        base: &LandBase,
        task: &TaskId,
        complete: CommitId,
    ) -> Result<bool> {
        let LandInputs { git, repository, plan, .. } = *inputs;
        let Some(landed) = self.first.get(task).filter(|_| self.reverted.contains(task)) else {
            return Ok(false);
        };
        match git.merge_base(&base.tip, &complete)? {
            Some(left) if repository.reaches(left, *landed)? => {
                let then = read_run(repository, left, &plan.query())?;
                Ok(then.tasks.get(task).is_some_and(|step| step.record.state() == State::Complete))
            }
            _ => Ok(true),
        }
    }

    /// Whether the task was landed before, in another state.
    pub(super) fn knows(&self, task: &TaskId) -> bool {
        self.first.contains_key(task)
    }
}

/// Where a landed branch goes on, and what it has by then.
#[derive(Clone, Debug)]
pub(super) struct LandStart {
    /// The commit on top of which the next one is made.
    pub(super) at: CommitId,
    /// The commit on which the branch begins.
    pub(super) base: CommitId,
    pub(super) so_far: LandedSoFar,
    /// The commits of the branch that were made before, oldest first.
    pub(super) before: Vec<LandedCommit>,
    /// How many of them other people made, by what stays the same of them.
    pub(super) others: HashMap<Copied, usize>,
}

impl LandStart {
    /// A branch that does not exist yet, or of which everything was merged. It begins at the newest commit on the first-parent line
    /// of the base that has landed work of the run; if there is none, where the run left the base.
    pub(super) fn on_base(inputs: &LandInputs<'_>, survey: &LandSurvey) -> Result<Self> {
        let LandInputs { git, repository, .. } = *inputs;
        let start = |at, so_far| Self { at, base: at, so_far, before: Vec::new(), others: HashMap::new() };
        let Some(base) = &survey.into else { return Ok(start(survey.base, LandedSoFar::default())) };
        let all = git.with_parents(&[survey.origin], &base.tip)?;
        let all: Vec<CommitId> = all.iter().map(|commit| commit[0]).collect();
        let so_far = LandedSoFar::read(inputs, survey, base.tip, &all)?;
        if so_far.commits.is_empty() {
            let at = if so_far.reverted.is_empty() { survey.base } else { base.tip };
            return Ok(start(at, so_far));
        }
        if !so_far.reverted.is_empty() {
            return Ok(start(base.tip, so_far));
        }
        // Newest first: as long as a commit has all of it, so has its child.
        let line = git.first_parents(&[survey.origin], &base.tip)?;
        let (mut with, mut without) = (0, line.len());
        while without - with > 1 {
            let middle = usize::midpoint(with, without);
            let reached = repository.reached_from(line[middle][0], &so_far.commits)?;
            let has_all = so_far.commits.iter().all(|commit| reached.contains(commit));
            *(if has_all { &mut with } else { &mut without }) = middle;
        }
        Ok(start(line[with][0], so_far))
    }

    /// The branch with this tip, which an earlier landing has made. What is new is added on top of it.
    ///
    /// # Errors
    /// [`Kind::Repository`] if it holds anything else.
    pub(super) fn on_branch(
        inputs: &LandInputs<'_>,
        survey: &LandSurvey,
        name: &str,
        tip: CommitId,
    ) -> Result<Self> {
        let LandInputs { git, .. } = *inputs;
        let on_base = Self::on_base(inputs, survey)?;
        let into = survey.into.as_ref().map_or(survey.base, |base| base.tip);
        if tip == on_base.at || git.is_ancestor(&tip, &on_base.at)? || git.is_ancestor(&tip, &into)? {
            return Ok(on_base);
        }
        let line = LandedLine::read(inputs, survey, tip)?;
        let Some(LandedLine { base, so_far, commits, others, .. }) = line else {
            return Err(holds_other_commits(name));
        };
        let mut is_merged = !so_far.ends.is_empty();
        for (task, ends) in &so_far.ends {
            for end in ends {
                is_merged =
                    is_merged && (on_base.so_far.has(inputs, task, *end)? || survey.is_in_base(inputs, *end));
            }
        }
        if is_merged {
            return Ok(on_base);
        }
        let mut counted = HashMap::new();
        others.into_iter().for_each(|other| *counted.entry(other.copied).or_default() += 1);
        Ok(Self { at: tip, base, so_far: so_far.and(&on_base.so_far), before: commits, others: counted })
    }
}

/// The commits of a landed branch along first parents.
pub(super) struct LandedLine {
    /// The commit below the oldest one.
    base: CommitId,
    so_far: LandedSoFar,
    /// Oldest first.
    pub(super) commits: Vec<LandedCommit>,
    /// Those of other people, oldest first.
    pub(super) others: Vec<OthersCommit>,
}

impl LandedLine {
    /// Reads the branch with this tip; `None` if it has no landed work of the run, or has steps.
    pub(super) fn read(inputs: &LandInputs<'_>, survey: &LandSurvey, tip: CommitId) -> Result<Option<Self>> {
        let LandInputs { git, work_tree, .. } = *inputs;
        let mut bases = vec![survey.base];
        bases.extend(survey.into.as_ref().map(|base| base.tip));
        let mut line = git.first_parents(&bases, &tip)?;
        line.reverse();
        let ids: Vec<CommitId> = line.iter().map(|commit| commit[0]).collect();
        let so_far = LandedSoFar::read(inputs, survey, tip, &ids)?;
        let Some(base) = line.first().and_then(|oldest| oldest.get(1)).copied() else { return Ok(None) };
        let mut writer = ObjectWriter::new(git, &work_tree.git_dir)?;
        let (mut commits, mut others, mut has_skip) = (Vec::new(), Vec::new(), false);
        for id in ids {
            let written = writer.written_by(&id)?;
            let message = &written.message;
            let landings = Landing::all_in(message);
            // Only the skip of a task is landed as it is.
            let is_skip = matches!(commit_kind(message), CommitKind::Task(_, record) if record.outcome == Outcome::Skip);
            let is_ours = commits.iter().any(|commit: &LandedCommit| !commit.tasks.is_empty());
            if carries_step(message) && landings.is_empty() && !is_ours && !is_skip {
                return Ok(None);
            }
            let tasks: Vec<TaskId> = landings.iter().flat_map(|landing| &landing.tasks).cloned().collect();
            // What was kept has the author and the title of its original; the title of a skip is another one.
            let skip =
                landings.iter().find(|landing| survey.commits.contains(&landing.tip) && tasks.is_empty());
            let title = title_of(message);
            has_skip |= skip.is_some();
            if tasks.is_empty() {
                let copied = match skip {
                    Some(skip) => Copied::of(&mut writer, &skip.tip)?,
                    None => Copied::by(written),
                };
                others.push(OthersCommit { id, copied });
            }
            commits.push(LandedCommit { id, is_original: false, tasks, title });
        }
        // A person may have left out tasks before any was done.
        let has_landed = has_skip || !so_far.first.is_empty();
        Ok(has_landed.then_some(Self { base, so_far, commits, others }))
    }

    /// The tasks whose landed work one of these commits of the run takes back, as its message says by the id of a commit of this
    /// branch. The branch does not have it any more, and the run has not done it again since.
    pub(super) fn taken_back(
        &self,
        inputs: &LandInputs<'_>,
        copies: impl Iterator<Item = CommitId>,
    ) -> Result<Vec<TaskId>> {
        let LandInputs { repository, run, .. } = *inputs;
        let mut found = Vec::new();
        for copy in copies {
            let claims = RevertClaim::all_in(&repository.commit(&copy)?.message);
            let is_named = |landed: &&LandedCommit| {
                claims.iter().filter_map(|claim| claim.named.as_ref()).any(|named| named.id.fits(&landed.id))
            };
            let tasks = self.commits.iter().filter(is_named).flat_map(|landed| &landed.tasks);
            for task in tasks.filter(|task| self.so_far.reverted.contains(*task)) {
                let Some(last) = run.tasks.get(task) else { continue };
                if last.record.state() == State::Complete
                    && !found.contains(task)
                    && repository.reaches(copy, last.id)?
                {
                    found.push(task.clone());
                }
            }
        }
        Ok(found)
    }

    /// What the first landed commit of each task has as its id for a server of Gerrit, as a trailer.
    pub(super) fn change_ids(&self, inputs: &LandInputs<'_>) -> Result<HashMap<TaskId, String>> {
        let mut found = HashMap::new();
        for (task, commit) in &self.so_far.first {
            let message = inputs.repository.commit(commit)?.message;
            let id =
                trailers(&message).into_iter().find(|trailer| trailer.key.eq_ignore_ascii_case(CHANGE_ID));
            found.extend(
                id.map(|id| (task.clone(), format!("Change-Id: {}\n", String::from_utf8_lossy(&id.value)))),
            );
        }
        Ok(found)
    }
}

fn holds_other_commits(name: &str) -> Error {
    Error::new(
        Kind::Repository,
        format!("the branch {name} exists and holds other commits"),
        format!(
            "Nothing was changed. Choose another name with `--branch NAME`, or delete it with `git branch -D {}` if you do \
             not need it.",
            shell_word(name)
        ),
    )
}
