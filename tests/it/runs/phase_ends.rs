//! Tests what is said when the end of a phase finds something: the suite fails, or tests of a complete task fail since a later one
//! has changed files.

use crate::support::garden::{Garden, plan};

/// What each of these commands prints, with its errors.
fn views(garden: &Garden) -> Vec<(String, String)> {
    let commands: [&[&str]; 10] = [
        &["status"],
        &["status", "--short"],
        &["status", "--json"],
        &["show", "p1"],
        &["show", "p1", "--json"],
        &["report"],
        &["report", "--format", "json"],
        &["report", "--format", "html"],
        &[],
        &["gardener", "--no-review", "--max-attempts", "1"],
    ];
    let ended = commands.map(|args| (args.join(" "), garden.run(args)));
    ended.into_iter().map(|(command, ended)| (command, ended.stdout + &ended.stderr)).collect()
}

/// A plan of two tasks with these tests.
fn two_tasks(tests: [&str; 2]) -> Garden {
    Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &[tests[0]]),
        ("T002", "p1", &["T001"], &[tests[1]]),
    ]))
}

#[test]
fn a_suite_that_fails_after_a_phase_is_in_every_view_at_every_level() {
    for level in ["warn", "require"] {
        let garden = two_tasks(["true", "true"]);
        garden.git(&["config", "arborist.trust.suite", level]);
        // It begins to fail when both tasks are done, and a task alone is not to blame.
        garden.git(&[
            "config",
            "arborist.suite",
            "if test -f T001.txt -a -f T002.txt -a ! -f spec/logs/x; then echo 'they do not fit'; exit 3; fi",
        ]);
        if level == "require" {
            garden.git(&["config", "arborist.suite", "true"]);
            garden.run(&["gardener", "--no-review", "--max-attempts", "1"]).assert(0, &[]);
            let marker = garden.try_git(&["revert", "--no-edit", "HEAD"]);
            assert!(!marker.status.success());
            garden.git(&["commit", "-q", "--allow-empty", "--no-edit"]);
            garden.git(&["config", "arborist.suite", "echo 'they do not fit'; exit 3"]);
        }
        let ended = garden.run(&["gardener", "--no-review", "--max-attempts", "1"]);
        ended.assert(1, &["the tests of p1 failed", "suite fails on a clean checkout, exit status 3"]);
        assert_eq!(garden.subjects().last().unwrap(), "phase(p1): tests fail", "{level}");
        let message = garden.git(&["log", "-1", "--format=%B"]);
        for words in ["error[suite]: ", "they do not fit", "Arborist-Findings: suite", "Arborist-Test-Log: "]
        {
            assert!(message.contains(words), "{level}: {message}");
        }
        for (command, said) in views(&garden) {
            assert!(
                said.contains("tests of p1") || said.contains("p1: tests fail") || said.contains("suite"),
                "{level}, {command}: {said}"
            );
            let has_output =
                ["show", "status --json", "report"].iter().any(|start| command.starts_with(start));
            if has_output && !command.ends_with("html") {
                assert!(said.contains("they do not fit"), "{level}, {command}: {said}");
            }
        }
        let document = garden.json(&["status", "--json"]);
        assert_eq!(document["phases"][0]["findings"][0]["check"], "suite");
        let report = garden.json(&["report", "--format", "json"]);
        assert_eq!((&report["run"]["state"], &report["look"][0]["phase"]), (&"failed".into(), &"p1".into()));
        garden.git(&["config", "arborist.review", "false"]);
        garden.run(&["check", "--run"]).assert(0, &[]);
    }
    let garden = two_tasks(["true", "true"]);
    garden.git(&["config", "arborist.trust.suite", "off"]);
    garden.git(&["config", "arborist.suite", "exit 3"]);
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
}

#[test]
fn a_suite_that_fails_only_after_the_merge_of_a_phase_fails_that_phase() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &[]),
        ("p2", "", &[], &[]),
        ("T002", "p2", &[], &[]),
    ]));
    garden.git(&["config", "arborist.suite", "test ! -f T001.txt || test ! -f T002.txt"]);
    let options = ["gardener", "--no-review", "--branches", "phase", "--max-attempts", "1"];
    let ended = garden.run(&options);
    assert_eq!(ended.status, 1, "{ended:?}");
    assert!(ended.stderr.contains("the tests of p2 failed"), "{ended:?}");
    assert!(garden.subjects().contains(&"phase(p2): tests fail".to_owned()), "{:?}", garden.subjects());
}

const HELLO: [&str; 2] =
    ["test \"$(sh greet.sh)\" = 'Hello, world'", "test \"$(sh greet.sh tree)\" = 'Hello, tree'"];

/// The second task takes away what the first one did.
const BREAKS: &str = "case $ARBORIST_TASK.$ARBORIST_STEP in
    T001.implement) echo 'echo Hello, world' > greet.sh;;
    T002.implement) echo 'echo \"Hello, $1\"' > greet.sh;;
    esac";

#[test]
fn tests_of_a_complete_task_that_fail_since_a_later_one_are_a_warning_in_every_view() {
    let garden = two_tasks(HELLO);
    garden.agent(BREAKS);
    let ended = garden.run(&["gardener", "--no-review"]);
    ended.assert(1, &["The tests of T001 fail (exit status 1) since T002 has changed: greet.sh"]);
    assert_eq!(ended.stdout, "2/2 complete\n");
    // It fails no phase and opens nothing again.
    assert_eq!(garden.subjects().last().unwrap(), "phase(p1): complete");
    assert_eq!(garden.asked(), ["T001.implement.0", "T002.implement.0"]);
    assert!(garden.git(&["log", "-1", "--format=%B"]).contains("warning[superseded]: "));
    for (command, said) in views(&garden) {
        if command.contains("--short") || command.is_empty() {
            assert!(said.contains("p1"), "{command}: {said}");
        } else {
            assert!(
                said.contains("T001 fail") && said.contains("since T002 has changed"),
                "{command}: {said}"
            );
        }
    }
    assert_eq!(garden.asked().len(), 2);
    // A person corrects it, so the next run looks again, and the warning is gone.
    garden.write("greet.sh", "echo \"Hello, ${1:-world}\"\n");
    garden.commit("Greet the world again");
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    let subjects = garden.subjects();
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.subjects(), subjects);
    assert!(!garden.run(&["status"]).stdout.contains("superseded"));
    garden.git(&["config", "arborist.review", "false"]);
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn a_later_task_may_replace_what_an_earlier_one_asked_for() {
    let garden = two_tasks(HELLO);
    garden.agent(BREAKS);
    garden.run(&["gardener", "--no-review"]).assert(1, &["T001 fail"]);
    let tree = garden.read("task-tree.json").replace("$(sh greet.sh)", "$(sh greet.sh world)");
    garden.write("task-tree.json", &tree);
    garden.commit("Ask for a name");
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert!(!garden.run(&["status"]).stdout.contains("superseded"));
}

#[test]
fn commands_run_again_only_where_their_result_may_have_changed() {
    let counted = |name: &str| format!("echo {name} >> \"$ROOT/ran\"");
    let ran = |garden: &Garden| std::fs::read_to_string(garden.root().join("ran")).unwrap_or_default();
    // Both tasks have the same command, which the second one has run on the last files.
    let garden = two_tasks([&counted("same"), &counted("same")]);
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(ran(&garden), "same\nsame\n");
    let garden = two_tasks([&counted("one"), &counted("two")]);
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(ran(&garden), "one\ntwo\none\n");
    // With a suite, it shows everything.
    let garden = two_tasks([&counted("one"), &counted("two")]);
    garden.git(&["config", "arborist.suite", "true"]);
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(ran(&garden), "one\ntwo\n");
    // What passes the second time accuses nobody.
    let garden = two_tasks([
        "if test -f T002.txt -a ! -f \"$ROOT/again\"; then touch \"$ROOT/again\"; exit 1; fi",
        "true",
    ]);
    garden.config("arborist.confirm", "1");
    let mut command = garden.arborist(&["gardener", "--no-review"]);
    command.env_remove("ARBORIST_CONFIRM");
    garden.finish(command).assert(0, &[]);
    assert!(garden.root().join("again").exists());
    // Tasks without a phase are looked at together, at the end.
    let garden = Garden::new(&plan(&[("T001", "", &[], &[HELLO[0]]), ("T002", "", &["T001"], &[HELLO[1]])]));
    garden.agent(BREAKS);
    garden.run(&["gardener", "--no-review"]).assert(1, &["The tests of T001 fail"]);
    // Beside each other, both pass on their own branches.
    let garden = two_tasks(HELLO);
    garden.agent(BREAKS);
    garden.run(&["gardener", "--no-review", "--jobs", "2"]).assert(1, &["T001"]);
}

#[test]
fn the_suite_finds_the_packages_that_git_ignores() {
    let garden =
        Garden::new(&plan(&[("p1", "", &[], &[]), ("T001", "p1", &[], &["node_modules/.bin/tests"])]));
    garden.write(".gitignore", "node_modules/\n");
    garden.commit("Ignore packages");
    garden.program(&garden.top().join("node_modules/.bin/tests"), "echo 1..1; echo ok 1 - works");
    garden.config("arborist.suite", "node_modules/.bin/tests");
    garden.run(&["gardener"]).assert(0, &["p1 phase       pass"]);
}

#[test]
fn a_phase_is_tested_again_before_the_run_ends_if_others_have_changed_files_since() {
    for jobs in [&[][..], &["--jobs", "2"]] {
        let garden = Garden::new(&plan(&[
            ("p1", "", &[], &["test -f T002.txt"]),
            ("T001", "p1", &[], &["true"]),
            ("p2", "", &[], &[]),
            ("T002", "p2", &[], &["true"]),
        ]));
        // The phase of the first task ends before the second task.
        garden.agent("test $ARBORIST_TASK = T001 || until git -C \"$ROOT/work\" log --format=%s main | grep -q 'phase(p1): tests fail'; do sleep 0.05; done");
        let ended = garden.run(&[&["gardener", "--no-review", "--max-attempts", "1"], jobs].concat());
        ended.assert(0, &["p1 phase       fail", "p1 phase       pass"]);
    }
}

#[test]
fn a_phase_stays_red_in_every_view_while_its_task_is_open_again_also_after_a_note() {
    let garden = Garden::new(&plan(&[("p1", "", &[], &["false"]), ("T001", "p1", &[], &["true"])]));
    garden.agent("test $ARBORIST_ATTEMPT = 0 || exit 1");
    let ended = garden.run(&["gardener", "--no-review", "--max-attempts", "2"]);
    ended.assert(1, &["T001 failed", "The tests of p1 fail", "`git arborist show p1`"]);
    for note in [false, true] {
        if note {
            garden.run(&["note", "T001", "-m", "Try again"]).assert(0, &[]);
        }
        for (view, words) in [
            (&[][..], "the tests of p1 fail"),
            (&["status"], "p1: The tests of the phase fail"),
            (&["show", "p1"], "Its tests failed"),
        ] {
            let said = garden.run(view).stdout;
            assert!(said.contains(words), "{note}, {view:?}: {said}");
        }
    }
}
