//! The review step: a reviewer sees exactly what the task changed, and approves or rejects it.

use std::collections::HashSet;

use super::artifact::ArtifactKind;
use super::feedback::{implement_commits, task_facts};
use super::garden::{Garden, Job};
use super::implement::describe;
use super::prompt::{Change, review_prompt};
use super::verdict::{Verdict, verdict};
use crate::error::{Error, Kind, Result};
use crate::git::Head;
use crate::history::{Standing, TaskStep, read_steps};
use crate::runner::{End, Ended, Runner};
use crate::task::{Block, CommitId, Outcome, RUNNER_LIMIT, Step, StepMessage, Work, clean};

impl<'a> Garden<'a> {
    pub(super) fn review(&mut self, job: Job<'a>) -> Result<()> {
        let head = self.git.head()?;
        let reviewer = self.reviewer()?;
        let prompt = self.review_prompt(job, &head)?;
        let ended = self.run_runner(job, Step::Review, (&reviewer, prompt))?;
        self.check_after(&head, Step::Review)?;
        self.refuse_edits()?;
        require_review(&ended, &reviewer)?;

        let said = ended.stdout.to_bytes_with_note();
        let found = verdict(&said);
        let outcome = if found == Verdict::Approved { Outcome::Pass } else { Outcome::Fail };
        let folder = self.settings.log_dir.clone();
        let log = self.new_artifact(&folder, ArtifactKind::ReviewLog, job.task)?;
        let path = log.write(format!("{}\n", clean(&said)).as_bytes())?;
        let work = Work { runner: reviewer.label(), duration: ended.duration };
        let mut message = StepMessage::review(job.task, job.attempt, outcome, Some(&path)).with_work(&work);
        if found == Verdict::Unclear {
            message =
                message.with_sentence("The reviewer gave no clear verdict, which counts as a rejection.");
        }
        let message =
            message.with_block(&Block { label: "Review:".to_owned(), text: said, limit: RUNNER_LIMIT });
        let paths = self.committable(&path)?;
        let commit = self.commit_artifact(&head, (paths, Some(&path)), &message)?;
        let detail = match found {
            Verdict::Unclear => "no clear verdict".to_owned(),
            Verdict::Approved | Verdict::Rejected => String::new(),
        };
        self.ended(job, Step::Review, outcome, (commit, ended.duration, detail));
        Ok(())
    }

    fn reviewer(&self) -> Result<Runner> {
        self.runners.review.clone().ok_or_else(|| {
            Error::new(
                Kind::Input,
                "a review comes next, but reviews are off",
                "Run the command again without --no-review.",
            )
        })
    }

    /// A reviewer that edits files has made a change that nobody tested: it must not get into any commit.
    fn refuse_edits(&mut self) -> Result<()> {
        let edited = self.look_for_leftovers()?;
        if edited.is_empty() {
            return Ok(());
        }
        Err(Error::new(
            Kind::Unsafe,
            format!("the reviewer changed files: {}", edited.join(", ")),
            "Nothing was committed, and its changes are in the work tree. Look at them with `git diff`, take them away \
             (`git restore`, or delete the new files), and run the same command again.",
        ))
    }

    /// The prompt that the review step of a task gets now.
    pub(super) fn review_prompt(&self, job: Job<'_>, head: &Head) -> Result<String> {
        let run = self.read()?;
        let steps = read_steps(self.repository, &run.range, job.task.id)?;
        let facts = task_facts(&self.git, (self.repository, self.plan), &run, job.leaf)?;
        let change = self.change_of(&steps, head)?;
        Ok(review_prompt(&facts, &change))
    }

    /// Exactly what the task changed: one difference over all its attempts where nothing else was committed in between,
    /// else the difference of each commit in which its code was written.
    fn change_of(&self, steps: &[TaskStep], head: &Head) -> Result<Change> {
        let commits = implement_commits(steps);
        let artifacts = [self.settings.report_dir.as_str(), self.settings.log_dir.as_str()];
        let base = match commits.last() {
            Some(first) => self.git.first_parent(first)?,
            None => None,
        };
        let (diff, command) = match base {
            Some(base) if self.is_only_of(steps, &base, head)? => {
                let diff = self.git.diff(&base, &head.commit, &artifacts)?;
                (diff, Some(format!("git diff {} {}", base.short(), head.commit.short())))
            }
            _ => (self.diffs_of(&commits, &artifacts)?, None),
        };
        let paths = self.git.changed_paths(&commits)?;
        let shown = |path: &Vec<u8>| crate::task::one_line(&String::from_utf8_lossy(path));
        Ok(Change { diff: clean(&diff), files: paths.iter().map(shown).collect(), command })
    }

    fn is_only_of(&self, steps: &[TaskStep], base: &CommitId, head: &Head) -> Result<bool> {
        let own: HashSet<CommitId> =
            steps.iter().filter(|step| step.standing == Standing::Counts).map(|step| step.step.id).collect();
        Ok(self.git.commits_between(base, &head.commit)?.iter().all(|commit| own.contains(commit)))
    }

    fn diffs_of(&self, commits: &[CommitId], without: &[&str]) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        for commit in commits.iter().rev() {
            if let Some(parent) = self.git.first_parent(commit)? {
                all.extend(self.git.diff(&parent, commit, without)?);
            }
        }
        Ok(all)
    }
}

/// A reviewer that did not end well has not reviewed: no commit, neither an approval nor a rejection (formats.md §8).
fn require_review(ended: &Ended, reviewer: &Runner) -> Result<()> {
    if matches!(ended.end, End::Exited(0)) {
        return Ok(());
    }
    let said = ended.stderr.tail_lossy(300);
    let said = crate::task::one_line(&said);
    let said = if said.is_empty() { String::new() } else { format!(" ({said})") };
    Err(Error::new(
        Kind::Surroundings,
        format!("the reviewer {} has not reviewed: {}{said}", reviewer.label(), describe(&ended.end)),
        "Nothing was committed, and no attempt is used up. Run the same command again to ask it once more.",
    ))
}
