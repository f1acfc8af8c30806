//! Tests conflicts that an agent leaves: they are not committed, and the next attempt is told.

use crate::support::garden::{Garden, one_task};

/// A repository in which the branch `other` changes the same line as `main`.
fn with_conflict(then: &str) -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("base.txt", "base\n");
    garden.commit("Add a base");
    garden.git(&["switch", "--quiet", "--create", "other"]);
    garden.write("base.txt", "theirs\n");
    garden.commit("Change it there");
    garden.git(&["switch", "--quiet", "main"]);
    garden.write("base.txt", "ours\n");
    garden.commit("Change it here");
    garden.agent(&format!(
        "[ $ARBORIST_STEP = implement ] || exit 0
         if [ $ARBORIST_ATTEMPT = 0 ]; then echo new > new.txt; git cherry-pick -n other; git cherry-pick --quit
         git status --short; else {then}; fi"
    ));
    garden
}

#[test]
fn a_file_with_conflict_markers_is_not_committed_and_the_agent_hears_of_it() {
    let garden = with_conflict("echo both > base.txt");
    garden.run(&["gardener", "--no-review"]).assert(0, &["base.txt has conflict markers"]);
    assert!(
        garden
            .prompt("T001.implement.1")
            .contains("Failed:\n- base.txt has conflict markers; resolve the conflict")
    );
    assert_eq!(garden.read("base.txt"), "both\n");
    let patches = garden.git(&["log", "-p", "--format="]);
    assert!(!patches.contains("+<<<<<<<") && patches.contains("+both"), "{patches}");
    assert_eq!(garden.status(), [""; 0]);
}

#[test]
fn conflict_markers_that_were_there_before_do_not_count() {
    let garden = Garden::new(&one_task(&["true"]));
    let markers = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n";
    garden.write("sample.txt", markers);
    garden.commit("Add a sample");
    garden.agent("[ $ARBORIST_STEP = implement ] && echo more >> sample.txt; echo APPROVED");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.read("sample.txt"), format!("{markers}more\n"));
}

#[test]
fn files_that_a_failed_task_could_not_commit_do_not_fail_later_tasks() {
    let garden = Garden::new(&crate::support::garden::plan(&[
        ("p", "", &[], &[]),
        ("T001", "p", &[], &["true"]),
        ("T002", "p", &[], &["true"]),
    ]));
    garden.agent(
        "[ $ARBORIST_STEP = implement ] || { echo APPROVED; exit; }
         [ $ARBORIST_TASK = T001 ] && echo K=1 > .env; echo $ARBORIST_ATTEMPT > $ARBORIST_TASK.txt",
    );
    let ended = garden.run(&["gardener", "--max-attempts", "2"]);
    ended.assert(1, &["the attempts at T001 left changes, which stay uncommitted: .env"]);
    let subjects = garden.subjects();
    assert!(subjects.iter().any(|subject| subject == r#"task(T001): failed "Do T001" after 2 retries"#));
    assert!(subjects.iter().any(|subject| subject == r#"task(T002): complete "Do T002""#), "{subjects:#?}");
    assert!(
        garden.exists(".env") && !garden.git(&["log", "--all", "--format=", "--name-only"]).contains(".env")
    );
}
