//! Tests of runs that work on several tasks at the same time.

mod bad_input;
pub(crate) mod conflicts;
mod kills;
mod merges;
pub(crate) mod random_conflicts;
mod run;
mod same_result;

use crate::support::garden::Garden;

/// Asserts that a parallel run has ended as it should: every task was merged exactly once, the phases are marked once, no branch and no
/// work tree of it is left, and the history is sound.
fn assert_integrated(garden: &Garden, tasks: &[&str]) {
    garden.forget_history();
    let merges = garden.lines(&["log", "--first-parent", "--format=%s", "main"]);
    for task in tasks {
        let of = |subject: &&String| subject.ends_with(&format!("(arborist/trial/{task})"));
        assert_eq!(merges.iter().filter(of).count(), 1, "{task}: {merges:#?}");
    }
    assert_eq!(garden.lines(&["branch", "--list", "arborist/*"]), [""; 0]);
    assert_eq!(garden.lines(&["worktree", "list"]).len(), 1);
    assert!(!garden.root().join("work.arborist").exists(), "a slot is left");
    assert_eq!(garden.status(), [""; 0]);
    let status = garden.run(&["status", "--short", "--plain"]).stdout;
    assert!(status.ends_with("  complete\n"), "{status}");
}
