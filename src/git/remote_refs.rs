//! Reads single branches of a remote repository, and pushes commits to them. Nothing is ever overwritten: a push names the
//! commit that it expects, and moves a branch only forward from there.

use std::collections::BTreeMap;
use std::path::Path;

use super::hook_log::HookLog;
use super::output::text_of;
use super::refusal::silence;
use super::{Git, GitOutput, first_lines};
use crate::error::Result;
use crate::record::CommitId;
use crate::text::clean;

/// The branches of a remote repository that were asked for, by their names without `refs/heads/`.
pub type RemoteTips = BTreeMap<String, CommitId>;

/// What came of asking a remote repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetching {
    /// The branches, as far as they exist. Their commits are here.
    Tips(RemoteTips),
    /// It has no branch with this name, which has to exist.
    Missing(String),
    /// It did not answer; what git says.
    Silent(String),
    /// It has the branch, but git does not take it over from there; what git says.
    Refused(String),
}

/// The branches to fetch, by their names without `refs/heads/`.
#[derive(Clone, Copy, Debug)]
pub struct BranchesToFetch<'a> {
    /// This one has to exist.
    pub branch: Option<&'a str>,
    /// All whose names begin so.
    pub below: &'a [String],
}

/// A change of a branch of a remote repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefUpdate {
    /// Its name, without `refs/heads/`.
    pub branch: String,
    /// The commit that it must name before; `None` if there must be no such branch.
    pub from: Option<CommitId>,
    /// The commit that it names afterwards, a descendant; `None` to delete it.
    pub to: Option<CommitId>,
}

/// How a push ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushEnd {
    /// All branches are as they were to become.
    Moved,
    /// A branch does not name the commit that was expected. Nothing was changed.
    Elsewhere,
    /// The remote repository, or a hook, does not accept it; what git says. Nothing was changed.
    Refused(String),
    /// There was no clear answer; what git says. It may have been done or not.
    Unclear(String),
}

/// What git says if a branch is not where the push expects it.
const ELSEWHERE: [&str; 10] = [
    "(stale info)",
    "(non-fast-forward)",
    "(fetch first)",
    "(already exists)",
    "(needs force)",
    "cannot lock ref",
    "failed to update ref",
    "reference already exists",
    "incorrect old value provided",
    "(atomic transaction failed)",
];

/// What git says if a branch with the name of a folder of another one is in the way.
const IN_THE_WAY: &str = "; cannot create";

/// What git says if the remote repository will not accept a push from this user, however often it is tried.
const FORBIDDEN: [&str; 10] = [
    "access denied",
    "service not enabled",
    "Permission denied",
    "permission denied",
    "Authentication failed",
    "could not read Username",
    "could not read Password",
    "The requested URL returned error: 403",
    "unable to create temporary object directory",
    "insufficient permission",
];

impl Git {
    /// Fetches branches of a remote repository, which has this name here, and remembers them below `refs/remotes/`. Only
    /// these are asked for: the answer does not grow with the other branches.
    ///
    /// # Errors
    /// If git cannot be called, or the fetched branches cannot be read.
    pub fn fetch_tips(&self, remote: &str, wanted: BranchesToFetch<'_>) -> Result<Fetching> {
        let tracking = |name: &str| format!("+refs/heads/{name}:refs/remotes/{remote}/{name}");
        let mut args: Vec<String> =
            ["fetch", "--quiet", "--no-tags", "--prune", "--no-recurse-submodules", "--no-auto-maintenance"]
                .map(str::to_owned)
                .to_vec();
        args.extend(["--no-write-fetch-head".to_owned(), remote.to_owned()]);
        args.extend(wanted.branch.map(tracking));
        args.extend(wanted.below.iter().map(|start| tracking(&format!("{start}*"))));
        let output = match self.command(&args).with_hooks_of_user().output() {
            Ok(output) => output,
            Err(error) => return silence(&error).map(Fetching::Silent).ok_or(error),
        };
        if !output.status.success() {
            let said = news(&output);
            return Ok(match wanted.branch.filter(|_| output.stderr.contains("couldn't find remote ref")) {
                Some(branch) => Fetching::Missing(branch.to_owned()),
                None => Fetching::Silent(said),
            });
        }
        let start = format!("refs/remotes/{remote}/");
        let mut args = vec!["for-each-ref".to_owned(), "--format=%(objectname) %(refname)".to_owned()];
        args.extend(wanted.branch.map(|name| format!("{start}{name}")));
        // A pattern without a star means the folder with this name, so the folder of the names is listed.
        args.extend(wanted.below.iter().map(|below| format!("{start}{below}*")));
        let listed = text_of(&self.demand(&args)?);
        let tip = |line: &str| {
            let (id, name) = line.split_once(' ')?;
            Some((name.strip_prefix(&start)?.to_owned(), CommitId::from_hex(id.as_bytes())?))
        };
        let tips: RemoteTips = listed.lines().filter_map(tip).collect();
        // A shallow repository does not give away branches whose history it does not have.
        if wanted.branch.is_some_and(|branch| !tips.contains_key(branch)) {
            return Ok(Fetching::Refused(news(&output)));
        }
        Ok(Fetching::Tips(tips))
    }

    /// Pushes commits to branches of a remote repository, all or none of them, with the user's hooks. Each push expects
    /// what the update says, and no branch is moved to a commit that is not a descendant.
    ///
    /// # Errors
    /// If git cannot be called, or if a branch would not move forward.
    ///
    /// # Panics
    /// If nothing is to be pushed.
    pub fn push_updates(&self, git_dir: &Path, remote: &str, updates: &[RefUpdate]) -> Result<PushEnd> {
        assert!(!updates.is_empty(), "a push changes something");
        for update in updates {
            // The expected commit makes git skip its own check.
            if let (Some(from), Some(to)) = (&update.from, &update.to)
                && !self.is_ancestor(from, to)?
            {
                return Ok(PushEnd::Elsewhere);
            }
        }
        let mut args: Vec<String> =
            ["push", "--porcelain", "--no-progress", "--no-follow-tags", "--no-signed"]
                .map(str::to_owned)
                .to_vec();
        if updates.len() > 1 {
            args.push("--atomic".to_owned());
        }
        let id = |commit: Option<CommitId>| commit.map(|commit| commit.to_string()).unwrap_or_default();
        args.extend(
            updates
                .iter()
                .map(|update| format!("--force-with-lease=refs/heads/{}:{}", update.branch, id(update.from))),
        );
        args.push(remote.to_owned());
        args.extend(updates.iter().map(|update| format!("{}:refs/heads/{}", id(update.to), update.branch)));
        let log = HookLog::new(git_dir);
        let output = match self.command(&args).with_hooks_of_user().env(log.variables()).output() {
            Ok(output) => output,
            Err(error) => return silence(&error).map(PushEnd::Unclear).ok_or(error),
        };
        if let Some(hook) = log.read().refused().filter(|_| !output.status.success()) {
            return Ok(PushEnd::Refused(format!("the hook {hook} refused it: {}", news(&output))));
        }
        Ok(push_end(&output))
    }
}

/// How a push ended, from what `git push --porcelain` says.
fn push_end(output: &GitOutput) -> PushEnd {
    if output.status.success() {
        return PushEnd::Moved;
    }
    let said = news(output);
    let answer = clean(&output.stdout);
    let rejected: Vec<&str> = answer.lines().filter(|line| line.starts_with('!')).collect();
    let has = |text: &str, words: &[&str]| words.iter().any(|word| text.contains(word));
    if rejected.iter().any(|line| line.contains("[remote failure]")) {
        PushEnd::Unclear(said)
    } else if rejected.iter().any(|line| has(line, &ELSEWHERE))
        && !format!("{answer}{}", output.stderr).contains(IN_THE_WAY)
    {
        PushEnd::Elsewhere
    } else if rejected.is_empty() && !has(&output.stderr, &FORBIDDEN) {
        PushEnd::Unclear(said)
    } else {
        let reason = rejected.iter().filter_map(|line| line.rsplit('\t').next()).next().unwrap_or_default();
        let parts = [reason, said.as_str()].into_iter().filter(|part| !part.is_empty());
        PushEnd::Refused(parts.collect::<Vec<_>>().join(": "))
    }
}

/// What git and the remote repository say that is worth repeating.
fn news(output: &GitOutput) -> String {
    let said = clean(output.stderr.as_bytes());
    let is_news = |line: &&str| {
        let starts = ["error: failed to push", "hint:", "Please make sure", "and the repository exists"];
        !line.is_empty() && !starts.iter().any(|start| line.starts_with(start))
    };
    let lines: Vec<&str> = said.lines().map(str::trim).filter(is_news).collect();
    first_lines(&lines.join("\n"), 3)
}
