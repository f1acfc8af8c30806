//! Tests `check --run` as an audit: which evidence the commits of a run contain for each complete task.

use serde_json::Value;

use crate::support::garden::{Garden, one_task, plan};

/// The last line of what `check --run` tells people.
fn summary(garden: &Garden) -> String {
    let ended = garden.run(&["check", "--run"]);
    ended.stderr.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn the_audit_counts_the_evidence_and_names_the_tasks_that_lack_some() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &["T001"], &[]),
        ("T003", "p1", &["T002"], &["true"]),
    ]));
    garden.run(&["gardener", "--max-tasks", "2"]);
    garden.run(&["mark", "complete", "T003", "-m", "I did it elsewhere."]).assert(0, &[]);
    let told = summary(&garden);
    let expected = "3 complete, as their commits claim: 2 tested, 2 reviewed, 0 proven; T003 was vouched for by a person; T002 is untested";
    // Without a test command, nothing was tested.
    assert!(told.starts_with(&expected.replace("2 tested", "1 tested")), "{told}");
    let json = garden.run(&["check", "--run", "--json"]);
    json.assert(0, &[]);
    let document: Value = serde_json::from_str(&json.stdout).unwrap();
    let evidence = &document["evidence"];
    assert_eq!((&evidence["complete"], &evidence["tested"]), (&3.into(), &1.into()), "{evidence}");
    assert_eq!(evidence["tasks"][2]["by_person"], true, "{evidence}");
    assert_eq!(evidence["tasks"][1]["tested"], Value::Null, "{evidence}");
    let reviewed = evidence["tasks"][0]["reviewed"].as_str().unwrap();
    assert!(garden.git(&["show", "-s", "--format=%s", reviewed]).contains("review approved"));
}

#[test]
fn missing_evidence_that_the_settings_allow_is_told_and_is_no_error() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.config("arborist.review", "false");
    garden.run(&["gardener"]).assert(0, &[]);
    garden
        .run(&["check", "--run", "--strict"])
        .assert(0, &["1 complete, as their commits claim: 1 tested, 0 reviewed", "T001 was not reviewed"]);
}

#[test]
fn the_audit_of_a_clone_is_the_same() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.run(&["gardener"]).assert(0, &[]);
    let clone = garden.root().join("clone");
    garden.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    let mut check = garden.arborist(&["check", "--run"]);
    check.current_dir(&clone);
    assert_eq!(garden.finish(check).stderr.trim_end(), summary(&garden));
}

#[test]
fn a_step_that_passed_with_an_error_in_its_message_is_an_error() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.run(&["gardener", "--max-tasks", "1"]).assert(0, &[]);
    garden.run(&["mark", "reopen", "T001"]).assert(0, &[]);
    garden.commit(
        "task(T001): implement \"Do T001\"\n\nerror[protect]: The attempt changed files that judge it: a.py.\n\n\
         Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0",
    );
    let ended = garden.run(&["check", "--run"]);
    ended.assert(1, &[]);
    assert!(
        ended.stdout.contains("error[H210]: T001: the step passed, but its message says"),
        "{}",
        ended.stdout
    );
    let explained = garden.run(&["check", "--explain", "H210"]);
    assert!(explained.stdout.contains("passed-with-error"), "{}", explained.stdout);
}

#[test]
fn a_change_between_the_review_and_the_completion_is_named() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.config("arborist.approval", "true");
    garden.run(&["gardener"]);
    garden.write("other.txt", "no file of the task\n");
    garden.commit("Change something else");
    garden.write("T001.txt", "nobody has judged this\n");
    garden.commit("Change the work");
    garden.run(&["mark", "complete", "T001", "-m", "Fine."]);
    let ended = garden.run(&["check", "--run"]);
    let words = "warning[H211]: T001: files of the task were changed after its review: T001.txt";
    assert!(ended.stdout.contains(words) && !ended.stdout.contains("other.txt"), "{}", ended.stdout);
}

#[test]
fn a_commit_between_the_steps_that_changes_what_judges_is_named() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &["T001"], &["true"]),
    ]));
    let commit = |file: &str| {
        garden.write(file, "x\n");
        garden.commit(&format!("Change {file}"));
        garden.git(&["rev-parse", "--short=7", "HEAD"]).trim().to_owned()
    };
    let before = commit("tests/before_test.py");
    garden.run(&["gardener", "--max-tasks", "1"]);
    let (test, notes) = (commit("tests/between_test.py"), commit("notes.txt"));
    garden.run(&["gardener"]).assert(0, &[]);
    let after = commit("tests/after_test.py");
    let ended = garden.run(&["check", "--run"]);
    let words = format!(
        "commit {test} before this step is no step, and changes files that judge: tests/between_test.py"
    );
    assert!(ended.stdout.contains("warning[H214]") && ended.stdout.contains(&words), "{}", ended.stdout);
    for other in [before, notes, after] {
        assert!(!ended.stdout.contains(&format!("commit {other}")), "{}", ended.stdout);
    }
}
