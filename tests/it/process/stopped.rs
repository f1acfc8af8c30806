//! Tests jobs that are suspended and resumed.

use super::*;
use crate::support::skip::has_proc;
use git_arborist::process::{Cancel, ExitReason};
use std::thread;

/// Whether a process does nothing. One that waits for its child to become another program cannot be stopped; it hangs on
/// the child, which was stopped in the middle of that.
fn does_nothing(pid: i32) -> bool {
    matches!(state(pid), Some('T' | 'D'))
}

/// Waits until all these processes are stopped, or none of them is.
#[track_caller]
fn wait_for_states(pids: &[i32], stopped: bool) {
    let what = if stopped { "they were not stopped" } else { "they did not go on" };
    wait_until(what, || pids.iter().all(|pid| does_nothing(*pid) == stopped).then_some(()));
}

#[test]
fn suspending_stops_all_processes_of_a_job_and_resuming_continues_them() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    let cancel = Cancel::new();
    let script =
        "(env -i /usr/bin/setsid /bin/sh -c 'echo $$ > daemon; while test ! -e go; do sleep 0.01; done' &)
                  sh -c 'echo $$ > child; while test ! -e go; do sleep 0.01; done' &
                  echo $$ > leader; wait; sleep 0.05; echo done";
    let job = place.sh(script).cancel_with(&cancel);
    let running = thread::spawn(|| job.run());
    let pids = ["leader", "child", "daemon"].map(|name| place.number(name));
    cancel.suspend();
    wait_for_states(&pids, true);
    place.write("go", "");
    thread::sleep(ms(200));
    assert!(pids.iter().all(|pid| does_nothing(*pid)), "{:?}", pids.map(state));
    cancel.resume();
    let ended = running.join().unwrap();
    assert!(matches!(ended.exit_reason, ExitReason::Exited(0)), "{:?}", ended.exit_reason);
    assert_eq!(ended.stdout.tail_lossy(99), "done\n");
}

#[test]
fn a_job_that_starts_while_others_are_suspended_waits_with_them() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    let cancel = Cancel::new();
    cancel.suspend();
    let job = place.sh("echo $$ > leader; while test ! -e go; do sleep 0.01; done").cancel_with(&cancel);
    let running = thread::spawn(|| job.run());
    // The program is stopped before it has done anything, or a little later.
    let leader = wait_until("the program did not start", || {
        let helpers = all_pids().into_iter().filter(|pid| *pid != std::process::id().cast_signed());
        let of_place = |pid: &i32| {
            let entry = format!("PLACE={}\0", place.dir.path().display());
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.windows(entry.len()).any(|window| window == entry.as_bytes())
        };
        helpers.filter(of_place).find(|pid| does_nothing(*pid))
    });
    cancel.resume();
    wait_for_states(&[leader], false);
    place.write("go", "");
    assert!(matches!(running.join().unwrap().exit_reason, ExitReason::Exited(0)));
}

#[test]
fn a_process_that_its_own_program_stopped_stays_stopped() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    let cancel = Cancel::new();
    let script = "sleep 300 & child=$!; kill -STOP $child; echo $child > child; echo $$ > leader
                  while test ! -e go; do sleep 0.01; done; kill -KILL $child";
    let job = place.sh(script).cancel_with(&cancel);
    let running = thread::spawn(|| job.run());
    let (leader, child) = (place.number("leader"), place.number("child"));
    wait_for_states(&[child], true);
    cancel.suspend();
    wait_for_states(&[leader], true);
    cancel.resume();
    wait_for_states(&[leader], false);
    assert_eq!(state(child), Some('T'));
    place.write("go", "");
    assert!(matches!(running.join().unwrap().exit_reason, ExitReason::Exited(0)));
}

#[test]
fn a_suspended_job_that_is_told_to_end_ends() {
    let place = Place::with_grace(ms(60_000));
    let cancel = Cancel::new();
    let job = place.sh(ending::POLITE).cancel_with(&cancel);
    let running = thread::spawn(|| job.run());
    place.wait_for("ready");
    cancel.suspend();
    cancel.request();
    let ended = running.join().unwrap();
    assert!(matches!(ended.exit_reason, ExitReason::Cancelled), "{:?}", ended.exit_reason);
    assert_eq!(ended.stdout.tail_lossy(99), "saved\n");
}
