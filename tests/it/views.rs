//! All views agree about every task: `status`, `show`, `report`, `check --run`, `land`, `pr` and the panel of a run, in every state
//! that a task can be in, in the repository of the run and where its work was landed.

use std::path::Path;

use crate::support::cli::{PLAN, Said, Story, arborist, git_with_commands};
use crate::support::panel::{lines, panel, panel_of};
use crate::support::repo::Repo;
use git_arborist::record::Outcome::{Fail, Pass};
use git_arborist::record::{Step, StepCommit, StepRecord, TaskId, Usage};
use serde_json::Value;

const TASKS: [&str; 4] = ["T001", "T002", "T003", "T004"];

/// A history, and what all views say of it.
struct Row {
    name: &'static str,
    /// The commits after the plan.
    story: fn(Story) -> Story,
    /// What happens then: commands of git.
    then: &'static [&'static [&'static str]],
    /// The state of each task, and for a complete one, what is known of it.
    tasks: [(&'static str, Option<&'static str>); 4],
    /// The tasks that `land --partial` would land.
    lands: &'static [&'static str],
}

const OPEN: (&str, Option<&str>) = ("pending", None);
const SKIPPED: (&str, Option<&str>) = ("skipped", None);
const PROVEN: (&str, Option<&str>) = ("complete", Some("proven"));
const TESTED: (&str, Option<&str>) = ("complete", Some("tested"));
const VOUCHED: (&str, Option<&str>) = ("complete", Some("vouched-for"));
const JOINT: (&str, Option<&str>) = ("complete", Some("tested-with-others"));

/// A task that is complete and proven.
fn proven(story: Story, id: &str) -> Story {
    story.implement(id, 0, Pass).proven(id, 0).review(id, 0, Pass).complete_proven(id)
}

fn all(story: Story) -> Story {
    let story = TASKS[..2].iter().fold(story, |story, task| proven(story, task)).phase("phase1");
    TASKS[2..].iter().fold(story, |story, task| proven(story, task)).phase("phase2")
}

/// The run is landed and merged, and its branch left.
const LANDED: [&[&str]; 3] = [
    &["arborist", "land", "--branch", "landed"],
    &["switch", "-q", "main"],
    &["merge", "-q", "--ff-only", "landed"],
];

const ROWS: &[Row] = &[
    Row { name: "nothing has begun", story: |story| story, then: &[], tasks: [OPEN; 4], lands: &[] },
    Row {
        name: "implemented",
        story: |story| story.implement("T001", 0, Pass),
        then: &[],
        tasks: [("implementing", None), OPEN, OPEN, OPEN],
        lands: &[],
    },
    Row {
        name: "not implemented",
        story: |story| story.implement("T001", 0, Fail),
        then: &[],
        tasks: [("implementing", None), OPEN, OPEN, OPEN],
        lands: &[],
    },
    Row {
        name: "tests fail",
        story: |story| story.implement("T001", 0, Pass).test("T001", 0, Fail),
        then: &[],
        tasks: [("testing", None), OPEN, OPEN, OPEN],
        lands: &[],
    },
    Row {
        name: "tests pass",
        story: |story| story.implement("T001", 0, Pass).test("T001", 0, Pass),
        then: &[],
        tasks: [("testing", None), OPEN, OPEN, OPEN],
        lands: &[],
    },
    Row {
        name: "rejected",
        story: |story| story.rejected_twice("T001"),
        then: &[],
        tasks: [("reviewing", None), OPEN, OPEN, OPEN],
        lands: &[],
    },
    Row {
        name: "approved",
        story: |story| story.implement("T001", 0, Pass).test("T001", 0, Pass).review("T001", 0, Pass),
        then: &[],
        tasks: [("reviewing", None), OPEN, OPEN, OPEN],
        lands: &[],
    },
    Row {
        name: "complete, proven and tested",
        story: |story| proven(story, "T001").whole("T002"),
        then: &[],
        tasks: [PROVEN, TESTED, OPEN, OPEN],
        lands: &["T001", "T002"],
    },
    Row {
        name: "failed",
        story: |story| proven(story, "T001").implement("T003", 0, Fail).failed("T003"),
        then: &[],
        tasks: [PROVEN, OPEN, ("failed", None), OPEN],
        lands: &["T001"],
    },
    Row {
        name: "failed and reopened",
        story: |story| story.implement("T001", 0, Fail).failed("T001"),
        then: &[&["arborist", "mark", "reopen", "T001"]],
        tasks: [OPEN; 4],
        lands: &[],
    },
    Row {
        name: "skipped",
        story: |story| story,
        then: &[&["arborist", "mark", "skip", "T001", "-m", "Not now."]],
        tasks: [SKIPPED, OPEN, OPEN, OPEN],
        lands: &[],
    },
    Row {
        name: "vouched for",
        story: |story| story,
        then: &[&["arborist", "mark", "complete", "T001", "-m", "It is there."]],
        tasks: [VOUCHED, OPEN, OPEN, OPEN],
        lands: &["T001"],
    },
    Row {
        name: "complete and reopened",
        story: |story| proven(story, "T001"),
        then: &[&["arborist", "mark", "reopen", "T001", "-m", "Again."]],
        tasks: [OPEN; 4],
        lands: &[],
    },
    Row {
        name: "done in the third attempt",
        story: |story| {
            let again = story.rejected_twice("T001").implement("T001", 2, Pass);
            again.proven("T001", 2).review("T001", 2, Pass).complete_proven("T001")
        },
        then: &[],
        tasks: [PROVEN, OPEN, OPEN, OPEN],
        lands: &["T001"],
    },
    Row {
        name: "the last step reverted",
        story: |story| proven(story, "T001"),
        then: &[&["revert", "--no-edit", "HEAD"]],
        tasks: [("reviewing", None), OPEN, OPEN, OPEN],
        lands: &[],
    },
    Row {
        name: "the revert reverted",
        story: |story| proven(story, "T001"),
        then: &[&["revert", "--no-edit", "HEAD"], &["revert", "--no-edit", "HEAD"]],
        tasks: [PROVEN, OPEN, OPEN, OPEN],
        lands: &["T001"],
    },
    Row {
        name: "all complete",
        story: all,
        then: &[],
        tasks: [PROVEN; 4],
        lands: &["T001", "T002", "T003", "T004"],
    },
    Row {
        name: "the tests of a phase fail",
        story: |story| TASKS.iter().fold(story, |story, task| proven(story, task)).phase_ends("phase1", Fail),
        then: &[],
        tasks: [PROVEN; 4],
        lands: &["T001", "T002", "T003", "T004"],
    },
    Row {
        name: "merged whole",
        story: all,
        then: &[&["switch", "-q", "main"], &["merge", "-q", "--no-ff", "-m", "Merge the run", "run"]],
        tasks: [PROVEN; 4],
        lands: &["T001", "T002", "T003", "T004"],
    },
    Row {
        name: "merged and reverted",
        story: all,
        then: &[
            &["switch", "-q", "main"],
            &["merge", "-q", "--no-ff", "-m", "Merge the run", "run"],
            &["revert", "--no-edit", "-m", "1", "HEAD"],
        ],
        tasks: [OPEN; 4],
        lands: &[],
    },
    Row { name: "landed", story: all, then: &LANDED, tasks: [PROVEN; 4], lands: &[] },
    Row {
        name: "landed, and seen from the run",
        story: all,
        then: &[
            LANDED[0],
            LANDED[1],
            LANDED[2],
            &["switch", "-q", "run"],
            &["merge", "-q", "-m", "Update", "main"],
        ],
        tasks: [PROVEN; 4],
        lands: &[],
    },
    Row {
        name: "landed and reopened",
        story: all,
        then: &[LANDED[0], LANDED[1], LANDED[2], &["arborist", "mark", "reopen", "T003", "-m", "Again."]],
        tasks: [PROVEN, PROVEN, OPEN, PROVEN],
        lands: &[],
    },
    Row {
        name: "landed, and one commit reverted",
        story: all,
        then: &[LANDED[0], LANDED[1], LANDED[2], &["revert", "--no-edit", "HEAD~1"]],
        tasks: [PROVEN, PROVEN, OPEN, PROVEN],
        lands: &[],
    },
    Row {
        name: "landed in part",
        story: |story| proven(story, "T001").implement("T002", 0, Pass),
        then: &[
            &["arborist", "land", "--partial", "--branch", "landed"],
            &["switch", "-q", "main"],
            &["merge", "-q", "--ff-only", "landed"],
        ],
        tasks: [PROVEN, OPEN, OPEN, OPEN],
        lands: &[],
    },
    Row {
        name: "landed as one commit",
        story: all,
        then: &[&["arborist", "land", "--style", "one", "--branch", "landed"], LANDED[1], LANDED[2]],
        tasks: [JOINT; 4],
        lands: &[],
    },
    Row {
        name: "landed as one commit, and reverted",
        story: all,
        then: &[
            &["arborist", "land", "--style", "one", "--branch", "landed"],
            LANDED[1],
            LANDED[2],
            &["revert", "--no-edit", "HEAD"],
        ],
        tasks: [OPEN; 4],
        lands: &[],
    },
    Row {
        name: "landed under a merge",
        story: all,
        then: &[&["arborist", "land", "--style", "merge", "--branch", "landed"], LANDED[1], LANDED[2]],
        tasks: [PROVEN; 4],
        lands: &[],
    },
    Row {
        name: "landed commits squashed by a forge",
        story: all,
        then: &[LANDED[0], LANDED[1], &["merge", "-q", "--squash", "landed"], &["commit", "-q", "--no-edit"]],
        tasks: [JOINT; 4],
        lands: &[],
    },
    Row {
        name: "done on another branch",
        story: all,
        then: &[&["switch", "-q", "main"]],
        tasks: [OPEN; 4],
        lands: &[],
    },
    Row {
        name: "squashed without a word, and marked",
        story: all,
        then: &[
            &["switch", "-q", "main"],
            &["merge", "-q", "--squash", "run"],
            &["commit", "-q", "-m", "The feature"],
            &["arborist", "mark", "landed", "HEAD", "T001", "T003"],
        ],
        tasks: [VOUCHED, OPEN, VOUCHED, OPEN],
        lands: &[],
    },
    Row {
        name: "skipped, and the rest done",
        story: |story| proven(story, "T001"),
        then: &[&["arborist", "mark", "skip", "T003", "T004", "-m", "No."]],
        tasks: [PROVEN, OPEN, SKIPPED, SKIPPED],
        lands: &["T001"],
    },
];

/// The marks of a state in `status` and in the table of a report.
fn mark(state: &str) -> &'static [&'static str] {
    match state {
        "complete" => &["✓"],
        "failed" => &["✗"],
        "skipped" => &["-", "–", "⊘"],
        "pending" => &["·"],
        _ => &["◐", "●", "▸", "…"],
    }
}

fn git(folder: &Path, args: &[&str]) {
    let said = Said::of(git_with_commands(folder, args).output().unwrap());
    assert_eq!(said.code, 0, "{args:?}: {}{}", said.out, said.err);
}

/// The tasks of a document by their ids.
fn of<'v>(tasks: &'v Value, key: &str, id: &str) -> Option<&'v Value> {
    tasks.as_array()?.iter().find(|task| task[key] == id)
}

/// The lines of a tree. While a run is at work, nothing is stopped.
fn tree_lines(text: &str) -> Vec<String> {
    text.lines().filter(|line| line.contains("── ")).map(|line| line.replace("(stopped, ", "(")).collect()
}

fn compare(folder: &Path, row: &Row) {
    let said = |args: &[&str]| arborist(folder, args);
    let json = |args: &[&str]| -> Value { serde_json::from_str(&said(args).out).unwrap_or(Value::Null) };
    let (status, report) = (json(&["status", "--json"]), json(&["report", "--format", "json"]));
    let check = json(&["check", "--run", "--json"]);
    let land = json(&["land", "--dry-run", "--partial", "--branch", "other", "--json"]);
    let (tree, table) = (said(&["status", "--all"]).out, said(&["report"]).out);
    let folded = said(&["status"]).out;
    assert_eq!(tree_lines(&panel(folder, 200)), tree_lines(&folded), "{}", row.name);
    let request = json(&["pr", "--dry-run", "--base", "base", "--json"]);
    let what = |view: &str, task: &str| format!("{}: {view} of {task}", row.name);
    for (task, (state, word)) in TASKS.iter().zip(row.tasks) {
        let (listed, shown) = (of(&status["tasks"], "id", task).unwrap(), json(&["show", task, "--json"]));
        let reported = of(&report["tasks"], "id", task).unwrap();
        for (view, found) in [("status", listed), ("show", &shown), ("report", reported)] {
            assert_eq!(found["state"], state, "{}", what(view, task));
            assert_eq!(found["plan_edited"], false, "{}", what(view, task));
            // A field has the same meaning in all of them.
            for (other, fuller) in [("show", &shown), ("report", reported)] {
                // What a step has changed is in the report alone.
                for (field, value) in
                    found.as_object().unwrap().iter().filter(|(field, _)| *field != "attempts")
                {
                    let there = fuller.get(field).unwrap_or(value);
                    assert_eq!(value, there, "{}, {field} in {other}", what(view, task));
                }
            }
        }
        let words = [
            ("status", &listed["proof"]),
            ("report", &reported["evidence"]["word"]),
            ("check", &of(&check["evidence"]["tasks"], "task", task).unwrap_or(&Value::Null)["word"]),
        ];
        for (view, found) in words {
            assert_eq!(found.as_str(), word, "{}", what(view, task));
        }
        let shows = |text: &str, line: &dyn Fn(&str) -> String| {
            mark(state).iter().any(|mark| text.contains(&line(mark)))
        };
        assert!(shows(&tree, &|mark| format!("{mark} {task} ")), "{}: {tree}", what("tree", task));
        assert!(shows(&table, &|mark| format!("| {mark} {task} ")), "{}: {table}", what("table", task));
        if let Some(body) = request["body"].as_str() {
            assert!(shows(body, &|mark| format!("| {mark} {task} ")), "{}: {body}", what("request", task));
        }
    }
    let complete = row.tasks.iter().filter(|(state, _)| *state == "complete").count();
    assert_eq!(status["counts"]["complete"], complete, "{}", row.name);
    assert_eq!(report["total"]["complete"], complete, "{}", row.name);
    assert_eq!(status["run"]["state"], report["run"]["state"], "{}", row.name);
    assert_eq!(check["evidence"]["complete"], complete, "{}: {check}", row.name);
    assert_eq!(check["errors"], 0, "{}: {check}", row.name);
    let mut lands: Vec<&str> = land["commits"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|commit| commit["tasks"].as_array().unwrap())
        .map(|task| task.as_str().unwrap())
        .collect();
    lands.sort_unstable();
    assert_eq!(lands, row.lands, "{}", row.name);
    assert_eq!(request["body"].is_string(), complete > 0, "{}: {request}", row.name);
}

/// Plays a row, and compares the views there and in a clone.
fn play(row: &Row) {
    let description = r#""description": "Design the schema.""#;
    let tests = r#""test_commands": [{"type": "unit", "command": "true"}]"#;
    let plan = PLAN.replacen(description, &format!("{description}, {tests}"), 1);
    let (repo, ids) = (row.story)(Story::of(&plan)).told(200);
    let plan = ids[0].to_string();
    git(repo.path(), &["switch", "-q", "-c", "run"]);
    for branch in ["main", "base"] {
        git(repo.path(), &["branch", "-q", "-f", branch, &plan]);
    }
    let remote = Repo::init(&["--bare"]);
    git(repo.path(), &["remote", "add", "origin", remote.path().to_str().unwrap()]);
    git(repo.path(), &["push", "-q", "origin", "base"]);
    for command in row.then {
        git(repo.path(), command);
    }
    compare(repo.path(), row);
    compare(Repo::clone_of(repo.path().to_str().unwrap(), &[]).path(), row);
}

#[test]
fn all_views_agree_about_every_task_in_every_state() {
    std::thread::scope(|scope| {
        for rows in ROWS.chunks(ROWS.len().div_ceil(4)) {
            scope.spawn(|| rows.iter().for_each(play));
        }
    });
}

#[test]
fn after_a_step_a_panel_says_of_its_phase_what_status_says() {
    let failed = || all(Story::of(PLAN)).phase_ends("phase1", Fail);
    let (before, _) = failed().told(200);
    let (after, ids) = failed().implement("T001", 1, Pass).told(200);
    let mut plan = panel_of(before.path());
    let record = StepRecord::of_run(Step::IMPLEMENT, Pass, 1);
    let step = StepCommit { id: *ids.last().unwrap(), time: 0, record };
    plan.ended(&TaskId::parse("T001").unwrap(), step, Usage::default());
    let phase = |text: &str| text.lines().find(|line| line.contains("phase1")).unwrap().to_owned();
    assert_eq!(phase(&lines(plan, 200)), phase(&arborist(after.path(), &["status"]).out));
}
