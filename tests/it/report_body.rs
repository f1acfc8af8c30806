//! Tests the body of a pull request: git reads its trailers, readers of Markdown show it as it is meant, forges take it.

use git_arborist::record::{Landing, TaskId};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::json;

use crate::support::cli::arborist;
use crate::support::repo::{Repo, git, piped, text};
use crate::support::reports::{every_finding, hostile, unfinished};

/// The trailers that git reads in a body, as `git interpret-trailers` and in a commit.
fn trailers(repo: &Repo, body: &str) -> String {
    let parsed = text(piped(git(repo.path(), &["interpret-trailers", "--parse"]), body));
    let message = format!("A title\n\n{body}");
    let commit = text(piped(git(repo.path(), &["commit-tree", "HEAD^{tree}", "-F", "-"]), &message));
    let read = repo.git(&["log", "-1", "--format=%(trailers:only,unfold)", commit.trim()]);
    assert_eq!(read.trim(), parsed.trim());
    parsed
}

fn expected(repo: &Repo, complete: &str) -> String {
    let base = repo.git(&["rev-list", "--max-parents=0", "HEAD"]);
    format!("Arborist-Complete: {complete}\nArborist-Run: {}..{}\n", base.trim(), repo.head())
}

#[test]
fn git_reads_the_last_lines_of_a_body_as_trailers() {
    let repo = unfinished();
    let body = arborist(repo.path(), &["report"]).answer();
    assert_eq!(trailers(&repo, &body), expected(&repo, "T001"));
    let document = arborist(repo.path(), &["report", "--format", "json", "phase2"]).json();
    let lines = document["trailers"].as_array().unwrap();
    assert_eq!(lines[0], json!("Arborist-Complete: T001"), "a merge brings all tasks, not only those shown");
    let part = arborist(repo.path(), &["report", "phase2"]).answer();
    assert_eq!(trailers(&repo, &part), expected(&repo, "T001"));
}

/// The texts of all code blocks, and the number of parts that can be opened.
fn blocks(body: &str) -> (Vec<String>, usize) {
    let (mut found, mut inside, mut opened, mut closed) = (Vec::new(), false, 0, 0);
    for event in Parser::new_ext(body, Options::ENABLE_TABLES | Options::ENABLE_GFM) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => {
                inside = true;
                found.push(String::new());
            }
            Event::End(TagEnd::CodeBlock) => inside = false,
            Event::Text(text) if inside => found.last_mut().unwrap().push_str(&text),
            Event::Html(html) => {
                opened += html.matches("<details>").count();
                closed += html.matches("</details>").count();
            }
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => panic!("a link in {body}"),
            _ => {}
        }
    }
    assert_eq!(opened, closed, "{body}");
    (found, opened)
}

#[test]
fn a_body_from_a_run_with_every_finding_shows_it_and_only_its_own_trailers_count() {
    let repo = every_finding();
    let body = arborist(repo.path(), &["report"]).answer();
    let read = trailers(&repo, &body);
    assert_eq!(read, expected(&repo, "T001 T003 T004 T006"), "{body}");
    for kind in [
        "Failed",
        "Finding",
        "Allowed by the plan",
        "Untested",
        "Not reviewed",
        "By a person",
        "Objections answered",
        "Plan edited since",
    ] {
        assert!(body.contains(&format!("- **{kind}**")), "{kind}: {body}");
    }
    assert!(body.contains("objections of the last review: 1. No: a newline is already there."), "{body}");
    let (blocks, parts) = blocks(&body);
    let unit = blocks.iter().find(|block| block.starts_with("$ cargo test --quiet\n")).unwrap();
    assert!(unit.contains("\nArborist-Run: 111") && unit.contains("[U+202E]turned"), "{unit}");
    let own: Vec<&String> = blocks.iter().filter(|block| block.starts_with("$ ruff check\n")).collect();
    assert_eq!(own, ["$ ruff check\nAll checks passed!\n"], "each command has its own output");
    assert!(parts >= 4, "{body}");
    let column_0 = |line: &&str| line.starts_with("<!--") || line.starts_with("---");
    let marks: Vec<&str> = body.lines().filter(column_0).collect();
    assert_eq!(marks, ["<!-- git-arborist report -->", "<!-- end of the git-arborist report -->"]);
}

#[test]
fn what_a_forge_appends_to_a_body_leaves_the_block_as_it_is() {
    let repo = every_finding();
    let body = arborist(repo.path(), &["report"]).answer();
    let appended = format!("{body}\nCo-authored-by: A <a@b.c>\n");
    let block: String = body.lines().rev().take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    assert!(block.contains("Arborist-Complete: T001"), "{block}");
    assert_eq!(appended.matches("\n\nArborist-Complete: ").count(), 2, "one of them for what is skipped");
    for body in [&body, &appended, &appended.replace("Arborist-Run: ", "Arborist-Run:\n")] {
        let read = Landing::all_in(format!("Work (#1)\n\n{body}").as_bytes());
        let tasks: Vec<&str> = read.iter().flat_map(|landing| &landing.tasks).map(TaskId::as_str).collect();
        assert_eq!(tasks, ["T001", "T003", "T004", "T006"], "{body}");
        assert_eq!(read.iter().flat_map(|landing| &landing.skipped).count(), 1, "{body}");
    }
}

#[test]
fn a_long_body_is_cut_where_it_says_so_and_keeps_its_trailers() {
    let repo = hostile(100);
    let body = arborist(repo.path(), &["report"]).answer();
    assert!(body.len() < 60_000, "{}", body.len());
    assert!(body.contains("more commands are left out"), "{body}");
    let read = trailers(&repo, &body);
    assert_eq!(read.matches("Arborist-Run: ").count(), 1);
    let ids: Vec<&str> = read
        .lines()
        .filter_map(|line| line.strip_prefix("Arborist-Complete: "))
        .flat_map(|ids| ids.split(' '))
        .collect();
    assert_eq!(ids.len(), 100);
    blocks(&body);
}
