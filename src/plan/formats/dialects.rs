//! How the outlines of the formats in Markdown are read: what differs between them, as far as data can say it.

use super::order::Order;

/// Whether a word is in a list that is divided by `|`.
pub(super) fn has(list: &str, word: &str) -> bool {
    list.split('|').any(|known| known == word)
}

/// How the outline of a format is read.
#[derive(Debug)]
pub(super) struct Dialect {
    pub(super) ids: Ids,
    pub(super) boxes: Boxes,
    pub(super) order: Order,
    /// The files, divided by `|`, in which all items of a list without boxes are tasks; in others, only those with an id or a number are.
    pub(super) takes_bullets: &'static str,
    /// If one of these headings, divided by `|`, is there, tasks are only below it.
    pub(super) only_below: &'static str,
    /// Sections that are left out: their headings in lower case, divided by `|`, or how they begin if `*` follows.
    pub(super) left_out: &'static str,
}

impl Default for &Dialect {
    fn default() -> Self {
        &CHECKLIST
    }
}

/// How tasks are named in their source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ids {
    /// `T001`, `FE-12`
    Letters,
    /// `1.2`, or letters
    Numbers,
    Absent,
}

/// What boxes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Boxes {
    /// Tasks; those without an id inside of a task are its steps.
    Tasks,
    /// Tasks, also inside of tasks.
    AllTasks,
    /// Steps of the task whose heading, such as `### Task 1: Title`, is above them.
    Steps,
}

pub(super) const CHECKLIST: Dialect = Dialect {
    ids: Ids::Absent,
    boxes: Boxes::Tasks,
    order: Order::Numbered,
    // In ralph's loop.
    takes_bullets: "fix_plan.md|@fix_plan.md",
    // An ExecPlan, and a story of BMAD.
    only_below: "progress|tasks / subtasks",
    left_out: "legend|instructions for completing*",
};

pub(super) const PHASES: Dialect =
    Dialect { ids: Ids::Letters, order: Order::Phases, only_below: "", ..CHECKLIST };

/// A list whose boxes have numbers such as `1.2`.
pub(super) const NUMBERED_LISTS: Dialect = Dialect {
    ids: Ids::Numbers,
    order: Order::Plan,
    only_below: "",
    left_out: "legend|instructions for completing*|progress summary",
    ..CHECKLIST
};

pub(super) const TASK_HEADINGS: Dialect = Dialect {
    boxes: Boxes::Steps,
    order: Order::Plan,
    only_below: "",
    left_out: "progress tracking|what goes where",
    ..CHECKLIST
};

pub(super) const SPEC_KIT: Dialect = Dialect {
    order: Order::Stories,
    left_out: "format|フォーマット|path conventions|execution flow|parallel e*|task generation rules|task summary",
    ..PHASES
};
