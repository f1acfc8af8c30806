//! Why the branches of phases cannot be used, and what the user can do about it.

use super::base::BaseOf;
use super::names::branch_of;
use super::survey::{BranchContent, Survey};
use crate::error::{Error, Kind, Result};
use crate::plan::{NodeIx, PhaseLink};
use crate::run::plan::Plan;
use crate::text::{listed, one_line, pathspec_word, shell_word};

/// Refuses a work tree in which it is not certain, or not the same as at the beginning of the run, into which branch
/// phases are merged.
pub(crate) fn of_survey(plan: &Plan, survey: &Survey, base: &str) -> Result<()> {
    let here = survey.head.branch_name();
    match &survey.base {
        BaseOf::Unknown(could_be) => Err(unknown_base(here, could_be)),
        BaseOf::Known(_) if survey.here.is_none() && here != base => Err(Error::new(
            Kind::Repository,
            format!(
                "the branch {} is checked out, but phases are merged into {}",
                one_line(here),
                one_line(base)
            ),
            format!("Run `git switch {}`, then run the same command again.", shell_word(base)),
        )),
        BaseOf::Known(name) if name != base => Err(Error::new(
            Kind::Repository,
            format!(
                "the branch {} is merged into {}, not into {}",
                one_line(here),
                one_line(name),
                one_line(base)
            ),
            format!("Run `git switch {}`, then run the same command again.", shell_word(base)),
        )),
        BaseOf::Known(_) if survey.base_tip.is_none() => {
            let phase = survey.here.map_or_else(|| here.to_owned(), |phase| branch_of(plan, phase));
            Err(no_base(base, &phase))
        }
        BaseOf::Known(_) => Ok(()),
    }
}

/// The error for a branch whose base branch does not exist.
pub(crate) fn no_base(base: &str, branch: &str) -> Error {
    Error::new(
        Kind::Repository,
        format!("the branch {branch} is merged into {}, which does not exist", one_line(base)),
        format!(
            "If it has another name now, run `git branch --set-upstream-to=NAME {branch}`; in a clone, `git branch {0} \
             origin/{0}` makes it. --base BRANCH names another one for this run.",
            shell_word(base)
        ),
    )
}

fn unknown_base(branch: &str, could_be: &[String]) -> Error {
    let why = match could_be {
        [] => "no local branch contains the commit at which it began".to_owned(),
        several => format!("it could be {}", listed(several)),
    };
    Error::new(
        Kind::Repository,
        format!("it is not certain into which branch {} should be merged: {why}", one_line(branch)),
        format!(
            "`git branch --set-upstream-to=BRANCH {}` names it; then run the same command again.",
            shell_word(branch)
        ),
    )
}

/// The error for the branch of a phase that is not one of this run.
pub(crate) fn of_branch(plan: &Plan, survey: &Survey, phase: NodeIx, base: &str) -> Error {
    let name = branch_of(plan, phase);
    match survey.branches.get(&phase).map(|branch| &branch.content) {
        Some(BranchContent::OfOtherBase(BaseOf::Unknown(could_be))) => unknown_base(&name, could_be),
        Some(BranchContent::OfOtherBase(BaseOf::Known(other))) => Error::new(
            Kind::Repository,
            format!("the branch {name} belongs to {}, not to {}", one_line(other), one_line(base)),
            format!(
                "If its work is here already, because it was landed, delete it with `git branch -D {name}`, or rename it with `git \
                 branch -m {name} NAME`, and run the same command again. Otherwise, continue there with `git switch {}`.",
                shell_word(other)
            ),
        ),
        _ => Error::new(
            Kind::Repository,
            format!("the branch {name} exists, but it does not contain the beginning of this run"),
            format!(
                "It may be that of an earlier run. Rename it with `git branch -m {name} NAME` or, if it is not needed any more, \
                 delete it with `git branch -D {name}`; then run the same command again."
            ),
        ),
    }
}

/// The error for a merge with conflicts.
pub(crate) fn conflicts(branch: &str, into: &str, files: &[Vec<u8>]) -> Error {
    let shown: Vec<String> = files.iter().map(|path| one_line(&String::from_utf8_lossy(path))).collect();
    let (branch, into) = (one_line(branch), one_line(into));
    Error::new(
        Kind::Repository,
        format!("merging {branch} into {into} leads to conflicts in {}", listed(&shown)),
        format!(
            "The merge was taken back, and both branches are as they were. Merge it yourself with `git switch {} && git merge \
             --no-ff {}`, resolve the conflicts, commit, and run the same command again.",
            shell_word(&into),
            shell_word(&branch)
        ),
    )
}

/// The error for a branch that has another plan.
pub(crate) fn other_plan(plan: &str, branch: &str, base: &str) -> Error {
    let (branch, base) = (one_line(branch), one_line(base));
    if branch == base {
        return Error::new(
            Kind::Repository,
            format!("the plan {plan} changed while branches were switched"),
            "Every finished step is committed. Run the same command again, which reads the plan anew.",
        );
    }
    Error::new(
        Kind::Repository,
        format!("the plan {plan} on the branch {branch} is not the same as on {base}"),
        format!(
            "Look at `git diff {} {} -- {}`. `git switch {1} && git merge {0}` brings a plan that was changed on {base} to the \
             branch; then run the same command again.",
            shell_word(&base),
            shell_word(&branch),
            pathspec_word(plan)
        ),
    )
}

/// The error for a plan whose phases depend on each other in a cycle.
pub(crate) fn cycle(plan: &Plan, links: &[PhaseLink]) -> Error {
    let tree = &plan.tree;
    let phase = |node: NodeIx| &tree.node(tree.phase_of(node)).id;
    let told = |link: &PhaseLink| {
        let (own, other) = (&tree.node(link.own).id, &tree.node(link.dependency).id);
        format!("{own} in {} needs {other} in {}", phase(link.own), phase(link.dependency))
    };
    let told: Vec<String> = links.iter().map(told).collect();
    Error::new(
        Kind::Input,
        format!(
            "the phases of {} depend on each other, so none can be merged before the others: {}",
            plan.shown,
            told.join("; ")
        ),
        "Use `--branches none`, which commits everything on one branch, or change the dependencies.",
    )
}

/// The error for a run on one branch while phases have branches with work of it.
pub(crate) fn has_open_branches(survey: &Survey) -> Error {
    let open: Vec<String> = survey.open().map(|(_, branch)| branch.name.clone()).collect();
    let first = open.first().expect("this is only asked if phases have branches with work");
    let (verb, them) = if open.len() == 1 { ("holds", "it") } else { ("hold", "them") };
    Error::new(
        Kind::Repository,
        format!(
            "{} {verb} work of this run that is not merged into {}",
            listed(&open),
            one_line(survey.head.branch_name())
        ),
        format!(
            "Continue with `--branches phase`, merge {them} yourself (`git merge --no-ff {first}`), or rename {them} with `git \
             branch -m {first} NAME` to leave the work out."
        ),
    )
}
