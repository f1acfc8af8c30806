//! A plan whose tasks go on when the test says so, for what watches a run.

use super::garden::{Garden, plan};

/// Two phases of two tasks. The agent waits for a file `go-TASK`.
pub(crate) fn waiting_garden() -> Garden {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &["T001"], &["true"]),
        ("p2", "", &["p1"], &[]),
        ("T003", "p2", &[], &["true"]),
        ("T004", "p2", &["T003"], &["true"]),
    ]));
    garden.agent("until test -e \"$ROOT/go-$ARBORIST_TASK\"; do sleep 0.02; done");
    garden
}

/// Lets the agent of a task go on.
pub(crate) fn go(garden: &Garden, task: &str) {
    std::fs::write(garden.root().join(format!("go-{task}")), "").unwrap();
}
