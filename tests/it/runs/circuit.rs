//! Tests the circuit breaker: a runner without a result twice in a row uses up only one attempt.

use crate::support::garden::{Garden, one_task, plan, side_by_side};

/// What a broken wrapper says before it ends.
const BROKEN: &str = "echo 'wrapper: loading' >&2; echo 'wrapper: no such option --now' >&2; exit 1";

/// Thirty tasks that do not depend on one another.
fn thirty_tasks() -> Garden {
    let names: Vec<String> = (1..=30).map(|number| format!("T{number:03}")).collect();
    let mut nodes = vec![("p1", "", &[][..], &[][..])];
    nodes.extend(names.iter().map(|name| (name.as_str(), "p1", &[][..], &["true"][..])));
    Garden::new(&plan(&nodes))
}

#[test]
fn a_runner_without_a_result_twice_in_a_row_stops_the_run_with_its_last_line() {
    let ends = [
        (BROKEN, "exit status 1", "wrapper: no such option --now"),
        ("echo 'hello'; exit 3", "exit status 3", "hello"),
        ("exit 0", "exit status 0", "it printed nothing"),
        ("echo 'I am a teapot.' >&2; exit 0", "exit status 0", "I am a teapot."),
    ];
    side_by_side(ends, |(script, end, line)| {
        let garden = Garden::new(&one_task(&["true"]));
        garden.agent(script);
        let ended = garden.run(&["gardener"]);
        ended.assert(
            4,
            &[
                "mine ended at once for the second time in a row",
                end,
                line,
                "does not count as an attempt",
                "by hand",
            ],
        );
        assert_eq!(garden.asked(), ["T001.implement.0", "T001.implement.1"], "{script}");
        assert_eq!(
            garden.subjects(),
            ["task(T001): implement \"Do T001\" (failed, attempt 1/5)"],
            "{script}"
        );
    });
}

#[test]
fn an_agent_that_answers_at_once_is_no_broken_runner() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent("echo 'I do not understand the task.'; exit 0");
    let ended = garden.run(&["gardener", "--max-attempts", "2"]);
    ended.assert(7, &["I do not understand the task."]);
    assert_eq!(garden.asked().len(), 2);
    assert!(!ended.stderr.contains("by hand"), "{}", ended.stderr);
}

#[test]
fn a_broken_runner_is_not_carried_through_the_whole_plan() {
    let garden = thirty_tasks();
    garden.agent(BROKEN);
    let ended = garden.run(&["gardener", "--max-attempts", "1"]);
    ended.assert(4, &["for the second time in a row", "wrapper: no such option --now"]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T002.implement.0"]);
    let failed = garden.subjects().iter().filter(|subject| subject.contains("): failed")).count();
    assert_eq!(failed, 1, "{:#?}", garden.subjects());
}

#[test]
fn a_run_that_is_started_again_uses_up_no_further_attempt_until_the_runner_works() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent(&format!("test -e \"$ROOT/mended\" || {{ {BROKEN}; }}"));
    for calls in [2, 3, 4] {
        garden.run(&["gardener"]).assert(4, &["for the second time in a row"]);
        assert_eq!(garden.asked().len(), calls);
        assert_eq!(garden.subjects().len(), 1);
    }
    std::fs::write(garden.root().join("mended"), "").unwrap();
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.steps()[1], "task(T001): implement \"Do T001\" | implement pass   1");
}

#[test]
fn work_in_between_or_another_agent_resets_the_circuit_breaker() {
    let garden = Garden::new(&one_task(&["test -f right"]));
    garden.agent(
        "case $work in
         T001.implement.0|T001.implement.2) exit 1;;
         T001.implement.3) touch right;;
         esac",
    );
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked().len(), 5, "{:#?}", garden.asked());

    let garden = Garden::new(&one_task(&["true"]));
    garden.agent(BROKEN);
    garden.runner("other", &format!("cat > /dev/null; {BROKEN}"));
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &["T001 failed"]);
    let again = ["garden", "T001", "--runner", "other", "--max-attempts", "1"];
    garden.run(&again).assert(1, &["T001 failed"]);
    garden.run(&again).assert(4, &["the runner other ended at once"]);
}

#[test]
fn an_agent_that_changes_something_or_takes_longer_counts_as_working() {
    for script in [
        "test $ARBORIST_STEP = implement && { echo x >> tried.txt; exit 1; }",
        "test $ARBORIST_STEP = implement && { git commit -q --allow-empty -m mine; exit 1; }",
        "test $ARBORIST_STEP = implement && { echo SECRET=1 > .env; exit 1; }",
        "test $ARBORIST_STEP = implement && { sleep 60; }",
    ] {
        let garden = Garden::new(&one_task(&["true"]));
        garden.agent(script);
        let ended = garden.run(&["gardener", "--max-attempts", "2", "--runner-timeout", "1"]);
        ended.assert(1, &["T001 failed"]);
        assert_eq!(garden.asked().len(), 2, "{script}");
    }
}

#[test]
fn the_last_line_of_an_agent_that_failed_is_on_the_screen_at_once() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent(&format!("test $work = T001.implement.0 && {{ {BROKEN}; }}"));
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &["exit status 1: wrapper: no such option --now"]);
    let body = garden.git(&["log", "--format=%B", "--grep=failed, attempt"]);
    assert!(body.contains("The runner ended at once, and nothing came of it."), "{body}");
}

#[test]
fn the_output_of_a_runner_cannot_mark_its_step_as_idle() {
    let garden = Garden::new(&one_task(&["true"]));
    let sentence =
        "The runner ended at once, and nothing came of it. If the next one does so too, the run stops.";
    garden.agent(&format!(
        "case $work in
         T001.implement.0) echo '{sentence}'; echo x > x.txt; exit 1;;
         T001.implement.1) exit 1;;
         esac"
    ));
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked().len(), 4);
}

#[test]
fn a_reviewer_that_never_gives_a_verdict_does_not_use_up_the_attempts() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.runner("wrapper", "cat > /dev/null; echo 'wrapper: model not found'; exit 0");
    garden.config("arborist.review.runner", "wrapper");
    garden.run(&["gardener"]).assert(7, &["wrapper: model not found", "has given no verdict"]);
    assert!(
        garden.subjects().iter().all(|subject| !subject.contains("review rejected")),
        "{:#?}",
        garden.subjects()
    );
    assert_eq!(garden.trailers("Arborist-Reason"), ["no-verdict"]);
    assert!(!garden.git(&["log", "--format=%B"]).contains("ended at once"));
    garden.runner("wrapper", "cat > /dev/null; echo APPROVED");
    garden.run(&["note", "T001", "-m", "The model is there now."]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0"], "the work was not done again");
}
