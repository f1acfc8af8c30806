//! Asserts, in tests, that work grows with the size of its input and not with the square of that size.
//!
//! Elapsed time says little on a busy machine, so the processor time of this thread is compared with itself at two
//! sizes. For 16 times as much input, work that grows with the size takes 16 times as long, and work that grows with
//! its square takes 256 times as long. The limit is far from both, and one good try is enough: a busy machine can make
//! linear work look worse than it is, but it cannot make quadratic work look linear try after try.

use std::hint::black_box;
use std::time::Duration;

/// How many times as large the larger input is.
pub(crate) const TIMES: usize = 16;
/// Work that takes more than this many times as long for the larger input does not grow linearly.
const BOUND: f64 = 64.0;
/// How often the work is measured before it is called slow.
const TRIES: usize = 4;

/// Asserts that `work` on an input of the size `size * TIMES` takes about `TIMES` times as long as on one of `size`.
#[track_caller]
pub(crate) fn assert_linear<I, R>(
    what: &str,
    size: usize,
    input: impl Fn(usize) -> I,
    work: impl Fn(&I) -> R,
) {
    let (small, large) = (input(size), input(size * TIMES));
    let mut growths = Vec::new();
    while growths.len() < TRIES {
        let growth =
            processor_time(|| work(&large)).as_secs_f64() / processor_time(|| work(&small)).as_secs_f64();
        if growth < BOUND {
            return;
        }
        growths.push(growth);
    }
    panic!("{what}: {TIMES} times the input takes this many times as long: {growths:.1?}");
}

/// The processor time that this thread needs for some work.
fn processor_time<R>(work: impl FnOnce() -> R) -> Duration {
    let now = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::try_from(time).expect("processor time is never negative")
    };
    let before = now();
    black_box(work());
    // It must not be zero, because it is used as a divisor.
    (now() - before).max(Duration::from_nanos(1))
}

#[test]
fn quadratic_work_is_noticed() {
    let pairs = |list: &Vec<usize>| list.iter().flat_map(|a| list.iter().map(move |b| a ^ b)).max();
    let outcome = std::panic::catch_unwind(|| assert_linear("pairs", 200, |size| (0..size).collect(), pairs));
    assert!(outcome.is_err());
    assert_linear(
        "a list",
        20_000,
        |size| (0..size).collect(),
        |list: &Vec<usize>| list.iter().max().copied(),
    );
}
