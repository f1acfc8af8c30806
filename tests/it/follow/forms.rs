//! Tests what becomes of the less usual forms: removed lines, clean merges, other styles of landing, tasks that are gone, checks without
//! a result, and files of other editors.

use super::*;

fn by_ann(words: &str) -> Value {
    comment("ann", true, "2026-11-30T08:00:00Z", words)
}

#[test]
fn a_removed_line_belongs_to_the_task_that_removed_it_wherever_the_base_is() {
    let agent = format!("test $ARBORIST_TASK != T001 || sed -i /two/d old.txt\n{AGENT}");
    let story = Story::done("", &agent);
    story.garden.git(&["switch", "-q", "main"]);
    story.garden.forget_history();
    // The run begins again, on a base that has the file.
    story.garden.write("old.txt", "one\ntwo\nthree\n");
    story.garden.commit("Add a file");
    story.garden.git(&["push", "-q", "origin", "main"]);
    story.garden.git(&["switch", "-q", "-C", "work"]);
    story.garden.forget_history();
    story.garden.run(&["gardener"]).assert(0, &[]);
    story.garden.run(&["land"]).assert(0, &[]);
    story.push("work-landed");
    story.garden.git(&["remote", "rename", "origin", "upstream"]);
    story.garden.git(&["branch", "-q", "-D", "main"]);
    let mut removed = thread("t1", "old.txt", 2, &story.tip("work-landed"), &[by_ann("Why is this gone?")]);
    removed["side"] = json!("old");
    story
        .follow_file(&story.document(&[removed], &[]), &["--dry-run"])
        .assert(0, &["T001 (Do T001): review of old.txt:2 by ann"]);
}

#[test]
fn a_conflict_that_only_the_forge_sees_is_merged_at_once() {
    let story = Story::landed();
    let theirs = story.others_commit("main", "other.txt", "x\n", "Move the base");
    let mut document = story.document(&[], &[]);
    document["conflict"] = json!(true);
    story.follow_file(&document, &[]).assert(0, &["main is merged into work-landed", "Pushed work-landed"]);
    assert_eq!(story.there("work-landed"), story.tip("work-landed"));
    for branch in ["work", "work-landed"] {
        story.garden.git(&["merge-base", "--is-ancestor", &theirs, branch]);
    }
    assert_eq!(story.garden.read("other.txt"), "x\n");
    assert_eq!(story.prompts(), [], "no agent is needed for it");
}

#[test]
fn a_run_that_was_landed_as_a_merge_is_followed() {
    let story = Story::done("", AGENT);
    story.garden.run(&["land", "--style", "merge"]).assert(0, &[]);
    story.push("work-landed");
    let before = story.tip("work-landed");
    let threads = [thread("t1", "T001.txt", 2, &before, &[by_ann("Say it again.")])];
    let said = story.follow_file(&story.document(&threads, &[]), &[]);
    said.assert(0, &["T001 (Do T001): review of T001.txt:2 by ann", "Pushed work-landed"]);
    assert!(said.stdout.contains("Answer the thread t1"), "{said:#?}");
    story.garden.git(&["merge-base", "--is-ancestor", &before, &story.there("work-landed")]);
    let landed = story.garden.git(&["show", "work-landed:T001.txt"]);
    assert!(landed.contains("again T001"), "{landed}");
}

#[test]
fn what_a_task_took_in_that_is_dropped_from_the_plan_is_taken_up_by_another() {
    let story = Story::landed();
    let threads = [thread("t1", "T002.txt", 1, &story.tip("work-landed"), &[by_ann("Not so.")])];
    let document = story.document(&threads, &[]);
    story.follow_file(&document, &[]).assert(0, &["T002 (Do T002)", "Pushed work-landed"]);
    story
        .garden
        .write("task-tree.json", &format!("{:#}\n", plan(&[("T001", "", &[], &["test -s T001.txt"])])));
    story.garden.commit("Drop T002");
    story.garden.forget_history();
    let said = story.follow_file(&document, &["--dry-run"]);
    said.assert(0, &["a new task: review of T002.txt:1 by ann"]);
    assert!(!said.stderr.contains("not answered yet"), "{said:#?}");
}

#[test]
fn a_check_whose_output_names_nothing_goes_to_the_last_landed_task_even_while_that_is_open() {
    let story = Story::landed();
    let check = json!({"name": "unit", "state": "failure", "log": "boom"});
    let last = "T002 (Do T002): the check unit fails";
    story.follow_file(&story.document(&[], std::slice::from_ref(&check)), &["--dry-run"]).assert(0, &[last]);
    story.garden.run(&["mark", "reopen", "T002", "-m", "Again."]).assert(0, &[]);
    story.garden.forget_history();
    story
        .follow_file(&story.document(&[], std::slice::from_ref(&check)), &[])
        .assert(0, &[last, "Pushed work-landed"]);
    story
        .follow_file(&story.document(&[], std::slice::from_ref(&check)), &[])
        .assert(0, &[last, "Pushed work-landed"]);
}

#[test]
fn checks_without_a_result_are_listed_with_what_a_person_has_to_do() {
    let story = Story::on_github();
    for (conclusion, status, words) in [
        ("CANCELLED", 7, "the check unit (ubuntu) was cancelled: run it again, https://github.com"),
        ("STALE", 7, "the check unit (ubuntu) was cancelled"),
        ("ACTION_REQUIRED", 7, "the check unit (ubuntu) waits for a person, or could not begin"),
        ("STARTUP_FAILURE", 7, "the check unit (ubuntu) waits for a person, or could not begin"),
        ("NEUTRAL", 0, "is approved, its checks pass"),
        ("SKIPPED", 0, "is approved, its checks pass"),
        ("TIMED_OUT", 0, "T002 (Do T002): the check unit (ubuntu) fails"),
    ] {
        story.pull(|pull| {
            pull["reviewThreads"]["nodes"] = json!([]);
            pull["reviewDecision"] = json!("APPROVED");
            pull["tip"]["nodes"][0]["commit"]["statusCheckRollup"]["contexts"]["nodes"][0]["conclusion"] =
                json!(conclusion);
        });
        let said = story.follow(&["--dry-run"]);
        said.assert(status, &[words]);
        assert!(!said.stderr.contains("has not ended"), "{conclusion}: {said:#?}");
    }
}

#[test]
fn a_new_head_without_a_check_is_green_only_where_no_earlier_one_had_any() {
    let story = Story::on_github();
    let done = "is approved, it has no checks, and nothing is open";
    let none = "nothing new to take up: no check has reported on the newest commit yet";
    let expected = "nothing new to take up: a check is expected that has not reported yet";
    let green = "is approved, its checks pass";
    let rollup = |state: &str, nodes: Value| {
        let page = json!({"hasNextPage": false, "endCursor": null});
        json!({"state": state, "contexts": {"pageInfo": page, "nodes": nodes}})
    };
    let check = json!([{"__typename": "CheckRun", "name": "unit", "conclusion": "SUCCESS"}]);
    for (of_tip, before, words) in [
        (Value::Null, Value::Null, done),
        (Value::Null, json!({"state": "SUCCESS"}), none),
        (rollup("EXPECTED", json!([])), Value::Null, none),
        (rollup("EXPECTED", check.clone()), Value::Null, expected),
        (rollup("SUCCESS", check), json!({"state": "SUCCESS"}), green),
    ] {
        story.pull(|pull| {
            pull["reviewThreads"]["nodes"] = json!([]);
            pull["reviewDecision"] = json!("APPROVED");
            pull["tip"]["nodes"][0]["commit"]["statusCheckRollup"] = of_tip.clone();
            pull["commits"]["nodes"][0]["commit"]["statusCheckRollup"] = before.clone();
        });
        story.follow(&["--dry-run"]).assert(0, &[words]);
    }
    story.pull(|pull| pull["reviewThreads"]["pageInfo"] = json!({"hasNextPage": true, "endCursor": "X"}));
    story.follow(&["--dry-run"]).assert(7, &["only the first 5000 entries of the list `threads`"]);
}

#[test]
fn a_file_may_begin_with_a_byte_order_mark() {
    let story = Story::landed();
    let file = story.garden.root().join("request.json");
    fs::write(&file, format!("\u{feff}{}", story.document(&[], &[]))).unwrap();
    story
        .garden
        .run(&["pr", "--follow", file.to_str().unwrap(), "--yes"])
        .assert(0, &["There is nothing new to take up"]);
}
