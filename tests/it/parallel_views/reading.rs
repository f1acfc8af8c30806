//! Tests what `show`, `stats` and `report` say about attempts that a failed merge made necessary.

use serde_json::Value;

use super::after_conflicts;
use crate::schemas::fits;

#[test]
fn an_attempt_that_a_failed_merge_made_necessary_says_so() {
    let garden = after_conflicts();
    let pages: Vec<String> =
        ["T001", "T002", "T003"].iter().map(|task| garden.run(&["show", task, "--plain"]).stdout).collect();
    let merged =
        pages.iter().filter(|page| page.contains("after a failed merge: conflicts in shared.txt")).count();
    assert_eq!(merged, 2, "{pages:?}");
    for task in ["T001", "T002", "T003"] {
        let document: Value = serde_json::from_str(&garden.run(&["show", task, "--json"]).stdout).unwrap();
        fits("show-task", &document);
    }
    let stats: Value = serde_json::from_str(&garden.run(&["stats", "--json"]).stdout).unwrap();
    fits("stats", &stats);
    let count = stats["total"]["rejected"]["merge"].as_u64().unwrap();
    assert_eq!(count, stats["total"]["attempts"].as_u64().unwrap() - 3);
    let said = garden.run(&["stats"]).stdout;
    assert!(said.contains(&format!("{count} by a failed merge")), "{said}");
    let report: Value = serde_json::from_str(&garden.run(&["report", "--format", "json"]).stdout).unwrap();
    fits("run-report", &report);
    assert!(
        garden
            .run(&["report", "--format", "html"])
            .stdout
            .contains("after a failed merge: conflicts in shared.txt")
    );
}
