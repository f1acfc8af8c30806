//! A small model of claims: workers with the real protocol, integrators, and a network and machines that fail, in random
//! schedules. With all rules, nothing ever goes wrong. Without any one of them, something is seen to go wrong.

mod integrator;
mod remote;
mod worker;

use integrator::Integrator;
use remote::{Remote, Rule};
use worker::{Faults, Worker};

use crate::support::dice::Dice;

const TASKS: usize = 2;
const WORKERS: usize = 4;

/// How many schedules each test tries.
const SCHEDULES: u64 = 3_000;
/// How many are tried without a rule.
const SCHEDULES_WITHOUT: u64 = 300;

/// Everything that goes wrong in one schedule: 300 moments at which anything may fail, and then as many as it takes,
/// without failures, until nothing is left to do.
fn schedule(seed: u64, without: Option<Rule>) -> Vec<String> {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut remote = Remote::new(TASKS, without);
    let mut workers: Vec<Worker> = (0..WORKERS).map(Worker::new).collect();
    let mut integrators = [Integrator::default(), Integrator::default()];
    let mut ghosts = Vec::new();
    let faulty = Faults { lost: 8, crash: 60, believed_dead: 5 };
    let quiet = Faults { lost: 0, crash: 0, believed_dead: 2 };
    for moment in 0..3_000 {
        let is_faulty = moment < 300;
        let faults = if is_faulty { faulty } else { quiet };
        match dice.below(WORKERS + 2) {
            number if number < WORKERS => ghosts.extend(workers[number].step(&mut remote, faults, &mut dice)),
            number => integrators[number - WORKERS].step(&mut remote, faults.crash, &mut dice),
        }
        if !ghosts.is_empty() && dice.one_in(4) {
            // What the dead have sent arrives late.
            ghosts.swap_remove(dice.below(ghosts.len())).arrive(&mut remote);
        }
        let is_done =
            (0..TASKS).all(|task| remote.is_closed(task)) && remote.tasks.iter().all(Option::is_none);
        if !remote.wrong.is_empty() || !is_faulty && is_done && workers.iter().all(Worker::is_idle) {
            break;
        }
    }
    for task in 0..TASKS {
        if remote.wrong.is_empty() && remote.merged(task).count() != 1 {
            remote.wrong.push(format!("task {task} was integrated {} times", remote.merged(task).count()));
        }
        if remote.wrong.is_empty() && remote.tasks[task].is_some() {
            remote.wrong.push(format!("the branch of task {task} is left over"));
        }
    }
    remote.wrong
}

/// How many schedules go wrong, and the first thing that does.
fn wrong(without: Option<Rule>) -> (usize, Option<String>) {
    let schedules = if without.is_none() { SCHEDULES } else { SCHEDULES_WITHOUT };
    let found: Vec<String> =
        (1..=schedules).filter_map(|seed| schedule(seed, without).into_iter().next()).collect();
    (found.len(), found.into_iter().next())
}

#[track_caller]
fn is_needed(rule: Rule) {
    let (count, first) = wrong(Some(rule));
    println!("without {rule:?}: {count} of {SCHEDULES_WITHOUT} schedules go wrong: {first:?}");
    assert!(count > 0, "{rule:?}");
}

#[test]
fn with_all_rules_every_task_is_done_once_and_nothing_is_lost() {
    let (count, first) = wrong(None);
    assert_eq!(count, 0, "{first:?}");
}

#[test]
fn two_workers_with_the_same_commit_both_win() {
    is_needed(Rule::OwnCommit);
}

#[test]
fn an_answer_that_is_not_clear_may_not_be_taken_for_a_yes() {
    is_needed(Rule::ReadAfterUnclear);
}

#[test]
fn a_task_is_done_again_unless_the_branch_of_the_run_is_read_after_the_claim() {
    is_needed(Rule::ReadRunAgain);
}

#[test]
fn a_push_by_force_loses_the_steps_of_others() {
    is_needed(Rule::PlainPush);
}

#[test]
fn a_push_that_expects_nothing_brings_a_merged_branch_back() {
    is_needed(Rule::ExpectedTip);
}

#[test]
fn two_pushes_at_a_time_overtake_each_other() {
    is_needed(Rule::OneAtATime);
}

#[test]
fn whoever_goes_on_after_a_rejected_push_works_for_nothing() {
    is_needed(Rule::StopIfSuperseded);
}

#[test]
fn branches_that_are_deleted_without_the_merge_are_lost() {
    is_needed(Rule::Atomic);
}

#[test]
fn the_claim_of_somebody_who_died_too_late_stays_unless_whoever_integrates_removes_it() {
    is_needed(Rule::RemoveBareClaims);
}
