//! Rows K: kills and signals to us, to git and to agents at chosen moments.

use std::fs;
use std::process::Command;
use std::time::Duration;

use crate::support::garden::{Garden, Running, plan, side_by_side};
use crate::support::harness::{self, has_strace};
use crate::support::harness::{Mode, script_at, script_before};
use crate::support::harness::{
    assert_nothing_lost, assert_sound_after, git_calls, one_task, outcome, rescued, shimmed, shimmed_at,
    was_hit,
};
use crate::support::skip::has_proc;

/// An agent that writes something, says so, and continues until it is ended.
pub(crate) const LINGER: &str = r#"if [ "$work" = T001.implement.0 ] && ! again; then
  echo half > half.txt; echo half >> shared.txt; note half.txt shared.txt
  : > "$ROOT/started"
  while :; do sleep 0.05; done
fi"#;

/// A run whose agent has written something and continues.
pub(crate) fn interrupted(script: &str) -> (Garden, Running) {
    let garden = one_task(script);
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    (garden, running)
}

/// Asserts that the unfinished work was saved, and that an ordinary second run ends like one without faults.
#[track_caller]
pub(crate) fn assert_resumes(garden: &Garden) {
    let again = garden.run(&["gardener"]);
    again.assert(0, &[]);
    assert_sound_after(garden, &again);
    let [saved] = &rescued(garden)[..] else { panic!("{:?}", rescued(garden)) };
    assert!(saved.starts_with("refs/arborist/rescue/T001/"), "{saved}");
    assert_eq!(garden.git(&["show", &format!("{saved}:half.txt")]), "half");
    assert!(!garden.exists("half.txt"));
    let plain = one_task("");
    plain.run(&["gardener"]).assert(0, &[]);
    assert_eq!(outcome(garden), outcome(&plain));
}

#[test]
fn k02_kill_9_while_the_agent_runs_ends_the_agent_and_saves_its_work_under_a_rescue_reference() {
    let (garden, running) = interrupted(LINGER);
    running.signal("KILL");
    assert_eq!(running.wait().status, 137);
    garden.assert_nothing_runs();
    assert!(garden.exists("half.txt"));
    let again = garden.start(garden.arborist(&["garden", "--dry-run"])).wait();
    again.assert(0, &[]);
    assert!(garden.exists("half.txt"), "a dry run touches nothing");
    assert_resumes(&garden);
}

/// A script for the git in front of the real one: it kills the gardener, but only the first time.
const KILL_ONCE: &str = "test -e \"$ROOT/once\" || { : > \"$ROOT/once\"; kill -9 \"$PPID\"; exit 1; }";

/// Kills a run before its first git command that has this word among its arguments and fulfils `condition`, and asserts
/// that a second run ends like one without faults.
#[track_caller]
fn killed_before(word: &str, condition: &str) -> Garden {
    let garden = one_task("");
    let script = format!("{{ {condition}; }} && {{ {KILL_ONCE}; }}");
    let ended = garden.start(script_before(&garden, &["gardener"], (word, &script))).wait();
    assert_eq!(ended.status, 137, "{ended:#?}");
    assert_nothing_lost(&garden);
    let again = garden.run(&["gardener"]);
    again.assert(0, &[]);
    assert_sound_after(&garden, &again);
    let plain = one_task("");
    plain.run(&["gardener"]).assert(0, &[]);
    assert_eq!(outcome(&garden), outcome(&plain));
    assert_eq!(garden.status(), [""; 0]);
    garden
}

#[test]
fn k01_a_kill_before_the_agent_starts_leaves_nothing_behind() {
    let garden = killed_before("status", "test ! -d \"$ROOT/asked\"");
    assert_eq!(rescued(&garden), [""; 0]);
}

#[test]
fn k03_a_kill_between_the_agent_and_the_staging_saves_its_work_and_asks_it_again() {
    let garden = killed_before("update-index", "true");
    let [saved] = &rescued(&garden)[..] else { panic!("{:?}", rescued(&garden)) };
    assert_eq!(garden.git(&["show", &format!("{saved}:src/T001.txt")]), "T001.implement.0");
}

#[test]
fn k04_a_kill_between_the_staging_and_the_commit_loses_nothing_that_was_staged() {
    let garden = killed_before("commit", "git diff --cached --quiet; test $? = 1");
    assert_eq!(garden.git(&["show", "HEAD:src/T001.txt"]), "T001.implement.0");
}

#[test]
fn k08_a_test_that_was_at_work_at_a_kill_is_repeated_and_committed_once() {
    let test = "echo >> \"$ROOT/tested\"; until test -e \"$ROOT/go\"; do sleep 0.02; done";
    let garden = crate::support::harness::garden(&crate::support::garden::one_task(&[test]), "");
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("tested");
    running.signal("KILL");
    assert_eq!(running.wait().status, 137);
    std::fs::write(garden.root().join("go"), "").unwrap();
    let again = garden.run(&["gardener"]);
    again.assert(0, &[]);
    assert_sound_after(&garden, &again);
    assert_eq!(std::fs::read_to_string(garden.root().join("tested")).unwrap().lines().count(), 2);
    assert_eq!(garden.lines(&["log", "--format=%h", "--grep", "Arborist-Step: test"]).len(), 1);
    assert_eq!(garden.steps().len(), 6, "{:#?}", garden.steps());
}

#[test]
fn k09_a_kill_between_the_report_and_its_commit_leaves_one_report_in_the_end() {
    let garden = killed_before("commit", "ls spec/reports/*.json > /dev/null 2>&1");
    assert_eq!(garden.lines(&["ls-files", "spec/reports"]).len(), 1);
    assert_eq!(garden.lines(&["log", "--format=%h", "--grep", "Arborist-Step: complete"]).len(), 1);
}

#[test]
fn k05_a_step_is_not_done_twice_if_its_git_commit_outlives_the_gardener() {
    let garden = one_task("");
    let hook = ": > \"$ROOT/started\"; sleep 0.7";
    garden.program(&garden.top().join(".git/hooks/pre-commit"), hook);
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    running.signal("KILL");
    assert_eq!(running.wait().status, 137);
    let mut again = garden.run(&["gardener"]);
    if !has_proc() && again.status == 5 {
        // What git is about to do cannot be seen, so the step may be begun again. The run notices the commit and ends.
        again = garden.run(&["gardener"]);
    }
    again.assert(0, &[]);
    assert_sound_after(&garden, &again);
    assert_eq!(garden.steps().len(), 6, "{:#?}", garden.steps());
    assert_eq!(garden.status(), [""; 0]);
}

/// Lets git be killed at its `number`th system call that changes something, in its `call`th call.
fn kill_git(garden: &Garden, (call, number): (usize, usize)) -> Command {
    let calls = "openat,rename,unlink,link,write,mkdir,fsync";
    let script = format!(
        "exec strace -f -qq -o /dev/null -e trace={calls} -e inject={calls}:signal=KILL:when={number} \"$real\" \"$@\""
    );
    script_at(garden, &["gardener"], (call, &script))
}

/// The calls of git that a run of one task makes until its first commit is done.
fn calls_of_the_first_commit() -> std::ops::Range<usize> {
    let garden = one_task("");
    garden.program(
        &garden.top().join(".git/hooks/post-commit"),
        "test -e \"$ROOT/first\" || cp \"$ROOT/shim/count\" \"$ROOT/first\"",
    );
    garden.finish(shimmed(&garden, &["gardener"])).assert(0, &[]);
    let first = |text: String| text.trim().parse::<usize>().unwrap();
    let commit = first(std::fs::read_to_string(garden.root().join("first")).unwrap());
    assert!(commit > 3);
    // The one that commits, and before it the one that stages.
    commit - 1..commit + 1
}

/// Kills git at one system call, and checks that the next run continues.
fn git_killed_at(point: (usize, usize)) -> bool {
    let garden = one_task("");
    let ended = garden.finish(kill_git(&garden, point));
    assert!(was_hit(&garden));
    assert_nothing_lost(&garden);
    if ended.status == 0 {
        return false;
    }
    let again = garden.run(&["gardener"]);
    again.assert(0, &[]);
    assert_sound_after(&garden, &again);
    assert_eq!(garden.steps().len(), 6, "{point:?}: {ended:#?} {again:#?} {:#?}", garden.steps());
    assert_eq!(garden.status(), [""; 0], "{point:?}");
    true
}

#[test]
fn k06_git_killed_at_some_system_calls_leaves_no_lock_that_stops_the_next_run() {
    if has_strace() {
        let calls = calls_of_the_first_commit();
        for number in [9, 17, 25] {
            assert!(git_killed_at((calls.end - 1, number)));
        }
    }
}

#[test]
#[ignore = "takes long: every system call of staging and committing"]
fn git_killed_at_any_system_call_leaves_no_lock_that_stops_the_next_run() {
    let mut points = 0;
    for call in calls_of_the_first_commit().filter(|_| has_strace()) {
        points += (1..).take_while(|number| git_killed_at((call, *number))).count();
    }
    println!("{points} points");
}

#[test]
fn k07_locks_that_a_killed_git_left_on_index_head_and_references_are_removed_and_named() {
    side_by_side(["index.lock", "HEAD.lock", "refs/heads/main.lock", "packed-refs.lock"], |lock| {
        let garden = one_task("");
        let script = format!(": > .git/{lock}; kill -9 $PPID; exit 1");
        let ended = garden.start(script_at(&garden, &["gardener"], (12, &script))).wait();
        assert_eq!(ended.status, 137);
        let again = garden.run(&["gardener"]);
        again.assert(0, &["removed the stale lock", lock, "left by process"]);
        assert_sound_after(&garden, &again);
    });
}

#[test]
fn k15_a_prune_killed_at_any_call_of_git_has_pruned_or_not_and_the_next_one_completes_it() {
    let whole = one_task("");
    whole.run(&["gardener"]).assert(0, &[]);
    whole.finish(shimmed(&whole, &["prune"])).assert(0, &[]);
    let calls = git_calls(&whole);
    assert!(whole.steps().last().unwrap().starts_with("chore(arborist): prune"));
    side_by_side((1..=calls).step_by(2), |number| {
        let garden = one_task("");
        garden.run(&["gardener"]).assert(0, &[]);
        let mode = if number % 4 == 1 { Mode::KillAfter } else { Mode::KillBefore };
        let ended = garden.start(shimmed_at(&garden, &["prune"], (mode, number))).wait();
        if mode == Mode::KillAfter && ended.status == 0 {
            // A git that answers questions until the command ends is killed too late.
            return;
        }
        assert_eq!(ended.status, 137);
        let again = garden.run(&["prune"]);
        again.assert(0, &[]);
        assert_sound_after(&garden, &again);
        assert_eq!(outcome(&garden), outcome(&whole), "killed at {number} of {calls}");
        assert_eq!(garden.status(), [""; 0]);
    });
}

/// A daemon that leaves its session, its parent, its environment and its files, ignores signals, and keeps writing.
const DAEMON: &str = r#"env -i PATH=/usr/bin:/bin setsid sh -c 'exec <&- >&- 2>&- 3>&- 4>&- 5>&-; trap "" TERM HUP INT
  (while :; do echo more >> daemon.txt; sleep 0.02; done) &' &"#;

/// A run whose agent has written something and continues, and so does its daemon.
fn interrupted_with_daemon() -> (Garden, Running) {
    let (garden, running) = interrupted(&LINGER.replace("while :;", &format!("{DAEMON}\nwhile :;")));
    garden.wait_for("work/daemon.txt");
    (garden, running)
}

/// Asserts that the daemon writes nothing more, and that nothing of it is in the history of the branch.
fn assert_daemon_gone(garden: &Garden) {
    assert!(!garden.exists("daemon.txt"));
    std::thread::sleep(Duration::from_millis(200));
    assert!(!garden.exists("daemon.txt"), "it goes on writing");
    assert_eq!(garden.lines(&["log", "--format=%h", "--", "daemon.txt"]), [""; 0]);
}

#[test]
fn k16_a_daemon_without_environment_and_files_of_its_run_writes_nothing_after_a_kill_into_the_next_step() {
    if !has_proc() {
        return;
    }
    let (garden, running) = interrupted_with_daemon();
    running.signal("KILL");
    assert_eq!(running.wait().status, 137);
    // At once: the next run has to wait until the helper of the killed one has done its work.
    let again = garden.run(&["gardener"]);
    again.assert(0, &["is saved"]);
    assert_daemon_gone(&garden);
    assert_sound_after(&garden, &again);
    assert_eq!(garden.steps().len(), 6, "{:#?}", garden.steps());
}

#[test]
fn k16_a_daemon_that_still_writes_after_its_helper_is_killed_too_is_ended_before_anything_else() {
    if !has_proc() {
        return;
    }
    let (garden, running) = interrupted_with_daemon();
    let helper = running.helper();
    // In this order the helper cannot end its job.
    for (pid, name) in [(&helper, "STOP"), (&running.id(), "KILL"), (&helper, "KILL")] {
        assert!(Command::new("/bin/kill").args(["-s", name, pid]).status().unwrap().success());
    }
    assert_eq!(running.wait().status, 137);
    let before = garden.read("daemon.txt").len();
    garden.wait_until("the daemon does not go on writing", || garden.read("daemon.txt").len() > before);
    let again = garden.run(&["gardener"]);
    again.assert(0, &["left running by an earlier run", "is saved"]);
    assert_daemon_gone(&garden);
    assert_sound_after(&garden, &again);
    assert_eq!(garden.steps().len(), 6, "{:#?}", garden.steps());
}

#[test]
fn k16_every_command_that_ends_processes_of_a_killed_run_names_them() {
    if !has_proc() {
        return;
    }
    let plan = plan(&[
        ("p1", "", &[], &["true"]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &["T001"], &["true"]),
    ]);
    let script = LINGER.replace("T001", "T002").replace("while :;", &format!("{DAEMON}\nwhile :;"));
    for args in [&["rescue", "drop", "--all"][..], &["prune"]] {
        let garden = harness::garden(&plan, &script);
        let running = garden.start(garden.arborist(&["gardener"]));
        garden.wait_for("started");
        garden.wait_for("work/daemon.txt");
        let helper = running.helper();
        for (pid, name) in [(&helper, "STOP"), (&running.id(), "KILL"), (&helper, "KILL")] {
            assert!(Command::new("/bin/kill").args(["-s", name, pid]).status().unwrap().success());
        }
        assert_eq!(running.wait().status, 137);
        garden.run(args).assert(0, &["left running by an earlier run"]);
        garden.assert_nothing_runs();
    }
}

#[test]
fn k17_an_agent_that_the_system_kills_uses_up_no_attempt_and_a_git_without_memory_loses_nothing() {
    let garden = one_task("test $work != T001.implement.0 || again || kill -9 $$");
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &["mine was killed by a signal; it is called again"]);
    assert_sound_after(&garden, &ended);
    assert_eq!(garden.steps().len(), 6, "{:#?}", garden.steps());

    let garden = one_task("test $work != T001.implement.0 || test -e \"$ROOT/roomy\" || kill -9 $$");
    garden.run(&["gardener"]).assert(4, &["mine was killed by a signal", "no attempt is used up"]);
    assert_eq!(garden.steps().len(), 1, "{:#?}", garden.steps());
    fs::write(garden.root().join("roomy"), "").unwrap();
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &[]);
    assert_sound_after(&garden, &ended);

    let garden = one_task("test $ARBORIST_STEP != implement || head -c 3000000 /dev/urandom > big.bin");
    let ended = garden.finish(script_before(&garden, &["gardener"], ("update-index", "ulimit -v 6000")));
    assert_eq!(ended.status, 4, "{ended:#?}");
    assert_nothing_lost(&garden);
    let again = garden.run(&["gardener"]);
    again.assert(0, &[]);
    assert_sound_after(&garden, &again);
}

#[test]
fn k18_a_recovery_that_is_itself_killed_repeatedly_succeeds_in_the_end() {
    let (garden, running) = interrupted(LINGER);
    running.signal("KILL");
    assert_eq!(running.wait().status, 137);
    let mut killed = 0;
    // Each run gets one call further, until one reaches the end.
    let last = loop {
        let number = killed + 1;
        let mode = if number % 2 == 0 { Mode::KillAfter } else { Mode::KillBefore };
        let ended = garden.start(shimmed_at(&garden, &["gardener"], (mode, number))).wait();
        assert_nothing_lost(&garden);
        if ended.status == 0 {
            break ended;
        }
        assert_eq!(ended.status, 137, "{number}: {ended:#?}");
        killed = number;
    };
    assert!(killed > 12, "{killed}");
    assert_sound_after(&garden, &last);
    assert_eq!(garden.steps().len(), 6, "{:#?}", garden.steps());
    assert_eq!(garden.status(), [""; 0]);
}
