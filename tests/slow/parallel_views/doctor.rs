//! Tests what `doctor` says about slots.

use super::three_tasks;

#[test]
fn doctor_lists_slots_and_removes_those_in_which_nothing_is_left_to_do() {
    let garden = three_tasks();
    garden.run(&["gardener", "--jobs", "2", "--max-tasks", "2"]);
    let folder = garden.root().join("work.arborist");
    assert!(folder.join("slot-0").is_dir() && folder.join("slot-1").is_dir());
    let said = garden.run(&["doctor"]).stdout;
    assert!(said.contains("work.arborist/slot-0 (") && said.contains(") is idle"), "{said}");
    std::fs::write(folder.join("slot-1/notes.txt"), "mine").unwrap();
    let said = garden.run(&["doctor", "--fix"]).stdout;
    assert!(
        said.contains("removed ")
            && said.contains("slot-1 (")
            && said.contains("uncommitted changes of 1 file"),
        "{said}"
    );
    assert!(!folder.join("slot-0").exists(), "it was idle");
    assert!(folder.join("slot-1/notes.txt").exists(), "somebody has written something there");
    let trees = garden.git(&["worktree", "list"]);
    assert!(!trees.contains("slot-0") && trees.contains("slot-1"), "{trees}");
    // While a run is at work, its slots are in use.
    garden.agent("while ! [ -e \"$ROOT/go\" ]; do sleep 0.1; done");
    let running = garden.start(garden.arborist(&["gardener", "--jobs", "2"]));
    garden.wait_until("an agent", || garden.prompts().len() >= 3);
    let said = garden.start(garden.arborist(&["doctor", "--fix"])).wait().stdout;
    assert!(said.contains("is in use: "), "{said}");
    std::fs::write(garden.root().join("go"), "").unwrap();
    running.wait().assert(0, &[]);
}
