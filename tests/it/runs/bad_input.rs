//! Tests that every bad call, file and repository has its exit status and a remedy, and changes nothing.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::json;

use crate::support::garden::{Garden, one_task, plan, side_by_side};

/// Everything that a refused call must leave as it is.
fn state(garden: &Garden) -> (String, Vec<u8>, Vec<PathBuf>) {
    let refs = garden.try_git(&["for-each-ref"]).stdout;
    let head = garden.try_git(&["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"]).stdout;
    let status = garden.try_git(&["status", "--porcelain", "--untracked-files=all"]).stdout;
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(garden.top()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    (String::from_utf8_lossy(&head).into_owned(), [refs, status].concat(), files)
}

/// Runs gardener (and garden alike), which must refuse with this status and these words, and change nothing.
#[track_caller]
fn refused(garden: &Garden, status: i32, words: &[&str]) {
    let before = state(garden);
    for command in ["gardener", "garden"] {
        let ended = garden.run(&[command]);
        ended.assert(status, words);
        assert_eq!(ended.stdout, "", "{command}: standard output is for answers");
        assert!(ended.stderr.starts_with("error: ") || ended.stderr.contains("\nerror: "), "{ended:#?}");
    }
    assert_eq!(state(garden), before);
    assert_eq!(garden.asked(), [""; 0], "no agent is started");
}

#[test]
fn without_a_repository_the_error_says_where_to_go() {
    let garden = Garden::empty();
    let ended = garden.run(&["gardener"]);
    ended.assert(3, &["not in a git repository", "git init"]);
    assert!(!garden.exists(".git"));
}

#[test]
fn a_bare_repository_and_the_inside_of_a_git_directory_have_no_work_tree() {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "--bare"]);
    let ended = garden.run(&["gardener"]);
    ended.assert(3, &["bare", "needs a work tree", "git worktree add"]);

    let garden = Garden::new(&one_task(&[]));
    for folder in [".git", ".git/refs"] {
        let mut command = garden.arborist(&["gardener"]);
        command.current_dir(garden.top().join(folder));
        garden.finish(command).assert(3, &["git directory", "Go to a work tree"]);
    }
}

#[test]
fn in_a_repository_without_commits_the_error_says_what_to_commit_first() {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    garden.write("task-tree.json", &one_task(&[]).to_string());
    garden.agent("");
    refused(&garden, 3, &["no commits yet", "`git add -A && git commit"]);
}

#[test]
fn on_a_detached_head_the_error_says_to_create_a_branch() {
    let garden = Garden::new(&one_task(&[]));
    garden.git(&["switch", "-q", "--detach"]);
    refused(&garden, 3, &["detached", "git switch -c"]);
}

/// A repository with a branch `side` that conflicts with `main`, two commits each.
fn conflicting() -> Garden {
    let garden = Garden::new(&one_task(&[]));
    garden.write("file", "base\n");
    garden.commit("Base");
    garden.git(&["switch", "-q", "-c", "side"]);
    garden.write("file", "side\n");
    garden.commit("Side");
    garden.git(&["switch", "-q", "main"]);
    garden.write("file", "main\n");
    garden.commit("Main");
    garden
}

#[test]
fn an_operation_in_progress_must_be_finished_first() {
    let cases: [(&str, &[&str], &str, &str); 6] = [
        ("merge", &["merge", "side"], "a merge is in progress", "git merge --abort"),
        ("rebase", &["rebase", "side"], "a rebase is in progress", "git rebase --abort"),
        ("rebase (apply)", &["rebase", "--apply", "side"], "is in progress", "git rebase --abort"),
        ("cherry-pick", &["cherry-pick", "side"], "a cherry-pick is in progress", "git cherry-pick --abort"),
        ("revert", &["revert", "--no-edit", "HEAD~1"], "a revert is in progress", "git revert --abort"),
        ("bisect", &["bisect", "start"], "a bisect is in progress", "git bisect reset"),
    ];
    side_by_side(cases, |(name, args, what, remedy)| {
        let garden = conflicting();
        garden.try_git(args);
        if name.starts_with("rebase") {
            garden.forget_history();
        }
        refused(&garden, 3, &[what, remedy]);
        let mut linked = garden.arborist(&["gardener"]);
        garden.git(&["worktree", "add", "-q", "-f", "-B", "other", "../linked", "side"]);
        linked.current_dir(garden.root().join("linked"));
        garden.finish(linked).assert(0, &[]);
    });
}

#[test]
fn a_merge_without_conflicts_that_waits_for_its_commit_is_not_concluded_by_a_step() {
    let garden = conflicting();
    garden.git(&["switch", "-q", "-c", "clean", "HEAD~1"]);
    garden.write("other", "");
    garden.commit("Other");
    garden.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
    refused(&garden, 3, &["a merge is in progress"]);
}

#[test]
fn conflicts_in_the_index_have_to_be_resolved_first() {
    let garden = conflicting();
    garden.try_git(&["merge", "side"]);
    std::fs::remove_file(garden.top().join(".git/MERGE_HEAD")).unwrap();
    refused(&garden, 3, &["conflicts", "Resolve"]);
    let ended = garden.run(&["gardener", "--allow-dirty"]);
    ended.assert(3, &["conflicts"]);
}

/// A garden whose committed tree file has this content.
fn with_tree(content: &[u8]) -> Garden {
    let garden = Garden::new(&one_task(&[]));
    std::fs::write(garden.top().join("task-tree.json"), content).unwrap();
    garden.commit("Change the plan");
    garden
}

#[test]
fn a_tree_file_that_cannot_be_used_is_refused_with_its_place_and_what_to_do() {
    let cycle = plan(&[("p1", "", &[], &[]), ("T001", "p1", &["T002"], &[]), ("T002", "p1", &["T001"], &[])]);
    let dangling = plan(&[("p1", "", &[], &[]), ("T001", "p1", &["T042"], &[])]);
    let mut nothing = one_task(&[""]);
    let empty_command = nothing.to_string();
    nothing["nodes"] = json!({});
    let mut wrong = one_task(&[]);
    wrong["nodes"]["T001"]["children"] = json!("T002");
    let twice = r#"{"nodes": {"T001": {"id": "T001", "name": "a"}, "T001": {"id": "T001", "name": "b"}}}"#;
    let utf16: Vec<u8> = "{\"nodes\": {}}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cases: [(&str, Vec<u8>, &[&str]); 10] = [
        (
            "truncated",
            one_task(&[]).to_string().into_bytes()[..60].to_vec(),
            &["task-tree.json:1:", "cut it short"],
        ),
        ("empty", Vec::new(), &["task-tree.json", "empty"]),
        ("two keys", twice.into(), &["T001", "twice"]),
        ("cycle", cycle.to_string().into(), &["T001 → T002 → T001"]),
        ("dangling", dangling.to_string().into(), &["T001", "T042"]),
        ("no tasks", nothing.to_string().into(), &["task-tree.json", "the plan has no tasks", "\"T001\""]),
        ("Markdown", "# Tasks\n\n- [ ] T001 Do it\n".into(), &["the file is not JSON", "README"]),
        ("wrong type", wrong.to_string().into(), &["T001", "children"]),
        ("empty command", empty_command.into(), &["T001", "command", "empty"]),
        ("UTF-16", utf16, &["task-tree.json", "UTF-16"]),
    ];
    for (name, content, words) in cases {
        println!("{name}");
        refused(&with_tree(&content), 2, words);
    }
}

#[test]
fn a_missing_plan_and_a_folder_in_its_place_have_different_errors() {
    let garden = Garden::new(&one_task(&[]));
    garden.write("plans/task-tree.json", "{}");
    let cases: [(&str, &[&str]); 4] = [
        (".", &[". is a folder, not a file", "--tree path/to/task-tree.json"]),
        ("plans", &["plans is a folder, not a file"]),
        ("plan.json", &["there is no plan.json", "--tree takes a path"]),
        ("plans/task-tree.json", &["plans/task-tree.json:1: the plan has no tasks"]),
    ];
    for (tree, words) in cases {
        garden.run(&["status", "--tree", tree]).assert(2, words);
    }
    garden.git(&["rm", "-q", "task-tree.json"]);
    garden.run(&["status"]).assert(2, &["`git restore --source=HEAD --staged --worktree task-tree.json`"]);
    garden.commit("Remove the plan");
    garden
        .run(&["status"])
        .assert(2, &["there is no task-tree.json in this work tree", "There is one at plans/task-tree.json"]);
}

#[test]
fn a_byte_order_mark_does_no_harm() {
    let garden = with_tree(format!("\u{feff}{}", one_task(&[])).as_bytes());
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn a_tree_file_that_is_missing_or_not_a_file_is_refused_at_once() {
    type Make = fn(&Garden);
    let cases: [(&str, Make, &[&str]); 4] = [
        ("missing", |_| {}, &["there is no task-tree.json", "git arborist init", "git arborist demo"]),
        (
            "folder",
            |garden| garden.write("task-tree.json/x", ""),
            &["task-tree.json is a folder, not a file"],
        ),
        (
            "pipe",
            |garden| {
                let pipe = garden.top().join("task-tree.json");
                assert!(garden.command("mkfifo").arg(pipe).status().unwrap().success());
            },
            &["task-tree.json cannot be read: it is not a regular file"],
        ),
        (
            "link to nowhere",
            |garden| symlink("nowhere", garden.top().join("task-tree.json")).unwrap(),
            &["there is no"],
        ),
    ];
    for (name, make, words) in cases {
        println!("{name}");
        let garden = Garden::new(&one_task(&[]));
        garden.git(&["rm", "-q", "task-tree.json"]);
        garden.write("kept", "");
        garden.commit("Remove the plan");
        make(&garden);
        refused(&garden, 2, words);
    }
}

#[test]
fn wrong_arguments_are_reported_with_a_remedy() {
    let cases: [(&[&str], &[&str]); 9] = [
        (&["garden", "T01"], &["no task T01", "Did you mean T001?", "git arborist status"]),
        (&["garden", "p1"], &["p1 has tasks below it", "git arborist gardener"]),
        (&["garden", "T001\u{1b}[31m"], &["no task T001"]),
        (&["garden", ""], &["no task"]),
        (
            &["gardener", "--runner", "cluade"],
            &["no runner named cluade", "Did you mean claude?", "arborist.runner.cluade.command"],
        ),
        (&["gardener", "--frobnicate"], &["--frobnicate", "Usage"]),
        (&["gardener", "--max-tasks", "0"], &["max-tasks"]),
        (&["gardener", "--log-dir", "../logs"], &["--log-dir", "git -c arborist.logDir=DIR"]),
        (&["gardener", "--tree", "plans/other.json"], &["there is no plans/other.json"]),
    ];
    let garden = Garden::new(&one_task(&[]));
    let before = state(&garden);
    for (args, words) in cases {
        let ended = garden.run(args);
        ended.assert(2, words);
        assert_eq!(ended.stdout, "", "{args:?}");
        assert!(!ended.stderr.contains('\u{1b}'), "{args:?}");
    }
    assert_eq!(state(&garden), before);
}

#[test]
fn without_any_agent_the_error_says_how_to_install_or_configure_one() {
    let garden = Garden::new(&one_task(&[]));
    garden.git(&["config", "--unset", "arborist.runner"]);
    refused(&garden, 4, &["no runner is chosen", "`git config arborist.runner mine`"]);
    garden.git(&["config", "--remove-section", "arborist.runner.mine"]);
    refused(&garden, 4, &["claude, codex, gemini, opencode", "arborist.runner.mine.command"]);
    garden.config("arborist.runner", "codex");
    refused(&garden, 4, &["codex is not installed", "npm install", "choose another with arborist.runner."]);
    garden.config("arborist.runner", "mine");
    garden.config("arborist.runner.mine.command", "  ");
    refused(&garden, 2, &["command of the runner mine is empty", "git config arborist.runner.mine.command"]);
    // What chose the runner of one step also chooses another.
    garden.config("arborist.runner.mine.command", "true");
    garden.config("arborist.review.runner", "codex");
    refused(&garden, 4, &["codex is not installed", "choose another with arborist.review.runner."]);
}

#[test]
fn a_shallow_clone_that_does_not_reach_the_plan_is_told_to_fetch_the_rest() {
    let origin = Garden::new(&one_task(&["true"]));
    origin.run(&["gardener"]).assert(0, &[]);
    let garden = Garden::empty();
    let url = format!("file://{}", origin.top().display());
    garden.git(&["clone", "-q", "--depth=2", &url, "."]);
    garden.agent("");
    refused(&garden, 3, &["shallow", "git fetch --unshallow"]);
    garden.git(&["fetch", "-q", "--unshallow"]);
    assert_eq!(garden.run(&["gardener"]).stdout, "1/1 complete\n");
}

#[test]
fn settings_that_are_wrong_are_named_with_file_key_and_the_nearest_known_key() {
    let file = |content: &str| {
        let garden = Garden::new(&one_task(&[]));
        garden.write(".arborist/config.json", content);
        garden.commit("Configure");
        garden
    };
    for (content, words) in [
        (r#"{"maxAtempts": 3}"#, &[".arborist/config.json", "maxAtempts", "Did you mean maxAttempts?"][..]),
        (r#"{"maxAttempts": "many"}"#, &[".arborist/config.json", "maxAttempts", "whole number"]),
        (r#"{"maxAttempts": [3]}"#, &[".arborist/config.json", "maxAttempts"]),
        (
            r#"{"runner": {"evil": {"command": "touch pwned"}}}"#,
            &[".arborist/config.json", "runner.evil.command", "git config"],
        ),
        ("{", &[".arborist/config.json:1:", "JSON"]),
        ("[]", &[".arborist/config.json", "object"]),
    ] {
        println!("{content}");
        refused(&file(content), 2, words);
    }
    let garden = Garden::new(&one_task(&[]));
    garden.config("arborist.maxAtempts", "3");
    refused(&garden, 2, &["arborist.maxatempts", "Did you mean arborist.maxAttempts?", "git config"]);
    garden.git(&["config", "--unset", "arborist.maxAtempts"]);
    garden.config("arborist.review", "perhaps");
    refused(&garden, 2, &["arborist.review", "true or false"]);
    garden.git(&["config", "--unset", "arborist.review"]);
    let mut command = garden.arborist(&["gardener"]);
    command.env("ARBORIST_TEST_TIMEOUT", "soon");
    garden.finish(command).assert(2, &["ARBORIST_TEST_TIMEOUT", "a length of time"]);
    let mut command = garden.arborist(&["gardener"]);
    command.env("ARBORIST_RUNER", "mine");
    garden.finish(command).assert(2, &["ARBORIST_RUNER is not a setting", "Did you mean ARBORIST_RUNNER?"]);
}

#[test]
fn the_identity_of_the_committer_is_checked_before_any_work() {
    let garden = Garden::new(&one_task(&[]));
    garden.config("user.useConfigOnly", "true");
    let mut command = garden.arborist(&["gardener"]);
    for role in ["AUTHOR", "COMMITTER"] {
        command.env_remove(format!("GIT_{role}_NAME")).env_remove(format!("GIT_{role}_EMAIL"));
    }
    garden.finish(command).assert(4, &["git config user.name", "git config user.email"]);
    assert_eq!(garden.asked(), [""; 0]);
}

#[test]
fn without_git_the_error_says_to_install_it() {
    let garden = Garden::new(&one_task(&[]));
    let mut command = garden.arborist(&["gardener"]);
    command.env("PATH", "/nowhere");
    garden.finish(command).assert(4, &["git was not found", "Install git"]);
}

#[test]
fn a_current_folder_that_no_longer_exists_is_reported() {
    let garden = Garden::new(&one_task(&[]));
    garden.write("gone/x", "");
    let mut shell = garden.command("/bin/sh");
    shell.current_dir(garden.top().join("gone")).args(["-c", "rm -r ../gone; exec git-arborist-gardener"]);
    garden.finish(shell).assert(3, &["current folder no longer exists", "Go to a folder"]);
}

#[test]
fn corrupt_objects_are_an_error_with_their_id_and_never_a_fresh_start() {
    for (name, damage) in [("empty", ""), ("garbage", "garbage")] {
        let garden = Garden::new(&one_task(&["true"]));
        garden.run(&["gardener"]).assert(0, &[]);
        let victim = garden.git(&["rev-parse", "HEAD~2"]);
        let file = garden.top().join(".git/objects").join(&victim[..2]).join(&victim[2..]);
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, damage).unwrap();
        let ended = garden.start(garden.arborist(&["gardener"])).wait();
        ended.assert(3, &[&victim, "git fsck"]);
        assert_eq!(garden.asked().len(), 2, "{name}");
    }
}

#[test]
fn folders_for_logs_that_cannot_be_used_are_named_before_any_agent_is_paid() {
    let garden = Garden::new(&one_task(&["true"]));
    std::os::unix::fs::symlink("elsewhere", garden.top().join("spec")).unwrap();
    garden.commit("A link");
    garden.agent("");
    garden
        .run(&["gardener"])
        .assert(6, &["spec is a link or not a folder", "Your files were not touched", "arborist.logDir"]);
    assert_eq!(garden.asked(), [""; 0]);
    garden.config("arborist.logDir", "logs");
    garden.config("arborist.reportDir", "task-tree.json");
    garden.run(&["gardener"]).assert(6, &["task-tree.json is a link or not a folder"]);
    garden.config("arborist.reportDir", "reports");
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn logs_that_git_ignores_are_not_committed_and_the_run_says_so() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write(".gitignore", "*.log\n");
    garden.commit("Ignore logs");
    garden.agent("");
    garden.run(&["gardener"]).assert(0, &["git ignores logs in spec/logs: they stay in this work tree"]);
    assert_eq!(garden.lines(&["ls-files", "spec/logs"]), [""; 0]);
    assert_eq!(garden.lines(&["ls-files", "spec/reports"]).len(), 1);
}
