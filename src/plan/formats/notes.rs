//! What a reader says about lines that it does not take, or takes differently than one might expect.

use super::account::Use;
use super::imported::{ImportedPlan, Place};

/// What is said of a line, of several ones if one warning stands for all of a file, and what to do.
pub(super) type Note = [&'static str; 3];

pub(super) const NO_BOX: Note = [
    "this item has no box and is not read as a task",
    "items have no box and are not read as tasks",
    "Write `- [ ]` before those that are tasks.",
];
pub(super) const BOX_OUTSIDE: Note = [
    "this box is outside of the tasks and is not read as one",
    "boxes are outside of the tasks and are not read as tasks",
    "Move those that are tasks to the others.",
];
pub(super) const NOT_READ: Note =
    ["this line is not read", "lines are not read", "Write what is meant as a task, or below one."];
pub(super) const UNCLOSED: Note = [
    "nothing closes what begins here, so all below it is read as a part of it",
    "",
    "Close the code with ``` or the comment with -->.",
];
pub(super) const STRUCK: Note = ["this item is struck out, so it is left out", "", ""];
pub(super) const BRANCH: Note =
    ["this makes or switches a branch, so it is left out: the run makes the branches", "", ""];
pub(super) const BRANCH_STEP: Note =
    ["this step makes or switches a branch, which is the business of the run", "", "Remove the step."];
pub(super) const BY_HAND: Note = ["this is checked by hand, so a person must approve the task", "", ""];
pub(super) const NEED: Note = [
    "this line about dependencies is not fully read",
    "",
    "If it means other tasks, name them as in `(depends on T001)` or `(depends on 1.2)`.",
];
pub(super) const OVERRULED: Note = [
    "this says that these need not wait for each other, but in the plan one of them does",
    "",
    "Say what each of them depends on, as in `Phase 3 depends on Phase 1`.",
];
pub(super) const COMMAND: Note = [
    "this is not read as a command",
    "lines are not read as commands",
    "Write the command in backticks, and nothing else beside it.",
];
pub(super) const MARK: Note = [
    "the mark in this box is not known, so it is read as an open one",
    "",
    "Write [ ] or [x] to make it clear.",
];
pub(super) const TICKED_GROUP: Note = ["this is ticked, but tasks below it are open", "", ""];

/// Adds the warnings for these lines.
pub(super) fn name(note: Note, lines: &[u32], file: usize, plan: &mut ImportedPlan) {
    const SHOWN: usize = 8;
    let [one, several, remedy] = note;
    if let ([first, _, ..], false) = (lines, several.is_empty()) {
        let shown: Vec<String> = lines.iter().take(SHOWN).map(ToString::to_string).collect();
        let more = if lines.len() > SHOWN { ", ..." } else { "" };
        let what = format!("{} {several} (lines {}{more})", lines.len(), shown.join(", "));
        plan.warn(Place { file, line: *first }, what, remedy);
        lines.iter().for_each(|line| plan.account.take(file, [*line; 2], Use::Warned));
    } else {
        lines.iter().for_each(|line| plan.warn(Place { file, line: *line }, one, remedy));
    }
}
