//! Tests agents that leave a merge, a rebase or a similar operation open: their work is saved before any advice that
//! would remove it.

use crate::support::garden::{Ended, Garden, one_task, side_by_side};

/// How an agent begins an operation, and how it is aborted.
struct Operation {
    begin: &'static str,
    name: &'static str,
    take_back: &'static str,
}

const OPERATIONS: [Operation; 7] = [
    Operation {
        begin: "git merge -q --no-commit --no-ff clean",
        name: "a merge",
        take_back: "git merge --abort",
    },
    Operation { begin: "git merge -q side", name: "a merge", take_back: "git merge --abort" },
    Operation { begin: "git cherry-pick side", name: "a cherry-pick", take_back: "git cherry-pick --abort" },
    Operation { begin: "git revert --no-edit HEAD~1", name: "a revert", take_back: "git revert --abort" },
    Operation { begin: "git rebase -q side", name: "a rebase", take_back: "git rebase --abort" },
    Operation {
        begin: "git rebase -q --apply side",
        name: "a rebase or `git am`",
        take_back: "git rebase --abort",
    },
    Operation { begin: "git bisect start", name: "a bisect", take_back: "git bisect reset" },
];

/// A repository with a branch `side` that conflicts with `main` and a branch `clean` that does not. Its agent does this
/// when it is asked for the first time.
fn divided(script: &str) -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("f.txt", "base\n");
    garden.commit("Base");
    for (branch, file) in [("clean", "clean.txt"), ("side", "f.txt")] {
        garden.git(&["switch", "-q", "-c", branch, "main"]);
        garden.write(file, "side\n");
        garden.commit("Side");
    }
    garden.git(&["switch", "-q", "main"]);
    for text in ["one\n", "two\n"] {
        garden.write("f.txt", text);
        garden.commit("Main");
    }
    garden.agent(&format!(
        "test -e \"$ROOT/asked\" || {{ : > \"$ROOT/asked\"; {{ {script}; }} 2> /dev/null; exit 0; }}"
    ));
    garden
}

/// What an agent does beside that, in a new file that is staged, in one that is not, and in one that was there.
const WORK: &str = "echo 'a day of work' > b; git add b; echo loose > loose; echo '{ }' > .arborist-notes";

fn saved(garden: &Garden) -> Vec<String> {
    garden.lines(&["for-each-ref", "--format=%(refname)", "refs/arborist/rescue"])
}

/// Runs once; what the branch is like while something is in progress does not matter.
fn run(garden: &Garden) -> Ended {
    garden.forget_history();
    let ended = garden.run(&["gardener"]);
    garden.forget_history();
    ended
}

/// Follows the advice to the letter, and makes sure that the work is still there and that the task is done.
fn assert_kept(garden: &Garden, operation: &Operation) {
    let names = saved(garden);
    let [name] = &names[..] else { panic!("{}: {names:?}", operation.begin) };
    assert_eq!(garden.git(&["show", &format!("{name}:b")]), "a day of work", "{}", operation.begin);
    assert_eq!(garden.git(&["show", &format!("{name}:loose")]), "loose", "{}", operation.begin);
    garden.git(&operation.take_back.split(' ').skip(1).collect::<Vec<_>>());
    garden.forget_history();
    garden.run(&["gardener"]).assert(0, &["T001 complete"]);
    assert_eq!(garden.status(), [""; 0], "{}", operation.begin);
    let short = name.strip_prefix("refs/arborist/rescue/").unwrap();
    garden.run(&["rescue", "apply", short]).assert(0, &[]);
    assert_eq!(garden.read("b"), "a day of work\n", "{}", operation.begin);
}

#[test]
fn an_operation_that_an_agent_leaves_open_stops_the_run_after_its_work_is_saved() {
    side_by_side(OPERATIONS, |operation| {
        let garden = divided(&format!("{}; {WORK}", operation.begin));
        garden.forget_history();
        let ended = run(&garden);
        let begun = format!("{} was begun while the runner was at work", operation.name);
        ended.assert(6, &[&begun, "rescue show T001/", operation.take_back, "rescue apply T001/"]);
        assert_eq!(garden.read("b"), "a day of work\n", "nothing is touched");
        assert_kept(&garden, &operation);
    });
}

#[test]
fn a_second_run_gives_the_same_error_and_saves_nothing_twice() {
    let [operation, ..] = OPERATIONS;
    let garden = divided(&format!("{}; {WORK}", operation.begin));
    run(&garden).assert(6, &[]);
    for _ in 0..2 {
        run(&garden).assert(3, &["a merge is in progress", "rescue show T001/", operation.take_back]);
    }
    assert_kept(&garden, &operation);
}

#[test]
fn if_a_killed_run_left_an_operation_open_the_next_saves_its_work_before_refusing() {
    side_by_side(OPERATIONS, |operation| {
        let garden = divided(&format!("{}; {WORK}; : > \"$ROOT/started\"; sleep 600", operation.begin));
        let running = garden.start(garden.arborist(&["gardener"]));
        garden.wait_for("started");
        running.signal("KILL");
        running.wait();
        let name = format!("{} is in progress", operation.name);
        run(&garden).assert(3, &[&name, "rescue show T001/", operation.take_back]);
        assert_kept(&garden, &operation);
    });
}

#[test]
fn if_a_stopped_run_leaves_an_operation_open_its_work_is_saved_and_left_alone() {
    let [operation, ..] = OPERATIONS;
    let garden = divided(&format!("{}; {WORK}; : > \"$ROOT/started\"; sleep 600", operation.begin));
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    running.signal("INT");
    running.wait().assert(6, &["rescue show T001/", "a merge was begun while the runner was at work"]);
    assert_eq!(garden.read("clean.txt"), "side\n", "the merge is as the agent left it");
    run(&garden).assert(3, &["a merge is in progress", operation.take_back]);
    assert_kept(&garden, &operation);
}

#[test]
fn commits_that_an_agent_made_in_the_middle_of_a_rebase_are_kept() {
    let garden = divided(
        "GIT_SEQUENCE_EDITOR=\"sed -i '1s/^pick/edit/'\" git rebase -q -i HEAD~1; echo work > b; git add b; git commit -qm Work",
    );
    run(&garden).assert(6, &["a rebase was begun while the runner was at work", "git rebase --abort"]);
    garden.git(&["rebase", "--abort"]);
    assert!(!garden.exists("b"));
    let names = saved(&garden);
    assert!(
        names.iter().any(|name| garden.try_git(&["cat-file", "-e", &format!("{name}:b")]).status.success()),
        "{names:?}"
    );
    run(&garden).assert(0, &[]);
}

#[test]
fn an_operation_that_a_test_command_leaves_open_stops_the_run_too() {
    let garden = Garden::new(&one_task(&["git merge -q --no-commit --no-ff clean && echo left > left"]));
    garden.git(&["switch", "-q", "-c", "clean"]);
    garden.write("clean.txt", "");
    garden.commit("Clean");
    garden.git(&["switch", "-q", "main"]);
    garden.run(&["gardener"]).assert(
        6,
        &["a merge was begun while a test command was at work", "rescue show T001/", "git merge --abort"],
    );
    assert_eq!(garden.git(&["show", &format!("{}:left", saved(&garden)[0])]), "left");
}
