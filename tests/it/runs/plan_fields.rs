//! Tests the fields of a plan that choose runners, attempts, times and reviews, in every command that shows or obeys them.

use serde_json::{Value, json};

use crate::support::garden::{Garden, one_task, plan};

/// Two phases with a task each; `fields` are merged into the node of this id, or into the top for an empty id.
fn with_fields(fields: &[(&str, Value)]) -> Value {
    let mut tree = plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["test -f T001.txt"]),
        ("p2", "", &[], &[]),
        ("T002", "p2", &["T001"], &["test -f T002.txt"]),
    ]);
    for (id, more) in fields {
        let node = if id.is_empty() { &mut tree } else { &mut tree["nodes"][*id] };
        for (name, value) in more.as_object().unwrap() {
            node[name] = value.clone();
        }
    }
    tree
}

/// A garden in which the runner `other` does every task as well, and says so.
fn garden_with_two_runners(tree: &Value) -> Garden {
    let garden = Garden::new(tree);
    garden.runner(
        "other",
        "cat > /dev/null
        echo \"$ARBORIST_TASK.$ARBORIST_STEP.$ARBORIST_MODEL\" >> \"$ROOT/other\"
        [ $ARBORIST_STEP = review ] && { echo APPROVED; exit 0; }
        echo x >> $ARBORIST_TASK.txt",
    );
    garden
}

/// What the runner `other` was asked for.
fn asked_other(garden: &Garden) -> Vec<String> {
    let text = std::fs::read_to_string(garden.root().join("other")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_task_is_implemented_by_the_runner_and_model_that_the_plan_names_for_it() {
    let tree = with_fields(&[("p2", json!({"runner": "other", "model": "big"}))]);
    let garden = garden_with_two_runners(&tree);
    let dry = garden.run(&["gardener", "--dry-run"]);
    dry.assert(0, &[]);
    assert_eq!(dry.stdout.matches("other.sh").count(), 1, "{dry:#?}");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(asked_other(&garden), ["T002.implement.big"]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0", "T002.review.0"]);
    let runners = garden.lines(&["log", "--format=%(trailers:key=Arborist-Runner,valueonly,separator=%x2C)"]);
    assert!(runners.contains(&"other/big".to_owned()), "{runners:?}");
    let show = garden.run(&["show", "T002"]).stdout;
    assert!(show.contains("runner       other (from p2)") && show.contains("model        big"), "{show}");
    let show: Value = serde_json::from_str(&garden.run(&["show", "T002", "--json"]).stdout).unwrap();
    assert_eq!(show["fields"], json!({"runner": "other", "model": "big"}));
}

#[test]
fn the_plan_wins_over_the_configuration_and_an_option_or_a_variable_wins_over_the_plan() {
    let tree = with_fields(&[("", json!({"defaults": {"runner": "other"}}))]);
    let commands = |args: &[&str], env: Option<&str>| {
        let garden = garden_with_two_runners(&tree);
        garden.config("arborist.implement.runner", "mine");
        let mut command = garden.arborist(&[&["garden", "T001", "--dry-run"], args].concat());
        env.iter().for_each(|runner| _ = command.env("ARBORIST_RUNNER", runner));
        let dry = garden.finish(command);
        dry.assert(0, &[]);
        dry.stdout.matches("other.sh").count()
    };
    assert_eq!(commands(&[], None), 1);
    assert_eq!(commands(&["--runner", "mine"], None), 0);
    assert_eq!(commands(&[], Some("mine")), 0);
}

#[test]
fn a_missing_runner_of_the_plan_is_reported_before_the_first_task_begins() {
    for (runner, status, what) in
        [("codx", 2, "T002: there is no runner named codx (task-tree.json)"), ("codex", 4, "not installed")]
    {
        let garden = Garden::new(&with_fields(&[("T002", json!({"runner": runner}))]));
        let ended = garden.run(&["gardener"]);
        ended.assert(status, &[what, "T002"]);
        assert!(garden.asked().is_empty(), "{ended:#?}");
        let doctor = garden.run(&["doctor"]);
        assert_eq!(doctor.status, 1, "{doctor:#?}");
        assert!(doctor.stdout.contains("T002: ") && doctor.stdout.contains(runner), "{doctor:#?}");
        garden.run(&["garden", "T001"]).assert(0, &[]);
        garden.run(&["garden"]).assert(status, &[what]);
        garden.run(&["gardener", "--runner", "mine"]).assert(0, &[]);
        garden.run(&["gardener"]).assert(0, &[]);
    }
}

#[test]
fn a_runner_that_only_the_configuration_names_need_not_exist_if_the_plan_names_one_for_every_task() {
    let garden = garden_with_two_runners(&with_fields(&[("", json!({"defaults": {"runner": "other"}}))]));
    garden.git(&["config", "--unset", "arborist.runner"]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(asked_other(&garden).len(), 4, "it reviews as well, because no reviewer is chosen");
    let doctor = garden.run(&["doctor"]).stdout;
    assert!(doctor.contains("which the plan chooses for T001"), "{doctor}");
    assert!(!doctor.contains("no agent was found"), "{doctor}");
}

#[test]
fn a_task_has_as_many_attempts_as_the_plan_says_in_every_command() {
    let mut tree =
        with_fields(&[("T001", json!({"max_retries": 2})), ("", json!({"defaults": {"max_retries": 3}}))]);
    tree["nodes"]["T001"]["test_commands"][0]["command"] = json!("false");
    let garden = Garden::new(&tree);
    let next: Value = serde_json::from_str(&garden.run(&["next", "--json"]).stdout).unwrap();
    assert_eq!((&next["max_attempts"], &next["fields"]["max_retries"]), (&json!(2), &json!(2)));
    assert!(garden.run(&["next"]).stdout.contains("attempt 1 of 2"));
    let ended = garden.run(&["gardener"]);
    ended.assert(1, &["T001 failed"]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.implement.1"]);
    let show: Value = serde_json::from_str(&garden.run(&["show", "T002", "--json"]).stdout).unwrap();
    assert_eq!(show["max_attempts"], 3);
    assert!(garden.subjects().iter().any(|subject| subject.contains("attempt 2/2")));
    let more = garden.run(&["gardener", "--failed", "--max-attempts", "3"]);
    more.assert(1, &[]);
    assert_eq!(garden.asked().len(), 5, "an option wins over the plan");
}

#[test]
fn status_counts_attempts_as_the_plan_says() {
    let mut tree = one_task(&["false"]);
    tree["nodes"]["T001"]["max_retries"] = json!(7);
    let garden = Garden::new(&tree);
    garden.agent("[ $work = T001.implement.1 ] && exit 127");
    garden.run(&["gardener"]).assert(4, &[]);
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains("next: implement 2/7"), "{status}");
}

#[test]
fn a_task_without_review_is_completed_after_its_tests() {
    let garden = Garden::new(&with_fields(&[("p1", json!({"review": false}))]));
    let dry = garden.run(&["garden", "T001", "--dry-run"]).stdout;
    assert!(!dry.contains("review"), "{dry}");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T002.implement.0", "T002.review.0"]);
    let garden = Garden::new(&with_fields(&[("p1", json!({"review": false}))]));
    let mut command = garden.arborist(&["garden", "T001"]);
    command.env("ARBORIST_REVIEW", "true");
    garden.finish(command).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"], "a variable wins over the plan");
}

#[test]
fn a_task_that_the_plan_wants_reviewed_is_reviewed_although_reviews_are_off() {
    let garden = Garden::new(&with_fields(&[("T002", json!({"review": true}))]));
    garden.config("arborist.review", "false");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T002.implement.0", "T002.review.0"]);
}

#[test]
fn a_runner_is_ended_after_the_time_that_the_plan_gives_it() {
    let garden = Garden::new(&with_fields(&[("T001", json!({"timeout": 1, "max_retries": 1}))]));
    garden.agent("[ $work = T001.implement.0 ] && sleep 100");
    garden.run(&["garden", "T001"]).assert(1, &["T001 failed"]);
    let failed = garden.git(&["log", "--format=%B", "--grep=implement"]);
    assert!(failed.contains("1 s"), "{failed}");
}

#[test]
fn a_plan_with_wrong_fields_runs_nothing_and_names_them_all() {
    let garden = Garden::new(&with_fields(&[("T001", json!({"runner": 3, "timeout": 0, "model": "-x"}))]));
    garden.run(&["gardener"]).assert(2, &["3 problems", "T001.runner", "T001.timeout", "T001.model"]);
}
