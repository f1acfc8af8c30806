//! Tests what a refusal of a hook is: feedback for the agent if pre-commit refuses what it has written, and known before an agent is
//! paid if a hook refuses every message.

use std::fs;

use serde_json::Value;

use crate::support::garden::{Garden, one_task, plan, side_by_side};

fn hook(garden: &Garden, name: &str, script: &str) {
    garden.program(&garden.top().join(".git/hooks").join(name), script);
}

/// What is staged must not hold a `TODO`.
const NO_TODO: &str = "git grep --cached -q TODO || exit 0; echo 'lint: TODO in code.txt'; exit 1";

/// Tasks that do not depend on each other, each with this test.
fn tasks(count: usize, test: &str) -> Value {
    let ids: Vec<String> = (1..=count).map(|number| format!("T00{number}")).collect();
    let tests = [test];
    let rows = ids.iter().map(|id| (id.as_str(), "p1", &[][..], &tests[..]));
    plan(&std::iter::once(("p1", "", &[][..], &[][..])).chain(rows).collect::<Vec<_>>())
}

/// A garden whose agent writes a `TODO` in its first attempt alone.
fn with_todo() -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent(
        "case $work in
         T001.implement.0) echo 'code TODO' > code.txt;;
         T001.implement.1) sed -i 's/ TODO/, written better/' code.txt;;
         esac",
    );
    garden
}

/// Asserts the outcome of an attempt that a hook has refused, and of the next one.
fn assert_failed_and_done_better(garden: &Garden) {
    let steps = garden.steps();
    let expected = [
        "task(T001): implement \"Do T001\" (failed, attempt 1/5) | implement fail   0",
        "task(T001): implement \"Do T001\" | implement pass   1",
    ];
    assert_eq!(steps[..2], expected, "{steps:#?}");
    assert_eq!(steps.len(), 6, "{steps:#?}");
    let asked = garden.asked();
    assert_eq!(asked[asked.len() - 3..], ["T001.implement.0", "T001.implement.1", "T001.review.1"]);
    let prompt = garden.prompt("T001.implement.1");
    assert!(prompt.contains("the hook pre-commit refused the commit"), "{prompt}");
    assert!(prompt.contains("lint: TODO in code.txt"), "{prompt}");
    assert_eq!(
        garden.git(&["diff-tree", "--name-only", "HEAD~6", "HEAD~5"]),
        "",
        "nothing of the refused work"
    );
    assert_eq!(garden.git(&["show", "HEAD~4:code.txt"]), "code, written better");
    assert_eq!(garden.git(&["show", "HEAD~4:T001.txt"]), "T001.implement.0\nT001.implement.1");
    assert_eq!(garden.status(), [""; 0]);
}

#[test]
fn what_pre_commit_refuses_is_a_failed_attempt_without_its_files_and_the_next_one_is_told_why() {
    let in_tree = "! grep -q TODO code.txt || { echo 'lint: TODO in code.txt'; exit 1; }";
    for script in [NO_TODO, in_tree] {
        let garden = with_todo();
        hook(&garden, "pre-commit", script);
        garden.write("mine.txt", "of the user\n");
        garden.run(&["gardener", "--allow-dirty"]).assert(0, &["the hook pre-commit refused"]);
        fs::remove_file(garden.top().join("mine.txt")).unwrap();
        assert_failed_and_done_better(&garden);
        assert_eq!(garden.asked().len(), 3);
    }
}

#[test]
fn a_step_that_is_killed_while_the_hook_refuses_is_done_again_and_refused_as_the_same_attempt() {
    let garden = with_todo();
    let kill = "test -e \"$ROOT/killed\" || { : > \"$ROOT/killed\"; kill -9 $(ps -o ppid= -p $PPID); }";
    hook(&garden, "pre-commit", &format!("{kill}\n{NO_TODO}"));
    assert_eq!(garden.start(garden.arborist(&["gardener"])).wait().status, 137);
    garden
        .run(&["gardener"])
        .assert(0, &["what the interrupted implement step of T001 left in the work tree is saved"]);
    assert_failed_and_done_better(&garden);
    assert_eq!(garden.asked().len(), 4);
}

#[test]
fn tests_that_are_written_first_are_refused_in_the_same_way() {
    let garden = Garden::new(&one_task(&["sh tests/t.sh"]));
    garden.config("arborist.testFirst", "true");
    garden.agent(
        "case $work in
         *.red.0) mkdir -p tests; echo 'test -e T001.txt # TODO' > tests/t.sh; exit 0;;
         *.red.1) echo 'test -e T001.txt' > tests/t.sh; exit 0;;
         esac",
    );
    hook(&garden, "pre-commit", NO_TODO);
    garden.run(&["gardener"]).assert(0, &[]);
    let steps = garden.steps();
    assert!(steps[0].contains("no failing tests for \"Do T001\" (attempt 1/5)"), "{steps:#?}");
    assert!(steps[1].starts_with("task(T001): failing tests"), "{steps:#?}");
    assert!(garden.prompt("T001.red.1").contains("lint: TODO in code.txt"));
    let failed = garden.git(&["log", "--format=%B", "--grep=no failing tests"]);
    assert!(!failed.contains("Arborist-Red:"), "{failed}");
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn a_task_whose_last_attempt_is_refused_has_failed_and_the_next_one_finds_none_of_its_work() {
    let garden = Garden::new(&tasks(2, "true"));
    garden.agent("case $work in T001.implement*) echo TODO > code.txt; echo TODO > \"$ROOT/code\";; esac");
    // Every file of the work tree is judged, as many linters do it.
    hook(&garden, "pre-commit", "! grep -q TODO code.txt 2> /dev/null || { echo 'lint: TODO'; exit 1; }");
    let ended = garden.run(&["gardener", "--keep-going", "--max-attempts", "2"]);
    ended.assert(1, &["what the attempts at T001 left in the work tree is saved"]);
    assert_eq!(garden.status(), [""; 0]);
    let steps = garden.steps();
    assert!(steps[2].starts_with("task(T001): failed"), "{steps:#?}");
    assert!(steps.last().unwrap().starts_with("task(T002): complete"), "{steps:#?}");
    assert_eq!(garden.asked()[2..], ["T002.implement.0", "T002.review.0"]);
    let saved = garden.git(&["for-each-ref", "--format=%(refname)", "refs/arborist/rescue"]);
    assert_eq!(garden.git(&["show", &format!("{saved}:code.txt")]), "TODO");
}

#[test]
fn two_tasks_in_a_row_that_fail_with_the_same_words_of_a_hook_end_the_run() {
    side_by_side([&["--keep-going"][..], &["--keep-going", "--jobs", "2"]], |options| {
        let garden = Garden::new(&tasks(4, "true"));
        garden.agent("test $ARBORIST_STEP = review || echo TODO >> code.txt");
        hook(&garden, "pre-commit", NO_TODO);
        let ended = garden.run(&[&["gardener", "--max-attempts", "2"], options].concat());
        ended.assert(4, &["a hook has refused the last attempts at", "same words", "lint: TODO in code.txt"]);
        let asked = garden.asked();
        // Another slot may have begun the third task before the second had failed.
        assert!(asked.len() == 4 || options.len() > 1 && !asked.join(" ").contains("T004"), "{asked:?}");
        fs::remove_file(garden.top().join(".git/hooks/pre-commit")).unwrap();
        garden.run(&[&["gardener", "--failed"], options].concat()).assert(0, &[]);
    });
}

#[test]
fn other_words_of_a_hook_end_no_run() {
    let garden = Garden::new(&tasks(3, "true"));
    garden.agent("case $work in T003.*|*.review.*) ;; *) echo TODO > $ARBORIST_TASK.code;; esac");
    hook(&garden, "pre-commit", "git grep --cached TODO -- '*.code' && exit 1; exit 0");
    garden.run(&["gardener", "--keep-going", "--max-attempts", "1"]).assert(1, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T002.implement.0", "T003.implement.0", "T003.review.0"]);
}

#[test]
fn a_hook_that_refuses_everything_ends_the_run_and_the_next_one_tries_the_commit_first() {
    let garden = with_todo();
    hook(&garden, "pre-commit", "echo 'not in this house'; exit 1");
    for _ in 0..3 {
        garden.run(&["gardener"]).assert(4, &["pre-commit", "not in this house", "is kept"]);
    }
    assert_eq!(garden.asked(), ["T001.implement.0"]);
    assert_eq!(garden.read("code.txt"), "code TODO\n");
    fs::remove_file(garden.top().join(".git/hooks/pre-commit")).unwrap();
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
}

#[test]
fn what_a_hook_corrects_before_it_refuses_is_committed_without_another_attempt() {
    let garden = with_todo();
    let format = "git grep --cached -q TODO || exit 0; sed -i 's/ TODO//' code.txt; echo 'files were modified'; exit 1";
    hook(&garden, "pre-commit", format);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
    assert_eq!(garden.git(&["show", "HEAD~4:code.txt"]), "code");
    assert_eq!(garden.status(), [""; 0]);

    let garden = with_todo();
    let never_content =
        "git grep --cached -q TODO || exit 0; echo x >> code.txt; echo 'lint: TODO in code.txt'; exit 1";
    hook(&garden, "pre-commit", never_content);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.implement.1", "T001.review.1"]);
}

#[test]
fn secrets_in_the_output_of_a_hook_stay_out_of_commits_and_the_journal() {
    let garden = with_todo();
    hook(
        &garden,
        "pre-commit",
        "git grep --cached -q TODO || exit 0; echo \"lint with $LINT_TOKEN\"; exit 1",
    );
    let mut command = garden.arborist(&["gardener", "--max-attempts", "1"]);
    command.env("LINT_TOKEN", "s3cr3t-w0rd-4711");
    garden.finish(command).assert(1, &[]);
    let body = garden.git(&["log", "--format=%B"]);
    assert!(body.contains("lint with ***") && !body.contains("4711"), "{body}");
}

/// An autopilot that needs neither a remote repository nor a suite.
const AUTOPILOT: [&str; 5] = ["autopilot", "--yes", "--no-push", "--no-suite", "--no-probe"];

/// Only Conventional Commits, as commitlint asks for them.
const CONVENTIONAL: &str = "head -1 \"$1\" | grep -Eq '^(feat|fix|chore)(\\(.*\\))?: [a-z]' || \
                            { echo 'type may not be empty [type-empty]'; exit 1; }";

#[test]
fn a_hook_that_refuses_the_messages_of_steps_is_known_before_an_agent_is_paid() {
    let commands = [&["garden", "T001"][..], &["gardener"], &["gardener", "--jobs", "2"], &AUTOPILOT];
    side_by_side(commands, |args| {
        let garden = Garden::new(&one_task(&["true"]));
        hook(&garden, "commit-msg", CONVENTIONAL);
        let advice = "git config arborist.subject 'chore({id}): {summary}'";
        let ended = garden.run(args);
        ended.assert(4, &["the hook commit-msg refuses", "[type-empty]", advice, "No agent was asked"]);
        assert_eq!(garden.asked(), [""; 0], "{args:?}");
        garden.config("arborist.subject", "chore({id}): {summary}");
        garden.run(&["gardener"]).assert(0, &[]);
        assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"], "{args:?}");
    });
}

#[test]
fn a_hook_for_messages_sees_what_the_one_before_it_has_prepared_and_the_users_message_stays() {
    let garden = Garden::new(&one_task(&["true"]));
    let ticket = "git interpret-trailers --in-place --trailer 'Ticket: 7' \"$1\"";
    hook(&garden, "prepare-commit-msg", ticket);
    hook(&garden, "commit-msg", "grep -q '^Ticket: 7' .git/COMMIT_EDITMSG || { echo 'no ticket'; exit 1; }");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.trailers("Ticket").len(), garden.steps().len());

    let garden = Garden::new(&one_task(&["true"]));
    hook(&garden, "commit-msg", "echo 'never'; exit 1");
    garden.write(".git/COMMIT_EDITMSG", "What I wanted to say\n");
    garden.run(&["gardener"]).assert(4, &["never", "git config arborist.subject"]);
    assert_eq!(garden.read(".git/COMMIT_EDITMSG"), "What I wanted to say\n");
}

#[test]
fn a_hook_that_fails_after_everything_is_done_fails_no_command_of_git() {
    let with_hooks = || {
        let garden = Garden::new(&tasks(2, "true"));
        let script = "echo 'git-lfs was not found on your path.' >&2; exit 2";
        for name in ["post-checkout", "post-merge", "post-commit", "post-index-change"] {
            hook(&garden, name, script);
        }
        garden
    };
    side_by_side([&["gardener", "--jobs", "2"][..], &["gardener", "--branches", "phase"]], |args| {
        let garden = with_hooks();
        garden.run(args).assert(0, &[]);
        assert!(garden.run(&["status", "--short"]).stdout.starts_with("2/2"), "{args:?}");
    });
    let garden = with_hooks();
    garden.run(&AUTOPILOT);
    assert_eq!(garden.git(&["branch", "--show-current"]), "trial/task-p1-do-p1");
    assert!(!garden.asked().is_empty());
}

/// A repository with the hooks of husky, of which git ignores a part: in the form of version 9 or of those before.
fn with_husky(version: u32) -> Garden {
    let garden = Garden::new(&tasks(2, "true"));
    garden.write(".husky/_/.gitignore", "*\n");
    let check = "echo $PWD >> \"$ROOT/hooked\"\n! git grep --cached -q TODO -- '*.code' || { echo 'lint: TODO'; exit 1; }\n";
    if version >= 9 {
        garden.write(".husky/pre-commit", check);
        garden.write(".husky/_/h", "sh -e \"$(dirname \"$(dirname \"$0\")\")/${0##*/}\" \"$@\"\n");
        garden.program(&garden.top().join(".husky/_/pre-commit"), ". \"$(dirname \"$0\")/h\"");
        garden.config("core.hooksPath", ".husky/_");
    } else {
        garden.write(".husky/_/husky.sh", "set -e\n");
        let script = format!(". \"$(dirname -- \"$0\")/_/husky.sh\"\n{check}");
        garden.program(&garden.top().join(".husky/pre-commit"), &script);
        garden.config("core.hooksPath", ".husky");
    }
    garden.git(&["add", "--all"]);
    garden.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "Add husky"]);
    garden
}

#[test]
fn hooks_that_git_ignores_run_in_slots_too() {
    side_by_side([8, 9], |version| {
        let garden = with_husky(version);
        garden.agent("case $work in *.implement.0) echo TODO > $ARBORIST_TASK.code;; *.implement.*) rm $ARBORIST_TASK.code;; esac");
        garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
        let hooked = fs::read_to_string(garden.root().join("hooked")).unwrap();
        assert!(hooked.lines().all(|folder| folder != garden.top().to_str().unwrap()), "{hooked}");
        assert_eq!(garden.asked().iter().filter(|work| work.ends_with(".implement.1")).count(), 2);
        assert!(garden.prompt("T001.implement.1").contains("lint: TODO"), "husky {version}");
        assert!(garden.run(&["status", "--short"]).stdout.starts_with("2/2"), "husky {version}");
        assert_eq!(garden.status(), [""; 0]);
    });
}

#[test]
fn an_agent_in_a_slot_that_changes_the_hooks_of_its_work_tree_is_found_out() {
    side_by_side([8, 9], |version| {
        let garden = with_husky(version);
        garden.agent("test $ARBORIST_STEP != implement || echo 'exit 0' > .husky/pre-commit");
        garden.run(&["gardener", "--jobs", "2"]).assert(6, &[".husky/pre-commit"]);
    });
}
