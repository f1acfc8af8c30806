//! Tests timeouts, requests to end, and endless output.

use super::*;
use crate::support::skip::has_proc;
use git_arborist::process::{Cancel, ExitReason, Limits};
use std::thread;

pub(super) const STUBBORN: &str = "trap '' TERM INT HUP; while :; do sleep 0.05; done";
pub(super) const POLITE: &str = "trap 'echo saved; exit 0' TERM; echo > ready; while :; do sleep 0.02; done";

#[test]
fn a_program_that_ignores_sigterm_is_killed_after_the_grace() {
    let place = Place::new();
    let ended = place.sh_for(ms(300), STUBBORN).run();
    assert!(
        matches!(ended.exit_reason, ExitReason::TimedOut { after } if after == ms(300)),
        "{:?}",
        ended.exit_reason
    );
    assert!(ended.duration >= ms(600) && ended.duration < SOON, "{:?}", ended.duration);
    assert_eq!((ended.leaked, ended.survivors), (vec![], vec![]));
    place.assert_empty();
}

#[test]
fn a_program_that_obeys_sigterm_ends_within_its_grace() {
    let place = Place::with_grace(LONG);
    let ended = place.sh_for(ms(300), POLITE).run();
    assert!(matches!(ended.exit_reason, ExitReason::TimedOut { .. }), "{:?}", ended.exit_reason);
    assert_eq!(ended.stdout.tail_lossy(99), "saved\n");
    assert!(ended.duration < SOON, "{:?}", ended.duration);
}

#[test]
fn a_program_that_is_ended_along_with_us_was_not_ended_by_itself() {
    for script in ["kill -TERM $$", "exit 143"] {
        let place = Place::new();
        let cancel = Cancel::new();
        let job = place.sh(&format!("echo > ended; {script}")).cancel_with(&cancel);
        let running = thread::spawn(|| job.run());
        wait_until("it did not begin", || place.dir.path().join("ended").exists().then_some(()));
        // The signal that reaches us reaches this thread a little later.
        thread::sleep(ms(200));
        cancel.request();
        let ended = running.join().unwrap();
        assert!(matches!(ended.exit_reason, ExitReason::Cancelled), "{script}: {:?}", ended.exit_reason);
        let alone = place.sh(script).run().exit_reason;
        assert!(matches!(alone, ExitReason::Signalled(15) | ExitReason::Exited(143)), "{script}: {alone:?}");
    }
}

#[test]
fn a_child_that_outlives_its_shell_has_the_whole_grace_period() {
    let place = Place::with_grace(LONG);
    place.write("slow.sh", "trap 'sleep 0.4; echo saved; exit 0' TERM; while :; do sleep 0.02; done");
    let ended = place.sh_for(ms(300), "sh slow.sh & wait").run();
    assert!(matches!(ended.exit_reason, ExitReason::TimedOut { .. }), "{:?}", ended.exit_reason);
    assert_eq!(ended.stdout.tail_lossy(99), "saved\n");
    assert!(ended.duration < SOON, "{:?}", ended.duration);
}

#[test]
fn a_program_that_has_stopped_itself_is_ended() {
    let place = Place::new();
    let ended = place.sh_for(ms(300), "kill -STOP $$; sleep 600").run();
    assert!(matches!(ended.exit_reason, ExitReason::TimedOut { .. }), "{:?}", ended.exit_reason);
    assert!(ended.duration < SOON, "{:?}", ended.duration);
    place.assert_empty();
}

#[test]
fn a_timeout_also_ends_processes_in_other_sessions() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    place.write("hide.sh", "trap '' TERM; echo $$ > hidden; while :; do sleep 0.05; done");
    let ended = place.sh_for(ms(400), "(setsid sh hide.sh &); sleep 600").run();
    assert!(matches!(ended.exit_reason, ExitReason::TimedOut { .. }), "{:?}", ended.exit_reason);
    assert!(!exists(place.wait_for("hidden").trim().parse().unwrap()));
    assert!(ended.duration < SOON, "{:?}", ended.duration);
    place.assert_empty();
}

#[test]
fn two_processes_that_restart_each_other_are_both_ended() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    place.write(
        "pair.sh",
        "trap '' TERM; echo $$ > $1
         while :; do kill -0 $(cat $2) 2>/dev/null || setsid sh pair.sh $2 $1 & sleep 0.02; done",
    );
    let ended = place.sh_for(ms(500), "(setsid sh pair.sh one two &); sleep 600").run();
    assert_eq!(ended.survivors, []);
    assert!(ended.duration < SOON, "{:?}", ended.duration);
    place.assert_empty();
}

#[test]
fn a_chain_of_endless_forks_is_ended() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    place.write("chain.sh", "trap '' TERM; setsid sh chain.sh & exit");
    let ended = place.sh_for(ms(300), "(sh chain.sh &); sleep 600").run();
    assert_eq!(ended.survivors, []);
    place.assert_empty();
}

#[test]
fn one_request_to_end_grants_the_grace_period() {
    let place = Place::with_grace(LONG);
    let cancel = Cancel::new();
    let job = place.sh(POLITE).cancel_with(&cancel);
    let running = thread::spawn(|| job.run());
    place.wait_for("ready");
    cancel.request();
    let ended = running.join().unwrap();
    assert!(matches!(ended.exit_reason, ExitReason::Cancelled), "{:?}", ended.exit_reason);
    assert_eq!(ended.stdout.tail_lossy(99), "saved\n");
}

#[test]
fn a_second_request_to_end_does_not_wait() {
    let place = Place::with_grace(LONG);
    let cancel = Cancel::new();
    let script = format!("echo > ready; {STUBBORN}");
    let job = place.sh(&script).cancel_with(&cancel);
    let running = thread::spawn(|| job.run());
    place.wait_for("ready");
    cancel.request();
    thread::sleep(ms(100));
    let asked = Instant::now();
    cancel.request();
    let ended = running.join().unwrap();
    assert!(matches!(ended.exit_reason, ExitReason::Cancelled), "{:?}", ended.exit_reason);
    assert!(asked.elapsed() < SOON, "{:?}", asked.elapsed());
    place.assert_empty();
}

#[test]
fn a_job_does_not_start_after_a_request_to_end() {
    let place = Place::new();
    let cancel = Cancel::new();
    cancel.request();
    let ended = place.sh("echo > started").cancel_with(&cancel).run();
    assert!(matches!(ended.exit_reason, ExitReason::Cancelled), "{:?}", ended.exit_reason);
    assert!(!place.dir.path().join("started").exists());
}

#[test]
fn a_job_with_endless_output_is_ended() {
    let place = Place::new();
    let limits = Limits { flood: 8 << 20, ..Limits::default() };
    let ended = place.sh("yes & yes >&2").limits(limits).run();
    assert!(
        matches!(ended.exit_reason, ExitReason::Flooded { limit } if limit == 8 << 20),
        "{:?}",
        ended.exit_reason
    );
    for output in [&ended.stdout, &ended.stderr] {
        assert!(output.head().len() <= limits.head && output.tail().len() <= limits.tail);
    }
    assert!(ended.stdout.total() + ended.stderr.total() > 8 << 20);
    place.assert_empty();
}

#[test]
fn endless_output_does_not_delay_the_timeout() {
    let place = Place::new();
    let limits = Limits { flood: u64::MAX, ..Limits::default() };
    let ended = place.sh_for(ms(300), "trap '' TERM; yes").limits(limits).run();
    assert!(matches!(ended.exit_reason, ExitReason::TimedOut { .. }), "{:?}", ended.exit_reason);
    assert!(ended.duration < SOON, "{:?}", ended.duration);
    place.assert_empty();
}

#[test]
fn a_timeout_and_grace_without_limit_are_possible() {
    let place = Place::with_grace(Duration::MAX);
    let ended = place.sh_for(Duration::MAX, "exit 3").run();
    assert!(matches!(ended.exit_reason, ExitReason::Exited(3)), "{:?}", ended.exit_reason);
}
