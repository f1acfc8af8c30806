//! The story of each task: its evidence, its attempts, what they changed and what was printed.

use maud::{Markup, html};

use super::diff::{change, escaped};
use super::overview::bar;
use crate::record::{By, Counts, Finding, Outcome, ProofRecord, Remark, State, Step, TaskWord};
use crate::report::document::figures::{cost, tokens};
use crate::report::document::{RunAttempt, RunDocument, RunPhase, RunStep, RunTask, Tone};
use crate::report::mark::TaskMark;
use crate::report::parts::{BodyPart, parts};
use crate::report::screen::Symbols;
use crate::report::visible::{first_lines, last_lines, visible, visible_line, visible_name};
use crate::text::{counted, duration};

/// Up to how many tasks all phases are open.
const OPEN_PHASES: usize = 60;
/// Up to how many tasks their stories are open.
const OPEN: usize = 8;

/// How many bytes each kind of text may take.
#[derive(Clone, Copy, Debug)]
struct TextLimits {
    /// The patch of a step.
    patch: usize,
    /// A part of the body of a step.
    output: usize,
    /// The description of a task.
    description: usize,
}

impl TextLimits {
    /// What there is room for, so that a page with a hundred tasks stays below a megabyte.
    fn of(report: &RunDocument<'_>) -> Self {
        let steps = || report.tasks.iter().flat_map(RunTask::all_steps);
        let patches = steps().filter(|step| step.change.is_some()).count();
        let share = |all: usize, parts: usize, least: usize, most: usize| {
            let share = all.checked_div(parts).unwrap_or(most).min(most);
            if share < least { 0 } else { share }
        };
        Self {
            patch: share(320_000, patches, 800, 24_000),
            output: share(200_000, steps().count(), 160, 4_000),
            description: share(80_000, report.tasks.len(), 60, 4_000),
        }
    }
}

/// The phases with their tasks.
pub(super) fn stories(report: &RunDocument<'_>) -> Markup {
    let limits = TextLimits::of(report);
    html! {
        @if limits.patch == 0 || limits.output == 0 {
            p.soft.small {
                "The run is too long for all its patches and outputs to be part of this page. " code { "git show COMMIT" }
                " shows those of a step."
            }
        }
        @for phase in &report.phases { (of_phase(report, phase, limits)) }
    }
}

fn of_phase(report: &RunDocument<'_>, phase: &RunPhase<'_>, limits: TextLimits) -> Markup {
    let open = report.tasks.len() <= OPEN;
    if report.plan.is_leaf(phase.node) {
        return story(report.task(phase.node), limits, open);
    }
    let tasks: Vec<&RunTask<'_>> = report.tasks_below(phase.node).collect();
    let parent = |task: &RunTask<'_>| report.plan.node(task.leaf).parent;
    let figures = phase.figures();
    html! {
        details.phase open[report.tasks.len() <= OPEN_PHASES] {
            summary {
                strong { span.id { (phase.id) } (visible_name(phase.name)) }
                " " span.soft {
                    (figures.complete) " of " (figures.tasks) " complete"
                    @if figures.failed > 0 { ", " (figures.failed) " failed" }
                    @if figures.skipped > 0 { ", " (figures.skipped) " skipped" }
                    @if phase.marker.is_some() { ", marked as complete" }
                }
                (bar(figures))
            }
            // A plan may be as deep as it likes: the node right above some tasks is named, whatever is above that.
            @for (place, siblings) in tasks.chunk_by(|one, other| parent(one) == parent(other)).enumerate() {
                @if let Some(above) = parent(siblings[0]).filter(|above| place > 0 || *above != phase.node) {
                    @let above = report.plan.node(above);
                    p.group { span.id { (above.id) } (visible_name(&above.name)) }
                }
                @for task in siblings { (story(task, limits, open)) }
            }
        }
    }
}

fn story(task: &RunTask<'_>, limits: TextLimits, open: bool) -> Markup {
    let open = open || task.state == State::Failed;
    html! {
        details.task #{ "task-" (task.id) } open[open] {
            summary {
                h3 {
                    // The words beside it say the same.
                    span class={ "sign " (tone_of(task.own_mark())) } aria-hidden="true" { (task.own_mark().symbol(Symbols::Unicode)) }
                    span.id { (task.id) } (visible_name(task.name))
                }
                " " span class={ "small " (tone_of(task.own_mark())) } {
                    (task.shown())
                    @if !task.blocked_by.is_empty() { ", blocked by " (visible_name(&task.blocked_by.join(", "))) }
                }
            }
            p.facts.soft.small { (facts(task).join(" · ")) }
            div.body {
                (about(task, limits))
                @for attempt in task.attempts() {
                    (heading(attempt))
                    ol.steps { @for step in &attempt.steps { (step_of(step, &remarks_on(attempt, step), limits)) } }
                }
                @if task.attempts().is_empty() { p.soft { "Nobody has worked on it yet." } }
            }
        }
    }
}

/// The colour of a mark, as a class.
fn tone_of(mark: TaskMark) -> &'static str {
    match mark {
        TaskMark::Complete => "good",
        TaskMark::Failed => "bad",
        TaskMark::Skipped | TaskMark::Pending => "quiet",
        TaskMark::Active => "warn",
    }
}

/// What is known of a task: the word, and the runs behind it.
fn word_in_full(word: TaskWord, proof: Option<&ProofRecord>) -> String {
    let word = word.shown();
    let Some(proof) = proof.filter(|proof| !proof.runs.is_empty()) else { return word.to_owned() };
    let runs: Vec<String> =
        proof.runs.iter().map(|(run, word)| format!("{} {}", run.word(), word.word())).collect();
    format!("{word} ({})", runs.join(", "))
}

/// The task in one line.
fn facts(task: &RunTask<'_>) -> Vec<String> {
    let (attempts, evidence) = (task.effort.attempts, task.evidence());
    // A task that has failed and was tried again may have more of them than one that has not.
    let mut facts = vec![counted(attempts, "attempt")];
    if attempts > 0 {
        facts.push(duration(task.effort.worked));
    }
    facts.extend(evidence.tests.map(|counts| tested(counts, evidence.tested.is_some())));
    facts.extend(evidence.word.map(|word| word_in_full(word, evidence.proof.as_ref())));
    facts.extend(evidence.coverage.as_ref().map(|coverage| format!("coverage {}", visible_line(coverage))));
    facts.extend(
        evidence
            .changed_coverage
            .as_ref()
            .map(|lines| format!("changed lines covered {}", visible_line(lines))),
    );
    facts.extend(evidence.reviewer.as_ref().map(|by| format!("approved by {}", visible_name(by))));
    if task.effort.usage.with_tokens > 0 {
        facts.push(format!("{} tokens", tokens(&task.effort.usage)));
    }
    facts.push(match task.effort.usage.cost {
        None => "cost unknown".to_owned(),
        Some(_) => cost(&task.effort.usage),
    });
    facts
}

fn tested(counts: Counts, is_tested: bool) -> String {
    let Counts { passed, failed, skipped } = counts;
    let mut text = format!("{} passed", counted(passed as usize, "test"));
    if failed > 0 {
        text.push_str(&format!(", {failed} {}", Counts::failing(is_tested)));
    }
    if skipped > 0 {
        text.push_str(&format!(", {skipped} skipped"));
    }
    text
}

/// What the plan says about the task.
fn about(task: &RunTask<'_>, limits: TextLimits) -> Markup {
    let (description, commands) = task
        .in_plan
        .as_ref()
        .map(|plan| (plan.description, plan.test_commands.as_slice()))
        .unwrap_or_default();
    let description = first_lines(&visible(description), limits.description);
    html! {
        @if !description.text.is_empty() {
            details { summary.small { "Description" } pre tabindex="0" { (description.text) }
                @if description.missing > 0 { p.small { "The rest is in the plan." } } }
        }
        @if !task.depends_on.is_empty() { p.small { "Depends on " (links(&task.depends_on)) "." } }
        @if !commands.is_empty() {
            ul.plain.small { @for test in commands.iter().take(20) {
                li { span.soft { (test.kind) ": " } code { (visible_name(test.command)) } }
            } }
        }
        @for finding in task.findings() { (finding_of(finding)) }
    }
}

fn links(ids: &[&str]) -> Markup {
    html! {
        @for (place, id) in ids.iter().take(20).enumerate() {
            @if place > 0 { ", " } a.mono href={ "#task-" (id) } { (id) }
        }
        @if ids.len() > 20 { " and " (ids.len() - 20) " more" }
    }
}

fn finding_of(finding: &Finding) -> Markup {
    html! {
        p.small { strong.warn { (finding.check.name()) ": " } (visible_name(&finding.sentence()))
            @if let Some(command) = finding.look.as_deref() { " " code { (visible_name(command)) } }
            @if let Some(command) = finding.undo.as_deref() { " To undo it: " code { (visible_name(command)) } }
            @if let Some(field) = finding.allow.as_deref() { " To allow it: " code { (visible_name(field)) } } }
    }
}

fn heading(attempt: &RunAttempt<'_>) -> Markup {
    html! {
        h4 { @match (attempt.attempt, attempt.merge) {
            (Some(number), _) => { "Attempt " (number.saturating_add(1)) },
            (None, Some(merge)) => { "Attempt " (merge.saturating_add(1)) " to merge" },
            (None, None) => "Decisions and notes",
        } }
    }
}

/// What the reviews of an attempt say about what a step has changed.
fn remarks_on<'a>(attempt: &'a RunAttempt<'a>, step: &RunStep<'_>) -> Vec<&'a Remark> {
    let reviews = attempt.steps.iter().filter(|other| step.change.is_some() && other.commit != step.commit);
    reviews.flat_map(|review| &review.remarks).collect()
}

fn step_of(step: &RunStep<'_>, remarks: &[&Remark], limits: TextLimits) -> Markup {
    // The style sheet draws the sign.
    let class = match step.tone() {
        Tone::Good => "t-good",
        Tone::Bad => "t-bad",
        Tone::Quiet => "t-quiet",
    };
    // The end of a task only says where its report is.
    let is_end = step.step == Step::COMPLETE && step.by == By::Run;
    // The findings stand above what the commit says, each with its commands.
    let body =
        step.found.iter().fold(step.body.clone(), |body, finding| body.replacen(&finding.to_string(), "", 1));
    let read = if is_end || limits.output == 0 { Vec::new() } else { parts(&body) };
    html! {
        li class=(class) {
            div.line {
                strong { (step.step.word()) " " span { (step.shown_outcome()) } }
                span { (step_facts(step).join(" · ")) }
                code { (step.commit.short()) }
            }
            @if let Some(reason) = &step.reason { p.small { "“" (visible_name(reason)) "”" } }
            @for finding in step.found { (finding_of(finding)) }
            @if let Some(changed) = step.change { (change(changed, &step.commit, remarks, limits.patch)) }
            @for part in &read { (output(step, part, limits.output)) }
            @if let Some(path) = step.artifact.filter(|_| limits.output > 0) {
                p.small.soft { "All of it: " code { "git show " (step.commit.short()) ":" (visible_name(path)) } }
            }
        }
    }
}

fn step_facts(step: &RunStep<'_>) -> Vec<String> {
    let mut facts = vec![step.time.shown()];
    facts.extend(step.duration.map(duration));
    facts.extend(step.proof.map(|cost| cost.to_string()));
    if step.by == By::User {
        facts.push("by a person".to_owned());
    }
    facts.extend(step.runner.map(visible_name));
    facts.extend(step.not_merged.map(|why| format!("after a failed merge: {}", visible_line(why))));
    facts.extend(step.claimant.map(|claimant| format!("by {}", visible_name(claimant))));
    facts.extend(step.tests.map(|counts| tested(counts, step.record.outcome == Outcome::Pass)));
    facts.extend(Some(step.usage.told()).filter(|told| !told.is_empty()));
    if step.reverted {
        facts.push("reverted".to_owned());
    }
    facts
}

/// A part of the body of a step: what was printed, its last lines.
fn output(step: &RunStep<'_>, part: &BodyPart<'_>, limit: usize) -> Markup {
    let text = visible(part.text);
    // Where many characters have to be escaped, there is room for fewer of them.
    let room = (limit * text.len()).checked_div(escaped(&text)).unwrap_or(limit);
    let shown = last_lines(&text, 200, room);
    let label = match part.label {
        Some(label) => visible_name(label.split(" (last").next().unwrap_or(label)),
        None => "What the commit says".to_owned(),
    };
    let is_words = part.label.is_none();
    html! {
        details open[is_words || step.tone() == Tone::Bad] {
            summary.small { (label) }
            pre tabindex="0" { (shown.text) }
            @if shown.missing > 0 {
                p.small { (counted(shown.missing, "line")) " before that: " code { "git show -s " (step.commit.short()) } }
            }
        }
    }
}
