//! Records the state of a repository before a runner, a reviewer or a test works in it: its settings, hooks and
//! references.
//!
//! A change to our own branch or to the programs that git runs ends the run. Other changes are only reported, because
//! everyone who works in this repository shares its settings and references, in whichever work tree, and may change
//! them.

mod changed_by;
mod conditional;
mod files;
mod guarded;
mod hook_files;
mod instructions;
mod intact;
mod pushes;
mod references;
mod run_branches;
mod settings;
mod submodules;

use std::path::{Path, PathBuf};

use super::scratch::is_slot;
use crate::error::{Error, Kind, Result};
use crate::git::{Git, Head, Stash, WorkTree};
use crate::process::EnvChange;
use crate::record::{CommitId, Finding};
use crate::text::listed;
pub(crate) use changed_by::{ChangedBy, SnapshotSource, StepFate};
use serde::{Deserialize, Serialize};

use conditional::ConditionalSettings;
use files::{DecisiveFiles, Files};
pub(crate) use instructions::Instructions;
use intact::{check_intact, check_same};
use references::References;
pub(crate) use run_branches::RunBranches;
use run_branches::{link_of, make_direct};
use settings::EffectiveSettings;

/// The state of a repository at one moment.
#[derive(Debug, PartialEq, Eq, Clone, Serialize, Deserialize)]
pub(crate) struct RepoSnapshot {
    files: Files,
    settings: EffectiveSettings,
    conditional: ConditionalSettings,
    references: References,
    /// What is known of other repositories.
    remote_branches: References,
    /// The branches of the run that nobody else moves while a step is in progress.
    run_branches: Option<RunBranches>,
    /// What the branch leads to if it is a link to another reference.
    link: Option<String>,
    /// What reviewers are told from outside of the repository.
    #[serde(default)]
    instructions: Instructions,
}

/// What has changed in a repository without a need to end the run.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// What the user should know.
    pub(crate) warnings: Vec<String>,
    /// The commits that were made on other branches, as sentences.
    pub(crate) elsewhere: Vec<String>,
    /// What was pushed from here.
    pub(crate) pushed: Option<Finding>,
    /// The files outside of the repository that have changed, although reviewers take instructions from them.
    pub(crate) instructions: Vec<PathBuf>,
    /// The changes of this work tree that were stashed, newest first.
    stashed: Vec<Stash>,
}

impl Compared {
    /// The same, if no changes of the work tree are missing because they were stashed.
    ///
    /// # Errors
    /// [`Kind::Unsafe`], naming a stash.
    pub(crate) fn without_stash(self, who: &str) -> Result<Self> {
        let Some(stash) = self.stashed.first() else { return Ok(self) };
        Err(Error::new(
            Kind::Unsafe,
            format!(
                "changes of this work tree were stashed while {who} was at work, so it does not show all of its work"
            ),
            format!(
                "Nothing is lost. `git stash pop {}` brings them back; then run the same command again. Where git refuses that \
                 because the same files were changed since, use `git stash push -u && git stash apply {}`.",
                stash.name, stash.commit
            ),
        ))
    }

    /// Applies the stashes where no other change is in the way, and returns a clause if there are any. They stay as they are.
    ///
    /// # Errors
    /// [`Kind::Unsafe`] if one could not be applied.
    pub(crate) fn unstashed(mut self, git: &Git, who: &str) -> Result<(Self, Option<String>)> {
        let stashed = std::mem::take(&mut self.stashed);
        for stash in &stashed {
            let mut taken: Vec<Vec<u8>> = git.status()?.into_iter().map(|change| change.path).collect();
            if let (Some(base), Some(head)) =
                (git.commit_named(&format!("{}^1", stash.commit))?, git.commit_named("HEAD")?)
            {
                taken.extend(git.paths_between(&base, &head)?);
            }
            let paths = git.stashed_paths(&stash.commit)?;
            if git.is_as_stashed(&stash.commit, &paths)? {
                continue;
            }
            let is_free = paths.iter().all(|path| !taken.contains(path));
            if !is_free || !git.apply_stash(&stash.commit)? {
                self.stashed.push(stash.clone());
            }
        }
        let names: Vec<String> =
            stashed.iter().map(|stash| format!("{} ({})", stash.name, stash.commit.short())).collect();
        let told = format!(
            "changes of the work tree were stashed, which no step may do. They are in the files, and {} stays",
            listed(&names)
        );
        let this = self.without_stash(who)?;
        Ok((this, (!names.is_empty()).then_some(told)))
    }
}

impl RepoSnapshot {
    /// Records the present state of the repository. `user_attributes` is the file of attributes that git reads unless a setting names one.
    ///
    /// # Errors
    /// If git cannot list settings or references.
    pub(crate) fn take(source: SnapshotSource<'_>, user_attributes: Option<&Path>) -> Result<Self> {
        let entries = EffectiveSettings::read(source.git)?;
        let conditional = ConditionalSettings::read(source.git, source.work_tree, &entries)?;
        let settings = EffectiveSettings::of(entries);
        let attributes = match settings.has("core.attributesfile") {
            true => source.git.path_setting("core.attributesFile")?,
            false => user_attributes.map(Path::to_owned),
        };
        let decisive = decisive(source.git, source.work_tree, attributes)?;
        Ok(Self {
            files: Files::read(source.work_tree, decisive),
            settings,
            conditional,
            references: References::read(source.repository)?,
            remote_branches: References::read_remote_branches(source.repository)?,
            run_branches: None,
            link: source.repository.branch().ok().and_then(|head| link_of(source, &head.branch)),
            instructions: Instructions::default(),
        })
    }

    /// The same, which also watches the branches of a run, and what its reviewers are told from outside of the repository.
    pub(crate) fn watching(self, run_branches: Option<RunBranches>, instructions: Instructions) -> Self {
        Self { run_branches, instructions, ..self }
    }

    /// What the references name.
    pub(crate) fn tips(&self) -> Vec<CommitId> {
        self.references.tips()
    }

    /// The variables with settings of git with which pushes to the remotes of this repository fail. They take the place of those
    /// that tie a program to a repository, which no program of a run gets.
    pub(crate) fn against_pushes(&self) -> Vec<EnvChange> {
        pushes::variables_against(&self.settings)
    }

    /// Makes sure that the branch has not become a link to another reference.
    ///
    /// # Errors
    /// [`Kind::Unsafe`] if it has. It was put back.
    pub(crate) fn make_direct(&self, source: SnapshotSource<'_>, changed_by: ChangedBy<'_>) -> Result<()> {
        make_direct(source, changed_by.head, self.link.as_deref(), changed_by.who)
    }

    /// Makes sure that git would run the same programs as before. No changed program is run.
    ///
    /// # Errors
    /// [`Kind::Unsafe`], naming what must not change.
    pub(crate) fn compare_programs(
        &self,
        source: SnapshotSource<'_>,
        changed_by: ChangedBy<'_>,
    ) -> Result<()> {
        let files = Files::read(source.work_tree, self.files.decisive().clone());
        let entries =
            EffectiveSettings::read(source.git).map_err(|error| unreadable(&error, changed_by.who))?;
        let conditional = ConditionalSettings::read(source.git, source.work_tree, &entries)?;
        self.files.compare(&files, source.work_tree, changed_by)?;
        self.settings.compare(&EffectiveSettings::of(entries), changed_by)?;
        self.conditional.compare(&conditional, changed_by)
    }

    /// Compares the programs. Returns the git that runs the hooks of this work tree: in a slot, they may be those of the main
    /// work tree.
    ///
    /// # Errors
    /// As [`Self::compare_programs`].
    pub(crate) fn checked_git(&self, source: SnapshotSource<'_>, changed_by: ChangedBy<'_>) -> Result<Git> {
        self.compare_programs(source, changed_by)?;
        let decisive = self.files.decisive();
        Ok(match decisive.own_hooks {
            Some(_) => source.git.with_hooks(&decisive.hooks_dir),
            None => source.git.clone(),
        })
    }

    /// Compares the repository with the recorded state. Later comparisons use the present state. No changed program is run.
    ///
    /// # Errors
    /// [`Kind::Unsafe`], naming what must not change.
    pub(crate) fn compare(
        &mut self,
        source: SnapshotSource<'_>,
        changed_by: ChangedBy<'_>,
    ) -> Result<Compared> {
        check_intact(source, &self.references, changed_by)?;
        // Saved work is put back no matter what else was changed. This runs no hook.
        let mut references = References::read(source.repository)?;
        let mut in_the_way = Vec::new();
        // Where git itself cannot run, there is more to say than this.
        if references.has_our_folder() {
            in_the_way = source.git.clear_our_folders()?;
            references = References::read(source.repository)?;
        }
        // A run that works on several tasks at the same time drops the copies that it has made itself.
        let references_then =
            if is_slot(source.work_tree) { &self.references.without_copies() } else { &self.references };
        let saved_work = references_then.put_saved_work_back(&references, source.git, changed_by.who);
        let run_branches = self
            .run_branches
            .as_ref()
            .map_or(Ok(()), |watched| watched.put_back(&self.references, &references, source, changed_by));
        let remote_branches = References::read_remote_branches(source.repository)?;
        let direct = self.make_direct(source, changed_by);
        let files = Files::read(source.work_tree, self.files.decisive().clone());
        // This call of git ends in time even if its configuration leads to a pipe. Other calls would not.
        let entries =
            EffectiveSettings::read(source.git).map_err(|error| unreadable(&error, changed_by.who))?;
        let conditional = ConditionalSettings::read(source.git, source.work_tree, &entries)?;
        let settings = EffectiveSettings::of(entries);
        // If borrowed objects are missing, the error must name the file that lists the other repositories.
        if !files.borrows_differently_from(&self.files) {
            check_same(source, changed_by)?;
        }
        let mut warnings = in_the_way;
        warnings.extend(self.files.compare(&files, source.work_tree, changed_by)?);
        warnings.extend(self.settings.compare(&settings, changed_by)?);
        self.conditional.compare(&conditional, changed_by)?;
        saved_work?;
        run_branches?;
        direct?;
        warnings.extend(self.references.compare(&references, source.git, changed_by)?);
        let here = source.repository.branch().ok();
        let branches: Vec<&str> = here.iter().chain([changed_by.head]).map(Head::branch_name).collect();
        let stashed = self.references.stashed(&references, source.git, &branches)?;
        let elsewhere =
            self.references.commits_elsewhere(&references, &remote_branches, source, changed_by)?;
        let moved = self.remote_branches.changed(&remote_branches, |_| true);
        let pushed = pushes::pushed(moved, &self.settings, source, changed_by)?;
        let (run_branches, link) = (self.run_branches.take(), self.link.take());
        let mut instructions = std::mem::take(&mut self.instructions);
        let changed = instructions.reread();
        *self = Self {
            files,
            settings,
            conditional,
            references,
            remote_branches,
            run_branches,
            link,
            instructions,
        };
        Ok(Compared { warnings, elsewhere, pushed, instructions: changed, stashed })
    }

    /// Accepts a missing index.
    pub(crate) fn overlook_index(&mut self) {
        self.files.overlook_index();
    }

    /// Whether git has hooks here that it may run.
    pub(crate) fn has_hooks(&self) -> bool {
        self.files.has_hooks()
    }
}

/// Where to look for what decides which programs run here. A relative `core.hooksPath` names a folder of each work tree. Where git
/// ignores that folder, or a part of it, as it does with those of husky, a slot lacks what the hooks need: its hooks are those
/// of the main work tree. In other linked work trees, the hooks are those that the user has there, if there are any.
///
/// # Errors
/// If git cannot say where the folder is.
fn decisive(git: &Git, work_tree: &WorkTree, attributes: Option<PathBuf>) -> Result<DecisiveFiles> {
    let own = git.hooks_dir()?;
    let inner = own.strip_prefix(&work_tree.top).ok().filter(|_| work_tree.git_dir != work_tree.common_dir);
    let inner = inner.filter(|_| is_slot(work_tree) || !own.is_dir());
    let main = match inner {
        Some(inner) => git.main_work_tree()?.map(|top| top.join(inner)),
        None => None,
    };
    Ok(match main.filter(|folder| folder.is_dir()) {
        Some(hooks_dir) => DecisiveFiles { hooks_dir, own_hooks: Some(own), attributes },
        None => DecisiveFiles { hooks_dir: own, own_hooks: None, attributes },
    })
}

/// A text that is another one if a setting or a file has changed that decides which programs run here.
///
/// # Errors
/// If git cannot read its configuration.
pub(crate) fn decisive_state(git: &Git, work_tree: &WorkTree) -> Result<String> {
    let settings = EffectiveSettings::of(EffectiveSettings::read(git)?);
    let attributes = git.path_setting("core.attributesFile")?;
    let files = Files::read(work_tree, decisive(git, work_tree, attributes)?);
    let settings: Vec<_> = settings.guarded().collect();
    Ok(format!("{settings:?}\n{:?}\n", files.guarded()))
}

fn unreadable(error: &Error, who: &str) -> Error {
    Error::new(
        Kind::Unsafe,
        format!("git cannot read its configuration any more after {who} was at work: {}", error.what()),
        "The step was not committed. Correct the file that git names, then run the same command again.",
    )
}
