//! The review step: reviewers see exactly the change of the task, each for itself, and approve or reject it.

mod answer;
mod disputed_test;
mod panel;
mod place;

use chrono::Utc;

use super::StepMaker;
use super::memory::RunnerMemory;
use super::resume::EarlierSession;
use super::runner_call::{Request, RunnerCall};
use super::taken_question::{TakenQuestion, asks_about_instructions};
use crate::agents::{Runner, RunnerChain};
use crate::engine::record::FinishedStep;
use crate::engine::record::recorder::Recorder;
use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::RunContext;
use crate::engine::tree::artifact::{Artifact, ArtifactKind};
use crate::engine::tree::unit::WorkUnit;
use crate::engine::tree::workspace::Workspace;
use crate::error::{Error, Kind, Result};
use crate::history::{FollowedRun, StepValidity, TaskStep};
use crate::record::{Check, Finding, Role, Step, StepFacts};
use crate::run::steps::findings::findings;
use crate::text::{listed, pathspec_word};
use crate::workflow::{AgainPrompt, AskedAgain, Verdict, review_again_prompt};
use answer::Answer;
use answer::anchored;
use panel::{ReviewAnswers, verdict_of};
use place::Place;

/// Takes a task through its review.
pub(crate) struct Reviewer<'e, 'a> {
    /// The state of the plan, read from history.
    pub(crate) followed: &'e FollowedRun<'a>,
    /// The work tree.
    pub(crate) workspace: &'e mut Workspace<'a>,
    /// What the run has learned about its runners.
    pub(crate) memory: &'e mut RunnerMemory,
}

impl Reviewer<'_, '_> {
    /// Asks all reviewers, and commits their verdicts. Those after a rejection are asked as well: the next attempt then gets
    /// all objections at once.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(crate) fn review(&mut self, job: Assignment<'_>) -> Result<()> {
        let reviewers = reviewers(self.workspace.run, job)?;
        if let Some(finding) = self.instructed(job)? {
            let job = Assignment { step: Step::BLOCK, ..job };
            return StepMaker { followed: self.followed, workspace: self.workspace }
                .ask_about_instructions(job, &finding);
        }
        let unit = self.workspace.begin(self.followed, job)?;
        let mut panel = ReviewAnswers::default();
        for runners in reviewers {
            match self.hear(job, &unit, runners) {
                Ok(answer) => panel.answers.push(answer),
                Err(error) => {
                    self.name_unrecorded(job, &panel);
                    return Err(error);
                }
            }
        }
        if let Some((who, said)) = panel.without_verdict() {
            let job = Assignment { step: Step::BLOCK, ..job };
            let asked = TakenQuestion { who: &who, said: &said, work: Some(panel.work()) };
            return StepMaker { followed: self.followed, workspace: self.workspace }
                .take_for_question(job, asked);
        }
        self.settle(job, &unit, &panel)
    }

    /// That the author of the change, or another task, may have instructed the reviewers from outside of the repository, unless a
    /// person was asked about it since.
    fn instructed(&self, job: Assignment<'_>) -> Result<Option<Finding>> {
        let steps = self.followed.steps_of(job.task.id)?;
        let mut counted = steps.iter().filter(|step| step.validity == StepValidity::Counts);
        let asked = |step: &&TaskStep| asks_about_instructions(&step.message);
        let mut since = counted.clone().take_while(|step| !asked(step));
        let is_it = |finding: &Finding| finding.check == Check::Instructions;
        let found = since.find_map(|step| StepFacts::of(&step.message).found.into_iter().find(is_it));
        Ok(found.or_else(|| self.workspace.tainted.clone().filter(|_| !counted.any(|step| asked(&step)))))
    }

    /// Commits the verdicts.
    fn settle(&mut self, job: Assignment<'_>, unit: &WorkUnit, panel: &ReviewAnswers) -> Result<()> {
        if self.is_asked_about_tests(job) {
            return self.settle_claim(job, unit, panel);
        }
        let run = self.workspace.run;
        let path = Artifact::of_step(run, ArtifactKind::ReviewLog, job.task)?.write(&panel.log())?;
        let steps = self.followed.steps_of(job.task.id)?;
        let own = panel.findings();
        let mut all = findings(run.repository, &run.git, &steps)?;
        all.extend(own.iter().cloned());
        let mut draft = job.draft(panel.outcome()).done_by(&panel.work()).finding(&own).naming(&all);
        draft.facts.review_log = Some(path.clone());
        panel.describe(&mut draft);
        let finished = FinishedStep {
            selection: self.workspace.committed_artifact(&path)?,
            duration: panel.duration(),
            detail: panel.detail(),
            reason: panel.reason(),
            ..FinishedStep::new(job, unit.head.clone(), draft)
        };
        Recorder { followed: self.followed, workspace: self.workspace }.record(&finished)
    }

    /// Gets the answer of one reviewer, who is asked once more if the first answer has no clear verdict. One that has none then has
    /// not reviewed, and the next one of its chain reviews.
    fn hear(&mut self, job: Assignment<'_>, unit: &WorkUnit, runners: &RunnerChain) -> Result<Answer> {
        let prompt = unit.prompt.as_deref().expect("an agent acts in every review, so there is a prompt");
        let run = self.workspace.run;
        let steps = self.followed.steps_of(job.task.id)?;
        let mut place = Place::make(run, &steps, runners)?;
        let prompt = &format!("{}{prompt}", place.note);
        let scratch = Some(&place.scratch);
        let request = Request {
            runners,
            role: Role::Reviewer,
            prompt,
            form: run.answer_form(job),
            head: &unit.head,
            place: scratch,
            in_session: None,
            session: None,
        };
        let mut answer = self.hear_in(job, request)?;
        answer.findings.append(&mut place.findings);
        let remarks = std::mem::take(&mut answer.review.remarks).into_iter();
        answer.review.remarks =
            remarks.map(|remark| anchored(remark, &place.scratch.work_tree.top)).collect();
        if let Err(error) = place.scratch.remove() {
            run.warn(&error.to_string());
        }
        Ok(answer)
    }

    fn hear_in(&mut self, job: Assignment<'_>, request: Request<'_>) -> Result<Answer> {
        let (worker, answer) = self.hear_twice(job, request)?;
        if answer.review.verdict != Verdict::Unclear {
            return Ok(answer);
        }
        // One that cannot work now is not waited for: a person can decide, and other tasks go on.
        let now = Utc::now();
        let is_left = |other: &Runner| other.label() != worker && self.memory.held(other, now).is_none();
        let Some(rest) = request.runners.only(is_left) else { return Ok(answer) };
        self.workspace.run.warn(&format!(
            "{worker} has given no verdict on {}; {} reviews instead",
            job.task.id,
            rest.first().label()
        ));
        let mut next = self.hear_in(job, Request { runners: &rest, ..request })?;
        next.handover = next.handover.after(&answer.handover);
        Ok(next)
    }

    /// Asks a reviewer and, if its answer has no clear verdict, once more: in its session, or with its answer below the prompt. Who
    /// was asked first, and the answer.
    fn hear_twice(&mut self, job: Assignment<'_>, request: Request<'_>) -> Result<(String, Answer)> {
        let first = self.ask(job, request)?;
        let worker = first.handover.worker.clone();
        let Some(doubt) = first.doubt() else { return Ok((worker, first)) };
        let run = self.workspace.run;
        run.warn(&format!("{worker} gave no clear verdict on {} and is asked once more", job.task.id));
        let may_reject_tests = run.settings.tasks.of(job.leaf).policy.pipeline.has(Step::RED);
        let (said, form) = (&first.handover.said, request.form);
        let asked = AskedAgain { doubt, said, form, may_reject_tests };
        let AgainPrompt { fresh, in_session } = review_again_prompt(request.prompt, asked);
        let session = EarlierSession::of_call(&first.handover);
        let (in_session, session) = (Some(in_session.as_str()), session.as_ref());
        let second = self.ask(job, Request { prompt: &fresh, in_session, session, ..request })?;
        Ok((worker, first.corrected_by(second)))
    }

    /// Asks a reviewer, who must end well and change nothing.
    fn ask(&mut self, job: Assignment<'_>, request: Request<'_>) -> Result<Answer> {
        let call = RunnerCall { workspace: self.workspace, memory: self.memory, job, request };
        let handover = call.run()?;
        self.workspace.check_after(request.head, job.step)?;
        refuse_edits(self.workspace)?;
        Answer::of(handover)
    }

    /// Names the verdicts that are not recorded because another reviewer could not review.
    fn name_unrecorded(&self, job: Assignment<'_>, panel: &ReviewAnswers) {
        let verdicts: Vec<String> = panel.answers.iter().map(verdict_of).collect();
        if !verdicts.is_empty() {
            self.workspace.run.warn(&format!(
                "{}: {}; this is in no commit, and all reviewers are asked again when the run continues",
                job.task.id,
                verdicts.join(", ")
            ));
        }
    }
}

fn reviewers<'a>(run: &'a RunContext<'_>, job: Assignment<'_>) -> Result<&'a [RunnerChain]> {
    let reviewers = run.runners_of(job.leaf)?.reviewers.as_slice();
    if reviewers.is_empty() {
        return Err(Error::new(
            Kind::Input,
            "a review comes next, but reviews are off",
            "Run the command again without --no-review.",
        ));
    }
    Ok(reviewers)
}

/// Handles changes that a reviewer made. A reviewer may run programs that leave new files behind, such as caches. These
/// are named, and no commit contains them. But a change to a tracked file was never tested, so it is refused.
fn refuse_edits(workspace: &mut Workspace<'_>) -> Result<()> {
    let (new, edited) = workspace.look_again()?.split_untracked();
    workspace.name_as_left("the reviewer", new);
    if edited.is_empty() {
        return Ok(());
    }
    // `git restore` would also undo the changes that the user had made to these files.
    let users = &workspace.foreign.users;
    let others = edited.clone().apart_from(users).shown();
    let changed = edited.shown();
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
            "No review was committed, and the changes are in the work tree. Look at them with `git diff HEAD`. {undo}, and run the \
             same command again."
        ),
    ))
}
