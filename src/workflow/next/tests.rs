//! Tests what comes next for a task.

use super::*;
use Outcome::{Fail, Pass};
use proptest::prelude::*;

fn policy(pipeline: Pipeline, failed: FailedTask) -> Policy {
    let three = NonZeroU32::new(3).unwrap();
    Policy { max_attempts: three, merge_attempts: three, pipeline, gate: Gate::Open, failed }
}

fn run(step: Step, attempt: u32) -> NextAction {
    NextAction::Run { step, attempt, merge: None }
}

#[test]
fn the_next_step_follows_from_the_latest_one() {
    let cases = [
        (None, run(Step::IMPLEMENT, 0)),
        (Some((Step::IMPLEMENT, Pass, 1)), run(Step::TEST, 1)),
        (Some((Step::IMPLEMENT, Fail, 0)), run(Step::IMPLEMENT, 1)),
        (Some((Step::TEST, Fail, 1)), run(Step::IMPLEMENT, 2)),
        (Some((Step::REVIEW, Fail, 1)), run(Step::IMPLEMENT, 2)),
        (Some((Step::IMPLEMENT, Fail, 2)), NextAction::GiveUp),
        (Some((Step::TEST, Fail, 2)), NextAction::GiveUp),
        (Some((Step::REVIEW, Fail, 2)), NextAction::GiveUp),
        (Some((Step::REVIEW, Fail, 7)), NextAction::GiveUp),
        (Some((Step::REVIEW, Fail, u32::MAX)), NextAction::GiveUp),
        (Some((Step::TEST, Pass, 2)), run(Step::REVIEW, 2)),
        (Some((Step::REVIEW, Pass, 2)), run(Step::COMPLETE, 2)),
        (Some((Step::COMPLETE, Pass, 0)), NextAction::Done),
        (Some((Step::COMPLETE, Outcome::Skip, 0)), NextAction::Done),
        (Some((Step::REOPEN, Pass, 0)), run(Step::IMPLEMENT, 1)),
        (Some((Step::REOPEN, Pass, 1)), run(Step::IMPLEMENT, 2)),
        (Some((Step::REOPEN, Pass, 2)), NextAction::GiveUp),
        (Some((Step::COMPLETE, Fail, 0)), NextAction::Failed),
        (Some((Step::BLOCK, Pass, 2)), NextAction::AwaitAnswer),
    ];
    for (latest, expected) in cases {
        let latest = latest.map(|(step, outcome, attempt)| StepRecord::of_run(step, outcome, attempt));
        let policy = policy(Pipeline::REVIEWED, FailedTask::Leave);
        assert_eq!(next_action(latest.as_ref(), &policy), expected, "{latest:?}");
    }
}

#[test]
fn in_a_test_first_task_failing_tests_come_before_the_code() {
    let rejected =
        |attempt| StepRecord { rejects_tests: true, ..StepRecord::of_run(Step::REVIEW, Fail, attempt) };
    let of_run = StepRecord::of_run;
    let cases = [
        (None, run(Step::RED, 0)),
        (Some(StepRecord { by: By::User, ..of_run(Step::REOPEN, Pass, 0) }), run(Step::RED, 0)),
        (Some(of_run(Step::REOPEN, Pass, 0)), run(Step::IMPLEMENT, 1)),
        (Some(of_run(Step::REOPEN, Pass, 2)), NextAction::GiveUp),
        (Some(of_run(Step::RED, Pass, 1)), run(Step::IMPLEMENT, 1)),
        (Some(of_run(Step::RED, Fail, 0)), run(Step::RED, 1)),
        (Some(of_run(Step::RED, Fail, 2)), NextAction::GiveUp),
        (Some(of_run(Step::IMPLEMENT, Pass, 1)), run(Step::TEST, 1)),
        (Some(of_run(Step::IMPLEMENT, Fail, 1)), run(Step::IMPLEMENT, 2)),
        (Some(of_run(Step::TEST, Fail, 0)), run(Step::IMPLEMENT, 1)),
        (Some(of_run(Step::REVIEW, Fail, 0)), run(Step::IMPLEMENT, 1)),
        (Some(rejected(0)), run(Step::RED, 1)),
        (Some(rejected(2)), NextAction::GiveUp),
    ];
    for pipeline in [Pipeline::TEST_FIRST, Pipeline::TEST_FIRST_UNREVIEWED] {
        let policy = policy(pipeline, FailedTask::Leave);
        for (latest, expected) in cases {
            assert_eq!(next_action(latest.as_ref(), &policy), expected, "{latest:?}");
        }
        let asked = Policy { failed: FailedTask::StartOver, ..policy };
        let failed = of_run(Step::COMPLETE, Fail, 0);
        assert_eq!(next_action(Some(&failed), &asked), run(Step::RED, 0));
    }
}

#[test]
fn a_person_who_opens_a_task_again_gives_it_all_its_attempts() {
    for attempt in [0, 1, 2, u32::MAX] {
        let reopened = StepRecord { by: By::User, ..StepRecord::of_run(Step::REOPEN, Pass, attempt) };
        let policy = policy(Pipeline::REVIEWED, FailedTask::Leave);
        assert_eq!(next_action(Some(&reopened), &policy), run(Step::IMPLEMENT, 0));
    }
}

#[test]
fn a_claim_about_the_tests_goes_to_the_reviewer_and_uses_up_no_attempt() {
    let about_claim = |step, outcome, rejects_tests| StepRecord {
        is_about_claim: true,
        rejects_tests,
        ..StepRecord::of_run(step, outcome, 2)
    };
    let (claim, agreed) = (about_claim(Step::BLOCK, Pass, false), about_claim(Step::REVIEW, Fail, true));
    for (pipeline, after_claim, after_review) in [
        (Pipeline::TEST_FIRST, run(Step::REVIEW, 2), run(Step::RED, 2)),
        (Pipeline::TEST_FIRST_UNREVIEWED, NextAction::AwaitAnswer, run(Step::RED, 2)),
        (Pipeline::REVIEWED, run(Step::REVIEW, 2), run(Step::IMPLEMENT, 2)),
    ] {
        let policy = policy(pipeline, FailedTask::Leave);
        assert_eq!(next_action(Some(&claim), &policy), after_claim, "{pipeline:?}");
        assert_eq!(next_action(Some(&agreed), &policy), after_review, "{pipeline:?}");
        let waits = after_claim == NextAction::AwaitAnswer;
        let state = if waits { State::Asked } else { State::Reviewing };
        assert_eq!(state_of(Some(&claim), &policy), state, "{pipeline:?}");
    }
}

#[test]
fn attempts_to_merge_are_counted_apart_and_begin_with_the_merge() {
    let of = |step, outcome, merge| StepRecord { merge: Some(merge), ..StepRecord::of_run(step, outcome, 1) };
    let run = |step, merge| NextAction::Run { step, attempt: 1, merge: Some(merge) };
    for pipeline in [Pipeline::REVIEWED, Pipeline::TEST_FIRST] {
        let policy = policy(pipeline, FailedTask::Leave);
        for (latest, expected) in [
            (of(Step::IMPLEMENT, Pass, 0), run(Step::TEST, 0)),
            (of(Step::TEST, Pass, 2), run(Step::REVIEW, 2)),
            (of(Step::REVIEW, Pass, 2), run(Step::COMPLETE, 2)),
            (of(Step::COMPLETE, Pass, 2), NextAction::Done),
            (of(Step::IMPLEMENT, Fail, 0), run(Step::IMPLEMENT, 1)),
            (of(Step::TEST, Fail, 1), run(Step::IMPLEMENT, 2)),
            (of(Step::REVIEW, Fail, 2), NextAction::GiveUp),
            (of(Step::TEST, Fail, u32::MAX), NextAction::GiveUp),
            (StepRecord { rejects_tests: true, ..of(Step::REVIEW, Fail, 0) }, run(Step::IMPLEMENT, 1)),
        ] {
            assert_eq!(next_action(Some(&latest), &policy), expected, "{latest:?}");
        }
        let failed = of(Step::COMPLETE, Fail, 2);
        let again = Policy { failed: FailedTask::StartOver, ..policy };
        let begin = NextAction::Run { step: Step::IMPLEMENT, attempt: 0, merge: Some(0) };
        assert_eq!(next_action(Some(&failed), &again), begin);
    }
}

#[test]
fn a_finished_task_that_could_not_be_merged_goes_on_with_the_next_attempt_to_merge_it() {
    let policy = policy(Pipeline::REVIEWED, FailedTask::Leave);
    let of = |step, outcome, merge| StepRecord { merge, ..StepRecord::of_run(step, outcome, 2) };
    let finished = |merge| [of(Step::COMPLETE, Pass, merge), of(Step::TEST, Pass, merge)];
    let next = |steps: &[StepRecord]| after_failed_merge(steps.iter(), &policy);
    let run = |merge| NextAction::Run { step: Step::IMPLEMENT, attempt: 2, merge: Some(merge) };
    let first = finished(None);
    assert_eq!(next(&first), run(0));
    assert!(!was_overtaken_twice(first.iter()));
    let second = [finished(Some(0)), first].concat();
    assert_eq!(next(&second), run(1));
    assert!(was_overtaken_twice(second.iter()));
    let last = [finished(Some(2)), first].concat();
    assert_eq!(next(&last), NextAction::GiveUp);
    let reopened = [&first[..], &[of(Step::REOPEN, Pass, None)], &finished(Some(2))].concat();
    assert_eq!(next(&reopened), run(0), "they are counted anew");
    assert!(!was_overtaken_twice(reopened.iter()));
}

#[test]
fn a_task_that_is_no_longer_test_first_goes_on_with_its_code() {
    let policy = policy(Pipeline::REVIEWED, FailedTask::Leave);
    let rejected = StepRecord { rejects_tests: true, ..StepRecord::of_run(Step::REVIEW, Fail, 0) };
    assert_eq!(next_action(Some(&rejected), &policy), run(Step::IMPLEMENT, 1));
    for (outcome, attempt) in [(Pass, 1), (Fail, 2)] {
        let red = StepRecord::of_run(Step::RED, outcome, 1);
        assert_eq!(next_action(Some(&red), &policy), run(Step::IMPLEMENT, attempt));
    }
}

#[test]
fn without_reviews_passed_tests_lead_to_complete() {
    let policy = policy(Pipeline::UNREVIEWED, FailedTask::Leave);
    let tested = StepRecord::of_run(Step::TEST, Pass, 1);
    assert_eq!(next_action(Some(&tested), &policy), run(Step::COMPLETE, 1));
    let reviewed = StepRecord { step: Step::REVIEW, ..tested };
    assert_eq!(next_action(Some(&reviewed), &policy), run(Step::COMPLETE, 1));
}

#[test]
fn a_failed_task_starts_over_only_when_the_user_asks() {
    let failed = StepRecord::of_run(Step::COMPLETE, Fail, 0);
    let asked = policy(Pipeline::REVIEWED, FailedTask::StartOver);
    assert_eq!(next_action(Some(&failed), &asked), run(Step::IMPLEMENT, 0));
}

#[test]
fn at_a_gate_only_the_approval_of_a_person_leads_to_the_end() {
    for pipeline in [Pipeline::REVIEWED, Pipeline::UNREVIEWED] {
        let policy = Policy { gate: Gate::Closed, ..policy(pipeline, FailedTask::Leave) };
        let last = if pipeline == Pipeline::REVIEWED { Step::REVIEW } else { Step::TEST };
        let passed = StepRecord::of_run(last, Pass, 2);
        assert_eq!(next_action(Some(&passed), &policy), NextAction::AwaitApproval { attempt: 2 });
        let approved = StepRecord { by: By::User, ..StepRecord::of_run(Step::REVIEW, Pass, 2) };
        assert_eq!(next_action(Some(&approved), &policy), run(Step::COMPLETE, 2));
        let begun = StepRecord::of_run(Step::IMPLEMENT, Pass, 2);
        assert_eq!(next_action(Some(&begun), &policy), run(Step::TEST, 2));
    }
}

proptest! {
    /// For all outcomes, a task ends: it is complete, or it has failed after all its attempts.
    #[test]
    fn every_sequence_of_outcomes_ends(
        outcomes in proptest::collection::vec(any::<(bool, bool)>(), 60),
        is_test_first in any::<bool>(),
    ) {
        let pipeline = Pipeline::with(OptionalSteps { is_test_first, is_reviewed: true });
        let policy = policy(pipeline, FailedTask::Leave);
        let mut latest = None;
        let mut implements = 0;
        for (pass, rejects_tests) in outcomes {
            latest = match next_action(latest.as_ref(), &policy) {
                NextAction::Run { step, attempt, .. } => {
                    implements += u32::from(step == Step::IMPLEMENT);
                    prop_assert!(attempt < 3);
                    let outcome = if pass || step == Step::COMPLETE { Pass } else { Fail };
                    let rejects_tests = rejects_tests && step == Step::REVIEW && outcome == Fail;
                    Some(StepRecord { rejects_tests, ..StepRecord::of_run(step, outcome, attempt) })
                }
                NextAction::GiveUp => Some(StepRecord::of_run(Step::COMPLETE, Fail, 0)),
                NextAction::Done | NextAction::Failed => break,
                NextAction::AwaitApproval { .. } => unreachable!("there is no gate"),
                NextAction::AwaitAnswer => unreachable!("nobody asks"),
            };
        }
        prop_assert!(matches!(next_action(latest.as_ref(), &policy), NextAction::Done | NextAction::Failed));
        prop_assert!(implements <= 3);
    }
}
