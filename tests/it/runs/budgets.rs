//! Tests the limits of what tasks and runs may use.

use serde_json::{Value, json};

use crate::support::garden::{Garden, one_task};

/// A task whose first step is committed, with these trailers about what it has used.
fn begun(trailers: &str) -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    step(
        &garden,
        "implement \"Do T001\"",
        &format!("Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n{trailers}"),
    );
    garden
}

fn step(garden: &Garden, subject: &str, trailers: &str) {
    let message = format!("task(T001): {subject}\n\n{trailers}");
    garden.git(&["commit", "-q", "--allow-empty", "--no-verify", "-m", message.trim_end()]);
}

fn end_of(garden: &Garden, args: &[&str]) -> Value {
    serde_json::from_str(garden.run(args).stdout.lines().last().unwrap()).unwrap()
}

#[test]
fn no_step_of_a_task_begins_after_it_has_used_as_much_as_it_may() {
    for (setting, trailers, low, high, words) in [
        ("maxCost", "Arborist-Cost: 1.50\n", "1.5", "2", "have cost $1.50, and the limit is $1.50"),
        (
            "maxTokens",
            "Arborist-Tokens: in=400000 out=100000 cached=900000\n",
            "500k",
            "1M",
            "have used 500,000 tokens, and the limit is 500,000",
        ),
        ("maxTime", "Arborist-Duration: 7200\n", "1h", "3h", "have taken 2 h"),
    ] {
        let garden = begun(trailers);
        let key = format!("arborist.task.{setting}");
        garden.config(&key, low);
        let words = [words, "the steps of T001", &key, "1 task is still open", "Raise the limit"];
        // A run that is started again does not forget it.
        for args in [&["gardener", "--no-review"][..], &["garden", "T001", "--no-review"]] {
            garden.run(args).assert(1, &words);
        }
        let end = end_of(&garden, &["gardener", "--no-review", "--json"]);
        assert_eq!((&end["reason"], &end["status"]), (&json!("task-budget"), &json!(1)), "{end}");
        assert_eq!(garden.steps().len(), 1, "no step has begun");
        garden.config(&key, high);
        garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    }
}

#[test]
fn a_task_that_is_asked_for_again_has_a_new_budget_and_a_runner_that_reports_nothing_is_named_once() {
    let garden = begun("Arborist-Runner: claude\nArborist-Cost: 5\n");
    garden.config("arborist.task.maxCost", "1");
    garden.run(&["garden", "T001"]).assert(1, &["arborist.task.maxCost"]);
    step(&garden, "failed \"Do T001\" after 1 retries", "Arborist-Step: complete\nArborist-Result: fail");
    let ended = garden.run(&["garden", "T001"]);
    ended.assert(0, &["does not report what its work costs"]);
    assert_eq!(ended.stderr.matches("does not report what its work costs").count(), 1, "{ended:#?}");
    assert!(!ended.stderr.contains("tokens it uses"), "tokens have no limit: {ended:#?}");
    assert!(!ended.stdout.contains("Agents in this run"), "nothing is known: {ended:#?}");
}

#[test]
fn a_plan_may_lower_the_budget_of_a_task_and_never_raise_it() {
    for (in_plan, of_user, allowed) in [(2.5, "10", 2.5), (50.0, "2", 2.0)] {
        let mut tree = one_task(&["true"]);
        tree["nodes"]["T001"]["max_cost"] = json!(in_plan);
        let garden = Garden::new(&tree);
        step(
            &garden,
            "implement \"Do T001\"",
            "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\nArborist-Cost: 3\n",
        );
        garden.config("arborist.task.maxCost", of_user);
        let words = format!("have cost $3.00, and the limit is ${allowed:.2}");
        garden.run(&["gardener"]).assert(1, &[&words]);
        let show: Value = serde_json::from_str(&garden.run(&["show", "T001", "--json"]).stdout).unwrap();
        assert_eq!(show["fields"]["max_cost"], json!(in_plan));
    }
}

#[test]
fn a_task_that_is_reopened_has_a_new_budget() {
    let garden = begun("Arborist-Cost: 5\n");
    garden.config("arborist.task.maxCost", "1");
    garden.run(&["mark", "reopen", "T001"]).assert(0, &[]);
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
}

#[test]
fn the_limits_of_a_run_are_told_before_it_and_wrong_ones_are_refused() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.config("arborist.task.maxTokens", "20k");
    let dry = garden.run(&["gardener", "--max-cost", "2.5", "--max-tokens", "1.5M", "--dry-run"]).stdout;
    for words in ["after a cost of $2.50 (--max-cost)", "after 1,500,000 tokens (--max-tokens)"] {
        assert!(dry.contains(words), "{words}: {dry}");
    }
    assert!(dry.contains("20,000 tokens (arborist.task.maxTokens)"), "{dry}");
    for bad in [["--max-cost", "0"], ["--max-cost", "$5"], ["--max-tokens", "many"], ["--max-tokens", "0"]] {
        garden.run(&["gardener", bad[0], bad[1]]).assert(2, &[bad[0]]);
    }
    garden.config("arborist.task.maxCost", "free");
    garden.run(&["gardener"]).assert(2, &["arborist.task.maxCost", "US dollars"]);
    assert!(garden.steps().is_empty());
}
