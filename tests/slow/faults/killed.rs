//! Tests that a run that was killed or stopped continues as if nothing had happened (rows K).

use std::collections::BTreeSet;

use crate::support::garden::{Garden, one_task, plan, side_by_side};

/// Two phases, a failed implement, a failed test, a rejected review.
fn eventful() -> Garden {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &["test -f T001.txt"]),
        ("T001", "p1", &[], &["grep -q implement.2 T001.txt"]),
        ("p2", "", &[], &[]),
        ("T002", "p2", &["T001"], &["true"]),
    ]));
    garden.agent(
        "case $work in
         T001.implement.0) exit 3;;
         T002.review.0) echo REJECTED; exit 0;;
         esac",
    );
    garden
}

/// Lets the post-commit hook kill the program whose id is in `$ROOT/pid` as often as `$ROOT/kill` holds the number of
/// the commit that was just made.
fn kill_after_commits(garden: &Garden, numbers: &BTreeSet<usize>) {
    // The shell alone does this, for it is done after hundreds of commits. The first is the plan.
    let hook = "read -r number < \"$ROOT/commits\"; number=$((number + 1)); echo $number > \"$ROOT/commits\"
         while read -r kill; do test $kill != $number || { read -r pid < \"$ROOT/pid\"; kill -9 $pid; }; done < \"$ROOT/kill\"";
    std::fs::write(garden.root().join("commits"), "1\n").unwrap();
    garden.program(&garden.top().join(".git/hooks/post-commit"), hook);
    let numbers: Vec<String> = numbers.iter().map(|number| format!("{number}\n")).collect();
    std::fs::write(garden.root().join("kill"), numbers.concat()).unwrap();
}

/// Runs gardener repeatedly until it is not killed. Returns how often it was killed.
fn run_until_it_ends(garden: &Garden) -> usize {
    for kills in 0.. {
        let mut shell = garden.command("/bin/sh");
        shell.args(["-c", "echo $$ > \"$ROOT/pid\"; exec git-arborist-gardener"]);
        let ended = garden.start(shell).wait();
        if ended.status != 137 {
            garden.check(&ended);
            ended.assert(0, &[]);
            return kills;
        }
        garden.check_repository();
    }
    unreachable!()
}

/// Two tasks whose tests are written first. Once the new test passes already, and once a reviewer rejects the tests.
fn tests_first() -> Garden {
    let mut plan = plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["sh tests/T001.sh"]),
        ("T002", "p1", &["T001"], &["sh tests/T002.sh"]),
    ]);
    plan["nodes"]["p1"]["test_first"] = true.into();
    let garden = Garden::new(&plan);
    garden.agent(
        "case $work in
         T001.red.0) mkdir tests; echo true > tests/T001.sh;;
         *.red.*) echo \"grep -q implement.$ARBORIST_ATTEMPT $ARBORIST_TASK.txt\" > tests/$ARBORIST_TASK.sh;;
         T002.review.0) echo TESTS REJECTED; exit 0;;
         esac",
    );
    garden
}

#[test]
fn a_gardener_killed_once_ends_with_the_same_history() {
    // Killed after every commit it is in the test below.
    killed_once_after(eventful, 8);
}

#[test]
#[ignore = "takes ten seconds for each plan"]
fn a_gardener_killed_after_any_commit_ends_with_the_same_history() {
    killed_once_after(eventful, 1);
    killed_once_after(tests_first, 1);
}

/// Kills one run after each `step`th commit, every one in a repository of its own.
fn killed_once_after(make: fn() -> Garden, step: usize) {
    let whole = make();
    whole.run(&["gardener"]).assert(0, &[]);
    let expected = whole.steps();
    assert_eq!(expected.len(), 16, "{expected:#?}");

    side_by_side((2..=expected.len() + 1).step_by(step), |number| {
        let garden = make();
        kill_after_commits(&garden, &BTreeSet::from([number]));
        assert_eq!(run_until_it_ends(&garden), 1);
        assert_eq!(garden.steps(), expected, "killed after commit {number}");
        assert_eq!(garden.status(), [""; 0], "killed after commit {number}");
        assert_eq!(garden.asked(), whole.asked(), "killed after commit {number}");
    });
}

#[test]
fn a_gardener_killed_after_every_commit_ends_with_the_same_history() {
    killed_after_every_commit(eventful);
}

#[test]
fn a_gardener_killed_after_every_commit_ends_with_the_same_history_where_tests_are_written_first() {
    killed_after_every_commit(tests_first);
}

fn killed_after_every_commit(make: fn() -> Garden) {
    let whole = make();
    whole.run(&["gardener"]).assert(0, &[]);
    let expected = whole.steps();

    let garden = make();
    kill_after_commits(&garden, &(2..=expected.len() + 1).collect());
    assert_eq!(run_until_it_ends(&garden), expected.len());
    assert_eq!(garden.steps(), expected);
    assert_eq!(garden.asked(), whole.asked());
    garden.assert_nothing_runs();
}

/// A repository with one task in which an agent was killed that had run this script.
fn killed_after(script: &str) -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent(&format!("if test $work = T001.implement.0 && ! test -e \"$ROOT/once\"; then\n{script}\necho $$ > \"$ROOT/pid\"; touch \"$ROOT/once\"; sleep 60; fi"));
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("once");
    garden.kill_with_agent(running);
    garden
}

#[test]
fn files_that_a_killed_agent_let_git_ignore_are_saved_and_stop_no_later_run() {
    for script in [
        "echo w > work.tmp; echo '*.tmp' > .gitignore",
        "mkdir sub; echo w > sub/work.tmp; echo '*.tmp' > sub/.gitignore; echo '.gitignore' > .gitignore",
        "echo w > work.tmp; echo '*.tmp' > .git/info/exclude",
        "echo w > work.tmp; echo '*.tmp' > mine; git config core.excludesFile mine",
        "echo '*.tmp' > .gitignore; git add .gitignore; echo w > work.tmp",
    ] {
        let garden = killed_after(script);
        let ended = garden.run(&["gardener"]);
        // What must not happen is that it is refused again and again.
        let ended = if ended.status == 0 { ended } else { garden.run(&["gardener"]) };
        ended.assert(0, &[]);
        assert_eq!(garden.status(), [""; 0], "{script}");
    }
    let garden = killed_after("echo w > work.tmp; echo '*.tmp' > .gitignore");
    garden.run(&["gardener"]).assert(0, &["is saved"]);
    let saved = garden.lines(&["for-each-ref", "--format=%(refname)", "refs/arborist/rescue/"]);
    let files: Vec<String> =
        saved.iter().flat_map(|name| garden.lines(&["ls-tree", "-r", "--name-only", name])).collect();
    for file in ["work.tmp", ".gitignore"] {
        assert!(files.iter().any(|saved| saved == file), "{file}: {files:?}");
    }
}

#[test]
fn a_nested_repository_that_a_killed_agent_left_is_set_aside_whole() {
    let garden = killed_after("mkdir -p lib; git init -q lib/inner; echo x > lib/inner/file");
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &["lib/inner/, a repository that", "is set aside in"]);
    assert!(!garden.exists("lib/inner"));
    assert_eq!(garden.status(), [""; 0]);
    let aside =
        std::fs::read_dir(garden.top().join(".git/arborist-aside")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(std::fs::read_to_string(aside.join("lib/inner/file")).unwrap(), "x\n");
    assert!(aside.join("lib/inner/.git/HEAD").exists());
}

#[test]
fn a_repository_of_the_user_that_git_ignored_is_not_moved() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write(".gitignore", "mine/\n");
    garden.commit("Ignore a repository");
    garden.git(&["init", "-q", "mine"]);
    garden.agent("if ! test -e \"$ROOT/once\"; then : > .gitignore; echo $$ > \"$ROOT/pid\"; touch \"$ROOT/once\"; sleep 60; fi");
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("once");
    garden.kill_with_agent(running);
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(garden.exists("mine/.git/HEAD"));
}
