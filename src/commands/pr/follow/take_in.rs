//! Decides which tasks take up what is on a request, and records it.

use crate::engine::FromRequest;
use crate::error::{Error, Kind, Result};
use crate::forge::{About, LONGEST_ROUND, Side, Wanted, together};
use crate::git::{Entry, EntryKind, Line, NewCommit, PathEntry};
use crate::history::FollowedRun;
use crate::import::target::Target;
use crate::intervene::decisions::{Chosen, Recording};
use crate::plan::NodeIx;
use crate::plan::building::{WrittenNode, WrittenTest, with_task_at_end};
use crate::record::{CommitId, Origin, StepRecord, TaskId};
use crate::report;
use crate::run::{Answerable, Plan};
use crate::session::plan_state::PlanState;
use crate::session::take_lock::lock;
use crate::session::{Call, Session};
use crate::setup::found::suite_of;
use crate::text::one_line;
use crate::workflow::Decision;

/// What one task takes up.
pub(super) struct Taker {
    /// The task; `None` for a new one at the end of the plan.
    leaf: Option<NodeIx>,
    origins: Vec<Origin>,
    why: String,
    words: String,
}

/// Finds the tasks, in the order of the plan; what fits to none becomes a new one. Removed lines are those of `base`.
pub(super) fn takers(state: &PlanState, base: Option<CommitId>, wanted: &[Wanted<'_>]) -> Result<Vec<Taker>> {
    let PlanState { session, plan, run, .. } = state;
    let Session { git, repository, .. } = session;
    let followed = FollowedRun::new(repository, plan.query(), run.clone());
    let answerable = Answerable { git, plan, followed: &followed };
    let mut found: Vec<(Option<NodeIx>, Vec<&Wanted<'_>>)> = Vec::new();
    for one in wanted {
        let leaf = match one.about {
            About::Check(check) => answerable.for_output(&check.log)?,
            About::Thread(thread) => {
                // A file may name anything, and what a forge names need not be here.
                let commit = CommitId::from_hex(thread.commit.as_bytes()).map(|id| id.to_string());
                let commit = commit.map(|id| git.commit_named(&id)).transpose()?.flatten();
                let line = match (commit, thread.line, thread.side) {
                    (Some(commit), Some(number), Side::New) => {
                        Some((Line { commit, path: &thread.path, number }, None))
                    }
                    // They are counted where the branch of the reviewed commit left its base.
                    (Some(commit), Some(number), Side::Old) => {
                        let left = base.map(|base| git.merge_base(&base, &commit)).transpose()?.flatten();
                        left.map(|left| (Line { commit: left, path: &thread.path, number }, Some(commit)))
                    }
                    _ => None,
                };
                let (line, removed_in) = line.map_or((None, None), |(line, head)| (Some(line), head));
                answerable.for_line(&thread.path, line, removed_in)?
            }
        };
        match found.iter_mut().find(|(known, _)| *known == leaf) {
            // A brief shows no more, and what it does not show is not taken up.
            Some((_, all)) if length(all) + one.words.len() > LONGEST_ROUND => {
                report::eprint(&format!("Left for the next round: {}.", one.why));
            }
            Some((_, all)) => all.push(one),
            None => found.push((leaf, vec![one])),
        }
    }
    let place = |leaf: &Option<NodeIx>| plan.tree.order().iter().position(|other| Some(*other) == *leaf);
    found.sort_by_key(|(leaf, _)| place(leaf).unwrap_or(usize::MAX));
    Ok(found
        .into_iter()
        .map(|(leaf, all)| {
            let (why, words) = together(&all);
            Taker { leaf, origins: all.iter().map(|one| one.origin.clone()).collect(), why, words }
        })
        .collect())
}

fn length(all: &[&Wanted<'_>]) -> usize {
    all.iter().map(|one| one.words.len()).sum()
}

impl Taker {
    /// What will be done, as a line.
    pub(super) fn line(&self, state: &PlanState) -> String {
        let task = self.leaf.map(|leaf| state.plan.tree.node(leaf));
        let task = task.map_or_else(
            || "a new task".to_owned(),
            |node| format!("{} ({})", node.id, one_line(&node.name)),
        );
        format!("{task}: {}", self.why)
    }

    /// The task; `None` if a new one takes it up.
    pub(super) fn task(&self, state: &PlanState) -> Option<TaskId> {
        self.leaf.map(|leaf| state.plan.tree.node(leaf).id.clone())
    }

    /// Records it, so that the task begins again.
    pub(super) fn record(&self, call: &Call) -> Result<()> {
        let state = &PlanState::open(call)?;
        let Self { leaf, origins, why, words } = self;
        let request = Some(FromRequest { origins, why });
        let (decision, id) = match leaf {
            Some(leaf) => {
                let node = state.plan.tree.node(*leaf);
                let latest = state.plan.latest(&state.run, *leaf);
                let is_open_again = latest.is_none_or(StepRecord::restarts);
                (if is_open_again { Decision::Note } else { Decision::Reopen }, node.id.to_string())
            }
            None => (Decision::Note, NewTask::REVIEW.add(call)?),
        };
        let recording = Recording { command: "pr", decision, words, request };
        recording.record(call, |state| Chosen::named(state, std::slice::from_ref(&id)))?;
        Ok(())
    }
}

/// A task that is added at the end of the last phase, which the suite judges.
pub(super) struct NewTask<'a> {
    /// What its id begins with.
    pub(super) kind: &'a str,
    pub(super) name: &'a str,
    pub(super) description: &'a str,
}

impl NewTask<'_> {
    /// What fits to no other task.
    pub(super) const REVIEW: NewTask<'static> = NewTask {
        kind: "review",
        name: "Take up the review",
        description: "A review of the request asks for changes that belong to no other task. What was written is in the notes about \
            this task. Do what it asks for as far as it belongs to this project, and nothing else.",
    };

    /// The text of the plan with it, and its id.
    ///
    /// # Errors
    /// If it cannot be added.
    pub(super) fn planned(&self, call: &Call, state: &PlanState) -> Result<(String, String)> {
        let suite = suite_of(&state.session, call)?;
        let test_commands = suite.iter().map(|command| WrittenTest::unit(command)).collect();
        let Self { kind, name, description } = *self;
        let task = WrittenNode { name, description, test_commands, ..WrittenNode::default() };
        let existing = String::from_utf8_lossy(state.plan.bytes()).into_owned();
        with_task_at_end(&existing, kind, task).map_err(|problems| {
            let first = problems.first().map(ToString::to_string).unwrap_or_default();
            Error::new(
                Kind::Input,
                format!("no task can be added to the plan: {first}"),
                "Nothing was changed. Correct the plan, then run the same command again.",
            )
        })
    }

    /// Adds it and commits the plan. One that nobody has begun, because an earlier call was killed, is taken instead. Returns its id.
    pub(super) fn add(&self, call: &Call) -> Result<String> {
        let session = Session::open(call, Vec::new())?;
        let state = PlanState::open(call)?;
        let is_unused = |id: &&String| {
            let leaf = state.plan.tree.find(id).filter(|_| id.starts_with(self.kind));
            leaf.is_some_and(|leaf| state.plan.latest(&state.run, leaf).is_none())
        };
        if let Some(unused) = tasks_of_requests(&state.plan).iter().find(is_unused) {
            return Ok(unused.clone());
        }
        let (text, id) = self.planned(call, &state)?;
        let target = Target::of(None, &session, &call.environment.folder()?);
        let Some(path) = &target.inside else { return target.write(&text).map(|()| id) };
        // The commit is made before the file is written, so that a kill leaves no change that nobody has committed.
        let _lock = lock(&session, "pr")?;
        let Session { git, work_tree, repository, .. } = &session;
        let head = repository.branch()?.commit;
        let entry = Entry { kind: EntryKind::File, id: git.write_blob(text.into_bytes())? };
        let entries = [PathEntry { path: path.clone().into_bytes(), entry: Some(entry) }];
        let tree = git.tree_with(&work_tree.git_dir, &head, &entries)?;
        let title = session.config.subject_form().title(&format!("Add {id} to the plan"));
        let message = format!("{title}\n").into_bytes();
        let (parents, signed) = (vec![head], git.signs_commits()?);
        let made = git.new_commit(&NewCommit { tree, parents, message, author: None, date: None, signed })?;
        git.fast_forward(&made)?;
        Ok(id)
    }
}

/// The tasks of a plan that were added for requests.
pub(in crate::commands) fn tasks_of_requests(plan: &Plan) -> Vec<String> {
    let ids = plan.tree.order().iter().map(|leaf| plan.tree.node(*leaf).id.to_string());
    let is_one = |id: &String| {
        let number = id.strip_prefix("review-").or_else(|| id.strip_prefix("merge-"));
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    ids.filter(is_one).collect()
}
