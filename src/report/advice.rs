//! Advises what to do next, after a failure and when everything is complete, in sentences that several commands share.

use super::text::first_few;
use crate::plan::TaskTree;
use crate::record::{About, OpenQuestion, TaskId};
use crate::text::advice::{self, Advice};
use crate::text::{listed, one_line, shell_word};

/// What to do if these tasks have failed and these others are still ready; `failed` must not be empty. `branch` is the one on which
/// the first of them is worked on, if another one is checked out; `again` is the command that goes on with the run.
#[must_use]
pub fn after_failure(failed: &[&str], ready: &[&str], branch: Option<&str>, again: &Advice) -> String {
    let first = failed.first().expect("the callers have found a failed task");
    let again = again.clone().past_failures();
    let it = if failed.len() == 1 { "it" } else { "them" };
    let by_hand = match branch {
        Some(branch) => {
            format!("`git switch {}` goes to its work, for you to change it yourself.", shell_word(branch))
        }
        None => format!("or change the files yourself and hand them in with {}.", advice::done(first)),
    };
    let mut text = format!(
        "See why with {}. {} tries {it} again, with the feedback so far; {by_hand}",
        advice::show(first),
        again.clone().trying_failed(),
    );
    if !ready.is_empty() {
        let (is, it) = if ready.len() == 1 { ("is", "it") } else { ("are", "them") };
        text.push_str(&format!(
            "\n{} {is} ready all the same: {again} works on {it}.",
            first_few(ready.iter().copied())
        ));
    }
    text
}

/// The sentences about tasks that are complete on branches of their own; `branch` is that of the first of them.
#[must_use]
pub fn only_to_merge(ids: &[&str], branch: &str) -> String {
    let (are, branches) = match ids.len() {
        1 => ("is", format!("its branch {branch}")),
        _ => ("are", format!("branches such as {branch}")),
    };
    let names = first_few(ids.iter().copied());
    format!("{names} {are} complete on {branches}. The next {} merges what is complete.", advice::gardener())
}

/// The sentence about tasks that wait for a person's approval.
#[must_use]
pub fn awaits_approval(held: &[&str]) -> String {
    format!("{}.", wait_for(held, "your approval"))
}

/// What these tasks wait for, as a clause.
pub(super) fn wait_for(tasks: &[&str], what: &str) -> String {
    let wait = if tasks.len() == 1 { "waits" } else { "wait" };
    format!("{} {wait} for {what}", first_few(tasks.iter().copied()))
}

/// What is said of the tasks that wait for a person's approval; `None` if there are none.
#[must_use]
pub fn approvals(held: &[&str]) -> Option<String> {
    Some(format!("{} {}", awaits_approval(held), how_to_approve(held.first()?)))
}

/// How a person approves a task or sends it back.
#[must_use]
pub fn how_to_approve(id: &str) -> String {
    format!(
        "Look at {id} with {}; then {} lets it be completed, and {} sends it back.",
        advice::show(id),
        advice::approve(id),
        advice::reject(id)
    )
}

/// The sentences with the questions of agents that nobody has answered, each on lines of its own.
#[must_use]
pub fn open_questions(open: &[OpenQuestion]) -> String {
    let one = |OpenQuestion { task, question, .. }: &OpenQuestion| {
        let lines = question.text.lines().filter(|line| !line.trim().is_empty());
        let text: String = lines.map(|line| format!("\n  {}", one_line(line))).collect();
        format!("{task} waits for an answer:{text}")
    };
    open.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// How a person answers a question.
#[must_use]
pub fn how_to_answer(OpenQuestion { task, question, needs_reopening }: &OpenQuestion) -> String {
    match (needs_reopening, question.named_tests().as_slice()) {
        (true, _) => format!(
            "Agents have asked about this task more than three times, so a note no longer answers: change the task in the plan, then \
             {} begins it again.",
            advice::reopen(task)
        ),
        (false, _) if question.about == Some(About::NoVerdict) => format!(
            "{} or {} gives the verdict; {} asks the reviewer again.",
            advice::approve(task),
            advice::reject(task),
            advice::note(task)
        ),
        (false, []) => format!("{} answers it.", advice::note(task)),
        (false, tests) => format!(
            "To let {task} change {}, add {} to its `may_change` in the plan and `git commit` that; {} answers otherwise.",
            if tests.len() == 1 { "that test" } else { "these tests" },
            listed(&tests.iter().map(|test| format!("\"{test}\"")).collect::<Vec<_>>()),
            advice::note(task)
        ),
    }
}

/// How a person answers a question while workers are at work, beside whom nothing can be recorded.
#[must_use]
pub fn how_to_answer_later(open: &OpenQuestion) -> String {
    format!("When the run has ended, or {} has ended it: {}", advice::stop(), how_to_answer(open))
}

/// How many tasks are done: `2/4 complete, 1 skipped`.
#[must_use]
pub fn tasks_done(complete: usize, skipped: usize, total: usize) -> String {
    let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    format!("{complete}/{total} complete{skipped}")
}

/// What the tests of phases have shown that have failed, and what to do next; `suspects` as for [`after_failed_phase`].
#[must_use]
pub fn phases_fail(phases: &[&str], suspects: &[TaskId], gardener: &Advice) -> String {
    let first = phases.first().copied().expect("the callers have found a phase that fails");
    format!(
        "The tests of {} fail: {show} shows their output. {}",
        first_few(phases.iter().copied()),
        after_failed_phase(suspects, gardener),
        show = advice::show(first)
    )
}

/// How a run goes on whose phase has failed; `suspects` are the tasks that the output of its tests points to, of which three are
/// named.
#[must_use]
pub fn after_failed_phase(suspects: &[TaskId], gardener: &Advice) -> String {
    let reopen = match suspects {
        [] => advice::reopen("TASK").to_string(),
        tasks => {
            let commands = tasks.iter().take(3).map(|task| advice::reopen(task).to_string());
            commands.collect::<Vec<_>>().join(" or ")
        }
    };
    let again = gardener.clone().past_failures();
    format!(
        "Correct what they find and commit it, or let an agent do that, who sees their output: {reopen}. Then {again} runs them again. \
         If it was not the files, {as_they_are} runs them as they are.",
        as_they_are = again.clone().trying_failed()
    )
}

/// What to do where tests of a complete task fail since another one has changed files.
#[must_use]
pub fn after_superseded(gardener: &Advice) -> String {
    format!(
        "Correct it and commit that, or let an agent do it: {}. If the later task rightly replaces what the earlier one asked for, change \
         the earlier test command in the plan and commit that. Then {gardener} looks again.",
        advice::reopen("TASK")
    )
}

/// What is left to do when all tasks are complete or skipped.
#[derive(Clone, Copy, Debug)]
pub struct LastTask<'a> {
    /// The plan.
    pub tree: &'a TaskTree,
    /// How many tasks are skipped.
    pub skipped: usize,
    /// The branch on which all of them are landed already.
    pub landed: Option<&'a str>,
}

/// What is left to do when all tasks are done; `is_marked` says whether a phase is marked complete as well.
#[must_use]
pub fn after_the_last_task(
    LastTask { tree, skipped, landed }: LastTask<'_>,
    is_marked: impl Fn(&TaskId) -> bool,
) -> String {
    let total = tree.order().len();
    let tasks = if total == 1 { "The task is".to_owned() } else { format!("All {total} tasks are") };
    let complete = match skipped {
        0 => "complete",
        skipped if skipped == total => "skipped",
        _ => "complete or skipped",
    };
    let open = not_marked(tree, is_marked);
    if let (true, Some(landed)) = (open.is_empty(), landed) {
        let branch = shell_word(landed);
        return format!("{tasks} {complete} and landed on {landed}: `git log {branch}` shows the commits.");
    }
    if open.is_empty() {
        return format!(
            "{tasks} {complete}: {} makes a branch with one commit for each task, without the reports and logs of the run.",
            advice::land()
        );
    }
    let marks = if open.len() == 1 { "marks it" } else { "marks them" };
    format!(
        "{tasks} {complete}, but {}: {gardener} runs the tests of the whole phase and {marks}.",
        are_not_marked(&open),
        gardener = advice::gardener()
    )
}

/// The phases that are not marked complete. A task without a phase needs no marker.
pub fn not_marked(tree: &TaskTree, is_marked: impl Fn(&TaskId) -> bool) -> Vec<&str> {
    let phases = tree.roots().iter().filter(|root| !tree.is_leaf(**root));
    phases.map(|root| &tree.node(*root).id).filter(|id| !is_marked(id)).map(TaskId::as_str).collect()
}

/// What is said of these phases, as a clause.
#[must_use]
pub fn are_not_marked(phases: &[&str]) -> String {
    let are = if phases.len() == 1 { "is" } else { "are" };
    format!("{} {are} not marked complete yet", first_few(phases.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_failure_the_possible_next_steps_are_named() {
        let one = after_failure(&["T001"], &[], None, &advice::gardener());
        assert!(one.contains("show T001`") && one.contains("--failed` tries it again"), "{one}");
        assert!(!one.contains("ready"), "{one}");
        let more = after_failure(&["T001", "T002"], &["T003", "T004"], None, &advice::gardener().jobs(2));
        assert!(more.contains("`git arborist gardener --jobs 2 --failed` tries them again"), "{more}");
        let again = after_failure(
            &["T001"],
            &["T002"],
            Some("run/T001"),
            &advice::gardener().stop_on_failure().failed(),
        );
        assert!(again.contains("`git switch run/T001`") && !again.contains("done"), "{again}");
        assert_eq!(again.matches("--failed").count(), 1, "{again}");
        assert!(!again.contains("--stop-on-failure"), "it would end at once: {again}");
        assert!(
            more.contains("T003, T004 are ready")
                && more.contains("`git arborist gardener --jobs 2` works on them"),
            "{more}"
        );
    }
}
