//! The values of the placeholders in the texts of sections.

use super::answer_form::{endings, verdict_request};
use super::change::Change;
use super::earlier::{attempts, claims, notes};
use super::facts::{BriefFacts, DIFF_LIMIT, DoneTask, JudgedFacts, MergeFacts, MergedTask, TestsBefore};
use super::parts::{commands, cut_diff, fitting, flag, list, quoted};
use super::sections::BriefPurpose;
use crate::plan::Expect;
use crate::text::{advice, one_line};
use crate::workflow::worker_answer::{ANSWERS, NOTES};

/// The end of the name of a placeholder whose value comes from elsewhere, so it is put between fences.
const DATA: &str = "_data";

/// How many characters a brief may have about what other tasks have done.
const DONE_LIMIT: usize = 6_000;
/// The same for what other tasks will do.
const OTHERS_LIMIT: usize = 3_000;

/// The value of a placeholder in the text of a section; `None` if there is no such placeholder.
pub(super) fn value(facts: &BriefFacts, purpose: BriefPurpose, name: &str) -> Option<String> {
    if let Some(name) = name.strip_suffix(DATA) {
        return Some(quoted(&value(facts, purpose, name)?));
    }
    let none = Change::default();
    let change = facts.change.as_ref().unwrap_or(&none);
    purpose
        .fits(name)
        .map(flag)
        .or_else(|| facts.form.value(name))
        .or_else(|| of_task(facts, purpose, name))
        .or_else(|| of_plan(facts, name))
        .or_else(|| of_judgement(&facts.judged, name))
        .or_else(|| merge_value(facts.merge.as_ref(), name))
        .or_else(|| of_history(facts, purpose, name))
        .or_else(|| change.value(name))
}

fn of_task(facts: &BriefFacts, purpose: BriefPurpose, name: &str) -> Option<String> {
    let BriefFacts { task, place, surroundings, extra, .. } = facts;
    Some(match name {
        "title" => purpose.title(task.id.as_str(), title_of(&task.name, &task.description)),
        "description" => without_name(&task.description, &task.name).to_owned(),
        "criteria" => {
            task.criteria.iter().map(|criterion| format!("- {}\n", criterion.replace('\n', "\n  "))).collect()
        }
        "position" => position(facts),
        "groups" => {
            let described = place.groups.iter().map(|group| without_name(&group.description, &group.name));
            described.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
        }
        "touches" => list(&task.touches),
        "on_branch" if surroundings.branch.is_empty() => ".".to_owned(),
        "on_branch" => format!(", on the branch `{}`.", surroundings.branch),
        "languages" => sentence("Languages", &surroundings.languages),
        "framework" => sentence("Tests run with", &surroundings.frameworks),
        "test_places" => sentence("Tests are in", &surroundings.test_places),
        "verdict_request" => verdict_request(purpose, facts),
        "endings" => endings(purpose, facts),
        "extra" => extra.trim().to_owned(),
        "answers" => ANSWERS.to_owned(),
        "notes" => NOTES.to_owned(),
        _ => return None,
    })
}

/// The name of a task; empty if it is only the beginning of the description, which follows.
fn title_of<'n>(name: &'n str, description: &str) -> &'n str {
    match name.strip_suffix("...") {
        Some(beginning) if description.trim_start().starts_with(beginning.trim_end()) => "",
        _ => name,
    }
}

/// A description without its first line, if that repeats the name.
fn without_name<'d>(description: &'d str, name: &str) -> &'d str {
    let description = description.trim();
    match description.strip_prefix(name) {
        Some(rest) if rest.is_empty() || rest.starts_with(['\n', '\r']) => rest.trim(),
        _ => description,
    }
}

fn sentence(about: &str, items: &[String]) -> String {
    if items.is_empty() { String::new() } else { format!("{about}: {}.", items.join(", ")) }
}

/// "Task 7 of 12, in phase 2 *User Story 1*."
fn position(facts: &BriefFacts) -> String {
    let place = &facts.place;
    let groups = place.groups.iter().map(|group| match group.label.as_str() {
        "" => format!(", in *{}*", group.name),
        label => format!(", in {label} *{}*", group.name),
    });
    format!("Task {} of {}{}.", place.number, place.count, groups.collect::<String>())
}

fn of_plan(facts: &BriefFacts, name: &str) -> Option<String> {
    let BriefFacts { goal, surroundings, done, others, .. } = facts;
    Some(match name {
        "goal" => {
            let parts = [goal.title.trim(), without_name(&goal.summary, goal.title.trim())];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
        }
        "documents" => {
            let line = |document: &super::facts::DocumentFacts| match document.purpose.as_str() {
                "" => format!("- {}\n", document.path),
                purpose => format!("- {} ({purpose})\n", document.path),
            };
            goal.documents.iter().map(line).collect()
        }
        "instructions" => list(&surroundings.instructions),
        "done" => {
            let items: Vec<String> = done.iter().map(done_task).collect();
            fitting(&items, DONE_LIMIT, &advice::status_all().line())
        }
        "others" => {
            let items: Vec<String> =
                others.iter().map(|other| format!("- {}: {}\n", other.id, other.name)).collect();
            fitting(&items, OTHERS_LIMIT, &advice::status_all().line())
        }
        _ => return None,
    })
}

/// How many files of a task are named.
const FILES: usize = 12;

/// A task that is complete: its files on the next line, and its note below.
fn done_task(task: &DoneTask) -> String {
    let builds_on = if task.is_dependency { " (the task builds on it)" } else { "" };
    let mut text = format!("{}: {}{builds_on}\n", task.id, task.name);
    if !task.files.is_empty() {
        let named: Vec<String> = task.files.iter().take(FILES).map(|file| one_line(file)).collect();
        let more = task.files.len().saturating_sub(FILES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        text.push_str(&format!("  files: {}{more}\n", named.join(", ")));
    }
    let note: Vec<&str> = task.note.lines().filter(|line| !line.trim().is_empty()).collect();
    if !note.is_empty() {
        text.push_str(&format!("  note: {}\n", note.join("\n    ")));
    }
    text
}

fn of_judgement(judged: &JudgedFacts, name: &str) -> Option<String> {
    let failing = judged.failing.as_ref();
    Some(match name {
        "tests" => commands(&judged.tests),
        "no_tests" => flag(judged.tests.is_empty()),
        "suite" => judged.suite.iter().map(|suite| commands(std::slice::from_ref(suite))).collect(),
        "reviewed" => flag(judged.is_reviewed),
        "must_pass" => flag(judged.expect != Expect::Tests),
        "writes_tests" => flag(judged.expect == Expect::Tests),
        "keeps_behaviour" => flag(judged.expect == Expect::Refactor),
        "protected_files" => flag(judged.protects),
        "may_change" if judged.protects => list(&judged.may_change),
        "earlier" => judged.earlier.clone().unwrap_or_default(),
        "missing" => judged.missing.clone().unwrap_or_default(),
        "awaited" => list(&judged.awaited),
        "owed" => list(&judged.owed),
        "failing_files" => failing.map(|tests| list(&tests.files)).unwrap_or_default(),
        "committed_tests" => flag(failing.is_some_and(|tests| tests.files.is_empty())),
        "failing_output" => failing.map(|tests| tests.output.clone()).unwrap_or_default(),
        "rejected_tests" => flag(judged.tests_before == TestsBefore::Rejected),
        "must_fail" => flag(judged.tests_before != TestsBefore::Rejected),
        "asks_tests" => flag(judged.expect == Expect::Change && failing.is_none()),
        "may_change" => String::new(),
        _ => return None,
    })
}

fn of_history(facts: &BriefFacts, purpose: BriefPurpose, name: &str) -> Option<String> {
    let BriefFacts { feedback, objections, claim, saved, work_command, fails_alike, .. } = facts;
    Some(match name {
        "attempts" => attempts(feedback),
        // A judge of the tests is told only what people have written.
        "remarks" => notes(feedback, purpose != BriefPurpose::Claim),
        "work_command" => work_command.clone(),
        "fails_alike" => flag(*fails_alike),
        "objections" if objections.is_empty() => String::new(),
        // Those to the code do not concern the agent that writes tests.
        "objections" if purpose == BriefPurpose::Red => {
            "each objection of the last review above that concerns your tests".to_owned()
        }
        "objections" => "each objection of the last review above".to_owned(),
        "claims" => claims(objections),
        "claimed" => claim.clone().unwrap_or_default(),
        "saved_commit" => saved.as_ref().map(|saved| saved.commit.clone()).unwrap_or_default(),
        "saved_files" => saved.as_ref().map(|saved| saved.files.join("\n")).unwrap_or_default(),
        _ => return None,
    })
}

/// How many characters of the description of each other task are shown.
const DESCRIPTION: usize = 600;

/// The value of a placeholder about a merge; `None` if this is none.
fn merge_value(merge: Option<&MergeFacts>, name: &str) -> Option<String> {
    let of = |value: fn(&MergeFacts) -> String| merge.map(value).unwrap_or_default();
    Some(match name {
        "merge_why" => of(|merge| merge.why.clone()),
        "merge_due" => of(|merge| flag(!merge.is_made)),
        "merge_made" => of(|merge| flag(merge.is_made)),
        "merge_tasks" => of(|merge| merge.tasks.iter().map(merged_task).collect()),
        "merge_conflicts" => of(|merge| list(&merge.conflicts)),
        "merge_output" => of(|merge| merge.output.trim_end().to_owned()),
        "merge_own" => cut_diff(&of(|merge| merge.own.clone()), DIFF_LIMIT / 2),
        "merge_others" => cut_diff(&of(|merge| merge.others.clone()), DIFF_LIMIT / 2),
        _ => return None,
    })
}

/// A task on the other side of a merge, with the beginning of its description.
fn merged_task(task: &MergedTask) -> String {
    let description: String = task.description.trim().chars().take(DESCRIPTION).collect();
    let lines: String = description.lines().map(|line| format!("  {line}\n")).collect();
    format!("- {}: {}\n{lines}", task.id, task.name)
}
