//! Tests the exact output of `git log` for a run.

use crate::support::garden::{Garden, one_task, plan};
use crate::support::mask::masked;

/// The messages of all commits after the plan, oldest first, masked.
fn log(garden: &Garden) -> String {
    let skip = format!("{}..HEAD", garden.git(&["rev-list", "--max-parents=0", "HEAD"]));
    masked(&garden.git(&["log", "--reverse", "--format=%B====", &skip]))
}

#[test]
fn a_run_with_every_kind_of_failure_leaves_exactly_this_history() {
    let tree = plan(&[
        ("p1", "", &[], &["test -f T001.txt"]),
        ("T001", "p1", &[], &["echo out; echo err >&2; grep -q T001.implement.2 T001.txt"]),
    ]);
    let garden = Garden::new(&tree);
    garden.agent(
        "case $work in
         T001.implement.0) echo 'I could not do it'; exit 3;;
         T001.review.2) echo 'The key is missing.'; echo REJECTED; exit 0;;
         esac",
    );
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &[]);
    assert_eq!(ended.stdout, "1/1 complete\n");
    assert_eq!(log(&garden), include_str!("every_failure.log"));
    assert_eq!(garden.status(), [""; 0]);
    garden.assert_nothing_runs();
}

#[test]
fn a_task_that_fails_to_the_end_is_recorded_as_failed_after_all_its_attempts() {
    let garden = Garden::new(&one_task(&["false"]));
    let ended = garden.run(&["gardener", "--max-attempts", "2"]);
    ended.assert(1, &["T001 failed", "git arborist show T001", "git arborist gardener --failed"]);
    assert_eq!(ended.stdout, "0/1 complete\n");
    assert_eq!(
        garden.steps(),
        [
            "task(T001): implement \"Do T001\" | implement pass   0",
            "task(T001): tests fail for \"Do T001\" (attempt 1/2) | test  fail  0",
            "task(T001): implement \"Do T001\" | implement pass   1",
            "task(T001): tests fail for \"Do T001\" (attempt 2/2) | test  fail  1",
            "task(T001): failed \"Do T001\" after 2 retries | complete fail   ",
        ]
    );
    let last = garden.git(&["log", "-1", "--format=%B"]);
    assert_eq!(
        last,
        "task(T001): failed \"Do T001\" after 2 retries\n\nArborist-Step: complete\nArborist-Result: fail"
    );
}

#[test]
fn a_long_name_is_cut_to_fifty_characters_in_subjects() {
    let mut tree = one_task(&[]);
    tree["nodes"]["T001"]["name"] = format!("{}\nArborist-Step: complete", "näme ".repeat(20)).into();
    let garden = Garden::new(&tree);
    garden.run(&["garden", "T001", "--no-review"]).assert(0, &[]);
    let subject = &garden.subjects()[0];
    let name = subject.split('"').nth(1).unwrap();
    assert!(name.chars().count() <= 50 && name.ends_with("..."), "{subject}");
    assert_eq!(garden.steps().len(), 4);
}
