//! Tests `git arborist report`: every format, also for texts that want to be more than text.

use std::collections::BTreeSet;
use std::fs;

use git_arborist::record::Outcome::{Fail, Pass};
use git_arborist::report::ReportFormat;
use serde_json::{Value, json};

use crate::support::cli::{PLAN, Story, arborist, git_with_commands};
use crate::support::repo::Repo;
use crate::support::reports::{hostile, unfinished, used};

#[test]
fn every_format_shows_the_same_facts() {
    let repo = unfinished();
    let verdict = "1 of 4 tasks complete, 1 failed, tests pass for the complete one";
    let document = arborist(repo.path(), &["report", "--format", "json"]).json();
    assert!(document["verdict"].as_str().unwrap().starts_with(verdict), "{document:#}");
    assert_eq!((&document["version"], &document["run"]["state"]), (&json!(1), &json!("failed")));
    let markdown = arborist(repo.path(), &["report"]).answer();
    let page = arborist(repo.path(), &["report", "--format", "html"]).answer();
    for text in [&markdown, &page] {
        assert!(text.contains(verdict), "{text}");
        for task in document["tasks"].as_array().unwrap() {
            assert!(text.contains(task["name"].as_str().unwrap()), "{task}");
        }
        for item in document["look"].as_array().unwrap() {
            assert!(text.contains(item["task"].as_str().unwrap()), "{item}");
        }
        assert!(text.contains(document["prove"].as_str().unwrap()));
        assert!(text.contains("pytest tests/ -x"), "{text}");
    }
    assert!(page.contains("FAILED test_m.py::test_m"), "the page has the outputs of all attempts");
    assert!(markdown.contains("| ✓ T001 Create schema | 1 | 4 pass |"), "{markdown}");
    assert!(markdown.contains("- **Failed** T002: It failed after 1 attempt"), "{markdown}");
}

#[test]
fn the_numbers_say_what_passed_at_once_and_what_rejected_the_rest() {
    // T001 passed at once, T003 needed three attempts, T002 has failed, and nobody has worked on T004.
    let repo = Story::of(PLAN)
        .whole("T001")
        .rejected_twice("T003")
        .implement("T003", 2, Pass)
        .test("T003", 2, Pass)
        .review("T003", 2, Pass)
        .complete("T003", 3)
        .implement("T002", 0, Fail)
        .failed("T002")
        .told(600)
        .0;
    let page = arborist(repo.path(), &["report", "--format", "html"]).answer();
    for (label, value) in [
        ("Tasks", "2 of 4 complete, 1 failed"),
        ("First pass", "1 of 3 tasks that have ended (33 %)"),
        ("Attempts", "5; a complete task needed 2.0 on average and 3 at most"),
        ("Rejected", "1 by tests, 1 by a review, 1 by the agent itself"),
        ("Used", "unknown: no agent reported it"),
        // How many steps there are follows from the story above.
        ("By people", "0 of 15 steps (0 %)"),
    ] {
        assert!(page.contains(&format!("<dt>{label}</dt><dd>{value}</dd>")), "{label}: {value}");
    }
    let document = arborist(repo.path(), &["report", "--format", "json"]).json();
    let rejected = json!({"tests": 1, "review": 1, "checks": 0, "agent": 1, "merge": 0});
    assert_eq!(document["total"]["rejected"], rejected);
    assert_eq!(document["total"]["cost"], Value::Null, "an unknown cost is never zero");
    let attempts: Vec<_> =
        document["phases"].as_array().unwrap().iter().map(|phase| &phase["figures"]["attempts"]).collect();
    assert_eq!(attempts, [&json!(2), &json!(3)]);
}

#[test]
fn what_proofs_have_cost_is_counted_beside_the_tests() {
    let repo = Story::of(PLAN)
        .implement("T001", 0, Pass)
        .test("T001", 0, Fail)
        .implement("T001", 1, Pass)
        .proven("T001", 1)
        .review("T001", 1, Pass)
        .complete("T001", 2)
        .told(600)
        .0;
    let document = arborist(repo.path(), &["report", "--format", "json"]).json();
    let total = &document["total"];
    assert_eq!((&total["test_seconds"], &total["proof_seconds"]), (&json!(2.9), &json!(8.4)), "{total:#}");
    assert_eq!((&total["agent_seconds"], &total["proof_runs"]), (&json!(24.6), &json!(4)), "{total:#}");
    assert_eq!(document["tasks"][0]["duration"], json!(35.9));
    assert_eq!(document["tasks"][0]["attempts"][1]["steps"][1]["proof"], json!({"runs": 4, "seconds": 8.4}));
    let page = arborist(repo.path(), &["report", "--format", "html"]).answer();
    let time = "<dd>35 s (agents 24 s, tests 2.9 s, proofs 8.4 s in 4 runs)</dd>";
    assert!(page.contains(time) && page.contains("2.1 s · proof 4 runs 8.4 s"), "{page}");
    let shown = arborist(repo.path(), &["show", "T001"]).answer();
    assert!(shown.contains("pass         2.1 s, proof 4 runs 8.4 s  "), "{shown}");
    let shown = arborist(repo.path(), &["show", "T001", "--json"]).json();
    assert!(shown.to_string().contains(r#""proof":{"runs":4,"seconds":8.4}"#), "{shown:#}");
    let status = arborist(repo.path(), &["status", "--json"]).json();
    assert!(status.to_string().contains(r#""duration":35.9"#), "{status:#}");
}

#[test]
fn a_part_of_the_plan_is_shown_alone_from_any_folder() {
    let repo = unfinished();
    let folder = repo.path().join("src");
    let document = arborist(&folder, &["report", "--format", "json", "phase2"]).json();
    let tasks: Vec<&str> =
        document["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap()).collect();
    assert_eq!(tasks, ["T003", "T004"]);
    assert_eq!(document["phases"].as_array().unwrap().len(), 1);
    assert_eq!(arborist(repo.path(), &["report", "T999"]).code, 2);
    assert_eq!(arborist(repo.path(), &["report", "--format", "pdf"]).code, 2);
}

#[test]
fn a_run_that_has_not_begun_and_decisions_of_a_person_are_reported_too() {
    let repo = Story::of(PLAN).told(60).0;
    let markdown = arborist(repo.path(), &["report"]).answer();
    assert!(markdown.contains("**0 of 4 tasks complete, nothing to look at.**"), "{markdown}");
    assert!(!markdown.contains("repeat the proof"), "there is nothing to prove: {markdown}");
    let page = arborist(repo.path(), &["report", "--format", "html"]).answer();
    assert!(page.contains("Not begun") && page.contains("Nothing has happened yet."));
    let message = "task(T001): skipped \"Create schema\"\n\nArborist-Step: complete\nArborist-Result: skip\n\
                   Arborist-By: user\nArborist-Reason: not needed\n";
    let repo = Story::of(PLAN).commit(message, &[]).told(60).0;
    let markdown = arborist(repo.path(), &["report"]).answer();
    assert!(markdown.contains("**By a person** T001: A person skipped it: not needed"), "{markdown}");
}

#[test]
fn a_file_is_written_whole_and_only_a_report_is_replaced() {
    let repo = unfinished();
    let said = arborist(repo.path(), &["report", "-o", "out.html"]);
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "", "Wrote out.html.\n"));
    let file = repo.path().join("out.html");
    assert!(fs::read_to_string(&file).unwrap().starts_with("<!DOCTYPE html>"), "the name says the format");
    for name in ["out.html", "out.json", "out.md"] {
        for _ in 0..2 {
            assert_eq!(arborist(repo.path(), &["report", "-o", name]).code, 0, "a report is replaced");
        }
    }
    repo.git(&["add", "out.md"]);
    fs::write(repo.path().join("notes.txt"), "mine\n").unwrap();
    for (name, why) in
        [("notes.txt", "it is not a report"), ("out.md", "git tracks it"), ("src", "it is a folder")]
    {
        let said = arborist(repo.path(), &["report", "-o", name]);
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.err.contains(why), "{said:?}");
    }
    assert_eq!(fs::read_to_string(repo.path().join("notes.txt")).unwrap(), "mine\n");
    assert_eq!(arborist(repo.path(), &["report", "--force", "-o", "notes.txt"]).code, 0);
    let said = arborist(repo.path(), &["report", "-o", "missing/out.md"]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("there is no folder missing") && !said.err.contains("disk"), "{said:?}");
}

#[test]
fn another_plan_is_reported_by_its_path_and_one_that_is_not_committed_has_not_begun() {
    let repo = Story::of(PLAN).whole("T001").told(60).0;
    let other = PLAN
        .replace("Create schema", "Something else")
        .replace("my-project", "another")
        .replace("T00", "U00");
    fs::write(repo.path().join("src/other.json"), other).unwrap();
    let named = arborist(&repo.path().join("src"), &["report", "--tree", "other.json"]).answer();
    for words in ["**0 of 4 tasks complete, nothing to look at.**", "Something else (pending)"] {
        assert!(named.contains(words), "{named}");
    }
    let document = arborist(repo.path(), &["report", "--format", "json", "--tree", "src/other.json"]).json();
    assert_eq!(document["tree"], "src/other.json", "{document:#}");
    let missing = arborist(repo.path(), &["report", "--tree", "none.json"]);
    assert_eq!((missing.code, missing.out.as_str()), (2, ""), "{missing:?}");
}

#[test]
fn a_reader_that_has_gone_ends_the_report_quietly() {
    let repo = unfinished();
    for format in ReportFormat::ALL {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = git_with_commands(repo.path(), &["arborist", "report", "--format", format.word()]);
        let output = command.stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{format:?}: {output:?}");
        assert!(output.stderr.is_empty(), "{format:?}: {output:?}");
    }
}

/// The names of the elements of a page.
fn elements(page: &str) -> BTreeSet<&str> {
    let tags = page.split('<').skip(1).map(|tag| tag.trim_start_matches(['/', '!']));
    tags.map(|tag| tag.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap()).collect()
}

#[test]
fn hostile_texts_stay_text_and_a_hundred_tasks_stay_below_a_megabyte() {
    let repo = hostile(100);
    let page = arborist(repo.path(), &["report", "--format", "html"]).answer();
    assert!(page.len() < 1_000_000, "{}", page.len());
    let known: BTreeSet<&str> = "DOCTYPE html head meta title style body a header p h1 h2 h3 h4 code div span svg g rect dl dt dd \
         nav ul li ol main section details summary strong pre desc line text tspan path table caption thead tbody tr th td footer"
        .split(' ')
        .collect();
    let unknown: Vec<&str> = elements(&page).difference(&known).copied().collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    let is_hidden = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!page.contains(is_hidden));
    assert!(page.contains("[U+202E]"), "what turns the direction of a diff is seen");
    let markdown = arborist(repo.path(), &["report"]).answer();
    assert!(markdown.len() < 65_536, "{}", markdown.len());
    let html: BTreeSet<String> = pulldown_cmark::Parser::new(&markdown)
        .filter_map(|event| match event {
            pulldown_cmark::Event::Html(html) | pulldown_cmark::Event::InlineHtml(html) => {
                Some(html.to_string())
            }
            _ => None,
        })
        .collect();
    let html: String = html.into_iter().collect();
    let known = ["details", "summary", ""].into();
    assert!(elements(&html).is_subset(&known), "{:?}", elements(&html));
    let document = arborist(repo.path(), &["report", "--format", "json"]).json();
    assert_eq!(document["tasks"].as_array().unwrap().len(), 100);
}

#[test]
fn an_unknown_cost_is_not_zero_and_a_known_one_is_shown() {
    let of = |trailers: &str| {
        used(Story::of(PLAN), "task(T001): implement \"Create schema\"", trailers).told(60).0
    };
    let repo = of("");
    let document = arborist(repo.path(), &["report", "--format", "json"]).json();
    assert_eq!(document["tasks"][0]["cost"], Value::Null);
    assert!(arborist(repo.path(), &["report", "--format", "html"]).answer().contains("cost unknown"));
    let repo = of("Arborist-Cost: 0.25\nArborist-Tokens: in=1200 out=340\n");
    assert!(arborist(repo.path(), &["report"]).answer().contains("| 1,540 | \\$0.25 |"));
}

#[test]
fn a_shallow_clone_gets_the_known_error() {
    let repo = unfinished();
    let url = format!("file://{}", repo.path().display());
    let clone = Repo::clone_of(&url, &["--depth", "2"]);
    let said = arborist(clone.path(), &["report"]);
    assert_eq!((said.code, said.out.as_str()), (3, ""));
    assert!(said.err.contains("git fetch --unshallow"), "{said:?}");
}
