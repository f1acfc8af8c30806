//! Tests `land`: a branch with one good commit for each task, from which `status` reads the same state.

use crate::support::garden::{Garden, one_task, plan};

/// Two phases with two tasks each. Every task has a test that needs its file.
fn four_tasks() -> Garden {
    let tests = ["T001", "T002", "T003", "T004"].map(|task| format!("test -f {task}.txt"));
    Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &[&tests[0]]),
        ("T002", "p1", &[], &[&tests[1]]),
        ("p2", "", &["p1"], &["test -f T001.txt -a -f T004.txt"]),
        ("T003", "p2", &[], &[&tests[2]]),
        ("T004", "p2", &[], &[&tests[3]]),
    ]))
}

/// Checks out another branch, which need not contain what the one before did.
fn switch(garden: &Garden, branch: &str) {
    garden.git(&["switch", "-q", branch]);
    garden.forget_history();
}

fn titles(garden: &Garden, range: &str) -> Vec<String> {
    garden.lines(&["log", "--reverse", "--first-parent", "--format=%s", range])
}

fn value(garden: &Garden, key: &str, commit: &str) -> String {
    garden.lines(&["log", "-1", &format!("--format=%(trailers:key={key},valueonly)"), commit]).concat()
}

/// The files of a commit without generated ones, with their contents.
fn files(garden: &Garden, commit: &str) -> Vec<String> {
    let all = garden.lines(&["ls-tree", "-r", commit]);
    all.into_iter().filter(|line| !line.contains("\tspec/")).collect()
}

/// Asserts that the branch which is checked out shows every task as complete, and that a run has nothing to do.
fn assert_complete(garden: &Garden, what: &str) {
    let status: serde_json::Value = serde_json::from_str(&garden.run(&["status", "--json"]).stdout).unwrap();
    let tasks = status["tasks"].as_array().unwrap();
    assert!(tasks.iter().all(|task| task["state"] == "complete"), "{what}: {status:#}");
    assert_eq!(status["doubts"].as_array().unwrap().len(), 0, "{what}: {status:#}");
    let before = garden.lines(&["rev-parse", "HEAD"]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.lines(&["rev-parse", "HEAD"]), before, "{what}: nothing is left to do");
}

#[test]
fn each_task_becomes_one_commit_with_its_files_and_without_reports() {
    let garden = four_tasks();
    garden.run(&["gardener"]).assert(0, &[]);
    let (before, head) = (garden.lines(&["status", "--porcelain"]), garden.lines(&["rev-parse", "HEAD"]));
    let ended = garden.run(&["land", "--verify"]);
    ended.assert(0, &["Landed 4 tasks in 4 commits", "main-landed", "git branch -m main-landed main"]);
    let base = garden.lines(&["log", "--format=%H", "--grep=^Add the plan"]).concat();
    let base =
        if base.is_empty() { garden.lines(&["rev-list", "--max-parents=0", "HEAD"]).concat() } else { base };
    let range = format!("{base}..main-landed");
    assert_eq!(
        titles(&garden, &range),
        ["Do T001 (T001)", "Do T002 (T002)", "Do T003 (T003)", "Do T004 (T004)"]
    );
    assert_eq!(files(&garden, "main-landed"), files(&garden, "main"));
    assert!(
        !garden
            .lines(&["ls-tree", "-r", "--name-only", "main-landed"])
            .iter()
            .any(|path| path.starts_with("spec/"))
    );
    for (number, commit) in garden.lines(&["rev-list", "--reverse", &range]).iter().enumerate() {
        let task = format!("T00{}", number + 1);
        assert_eq!(value(&garden, "Arborist-Complete", commit), task);
        let complete = garden
            .lines(&["log", "--format=%H", &format!("--grep=^task({task}): complete"), "main"])
            .concat();
        assert_eq!(value(&garden, "Arborist-Run", commit), format!("{base}..{complete}"));
        assert_eq!(files(&garden, commit), files(&garden, &complete), "{task}");
    }
    assert_eq!(garden.lines(&["status", "--porcelain"]), before);
    assert_eq!(garden.lines(&["rev-parse", "HEAD"]), head, "the run is left alone");
    switch(&garden, "main-landed");
    assert_complete(&garden, "landed");
}

#[test]
fn work_of_which_an_object_is_missing_is_not_landed() {
    let garden = four_tasks();
    garden.run(&["gardener"]).assert(0, &[]);
    let blob = garden.lines(&["rev-parse", "HEAD:T002.txt"]).concat();
    std::fs::remove_file(garden.top().join(".git/objects").join(&blob[..2]).join(&blob[2..])).unwrap();
    garden.run(&["land"]).assert(3, &[blob.as_str(), "git fsck"]);
    assert_eq!(garden.lines(&["branch", "--list", "main-landed"]), [""; 0]);
}

#[test]
fn the_state_survives_every_way_in_which_a_landed_branch_is_merged() {
    let garden = four_tasks();
    garden.git(&["branch", "start"]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land", "--branch", "landed"]).assert(0, &[]);
    let body = garden.run(&["land", "--message"]).stdout;
    garden.git(&["switch", "-q", "-c", "target", "start"]);
    garden.forget_history();
    let ways: [(&str, &dyn Fn()); 5] = [
        ("fast-forward", &|| drop(garden.git(&["merge", "-q", "--ff-only", "landed"]))),
        ("merge", &|| drop(garden.git(&["merge", "-q", "--no-ff", "--no-edit", "landed"]))),
        ("rebase", &|| drop(garden.git(&["cherry-pick", "start..landed"]))),
        ("squash with our body", &|| {
            garden.git(&["merge", "-q", "--squash", "landed"]);
            garden.git(&["commit", "-q", "-m", &body]);
        }),
        ("squash with a paragraph appended", &|| {
            garden.git(&["merge", "-q", "--squash", "landed"]);
            let body = format!("{body}\nCo-authored-by: Bo <bo@example.com>\n");
            garden.git(&["commit", "-q", "-m", &body]);
        }),
    ];
    for base_moved in [false, true] {
        for (what, merge) in &ways {
            if base_moved && *what == "fast-forward" {
                continue;
            }
            garden.git(&["reset", "-q", "--hard", "start"]);
            garden.forget_history();
            if base_moved {
                garden.write("other.txt", "other\n");
                garden.commit("Something else");
            }
            merge();
            assert_complete(&garden, &format!("{what}, base moved: {base_moved}"));
        }
    }
}

#[test]
fn the_plan_may_be_on_the_branch_of_the_run() {
    let garden = Garden::new(&one_task(&["test -f T001.txt"]));
    garden.git(&["switch", "-q", "--orphan", "target"]);
    garden.write("README", "x\n");
    garden.commit("Begin");
    garden.git(&["branch", "-q", "-M", "target", "main"]);
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.write("task-tree.json", &format!("{:#}\n", one_task(&["test -f T001.txt"])));
    garden.commit("Add the plan");
    garden.forget_history();
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land"]).assert(0, &["Landed 1 task in 1 commit"]);
    let body = garden.run(&["land", "--message"]).stdout;
    let from_report = garden.run(&["report", "--format", "md"]).stdout;
    for body in [body, format!("Work (#1)\n\n{from_report}")] {
        switch(&garden, "main");
        garden.git(&["switch", "-q", "-C", "squashed"]);
        garden.git(&["merge", "-q", "--squash", "work-landed"]);
        garden.git(&["commit", "-q", "--cleanup=verbatim", "-m", &body]);
        assert_complete(&garden, &body);
    }
    switch(&garden, "main");
    garden.git(&["switch", "-q", "-c", "rebased"]);
    garden.write("README", "y\n");
    garden.commit("Something else");
    garden.git(&["cherry-pick", "main..work-landed"]);
    assert_complete(&garden, "rebased");
}

#[test]
fn commits_of_people_are_kept_as_they_are() {
    let garden = four_tasks();
    garden.run(&["gardener", "p1"]).assert(0, &[]);
    garden.write("notes.md", "by hand\n");
    garden.git(&["add", "notes.md"]);
    garden.git(&["commit", "-q", "--author=Bo <bo@example.com>", "-m", "Take notes\n\nBecause they help."]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land"]).assert(0, &["Landed 4 tasks in 5 commits"]);
    let kept = garden.lines(&["log", "-1", "--format=%H", "--grep=^Take notes", "main-landed"]).concat();
    assert_eq!(garden.lines(&["log", "-1", "--format=%an %ae %B", &kept])[0], "Bo bo@example.com Take notes");
    assert_eq!(garden.lines(&["diff", "--name-only", &format!("{kept}~"), &kept]), ["notes.md"]);
    assert_eq!(files(&garden, "main-landed"), files(&garden, "main"));
    switch(&garden, "main-landed");
    assert_complete(&garden, "with notes");
}

#[test]
fn a_run_that_went_on_is_landed_on_the_same_branch() {
    let garden = four_tasks();
    garden.run(&["gardener", "p1"]).assert(0, &[]);
    garden.run(&["land", "p1"]).assert(0, &["Landed 2 tasks in 2 commits"]);
    let first = garden.lines(&["rev-parse", "main-landed"]).concat();
    garden.run(&["land", "p1"]).assert(0, &["Nothing to do", "main-landed"]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land"]).assert(0, &["has the new ones as well"]);
    garden.git(&["merge-base", "--is-ancestor", &first, "main-landed"]);
    // No command advises to land it again.
    for (command, status) in [("status", 0), ("next", 1)] {
        let said = garden.run(&[command]);
        said.assert(status, &[]);
        let said = said.stdout + &said.stderr;
        assert!(said.contains("landed on main-landed") && !said.contains("`git arborist land`"), "{said}");
    }
    switch(&garden, "main-landed");
    assert_complete(&garden, "landed twice");
}

#[test]
fn a_run_on_the_only_branch_there_is_ends_as_its_landed_commits_by_the_advice_of_land() {
    let garden = four_tasks();
    garden.run(&["gardener"]).assert(0, &[]);
    let landed = garden.run(&["land"]);
    landed.assert(0, &["The steps of the run are on main."]);
    let advised = landed.stderr.lines().last().unwrap().trim().to_owned();
    assert!(advised.starts_with("git branch -m main main-run && "), "{advised}");
    garden.forget_history();
    for command in advised.split(" && ") {
        garden.git(&command.split(' ').skip(1).collect::<Vec<_>>());
    }
    assert_eq!(garden.lines(&["branch", "--format=%(refname:short)"]), ["main", "main-run"]);
    assert_eq!(garden.lines(&["symbolic-ref", "--short", "HEAD"]), ["main"]);
    assert!(garden.run(&[]).stdout.contains("Landed on main"));
}

#[test]
fn a_landed_branch_that_was_merged_into_the_run_itself_is_landed() {
    let garden = four_tasks();
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land"]).assert(0, &[]);
    garden.git(&["merge", "-q", "-m", "Merge the landed branch", "main-landed"]);
    assert!(garden.run(&[]).stdout.contains("Landed on main"));
    garden.run(&["land"]).assert(1, &["what is complete has already been landed on this branch"]);
    // Where the landed branch would begin behind all steps, nothing is known to be landed.
    garden.forget_history();
    garden.git(&["switch", "-q", "-c", "again", "HEAD^1"]);
    garden.run(&["land", "--base", "HEAD"]).assert(1, &["HEAD has what is complete already"]);
}

#[test]
fn a_task_whose_name_is_corrected_after_it_was_landed_stays_landed() {
    let garden = four_tasks();
    garden.git(&["init", "-q", "--bare", "../far.git"]);
    garden.git(&["remote", "add", "far", "../far.git"]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land"]).assert(0, &["git push -u far main-landed"]);
    let mut plan: serde_json::Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    for (name, before) in [("Do it", vec!["Do T001"]), ("Do it well", vec!["Do T001", "Do it"])] {
        let node = &mut plan["nodes"]["T001"];
        (node["name"], node["was"], node["description"]) = (name.into(), before.into(), name.into());
        garden.write("task-tree.json", &plan.to_string());
        garden.commit("Correct a name");
        garden.run(&["land"]).assert(0, &["main-landed"]);
        assert_eq!(titles(&garden, "main-landed~3..main-landed").last().unwrap(), "Correct a name");
    }
    assert_eq!(garden.lines(&["log", "--format=%s", "--grep=(T001)", "main-landed"]), ["Do T001 (T001)"]);
    switch(&garden, "main-landed");
    assert_complete(&garden, "corrected");
    // On a new branch, the task has its new name.
    switch(&garden, "main");
    garden.run(&["land", "--branch", "other"]).assert(0, &[]);
    assert_eq!(garden.lines(&["log", "--format=%s", "--grep=(T001)", "other"]), ["Do it well (T001)"]);
}

#[test]
fn attempts_that_failed_are_not_part_of_the_landed_history() {
    let garden = Garden::new(&one_task(&["test -f good"]));
    garden
        .agent("case $work in *implement.0) echo bad > bad;; *implement.1) rm bad; echo good > good;; esac");
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land", "--verify"]).assert(0, &["Landed 1 task in 1 commit"]);
    assert!(garden.lines(&["log", "-1", "--format=%B", "main-landed"]).join("\n").contains("2 attempts"));
    assert_eq!(garden.lines(&["log", "--format=%H", "--", "bad"]).len(), 2);
    assert_eq!(garden.lines(&["log", "--format=%H", "main-landed", "--", "bad"]).len(), 0);
}

#[test]
fn open_and_failed_tasks_refuse_the_landing_unless_they_are_left_out() {
    let garden = four_tasks();
    garden.agent("case $work in T002.implement*) echo half > half.txt; exit 0;; T003.implement*) echo \"$work\" > T003.txt; exit 0;; esac");
    garden.run(&["gardener", "--max-attempts", "2"]).assert(1, &[]);
    garden.run(&["land"]).assert(1, &["T002 (failed)", "--partial"]);
    assert_eq!(garden.lines(&["branch", "--list", "*landed*"]), Vec::<String>::new());
    let ended = garden.run(&["land", "--partial", "--verify"]);
    ended.assert(0, &["main-landed"]);
    assert!(ended.stdout.contains("left out: T002 (failed)"), "{ended:#?}");
    let all = garden.lines(&["ls-tree", "-r", "--name-only", "main-landed"]);
    assert!(!all.contains(&"half.txt".to_owned()) && all.contains(&"T001.txt".to_owned()), "{all:?}");
    switch(&garden, "main-landed");
    let status = garden.run(&["status", "--json"]).stdout;
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    let state = |task: &str| {
        let tasks = status["tasks"].as_array().unwrap();
        tasks.iter().find(|found| found["id"] == task).unwrap()["state"].as_str().unwrap().to_owned()
    };
    assert_eq!([state("T001"), state("T002")], ["complete", "pending"]);
}

#[test]
fn what_builds_on_work_that_is_left_out_cannot_be_landed_without_it() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["false"]),
        ("T002", "p1", &[], &[]),
    ]));
    garden.agent(
        "case $work in T001.implement*) echo one > shared; exit 0;; T002.implement*) echo two > shared; exit 0;; esac",
    );
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &[]);
    garden.run(&["land", "--partial"]).assert(1, &["T002 builds on work that is left out", "shared"]);
    assert_eq!(garden.lines(&["branch", "--list", "*landed*"]), Vec::<String>::new());
}

#[test]
fn a_run_on_branches_of_phases_is_landed_in_the_order_of_their_merges() {
    let garden = four_tasks();
    garden.run(&["gardener", "--branches", "phase"]).assert(0, &[]);
    garden.run(&["land", "--verify"]).assert(0, &["Landed 4 tasks in 4 commits"]);
    assert_eq!(files(&garden, "main-landed"), files(&garden, "main"));
    assert_eq!(
        titles(&garden, "main..main-landed"),
        ["Do T001 (T001)", "Do T002 (T002)", "Do T003 (T003)", "Do T004 (T004)"]
    );
    switch(&garden, "main-landed");
    assert_complete(&garden, "phases");
}

#[test]
fn a_merge_and_a_single_commit_say_the_same_as_one_commit_for_each_task() {
    for (style, parents) in [("merge", 2), ("one", 1)] {
        let garden = four_tasks();
        garden.run(&["gardener"]).assert(0, &[]);
        garden.run(&["land", "--style", style]).assert(0, &["Landed 4 tasks in 1 commit"]);
        let commit = garden.lines(&["log", "-1", "--format=%P", "main-landed"]).concat();
        assert_eq!(commit.split(' ').count(), parents, "{style}");
        assert_eq!(value(&garden, "Arborist-Complete", "main-landed"), "T001 T002 T003 T004");
        assert_eq!(files(&garden, "main-landed"), files(&garden, "main"));
        switch(&garden, "main-landed");
        assert_complete(&garden, style);
    }
}

#[test]
fn a_skipped_task_stays_skipped() {
    let garden = four_tasks();
    garden.run(&["mark", "skip", "T002", "-m", "not needed"]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land"]).assert(0, &["Landed 3 tasks in 4 commits"]);
    switch(&garden, "main-landed");
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains("skipped") && status.contains("3/4 complete"), "{status}");
    let before = garden.subjects().len();
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.subjects().len(), before);
    switch(&garden, "main");
    garden.run(&["land"]).assert(0, &["Nothing to do"]);
}

#[test]
fn a_skipped_task_stays_skipped_however_the_run_is_merged() {
    let garden = four_tasks();
    garden.git(&["branch", "start"]);
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["mark", "skip", "T002", "-m", "not needed"]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    let body = garden.run(&["land", "--base", "start", "--message"]).stdout;
    assert!(body.contains("- T002 is skipped\n"), "{body}");
    garden.git(&["config", "arborist.pr.base", "start"]);
    let report = garden.run(&["report"]).stdout;
    for style in ["task", "one", "merge"] {
        garden.run(&["land", "--base", "start", "--style", style, "--branch", style]).assert(0, &[]);
    }
    let merged = |way: &str| {
        garden.git(&["switch", "-q", "-C", "target", "start"]);
        garden.forget_history();
        let args: Vec<&str> = way.split(' ').collect();
        garden.git(&args);
    };
    let is_kept = |way: &str| {
        let status = garden.run(&["status"]).stdout;
        assert!(status.contains("3/4 complete") && status.contains("skipped"), "{way}: {status}");
        assert!(!status.contains("In doubt"), "{way}: {status}");
    };
    for style in ["task", "one", "merge"] {
        for way in ["merge -q --no-ff --no-edit ", "cherry-pick --allow-empty start.."] {
            if style != "merge" || !way.contains("..") {
                merged(&format!("{way}{style}"));
                is_kept(&format!("{way}{style}"));
            }
        }
        garden.run(&["check", &format!("start..{style}")]).assert(0, &[]);
    }
    for style in ["task", "one", "merge"] {
        let each = garden.git(&["log", "--reverse", "--format=* %B", &format!("start..{style}")]);
        for message in [None, Some(&body), Some(&report), Some(&each)] {
            merged(&format!("merge -q --squash {style}"));
            match message {
                None => garden.git(&["commit", "-q", "--no-edit"]),
                Some(body) => garden.git(&["commit", "-q", "-m", &format!("Work (#1)\n\n{body}")]),
            };
            if style != "merge" || message != Some(&each) {
                is_kept(&format!("squash of {style} with {message:?}"));
            }
        }
    }
    for is_here in [true, false] {
        merged("merge -q --squash task");
        garden.git(&["commit", "-q", "-m", "Work (#1)"]);
        if !is_here {
            ["one", "merge", "work"].iter().for_each(|branch| drop(garden.git(&["branch", "-D", branch])));
        }
        garden.run(&["mark", "landed", "HEAD", "--yes"]).assert(0, &["T002 skipped, as on another branch"]);
        is_kept("marked");
        garden.run(&["check", "HEAD"]).assert(0, &[]);
    }
}

#[test]
fn a_skip_is_landed_by_itself_where_the_rest_has_landed_before() {
    let garden = four_tasks();
    garden.git(&["branch", "start"]);
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["gardener", "T001", "T002", "T003"]);
    garden.run(&["land", "--base", "start", "--partial", "--branch", "first"]).assert(0, &["Landed 3 tasks"]);
    garden.git(&["branch", "target", "first"]);
    garden.run(&["mark", "skip", "T004", "-m", "not needed"]).assert(0, &[]);
    garden.write("T004.txt", "for the tests of the phase\n");
    garden.commit("Give the phase its file");
    garden.run(&["gardener"]).assert(0, &[]);
    let land = ["land", "--base", "target", "--branch", "second"];
    garden.run(&land).assert(0, &["second"]);
    garden.run(&land).assert(0, &["Nothing to do"]);
    switch(&garden, "target");
    garden.git(&["merge", "-q", "second"]);
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains("3/4 complete") && status.contains("skipped"), "{status}");
    let titles = titles(&garden, "start..target");
    assert!(titles.iter().any(|title| title.ends_with(", skipped")), "{titles:?}");
}

#[test]
fn a_task_that_landed_before_its_plan_was_moved_beside_another_stays_complete() {
    let garden = four_tasks();
    garden.git(&["branch", "start"]);
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["gardener", "T001"]);
    garden.git(&["mv", "task-tree.json", "plan.json"]);
    let other = garden.read("plan.json").replacen("\"spec_id\": \"", "\"spec_id\": \"other-", 1);
    garden.write("b/task-tree.json", &other);
    garden.commit("Move the plan beside another");
    garden.git(&["config", "arborist.tree", "plan.json"]);
    let before = garden.run(&["status", "--short"]).stdout;
    assert!(before.starts_with("1/4 "), "{before}");
    garden.run(&["land", "--base", "start", "--partial"]).assert(0, &["Landed 1 task"]);
    switch(&garden, "work-landed");
    let status = garden.run(&["status", "--short"]).stdout;
    assert!(status.starts_with("1/4 "), "{status}");
}

#[test]
fn a_plan_beside_another_may_be_moved_during_the_run_and_after_it() {
    let garden = four_tasks();
    let other = garden.read("task-tree.json").replacen("\"spec_id\": \"", "\"spec_id\": \"other-", 1);
    garden.write("b/task-tree.json", &other);
    garden.commit("Another plan");
    garden.git(&["branch", "start"]);
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.git(&["config", "arborist.tree", "task-tree.json"]);
    let move_to = |from: &str, to: &str| {
        garden.git(&["mv", from, to]);
        garden.git(&["commit", "-q", "-m", "Move the plan"]);
        garden.git(&["config", "arborist.tree", to]);
    };
    garden.run(&["gardener", "--max-tasks", "2"]);
    move_to("task-tree.json", "plan.json");
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land", "--base", "start"]).assert(0, &[]);
    for way in ["merge -q work-landed", "merge -q --squash work-landed"] {
        garden.git(&["switch", "-q", "-C", "target", "start"]);
        garden.forget_history();
        garden.git(&way.split(' ').collect::<Vec<_>>());
        if way.contains("--squash") {
            garden.git(&["commit", "-q", "--no-edit"]);
        }
        garden.git(&["config", "arborist.tree", "plan.json"]);
        let status = garden.run(&["status", "--short"]).stdout;
        assert!(status.starts_with("4/4 "), "{way}: {status}");
        move_to("plan.json", "later.json");
        let status = garden.run(&["status"]).stdout;
        assert!(status.contains("4/4 complete") && !status.contains("In doubt"), "{way}: {status}");
    }
}

#[test]
fn messages_follow_the_settings() {
    let garden = four_tasks();
    garden.run(&["gardener"]).assert(0, &[]);
    garden.git(&["config", "arborist.land.template", "conventional"]);
    garden.git(&["config", "arborist.land.scope", "core"]);
    garden.run(&["land", "--branch", "ours"]).assert(0, &[]);
    assert_eq!(titles(&garden, "main..ours")[0], "feat(core): do T001 (task T001)");
    garden.git(&["config", "arborist.land.template", "the same for all"]);
    garden.run(&["land", "--branch", "same"]).assert(2, &["arborist.land.template", "{name}"]);
}

/// Opens a task again, and does it again.
fn again(garden: &Garden, task: &str, why: &str) {
    garden.agent("echo \"$work again\" > \"$ARBORIST_TASK.txt\"");
    garden.run(&["mark", "reopen", task, "-m", why]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
}

fn message(garden: &Garden, commit: &str) -> String {
    garden.lines(&["log", "-1", "--format=%B", commit]).join("\n")
}

/// A complete run of four tasks on the branch `work`, and a bare repository from which `main` was cloned.
fn four_tasks_with_remote() -> Garden {
    let garden = four_tasks();
    garden.git(&["init", "-q", "--bare", "-b", "main", "../far.git"]);
    garden.git(&["remote", "add", "origin", "../far.git"]);
    garden.git(&["push", "-q", "-u", "origin", "main"]);
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.write("notes.md", "by hand\n");
    garden.commit("Take notes before the run");
    garden.run(&["gardener"]).assert(0, &[]);
    garden
}

/// A colleague's clone of the remote repository, in which this is done and pushed.
fn colleague(garden: &Garden, branch: &str, script: &str) {
    let script = format!(
        "rm -rf ../colleague && git clone -q -b {branch} ../far.git ../colleague && cd ../colleague && \
         git config user.name Bo && git config user.email bo@example.com && {script} && git push -q origin HEAD:{branch}"
    );
    let ended = std::process::Command::new("sh").args(["-ec", &script]).current_dir(garden.top()).status();
    assert!(ended.unwrap().success(), "{script}");
}

#[test]
fn a_task_that_was_done_again_is_added_with_the_reason() {
    let garden = four_tasks_with_remote();
    garden.run(&["land", "--push", "--yes"]).assert(0, &["Pushed work-landed"]);
    let first = garden.lines(&["rev-parse", "work-landed"]).concat();
    again(&garden, "T001", "Use two lines");
    garden
        .run(&["land", "--push", "--verify", "--yes"])
        .assert(0, &["has the new ones as well", "Pushed work-landed"]);
    assert_eq!(titles(&garden, &format!("{first}..work-landed")), ["Do T001 (T001), again"]);
    assert!(
        message(&garden, "work-landed").contains("\n\nUse two lines\n\n"),
        "{}",
        message(&garden, "work-landed")
    );
    assert_eq!(files(&garden, "work-landed"), files(&garden, "work"));
    assert_eq!(
        garden.lines(&["rev-parse", "origin/work-landed"]),
        garden.lines(&["rev-parse", "work-landed"])
    );
    garden
        .run(&["land"])
        .assert(0, &["Nothing to do: the branch work-landed has 4 tasks in 5 commits already"]);
    // Both are one change: without the second, the first does not count either, and the other way round.
    for reverted in ["HEAD", &first, "HEAD~3"] {
        switch(&garden, "work-landed");
        garden.git(&["switch", "-q", "-C", "reverted"]);
        garden.forget_history();
        let task = value(&garden, "Arborist-Complete", reverted);
        garden.git(&["revert", "--no-edit", "-X", "ours", reverted]);
        let pending = garden.run(&["next", "--all", "--json"]).stdout;
        assert!(pending.contains(&format!("\"{task}\"")), "{reverted} {task}: {pending}");
        garden.git(&["revert", "--no-edit", "-X", "theirs", "HEAD"]);
        assert_complete(&garden, "the revert was reverted");
    }
}

#[test]
fn the_next_request_has_only_what_its_base_does_not_have() {
    let merge: [(&str, &str); 3] = [
        ("squash", "git merge -q --squash work-landed && git commit -q -m \"$body\""),
        ("merge", "git merge -q --no-ff --no-edit work-landed"),
        ("rebase", "git cherry-pick main..work-landed"),
    ];
    for (way, command) in merge {
        for takes_base_in in [false, true] {
            let what = format!("{way}, the base is merged into the run: {takes_base_in}");
            let garden = four_tasks();
            garden.git(&["switch", "-q", "-c", "work"]);
            garden.run(&["gardener", "p1"]).assert(0, &[]);
            garden.run(&["land", "p1"]).assert(0, &[]);
            let body = garden.run(&["land", "p1", "--message"]).stdout;
            garden.git(&["switch", "-q", "main"]);
            garden.write("before.txt", "x\n");
            garden.commit("Something before");
            let ended = std::process::Command::new("sh")
                .args(["-ec", command])
                .env("body", &body)
                .current_dir(garden.top())
                .output()
                .unwrap();
            assert!(ended.status.success(), "{what}: {ended:?}");
            garden.write("after.txt", "x\n");
            garden.commit("Something after");
            garden.git(&["switch", "-q", "work"]);
            garden.forget_history();
            if takes_base_in {
                garden.git(&["merge", "-q", "--no-edit", "main"]);
            }
            garden.run(&["gardener"]).assert(0, &[]);
            garden.run(&["land", "--verify"]).assert(0, &["work-landed"]);
            let new = titles(&garden, "main..work-landed");
            assert_eq!(new, ["Do T003 (T003)", "Do T004 (T004)"], "{what}");
            garden.git(&["switch", "-q", "main"]);
            garden.git(&["merge", "-q", "--no-edit", "work-landed"]);
            garden.forget_history();
            assert_complete(&garden, &what);
        }
    }
}

#[test]
fn what_is_on_the_base_without_a_landed_commit_is_not_part_of_a_request() {
    let garden = four_tasks();
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["gardener", "p1"]).assert(0, &[]);
    garden.run(&["prune", "--yes"]);
    garden.git(&["switch", "-q", "main"]);
    garden.git(&["merge", "-q", "--no-ff", "--no-edit", "work"]);
    garden.forget_history();
    garden.run(&["note", "T003", "-m", "Mind the order"]).assert(0, &[]);
    garden.run(&["mark", "complete", "T003", "-m", "By hand"]).assert(0, &[]);
    garden.git(&["switch", "-q", "-c", "next"]);
    garden.agent("echo \"$work\" > \"$ARBORIST_TASK.txt\"");
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land"]).assert(0, &["Landed 1 task in 1 commit"]);
    assert_eq!(titles(&garden, "main..next-landed"), ["Do T004 (T004)"]);
    switch(&garden, "main");
    garden.git(&["switch", "-q", "-c", "none"]);
    garden.run(&["land", "p1"]).assert(1, &["main has what is complete already"]);
}

#[test]
fn commits_of_others_on_the_landed_branch_become_part_of_the_run_first() {
    let garden = four_tasks_with_remote();
    garden.run(&["land", "--push", "--yes"]).assert(0, &[]);
    colleague(&garden, "work-landed", "echo suggested >> T002.txt && git commit -qam 'Apply a suggestion'");
    colleague(&garden, "main", "echo x > base.txt && git add -A && git commit -qm 'Move the base'");
    colleague(&garden, "work-landed", "git merge -q --no-edit origin/main");
    again(&garden, "T001", "Use two lines");
    garden.run(&["land", "--dry-run"]).assert(1, &["has 2 commits of others that the run does not have"]);
    let ended = garden.run(&["land", "--push", "--yes"]);
    ended.assert(0, &["Took 2 commits of others into the run", "Pushed work-landed"]);
    assert_eq!(titles(&garden, "origin/main..work-landed").last().unwrap(), "Do T001 (T001), again");
    assert_eq!(files(&garden, "work-landed"), files(&garden, "work"));
    assert_eq!(garden.lines(&["log", "-1", "--format=%an", "--grep=^Apply a suggestion", "work"]), ["Bo"]);
    assert!(garden.read("T002.txt").contains("suggested") && garden.read("base.txt") == "x\n");
    assert_eq!(
        garden.lines(&["rev-parse", "origin/work-landed"]),
        garden.lines(&["rev-parse", "work-landed"])
    );
    garden.run(&["land"]).assert(0, &["Nothing to do"]);
    // What breaks a task is told, and what claims to be a step is refused.
    colleague(&garden, "work-landed", "git rm -q T002.txt && git commit -qm 'Remove a file'");
    garden
        .run(&["land", "--yes"])
        .assert(1, &["tests of T002 fail with the commits of others", "Nothing was landed", "open again"]);
    garden.run(&["land", "--yes"]).assert(1, &["1 task is not complete: T002 (pending)"]);
    let reason = garden.lines(&["log", "-1", "--format=%B", "--grep=^task(T002): reopen", "work"]).join("\n");
    assert!(reason.contains("fail with these commits of other people"), "{reason}");
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land", "--push", "--yes"]).assert(0, &[]);
    assert_eq!(titles(&garden, "work-landed~..work-landed"), ["Do T002 (T002), again"]);
    colleague(
        &garden,
        "work-landed",
        "git commit -q --allow-empty -m 'task(T002): complete \"x\"' -m 'Arborist-Step: complete'",
    );
    garden.run(&["land", "--yes"]).assert(6, &["claims to be a step"]);
    // A branch that somebody has rewritten is left alone.
    let script = "git clone -q ../far.git ../rewriter && cd ../rewriter && git push -qf origin origin/work-landed~4:work-landed && \
                  git -c user.name=x -c user.email=x@example.com commit -q --allow-empty -m x && git push -qf origin HEAD:work-landed";
    let ended = std::process::Command::new("sh").args(["-ec", script]).current_dir(garden.top()).status();
    assert!(ended.unwrap().success());
    garden.run(&["land", "--yes"]).assert(3, &["the branch work-landed of origin was rewritten"]);
}

#[test]
fn landed_commits_pass_the_hooks_of_the_project() {
    let garden = four_tasks();
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["gardener", "p1"]).assert(0, &[]);
    let hook = |name: &str, script: &str| {
        garden.write(&format!(".git/hooks/{name}"), &format!("#!/bin/sh\n{script}\n"));
        std::process::Command::new("chmod")
            .arg("+x")
            .arg(garden.top().join(".git/hooks").join(name))
            .status()
            .unwrap();
    };
    // Gerrit's, DCO and commitlint. They run on the landed branch, in a work tree of their own.
    hook(
        "prepare-commit-msg",
        "echo \"$(git rev-parse HEAD) $(pwd -P)\" >> \"$(git rev-parse --git-common-dir)/heads\"",
    );
    hook(
        "commit-msg",
        "head -1 \"$1\" | grep -Eq '^(feat|fix)(\\([^)]*\\))?: [a-z]' || { echo 'type-empty' >&2; exit 1; }\n\
         grep -q '^Signed-off-by: ' \"$1\" || { echo 'no sign-off' >&2; exit 1; }\n\
         grep -q '^Change-Id:' \"$1\" || git interpret-trailers --in-place --where start --trailer \
         \"Change-Id: I$(git rev-parse HEAD)\" \"$1\"",
    );
    garden.run(&["land", "p1"]).assert(1, &["commit-msg", "type-empty", "arborist.land.template"]);
    garden.git(&["config", "arborist.land.template", "conventional"]);
    garden.run(&["land", "p1"]).assert(1, &["no sign-off", "arborist.land.signOff"]);
    assert_eq!(garden.lines(&["branch", "--list", "*landed*"]), Vec::<String>::new());
    garden.git(&["config", "arborist.land.signOff", "true"]);
    garden.git(&[
        "config",
        "arborist.land.template",
        "{type}: {lower} ({id})\\n\\n{summary}\\n\\nRefs: {id}",
    ]);
    garden.run(&["land", "p1"]).assert(0, &["Landed 2 tasks in 2 commits"]);
    let heads = garden.read(".git/heads");
    let last = garden.lines(&["rev-parse", "work-landed~"]).concat();
    assert!(heads.lines().last().unwrap().starts_with(&last), "{heads}");
    assert!(!heads.contains(&format!(" {}\n", garden.top().display())), "{heads}");
    let keys = garden.lines(&["log", "-1", "--format=%(trailers:keyonly)", "work-landed"]);
    let keys: Vec<&str> = keys.iter().map(String::as_str).filter(|key| !key.is_empty()).collect();
    assert_eq!(
        keys,
        ["Change-Id", "Arborist-Complete", "Arborist-Run", "Arborist-Proof", "Refs", "Signed-off-by"]
    );
    let ids = |range: &str| {
        let ids = garden.lines(&["log", "--reverse", "--format=%(trailers:key=Change-Id,valueonly)", range]);
        ids.into_iter().filter(|id| !id.is_empty()).collect::<Vec<_>>()
    };
    let first = ids("main..work-landed");
    let template = |text: &str| garden.git(&["config", "arborist.land.template", text]);
    template("{name} ({id})\\n\\nArborist-Complete: T009");
    garden.run(&["land", "p1"]).assert(2, &["arborist.land.template", "`Arborist-`"]);
    template("{type}: {lower} ({id})\\n\\n{summary}\\n\\nRefs: {id}");
    // A commit on top is another change; on a new branch, each task keeps its own.
    std::fs::rename(garden.top().join(".git/hooks"), garden.top().join(".git/off")).unwrap();
    again(&garden, "T001", "Use two lines");
    std::fs::rename(garden.top().join(".git/off"), garden.top().join(".git/hooks")).unwrap();
    garden.run(&["land"]).assert(0, &[]);
    let all = ids("main..work-landed");
    let distinct: std::collections::HashSet<&String> = all.iter().collect();
    assert!(all.len() == 5 && distinct.len() == 5 && all[..2] == first, "{all:?}");
    garden.run(&["land", "--branch", "anew"]).assert(0, &[]);
    let anew = ids("main..anew");
    assert!(anew.len() == 4 && anew.iter().all(|id| all.contains(id)), "{anew:?}");
}

#[test]
fn a_branch_of_somebody_else_is_never_moved() {
    let garden = four_tasks();
    garden.run(&["gardener"]).assert(0, &[]);
    garden.git(&["branch", "main-landed", "main"]);
    let before = garden.lines(&["rev-parse", "main-landed"]);
    garden.run(&["land"]).assert(3, &["main-landed exists and holds other commits", "--branch"]);
    assert_eq!(garden.lines(&["rev-parse", "main-landed"]), before);
    garden.run(&["land", "--branch", "bad..name"]).assert(2, &["bad..name"]);
    garden.run(&["land", "--branch", "other", "--base", "nowhere"]).assert(2, &["nowhere"]);
}

#[test]
fn without_a_complete_task_there_is_nothing_to_land() {
    let garden = four_tasks();
    garden.run(&["land"]).assert(1, &["nothing to land", "gardener"]);
    garden.run(&["land", "--message"]).assert(1, &["nothing to land"]);
}

#[test]
fn a_landed_commit_whose_tests_fail_is_not_landed() {
    let garden = Garden::new(&one_task(&["test -f T001.txt && test -f hidden"]));
    garden.write("hidden", "");
    garden.write(".gitignore", "hidden\n");
    garden.git(&["add", ".gitignore"]);
    garden.git(&["commit", "-q", "-m", "Ignore"]);
    garden.run(&["gardener"]).assert(0, &[]);
    let ended = garden.run(&["land", "--verify"]);
    ended.assert(1, &["neither made nor moved"]);
    assert!(ended.stdout.contains("tests FAIL"), "{ended:#?}");
    assert_eq!(garden.lines(&["branch", "--list", "*landed*"]), Vec::<String>::new());
    garden.run(&["land", "--dry-run"]).assert(0, &["Would land 1 task in 1 commit"]);
    assert_eq!(garden.lines(&["branch", "--list", "*landed*"]), Vec::<String>::new());
}

#[test]
fn a_clone_without_the_run_says_the_same_words_about_landed_tasks() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["test -f T001.txt"]),
        ("T002", "p1", &[], &["test -f T002.txt"]),
    ]));
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["mark", "complete", "T002", "-m", "By hand"]).assert(0, &[]);
    let mut command = garden.arborist(&["gardener"]);
    command.env_remove("ARBORIST_TRUST_PROVE");
    garden.finish(command).assert(0, &[]);
    garden.run(&["land"]).assert(0, &[]);
    let clone = garden.root().join("clone");
    let from = format!("file://{}", garden.top().display());
    garden.git(&[
        "clone",
        "-q",
        "--single-branch",
        "--branch",
        "work-landed",
        &from,
        clone.to_str().unwrap(),
    ]);
    let mut status = garden.arborist(&["status", "--all"]);
    status.current_dir(&clone);
    let there = garden.start(status).wait().stdout;
    assert!(there.contains("T001 Do T001 (complete, proven)"), "{there}");
    assert!(there.contains("T002 Do T002 (complete, vouched for by a person)"), "{there}");
}

#[test]
fn a_squash_with_the_message_of_git_completes_tasks_that_have_changed_the_same_file() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["grep -q T001 list.txt"]),
        ("T002", "p1", &["T001"], &["grep -q T002 list.txt"]),
        ("T003", "p1", &["T002"], &["grep -q T003 list.txt"]),
    ]));
    garden.agent("echo $ARBORIST_TASK >> list.txt");
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    garden.run(&["land"]).assert(0, &[]);
    garden.git(&["switch", "-q", "main"]);
    garden.git(&["merge", "-q", "--squash", "work-landed"]);
    garden.git(&["commit", "-q", "--no-edit"]);
    garden.forget_history();
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains("3/3 complete") && status.contains("landed on main"), "{status}");
}

#[test]
fn any_task_can_be_done_again_in_each_round_of_a_review() {
    let garden = four_tasks_with_remote();
    garden.run(&["land", "--push", "--yes"]).assert(0, &[]);
    // The task that was landed last, the same one twice, and one in whose file a suggestion was accepted.
    let rounds = ["T004", "T001", "T001", "T002"];
    for (number, task) in rounds.iter().enumerate() {
        if *task == "T002" {
            colleague(&garden, "work-landed", "echo suggested >> T002.txt && git commit -qam 'Suggest'");
            garden.run(&["land", "--yes"]).assert(0, &["Took 1 commit of others into the run"]);
        }
        garden.agent(&format!("echo \"$work {number}\" > \"$ARBORIST_TASK.txt\""));
        garden.run(&["mark", "reopen", task, "-m", &format!("Round {number}")]).assert(0, &[]);
        garden.run(&["gardener"]).assert(0, &[]);
        garden.run(&["land", "--push", "--yes"]).assert(0, &["Pushed work-landed"]);
        let title = format!("Do {task} ({task}), again");
        assert_eq!(titles(&garden, "work-landed~..work-landed"), [title], "round {number}");
        assert!(message(&garden, "work-landed").contains(&format!("Round {number}")), "round {number}");
        assert_eq!(files(&garden, "work-landed"), files(&garden, "work"), "round {number}");
    }
}

#[test]
fn what_an_earlier_landing_left_out_is_landed_with_the_rest() {
    let garden = four_tasks();
    garden.git(&["switch", "-q", "-c", "work"]);
    let fails = "case $work in T003.implement.*) echo half > half.txt; exit 0;; esac";
    garden.agent(fails);
    garden.run(&["gardener", "--max-attempts", "1"]);
    garden.run(&["land", "--partial"]).assert(0, &[]);
    assert!(!files(&garden, "work-landed").concat().contains("half.txt"));
    garden.agent("");
    garden.run(&["mark", "reopen", "T003", "-m", "Go on"]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land"]).assert(0, &["work-landed"]);
    assert_eq!(files(&garden, "work-landed"), files(&garden, "work"));
}

#[test]
fn work_that_was_reverted_on_the_request_is_done_again() {
    let garden = four_tasks_with_remote();
    garden.run(&["land", "--push", "--yes"]).assert(0, &[]);
    colleague(&garden, "work-landed", "git revert --no-edit HEAD");
    let ended = garden.run(&["land", "--yes"]);
    ended.assert(1, &["tests of T004 fail with the commits of others", "`git arborist gardener`"]);
    let next = garden.run(&["next", "--all", "--json"]).stdout;
    assert!(next.contains("\"T004\""), "{next}");
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land", "--yes"]).assert(0, &[]);
    assert_eq!(files(&garden, "work-landed"), files(&garden, "work"));
    assert!(garden.top().join("T004.txt").exists());
}

#[test]
fn a_commit_that_mentions_a_landed_one_is_taken_in_once() {
    let garden = four_tasks_with_remote();
    garden.run(&["land", "--push", "--yes"]).assert(0, &[]);
    let script = "echo more >> base && git add base && git commit -qm \"Follow-up of $(git rev-parse HEAD)\"";
    colleague(&garden, "work-landed", script);
    garden.run(&["land", "--yes"]).assert(0, &["Took 1 commit of others into the run"]);
    garden.run(&["land", "--yes"]).assert(0, &["Nothing to do"]);
}

#[test]
fn a_merged_branch_that_the_remote_still_has_is_named_before_anything_moves() {
    let garden = four_tasks_with_remote();
    garden.run(&["land", "--push", "--yes"]).assert(0, &[]);
    colleague(&garden, "main", "git merge -q --squash origin/work-landed && git commit -q --no-edit");
    garden.git(&["fetch", "-q"]);
    let before = garden.lines(&["rev-parse", "work-landed"]);
    again(&garden, "T001", "Use two lines");
    for _ in 0..2 {
        let ended = garden.run(&["land", "--push", "--yes"]);
        ended.assert(3, &["still has the branch work-landed", "git push origin --delete work-landed"]);
        assert_eq!(garden.lines(&["rev-parse", "work-landed"]), before);
    }
    garden.git(&["push", "-q", "origin", "--delete", "work-landed"]);
    garden.run(&["land", "--push", "--yes"]).assert(0, &["Pushed work-landed"]);
    assert_eq!(titles(&garden, "origin/main..work-landed"), ["Do T001 (T001), again"]);
}

#[test]
fn what_fails_without_the_commits_of_others_as_well_is_not_their_doing() {
    let garden = Garden::new(&one_task(&["test -f T001.txt && test -f keep.txt"]));
    garden.write("keep.txt", "");
    garden.commit("Keep a file");
    garden.git(&["init", "-q", "--bare", "-b", "main", "../far.git"]);
    garden.git(&["remote", "add", "origin", "../far.git"]);
    garden.git(&["push", "-q", "-u", "origin", "main"]);
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land", "--push", "--yes"]).assert(0, &[]);
    garden.git(&["rm", "-q", "keep.txt"]);
    garden.commit("Remove a file");
    colleague(&garden, "work-landed", "echo more >> T001.txt && git commit -qam 'Add a line'");
    let ended = garden.run(&["land", "--yes"]);
    ended.assert(0, &["Took 1 commit of others into the run"]);
    assert_eq!(files(&garden, "work-landed"), files(&garden, "work"));
}

#[test]
fn a_task_that_was_done_again_before_the_first_landing_does_not_mix_with_the_others() {
    for style in ["task", "one", "merge"] {
        let garden = four_tasks();
        garden.git(&["switch", "-q", "-c", "work"]);
        garden.run(&["gardener"]).assert(0, &[]);
        again(&garden, "T001", "Use two lines");
        garden.run(&["land", "--style", style, "--verify"]).assert(0, &["4 tasks in"]);
        assert_eq!(files(&garden, "work-landed"), files(&garden, "work"), "{style}");
        if style == "task" {
            let expected = ["Do T001 (T001)", "Do T002 (T002)", "Do T003 (T003)", "Do T004 (T004)"];
            assert_eq!(titles(&garden, "main..work-landed"), expected);
            for (commit, changed) in
                [("work-landed~3", "T001.txt"), ("work-landed~2", "T002.txt"), ("work-landed", "T004.txt")]
            {
                assert_eq!(
                    garden.lines(&["show", "--format=", "--name-only", commit]),
                    [changed],
                    "{commit}"
                );
            }
            assert!(garden.lines(&["show", "work-landed~3:T001.txt"]).concat().contains("again"));
        } else {
            let body = message(&garden, "work-landed");
            assert_eq!(body.matches("(T001)").count(), 1, "{body}");
        }
        garden.run(&["land", "--style", style]).assert(0, &["Nothing to do"]);
        switch(&garden, "work-landed");
        assert_complete(&garden, style);
    }
}

#[test]
fn a_single_commit_says_of_a_task_that_was_done_again_what_a_commit_for_each_task_says() {
    let garden = four_tasks();
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land", "--style", "one"]).assert(0, &[]);
    again(&garden, "T001", "Use two lines");
    garden.run(&["land", "--style", "one"]).assert(0, &[]);
    assert_eq!(titles(&garden, "work-landed~..work-landed"), ["Do T001 (T001), again"]);
    let body = message(&garden, "work-landed");
    assert!(body.contains("Use two lines") && body.contains("Arborist-Proof: is="), "{body}");
    // A round without a reason does not repeat that of the round before.
    garden.agent("echo \"$work, once more\" > \"$ARBORIST_TASK.txt\"");
    garden.run(&["mark", "reopen", "T001"]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land"]).assert(0, &[]);
    let body = message(&garden, "work-landed");
    assert!(body.starts_with("Do T001 (T001), again\n") && !body.contains("two lines"), "{body}");
}

#[test]
fn what_was_landed_before_need_not_pass_the_tests_of_today() {
    let garden = four_tasks();
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land"]).assert(0, &[]);
    let plan = garden.read("task-tree.json").replace("test -f T001.txt\"", "grep -q two T001.txt\"");
    garden.write("task-tree.json", &plan);
    garden.commit("Ask for more");
    garden.agent("case $ARBORIST_TASK in T001) echo two >> T001.txt;; esac");
    garden.run(&["mark", "reopen", "T001", "-m", "The tests ask for more"]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land", "--verify"]).assert(0, &[]);
    assert_eq!(titles(&garden, "work-landed~..work-landed"), ["Do T001 (T001), again"]);
}

#[test]
fn a_branch_with_other_commits_here_and_in_the_remote_is_told_apart_from_a_rewritten_one() {
    let garden = four_tasks_with_remote();
    garden.run(&["land", "--push", "--yes"]).assert(0, &[]);
    // This repository does not know what it has pushed, as one that fetches a single branch.
    garden.git(&["update-ref", "-d", "refs/remotes/origin/work-landed"]);
    colleague(&garden, "work-landed", "echo suggested >> T002.txt && git commit -qam 'Apply a suggestion'");
    garden.run(&["land", "--yes"]).assert(0, &["Took 1 commit of others into the run"]);
    again(&garden, "T001", "Use two lines");
    garden.run(&["land"]).assert(0, &[]);
    colleague(&garden, "work-landed", "echo more >> T003.txt && git commit -qam 'Apply another one'");
    let ended = garden.run(&["land", "--push", "--yes"]);
    ended.assert(3, &["commits here that were not pushed, and others in origin"]);
    let advised = ended.stderr.split('`').find(|words| words.starts_with("git branch -f ")).unwrap();
    let words: Vec<&str> = advised.split(' ').skip(1).collect();
    garden.git(&words);
    garden
        .run(&["land", "--push", "--yes"])
        .assert(0, &["Took 1 commit of others into the run", "Pushed work-landed"]);
    assert_eq!(titles(&garden, "work-landed~..work-landed"), ["Do T001 (T001), again"]);
    assert_eq!(files(&garden, "work-landed"), files(&garden, "work"));
}

#[test]
fn a_sign_off_in_the_template_stands_once() {
    let garden = four_tasks();
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["gardener", "p1"]).assert(0, &[]);
    let who = garden.lines(&["var", "GIT_COMMITTER_IDENT"]).concat();
    let who = &who[..=who.rfind('>').unwrap()];
    garden.git(&["config", "arborist.land.signOff", "true"]);
    garden.git(&[
        "config",
        "arborist.land.template",
        &format!("{{name}} ({{id}})\\n\\nSigned-off-by: {who}"),
    ]);
    garden.run(&["land", "p1"]).assert(0, &[]);
    assert_eq!(message(&garden, "work-landed").matches("Signed-off-by: ").count(), 1);
}

#[test]
fn rework_that_needs_what_others_did_since_is_a_commit_of_its_own() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["grep -q T001 list.txt"]),
        ("T002", "p1", &["T001"], &["grep -q T002 list.txt"]),
    ]));
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.agent("echo $ARBORIST_TASK >> list.txt");
    garden.run(&["gardener"]).assert(0, &[]);
    garden.agent("echo once more, $ARBORIST_TASK >> list.txt");
    garden.run(&["mark", "reopen", "T001", "-m", "Say it twice"]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land", "--verify"]).assert(0, &["2 tasks in 3 commits"]);
    let expected = ["Do T001 (T001)", "Do T002 (T002)", "Do T001 (T001), again"];
    assert_eq!(titles(&garden, "main..work-landed"), expected);
    let added = |commit: &str| {
        let diff = garden.lines(&["show", "--format=", commit, "--", "list.txt"]);
        diff.into_iter().filter(|line| line.starts_with('+') && !line.starts_with("+++")).collect::<Vec<_>>()
    };
    assert_eq!(added("work-landed~2"), ["+T001"]);
    assert_eq!(added("work-landed~"), ["+T002"], "no work of another task is in it");
    assert_eq!(added("work-landed"), ["+once more, T001"]);
    assert!(message(&garden, "work-landed").contains("\n\nSay it twice\n\n"));
    assert!(!message(&garden, "work-landed~2").contains("2 attempts"));
    assert_eq!(files(&garden, "work-landed"), files(&garden, "work"));
    garden.run(&["land"]).assert(0, &["Nothing to do"]);
    switch(&garden, "work-landed");
    assert_complete(&garden, "landed");
}

#[test]
fn a_task_that_was_done_again_without_a_difference_gets_no_commit() {
    let garden = four_tasks();
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land"]).assert(0, &[]);
    let before = garden.lines(&["rev-parse", "work-landed"]);
    garden.run(&["mark", "reopen", "T001", "-m", "Look again"]).assert(0, &[]);
    garden.run(&["mark", "complete", "T001", "-m", "It is as it should be"]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    for style in ["task", "one"] {
        garden.run(&["land", "--style", style]).assert(0, &["Nothing to do"]);
        assert_eq!(garden.lines(&["rev-parse", "work-landed"]), before, "{style}");
    }
    garden.git(&["branch", "-f", "main", "work-landed"]);
    garden.git(&["branch", "-D", "work-landed"]);
    garden.run(&["land"]).assert(1, &["the base has what is complete already", "The run is complete"]);
}

#[test]
fn work_that_the_base_took_back_does_not_come_again_unsaid() {
    let garden = four_tasks();
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land"]).assert(0, &[]);
    switch(&garden, "main");
    garden.git(&["merge", "-q", "--no-ff", "--no-edit", "work-landed"]);
    garden.git(&["revert", "--no-edit", "HEAD^2~3"]);
    switch(&garden, "work");
    again(&garden, "T002", "Use two lines");
    let ended = garden.run(&["land", "--dry-run"]);
    ended.assert(0, &["main has taken back the work of T001", "comes again"]);
    assert!(!ended.stderr.contains("of T002"), "{ended:?}");
    // The run knows of it, and has done it again.
    garden.git(&["merge", "-q", "--no-edit", "-X", "ours", "main"]);
    again(&garden, "T001", "Do it after all");
    let ended = garden.run(&["land"]);
    ended.assert(0, &[]);
    assert!(!ended.stderr.contains("taken back"), "{ended:?}");
}

#[test]
fn authors_and_messages_in_another_encoding_are_kept() {
    let garden = four_tasks();
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["gardener", "p1"]).assert(0, &[]);
    let script = "echo x > menu.txt; git add menu.txt; export GIT_AUTHOR_NAME=\"$(printf 'Jos\\351')\"; \
                  git -c i18n.commitEncoding=ISO-8859-1 commit -q -m \"$(printf 'Open a caf\\351')\"";
    let ended = std::process::Command::new("sh").args(["-ec", script]).current_dir(garden.top()).status();
    assert!(ended.unwrap().success());
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land"]).assert(0, &[]);
    let written = garden.lines(&["log", "--format=%an: %s", "main..work-landed"]);
    assert!(written.contains(&"José: Open a café".to_owned()), "{written:?}");
    for args in [&["land"][..], &["land", "--branch", "anew"]] {
        let listed = garden.run(args).stdout;
        assert!(listed.contains("Open a café\n"), "{args:?}: {listed}");
    }
}

#[test]
fn a_task_that_waits_for_an_approval_is_called_so() {
    let garden = four_tasks();
    garden.git(&["config", "arborist.approval", "true"]);
    garden.run(&["gardener", "--gate", "task"]);
    garden.run(&["land"]).assert(1, &["T001 (waits for your approval)", "T002 (pending)"]);
    garden.git(&["config", "arborist.approval", "false"]);
    garden.run(&["mark", "approve", "T001"]);
    garden.run(&["gardener", "T001"]).assert(0, &[]);
    garden.git(&["config", "arborist.approval", "true"]);
    garden.run(&["gardener", "T002"]);
    let left = garden.run(&["land", "--partial"]).stdout;
    assert!(left.contains("left out: T002 (waits for your approval)"), "{left}");
}

#[test]
fn what_is_done_again_after_a_person_has_marked_its_squash_is_landed_with_the_next_request() {
    for takes_base_in in [false, true] {
        let garden = four_tasks();
        garden.git(&["switch", "-q", "-c", "work"]);
        garden.run(&["gardener"]).assert(0, &[]);
        again(&garden, "T002", "Before anything was landed");
        garden.run(&["land"]).assert(0, &[]);
        switch(&garden, "main");
        garden.git(&["merge", "-q", "--squash", "work-landed"]);
        // Whatever is done within one second counts as done after it.
        std::thread::sleep(std::time::Duration::from_millis(1_100));
        garden.git(&["commit", "-q", "-m", "Work (#7)"]);
        garden.run(&["mark", "landed", "HEAD", "--yes"]).assert(0, &[]);
        switch(&garden, "work");
        for round in ["once", "twice"] {
            if takes_base_in {
                garden.git(&["merge", "-q", "--no-edit", "main"]);
            }
            garden.agent(&format!("echo {round} >> \"$ARBORIST_TASK.txt\""));
            garden.run(&["mark", "reopen", "T001", "-m", round]).assert(0, &[]);
            garden.run(&["gardener"]).assert(0, &[]);
            garden.run(&["land", "--verify"]).assert(0, &["work-landed"]);
            let new = titles(&garden, "main..work-landed");
            let what = format!("{round}, the base is merged into the run: {takes_base_in}");
            assert_eq!(new.last().unwrap(), "Do T001 (T001), again", "{what}");
            assert!(new.iter().all(|title| title == "Do T001 (T001), again"), "{what}: {new:?}");
            assert!(message(&garden, "work-landed").contains(&format!("\n\n{round}\n\n")), "{what}");
            assert_eq!(files(&garden, "work-landed"), files(&garden, "work"), "{what}");
        }
        garden.run(&["land"]).assert(0, &["Nothing to do"]);
        switch(&garden, "main");
        garden.git(&["merge", "-q", "--no-edit", "work-landed"]);
        assert_complete(&garden, "landed");
    }
}

#[test]
fn a_task_that_was_done_again_is_pending_where_any_of_the_merges_that_landed_it_is_reverted() {
    for merges in ["--ff-only", "--no-ff"] {
        let garden = four_tasks();
        garden.git(&["switch", "-q", "-c", "work"]);
        garden.run(&["gardener"]).assert(0, &[]);
        garden.run(&["land", "--style", "merge"]).assert(0, &[]);
        let mut landed = Vec::new();
        for round in 0..2 {
            switch(&garden, "main");
            garden.git(&["merge", "-q", merges, "--no-edit", "work-landed"]);
            landed.extend(garden.lines(&["rev-parse", "HEAD", "work-landed"]));
            if round == 0 {
                switch(&garden, "work");
                again(&garden, "T001", "Use two lines");
                garden.run(&["land", "--style", "merge"]).assert(0, &[]);
            }
        }
        landed.dedup();
        for reverted in &landed {
            switch(&garden, "main");
            garden.git(&["switch", "-q", "-C", "reverted"]);
            garden.forget_history();
            // As git writes it, also where files are in conflict.
            let first = garden.lines(&["rev-parse", &format!("{reverted}^")]).concat();
            let said = format!("This reverts commit {reverted}, reversing\nchanges made to {first}.");
            garden.git(&["commit", "-q", "--allow-empty", "-m", "Revert \"Merge\"", "-m", &said]);
            let next = garden.run(&["next", "--all", "--json"]).stdout;
            assert!(next.contains("\"T001\""), "{merges}, {reverted} of {landed:?}: {next}");
            let said = format!("This reverts commit {}.", garden.lines(&["rev-parse", "HEAD"]).concat());
            garden.git(&["commit", "-q", "--allow-empty", "-m", "Revert \"Revert\"", "-m", &said]);
            assert_complete(&garden, "the revert was reverted");
        }
    }
}

#[test]
fn the_revert_of_what_brought_a_merge_back_takes_back_what_was_done_again_since() {
    let garden = four_tasks();
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["gardener"]).assert(0, &[]);
    let id = || garden.lines(&["rev-parse", "HEAD"]).concat();
    let revert = |reverted: &str, end: &str| {
        let said = format!("This reverts commit {reverted}{end}.");
        garden.git(&["commit", "-q", "--allow-empty", "-m", "Revert it", "-m", &said]);
        id()
    };
    let land = || {
        garden.run(&["land"]).assert(0, &[]);
        switch(&garden, "main");
        garden.git(&["merge", "-q", "--no-ff", "--no-edit", "work-landed"]);
        garden.forget_history();
    };
    let begun = garden.lines(&["rev-parse", "main"]).concat();
    land();
    let reverted = revert(&id(), &format!(", reversing\nchanges made to {begun}"));
    let brought_back = revert(&reverted, "");
    switch(&garden, "work");
    again(&garden, "T001", "Use two lines");
    land();
    assert_complete(&garden, "landed twice");
    revert(&brought_back, "");
    let next = garden.run(&["next", "--all", "--json"]).stdout;
    assert!(next.contains("\"T001\"") && next.contains("\"T002\""), "{next}");
    revert(&id(), "");
    assert_complete(&garden, "that was taken back as well");
}

/// Does what a message advises between backticks, where files are in conflict as this branch has them.
fn follow_advice(garden: &Garden, said: &str) {
    let advised = said.split('`').filter(|words| words.starts_with("git ") && !words.contains("arborist"));
    for (number, command) in advised.enumerate() {
        garden.try_git(&command.split(' ').skip(1).collect::<Vec<_>>());
        if number == 0 {
            garden.git(&["checkout", "--quiet", "--ours", "--", "."]);
        }
    }
    garden.forget_history();
}

#[test]
fn what_does_not_fit_on_the_run_is_brought_there_by_the_commands_that_are_printed() {
    let suggestion = "echo suggested > T002.txt && git commit -qam 'Apply a suggestion'";
    let update = "git merge -q --no-edit -X theirs origin/main && echo settled > T002.txt && \
                  git commit -qa --amend --no-edit";
    for (what, script) in [("a suggestion", suggestion), ("a merge of the base", update)] {
        let garden = four_tasks_with_remote();
        garden.run(&["land", "--push", "--yes"]).assert(0, &[]);
        colleague(&garden, "main", "echo base > T002.txt && git add -A && git commit -qm 'Move the base'");
        for round in 0..2 {
            colleague(&garden, "work-landed", script);
            for task in ["T002", "T003"] {
                garden.agent(&format!("echo \"$work {round}\" > \"$ARBORIST_TASK.txt\""));
                garden.run(&["mark", "reopen", task, "-m", "Do it otherwise"]).assert(0, &[]);
                garden.run(&["gardener"]).assert(0, &[]);
            }
            let refused = garden.run(&["land", "--push", "--yes"]);
            refused.assert(1, &["does not fit on the run: T002.txt"]);
            garden.run(&["land", "--dry-run"]).assert(1, &["does not fit on the run: T002.txt"]);
            follow_advice(&garden, &refused.stderr);
            garden.run(&["land", "--push", "--yes"]).assert(0, &["Pushed work-landed"]);
            assert_eq!(files(&garden, "work-landed"), files(&garden, "work"), "{what}, {round}");
            assert!(
                garden.read("T002.txt").starts_with(&format!("T002.implement.0 {round}\n")),
                "{what}, {round}"
            );
            garden.run(&["land"]).assert(0, &["Nothing to do"]);
            if what != "a suggestion" {
                break;
            }
        }
    }
}

#[test]
fn what_a_merge_of_the_base_has_settled_is_landed_with_the_task_that_it_concerns() {
    let garden = four_tasks();
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["gardener", "p1"]).assert(0, &[]);
    garden.run(&["land", "p1"]).assert(0, &[]);
    let body = garden.run(&["land", "p1", "--message"]).stdout;
    switch(&garden, "main");
    garden.write("base.txt", "base\n");
    garden.write("T003.txt", "by base\n");
    garden.commit("Add files that the run knows nothing of");
    garden.git(&["merge", "-q", "--squash", "work-landed"]);
    garden.git(&["commit", "-q", "-m", &body]);
    garden.git(&["branch", "-q", "-D", "work-landed"]);
    switch(&garden, "work");
    garden.run(&["gardener"]).assert(0, &[]);
    let script = "! git merge -q main && echo by both > T003.txt && git add -A && git commit -q --no-edit";
    let ended = std::process::Command::new("sh").args(["-ec", script]).current_dir(garden.top()).status();
    assert!(ended.unwrap().success());
    garden.run(&["land", "--verify"]).assert(0, &["T003 changes the same lines of T003.txt as the base"]);
    let changed = garden.lines(&["log", "--reverse", "--format=%s", "--name-status", "main..work-landed"]);
    let changed: Vec<&str> = changed.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
    assert_eq!(changed, ["Do T003 (T003)", "M\tT003.txt", "Do T004 (T004)", "A\tT004.txt"]);
}

#[test]
fn of_two_suggestions_that_only_differ_in_what_they_change_none_is_lost() {
    let garden = four_tasks_with_remote();
    garden.run(&["land", "--push", "--yes"]).assert(0, &[]);
    let commit = "git commit -qam 'Apply suggestions' --date '2026-01-02 03:04:05 +0000'";
    let (first, second) = ("echo first >> T001.txt", "echo second > T002.txt");
    colleague(&garden, "work-landed", &format!("{first} && {commit} && {second} && {commit}"));
    again(&garden, "T002", "Do it otherwise");
    let refused = garden.run(&["land", "--push", "--yes"]);
    refused.assert(1, &["Took 1 commit of others into the run", "does not fit on the run: T002.txt"]);
    follow_advice(&garden, &refused.stderr);
    garden.run(&["land", "--push", "--yes"]).assert(0, &["Pushed work-landed"]);
    assert_eq!(files(&garden, "work-landed"), files(&garden, "work"));
    assert!(garden.read("T001.txt").ends_with("first\n"));
}

#[test]
fn what_the_merge_of_somebody_else_changes_itself_is_brought_to_the_run_as_well() {
    let update = "(git merge -q --no-edit origin/main || true) && echo settled > T002.txt && \
                  echo needed >> T003.txt && git commit -qam 'Merge main'";
    for has_merged_base in [false, true] {
        let garden = four_tasks_with_remote();
        garden.run(&["land", "--push", "--yes"]).assert(0, &[]);
        colleague(&garden, "main", "echo base > T002.txt && git add -A && git commit -qm 'Move the base'");
        colleague(&garden, "work-landed", update);
        if has_merged_base {
            garden.git(&["fetch", "-q"]);
            garden.try_git(&["merge", "-q", "origin/main"]);
            garden.write("T002.txt", "settled here\n");
            garden.commit("Merge main here");
        } else {
            again(&garden, "T002", "Do it otherwise");
        }
        let refused = garden.run(&["land", "--push", "--yes"]);
        refused.assert(1, &["does not fit on the run: T002.txt"]);
        follow_advice(&garden, &refused.stderr);
        let shown = garden.lines(&["show", "--stat", "--format=", "work"]).join("\n");
        assert!(shown.contains("T003.txt"), "{has_merged_base}: {shown}");
        garden.run(&["land", "--push", "--yes"]).assert(0, &["Pushed work-landed"]);
        assert_eq!(files(&garden, "work-landed"), files(&garden, "work"), "{has_merged_base}");
        assert!(garden.read("T003.txt").ends_with("needed\n"), "{has_merged_base}");
        garden.run(&["land"]).assert(0, &["Nothing to do"]);
    }
}

#[test]
fn a_task_whose_landed_work_was_reverted_is_opened_when_the_revert_was_brought_by_hand() {
    let garden = four_tasks_with_remote();
    garden.run(&["land", "--push", "--yes"]).assert(0, &[]);
    let revert = "git revert --no-edit \"$(git log -1 --format=%H --grep='^Do T002')\" >/dev/null";
    colleague(&garden, "work-landed", revert);
    again(&garden, "T002", "Do it otherwise");
    let refused = garden.run(&["land", "--yes"]);
    refused.assert(1, &["does not fit on the run: T002.txt"]);
    follow_advice(&garden, &refused.stderr);
    garden.run(&["land", "--dry-run"]).assert(1, &["others have taken back the landed work of T002"]);
    garden.run(&["land", "--yes"]).assert(1, &["1 task is not complete: T002 (pending)"]);
    garden.agent("echo anew > \"$ARBORIST_TASK.txt\"");
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land", "--push", "--yes"]).assert(0, &["Pushed work-landed"]);
    assert_eq!(files(&garden, "work-landed"), files(&garden, "work"));
    garden.run(&["land"]).assert(0, &["Nothing to do"]);
}

#[test]
fn conflict_markers_that_were_left_by_hand_are_not_landed() {
    let garden = four_tasks_with_remote();
    garden.run(&["land", "--push", "--yes"]).assert(0, &[]);
    colleague(&garden, "work-landed", "echo suggested > T002.txt && git commit -qam 'Apply a suggestion'");
    again(&garden, "T002", "Do it otherwise");
    let refused = garden.run(&["land", "--push", "--yes"]);
    let advised = refused.stderr.split('`').filter(|words| words.starts_with("git "));
    for command in advised {
        garden.try_git(&command.split(' ').skip(1).collect::<Vec<_>>());
    }
    garden.forget_history();
    for _ in 0..2 {
        garden
            .run(&["land", "--push", "--yes"])
            .assert(1, &["T002.txt has conflict markers", "Settle T002.txt"]);
    }
    garden.write("T002.txt", "settled\n");
    garden.commit("Settle it");
    garden.run(&["land", "--push", "--yes"]).assert(0, &["Pushed work-landed"]);
    assert_eq!(files(&garden, "work-landed"), files(&garden, "work"));
}

#[test]
fn what_is_done_again_before_a_squash_that_does_not_have_it_is_landed_later() {
    for landed in ["never", "before the squash, and not pushed", "after the squash, and pushed"] {
        let garden = four_tasks_with_remote();
        garden.run(&["land"]).assert(0, &[]);
        garden.git(&["push", "-q", "origin", "work-landed"]);
        again(&garden, "T001", "Use two lines");
        if landed.starts_with("before") {
            garden.run(&["land"]).assert(0, &[]);
        }
        // Whatever is done within one second counts as done after it.
        std::thread::sleep(std::time::Duration::from_millis(1_100));
        colleague(
            &garden,
            "main",
            "git merge -q --squash origin/work-landed && git commit -q -m 'Work (#7)'",
        );
        if landed.starts_with("after") {
            garden.run(&["land"]).assert(0, &[]);
            garden.git(&["push", "-q", "origin", "work-landed"]);
        } else {
            garden.git(&["push", "-q", "origin", "--delete", "work-landed"]);
        }
        garden.git(&["fetch", "-q"]);
        switch(&garden, "main");
        garden.git(&["merge", "-q", "--ff-only", "origin/main"]);
        garden.run(&["mark", "landed", "HEAD", "--yes"]).assert(0, &[]);
        switch(&garden, "work");
        garden.run(&["land"]).assert(0, &[]);
        for (task, why) in [("T001", "Use two lines"), ("T002", "Use three lines")] {
            if task == "T002" {
                again(&garden, task, why);
                garden.run(&["land"]).assert(0, &[]);
            }
            garden.git(&["push", "-q", "origin", "work-landed"]);
            let titles = titles(&garden, "main..work-landed");
            assert_eq!(titles.last().unwrap(), &format!("Do {task} ({task}), again"), "{landed}: {titles:?}");
            assert_eq!(files(&garden, "work-landed"), files(&garden, "work"), "{landed}: {task}");
            if landed == "never" {
                assert!(titles.iter().all(|title| title.ends_with(", again")), "{titles:?}");
                assert!(titles.contains(&"Do T001 (T001), again".to_owned()), "{titles:?}");
            }
        }
        if landed != "never" {
            continue;
        }
        // The rework is squashed as well, and is complete there already.
        switch(&garden, "main");
        garden.git(&["merge", "-q", "--squash", "work-landed"]);
        garden.git(&["commit", "-q", "-m", "Work (#8)"]);
        garden.run(&["mark", "landed", "HEAD", "--yes"]).assert(1, &["mark landed HEAD TASK"]);
        garden.run(&["mark", "landed", "HEAD", "T001", "T002"]).assert(0, &[]);
        switch(&garden, "work");
        garden.run(&["land"]).assert(1, &["the base has what is complete already"]);
    }
}
