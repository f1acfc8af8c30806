//! Tests of the JSON of events, and of its schema.

use super::*;
use crate::agents::ToolUse;
use crate::record::{Cost, Counts, Outcome, ProofCost, Statement, StepDraft, TaskRef, Tokens, UsageTotal};

/// One event of each kind that a worker prints, with a value in every field that may be empty.
fn events() -> Vec<Event> {
    let task = || TaskId::parse("T001").unwrap();
    let name = || "Name".to_owned();
    let commit = || CommitId::from_hex(b"0123456789012345678901234567890123456789").unwrap();
    let attempt = Attempt { number: 1, max: 5, merge: Some(2) };
    let tokens = Tokens { input: Some(1200), output: Some(34), cached: None };
    let usage = Usage { tokens, cost: Some(Cost::from_dollars(0.25).unwrap()) };
    let runner = "claude/opus".to_owned();
    let wait = |is_for_limit, until| {
        let (why, length) = ("why".to_owned(), Duration::from_secs(70));
        let began = Instant::now();
        Event::Waits(Wait { task: task(), step: Step::REVIEW, why, length, until, is_for_limit, began })
    };
    vec![
        Event::Begins(StepBegins {
            task: task(),
            name: name(),
            step: Step::TEST,
            attempt,
            runner: Some(runner.clone()),
            live: LiveLine::new(),
            is_before_work: false,
        }),
        Event::Ended(StepEnded {
            task: task(),
            name: name(),
            result: StepResult { step: Step::REVIEW, outcome: Outcome::Fail, no_tests: None },
            attempt,
            commit: commit(),
            duration: Duration::from_millis(1500),
            proof: Some(ProofCost { runs: 4, time: Duration::from_millis(8400) }),
            usage,
            detail: "a detail".to_owned(),
            reason: Some("a reason".to_owned()),
        }),
        wait(true, Some("2026-01-02T03:04:05Z".parse().unwrap())),
        wait(false, None),
        Event::Progress(AgentProgress {
            task: task(),
            step: Step::IMPLEMENT,
            runner: runner.clone(),
            turns: 3,
            tools: 5,
            last_tool: Some(ToolUse { name: "Edit".to_owned(), subject: "src/a.rs".to_owned() }),
            files: 2,
            usage,
            line: None,
            idle: Duration::from_secs(12),
        }),
        Event::Stalled { task: task(), step: Step::IMPLEMENT, runner, idle: Duration::from_secs(600) },
        Event::Tried {
            task: task(),
            name: name(),
            result: StepResult {
                step: Step::TEST,
                outcome: Outcome::Fail,
                no_tests: Some(NoTests::NoneFound),
            },
            duration: Duration::from_millis(20),
            detail: "exit 1".to_owned(),
        },
        Event::BranchBegun {
            of: BranchOf::Task { task: task() },
            branch: "arborist/spec/T001".to_owned(),
            base: "main".to_owned(),
        },
        Event::BranchMerged(BranchMerged {
            of: BranchOf::Phase { phase: task() },
            branch: "arborist/spec/T001".to_owned(),
            base: "main".to_owned(),
            commit: commit(),
        }),
        Event::NotMerged { task: task(), name: name(), onto: commit(), reason: "conflicts in a".to_owned() },
        Event::Slot(SlotUse {
            slot: 3,
            folder: "/slots/3".to_owned(),
            purpose: SlotPurpose::MergeTests,
            tasks: vec![task()],
            live: LiveLine::new(),
        }),
        Event::Warning { text: "a warning".to_owned() },
        Event::End(StreamEnd {
            status: 1,
            reason: Some("failed".to_owned()),
            failed: Some(vec!["T001".to_owned()]),
            used: Some(UsageTotal::default()),
            ..StreamEnd::default()
        }),
    ]
}

#[test]
fn an_event_of_each_kind_is_read_as_it_was_written_with_its_time() {
    for event in events() {
        let written = serde_json::to_string(&EventLine::now(event)).unwrap();
        let read: EventLine = serde_json::from_str(&written).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), written);
    }
}

#[test]
fn a_passed_step_without_tests_has_a_word_of_its_own_whatever_its_tests_print() {
    let none = Some(Counts::ZERO);
    let some = Some(Counts { passed: 1, ..Counts::ZERO });
    let untested: &[Statement] = &[Statement::Untested];
    for (step, outcome, tests, states, word) in [
        (Step::TEST, Outcome::Pass, None, untested, "untested"),
        (Step::TEST, Outcome::Pass, none, &[], "no tests"),
        (Step::TEST, Outcome::Pass, some, &[], "pass"),
        (Step::TEST, Outcome::Pass, None, &[], "pass"),
        (Step::TEST, Outcome::Fail, none, &[], "fail"),
        (Step::TEST, Outcome::Fail, None, untested, "fail"),
        (Step::REVIEW, Outcome::Pass, None, untested, "approved"),
        (Step::PHASE_COMPLETE, Outcome::Pass, none, &[], "no tests"),
    ] {
        let id = TaskId::parse("T001").unwrap();
        let attempt = Attempt { number: 0, max: 1, merge: None };
        let mut draft = StepDraft::new(step, TaskRef { id: &id, name: "Name" }, attempt, outcome);
        draft.facts.tests = tests;
        draft.facts.states.extend(states.iter().copied());
        assert_eq!(StepResult::of(&draft).word(), word, "{step:?} {outcome:?} {tests:?}");
    }
}

#[test]
fn the_schema_is_that_of_the_events() {
    crate::schema::assert_committed::<EventLine>("event", "git arborist gardener --json: one event a line");
}
