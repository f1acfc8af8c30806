//! Tests `git arborist stats`, as people and scripts call it.

use git_arborist::record::Outcome::{Fail, Pass};
use serde_json::{Value, json};

use crate::support::cli::{PLAN, Story, arborist};
use crate::support::repo::Repo;
use crate::support::reports::used;

/// T001 passed at once, T003 needed three attempts, T002 has failed, and nobody has worked on T004.
fn run() -> Repo {
    Story::of(PLAN)
        .whole("T001")
        .rejected_twice("T003")
        .implement("T003", 2, Pass)
        .test("T003", 2, Pass)
        .review("T003", 2, Pass)
        .complete("T003", 3)
        .implement("T002", 0, Fail)
        .failed("T002")
        .told(600)
        .0
}

#[test]
fn the_numbers_say_what_passed_at_once_and_what_rejected_the_rest() {
    let repo = run();
    let text = arborist(repo.path(), &["stats"]).answer();
    for line in [
        "Tasks       2 of 4 complete, 1 failed\n",
        "First pass  1 of 3 tasks that have ended (33 %)\n",
        "Attempts    5; a complete task needed 2.0 on average and 3 at most\n",
        "Rejected    1 by tests, 1 by a review, 1 by the agent itself\n",
        "Used        unknown: no agent reported it\n",
        "By people   0 of 15 steps (0 %)\n",
    ] {
        // How many steps there are follows from the story above.
        assert!(text.contains(line), "{line}{text}");
    }
    assert_eq!(arborist(repo.path(), &["report", "--stats"]).answer(), text);
    let document = arborist(repo.path(), &["stats", "--json", "--by", "phase"]).json();
    let rejected = json!({"tests": 1, "review": 1, "checks": 0, "agent": 1, "merge": 0});
    assert_eq!(document["total"]["rejected"], rejected);
    assert_eq!(document["total"]["cost"], Value::Null, "an unknown cost is never zero");
    let phases: Vec<_> = document["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| (group["key"].as_str().unwrap(), group["attempts"].as_u64().unwrap()))
        .collect();
    assert_eq!(phases, [("phase1", 2), ("phase2", 3)]);
}

#[test]
fn what_was_used_belongs_to_the_one_who_used_it_and_is_marked_if_it_is_known_in_part() {
    let mut story = Story::of(PLAN);
    for (subject, trailers) in [
        (
            "task(T001): implement \"Create schema\"",
            "Arborist-Tokens: in=1200 out=340\nArborist-Cost: 0.25\n",
        ),
        ("task(T001): review approved for \"Create schema\"", ""),
    ] {
        story = used(story, subject, trailers);
    }
    let repo = story.told(600).0;
    let text = arborist(repo.path(), &["stats", "--by", "runner"]).answer();
    let row = text.lines().find(|line| line.starts_with("claude")).unwrap();
    assert!(row.ends_with("2 min  1,540+  $0.25+"), "{text}");
    assert!(text.contains("some agents did not report it"), "{text}");
}

#[test]
fn a_part_of_the_plan_is_counted_alone_and_an_unknown_part_is_named() {
    let repo = run();
    let document = arborist(repo.path(), &["stats", "--json", "phase2"]).json();
    assert_eq!((&document["total"]["tasks"], &document["total"]["attempts"]), (&json!(2), &json!(3)));
    let said = arborist(repo.path(), &["stats", "phase3"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(said.err.contains("phase3"), "{said:?}");
    let said = arborist(repo.path(), &["stats", "--by", "agents"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("runner"), "{said:?}");
}

#[test]
fn a_run_that_has_not_begun_has_no_numbers_yet() {
    let repo = Story::of(PLAN).told(60).0;
    let text = arborist(repo.path(), &["stats", "--by", "model", "--plain"]).answer();
    assert!(text.is_ascii(), "{text}");
    assert!(text.contains("0 of 4 complete") && text.contains("no task has ended yet"), "{text}");
}
