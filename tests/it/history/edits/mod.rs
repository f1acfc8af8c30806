//! Tests random edits of a plan during a run. Both backends of the reader, on a line of commits and with merges, are
//! compared with a slow reading that asks git alone.

mod make;
mod slow;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use crate::support::repo::{Commit, Repo, id};
use git_arborist::history::{
    AnchorRule, Query, RepoPath, Repository, Run, StepValidity, read_run, read_steps,
};
use git_arborist::record::{CommitId, TaskId};
use make::{Event, Made, Revert, TASKS, TREE, events};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use slow::Slow;

#[test]
fn any_edit_during_a_run_keeps_what_is_complete_and_never_counts_old_work() {
    read_edited(0..24);
}

#[test]
#[ignore = "takes minutes: 3,000 histories, or those with the seeds EDITS=FROM..TO"]
fn many_edits_during_a_run_keep_what_is_complete_and_never_count_old_work() {
    let range = std::env::var("EDITS").unwrap_or_else(|_| "0..3000".to_owned());
    let (from, to) = range.split_once("..").unwrap();
    read_edited(from.parse().unwrap()..to.parse().unwrap());
}

/// Reads one history for each seed, on four threads. Every other history has branches.
fn read_edited(seeds: Range<u64>) {
    let seeds: Vec<u64> = seeds.collect();
    std::thread::scope(|scope| {
        for seeds in seeds.chunks(seeds.len().div_ceil(4).max(1)) {
            scope.spawn(move || seeds.iter().for_each(|&seed| read_seed(seed)));
        }
    });
}

fn read_seed(seed: u64) {
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { cases: 1, failure_persistence: None, max_shrink_iters: 1_000, ..Config::default() };
    let result = TestRunner::new_with_rng(config, rng)
        .run(&events(seed % 2 == 1), |events| check(&events).map_err(TestCaseError::fail));
    if let Err(TestError::Fail(difference, events)) = result {
        panic!("seed {seed}: {difference}\nafter {events:#?}");
    }
}

/// Reads the history of these events in all ways.
fn check(events: &[Event]) -> Result<(), String> {
    let mut made = Made::of(events);
    let repo = Repo::init(&[]);
    // A revert names a commit, whose id is known once it is made.
    for Revert { place, reverted } in made.reverts.clone() {
        let id = repo.import(&made.commits[..=reverted])[reverted];
        made.commits[place].message.push_str(&format!("\n\nThis reverts commit {id}.\n"));
    }
    repo.import(&made.commits);
    let slow = Slow::read(&repo);
    let (library, program) = (repo.open(), repo.open_with_program());
    check_reading(&slow, &library, repo.head()).map_err(|difference| format!("library: {difference}"))?;
    check_reading(&slow, &program, repo.head()).map_err(|difference| format!("program: {difference}"))?;
    repo.git(&["repack", "-adfq"]);
    check_reading(&slow, &repo.open(), repo.head()).map_err(|difference| format!("packed: {difference}"))?;
    check_with_merge(&repo, &made.commits)
}

/// The tasks of the plan at the head, or all of them if there is no plan.
fn tasks_of(slow: &Slow) -> HashMap<TaskId, TaskId> {
    let all = || TASKS.map(str::to_owned).to_vec();
    slow.tasks().unwrap_or_else(all).iter().map(|task| (id(task), id(task))).collect()
}

fn check_reading(slow: &Slow, repository: &Repository, head: CommitId) -> Result<(), String> {
    let (path, tasks) = (RepoPath::new(TREE.as_bytes()).unwrap(), tasks_of(slow));
    let query = Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &tasks };
    let run = read_run(repository, head, &query).unwrap();
    same("anchor", &run.range.anchor().map(|id| id.to_string()), &Some(slow.anchor()))?;
    let latest = |task: &TaskId| Some((task.clone(), slow.latest(task.as_str())?));
    same("latest steps", &latest_of(&run), &tasks.keys().filter_map(latest).collect())?;
    let edited = tasks.keys().filter(|task| slow.is_edited_since(task.as_str()));
    same("edited tasks", &run.edited, &edited.cloned().collect())?;
    for task in tasks.keys() {
        let steps = read_steps(repository, &run.range, task).unwrap();
        let counting = steps.iter().filter(|step| step.validity == StepValidity::Counts);
        let counting: BTreeSet<String> = counting.map(|step| step.step.id.to_string()).collect();
        same("steps", &counting, &slow.counting(task.as_str()))?;
        check_rules(slow, &run, task)?;
    }
    Ok(())
}

/// What must hold whatever the readers agree on.
fn check_rules(slow: &Slow, run: &Run, task: &TaskId) -> Result<(), String> {
    let latest = run.tasks.get(task).map(|step| step.id.to_string());
    if let Some(step) = &latest
        && !slow.has_present_name(step, task.as_str())
    {
        return Err(format!("{task}: {step} was made when the task had another name"));
    }
    match slow.complete_and_unchanged(task.as_str()) {
        Some(step) if !slow.has_several_runs() && latest.as_ref() != Some(&step) => {
            Err(format!("{task}: it was completed by {step} and did not change, but {latest:?} counts"))
        }
        _ => Ok(()),
    }
}

fn latest_of(run: &Run) -> BTreeMap<TaskId, String> {
    run.tasks.iter().map(|(task, step)| (task.clone(), step.id.to_string())).collect()
}

/// Asserts that a merge of something else at the end, which makes the reader use a graph, changes nothing.
fn check_with_merge(repo: &Repo, commits: &[Commit]) -> Result<(), String> {
    let mut commits = commits.to_vec();
    let tip = commits.len() - 1;
    let plain = |parents: Vec<usize>, message: &str| Commit {
        parents,
        time: 1_800_000_000,
        message: message.to_owned(),
        files: Vec::new(),
    };
    commits.push(plain(vec![tip], "Something on a branch"));
    commits.push(plain(vec![tip, tip + 1], "Merge it"));
    repo.import(&commits);
    let slow = Slow::read(repo);
    check_reading(&slow, &repo.open(), repo.head()).map_err(|difference| format!("merged: {difference}"))
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found:#?} instead of {expected:#?}")) }
}
