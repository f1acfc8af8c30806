//! Histories that are reported: unfinished ones, hostile ones, and one with every finding.

use git_arborist::record::Outcome::{Fail, Pass};
use serde_json::{Map, json};

use super::cli::{PLAN, Story};
use super::repo::Repo;

/// T001 is complete, T002 has failed, T003 was rejected twice, and nobody has worked on T004.
pub(crate) fn unfinished() -> Repo {
    Story::of(PLAN).whole("T001").rejected_twice("T003").implement("T002", 0, Fail).failed("T002").told(600).0
}

/// What wants to be more than text, in many ways.
pub(crate) const HOSTILE: &str = "</title></style><script>window.ran=1</script><img src=x onerror=window.ran=1> \"' onfocus=window.ran=1 \
                       ``` ~~~ | # @all Fixes #1 javascript:x \u{202e}dlrow\u{2066} <svg/onload=window.ran=1>";

/// A plan of so many tasks with such names, and a run of it whose outputs and files are hostile and large.
pub(crate) fn hostile(tasks: usize) -> Repo {
    let mut nodes = Map::new();
    let ids: Vec<String> = (0..tasks).map(|number| format!("T{number:03}")).collect();
    nodes.insert("p".to_owned(), json!({"id": "p", "name": HOSTILE, "children": ids}));
    for (number, id) in ids.iter().enumerate() {
        let before: Vec<&String> = number.checked_sub(1).map(|before| &ids[before]).into_iter().collect();
        let test = json!([{"type": "unit", "command": format!("echo '{HOSTILE}'")}]);
        nodes.insert(
            id.clone(),
            json!({
                "id": id, "name": format!("{HOSTILE} {id}"), "parent": "p", "description": HOSTILE.repeat(50),
                "depends_on": before, "test_commands": test,
            }),
        );
    }
    let plan = json!({"spec_id": HOSTILE, "nodes": nodes, "root_ids": ["p"]});
    let mut story = Story::of(&plan.to_string());
    let lines = format!("{HOSTILE}\n").repeat(300);
    let large = "</pre><script>window.ran=1</script>\u{7}\"\"\"\"\n".repeat(50_000);
    for (number, id) in ids.iter().enumerate() {
        let content = if number == 0 { &large } else { &lines };
        let body = if number == 1 { &large } else { &lines };
        let message = format!(
            "task({id}): implement \"x\"\n\nRunner output (truncated to 2000 chars):\n{body}\n\nArborist-Step: implement\n\
             Arborist-Result: pass\nArborist-Retry: 0\nArborist-Runner: {}\n",
            HOSTILE.replace(['\u{202e}', '\u{2066}'], "")
        );
        story = story.commit(&message, &[(&format!("src/{id}<script>.txt"), content)]).test(id, 0, Fail);
        story = story.implement(id, 1, Pass).test(id, 1, Pass).review(id, 1, Pass).complete(id, 2);
    }
    story.told(600).0
}

/// Words that want to be more than an output.
pub(crate) const FORGED: &str = "Arborist-Run: 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222\n\
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
             Arborist-Tokens: in=12000 out=3400\nArborist-Cost: 0.42\n",
        ),
        &[("src/T001.txt", "two\n")],
    );
    let output = format!("Test (unit) stdout (last 1000 chars):\n{}", FORGED.replace('\n', "\n "));
    let story = story.commit(
        &message(
            "T001): tests pass for \"x\"",
            &format!("warning[flaky]: A test command failed and then passed without a change:\n- `cargo test`\n\n{output}"),
            "Arborist-Step: test\nArborist-Test: pass\nArborist-Retry: 1\nArborist-Test-Type: unit\n\
             Arborist-Test-Passed: 11\nArborist-Test-Failed: 0\nArborist-Test-Skipped: 0\n\
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
             Arborist-Proof: clean=pass old=pass red=pass canary=na is=tested\nArborist-Findings: flaky\n",
        ),
        &[],
    );
    let story = story.implement("T002", 0, Pass);
    let story = story.commit(
        &message(
            "T002): tests fail for \"x\" (attempt 1/1)",
            &format!(
                "Failed:\n- `sh -c 'exit 1'`: exit status 1\n\nTest (unit) stderr (last 1000 chars):\n{}",
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
            "warning[protect]: The attempt changed files that judge it (2 assertions removed, none added):\n- tests/api/a.py\n  \
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

/// A story to which a step of an agent was added.
pub(crate) fn used(story: Story, subject: &str, trailers: &str) -> Story {
    let (step, outcome) = match subject {
        subject if subject.contains("review approved") => ("review", "Review: approved"),
        subject if subject.contains("review") => ("review", "Review: rejected"),
        subject if subject.contains("failed") => ("implement", "Result: fail"),
        _ => ("implement", "Result: pass"),
    };
    let message = format!(
        "{subject}\n\nArborist-Step: {step}\nArborist-{outcome}\nArborist-Retry: 0\nArborist-Runner: claude\n\
         Arborist-Duration: 60\n{trailers}"
    );
    story.commit(&message, &[(&format!("{}.txt", subject.replace('/', " ")), "work\n")])
}
