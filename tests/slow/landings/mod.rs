//! Random runs, landed in every style and merged in every ordinary way: a slow reader sees the same states as `status`, in the
//! repository of the run and in a fresh clone, and what a run has proven is proven in the clone.

mod make;
mod slow;
mod tie;

use serde_json::Value;

use make::{World, merge, run};
use slow::{Slow, TASKS};

/// The states according to `status`.
fn states(world: &World, folder: &std::path::Path) -> Vec<String> {
    let mut command = world.garden.arborist(&["status", "--json"]);
    command.current_dir(folder);
    let ended = world.garden.finish(command);
    let status: Value =
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:#?}"));
    let tasks = status["tasks"].as_array().unwrap();
    TASKS
        .iter()
        .map(|task| {
            let found = tasks.iter().find(|one| one["id"] == *task).unwrap();
            found["state"].as_str().unwrap().to_owned()
        })
        .collect()
}

fn compare(world: &World, folder: &std::path::Path, what: &str) -> Vec<String> {
    let found = states(world, folder);
    let expected = Slow { folder }.states(&world.anchor, "HEAD");
    assert_eq!(found, expected, "{what}: {}", world.story());
    found
}

/// The words of a proof by their tasks.
fn proofs(world: &World, folder: &std::path::Path) -> Vec<(String, String)> {
    let mut command = world.garden.arborist(&["prove", "--yes", "--json"]);
    command.current_dir(folder);
    let ended = world.garden.finish(command);
    let document: Value =
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:#?}"));
    let proofs = document["proofs"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    proofs.map(|proof| (text(&proof["task"]), text(&proof["is"]))).collect()
}

/// One history: states are compared after the run, after landing, and after each merge; returns whether anything was landed.
fn one(seed: u64, proves: bool) -> bool {
    let mut world = World::new(seed);
    run(&mut world);
    let top = world.garden.top();
    let in_run = compare(&world, &top, "the run");
    let before = if proves { proofs(&world, &top) } else { Vec::new() };
    if !world.land() {
        return false;
    }
    world.switch("landed");
    let landed = compare(&world, &top, "the landed branch");
    for (task, (run, landed)) in TASKS.iter().zip(in_run.iter().zip(&landed)) {
        assert!((run == "complete") == (landed == "complete"), "{task}: {run}, {landed}: {}", world.story());
    }
    merge(&mut world);
    compare(&world, &top, "the merged branch");
    let clone = world.clone_of_main();
    let cloned = compare(&world, &clone, "the clone");
    if proves {
        let after = proofs(&world, &clone);
        for (task, word) in before {
            let at = TASKS.iter().position(|other| *other == task).unwrap();
            let is_here = cloned[at] == "complete";
            assert!(
                !is_here || after.contains(&(task.clone(), word.clone())),
                "{task} {word}: {after:?}: {}",
                world.story()
            );
        }
    }
    true
}

#[test]
fn random_landings_are_read_as_the_rules_say() {
    let landed = (1..=3).filter(|seed| one(*seed, *seed == 2)).count();
    assert!(landed >= 1, "none of them was landed");
}

/// `HISTORIES=0..300 cargo test --test slow -- --ignored landings`
#[test]
#[ignore = "takes minutes"]
fn many_random_landings_are_read_as_the_rules_say() {
    let range = std::env::var("HISTORIES").unwrap_or_else(|_| "100..220".to_owned());
    let (from, to) = range.split_once("..").unwrap();
    let seeds: Vec<u64> = (from.parse().unwrap()..to.parse().unwrap()).collect();
    let landed: usize = seeds.iter().filter(|seed| one(**seed, **seed % 8 == 0)).count();
    eprintln!("{landed} of {} histories were landed", seeds.len());
    assert!(landed * 2 > seeds.len(), "{landed} of {}", seeds.len());
}
