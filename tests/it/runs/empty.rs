//! Tests implement steps that change nothing.

use crate::support::garden::{Garden, one_task, side_by_side};

/// A garden whose agent changes nothing and says this, unless the file `work-now` exists outside of the repository. `$calls` is
/// something else at each call.
fn idle(tests: &[&str], says: &str) -> Garden {
    let garden = Garden::new(&one_task(tests));
    garden.agent(&format!(
        "calls=$(cat \"$ROOT/calls\" 2>/dev/null)x; echo $calls > \"$ROOT/calls\"
         test $ARBORIST_STEP = implement -a ! -e \"$ROOT/work-now\" && {{ {says}; exit 0; }}"
    ));
    garden
}

/// The findings in the commits, oldest first, each with its step.
fn findings(garden: &Garden) -> Vec<String> {
    let format = "--format=%(trailers:key=Arborist-Step,valueonly,separator=) %(trailers:key=Arborist-Findings,valueonly,separator=)";
    garden.lines(&["log", "--reverse", format, "--grep=^Arborist-Step"])
}

#[test]
fn an_agent_that_changes_nothing_fails_the_attempt_and_the_next_one_is_told() {
    let garden = idle(&["true"], "echo I looked at $calls.");
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &["nothing was changed", "T001 failed"]);
    assert_eq!(garden.subjects()[0], "task(T001): implement \"Do T001\" (failed, attempt 1/1)");
    std::fs::write(garden.root().join("work-now"), "").unwrap();
    garden.run(&["garden", "T001"]).assert(0, &[]);
    let prompt = garden.prompts().into_iter().rfind(|(work, _)| work == "T001.implement.0").unwrap().1;
    assert!(prompt.contains("Failed:\n- nothing was changed\n"), "{prompt}");
    assert!(prompt.contains("NOTHING LEFT TO DO"), "{prompt}");
}

#[test]
fn what_a_person_has_committed_after_a_failure_is_judged_by_the_tests_although_the_agent_changes_nothing() {
    let garden = idle(&["test -f done.txt"], "echo I looked at $calls.");
    garden.run(&["gardener", "--max-attempts", "2"]).assert(1, &["nothing was changed", "done T001"]);
    garden.write("done.txt", "");
    garden.commit("Do it by hand");
    garden.run(&["gardener", "--max-attempts", "2", "--failed"]).assert(0, &[]);
    let format = "--format=%b";
    let implement = garden.git(&["log", "-1", format, "--grep=^Arborist-Step: implement"]);
    assert!(implement.contains("others have committed since the last attempt"), "{implement}");
    let landed = garden.run(&["land", "--branch", "landed"]);
    landed.assert(0, &[]);
    let message = garden.git(&["log", "-1", format, "landed"]);
    assert!(message.contains("3 attempts"), "the attempts of both runs count: {message}");
}

#[test]
fn what_a_person_has_committed_without_helping_the_tests_uses_one_attempt() {
    let garden = idle(&["test -f done.txt"], "echo I looked at $calls.");
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &[]);
    garden.write("other.txt", "");
    garden.commit("Do something else");
    let failed = garden.run(&["gardener", "--max-attempts", "2", "--failed"]);
    failed.assert(1, &["T001 failed", "nothing was changed"]);
    let steps = garden.steps();
    assert_eq!(steps.iter().filter(|step| step.contains("| test")).count(), 1, "{steps:?}");
}

#[test]
fn a_task_that_was_already_done_continues_with_tests_and_review_and_a_finding() {
    let garden = idle(&["test -f done.txt"], "echo 'It is there.'; echo; echo 'NOTHING LEFT TO DO'");
    garden.write("done.txt", "");
    garden.commit("Do it by hand");
    garden.run(&["gardener"]).assert(0, &["0 files changed"]);
    assert_eq!(
        findings(&garden),
        [
            "implement ",
            "test empty-change",
            "review empty-change",
            "complete empty-change",
            "phase-complete "
        ]
    );
    let shown = garden.run(&["show", "T001"]);
    assert_eq!(shown.stdout.matches("empty-change").count(), 3, "{}", shown.stdout);
    let shown: serde_json::Value =
        serde_json::from_str(&garden.run(&["show", "T001", "--json"]).stdout).unwrap();
    assert_eq!(
        shown["attempts"][0]["steps"][1]["findings"],
        serde_json::json!(["empty-change"]),
        "{shown:#}"
    );
    let report = garden.lines(&["ls-files", "spec/reports"]).concat();
    let report: serde_json::Value = serde_json::from_str(&garden.read(&report)).unwrap();
    assert_eq!(
        report["attempts"][0]["steps"][2]["findings"],
        serde_json::json!(["empty-change"]),
        "{report:#}"
    );
    let prompt = garden.prompt("T001.review.0");
    for words in ["The task has changed nothing", "No file was changed."] {
        assert!(prompt.contains(words), "{words}: {prompt}");
    }
    let implement = garden.git(&["log", "-1", "--format=%B", "--grep=^Arborist-Step: implement"]);
    assert!(implement.contains("the runner says that nothing is left to do."), "{implement}");
    let root = garden.git(&["rev-list", "--max-parents=0", "HEAD"]);
    garden.run(&["check", &format!("{root}..HEAD")]).assert(0, &[]);
}

#[test]
fn the_claim_that_nothing_is_left_to_do_is_judged_by_the_tests() {
    let garden = idle(&["echo 'done.txt is missing' >&2; test -f T001.txt"], "echo NOTHING LEFT TO DO");
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &["T001 failed"]);
    assert_eq!(findings(&garden), ["implement ", "test empty-change", "complete "]);
    std::fs::write(garden.root().join("work-now"), "").unwrap();
    garden.run(&["garden", "T001"]).assert(0, &[]);
    assert_eq!(findings(&garden)[3..], ["implement ", "test ", "review ", "complete ", "phase-complete "]);
    let prompt = garden.prompts().into_iter().rfind(|(work, _)| work == "T001.implement.0").unwrap().1;
    assert!(prompt.contains("done.txt is missing"), "{prompt}");
}

#[test]
fn a_task_without_tests_is_not_complete_because_its_agent_says_so() {
    let garden = idle(&[], "echo NOTHING LEFT TO DO");
    let ended = garden.run(&["gardener", "--max-attempts", "1", "--no-review"]);
    ended.assert(1, &["nothing was changed", "no tests to confirm it", "T001 failed"]);
}

#[test]
fn a_reviewer_can_reject_the_claim() {
    let garden = idle(&["true"], "echo NOTHING LEFT TO DO");
    garden.runner("strict", "cat > /dev/null; echo 'The table is missing.'; echo; echo REJECTED");
    garden.config("arborist.review.runner", "strict");
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &["T001 failed"]);
    assert_eq!(findings(&garden)[2], "review empty-change");
}

#[test]
fn an_empty_commit_of_the_agent_changes_nothing_either() {
    let garden = idle(&["true"], "git commit -q --allow-empty -m 'Nothing'");
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &["nothing was changed"]);
    let garden = idle(&["true"], "touch a.txt; git add a.txt; git commit -q -m 'Add a'");
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(findings(&garden).iter().all(|line| !line.contains("empty-change")), "{:#?}", findings(&garden));
}

#[test]
fn a_task_whose_last_attempt_adds_nothing_to_an_earlier_one_has_changed_something() {
    let garden = Garden::new(&one_task(&["test -f \"$ROOT/fixed\""]));
    garden.agent(
        "case $work in
         T001.implement.1) : > \"$ROOT/fixed\"; echo 'The machine was at fault.'; echo NOTHING LEFT TO DO; exit 0;;
         esac",
    );
    garden.run(&["gardener"]).assert(0, &[]);
    let review = garden.prompt("T001.review.1");
    assert!(!review.contains("The task has changed nothing") && review.contains("- T001.txt"), "{review}");
    assert_eq!(findings(&garden)[2..5], ["implement ", "test ", "review "]);
}

#[test]
fn a_task_whose_attempts_cancel_each_other_out_has_changed_nothing_and_every_view_says_so() {
    let garden = Garden::new(&one_task(&["grep -q good f"]));
    garden.write("f", "good\n");
    garden.commit("Begin well");
    garden.agent(
        "case $work in *.implement.0) echo broken > f; exit 0;; *.implement.1) echo good > f; exit 0;; esac",
    );
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(
        findings(&garden)[3..6],
        ["test empty-change", "review empty-change", "complete empty-change"]
    );
    let words = "The task has changed nothing, because its attempts cancel each other out";
    assert!(garden.prompt("T001.review.1").contains("The task has changed nothing."));
    assert!(garden.prompt("T001.review.1").contains(words), "{}", garden.prompt("T001.review.1"));
    let shown = garden.run(&["show", "T001"]).stdout;
    let report = garden.run(&["report"]).stdout;
    for view in [shown, report] {
        assert!(view.contains("empty-change"), "{view}");
    }
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

/// Ways in which an agent can change only the index, so that a commit would change no file.
const TRACES: [&str; 5] = [
    "echo b > b; git add b; rm b",
    "git rm -q --cached code.txt",
    "git update-index --chmod=+x code.txt",
    "git update-index --add --cacheinfo 100644,$(echo hello | git hash-object -w --stdin),ghost",
    // The line ends are converted back when the file is added.
    "printf 'one\\r\\n' > code.txt",
];

/// A garden with a file that is committed, whose agent does this instead of its work.
fn tracing(script: &str) -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write(".gitattributes", "*.txt text\n");
    garden.write("code.txt", "one\n");
    garden.commit("Some code");
    garden.agent(&format!("test $ARBORIST_STEP = implement && {{ {script}; exit 0; }}"));
    garden
}

/// The files in the commit of the newest implement step.
fn implemented(garden: &Garden) -> Vec<String> {
    garden.files_of(&garden.git(&["log", "-1", "--format=%H", "--grep=^Arborist-Step: implement"]))
}

#[test]
fn an_agent_that_only_changed_the_index_has_changed_nothing() {
    side_by_side(TRACES, |trace| {
        let garden = tracing(&format!("{trace}; echo 'I did something.'"));
        garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &["nothing was changed", "T001 failed"]);
        assert_eq!(implemented(&garden), [""; 0], "{trace}");
        assert_eq!(garden.status(), [""; 0], "{trace}");
        let body = garden.git(&["log", "-1", "--format=%B", "--grep=^Arborist-Step: implement"]);
        assert!(body.contains("Failed:\n- nothing was changed\n"), "{trace}: {body}");
    });
}

#[test]
fn changes_only_in_the_index_are_not_counted_as_changed_files() {
    side_by_side(TRACES, |trace| {
        let garden = tracing(&format!("{trace}; echo new > new.txt"));
        garden.run(&["gardener"]).assert(0, &[" 1 file changed"]);
        assert_eq!(implemented(&garden), ["new.txt"], "{trace}");
        assert_eq!(garden.status(), [""; 0], "{trace}");
        let body = garden.git(&["log", "-1", "--format=%B", "--grep=^Arborist-Step: implement"]);
        assert!(!body.contains("code.txt") && !body.contains("ghost"), "{trace}: {body}");
    });
}

#[test]
fn the_files_in_commits_that_an_agent_made_are_counted() {
    let garden = tracing("echo new > new.txt; git add new.txt; git commit -qm Work; echo more > more.txt");
    garden.run(&["gardener"]).assert(0, &[" 2 files changed"]);
    assert_eq!(implemented(&garden), ["more.txt"]);
}
