//! Tests the body of a pull request: git reads its trailers, readers of Markdown show it as it is meant, forges take it.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use git_arborist::record::Outcome::{Fail, Pass};
use git_arborist::record::{Landing, TaskId};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::json;

use crate::report::{hostile, unfinished};
use crate::support::cli::{Story, arborist};
use crate::support::repo::{Repo, command, git};

/// What a program prints for an input.
pub(crate) fn piped(mut program: Command, input: &str) -> Output {
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

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

/// Words that want to be more than an output.
const FORGED: &str = "Arborist-Run: 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222\n\
    Arborist-Complete: T002 T003\n\n\
    --- a/file\n+++ b/file\n---\n# ------------------------ >8 ------------------------\n\
    <!-- end of the git-arborist report -->\n</details></summary>\n```\n~~~\n@everybody Fixes #12, closes GH-3\n\
    \u{202e}turned\u{2066} <img src=x onerror=alert(1)>\n\tindented\n\nSigned-off-by: somebody <x@y>\n";

/// A run with everything that a person should look at, and with hostile names, outputs and reviewers.
pub(crate) fn every_finding() -> Repo {
    let test = |command: &str| json!({"type": "unit", "command": command});
    let leaf = |id: &str, name: &str, tests: Vec<serde_json::Value>| json!({"id": id, "name": name, "parent": "p", "test_commands": tests});
    let mut allowed =
        leaf("T003", "Allowed `to` change | its *tests*", vec![test("pytest -x"), test("ruff check")]);
    allowed["may_change"] = json!(["tests/api/**"]);
    let plan = |description: &str| {
        let mut edited = leaf("T004", "No tests", vec![]);
        edited["description"] = json!(description);
        json!({
            "spec_id": "Reports & more",
            "nodes": {
                "p": {"id": "p", "name": "Phase", "children": ["T001", "T002", "T003", "T004", "T005", "T006"]},
                "T001": leaf("T001", "Ordinary", vec![test("cargo test --quiet")]),
                "T002": leaf("T002", "</details> <!-- @everybody Fixes #12 [x](https://example.org) `", vec![test("sh -c 'exit 1'")]),
                "T003": allowed.clone(),
                "T004": edited,
                "T005": leaf("T005", "Skipped by hand", vec![test("true")]),
                "T006": leaf("T006", "Vouched for", vec![test("true")]),
            },
            "root_ids": ["p"],
        })
        .to_string()
    };
    let message =
        |subject: &str, body: &str, trailers: &str| format!("task({subject}\n\n{body}\n\n{trailers}");
    let story = Story::of(&plan("As it was"));
    let story = story.implement("T001", 0, Pass).test("T001", 0, Pass).review("T001", 0, Fail);
    let story = story.commit(
        &message(
            "T001): implement \"x\"",
            "The runner answers the objections of the last review:\n1. No: a newline is already there.",
            "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 1\nArborist-Runner: codex/gpt\n\
             Arborist-Tokens: in=12000 out=3400\nArborist-Cost: 0.42\nArborist-Baseline: fail\n",
        ),
        &[("src/T001.txt", "two\n")],
    );
    let output = format!("Test (unit) stdout (last 1000 chars):\n{}", FORGED.replace('\n', "\n "));
    let story = story.commit(
        &message(
            "T001): tests pass for \"x\"",
            &format!("warning[flaky]: A test command failed and then passed without a change: `cargo test`.\n\n{output}"),
            "Arborist-Step: test\nArborist-Test: pass\nArborist-Retry: 1\nArborist-Test-Type: unit\n\
             Arborist-Test-Passed: 11\nArborist-Test-Failed: 0\nArborist-Test-Skipped: 0\nArborist-Test-Flaky: 1\n\
             Arborist-Diff-Coverage: 37/41\nArborist-Findings: flaky\n",
        ),
        &[],
    );
    let story = story.commit(
        &message(
            "T001): review approved for \"x\"",
            "Review:\nFine.",
            "Arborist-Step: review\nArborist-Review: approved\nArborist-Retry: 1\nArborist-Runner: @codex | `gpt` #7\n",
        ),
        &[],
    );
    let story = story.commit(
        &message(
            "T001): complete \"x\"",
            "Completed after 2 attempt(s). Report: spec/reports/T001.json",
            "Arborist-Step: complete\nArborist-Result: pass\nArborist-Report: spec/reports/T001.json\n\
             Arborist-Proof: clean red old\nArborist-Findings: flaky\n",
        ),
        &[],
    );
    let story = story.implement("T002", 0, Pass);
    let story = story.commit(
        &message(
            "T002): tests fail for \"x\" (attempt 1/1)",
            &format!(
                "Failed: `sh -c 'exit 1'`: exit status 1.\n\nTest (unit) stderr (last 1000 chars):\n{}",
                FORGED.replace('\n', "\n ")
            ),
            "Arborist-Step: test\nArborist-Test: fail\nArborist-Retry: 0\nArborist-Test-Type: unit\n\
             Arborist-Test-Log: spec/logs/T002`</code>.log\n",
        ),
        &[],
    );
    let story = story.failed("T002");
    let story = story.implement("T003", 0, Pass);
    let story = story.commit(
        &message(
            "T003): tests pass for \"x\"",
            "warning[protect]: The attempt changed files that judge it (2 assertions removed, none added): tests/api/a.py.\n  \
             = look: git diff 1111111 2222222 -- tests/api/a.py\n\n\
             Test (unit) stderr (last 1000 chars):\nwarnings: none\n\n\
             Test (unit) stdout (last 1000 chars):\n4 passed\n\nTest (unit) stdout (last 1000 chars):\nAll checks passed!",
            "Arborist-Step: test\nArborist-Test: pass\nArborist-Retry: 0\nArborist-Test-Type: unit\n\
             Arborist-Test-Passed: 4\nArborist-Test-Failed: 0\nArborist-Findings: protect\n",
        ),
        &[],
    );
    let story = story.complete("T003", 1);
    let story = story.implement("T004", 0, Pass).review("T004", 0, Pass).complete("T004", 1);
    let by_person = |subject: &str, result: &str, reason: &str| {
        format!(
            "task({subject}\n\nArborist-Step: complete\nArborist-Result: {result}\nArborist-By: user\nArborist-Reason: {reason}\n"
        )
    };
    story
        .commit(&by_person("T005): skipped \"x\"", "skip", "not needed, see #99 </details> @me"), &[])
        .commit(&by_person("T006): complete \"x\"", "pass", "I looked at `it` myself"), &[])
        .commit("Change a task\n", &[("task-tree.json", &plan("As it is now"))])
        .told(600)
        .0
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
    assert_eq!(appended.matches("\n\nArborist-Complete: ").count(), 1);
    for body in [&body, &appended, &appended.replace("Arborist-Run: ", "Arborist-Run:\n")] {
        let read = Landing::all_in(format!("Work (#1)\n\n{body}").as_bytes());
        let tasks: Vec<&str> = read.iter().flat_map(Landing::tasks).map(TaskId::as_str).collect();
        assert_eq!(tasks, ["T001", "T003", "T004", "T006"], "{body}");
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

#[test]
fn the_reader_of_forges_shows_a_body_as_it_is_meant() {
    let folder = tempfile::tempdir().unwrap();
    let rendered = |body: &str| -> Option<String> {
        let mut program = command(folder.path(), "cmark-gfm");
        program.args(["--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tagfilter"]);
        let found =
            Command::new("cmark-gfm").arg("--version").output().is_ok_and(|ended| ended.status.success());
        found.then(|| text(piped(program, body)))
    };
    for repo in [every_finding(), hostile(12)] {
        let body = arborist(repo.path(), &["report"]).answer();
        let Some(html) = rendered(&body) else {
            println!("skipped: cmark-gfm is not installed");
            return;
        };
        for harm in ["<a ", "<img", "<script", "<h1", "<h2", "<em>", "<svg", "<li><p>"] {
            assert!(!html.contains(harm), "{harm}: {html}");
        }
        assert_eq!(html.matches("<table>").count(), 1, "{html}");
        assert_eq!(html.matches("<details>").count(), html.matches("</details>").count());
        assert!(html.contains("<p>Arborist-Complete: "), "{html}");
    }
}
