//! Tests `git arborist prove`: each run fails when it should, and nothing is left behind.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::shell_library::{library, runner};
use crate::support::garden::{Ended, Garden};

/// A repository with a library that can add, a test of it, and one task; `fields` are further fields of the task. The
/// agent runs this script for it.
fn garden(fields: &Value, agent: &str) -> Garden {
    let mut task = json!({
        "id": "T1", "name": "Subtract", "description": "",
        "test_commands": [{"type": "unit", "command": "sh tests/run.sh", "framework": "cargo"}],
    });
    for (key, value) in fields.as_object().into_iter().flatten() {
        task[key] = value.clone();
    }
    let garden = library(&json!({"spec_id": "calc", "nodes": {"T1": task}}), "");
    garden.config("arborist.trust.protect", "off");
    garden.agent(&format!("case $ARBORIST_STEP in implement) {agent}\nexit 0;; esac"));
    garden
}

/// What an honest agent does.
const HONEST: &str = r#"echo 'sub() { echo $(($1 - $2)); }' >> lib.sh
printf '. ./lib.sh\n[ "$(sub 5 3)" = 2 ]\n' > tests/sub_test.sh
printf '. ./lib.sh\n[ "$(sub 3 3)" = 0 ]\n' > tests/zero_test.sh
printf 'true\n' > tests/nothing_test.sh"#;

fn done(fields: &Value, agent: &str) -> Garden {
    let garden = garden(fields, agent);
    garden.run(&["gardener"]).assert(0, &[]);
    garden
}

/// Asserts how a command ended, and what it printed.
#[track_caller]
fn says(ended: &Ended, status: i32, words: &[&str]) {
    ended.assert(status, &[]);
    for word in words {
        assert!(ended.stdout.contains(word), "{word:?} is missing: {ended:#?}");
    }
}

fn verdicts(ended: &Ended) -> Vec<String> {
    let document: Value = serde_json::from_str(&ended.stdout).unwrap();
    let runs = document["proofs"][0]["runs"].as_array().unwrap();
    runs.iter().map(|run| run["verdict"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_honest_change_is_proven_and_the_tests_that_notice_it_are_named() {
    let garden = done(&json!({}), HONEST);
    let before = garden.git(&["status", "--porcelain"]);
    let proof = garden.run(&["prove", "T1"]);
    says(&proof, 0, &["T1 Subtract: proven", "clean    ok 4 tests pass."]);
    says(
        &proof,
        0,
        &["red      ok 2 of 4 tests fail if what the change adds gives empty values: sub, zero."],
    );
    says(&proof, 0, &["old      ok 1 test passes in its version from before the change."]);
    assert_eq!(garden.git(&["status", "--porcelain"]), before);
    garden.assert_nothing_left();
    // The same for a commit, a range, the whole run, and from a folder below.
    let complete = garden.git(&["rev-parse", "HEAD~"]);
    for what in [complete.as_str(), "HEAD~5..HEAD", "HEAD~2"] {
        says(&garden.run(&["prove", what]), 0, &["T1 Subtract: proven"]);
    }
    let mut below = garden.arborist(&["prove"]);
    below.current_dir(garden.top().join("tests"));
    garden.finish(below).assert(0, &["1 proven."]);
}

#[test]
fn tests_that_need_a_file_which_is_not_committed_fail_the_clean_run() {
    let agent = r#"echo 'sub() { cat cache; }' >> lib.sh; echo 2 > cache
printf '. ./lib.sh\n[ "$(sub 5 3)" = 2 ]\n' > tests/sub_test.sh"#;
    let garden = done(&json!({}), agent);
    let proof = garden.run(&["prove", "--json"]);
    proof.assert(1, &["1 tested, not proven."]);
    assert_eq!(verdicts(&proof), ["fail", "skip", "skip", "skip", "skip"]);
    let shown = garden.run(&["prove"]);
    says(
        &shown,
        1,
        &["the tests fail on the files of the commit alone (`sh tests/run.sh`: exit status 1): sub."],
    );
    garden.assert_nothing_left();
    // A file that the user chooses to bring along is there.
    garden.config("arborist.worktree.copy", "cache");
    garden.run(&["prove"]).assert(0, &["proven"]);
}

#[test]
fn tests_that_pass_without_the_change_fail_the_red_run() {
    let agent = "echo 'sub() { echo 2; }' >> lib.sh; echo true > tests/sub_test.sh";
    let garden = done(&json!({}), agent);
    let proof = garden.run(&["prove", "--json"]);
    proof.assert(1, &[]);
    assert_eq!(verdicts(&proof), ["pass", "pass", "fail", "none", "na"]);
    let document: Value = serde_json::from_str(&proof.stdout).unwrap();
    let finding = &document["proofs"][0]["findings"][0];
    assert_eq!((&finding["check"], &finding["look"]), (&json!("prove"), &json!("git arborist prove T1")));
    let shown = garden.run(&["prove"]);
    says(&shown, 1, &["tested, not proven: no test notices the change: all pass without it too"]);
}

#[test]
fn a_test_that_was_weakened_fails_the_old_run_unless_the_plan_allows_it() {
    let agent = r#"printf 'add() { echo 6; }\nsub() { echo 2; }\n' > lib.sh
printf '. ./lib.sh\n[ "$(add 2 3)" ]\n' > tests/add_test.sh
printf '. ./lib.sh\n[ "$(sub 5 3)" = 2 ]\n' > tests/sub_test.sh"#;
    let garden = done(&json!({}), agent);
    let proof = garden.run(&["prove", "--json"]);
    proof.assert(1, &[]);
    assert_eq!(verdicts(&proof), ["pass", "fail", "pass", "na", "na"]);
    says(
        &garden.run(&["prove"]),
        1,
        &["tests in their version from before the change fail on the new source: add."],
    );
    let allowed = done(&json!({"may_change": ["tests/add_test.sh"]}), agent);
    let proof = allowed.run(&["prove", "--json"]);
    proof.assert(0, &[]);
    assert_eq!(verdicts(&proof), ["pass", "pass", "pass", "na", "na"]);
}

#[test]
fn of_several_tests_that_fail_in_a_run_only_those_are_accused_that_fail_again() {
    let agent = r#"printf 'add() { echo 6; }\nsub() { echo 2; }\n' > lib.sh
printf '. ./lib.sh\n[ "$(add 2 3)" ]\n' > tests/add_test.sh
echo true > tests/once_test.sh
printf '. ./lib.sh\n[ "$(sub 5 3)" = 2 ]\n' > tests/sub_test.sh"#;
    let garden = garden(&json!({}), agent);
    let once = garden.root().join("once");
    garden.write("tests/once_test.sh", "[ -e \"$ROOT/once\" ] || { touch \"$ROOT/once\"; exit 1; }\n");
    garden.commit("Add a test that fails once");
    garden.run(&["gardener"]).assert(0, &[]);
    if once.exists() {
        fs::remove_file(&once).unwrap();
    }
    let proof = garden.run(&["prove"]);
    says(&proof, 1, &["tests in their version from before the change fail on the new source: add.\n"]);
    says(&proof, 1, &["warning[flaky]: These tests failed once in the proof and then passed"]);
}

#[test]
fn where_nothing_can_be_built_without_the_change_a_test_has_to_notice_empty_values() {
    let command =
        json!([{"type": "unit", "framework": "cargo", "command": "grep -q sub lib.sh && sh tests/run.sh"}]);
    let prove = |agent: &str| done(&json!({"test_commands": command}), agent).run(&["prove"]);
    let function = r#"printf 'sub() {\n  local result=$(($1 - $2))\n  echo $result\n}\n' >> lib.sh
"#;
    let noticing =
        prove(&format!("{function}printf '. ./lib.sh\n[ \"$(sub 5 3)\" = 2 ]\n' > tests/sub_test.sh"));
    let empty = "if what the change adds gives empty values";
    says(&noticing, 0, &[&format!("1 of 2 tests fails {empty}: sub.")]);
    let deaf = prove(&format!("{function}printf '. ./lib.sh\nsub 5 3\n' > tests/sub_test.sh"));
    says(&deaf, 1, &["no test notices the change: all pass if what the change adds gives empty values"]);
    let variable = prove("echo sub=2 >> lib.sh; printf '. ./lib.sh\n[ $sub = 2 ]\n' > tests/sub_test.sh");
    says(&variable, 0, &[&format!("1 of 2 tests fails {empty}: sub.")]);
}

#[test]
fn a_test_that_misses_empty_values_the_second_time_has_not_noticed_the_change() {
    let agent = r#"echo 'sub() { echo 2; }' >> lib.sh
printf '. ./lib.sh\n[ -n "$(sub 5 3)" ] || [ -e "$ROOT/once" ] || { touch "$ROOT/once"; exit 1; }\n' > tests/sub_test.sh"#;
    let command = "grep -q sub lib.sh && sh tests/run.sh";
    let command = json!([{"type": "unit", "framework": "cargo", "command": command}]);
    let garden = done(&json!({"test_commands": command}), agent);
    let _ = fs::remove_file(garden.root().join("once"));
    let proof = garden.run(&["prove"]);
    says(&proof, 1, &["no test notices the change: all pass if what the change adds gives empty values"]);
    says(&proof, 1, &["warning[flaky]: These tests failed once in the proof and then passed"]);
}

#[test]
fn what_cannot_be_proven_is_never_counted_as_proven() {
    let docs = done(&json!({}), "echo more > README.md");
    says(&docs.run(&["prove"]), 0, &["nothing to prove: it changes only documentation"]);
    let vouched = garden(&json!({}), HONEST);
    vouched.run(&["mark", "complete", "T1", "-m", "I know"]).assert(0, &[]);
    let counted = |garden: &Garden, said: &str, counts: &str| {
        let ended = garden.run(&["prove", "T1"]);
        says(&ended, 1, &[said]);
        ended.assert(1, &[counts]);
    };
    counted(&vouched, "T1 Subtract: vouched for by a person", "1 vouched for by a person.");
    let open = garden(&json!({}), HONEST);
    counted(&open, "nobody has worked on it yet", "1 not proven.");
    open.run(&["mark", "skip", "T1", "-m", "x"]).assert(0, &[]);
    counted(&open, "T1 Subtract: skipped", "1 skipped.");
    let without = done(&json!({"test_commands": []}), HONEST);
    says(&without.run(&["prove"]), 1, &["T1 Subtract: untested"]);
    without.run(&["prove", "T9"]).assert(2, &["T9 cannot be proven"]);
    without.run(&["prove", "HEAD~9"]).assert(2, &[]);
    without.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    without.run(&["prove", "HEAD"]).assert(2, &["belongs to no task", "arborist.suite"]);
}

#[test]
fn tests_that_change_files_which_judge_are_named_even_if_they_put_them_back() {
    let agent = r#"printf 'sub() { cp tests/add_test.sh kept; echo true > tests/add_test.sh; cat kept > tests/add_test.sh; echo $(($1 - $2)); }\n' >> lib.sh
printf '. ./lib.sh\n[ "$(sub 5 3)" = 2 ]\n' > tests/sub_test.sh"#;
    let garden = done(&json!({}), agent);
    let proof = garden.run(&["prove"]);
    assert!(proof.stdout.contains("warning[dirty]: The tests wrote files that judge"), "{proof:#?}");
    let agent = agent.replace("cat kept > tests/add_test.sh; ", "");
    let garden = done(&json!({}), &agent);
    let proof = garden.run(&["prove"]);
    assert!(proof.stdout.contains("[dirty]: The tests changed files that judge"), "{proof:#?}");
    proof.assert(1, &[]);
}

/// Files that a runner of tests reads before it runs them, where there are such: in the repository, among packages, in HOME.
const BEFORE: [&str; 3] = ["tests/before.sh", "node_modules/plug/before.sh", "$HOME/.before.sh"];

/// A repository whose runner reads them, and an agent that does this.
fn plugged(agent: &str) -> Garden {
    let garden = garden(&json!({}), agent);
    let before = BEFORE.map(|file| format!("[ ! -f \"{file}\" ] || . \"{file}\"\n")).concat();
    garden.write("tests/run.sh", &runner(&before));
    garden.write(".gitignore", "node_modules\n");
    garden.commit("Plug in");
    garden.write("node_modules/plug/before.sh", "true\n");
    garden.run(&["gardener"]).assert(0, &[]);
    garden
}

#[test]
fn no_run_finds_what_the_tests_of_another_one_have_left() {
    for file in BEFORE {
        // Only in the work tree of a proof, the change leaves something that lets every later test pass.
        let agent = format!(
            r#"cat > lib.sh <<'END'
add() {{ echo 6; }}
sub() {{ echo $(($1 - $2)); }}
if [ -f .git ]; then echo 'sh() {{ :; }}' > "{file}"; git add -f tests; fi
END
printf '. ./lib.sh\n[ "$(add 2 3)" ]\n' > tests/add_test.sh
printf '. ./lib.sh\n[ "$(sub 5 3)" = 2 ]\n' > tests/sub_test.sh"#
        );
        let garden = plugged(&agent);
        let proof = garden.run(&["prove", "--json"]);
        assert_eq!(verdicts(&proof)[..2], ["pass", "fail"], "{file}: {proof:#?}");
        let shown = garden.run(&["prove"]);
        let seen = [
            "error[dirty]: The tests changed files that judge while they ran",
            "error[dirty]: The tests changed installed packages while they ran",
        ];
        let expected = BEFORE.map(|other| other == file);
        assert_eq!(seen.map(|seen| shown.stdout.contains(seen)), expected[..2], "{file}: {shown:#?}");
        garden.assert_nothing_left();
    }
}

#[test]
fn tests_may_write_caches_beside_packages() {
    let agent =
        format!("{HONEST}\necho 'mkdir -p node_modules/.cache; echo $$ > node_modules/.cache/x' >> lib.sh");
    let garden = plugged(&agent);
    let proof = garden.run(&["prove"]);
    says(&proof, 0, &["T1 Subtract: proven"]);
    assert!(!proof.stdout.contains("dirty"), "{proof:#?}");
}

#[test]
fn what_people_commit_between_the_steps_of_a_task_stays() {
    let wrong = HONEST.replace("echo $(($1 - $2))", "echo 9");
    let right = "sed -i 's/echo 9/echo $(($1 - $2))/' lib.sh";
    let agent =
        format!("if test -e \"$ROOT/second\"; then {right}; else touch \"$ROOT/second\"\n{wrong}\nfi");
    let garden = garden(&json!({}), &agent);
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &[]);
    // A person's function at the beginning of the same file, and a test that needs it.
    let lib = garden.read("lib.sh");
    garden.write("lib.sh", &format!("double() {{ echo $(($1 * 2)); }}\n{lib}"));
    garden.write("tests/double_test.sh", ". ./lib.sh\n[ \"$(double 2)\" = 4 ]\n");
    garden.commit("Double");
    garden.run(&["gardener", "--failed"]).assert(0, &[]);
    let proof = garden.run(&["prove"]);
    says(
        &proof,
        0,
        &["T1 Subtract: proven", "2 of 5 tests fail if what the change adds gives empty values: sub, zero"],
    );
}

#[test]
fn a_fresh_clone_gives_the_same_verdict_after_a_confirmation_and_a_shallow_one_is_refused() {
    let garden = done(&json!({}), HONEST);
    let clone = |name: &str, options: &[&str]| {
        let place = garden.root().join(name);
        let url = format!("file://{}", garden.top().display());
        let mut args = vec!["clone", "-q"];
        args.extend(options);
        args.extend([url.as_str(), place.to_str().unwrap()]);
        garden.git(&args);
        place
    };
    let prove = |place: &Path, args: &[&str]| {
        let mut command = garden.arborist(args);
        command.current_dir(place).env_remove("ARBORIST_TRUST_PLAN");
        garden.finish(command)
    };
    let place = clone("elsewhere with a blank", &[]);
    prove(&place, &["prove"]).assert(2, &["nobody has confirmed", "sh tests/run.sh"]);
    let there = prove(&place, &["prove", "--yes"]);
    there.assert(0, &[]);
    assert_eq!(there.stdout, garden.run(&["prove"]).stdout);
    let shallow = clone("shallow", &["--depth=2"]);
    prove(&shallow, &["prove", "--yes"]).assert(3, &["git fetch --unshallow"]);
    let bare = clone("bare", &["--bare"]);
    prove(&bare, &["prove", "--yes"]).assert(3, &["a bare repository"]);
}

/// A task whose tests wait if there is a file outside of the repository that says so.
fn waiting() -> Garden {
    let command = r#"if test -e "$ROOT/wait"; then touch "$ROOT/waits"; sleep 600; fi; sh tests/run.sh"#;
    let command = json!([{"type": "unit", "framework": "cargo", "command": command}]);
    let garden = done(&json!({"test_commands": command}), HONEST);
    fs::write(garden.root().join("wait"), "").unwrap();
    garden
}

#[test]
fn a_proof_that_is_killed_leaves_nothing_after_the_next_command() {
    let garden = waiting();
    for next in [&["doctor"][..], &["prove", "T1"]] {
        fs::write(garden.root().join("wait"), "").unwrap();
        let mut running = garden.start(garden.arborist(&["prove"]));
        garden.wait_for("waits");
        running.child.kill().unwrap();
        running.child.wait().unwrap();
        assert_eq!(garden.lines(&["worktree", "list"]).len(), 2);
        for name in ["wait", "waits"] {
            fs::remove_file(garden.root().join(name)).unwrap();
        }
        let ended = garden.run(next);
        assert!(
            next[0] == "prove" || ended.stdout.contains("which a killed command had left behind"),
            "{ended:#?}"
        );
        garden.assert_nothing_left();
    }
}

#[test]
fn a_proof_that_is_stopped_leaves_nothing_at_all() {
    let garden = waiting();
    let running = garden.start(garden.arborist(&["prove"]));
    garden.wait_for("waits");
    let pid = running.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let ended = running.wait();
    ended.assert(130, &["Stopped by Ctrl-C"]);
    garden.assert_nothing_left();
}

#[test]
fn two_proofs_at_the_same_time_do_not_disturb_each_other() {
    let garden = done(&json!({}), HONEST);
    let both = [0, 1].map(|_| garden.start(garden.arborist(&["prove"])));
    for running in both {
        running.wait().assert(0, &["proven"]);
    }
    garden.assert_nothing_left();
}

/// Runs the gardener with proofs in its test steps.
fn gardener_with_proofs(garden: &Garden) -> Ended {
    let mut command = garden.arborist(&["gardener"]);
    command.env_remove("ARBORIST_TRUST_PROVE");
    garden.finish(command)
}

/// An agent whose first tests do not test its change, and whose second do.
const SECOND_THOUGHTS: &str = r#"case $work in
T1.implement.0) echo 'sub() { echo $(($1 - $2)); }' >> lib.sh; echo true > tests/sub_test.sh;;
*) printf '. ./lib.sh\n[ "$(sub 5 3)" = 2 ]\n' > tests/sub_test.sh;;
esac"#;

#[test]
fn a_task_that_must_be_proven_and_is_not_fails_its_attempt_and_the_agent_is_told_why() {
    let garden = garden(&json!({}), SECOND_THOUGHTS);
    garden.config("arborist.trust.prove", "require");
    gardener_with_proofs(&garden).assert(0, &[]);
    let log = garden.git(&["log", "--format=%s%n%b", "--grep=tests fail"]);
    assert!(log.contains("error[prove]: No test notices the change: all pass without it too"), "{log}");
    assert!(log.contains("Arborist-Findings: prove") && log.contains("Arborist-Test: fail"), "{log}");
    let prompt = garden.prompt("T1.implement.1");
    assert!(prompt.contains("No test notices the change: all pass without it too"), "{prompt}");
    let proof = "--format=%(trailers:key=Arborist-Proof,valueonly)";
    let recorded = garden.git(&["log", "-1", proof, "--grep=: complete \"Subtract"]);
    assert_eq!(recorded.trim(), "clean=pass old=pass red=pass literals=na canary=na hollow=1 is=proven");
    garden.assert_nothing_left();
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn a_task_that_only_should_be_proven_is_complete_with_a_finding() {
    let garden = garden(&json!({}), "echo 'sub() { echo 2; }' >> lib.sh; echo true > tests/sub_test.sh");
    gardener_with_proofs(&garden).assert(0, &[]);
    let complete = garden.git(&["log", "-1", "--format=%B", "--grep=: complete \"Subtract"]);
    assert!(complete.contains("Arborist-Findings: prove"), "{complete}");
    assert!(
        complete.contains(
            "Arborist-Proof: clean=pass old=pass red=fail literals=none canary=na evidence=0 is=unproven"
        ),
        "{complete}"
    );
}

#[test]
fn the_suite_runs_on_a_clean_checkout_when_a_phase_is_complete() {
    let suite = "test ! -e cache && grep -q sub lib.sh && ! test -e broken";
    let agent = format!("echo x > cache\n{HONEST}");
    let garden = garden(&json!({}), &agent);
    garden.config("arborist.suite", suite);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.assert_nothing_left();
    // A suite that fails makes the phase fail, whose only task has no other attempt.
    let broken = self::garden(&json!({}), &format!("echo x > broken\n{HONEST}"));
    broken.config("arborist.suite", suite);
    broken
        .run(&["gardener", "--max-attempts", "1"])
        .assert(1, &["The whole suite fails on a clean checkout, exit status 1"]);
    let phase = broken.git(&["log", "-1", "--format=%B"]);
    assert!(phase.starts_with("phase(T1): tests fail") && phase.contains("error[suite]: "), "{phase}");
    // If it is required, the task does not get so far.
    let required = self::garden(&json!({}), &format!("echo x > broken\n{HONEST}"));
    required.config("arborist.suite", suite);
    required.config("arborist.trust.suite", "require");
    required.run(&["gardener", "--max-attempts", "1"]).assert(1, &["T1 failed"]);
    let log = required.git(&["log", "--format=%B", "--grep=tests fail"]);
    assert!(log.contains("error[suite]: "), "{log}");
}

#[test]
fn steps_that_were_forged_without_a_change_are_tried_and_only_claimed() {
    let task = |id: &str| {
        json!({"id": id, "name": format!("Do {id}"), "description": "",
               "test_commands": [{"type": "unit", "command": format!("test -f {id}.txt")}]})
    };
    let garden = library(&json!({"spec_id": "calc", "nodes": {"T1": task("T1"), "T2": task("T2")}}), "");
    garden.agent("case $ARBORIST_STEP in implement) echo x > $ARBORIST_TASK.txt; exit 0;; esac");
    let mut begun = garden.arborist(&["garden", "T1"]);
    begun.env("ARBORIST_TRUST_PROVE", "warn");
    garden.finish(begun).assert(0, &[]);
    for commit in garden.lines(&["log", "--reverse", "--format=%H", "--grep=^task(T1)"]) {
        let message = garden.git(&["log", "-1", "--format=%B", &commit]).replace("T1", "T2");
        garden.git(&["commit", "-q", "--allow-empty", "-m", &message]);
    }
    garden.forget_history();
    let proof = garden.run(&["prove"]);
    proof.assert(1, &["1 proven; 1 tested, not proven."]);
    says(&proof, 1, &["T2 Do T2: tested, not proven: the tests fail on the files of the commit alone"]);
    let audit = garden.run(&["check", "--run"]);
    audit.assert(0, &["1 proven; T2 is only claimed: no commit of it changes a file"]);
    // If the test passes there, it says no more than that.
    garden.write("T2.txt", "x\n");
    garden.commit("Write it by hand");
    garden.git(&["revert", "--no-edit", "HEAD"]);
    says(&garden.run(&["prove", "T2"]), 1, &["tested, not proven"]);
}

/// A runner that prints this for its tests, where `$bad` are those that fail, one on each line.
fn printing(print: &str) -> String {
    format!(
        "set -- tests/*_test.sh\nbad=\ngood=0\nfor test; do name=${{test#tests/}}\nif sh $test >/dev/null 2>&1; then good=$((good + 1)); \
         else bad=\"$bad    ${{name%_test.sh}}\n\"; fi\ndone\nfailed=$(($# - good))\n{print}\n[ -z \"$bad\" ]\n"
    )
}

#[test]
fn what_a_runner_does_not_name_is_unknown_and_no_command_is_called_a_test() {
    let quiet = r#"echo "running $# tests"; verdict=ok
[ -z "$bad" ] || { verdict=FAILED; printf '\nfailures:\n\n---- x stdout ----\nno\n\n\nfailures:\n%s\n' "$bad"; }
echo "test result: $verdict. $good passed; $failed failed; 0 ignored; 0 measured; 0 filtered out""#;
    let points = r#"for test; do name=${test#tests/}; case $bad in *" ${name%_test.sh}
"*) echo "not ok - ${name%_test.sh}";; *) echo "ok - ${name%_test.sh}";; esac; done; echo "1..$#""#;
    let counts = r#"echo "running $# tests"; verdict=ok; [ -z "$bad" ] || verdict=FAILED
echo "test result: $verdict. $good passed; $failed failed; 0 ignored; 0 measured; 0 filtered out""#;
    for (print, framework, status, words) in [
        (
            quiet,
            "cargo",
            0,
            [
                "T1 Subtract: proven",
                "2 of 4 tests fail if what the change adds gives empty values: sub, zero.",
            ],
        ),
        (
            points,
            "tap",
            0,
            [
                "T1 Subtract: proven",
                "2 of 4 tests fail if what the change adds gives empty values: sub, zero.",
            ],
        ),
        (
            counts,
            "cargo",
            1,
            ["T1 Subtract: tested: tests fail without the change", "the output does not say which."],
        ),
        (
            ":",
            "",
            0,
            ["T1 Subtract: proven", "`sh tests/run.sh` fails if what the change adds gives empty values."],
        ),
    ] {
        let mut command = json!({"type": "unit", "command": "sh tests/run.sh"});
        if !framework.is_empty() {
            command["framework"] = json!(framework);
        }
        let garden = garden(&json!({"test_commands": [command]}), HONEST);
        garden.write("tests/run.sh", &printing(print));
        garden.commit("Print otherwise");
        garden.run(&["gardener"]).assert(0, &[]);
        let proof = garden.run(&["prove"]);
        says(&proof, status, &words);
        assert!(!proof.stdout.contains("1 test fails without the change: `"), "{proof:?}");
    }
}

#[test]
fn a_proof_that_cannot_run_accuses_nobody() {
    let agent = r#"echo 'sub() { echo $(($1 - $2)); }' >> lib.sh; : > cache
printf '. ./lib.sh\n[ "$(sub 5 3)" = 2 ]\n' > tests/sub_test.sh"#;
    let missing = "[ -e cache ] || { echo \"Error: Cannot find module 'left-pad'\" >&2; exit 1; }\n";
    let garden = garden(&json!({}), agent);
    garden.write("tests/run.sh", &runner(missing));
    garden.write("cache", "");
    garden.commit("Need a package");
    garden.run(&["gardener"]).assert(0, &[]);
    let proof = garden.run(&["prove"]);
    let words = "T1 Subtract: tested: the tests cannot be loaded on a clean checkout (`Error: Cannot find module 'left-pad'`)";
    says(&proof, 1, &[words, "`arborist.worktree.setup`", "`arborist.worktree.copy`"]);
    garden.config("arborist.worktree.copy", "cache");
    garden.run(&["prove"]).assert(0, &["proven"]);
}
