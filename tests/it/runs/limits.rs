//! Tests runs of a part of the plan, and runs that end before everything is done: at a time, after some tasks, or for a
//! person to look.

use serde_json::{Value, json};

use crate::support::garden::{Ended, Garden, plan};

/// Two phases of two tasks; T003 waits for T001, and T004 for T003.
fn two_phases() -> Value {
    plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &[], &["true"]),
        ("p2", "", &[], &[]),
        ("T003", "p2", &["T001"], &["true"]),
        ("T004", "p2", &["T003"], &["true"]),
    ])
}

/// The tasks that were implemented, in order.
fn implemented(garden: &Garden) -> Vec<String> {
    let asked = garden.asked().into_iter();
    asked.filter_map(|work| Some(work.strip_suffix(".implement.0")?.to_owned())).collect()
}

/// The last event of a run.
fn end_of(ended: &Ended) -> Value {
    serde_json::from_str(ended.stdout.lines().last().unwrap()).unwrap()
}

#[test]
fn a_run_below_a_node_works_on_nothing_else() {
    let garden = Garden::new(&two_phases());
    let dry = garden.run(&["gardener", "p1", "--dry-run"]).stdout;
    assert!(dry.contains("T002") && !dry.contains("T003"), "{dry}");
    let ended = garden.run(&["gardener", "p1", "--no-review"]);
    ended.assert(0, &[]);
    assert_eq!(ended.stdout, "2/4 complete\n");
    assert_eq!(implemented(&garden), ["T001", "T002"]);
    assert!(garden.subjects().contains(&"phase(p1): complete".to_owned()));
    garden.run(&["gardener", "p1"]).assert(0, &[]);
    garden.run(&["gardener", "T003", "T004", "--no-review"]).assert(0, &[]);
    assert_eq!(implemented(&garden), ["T001", "T002", "T003", "T004"]);
}

#[test]
fn a_task_that_waits_for_one_that_was_not_named_is_named_at_the_end() {
    let garden = Garden::new(&two_phases());
    let words = ["T003, T004 wait for T001, which is not among the tasks that you named", "gardener p2 T001"];
    let dry = garden.run(&["gardener", "p2", "--dry-run"]);
    assert!(dry.status == 0 && words.iter().all(|words| dry.stdout.contains(words)), "{dry:#?}");
    garden.run(&["gardener", "p2"]).assert(1, &words);
    assert!(implemented(&garden).is_empty());
    garden.run(&["gardener", "T002", "T004"]).assert(1, &["T004 waits for T001, T003"]);
    assert_eq!(implemented(&garden), ["T002"]);
    let end = end_of(&garden.run(&["gardener", "p2", "--json"]));
    assert_eq!((&end["reason"], &end["status"]), (&json!("waiting"), &json!(1)));
    assert!(end["message"].as_str().unwrap().contains("T001"), "{end}");
    garden.run(&["gardener", "p2", "T001", "--no-review"]).assert(0, &[]);
    let unknown = garden.run(&["gardener", "p3"]);
    unknown.assert(2, &["there is no task or phase p3"]);
}

#[test]
fn failures_elsewhere_do_not_keep_a_run_below_a_node_from_working() {
    let mut tree = two_phases();
    tree["nodes"]["T002"]["test_commands"][0]["command"] = json!("false");
    let garden = Garden::new(&tree);
    garden.run(&["gardener", "T002", "--max-attempts", "1"]).assert(1, &["T002 failed"]);
    garden.run(&["gardener", "T001", "p2", "--no-review"]).assert(0, &[]);
    garden.run(&["gardener", "T001", "--failed"]).assert(0, &[]);
    assert_eq!(implemented(&garden), ["T002", "T001", "T003", "T004"], "T002 is not tried again");
    garden.run(&["gardener", "p1"]).assert(1, &["T002 failed in an earlier run"]);
    garden.run(&["gardener", "p1", "--failed", "--max-attempts", "1"]).assert(1, &["T002 failed"]);
    assert_eq!(implemented(&garden).len(), 5);
}

#[test]
fn an_unfinished_plan_never_looks_like_a_finished_one() {
    let cases: [(&[&str], &[&str], &str, &str); 5] = [
        (&["--max-tasks", "1"], &["T001"], "after 1 task (--max-tasks)", "--max-tasks 1"),
        (&["--gate", "task"], &["T001"], "after 1 task (--gate)", "gardener --gate task"),
        (&["--gate", "every:3"], &["T001", "T002", "T003"], "after 3 tasks (--gate)", "--gate every:3"),
        (&["--gate", "phase"], &["T001", "T002"], "after a phase (--gate)", "--gate phase"),
        (&["--gate", "phase", "--max-tasks", "1"], &["T001"], "(--max-tasks)", "--max-tasks 1"),
    ];
    for (options, expected, why, next) in cases {
        let garden = Garden::new(&two_phases());
        garden.config("arborist.review", "false");
        let dry = garden.run(&[&["gardener", "--dry-run"], options].concat()).stdout;
        assert_eq!(dry.matches(": implement, test").count(), expected.len(), "{dry}");
        let ended = garden.run(&[&["gardener"], options].concat());
        ended.assert(1, &["The run ended", why, "still open", next, "continues from there"]);
        assert!(!ended.stderr.contains("error:"), "{ended:#?}");
        assert_eq!(implemented(&garden), expected, "{options:?}");
        let mut rest = 0;
        while garden.run(&[&["gardener"], options].concat()).status != 0 {
            rest += 1;
            assert!(rest < 5, "{options:?}");
        }
        assert_eq!(implemented(&garden), ["T001", "T002", "T003", "T004"]);
    }
    let garden = Garden::new(&two_phases());
    garden.run(&["gardener", "p1", "--max-tasks", "1"]).assert(1, &["gardener p1 --max-tasks 1"]);
    garden.run(&["gardener", "--no-review", "--gate", "none"]).assert(0, &[]);
    garden.run(&["gardener", "--gate", "every:0"]).assert(2, &["every:N"]);
}

#[test]
fn the_end_event_says_why_the_run_ended() {
    let garden = Garden::new(&two_phases());
    garden.config("arborist.review", "false");
    let reason =
        |args: &[&str]| end_of(&garden.run(&[&["gardener", "--json"], args].concat()))["reason"].clone();
    assert_eq!(reason(&["--max-tasks", "1"]), "max-tasks");
    assert_eq!(reason(&["--gate", "phase"]), "gate");
    assert_eq!(reason(&["T003"]), "complete");
    assert_eq!(reason(&[]), "complete");
    garden.run(&["garden", "T001", "--json"]).assert(0, &[]);
}

#[test]
fn no_step_begins_when_the_time_is_over_and_the_one_at_work_is_finished() {
    let soon = || {
        let at = std::process::Command::new("date").args(["-d", "2 seconds", "+%H:%M:%S"]).output().unwrap();
        String::from_utf8(at.stdout).unwrap().trim().to_owned()
    };
    for option in ["--max-time", "--until"] {
        let garden = Garden::new(&two_phases());
        garden.agent("[ $work = T001.implement.0 ] && sleep 3");
        let time = if option == "--until" { soon() } else { "1".to_owned() };
        let ended = garden.run(&["gardener", option, &time]);
        ended.assert(
            1,
            &["The run ended", option, "4 tasks are still open", "`git arborist gardener` continues"],
        );
        assert_eq!(garden.steps().len(), 1, "the step was committed: {:?}", garden.steps());
        assert_eq!(garden.status(), [""; 0]);
        let garden_one = garden.run(&["garden", "T001", "--max-time", "1h", "--no-review"]);
        garden_one.assert(0, &[]);
    }
    let garden = Garden::new(&two_phases());
    garden.agent("sleep 2");
    garden
        .run(&["garden", "T002", "--max-time", "1"])
        .assert(1, &["(--max-time)", "git arborist garden T002"]);
    let dry =
        garden.run(&["gardener", "--max-time", "8h", "--until", "2999-01-01 06:30", "--dry-run"]).stdout;
    assert!(dry.contains("No step begins after 8 h") && dry.contains("2999-01-01 06:30"), "{dry}");
    for bad in ["25:00", "2001-01-01 00:00", "soon"] {
        garden.run(&["gardener", "--until", bad]).assert(2, &["--until"]);
    }
}

#[test]
fn a_run_that_waits_for_a_runner_ends_when_its_time_is_over() {
    let garden = Garden::new(&two_phases());
    garden.agent("echo \"ERROR: You've hit your usage limit. Try again later.\" >&2; exit 1");
    let ended = garden.run(&["gardener", "--max-time", "2"]);
    ended.assert(1, &["while it waited for a runner", "no attempt is used up"]);
    assert!(garden.steps().is_empty());
}
