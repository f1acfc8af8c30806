//! Tests what `check --run` says about histories in which tasks were worked on side by side.

use super::{SHARED, after_conflicts, three_tasks};

#[test]
fn a_history_with_conflicts_and_the_merges_that_resolve_them_is_in_order() {
    let garden = after_conflicts();
    assert!(
        garden.git(&["log", "--format=%s"]).matches("task(T00").count() > 9,
        "tasks needed more attempts"
    );
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
    // So it is while branches are not merged.
    let end = garden.git(&["log", "-1", "--first-parent", "--format=%H", "--grep=^Merge task"]);
    let branch = garden.git(&["rev-parse", &format!("{end}^2")]);
    let task = garden.git(&["log", "-1", "--format=%s", &branch])[5..9].to_owned();
    garden.git(&["reset", "-q", "--hard", &format!("{end}^1")]);
    garden.git(&["branch", &format!("arborist/trial/{task}"), &branch]);
    garden.forget_history();
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn a_task_that_could_not_be_merged_and_has_no_attempt_left_has_failed_for_a_reason_that_its_commit_names() {
    let garden = three_tasks();
    // It leaves the markers of conflicts.
    garden.agent(&format!(
        "test -e \"$ROOT/no\" && grep -q '<<<<<<<' shared.txt 2> /dev/null && exit 0\n{SHARED}"
    ));
    std::fs::write(garden.root().join("no"), "").unwrap();
    garden.run(&["gardener", "--jobs", "3"]).assert(1, &[]);
    let failed: Vec<String> = ["T001", "T002", "T003"]
        .into_iter()
        .map(|task| format!("arborist/trial/{task}"))
        .filter(|branch| garden.try_git(&["rev-parse", "-q", "--verify", branch]).status.success())
        .collect();
    assert!(!failed.is_empty());
    for branch in &failed {
        let message = garden.git(&["log", "-1", "--format=%B", branch]);
        assert!(
            message.contains("The finished task could not be merged into the branch of the run at:\n")
                && message.contains("\n- conflicts in shared.txt\n"),
            "{message}"
        );
    }
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
    // Tried again, it begins with the merge.
    std::fs::remove_file(garden.root().join("no")).unwrap();
    garden.run(&["gardener", "--jobs", "2", "--failed"]).assert(0, &[]);
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn a_forged_step_after_a_completion_is_found_also_if_it_calls_itself_a_merge() {
    let garden = after_conflicts();
    let head = garden.git(&["rev-parse", "HEAD"]);
    let message = |sentence: &str| {
        format!(
            "task(T001): implement \"Do T001\"\n\n{sentence}Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 1"
        )
    };
    let says = format!(
        "This step merges the branch of the run at:\n- {head}\n\nWhy the finished task could not be merged:\n- x\n\n"
    );
    garden.git(&["commit", "-q", "--allow-empty", "-m", &message(&says)]);
    garden.run(&["check", "--run"]).assert(1, &[]);
    assert!(garden.run(&["check", "--run"]).stdout.contains("H205"));
    // A merge that does not say why it is one is none of ours.
    garden.git(&["reset", "-q", "--hard", &head]);
    garden.forget_history();
    garden.git(&["switch", "-q", "-c", "side", "HEAD~1"]);
    garden.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
    garden.git(&["switch", "-q", "main"]);
    garden.git(&["merge", "-q", "--no-ff", "-m", &message(""), "side"]);
    assert!(garden.run(&["check", "--run"]).stdout.contains("H205"));
}
