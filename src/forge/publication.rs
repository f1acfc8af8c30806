//! Everything that is known about a branch and its request before anything is done. Nothing here changes anything.

use super::asking::Asked;
use super::login::{FindProgram, Obstacle, logged_in};
use super::place::{ForgeKind, ForgePlace};
use super::program::ForgeProgram;
use super::remotes::{ChosenRemotes, Remote};
use super::requests::{OpenRequest, Requests};
use crate::error::{Error, Kind, Result};
use crate::git::{Git, Pushing, RemoteBranches};
use crate::record::CommitId;
use crate::text::{advice, counted, one_line, shell_word};

/// What the user wants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantedRequest<'a> {
    /// The branch, which exists here.
    pub(crate) branch: &'a str,
    /// Its newest commit.
    pub(crate) tip: CommitId,
    /// The branch into which it is to be merged; `None` for the default branch.
    pub(crate) base: Option<&'a str>,
    /// The remote repository to which it is pushed; `None` for that of git's configuration.
    pub(crate) remote: Option<&'a str>,
    /// The kind of forge, if the user has stated it.
    pub(crate) forge: Option<ForgeKind>,
}

/// A branch, where it goes, and whether there is a request for it.
#[derive(Clone, Debug)]
pub(crate) struct Publication {
    pub(crate) branch: String,
    /// The branch into which it is to be merged.
    pub(crate) base: String,
    /// The remote repositories.
    pub(crate) remotes: ChosenRemotes,
    /// Whether the branch must be pushed.
    pub(crate) needs_push: bool,
    /// How many commits it has that the base has not; `None` if that is not known.
    pub(crate) commits: Option<usize>,
    /// What the user should know.
    pub(crate) warnings: Vec<String>,
    /// The program that opens requests, or why there is none.
    pub(crate) program: std::result::Result<ForgeProgram, Obstacle>,
    /// The request that is open.
    pub(crate) open: Option<OpenRequest>,
}

impl Publication {
    /// Finds out all of it. `program` finds the program of a kind of forge.
    ///
    /// # Errors
    /// If the branch cannot be pushed or has nothing to merge.
    pub(crate) fn prepare(git: &Git, wanted: WantedRequest<'_>, program: FindProgram<'_>) -> Result<Self> {
        let WantedRequest { branch, tip, .. } = wanted;
        let remotes = ChosenRemotes::of(git, branch, wanted.remote, wanted.forge)?;
        let asked: Vec<&str> = std::iter::once(branch).chain(wanted.base).collect();
        let there = ask(git, &remotes.base, &asked)?;
        let base = base_of(git, wanted, &remotes.base, &there)?;
        if base == branch && remotes.base.name == remotes.push.name {
            return Err(Error::new(
                Kind::Input,
                format!("{} is the branch into which requests are merged", one_line(branch)),
                "Nothing was done. Work on a branch of your own, name one with --branch, or name another base with --base.",
            ));
        }
        let there =
            if there.tip(&base).is_some() { there } else { ask(git, &remotes.base, &[branch, &base])? };
        let Some(base_tip) = there.tip(&base) else {
            return Err(Error::new(
                Kind::Repository,
                format!("{} has no branch {}", one_line(&remotes.base.name), one_line(&base)),
                "Name the branch into which yours is to be merged with --base.",
            ));
        };
        let mut warnings = Vec::new();
        let commits = commits(git, base_tip, tip, &mut warnings, &format!("{}/{base}", remotes.base.name))?;
        if commits == Some(0) {
            return Err(Error::new(
                Kind::No,
                format!("{} has no commit that {} does not have", one_line(branch), one_line(&base)),
                "Nothing was done, because there is nothing to merge.",
            ));
        }
        let needs_push = match remotes.push.name == remotes.base.name {
            true => is_behind(git, &remotes.push, branch, there.tip(branch), tip)?,
            false => needs_push(git, &remotes.push, branch, tip)?,
        };
        let mut publication = Self {
            branch: branch.to_owned(),
            base,
            remotes,
            needs_push,
            commits,
            warnings,
            program: Err(Obstacle::NoForge),
            open: None,
        };
        publication.program = logged_in(publication.remotes.base.place.as_ref(), program)?;
        if let Some(requests) = publication.requests() {
            publication.open = requests.open(&publication.base)?;
        }
        Ok(publication)
    }

    /// The open request of a branch, and the program that knows it. Nothing is asked of the remote repository itself.
    ///
    /// # Errors
    /// If no program can be asked, or no request is open.
    pub(crate) fn of_open(git: &Git, wanted: WantedRequest<'_>, program: FindProgram<'_>) -> Result<Self> {
        let remotes = ChosenRemotes::of(git, wanted.branch, wanted.remote, wanted.forge)?;
        let logged_in = logged_in(remotes.base.place.as_ref(), program)?.map_err(|obstacle| {
            Error::new(
                Kind::Environment,
                format!("the request cannot be read: {}", obstacle.words()),
                format!("{} `--follow FILE` reads what is on it from a file.", obstacle.remedy()),
            )
        })?;
        let mut publication = Self {
            branch: wanted.branch.to_owned(),
            base: wanted.base.unwrap_or_default().to_owned(),
            remotes,
            needs_push: false,
            commits: None,
            warnings: Vec::new(),
            program: Ok(logged_in),
            open: None,
        };
        let open = publication.requests().map(|requests| requests.open(&publication.base)).transpose()?;
        let open = open.flatten().ok_or_else(|| {
            Error::new(
                Kind::No,
                format!("no request is open for {}", one_line(wanted.branch)),
                format!("{} opens one; `--branch` names another branch.", advice::pr()),
            )
        })?;
        publication.base.clone_from(&open.base);
        publication.open = Some(open);
        Ok(publication)
    }

    /// The number of the open request.
    ///
    /// # Panics
    /// If none is open.
    pub(crate) fn number(&self) -> u64 {
        self.open.as_ref().expect("a request is open").number
    }

    /// The place into which the request is merged, with the kind of forge.
    pub(crate) fn place(&self) -> Option<ForgePlace> {
        let mut place = self.remotes.base.place.clone()?;
        let of_program = self.program.as_ref().ok().map(|program| program.kind);
        place.kind = place.kind.or(of_program);
        Some(place)
    }

    /// The requests of the branch, if a program can be asked.
    pub(crate) fn requests(&self) -> Option<Requests<'_>> {
        let asked = Asked {
            program: self.program.as_ref().ok()?,
            place: self.remotes.base.place.as_ref()?,
            from: self.remotes.push.place.as_ref()?,
            branch: &self.branch,
        };
        Some(Requests { asked })
    }

    /// The page on which a person opens the request.
    pub(crate) fn compare_page(&self) -> Option<String> {
        self.place()?.compare_page(&self.base, self.remotes.push.place.as_ref()?, &self.branch)
    }

    /// Pushes the branch.
    ///
    /// # Errors
    /// If it is refused.
    pub(crate) fn push(&self, git: &Git) -> Result<()> {
        push_branch(git, &self.remotes.push.name, &self.branch)
    }

    /// The command that pushes the branch.
    pub(crate) fn push_command(&self) -> String {
        push_command(&self.remotes.push.name, &self.branch)
    }
}

/// Pushes a branch to a remote repository.
///
/// # Errors
/// If it is refused.
pub(crate) fn push_branch(git: &Git, remote: &str, branch: &str) -> Result<()> {
    match git.push(remote, branch)? {
        Pushing::Done => Ok(()),
        Pushing::NotFastForward => Err(not_fast_forward(remote, branch)),
        Pushing::Refused(said) => Err(Error::new(
            Kind::Environment,
            format!("{} could not be pushed to {}:\n{said}", one_line(branch), one_line(remote)),
            format!(
                "Nothing was changed there. When `{}` works, run the same command again.",
                push_command(remote, branch)
            ),
        )),
    }
}

fn push_command(remote: &str, branch: &str) -> String {
    format!("git push {} {}", shell_word(remote), shell_word(branch))
}

fn ask(git: &Git, remote: &Remote, branches: &[&str]) -> Result<RemoteBranches> {
    git.ask_remote(&remote.name, branches).map_err(|error| {
        Error::new(
            Kind::Environment,
            format!(
                "{} ({}) cannot be reached: {}",
                one_line(&remote.name),
                one_line(&remote.address.shown),
                error.what()
            ),
            format!(
                "Nothing was done. `git ls-remote {}` must work, then run the same command again.",
                shell_word(&remote.name)
            ),
        )
    })
}

/// The branch into which the request is to be merged.
fn base_of(git: &Git, wanted: WantedRequest<'_>, remote: &Remote, there: &RemoteBranches) -> Result<String> {
    if let Some(base) = wanted.base {
        return Ok(base.to_owned());
    }
    if let Some(default) = there.default.clone() {
        return Ok(default);
    }
    git.default_branch_of(&remote.name)?.ok_or_else(|| {
        Error::new(
            Kind::Repository,
            format!("{} does not say which branch is its default branch", one_line(&remote.name)),
            "Nothing was done. Name the branch into which yours is to be merged with --base, or set arborist.pr.base.",
        )
    })
}

/// How many commits a branch has that its base has not; `None` if the base was not fetched.
fn commits(
    git: &Git,
    base: CommitId,
    tip: CommitId,
    warnings: &mut Vec<String>,
    name: &str,
) -> Result<Option<usize>> {
    let name = one_line(name);
    if !git.has_object(&base)? {
        warnings.push(format!(
            "{name} has moved since it was last fetched, so it is not known how far your branch is behind it"
        ));
        return Ok(None);
    }
    let (base, tip) = (base.to_string(), tip.to_string());
    let behind = git.count_commits(&tip, &base)?;
    if behind > 0 {
        warnings.push(format!("{name} has {} that your branch does not have", counted(behind, "commit")));
    }
    git.count_commits(&base, &tip).map(Some)
}

/// Whether the branch with this tip must be pushed.
///
/// # Errors
/// If that could only be done by force, or the remote repository cannot be asked.
pub(crate) fn needs_push(git: &Git, remote: &Remote, branch: &str, tip: CommitId) -> Result<bool> {
    let there = ask(git, remote, &[branch])?.tip(branch);
    is_behind(git, remote, branch, there, tip)
}

/// Whether the branch is at an older commit there.
fn is_behind(
    git: &Git,
    remote: &Remote,
    branch: &str,
    there: Option<CommitId>,
    tip: CommitId,
) -> Result<bool> {
    let Some(there) = there else { return Ok(true) };
    if there == tip || git.has_object(&there)? && git.is_ancestor(&there, &tip)? {
        return Ok(there != tip);
    }
    Err(not_fast_forward(&remote.name, branch))
}

/// The branch of the remote repository has other commits.
fn not_fast_forward(remote: &str, branch: &str) -> Error {
    let (shown, word) = (one_line(branch), shell_word(branch));
    Error::new(
        Kind::Repository,
        format!("the branch {shown} of {} has commits that yours does not have", one_line(remote)),
        format!(
            "Nothing was pushed. `git fetch {} {word}` and `git log {word}..FETCH_HEAD` show them. Merge or rebase yours, or \
             give yours another name with `git branch -m {word} NEW`.",
            shell_word(remote)
        ),
    )
}
