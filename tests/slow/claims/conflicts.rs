//! Workers whose tasks are in conflict: nobody starves, and nothing is lost.

use std::fs;
use std::time::{Duration, Instant};

use super::field::Field;
use crate::jobs::conflicts::three_with_conflict;
use crate::jobs::random_conflicts::RandomPlan;
use crate::support::dice::Dice;
use crate::support::garden::{Running, plan};

const WORKERS: usize = 3;

#[test]
fn tasks_that_all_edit_one_file_are_all_merged_by_several_workers() {
    let tasks: Vec<String> = (0..4).map(|number| format!("T{number}")).collect();
    let tests: Vec<[String; 1]> =
        tasks.iter().map(|task| [format!("test -f d/{task} && grep -q {task} CHANGELOG")]).collect();
    let tests: Vec<[&str; 1]> = tests.iter().map(|[test]| [test.as_str()]).collect();
    let rows: Vec<_> =
        tasks.iter().zip(&tests).map(|(task, test)| (task.as_str(), "", &[][..], test.as_slice())).collect();
    let Some(field) = Field::new(&plan(&rows)) else { return };
    field.garden.agent(
        "case $ARBORIST_STEP in implement)\n\
         mkdir -p d; echo 1 > d/$ARBORIST_TASK; echo $ARBORIST_TASK >> CHANGELOG\n\
         sed -i '/^[<>=]\\{7\\}/d' CHANGELOG; exit 0;; esac",
    );
    let name = |number: usize| format!("j:{number}");
    let started: Vec<Running> = (0..WORKERS)
        .map(|number| field.garden.start(field.work(&["--claimant", &name(number), "--until-idle", "5"])))
        .collect();
    for worker in started {
        worker.wait().assert(0, &[]);
    }
    let tasks: Vec<&str> = tasks.iter().map(String::as_str).collect();
    field.check_complete(&tasks);
    let failed: Vec<String> =
        field.subjects("main").into_iter().filter(|line| line.contains("): failed ")).collect();
    assert_eq!(failed, [""; 0]);
    assert_eq!(field.left(), 0);
}

#[test]
fn each_attempt_of_a_worker_to_merge_a_task_begins_with_the_newest_commit_of_the_branch_of_the_run() {
    let (tree, _) = three_with_conflict("");
    let Some(field) = Field::new(&tree) else { return };
    let bare = field.server.bare();
    let (_, agent) =
        three_with_conflict(&format!("git -C '{}' cat-file -e main:T003.txt 2>/dev/null", bare.display()));
    field.garden.config("arborist.review", "false");
    field.garden.agent(&agent);
    let name = |number: usize| format!("j:{number}");
    let started: Vec<Running> = (0..WORKERS)
        .map(|number| field.garden.start(field.work(&["--claimant", &name(number), "--until-idle", "5"])))
        .collect();
    for worker in started {
        worker.wait().assert(0, &[]);
    }
    field.check_complete(&["T001", "T002", "T003"]);
    let merges = field.there(&["log", "--merges", "--format=%s", "--grep", "^task(T002): implement", "main"]);
    assert_eq!(merges.lines().count(), 2, "{merges}");
}

/// Several workers take a random plan to its end, of which so many are killed and started again.
fn work_with_kills(seed: u64, kills: usize) -> Option<()> {
    let mut dice = Dice(seed);
    let random = RandomPlan::of(&mut dice);
    let field = Field::new(&random.plan)?;
    random.prepare(&field.garden);
    field.garden.git(&["push", "-q", "origin", "HEAD:refs/heads/main"]);
    let start = |number: usize, restarts: usize| {
        let (name, restarts) = (format!("j:{number}"), restarts.to_string());
        let args = ["--claimant", name.as_str(), "--attempt", restarts.as_str(), "--until-idle", "5"];
        field.garden.start(field.work(&args))
    };
    let mut workers: Vec<(usize, Running)> = (0..WORKERS).map(|number| (0, start(number, 0))).collect();
    for _ in 0..kills {
        let until = Instant::now() + Duration::from_millis(500 + u64::try_from(dice.below(8000)).unwrap());
        while Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        let number = dice.below(WORKERS);
        let (restarts, running) = &mut workers[number];
        if running.child.try_wait().unwrap().is_none() {
            let _ = running.child.kill();
        }
        *restarts += 1;
        let next = (*restarts, start(number, *restarts));
        let (_, killed) = std::mem::replace(&mut workers[number], next);
        killed.wait();
    }
    let mut restarts = Vec::new();
    for (number, (times, worker)) in workers.into_iter().enumerate() {
        let ended = worker.wait();
        assert!([0, 5].contains(&ended.status), "seed {seed}, worker {number}: {ended:?}");
        println!("seed {seed}, worker {number} of {times} restarts: {}", ended.stderr);
        restarts.push(times);
    }
    // What belongs to a worker that was killed and then went home is finished by its next start.
    for (number, times) in restarts.into_iter().enumerate() {
        let ended = start(number, times + 1).wait();
        ended.assert(0, &[]);
        println!("seed {seed}, worker {number} once more: {}", ended.stderr);
    }
    println!("seed {seed}, branches: {:?}", field.branches());
    let tasks: Vec<&str> = random.tasks.iter().map(String::as_str).collect();
    field.check_merged(&tasks);
    let clone = field.garden.root().join("end");
    field.garden.git(&["clone", "-q", &field.server.url(), clone.to_str().unwrap()]);
    random.assert_kept(&clone, &format!("seed {seed}"));
    fs::remove_dir_all(clone).unwrap();
    Some(())
}

#[test]
fn no_task_of_a_random_plan_with_conflicts_fails_when_a_worker_is_killed() {
    let _ = work_with_kills(7, 1);
}

/// `PLANS=200..240 cargo test --test slow -- --ignored claims::conflicts`
#[test]
#[ignore = "takes minutes"]
fn no_task_of_forty_random_plans_with_conflicts_fails_when_workers_are_killed() {
    let range = std::env::var("PLANS").unwrap_or_else(|_| "200..240".to_owned());
    let (from, to) = range.split_once("..").unwrap();
    for seed in from.parse().unwrap()..to.parse().unwrap() {
        if work_with_kills(seed, usize::try_from(seed % 4).unwrap()).is_none() {
            return;
        }
        println!("seed {seed} is done");
    }
}
