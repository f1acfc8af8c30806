//! Tests tasks that belong to no phase: they are complete with their last step.

use crate::support::garden::{Garden, plan};

fn two_tasks() -> Garden {
    Garden::new(&plan(&[("T001", "", &[], &["true"]), ("T002", "", &[], &["true"])]))
}

#[test]
fn a_task_without_a_phase_has_no_marker_unless_its_branch_is_merged() {
    let garden = two_tasks();
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    let phases = |garden: &Garden| garden.subjects().iter().filter(|line| line.starts_with("phase(")).count();
    assert_eq!(phases(&garden), 0, "{:#?}", garden.subjects());
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.subjects().len(), 6, "nothing is left to do");
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains("git arborist land") && !status.contains("not marked"), "{status}");
    garden.run(&["land"]).assert(0, &[]);
    // After that, nobody is sent there once more.
    let (status, here) = (garden.run(&["status"]).stdout, garden.run(&[]).stdout);
    for said in [status, here] {
        assert!(said.contains("anded on ") && !said.contains("arborist land`"), "{said}");
    }
    // The same holds on the landed branch itself.
    let landed = format!("{}-landed", garden.git(&["branch", "--show-current"]).trim());
    garden.git(&["switch", "-q", &landed]);
    garden.forget_history();
    let (status, here) = (garden.run(&["status"]).stdout, garden.run(&[]).stdout);
    for said in [status, here] {
        assert!(said.contains(&format!("anded on {landed}")) && !said.contains("arborist land"), "{said}");
    }
    let garden = two_tasks();
    garden.run(&["gardener", "--no-review", "--branches", "phase"]).assert(0, &[]);
    assert_eq!(phases(&garden), 2, "{:#?}", garden.subjects());
}

#[test]
fn the_suite_runs_after_each_task_without_a_phase_all_the_same() {
    let garden = two_tasks();
    garden.config("arborist.suite", "echo run >> \"$ROOT/suites\"");
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    let suites = std::fs::read_to_string(garden.root().join("suites")).unwrap();
    assert_eq!(suites.lines().count(), 2);
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(std::fs::read_to_string(garden.root().join("suites")).unwrap(), suites, "nothing has changed");
}
