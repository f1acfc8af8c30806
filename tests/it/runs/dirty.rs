//! Tests that changes which do not belong to a run stay out of its commits and unchanged.

use crate::support::garden::{Garden, one_task, plan};

/// A garden with two committed files, and changes of the user of every kind.
fn dirty() -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    for file in ["staged", "unstaged", "both", "removed", "removed-staged"] {
        garden.write(file, "committed\n");
    }
    garden.commit("Add files");
    garden.write("staged", "staged\n");
    garden.write("both", "staged\n");
    garden.write("added", "staged\n");
    garden.git(&["add", "staged", "both", "added"]);
    garden.git(&["rm", "-q", "removed-staged"]);
    garden.write("both", "unstaged\n");
    garden.write("unstaged", "unstaged\n");
    garden.write("untracked", "untracked\n");
    garden.write(".env", "SECRET=1\n");
    std::fs::remove_file(garden.top().join("removed")).unwrap();
    garden
}

const STATUS: [&str; 8] = [
    "A  added",
    "MM both",
    " D removed",
    "D  removed-staged",
    "M  staged",
    " M unstaged",
    "?? .env",
    "?? untracked",
];

#[test]
fn a_dirty_work_tree_is_refused_by_name_before_any_agent_starts() {
    let garden = dirty();
    let ended = garden.run(&["gardener"]);
    ended.assert(3, &["not committed", ".env", "added", "more", "git stash -u", "--allow-dirty"]);
    assert_eq!(garden.asked(), [""; 0]);
    assert_eq!(garden.status(), STATUS);
}

#[test]
fn with_allow_dirty_the_users_changes_stay_out_of_every_commit_and_as_they_are() {
    let garden = dirty();
    let staged = garden.git(&["ls-files", "--stage", "both", "staged", "added"]);
    let modified = |file: &str| garden.top().join(file).metadata().unwrap().modified().unwrap();
    let before = [modified("unstaged"), modified("untracked"), modified("both")];
    garden.run(&["gardener", "--allow-dirty"]).assert(0, &[]);
    assert_eq!(garden.status(), STATUS);
    assert_eq!(garden.git(&["ls-files", "--stage", "both", "staged", "added"]), staged);
    assert_eq!([modified("unstaged"), modified("untracked"), modified("both")], before);
    assert_eq!(garden.read("both"), "unstaged\n");
    for (commit, files) in [("HEAD", 0), ("HEAD~1", 1), ("HEAD~2", 1), ("HEAD~3", 0), ("HEAD~4", 1)] {
        assert_eq!(garden.files_of(commit).len(), files, "{commit}: {:?}", garden.files_of(commit));
    }
}

#[test]
fn a_deletion_that_the_user_staged_while_the_file_stays_is_in_no_commit() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("config.local", "secret\n");
    garden.commit("Add a file");
    garden.git(&["rm", "-q", "--cached", "config.local"]);
    let before = ["D  config.local", "?? config.local"];
    assert_eq!(garden.status(), before);
    garden.run(&["gardener", "--allow-dirty"]).assert(0, &[]);
    assert_eq!(garden.status(), before);
    assert_eq!(garden.lines(&["log", "--format=%s", "--", "config.local"]), ["Add a file"]);
    assert_eq!(garden.read("config.local"), "secret\n");
}

#[test]
fn changes_that_the_user_staged_do_not_affect_the_commit_of_a_step() {
    let garden = dirty();
    garden.write("folder/a", "a\n");
    garden.git(&["add", "folder"]);
    garden.git(&["commit", "-q", "-m", "Add a folder", "--", "folder"]);
    garden.agent(
        "case $ARBORIST_STEP in implement) mv folder lib; ln -s lib folder; echo '/ignored' > .gitignore
         echo i > ignored; git add -f ignored; echo s > gone; git add gone; rm gone;; esac",
    );
    garden.run(&["gardener", "--allow-dirty"]).assert(0, &[]);
    assert_eq!(garden.status(), STATUS);
    let implement = garden.lines(&["diff-tree", "-r", "--name-status", "--no-commit-id", "HEAD~4"]);
    let expected = ["A\t.gitignore", "A\tT001.txt", "A\tfolder", "D\tfolder/a", "A\tignored", "A\tlib/a"];
    assert_eq!(implement, expected);
}

#[test]
fn a_hooks_reformatting_is_not_undone_in_the_index_beside_changes_of_the_user() {
    let garden = dirty();
    let hook = "test ! -e T001.txt || grep -q formatted T001.txt || { echo formatted >> T001.txt; git add T001.txt; }";
    garden.program(&garden.top().join(".git/hooks/pre-commit"), hook);
    garden.run(&["gardener", "--allow-dirty"]).assert(0, &[]);
    assert_eq!(garden.git(&["show", "HEAD:T001.txt"]), "T001.implement.0\nformatted");
    assert_eq!(garden.status(), STATUS);
}

#[test]
fn a_users_staged_version_that_the_runner_overwrites_is_in_no_commit() {
    let garden = dirty();
    garden.agent("case $ARBORIST_STEP in implement) git add both;; esac");
    garden.run(&["gardener", "--allow-dirty"]).assert(6, &["changes of yours", "both"]);
    assert_eq!(garden.subjects()[1..], [""; 0]);
}

#[test]
fn a_file_that_both_the_user_and_the_runner_changed_is_in_no_commit() {
    for edit in
        ["echo more >> both", "echo more >> untracked", "echo more >> staged; git add staged", "rm unstaged"]
    {
        let garden = dirty();
        garden.agent(&format!("case $ARBORIST_STEP in implement) {edit};; esac"));
        garden.run(&["gardener", "--allow-dirty"]).assert(6, &["changes of yours", "was not committed"]);
        assert_eq!(garden.subjects()[1..], [""; 0], "{edit}");
        let mixed: Vec<String> = garden.status().into_iter().filter(|line| line != "?? T001.txt").collect();
        garden.agent("");
        garden.run(&["gardener", "--allow-dirty"]).assert(0, &["git arborist rescue show T001/"]);
        assert_eq!(garden.status(), mixed, "{edit}: the user's own files are not put back");
    }
}

#[test]
fn a_change_of_the_users_that_the_agent_commits_itself_stops_every_run_until_the_commit_is_taken_back() {
    for renamed in [false, true] {
        let garden = Garden::new(&one_task(&["true"]));
        garden.write("README", "committed\n");
        garden.commit("Add a file");
        if renamed {
            garden.git(&["mv", "README", "README.md"]);
        } else {
            garden.write("README", "mine\n");
        }
        let before = garden.status();
        garden.agent(
            "test $ARBORIST_STEP != implement || { echo a > a.txt; git add a.txt; git commit -qam wip; }",
        );
        let ended = garden.run(&["gardener", "--allow-dirty"]);
        let commit = garden.git(&["rev-parse", "--short=7", "HEAD"]);
        ended.assert(6, &["uncommitted changes of yours", "README", &commit, "git reset "]);
        assert!(!ended.stderr.contains("git stash"), "{ended:#?}");
        let again = garden.run(&["gardener", "--allow-dirty"]);
        again.assert(6, &[&commit, "still there", "README", "git reset "]);
        assert_eq!(garden.asked(), ["T001.implement.0"]);

        garden.forget_history();
        for command in ended.stderr.split('`').skip(1).step_by(2) {
            if command.starts_with("git reset ") || command.starts_with("git add ") {
                garden.git(&command.split(' ').skip(1).collect::<Vec<_>>());
            }
        }
        garden.agent("");
        garden.run(&["gardener", "--allow-dirty"]).assert(0, &["git arborist rescue show T001/"]);
        assert_eq!(garden.status(), before);
        assert_eq!(
            garden.lines(&["log", "--format=%s", "HEAD", "--", "README", "README.md"]),
            ["Add a file"]
        );
    }
}

/// The references to copies of the user's changes.
fn copies(garden: &Garden) -> Vec<String> {
    garden.lines(&["for-each-ref", "--format=%(refname)", "refs/arborist/rescue/uncommitted"])
}

#[test]
fn files_of_the_users_that_an_agent_changes_before_a_stop_are_named_and_their_earlier_version_is_saved() {
    for signal in ["INT", "KILL"] {
        let garden = dirty();
        garden.agent(
            "test -e \"$ROOT/began\" || { echo theirs > unstaged; echo theirs > untracked; echo theirs > both; rm staged
             echo $$ > \"$ROOT/pid\"; touch \"$ROOT/began\"; exec sleep 3013; }",
        );
        let running = garden.start(garden.arborist(&["gardener", "--allow-dirty"]));
        garden.wait_for("began");
        let said = if signal == "INT" {
            running.signal(signal);
            running.wait()
        } else {
            garden.kill_with_agent(running);
            garden.run(&["gardener", "--allow-dirty"])
        };
        let status = if signal == "INT" { 130 } else { 0 };
        let named = "have changed since the run began: both, staged, unstaged, untracked";
        said.assert(status, &[named, "git arborist rescue show uncommitted/"]);
        let copy = &copies(&garden)[0];
        for (file, text) in
            [("unstaged", "unstaged"), ("untracked", "untracked"), ("both", "unstaged"), ("staged", "staged")]
        {
            assert_eq!(garden.git(&["show", &format!("{copy}:{file}")]), text, "{signal}");
        }
        assert_eq!(garden.git(&["show", &format!("{copy}^2:both")]), "staged", "{signal}");
    }
}

#[test]
fn no_advice_throws_the_users_changes_away_that_a_reviewer_has_edited() {
    let garden = dirty();
    garden.agent("test $ARBORIST_STEP != review || echo theirs > \"$ROOT/work/unstaged\"");
    let ended = garden.run(&["gardener", "--allow-dirty"]);
    ended.assert(6, &["tracked files changed", "a copy is kept", "git arborist rescue show uncommitted/"]);
    assert!(!ended.stderr.contains("git restore"), "{}", ended.stderr);
    assert_eq!(garden.git(&["show", &format!("{}:unstaged", copies(&garden)[0])]), "unstaged");
}

#[test]
fn a_copy_of_the_users_changes_does_not_stay_if_nobody_has_touched_them() {
    let garden = dirty();
    garden.agent("git for-each-ref --format='%(refname)' refs/arborist/rescue/uncommitted >> \"$ROOT/seen\"");
    garden.run(&["gardener", "--allow-dirty"]).assert(0, &[]);
    assert!(std::fs::read_to_string(garden.root().join("seen")).unwrap().contains("uncommitted/"));
    assert_eq!(copies(&garden), [""; 0]);
}

#[test]
fn files_that_tests_leave_behind_stay_uncommitted_and_are_named() {
    let garden = Garden::new(&one_task(&[
        "echo x > coverage.txt; echo x > staged.txt; git add staged.txt; echo changed >> readme; grep -q implement.1 T001.txt",
    ]));
    garden.write("readme", "");
    garden.commit("Add a file");
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &["coverage.txt", "staged.txt", "readme", "uncommitted"]);
    assert_eq!(garden.status(), [" M readme", "A  staged.txt", "?? coverage.txt"]);
    let committed = garden.lines(&["log", "--name-only", "--format=", "HEAD~7..HEAD"]).join(" ");
    for file in ["coverage.txt", "staged.txt", "readme"] {
        assert!(!committed.contains(file), "{file} is in {committed}");
    }
}

#[test]
fn files_that_tests_left_behind_do_not_stop_later_runs() {
    let leave = "echo x >> coverage.txt; echo x > test.key";
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &[leave]),
        ("T002", "p1", &[], &[]),
        ("T003", "p1", &[], &[leave]),
    ]));
    for task in ["T001", "T002", "T003"] {
        garden.run(&["garden", task, "--max-attempts", "1"]).assert(0, &["coverage.txt", "test.key"]);
        assert_eq!(garden.status(), ["?? coverage.txt", "?? test.key"], "{task}");
    }
    garden.write("coverage.txt", "mine now\n");
    garden.run(&["gardener"]).assert(3, &["coverage.txt", "not committed"]);
}

#[test]
fn a_file_that_must_not_be_committed_is_named_in_every_attempt_until_it_is_gone() {
    let garden = Garden::new(&one_task(&[]));
    garden.agent(
        "case $work in T001.implement.0) echo x > server.key;; T001.implement.2) rm server.key;; esac",
    );
    garden.run(&["gardener"]).assert(0, &[]);
    let failed = ["(failed, attempt 1/5)", "(failed, attempt 2/5)"];
    for (subject, end) in garden.subjects().iter().zip(failed) {
        assert!(subject.ends_with(end), "{subject}");
    }
    assert!(garden.prompt("T001.implement.2").contains("server.key looks like a secret"));
    assert_eq!(garden.lines(&["log", "--all", "--format=%h", "--", "server.key"]), [""; 0]);
}

#[test]
fn an_attempt_that_only_removes_what_kept_the_last_one_from_being_committed_goes_on_to_the_tests() {
    let garden = Garden::new(&one_task(&["test -s T001.txt"]));
    garden.agent(
        "case $work in T001.implement.0) echo x > server.key;; T001.implement.1) rm server.key; echo 'It is gone.'; exit 0;; esac",
    );
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.implement.1", "T001.review.1"]);
    let all = garden.git(&["log", "--format=%B"]);
    assert!(all.contains("what kept the last attempt from being committed is gone (server.key)"), "{all}");
    // Whoever had not begun with the task has not done it by that.
    let garden = Garden::new(&one_task(&[]));
    garden.agent(
        "case $work in T001.implement.0) echo x > server.key; exit 0;; T001.implement.1) rm server.key; exit 0;; esac",
    );
    garden.run(&["gardener", "--max-attempts", "2"]).assert(1, &["nothing was changed"]);
}

#[test]
fn artifacts_that_git_ignores_are_written_and_not_committed() {
    let garden = Garden::new(&one_task(&["grep -q implement.1 T001.txt"]));
    garden.write(".gitignore", "spec/logs/\n");
    garden.commit("Ignore logs");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.status(), [""; 0]);
    assert_eq!(garden.lines(&["ls-files", "spec"]).len(), 1);
    assert_eq!(std::fs::read_dir(garden.top().join("spec/logs")).unwrap().count(), 2);
    assert!(garden.git(&["log", "--format=%B"]).contains("Arborist-Test-Log: spec/logs/T001_test_"));
}

#[test]
fn an_artifact_folder_that_is_a_link_is_refused_and_its_target_untouched() {
    let garden = Garden::new(&one_task(&["false"]));
    std::fs::create_dir(garden.root().join("outside")).unwrap();
    std::os::unix::fs::symlink("../outside", garden.top().join("spec")).unwrap();
    garden.commit("Add a link");
    garden.run(&["gardener"]).assert(6, &["spec", "link"]);
    assert_eq!(std::fs::read_dir(garden.root().join("outside")).unwrap().count(), 0);
    assert_eq!(garden.asked(), [""; 0], "no agent is paid for a step that cannot be recorded");
}
