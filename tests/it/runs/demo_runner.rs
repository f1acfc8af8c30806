//! Tests the demo runner, which applies patches that somebody has prepared.

use crate::support::garden::{Garden, plan};

fn garden() -> Garden {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["test -s one.txt"]),
        ("T002", "p1", &[], &["grep -q two two.txt"]),
    ]));
    garden.config("arborist.runner", "demo");
    garden
}

fn patch(garden: &Garden, name: &str, file: &str, line: &str) {
    let folder = garden.root().join("patches");
    std::fs::create_dir_all(&folder).unwrap();
    let text = format!(
        "diff --git a/{file} b/{file}\nnew file mode 100644\n--- /dev/null\n+++ b/{file}\n@@ -0,0 +1 @@\n+{line}\n"
    );
    std::fs::write(folder.join(name), text).unwrap();
}

#[test]
fn a_plan_can_be_tried_with_a_folder_of_patches() {
    let garden = garden();
    garden
        .run(&["gardener"])
        .assert(2, &["the runner demo has no patches", "git config arborist.demoPatches FOLDER"]);
    garden.config("arborist.demoPatches", &garden.root().join("patches").display().to_string());
    patch(&garden, "T001.patch", "one.txt", "one");
    let ended = garden.run(&["gardener"]);
    ended.assert(
        4,
        &["the runner demo did not start: there is no patch for this step", "T002.patch", "git diff"],
    );
    assert!(ended.stderr.contains("no attempt is used up"), "{ended:?}");
    assert_eq!(garden.subjects().len(), 4, "{:?}", garden.subjects());

    // A patch of the second attempt comes after one that fails.
    patch(&garden, "T002.1.patch", "wrong.txt", "wrong");
    patch(&garden, "T002.patch", "two.txt", "two");
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(
        garden.subjects().iter().any(|subject| subject.contains("tests fail") && subject.contains("T002"))
    );
    assert_eq!(garden.read("two.txt"), "two\n");
    let shown = garden.run(&["show", "T001"]).stdout;
    assert!(shown.contains("demo"), "{shown}");
}
