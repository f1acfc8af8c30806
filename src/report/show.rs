//! Prints one task with all its attempts, or a parent with its tasks.

mod task_page;

use super::advice::tasks_done;
use super::document::{MarkCommit, RunAttempt, RunDocument, RunPhase, RunStep, RunTask};
use super::mark::TaskMark;
use super::screen::{Screen, Style};
use super::text::ago;
use crate::plan::NodeIx;
use crate::record::{By, Counts, FETCH_RECORDS, Goal, Outcome};
use crate::text::{self, clean, listed};
use task_page::TaskPage;

/// How many lines of the output of a failed step are shown.
const BODY_LINES: usize = 12;

/// The page of a task whose steps are known, or of a node with tasks below it.
#[must_use]
pub fn page(document: &RunDocument<'_>, node: NodeIx, screen: &Screen) -> String {
    let page = TaskPage::new(*screen);
    match document.plan.is_leaf(node) {
        true => task_page(page, document, document.task(node)),
        false => parent_page(page, document, &document.phase(node)),
    }
}

fn task_page(mut page: TaskPage, document: &RunDocument<'_>, task: &RunTask<'_>) -> String {
    let plan = document.plan;
    let node = plan.node(task.leaf);
    page.title(node, &document.remark(task), task.mark().style());
    let phase = Some(plan.phase_of(task.leaf)).filter(|phase| *phase != task.leaf);
    let above = [node.parent.filter(|parent| Some(*parent) != phase), phase];
    for above in above.into_iter().flatten() {
        let above = plan.node(above);
        page.line(0, &format!("in {} {}", above.id, above.name));
    }
    page.node(node);
    page.background(plan, task.leaf);
    let before = task.in_plan.iter().flat_map(|plan| &plan.dependencies);
    let before: Vec<&RunTask<'_>> =
        before.filter_map(|one| Some(document.task(plan.find(one.id)?))).collect();
    page.tasks("Depends on", document, &before);
    page.fields(plan, task.leaf);
    page.tests(&node.test_commands);
    if let (Some(question), Some(answer)) =
        (task.question, document.question_about(task.id).map(|open| document.how_to_answer(open)))
    {
        page.heading("Waits for an answer");
        question.lines().chain(answer.lines()).for_each(|line| page.prose(1, line));
    }
    let steps = task.steps.as_ref();
    if let Some(landed) = steps.and_then(|steps| steps.landed) {
        page.heading("Landed");
        page.line(1, &format!("in {}: `git show {0}`", landed.short()));
    }
    push_attempts(&mut page, task, document.known.now);
    if task.effort.usage.is_known() {
        page.heading("Used");
        page.line(1, &task.effort.usage.to_string());
    }
    let artifacts = steps.map(|steps| steps.artifacts.as_slice()).unwrap_or_default();
    if !artifacts.is_empty() {
        page.heading("Artifacts");
    }
    for artifact in artifacts {
        page.line(1, &format!("{:<10}  {}", artifact.kind, artifact.path));
    }
    page.text
}

fn push_attempts(page: &mut TaskPage, task: &RunTask<'_>, now: i64) {
    let Some(last) = task.all_steps().next_back() else { return page.heading("No attempt yet") };
    if last.facts.landed {
        page.prose(
            1,
            "Attempts, reviews and objections are recorded in the run, not here. This fetches them:",
        );
        return page.whole_line(1, FETCH_RECORDS);
    }
    for RunAttempt { attempt, merge, steps } in task.attempts() {
        page.heading(&match (attempt, merge) {
            (Some(number), _) => format!("Attempt {}", number.saturating_add(1)),
            (None, Some(merge)) => format!("Attempt {} to merge", merge.saturating_add(1)),
            (None, None) => "Without an attempt".to_owned(),
        });
        for step in steps {
            // The question that is open is told above.
            let is_told = task.question.is_some() && step.commit == last.commit;
            push_step(page, step, is_told, now);
        }
    }
}

fn push_step(page: &mut TaskPage, step: &RunStep<'_>, is_told: bool, now: i64) {
    let (kind, outcome, facts) = (step.step, step.record.outcome, step.facts);
    let mark = match outcome {
        // Nothing has passed.
        Outcome::Pass if step.is_question() => TaskMark::Active,
        Outcome::Pass => TaskMark::Complete,
        Outcome::Fail => TaskMark::Failed,
        Outcome::Skip => TaskMark::Skipped,
    };
    let style = if step.reverted || step.outdated { Style::Dim } else { mark.style() };
    let duration = facts.took().map(text::duration).unwrap_or_default();
    let proof = step.proof.map(|cost| format!(", {cost}")).unwrap_or_default();
    let mut details = vec![format!("{:<9}  {:<8}  {duration:>8}{proof}", kind.word(), step.shown_outcome())];
    details.extend(step.reverted.then(|| "reverted".to_owned()));
    details.extend(step.outdated.then(|| "under an earlier plan".to_owned()));
    if step.by == By::User {
        details.push("by a person".to_owned());
    }
    details.push(ago(now, step.time.0));
    details.extend(facts.tests.map(|tests| {
        let failing = Counts::failing(outcome == Outcome::Pass && tests.failed > 0);
        format!("{} passed, {} {failing}, {} skipped", tests.passed, tests.failed, tests.skipped)
    }));
    details.extend(facts.runner.clone());
    details.extend(facts.claimant.as_ref().map(|claimant| format!("by {claimant}")));
    details.extend(Some(facts.usage.told()).filter(|told| !told.is_empty()));
    details.extend(facts.findings.iter().cloned());
    details.extend(facts.not_merged.as_ref().map(|why| format!("after a failed merge: {why}")));
    page.marked(mark, style, &step.commit.short(), &details);
    if is_told {
        return;
    }
    // A person's words are never repeated elsewhere, and a failure has to be understood.
    if outcome != Outcome::Pass
        || step.by == By::User
        || matches!(kind.row().goal, Goal::Record | Goal::Answer)
    {
        push_body(page, step);
    } else {
        let found = facts.found.iter().map(ToString::to_string);
        let took_out = (!facts.took_out.is_empty()).then(|| format!("took out: {}", listed(&facts.took_out)));
        let remarks = step.remarks.iter().map(|remark| format!("open remark: {remark}"));
        for line in found
            .chain(took_out)
            .chain(remarks)
            .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
        {
            page.prose(3, &line);
        }
    }
}

fn push_body(page: &mut TaskPage, step: &RunStep<'_>) {
    let words = if step.body.is_empty() { step.reason.unwrap_or_default() } else { &step.body };
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

fn parent_page(mut page: TaskPage, document: &RunDocument<'_>, phase: &RunPhase<'_>) -> String {
    let (plan, now) = (document.plan, document.known.now);
    let node = plan.node(phase.node);
    let tasks: Vec<&RunTask<'_>> = document.tasks_below(phase.node).collect();
    let mut remark = tasks_done(phase.complete, phase.counts.skipped, phase.total);
    if let Some(MarkCommit { commit, time }) = phase.marker {
        remark.push_str(&format!(", marked in {} {}", commit.short(), ago(now, time.0)));
    }
    let failed = phase.failed_tests.zip(phase.output);
    let style = match failed {
        Some(_) => TaskMark::Failed.style(),
        None if phase.complete == phase.total => TaskMark::Complete.style(),
        None => Style::Dim,
    };
    remark.push_str(if failed.is_some() { ", its tests fail" } else { "" });
    page.title(node, &remark, style);
    page.node(node);
    page.background(plan, phase.node);
    if !node.depends_on.is_empty() {
        page.heading("Depends on");
    }
    for dependency in &node.depends_on {
        let dependency = plan.node(*dependency);
        page.line(1, &format!("{} {}", dependency.id, dependency.name));
    }
    page.fields(plan, phase.node);
    page.tests(&node.test_commands);
    page.tasks("Tasks", document, &tasks);
    for finding in phase.findings.iter().filter(|_| failed.is_none()) {
        page.heading("Found at its end");
        finding.to_string().lines().for_each(|line| page.line(1, line));
    }
    if let Some((MarkCommit { commit, time }, output)) = failed {
        page.heading(&format!("Its tests failed ({}, {})", commit.short(), ago(now, time.0)));
        output.lines().for_each(|line| page.line(1, line));
    }
    page.text
}
