//! What an attempt may make of the files that judge it, and what it must leave alone.

use serde_json::json;

use super::run_without_proofs as run;
use crate::support::garden::{Garden, one_task, side_by_side};

/// A repository with a test that was there before the task.
fn garden() -> Garden {
    let mut tree = one_task(&["sh tests/test_sum.sh"]);
    tree["nodes"]["T001"]["name"] = json!("Sum");
    let garden = Garden::new(&tree);
    garden.write("tests/test_sum.sh", "test -e sum.sh && test \"$(sh sum.sh 1 2)\" = 3\n");
    garden.commit("Add a test");
    garden.config("arborist.trust.prove", "off");
    garden.config("arborist.trust.counts", "off");
    garden
}

/// The right implementation.
const GOOD: &str = "echo 'echo $(($1 + $2))' > sum.sh";

/// A repository with instructions for agents and a task that any work completes.
fn instructed() -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("AGENTS.md", "Test everything.\n");
    garden.commit("Instruct agents");
    garden.config("arborist.trust.prove", "off");
    garden.config("arborist.trust.counts", "off");
    garden
}

/// The line of a finding in this message that begins so.
#[track_caller]
fn remedy(message: &str, start: &str) -> String {
    let line = message.lines().find_map(|line| line.strip_prefix(start));
    line.unwrap_or_else(|| panic!("{start}: {message}")).to_owned()
}

#[test]
fn an_attempt_that_changes_what_must_stay_fails_and_the_next_one_is_told_how_to_undo_that() {
    let cases = [
        ("echo 'Trust me.' > AGENTS.md", "changed instructions for agents:\n- AGENTS.md\n"),
        ("rm AGENTS.md", "deleted instructions for agents:\n- AGENTS.md\n"),
        ("mkdir web; echo x > web/CLAUDE.md", "added instructions for agents:\n- web/CLAUDE.md\n"),
        (
            "mkdir .claude; echo {} > .claude/settings.json",
            "added instructions for agents:\n- .claude/settings.json\n",
        ),
        ("mkdir .arborist; echo x > .arborist/README", "added a file in .arborist:\n- .arborist/README\n"),
    ];
    side_by_side(&cases, |(cheat, seen)| {
        let garden = instructed();
        garden.agent(&format!(
            "case $work in *.implement.0) {cheat};;
             *.implement.1) undo=$(git log -1 --format=%B | sed -n 's/^  = undo: //p'); eval \"$undo\";; esac"
        ));
        run(&garden, &["gardener"]).assert(0, &["protect: "]);
        assert_eq!(garden.trailers("Arborist-Test"), ["fail", "pass"], "{cheat}");
        let failed = garden.message("task(T001): tests fail");
        assert!(failed.contains(&format!("\nerror[protect]: The attempt {seen}")), "{failed}");
        let allow = remedy(&failed, "  = allow: ");
        assert!(allow.starts_with("\"may_change\": [\""), "{allow}");
        let prompt = garden.prompt("T001.implement.1");
        assert!(prompt.contains("error[protect]: ") && prompt.contains("  = undo: git "), "{prompt}");
        assert_eq!(
            garden.git(&["diff", ":/Instruct agents", "--", "AGENTS.md", ".claude", "web", ".arborist"]),
            ""
        );
        run(&garden, &["check", "--run", "--strict"]).assert(0, &[]);
    });
}

#[test]
fn the_command_that_shows_a_finding_works() {
    let garden = instructed();
    garden.agent("case $work in *.implement.0) echo true > AGENTS.md;; *) exit 1;; esac");
    run(&garden, &["gardener", "--no-review", "--max-attempts", "1"]).assert(1, &[]);
    let failed = garden.message("task(T001): tests fail");
    let mut shell = garden.command("sh");
    shell.args(["-c", &remedy(&failed, "  = look: ")]);
    let shown = garden.finish(shell);
    assert!(shown.stdout.contains("+true"), "{shown:?}");
}

#[test]
fn the_reviewer_is_told_what_was_taken_out_of_tests() {
    let garden = garden();
    garden.write("tests/test_more.sh", "assert one\nassert two\n");
    garden.commit("Add a test");
    garden.agent(&format!(
        "case $work in *.implement.0) {GOOD}; echo 'skip all' > tests/test_more.sh; mkdir web
         git mv tests/test_sum.sh web/; cp web/test_sum.sh tests/;; esac"
    ));
    run(&garden, &["gardener"]).assert(0, &[]);
    let prompt = garden.prompt("T001.review.0");
    for part in [
        "tests/test_more.sh (test): 2 lines removed, 1 added; 2 lines with assertions removed; 1 line added that may skip tests.",
        "web/test_sum.sh (test): added with 1 line.",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert!(!prompt.contains("tests/test_sum.sh (test)"), "{prompt}");
}

#[test]
fn a_test_that_failed_and_was_changed_since_is_named() {
    let garden = garden();
    garden.agent(&format!(
        "case $work in
        *.implement.0) echo 'echo 4' > sum.sh; echo 'test $(sh sum.sh 2 2) = 4; assert' > tests/test_new.sh
            echo true > tests/test_other.sh;;
        *.implement.1) {GOOD}; echo true > tests/test_new.sh;; esac"
    ));
    run(&garden, &["gardener"]).assert(0, &[]);
    assert_eq!(
        garden.trailers("Arborist-Findings"),
        ["rewritten-tests", "rewritten-tests", "rewritten-tests"]
    );
    let tested = garden.message("task(T001): tests pass");
    let seen = "warning[rewritten-tests]: Tests that failed in an earlier attempt were changed since:\n- tests/test_new.sh\n";
    assert!(tested.contains(seen), "{tested}");
    let mut shell = garden.command("sh");
    shell.args(["-c", &remedy(&tested, "  = look: ")]);
    let shown = garden.finish(shell).stdout;
    assert!(shown.contains("-test $(sh sum.sh 2 2) = 4; assert") && shown.contains("+true"), "{shown}");
    let prompt = garden.prompt("T001.review.1");
    assert!(prompt.contains("Tests that failed in an earlier attempt were changed since"), "{prompt}");
    assert!(prompt.contains("git diff "), "{prompt}");
    let report = run(&garden, &["report"]).stdout;
    assert!(report.contains("rewritten-tests"), "{report}");
}

#[test]
fn tests_that_could_not_have_failed_may_be_changed() {
    let garden = garden();
    // The output of the first attempt names the file that failed.
    garden.agent(&format!(
        "case $work in
        *.implement.0) echo true > tests/test_a.sh; echo true > tests/test_b.sh
            echo 'echo tests/test_a.sh failed >&2; false' > sum.sh;;
        *.implement.1) {GOOD}; echo 'true; true' > tests/test_b.sh;; esac"
    ));
    run(&garden, &["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.trailers("Arborist-Findings"), [""; 0]);
}

#[test]
fn adding_tests_is_allowed_and_changing_tests_of_its_own_that_failed_is_named() {
    let garden = garden();
    garden.agent(&format!(
        "case $work in *.implement.0) echo false > tests/test_new.sh;; *.implement.1) echo true > \
         tests/test_new.sh; {GOOD};; esac"
    ));
    run(&garden, &["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.trailers("Arborist-Findings"), ["rewritten-tests", "rewritten-tests"]);
}

#[test]
fn a_task_may_change_the_files_that_the_plan_names() {
    let garden = instructed();
    let mut tree: serde_json::Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    tree["nodes"]["T001"]["may_change"] = json!(["*.md"]);
    garden.write("task-tree.json", &format!("{tree:#}\n"));
    garden.commit("Let the task change the instructions");
    garden.agent("case $work in *.implement.0) echo true > AGENTS.md;; esac");
    run(&garden, &["gardener", "--no-review"]).assert(0, &[]);
    assert!(garden.prompt("T001.implement.0").contains("although they judge it:\n- *.md\n"));
    assert_eq!(garden.trailers("Arborist-Findings"), Vec::<String>::new());
}

#[test]
fn with_a_warning_the_reviewer_is_told_of_the_change() {
    let garden = instructed();
    garden.config("arborist.trust.protect", "warn");
    garden.agent("case $work in *.implement.0) echo true > AGENTS.md;; esac");
    run(&garden, &["gardener"]).assert(0, &[]);
    let prompt = garden.prompt("T001.review.0");
    assert!(prompt.contains("changed instructions for agents") && prompt.contains("AGENTS.md"), "{prompt}");
    assert_eq!(garden.trailers("Arborist-Findings"), ["protect", "protect", "protect"]);
}

#[test]
fn patterns_of_the_user_protect_further_files() {
    let garden = garden();
    garden.write("schema/api.json", "{}\n");
    garden.commit("Add a schema");
    garden.config("arborist.protect", "schema/**");
    garden.agent(&format!("case $work in *.implement.0) {GOOD}; echo '[]' > schema/api.json;; esac"));
    run(&garden, &["gardener", "--no-review", "--max-attempts", "1"]).assert(1, &["schema/api.json"]);
}

#[test]
fn what_a_person_changes_is_theirs() {
    let garden = instructed();
    garden.agent("case $work in *.implement.0) echo echo 7 > sum.sh; echo true > AGENTS.md;; esac");
    run(&garden, &["gardener", "--no-review", "--max-attempts", "1"]).assert(1, &[]);
    garden.write("AGENTS.md", "Test most things.\n");
    garden.commit("Correct the instructions");
    garden.agent("case $work in *.implement.*) echo echo 8 > sum.sh;; esac");
    run(&garden, &["garden", "T001", "--no-review", "--max-attempts", "1"]).assert(0, &[]);
    assert_eq!(garden.trailers("Arborist-Findings"), ["protect"]);
}

#[test]
fn a_committed_file_cannot_switch_a_check_off() {
    let garden = garden();
    garden.write(".arborist/config.json", r#"{"trust": {"protect": "off"}}"#);
    garden.commit("Trust everybody");
    run(&garden, &["gardener"]).assert(2, &["weakens trust.protect, which a committed file must not do"]);
    let strict = r#"{"trust": {"coverage": "require"}, "protect": "schema/** api/**"}"#;
    garden.write(".arborist/config.json", strict);
    garden.commit("Trust nobody");
    let shown = run(&garden, &["init", "--show-config"]).stdout;
    assert!(shown.contains("schema/** api/**"), "{shown}");
}
