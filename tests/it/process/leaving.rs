//! Tests what happens to processes that a program leaves behind when it ends by itself.

use super::*;
use crate::support::skip::has_proc;
use git_arborist::process::{Cancel, ExitReason, ProcessName};
use std::thread;

#[test]
fn a_daemon_that_holds_standard_output_is_ended_and_named() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    let ended = place.sh("(setsid sh -c 'echo $$; exec sleep 600' &); sleep 0.2; exit 4").run();
    assert!(matches!(ended.exit_reason, ExitReason::Exited(4)), "{:?}", ended.exit_reason);
    let pid = numbers(&ended.stdout)[0];
    assert_eq!(ended.leaked, [ProcessName { pid, name: "sleep".into() }]);
    assert!(!exists(pid));
    assert!(ended.duration < SOON, "{:?}", ended.duration);
}

#[test]
fn a_child_that_holds_the_pipe_does_not_block_us() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    let ended = place.sh("sleep 600 & echo $!").run();
    assert!(matches!(ended.exit_reason, ExitReason::Exited(0)), "{:?}", ended.exit_reason);
    assert_eq!(ended.leaked.iter().map(|leak| leak.pid).collect::<Vec<_>>(), numbers(&ended.stdout));
    assert!(ended.duration < SOON, "{:?}", ended.duration);
    place.assert_empty();
}

#[test]
fn a_leak_that_ignores_sigterm_is_killed() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    let ended = place.sh("(trap '' TERM; while :; do sleep 0.05; done) & exit 0").run();
    assert!(matches!(ended.exit_reason, ExitReason::Exited(0)), "{:?}", ended.exit_reason);
    assert!(!ended.leaked.is_empty());
    assert!(ended.duration < SOON, "{:?}", ended.duration);
    place.assert_empty();
}

#[test]
fn a_child_that_ends_a_moment_later_is_not_a_leak() {
    let place = Place::new();
    let ended = place.sh("(sleep 0.03; echo late) & exit 0").run();
    assert_eq!(ended.leaked, []);
    assert_eq!(ended.stdout.tail_lossy(99), "late\n");
}

#[test]
fn adopted_processes_that_end_while_a_job_runs_are_reaped_meanwhile() {
    let place = Place::new();
    let cancel = Cancel::new();
    let job = place.sh("(setsid sh -c 'echo $$ > gone' &); sleep 600").cancel_with(&cancel);
    let running = thread::spawn(|| job.run());
    let pid = place.number("gone");
    wait_until("it was not reaped", || (!exists(pid)).then_some(()));
    cancel.request();
    assert!(matches!(running.join().unwrap().exit_reason, ExitReason::Cancelled));
}

#[test]
fn no_zombie_is_left_of_the_program_itself() {
    let place = Place::new();
    let ended = place.sh("echo $$").run();
    assert!(!exists(numbers(&ended.stdout)[0]));
}

#[test]
fn a_child_of_ours_that_is_no_job_keeps_its_exit_status() {
    let place = Place::new();
    let mut other = std::process::Command::new("/bin/sh").args(["-c", "exit 9"]).spawn().unwrap();
    let _ = place.sh("(setsid true &); sleep 0.2").run();
    assert_eq!(other.wait().unwrap().code(), Some(9));
}

#[test]
fn a_process_of_another_program_is_not_ended() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    let mut other = std::process::Command::new("/bin/sleep").arg("600").spawn().unwrap();
    let ended = place.sh_for(ms(200), "sleep 600").run();
    let alive = lives(i32::try_from(other.id()).unwrap());
    other.kill().unwrap();
    other.wait().unwrap();
    assert!(matches!(ended.exit_reason, ExitReason::TimedOut { .. }), "{:?}", ended.exit_reason);
    assert!(alive);
}

#[test]
fn a_daemon_without_parent_session_environment_or_files_of_its_job_is_ended_and_named() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    let script =
        "(env -i /usr/bin/setsid /bin/sh -c 'exec <&- >&- 2>&- 3>&- 4>&-; echo $$ > pid; exec sleep 600' &)
                  until test -s pid; do sleep 0.01; done";
    let ended = place.sh(script).run();
    let pid = place.number("pid");
    assert!(matches!(ended.exit_reason, ExitReason::Exited(0)), "{:?}", ended.exit_reason);
    assert_eq!(ended.leaked, [ProcessName { pid, name: "sleep".into() }]);
    assert!(!exists(pid));
}

#[test]
fn a_child_at_work_may_end_when_it_is_done() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    // Half a second of work on a machine that has nothing else to do.
    let ended = place.sh("(n=0; while [ $n -lt 300000 ]; do n=$((n + 1)); done; echo late) & exit 0").run();
    assert_eq!(ended.leaked.len() + usize::try_from(ended.stdout.total()).unwrap() / 5, 1, "{ended:?}");
}
