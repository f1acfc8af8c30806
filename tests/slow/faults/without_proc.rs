//! Runs where `/proc` tells nothing about processes, as in some sandboxes and on systems other than Linux.

use super::disk::in_namespace;
use crate::support::garden::{Ended, Garden, one_task};

/// A shell script that runs without `/proc`, `$1` being the program.
fn without_proc(garden: &Garden, script: &str) -> Option<Ended> {
    let program = garden.arborist(&[]);
    let program = program.get_program().to_str().unwrap();
    in_namespace(
        garden,
        &format!("mount -t tmpfs none /proc; cd \"$ROOT/work\"; program='{program}'\n{script}"),
    )
}

#[test]
fn a_run_works_through_the_plan_however_it_is_called() {
    let garden = Garden::new(&one_task(&["test -e made"]));
    garden.agent("[ $ARBORIST_STEP = review ] && echo APPROVED || touch made");
    let by_path = "\"$program\" gardener --max-tasks 1";
    let by_name = "PATH=$(dirname \"$program\"):$PATH; git-arborist gardener";
    let by_git = "PATH=$(dirname \"$program\"):$PATH; git arborist gardener";
    let start = garden.head();
    for call in [by_path, by_name, by_git] {
        let Some(ended) = without_proc(&garden, call) else { return };
        ended.assert(0, &["1 task completed"]);
        garden.check_repository();
        assert_eq!(garden.status(), [""; 0]);
        garden.git(&["reset", "-q", "--hard", &start]);
        garden.git(&["clean", "-qfd"]);
        garden.forget_history();
    }
}

#[test]
fn a_test_that_takes_too_long_is_ended_with_all_of_its_process_group() {
    let garden = Garden::new(&one_task(&["sleep 61 & sleep 62"]));
    garden.agent("touch made");
    garden.config("arborist.testTimeout", "1");
    let Some(ended) = without_proc(&garden, "\"$program\" gardener --max-attempts 1") else { return };
    ended.assert(1, &["timeout of 1 s"]);
    garden.assert_nothing_runs();
}

#[test]
fn a_program_that_cannot_find_itself_says_so_and_blames_no_shell() {
    let garden = Garden::new(&one_task(&["test -e made"]));
    garden.agent("touch made");
    let call = "( exec -a nowhere \"$program\" gardener )";
    let Some(ended) =
        without_proc(&garden, &format!("bash -c '{call}'").replace("$program", "'\"$program\"'"))
    else {
        return;
    };
    ended.assert(4, &["Start git-arborist by its full path, or mount /proc"]);
    assert!(!ended.stderr.contains("POSIX shell"), "{}", ended.stderr);
}
