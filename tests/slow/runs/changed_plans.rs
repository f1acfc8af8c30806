//! Tests that an agent cannot change the plan by which it is judged, however it goes about it, unless the user agrees.

use crate::support::garden::{Garden, one_task, side_by_side};

/// A plan whose test command says how strict it is, and an agent that does `deed` when it implements.
fn agent_that(deed: &str) -> Garden {
    let garden = Garden::new(&one_task(&["true # strict"]));
    garden.agent(&format!("if [ $ARBORIST_STEP = implement ]; then {deed}; fi"));
    garden
}

/// The same, but the plan is a link to `plans/x.json`.
fn agent_behind_a_link_that(deed: &str) -> Garden {
    let garden = agent_that(deed);
    std::fs::create_dir(garden.top().join("plans")).unwrap();
    garden.git(&["mv", "task-tree.json", "plans/x.json"]);
    std::os::unix::fs::symlink("plans/x.json", garden.top().join("task-tree.json")).unwrap();
    garden.commit("Move the plan");
    garden
}

const WEAKEN: &str = "sed -i s/strict/weak/ task-tree.json";
const WEAKEN_TARGET: &str = "sed -i s/strict/weak/ plans/x.json";

/// Runs the commands in a message that begin with one of these words, in their order.
#[track_caller]
fn obey(garden: &Garden, said: &str, words: &[&str]) {
    for word in words {
        let command = said.split('`').skip(1).step_by(2).find(|part| part.starts_with(word));
        let command = command.unwrap_or_else(|| panic!("no `{word}` in {said}"));
        let mut shell = garden.command("sh");
        shell.args(["-c", command]);
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{command}: {output:?}");
    }
    garden.forget_history();
}

fn short(garden: &Garden, revision: &str) -> String {
    garden.git(&["rev-parse", "--short=7", revision]).trim().to_owned()
}

#[track_caller]
fn assert_refused(garden: &Garden, words: &[&str]) -> String {
    let asked = garden.asked();
    garden.run(&["gardener"]).assert(3, words);
    let refused = garden.run(&["gardener", "--allow-dirty"]);
    refused.assert(3, words);
    assert_eq!(garden.asked(), asked, "no agent is paid");
    refused.stderr
}

#[test]
fn a_plan_that_the_agent_committed_keeps_runs_from_beginning_until_the_user_decides() {
    type Decide = fn(&Garden, &str);
    let ways: [(Decide, &str); 5] = [
        (|garden, said| obey(garden, said, &["git reset --keep"]), "strict"),
        (|garden, said| obey(garden, said, &["git restore"]), "strict"),
        (|garden, said| obey(garden, said, &["git commit --allow-empty"]), "weak"),
        (
            |garden, _| {
                garden.git(&["revert", "--no-edit", "HEAD~1"]);
            },
            "strict",
        ),
        (
            |garden, _| {
                garden.write("task-tree.json", &garden.read("task-tree.json").replace("weak", "mine"));
                garden.commit("Change the plan");
            },
            "mine",
        ),
    ];
    side_by_side(ways, |(decide, plan)| {
        let garden =
            agent_that(&format!("{WEAKEN}; git commit -qam wip; git commit -q --allow-empty -m more"));
        let before = short(&garden, "HEAD");
        let ended = garden.run(&["gardener"]);
        let commit = short(&garden, "HEAD~1");
        let reset = format!("git reset --keep {before}");
        let what = format!("task-tree.json was changed during the implement step, in the commit {commit}");
        ended.assert(6, &[&what, &reset]);
        garden.agent("");
        let accept = format!("Accept the plan of {commit}");
        for _ in 0..2 {
            assert_refused(&garden, &[&commit, "task-tree.json", &reset, &accept]);
        }
        let status = garden.run(&["status"]).stdout;
        assert!(status.contains(&commit) && status.contains("no run continues"), "{status}");
        let said = assert_refused(&garden, &[&commit]);
        decide(&garden, &said);
        garden.run(&["gardener"]).assert(0, &[]);
        assert!(garden.git(&["show", "HEAD:task-tree.json"]).contains(plan));
    });
}

#[test]
fn other_commits_on_top_do_not_accept_the_plan_of_an_agent() {
    let accept = "git commit -q --allow-empty -m \"Accept the plan of $(git rev-parse HEAD)\"";
    let garden = agent_that(&format!("{WEAKEN}; git commit -qam wip; {accept}"));
    garden.run(&["gardener"]).assert(6, &["task-tree.json was changed"]);
    garden.agent("");
    assert_refused(&garden, &["Accept the plan of"]);
    garden.write("other", "mine\n");
    garden.commit("Something else");
    assert_refused(&garden, &["Accept the plan of"]);
    garden.git(&["reset", "-q", "--keep", "HEAD~2"]);
    garden.forget_history();
    assert_refused(&garden, &["Accept the plan of"]);
}

#[test]
fn a_plan_that_the_agent_removed_or_reverted_comes_back_with_the_advised_command() {
    let deeds = [
        "git rm -q task-tree.json; git commit -qm wip",
        "git revert --no-edit HEAD -m 1 || git revert --no-edit HEAD",
    ];
    side_by_side(deeds, |deed| {
        let garden = agent_that(deed);
        let before = short(&garden, "HEAD");
        garden
            .run(&["gardener"])
            .assert(6, &["task-tree.json was changed", &short(&garden, "HEAD"), &before]);
        garden.agent("");
        let said = assert_refused(&garden, &["task-tree.json", "git reset --keep"]);
        obey(&garden, &said, &["git reset --keep"]);
        garden.run(&["gardener"]).assert(0, &[]);
    });
}

#[test]
fn a_change_of_the_plan_that_git_was_told_to_overlook_stops_this_run_and_the_next() {
    side_by_side(["skip-worktree", "assume-unchanged"], |flag| {
        let garden = agent_that(&format!("git update-index --{flag} task-tree.json; {WEAKEN}"));
        let show = format!("git update-index --no-{flag}");
        let ended = garden.run(&["gardener"]);
        ended.assert(6, &["task-tree.json was changed", &show]);
        garden.agent("");
        let said = assert_refused(&garden, &["task-tree.json", "not committed", &show]);
        obey(&garden, &said, &["git update-index --no-", "git restore"]);
        assert!(garden.read("task-tree.json").contains("strict"));
        garden.run(&["gardener"]).assert(0, &[]);
    });
}

#[test]
fn a_plan_behind_a_link_is_protected_like_any_other() {
    let garden = agent_behind_a_link_that(WEAKEN_TARGET);
    let ended = garden.run(&["gardener"]);
    ended.assert(6, &["task-tree.json was changed", "git restore", "plans/x.json"]);
    garden.agent("");
    assert_refused(&garden, &["plans/x.json", "not committed"]);
    obey(&garden, &ended.stderr, &["git restore"]);
    garden.run(&["gardener"]).assert(0, &[]);

    let redirect = "sed s/strict/weak/ plans/x.json > y.json; ln -sf y.json task-tree.json; git add y.json";
    for deed in [WEAKEN_TARGET, redirect] {
        let garden = agent_behind_a_link_that(&format!("{deed}; git commit -qam wip"));
        let ended = garden.run(&["gardener"]);
        ended.assert(
            6,
            &["json was changed during the implement step, in the commit", &short(&garden, "HEAD")],
        );
        garden.agent("");
        let said = assert_refused(&garden, &["Accept the plan of"]);
        obey(&garden, &said, &["git reset --keep"]);
        garden.run(&["gardener"]).assert(0, &[]);
        assert!(garden.read("task-tree.json").contains("strict"));
    }
}

#[test]
fn a_changed_plan_is_remembered_if_the_run_stops_for_something_else() {
    let hook = "printf '#!/bin/sh\\n' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit";
    let deeds = [
        ("implement", format!("{WEAKEN}; git commit -qam wip; {hook}"), "post-commit"),
        ("implement", format!("{WEAKEN}; git commit -qa --amend -m wip"), "task-tree.json was changed"),
        (
            "implement",
            format!("git switch -q -c other; {WEAKEN}; git commit -qam wip"),
            "task-tree.json was changed",
        ),
        ("review", format!("cd \"$ROOT/work\"; {WEAKEN}; git commit -qam wip"), "1 commit was made"),
    ];
    side_by_side(deeds, |(step, deed, words)| {
        let garden = Garden::new(&one_task(&["true # strict"]));
        garden.write("README", "x\n");
        garden.commit("Begin");
        garden.agent(&format!("if [ $ARBORIST_STEP = {step} ]; then {deed}; echo APPROVED; fi"));
        let ended = garden.start(garden.arborist(&["gardener"])).wait();
        ended.assert(6, &[words]);
        garden.forget_history();
        garden.agent("");
        // A branch that was rewritten or switched is put back, so that the plan differs on disk only.
        let is_on_disk = words == "task-tree.json was changed";
        let then = if is_on_disk { "may have made them" } else { "Accept the plan of" };
        assert_refused(&garden, &["task-tree.json", then]);
    });
}

#[test]
fn a_plan_on_disk_that_is_not_the_committed_one_is_refused_however_it_is_hidden() {
    type Edit = fn(&Garden);
    let weaken = |garden: &Garden, path: &str| {
        garden.write(path, &garden.read(path).replace("strict", "weak"));
    };
    for flag in ["--skip-worktree", "--assume-unchanged"] {
        let garden = agent_that(":");
        garden.git(&["update-index", flag, "task-tree.json"]);
        weaken(&garden, "task-tree.json");
        let said = assert_refused(&garden, &["task-tree.json has changes that are not committed"]);
        obey(&garden, &said, &["git update-index --no-", "git add"]);
        garden.run(&["gardener"]).assert(0, &[]);
        assert!(garden.git(&["show", "HEAD:task-tree.json"]).contains("weak"));
    }
    let linked: [Edit; 2] = [
        |garden| garden.write("plans/x.json", &garden.read("plans/x.json").replace("strict", "weak")),
        |garden| {
            garden.git(&["update-index", "--skip-worktree", "task-tree.json"]);
            garden.write(".git/info/exclude", "y.json\n");
            garden.write("y.json", &garden.read("plans/x.json").replace("strict", "weak"));
            std::fs::remove_file(garden.top().join("task-tree.json")).unwrap();
            std::os::unix::fs::symlink("y.json", garden.top().join("task-tree.json")).unwrap();
        },
    ];
    for edit in linked {
        let garden = agent_behind_a_link_that(":");
        edit(&garden);
        let said = assert_refused(&garden, &["has changes that are not committed"]);
        assert!(said.contains("Commit it first"), "{said}");
    }
}

#[test]
fn line_ends_that_git_converts_are_no_change_of_the_plan() {
    for (attributes, ends) in [("* text eol=crlf\n", "\r\n"), ("", "\r\n")] {
        let garden = agent_that(":");
        garden.config("core.safecrlf", "false");
        garden.write("task-tree.json", &garden.read("task-tree.json").replace('\n', ends));
        garden.write(".gitattributes", attributes);
        garden.commit("Use other line ends");
        garden.config("core.autocrlf", "input");
        garden.run(&["gardener"]).assert(0, &[]);
    }
}
