//! Lets each git command fail, or kills the gardener at it, and checks that the run then continues as if nothing had
//! happened.

use crate::faults::harness::{
    Mode, assert_sound_after, git_calls, outcome, shimmed, shimmed_at, three_tasks, was_hit,
};
use crate::support::garden::{Garden, side_by_side};

/// The result of a run without faults, and the number of its git commands.
fn without_faults() -> ((Vec<String>, Vec<String>), usize) {
    let garden = three_tasks();
    let ended = garden.finish(shimmed(&garden, &["gardener"]));
    ended.assert(0, &[]);
    assert_eq!(garden.steps().len(), 16, "{:#?}", garden.steps());
    (outcome(&garden), git_calls(&garden))
}

/// One fault at one call, followed by an ordinary second run.
fn one_fault(expected: &(Vec<String>, Vec<String>), fault: (Mode, usize)) -> Garden {
    let garden = three_tasks();
    let ended = garden.start(shimmed_at(&garden, &["gardener"], fault)).wait();
    assert!(was_hit(&garden), "{fault:?} was not reached: {ended:#?}");
    match fault.0 {
        Mode::KillBefore | Mode::KillAfter => assert_eq!(ended.status, 137, "{fault:?}: {ended:#?}"),
        Mode::FailBefore | Mode::FailAfter => garden.check(&ended),
    }
    garden.check_repository();
    let again = garden.run(&["gardener"]);
    assert_eq!(again.status, 0, "{fault:?}: {ended:#?}\n{again:#?}\n{:#?}", garden.steps());
    assert_eq!(&outcome(&garden), expected, "{fault:?}: {ended:#?}\n{again:#?}");
    assert_eq!(garden.status(), [""; 0], "{fault:?}: {again:#?}");
    assert_sound_after(&garden, &again);
    garden
}

#[test]
fn a_fault_at_some_calls_of_git_changes_nothing_in_the_end() {
    let (expected, calls) = without_faults();
    side_by_side(Mode::ALL.into_iter().enumerate(), |(place, mode)| {
        one_fault(&expected, (mode, calls * (place + 1) / 5 + place));
    });
}

#[test]
#[ignore = "takes long: every call of git in every mode"]
fn a_fault_at_any_call_of_git_changes_nothing_in_the_end() {
    let (expected, calls) = without_faults();
    let points: Vec<(Mode, usize)> =
        Mode::ALL.into_iter().flat_map(|mode| (1..=calls).map(move |number| (mode, number))).collect();
    let only = std::env::var("FAULTS_AT").ok().map(|text| text.parse::<usize>().unwrap());
    let next = std::sync::atomic::AtomicUsize::new(0);
    let failed = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(point) = points.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    if only.is_some_and(|only| point.1 != only) {
                        continue;
                    }
                    let held = std::panic::catch_unwind(|| one_fault(&expected, *point));
                    if held.is_err() {
                        failed.lock().unwrap().push(*point);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    println!("{} points of {calls} calls, {} held", points.len(), points.len() - failed.len());
    assert!(failed.is_empty(), "{failed:?}");
}
