//! Tests jobs that run beside other jobs, and beside processes of other users.

use super::*;
use crate::support::skip::has_proc;
use git_arborist::process::{Cancel, ExitReason};
use std::thread;

#[test]
fn jobs_at_the_same_time_do_not_disturb_each_other() {
    let (one, two) = (Place::new(), Place::new());
    let job = one.sh("for i in 1 2 3 4 5 6 7 8; do (sleep 0.02 &); sleep 0.05; done; exit 5");
    let first = thread::spawn(|| job.run());
    let second = two.sh_for(ms(200), ending::STUBBORN).run();
    let first = first.join().unwrap();
    assert!(matches!(first.exit_reason, ExitReason::Exited(5)), "{:?}", first.exit_reason);
    assert!(matches!(second.exit_reason, ExitReason::TimedOut { .. }), "{:?}", second.exit_reason);
    assert_eq!((first.leaked, second.leaked), (vec![], vec![]));
}

#[test]
fn a_job_that_forks_without_end_does_not_delay_the_end_of_another() {
    if !has_proc() {
        return;
    }
    let (one, two) = (Place::new(), Place::new());
    one.write("chain.sh", "trap '' TERM; echo > running; setsid sh chain.sh & exit");
    let cancel = Cancel::new();
    let job = one.sh("(sh chain.sh &); sleep 600").cancel_with(&cancel);
    let chain = thread::spawn(|| job.run());
    one.wait_for("running");
    // A leak, so that everything is looked for.
    let ended = two.sh("sleep 600 & exit 0").run();
    cancel.request();
    let chain = chain.join().unwrap();
    assert!(matches!(ended.exit_reason, ExitReason::Exited(0)), "{:?}", ended.exit_reason);
    assert_eq!((ended.leaked.len(), ended.survivors), (1, vec![]));
    assert!(ended.duration < SOON, "{:?}", ended.duration);
    assert!(matches!(chain.exit_reason, ExitReason::Cancelled), "{:?}", chain.exit_reason);
    assert_eq!(chain.survivors, []);
    one.assert_empty();
}

#[test]
fn short_lived_processes_of_other_programs_are_not_looked_at() {
    if !has_proc() {
        return;
    }
    let place = Place::new();
    // They are not below the job, and as short-lived as can be.
    let mut others = std::process::Command::new("/bin/sh")
        .args(["-c", "while :; do /bin/true; done"])
        .stdin(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let durations: Vec<Duration> = (0..5)
        .map(|_| {
            let ended = place.sh("exit 0").run();
            assert!(matches!(ended.exit_reason, ExitReason::Exited(0)), "{:?}", ended.exit_reason);
            assert_eq!((ended.leaked, ended.survivors), (vec![], vec![]));
            ended.duration
        })
        .collect();
    let at_work = lives(i32::try_from(others.id()).unwrap());
    others.kill().unwrap();
    others.wait().unwrap();
    assert!(at_work);
    assert!(durations.iter().all(|duration| *duration < SOON), "{durations:?}");
}
