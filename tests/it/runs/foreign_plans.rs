//! Tests that the commands of a plan that came from elsewhere do not run before somebody has confirmed them.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::garden::{Ended, Garden, one_task};
use crate::support::skip::has;

const NOT_CONFIRMED: &str = "that nobody has confirmed in this repository";

/// A plan with one task that is judged by these commands.
fn plan_with(tests: &[&str]) -> String {
    format!("{:#}\n", one_task(tests))
}

/// What the user does with a plan.
type Act<'a> = &'a dyn Fn(&Garden);

/// Runs one of our commands as a user does who trusts no plan in advance.
fn run(garden: &Garden, args: &[&str]) -> Ended {
    garden.finish(untrusting(garden, args))
}

fn untrusting(garden: &Garden, args: &[&str]) -> Command {
    let mut command = garden.arborist(args);
    command.env_remove("ARBORIST_TRUST_PLAN");
    command
}

/// Somebody else commits files in a clone, and the user pulls that.
fn pull(garden: &Garden, files: &[(&str, &str)]) {
    let clone = garden.root().join("clone");
    let at = clone.to_str().unwrap();
    let _ = std::fs::remove_dir_all(&clone);
    garden.git(&["clone", "-q", ".", at]);
    for (path, text) in files {
        std::fs::create_dir_all(clone.join(path).parent().unwrap()).unwrap();
        std::fs::write(clone.join(path), text).unwrap();
    }
    garden.git(&["-C", at, "add", "--all"]);
    garden.git(&["-C", at, "commit", "-q", "--allow-empty", "-m", "Work of others"]);
    garden.git(&["pull", "-q", "--ff-only", at, "HEAD"]);
}

/// A repository with the plan of somebody else.
fn pulled(tests: &[&str]) -> Garden {
    let garden = Garden::new(&one_task(&[]));
    pull(&garden, &[("task-tree.json", &plan_with(tests))]);
    garden
}

#[test]
fn the_commands_of_a_plan_that_was_pulled_run_only_after_a_confirmation() {
    let garden = pulled(&["true one", "true two"]);
    for args in [&["gardener"][..], &["garden"], &["gardener", "--json"], &["gardener", "p1"]] {
        let ended = run(&garden, args);
        ended.assert(
            2,
            &["task-tree.json has 2 test commands", NOT_CONFIRMED, "  true one  (tests T001)", "--yes"],
        );
    }
    assert!(garden.asked().is_empty(), "nothing was done");
    run(&garden, &["gardener", "--dry-run"]).assert(0, &[]);
    garden.write("mine", "x\n");
    run(&garden, &["done", "T001"]).assert(2, &[NOT_CONFIRMED]);
    std::fs::remove_file(garden.top().join("mine")).unwrap();
    run(&garden, &["gardener", "--yes"]).assert(0, &["confirmed by --yes", "  true two  (tests T001)"]);
    assert_eq!(garden.asked().len(), 2);
    run(&garden, &["gardener"]).assert(0, &[]);
}

#[test]
fn a_confirmation_lasts_until_a_command_changes_and_only_new_commands_are_listed() {
    let garden = pulled(&["true one"]);
    run(&garden, &["garden", "--yes", "--max-time", "1h"]).assert(0, &[]);
    let mut tree = one_task(&["true one"]);
    tree["spec_id"] = json!("second");
    tree["nodes"]["T001"]["description"] = json!("The same, told better.");
    pull(&garden, &[("task-tree.json", &format!("{tree:#}\n"))]);
    run(&garden, &["gardener"]).assert(0, &[]);
    tree["spec_id"] = json!("third");
    tree["nodes"]["p1"]["test_commands"] = json!([{"command": "true two"}]);
    pull(&garden, &[("task-tree.json", &format!("{tree:#}\n"))]);
    let ended = run(&garden, &["gardener"]);
    ended.assert(2, &["has a test command that nobody", "true two  (tests p1)"]);
    assert!(!ended.stderr.contains("true one"), "{ended:#?}");
}

#[test]
fn a_plan_that_was_written_and_committed_here_needs_no_confirmation() {
    let garden = Garden::new(&one_task(&["true"]));
    run(&garden, &["gardener"]).assert(0, &[]);
    garden.write("task-tree.json", &plan_with(&["true", "true two"]).replace("trial", "second"));
    garden.commit("Write another plan");
    run(&garden, &["gardener"]).assert(0, &[]);
    garden.write("task-tree.json", &plan_with(&["true three"]).replace("trial", "third"));
    garden.git(&["commit", "-q", "--amend", "-a", "-m", "Write a third plan"]);
    garden.forget_history();
    run(&garden, &["gardener"]).assert(0, &[]);
}

#[test]
fn a_plan_from_elsewhere_stays_foreign_when_it_is_edited_moved_or_copied_here() {
    let long = "A description that is long enough to recognise the file. ".repeat(20);
    let mut tree = one_task(&["true"]);
    tree["nodes"]["T001"]["description"] = json!(long);
    let tree = format!("{tree:#}\n");
    let edited = tree.replace("Do T001", "Do something else");
    let acts: [(&str, &str, Act<'_>); 3] = [
        ("task-tree.json", "task-tree.json", &|garden: &Garden| garden.write("task-tree.json", &edited)),
        ("plans/a.json", "task-tree.json", &|garden: &Garden| {
            garden.git(&["rm", "-q", "task-tree.json"]);
            garden.git(&["mv", "plans/a.json", "task-tree.json"]);
        }),
        ("plans/a.json", "b.json", &|garden: &Garden| garden.write("b.json", &garden.read("plans/a.json"))),
    ];
    for (pulled, plan, act) in acts {
        let garden = Garden::new(&one_task(&[]));
        pull(&garden, &[(pulled, &tree)]);
        act(&garden);
        garden.commit("Make it our plan");
        run(&garden, &["gardener", "--tree", plan]).assert(2, &[NOT_CONFIRMED]);
    }
}

#[test]
fn a_plan_that_was_taken_over_by_a_squash_or_an_amended_commit_stays_foreign() {
    let theirs = plan_with(&["true one"]);
    let garden = pulled(&["true one"]);
    garden.git(&["commit", "-q", "--amend", "-m", "Reword the commit of others"]);
    garden.forget_history();
    run(&garden, &["gardener"]).assert(2, &[NOT_CONFIRMED]);
    for fetch in
        [&["fetch", "-q", "clone", "HEAD"][..], &["fetch", "-q", "clone", "+HEAD:refs/remotes/clone/main"]]
    {
        let garden = Garden::new(&one_task(&[]));
        let clone = garden.root().join("clone");
        garden.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
        garden.git(&["remote", "add", "clone", clone.to_str().unwrap()]);
        std::fs::write(clone.join("task-tree.json"), &theirs).unwrap();
        garden.git(&["-C", clone.to_str().unwrap(), "commit", "-q", "-a", "-m", "Work of others"]);
        garden.git(fetch);
        let from = if fetch.len() == 4 && fetch[3] == "HEAD" { "FETCH_HEAD" } else { "clone/main" };
        garden.git(&["merge", "-q", "--squash", from]);
        garden.commit("Take over the plan");
        run(&garden, &["gardener"]).assert(2, &[NOT_CONFIRMED]);
    }
}

#[test]
fn a_plan_that_was_built_from_files_of_others_needs_a_confirmation_and_one_from_own_files_does_not() {
    let tasks = "# Tasks\n\n## Phase 1: One\n\n- [ ] T001 Write the file\n  Test: `true one`\n";
    let garden = Garden::new(&one_task(&[]));
    garden.git(&["rm", "-q", "task-tree.json"]);
    garden.commit("Remove the plan");
    pull(&garden, &[("TODO.md", tasks)]);
    run(&garden, &["build", "--commit", "TODO.md"]).assert(0, &[]);
    run(&garden, &["gardener"]).assert(2, &[NOT_CONFIRMED, "true one"]);
    let garden = Garden::new(&one_task(&[]));
    garden.git(&["rm", "-q", "task-tree.json"]);
    garden.write("TODO.md", tasks);
    garden.commit("Plan");
    run(&garden, &["build", "--commit", "TODO.md"]).assert(0, &[]);
    run(&garden, &["gardener"]).assert(0, &[]);
}

#[test]
fn a_machine_can_trust_all_plans_but_no_clone_can_say_so() {
    let garden = pulled(&["true"]);
    pull(&garden, &[(".arborist/config.json", "{\"trustPlan\": true}\n")]);
    run(&garden, &["gardener"])
        .assert(2, &[".arborist/config.json sets trustPlan, which a committed file must not do"]);
    pull(&garden, &[(".arborist/config.json", "{}\n")]);
    run(&garden, &["gardener"]).assert(2, &[NOT_CONFIRMED]);
    let mut command = untrusting(&garden, &["garden", "T001"]);
    command.env("ARBORIST_TRUST_PLAN", "true");
    garden.finish(command).assert(0, &[]);
    let garden = pulled(&["true"]);
    garden.config("arborist.trustPlan", "true");
    run(&garden, &["gardener"]).assert(0, &[]);
}

#[test]
fn what_a_command_hides_from_the_eye_is_shown() {
    let garden = pulled(&["true \u{1b}[8m; echo hidden"]);
    run(&garden, &["gardener"]).assert(2, &["true \\u{1b}[8m; echo hidden"]);
}

#[test]
fn nothing_is_asked_if_nothing_would_run() {
    let garden = pulled(&["true"]);
    run(&garden, &["gardener", "--yes"]).assert(0, &[]);
    std::fs::remove_file(garden.top().join(".git/arborist/confirmed-commands")).unwrap();
    run(&garden, &["gardener"]).assert(0, &[]);
    run(&garden, &["garden", "T001"]).assert(0, &[]);
    for reading in ["status", "next", "doctor"] {
        assert!(!run(&garden, &[reading]).stderr.contains(NOT_CONFIRMED), "{reading}");
    }
    let plain = pulled(&[]);
    run(&plain, &["gardener"])
        .assert(0, &["1 task was not tested: it has no test command.", "`git arborist land`"]);
}

#[test]
fn on_a_terminal_the_user_is_asked_once() {
    if !has("script") {
        return;
    }
    let garden = pulled(&["true one"]);
    let answer = |text: &str| {
        let line = format!("{} gardener", crate::support::garden::programs().join("git-arborist").display());
        let mut command = garden.command("script");
        command.env_remove("ARBORIST_TRUST_PLAN").args(["-qefc", &line, "/dev/null"]).stdin(Stdio::piped());
        let mut running = garden.start(command);
        let mut input = running.child.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, format!("{text}\n").as_bytes()).unwrap();
        let ended = running.wait();
        drop(input);
        ended
    };
    let no = answer("n");
    assert!(no.status == 1 && no.stdout.contains("It runs as you"), "{no:#?}");
    assert!(no.stdout.contains("Run it in this repository? [y/N]"), "{no:#?}");
    assert!(no.stdout.contains("true one") && no.stdout.contains("were not confirmed"), "{no:#?}");
    assert!(no.stdout.contains("Nothing was done. The same command asks again."), "{no:#?}");
    assert!(garden.asked().is_empty());
    let yes = answer("y");
    assert_eq!(yes.status, 0, "{yes:#?}");
    assert_eq!(garden.asked().len(), 2);
    let stored: Value = serde_json::from_slice(
        &std::fs::read(garden.top().join(".git/arborist/confirmed-commands")).unwrap(),
    )
    .unwrap();
    assert_eq!(stored, json!({"commands": ["true one"]}));
}
