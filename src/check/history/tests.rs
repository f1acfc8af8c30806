//! Tests histories in order and out of order, one commit per line.

use super::*;
use crate::record::commit_kind;

/// A commit for each line: `T1 test fail 0`, `revert 3` (of the commit on the third line), or anything else.
fn findings(start: HistoryStart, reviews: Reviews, lines: &[&str]) -> Vec<(usize, Rule)> {
    let id = |number: usize| CommitId::from_hex(format!("{number:040}").as_bytes()).unwrap();
    let mut history = History::new(start, reviews);
    for (number, line) in (1..).zip(lines) {
        let message = message(line, &|number| id(number).to_string());
        if let Some(change) =
            HistoryChange::of(commit_kind(message.as_bytes()), message.as_bytes(), parents_in(line))
        {
            history.take(id(number), &change);
        }
    }
    let number = |finding: &HistoryFinding| finding.commit.to_string().parse().unwrap();
    history.findings().iter().map(|finding| (number(finding), finding.rule)).collect()
}

/// `T1 implement pass 1 merge` has two parents.
fn parents_in(line: &str) -> usize {
    if line.ends_with(" merge") { 2 } else { 1 }
}

fn message(line: &str, id: &dyn Fn(usize) -> String) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    match words[..] {
        ["revert", number] => format!("Undo it\n\nThis reverts commit {}.\n", id(number.parse().unwrap())),
        ["reference", number] => {
            format!("Undo it\n\nThis reverts commit {} (x, 2026-11-20).\n", id(number.parse().unwrap()))
        }
        ["merge", number] => {
            let id = id(number.parse().unwrap());
            format!("Undo it\n\nThis reverts commit {id}, reversing\nchanges made to {id}.\n")
        }
        ["title", task] => format!("Revert \"task({task}): x\"\n"),
        ["reverts", numbers] => {
            let line = |number: &str| format!("This reverts commit {}.\n", id(number.parse().unwrap()));
            format!("Undo them\n\n{}", numbers.split(',').map(line).collect::<String>())
        }
        [task, step, outcome, attempt, "user"] => {
            let run = message(&[task, step, outcome, attempt].join(" "), id);
            format!("{run}Arborist-By: user\n")
        }
        [task, step, outcome, attempt, "merge" | "merges"] => {
            let of_run = message(&[task, step, outcome, attempt].join(" "), id);
            let onto = CommitId::from_hex(&[b'1'; 40]).unwrap();
            let (subject, trailers) = of_run.split_once("\n\n").unwrap();
            let heading = match step {
                "complete" => "The finished task could not be merged into the branch of the run at:",
                _ => "This step merges the branch of the run at:",
            };
            format!("{subject}\n\n{heading}\n- {onto}\n\n{trailers}")
        }
        [task, "review", "tests-rejected", attempt] => {
            let run = message(&[task, "review", "rejected", attempt].join(" "), id);
            format!("{run}Arborist-Reject: tests\n")
        }
        [task, step, outcome, attempt] => {
            let key = match step {
                "test" => "Test",
                "review" => "Review",
                _ => "Result",
            };
            format!(
                "task({task}): x\n\nArborist-Step: {step}\nArborist-{key}: {outcome}\nArborist-Retry: {attempt}\n"
            )
        }
        _ => format!("{line}\n"),
    }
}

fn run(lines: &[&str]) -> Vec<(usize, Rule)> {
    findings(HistoryStart::OfRun, Reviews::Needed, lines)
}

#[test]
fn the_whole_lifecycle_in_the_description_of_the_older_format_is_in_order() {
    let lines = [
        "T1 implement fail 0",
        "T1 test fail 0",
        "T1 implement pass 1",
        "T1 test pass 1",
        "T1 review approved 1",
        "T1 complete pass 1",
    ];
    assert_eq!(findings(HistoryStart::OfRun, Reviews::Needed, &lines), []);
    let passed = ["T1 implement fail 0", "T1 test pass 0"];
    assert_eq!(findings(HistoryStart::OfRun, Reviews::Needed, &passed), [(2, Rule::StepOrder)]);
}

#[test]
fn a_person_may_decide_at_any_time() {
    let histories: [&[&str]; 8] = [
        &["T1 complete skip 0 user"],
        &["T1 complete pass 0 user", "T1 reopen - 0 user", "T1 implement pass 0"],
        &["T1 implement pass 0", "T1 test fail 0", "T1 implement pass 1 user", "T1 test pass 1"],
        &["T1 implement pass 0", "T1 test pass 0", "T1 review approved 0 user", "T1 complete pass 0"],
        &["T1 implement pass 0", "T1 test pass 0", "T1 review rejected 0", "T1 review approved 0 user"],
        &["T1 implement fail 0", "T1 complete fail 0", "T1 complete skip 0 user", "T1 note - 0 user"],
        &["T1 note - 0 user", "T1 implement pass 0", "T1 note - 0 user", "T1 test pass 0"],
        &[
            "T1 implement pass 0",
            "T1 test pass 0",
            "T1 note - 0 user",
            "T2 note - 0 user",
            "T1 review approved 0",
        ],
    ];
    for history in histories {
        assert_eq!(run(history), [], "{history:?}");
    }
}

#[test]
fn a_person_cannot_judge_what_nobody_tested_or_work_on_what_is_done() {
    let histories: [(&[&str], usize); 4] = [
        (&["T1 review approved 0 user"], 1),
        (&["T1 implement pass 0", "T1 review approved 0 user"], 2),
        (&["T1 complete pass 0 user", "T1 implement pass 0 user"], 2),
        (&["T1 complete skip 0 user", "T1 reopen - 0 user", "T1 review rejected 0 user"], 3),
    ];
    for (history, place) in histories {
        assert_eq!(run(history), [(place, Rule::StepOrder)], "{history:?}");
    }
    let after_skip = ["T1 complete skip 0 user", "T1 implement pass 0"];
    assert_eq!(run(&after_skip), [(2, Rule::AfterComplete)]);
}

#[test]
fn a_correct_run_has_no_findings() {
    let lines = [
        "T1 implement pass 0",
        "T1 test fail 0",
        "T1 implement fail 1",
        "T1 implement pass 2",
        "somebody else's commit",
        "T1 test pass 2",
        "T1 review rejected 2",
        "T1 implement pass 3",
        "T1 test pass 3",
        "T1 review approved 3",
        "T1 complete pass 0",
        "T2 implement fail 0",
        "T2 complete fail 0",
        "T2 implement pass 0",
    ];
    assert_eq!(run(&lines), []);
}

#[test]
fn a_correct_run_with_tests_that_are_written_first_has_no_findings() {
    let lines = [
        "T1 red fail 0",
        "T1 red pass 1",
        "T1 implement pass 1",
        "T1 test pass 1",
        "T1 review tests-rejected 1",
        "T1 red pass 2",
        "T1 implement pass 2",
        "T1 test fail 2",
        "T1 implement pass 3",
        "T1 test pass 3",
        "T1 review approved 3",
        "T1 complete pass 0",
        "T1 reopen - 0 user",
        "T1 red fail 0",
        "T1 complete fail 0",
        "T1 red pass 0",
    ];
    assert_eq!(run(&lines), []);
}

#[test]
fn a_task_may_cease_to_be_test_first_and_become_it() {
    let histories: [&[&str]; 4] = [
        &["T1 red pass 0", "T1 implement pass 0"],
        &["T1 red fail 0", "T1 implement pass 1"],
        &["T1 implement pass 0", "T1 test pass 0", "T1 review tests-rejected 0", "T1 implement pass 1"],
        &["T1 implement pass 0", "T1 test pass 0", "T1 review tests-rejected 0", "T1 red pass 1"],
    ];
    for history in histories {
        assert_eq!(run(history), [], "{history:?}");
    }
}

#[test]
fn failing_tests_out_of_turn_are_named() {
    type Case = (&'static [&'static str], (usize, Rule));
    let cases: [Case; 8] = [
        (&["T1 red pass 0", "T1 red pass 0"], (2, Rule::StepOrder)),
        (&["T1 red pass 0", "T1 test pass 0"], (2, Rule::StepOrder)),
        (&["T1 implement pass 0", "T1 red pass 0"], (2, Rule::StepOrder)),
        (&["T1 implement pass 0", "T1 test fail 0", "T1 red pass 1"], (3, Rule::StepOrder)),
        (
            &["T1 implement pass 0", "T1 test pass 0", "T1 review rejected 0", "T1 red pass 1"],
            (4, Rule::StepOrder),
        ),
        (&["T1 red pass 0", "T1 implement pass 1"], (2, Rule::RetryJump)),
        (&["T1 red fail 0", "T1 red pass 2"], (2, Rule::RetryJump)),
        (&["T1 red pass 0", "T1 review approved 0 user"], (2, Rule::StepOrder)),
    ];
    for (lines, expected) in cases {
        assert_eq!(run(lines), [expected], "{lines:?}");
    }
}

#[test]
fn attempt_numbers_of_the_older_format_are_accepted_too() {
    let lines = ["T1 implement fail 1", "T1 implement pass 1", "T1 test fail 2", "T1 implement pass 2"];
    assert_eq!(run(&lines), []);
}

#[test]
fn a_step_that_cannot_follow_is_named() {
    type Case = (&'static [&'static str], &'static [(usize, Rule)]);
    let cases: &[Case] = &[
        (&["T1 test pass 0"], &[(1, Rule::StepOrder)]),
        (&["T1 implement pass 0", "T1 review approved 0"], &[(2, Rule::StepOrder)]),
        (&["T1 implement fail 0", "T1 test pass 0"], &[(2, Rule::StepOrder)]),
        (&["T1 implement pass 0", "T1 implement pass 0"], &[(2, Rule::StepOrder)]),
        (&["T1 implement pass 0", "T1 test pass 0", "T1 complete pass 0"], &[(3, Rule::StepOrder)]),
        (&["T1 implement pass 0", "T1 test fail 0", "T1 complete pass 0"], &[(3, Rule::StepOrder)]),
        (&["T1 implement fail 2"], &[(1, Rule::RetryJump)]),
        (&["T1 implement pass 0", "T1 test pass 3"], &[(2, Rule::RetryJump)]),
        (&["T1 implement fail 0", "T1 implement fail 1", "T1 implement pass 0"], &[(3, Rule::RetryJump)]),
    ];
    for (lines, expected) in cases {
        assert_eq!(run(lines), *expected, "{lines:?}");
    }
}

#[test]
fn without_reviews_a_passed_test_is_enough() {
    let lines = ["T1 implement pass 0", "T1 test pass 0", "T1 complete pass 0"];
    assert_eq!(findings(HistoryStart::OfRun, Reviews::Off, &lines), []);
}

#[test]
fn missing_steps_before_a_range_are_not_criticised() {
    let lines = ["T1 review approved 4", "T1 complete pass 0"];
    assert_eq!(findings(HistoryStart::Anywhere, Reviews::Needed, &lines), []);
    assert_eq!(run(&lines), [(1, Rule::StepOrder)]);
}

#[test]
fn a_complete_task_is_done_unless_its_completion_is_reverted() {
    let done = ["T1 implement pass 0", "T1 test pass 0", "T1 review approved 0", "T1 complete pass 0"];
    let with = |more: &[&'static str]| [&done[..], more].concat();
    assert_eq!(run(&with(&["T1 implement pass 1"])), [(5, Rule::AfterComplete)]);
    assert_eq!(run(&with(&["revert 4", "T1 complete pass 0"])), []);
    assert_eq!(run(&with(&["revert 4", "revert 5", "T1 implement pass 1"])), [(7, Rule::AfterComplete)]);
}

#[test]
fn chains_of_reverts_are_followed_in_every_form() {
    let done = ["T1 implement pass 0", "T1 test pass 0", "T1 review approved 0", "T1 complete pass 0"];
    let with = |more: &[&'static str]| [&done[..], more].concat();
    let again = "T1 complete pass 0";
    assert_eq!(run(&with(&["reference 4", again])), []);
    assert_eq!(run(&with(&["revert 4", "reference 5", "revert 6", again])), []);
    assert_eq!(run(&with(&["revert 4", "reference 5", again])), [(7, Rule::AfterComplete)]);
}

#[test]
fn a_commit_may_revert_one_step_and_restore_another() {
    let lines = [
        "T1 implement pass 0",
        "T1 test pass 0",
        "T2 implement pass 0",
        "revert 2",
        "reverts 4,3",
        // Now T1 is no longer tested, and T2 is implemented.
        "revert 5",
        "T2 test pass 0",
        "T1 test pass 0",
    ];
    let found = run(&lines);
    assert!(found.iter().all(|(_, rule)| *rule == Rule::Interleaved), "{found:?}");
}

#[test]
fn reverts_of_reverts_take_bounded_time_and_memory() {
    let step = |number: usize| format!("T{number} implement pass 0");
    // Each line would double the reverted steps if they were not counted once. A thousand steps at once are not
    // followed.
    for (steps, expected) in [(50, vec![(132, Rule::StepOrder)]), (1000, Vec::new())] {
        let mut lines: Vec<String> = (0..steps).map(step).collect();
        let all: Vec<String> = (1..=steps).map(|number| number.to_string()).collect();
        lines.push(format!("reverts {}", all.join(",")));
        for _ in 0..80 {
            let last = lines.len();
            lines.push(format!("reverts {last},{last},{last}"));
        }
        lines.push("T7 review approved 0".to_owned());
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(run(&lines), expected, "{steps}");
    }
}

#[test]
fn after_a_revert_that_may_mean_any_step_the_next_one_is_not_criticised() {
    let done = ["T1 implement pass 0", "T1 test pass 0", "T1 review approved 0", "T1 complete pass 0"];
    let with = |more: &[&'static str]| [&done[..], more].concat();
    for vague in ["merge 99", "revert 99", "title T1"] {
        assert_eq!(run(&with(&[vague, "T1 implement pass 0"])), [], "{vague}");
        let wrong = [vague, "T1 implement pass 0", "T1 review approved 0"];
        assert_eq!(run(&with(&wrong)), [(7, Rule::StepOrder)], "{vague}");
    }
    let other = ["title T2", "T1 implement pass 0"];
    assert_eq!(run(&with(&other)), [(6, Rule::AfterComplete)], "it speaks of another task");
}

#[test]
fn two_runs_that_take_turns_are_reported() {
    let turns = ["T1 implement pass 0", "T2 implement pass 0", "T1 test pass 0", "T2 test pass 0"];
    assert_eq!(run(&turns), [(3, Rule::Interleaved), (4, Rule::Interleaved)]);
    let rests = ["T1 implement fail 0", "T2 implement pass 0", "T2 test pass 0"];
    assert_eq!(run(&rests), []);
}

#[test]
fn after_a_completion_only_the_merge_that_it_needs_may_follow_or_its_failure() {
    let done = ["T1 implement pass 0", "T1 test pass 0", "T1 review approved 0", "T1 complete pass 0"];
    let with = |more: &[&str]| run(&[&done[..], more].concat());
    assert_eq!(
        with(&["T1 implement pass 1 merge", "T1 test pass 1", "T1 review approved 1", "T1 complete pass 1"]),
        []
    );
    // What has failed commits nothing of the merge, and the next attempt makes it.
    assert_eq!(with(&["T1 implement fail 1 merges", "T1 implement pass 2 merge"]), []);
    assert_eq!(with(&["T1 complete fail 0 merges", "T1 implement pass 0 merge"]), []);
    // A step that only says so is no merge, and no other step may follow.
    assert_eq!(with(&["T1 implement pass 1 merges"]), [(5, Rule::AfterComplete)]);
    assert_eq!(with(&["T1 test pass 1 merge"]), [(5, Rule::AfterComplete)]);
    assert_eq!(with(&["T1 complete fail 0"]), [(5, Rule::AfterComplete)]);
    assert_eq!(with(&["T1 complete pass 0 merges"]), [(5, Rule::AfterComplete)]);
}
