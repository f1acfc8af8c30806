//! Tests that every commit is read back and must change exactly the intended files (row G04).

use crate::support::garden::{Ended, Garden, one_task, side_by_side};
use crate::support::harness::script_before;

fn hook(garden: &Garden, name: &str, script: &str) {
    garden.program(&garden.top().join(".git/hooks").join(name), script);
}

fn unhook(garden: &Garden, name: &str) {
    std::fs::remove_file(garden.top().join(".git/hooks").join(name)).unwrap();
}

/// A garden with a file that git knows, and with files of the user's that no commit of ours may hold.
fn with_files_of_the_user() -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("known.txt", "committed\n");
    garden.commit("Add a file");
    garden.write("known.txt", "edited by the user\n");
    garden.write(".env", "SECRET=1\n");
    garden.write("notes.txt", "buy milk\n");
    garden
}

/// The command in an error that takes a commit back, run as the user would.
fn take_back(garden: &Garden, ended: &Ended) {
    let command = ended.stderr.split('`').find(|part| part.starts_with("git reset ")).unwrap();
    garden.forget_history();
    garden.git(&command.split(' ').skip(1).collect::<Vec<_>>());
}

#[test]
fn a_hook_that_adds_files_of_the_user_to_a_step_commit_stops_the_run_and_is_named_with_them() {
    for staged in [false, true] {
        let garden = with_files_of_the_user();
        if staged {
            garden.git(&["add", "notes.txt"]);
        }
        hook(&garden, "pre-commit", "git add --all");
        let ended = garden.run(&["gardener", "--allow-dirty"]);
        let commit = garden.git(&["rev-parse", "--short=7", "HEAD"]);
        ended.assert(6, &[": .env, known.txt, notes.txt (", "pre-commit", &commit, "git reset "]);

        let again = garden.run(&["gardener", "--allow-dirty"]);
        again.assert(6, &[&commit, "still", ": .env, known.txt, notes.txt (", "git reset "]);
        assert_eq!(garden.asked(), ["T001.implement.0"]);

        take_back(&garden, &ended);
        unhook(&garden, "pre-commit");
        garden.run(&["gardener", "--allow-dirty"]).assert(0, &[]);
        assert_eq!(garden.lines(&["log", "--format=%h", "HEAD", "--", ".env", "notes.txt"]), [""; 0]);
        let status = [
            " M known.txt",
            if staged { "A  notes.txt" } else { "?? .env" },
            if staged { "?? .env" } else { "?? notes.txt" },
        ];
        assert_eq!(garden.status(), status);
        assert_eq!(garden.read("known.txt"), "edited by the user\n");
    }
}

#[test]
fn a_hook_that_adds_a_file_in_a_clean_work_tree_stops_the_run_too() {
    let garden = Garden::new(&one_task(&["true"]));
    hook(&garden, "pre-commit", "test -e added.txt || { echo x > added.txt; git add added.txt; }");
    let ended = garden.run(&["gardener"]);
    ended.assert(6, &["added.txt", "pre-commit", "git reset"]);
    take_back(&garden, &ended);
    assert_eq!(garden.subjects(), [""; 0]);
    assert_eq!(garden.status(), ["?? T001.txt", "?? added.txt"]);
}

#[test]
fn a_hook_that_amends_the_commit_with_more_files_is_noticed() {
    let garden = Garden::new(&one_task(&["true"]));
    hook(
        &garden,
        "post-commit",
        "test -e more.txt || { echo x > more.txt; git add more.txt; git commit -q --amend --no-edit; }",
    );
    garden.run(&["gardener"]).assert(6, &["more.txt", "post-commit"]);
}

#[test]
fn a_hook_that_takes_a_file_out_of_a_step_commit_stops_the_run() {
    let garden = Garden::new(&one_task(&["true"]));
    hook(&garden, "pre-commit", "git reset -q -- T001.txt");
    garden.run(&["gardener"]).assert(6, &["T001.txt", "pre-commit", "git reset"]);
    assert_eq!(garden.read("T001.txt"), "T001.implement.0\n");
}

#[test]
fn files_staged_just_before_the_commit_stop_the_run() {
    let garden = Garden::new(&one_task(&["true"]));
    let stage = "test -e mine.txt || { echo mine > mine.txt; \"$real\" add mine.txt; }";
    let ended = garden.finish(script_before(&garden, &["gardener"], ("commit", stage)));
    ended.assert(6, &["mine.txt", "no hook", "git reset"]);
    assert_eq!(garden.read("mine.txt"), "mine\n");
}

#[test]
fn the_commits_of_every_kind_of_step_are_read_back() {
    // Implement, tests that fail, implement, tests that pass, a review, the completion of the task and of its phase.
    side_by_side(1..=7, |number| {
        let garden = Garden::new(&one_task(&["grep -q implement.1 T001.txt"]));
        let add = format!(
            "echo x >> \"$ROOT/commits\"; test $(wc -l < \"$ROOT/commits\") != {number} || {{ echo x > beside.txt; git add beside.txt; }}"
        );
        hook(&garden, "pre-commit", &add);
        let ended = garden.run(&["gardener"]);
        ended.assert(6, &["beside.txt", "pre-commit"]);
        assert_eq!(garden.subjects().len(), number);
    });
}

#[test]
fn a_hook_may_reformat_or_restore_files_of_a_step() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("kept.txt", "as it is\n");
    garden.commit("Add a file");
    garden.agent("test $ARBORIST_STEP != implement || echo changed > kept.txt");
    hook(
        &garden,
        "pre-commit",
        "git diff --cached --quiet -- T001.txt || { echo formatted >> T001.txt; git add T001.txt; }
         git checkout -q HEAD -- kept.txt",
    );
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.git(&["show", "HEAD~3:T001.txt"]), "T001.implement.0\nformatted");
    assert_eq!(garden.read("kept.txt"), "as it is\n");
}

#[test]
fn a_prune_whose_commit_contains_other_files_says_so_and_leaves_it_to_the_user() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.run(&["gardener"]).assert(0, &[]);
    let before = garden.head();
    garden.write("notes.txt", "buy milk\n");
    hook(&garden, "pre-commit", "git add --all");
    let ended = garden.run(&["prune"]);
    ended.assert(6, &["notes.txt", "pre-commit", "git reset"]);
    assert!(!ended.stderr.contains("put back"), "{ended:#?}");
    take_back(&garden, &ended);
    assert_eq!(garden.head(), before);
    assert_eq!(garden.read("notes.txt"), "buy milk\n");
    unhook(&garden, "pre-commit");
    garden.run(&["prune"]).assert(0, &[]);
    assert_eq!(garden.lines(&["ls-files", "spec", "notes.txt"]), [""; 0]);
}

/// A hook after the first commit that kills the run before it can read this commit back.
const KILL_THE_RUN: &str = r#"test -e "$ROOT/killed" || { : > "$ROOT/killed"
  kill -9 $(sed -n 's/.*"run":{"pid":\([0-9]*\).*/\1/p' "$(git rev-parse --git-dir)/arborist/journal.json"); }"#;

/// Runs until the first commit is made and the run is killed.
fn run_until_killed(garden: &Garden, args: &[&str]) {
    hook(garden, "post-commit", KILL_THE_RUN);
    assert_eq!(garden.start(garden.arborist(args)).wait().status, 137);
    garden.assert_nothing_runs();
    assert!(garden.git(&["log", "-1", "--format=%s"]).starts_with("task(T001): implement"));
}

#[test]
fn a_commit_that_git_had_made_when_the_run_was_killed_is_read_back_by_the_next_run() {
    let garden = with_files_of_the_user();
    hook(&garden, "pre-commit", "git add --update");
    run_until_killed(&garden, &["gardener", "--allow-dirty"]);
    let ended = garden.run(&["gardener", "--allow-dirty"]);
    let commit = garden.git(&["rev-parse", "--short=7", "HEAD"]);
    ended.assert(6, &[&commit, "do not belong to this step: known.txt", "git reset ", "is kept"]);
    garden.run(&["gardener", "--allow-dirty"]).assert(6, &[&commit, "still", "known.txt", "git reset "]);

    take_back(&garden, &ended);
    unhook(&garden, "pre-commit");
    garden.run(&["gardener", "--allow-dirty"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
    assert_eq!(garden.lines(&["log", "--format=%s", "HEAD", "--", "known.txt"]), ["Add a file"]);
    assert_eq!(garden.read("known.txt"), "edited by the user\n");
    assert_eq!(garden.status(), [" M known.txt", "?? .env", "?? notes.txt"]);
}

#[test]
fn a_message_that_a_hook_changed_just_before_the_run_was_killed_is_noticed_by_the_next_run() {
    let garden = Garden::new(&one_task(&["true"]));
    hook(&garden, "commit-msg", "sed -i 's/^Arborist-Runner: .*/Arborist-Runner: somebody/' \"$1\"");
    run_until_killed(&garden, &["gardener"]);
    garden.run(&["gardener"]).assert(3, &["does not have the subject and the trailers", "git reset --soft"]);
    garden.run(&["gardener"]).assert(6, &["still there", "git reset --soft"]);
}

#[test]
fn a_right_commit_that_git_had_made_when_the_run_was_killed_counts() {
    let garden = Garden::new(&one_task(&["true"]));
    run_until_killed(&garden, &["gardener"]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
}

#[test]
fn a_hook_that_was_removed_after_a_kill_does_not_make_its_commit_count() {
    let garden = Garden::new(&one_task(&["true"]));
    hook(&garden, "pre-commit", "test -e added.txt || { echo x > added.txt; git add added.txt; }");
    run_until_killed(&garden, &["gardener"]);
    let commit = garden.git(&["rev-parse", "--short=7", "HEAD"]);
    unhook(&garden, "pre-commit");
    let ended = garden.run(&["gardener"]);
    ended.assert(6, &["pre-commit", "The step was committed before its run was killed."]);
    assert!(!ended.stderr.contains("was not committed"), "{ended:#?}");
    garden.run(&["gardener"]).assert(6, &[&commit, "added.txt", "git reset "]);
}
