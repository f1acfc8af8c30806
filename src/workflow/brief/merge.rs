//! What a brief says about a merge.

use super::facts::{MergeFacts, MergedTask};
use super::parts::{cut_diff, flag, list};

/// How many characters of the description of each other task are shown.
const DESCRIPTION: usize = 600;

/// The value of a placeholder about a merge; `None` if this is none. Each side shows at most `limit` characters.
pub(super) fn merge_value(merge: Option<&MergeFacts>, name: &str, limit: usize) -> Option<String> {
    let of = |value: fn(&MergeFacts) -> String| merge.map(value).unwrap_or_default();
    Some(match name {
        "merge_why" => of(|merge| merge.why.clone()),
        "merge_due" => of(|merge| flag(!merge.is_made)),
        "merge_made" => of(|merge| flag(merge.is_made)),
        "no_merge" => flag(merge.is_none()),
        "merge_tasks" => of(|merge| merge.tasks.iter().map(merged_task).collect()),
        "merge_conflicts" => of(|merge| list(&merge.conflicts)),
        "merge_output" => of(|merge| merge.output.trim_end().to_owned()),
        "merge_own" => cut_diff(&of(|merge| merge.own.clone()), limit),
        "merge_others" => cut_diff(&of(|merge| merge.others.clone()), limit),
        _ => return None,
    })
}

/// A task on the other side of a merge, with the beginning of its description.
fn merged_task(task: &MergedTask) -> String {
    let description: String = task.description.trim().chars().take(DESCRIPTION).collect();
    let lines: String = description.lines().map(|line| format!("  {line}\n")).collect();
    format!("- {}: {}\n{lines}", task.id, task.name)
}
