//! Tests that the checks after a step are also made if the step was interrupted, so that an agent cannot escape them.

use crate::support::garden::{Ended, Garden, one_task};

/// How a run is interrupted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Interruption {
    Terminated,
    Killed,
}

/// An agent that does `act` in its first implement step and then hangs; later it does its work.
fn hangs_after(act: &str) -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("file", "file\n");
    garden.commit("Begin");
    garden.agent(&format!(
        "if [ $ARBORIST_STEP = implement ] && ! [ -e \"$ROOT/started\" ]; then
         {act}
         echo $$ > \"$ROOT/pid\"; : > \"$ROOT/started\"; while :; do sleep 0.05; done; fi"
    ));
    garden
}

/// Interrupts the run when the agent hangs. Gives what the run said if it could, and what the next one says.
fn interrupt(garden: &Garden, how: Interruption) -> (Option<Ended>, Ended) {
    interrupt_command(garden, how, &["gardener"])
}

/// The same for a command of the user.
fn interrupt_command(garden: &Garden, how: Interruption, args: &[&str]) -> (Option<Ended>, Ended) {
    let running = garden.start(garden.arborist(args));
    garden.wait_for("started");
    let stopped = match how {
        Interruption::Killed => {
            garden.kill_with_agent(running);
            None
        }
        Interruption::Terminated => {
            running.signal("TERM");
            Some(running.wait())
        }
    };
    (stopped, garden.start(garden.arborist(args)).wait())
}

/// The run that notices it ends with status 6 and these words, and nothing that was planted has run until then.
fn assert_noticed(act: &str, words: &str) -> Vec<Garden> {
    let noticed = |how| {
        let garden = hangs_after(act);
        let (stopped, next) = interrupt(&garden, how);
        let noticed = stopped.unwrap_or(next);
        assert_eq!(noticed.status, 6, "{how:?}: {noticed:#?}");
        assert!(noticed.stderr.contains(words), "{how:?}: {noticed:#?}");
        garden
    };
    [Interruption::Terminated, Interruption::Killed].map(noticed).into()
}

#[test]
fn a_hook_that_the_agent_planted_is_noticed_before_it_is_run() {
    let planted = "printf '#!/bin/sh\\n: > \"%s/ran\"\\n' \"$ROOT\" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";
    let garden = hangs_after(planted);
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    garden.kill_with_agent(running);
    garden
        .run(&["gardener"])
        .assert(6, &["pre-commit", "interrupted implement step of T001", "the change counts as your own"]);
    assert!(!garden.root().join("ran").exists());
    // If the user starts the same command again, the change counts as theirs.
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(garden.root().join("ran").exists());
}

#[test]
fn files_that_git_reads_only_later_are_compared_after_an_interruption_too() {
    let attributes = "mkdir -p \"$HOME/.config/git\"; echo '* filter=x' > \"$HOME/.config/git/attributes\"";
    assert_noticed(attributes, ".config/git/attributes");
    for how in [Interruption::Terminated, Interruption::Killed] {
        let garden = hangs_after("git config -f ../later core.hooksPath evil");
        let later = garden.root().join("later").display().to_string();
        garden.git(&["config", "includeIf.onbranch:release.path", &later]);
        let (stopped, next) = interrupt(&garden, how);
        let words = ["files that git includes under a condition", "core.hookspath", "/later"];
        stopped.unwrap_or(next).assert(6, &words);
        garden.run(&["gardener", "--dry-run"]).assert(0, &[]);
    }
}

#[test]
fn settings_history_and_branch_are_compared_after_an_interruption_too() {
    assert_noticed("git config core.fsmonitor /bin/false", "core.fsmonitor");
    assert_noticed("git config arborist.review false", "arborist.review");
    for (act, righted, noticed) in [
        (
            "git commit -q --amend -m rewritten",
            "newest commit of the branch main was replaced",
            "rewrote the branch",
        ),
        ("git switch -q -c other", "HEAD was switched from main to other", "switched the branch"),
        ("echo x > new; git stash -q -u", "are in the files", "stashed"),
    ] {
        let (stopped, next) = interrupt(&hangs_after(act), Interruption::Terminated);
        assert!(stopped.is_some_and(|stopped| stopped.stderr.contains(righted)), "{act}");
        next.assert(0, &[]);
        // After a kill, a person may have done it.
        interrupt(&hangs_after(act), Interruption::Killed).1.assert(6, &[noticed]);
    }
    let forged =
        "git commit -q --allow-empty -m 'task(T001): complete \"Do T001\"' -m 'Arborist-Step: complete
Arborist-Result: pass'";
    for garden in assert_noticed(forged, "claims to be a step") {
        garden.run(&["gardener"]).assert(0, &[]);
        assert_eq!(garden.asked().len(), 3, "{:?}", garden.asked());
    }
}

#[test]
fn commits_of_an_interrupted_agent_belong_to_the_step_and_the_reviewer_sees_them() {
    for how in [Interruption::Terminated, Interruption::Killed] {
        let garden = hangs_after("echo half > half; git add half; git commit -q -m Half");
        let (_, next) = interrupt(&garden, how);
        next.assert(0, &[]);
        let prompt = garden.prompt("T001.review.0");
        assert!(prompt.contains("half"), "{how:?}: {prompt}");
        let implement = garden.git(&["log", "-1", "--format=%B", "--grep", "Arborist-Step: implement"]);
        let half = garden.git(&["log", "-1", "--format=%h", "--grep", "^Half"]);
        assert!(implement.contains(&half), "{how:?}: {implement}");
    }
}

#[test]
fn a_change_of_the_users_that_an_interrupted_agent_committed_ends_the_run() {
    let args = ["gardener", "--allow-dirty"];
    for how in [Interruption::Terminated, Interruption::Killed] {
        let garden = hangs_after("git commit -qam wip");
        garden.write("file", "mine\n");
        let (stopped, next) = interrupt_command(&garden, how, &args);
        let commit = garden.git(&["rev-parse", "--short=7", "HEAD"]);
        stopped.unwrap_or(next).assert(6, &["uncommitted changes of yours", "file", &commit, "git reset "]);
        garden.run(&args).assert(6, &[&commit, "still there"]);
        garden.forget_history();
        garden.git(&["reset", "-q", "HEAD~1"]);
        garden.run(&args).assert(0, &[]);
        assert_eq!(garden.status(), [" M file"], "{how:?}");
    }
}

#[test]
fn a_secret_that_an_interrupted_agent_committed_ends_the_run() {
    for how in [Interruption::Terminated, Interruption::Killed] {
        let garden = hangs_after("echo PASSWORD=x > .env; git add -f .env; git commit -q -m Half");
        let (_, next) = interrupt(&garden, how);
        next.assert(6, &[".env"]);
    }
}

#[test]
fn changes_after_a_stop_count_as_the_users_own() {
    let garden = hangs_after(":");
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    running.signal("TERM");
    running.wait().assert(143, &[]);
    garden.git(&["config", "core.fsmonitor", "false"]);
    garden.write("file", "changed\n");
    garden.commit("A change of the user's");
    garden.run(&["gardener"]).assert(0, &[]);
    let implement = garden.git(&["log", "-1", "--format=%B", "--grep", "Arborist-Step: implement"]);
    assert!(!implement.contains("adopted"), "{implement}");
}

#[test]
fn a_plan_or_configuration_that_an_interrupted_step_left_is_not_used() {
    let review = "mkdir .arborist; echo '{\"review\": false}' > .arborist/config.json";
    let plan = "sed s/Do/Did/ task-tree.json > t && cat t > task-tree.json && rm t && git add task-tree.json";
    for (act, status, file, back) in [
        (review, 6, ".arborist/config.json", "rm .arborist/config.json"),
        (plan, 3, "task-tree.json", "git restore --source=HEAD --staged --worktree -- task-tree.json"),
    ] {
        let garden = hangs_after(act);
        let (_, next) = interrupt(&garden, Interruption::Killed);
        next.assert(status, &[file]);
        let again = garden.run(&["gardener"]);
        again.assert(3, &[file, "are not committed"]);
        let made = garden.command("/bin/sh").args(["-ec", back]).status().unwrap();
        assert!(made.success());
        garden.run(&["gardener"]).assert(0, &[]);
        assert_eq!(garden.asked(), ["T001.implement.0", "T001.implement.0", "T001.review.0"]);
    }
}

#[test]
fn a_plan_that_an_interrupted_agent_committed_ends_the_run_and_is_not_used_by_the_next() {
    let act = "sed -i 's/Do T001/Do less/' task-tree.json; git commit -qam wip";
    for garden in assert_noticed(act, "task-tree.json was changed") {
        let commit = garden.git(&["rev-parse", "--short=7", "HEAD"]);
        let asked = garden.asked();
        for _ in 0..2 {
            garden.run(&["gardener"]).assert(3, &[commit.trim(), "Accept the plan of", "git reset --keep"]);
        }
        assert_eq!(garden.asked(), asked);
        garden.git(&["reset", "-q", "--keep", "HEAD~1"]);
        garden.forget_history();
        garden.run(&["gardener"]).assert(0, &[]);
    }
}

#[test]
fn a_plan_that_a_killed_agent_hid_is_not_used_by_the_next_run() {
    let hidden =
        "git update-index --skip-worktree task-tree.json; sed -i 's/Do T001/Do less/' task-tree.json";
    let garden = hangs_after(hidden);
    let (_, next) = interrupt(&garden, Interruption::Killed);
    next.assert(3, &["task-tree.json", "git update-index --no-skip-worktree"]);

    let garden = hangs_after("sed -i 's/Do T001/Do less/' plans/x.json");
    std::fs::create_dir(garden.top().join("plans")).unwrap();
    garden.git(&["mv", "task-tree.json", "plans/x.json"]);
    std::os::unix::fs::symlink("plans/x.json", garden.top().join("task-tree.json")).unwrap();
    garden.commit("Move the plan");
    let (_, next) = interrupt(&garden, Interruption::Killed);
    next.assert(3, &["plans/x.json", "the interrupted implement step of T001 may have made them"]);
}

#[test]
fn a_plan_that_the_user_changes_between_a_stop_and_the_next_run_is_the_users() {
    let garden = hangs_after("echo half > half; git add half; git commit -q -m Half");
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    running.signal("TERM");
    running.wait().assert(143, &[]);
    garden.write("task-tree.json", &garden.read("task-tree.json").replace("\"true\"", "\"true # mine\""));
    garden.commit("Change the plan");
    garden.run(&["gardener"]).assert(0, &[]);
}
