//! Attaches dependencies to the nodes that a source names.

use std::collections::HashMap;

use super::imported::{ImportedId, ImportedPlan, Needed, Prerequisite};
use super::stated::ArrowMeaning;

/// The largest difference between the numbers of the first and the last id of a range.
const WIDEST: u64 = 2_000;

/// A dependency that a section about dependencies states, and the arrow with which it does.
pub(super) struct StatedNeed {
    pub(super) node: Needed,
    pub(super) need: Prerequisite,
    pub(super) arrow: Option<ArrowMeaning>,
}

/// Adds the dependencies to the nodes that they name, among those from position `first` on.
pub(super) fn attach(plan: &mut ImportedPlan, first: usize, needs: Vec<StatedNeed>) {
    let mut by_id: HashMap<String, usize> = HashMap::new();
    for (at, node) in plan.nodes.iter().enumerate().skip(first) {
        if let ImportedId::Given(id) | ImportedId::Suggested(id) = &node.id {
            by_id.entry(id.clone()).or_insert(at);
        }
    }
    for StatedNeed { node, need, .. } in needs {
        let (found, shown) = match &node {
            Needed::Id(id) => (by_id.get(id).copied().into_iter().collect(), id.clone()),
            Needed::Range(from, to) => {
                let ids = between(from, to).unwrap_or_default();
                let found: Vec<usize> = ids.iter().filter_map(|id| by_id.get(id).copied()).collect();
                (found, format!("{from} to {to}"))
            }
            Needed::Node(node) => (vec![*node], String::new()),
        };
        if found.is_empty() {
            plan.fault(
                need.place,
                format!("{shown} has a dependency here, but is not in the plan"),
                "Correct the id, or add the task.",
            );
        }
        for node in found {
            plan.nodes[node].needs.push(need.clone());
        }
    }
}

/// All ids from one to another one with the same letters; `None` if there is no such range, or it is too wide.
pub(in crate::plan) fn between(from: &str, to: &str) -> Option<Vec<String>> {
    let split = |id: &str| {
        let letters = id.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = id[letters.len()..].parse::<u64>().ok();
        number.map(|number| (letters.to_owned(), id.len() - letters.len(), number))
    };
    let ((letters, width, first), (others, _, last)) = (split(from)?, split(to)?);
    if letters != others || first > last || last - first > WIDEST {
        return None;
    }
    Some((first..=last).map(|number| format!("{letters}{number:0width$}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_the_digits_of_its_first_id() {
        assert_eq!(between("T009", "T011").unwrap(), ["T009", "T010", "T011"]);
        assert_eq!(between("FE-1", "FE-2").unwrap(), ["FE-1", "FE-2"]);
        for (from, to) in [("T002", "T001"), ("T1", "U2"), ("T1", "T9000000000"), ("T", "T2")] {
            assert_eq!(between(from, to), None, "{from} {to}");
        }
    }
}
