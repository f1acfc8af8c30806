//! The review step: a reviewer sees exactly the change of the task, and approves or rejects it.

use super::artifact::{Artifact, ArtifactKind, committed_artifact};
use super::idle::{break_circuit, ended_at_once};
use super::runner_call::{Programs, Request, RunnerCall};
use crate::agents::{Captured, ExitReason, JobResult, Runner};
use crate::engine::assignment::Assignment;
use crate::engine::checks::overlooked::overlooked_since;
use crate::engine::commit::finished::FinishedStep;
use crate::engine::commit::recorder::Recorder;
use crate::engine::context::RunContext;
use crate::engine::findings::findings;
use crate::engine::unit::{Handover, WorkUnit, Worker};
use crate::engine::workspace::Workspace;
use crate::error::{Error, Kind, Result};
use crate::history::FollowedRun;
use crate::record::{Block, IDLE, Outcome, Role, StepMessage, Work};
use crate::text::clean;
use crate::text::{listed, pathspec_word, shell_word, show_path};
use crate::workflow::review_again_prompt;
use crate::workflow::{Verdict, has_rejection, verdict};

/// The verdict of a reviewer, who may have been asked for it twice.
struct Review {
    verdict: Verdict,
    /// The answer and its duration; if the reviewer was asked twice, both answers and their total duration.
    handover: Handover,
    requests: Requests,
}

/// How often the verdict was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Requests {
    Once,
    /// Twice, because the first answer had no clear verdict.
    Twice,
    /// The first answer both rejected and approved, and the second one only approved.
    Contradicting,
}

/// The line between the two answers of a reviewer that was asked twice.
const ASKED_AGAIN: &str = "[asked once more for the verdict]";

/// Takes a task through its review.
pub(in crate::engine) struct Reviewer<'e, 'a> {
    /// The state of the plan, read from history.
    pub(in crate::engine) followed: &'e FollowedRun<'a>,
    /// The work tree.
    pub(in crate::engine) workspace: &'e mut Workspace<'a>,
    /// The programs of the runners.
    pub(in crate::engine) programs: &'e mut Programs,
}

impl Reviewer<'_, '_> {
    /// Asks the reviewer, and commits the verdict.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(in crate::engine) fn review(&mut self, job: Assignment<'_>) -> Result<()> {
        let runner = reviewer(self.workspace.run, job)?;
        let unit = self.workspace.begin(self.followed, job, Worker::Run)?;
        let prompt = unit.prompt.as_deref().expect("an agent acts in every review, so there is a prompt");
        let request = Request { runner, role: Role::Reviewer, prompt, head: &unit.head };
        let mut review = self.ask(job, &unit, request)?;
        if review.verdict == Verdict::Unclear {
            review = self.ask_again(job, &unit, request, &review)?;
        }
        if review.is_idle() {
            break_circuit(self.followed, job.step, request, &review.handover)?;
        }
        self.settle(job, &unit, review)
    }

    /// Settles the review of an outside reviewer, who cannot be asked again.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(in crate::engine) fn settle_by_hand(
        &mut self,
        job: Assignment<'_>,
        unit: &WorkUnit,
        handover: Handover,
    ) -> Result<()> {
        self.workspace.check_after(&unit.head, job.step)?;
        refuse_edits(self.workspace, unit)?;
        let verdict = verdict(&handover.said);
        self.settle(job, unit, Review { verdict, handover, requests: Requests::Once })
    }

    /// Commits a verdict.
    fn settle(&mut self, job: Assignment<'_>, unit: &WorkUnit, review: Review) -> Result<()> {
        let run = self.workspace.run;
        let log = Artifact::of_step(run, ArtifactKind::ReviewLog, job.task)?;
        let path = log.write(format!("{}\n", clean(&review.handover.said)).as_bytes())?;
        let Handover { worker, duration, .. } = &review.handover;
        let steps = self.followed.steps_of(job.task.id)?;
        let message = StepMessage::new(job.step, job.task, job.attempt, review.outcome())
            .with_review_log(&path)
            .with_work(&Work { runner: worker.clone(), duration: *duration })
            .with_findings(&findings(run.repository, &run.git, &steps)?);
        let finished = FinishedStep {
            job,
            outcome: review.outcome(),
            selection: committed_artifact(&run.git, &path)?,
            duration: *duration,
            detail: review.detail().to_owned(),
            head: unit.head.clone(),
            message: review.described_in(message),
        };
        Recorder { followed: self.followed, workspace: self.workspace }.record(&finished)
    }

    /// Asks a reviewer, who must end well and change nothing.
    fn ask(&mut self, job: Assignment<'_>, unit: &WorkUnit, request: Request<'_>) -> Result<Review> {
        let call = RunnerCall { workspace: self.workspace, programs: self.programs, job, request };
        let result = call.run()?;
        self.workspace.check_after(request.head, job.step)?;
        refuse_edits(self.workspace, unit)?;
        require_review(&result, request.runner)?;
        let verdict = verdict_of(&result.stdout);
        let said = result.stdout.to_bytes_with_note();
        let handover = Handover { said, ..Handover::of(request.runner.label(), result) };
        Ok(Review { verdict, handover, requests: Requests::Once })
    }

    /// Asks a reviewer who has given no clear verdict once more, only for the verdict.
    fn ask_again(
        &mut self,
        job: Assignment<'_>,
        unit: &WorkUnit,
        request: Request<'_>,
        first: &Review,
    ) -> Result<Review> {
        self.workspace.run.warn(&format!(
            "{} gave no clear verdict on {} and is asked once more",
            request.runner.label(),
            job.task.id
        ));
        let prompt = review_again_prompt(request.prompt, &first.handover.said);
        let second = self.ask(job, unit, Request { prompt: &prompt, ..request })?;
        let said = [&first.handover.said, ASKED_AGAIN.as_bytes(), &second.handover.said].join(&b"\n\n"[..]);
        let duration = first.handover.duration + second.handover.duration;
        let handover = Handover { said, duration, ..second.handover };
        // Both answers are one review, and a review that contains a rejection cannot approve.
        if second.verdict == Verdict::Approved && has_rejection(&first.handover.said) {
            return Ok(Review { verdict: Verdict::Unclear, handover, requests: Requests::Contradicting });
        }
        Ok(Review { handover, requests: Requests::Twice, ..second })
    }
}

fn reviewer<'a>(run: &'a RunContext<'_>, job: Assignment<'_>) -> Result<&'a Runner> {
    run.runners_of(job.leaf)?.review.as_ref().ok_or_else(|| {
        Error::new(
            Kind::Input,
            "a review comes next, but reviews are off",
            "Run the command again without --no-review.",
        )
    })
}

/// Handles changes that a reviewer made. A reviewer may run programs that leave new files behind, such as caches. These
/// are named, and no commit contains them. But a change to a tracked file was never tested, so it is refused.
fn refuse_edits(workspace: &mut Workspace<'_>, unit: &WorkUnit) -> Result<()> {
    let (new, edited) = workspace.look_again()?.split_untracked();
    workspace.name_as_left("the reviewer", new);
    let overlooked = overlooked_since(workspace.run, unit)?;
    if edited.is_empty() && overlooked.is_empty() {
        return Ok(());
    }
    // `git restore` would also undo the changes that the user had made to these files.
    let users = &workspace.foreign.users;
    let mut others = edited.clone().apart_from(users).shown();
    others.extend(overlooked.iter().filter(|path| !users.has(path)).map(|path| show_path(path)));
    let mut changed = edited.shown();
    changed.extend(overlooked.iter().map(|path| show_path(path)));
    let undo = if others.len() < changed.len() {
        "Some of these files had uncommitted changes of yours before the run, of which a copy is kept. \
         Undo only what the reviewer changed"
            .to_owned()
    } else {
        let files: Vec<String> = others.iter().map(|path| pathspec_word(path)).collect();
        format!("Undo them with `git restore --source=HEAD --staged --worktree -- {}`", files.join(" "))
    };
    Err(Error::new(
        Kind::Unsafe,
        format!("tracked files changed while the reviewer was at work: {}", listed(&changed)),
        format!(
            "No review was committed, and the changes are in the work tree. {}Look at them with `git diff HEAD`. {undo}, and \
             run the same command again.",
            shown_again(&overlooked)
        ),
    ))
}

/// How to make git show the changes that it was told to overlook; empty if there are none.
fn shown_again(overlooked: &[Vec<u8>]) -> String {
    if overlooked.is_empty() {
        return String::new();
    }
    let shown: Vec<String> = overlooked.iter().map(|path| show_path(path)).collect();
    let files = shown.iter().map(|path| shell_word(path)).collect::<Vec<_>>().join(" ");
    format!(
        "Git was told to overlook them in {}; at the top of the work tree, `git update-index --no-assume-unchanged -- \
         {files}` and `git update-index --no-skip-worktree -- {files}` undo that. ",
        listed(&shown)
    )
}

impl Review {
    fn outcome(&self) -> Outcome {
        if self.verdict == Verdict::Approved { Outcome::Pass } else { Outcome::Fail }
    }

    /// Whether the reviewer had no result and ended within seconds each time.
    fn is_idle(&self) -> bool {
        self.verdict == Verdict::Unclear
            && self.requests != Requests::Contradicting
            && ended_at_once(&self.handover.exit_reason, self.handover.duration)
    }

    /// A few words for a progress line.
    fn detail(&self) -> &'static str {
        match (self.verdict, self.requests) {
            (_, Requests::Contradicting) => "contradicts itself",
            (Verdict::Unclear, _) => "no clear verdict",
            (Verdict::TestsRejected, _) => "the tests themselves",
            (_, Requests::Twice) => "asked twice",
            (_, Requests::Once) => "",
        }
    }

    /// The message with the words of the reviewer and how they were understood.
    fn described_in(self, message: StepMessage) -> StepMessage {
        let message = if self.is_idle() { message.with_sentence(IDLE) } else { message };
        let message = match (self.verdict, self.requests) {
            (_, Requests::Contradicting) => message.with_sentence(
                "The reviewer rejected the change in its first answer and approved it when it was asked once more. That is no \
                 clear verdict and counts as a rejection.",
            ),
            (Verdict::Unclear, _) => message.with_sentence(
                "The reviewer gave no clear verdict, not even when it was asked once more. That counts as a rejection.",
            ),
            (Verdict::TestsRejected, _) => {
                message.rejecting_tests().with_sentence("The reviewer rejects the tests themselves.")
            }
            (_, Requests::Twice) => message.with_sentence("The reviewer was asked twice before it gave a clear verdict."),
            (_, Requests::Once) => message,
        };
        message.with_block(&Block::of_review(self.handover.said))
    }
}

/// The verdict in the output of a reviewer. If the middle of a long output was dropped, it cannot approve, because the
/// missing part may contain a rejection.
fn verdict_of(printed: &Captured) -> Verdict {
    match verdict(&printed.to_bytes_with_note()) {
        Verdict::Approved if printed.omitted() > 0 => Verdict::Unclear,
        verdict => verdict,
    }
}

/// The error for a reviewer that did not end well. It has not reviewed, so there is no commit, neither an approval nor
/// a rejection (docs/agents.md).
fn require_review(result: &JobResult, reviewer: &Runner) -> Result<()> {
    if matches!(result.exit_reason, ExitReason::Exited(0)) {
        return Ok(());
    }
    let said = result.last_line().map(|line| format!(" ({line})")).unwrap_or_default();
    Err(Error::new(
        Kind::Environment,
        format!(
            "the reviewer {} did not complete its review: {}{said}",
            reviewer.label(),
            result.exit_reason
        ),
        "No review was committed, and no attempt is used up. Run the same command again to ask it once more.",
    ))
}
