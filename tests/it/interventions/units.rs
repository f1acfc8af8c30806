//! Tests work units: `next --json` hands one out, and `done UNIT` takes it in. No agent is configured.

use serde_json::{Value, json};

use super::check_run;
use crate::support::garden::{Garden, one_task, plan};
use crate::support::schemas::fits;
use crate::support::skip::has_proc;

/// A repository without an agent, with a task that is judged by `sh tests/check.sh`.
fn test_first() -> Garden {
    let mut tree = one_task(&["sh tests/check.sh"]);
    tree["nodes"]["T001"]["test_first"] = json!(true);
    without_agent(&tree)
}

fn without_agent(tree: &Value) -> Garden {
    let garden = Garden::new(tree);
    garden.git(&["config", "--remove-section", "arborist"]);
    garden.run(&["hooks", "install"]).assert(0, &[]);
    garden
}

/// The unit that is next.
fn next(garden: &Garden) -> Value {
    let ended = garden.run(&["next", "--json"]);
    ended.assert(0, &[]);
    let unit: Value = serde_json::from_str(&ended.stdout).unwrap();
    fits("next", &unit);
    unit
}

fn name(unit: &Value) -> String {
    unit["unit"].as_str().unwrap().to_owned()
}

/// Hands in a unit, and returns what the command says.
#[track_caller]
fn done(garden: &Garden, args: &[&str], status: i32) -> Value {
    let ended = garden.run(&[&["done", "--json"], args].concat());
    assert_eq!(ended.status, status, "{ended:#?}");
    let said: Value =
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:#?}"));
    fits("done", &said);
    said
}

#[track_caller]
fn refused(garden: &Garden, args: &[&str], status: i32, words: &[&str]) {
    let head = garden.head();
    let said = done(garden, args, status);
    assert_eq!(said["verdict"], "refused", "{said:#}");
    assert_eq!(garden.head(), head, "nothing is committed");
    let reason = format!("{} {}", said["reason"].as_str().unwrap(), said["remedy"].as_str().unwrap());
    for word in words {
        assert!(reason.contains(word), "{word}: {said:#}");
    }
}

#[test]
fn a_person_does_every_step_of_a_task_by_hand_without_an_agent() {
    let garden = test_first();
    let unit = next(&garden);
    let head = garden.head();
    assert!(name(&unit).starts_with(&format!("T001/red/0@{}.", &head[..12])), "{unit}");
    assert_eq!(unit["tests"], json!(["sh tests/check.sh"]));
    let prompt = garden.run(&["next", "--prompt"]);
    assert_eq!(unit["prompt"].as_str().unwrap(), prompt.stdout);
    assert!(prompt.stdout.starts_with("## Task\n\nWrite failing tests for task T001"), "{}", prompt.stdout);

    garden.write("tests/check.sh", "echo looking; grep -q right T001.txt\n");
    let said = done(&garden, &[&name(&unit), "-m", "It looks for the word."], 0);
    assert_eq!((&said["verdict"], &said["next"]["step"]), (&json!("pass"), &json!("implement")));
    assert_eq!(said["evidence"][0]["step"], "red");

    let unit = next(&garden);
    assert_eq!(said["next"]["unit"], unit["unit"]);
    garden.write("T001.txt", "wrong\n");
    let said = done(&garden, &[&name(&unit)], 1);
    assert_eq!((&said["verdict"], &said["next"]["attempt"]), (&json!("fail"), &json!(1)));
    assert!(said["evidence"][1]["body"].as_str().unwrap().contains("looking"), "{said:#}");

    let unit = next(&garden);
    assert!(unit["prompt"].as_str().unwrap().contains("looking"), "{unit:#}");
    garden.write("T001.txt", "right\n");
    let said = done(&garden, &[&name(&unit)], 0);
    let commit = garden.git(&["rev-parse", "HEAD"]);
    assert_eq!(said["evidence"][1]["commit"], commit.trim());
    assert_eq!(said["next"]["step"], "review");

    let unit = next(&garden);
    assert!(unit["prompt"].as_str().unwrap().contains("+right"), "{unit:#}");
    refused(&garden, &[&name(&unit)], 1, &["git arborist mark approve T001"]);
    garden.run(&["mark", "approve", "T001", "-m", "Good."]).assert(0, &[]);
    let unit = next(&garden);
    assert_eq!((&unit["step"], &unit["prompt"]), (&json!("complete"), &Value::Null));
    let said = done(&garden, &[&name(&unit)], 0);
    assert_eq!((&said["state"], &said["next"]), (&json!("complete"), &Value::Null));
    assert_eq!(
        garden.steps(),
        [
            "task(T001): failing tests for \"Do T001\" | red pass   0",
            "task(T001): implement \"Do T001\" | implement pass   0",
            "task(T001): tests fail for \"Do T001\" (attempt 1/5) | test  fail  0",
            "task(T001): implement \"Do T001\" | implement pass   1",
            "task(T001): tests pass for \"Do T001\" | test  pass  1",
            "task(T001): review approved for \"Do T001\" | review   approved 1",
            "task(T001): complete \"Do T001\" | complete pass   ",
        ]
    );
    let red = garden.git(&["log", "-1", "--format=%B", "HEAD~6"]);
    for part in ["It looks for the word.", "Arborist-Red: test", "Arborist-By: user"] {
        assert!(red.contains(part), "{part}: {red}");
    }
    assert_eq!(garden.git(&["status", "--porcelain"]), "");
    check_run(&garden);
}

#[test]
fn a_task_is_done_by_hand_without_naming_units() {
    let garden = test_first();
    garden.write("tests/check.sh", "grep -q right T001.txt\n");
    garden.run(&["done", "T001"]).assert(0, &["The new tests of T001 fail, as they must"]);
    garden.write("T001.txt", "right\n");
    garden.run(&["done"]).assert(0, &["The tests of T001 pass", "git arborist mark approve T001"]);
    garden.run(&["done"]).assert(1, &["git arborist mark approve T001"]);
    garden.run(&["mark", "approve", "T001"]).assert(0, &[]);
    let ended = garden.run(&["done"]);
    ended.assert(0, &["T001 is complete"]);
    assert_eq!(ended.stdout, "1/1 complete\n");
    check_run(&garden);
}

#[test]
fn the_failing_tests_of_a_unit_are_tests_alone_and_must_fail() {
    let garden = test_first();
    let unit = name(&next(&garden));
    refused(&garden, &[&unit], 1, &["there are no changes"]);
    garden.write("tests/check.sh", "grep -q right T001.txt\n");
    garden.write("T001.txt", "right\n");
    refused(&garden, &[&unit], 1, &["This step may change only tests", "T001.txt", "Nothing was committed"]);
    std::fs::remove_file(garden.top().join("T001.txt")).unwrap();
    garden.write("tests/check.sh", "true\n");
    let said = done(&garden, &[&unit], 1);
    assert_eq!((&said["verdict"], &said["next"]["step"]), (&json!("fail"), &json!("red")));
    assert_eq!(said["evidence"][0]["found"][0]["check"], "red", "{said:#}");
    garden.write("tests/check.sh", "grep -q right T001.txt\n");
    done(&garden, &[&name(&next(&garden))], 0);
    check_run(&garden);
}

#[test]
fn a_stale_unit_is_refused_and_changes_nothing() {
    let garden = without_agent(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["test -f T001.txt"]),
        ("T002", "p1", &[], &["test -f T002.txt"]),
    ]));
    let unit = name(&next(&garden));
    garden.write("T001.txt", "one\n");
    done(&garden, &[&unit], 0);
    // Another worker has got the same unit.
    garden.write("T001.txt", "two\n");
    let status = garden.git(&["status", "--porcelain"]);
    refused(&garden, &[&unit], 5, &["is not current any more", "tests pass for", "git arborist next --json"]);
    assert_eq!(garden.git(&["status", "--porcelain"]), status);
    // A unit of another task does not take the work of this one.
    refused(&garden, &[&unit.replace("T001", "T002")], 5, &["is not current any more"]);
    garden.git(&["checkout", "-q", "--", "."]);

    let review = name(&next(&garden));
    garden.run(&["note", "T001", "-m", "Look at the name."]).assert(0, &[]);
    refused(&garden, &[&review, "--worker", "mine", "-m", "APPROVED"], 5, &["note for"]);
    let review = name(&next(&garden));
    garden.write("other.txt", "x\n");
    garden.commit("Something else");
    refused(&garden, &[&review, "--worker", "mine", "-m", "APPROVED"], 5, &["new commits"]);
    refused(&garden, &[&name(&next(&garden)).replace("review", "implement")], 5, &["is not what comes next"]);
    check_run(&garden);
}

#[test]
fn a_unit_of_another_clone_or_branch_is_told_apart_from_a_stale_one() {
    let garden = without_agent(&one_task(&["test -f T001.txt"]));
    garden.write("T001.txt", "one\n");
    refused(
        &garden,
        &["T001/implement/0@0123456789ab.0123456789ab"],
        2,
        &["does not belong to this repository", "0123456789ab"],
    );
    refused(
        &garden,
        &["T009/implement/0@0123456789ab.0123456789ab"],
        2,
        &["does not belong to this repository"],
    );
    refused(&garden, &["T001/write/0@0123456789ab"], 2, &["neither a unit of work nor a task"]);
    let unit = name(&next(&garden));
    refused(&garden, &[&unit.replace("T001", "T009")], 2, &["there is no task T009"]);
    garden.git(&["switch", "-q", "-c", "side"]);
    garden.git(&["commit", "-q", "--allow-empty", "-m", "Aside"]);
    let aside = name(&next(&garden));
    garden.git(&["switch", "-q", "-"]);
    garden.forget_history();
    refused(&garden, &[&aside], 5, &["on another branch"]);
    done(&garden, &[&unit], 0);
}

#[test]
fn the_work_of_a_program_is_judged_like_that_of_an_agent() {
    let garden = without_agent(&one_task(&["sh tests/check.sh"]));
    garden.write("tests/check.sh", "grep -q right T001.txt\n");
    garden.commit("Add a test");
    garden.config("arborist.maxAttempts", "2");
    let unit = name(&next(&garden));
    garden.write("AGENTS.md", "Trust me.\n");
    garden.write("T001.txt", "wrong\n");
    let said = done(&garden, &[&unit, "--worker", "claude-code/2.1", "-m", "All tests pass: 99 of 99."], 1);
    assert_eq!(said["verdict"], "fail");
    let found = said["evidence"][1]["found"].to_string();
    assert!(found.contains("\"protect\"") && found.contains("AGENTS.md"), "{said:#}");
    let message = garden.git(&["log", "-1", "--format=%B", "HEAD~1"]);
    assert!(message.contains("Arborist-Runner: claude-code/2.1"), "{message}");
    assert!(message.contains("99 of 99") && !message.contains("Arborist-By"), "{message}");

    garden.write("id_rsa", &format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n", "A".repeat(64)));
    let unit = name(&next(&garden));
    refused(&garden, &[&unit, "--worker", "mine"], 1, &["id_rsa", "Nothing was committed"]);
    std::fs::remove_file(garden.top().join("id_rsa")).unwrap();
    garden.write("T001.txt", "wrong\n\n");
    let said = done(&garden, &[&unit, "--worker", "mine"], 1);
    assert_eq!((&said["state"], &said["next"]), (&json!("failed"), &Value::Null), "no attempt is left");
    assert_eq!(said["evidence"][2]["step"], "complete");
    check_run(&garden);
}

#[test]
fn commits_that_a_program_made_itself_belong_to_its_unit() {
    let garden = without_agent(&one_task(&["sh tests/check.sh"]));
    garden.write("tests/check.sh", "grep -q right T001.txt\n");
    garden.commit("Add a test");
    let unit = name(&next(&garden));
    garden.write("T001.txt", "right\n");
    garden.write("tests/check.sh", "true\n");
    garden.commit("My own commit");
    // The tests from before pass with what it did, so that it changed them as well is a matter for the reviewer.
    done(&garden, &[&unit, "--worker", "mine"], 0);
    let prompt = garden.run(&["next", "--prompt"]).stdout;
    assert!(
        prompt.contains("- tests/check.sh (test): 1 line removed, 1 added"),
        "what it committed is judged too: {prompt}"
    );
    let message = garden.git(&["log", "-1", "--format=%B", "HEAD~1"]);
    assert!(message.contains("The runner made commits of its own:\n- "), "{message}");
    check_run(&garden);
}

#[test]
fn a_program_does_not_review_and_the_configured_reviewer_does() {
    let garden = without_agent(&one_task(&["test -f T001.txt"]));
    garden.write("T001.txt", "one\n");
    refused(&garden, &["T001", "--worker", "mine"], 2, &["is not a unit of work"]);
    refused(&garden, &["--worker", "mine"], 2, &["is not a unit of work"]);
    let said = done(&garden, &[&name(&next(&garden)), "--worker", "mine"], 0);
    assert!(said["next"].is_null() && said["remedy"].as_str().unwrap().contains("a person"), "{said:#}");
    let unit = name(&next(&garden));
    assert!(unit.starts_with("T001/review/0@"), "{unit}");
    for worker in ["mine", "other"] {
        let args = [&unit, "--worker", worker, "-m", "Fine.\n\nAPPROVED"];
        refused(&garden, &args, 7, &["no reviewer is configured"]);
    }
    garden.runner("reviewer", "cat > /dev/null; echo Good.; echo APPROVED");
    garden.config("arborist.review.runner", "reviewer");
    let said = done(&garden, &[&name(&next(&garden)), "--worker", "mine", "-m", "REJECTED"], 0);
    assert_eq!(said["state"], "complete", "complete follows by itself: {said:#}");
    let review = garden.git(&["log", "-1", "--format=%B", "HEAD~1"]);
    assert!(review.contains("Arborist-Runner: reviewer") && review.contains("Good."), "{review}");
    check_run(&garden);
}

#[test]
fn a_unit_is_refused_if_what_decides_about_it_has_changed_since() {
    let hook = |garden: &Garden| garden.program(&garden.top().join(".git/hooks/pre-commit"), "exit 0");
    let plan = |garden: &Garden| {
        let easy = garden.read("task-tree.json").replace("grep -q right T001.txt", "true");
        garden.write("task-tree.json", &easy);
        garden.commit("Change the plan");
    };
    let setting = |garden: &Garden| garden.config("arborist.trust.protect", "off");
    let changes: [&dyn Fn(&Garden); 3] = [&hook, &plan, &setting];
    for change in changes {
        let garden = without_agent(&one_task(&["grep -q right T001.txt"]));
        garden.write(".gitignore", "notes.txt\n");
        garden.commit("Ignore a file");
        let unit = name(&next(&garden));
        garden.write("notes.txt", "This decides nothing.\n");
        assert_eq!(name(&next(&garden)), unit);
        garden.write("T001.txt", "right\n");
        change(&garden);
        refused(&garden, &[&unit, "--worker", "mine"], 5, &["have changed since the unit", "next --json"]);
        refused(
            &garden,
            &[unit.split_once('.').unwrap().0, "--worker", "mine"],
            2,
            &["is not a unit of work"],
        );
    }
}

#[test]
fn a_person_does_not_decide_from_inside_a_step() {
    if !has_proc() {
        return;
    }
    let garden = Garden::new(&one_task(&["sh ask.sh test"]));
    garden.write(
        "ask.sh",
        "for args in 'mark approve T001' 'mark skip T001 -m x' 'note T001 -m x' 'done T001' stop; do\n\
         env -i PATH=\"$PATH\" HOME=\"$HOME\" setsid git-arborist $args >> \"$ROOT/$1\" 2>&1 && echo DONE >> \"$ROOT/$1\"; done; true\n",
    );
    garden.commit("Ask");
    garden.agent("sh ask.sh \"${work#*.}\"");
    garden.run(&["garden"]).assert(0, &[]);
    for name in ["implement.0", "test", "review.0"] {
        let said = std::fs::read_to_string(garden.root().join(name)).unwrap();
        assert_eq!(said.matches("was called from inside a step").count(), 5, "{name}: {said}");
        assert!(!said.contains("DONE"), "{name}: {said}");
    }
}

#[test]
fn a_unit_that_was_interrupted_after_its_commit_goes_on_with_the_tests() {
    let garden = without_agent(&one_task(&["test -f T001.txt"]));
    let unit = name(&next(&garden));
    garden.write("T001.txt", "one\n");
    done(&garden, &[&unit], 0);
    garden.git(&["reset", "-q", "--hard", "HEAD~1"]);
    garden.forget_history();
    let said = done(&garden, &[&unit], 0);
    assert_eq!(said["evidence"][0]["step"], "test");
    check_run(&garden);
}

#[test]
fn a_program_that_is_blocked_asks_and_commits_nothing_else() {
    let garden = without_agent(&one_task(&["grep -q right T001.txt"]));
    let unit = name(&next(&garden));
    garden.write("T001.txt", "half\n");
    garden.config("arborist.onBlocked", "fail");
    let strict = name(&next(&garden));
    refused(&garden, &[&strict, "--worker", "mine", "-m", "BLOCKED: which date?"], 1, &["which date?"]);
    garden.git(&["config", "--unset", "arborist.onBlocked"]);
    assert_eq!(name(&next(&garden)), unit, "everything is as it was");
    let said = done(&garden, &[&unit, "--worker", "mine", "-m", "BLOCKED: which date?"], 7);
    assert_eq!((&said["state"], &said["next"]), (&json!("asked"), &Value::Null), "{said:#}");
    assert!(said["remedy"].as_str().unwrap().contains("is recorded"), "{said:#}");
    assert!(!said["remedy"].as_str().unwrap().contains("git arborist note"), "{said:#}");
    assert_eq!(garden.subjects(), ["task(T001): blocked \"Do T001\""]);
    assert_eq!(garden.read("T001.txt"), "half\n");
}

#[test]
fn whoever_works_by_hand_can_ask_too_and_the_message_is_the_question() {
    let garden = without_agent(&one_task(&["grep -q right T001.txt"]));
    let unit = name(&next(&garden));
    refused(&garden, &[&unit, "--worker", "mine", "--blocked"], 2, &["--blocked needs the question"]);
    let said = done(&garden, &[&unit, "--worker", "mine", "--blocked", "-m", "Which date\nis meant?"], 7);
    assert_eq!(said["state"], "asked", "{said:#}");
    let message = garden.git(&["log", "-1", "--format=%B"]);
    assert!(message.contains("\nQuestion:\nWhich date is meant?\n"), "{message}");
    assert!(message.contains("\nArborist-Runner: mine\n"), "{message}");
    garden.run(&["note", "T001", "-m", "the second one"]).assert(0, &[]);

    garden.write("T001.txt", "half\n");
    garden.run(&["done", "T001", "--blocked", "-m", "Which colour?"]).assert(7, &["Which colour?"]);
    assert_eq!(garden.read("T001.txt"), "half\n");
    let message = garden.git(&["log", "-1", "--format=%B"]);
    assert!(
        message.contains("\nQuestion:\nWhich colour?\n") && message.contains("Runner: user"),
        "{message}"
    );
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}
