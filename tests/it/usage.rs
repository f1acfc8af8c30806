//! Tests what is told about the tokens and the costs that the commits of a run record.

use serde_json::{Value, json};

use crate::support::cli::{PLAN, Story, arborist};
use crate::support::repo::Repo;
use crate::support::reports::used;

/// T001 was implemented twice, of which the second time is reverted, and T003 once by an agent that reports no cost.
fn partly_known() -> Repo {
    let mut story = Story::of(PLAN);
    for (subject, trailers) in [
        ("task(T001): implement \"Create schema\" (failed, attempt 1/5)", "Arborist-Cost: 1.5\n"),
        (
            "task(T001): implement \"Create schema\"",
            "Arborist-Tokens: in=1200 out=340 cached=900\nArborist-Cost: 0.25\n",
        ),
        ("task(T003): implement \"Build endpoints\"", "Arborist-Tokens: in=10 out=5\n"),
        ("task(T003): review rejected for \"Build endpoints\" (attempt 1/5)", "Arborist-Cost: $9\n"),
    ] {
        story = used(story, subject, trailers);
    }
    let (repo, ids) = story.told(600);
    repo.git(&["revert", "--no-edit", &ids[2].to_string()]);
    repo
}

fn totals(document: &Value) -> [Value; 5] {
    ["agent_steps", "tokens", "tokens_known_for", "cost", "cost_known_for"].map(|name| document[name].clone())
}

#[test]
fn status_sums_up_what_is_known_and_says_for_how_many_steps_that_is() {
    let repo = partly_known();
    // The second time, the answer is stored.
    for _ in 0..2 {
        let document = arborist(repo.path(), &["status", "--json"]).json();
        let tokens = json!({"input": 1210, "output": 345, "cached": 900});
        assert_eq!(totals(&document), [json!(4), tokens, json!(2), json!(1.75), json!(2)]);
        let tasks = &document["tasks"];
        let tokens = json!({"input": 1200, "output": 340, "cached": 900});
        assert_eq!(totals(&tasks[0]), [json!(2), tokens, json!(1), json!(1.75), json!(2)]);
        assert_eq!(totals(&tasks[1]), [json!(0), json!(null), json!(0), json!(null), json!(0)]);
        let tokens = json!({"input": 10, "output": 5, "cached": null});
        assert_eq!(totals(&tasks[2]), [json!(2), tokens, json!(1), json!(null), json!(0)]);
    }
}

#[test]
fn show_tells_what_each_step_and_the_task_have_used() {
    let repo = partly_known();
    let document = arborist(repo.path(), &["show", "T001", "--json"]).json();
    let tokens = json!({"input": 1200, "output": 340, "cached": 900});
    assert_eq!(totals(&document), [json!(2), tokens.clone(), json!(1), json!(1.75), json!(2)]);
    let steps: Vec<&Value> = document["attempts"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|attempt| attempt["steps"].as_array().unwrap())
        .collect();
    assert_eq!(steps.len(), 2);
    assert_eq!([&steps[0]["tokens"], &steps[0]["cost"]], [&json!(null), &json!(1.5)]);
    assert_eq!([&steps[1]["tokens"], &steps[1]["cost"]], [&tokens, &json!(0.25)]);
    let text = arborist(repo.path(), &["show", "T001", "--plain"]).answer();
    assert!(text.contains("claude  1,200 tokens read, 340 written, 900 from a cache, $0.25"), "{text}");
    assert!(
        text.contains("Used\n  1,200 tokens read, 340 written, 900 from a cache, $1.75 (unknown: the tokens of 1 of 2 steps)"),
        "{text}"
    );
}

#[test]
fn check_finds_a_wrong_cost_in_a_commit() {
    let repo = partly_known();
    let said = arborist(repo.path(), &["check", "HEAD~5..HEAD"]);
    assert!(format!("{said:?}").contains("`$9` is not an amount of money"), "{said:?}");
}
