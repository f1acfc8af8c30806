//! Kills whichever process calls git at each call of a run with several jobs in which an agent asks a question. In the end, the question
//! is asked once, no attempt is used up, and its answer completes the run.

use crate::support::garden::{Garden, plan, side_by_side};
use crate::support::harness::{
    Mode, assert_sound_after, at_every_call, garden as with_agent, git_calls, shimmed, shimmed_at, was_hit,
};

const RUN: [&str; 4] = ["gardener", "--no-review", "--jobs", "2"];

/// Asks about T002 until a note has answered.
const ASKS: &str = r#"
case $work in
T002.implement.*)
  test -d src || mkdir src
  echo half > src/half.txt; note src/half.txt
  "$ROOT/git/git" log --all --format=%B | grep -q "the second one" || { printf 'BLOCKED: which date?\n'; exit 0; };;
esac
"#;

fn four_tasks() -> Garden {
    let tasks = plan(&[
        ("p1", "", &[], &["true"]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &[], &["true"]),
        ("T003", "p1", &["T002"], &["true"]),
        ("T004", "p1", &[], &["true"]),
    ]);
    let garden = with_agent(&tasks, ASKS);
    // The tasks do not write into the same lines.
    garden.write(".gitattributes", "shared.txt merge=union\n");
    garden.commit("Merge lines of both sides");
    garden
}

/// A kill at one call of git before the question is answered, or after that.
fn one_kill(place: (Mode, usize), is_answered: bool) {
    let garden = four_tasks();
    let answer = || garden.run(&["note", "T002", "-m", "the second one"]).assert(0, &[]);
    if is_answered {
        garden.run(&RUN).assert(7, &["which date?"]);
        answer();
    }
    let ended = garden.start(shimmed_at(&garden, &RUN, place)).wait();
    if !was_hit(&garden) {
        // How many calls there are depends on which worker is faster.
        return;
    }
    garden.forget_history();
    if !is_answered {
        garden.run(&RUN).assert(7, &["which date?"]);
        let found = garden.json(&["status", "--json"]);
        assert_eq!(found["counts"]["asked"], 1, "{place:?}: {ended:#?}");
        assert_eq!(found["counts"]["complete"], 2, "{place:?}: {ended:#?}");
        answer();
    }
    let again = garden.start(garden.arborist(&RUN)).wait();
    assert_eq!(again.status, 0, "{place:?}: {ended:#?}\n{again:#?}");
    assert_sound_after(&garden, &again);
    let found = garden.json(&["status", "--json"]);
    assert_eq!(found["counts"]["complete"], 4, "{place:?}: {ended:#?}\n{again:#?}");
    let blocks = garden.lines(&["log", "--format=%h", "--grep=^Arborist-Step: block", "main"]);
    assert_eq!(blocks.len(), 1, "{place:?}: {ended:#?}\n{again:#?}");
    let attempts = found["tasks"].as_array().unwrap().iter().map(|task| task["attempt_count"].clone());
    assert_eq!(attempts.collect::<Vec<_>>(), [1, 1, 1, 1], "{place:?}: {ended:#?}\n{again:#?}");
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

/// How many calls of git there are before the question is answered, and after that.
fn calls() -> [usize; 2] {
    let garden = four_tasks();
    garden.finish(shimmed(&garden, &RUN)).assert(7, &["which date?"]);
    let before = git_calls(&garden);
    garden.run(&["note", "T002", "-m", "the second one"]).assert(0, &[]);
    garden.finish(shimmed(&garden, &RUN)).assert(0, &[]);
    [before, git_calls(&garden)]
}

#[test]
fn a_kill_at_some_calls_of_git_loses_no_question_and_no_answer() {
    let [before, after] = calls();
    let points = [
        ((Mode::KillBefore, before / 3), false),
        ((Mode::KillAfter, before * 2 / 3), false),
        ((Mode::KillBefore, after / 2), true),
    ];
    side_by_side(points, |(place, is_answered)| one_kill(place, is_answered));
}

#[test]
#[ignore = "takes long: every call of git"]
fn a_kill_at_any_call_of_git_loses_no_question_and_no_answer() {
    for (calls, is_answered) in calls().into_iter().zip([false, true]) {
        at_every_call(calls, |place| match place.0 {
            Mode::KillBefore | Mode::KillAfter => one_kill(place, is_answered),
            _ => {}
        });
    }
}
