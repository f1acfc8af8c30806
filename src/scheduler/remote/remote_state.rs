//! What a worker knows of the run: the branch of the run and the branches of tasks, as the remote repository had them a moment
//! ago.

use std::collections::{BTreeMap, HashSet};

use super::collected::MergeTarget;
use super::holder::{LastClaim, last_claim};
use super::merged_tasks::MergedTasks;
use super::messages;
use super::private_clone::PrivateClone;
use super::source::ORIGIN;
use crate::config::{Config, Override};
use crate::error::Result;
use crate::git::{BranchesToFetch, DiscoveryStart, Fetching, RemoteTips};
use crate::history::{FollowedRun, Run};
use crate::plan::{NodeIx, PerTask, Readiness, TreeReadiness};
use crate::record::{CommitId, State, StepCommit, TaskId};
use crate::run::branches::names;
use crate::run::read_run::is_overtaken;
use crate::run::{INTEGRATION_BRANCH, Plan, branch_of, read_run, task_configs};
use crate::session::availability::Availability;
use crate::session::{Call, Session};

/// What is known of the run.
pub(super) struct RemoteState {
    pub(super) session: Session,
    pub(super) plan: Plan,
    pub(super) tasks: PerTask<Config>,
    /// The state of the plan, with the branches of tasks.
    pub(super) run: Run,
    /// The tasks that are done on the branch of the run.
    merged: HashSet<NodeIx>,
    /// The branches of tasks that were merged, are not on the branch of the run any more, and are to be merged again. The clone has them;
    /// the remote repository may not have them yet.
    pub(super) removed: RemoteTips,
    /// The tip of the branch of the run.
    pub(super) head: CommitId,
    /// Where merges are pushed.
    pub(super) target: MergeTarget,
    /// The tips of the branches of tasks, by their names, and what was pushed since.
    pub(super) tips: RemoteTips,
}

/// What came of looking.
pub(super) enum Looked {
    /// This is how it is.
    RemoteState(Box<RemoteState>),
    /// The remote repository did not answer; what git says.
    Silent(String),
}

/// Where to look.
pub(super) struct Look<'a> {
    pub(super) call: &'a Call,
    pub(super) clone: &'a PrivateClone,
    pub(super) overrides: &'a dyn Fn() -> Vec<Override>,
    /// The branch of a task that is checked out elsewhere and must not be touched.
    pub(super) spared: Option<&'a str>,
    /// The tip of the branch of the run when it was looked at last.
    pub(super) last_head: Option<CommitId>,
    /// Whether no work will be done there, so that submodules are not needed.
    pub(super) only_looks: bool,
}

impl Look<'_> {
    /// Reads the branches of the run from the remote repository, and makes the clone like it.
    ///
    /// # Errors
    /// If the branch of the run does not exist, or the clone cannot be used.
    pub(super) fn take(&self, folder: Option<&str>) -> Result<Looked> {
        let mut tips = match self.fetch(folder)? {
            Fetching::Tips(tips) => tips,
            Fetching::Silent(said) => return Ok(Looked::Silent(said)),
            Fetching::Missing(branch) => {
                return Err(match self.last_head {
                    Some(last) => messages::deleted_branch(&branch, &last.short()),
                    None => messages::missing_branch(&branch),
                });
            }
            Fetching::Refused(said) => return Err(messages::not_fetched(&self.clone.branch, &said)),
        };
        let branch = self.clone.branch.as_str();
        let tip = tips.remove(branch).expect("the branch of the run was fetched");
        let target = MergeTarget::run(branch, tip).or_collecting(&self.clone.git, folder, &tips)?;
        let head = if target.is_ahead { target.tip } else { tip };
        self.clone.git.check_out_as(branch, &head)?;
        if self.last_head != Some(head) && !self.only_looks {
            // Slots take them from here.
            self.clone.git.fetch_submodules().map_err(|error| messages::no_submodules(error.what()))?;
        }
        let session = self.open()?;
        let plan = if folder.is_none() { session.plan_to_run()? } else { session.plan_to_run_again()? };
        let own = names::folder(&plan);
        if folder != Some(own.as_str()) {
            // The name of the plan is known only now.
            return self.take(Some(&own));
        }
        self.copy_branches(&session, &own, &tips)?;
        let tasks = task_configs(&session.config, &plan);
        let run = read_run(&session.repository, &plan, &session.work_tree)?;
        let MergedTasks { merged, mut removed } = MergedTasks::of(&session, &plan, &run, &own)?;
        removed.retain(|name, _| !tips.contains_key(name) && self.spared != Some(name));
        let run = if removed.is_empty() { run } else { with_branches(&session, &plan, &removed)? };
        Ok(Looked::RemoteState(Box::new(RemoteState {
            session,
            plan,
            tasks,
            run,
            merged,
            removed,
            head,
            target,
            tips,
        })))
    }

    /// Fetches the branch of the run, and those in this folder.
    fn fetch(&self, folder: Option<&str>) -> Result<Fetching> {
        let below: Vec<String> = folder.iter().map(|folder| format!("{folder}/")).collect();
        let branch = Some(self.clone.branch.as_str());
        self.clone.git.fetch_tips(ORIGIN, BranchesToFetch { branch, below: &below })
    }

    /// Opens the clone.
    fn open(&self) -> Result<Session> {
        let place = DiscoveryStart::Folder(self.clone.folder.clone());
        Session::open_at(place, self.call, (self.overrides)())
    }

    /// Makes the branches of the clone like those of the remote repository.
    fn copy_branches(&self, session: &Session, folder: &str, tips: &RemoteTips) -> Result<()> {
        let git = &session.git;
        let own: BTreeMap<String, CommitId> = session.repository.branches_in(folder)?;
        for (name, tip) in &own {
            if self.spared == Some(name) || tips.get(name) == Some(tip) {
                continue;
            }
            git.delete_branch(name, tip)?;
        }
        for (name, tip) in tips {
            if self.spared != Some(name) && own.get(name) != Some(tip) {
                git.new_branch(name, tip)?;
            }
        }
        Ok(())
    }
}

/// Gives tasks branches of their own: so each is like any other task that is not merged yet.
fn with_branches(session: &Session, plan: &Plan, branches: &RemoteTips) -> Result<Run> {
    for (name, tip) in branches {
        session.git.new_branch(name, tip)?;
    }
    read_run(&session.repository, plan, &session.work_tree)
}

impl RemoteState {
    /// The folder of the branches of the plan.
    pub(super) fn folder(&self) -> String {
        names::folder(&self.plan)
    }

    /// The branch of a task.
    pub(super) fn branch_of(&self, leaf: NodeIx) -> String {
        branch_of(&self.plan, leaf)
    }

    /// The branch that holds the claim of the integration.
    pub(super) fn integration_branch(&self) -> String {
        format!("{}/{INTEGRATION_BRANCH}", self.folder())
    }

    pub(super) fn id(&self, leaf: NodeIx) -> &TaskId {
        &self.plan.tree.node(leaf).id
    }

    pub(super) fn availability(&self) -> Availability<'_> {
        Availability::new(&self.plan, &self.run, &self.tasks)
    }

    pub(super) fn readiness(&self) -> TreeReadiness<'_> {
        self.availability().readiness()
    }

    pub(super) fn state(&self, leaf: NodeIx) -> State {
        self.plan.state(&self.run, leaf)
    }

    /// Whether a task is done, on a branch that is not merged yet.
    pub(super) fn is_to_merge(&self, leaf: NodeIx) -> bool {
        self.state(leaf).is_done() && !self.merged.contains(&leaf)
    }

    /// Whether others were merged before a task twice. Then it is finished, or is merged with their work now.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(super) fn is_overtaken(&self, leaf: NodeIx) -> Result<bool> {
        let merges = |step: &StepCommit| step.record.merge.is_some();
        Ok(self.run.tasks.get(self.id(leaf)).is_some_and(merges) && self.will_be_overtaken(leaf)?)
    }

    /// The same for a finished task that could not be merged just now.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(super) fn will_be_overtaken(&self, leaf: NodeIx) -> Result<bool> {
        is_overtaken(&self.session.repository, &self.run, self.id(leaf))
    }

    /// Whether a task is done on the branch of the run.
    pub(super) fn is_merged(&self, leaf: NodeIx) -> bool {
        self.merged.contains(&leaf)
    }

    /// Whether everything is done on the branch of the run.
    pub(super) fn is_all_merged(&self) -> bool {
        self.plan.tree.order().iter().all(|leaf| self.is_merged(*leaf))
    }

    /// The task with this branch.
    pub(super) fn leaf_of(&self, branch: &str) -> Option<NodeIx> {
        names::task_of(&self.plan, branch)
    }

    /// The plan's file, if steps have to name it.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(super) fn plan_to_name(&self) -> Result<Option<String>> {
        let run = self.run.clone();
        let followed = FollowedRun::new(&self.session.repository, self.plan.query(), run);
        let path = followed.plan_to_name(&self.head)?;
        Ok(path.map(|path| String::from_utf8_lossy(&path.to_bytes()).into_owned()))
    }

    /// The tasks that can be worked on, in the order of the plan.
    pub(super) fn ready(&self) -> Vec<NodeIx> {
        self.readiness().ready().collect()
    }

    pub(super) fn is_ready(&self, leaf: NodeIx) -> bool {
        self.readiness().of(leaf) == Readiness::Ready
    }

    /// The last claim on a branch with this tip.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub(super) fn last_claim(&self, tip: CommitId) -> Result<LastClaim> {
        last_claim(&self.session.repository, tip, Some(self.head))
    }

    /// The last claim of a task whose branch is gone, as its steps in the branch of the run tell.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub(super) fn last_claim_of_merged(&self, leaf: NodeIx) -> Result<LastClaim> {
        let latest = self.run.tasks.get(self.id(leaf));
        latest.map_or_else(
            || Ok(LastClaim::default()),
            |step| last_claim(&self.session.repository, step.id, None),
        )
    }
}
