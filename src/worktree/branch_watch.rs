//! Watches the branch while other programs work: their commits are adopted or refused, but never overlooked.

mod put_right;

use crate::error::{Error, Kind, Result};
use crate::git::{Git, Head};
use crate::history::Repository;
use crate::record::{CommitId, Role, Step};
use crate::text::shell_word;
use crate::worktree::moved_ref::{MovedRef, PutBack};
use crate::worktree::task_commits::{ClaimingCommit, claim_of, first_claim, is_on_top_without_claims};

/// How the branch changed while a runner or a test was at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BranchChange {
    /// The head of the branch now.
    pub head: Head,
    /// Commits that were made meanwhile and are kept, oldest first.
    pub adopted: Vec<CommitId>,
    /// What was put right, as clauses: a branch that was switched or rewritten.
    pub righted: Vec<String>,
}

/// When a branch was watched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct During<'k> {
    /// Who was at work, for messages.
    who: &'static str,
    /// Whether commits may be part of the work.
    may_commit: bool,
    /// Whether the run was killed. Then somebody may have cleaned up since.
    was_killed: bool,
    /// Whether a branch that was switched, or whose newest commit was amended, is put right, if nothing else was changed.
    rights: bool,
    /// What references named before.
    known: &'k [CommitId],
}

impl<'k> During<'k> {
    /// During a step that has just ended.
    pub(crate) fn step(step: Step, known: &'k [CommitId]) -> Self {
        Self { who: who(step), may_commit: step.changes_files(), was_killed: false, rights: false, known }
    }

    /// The same, where nothing that git runs was changed. What an agent does by mistake to the branch on which it works is put
    /// right.
    pub(crate) fn putting_right(self) -> Self {
        Self { rights: self.may_commit, ..self }
    }

    /// During a step whose run was killed, and since then.
    pub(crate) fn killed(step: Step, known: &'k [CommitId]) -> Self {
        Self { was_killed: true, ..Self::step(step, known) }
    }

    /// While other processes of the run worked on other branches.
    pub(crate) fn run(known: &'k [CommitId]) -> Self {
        Self { who: "a program of the run", may_commit: true, was_killed: false, rights: false, known }
    }
}

/// Compares the branch with its state before a step. Whatever must not be on it is taken off, and kept.
///
/// # Errors
/// [`Kind::Unsafe`] if the branch was switched, deleted, rewritten, or has commits that claim to be steps of ours, and after
/// a test or review if it has any new commit.
pub(crate) fn check_branch(
    git: &Git,
    repository: &Repository,
    before: &Head,
    during: During<'_>,
) -> Result<BranchChange> {
    let watched = WatchedBranch { git, repository, before, during };
    let here = repository.branch();
    let tip = match &here {
        Ok(now) if now.branch == before.branch => Some(now.commit),
        _ => git.commit_named(&before.branch)?,
    };
    let mut righted = Vec::new();
    let adopted = match tip.filter(|tip| during.rights && watched.is_amended(tip)) {
        Some(amended) => {
            righted.push(watched.unamended(amended)?);
            Ok(Vec::new())
        }
        None => watched.check_tip(tip),
    };
    match here {
        Ok(now) if now.branch == before.branch => {}
        elsewhere => {
            let tip = if righted.is_empty() { tip } else { Some(before.commit) };
            let back = watched.back_from(&elsewhere, tip);
            if adopted.is_ok() || back.is_ok() {
                righted.push(back?);
            }
        }
    }
    let adopted = adopted?;
    let head = Head { branch: before.branch.clone(), commit: *adopted.last().unwrap_or(&before.commit) };
    if !during.may_commit && !adopted.is_empty() {
        let made = commits(adopted.len());
        return Err(Error::new(
            Kind::Unsafe,
            format!("{made} made while {} was at work, without being tested", during.who),
            format!(
                "Look at them with `git log {}..`, take them off the branch with {}, and run the same command again.",
                before.commit.short(),
                taken_off_by(&before.commit.short())
            ),
        ));
    }
    Ok(BranchChange { head, adopted, righted })
}

/// Makes sure that the branch of a run, which is checked out in the work tree of the user, contains what was committed there:
/// a program elsewhere may have moved it away from that. Without the reflog of HEAD, only what was `seen` there is known.
///
/// # Errors
/// [`Kind::Unsafe`]. The branch was put back.
pub(crate) fn check_not_moved_back(
    git: &Git,
    repository: &Repository,
    before: &Head,
    seen: Option<CommitId>,
) -> Result<()> {
    let watched = WatchedBranch { git, repository, before, during: During::run(&[]) };
    if repository.branch().ok().is_none_or(|here| here.branch != before.branch) {
        return Ok(());
    }
    let logged = git.logged("HEAD")?;
    // A commit that a person takes back in the work tree stays in the reflog.
    let left = seen.filter(|seen| !logged.contains(seen)).or(logged.first().copied());
    let Some(left) = left else { return Ok(()) };
    let Some(tip) = git.commit_named(&before.branch)? else { return Ok(()) };
    let is_there = left == before.commit || left == tip || git.is_ancestor(&left, &tip).unwrap_or(true);
    if is_there || !watched.may_be_tip(&left) {
        return Ok(());
    }
    Err(watched.rewritten(tip, left))
}

/// A branch that is compared with its state before.
#[derive(Clone, Copy)]
struct WatchedBranch<'a> {
    git: &'a Git,
    repository: &'a Repository,
    before: &'a Head,
    during: During<'a>,
}

impl WatchedBranch<'_> {
    /// Compares the tip of the branch. Returns the new commits, oldest first.
    fn check_tip(&self, tip: Option<CommitId>) -> Result<Vec<CommitId>> {
        let Self { git, before, .. } = *self;
        let Some(tip) = tip else { return Err(self.gone()) };
        if tip == before.commit {
            return Ok(Vec::new());
        }
        // A tip that cannot be read is not ours.
        if !git.is_ancestor(&before.commit, &tip).unwrap_or(false) {
            return Err(self.rewritten(tip, self.newest()));
        }
        let mut new = git.commits_between(&before.commit, &tip)?;
        new.reverse();
        match first_claim(self.repository, &new)? {
            None => Ok(new),
            Some(claim) => Err(self.forged(tip, &claim)),
        }
    }

    /// Whether a commit is one to which people or agents may have moved the branch.
    fn may_be_tip(&self, commit: &CommitId) -> bool {
        is_on_top_without_claims(self.git, self.repository, &self.before.commit, commit)
    }

    /// The newest commit on the branch as it was before it was rewritten.
    fn newest(&self) -> CommitId {
        let logged = |name: &str| self.git.logged(name).unwrap_or_default();
        self.newest_in(&[logged(&self.before.branch), logged("HEAD")])
    }

    /// The same, from what these reflogs say.
    fn newest_in(&self, logs: &[Vec<CommitId>]) -> CommitId {
        let before = self.before.commit;
        let since = |log: &Vec<CommitId>| {
            log.iter().take_while(|commit| **commit != before).find(|commit| self.may_be_tip(commit)).copied()
        };
        logs.iter().find_map(since).unwrap_or(before)
    }

    /// Puts the branch back.
    fn put_back(&self, wanted: CommitId, now: Option<CommitId>) -> PutBack {
        MovedRef { name: &self.before.branch, wanted: Some(wanted), now }.put_back(self.git)
    }

    fn gone(&self) -> Error {
        let Self { git, repository, before, during } = *self;
        let now = repository.branch().ok().map(|head| head.branch_name().to_owned());
        let mut put_back = self.put_back(before.commit, None);
        // Only now git can read the reflog of HEAD again.
        let logged = git.logged("HEAD").unwrap_or_default().into_iter().skip(1).collect();
        let newest = self.newest_in(&[logged]);
        if newest != before.commit {
            put_back = self.put_back(newest, put_back.is_done.then_some(before.commit));
        }
        let name = before.branch_name();
        let (verb, last) = match now {
            // Only HEAD still tells of it if the branch was renamed.
            Some(now) => (
                "renamed or deleted",
                format!(
                    "HEAD is on {now} now: `git switch {}` goes back. Then run the same command again.",
                    shell_word(name)
                ),
            ),
            None => ("deleted or damaged", "Run the same command again.".to_owned()),
        };
        Error::new(
            Kind::Unsafe,
            format!("something {verb} the branch {name} while {} was at work", during.who),
            format!("{} {last}", put_back.told),
        )
    }

    /// Keeps what is gone from the branch, and puts the branch back to its newest commit, unless somebody may have cleaned up.
    fn rewritten(&self, tip: CommitId, newest: CommitId) -> Error {
        let Self { git, before, during, .. } = *self;
        let name = before.branch_name();
        let what = format!(
            "something rewrote the branch {name} while {} was at work: {} was gone from it",
            during.who,
            newest.short()
        );
        let remedy = if during.was_killed {
            match git.keep(&before.commit, "rewritten") {
                Ok(kept) => format!(
                    "Nothing is lost: the old tip is kept as {kept}. Go back to it with {}.",
                    taken_off_by(&before.commit.to_string())
                ),
                Err(error) => error.what().to_owned(),
            }
        } else {
            let back = self.put_back(newest, Some(tip));
            let first = if back.is_kept { "Nothing is lost: " } else { "" };
            let last = match back.is_done {
                true => {
                    format!("If it was you, {} Otherwise run the same command again.", brought_back_by(&tip))
                }
                false => "Then run the same command again.".to_owned(),
            };
            format!("{first}{} {last}", back.told)
        };
        Error::new(Kind::Unsafe, what, remedy)
    }

    /// Takes commits off the branch that claim to be steps.
    fn forged(&self, tip: CommitId, claim: &ClaimingCommit) -> Error {
        let Self { git, repository, before, during } = *self;
        let parent = repository.first_parent(&claim.commit).ok().flatten();
        let wanted = parent.filter(|parent| git.is_ancestor(&before.commit, parent).unwrap_or(false));
        let short = claim.commit.short();
        let back = self.put_back(wanted.unwrap_or(before.commit), Some(tip));
        let last = match back.is_done {
            true => {
                format!("If it is yours, {} Otherwise run the same command again.", brought_back_by(&tip))
            }
            false => "Then run the same command again.".to_owned(),
        };
        Error::new(
            Kind::Unsafe,
            format!("the commit {short}, {}, was made while {} was at work", claim.what, during.who),
            format!("It does not count: {} Look at it with `git show {short}`. {last}", back.told),
        )
    }
}

fn take_it_off(commit: &CommitId, before: &CommitId) -> String {
    format!(
        "Look at it with `git show {}`, take it off the branch with {}, and run the same command again.",
        commit.short(),
        taken_off_by(&before.short())
    )
}

/// How a branch that was put back gets its commits again, for people, as a clause. The work tree has their files already.
fn brought_back_by(tip: &CommitId) -> String {
    format!("`git reset {}` goes there again, and leaves all files as they are.", tip.short())
}

/// How commits are taken off the branch, for people. `git reset --keep` takes their files along, and refuses where one of
/// these was changed again since; what remains without `--keep` is saved by the next run.
pub(crate) fn taken_off_by(before: &str) -> String {
    format!(
        "`git reset --keep {before}` (where git refuses that because files were changed since: `git reset {before}`, which \
         leaves all files as they are)"
    )
}

/// The commits since `before` for which [`check_branch`] refuses the branch, oldest first.
///
/// # Errors
/// If an object cannot be read.
pub(crate) fn forged_since(git: &Git, repository: &Repository, before: &Head) -> Result<Vec<CommitId>> {
    let mut forged = Vec::new();
    for commit in git.commits_between(&before.commit, &repository.branch()?.commit)?.into_iter().rev() {
        if claim_of(repository, &commit)?.is_some() {
            forged.push(commit);
        }
    }
    Ok(forged)
}

/// Refuses to begin as long as a commit that an earlier run refused is still on the branch, because it would count.
///
/// # Errors
/// [`Kind::Unsafe`], naming the first.
pub(crate) fn check_taken_off(git: &Git, repository: &Repository, refused: &[CommitId]) -> Result<()> {
    let Some(first) = refused.first() else { return Ok(()) };
    let head = repository.branch()?.commit;
    for commit in refused {
        if git.is_still_in(commit, &head)? {
            let before = repository.first_parent(first)?.unwrap_or(*first);
            return Err(Error::new(
                Kind::Unsafe,
                format!(
                    "the commit {}, which a program of an earlier run made, is still there",
                    commit.short()
                ),
                take_it_off(commit, &before),
            ));
        }
    }
    Ok(())
}

fn commits(count: usize) -> String {
    if count == 1 { "1 commit was".to_owned() } else { format!("{count} commits were") }
}

/// The worker in a step, for messages.
pub(crate) fn who(step: Step) -> &'static str {
    match step.role() {
        Some(Role::Implementer | Role::TestWriter) => "the runner",
        Some(Role::Reviewer) => "the reviewer",
        None => "a test command",
    }
}
