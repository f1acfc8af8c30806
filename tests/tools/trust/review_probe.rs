//! Tests that the test which a reviewer writes is judged by pytest.

use super::has_pytest;
use crate::support::garden::{Garden, one_task};

/// The message of the newest review step.
fn review(garden: &Garden) -> String {
    garden.git(&["log", "-1", "--format=%B", "--grep=^Arborist-Step: review"])
}

#[test]
fn with_pytest_the_failing_tests_are_named_and_a_command_that_names_files_gets_the_new_one() {
    if !has_pytest() {
        return;
    }
    let wrong = "printf 'from a import add\\n\\ndef test_negative():\\n    assert add(-1, 1) == 0\\n' > tests/test_probe.py";
    let right = "printf 'from a import add\\n\\ndef test_more():\\n    assert add(3, 1) == 4\\n' > tests/test_probe.py";
    let unformatted = &format!("{right}; echo '# to be formatted' >> tests/test_probe.py");
    let broken = "echo 'def broken(' > tests/test_probe.py";
    let all = "PYTHONPATH=. /usr/bin/python3 -m pytest -p no:cacheprovider";
    let formatted = &format!("{all} && ! grep -qs formatted tests/*.py");
    let one = &format!("{all} tests/test_a.py");
    let fails = "It fails on this change, so the change is rejected: tests/test_probe.py::test_negative.";
    for (command, script, words) in [
        (all, wrong, fails),
        (one, wrong, fails),
        (all, right, "It passes on this change."),
        (one, right, "It passes on this change."),
        (formatted, unformatted, "fail with it, but not because of a test that they count."),
        (all, broken, "it cannot be built or loaded."),
    ] {
        let mut tree = one_task(&[command]);
        tree["nodes"]["T001"]["test_commands"][0]["framework"] = "pytest".into();
        let garden = Garden::new(&tree);
        garden.write("tests/test_a.py", "from a import add\n\ndef test_one():\n    assert add(1, 1) == 2\n");
        garden.write(".gitignore", "__pycache__\n");
        garden.commit("Add a test");
        garden.config("arborist.review.probe", "true");
        garden.agent(&format!(
            "case $ARBORIST_STEP in
             implement) printf 'def add(one, two):\\n    return abs(one) + abs(two)\\n' > a.py; exit 0;;
             review) {script}; echo APPROVED; exit 0;;
             esac"
        ));
        garden.run(&["gardener", "--max-attempts", "1"]);
        let message = review(&garden);
        assert!(message.contains(words), "{command}: {words}: {message}");
        let verdict = if words == fails { "rejected" } else { "approved" };
        assert!(message.contains(&format!("Arborist-Review: {verdict}")), "{message}");
    }
}
