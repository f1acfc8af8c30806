//! Whole runs with proofs in projects as people have them: from nothing, with tests that are not reliable, and interrupted at
//! any moment.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::shell_library;
use crate::support::garden::{Ended, Garden, one_task, plan, side_by_side};
use crate::support::proofs::{implementer, proof_word, with_default_checks};

/// If `$ROOT/wait` names the number of this run of the tests, it says so and waits.
const WAITS: &str = r#"number=$(($(cat "$ROOT/number" 2>/dev/null || echo 0) + 1))
echo $number > "$ROOT/number"
if [ "$(cat "$ROOT/wait" 2>/dev/null)" = $number ]; then touch "$ROOT/waits"; sleep 600; fi
"#;

/// The library, whose tests wait if they are told to, and a task that lets it subtract.
fn library() -> Garden {
    let mut tree = one_task(&["sh tests/run.sh"]);
    tree["nodes"]["T001"]["test_commands"][0]["framework"] = json!("cargo");
    shell_library::library(&tree, WAITS)
}

/// What the agent of that task does.
const SUBTRACTS: &str = r#"grep -q sub lib.sh || echo 'sub() { echo $(($1 - $2)); }' >> lib.sh
printf '. ./lib.sh\n[ "$(sub 5 3)" = 2 ]\n' > tests/sub_test.sh
printf '. ./lib.sh\n[ "$(sub 3 3)" = 0 ]\n' > tests/zero_test.sh"#;

fn command(garden: &Garden, args: &[&str]) -> Command {
    let mut command = garden.arborist(args);
    with_default_checks(&mut command);
    command
}

fn run(garden: &Garden, args: &[&str]) -> Ended {
    garden.finish(command(garden, args))
}

#[test]
fn a_plan_may_begin_in_an_empty_repository() {
    let mut tree = plan(&[
        ("T001", "", &[], &["sh tests/run.sh"]),
        ("T002", "", &["T001"], &["sh tests/run.sh"]),
        ("T003", "", &["T002"], &["sh tests/run.sh"]),
    ]);
    tree["nodes"]["T001"]["expect"] = json!("config");
    let garden = Garden::new(&tree);
    fs::write(garden.root().join("run.sh"), shell_library::runner("")).unwrap();
    implementer(
        &garden,
        r#"case $ARBORIST_TASK in
        T001) mkdir tests; cp "$ROOT/run.sh" tests/; echo '# A library' > README.md; echo true > tests/nothing_test.sh;;
        T002) echo 'add() { echo $(($1 + $2)); }' > lib.sh; printf '. ./lib.sh\n[ "$(add 2 3)" = 5 ]\n' > tests/add_test.sh;;
        T003) echo 'sub() { echo $(($1 - $2)); }' >> lib.sh; printf '. ./lib.sh\n[ "$(sub 5 3)" = 2 ]\n' > tests/sub_test.sh;;
        esac"#,
    );
    run(&garden, &["gardener"]).assert(0, &[]);
    assert_eq!([proof_word(&garden, "T002"), proof_word(&garden, "T003")], ["proven", "proven"]);
    run(&garden, &["prove"]).assert(0, &[]);
    garden.assert_nothing_left();
}

#[test]
fn a_test_that_fails_once_in_ten_runs_blames_nobody() {
    side_by_side([0, 3, 6, 9], |offset| {
        let garden = library();
        let flaky = "n=$(($(cat \"$ROOT/flaky\") + 1)); echo $n > \"$ROOT/flaky\"; [ $((n % 10)) != 0 ]\n";
        garden.write("tests/flaky_test.sh", flaky);
        garden.commit("Add a test that is not reliable");
        garden.config("arborist.confirm", "1");
        fs::write(garden.root().join("flaky"), offset.to_string()).unwrap();
        implementer(&garden, SUBTRACTS);
        run(&garden, &["gardener"]).assert(0, &[]);
        assert_eq!(
            proof_word(&garden, "T001"),
            "proven",
            "{offset}: {}",
            garden.git(&["log", "--format=%B"])
        );
        garden.assert_nothing_left();
    });
}

#[test]
fn tests_that_change_files_of_the_repository_are_named() {
    // A file that judges: an error. Another one: a warning.
    for (path, status, finding) in
        [("tests/data.txt", 1, "error[dirty]: "), ("notes.txt", 0, "warning[dirty]: ")]
    {
        let garden = library();
        garden.write(path, "one\n");
        garden.commit("Add a file");
        implementer(&garden, &format!("{SUBTRACTS}\necho 'echo two > {path}' >> tests/sub_test.sh"));
        run(&garden, &["gardener", "--max-attempts", "1"]).assert(status, &[]);
        let log = garden.git(&["log", "--format=%B"]);
        assert!(log.contains(finding) && log.contains(path), "{log}");
    }
}

#[test]
fn a_run_that_is_stopped_at_any_run_of_the_tests_is_finished_by_the_next_one() {
    let whole = library();
    implementer(&whole, SUBTRACTS);
    run(&whole, &["gardener"]).assert(0, &[]);
    let runs: u32 = fs::read_to_string(whole.root().join("number")).unwrap().trim().parse().unwrap();
    let moments = (1..=runs).map(|number| (number, if number % 2 == 0 { "INT" } else { "KILL" }));
    side_by_side(moments.collect::<Vec<_>>(), |(number, signal)| {
        let garden = library();
        implementer(&garden, SUBTRACTS);
        fs::write(garden.root().join("wait"), number.to_string()).unwrap();
        let running = garden.start(command(&garden, &["gardener"]));
        garden.wait_for("waits");
        running.signal(signal);
        let ended = running.wait();
        assert_eq!(ended.status, if signal == "INT" { 130 } else { 137 }, "{number}: {ended:#?}");
        garden.assert_nothing_runs();
        fs::remove_file(garden.root().join("wait")).unwrap();
        run(&garden, &["gardener"]).assert(0, &[]);
        assert_eq!(proof_word(&garden, "T001"), "proven", "{number} {signal}");
        garden.assert_nothing_left();
    });
}
