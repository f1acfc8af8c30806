//! Makes a commit and reads it back. A hook, a git setting or another person working here can change what is committed,
//! and a commit that differs from the intended one must not go unnoticed.

pub(super) mod strangers;
pub(super) mod trial;

use std::collections::HashSet;

use crate::error::{Error, Kind, Result};
use crate::git::{CommitRequest, Committing, Git, Head, HookRefusal, HookRuns, Staging, WorkTree};
use crate::history::{Repository, TreeComparison, changed_paths};
use crate::record::{CommitId, RawTrailer, StepMessage, trailers};
use crate::run::undecided::WrongCommit;
use crate::text::{shell_word, show_path};

/// How many paths an error names.
const NAMED: usize = 10;

/// Where commits are made.
#[derive(Clone, Copy)]
pub(crate) struct Branch<'a> {
    /// git, called at the top of the work tree.
    pub(crate) git: &'a Git,
    /// The work tree.
    pub(crate) work_tree: &'a WorkTree,
    /// Its history.
    pub(crate) repository: &'a Repository,
    /// The head of the branch, on which the commit is made.
    pub(crate) head: &'a Head,
}

/// A commit that could not be made, or that is not the one that was meant.
#[derive(Debug)]
pub(crate) struct CommitFailure {
    /// The message for the user, which says whether there is a commit.
    pub(crate) error: Error,
    /// What the failure left behind.
    pub(crate) outcome: FailedCommit,
}

impl CommitFailure {
    /// There is no commit, and no hook refused one.
    pub(crate) fn not_made(error: Error) -> Self {
        Self { error, outcome: FailedCommit::NoCommit { refusal: None } }
    }

    /// The branch may have moved, so the step is not kept.
    pub(crate) fn moved(error: Error) -> Self {
        Self { error, outcome: FailedCommit::Moved }
    }
}

/// What comes of an attempt to commit.
pub(crate) type CommitResult<T> = std::result::Result<T, CommitFailure>;

/// The state that a failed commit left behind.
#[derive(Debug)]
pub(crate) enum FailedCommit {
    /// No commit, and a branch that is where it was.
    NoCommit {
        /// The hook that refused, if one did.
        refusal: Option<HookRefusal>,
    },
    /// A commit that the user has to take back.
    Wrong(WrongCommit),
    /// The intended commit, or a branch that something else may have moved. The step is not kept.
    Moved,
}

/// A commit that was made and read back.
struct CreatedCommit {
    id: CommitId,
    message: Vec<u8>,
    /// The hooks that git ran for it, if known.
    hooks: Option<HookRuns>,
}

impl From<CommitFailure> for Error {
    fn from(failure: CommitFailure) -> Self {
        failure.error
    }
}

/// Makes a step commit, and checks that it is as intended.
///
/// # Errors
/// If git refuses, or if the commit has other paths, another parent, branch, subject or other trailers than it should.
pub(crate) fn commit_step(
    branch: Branch<'_>,
    request: &CommitRequest<'_>,
    meant: &StepMessage,
) -> CommitResult<CommitId> {
    let made = make(branch, request)?;
    check_message(branch.head, &made, meant)?;
    Ok(made.id)
}

/// Reads back a step commit that git made for an earlier run, which was killed before it could read the commit back.
///
/// # Errors
/// If the commit cannot be read, or has other paths, another subject or other trailers than it should.
pub(crate) fn check_step(
    branch: Branch<'_>,
    request: &CommitRequest<'_>,
    meant: &StepMessage,
    id: CommitId,
) -> CommitResult<()> {
    let made = branch.repository.commit(&id);
    let message = made.map_err(CommitFailure::moved)?.message;
    let made = check_paths(branch, request, CreatedCommit { id, message, hooks: None })?;
    check_message(branch.head, &made, meant)
}

fn check_message(before: &Head, made: &CreatedCommit, meant: &StepMessage) -> CommitResult<()> {
    if has_subject(&made.message, meant) && has_trailers(&made.message, meant) {
        return Ok(());
    }
    let what = format!("does not have the subject and the trailers of this step{}", ran(made.hooks.as_ref()));
    let remedy = format!(
        "A hook (prepare-commit-msg, commit-msg) or a setting of git changes messages here. Nothing is lost: take \
         the commit back with `git reset --soft {}`, which leaves every file as it is. Change the hook so that it \
         leaves messages that begin with `task(` or `phase(` as they are, and run the same command again.",
        before.commit.short()
    );
    Err(wrong(Kind::Repository, made.id, what, remedy))
}

/// Whether a message is the intended one. A hook may have changed one half of it.
fn is_meant(message: &[u8], meant: &StepMessage) -> bool {
    has_subject(message, meant) || has_trailers(message, meant)
}

fn has_subject(message: &[u8], meant: &StepMessage) -> bool {
    message.split(|byte| *byte == b'\n').next() == Some(meant.subject.as_bytes())
}

fn has_trailers(message: &[u8], meant: &StepMessage) -> bool {
    let read: Vec<RawTrailer> = trailers(message).into_iter().filter(is_ours).collect();
    read.len() == meant.trailers.len()
        && read
            .iter()
            .zip(&meant.trailers)
            .all(|(read, (key, value))| read.key == key.name().as_bytes() && read.value == value.as_bytes())
}

/// Commits these paths and nothing else.
///
/// # Errors
/// If git refuses, or if the new commit is not on the branch, not on top of the old one, or has other paths.
pub(crate) fn commit(branch: Branch<'_>, request: &CommitRequest<'_>) -> CommitResult<CommitId> {
    make(branch, request).map(|made| made.id)
}

fn make(branch: Branch<'_>, request: &CommitRequest<'_>) -> CommitResult<CreatedCommit> {
    let Branch { git, work_tree, repository, head } = branch;
    let (error, refusal) = match git.commit(&work_tree.git_dir, request) {
        Ok(Committing::Made(hooks)) => return read_back(branch, request, Some(hooks)),
        Ok(Committing::Refused(refusal)) => (refusal.to_error(), Some(refusal)),
        Err(error) => (error, None),
    };
    // git may fail after it has moved the branch: a hook hangs, the disk is full, it is killed.
    match repository.branch() {
        Ok(now) if now == *head => Err(CommitFailure {
            error: error.stating("Nothing was committed."),
            outcome: FailedCommit::NoCommit { refusal },
        }),
        Ok(_) => {
            let made = read_back(branch, request, None)?;
            let error = error.stating(&format!("Before that, the commit {} was made.", made.id.short()));
            Err(CommitFailure::moved(error))
        }
        Err(_) => Err(CommitFailure::moved(error)),
    }
}

fn read_back(
    branch: Branch<'_>,
    request: &CommitRequest<'_>,
    hooks: Option<HookRuns>,
) -> CommitResult<CreatedCommit> {
    let Branch { repository, head, .. } = branch;
    let now = repository.branch().map_err(CommitFailure::moved)?;
    let id = now.commit;
    if now.branch != head.branch {
        return Err(CommitFailure::moved(on_another_branch(&now, head)));
    }
    let made = repository.commit(&id).map_err(CommitFailure::moved)?;
    let parents: Vec<CommitId> = std::iter::once(head.commit).chain(request.merges.copied()).collect();
    if made.parents != parents {
        return Err(CommitFailure::moved(Error::new(
            Kind::Busy,
            format!(
                "{} is not on top of {}: something else committed at the same moment",
                id.short(),
                head.commit.short()
            ),
            "Look at `git log --graph`, then run the same command again.",
        )));
    }
    check_paths(branch, request, CreatedCommit { id, message: made.message, hooks })
}

fn check_paths(
    branch: Branch<'_>,
    request: &CommitRequest<'_>,
    made: CreatedCommit,
) -> CommitResult<CreatedCommit> {
    let paths = Paths::compare(branch, request, &made.id);
    let paths = paths.map_err(CommitFailure::moved)?;
    match paths.complaint() {
        None => Ok(made),
        Some(complaint) => {
            let CreatedCommit { id, hooks, .. } = made;
            let what = format!("{complaint}{}", ran(hooks.as_ref()));
            let correct = match hooks.map(|hooks| hooks.names().is_empty()) {
                Some(true) => "",
                Some(false) => "Correct the hook. ",
                None => "If a hook did this, correct it. ",
            };
            let remedy =
                format!("{} {correct}Then run the same command again.", take_back(branch.head, request));
            Err(wrong(Kind::Unsafe, id, what, remedy))
        }
    }
}

/// The paths in which a commit differs from the request.
struct Paths {
    added: Vec<Vec<u8>>,
    missing: Vec<Vec<u8>>,
}

impl Paths {
    fn compare(branch: Branch<'_>, request: &CommitRequest<'_>, id: &CommitId) -> Result<Self> {
        let changed = changed_paths(
            branch.repository,
            &[TreeComparison { commit: *id, base: Some(branch.head.commit) }],
        )?;
        let asked: HashSet<&[u8]> = request.selection.paths().collect();
        let added = changed.iter().filter(|path| !asked.contains(path.as_slice())).cloned().collect();
        let changed: HashSet<&[u8]> = changed.iter().map(Vec::as_slice).collect();
        let mut missing: Vec<Vec<u8>> =
            asked.iter().filter(|path| !changed.contains(*path)).map(|path| path.to_vec()).collect();
        if !missing.is_empty() {
            // A file that is the same as in HEAD is not missing: a hook has put it back, or git ignores it.
            let differs: HashSet<Vec<u8>> =
                branch.git.status()?.into_iter().map(|change| change.path).collect();
            missing.retain(|path| differs.contains(path));
            missing.sort();
        }
        Ok(Self { added, missing })
    }

    fn complaint(&self) -> Option<String> {
        match (self.added.as_slice(), self.missing.as_slice()) {
            ([], []) => None,
            ([], missing) => Some(format!("lacks files that belong to this step: {}", listed(missing))),
            (added, []) => Some(format!("contains files that do not belong to this step: {}", listed(added))),
            (added, missing) => Some(format!(
                "contains files that do not belong to this step: {}; and lacks files that do: {}",
                listed(added),
                listed(missing)
            )),
        }
    }
}

fn listed(paths: &[Vec<u8>]) -> String {
    let shown: Vec<String> = paths.iter().take(NAMED).map(|path| show_path(path)).collect();
    let more = paths.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// How to take a commit back so that every file stays as it is.
fn take_back(head: &Head, request: &CommitRequest<'_>) -> String {
    let old = head.commit.short();
    match request.staging {
        Staging::Clean => {
            format!(
                "Nothing is lost: take the commit back with `git reset {old}`, which leaves every file as it is."
            )
        }
        Staging::Other => format!(
            "Nothing is lost: take the commit back with `git reset --soft {old}`, which leaves every file as it is, and \
             take the files that do not belong there out of the index with `git reset -q -- FILE...`."
        ),
    }
}

/// The hooks that ran for a commit, in brackets; empty if they are not known.
fn ran(hooks: Option<&HookRuns>) -> String {
    let Some(hooks) = hooks else { return String::new() };
    match hooks.names().as_slice() {
        [] => " (no hook ran, so somebody changed the index at the same moment)".to_owned(),
        [one] => format!(" (the hook {one} ran for it)"),
        several => format!(" (the hooks {} ran for it)", several.join(", ")),
    }
}

fn wrong(kind: Kind, id: CommitId, what: String, remedy: String) -> CommitFailure {
    let error = Error::new(kind, format!("the commit {} {what}", id.short()), remedy.clone());
    CommitFailure {
        error,
        outcome: FailedCommit::Wrong(WrongCommit { commit: id.to_string(), what, remedy }),
    }
}

fn on_another_branch(now: &Head, meant: &Head) -> Error {
    Error::new(
        Kind::Unsafe,
        format!(
            "the commit {} went to the branch {}, not to {}: something switched branches in the meantime",
            now.commit.short(),
            now.branch_name(),
            meant.branch_name()
        ),
        format!(
            "Go back with `git switch {}` and run the same command again.",
            shell_word(meant.branch_name())
        ),
    )
}

fn is_ours(trailer: &RawTrailer) -> bool {
    trailer.key.get(..9).is_some_and(|start| start.eq_ignore_ascii_case(b"arborist-"))
}
