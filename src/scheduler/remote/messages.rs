//! What a worker says when it cannot go on.

use std::path::Path;

use crate::error::{Error, Kind};
use crate::git::without_password;
use crate::record::ClaimantProblem;
use crate::text::{advice, listed, one_line, shell_word};

/// What is certain when a worker ends early.
const KEPT: &str = "Every step that was pushed is kept, and the next worker goes on from there.";

/// The remote repository, where its address has been said before.
pub(super) const THERE: &str = "the remote repository";

/// An address without the password in it.
fn shown(address: &str) -> String {
    one_line(without_password(address).as_deref().unwrap_or(address))
}

pub(super) fn no_dry_run() -> Error {
    Error::new(
        Kind::Input,
        "what workers do next depends on all of them, so there is no dry run",
        format!("{} lists the tasks that are ready.", advice::next_all()),
    )
}

pub(super) fn unknown_remote(name: &str, known: &[String]) -> Error {
    let known = if known.is_empty() {
        "This repository knows no remote.".to_owned()
    } else {
        format!("This repository knows {}.", listed(known))
    };
    Error::new(
        Kind::Input,
        format!("there is no remote {}", one_line(name)),
        format!("{known} `--remote` takes such a name, or the address of a repository."),
    )
}

pub(super) fn bad_claimant(text: &str, problem: ClaimantProblem) -> Error {
    Error::new(
        Kind::Input,
        format!("`{}` cannot name a claimant: {problem}", one_line(text)),
        "Name the job as its engine does, for example `--claimant slurm:4711.3`.",
    )
}

pub(super) fn not_a_clone(folder: &Path) -> Error {
    Error::new(
        Kind::Input,
        format!("{} is not empty, and not a clone that a worker has made", folder.display()),
        "Name a folder that does not exist yet with `--dir`, or leave the option out.",
    )
}

pub(super) fn other_clone(folder: &Path, address: &str) -> Error {
    Error::new(
        Kind::Input,
        format!("{} is not a clone of {}", folder.display(), shown(address)),
        "Name another folder with `--dir`, or remove that one.",
    )
}

pub(super) fn no_default_branch(address: &str) -> Error {
    Error::new(
        Kind::Input,
        format!("{} has no default branch", shown(address)),
        "Name the branch of the run with `--branch`.",
    )
}

pub(super) fn missing_branch(branch: &str) -> Error {
    Error::new(
        Kind::Repository,
        format!("the remote repository has no branch {}", one_line(branch)),
        format!(
            "Push it with `git push REMOTE {}`, or name the branch of the run with `--branch`.",
            shell_word(branch)
        ),
    )
}

pub(super) fn deleted_branch(branch: &str, last: &str) -> Error {
    Error::new(
        Kind::Repository,
        format!("somebody has deleted {} on the remote repository; it was at {last}", one_line(branch)),
        format!(
            "{KEPT} If that was a mistake, push {last} there again (`git push REMOTE {last}:refs/heads/{}`) from a repository that has \
             it, then start the job again.",
            shell_word(branch)
        ),
    )
}

/// What a worker says when the branch of the run does not contain any more what it has contained before.
pub(super) fn rewritten(branch: &str, last: &str, now: &str) -> String {
    format!(
        "warning: somebody has force-pushed {}: it was at {last}, and {now} does not contain that. Tasks that were merged only there \
         are merged again if the branch of another task has them, and worked on again otherwise.",
        one_line(branch)
    )
}

/// What a worker says when it has given a task that the branch of the run has lost its own branch back.
pub(super) fn brought_back(run: &str, branch: &str) -> String {
    format!(
        "warning: {} does not contain {branch} any more, which was merged. Other tasks have begun with it, so it is merged again.",
        one_line(run)
    )
}

pub(super) fn not_fetched(branch: &str, said: &str) -> Error {
    Error::new(
        Kind::Repository,
        format!(
            "the branch {} of the remote repository cannot be fetched: {}",
            one_line(branch),
            one_line(said)
        ),
        "A shallow repository does not have the whole history, so it is impossible to tell where the run begins: run `git fetch \
         --unshallow` there.",
    )
}

pub(super) fn no_submodules(said: &str) -> Error {
    Error::new(
        Kind::Environment,
        format!("the submodules cannot be fetched: {}", one_line(said)),
        "A worker fetches them from the addresses in `.gitmodules`, where relative ones begin at the address of the remote \
         repository. Check them, the network and the login, then start the job again.",
    )
}

pub(super) fn silent(address: &str, said: &str) -> Error {
    Error::new(
        Kind::Environment,
        format!("{} does not answer: {}", shown(address), one_line(said)),
        format!("{KEPT} Check the address, the network and the login, then start the job again."),
    )
}

/// The error for a remote repository that did not answer the first question, before anything was begun.
pub(super) fn no_first_answer(address: &str, said: &str) -> Error {
    Error::new(
        Kind::Environment,
        format!("{} does not answer: {}", shown(address), one_line(said)),
        "Check the address, the network and the login, then run the same command again.",
    )
}

pub(super) fn asked_again(address: &str, said: &str) -> String {
    format!(
        "{} does not answer: {}. It is asked again.",
        shown(address),
        one_line(said.trim_end_matches('.'))
    )
}

pub(super) fn refused(branch: &str, said: &str) -> Error {
    Error::new(
        Kind::Environment,
        format!("the remote repository does not accept a push to {}: {}", one_line(branch), one_line(said)),
        format!("{KEPT} {}", allowed()),
    )
}

pub(super) fn merges_refused(branch: &str, said: &str) -> Error {
    Error::new(
        Kind::Environment,
        format!(
            "the remote repository does not accept that {} moves and that the merged branches are deleted: {}",
            one_line(branch),
            one_line(said)
        ),
        format!(
            "{KEPT} {} Where only pull requests may move the branch of the run, {integrate_by_request} collects what is merged on \
             another branch and opens one.",
            allowed(),
            integrate_by_request = advice::integrate_by_request()
        ),
    )
}

/// What the remote repository must allow.
fn allowed() -> &'static str {
    "Workers push to the branch of the run and to branches below `arborist/`, and delete the latter: allow that in the settings \
     and the hooks of the remote repository, then start the job again."
}

pub(super) fn superseded(task: &str) -> Error {
    Error::new(
        Kind::Busy,
        format!("somebody else has taken {task} over, or has moved its branch"),
        format!("{KEPT} Nothing needs to be done; {} takes another task.", advice::work_any("REMOTE")),
    )
}

/// Where the steps are that a superseded worker had committed.
pub(super) fn kept(task: &str, place: &str) -> String {
    format!("What this worker had not pushed yet of {task} is in {place}.")
}

/// What is wrong if a task is ready and nothing is left to be done on its branch.
pub(super) fn nothing_done(branch: &str, run: &str) -> Error {
    let (branch, run) = (one_line(branch), one_line(run));
    Error::new(
        Kind::Repository,
        format!(
            "everything is done on {branch}, but {run} does not count it: since that branch began, the plan or {run} has changed so \
             that the task begins anew. `git fetch REMOTE {branch} && git push REMOTE FETCH_HEAD:refs/heads/kept/{branch} :{branch}` \
             keeps that work under another name, and lets somebody work on the task"
        ),
        "",
    )
}

pub(super) fn claimed(task: &str, claimant: Option<&str>) -> Error {
    let by = claimant.map(|claimant| format!(" by {claimant}")).unwrap_or_default();
    Error::new(
        Kind::Busy,
        format!("{task} is claimed{by}"),
        "Wait until that worker has ended, with `--until-idle TIME`. If it is dead, `--take-over` takes the task over.",
    )
}

pub(super) fn integrated_by(claimant: Option<&str>) -> Error {
    let what = match claimant {
        Some(by) => format!("{} integrates this run at the moment", one_line(by)),
        None => "nothing could be merged now, although something is finished".to_owned(),
    };
    Error::new(
        Kind::Busy,
        what,
        "Run the same command again later. A worker does the same when it has nothing else to do.",
    )
}

pub(super) fn stopped(signal: Option<u8>) -> Error {
    Error::stopped(signal, KEPT)
}
