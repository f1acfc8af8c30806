//! A run that a command is about to start.

use super::confirmation::Confirmation;
use super::options::RunOptions;
use crate::config::{CheckLevel, Config, Setting};
use crate::engine::RunPart;
use crate::error::{Error, Kind, Result};
use crate::plan::{Expect, NodeIx, PerTask};
use crate::report;
use crate::run::{BRANCH_FOLDER, DefaultBranch, PhaseRun, Plan, alike_branches, branch_folder};
use crate::session::{Call, Session};
use crate::text::advice::Advice;
use crate::text::{listed, one_line, shell_word};

/// The commands that start a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunKind {
    /// All that can be done in the plan.
    Gardener,
    /// One task.
    Garden,
    /// Work that somebody hands in.
    Done,
    /// A worker in its clone, which still has to push what it merges.
    Work,
    /// The branches of workers are merged.
    Integrate,
}

impl RunKind {
    /// The name of the command.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Gardener => "gardener",
            Self::Garden => "garden",
            Self::Done => "done",
            Self::Work => "work",
            Self::Integrate => "integrate",
        }
    }
}

/// A run that a command starts.
#[derive(Clone, Copy)]
pub(crate) struct Start<'a> {
    /// Which command that is.
    pub(crate) kind: RunKind,
    pub(crate) call: &'a Call,
    pub(crate) options: &'a RunOptions,
    pub(crate) session: &'a Session,
    pub(crate) plan: &'a Plan,
    /// The command that continues the run, without the options that end it.
    pub(crate) again: &'a Advice,
    /// The settings of every task.
    pub(crate) tasks: &'a PerTask<Config>,
    /// The part of this run in one that works on several tasks at the same time.
    pub(crate) part: &'a RunPart,
}

impl Start<'_> {
    /// Warns of a run that commits on the default branch, if it is certain which one that is, or refuses it if the user wants
    /// that.
    ///
    /// # Errors
    /// [`Kind::Repository`] if the default branch is protected.
    fn check_default_branch(&self) -> Result<()> {
        if !matches!(self.kind, RunKind::Garden | RunKind::Gardener) {
            return Ok(());
        }
        let Session { git, work_tree, repository, config, screen, .. } = self.session;
        let phases = &PhaseRun::of(repository, self.plan)?;
        let is_protected = config.is_on(Setting::ProtectDefaultBranch);
        let default = match is_protected {
            true => DefaultBranch::find(git, work_tree, repository)?,
            false if self.kind == RunKind::Gardener => DefaultBranch::of_origin(git, work_tree)?,
            false => None,
        };
        let Some(DefaultBranch { name, .. }) = default else { return Ok(()) };
        let target = match phases {
            Some(phases) => phases.base.clone(),
            None => repository.branch()?.branch_name().to_owned(),
        };
        if name != target {
            return Ok(());
        }
        let shown = one_line(&name);
        let what = match phases {
            Some(_) => format!("phases are merged into {shown}, the default branch"),
            None => format!("steps are committed on {shown}, the default branch"),
        };
        if is_protected {
            let remedy = format!(
                "Begin on a branch of your own with `git switch -c NAME {}`, then run the same command again; `git config \
                 arborist.protectDefaultBranch false` allows it.",
                shell_word(&name)
            );
            return Err(Error::new(Kind::Repository, what, remedy));
        }
        report::warn(
            screen,
            &format!("{what}; `git switch -c NAME` before a run keeps them on a branch of their own"),
        );
        Ok(())
    }

    /// The branches of phases, if they get any, on a base branch that may be worked on.
    ///
    /// # Errors
    /// If the base branch is protected, or cannot be used.
    pub(crate) fn phases(&self) -> Result<Option<PhaseRun>> {
        let Session { git, work_tree, repository, .. } = self.session;
        // A run that only ends what another one has begun asks for no confirmation, and commits all the same.
        if self.session.config.is_on(Setting::ProtectDefaultBranch) {
            self.check_default_branch()?;
        }
        let phases = PhaseRun::of(repository, self.plan)?;
        if let Some(phases) = &phases {
            self.check_branch_folders()?;
            phases.check_base(git, work_tree, repository)?;
        }
        Ok(phases)
    }

    /// Refuses a repository in which a branch has the name of a folder of the branches of this plan: git can have only one of them.
    ///
    /// # Errors
    /// [`Kind::Repository`], naming that branch.
    fn check_branch_folders(&self) -> Result<()> {
        let folder = branch_folder(self.plan);
        for name in [BRANCH_FOLDER, &folder] {
            if self.session.git.commit_named(&format!("refs/heads/{name}"))?.is_some() {
                return Err(Error::new(
                    Kind::Repository,
                    format!(
                        "the branch {name} is in the way: the branches of this run are called {folder}/..."
                    ),
                    format!(
                        "Rename it with `git branch -m {name} NAME`, then run the same command again; or run it on one branch, without \
                         --jobs and --branches. No agent was started."
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Refuses a plan whose tasks would share a branch, where each task gets one.
    ///
    /// # Errors
    /// [`Kind::Repository`], naming two such tasks, or a branch that is in the way.
    pub(crate) fn check_branch_names(&self) -> Result<()> {
        self.check_branch_folders()?;
        let Some([one, other]) = alike_branches(self.plan) else { return Ok(()) };
        if self.session.git.setting("core.ignoreCase")?.is_none_or(|value| value != "true") {
            return Ok(());
        }
        Err(Error::new(
            Kind::Repository,
            format!("{one} and {other} would have the same branch, because this file system ignores case"),
            "Rename one of them in the plan. Without a branch for each task (`--branches none`), the names do not matter.",
        ))
    }

    /// Says what the user ought to know before a run begins: on which branch it commits, and the commands of a plan that comes from
    /// elsewhere, which the user has to confirm.
    ///
    /// # Errors
    /// [`Kind::Repository`] if the default branch is protected, and as for [`Confirmation::obtain`].
    pub(crate) fn confirm_commands(&self) -> Result<()> {
        self.check_default_branch()?;
        let Self { options, session, plan, .. } = *self;
        Confirmation { session, plan, yes: options.yes, may_ask: !options.json }.obtain()
    }

    /// Makes sure that the tests of all tasks that change code measure what they cover, if the user requires that.
    ///
    /// # Errors
    /// [`Kind::Input`] with the tasks for which nothing is measured.
    pub(crate) fn require_coverage(&self, leaves: &[NodeIx]) -> Result<()> {
        if self.session.config.check_level(Setting::TrustCoverage) != CheckLevel::Require {
            return Ok(());
        }
        let is_unmeasured = |leaf: &&NodeIx| {
            let node = self.plan.tree.node(**leaf);
            self.plan.tree.expect(**leaf) == Expect::Change
                && node.test_commands.iter().all(|command| command.coverage.is_none())
        };
        let unmeasured: Vec<String> = leaves
            .iter()
            .filter(is_unmeasured)
            .map(|leaf| self.plan.tree.node(*leaf).id.to_string())
            .collect();
        if unmeasured.is_empty() {
            return Ok(());
        }
        Err(Error::new(
            Kind::Input,
            format!(
                "no test command of {} measures coverage, and arborist.trust.coverage is `require`",
                listed(&unmeasured)
            ),
            format!(
                "Give a command the field `coverage` in {}, or set arborist.trust.coverage to `warn`.",
                self.plan.shown
            ),
        ))
    }
}
