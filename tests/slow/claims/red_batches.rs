//! Red batches: whoever has nothing else to do tests parts of them, and nobody depends on that.

use std::fs;
use std::path::Path;

use super::field::Field;
use crate::support::garden::{Garden, Running, plan};

const TASKS: [&str; 6] = ["T001", "T002", "T003", "T004", "T005", "T006"];

/// What tests a merge. Whoever integrates goes on with a part only when somebody helps or is dead. Whoever helps stays at work if it is
/// to be killed.
const TESTS: &str = r#"case $PWD in
*/helper/*) echo helped >> "$ROOT/helped"; while test -e "$ROOT/hold"; do sleep 0.05; done;;
*) set -- T*.txt; test $# = 6 || until test -e "$ROOT/helped"; do sleep 0.05; done;;
esac
test ! -f bad"#;

/// Six finished tasks, of which one breaks the tests of all.
fn six() -> Option<Field> {
    let rows: Vec<_> =
        TASKS.iter().map(|task| (*task, "", &[][..], &["sh \"$ROOT/tests.sh\""][..])).collect();
    let field = Field::new(&plan(&rows))?;
    let garden = &field.garden;
    fs::write(garden.root().join("tests.sh"), TESTS).unwrap();
    garden.config("arborist.review", "false");
    garden.agent("case $ARBORIST_STEP in implement) rm -f bad;; esac");
    let base = garden.git(&["rev-parse", "HEAD"]);
    for task in TASKS {
        garden.git(&["switch", "-q", "-c", &format!("arborist/trial/{task}"), &base]);
        garden.write(&format!("{task}.txt"), "work");
        if task == "T003" {
            garden.write("bad", "work");
        }
        garden.commit(&format!(
            "task({task}): complete \"Do {task}\"\n\nArborist-Step: complete\nArborist-Result: pass\nArborist-By: user"
        ));
        garden.git(&["push", "-q", "origin", "HEAD"]);
    }
    garden.git(&["switch", "-q", "main"]);
    Some(field)
}

/// Somebody who integrates, and somebody who has begun to test a part of the red batch.
fn two(field: &Field) -> (Running, Running) {
    let garden: &Garden = &field.garden;
    let start = |args: &[&str], place: &str| {
        let folder = garden.root().join(place);
        fs::create_dir_all(&folder).unwrap();
        let mut command = garden.arborist(args);
        command.env("TMPDIR", folder);
        garden.start(command)
    };
    let integrator = start(&["integrate", "--remote", "origin", "--branch", "main"], "temporary");
    field.garden.wait_until("nobody integrates", || {
        field.branches().iter().any(|branch| branch.ends_with("/@integrate"))
    });
    let helper = start(&["work", "--remote", "origin", "--branch", "main", "--until-done"], "helper");
    garden.wait_for("helped");
    (integrator, helper)
}

fn lines(file: &Path) -> usize {
    fs::read_to_string(file).unwrap().lines().count()
}

#[test]
fn whoever_has_nothing_else_to_do_tests_parts_of_a_red_batch() {
    let Some(field) = six() else { return };
    let (integrator, helper) = two(&field);
    let (integrated, helped) = (integrator.wait(), helper.wait());
    integrated.assert(0, &["T003 could not be merged", "T006 merge pass"]);
    helped.assert(0, &["part of a red batch: tests "]);
    assert!(lines(&field.garden.root().join("helped")) >= 1);
    field.check_merged(&TASKS);
    assert!(!field.there(&["ls-tree", "--name-only", "main"]).contains("bad"));
}

#[test]
fn a_part_whose_worker_is_killed_keeps_nobody_waiting_and_is_not_left_behind() {
    let Some(field) = six() else { return };
    fs::write(field.garden.root().join("hold"), "").unwrap();
    let (integrator, helper) = two(&field);
    helper.signal("KILL");
    assert_eq!(helper.wait().status, 137);
    integrator.wait().assert(0, &["T003 could not be merged", "T006 merge pass"]);
    fs::remove_file(field.garden.root().join("hold")).unwrap();
    field.check_merged(&TASKS);
}
