//! Tests agents that change nothing and do not say why: they are asked once more, and are not paid for the same words a third time.

use serde_json::json;

use crate::support::garden::{Garden, one_task, plan, side_by_side};
use crate::support::questions::{document, four_tasks};

/// Asks in prose, and changes nothing.
const ASKS: &str =
    "echo \"$(date) [$$] I have read the task.\"; echo; echo 'Should the file be ASCII or UTF-8?'; exit 0";

fn blocks(garden: &Garden) -> usize {
    garden.subjects().iter().filter(|subject| subject.contains("): blocked")).count()
}

#[test]
fn a_question_in_prose_waits_for_a_person_after_the_second_time_and_the_others_go_on() {
    let garden = Garden::new(&four_tasks());
    garden.agent(&format!(
        "case $work in T002.implement.*) grep -q 'Take UTF-8' \"$file\" || {{ {ASKS}; }};; esac"
    ));
    let ended = garden.run(&["gardener"]);
    ended.assert(7, &["Should the file be ASCII or UTF-8?", "git arborist note T002"]);
    let asked = garden.asked();
    assert_eq!(asked.iter().filter(|work| work.starts_with("T002")).count(), 2, "{asked:?}");
    assert!(asked.iter().any(|work| work.starts_with("T004")), "{asked:?}");
    let next = document(&garden.run(&["status", "--json"]));
    assert_eq!(next["counts"]["asked"], json!(1), "{next:#}");
    garden.run(&["show", "T002"]).assert(0, &[]);
    let shown = garden.run(&["show", "T002"]).stdout;
    assert!(shown.contains("Should the file be ASCII or UTF-8?"), "{shown}");
    garden.run(&["check", "--run"]).assert(0, &[]);
    // Nothing is paid for it again before there is an answer.
    garden.run(&["gardener"]).assert(7, &[]);
    assert_eq!(garden.asked().len(), asked.len());

    garden.run(&["note", "T002", "-m", "Take UTF-8."]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(blocks(&garden), 1);
}

#[test]
fn the_same_answer_after_a_note_is_paid_for_once() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent(ASKS);
    garden.run(&["gardener"]).assert(7, &[]);
    garden.run(&["note", "T001", "-m", "As you like."]).assert(0, &[]);
    garden.run(&["gardener"]).assert(7, &["ASCII or UTF-8"]);
    assert_eq!((garden.asked().len(), blocks(&garden)), (3, 2), "{:?}", garden.subjects());
}

#[test]
fn a_run_that_was_killed_between_the_two_answers_asks_again_and_uses_up_no_attempt() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent(&format!(
        "if test -e \"$ROOT/first\" && ! test -e \"$ROOT/again\"; then touch \"$ROOT/again\"; sleep 600; fi; touch \"$ROOT/first\"; {ASKS}"
    ));
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_until("the second call does not begin", || garden.root().join("again").exists());
    running.signal("KILL");
    running.wait();
    garden.run(&["gardener"]).assert(7, &["ASCII or UTF-8"]);
    assert_eq!(garden.asked(), ["T001.implement.0"; 4]);
    assert_eq!(garden.trailers("Arborist-Step"), ["block"]);
}

#[test]
fn other_answers_and_work_in_between_are_no_repetition() {
    let scripts = [
        // Another answer each time.
        "case $calls in x) echo 'I need to think.';; xx) echo 'I still need to think.';; *) echo work > T001.txt;; esac; exit 0",
        // A change between two equal answers.
        "case $calls in x) echo wrong > other.txt;; xxx) echo work > T001.txt;; esac; echo 'It is done.'; exit 0",
    ];
    side_by_side(scripts, |script| {
        let garden = Garden::new(&one_task(&["test -f T001.txt"]));
        let counts = "calls=$(cat \"$ROOT/calls\" 2>/dev/null)x; echo $calls > \"$ROOT/calls\"";
        garden.agent(&format!("if [ $ARBORIST_STEP = implement ]; then {counts}; {script}; fi"));
        garden.run(&["gardener"]).assert(0, &[]);
    });
}

#[test]
fn a_claim_that_nothing_is_left_to_do_is_judged_twice_by_the_tests_and_then_waits() {
    let garden = Garden::new(&one_task(&["echo 'a.txt is missing'; test -f a.txt"]));
    garden.agent("if [ $ARBORIST_STEP = implement ]; then echo 'It is all there.'; echo; echo 'NOTHING LEFT TO DO'; exit 0; fi");
    garden.run(&["gardener"]).assert(7, &["NOTHING LEFT TO DO"]);
    assert_eq!(garden.asked().len(), 2, "{:?}", garden.asked());
    assert_eq!(garden.subjects().iter().filter(|subject| subject.contains("tests fail")).count(), 2);
}

#[test]
fn an_agent_that_fails_with_the_same_words_waits_for_a_person_too() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent("sleep 11; echo 'I could not find the module.'; exit 1");
    garden.run(&["gardener"]).assert(7, &["I could not find the module."]);
    assert_eq!(garden.asked().len(), 2, "{:?}", garden.asked());
}

#[test]
fn the_same_answer_to_two_tasks_ends_the_run() {
    let garden = Garden::new(&four_tasks());
    garden.agent("echo 'Hello! How can I help you today?'; exit 0");
    let ended = garden.run(&["gardener"]);
    ended.assert(4, &["T002 ends with the same answer as T001", "How can I help you today?"]);
    assert_eq!(garden.asked().len(), 4, "{:?}", garden.asked());
    // Started again, it goes on with the tasks that wait for nobody.
    garden.agent("");
    garden.run(&["gardener"]).assert(7, &[]);
    let states = document(&garden.run(&["status", "--json"]));
    assert_eq!(
        (&states["counts"]["asked"], &states["counts"]["complete"]),
        (&json!(2), &json!(1)),
        "{states:#}"
    );
}

#[test]
fn with_the_setting_fail_a_repeated_answer_fails_the_task() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.config("arborist.onBlocked", "fail");
    side_by_side([ASKS, "echo 'BLOCKED: which file?'; exit 0"], |script| {
        let garden = garden.copy();
        garden.agent(script);
        garden.run(&["gardener"]).assert(1, &["T001 failed"]);
        assert_eq!(garden.asked().len(), 2, "{:?}", garden.asked());
    });
}

#[test]
fn several_workers_ask_each_of_their_tasks_at_most_twice() {
    let tasks: Vec<String> = (1..=4).map(|number| format!("T00{number}")).collect();
    let mut nodes = vec![("p1", "", &[][..], &[][..])];
    nodes.extend(tasks.iter().map(|name| (name.as_str(), "p1", &[][..], &["true"][..])));
    let garden = Garden::new(&plan(&nodes));
    garden.agent(&format!("case $work in T003.*) ;; *) echo \"About $ARBORIST_TASK:\"; {ASKS};; esac"));
    garden.run(&["gardener", "--jobs", "2"]).assert(7, &["ASCII or UTF-8"]);
    for task in tasks {
        let calls =
            garden.asked().iter().filter(|work| work.starts_with(&format!("{task}.implement"))).count();
        assert_eq!(calls, if task == "T003" { 1 } else { 2 }, "{task}: {:?}", garden.asked());
    }
}

#[test]
fn tests_that_are_written_first_are_not_asked_for_five_times() {
    let mut tree = one_task(&["test ! -f code.txt"]);
    tree["nodes"]["T001"]["test_first"] = json!(true);
    let garden = Garden::new(&tree);
    garden.agent(ASKS);
    garden.run(&["gardener"]).assert(7, &["ASCII or UTF-8"]);
    assert_eq!(garden.asked(), ["T001.red.0", "T001.red.1"]);
}

#[test]
fn an_agent_that_does_the_task_when_it_is_asked_once_more_uses_up_no_attempt() {
    let garden = Garden::new(&one_task(&["test -f T001.txt"]));
    let once = "test -e \"$ROOT/asked\" || { touch \"$ROOT/asked\"; echo 'May I begin?'; exit 0; }";
    garden.agent(&format!("if [ $ARBORIST_STEP = implement ]; then {once}; fi"));
    garden.config("arborist.maxAttempts", "1");
    garden
        .run(&["gardener"])
        .assert(0, &["mine has changed nothing, does not say why, and is asked once more"]);
    assert_eq!(garden.asked()[..2], ["T001.implement.0", "T001.implement.0"]);
    let (first, second) = (&garden.prompts()[0].1, &garden.prompts()[1].1);
    let added = second.strip_prefix(first.as_str()).expect("the whole prompt once more");
    for part in [
        "You have answered this already:\n````\nMay I begin?\n````\n",
        "Nobody can answer now. Do the task, or end your answer with one of these:\n- `NOTHING LEFT TO DO` if",
        "- `BLOCKED: <question or reason>` if",
    ] {
        assert!(added.contains(part), "{part}: {added}");
    }
    let message = garden.git(&["log", "-1", "--format=%B", "--grep=^Arborist-Step: implement"]);
    assert!(message.contains("Arborist-Retry: 0") && !message.contains("May I begin?"), "{message}");
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn a_question_on_any_line_is_asked_at_once_if_nothing_was_changed() {
    let answers = [
        "BLOCKED: which date is meant?\\n\\nPlease tell me.",
        "```\\nBLOCKED: which date is meant?\\n- 1 May\\n- 1 June\\n```",
        "I looked.\\n\\n- **BLOCKED:** which date is meant?\\n\\nDONE",
        "{\"status\": \"blocked\", \"question\": \"which date is meant?\", \"answers\": [], \"notes\": \"\"}",
    ];
    side_by_side(answers, |said| {
        let garden = Garden::new(&one_task(&["true"]));
        garden.agent(&format!("printf '%b' '{said}'; exit 0"));
        garden.run(&["gardener"]).assert(7, &["which date is meant?"]);
        assert_eq!(garden.asked(), ["T001.implement.0"], "{said}");
        assert_eq!(garden.trailers("Arborist-Reason"), ["which date is meant?"], "{said}");
    });
    // With work beside it, only the last line counts.
    let garden = Garden::new(&one_task(&["test -f T001.txt"]));
    garden.agent("if [ $ARBORIST_STEP = implement ]; then echo x > T001.txt; printf 'BLOCKED: why?\\n\\nIt works now.\\n'; exit 0; fi");
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn a_line_of_the_prompt_that_is_repeated_is_no_question() {
    let mut tree = one_task(&["test -f T001.txt"]);
    tree["nodes"]["T001"]["description"] =
        json!("Write a script that prints this:\nBLOCKED: where is the door?");
    let garden = Garden::new(&tree);
    let says = "printf 'It is to print\\nBLOCKED: where is the door?\\nand that is clear.\\n'";
    let once = format!("test -e \"$ROOT/asked\" || {{ touch \"$ROOT/asked\"; {says}; exit 0; }}");
    garden.agent(&format!("if [ $ARBORIST_STEP = implement ]; then {once}; fi"));
    garden.run(&["gardener"]).assert(0, &["is asked once more"]);
}
