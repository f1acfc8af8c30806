//! The branch on which `autopilot` works: its name, where it begins, and whether it holds this run already.

use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::history::{Run, read_run};
use crate::plan::NodeIx;
use crate::record::CommitId;
use crate::report;
use crate::run::{DefaultBranch, Plan, as_part};
use crate::session::Session;
use crate::text::{one_line, shell_word, slug};

/// How many characters of a task's name are in the name of a branch.
const SLUG: usize = 40;

/// The branch, and what has to be done to be on it.
pub(super) struct OwnBranch {
    /// Its name, without `refs/heads/`.
    pub(super) name: String,
    /// What it begins at and will be merged into, as it was named.
    pub(super) target: String,
    /// Its tip, or the commit at which it will begin.
    pub(super) start: CommitId,
    pub(super) place: Place,
}

/// Whether the branch is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It is checked out.
    Here,
    /// It exists, and the run is on it.
    There,
    /// It has to be made.
    New,
}

impl OwnBranch {
    /// Looks for the branch of a node, or of the whole plan.
    ///
    /// # Errors
    /// [`Kind::Repository`] if there is no default branch, if the plan is not on it, or if the name of the branch is taken.
    pub(super) fn find(
        session: &Session,
        plan: &Plan,
        run: &Run,
        node: Option<NodeIx>,
        base: Option<&str>,
    ) -> Result<Self> {
        let Session { git, work_tree, repository, config, .. } = session;
        let target = match base {
            Some(base) => base.to_owned(),
            None => DefaultBranch::find(git, work_tree, repository)?.ok_or_else(no_default_branch)?.name,
        };
        let name = name_of(&config.text(Setting::BranchPattern), plan, node)?;
        check_name(session, &name, &target)?;
        if repository.branch().is_ok_and(|head| head.branch_name() == name) {
            return Ok(Self { name, target, start: run.range.head(), place: Place::Here });
        }
        let begins = git.commit_named(&target)?.ok_or_else(|| {
            Error::new(
                Kind::Input,
                format!("there is no branch or commit `{target}`"),
                "Nothing was changed. Name where the branch begins with `--base`.",
            )
        })?;
        if let Some(tip) = repository.tip_of(&name)? {
            let theirs = read_run(repository, tip, &plan.query())?;
            if theirs.tasks.is_empty() && !repository.reaches(begins, tip)? {
                return Err(branch_of_others(&name));
            }
            return Ok(Self { name, target, start: tip, place: Place::There });
        }
        // A plan outside of the repository is on every branch.
        let files = plan.files_in_repository().unwrap_or_default();
        let files: Vec<Vec<u8>> = files.into_iter().map(String::into_bytes).collect();
        if git.entries(&begins, &files)?.len() < files.len() {
            return Err(Error::new(
                Kind::Repository,
                format!("the plan {} is not on {target}, where the branch would begin", plan.shown),
                "Nothing was changed. Bring it there first, or begin elsewhere with `--base BRANCH`, for example `--base HEAD`.",
            ));
        }
        Ok(Self { name, target, start: begins, place: Place::New })
    }

    /// Makes the branch if it is missing, and switches to it.
    ///
    /// # Errors
    /// If the user says no, or git refuses.
    pub(super) fn enter(&self, session: &Session, yes: bool) -> Result<()> {
        let git = &session.git;
        match self.place {
            Place::Here => Ok(()),
            Place::There => {
                report::announce(&session.screen, &format!("Switch to {}", self.name));
                git.switch(&self.name)
            }
            Place::New => {
                report::announce(
                    &session.screen,
                    &format!("Make the branch {} at {} ({})", self.name, self.target, self.start.short()),
                );
                if !yes && report::confirm("", "Make it?") != Some(true) {
                    return Err(Error::new(Kind::No, "the branch was not made", "Nothing was changed."));
                }
                git.switch_to_new(&self.name, &self.start)
            }
        }
    }
}

/// The name of the branch according to a pattern.
fn name_of(pattern: &str, plan: &Plan, node: Option<NodeIx>) -> Result<String> {
    let spec = as_part(plan.tree.spec_id().unwrap_or_default());
    let Some(node) = node.map(|node| plan.tree.node(node)) else {
        return Ok(format!("{spec}/autopilot"));
    };
    let name = pattern.replace("{spec}", &spec).replace("{tag}", &spec).replace("{id}", node.id.as_str());
    let name = match slug(&node.name, SLUG) {
        short if short.is_empty() => name.replace("-{slug}", "").replace("{slug}", "task"),
        short => name.replace("{slug}", &short),
    };
    match name.split_once('{') {
        None => Ok(name.trim_matches('/').to_owned()),
        Some((_, rest)) => Err(Error::new(
            Kind::Input,
            format!(
                "`{{{}}}` in `arborist.branchPattern` stands for nothing",
                one_line(rest.split('}').next().unwrap_or_default())
            ),
            "Nothing was changed. The placeholders are `{tag}`, `{id}`, `{slug}` and `{spec}`.",
        )),
    }
}

/// Makes sure that the branch can have this name, and is not the one from which it begins.
fn check_name(session: &Session, name: &str, target: &str) -> Result<()> {
    if session.git.branch_meant(name)?.as_deref() != Some(name) {
        return Err(Error::new(
            Kind::Input,
            format!("`{name}` is not a name that a branch can have"),
            "Nothing was changed. Correct `arborist.branchPattern`.",
        ));
    }
    if name == target {
        return Err(Error::new(
            Kind::Repository,
            format!("`{name}` is the branch from which the work would begin"),
            "Nothing was changed. Use `{id}` in `arborist.branchPattern`.",
        ));
    }
    Ok(())
}

fn branch_of_others(name: &str) -> Error {
    Error::new(
        Kind::Repository,
        format!("the branch {name} exists, and this run is not on it"),
        format!(
            "Nothing was changed. Rename it with `git branch -m {} NEW`, or set another `arborist.branchPattern`.",
            shell_word(name)
        ),
    )
}

fn no_default_branch() -> Error {
    Error::new(
        Kind::Repository,
        "it is not known which branch is the default branch here",
        "Nothing was changed. Name the branch from which the work begins with `--base BRANCH`.",
    )
}
