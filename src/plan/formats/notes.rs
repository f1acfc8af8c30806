//! What a reader says about lines that it does not take, or takes differently than one might expect.

use super::account::Use;
use super::imported::{ImportedPlan, Place};

/// What is said of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Note {
    NoBox,
    BoxOutside,
    NotRead,
    Struck,
    Branch,
    BranchStep,
    ByHand,
    Need,
    Mark(char),
    TickedGroup,
}

impl Note {
    /// Whether one warning stands for all lines of a file.
    fn is_common(self) -> bool {
        matches!(self, Self::NoBox | Self::BoxOutside | Self::NotRead)
    }

    /// What is said of one line, of several ones, and what to do.
    fn words(self) -> (String, &'static str, &'static str) {
        let (one, several, remedy) = match self {
            Self::NoBox => (
                "this item has no box and is not read as a task",
                "items have no box and are not read as tasks",
                "Write `- [ ]` before those that are tasks.",
            ),
            Self::BoxOutside => (
                "this box is outside of the tasks and is not read as one",
                "boxes are outside of the tasks and are not read as tasks",
                "Move those that are tasks to the others, or give them an id.",
            ),
            Self::NotRead => (
                "this line is not read",
                "lines are not read",
                "Write what is meant as a task, or below one.",
            ),
            Self::Struck => ("this item is struck out, so it is left out", "", ""),
            Self::Branch => {
                ("this makes or switches a branch, so it is left out: the run makes the branches", "", "")
            }
            Self::BranchStep => (
                "this step makes or switches a branch, which is the business of the run",
                "",
                "Remove the step.",
            ),
            Self::ByHand => ("this is checked by hand, so a person must approve the task", "", ""),
            Self::Need => (
                "this line about dependencies names no task of the plan that can be read",
                "",
                "If it means other tasks, name them as in `(depends on T001)` or `(depends on 1.2)`.",
            ),
            Self::TickedGroup => ("this is ticked, but tasks below it are open", "", ""),
            Self::Mark(mark) => {
                let what = format!("the box [{mark}] is read as an open one");
                return (what, "", "Write [ ] or [x] to make it clear.");
            }
        };
        (one.to_owned(), several, remedy)
    }
}

/// Adds the warnings for these lines.
pub(super) fn name(note: Note, lines: &[u32], file: usize, plan: &mut ImportedPlan) {
    let (one, several, remedy) = note.words();
    match lines {
        [] => {}
        [first, _, ..] if note.is_common() => {
            let what = format!("{} {several} ({})", lines.len(), listed(lines));
            plan.warn(Place { file, line: *first }, what, remedy);
            lines.iter().for_each(|line| plan.account.take(file, [*line, *line], Use::Warned));
        }
        lines => lines.iter().for_each(|line| plan.warn(Place { file, line: *line }, one.clone(), remedy)),
    }
}

/// The numbers of lines, as in `lines 3, 5, 8`.
fn listed(lines: &[u32]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = lines.iter().take(SHOWN).map(ToString::to_string).collect();
    format!("lines {}{}", shown.join(", "), if lines.len() > SHOWN { ", ..." } else { "" })
}
