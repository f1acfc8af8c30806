//! Tests agents that cannot go on without a person, and implementers that call the tests of their task wrong.

use serde_json::{Value, json};

use crate::support::garden::{Garden, one_task, plan, side_by_side};
use crate::support::questions::{asking, document, four_tasks};

/// The message of the newest block.
fn block(garden: &Garden) -> String {
    garden.git(&["log", "-1", "--format=%B", "--grep=^Arborist-Step: block"])
}

#[test]
fn a_question_stops_only_its_task_and_a_note_answers_it() {
    let garden = asking(&four_tasks());
    let ended = garden.run(&["gardener"]);
    ended.assert(7, &["T002 waits for an answer", "Two dates are named.", "git arborist note T002 -m TEXT"]);
    // The line of the step says that it is no success.
    let line = ended.stderr.lines().find(|line| line.contains("T002 block")).expect("it has a line");
    assert!(line.contains(" -- T002 block       asked "), "{line}");
    let subjects = garden.subjects();
    assert!(subjects.contains(&"task(T002): blocked \"Do T002\"".to_owned()), "{subjects:?}");
    assert!(subjects.contains(&"task(T004): complete \"Do T004\"".to_owned()), "{subjects:?}");
    let message = block(&garden);
    for part in [
        "\nQuestion:\nTwo dates are named.\n\nwhich date is meant?\n",
        "\nRunner output (",
        "\nArborist-Retry: 0\n",
        "\nArborist-Reason: which date is meant?",
        "\nArborist-Runner: mine\n",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert_eq!(garden.status(), [""; 0]);
    assert!(!garden.exists("half.txt"));
    let saved = garden.run(&["rescue", "list"]);
    assert!(saved.stdout.contains("blocked implement step of T002"), "{saved:#?}");

    let status = document(&garden.run(&["status", "--json"]));
    assert_eq!(status["counts"]["asked"], 1);
    assert_eq!(status["counts"]["active"], 1);
    let task =
        |id: &str| status["tasks"].as_array().unwrap().iter().find(|task| task["id"] == id).unwrap().clone();
    assert_eq!(task("T002")["state"], "asked");
    assert_eq!(task("T002")["question"], "Two dates are named.\n\nwhich date is meant?");
    assert_eq!(task("T003")["state"], "pending");
    assert_eq!(task("T003")["blocked_by"], json!([]));
    let shown = garden.run(&["status"]).stdout;
    assert!(shown.contains("which date is meant?") && shown.contains("git arborist note T002"), "{shown}");
    let shown = garden.run(&["show", "T002"]).stdout;
    assert!(shown.contains("Waits for an answer\n  Two dates are named."), "{shown}");
    assert_eq!(document(&garden.run(&["show", "T002", "--json"]))["state"], "asked");
    let report = garden.run(&["report"]).stdout;
    assert!(report.contains("which date is meant?"), "{report}");
    garden.run(&["next"]).assert(7, &["which date is meant?"]);
    garden.run(&["next", "T002"]).assert(7, &["which date is meant?"]);
    garden.run(&["garden", "T002"]).assert(7, &["which date is meant?"]);
    let dry = garden.run(&["gardener", "--dry-run"]);
    let named = "nothing to do\nT002 waits for an answer: Two dates are named. which date is meant? `git arborist note T002 -m TEXT`";
    assert!(dry.status == 0 && dry.stdout.starts_with(named), "{dry:?}");

    let asked = garden.asked().len();
    garden.run(&["gardener"]).assert(7, &["which date is meant?"]);
    assert_eq!(garden.asked().len(), asked, "nobody is asked as long as there is no answer");

    garden.run(&["note", "T002", "-m", "It is the second one."]).assert(0, &[]);
    let status = document(&garden.run(&["status", "--json"]));
    assert_eq!((&status["counts"]["asked"], &status["next"]), (&json!(0), &json!("T002")));
    garden.run(&["gardener"]).assert(0, &[]);
    let prompt = garden.prompt("T002.implement.0");
    assert!(prompt.contains("It is the second one.") && prompt.contains("Two dates are named."), "{prompt}");
    assert!(
        garden.steps().iter().any(|step| step == "task(T002): implement \"Do T002\" | implement pass   0")
    );
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
    let status = document(&garden.run(&["status", "--json"]));
    assert_eq!(status["counts"]["complete"], 4);
    assert_eq!(status["tasks"][1]["attempt_count"], 1, "{status:#}");
}

#[test]
fn a_run_that_an_error_ends_names_the_question_and_the_failed_task() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["false"]),
        ("T002", "p1", &[], &["true"]),
        ("T003", "p1", &[], &["true"]),
    ]));
    garden.agent(
        "case $work in T002.implement.*) echo 'BLOCKED: Name the date'; exit 0;; \
         T003.implement.*) echo 'Invalid API key'; exit 1;; esac",
    );
    let question = "T002 waits for an answer:\n  Name the date\n`git arborist note T002 -m TEXT`";
    let named = ["T001 failed: `git arborist show T001` says why.\n", question];
    garden.run(&["gardener", "--max-attempts", "1"]).assert(4, &named);
    // The words of an agent stay as they are, everywhere.
    for view in [&["next", "T002"][..], &["status"]] {
        let said = garden.run(view);
        assert!((said.stdout + &said.stderr).contains(question), "{view:?}");
    }
}

#[test]
fn an_edit_of_the_task_in_the_plan_answers_and_so_does_opening_it_again() {
    for answer in ["edit", "edit after a move", "reopen", "label"] {
        let mut tree = four_tasks();
        let garden = asking(&tree);
        garden.run(&["gardener"]).assert(7, &[]);
        match answer {
            "edit" | "edit after a move" => {
                tree["nodes"]["T002"]["description"] = json!("Take the second one.");
            }
            "label" => tree["nodes"]["T002"]["labels"] = json!(["the second one"]),
            _ => garden.run(&["mark", "reopen", "T002", "-m", "Take the second one."]).assert(0, &[]),
        }
        let mut path = "task-tree.json";
        if answer == "edit after a move" {
            path = "plan.json";
            garden.git(&["mv", "task-tree.json", path]);
            garden.git(&["commit", "-q", "-m", "Move the plan"]);
            garden.git(&["config", "arborist.tree", path]);
        }
        if answer != "reopen" {
            garden.write(path, &format!("{tree:#}\n"));
            garden.commit("Edit the plan");
        }
        let expected = if answer == "label" { 7 } else { 0 };
        assert_eq!(garden.run(&["gardener"]).status, expected, "{answer}");
        garden.run(&["check", "--run"]).assert(0, &[]);
    }
}

#[test]
fn a_kill_right_after_the_question_changes_nothing() {
    let garden = asking(&four_tasks());
    garden.program(
        &garden.top().join(".git/hooks/post-commit"),
        "case $(git log -1 --format=%s) in *blocked*) kill -9 $(cat \"$ROOT/run\"); sleep 1;; esac",
    );
    let running = garden.start(garden.arborist(&["gardener"]));
    std::fs::write(garden.root().join("run"), running.id()).unwrap();
    assert_eq!(running.wait().status, 137);
    garden.assert_nothing_runs();
    std::fs::remove_file(garden.top().join(".git/hooks/post-commit")).unwrap();
    garden.run(&["gardener"]).assert(7, &["which date is meant?"]);
    let blocks = garden.subjects().iter().filter(|subject| subject.contains("blocked")).count();
    assert_eq!(blocks, 1);
    assert_eq!(garden.asked().iter().filter(|work| work.starts_with("T002.implement")).count(), 1);
    garden.run(&["note", "T002", "-m", "the second one"]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn only_the_last_line_of_an_implementer_is_an_answer() {
    let work = "echo x > T001.txt";
    let cases: &[(&str, i32, &str)] = &[
        ("echo 'BLOCKED: which date?'; echo 'I chose the first.'; echo DONE", 0, "implement \"Do T001\""),
        ("echo 'Blocked: nothing'", 0, "implement \"Do T001\""),
        ("echo 'BLOCKED: which date?'", 7, "blocked \"Do T001\""),
        ("echo 'TESTS WRONG: they want 5'", 7, "blocked \"Do T001\""),
    ];
    side_by_side(cases, |(says, status, subject)| {
        let garden = Garden::new(&one_task(&["true"]));
        garden.agent(&format!("case $work in T001.implement.*) {work}; {says}; exit 0;; esac"));
        assert_eq!(garden.run(&["gardener"]).status, *status, "{says}");
        assert_eq!(garden.subjects()[0], format!("task(T001): {subject}"), "{says}");
    });
}

#[test]
fn blocked_without_a_reason_is_named_and_the_work_is_judged() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent("case $work in T001.implement.*) echo x > T001.txt; echo 'BLOCKED:'; exit 0;; esac");
    garden.run(&["gardener"]).assert(0, &[]);
    let message = garden.git(&["log", "-1", "--format=%B", "--grep=^Arborist-Step: implement"]);
    assert!(message.contains("warning[unclear-answer]: "), "{message}");
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn a_reviewer_that_says_blocked_has_given_no_verdict() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent("case $work in T001.review.0) echo 'BLOCKED: what is this?'; exit 0;; esac");
    garden.run(&["gardener"]).assert(7, &["no clear verdict", "what is this?"]);
    assert_eq!(garden.trailers("Arborist-Reason"), ["no-verdict"]);
    assert!(!garden.steps().iter().any(|step| step.contains("review rejected")));
}

#[test]
fn a_question_can_fail_the_attempt() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.config("arborist.onBlocked", "fail");
    garden
        .agent("case $work in T001.implement.0) echo x > a.txt; echo 'BLOCKED: which date?'; exit 0;; esac");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.subjects()[0], "task(T001): implement \"Do T001\" (failed, attempt 1/5)");
    assert!(garden.prompt("T001.implement.1").contains("blocked: which date?"));
}

#[test]
fn after_three_questions_only_opening_the_task_again_helps() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent(
        "case $work in T001.implement.*) test -e $ROOT/done || { echo 'BLOCKED: why?'; exit 0; };; esac",
    );
    for _ in 0..3 {
        garden.run(&["gardener"]).assert(7, &["git arborist note T001"]);
        let noted = garden.run(&["note", "T001", "-m", "Because."]);
        assert_eq!((noted.status, noted.stderr.as_str()), (0, ""));
    }
    garden.run(&["gardener"]).assert(7, &["git arborist mark reopen T001"]);
    garden.run(&["note", "T001", "-m", "Because."]).assert(0, &["git arborist mark reopen T001"]);
    allow(&garden, "tests/a.sh");
    let asked = garden.asked().len();
    garden.run(&["gardener"]).assert(7, &["git arborist mark reopen T001"]);
    assert_eq!(garden.asked().len(), asked);
    garden.run(&["mark", "reopen", "T001", "-m", "It is clear now."]).assert(0, &[]);
    std::fs::write(garden.root().join("done"), "").unwrap();
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

/// Lets T001 change this file, as a person edits the plan.
fn allow(garden: &Garden, path: &str) {
    let mut tree: Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    tree["nodes"]["T001"]["may_change"] = json!([path]);
    garden.write("task-tree.json", &tree.to_string());
    garden.commit("Let T001 change its test");
}

#[test]
fn a_test_that_contradicts_the_task_is_allowed_by_a_person() {
    let garden = Garden::new(&one_task(&["sh tests/test_a.sh"]));
    garden.write("tests/test_a.sh", "grep -q 'old()' a.txt\n");
    garden.write("a.txt", "old()\n");
    garden.commit("Begin");
    garden.agent(
        "case $work in T001.implement.*)
        if grep -q 'tests/test_a.sh' \"$file\"; then
            echo 'new()' > a.txt; echo \"grep -q 'new()' a.txt\" > tests/test_a.sh
        else
            echo 'BLOCKED: tests/test_a.sh::old contradicts the task because it calls old().'
        fi; exit 0;; esac",
    );
    // The prompt names the command, which is not meant here.
    let script = std::fs::read_to_string(garden.root().join("mine.sh")).unwrap();
    let script = script.replace("grep -q 'tests/test_a.sh'", "grep -q '^- tests/test_a.sh$'");
    std::fs::write(garden.root().join("mine.sh"), script).unwrap();
    let advice = "add \"tests/test_a.sh\" to its `may_change` in the plan";
    garden.run(&["gardener"]).assert(7, &[advice]);
    assert!(garden.run(&["status"]).stdout.contains(advice));
    allow(&garden, "tests/test_a.sh");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.read("tests/test_a.sh"), "grep -q 'new()' a.txt\n");
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

/// A test-first task whose implementer calls the tests wrong; the reviewer answers with this.
fn claiming(verdict: &str) -> Garden {
    let mut tree = one_task(&["sh tests/check.sh"]);
    tree["nodes"]["T001"]["test_first"] = json!(true);
    let garden = Garden::new(&tree);
    garden.agent(&format!(
        "case $ARBORIST_STEP in
        red) mkdir -p tests
            if test -e $ROOT/judged; then echo 'grep -q implement T001.txt' > tests/check.sh
            else echo 'test -e wrong.txt' > tests/check.sh; fi; exit 0;;
        implement) if ! test -e $ROOT/judged; then echo x > half.txt; echo 'TESTS WRONG: they want wrong.txt'; exit 0; fi
            test -e T001.txt || echo x > wrong.txt;;
        review) if ! test -e $ROOT/judged; then : > $ROOT/judged; printf '%b' '{verdict}'; exit 0; fi;;
        esac"
    ));
    garden
}

#[test]
fn a_reviewer_agrees_that_tests_are_wrong_and_they_are_written_again_in_the_same_attempt() {
    let garden = claiming("- The file is not asked for.\\n\\nTESTS REJECTED\\n");
    garden.run(&["gardener"]).assert(0, &[]);
    let steps = garden.steps();
    assert_eq!(
        steps[..5],
        [
            "task(T001): failing tests for \"Do T001\" | red pass   0",
            "task(T001): blocked \"Do T001\" | block    0",
            "task(T001): review rejected for \"Do T001\" (attempt 1/5) | review   rejected 0",
            "task(T001): failing tests for \"Do T001\" | red pass   0",
            "task(T001): implement \"Do T001\" | implement pass   0",
        ],
        "{steps:#?}"
    );
    assert_eq!(garden.asked()[..4], ["T001.red.0", "T001.implement.0", "T001.review.0", "T001.red.0"]);
    let rejected = garden.git(&["log", "-1", "--format=%B", "--grep=^Arborist-Review: rejected"]);
    assert!(rejected.contains("Arborist-Reject: tests") && rejected.contains("Arborist-Reason: tests-wrong"));
    let prompts = garden.prompts();
    let judged = &prompts[2].1;
    assert!(judged.contains("they want wrong.txt") && judged.contains("+test -e wrong.txt"), "{judged}");
    assert!(prompts[3].1.contains("The file is not asked for."), "{}", prompts[3].1);
    assert!(!garden.exists("half.txt"));
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn a_reviewer_keeps_the_tests_and_the_implementation_goes_on_in_the_same_attempt() {
    let garden = claiming("They are fine.\\n\\nAPPROVED\\n");
    garden.run(&["gardener"]).assert(0, &[]);
    let steps = garden.steps();
    assert_eq!(
        steps[..4],
        [
            "task(T001): failing tests for \"Do T001\" | red pass   0",
            "task(T001): blocked \"Do T001\" | block    0",
            "task(T001): note for \"Do T001\" | note    ",
            "task(T001): implement \"Do T001\" | implement pass   0",
        ],
        "{steps:#?}"
    );
    let note = garden.git(&["log", "-1", "--format=%B", "--grep=^Arborist-Step: note"]);
    assert!(note.contains("Arborist-By: reviewer") && note.contains("They are fine."), "{note}");
    let prompt = garden.prompt("T001.implement.0");
    assert!(prompt.contains("They are fine.") && prompt.contains("they want wrong.txt"), "{prompt}");
    let review = garden.prompt("T001.review.0");
    assert!(review.contains("Question of the agent, a claim:\n````\nthey want wrong.txt\n"), "{review}");
    assert!(!review.contains("Note from the user") && !prompt.contains("Note from the user"), "{review}");
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn a_second_claim_in_the_same_attempt_or_one_without_a_reviewer_goes_to_a_person() {
    let garden = claiming("They are fine.\\n\\nAPPROVED\\n");
    let script = std::fs::read_to_string(garden.root().join("mine.sh")).unwrap();
    let always = script
        .replace("if ! test -e $ROOT/judged; then echo x > half.txt", "if true; then echo x > half.txt");
    std::fs::write(garden.root().join("mine.sh"), always).unwrap();
    garden.run(&["gardener"]).assert(7, &["they want wrong.txt", "git arborist note T001"]);
    assert_eq!(garden.asked(), ["T001.red.0", "T001.implement.0", "T001.review.0", "T001.implement.0"]);
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);

    let garden = claiming("APPROVED\\n");
    garden.run(&["gardener", "--no-review"]).assert(7, &["they want wrong.txt", "git arborist note T001"]);
    assert_eq!(garden.asked(), ["T001.red.0", "T001.implement.0"]);
}

/// A claim about tests whose run ended before the review.
fn claim_without_review() -> Garden {
    let garden = claiming("APPROVED\\n");
    let hook = garden.top().join(".git/hooks/post-commit");
    garden.program(
        &hook,
        "case $(git log -1 --format=%s) in *blocked*) kill -9 $(cat \"$ROOT/run\"); sleep 1;; esac",
    );
    let running = garden.start(garden.arborist(&["gardener"]));
    std::fs::write(garden.root().join("run"), running.id()).unwrap();
    assert_eq!(running.wait().status, 137);
    garden.assert_nothing_runs();
    std::fs::remove_file(hook).unwrap();
    garden
}

#[test]
fn a_claim_waits_for_a_person_if_nobody_reviews_it_any_more() {
    let garden = claim_without_review();
    for args in [&["gardener", "--no-review"][..], &["garden", "T001", "--no-review"]] {
        garden.run(args).assert(7, &["they want wrong.txt", "git arborist note T001"]);
    }
    garden.config("arborist.review", "off");
    garden.run(&["next"]).assert(7, &["they want wrong.txt", "git arborist note T001"]);
    garden.run(&["next", "T001"]).assert(7, &["they want wrong.txt"]);
    let status = document(&garden.run(&["status", "--json"]));
    assert_eq!((&status["counts"]["asked"], &status["next"]), (&json!(1), &Value::Null), "{status:#}");
    assert_eq!(status["tasks"][0]["state"], "asked", "{status:#}");
    assert!(garden.run(&["show", "T001"]).stdout.contains("they want wrong.txt"));
    garden.run(&["note", "T001", "-m", "Write them again."]).assert(0, &[]);
    assert_eq!(document(&garden.run(&["status", "--json"]))["next"], "T001");
}

#[test]
fn a_person_who_has_changed_nothing_does_not_review_a_claim() {
    let garden = claim_without_review();
    let ended = garden.run(&["done", "T001"]);
    ended.assert(1, &["no changes of yours"]);
    assert!(!ended.stderr.contains("mark approve"), "{ended:#?}");
    garden.run(&["gardener"]).assert(0, &[]);
}

/// The script of an agent that commits a file in this step, and then asks once.
fn commits_and_asks(step: &str, file: &str) -> String {
    format!(
        "case $ARBORIST_STEP in {step}) if ! test -e $ROOT/answered; then
            test -e {file} || {{ mkdir -p $(dirname {file}); echo hush > {file}; git add {file}; git commit -qm mine; }}
            echo 'BLOCKED: which date?'; exit 0; fi;; esac"
    )
}

fn answer(garden: &Garden) {
    std::fs::write(garden.root().join("answered"), "").unwrap();
    garden.run(&["note", "T001", "-m", "the second one"]).assert(0, &[]);
}

#[test]
fn what_an_agent_has_committed_before_its_question_is_judged_like_its_other_work() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent(&commits_and_asks("implement", "CLAUDE.md"));
    garden.run(&["gardener"]).assert(7, &[]);
    answer(&garden);
    garden.run(&["gardener"]).assert(1, &["CLAUDE.md", "instructions for agents"]);
}

#[test]
fn what_a_test_writer_has_committed_before_its_question_must_be_tests() {
    for (file, ends_well) in [("src/x.py", false), ("tests/test_x.sh", true)] {
        let mut tree = one_task(&["sh tests/check.sh"]);
        tree["nodes"]["T001"]["test_first"] = json!(true);
        let garden = Garden::new(&tree);
        garden.agent(&format!(
            "{}\nif [ $ARBORIST_STEP = red ]; then mkdir -p tests; echo 'grep -q implement T001.txt' > tests/check.sh; exit 0; fi",
            commits_and_asks("red", file)
        ));
        garden.run(&["gardener"]).assert(7, &[]);
        answer(&garden);
        let ended = garden.run(&["gardener"]);
        assert_eq!(ended.status == 0, ends_well, "{file}: {ended:#?}");
        assert_eq!(
            ended.stderr.contains("other files are not as they were"),
            !ends_well,
            "{file}: {ended:#?}"
        );
    }
}

#[test]
fn a_kill_before_the_question_is_recorded_leaves_the_commits_with_the_task() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent(&commits_and_asks("implement", "CLAUDE.md"));
    let hook = garden.top().join(".git/hooks/commit-msg");
    garden.program(&hook, "grep -q blocked \"$1\" && { kill -9 $(cat \"$ROOT/run\"); sleep 1; }; exit 0");
    let running = garden.start(garden.arborist(&["gardener"]));
    std::fs::write(garden.root().join("run"), running.id()).unwrap();
    assert_eq!(running.wait().status, 137);
    garden.assert_nothing_runs();
    std::fs::remove_file(hook).unwrap();
    garden.forget_history();
    garden.run(&["gardener"]).assert(7, &["which date?"]);
    let message = block(&garden);
    let mine = garden.git(&["log", "-1", "--format=%H", "--grep=^mine"]);
    assert!(
        message.contains(&format!("The runner made commits of its own:\n- {mine}\n")),
        "{mine}: {message}"
    );
    answer(&garden);
    garden.run(&["gardener"]).assert(1, &["CLAUDE.md", "instructions for agents"]);
}

#[test]
fn with_several_jobs_the_others_go_on_and_an_answer_on_the_branch_of_the_task_counts() {
    let garden = asking(&four_tasks());
    garden.run(&["gardener", "--jobs", "2"]).assert(7, &["which date is meant?"]);
    let status = document(&garden.run(&["status", "--json"]));
    assert_eq!(status["counts"]["complete"], 2, "{status:#}");
    assert_eq!(status["counts"]["asked"], 1, "{status:#}");
    garden.run(&["note", "T002", "-m", "the second one"]).assert(0, &[]);
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
    assert_eq!(document(&garden.run(&["status", "--json"]))["counts"]["complete"], 4);
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn in_a_large_run_the_question_is_seen_everywhere_and_the_answer_completes_it() {
    let ids: Vec<String> = (1..=6).map(|number| format!("T{number:03}")).collect();
    let needs = |id: &str| if id == "T003" { vec!["T002"] } else { Vec::new() };
    let needed: Vec<Vec<&str>> = ids.iter().map(|id| needs(id)).collect();
    let mut rows = vec![("p1", "", &[][..], &[][..])];
    rows.extend(ids.iter().zip(&needed).map(|(id, needed)| (id.as_str(), "p1", &needed[..], &["true"][..])));
    let garden = asking(&plan(&rows));
    garden.config("arborist.notify.command", "cat >> \"$ROOT/told\"");
    let ended = garden.run(&["gardener", "--jobs", "3"]);
    ended.assert(7, &["T002 waits for an answer", "Two dates are named.", "git arborist note T002 -m TEXT"]);
    let status = document(&garden.run(&["status", "--json"]));
    assert_eq!((&status["counts"]["complete"], &status["counts"]["asked"]), (&json!(4), &json!(1)));
    let told = std::fs::read_to_string(garden.root().join("told")).unwrap();
    assert!(told.contains("which date is meant?"), "{told}");
    let page = garden.root().join("page.html").display().to_string();
    garden.run(&["report", "--format", "html", "-o", &page]).assert(0, &[]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("which date is meant?"), "{page}");
    let body = garden.run(&["report"]).stdout;
    let (Some(question), Some(tasks)) = (body.find("which date is meant?"), body.find("T004")) else {
        panic!("{body}")
    };
    assert!(question < tasks, "open questions come first: {body}");

    garden.run(&["note", "T002", "-m", "It is the second one."]).assert(0, &[]);
    garden.run(&["gardener", "--jobs", "3"]).assert(0, &[]);
    let status = document(&garden.run(&["status", "--json"]));
    assert_eq!(status["counts"]["complete"], 6, "{status:#}");
    assert_eq!(status["tasks"][1]["attempt_count"], 1, "{status:#}");
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn without_a_terminal_others_go_on_though_questions_are_to_be_put_at_once() {
    for args in [&["gardener"][..], &["gardener", "--json"], &["gardener", "--jobs", "2"]] {
        let garden = asking(&four_tasks());
        garden.config("arborist.onBlocked", "ask");
        assert_eq!(garden.run(args).status, 7, "{args:?}");
        let done = garden.subjects().iter().any(|subject| subject.contains("(T004): complete"));
        assert!(done, "{args:?}");
    }
}
