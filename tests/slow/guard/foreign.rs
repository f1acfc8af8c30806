//! Commits that come onto the branch of the run while a task is at work, from a person or a program of a task: the next commit of the
//! run names them, and the next review shows them, once.

use crate::support::garden::{Garden, one_task, plan};

/// What a person or an agent does on the branch of the run.
const QUICK_FIX: &str =
    "(cd \"$ROOT/work\"; echo quick >> fix.txt; git add fix.txt; git commit -q -m 'Quick fix')";

/// Three tasks, one after the other. While the first is implemented, something commits on the branch of the run.
fn three() -> Garden {
    let garden = Garden::new(&plan(&[
        ("T001", "", &[], &["true"]),
        ("T002", "", &["T001"], &["true"]),
        ("T003", "", &["T002"], &["true"]),
    ]));
    garden.agent(&format!(
        "case $work in T001.implement.0) test -e \"$ROOT/fixed\" || {{ {QUICK_FIX}; touch \"$ROOT/fixed\"; }};; esac"
    ));
    garden
}

/// The short id of the commit.
fn quick_fix(garden: &Garden) -> String {
    garden.git(&["log", "--format=%H", "--grep=^Quick fix$"])[..7].to_owned()
}

/// The subjects of the commits whose messages name it, oldest first.
fn naming(garden: &Garden) -> Vec<String> {
    let named = format!("--grep=^- {}$", quick_fix(garden));
    let finding =
        "--grep=^warning.foreign-commit.: Commits came onto the branch of the run while a task was at work";
    garden.lines(&["log", "--reverse", "--topo-order", "--all-match", finding, &named, "--format=%s"])
}

/// Whether a prompt shows it.
fn shows(garden: &Garden, work: &str) -> bool {
    let prompt = garden.prompt(work);
    let parts = [&*format!("- {} Quick fix\n", quick_fix(garden)), "- fix.txt\n", "\n+quick\n"];
    let shown = parts.map(|part| prompt.contains(part));
    assert!(shown == [true; 3] || shown == [false; 3], "{shown:?}: {prompt}");
    shown[0]
}

#[test]
fn a_commit_on_the_branch_of_the_run_is_named_by_the_next_merge_and_shown_to_the_next_reviewer() {
    for args in [&["gardener", "--jobs", "2"][..], &["gardener", "--branches", "task"]] {
        let garden = three();
        let ended = garden.run(args);
        ended.assert(0, &["foreign-commit: on main was committed during the run"]);
        let named = naming(&garden);
        assert_eq!(named.len(), 2, "{named:?}");
        assert!(named[0].starts_with("Merge task \"Do T001\""), "{named:?}");
        assert_eq!(named[1], "task(T002): review approved for \"Do T002\"");
        let works = ["T001.review.0", "T002.review.0", "T003.review.0"];
        assert_eq!(works.map(|work| shows(&garden, work)), [false, true, false]);
        let findings = "--format=%(trailers:key=Arborist-Findings,valueonly)";
        let of =
            |step: &str| garden.git(&["log", "-1", "--fixed-strings", &format!("--grep={step}"), findings]);
        assert_eq!(of("task(T002): review approved"), "foreign-commit");
        assert_eq!(of("task(T003): review approved"), "");
        garden.run(&["check", "--run"]).assert(0, &[]);
    }
}

#[test]
fn a_commit_on_the_branch_of_the_run_is_named_even_if_the_run_is_killed_before_that() {
    let garden = three();
    garden.agent(&format!(
        "case $work in T001.implement.0) test -e \"$ROOT/fixed\" || {{ {QUICK_FIX}; echo $$ > \"$ROOT/pid\"; touch \"$ROOT/fixed\"; exec sleep 300; }};; esac"
    ));
    let running = garden.start(garden.arborist(&["gardener", "--jobs", "2"]));
    garden.wait_for("fixed");
    garden.kill_with_agent(running);
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
    let named = naming(&garden);
    assert!(named[0].starts_with("Merge task \"Do T001\""), "{named:?}");
    assert!(shows(&garden, "T002.review.0") && !shows(&garden, "T003.review.0"));
}

#[test]
fn the_reviewer_of_a_merge_sees_what_has_come_in_with_it() {
    let garden = Garden::new(&plan(&[("T001", "", &[], &["true"]), ("T002", "", &[], &["true"])]));
    garden.agent(&format!(
        r#"touch "$ROOT/began-$ARBORIST_TASK"
        until test -e "$ROOT/began-T001" && test -e "$ROOT/began-T002"; do sleep 0.05; done
        case $work in
        T001.implement.0) echo 1 > shared; exit 0;;
        T002.implement.0)
            until git -C "$ROOT/work" log --format=%s main | grep -q '^Merge task'; do sleep 0.05; done
            {QUICK_FIX}; echo 2 > shared; exit 0;;
        T002.implement.0.merge0) echo 12 > shared; exit 0;;
        esac"#
    ));
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &["T002 merge       pass"]);
    let named = naming(&garden);
    let steps = ["task(T002): implement \"Do T002\"", "task(T002): review approved for \"Do T002\""];
    assert_eq!(named, steps);
    assert!(!shows(&garden, "T002.review.0") && shows(&garden, "T002.review.0.merge0"));
}

#[test]
fn a_commit_between_two_steps_on_one_branch_is_named_by_the_next_step_and_shown_to_the_reviewer() {
    for (step, named_by) in [
        (
            "test",
            vec!["task(T001): tests pass for \"Do T001\"", "task(T001): review approved for \"Do T001\""],
        ),
        ("review", vec!["task(T001): review approved for \"Do T001\""]),
    ] {
        let once = format!("test -e \"$ROOT/fixed\" || {{ touch \"$ROOT/fixed\"; {QUICK_FIX}; }}");
        let tests = if step == "test" { once.as_str() } else { "true" };
        let garden = Garden::new(&one_task(&[tests]));
        let reviewer = if step == "review" { once.as_str() } else { ":" };
        garden.agent(&format!("case $work in T001.review.0) {reviewer};; esac"));
        garden.run(&["gardener"]).assert(6, &["1 commit was made while"]);
        // The user leaves it there.
        garden.forget_history();
        garden.run(&["gardener"]).assert(0, &[]);
        assert_eq!(naming(&garden), named_by, "{step}");
        let (_, prompt) =
            garden.prompts().into_iter().rfind(|(work, _)| work.ends_with("T001.review.0")).unwrap();
        assert!(prompt.contains("Quick fix\n") && prompt.contains("\n+quick\n"), "{prompt}");
        let complete = garden.git(&["log", "-2", "--format=%(trailers:key=Arborist-Findings,valueonly)"]);
        assert_eq!(complete.trim(), "foreign-commit", "the complete commit says so too");
    }
}

#[test]
fn a_commit_of_a_person_while_no_task_is_at_work_is_not_named() {
    let garden = Garden::new(&plan(&[("T001", "", &[], &["true"]), ("T002", "", &["T001"], &["true"])]));
    garden.agent("case $work in T002.implement.0) test -e \"$ROOT/asked\" || { touch \"$ROOT/asked\"; echo 'BLOCKED: how?'; exit 0; };; esac");
    let fix = |garden: &Garden| {
        garden.write("fix.txt", &format!("quick {}\n", garden.head()));
        garden.commit("Quick fix");
    };
    garden.run(&["garden", "T001"]).assert(0, &[]);
    fix(&garden);
    // An agent waits for an answer.
    garden.run(&["gardener"]);
    assert!(garden.root().join("asked").exists());
    fix(&garden);
    garden.run(&["note", "T002", "-m", "So."]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.lines(&["log", "--grep=foreign-commit", "--format=%s"]), [""; 0]);
    assert_eq!(garden.lines(&["log", "-1", "--format=%s"]), ["task(T002): complete \"Do T002\""]);
}
