//! Tests that a test which one task drops still judges the tasks after it.

use std::process::Command;

use serde_json::{Value, json};

use super::matrix::surroundings;
use crate::support::garden::{Ended, Garden, plan};

fn run(garden: &Garden, args: &[&str]) -> Ended {
    let mut command: Command = garden.arborist(args);
    surroundings(&mut command);
    garden.finish(command)
}

/// A module with two functions, and a task for each of these scripts, which runs it and then adds another function.
fn garden(scripts: &[&str]) -> Garden {
    garden_with("python3 -B -m unittest discover -v -s tests", scripts)
}

fn garden_with(command: &str, scripts: &[&str]) -> Garden {
    type Task<'a> = (&'a str, &'a str, &'a [&'a str], &'a [&'a str]);
    let (ids, commands) = (["T001", "T002", "T003"], [command]);
    let phase: Task<'_> = ("p1", "", &[], &[]);
    let task = |at: usize| (ids[at], "p1", &ids[at.saturating_sub(1)..at], &commands[..]);
    let tree = plan(&std::iter::once(phase).chain((0..scripts.len()).map(task)).collect::<Vec<_>>());
    let garden = Garden::new(&tree);
    garden.write("calc.py", "def one():\n    return 1\n\n\ndef two():\n    return 2\n");
    let head = "import os\nimport sys\nimport unittest\n\nsys.path.insert(0, os.getcwd())\nimport calc\n\n\nclass Test(unittest.TestCase):\n";
    let test = |name: &str, value: u8| {
        format!("    def test_{name}(self):\n        self.assertEqual(calc.{name}(), {value})\n")
    };
    garden.write("tests/test_calc.py", &format!("{head}{}\n{}", test("one", 1), test("two", 2)));
    garden.commit("Add calc");
    let adds = |name: &str, value: u8| {
        format!(
            "printf '\\n\\ndef {name}():\\n    return {value}\\n' >> calc.py; printf '\\n    def test_{name}(self):\\n        self.assertEqual(calc.{name}(), {value})\\n' >> tests/test_calc.py"
        )
    };
    let added = [("three", 3), ("four", 4), ("five", 5)];
    let case = |(at, script): (usize, &&str)| {
        let (name, value) = added[at];
        format!("{}.implement) {script}\n{}; exit 0;;\n", ids[at], adds(name, value))
    };
    let cases: String = scripts.iter().enumerate().map(case).collect();
    garden.agent(&format!("case $ARBORIST_TASK.$ARBORIST_STEP in\n{cases}esac"));
    garden
}

const DROPS_TEST: &str = "sed -i '/test_two/,+2d' tests/test_calc.py";
const BREAKS_TWO: &str = "sed -i 's/return 2$/return 22/' calc.py";

#[test]
fn a_test_that_one_task_drops_fails_the_phase_if_a_later_task_breaks_what_it_tested() {
    let garden = garden(&[DROPS_TEST, BREAKS_TWO]);
    let ended = run(&garden, &["gardener"]);
    ended.assert(
        1,
        &[
            "Tests that T001 took out fail in their last version, since T002",
            "test_two. If they were meant to go, write `\"may_change\": [\"tests/test_calc.py\"]` for that task into the plan",
        ],
    );
    assert_eq!(garden.subjects().last().unwrap(), "phase(p1): tests fail");
    // It is the user's to say that the test was meant to go.
    let mut tree: Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    tree["nodes"]["T001"]["may_change"] = json!(["tests/test_calc.py"]);
    garden.write("task-tree.json", &tree.to_string());
    garden.commit("Let T001 change its test");
    run(&garden, &["gardener"]).assert(0, &[]);
}

#[test]
fn a_test_that_a_second_task_drops_from_the_same_file_is_run_as_well() {
    let drops_three = "sed -i '/test_three/,+2d' tests/test_calc.py";
    let garden = garden(&[DROPS_TEST, drops_three, "sed -i 's/return 3$/return 33/' calc.py"]);
    let seen = "Tests that T002 took out fail in their last version, since T003";
    run(&garden, &["gardener"]).assert(1, &[seen, "test_three"]);
}

#[test]
fn tests_that_were_taken_out_and_have_no_names_are_told_of() {
    // This command is not asked for names.
    let command = "cd tests && PYTHONPATH=.. python3 -B -m unittest discover -s .";
    let garden =
        garden_with(command, &["sed -i '/test_one/,+2d; /test_two/,+2d' tests/test_calc.py", "true"]);
    let told = "T001 took out tests, and the output of its test commands does not say which";
    run(&garden, &["gardener"]).assert(0, &[told]);
}

#[test]
fn a_test_that_is_dropped_and_would_still_pass_fails_nothing() {
    let garden = garden(&[DROPS_TEST, "true"]);
    run(&garden, &["gardener"]).assert(0, &[]);
}

#[test]
fn what_the_user_has_changed_since_is_not_judged() {
    let garden = garden(&[DROPS_TEST, "true"]);
    run(&garden, &["gardener", "--max-tasks", "1"]).assert(1, &[]);
    let script = "sed -i 's/return 2$/return 22/' calc.py; echo '# Two is not tested.' >> tests/test_calc.py";
    assert!(garden.command("sh").args(["-ec", script]).status().unwrap().success());
    garden.commit("Change two");
    run(&garden, &["gardener"]).assert(0, &[]);
}

/// A test that fails once after somebody has made a file.
const FAILS_ONCE: &str = r#"import os
import unittest


class Zero(unittest.TestCase):
    def test_zero(self):
        armed = os.path.join(os.environ["ROOT"], "armed")
        if os.path.exists(armed):
            os.remove(armed)
            self.fail()
"#;

#[test]
fn a_test_that_fails_alone_as_well_confirms_no_other_one() {
    let weakens = "sed -i 's/return 1$/return 11/' calc.py\nsed -i 's/one(), 1)/one(), 11)/' tests/test_calc.py\nsed -i 's/os.path.exists(armed)/False/' tests/test_zero.py\ntouch \"$ROOT/armed\"";
    let garden = garden(&[weakens, "true"]);
    garden.write("tests/test_zero.py", FAILS_ONCE);
    garden.commit("Add a test that fails once");
    run(&garden, &["garden", "T001", "--max-attempts", "1"]).assert(1, &[]);
    let message = garden.git(&["log", "--format=%B", "--grep=tests fail"]);
    let names = |check: &str| {
        let seen = message.split("\n\n").find(|seen| seen.starts_with(check)).unwrap_or_default();
        seen.lines().filter_map(|line| line.strip_prefix("- ")).collect::<Vec<_>>()
    };
    assert_eq!(names("error[protect]: "), ["test_calc.Test.test_one"], "{message}");
    assert_eq!(names("warning[flaky]: "), ["test_zero.Zero.test_zero"], "{message}");
}
