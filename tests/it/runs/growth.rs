//! Tests how the work of a step grows with the number of changed files. It is counted in git commands, because time
//! depends on the machine.

use crate::support::garden::{Garden, one_task as one_task_of, plan};
use crate::support::harness::{garden as with_agent, git_calls, one_task, shimmed};
use crate::support::proofs::{proof_word, with_default_checks};

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

/// The calls of git in a run of this plan with every check.
fn calls_with_proofs(tasks: &[&str]) -> usize {
    let tests: Vec<String> = tasks.iter().map(|task| format!("test -f src/{task}.txt")).collect();
    let tests: Vec<[&str; 1]> = tests.iter().map(|test| [test.as_str()]).collect();
    let mut rows: Vec<(&str, &str, &[&str], &[&str])> = vec![("p1", "", &[], &[])];
    rows.extend(tasks.iter().zip(&tests).map(|(&task, tests)| (task, "p1", &[][..], &tests[..])));
    let garden = with_agent(&plan(&rows), "");
    let mut command = shimmed(&garden, &["gardener"]);
    with_default_checks(&mut command);
    garden.finish(command).assert(0, &[]);
    assert!(tasks.iter().all(|task| !proof_word(&garden, task).is_empty()), "each task has a proof");
    git_calls(&garden)
}

#[test]
fn one_more_task_with_a_proof_and_a_review_takes_sixty_calls_of_git_at_most() {
    let few = calls_with_proofs(&["T001", "T002"]);
    let more = calls_with_proofs(&["T001", "T002", "T003"]);
    assert!(more - few <= 60, "{few}, and {more} with one more");
}

#[test]
fn many_new_files_are_committed_as_they_are_and_their_content_lies_in_one_pack_at_most() {
    let garden = Garden::new(&one_task_of(&["true"]));
    garden.write(".gitattributes", "*.crlf text eol=crlf\n");
    garden.commit("Convert line ends");
    garden.agent(
        "case $ARBORIST_STEP in implement)
         mkdir new; for number in $(seq 150); do echo $number > new/$number; done
         printf 'a\\r\\nb\\r\\n' > new/a.crlf; : > new/empty; ln -s 1 new/link;; esac",
    );
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.status(), [""; 0]);
    assert_eq!(garden.git(&["show", "HEAD:new/77"]), "77");
    assert_eq!(garden.git(&["cat-file", "-s", "HEAD:new/a.crlf"]), "4");
    assert_eq!(garden.lines(&["ls-files", "new"]).len(), 153);
    assert_eq!(garden.git(&["fsck", "--strict"]), "");
    let counts = garden.lines(&["count-objects", "-v"]);
    assert!(counts.iter().any(|line| line == "packs: 1" || line == "packs: 0"), "{counts:?}");
}
