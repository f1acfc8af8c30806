//! Prints one task with all its attempts, or a parent with its tasks, as text and as JSON.

mod json;
mod parent;
mod task_page;

use super::plan_view::{PlanView, TaskMark};
use super::text::ago;
use super::{Screen, Style};
use crate::plan::NodeIx;
use crate::record::{
    AttemptSteps, By, CommitId, Counts, FETCH_RECORDS, Goal, Outcome, StepFacts, StepRecord, StepValidity,
    TrailerKey, UNTESTED, UsageTotal, by_attempt,
};
use crate::text::{self, clean, listed};
pub use parent::{FailedPhaseTests, ParentView};
use task_page::TaskPage;

/// How many lines of the output of a failed step are shown.
const BODY_LINES: usize = 12;

impl StepView {
    /// The file that it wrote besides the code.
    pub(super) fn artifact(&self) -> Option<ArtifactFile<'_>> {
        let (key, path) = self.facts.artifacts().next()?;
        let kind = match key {
            TrailerKey::TestLog => "test-log",
            TrailerKey::ReviewLog => "review-log",
            _ => "report",
        };
        Some(ArtifactFile { kind, path })
    }
}

/// A file that a step wrote besides the code.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArtifactFile<'a> {
    pub(super) kind: &'static str,
    pub(super) path: &'a str,
}

/// A step and everything that its commit says.
#[derive(Clone, Debug)]
pub struct StepView {
    /// The commit.
    pub commit: CommitId,
    /// The committer date, in seconds since the epoch.
    pub time: i64,
    /// The step, outcome and attempt according to its trailers.
    pub record: StepRecord,
    /// Whether it counts.
    pub validity: StepValidity,
    /// What its trailers and sentences say besides.
    pub facts: StepFacts,
    /// The body of its message.
    pub body: String,
}

/// A task and its steps.
#[derive(Clone, Debug)]
pub struct TaskView<'a> {
    /// The state of every task.
    pub plan_view: PlanView<'a>,
    /// The task.
    pub leaf: NodeIx,
    /// Its steps, oldest first.
    pub steps: Vec<StepView>,
    /// The commit that has landed its work.
    pub landed: Option<CommitId>,
}

/// What the steps of the run have used together, even those that do not count any more.
fn total(steps: &[StepView]) -> UsageTotal {
    let mut total = UsageTotal::default();
    for step in steps.iter().filter(|step| step.validity != StepValidity::Outdated) {
        total.add(&step.record, step.facts.usage);
    }
    total
}

/// The steps in their attempts.
fn attempts(steps: &[StepView]) -> Vec<AttemptSteps<'_, StepView>> {
    by_attempt(steps, |step| step.record)
}

impl TaskView<'_> {
    /// The whole page as text.
    #[must_use]
    pub fn text(&self, screen: &Screen) -> String {
        let plan_view = &self.plan_view;
        let node = plan_view.tree.node(self.leaf);
        let mut page = TaskPage::new(*screen);
        page.title(node, &plan_view.remark(self.leaf), plan_view.mark(self.leaf).style());
        let phase = Some(plan_view.tree.phase_of(self.leaf)).filter(|phase| *phase != self.leaf);
        let above = [node.parent.filter(|parent| Some(*parent) != phase), phase];
        for above in above.into_iter().flatten() {
            let above = plan_view.tree.node(above);
            page.line(0, &format!("in {} {}", above.id, above.name));
        }
        page.node(node);
        page.background(plan_view.tree, self.leaf);
        page.tasks("Depends on", plan_view, &plan_view.dependencies(self.leaf));
        page.fields(plan_view.tree, self.leaf);
        page.tests(&node.test_commands);
        if let Some(open) = plan_view.question(self.leaf) {
            page.heading("Waits for an answer");
            open.question.text.lines().for_each(|line| page.prose(1, line));
            plan_view.how_to_answer(open).lines().for_each(|line| page.prose(1, line));
        }
        if let Some(landed) = &self.landed {
            page.heading("Landed");
            page.line(1, &format!("in {}: `git show {0}`", landed.short()));
        }
        self.push_attempts(&mut page);
        let total = total(&self.steps);
        if total.is_known() {
            page.heading("Used");
            page.line(1, &total.to_string());
        }
        let artifacts: Vec<_> = self.steps.iter().filter_map(StepView::artifact).collect();
        if !artifacts.is_empty() {
            page.heading("Artifacts");
        }
        for ArtifactFile { kind, path } in artifacts {
            page.line(1, &format!("{kind:<10}  {path}"));
        }
        page.end()
    }

    fn push_attempts(&self, page: &mut TaskPage) {
        if self.steps.is_empty() {
            page.heading("No attempt yet");
        }
        if self.steps.last().is_some_and(|step| step.facts.landed) {
            page.prose(
                1,
                "Attempts, reviews and objections are recorded in the run, not here. This fetches them:",
            );
            page.line(1, FETCH_RECORDS);
            return;
        }
        for attempt in attempts(&self.steps) {
            page.heading(&match (attempt.number, attempt.merge) {
                (Some(number), _) => format!("Attempt {}", number.saturating_add(1)),
                (None, Some(merge)) => format!("Attempt {} to merge", merge.saturating_add(1)),
                (None, None) => "No attempt yet".to_owned(),
            });
            attempt.steps.iter().for_each(|step| push_step(page, step, self.plan_view.now));
        }
    }
}

fn push_step(page: &mut TaskPage, step: &StepView, now: i64) {
    let StepRecord { step: kind, outcome, .. } = step.record;
    let facts = &step.facts;
    let mark = match outcome {
        Outcome::Pass => TaskMark::Complete,
        Outcome::Fail => TaskMark::Failed,
        Outcome::Skip => TaskMark::Skipped,
    };
    let style = if step.validity == StepValidity::Counts { mark.style() } else { Style::Dim };
    let duration = facts.took().map(text::duration).unwrap_or_default();
    let proof = facts.proof_cost();
    let proof = proof.map(|cost| format!(", {cost}")).unwrap_or_default();
    let word = if facts.is_untested() && outcome == Outcome::Pass { UNTESTED } else { outcome.word(kind) };
    let mut details = vec![format!("{:<9}  {word:<8}  {duration:>8}{proof}", kind.word())];
    match step.validity {
        StepValidity::Counts => {}
        StepValidity::Reverted => details.push("reverted".to_owned()),
        StepValidity::Outdated => details.push("under an earlier plan".to_owned()),
    }
    if step.record.by == By::User {
        details.push("by a person".to_owned());
    }
    details.push(ago(now, step.time));
    details.extend(facts.tests.map(|tests| {
        let failing = Counts::failing(outcome == Outcome::Pass && tests.failed > 0);
        format!("{} passed, {} {failing}, {} skipped", tests.passed, tests.failed, tests.skipped)
    }));
    details.extend(facts.runner.clone());
    details.extend(facts.claimant.as_ref().map(|claimant| format!("by {claimant}")));
    details.extend(Some(facts.usage.told()).filter(|told| !told.is_empty()));
    details.extend(facts.findings.iter().cloned());
    details.extend(facts.not_merged.as_ref().map(|why| format!("after a failed merge: {why}")));
    page.marked(mark, style, &step.commit.short(), &details.join("  "));
    // A person's words are never repeated elsewhere, and a failure has to be understood.
    if outcome != Outcome::Pass
        || step.record.by == By::User
        || matches!(kind.row().goal, Goal::Record | Goal::Answer)
    {
        push_body(page, step);
    } else {
        let found = facts.found.iter().map(ToString::to_string);
        let took_out = (!facts.took_out.is_empty()).then(|| format!("took out: {}", listed(&facts.took_out)));
        let remarks = facts.remarks().into_iter().map(|remark| format!("open remark: {remark}"));
        for line in found
            .chain(took_out)
            .chain(remarks)
            .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
        {
            page.prose(3, &line);
        }
    }
}

fn push_body(page: &mut TaskPage, step: &StepView) {
    let words =
        if step.body.is_empty() { step.facts.reason.as_deref().unwrap_or_default() } else { &step.body };
    let body = clean(words.as_bytes());
    let lines: Vec<&str> = body.lines().filter(|line| !line.trim().is_empty()).collect();
    for line in lines.iter().take(BODY_LINES) {
        page.prose(3, line);
    }
    if lines.len() > BODY_LINES {
        let more = lines.len() - BODY_LINES;
        page.line(3, &format!("({more} more lines: git show -s {})", step.commit.short()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Step;

    fn step(step: Step, attempt: u32) -> StepView {
        let record = StepRecord::of_run(step, Outcome::Pass, attempt);
        StepView {
            commit: CommitId::from_bytes(&[0; 20]).unwrap(),
            time: 0,
            record,
            validity: StepValidity::Counts,
            facts: StepFacts::default(),
            body: String::new(),
        }
    }

    #[test]
    fn steps_are_grouped_by_attempt_even_if_a_failed_task_starts_over() {
        type Case<'a> = (&'a [(Step, u32)], &'a [usize]);
        let cases: [Case<'_>; 5] = [
            (&[], &[]),
            (&[(Step::IMPLEMENT, 0), (Step::TEST, 0), (Step::REVIEW, 0), (Step::COMPLETE, 0)], &[4]),
            (
                &[
                    (Step::IMPLEMENT, 0),
                    (Step::TEST, 0),
                    (Step::IMPLEMENT, 1),
                    (Step::TEST, 1),
                    (Step::COMPLETE, 0),
                ],
                &[2, 3],
            ),
            (&[(Step::IMPLEMENT, 0), (Step::COMPLETE, 0), (Step::IMPLEMENT, 0), (Step::TEST, 0)], &[2, 2]),
            (&[(Step::TEST, 1), (Step::TEST, 2), (Step::REVIEW, 2)], &[1, 2]),
        ];
        for (steps, expected) in cases {
            let steps: Vec<_> = steps.iter().map(|(kind, attempt)| step(*kind, *attempt)).collect();
            let sizes: Vec<_> = attempts(&steps).into_iter().map(|attempt| attempt.steps.len()).collect();
            assert_eq!(sizes, expected);
        }
    }
}
