//! Tests tasks that belong to no phase: they are complete with their last step.

use crate::support::garden::{Garden, plan};

fn two_tasks() -> Garden {
    Garden::new(&plan(&[("T001", "", &[], &["true"]), ("T002", "", &[], &["true"])]))
}

#[test]
fn a_task_without_a_phase_has_no_marker_unless_its_branch_is_merged() {
    let garden = two_tasks();
    garden.run(&["gardener", "--no-review"]).assert(0, &["2/2 complete"]);
    let phases = |garden: &Garden| garden.subjects().iter().filter(|line| line.starts_with("phase(")).count();
    assert_eq!(phases(&garden), 0, "{:#?}", garden.subjects());
    garden.run(&["gardener", "--no-review"]).assert(0, &["2/2 complete"]);
    assert_eq!(garden.subjects().len(), 6, "nothing is left to do");
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains("git arborist land") && !status.contains("not marked"), "{status}");
    garden.run(&["land"]).assert(0, &[]);
    // After that, nobody is sent there once more.
    let (status, here) = (garden.run(&["status"]).stdout, garden.run(&[]).stdout);
    for said in [status, here] {
        assert!(said.contains("anded on ") && !said.contains("arborist land`"), "{said}");
    }
    let garden = two_tasks();
    garden.run(&["gardener", "--no-review", "--branches", "phase"]).assert(0, &["2/2 complete"]);
    assert_eq!(phases(&garden), 2, "{:#?}", garden.subjects());
}

#[test]
fn a_suite_that_fails_after_a_task_without_a_phase_stops_the_run_until_it_passes() {
    let garden = two_tasks();
    garden.config("arborist.suite", "test -f T002.txt -o -f mended");
    garden.run(&["gardener", "--no-review"]).assert(1, &["T001", "suite"]);
    assert_eq!(garden.subjects().last().unwrap(), "phase(T001): tests fail");
    assert_eq!(garden.asked(), ["T001.implement.0"]);
    garden.write("mended", "");
    garden.commit("Mend it");
    garden.run(&["gardener", "--no-review"]).assert(0, &["2/2 complete"]);
    let subjects = garden.subjects();
    assert!(subjects.contains(&"phase(T001): complete".to_owned()), "{subjects:#?}");
    garden.run(&["land"]).assert(0, &[]);
}
