//! Tests how a run with several tasks at the same time is shown while it goes on.

use serde_json::Value;

use super::{SHARED, three_tasks};
use crate::support::schemas::fits;

#[test]
fn a_log_has_one_heading_for_a_task_and_one_line_for_a_merge_whatever_else_happens_meanwhile() {
    let garden = three_tasks();
    garden.agent(SHARED);
    let ended = garden.run(&["gardener", "--jobs", "3"]);
    ended.assert(0, &["In this run: 3 tasks completed, "]);
    let log = &ended.stderr;
    let count = |end: &str| log.lines().filter(|line| line.ends_with(end)).count();
    for task in ["T001", "T002", "T003"] {
        assert_eq!(count(&format!(" {task} Do {task}")), 1, "{log}");
        let merges = log.lines().filter(|line| line.contains(&format!(" {task} merge       pass")));
        assert_eq!(merges.filter(|line| line.ends_with("  into main")).count(), 1, "{log}");
    }
    assert!(
        log.lines()
            .any(|line| line.contains("merge       fail") && line.ends_with("  conflicts in shared.txt")),
        "{log}"
    );
    // The merge brought the files of the other tasks as well.
    let resolved: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("implement") && line.contains("attempt 1 to merge"))
        .collect();
    assert!(!resolved.is_empty() && resolved.iter().all(|line| line.ends_with("  1 file changed")), "{log}");
    // A verbose log also tells where.
    let garden = three_tasks();
    let ended = garden.run(&["gardener", "--jobs", "2", "--verbose"]);
    ended.assert(0, &["T001 begins on arborist/trial/T001, from main", "T001 is worked on in slot 0, "]);
}

#[test]
fn the_events_say_which_slot_works_on_which_task_and_what_was_merged() {
    let garden = three_tasks();
    garden.agent(SHARED);
    let ended = garden.run(&["gardener", "--jobs", "3", "--json"]);
    let events: Vec<Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    events.iter().for_each(|event| fits("event", event));
    let of = |kind: &str| events.iter().filter(|event| event["event"] == kind).collect::<Vec<_>>();
    assert_eq!(of("merge").len(), 3);
    assert!(of("not-merged").iter().all(|event| event["reason"] == "conflicts in shared.txt"));
    let uses = |what: &str| of("slot").into_iter().filter(|event| event["use"] == what).collect::<Vec<_>>();
    let worked = uses("task").len();
    assert_eq!(worked, 3 + of("not-merged").len());
    assert_eq!(uses("nothing").len(), worked + uses("merge-tests").len(), "every slot is left again");
    let slot = &uses("task")[0];
    assert!(slot["folder"].as_str().unwrap().ends_with(&format!("/slot-{}", slot["slot"])), "{slot}");
    // The end of the run knows every task once.
    assert_eq!(of("end")[0]["complete"], 3);
}
