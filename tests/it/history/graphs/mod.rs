//! Tests random histories of any shape against a simple, slow reader that follows the rules.

mod make;
mod slow;
mod slow_landed;
mod slow_plans;
mod slow_reverts;
mod store;

use std::collections::HashSet;

use crate::support::dice::Dice;
use crate::support::repo::{Repo, id, tasks};
use git_arborist::history::{
    AnchorRule, Query, RepoPath, Repository, Run, StepValidity, read_run, read_steps,
};
use git_arborist::record::{CommitId, Outcome, StepRecord};
use make::{Made, make};
use slow::Slow;
use store::{Store, build};

const TREE: &str = "spec/task-tree.json";
/// Where the tree file is in some commits.
const MOVED: &str = "spec/moved.json";
/// How many contents what stands beside the tree file may have.
const CONTENTS: usize = 4;
const LEAVES: [(&str, &str); 4] = [("T1", "p1"), ("T10", "p1"), ("T2", "p2"), ("T3", "p2")];

/// What git says about the start of the run: the first commit of its list that is not a step commit.
fn anchor_by_git(repo: &Repo, made: &Made, ids: &[CommitId]) -> Option<CommitId> {
    let head = ids[ids.len() - 1].to_string();
    let list = repo.git(&["rev-list", &head, "--", TREE]);
    let ids_of = |id: &CommitId| ids.iter().position(|other| other == id).unwrap();
    list.lines().map(|line| line.parse().unwrap()).find(|id| !made.what[ids_of(id)].carries_step())
}

fn compare(repository: &Repository, slow: &Slow<'_>) -> Result<(), String> {
    let leaves = tasks(&LEAVES);
    let path = RepoPath::new(TREE.as_bytes()).unwrap();
    let query = Query { tree_file: Some(&path), anchor: slow.rule, tasks: &leaves };
    let head = slow.ids[slow.ids.len() - 1];
    let mut run = read_run(repository, head, &query).map_err(|error| error.to_string())?;
    // How far tests have shown the work of a task is another question.
    for step in run.tasks.values_mut().chain(run.phases.values_mut()) {
        step.record = StepRecord { is_joint: false, proof: None, ..step.record };
    }
    same("tasks", &run.tasks, &slow.tasks())?;
    same("phases", &run.phases, &slow.phases(Outcome::Pass))?;
    same("failed phases", &run.failed_phases, &slow.phases(Outcome::Fail))?;
    same("unknown", &run.unknown.iter().map(|step| step.id).collect(), &slow.unknown())?;
    if run.range.anchor().is_some() || run.tasks.len() < LEAVES.len() {
        same("anchor", &run.range.anchor(), &slow.anchor_id())?;
    }
    compare_doubts(slow, &run)?;
    compare_steps(repository, slow, &run)
}

fn compare_doubts(slow: &Slow<'_>, run: &Run) -> Result<(), String> {
    let others = slow.without_reverted_alone(run.doubts.iter().cloned().collect())?;
    same("other doubts", &others, &slow.other_doubts())
}

fn compare_steps(repository: &Repository, slow: &Slow<'_>, run: &Run) -> Result<(), String> {
    for (leaf, (name, _)) in LEAVES.iter().enumerate() {
        let steps = read_steps(repository, &run.range, &id(name)).map_err(|error| error.to_string())?;
        let found = steps.iter().map(|step| (step.step.id, step.validity == StepValidity::Counts)).collect();
        same("steps", &found, &slow.all_steps(leaf))?;
        let places: Vec<_> =
            steps.iter().map(|step| slow.ids.iter().position(|id| *id == step.step.id).unwrap()).collect();
        for (before, &one) in places.iter().enumerate() {
            if places[before + 1..].iter().any(|&other| slow.ancestors[other][one]) {
                return Err(format!("steps of {name}: a child comes after its parent"));
            }
        }
    }
    Ok(())
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found:#?} instead of {expected:#?}")) }
}

/// How many histories, and from which seed on; more of them by hand: `HISTORIES=0..5000 cargo test --test it -- history::graphs`.
fn seeds() -> std::ops::Range<u64> {
    let Ok(range) = std::env::var("HISTORIES") else { return 0..16 };
    let (from, to) = range.split_once("..").unwrap();
    from.parse().unwrap()..to.parse().unwrap()
}

#[test]
fn any_history_is_read_as_the_rules_say_through_both_backends_whole_or_cut_off() {
    let seeds: Vec<u64> = seeds().collect();
    std::thread::scope(|scope| {
        for seeds in seeds.chunks(seeds.len().div_ceil(4).max(1)) {
            scope.spawn(|| read_all(seeds));
        }
    });
}

/// Makes the histories of these seeds, in one repository for each kind of ids, and reads them.
fn read_all(seeds: &[u64]) {
    let (repo, long) = (Repo::init(&[]), Repo::init(&["--object-format=sha256"]));
    let (library, program) = (repo.open(), repo.open_with_program());
    let store = Store::Library(git2::Repository::open(repo.path()).unwrap());
    let (long_program, long_store) = (long.open(), Store::Sha256(long.path().join(".git/objects")));
    for &seed in seeds {
        let made = make(seed);
        let ids = build(&store, &made);
        let rule = if seed % 4 == 0 { AnchorRule::File } else { AnchorRule::Plan };
        let slow = Slow::new(&made, &ids, rule);
        // Only below a merge that is a step does git go on otherwise.
        if rule == AnchorRule::File && !made.has_merged_steps() {
            assert_eq!(slow.anchor_id(), anchor_by_git(&repo, &made, &ids), "seed {seed}");
        }
        let check = |name: &str, repository: &Repository, slow: &Slow<'_>| {
            if let Err(difference) = compare(repository, slow) {
                panic!("seed {seed}, {name}: {difference}");
            }
        };
        check("library", &library, &slow);
        check("program", &program, &slow);
        if seed % 8 < 2 {
            let ids = build(&long_store, &made);
            check("SHA-256", &long_program, &Slow::new(&made, &ids, rule));
        }
        // What is missing may be what reverts and landed commits mean.
        let plain = made.without_names();
        let ids = build(&store, &plain);
        check_shallow(&repo, &Slow::new(&plain, &ids, rule), seed);
    }
}

/// Reads a history that is cut off at some of its commits: it is read as without that, or the reader says that it cannot know, and it
/// must say so where something is missing that is part of the run.
fn check_shallow(repo: &Repo, slow: &Slow<'_>, seed: u64) {
    let (mut dice, made) = (Dice(seed << 1 | 1), slow.made);
    let mut cuts: Vec<usize> = (0..=dice.below(2)).map(|_| dice.below(made.commits.len())).collect();
    cuts.retain(|cut| !made.commits[*cut].parents.is_empty());
    let (mut open, mut seen) = (vec![made.commits.len() - 1], HashSet::new());
    while let Some(place) = open.pop() {
        if seen.insert(place) && !cuts.contains(&place) {
            open.extend(&made.commits[place].parents);
        }
    }
    cuts.retain(|cut| seen.contains(cut));
    let Some(first) = cuts.first() else { return };
    let is_missing = |cut: &usize| slow.inside[*cut] || slow.anchor.is_none_or(|anchor| anchor == *cut);
    let file = repo.path().join(".git/shallow");
    let told = |cut: &usize| format!("{}\n", slow.ids[*cut]);
    std::fs::write(&file, cuts.iter().map(told).collect::<String>()).unwrap();
    let read = compare(&repo.open(), slow);
    std::fs::remove_file(file).unwrap();
    match read {
        Ok(()) => {
            assert!(!cuts.iter().any(is_missing), "seed {seed}: cut off at {first}, and nothing was said");
        }
        Err(said) => assert!(said.contains("shallow"), "seed {seed}, cut off at {cuts:?}: {said}"),
    }
}
