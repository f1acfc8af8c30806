//! What others have done stays when a finished task is merged with it.

use crate::jobs::assert_integrated;
use crate::support::garden::{Garden, plan};

/// Two tasks that begin at the same commit, of which the second ends after the first is merged.
fn two(tests: [&str; 2], agent: &str) -> Garden {
    let garden = Garden::new(&plan(&[("T001", "", &[], &[tests[0]]), ("T002", "", &[], &[tests[1]])]));
    garden.agent(&format!("{TOGETHER}\n{agent}"));
    garden
}

/// Both begin at the same commit, and T002 ends after T001 is merged.
const TOGETHER: &str = r#"touch "$ROOT/began-$ARBORIST_TASK"
until test -e "$ROOT/began-T001" && test -e "$ROOT/began-T002"; do sleep 0.05; done
case $work in
T002.implement.0) until git -C "$ROOT/work" log --format=%s main | grep -q '^Merge task'; do sleep 0.05; done;;
esac"#;

const RUN: [&str; 3] = ["gardener", "--jobs", "2"];

#[test]
fn a_merge_that_loses_the_work_of_a_sibling_is_never_complete() {
    let garden = two(
        ["grep -q red c.txt", "grep -q blue c.txt"],
        r#"case $work in
        T001.implement.*) echo red > c.txt; exit 0;;
        T002.implement.*) echo blue > c.txt; exit 0;;
        esac"#,
    );
    let ended = garden.run(&RUN);
    ended
        .assert(1, &["merge: `grep -q red c.txt` passes on the branch of the run, and fails with the merge"]);
    garden.forget_history();
    assert_eq!(garden.read("c.txt"), "red\n", "the branch of the run has what was merged");
    let status = garden.run(&["status", "--short", "--plain"]).stdout;
    assert!(status.starts_with("1/2"), "{status}");
    let branch = garden.lines(&["log", "--format=%s", "arborist/trial/T002"]);
    assert!(branch.iter().any(|line| line.starts_with("task(T002): failed ")), "{branch:?}");
    // The next attempt is told, and so is the reviewer of a merge.
    let prompt = garden.prompt("T002.implement.0.merge1");
    for told in
        ["passes on the branch of the run, and fails with the merge", "The merge is committed now", "T001"]
    {
        assert!(prompt.contains(told), "{told}: {prompt}");
    }
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn an_attempt_that_is_told_what_it_has_lost_puts_it_back_and_the_reviewer_sees_that_it_is_a_merge() {
    let garden = two(
        ["grep -q red c.txt", "grep -q blue c.txt"],
        r#"case $work in
        T001.implement.*) echo red > c.txt;;
        T002.implement.0|T002.implement.0.merge0) echo blue > c.txt;;
        T002.implement.*) printf 'red\nblue\n' > c.txt;;
        esac"#,
    );
    garden.run(&RUN).assert(0, &["T002 test        fail", "T002 merge       pass"]);
    assert_integrated(&garden, &["T001", "T002"]);
    assert_eq!(garden.read("c.txt"), "red\nblue\n");
    let review = garden.prompt("T002.review.0.merge1");
    for told in ["This change is a merge", "Both sides must stay", "- T001: Do T001", "- c.txt"] {
        assert!(review.contains(told), "{told}: {review}");
    }
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn a_test_of_a_sibling_that_disappears_in_a_merge_is_an_error_that_says_how_to_put_it_back() {
    let garden = two(
        ["true", "test -f two"],
        r#"case $work in
        T001.implement.*) mkdir -p tests; echo 'def test_one(): pass' > tests/test_one.py; echo 1 > shared;;
        T002.implement.0) echo 2 > shared; touch two;;
        T002.implement.0.merge0) echo 12 > shared; rm tests/test_one.py;;
        T002.implement.*) mkdir -p tests; git show main:tests/test_one.py > tests/test_one.py;;
        esac"#,
    );
    garden
        .run(&RUN)
        .assert(0, &["merge: The merge deleted tests that others have written", "T002 merge       pass"]);
    assert_integrated(&garden, &["T001", "T002"]);
    assert_eq!(garden.read("tests/test_one.py"), "def test_one(): pass\n");
    let told = garden.prompt("T002.implement.0.merge1");
    assert!(told.contains("undo: git restore --source=") && told.contains("tests/test_one.py"), "{told}");
}

#[test]
fn a_tasks_own_test_that_fails_on_the_merged_tree_is_never_excused() {
    // Without the task, its test fails as well: there is nothing yet that could pass.
    let garden = two(
        ["test -f a", "test -f b && test ! -f a"],
        "case $work in T001.*) touch a;; T002.*) touch b;; esac; case $work in *.implement.*) exit 0;; esac",
    );
    let ended = garden.run(&RUN);
    ended.assert(1, &["`test -f b && test ! -f a` fails on the merged tree"]);
    assert!(!ended.stderr.contains("even without"), "{ended:?}");
    garden.forget_history();
    assert!(garden.exists("a") && !garden.exists("b"));
}

#[test]
fn what_came_in_by_a_merge_is_tested_again_with_the_suite_before_the_task_is_merged() {
    let garden = Garden::new(&plan(&[
        ("p", "", &[], &[]),
        ("T001", "p", &[], &["git log -1 --format=%s >> \"$ROOT/runs\"; test -f T001.txt"]),
        ("T002", "p", &[], &["test -f T002.txt"]),
        ("T003", "p", &["T002"], &["test -f T003.txt"]),
    ]));
    garden.agent(&format!(
        r#"{TOGETHER}
        case $work in
        T003.*) ;;
        *.implement.0) echo "$ARBORIST_TASK" > shared;;
        *.implement.*) sed -i '/^<<<<<<<\|^=======\|^>>>>>>>/d' shared;;
        esac"#,
    ));
    garden.config("arborist.suite", "git log -1 --format=%s >> \"$ROOT/suites\"");
    garden.run(&RUN).assert(0, &["T002 merge       pass"]);
    assert_integrated(&garden, &["T001", "T002", "T003"]);
    for file in ["runs", "suites"] {
        let ran = std::fs::read_to_string(garden.root().join(file)).unwrap_or_default();
        assert!(ran.lines().any(|line| line.contains("(arborist/trial/T002)")), "{file}: {ran}");
    }
}

#[test]
fn a_branch_that_a_hook_deletes_after_its_merge_does_not_end_the_run() {
    let garden = two(["test -f T001.txt", "test -f T002.txt"], "");
    garden.program(
        &garden.top().join(".git/hooks/post-merge"),
        "git for-each-ref --merged main --format='%(refname)' refs/heads/arborist |\n\
         while read -r name; do\n\
         git log -1 --format=%s \"$name\" | grep -q ': complete ' || continue\n\
         git update-ref -d \"$name\" && echo \"$name\" >> \"$ROOT/deleted\"; done",
    );
    garden.run(&RUN).assert(0, &["T001 merge       pass", "T002 merge       pass"]);
    assert_integrated(&garden, &["T001", "T002"]);
    assert!(garden.root().join("deleted").exists(), "the hook has run");
}
