//! Tests how much the tests of a task must cover, and the commands that test the tests themselves.

use serde_json::{Value, json};

use crate::support::garden::{Garden, plan};

/// A report about these lines of `src/price.py`, each with the number of its runs, in lcov's format.
fn lcov(lines: &str) -> String {
    let records = lines.split(' ').map(|line| format!("DA:{line}\\n")).collect::<String>();
    format!("SF:%s/src/price.py\\n{records}BRDA:2,0,0,1\\nBRDA:2,0,1,-\\nend_of_record\\n")
}

/// A command that writes such a report.
fn writes(lines: &str) -> Value {
    let report = lcov(lines);
    let command = format!("mkdir -p out && printf '{report}' \"$PWD\" > \"$ARBORIST_COVERAGE\"");
    json!({"type": "unit", "command": command, "coverage": "lcov:out/lcov.info"})
}

/// An agent that writes a source of four lines, and two files of tests.
const WRITES_PRICE: &str = r#"if test $ARBORIST_STEP = implement; then
mkdir -p src tests; printf 'one\ntwo\nthree\nfour\n' > src/price.py; printf 'a\nb\n' > tests/test_price.py
fi"#;

/// A garden with the task T001, judged by these commands, and an agent that writes `src/price.py`.
fn garden(commands: &[Value]) -> Garden {
    let garden = Garden::new(&with_commands(commands));
    garden.agent(WRITES_PRICE);
    garden
}

fn with_commands(commands: &[Value]) -> Value {
    let mut plan = plan(&[("p1", "", &[], &[]), ("T001", "p1", &[], &[])]);
    plan["nodes"]["T001"]["test_commands"] = commands.into();
    plan
}

/// The message of the newest test step.
fn test_step(garden: &Garden) -> String {
    garden.git(&["log", "-1", "--format=%B", "--grep=^Arborist-Step: test"])
}

fn trailer(garden: &Garden, key: &str) -> String {
    let format = format!("--format=%(trailers:key=Arborist-{key},valueonly,separator=%x2C)");
    garden.git(&["log", "-1", &format, "--grep=^Arborist-Step: test"])
}

#[test]
fn a_test_step_records_what_the_tests_cover_and_the_report_stays_out_of_the_way() {
    let garden = garden(&[writes("1,1 2,1 3,0 4,0")]);
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &[]);
    assert!(!ended.stderr.contains("lcov.info"), "{ended:#?}");
    assert_eq!(trailer(&garden, "Coverage"), "lines=50.0 branches=50.0");
    assert_eq!(trailer(&garden, "Diff-Coverage"), "2/4");
    assert_eq!(trailer(&garden, "Findings"), "");
    let message = test_step(&garden);
    assert!(
        message.contains("The tests cover 2 of the 4 changed lines.\n\nNot covered:\n- src/price.py:3-4\n"),
        "{message}"
    );
    assert_eq!(garden.status(), ["?? out/lcov.info"]);
    let added = garden.lines(&["log", "--format=", "--name-only", "--diff-filter=A"]);
    assert!(!added.iter().any(|path| path.starts_with("out")), "{added:?}");
    let again = garden.run(&["gardener"]);
    again.assert(0, &[]);
    assert!(!again.stderr.contains("lcov.info"), "{again:#?}");
}

#[test]
fn too_little_coverage_is_a_warning_unless_the_user_requires_it() {
    let commands = [writes("1,1 2,1 3,0 4,0")];
    let warned = garden(&commands);
    warned.config("arborist.coverage.lines", "80");
    warned.config("arborist.coverage.diff", "50");
    warned.config("arborist.coverage.functions", "90");
    warned.run(&["gardener"]).assert(0, &[]);
    assert_eq!(trailer(&warned, "Findings"), "coverage");
    let message = test_step(&warned);
    let finding = "warning[coverage]: The tests cover 50.0 % of all lines, and 80 % must be covered:\n- src/price.py:3-4\n";
    assert!(message.contains(finding), "{message}");
    assert!(!message.contains("of all functions"), "{message}");
    let review = warned.prompt("T001.review.0");
    assert!(review.contains("50.0 % of all lines"), "{review}");

    let off = garden(&commands);
    off.config("arborist.coverage.lines", "80");
    off.config("arborist.trust.coverage", "off");
    off.run(&["gardener"]).assert(0, &[]);
    assert_eq!((trailer(&off, "Findings"), trailer(&off, "Coverage")), (String::new(), String::new()));
}

#[test]
fn required_coverage_fails_the_attempt_and_the_agent_is_told_the_lines() {
    let command = format!(
        "mkdir -p out; if test -f tests/test_more.py; then runs='{}'; else runs='{}'; fi; printf \"$runs\" \"$PWD\" > \"$ARBORIST_COVERAGE\"",
        lcov("1,1 2,1 3,1 4,0"),
        lcov("1,1 2,1 3,0 4,0")
    );
    let garden = garden(&[json!({"type": "unit", "command": command, "coverage": "lcov:out/lcov.info"})]);
    garden.config("arborist.coverage.diff", "75");
    garden.config("arborist.trust.coverage", "require");
    garden.agent(&format!(
        "{WRITES_PRICE}\nif test $work = T001.implement.1; then echo c > tests/test_more.py; fi"
    ));
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &[]);
    let steps = garden.steps();
    assert!(steps[1].contains("tests fail"), "{steps:#?}");
    assert!(steps[3].contains("tests pass"), "{steps:#?}");
    let prompt = garden.prompt("T001.implement.1");
    assert!(
        prompt.contains(
            "The tests cover 2 of the 4 changed lines, and 75 % of them must be covered:\n- src/price.py:3-4\n"
        ),
        "{prompt}"
    );
    assert_eq!(trailer(&garden, "Diff-Coverage"), "3/4");
    let log = garden.lines(&["ls-files", "spec/logs"]);
    assert_eq!(log.iter().filter(|path| path.contains("_test_")).count(), 1, "{log:?}");
}

#[test]
fn a_report_that_is_missing_old_or_unreadable_measures_nothing() {
    for (command, why) in [
        ("true", "was not written"),
        ("touch -d '1 hour ago' out.info", "is older than the test"),
        ("echo '<coverage/>' > out.info", "has no record of lcov's format"),
        ("mkdir -p out.info", "cannot be read"),
    ] {
        let good = json!({
            "type": "unit", "coverage": "lcov:good.info",
            "command": format!("printf '{}' \"$PWD\" > good.info", lcov("1,0 2,0")),
        });
        let garden =
            garden(&[good, json!({"type": "unit", "command": command, "coverage": "lcov:out.info"})]);
        garden.config("arborist.coverage.lines", "80");
        garden.config("arborist.trust.coverage", "require");
        garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &["The coverage was not measured"]);
        let message = test_step(&garden);
        let sentence = format!("The coverage is unknown: out.info of `{command}` {why}");
        assert!(message.contains(&sentence), "{message}");
        assert!(!message.contains("Arborist-Coverage") && !message.contains("Arborist-Diff"), "{message}");
        assert_eq!(trailer(&garden, "Findings"), "coverage");
    }
}

#[test]
fn the_reports_of_several_commands_are_put_together() {
    let other = json!({
        "type": "integration", "coverage": "cobertura:other.xml",
        "command": "echo '<coverage><class filename=\"src/price.py\"><lines><line number=\"3\" hits=\"1\"/></lines></class></coverage>' > other.xml",
    });
    let garden = garden(&[writes("1,1 2,0 3,0 4,0"), other]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(trailer(&garden, "Diff-Coverage"), "2/4");
    assert_eq!(trailer(&garden, "Coverage"), "lines=50.0 branches=50.0");
}

#[test]
fn only_the_lines_of_the_task_itself_count_and_not_those_of_its_tests() {
    let mut plan =
        plan(&[("p1", "", &[], &[]), ("T001", "p1", &[], &["true"]), ("T002", "p1", &["T001"], &[])]);
    let files = ["src/price.py", "src/late.py", "tests/test_late.py", "src/lib.rs", "src/new.py"];
    let record = |path: &&str| format!("SF:{path}\\nDA:1,0\\nDA:2,1\\nDA:6,0\\nend_of_record\\n");
    let report: String = files[..4].iter().map(record).collect();
    plan["nodes"]["T002"]["test_commands"] = json!([{"type": "unit", "command": format!("printf '{report}' > c.info"), "coverage": "lcov:c.info"}]);
    let garden = Garden::new(&plan);
    // The sixth line of the Rust file belongs to its tests.
    let late = r#"if test $work = T002.implement.0; then
        for file in src/late.py src/new.py tests/test_late.py; do printf '1\n2\n' > $file; done
        printf 'fn a() {}\nfn b() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() {}\n}\n' > src/lib.rs
        fi"#;
    garden.agent(&format!("if test $ARBORIST_TASK = T001; then {WRITES_PRICE}\nfi\n{late}"));
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(trailer(&garden, "Diff-Coverage"), "2/4", "{}", test_step(&garden));
    let message = test_step(&garden);
    assert!(message.contains("Not covered:\n- src/late.py:1\n- src/lib.rs:1\n"), "{message}");
    assert!(message.contains("The coverage of these changed files is unknown: src/new.py."), "{message}");
}

#[test]
fn a_report_that_the_agent_leaves_is_not_committed_as_its_work() {
    let garden = garden(&[writes("1,1 2,1 3,1 4,1")]);
    garden.agent(&format!("{WRITES_PRICE}\nmkdir -p out; echo by the agent > out/lcov.info"));
    garden.run(&["gardener"]).assert(0, &[]);
    let added = garden.lines(&["log", "--format=", "--name-only", "--diff-filter=A"]);
    assert!(added.contains(&"src/price.py".to_owned()), "{added:?}");
    assert!(!added.iter().any(|path| path.starts_with("out")), "{added:?}");
    assert_eq!(trailer(&garden, "Diff-Coverage"), "4/4");
}

#[test]
fn a_plan_with_a_report_outside_the_work_tree_is_refused() {
    let mut command = writes("1,1");
    command["coverage"] = "lcov:../lcov.info".into();
    let garden = garden(&[command]);
    garden.run(&["gardener"]).assert(2, &["test_commands[0].coverage is \"lcov:../lcov.info\""]);
}

#[test]
fn a_mutation_command_sees_the_change_and_its_failure_is_only_a_warning() {
    let mutation = json!({
        "type": "mutation",
        "command": "cp \"$ARBORIST_DIFF\" \"$ROOT/diff\"; echo \"$ARBORIST_DIFF\" > \"$ROOT/place\"; echo 'mutants: 3 missed'; exit 2",
    });
    let garden = garden(&[mutation, json!({"type": "unit", "command": "test ! -e \"$ROOT/diff\""})]);
    garden.run(&["gardener"]).assert(0, &[]);
    let message = test_step(&garden);
    let finding = "warning[mutation]: The tests may miss mistakes in this change, because a mutation test ended with exit status 2:\n- `cp";
    assert!(message.contains(finding), "{message}");
    assert!(message.contains("mutants: 3 missed") && message.contains("Arborist-Test: pass"), "{message}");
    assert_eq!(trailer(&garden, "Findings"), "mutation");
    let read = |name: &str| std::fs::read_to_string(garden.root().join(name)).unwrap();
    let diff = read("diff");
    assert!(diff.contains("+++ b/src/price.py\n") && diff.contains("+three\n"), "{diff}");
    assert!(!diff.contains("task-tree.json"), "{diff}");
    let place = read("place");
    assert!(!std::path::Path::new(place.trim()).exists(), "{place}");
    assert!(garden.status().is_empty(), "{:?}", garden.status());
}

#[test]
fn a_mutation_command_does_not_run_after_a_failed_test() {
    let mutation = json!({"type": "mutation", "command": "touch \"$ROOT/mutated\""});
    let garden = garden(&[mutation, json!({"type": "unit", "command": "false"})]);
    garden.config("arborist.maxAttempts", "1");
    garden.run(&["gardener"]).assert(1, &[]);
    assert!(!garden.root().join("mutated").exists());
}

#[test]
fn required_coverage_that_was_not_measured_is_not_met() {
    let report = writes("1,1 2,1 3,1 4,1");
    let command = |script: &str| json!({"type": "unit", "command": script, "coverage": "lcov:out/lcov.info"});
    // In the second attempt, everything is measured.
    let only_second = |first: &str| {
        format!(
            "if test -f tests/test_more.py; then {}; else {first}; fi",
            report["command"].as_str().unwrap()
        )
    };
    let other = "mkdir -p out; printf 'SF:src/other.py\\nDA:1,1\\nend_of_record\\n' > out/lcov.info";
    let cases = [
        ("lines", "true", "The coverage was not measured:\n- out/lcov.info of `"),
        (
            "diff",
            "mkdir -p out; echo nothing > out/lcov.info",
            "The coverage was not measured:\n- out/lcov.info of `",
        ),
        ("diff", other, "The coverage of these changed files was not measured:\n- src/price.py\n"),
        ("lines", other, "The coverage of these changed files was not measured:\n- src/price.py\n"),
        ("functions", "", "The coverage of functions was not measured, and 50 % must be covered."),
    ];
    for (setting, first, seen) in cases {
        let never = setting == "functions";
        let garden = garden(&[if never { report.clone() } else { command(&only_second(first)) }]);
        garden.config(&format!("arborist.coverage.{setting}"), "50");
        garden.config("arborist.trust.coverage", "require");
        garden.agent(&format!(
            "{WRITES_PRICE}\nif test $work = T001.implement.1; then echo c > tests/test_more.py; fi"
        ));
        garden.write("src/other.py", "one\n");
        garden.commit("Have another file");
        let ended = garden.run(&["gardener", "--max-attempts", "2", "--no-review"]);
        ended.assert(i32::from(never), &["coverage"]);
        let failed = garden.message("task(T001): tests fail");
        assert!(failed.contains(&format!("\nerror[coverage]: {seen}")), "{setting}: {failed}");
        assert!(garden.prompt("T001.implement.1").contains(seen), "{setting}");
    }
}

#[test]
fn what_a_task_keeps_out_of_the_coverage_is_named_with_its_place() {
    let excludes = r#"if test $ARBORIST_STEP = implement; then
        mkdir -p src tests; printf 'one\ntwo  # pragma: no cover\n' > src/price.py
        printf 'three\n' > src/late.py; printf 'a  # pragma: no cover\n' > tests/test_price.py
        printf '[run]\nomit =\n    old.py\n    src/late.py\n' > .coveragerc
        fi"#;
    let garden = |level: &str| {
        let garden = Garden::new(&with_commands(&[json!({"type": "unit", "command": "true"})]));
        garden.config("arborist.trust.coverage", level);
        garden.write(".coveragerc", "[run]\nomit =\n    old.py\n");
        garden.commit("Configure the coverage");
        garden.agent(excludes);
        garden
    };
    let warned = garden("warn");
    warned.run(&["gardener"]).assert(0, &[]);
    assert_eq!(trailer(&warned, "Findings"), "coverage");
    let finding = "warning[coverage]: The change keeps code out of the coverage:\n\
        - src/price.py:2: two # pragma: no cover\n- .coveragerc:4: src/late.py\n";
    let message = test_step(&warned);
    assert!(message.contains(finding), "{message}");
    let review = warned.prompt("T001.review.0");
    assert!(review.contains(".coveragerc:4: src/late.py"), "{review}");

    let off = garden("off");
    off.run(&["gardener"]).assert(0, &[]);
    assert_eq!(trailer(&off, "Findings"), "");
}

#[test]
fn coverage_that_no_command_measures_is_refused_before_an_agent_is_paid_if_it_is_required() {
    let garden = garden(&[json!({"type": "unit", "command": "true"})]);
    garden.config("arborist.trust.coverage", "require");
    garden
        .run(&["gardener"])
        .assert(2, &["no test command of T001 measures coverage", "the field `coverage`"]);
    assert!(garden.steps().is_empty() && garden.asked().is_empty());
}
