//! Merges the base into the branch of a request where they are in conflict. A merge without conflicts is made at once; files that are
//! in conflict stay as the run has them, and a new task brings in what the base has changed there.

use super::take_in::NewTask;
use crate::commands::land::Land;
use crate::engine::FromRequest;
use crate::error::{Error, Kind, Result};
use crate::git::{MergedTree, NewCommit};
use crate::intervene::decisions::{Chosen, Recording};
use crate::publish::LandBase;
use crate::record::{CommitId, Origin, OriginKind};
use crate::session::plan_state::PlanState;
use crate::session::take_lock::lock;
use crate::session::{Call, Session};
use crate::text::{listed, one_line, show_path, tail};
use crate::workflow::Decision;

/// How many characters of a diff are shown of each side.
const DIFF: usize = 8_000;

pub(super) struct BaseMerge {
    /// The branch of the request, and its newest commit.
    branch: String,
    tip: CommitId,
    base: String,
    base_tip: CommitId,
    merged: MergedTree,
}

impl BaseMerge {
    /// The merge of its base that a branch needs; `None` if it needs none. `is_in_conflict` is what the forge says.
    pub(super) fn find(
        session: &Session,
        branch: &str,
        base: &LandBase,
        is_in_conflict: bool,
    ) -> Result<Option<Self>> {
        let Session { git, repository, .. } = session;
        let Some(tip) = repository.tip_of(branch)? else { return Ok(None) };
        if git.is_ancestor(&base.tip, &tip)? {
            return Ok(None);
        }
        let merged = git.merge_of(&tip, &base.tip)?;
        let is_needed = is_in_conflict || matches!(merged, MergedTree::Conflicts(_));
        let (branch, base_tip) = (branch.to_owned(), base.tip);
        Ok(is_needed.then_some(Self { branch, tip, base: base.name.clone(), base_tip, merged }))
    }

    /// What will be done, as a line.
    pub(super) fn line(&self) -> String {
        let base = one_line(&self.base);
        match &self.merged {
            MergedTree::Clean(_) => format!("{base} is merged into {}", one_line(&self.branch)),
            MergedTree::Conflicts(conflicted) => {
                format!("a new task: merge {base}, which is in conflict in {}", listed(&conflicted.files))
            }
        }
    }

    /// Whether a task has to settle conflicts.
    pub(super) fn needs_task(&self) -> bool {
        matches!(self.merged, MergedTree::Conflicts(_))
    }

    /// The files of the merge, where those that are in conflict stay as the run has them.
    ///
    /// # Errors
    /// [`Kind::Person`] if one of them has no place here.
    pub(super) fn tree(&self, session: &Session) -> Result<String> {
        let (Session { git, work_tree, .. }, Self { tip, base, merged, .. }) = (session, self);
        Ok(match merged {
            MergedTree::Clean(tree) => tree.clone(),
            MergedTree::Conflicts(conflicted) => {
                let paths: Vec<Vec<u8>> =
                    conflicted.files.iter().map(|file| file.clone().into_bytes()).collect();
                let ours = git.entries(tip, &paths)?;
                // What the base has renamed, or made a folder of, has no place here that could stay as it is.
                let missing: Vec<Vec<u8>> =
                    paths.iter().filter(|path| !ours.contains_key(*path)).cloned().collect();
                let left = git.merge_base(tip, &self.base_tip)?;
                let deleted = left.map(|left| git.entries(&left, &missing)).transpose()?.unwrap_or_default();
                if let Some(path) = missing.iter().find(|path| !deleted.contains_key(*path)) {
                    return Err(Error::new(
                        Kind::Person,
                        format!(
                            "{} cannot be merged by itself: {} is in conflict, and has another name here",
                            one_line(base),
                            show_path(path)
                        ),
                        "Merge it into the branch of the run by hand, then run the same command again.",
                    ));
                }
                git.settled(&work_tree.git_dir, conflicted, &git.tree_of(tip)?)?
            }
        })
    }

    /// Makes the merge on the branch of the request, takes it into the run, and adds the task that it may need.
    pub(super) fn make(&self, call: &Call, state: &PlanState, land: Land) -> Result<()> {
        let Self { branch, tip, merged, .. } = self;
        let Session { git, repository, .. } = &state.session;
        let held = lock(&state.session, "pr")?;
        let tree = self.tree(&state.session)?;
        let message = format!("Merge branch '{}' into {branch}\n", self.base).into_bytes();
        let (parents, signed) = (vec![*tip, self.base_tip], git.signs_commits()?);
        let made = git.new_commit(&NewCommit { tree, parents, message, author: None, date: None, signed })?;
        let head = repository.branch()?;
        if head.branch_name() == branch {
            git.fast_forward(&made)?;
        } else {
            git.advance_branch(branch, tip, &made)?;
        }
        drop(held);
        let land = land.allowing(vec![made]);
        match merged {
            MergedTree::Clean(_) => land.take_in_new(call, &|_| Ok(())).map(drop),
            MergedTree::Conflicts(conflicted) => {
                // Its tests can only pass when the task is done.
                land.untested().take_in_new(call, &|_| Ok(()))?;
                self.add_task(call, state, &conflicted.files)
            }
        }
    }

    fn add_task(&self, call: &Call, state: &PlanState, files: &[String]) -> Result<()> {
        let git = &state.session.git;
        let left = git.merge_base(&self.tip, &self.base_tip)?;
        let mut words = String::new();
        for (whose, to) in [(self.base.as_str(), &self.base_tip), ("this run", &self.tip)] {
            let Some(left) = left else { break };
            let mut args = vec![
                "diff".to_owned(),
                "--no-color".to_owned(),
                left.to_string(),
                to.to_string(),
                "--".to_owned(),
            ];
            args.extend(files.iter().cloned());
            let diff = String::from_utf8_lossy(&git.demand(args)?).into_owned();
            words.push_str(&format!(
                "What {} has changed in these files:\n{}\n\n",
                one_line(whose),
                tail(&diff, DIFF)
            ));
        }
        let description = format!(
            "The branch {} was merged, but these files were left as this run has them, because both have changed the same lines: {}. \
             Bring in what the base has changed there, so that both intentions hold. The notes about this task have both diffs.",
            one_line(&self.base),
            listed(files)
        );
        let id = NewTask { kind: "merge", name: "Merge the base", description: &description }.add(call)?;
        let (base, at) = (self.base.clone(), self.base_tip.to_string());
        let origins = [Origin { kind: OriginKind::Merge, id: base, at }];
        let request = Some(FromRequest { origins: &origins, why: "" });
        let recording =
            Recording { command: "pr", decision: Decision::Note, words: words.trim_end(), request };
        recording.record(call, |state| Chosen::named(state, std::slice::from_ref(&id)))?;
        Ok(())
    }
}
