//! Where workers make their clones, and what becomes of those of killed workers.

use std::fs;
use std::path::Path;

use super::field::Field;
use crate::support::garden::one_task;

/// An agent whose step of this kind waits for a file, and says before that it does.
fn waits_in(step: &str) -> String {
    format!(
        "case $work in *.{step}.*) test -e \"$ROOT/again\" || {{ echo $$ > \"$ROOT/pid\"; sleep 60; }};; esac"
    )
}

/// Starts a worker, kills it in a step of this kind when the newest commit that it has pushed has this subject, and lets the
/// next one pass.
fn kill_in(field: &Field, step: &str, pushed: &str) {
    field.garden.agent(&waits_in(step));
    let running = field.garden.start(field.work(&["--claimant", "a", "T001"]));
    field.garden.wait_for("pid");
    // A step is pushed while the next one has begun already.
    field.garden.wait_until("it was not pushed", || {
        field.subjects("arborist/trial/T001").first().is_some_and(|subject| subject.starts_with(pushed))
    });
    field.garden.kill_with_agent(running);
    fs::write(field.garden.root().join("again"), "").unwrap();
}

const AGAIN: [&str; 5] = ["--claimant", "a", "--attempt", "1", "T001"];

#[test]
fn the_clone_of_a_killed_worker_is_removed_by_the_next_one() {
    let Some(field) = Field::new(&one_task(&["test -f T001.txt"])) else { return };
    kill_in(&field, "review", "task(T001): tests pass");
    assert_eq!(field.left(), 1);
    field
        .worked(&AGAIN)
        .assert(0, &["Removed ", "the clone of a worker that was killed", "T001 review approved"]);
    assert_eq!(field.left(), 0);
    field.check_complete(&["T001"]);
}

#[test]
fn the_clone_of_a_worker_that_is_alive_is_left_alone() {
    let Some(field) = Field::of_three() else { return };
    field.garden.agent(&waits_in("implement"));
    let running = field.garden.start(field.work(&["--claimant", "a", "T001"]));
    field.garden.wait_for("pid");
    fs::write(field.garden.root().join("again"), "").unwrap();
    let ended = field.worked(&["--claimant", "b", "T002"]);
    ended.assert(0, &["T002 complete pass"]);
    assert!(!ended.stderr.contains("Removed"), "{}", ended.stderr);
    assert_eq!(field.left(), 1);
    running.signal("TERM");
    running.wait().assert(143, &[]);
    assert_eq!(field.left(), 0);
}

#[test]
fn steps_are_pushed_only_at_the_end_if_the_user_wants_that_and_a_killed_worker_keeps_them() {
    let Some(field) = Field::new(&one_task(&["test -f T001.txt"])) else { return };
    field.garden.config("arborist.push", "ends");
    kill_in(&field, "review", "task(T001): claimed by");
    // Implementation and test are committed, and nobody has seen them.
    let claim = field.subjects("arborist/trial/T001");
    assert!(claim[0].starts_with("task(T001): claimed by a.0@"), "{claim:?}");
    let pushes = field.garden.root().join("pushes");
    field.hook("update", &format!("echo \"$1\" >> '{}'", pushes.display()));
    let ended = field.worked(&AGAIN);
    ended.assert(
        0,
        &["has commits that were not pushed. It is kept.", "T001 implement pass", "T001 complete pass"],
    );
    field.check_complete(&["T001"]);
    let pushed = fs::read_to_string(pushes).unwrap();
    // The claim, all steps together, and the deletion.
    assert_eq!(pushed.lines().filter(|line| line.ends_with("/T001")).count(), 3, "{pushed}");
    // It is kept for good.
    assert_eq!(field.left(), 1);
    let later = field.worked(&[]);
    later.assert(0, &[]);
    assert!(!later.stderr.contains("not pushed"), "{}", later.stderr);
    assert_eq!(field.left(), 1);
}

#[test]
fn a_worker_makes_its_clone_where_the_user_says() {
    let Some(field) = Field::new(&one_task(&["test -f T001.txt"])) else { return };
    let root = field.garden.root().canonicalize().unwrap();
    let places = root.join("places");
    field.garden.agent("case $ARBORIST_STEP in implement) pwd >> \"$ROOT/places\";; esac");
    let worked_below = |folder: &Path| {
        let said = fs::read_to_string(&places).unwrap();
        assert!(said.lines().all(|line| Path::new(line).starts_with(folder)), "{said}");
        assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
        fs::remove_file(&places).unwrap();
    };
    // Relative to the work tree.
    field.garden.config("arborist.worktree.dir", "../roomy/clones");
    field.worked(&[]).assert(0, &["T001 implement pass"]);
    worked_below(&root.join("roomy/clones"));
    field.check_complete(&["T001"]);
    assert_eq!(field.left(), 0);
    // For an address, the settings of the repository around the current folder do not count.
    let again = Field::new(&one_task(&["test -f T001.txt"])).unwrap();
    let mut command = field.garden.arborist(&["work", "--remote", &again.server.url(), "--branch", "main"]);
    command.env("ARBORIST_WORKTREE_DIR", root.join("for-addresses")).env("ARBORIST_TRUST_PLAN", "true");
    let runner = field.garden.git(&["config", "--get-regexp", "^arborist\\.runner"]);
    for (number, line) in runner.lines().enumerate() {
        let (key, value) = line.split_once(' ').unwrap();
        command.env(format!("GIT_CONFIG_KEY_{number}"), key).env(format!("GIT_CONFIG_VALUE_{number}"), value);
    }
    command.env("GIT_CONFIG_COUNT", runner.lines().count().to_string());
    field.garden.finish(command).assert(0, &["T001 implement pass"]);
    worked_below(&root.join("for-addresses"));
    again.check_complete(&["T001"]);
}
