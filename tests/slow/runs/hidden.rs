//! Tests work that is in no commit: files that git ignores, and changes that git is told to overlook.

use crate::support::garden::{Garden, one_task};
use crate::support::harness;

/// A repository that ignores `lib/`, with one task; its agent runs this when it implements.
fn ignoring(script: &str, tests: &[&str]) -> Garden {
    let garden = Garden::new(&one_task(tests));
    garden.write(".gitignore", "lib/\n*.cfg\nnode_modules/\n__pycache__/\n");
    garden.write("main.c", "int x;\n");
    garden.commit("Ignore what is built");
    garden.agent(&format!("if [ $ARBORIST_STEP = implement ]; then {script}\nfi"));
    garden
}

/// The findings of the steps, oldest first, without those that have none.
fn findings(garden: &Garden) -> Vec<String> {
    let format = "--format=%(trailers:key=Arborist-Step,valueonly,separator=%x2C): \
                  %(trailers:key=Arborist-Findings,valueonly,separator=%x2C)";
    let steps = garden.lines(&["log", "--reverse", format]);
    steps.into_iter().filter(|line| !line.ends_with(": ")).collect()
}

fn implement_body(garden: &Garden) -> String {
    garden.git(&["log", "-1", "--format=%B", "--grep", "^Arborist-Step: implement"])
}

#[test]
fn new_files_that_git_ignores_are_named_shown_to_the_reviewer_and_recorded() {
    let garden = ignoring("mkdir -p lib/sub; echo code > lib/sub/x.py", &["test -f lib/sub/x.py"]);
    garden.write("lib/mine.py", "there before\n");
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &["Git ignores these new files, so they are in no commit: lib/sub/x.py."]);
    assert!(!ended.stderr.contains("mine.py"), "{ended:#?}");
    assert!(implement_body(&garden).contains("so they are in no commit:\n- lib/sub/x.py\n"));
    let prompt = garden.prompt("T001.review.0");
    assert!(prompt.contains("- lib/sub/x.py\n") && !prompt.contains("mine.py"), "{prompt}");
    assert_eq!(
        findings(&garden),
        ["test: ignored-files", "review: ignored-files", "complete: ignored-files"]
    );
}

#[test]
fn an_attempt_that_only_wrote_ignored_files_fails_and_the_next_one_is_told() {
    let script = "if [ $ARBORIST_ATTEMPT = 0 ]; then mkdir -p lib; echo code > lib/x.py; exit 0; fi
                  mkdir -p src; mv lib/x.py src/";
    let garden = ignoring(script, &["test -f lib/x.py || test -f src/x.py"]);
    garden.run(&["gardener"]).assert(0, &["nothing was changed", "lib/x.py"]);
    assert!(garden.prompt("T001.implement.1").contains("so they are in no commit:\n- lib/x.py\n"));
    assert_eq!(findings(&garden), [""; 0], "they are gone");
    assert_eq!(garden.files_of("HEAD~4"), ["T001.txt", "src/x.py"]);
}

#[test]
fn later_attempts_name_ignored_files_again_as_long_as_they_exist() {
    let garden = ignoring(
        "test $ARBORIST_ATTEMPT != 0 || { mkdir -p lib; echo code > lib/x.py; }",
        &["grep -q implement.1 T001.txt"],
    );
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(implement_body(&garden).contains("lib/x.py"), "{}", implement_body(&garden));
    assert_eq!(findings(&garden).last().unwrap(), "complete: ignored-files");
}

#[test]
fn caches_builds_and_packages_do_not_count_as_work() {
    let garden = ignoring(
        "mkdir -p node_modules/a lib/__pycache__ src/__pycache__
         echo x > node_modules/a/index.js; echo x > src/__pycache__/x.pyc; echo x > lib/__pycache__/y.pyc; echo x > lib/z.o",
        &["true"],
    );
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &[]);
    assert!(!ended.stderr.contains("ignores"), "{ended:#?}");
    assert_eq!(findings(&garden), [""; 0]);
}

#[test]
fn changes_that_git_is_told_to_overlook_are_named_shown_to_the_reviewer_and_recorded() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let garden = ignoring(&format!("echo 'int y;' >> main.c; git update-index {flag} main.c"), &["true"]);
        // The user's own, which the agent leaves alone.
        garden.write("local.ini", "mine\n");
        garden.commit("Settings");
        garden.git(&["update-index", flag, "local.ini"]);
        garden.write("local.ini", "private\n");
        let ended = garden.run(&["gardener"]);
        ended.assert(
            0,
            &["Git is told to overlook changes to these files, so they are in no commit: main.c."],
        );
        assert!(!ended.stderr.contains("local.ini"), "{ended:#?}");
        assert!(garden.prompt("T001.review.0").contains("- main.c\n"));
        assert_eq!(findings(&garden).last().unwrap(), "complete: overlooked-changes");
    }
}

#[test]
fn a_change_in_a_file_that_the_user_lets_git_overlook_is_named() {
    let garden = ignoring("echo 'int y;' >> main.c", &["true"]);
    garden.git(&["update-index", "--assume-unchanged", "main.c"]);
    garden.run(&["gardener"]).assert(0, &["overlook", "main.c"]);
}

#[test]
fn a_reviewer_that_hides_its_change_of_a_tracked_file_stops_every_run_until_git_sees_the_change() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let garden = ignoring("true", &["true"]);
        garden.write("seen.c", "int z;\n");
        garden.commit("Another file");
        garden.agent(&format!(
            "test $ARBORIST_STEP != review || {{ cd \"$ROOT/work\"; git update-index {flag} main.c seen.c; echo 'int y;' >> main.c; }}"
        ));
        let ended = garden.run(&["gardener"]);
        ended
            .assert(6, &["tracked files changed while the reviewer was at work: main.c", "git update-index"]);
        assert!(!ended.stderr.contains("seen.c"), "{ended:#?}");
        garden.agent("");
        garden.run(&["gardener"]).assert(6, &["while the reviewer was at work: main.c"]);

        for command in ended.stderr.split('`').filter(|part| part.starts_with("git update-index ")) {
            garden.git(&command.split(' ').skip(1).collect::<Vec<_>>());
        }
        garden.run(&["gardener"]).assert(0, &["git arborist rescue show T001/"]);
        assert_eq!(garden.read("main.c"), "int x;\n");
    }
}

#[test]
fn changes_that_a_test_hides_are_named_shown_to_the_reviewer_and_recorded() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let garden = ignoring("true", &[&format!("git update-index {flag} main.c; echo 'int y;' >> main.c")]);
        // The user's own, which the test leaves alone.
        garden.write("local.ini", "mine\n");
        garden.commit("Settings");
        garden.git(&["update-index", flag, "local.ini"]);
        garden.write("local.ini", "private\n");
        let ended = garden.run(&["gardener"]);
        let sentence = "Git is told to overlook changes to these files, so they are in no commit";
        ended.assert(0, &[&format!("{sentence}: main.c.")]);
        assert!(!ended.stderr.contains("local.ini"), "{ended:#?}");
        let body = garden.git(&["log", "-1", "--format=%B", "--grep", "^Arborist-Step: test"]);
        assert!(body.contains(&format!("{sentence}:\n- main.c\n")), "{body}");
        assert!(garden.prompt("T001.review.0").contains("- main.c\n"));
        assert_eq!(
            findings(&garden),
            ["test: overlooked-changes", "review: overlooked-changes", "complete: overlooked-changes"]
        );
    }
}

#[test]
fn files_that_an_interrupted_step_has_hidden_are_named_when_it_is_done_again() {
    let script = r#"if [ "$work" = T001.implement.0 ] && ! again; then
        echo code > x.cfg; echo half > half.txt; note half.txt; : > "$ROOT/started"
        while :; do sleep 0.05; done
      fi"#;
    let garden = harness::one_task(script);
    garden.write(".git/info/exclude", "*.cfg\n");
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    running.signal("KILL");
    assert_eq!(running.wait().status, 137);
    garden.assert_nothing_runs();
    garden.run(&["gardener"]).assert(0, &["they are in no commit: x.cfg."]);
}

/// Ignored files of the user in a repository with one task, and an agent that stages everything, and changes one of them.
fn with_ignored_files_of_the_user(then: &str) -> Garden {
    let script = format!(
        r#"if [ "$work" = T001.implement.0 ] && ! again; then
             echo work > work.txt; note work.txt; echo more >> changed.db; echo new > new.db; git add --force .; {then}
           fi"#
    );
    let garden = harness::one_task(&script);
    garden.write(".gitignore", "*.db\ndeps/\n.env*\n");
    garden.commit("Ignore what is private");
    for path in ["local.db", "changed.db", "deps/lib.so", ".envrc"] {
        garden.write(path, "mine\n");
    }
    std::thread::sleep(std::time::Duration::from_millis(100));
    garden
}

#[test]
fn ignored_files_of_the_user_that_the_agent_stages_are_not_committed_unless_it_changed_them() {
    let garden = with_ignored_files_of_the_user("");
    let ended = garden.run(&["gardener"]);
    ended.assert(
        0,
        &["T001: staged during the step, but git ignores them", ": .envrc, deps/lib.so, local.db\n"],
    );
    let implement = garden.git(&["log", "-1", "--format=%H", "--grep", "^Arborist-Step: implement"]);
    let changed = garden.git(&["diff-tree", "-r", "--no-commit-id", "--name-only", &implement]);
    let changed: Vec<&str> = changed.lines().filter(|path| !path.starts_with("src/")).collect();
    assert_eq!(changed, ["changed.db", "new.db", "shared.txt", "work.txt"]);
    for path in ["local.db", "deps/lib.so", ".envrc"] {
        assert_eq!(garden.read(path), "mine\n");
    }
    assert_eq!(garden.status(), [""; 0]);
}

#[test]
fn ignored_files_of_the_user_that_an_interrupted_agent_staged_stay_on_disk_and_are_not_saved() {
    for (signal, gitignore) in [("KILL", ""), ("TERM", ""), ("KILL", ": > .gitignore; git add .gitignore;")] {
        let garden = with_ignored_files_of_the_user(&format!(
            "{gitignore} : > \"$ROOT/started\"; while :; do sleep 0.05; done"
        ));
        let running = garden.start(garden.arborist(&["gardener"]));
        garden.wait_for("started");
        running.signal(signal);
        let stopped = running.wait();
        garden.assert_nothing_runs();
        let next = garden.run(&["gardener"]);
        next.assert(0, &[]);
        let said = format!("{}{}", stopped.stderr, next.stderr);
        assert!(said.contains("stay on disk: .envrc, deps/lib.so, local.db\n"), "{said}");
        for path in ["local.db", "deps/lib.so", ".envrc"] {
            assert!(garden.exists(path), "{signal} {gitignore}: {path} is gone");
            assert_eq!(garden.read(path), "mine\n");
        }
        let saved = garden.lines(&["for-each-ref", "--format=%(refname)", "refs/arborist/rescue"]);
        let [saved] = &saved[..] else { panic!("{saved:?}") };
        let files = garden.git(&["diff-tree", "-r", "--name-only", &format!("{saved}^"), saved]);
        let files: Vec<&str> = files.lines().filter(|path| *path != ".gitignore").collect();
        assert_eq!(files, ["changed.db", "new.db", "work.txt"], "{signal}");
    }
}

#[test]
fn new_files_in_the_folder_of_a_submodule_that_is_not_checked_out_are_named() {
    let garden = Garden::new(&one_task(&["grep -q solution vendor/lib/src/own"]));
    garden.write("vendor/lib/mine", "there before\n");
    let commit = garden.head();
    garden.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},vendor/lib")]);
    garden.git(&["commit", "-q", "-m", "Add a submodule"]);
    garden.agent(
        "if [ $ARBORIST_STEP = implement ]; then mkdir -p vendor/lib/src; echo solution > vendor/lib/src/own; fi",
    );
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &["so they are in no commit: vendor/lib/src/own."]);
    assert!(garden.prompt("T001.review.0").contains("- vendor/lib/src/own\n"));
    assert_eq!(findings(&garden).last().unwrap(), "complete: ignored-files");
}
