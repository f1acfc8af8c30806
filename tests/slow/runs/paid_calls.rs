//! Kills a run again and again while the tests of a phase stay red, and counts what was paid for.

use std::time::{Duration, Instant};

use crate::support::dice::Dice;
use crate::support::garden::{Garden, plan};

/// A plan whose phase stays red whatever its tasks do, and whose output names two of them.
fn red() -> Garden {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &["echo 'T001.txt and T002.txt do not fit'; false"]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &[], &["true"]),
        ("T003", "p1", &[], &["true"]),
        ("p2", "", &[], &[]),
        ("T004", "p2", &[], &["true"]),
    ]));
    // Each call is written down before anything else can happen to it.
    garden.agent("echo \"$work\" >> \"$ROOT/calls\"");
    garden
}

fn calls(garden: &Garden) -> Vec<String> {
    let text = std::fs::read_to_string(garden.root().join("calls")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Runs the plan to its end and kills the run before, at moments that the seed decides.
fn killed(options: &[&str], seed: u64, kills: usize) -> (Garden, usize) {
    let garden = red();
    let mut dice = Dice(seed);
    let mut killed = 0;
    loop {
        let mut running = garden.start(garden.arborist(&[&["gardener"], options].concat()));
        if killed < kills {
            let until = Instant::now() + Duration::from_millis(50 + u64::try_from(dice.below(1500)).unwrap());
            while Instant::now() < until && running.child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(2));
            }
            let _ = running.child.kill();
        }
        let ended = running.wait();
        garden.assert_nothing_runs();
        if ended.status == 137 {
            killed += 1;
            continue;
        }
        let place = format!("{options:?}, seed {seed}: {ended:?}");
        assert_eq!(ended.status, 1, "{place}");
        assert!(ended.stderr.contains("the tests of p1 failed"), "{place}");
        return (garden, killed);
    }
}

#[test]
fn a_red_phase_is_paid_for_within_its_bound_however_often_the_run_is_killed() {
    for options in [&[][..], &["--jobs", "3"], &["--branches", "phase"]] {
        // Four tasks and two of them once more, each with its review.
        let bound = 2 * (4 + 2);
        for seed in 1..4 {
            let (garden, kills) = killed(options, seed, 12);
            let made = calls(&garden);
            // Each kill repeats at most the calls that it interrupts: one for each worker.
            let workers = if options.contains(&"--jobs") { 3 } else { 1 };
            let place = format!("{options:?}, seed {seed}, {kills} kills: {made:?}");
            assert!((bound..=bound + kills * workers).contains(&made.len()), "{place}");
            let reopened = garden.lines(&["log", "--branches", "--format=%s", "--grep", "): reopened "]);
            assert_eq!(reopened.len(), 2, "{place}");
            for (task, attempts) in [("T001", 2), ("T002", 2), ("T003", 1), ("T004", 1)] {
                let highest = made
                    .iter()
                    .filter(|call| call.starts_with(task))
                    .map(|call| call.rsplit('.').next().unwrap());
                assert_eq!(highest.max(), Some((attempts - 1).to_string().as_str()), "{task}, {place}");
            }
            // Whoever starts it once more pays nothing.
            garden.run(&[&["gardener"], options].concat()).assert(1, &["the tests of p1 failed"]);
            assert_eq!(calls(&garden), made);
            garden.run(&["check", "--run"]).assert(0, &[]);
        }
    }
}
