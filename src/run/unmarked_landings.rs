//! Finds commits that contain the work of a run, as their files show, though their messages say nothing of it: a forge may keep
//! only the title of a squash, with the number of the request (docs/landing.md).

use std::path::Path;

use super::plan::Plan;
use crate::error::Result;
use crate::files;
use crate::git::{Git, RUN_RECORDS};
use crate::history::{Repository, Run, read_run};
use crate::record::{CommitId, State, TaskId, title};

/// How many commits of the branch are looked at.
const COMMITS: usize = 50;

/// A commit that contains the work of a run.
#[derive(Clone, Debug)]
pub struct UnmarkedLanding {
    /// The commit.
    pub commit: CommitId,
    /// Its title.
    pub title: String,
    /// The end of the run that made the same changes.
    pub tip: CommitId,
    /// The tasks that are complete there, and that nobody has worked on here.
    pub tasks: Vec<TaskId>,
}

/// The repository in which to look.
#[derive(Clone, Copy)]
pub struct LandingSearch<'a> {
    /// git, called at the top of the work tree.
    pub git: &'a Git,
    /// Its history.
    pub repository: &'a Repository,
    /// The git directory that all work trees share.
    pub common_dir: &'a Path,
    /// The folders of generated files, which are not landed.
    pub generated: [&'a str; 2],
}

impl LandingSearch<'_> {
    /// The commits of this branch that make the changes of a run whose commits are here, as a record or as a landed branch. If
    /// no task is pending, or no such run is here, no program is started.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub fn find(self, plan: &Plan, run: &Run) -> Result<Vec<UnmarkedLanding>> {
        let leaves = plan.tree.order().iter();
        let pending = leaves.filter(|leaf| plan.state(run, **leaf) == State::Pending);
        let pending: Vec<&TaskId> = pending.map(|leaf| &plan.tree.node(*leaf).id).collect();
        let titled = if pending.is_empty() { Vec::new() } else { self.titled(run)? };
        let tips = if titled.is_empty() { Vec::new() } else { self.tips()? };
        let mut found = Vec::new();
        for tip in tips {
            let there = read_run(self.repository, tip, &plan.query())?;
            let is_complete = |task: &TaskId| {
                there.tasks.get(task).is_some_and(|step| step.record.state() == State::Complete)
            };
            let tasks: Vec<TaskId> =
                pending.iter().copied().filter(|task| is_complete(task)).cloned().collect();
            if tasks.is_empty() {
                continue;
            }
            for (commit, title) in &titled {
                if self.makes_changes_of(*commit, tip)? {
                    let (commit, title) = (*commit, title.clone());
                    found.push(UnmarkedLanding { commit, title, tip, tasks: tasks.clone() });
                    break;
                }
            }
        }
        found.dedup_by_key(|landing| landing.commit);
        Ok(found)
    }

    /// The newest commits of the run whose titles end in the number of a request.
    fn titled(self, run: &Run) -> Result<Vec<(CommitId, String)>> {
        let mut titled = Vec::new();
        let mut next = Some(run.range.head());
        for _ in 0..COMMITS {
            let Some(id) = next.filter(|id| Some(*id) != run.range.anchor()) else { break };
            let commit = self.repository.commit(&id)?;
            let title = String::from_utf8_lossy(&title(&commit.message)).into_owned();
            if ends_in_number(&title) && commit.parents.len() == 1 {
                titled.push((id, title));
            }
            next = commit.parents.first().copied();
        }
        Ok(titled)
    }

    /// The ends of runs that are here: their records, and branches that `land` has made.
    fn tips(self) -> Result<Vec<CommitId>> {
        let branches = self.repository.branches()?.into_iter();
        let mut tips: Vec<CommitId> =
            branches.filter(|(name, _)| name.ends_with("-landed")).map(|(_, tip)| tip).collect();
        let packed = files::read(&self.common_dir.join("packed-refs"), files::LARGE).unwrap_or_default();
        let is_packed = memchr::memmem::find(&packed, RUN_RECORDS.as_bytes()).is_some();
        if is_packed || self.common_dir.join(RUN_RECORDS).exists() {
            tips.extend(self.git.records_here()?);
        }
        Ok(tips)
    }

    /// Whether a commit makes the same changes as a run, on files that may have changed elsewhere meanwhile.
    fn makes_changes_of(self, commit: CommitId, tip: CommitId) -> Result<bool> {
        let Some(parent) = self.repository.first_parent(&commit)? else { return Ok(false) };
        let Some(base) = self.git.merge_base(&parent, &tip)? else { return Ok(false) };
        let here = self.git.diff(&parent, &commit, &self.generated)?;
        let there = self.git.diff(&base, &tip, &self.generated)?;
        Ok(!here.is_empty() && changes(&here) == changes(&there))
    }
}

fn ends_in_number(title: &str) -> bool {
    let number = title.strip_suffix(')').and_then(|title| title.rsplit_once("(#"));
    number.is_some_and(|(_, digits)| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The lines of a patch that do not depend on where in a file they are, or on its other lines.
fn changes(patch: &[u8]) -> Vec<&[u8]> {
    let depends = |line: &&[u8]| !(line.starts_with(b"index ") || line.starts_with(b"@@ "));
    patch.split(|byte| *byte == b'\n').filter(depends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_number_of_a_request_at_the_end_of_a_title_counts() {
        for (title, is_one) in [
            ("Add numerals (#12)", true),
            ("(#1)", true),
            ("Add numerals (#12) again", false),
            ("Add numerals (#)", false),
            ("Add numerals (#1a)", false),
            ("Add numerals (12)", false),
        ] {
            assert_eq!(ends_in_number(title), is_one, "{title}");
        }
    }
}
