//! An agent that asks, and what its run says.

use serde_json::Value;

use super::garden::{Ended, Garden, plan};

/// What an agent asks, after it has changed something.
const ASKS: &str =
    "echo half > half.txt; printf 'Two dates are named.\\n\\nBLOCKED: which date is meant?\\n'; exit 0";

/// Four tasks, of which the third depends on the second.
pub(crate) fn four_tasks() -> Value {
    plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &[], &["true"]),
        ("T003", "p1", &["T002"], &["true"]),
        ("T004", "p1", &[], &["true"]),
    ])
}

/// A garden whose agent asks about T002 until its prompt has an answer.
pub(crate) fn asking(tree: &Value) -> Garden {
    let garden = Garden::new(tree);
    garden.agent(&format!(
        "case $work in T002.implement.*) grep -q 'the second one' \"$file\" || {{ {ASKS}; }};; esac"
    ));
    garden
}

pub(crate) fn document(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:#?}"))
}
