//! The review step: a reviewer sees exactly what the task changed, and approves or rejects it.

use super::artifact::ArtifactKind;
use super::garden::{Garden, Job};
use super::implement::describe;
use super::verdict::{Verdict, verdict};
use crate::error::{Error, Kind, Result};
use crate::runner::{End, Ended, Runner};
use crate::task::{Block, Outcome, RUNNER_LIMIT, Step, StepMessage, Work, clean};

impl<'a> Garden<'a> {
    pub(super) fn review(&mut self, job: Job<'a>) -> Result<()> {
        let head = self.repository.branch()?;
        let reviewer = self.reviewer()?;
        let artifacts = [self.settings.report_dir.as_str(), self.settings.log_dir.as_str()];
        let prompt = self.prompts().to_review(job.leaf, &artifacts)?;
        let ended = self.run_runner(job, Step::Review, (&reviewer, &prompt, &head))?;
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
        let commit = self.commit_artifact(&head, Some(&path), &message)?;
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
        let edited = self.look_again()?;
        if edited.is_empty() {
            return Ok(());
        }
        Err(Error::new(
            Kind::Unsafe,
            format!("the reviewer changed files: {}", edited.shown().join(", ")),
            "Nothing was committed, and its changes are in the work tree. Look at them with `git diff`, take them away \
             (`git restore`, or delete the new files), and run the same command again.",
        ))
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
