//! The commands that a stop advises do what they are said to do: from every folder, and where files were changed since.

use serde_json::json;

use super::outcomes::{SHORT_LIMIT, run as run_agent, with_agent};
use crate::support::garden::{Ended, Garden, one_task, plan, side_by_side};
use crate::support::questions::{asking, four_tasks};

/// The command in an error that begins like this, as it stands between backquotes.
fn advised(ended: &Ended, start: &str) -> String {
    let rest =
        ended.stderr.split_once(&format!("`{start}")).unwrap_or_else(|| panic!("{start}: {ended:#?}")).1;
    format!("{start}{}", rest.split_once('`').unwrap().0)
}

/// Types a command in a folder below the top of the work tree, and says whether it succeeds.
fn try_below(garden: &Garden, command: &str) -> bool {
    let folder = garden.top().join("below");
    std::fs::create_dir_all(&folder).unwrap();
    let output = garden.command("sh").args(["-c", command]).current_dir(folder).output().unwrap();
    eprintln!("{command}: {}", String::from_utf8_lossy(&output.stderr));
    output.status.success()
}

/// Has the agent do this once, and runs until the run stops for it.
fn stopped(garden: &Garden, once: &str) -> Ended {
    let once = format!("test -e \"$ROOT/once\" || {{ touch \"$ROOT/once\"; {once}; }}");
    garden.agent(&once);
    let ended = garden.run(&["gardener"]);
    ended.assert(6, &[]);
    ended
}

/// A garden with a file that is committed.
fn garden() -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("file.txt", "first\n");
    garden.write("below/keep.txt", "");
    garden.commit("Add files");
    garden
}

#[test]
fn a_commit_that_was_taken_off_the_branch_comes_back_also_where_its_files_were_changed_since() {
    let agents = [
        "echo 2 >> file.txt; git commit -qam 'task(T001): complete \"Do T001\"'",
        "echo 2 >> file.txt; git add .; git update-ref HEAD $(git commit-tree -m other $(git write-tree))",
    ];
    side_by_side(
        agents.into_iter().flat_map(|agent| [(agent, ""), (agent, "; echo 3 >> file.txt")]),
        |(agent, later)| {
            let garden = garden();
            let before = garden.head();
            let ended = stopped(&garden, &format!("{agent}{later}"));
            assert_eq!(garden.head(), before, "{agent}{later}");
            garden.forget_history();
            assert!(try_below(&garden, &advised(&ended, "git reset ")), "{agent}{later}");
            assert_ne!(garden.head(), before);
            let changed = garden.status().contains(&" M file.txt".to_owned());
            assert_eq!(changed, !later.is_empty(), "{agent}{later}");
            // It is not the user's, so it is taken off again, and the next run saves what the agent left.
            garden.git(&["reset", "-q", &before]);
            garden.forget_history();
            garden.run(&["gardener"]).assert(0, &[]);
            assert_eq!(garden.status(), [""; 0]);
        },
    );
}

#[test]
fn stashed_changes_come_back_also_where_the_same_files_were_changed_since() {
    let garden = garden();
    let ended = stopped(&garden, "echo 2 >> file.txt; git stash -q; echo 3 >> file.txt");
    assert!(!try_below(&garden, &advised(&ended, "git stash pop ")));
    assert!(try_below(&garden, &advised(&ended, "git stash push ")));
    assert_eq!(garden.read("file.txt"), "first\n2\n");
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn a_plan_that_an_agent_has_changed_is_put_back_from_a_folder_below() {
    let garden = garden();
    let ended = stopped(&garden, "echo >> task-tree.json");
    assert!(try_below(&garden, &format!("test -n \"$({})\"", advised(&ended, "git diff HEAD "))));
    assert!(try_below(&garden, &advised(&ended, "git restore ")));
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn what_a_reviewer_has_edited_is_taken_back_from_a_folder_below() {
    let garden = garden();
    let edits = "test $ARBORIST_STEP = review && { cd \"$ROOT/work\"; echo x >> file.txt; echo y > new.txt; git add new.txt; }";
    garden.agent(&format!("test -e \"$ROOT/once\" || {{ {edits} && touch \"$ROOT/once\"; }}"));
    let ended = garden.run(&["gardener"]);
    ended.assert(6, &["file.txt", "new.txt"]);
    assert!(try_below(&garden, &advised(&ended, "git restore ")));
    assert_eq!(garden.status(), [""; 0]);
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn changes_of_the_users_beside_a_kept_step_are_set_aside_from_a_folder_below() {
    let garden = garden();
    let hook = garden.top().join(".git/hooks/commit-msg");
    garden.program(&hook, "test ! -e T001.txt");
    garden.run(&["gardener"]).assert(4, &["the hook commit-msg refused"]);
    std::fs::remove_file(hook).unwrap();
    for file in ["file.txt", "new file.txt", "x[1]"] {
        garden.write(file, "mine\n");
    }
    std::fs::remove_file(garden.top().join("below/keep.txt")).unwrap();
    let ended = garden.run(&["gardener"]);
    ended.assert(3, &["below/keep.txt"]);
    assert!(try_below(&garden, &advised(&ended, "git stash push ")));
    garden.run(&["gardener"]).assert(0, &[]);
    garden.git(&["stash", "pop", "-q"]);
    assert_eq!(garden.read("x[1]"), "mine\n");
    assert!(!garden.exists("below/keep.txt"));
}

/// The command of ours that the end of a run advises and that begins like this, as words.
#[track_caller]
fn words_of(ended: &Ended, start: &str) -> Vec<String> {
    let command = advised(ended, start);
    command.strip_prefix("git arborist ").unwrap().split(' ').map(str::to_owned).collect()
}

/// Types a command that the end of a run advises, word for word.
#[track_caller]
fn follow(garden: &Garden, ended: &Ended, start: &str) -> Ended {
    let words = words_of(ended, start);
    garden.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The state of each task, in the order of the plan.
fn states(garden: &Garden) -> Vec<String> {
    let document = garden.json(&["status", "--json"]);
    let tasks = document["tasks"].as_array().unwrap().iter();
    tasks.map(|task| task["state"].as_str().unwrap().to_owned()).collect()
}

/// Two tasks, of which the second waits for the first.
fn two_tasks() -> Garden {
    Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &["T001"], &["true"]),
    ]))
}

#[test]
fn what_a_run_advises_after_a_failure_tries_the_task_again() {
    let garden = Garden::new(&one_task(&["test -f right"]));
    garden.agent("test -f \"$ROOT/wiser\" && touch right; echo 'I tried this.'");
    let ended = garden.run(&["gardener", "--max-attempts", "1"]);
    ended.assert(1, &["T001 failed"]);
    follow(&garden, &ended, "git arborist show").assert(0, &[]);
    std::fs::write(garden.root().join("wiser"), "").unwrap();
    follow(&garden, &ended, "git arborist gardener").assert(0, &[]);
    assert_eq!(states(&garden), ["complete"]);
}

#[test]
fn what_a_run_advises_when_it_ends_early_goes_on_with_the_next_task() {
    for args in [&["--max-tasks", "1"][..], &["--gate", "task"]] {
        let garden = two_tasks();
        let ended = garden.run(&[&["gardener"], args].concat());
        assert_eq!(states(&garden), ["complete", "pending"], "{args:?}: {ended:#?}");
        let ended = follow(&garden, &ended, "git arborist gardener");
        assert_eq!(states(&garden), ["complete", "complete"], "{args:?}: {ended:#?}");
    }
}

#[test]
fn what_a_run_advises_when_it_was_stopped_goes_on_from_there() {
    let garden = two_tasks();
    garden.agent("touch \"$ROOT/began\"; until test -e \"$ROOT/go\"; do sleep 0.01; done");
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("began");
    garden.run(&["stop"]).assert(0, &[]);
    std::fs::write(garden.root().join("go"), "").unwrap();
    let ended = running.wait();
    assert_eq!(states(&garden), ["complete", "pending"], "{ended:#?}");
    follow(&garden, &ended, "git arborist gardener").assert(0, &[]);
    assert_eq!(states(&garden), ["complete", "complete"]);
}

#[test]
fn what_a_run_advises_at_a_limit_goes_on_after_it() {
    let garden = with_agent("claude", SHORT_LIMIT);
    let ended = run_agent(&garden, &["gardener", "--no-wait"]);
    ended.assert(4, &["has hit its usage limit", "Run the same command again"]);
    run_agent(&garden, &["gardener", "--no-wait"]).assert(0, &[]);
    assert_eq!(states(&garden), ["complete"]);
}

#[test]
fn what_a_run_advises_after_a_question_answers_it() {
    let garden = asking(&four_tasks());
    let ended = garden.run(&["gardener"]);
    ended.assert(7, &[]);
    assert_eq!(states(&garden)[1], "asked");
    follow(&garden, &ended, "git arborist note").assert(0, &[]);
    assert_ne!(states(&garden)[1], "asked");
    garden.agent("");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(states(&garden), ["complete"; 4]);
}

#[test]
fn what_a_run_advises_for_tasks_that_wait_lets_them_go_on() {
    let garden = two_tasks();
    let ended = garden.run(&["gardener", "T002"]);
    ended.assert(1, &["T002 waits for T001"]);
    follow(&garden, &ended, "git arborist gardener").assert(0, &[]);
    assert_eq!(states(&garden), ["complete", "complete"]);
    // A gate waits for a person.
    let mut plan = one_task(&["true"]);
    plan["nodes"]["T001"]["gate"] = json!(true);
    let garden = Garden::new(&plan);
    let ended = garden.run(&["gardener"]);
    assert_ne!(states(&garden), ["complete"], "{ended:#?}");
    follow(&garden, &ended, "git arborist show").assert(0, &[]);
    follow(&garden, &ended, "git arborist mark approve").assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(states(&garden), ["complete"]);
}
