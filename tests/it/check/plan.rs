//! Tests `check --plan`: which ticked boxes of a source are backed by commits.

use serde_json::Value;

use crate::support::garden::Garden;

const PLAN: &str =
    "# Plan\n\n- [x] 1. First\n  - [x] 1.1 Part\n  - [x] 1.2 Other part\n- [x] 2. Second\n- [ ] 3. Third\n";

/// A repository whose plan was built from `.kiro/specs/a/tasks.md` and committed.
fn built() -> Garden {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    garden.write(".kiro/specs/a/tasks.md", PLAN);
    garden.run(&["build"]).assert(0, &[]);
    garden.commit("Add the plan");
    garden
}

fn complete(garden: &Garden, id: &str, name: &str) {
    let message = format!(
        "task({id}): complete \"{name}\"\n\nArborist-Step: complete\nArborist-Result: pass\nArborist-Report: x.json\n"
    );
    garden.git(&["commit", "-q", "--allow-empty", "-m", &message]);
}

const CHECK: [&str; 3] = ["check", "--plan", ".kiro/specs/a/tasks.md"];

#[test]
fn ticked_boxes_without_a_commit_are_named() {
    let garden = built();
    complete(&garden, "1.1", "Part");
    complete(&garden, "1.2", "Other part");
    let commit = garden.git(&["rev-parse", "--short=7", "HEAD"]);
    let ended = garden.run(&CHECK);
    assert_eq!(ended.status, 1, "{ended:?}");
    let expected = [
        "✓ .kiro/specs/a/tasks.md:3: 1 First (all 2 tasks below it are complete)".to_owned(),
        format!("✓ .kiro/specs/a/tasks.md:5: 1.2 Other part (completed by {commit})"),
        "✗ .kiro/specs/a/tasks.md:6: 2 Second (not complete: pending)".to_owned(),
    ];
    let plain = ended.stdout.replace("ok ", "✓ ").replace("no ", "✗ ");
    for line in &expected {
        assert!(plain.contains(line), "{line}: {ended:?}");
    }
    assert!(
        !plain.contains("Third") && ended.stderr.contains("1 of 4 ticked boxes is not backed"),
        "{ended:?}"
    );
    let ended = garden.run(&[&CHECK[..], &["--json"]].concat());
    let found: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        (ended.status, &found["unbacked"], &found["boxes"][3]["backed"]),
        (1, &1.into(), &false.into())
    );

    complete(&garden, "2", "Second");
    let ended = garden.run(&CHECK);
    assert!(ended.status == 0 && ended.stderr.contains("all 4 ticked boxes are backed"), "{ended:?}");
}

#[test]
fn a_box_of_a_new_or_renamed_task_is_not_backed() {
    let garden = built();
    complete(&garden, "2", "Second");
    let edited = "- [x] 1. First\n- [x] 2. Another\n- [x] 4. New\n";
    garden.write(".kiro/specs/a/tasks.md", edited);
    let ended = garden.run(&CHECK);
    assert_eq!(ended.status, 1, "{ended:?}");
    for line in [
        "1 First (not complete: 1.1 below it is pending)",
        "2 Another (not complete: the task has another name",
    ] {
        assert!(ended.stdout.contains(line), "{line}: {ended:?}");
    }
    assert!(ended.stdout.contains("4 New (not in the plan)"), "{ended:?}");
    garden.write(".kiro/specs/a/tasks.md", "- [ ] 1. First\n");
    let ended = garden.run(&CHECK);
    assert!(ended.status == 0 && ended.stderr.contains("has no ticked box"), "{ended:?}");
}

#[test]
fn a_file_that_the_plan_was_not_built_from_is_refused() {
    let garden = built();
    garden.write("TODO.md", "- [x] Write\n");
    let ended = garden.run(&["check", "--plan", "TODO.md"]);
    assert_eq!((ended.status, ended.stdout.as_str()), (2, ""), "{ended:?}");
    assert!(ended.stderr.contains("was not built from TODO.md"), "{ended:?}");
    assert!(ended.stderr.contains("It was built from .kiro/specs/a/tasks.md"), "{ended:?}");
    garden.write(".kiro/specs/a/tasks.md", "- [x] 1. A\n- [x] 1. B\n");
    let ended = garden.run(&CHECK);
    assert!(
        ended.status == 2 && ended.stderr.contains("tasks.md:2: the id 1 is also on line 1"),
        "{ended:?}"
    );
}
