//! The names of the branches of a plan: `arborist/<spec-id>/<phase-id>`.

use std::collections::HashMap;

use crate::plan::NodeIx;
use crate::record::TaskId;
use crate::run::plan::Plan;
use crate::run::plan::file::BRANCH_FOLDER;
use crate::text::one_line;

/// The folder of the branches of a plan.
#[must_use]
pub fn folder(plan: &Plan) -> String {
    format!("{BRANCH_FOLDER}/{}", as_part(plan.tree.spec_id().unwrap_or_default()))
}

/// The branch of a phase or a task, without `refs/heads/`.
#[must_use]
pub fn branch_of(plan: &Plan, phase: NodeIx) -> String {
    format!("{}/{}", folder(plan), plan.tree.node(phase).id)
}

/// The phase that has this branch.
pub(crate) fn phase_of(plan: &Plan, branch: &str) -> Option<NodeIx> {
    let id = branch.strip_prefix(&folder(plan))?.strip_prefix('/')?;
    plan.tree.find(id).filter(|node| plan.tree.node(*node).parent.is_none())
}

/// The task that has this branch.
pub(crate) fn task_of(plan: &Plan, branch: &str) -> Option<NodeIx> {
    let id = branch.strip_prefix(&folder(plan))?.strip_prefix('/')?;
    plan.tree.find(id).filter(|node| plan.tree.is_leaf(*node))
}

/// Two tasks whose branches have the same name on a file system that ignores case.
#[must_use]
pub fn alike_branches(plan: &Plan) -> Option<[&TaskId; 2]> {
    let mut seen: HashMap<String, &TaskId> = HashMap::new();
    plan.tree.order().iter().map(|leaf| &plan.tree.node(*leaf).id).find_map(|id| {
        let first = seen.insert(id.as_str().to_lowercase(), id)?;
        Some([first, id])
    })
}

/// Whether this is the branch of a run, of whichever plan.
pub(crate) fn is_of_a_run(branch: &str) -> bool {
    branch.strip_prefix(BRANCH_FOLDER).is_some_and(|rest| rest.starts_with('/'))
}

/// How many characters of a name the subject of a merge shows.
const LONGEST_NAME: usize = 50;

/// The subject of the commit that merges a phase or a task with this name.
pub(crate) fn subject_of_merge(plan: &Plan, phase: NodeIx, name: &str) -> String {
    let noun = if plan.tree.is_leaf(phase) { "task" } else { "phase" };
    let name = one_line(name);
    let shown = match name.char_indices().nth(LONGEST_NAME) {
        None => name,
        Some(_) => {
            let start: String = name.chars().take(LONGEST_NAME - 3).collect();
            format!("{}...", start.trim_end())
        }
    };
    format!("Merge {noun} \"{shown}\" ({})", branch_of(plan, phase))
}

/// A text as a part of the name of a branch: everything that may not be in one becomes `-`.
#[must_use]
pub fn as_part(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let mut part: String = text.chars().take(64).map(plain).collect();
    while part.contains("..") {
        part = part.replace("..", ".");
    }
    let part = part.trim_matches(|c| c == '.' || c == '-');
    match part.strip_suffix(".lock").unwrap_or(part) {
        "" => "plan".to_owned(),
        part => part.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::as_part;

    #[test]
    fn every_name_of_a_plan_becomes_a_part_that_git_accepts() {
        for (text, part) in [
            ("my-project", "my-project"),
            ("My Project: 2/3", "My-Project--2-3"),
            ("a..b.lock", "a.b"),
            ("-x.", "x"),
            ("ü", "plan"),
            ("", "plan"),
        ] {
            assert_eq!(as_part(text), part, "{text}");
        }
    }
}
