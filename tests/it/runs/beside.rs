//! Tests decisions of a person beside a run that is at work: they are recorded between two steps.

use crate::support::garden::Garden;
use crate::support::live::{WAITS, four_tasks, script};

/// A run that is in the first step of T002.
fn in_second_task() -> Garden {
    let garden = four_tasks();
    script(&garden, WAITS);
    garden
}

#[test]
fn a_note_and_a_skip_are_recorded_between_two_steps_and_both_screens_say_so() {
    let garden = in_second_task();
    let run = garden.start(garden.arborist(&["gardener"]));
    garden.wait_until("T001 is complete", || {
        garden.subjects().iter().any(|subject| subject.contains("complete \"Do T001\""))
    });
    let note = garden.start(garden.arborist(&["note", "T003", "-m", "Use tabs."]));
    let skip = garden.start(garden.arborist(&["mark", "skip", "T004", "-m", "Not now."]));
    let waiting = garden.top().join(".git/arborist/waiting");
    garden.wait_until("both wait", || std::fs::read_dir(&waiting).is_ok_and(|entries| entries.count() == 2));
    std::fs::write(garden.root().join("go"), "").unwrap();
    for ended in [note.wait(), skip.wait()] {
        ended.assert(0, &["as soon as its step has ended"]);
    }
    let ended = run.wait();
    ended.assert(0, &["`git arborist note` (process ", "`git arborist mark` (process "]);
    let subjects = garden.subjects();
    let place = |part: &str| subjects.iter().position(|subject| subject.contains(part)).unwrap();
    assert!(place("implement \"Do T002\"") < place("note for \"Do T003\""), "{subjects:#?}");
    assert!(place("skipped \"Do T004\"") < place("implement \"Do T003\""), "{subjects:#?}");
    let log = garden.git(&["log", "--format=%B"]);
    assert!(log.contains("Use tabs."), "{log}");
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn a_decision_waits_for_no_command_but_a_run_and_an_agent_takes_none() {
    let garden = in_second_task();
    script(
        &garden,
        "cat > /dev/null; case $ARBORIST_STEP in review) echo APPROVED;; *) git-arborist note T003 -m mine 2> \"$ROOT/refused\"; echo x > $ARBORIST_TASK.txt;; esac",
    );
    garden.run(&["garden", "T001"]).assert(0, &[]);
    let refused = std::fs::read_to_string(garden.root().join("refused")).unwrap();
    assert!(refused.contains("from inside a step"), "{refused}");
    assert!(!garden.top().join(".git/arborist/lends.json").exists(), "nothing is left of the run");
}
