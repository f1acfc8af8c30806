//! Kills a gardener with its entire process group at random moments.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::dice::Dice;
use crate::support::garden::Garden;
use crate::support::harness::{
    assert_nothing_lost, assert_sound_after, one_task, outcome, tests_first, three_tasks,
};

/// Kills gardeners with their process groups at random moments until there were `kills` kills. Returns the number of
/// complete runs that this took.
fn kill_at_random(kills: usize, seed: u64, garden: fn() -> Garden) -> usize {
    let plain = garden();
    let began = Instant::now();
    plain.run(&["gardener"]).assert(0, &[]);
    let expected = outcome(&plain);
    let span = usize::try_from(began.elapsed().as_millis()).unwrap();
    let mut dice = Dice(seed);
    let (mut killed, mut runs) = (0, 0);
    while killed < kills {
        let garden = garden();
        loop {
            let mut command = garden.arborist(&["gardener"]);
            command.process_group(0);
            let mut running = garden.start(command);
            let until = Instant::now() + Duration::from_millis(u64::try_from(dice.below(span)).unwrap());
            while Instant::now() < until && running.child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            if running.child.try_wait().unwrap().is_none() && killed < kills {
                let group = format!("-{}", running.child.id());
                let _ = Command::new("/bin/kill").args(["-KILL", "--", &group]).status();
            }
            let ended = running.wait();
            if ended.status != 137 {
                ended.assert(0, &[]);
                assert_eq!(outcome(&garden), expected, "seed {seed}, kill {killed}");
                assert_eq!(garden.status(), [""; 0], "seed {seed}, kill {killed}");
                assert_sound_after(&garden, &ended);
                runs += 1;
                break;
            }
            killed += 1;
            // A git that outlived its gardener, or an agent whose watcher was not there yet, may still be at work.
            garden.assert_nothing_runs();
            garden.check_repository();
            assert_nothing_lost(&garden);
        }
    }
    runs
}

#[test]
fn k00_kills_at_random_moments_lose_nothing_and_change_nothing_in_the_end() {
    kill_at_random(4, 7, || one_task(""));
}

#[test]
fn k00_kills_at_random_moments_change_nothing_where_tests_are_written_first() {
    kill_at_random(4, 3, tests_first);
}

#[test]
#[ignore = "takes long: 500 kills, or FAULTS_KILLS, with the seed FAULTS_SEED"]
fn hundreds_of_kills_at_random_moments_lose_nothing_and_change_nothing_in_the_end() {
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let (kills, seed) = (number("FAULTS_KILLS", 500), number("FAULTS_SEED", 1));
    let kills = usize::try_from(kills).unwrap();
    for garden in [three_tasks, tests_first] {
        let runs = kill_at_random(kills, seed, garden);
        println!("{kills} kills, seed {seed}: {runs} runs ended as one without kills does");
    }
}
