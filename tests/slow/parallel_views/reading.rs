//! Tests what `show` and `report` say about attempts that a failed merge made necessary.

use serde_json::Value;

use super::after_conflicts;
use super::status::in_pieces;
use crate::support::schemas::fits;

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
    let report: Value = serde_json::from_str(&garden.run(&["report", "--format", "json"]).stdout).unwrap();
    fits("run-report", &report);
    let count = report["total"]["rejected"]["merge"].as_u64().unwrap();
    assert!(count >= 2, "{report:#}");
    assert_eq!(report["total"]["attempts"], 3, "those to merge are no further ones");
    let page = garden.run(&["report", "--format", "html"]).stdout;
    assert!(page.contains("after a failed merge: conflicts in shared.txt"), "{page}");
    assert!(page.contains(&format!("{count} by a failed merge")), "{page}");
}

#[test]
fn the_report_lists_merges_and_failed_ones_in_the_order_of_the_branch() {
    let garden = after_conflicts();
    let document: Value = serde_json::from_str(&garden.run(&["report", "--format", "json"]).stdout).unwrap();
    fits("run-report", &document);
    let merges = document["merges"].as_array().unwrap();
    let line = garden.lines(&["rev-list", "--first-parent", "--merges", "--reverse", "main"]);
    let merged: Vec<&str> = merges
        .iter()
        .filter(|merge| merge["merged"] == true)
        .map(|merge| merge["commit"].as_str().unwrap())
        .collect();
    assert_eq!(merged, line);
    // A task that could not be merged stands after the merge that was in its way, and before its own.
    let place = |task: &Value, merged: bool| {
        merges.iter().position(|merge| merge["task"] == *task && merge["merged"] == merged)
    };
    let failed: Vec<&Value> = merges.iter().filter(|merge| merge["merged"] == false).collect();
    assert!(failed.len() >= 2, "{merges:#?}");
    for merge in failed {
        assert_eq!(merge["reason"], "conflicts in shared.txt");
        let own = place(&merge["task"], true);
        let here = place(&merge["task"], false);
        assert!(Some(0) < here && here < own, "{merges:#?}");
    }
    let body = garden.run(&["report", "--format", "md"]).stdout;
    let page = garden.run(&["report", "--format", "html"]).stdout;
    for text in [body, page] {
        assert!(text.contains("How the branches were merged"), "{text}");
        assert!(text.contains("could not be merged: conflicts in shared.txt ("), "{text}");
    }
}

#[test]
fn what_is_not_merged_is_neither_counted_nor_claimed_by_the_report() {
    let garden = in_pieces();
    let document: Value = serde_json::from_str(&garden.run(&["report", "--format", "json"]).stdout).unwrap();
    fits("run-report", &document);
    assert_eq!(document["trailers"][0], "Arborist-Complete: T001");
    assert_eq!(document["total"]["complete"], 1);
    let task =
        |nth: usize| (document["tasks"][nth]["state"].clone(), document["tasks"][nth]["unmerged"].clone());
    assert_eq!([task(0), task(1)], [("complete".into(), false.into()), ("complete".into(), true.into())]);
    assert_eq!(document["look"][0]["kind"], "not-merged");
    let body = garden.run(&["report", "--format", "md"]).stdout;
    for words in ["**1 of 3 tasks complete, 1 not merged yet,", "T002 Do T002 (complete, not merged yet)"] {
        assert!(body.contains(words), "{words}: {body}");
    }
}
