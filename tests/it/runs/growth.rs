//! Tests how the work of a step grows with the number of changed files. It is counted in git commands, because time
//! depends on the machine.

use crate::support::harness::{git_calls, one_task, shimmed};

/// The calls of git in a run whose agent adds, changes and deletes so many files each.
fn calls(files: usize) -> usize {
    let script = format!(
        "if [ $ARBORIST_STEP = implement ]; then
           for number in $(seq {files}); do echo new > new/$number; echo changed > changed/$number; rm gone/$number; done
         fi"
    );
    let garden = one_task(&script);
    for number in 1..=files {
        garden.write(&format!("changed/{number}"), "before\n");
        garden.write(&format!("gone/{number}"), "before\n");
    }
    garden.write("new/0", "");
    garden.commit("Files");
    let ended = garden.finish(shimmed(&garden, &["gardener"]));
    ended.assert(0, &[]);
    assert_eq!(garden.files_of("HEAD~4").len(), 3 * files + 2);
    assert_eq!(garden.status(), [""; 0]);
    git_calls(&garden)
}

#[test]
fn a_step_of_hundreds_of_files_takes_no_more_calls_of_git_than_one_of_a_few() {
    let few = calls(2);
    assert!(few > 10, "{few}: they are counted");
    assert_eq!(calls(300), few);
}
