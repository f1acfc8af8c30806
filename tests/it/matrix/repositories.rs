//! Tests repositories of all shapes and with all kinds of damage (rows R).

use std::fs;
use std::path::{Path, PathBuf};

use super::{STEPS, look, made, plain, refuses, run_damaged, within, works};
use crate::support::garden::{Garden, one_task, plan, programs, side_by_side};

#[test]
fn r01_a_sha256_repository() {
    let garden = made(&["--object-format=sha256"]);
    assert_eq!(garden.head().len(), 64);
    works(&garden);
}

#[test]
fn r02_a_reftable_repository() {
    if !Garden::git_has_reftables() {
        return;
    }
    works(&made(&["--ref-format=reftable"]));
}

#[test]
fn r02_a_lock_of_a_reftable_is_waited_for_and_named_however_old_it_is() {
    if !Garden::git_has_reftables() {
        return;
    }
    let garden = made(&["--ref-format=reftable"]);
    let lock = garden.top().join(".git/reftable/tables.list.lock");
    fs::write(&lock, "").unwrap();
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(86400);
    fs::File::options().write(true).open(&lock).unwrap().set_modified(long_ago).unwrap();
    let ended = garden.start(garden.arborist(&["gardener"])).wait();
    ended.assert(5, &["tables.list.lock", "s old)", "`rm "]);
    assert!(lock.exists());
    fs::remove_file(&lock).unwrap();
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.steps(), STEPS);
}

fn url_of(garden: &Garden) -> String {
    format!("file://{}", garden.top().display())
}

/// A clone of `from` in a garden of its own, with an agent.
fn clone_of(from: &str, args: &[&str]) -> Garden {
    let clone = Garden::empty();
    clone.git(&[&["clone", "-q"], args, &[from, "."]].concat());
    clone.agent("");
    clone
}

#[test]
fn r03_a_shallow_clone_that_ends_before_the_plan_says_how_to_fetch_the_rest() {
    let origin = plain();
    origin.write("later.txt", "later\n");
    origin.commit("Later");
    let clone = clone_of(&url_of(&origin), &["--depth", "1"]);
    refuses(&clone, 3, &["git fetch --unshallow"]);
    for command in ["status", "next"] {
        clone.run(&[command]).assert(3, &["git fetch --unshallow"]);
    }
    clone.git(&["fetch", "-q", "--unshallow"]);
    clone.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn r04_a_partial_clone_without_its_origin_works() {
    let origin = plain();
    origin.write("old.txt", "old\n");
    origin.commit("An old file");
    origin.write("old.txt", "new\n");
    origin.commit("A new state of it");
    origin.config("uploadpack.allowFilter", "true");
    let clone = clone_of(&url_of(&origin), &["--filter=blob:none"]);
    fs::rename(origin.top(), origin.root().join("away")).unwrap();
    clone.agent("[ $ARBORIST_STEP = review ] || echo more >> old.txt");
    clone.run(&["gardener"]).assert(0, &[]);
    assert_eq!(clone.read("old.txt"), "new\nmore\n");
}

#[test]
fn r04_a_review_whose_diff_needs_a_missing_blob_is_not_made_and_says_so() {
    let origin = plain();
    origin.write("deep/far.txt", "far\n");
    origin.commit("A file");
    origin.config("uploadpack.allowFilter", "true");
    let clone = clone_of(&url_of(&origin), &["--filter=blob:none", "--sparse"]);
    assert!(!clone.exists("deep"));
    fs::rename(origin.top(), origin.root().join("away")).unwrap();
    clone.agent("[ $ARBORIST_STEP = review ] || { mkdir -p deep; echo near > deep/far.txt; }");
    clone.run(&["gardener"]).assert(4, &["git diff-tree failed", "from promisor remote"]);
    assert_eq!(clone.asked(), ["T001.implement.0"]);
    fs::rename(origin.root().join("away"), origin.top()).unwrap();
    clone.run(&["gardener"]).assert(0, &[]);
    assert_eq!(clone.git(&["show", "HEAD:deep/far.txt"]), "near");
    assert_eq!(clone.asked(), ["T001.implement.0", "T001.review.0"]);
}

#[test]
fn r05_a_sparse_checkout_keeps_what_is_outside_and_takes_what_is_written_there() {
    for index in [&["--no-sparse-index"], &["--sparse-index"]] {
        let garden = plain();
        for file in ["in/a", "out/b", "out/deep/c"] {
            garden.write(file, "x\n");
        }
        garden.commit("Files");
        garden.git(&[&["sparse-checkout", "set", "--cone"], &index[..], &["in"]].concat());
        assert!(!garden.exists("out"));
        garden.agent("mkdir -p out/deep; echo new > out/deep/new.txt; echo x > in/new.txt");
        garden.run(&["gardener"]).assert(0, &[]);
        let files = garden.lines(&["ls-tree", "-r", "--name-only", "HEAD"]);
        for file in ["in/a", "out/b", "out/deep/c", "out/deep/new.txt", "in/new.txt"] {
            assert!(files.iter().any(|path| path == file), "{file} is missing with {index:?}: {files:?}");
        }
    }
}

#[test]
fn r06_index_formats_and_caches() {
    for setup in [
        &["update-index", "--split-index", "--untracked-cache"][..],
        &["update-index", "--index-version", "4"],
        &["config", "feature.manyFiles", "true"],
    ] {
        let garden = plain();
        garden.git(setup);
        garden.git(&["status"]);
        works(&garden);
    }
}

#[test]
fn r06_a_file_system_monitor_is_used_and_misses_nothing() {
    let garden = plain();
    // It says after each question that everything may have changed, as git's own sample does when it is not sure.
    garden
        .program(&garden.root().join("monitor"), "echo asked >> \"$ROOT/monitored\"; printf 'token\\0/\\0'");
    garden.config("core.fsmonitor", garden.root().join("monitor").to_str().unwrap());
    garden.config("core.fsmonitorHookVersion", "2");
    works(&garden);
    assert!(garden.root().join("monitored").exists(), "it was never asked");
}

#[test]
fn r07_a_linked_work_tree_with_settings_and_relative_paths_of_its_own() {
    let garden = plain();
    garden.config("extensions.worktreeConfig", "true");
    let linked = garden.root().join("linked");
    garden.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let git = |args: &[&str]| {
        let output = within(garden.command("git"), &linked).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    fs::write(linked.join(".git"), "gitdir: ../work/.git/worktrees/linked\n").unwrap();
    git(&["config", "--worktree", "arborist.reportDir", "my/reports"]);
    let ended = garden.finish(within(garden.arborist(&["gardener"]), &linked));
    ended.assert(0, &[]);
    assert_eq!(git(&["rev-list", "--count", "main..side"]), "5");
    assert!(git(&["ls-files"]).contains("my/reports/T001_run_"));
    assert_eq!(git(&["status", "--porcelain"]), "");
    assert_eq!(garden.subjects(), [""; 0], "the other work tree is as it was");
}

#[test]
fn r08_a_bare_repository() {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "--bare"]);
    for command in ["gardener", "garden", "status", "next", "prune"] {
        garden.finish(garden.arborist(&[command])).assert(3, &["bare", "needs a work tree"]);
    }
}

/// A plan whose task may fail once.
fn once(garden: &Garden) {
    garden.config("arborist.maxAttempts", "1");
}

#[test]
fn r09_changes_inside_a_submodule_are_kept_and_never_complete_a_step() {
    let inner = plain();
    let garden = plain();
    garden.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url_of(&inner), "m"]);
    garden.commit("Add a submodule");
    garden.agent("echo x > m/inside.txt");
    once(&garden);
    garden.run(&["gardener"]).assert(1, &[]);
    let body = garden.git(&["log", "--format=%B"]);
    assert!(body.contains("changes inside the submodule m cannot be recorded"), "{body}");
    assert_eq!(garden.read("m/inside.txt"), "x\n");
}

#[test]
fn r10_a_nested_repository_is_kept_and_never_completes_a_step() {
    let garden = plain();
    garden.agent("git init -q inner; echo x > inner/file.txt");
    once(&garden);
    garden.run(&["gardener"]).assert(1, &[]);
    let body = garden.git(&["log", "--format=%B"]);
    assert!(body.contains("inner/ is a repository of its own; its files would not be saved"), "{body}");
    assert_eq!(garden.read("inner/file.txt"), "x\n");
}

#[test]
fn r11_a_detached_head() {
    let garden = plain();
    garden.git(&["switch", "-q", "--detach"]);
    refuses(&garden, 3, &["HEAD is detached", "git switch -c"]);
    for command in [&["status"][..], &["report"], &["check", "--run"]] {
        garden.run(command).assert(0, &[]);
    }
}

#[test]
fn r12_a_branch_without_commits() {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    garden.agent("");
    garden.write("task-tree.json", &one_task(&[]).to_string());
    for command in ["gardener", "status", "next"] {
        garden
            .finish(garden.arborist(&[command]))
            .assert(3, &["no commits yet", "`git add -A && git commit"]);
    }
}

#[test]
fn r13_no_repository() {
    let garden = Garden::empty();
    for command in ["gardener", "status", "next", "prune"] {
        garden.finish(garden.arborist(&[command])).assert(3, &["is not in a git repository", "git init"]);
    }
}

#[test]
fn r13_inside_the_git_directory() {
    let garden = plain();
    let inside = garden.top().join(".git/refs");
    for command in ["gardener", "status"] {
        let ended = garden.finish(within(garden.arborist(&[command]), &inside));
        ended.assert(3, &["inside a git directory", "Go to a work tree"]);
    }
}

#[test]
fn r13_a_folder_that_is_gone() {
    let garden = plain();
    let mut shell = within(garden.command("/bin/sh"), garden.root());
    shell.args(["-c", "mkdir gone && cd gone && rmdir ../gone && exec \"$0\""]);
    shell.arg(programs().join("git-arborist-status"));
    garden.finish(shell).assert(3, &["the current folder no longer exists"]);
}

/// A repository with a branch `side` that conflicts with `main`.
fn divided() -> Garden {
    let garden = plain();
    garden.write("f.txt", "base\n");
    garden.commit("Base");
    garden.git(&["switch", "-q", "-c", "side"]);
    garden.write("f.txt", "side\n");
    garden.commit("Side");
    garden.git(&["switch", "-q", "main"]);
    garden.write("f.txt", "main\n");
    garden.commit("Main");
    garden
}

#[test]
fn r14_an_operation_in_progress_is_named_with_a_way_to_end_it_and_left_alone() {
    let garden = divided();
    let patch = garden.git(&["format-patch", "-1", "--stdout", "side"]);
    fs::write(garden.root().join("patch"), format!("{patch}\n")).unwrap();
    let patch = garden.root().join("patch").display().to_string();
    let trials: &[(&[&str], &str, &[&str])] = &[
        (&["merge", "side"], "a merge is in progress", &["merge", "--abort"]),
        (&["rebase", "side"], "a rebase is in progress", &["rebase", "--abort"]),
        (&["rebase", "--apply", "side"], "a rebase or `git am` is in progress", &["rebase", "--abort"]),
        (&["cherry-pick", "side"], "a cherry-pick is in progress", &["cherry-pick", "--abort"]),
        (&["revert", "HEAD~1"], "a revert is in progress", &["revert", "--abort"]),
        (&["am", &patch], "a rebase or `git am` is in progress", &["am", "--abort"]),
        (&["bisect", "start", "HEAD", "HEAD~2"], "a bisect is in progress", &["bisect", "reset"]),
    ];
    for (begin, words, end) in trials {
        garden.try_git(begin);
        garden.forget_history();
        refuses(&garden, 3, &[words, &format!("git {}", end.join(" ")), "Your files were not touched"]);
        garden.git(end);
        assert_eq!(garden.status(), [""; 0], "{begin:?}");
        garden.forget_history();
    }
    works_after(&garden);
}

#[test]
fn several_commits_of_which_some_remain_to_be_picked_or_reverted_are_in_progress() {
    let garden = divided();
    garden.git(&["switch", "-q", "side"]);
    garden.write("g.txt", "side\n");
    garden.commit("Side again");
    garden.git(&["switch", "-q", "main"]);
    let sequences: [(&[&str], &str, &str); 2] = [
        (&["cherry-pick", "side~1", "side"], "a cherry-pick is in progress", "git cherry-pick --abort"),
        (&["revert", "--no-edit", "HEAD~1", "HEAD"], "a revert is in progress", "git revert --abort"),
    ];
    for (begin, words, end) in sequences {
        let before = garden.git(&["rev-parse", "HEAD"]);
        garden.try_git(begin);
        // A commit ends the first of them. The rest is in the list of the sequencer alone.
        garden.git(&["checkout", "-q", "HEAD", "--", "f.txt"]);
        garden.git(&["commit", "-q", "--allow-empty", "-m", "Resolved"]);
        let todo = garden.top().join(".git/sequencer/todo");
        let heads = ["CHERRY_PICK_HEAD", "REVERT_HEAD"].map(|name| garden.top().join(".git").join(name));
        assert!(todo.exists() && heads.iter().all(|head| !head.exists()), "{begin:?}");
        garden.forget_history();
        refuses(&garden, 3, &[words, end, "Your files were not touched"]);
        fs::write(&todo, "\u{1}").unwrap();
        refuses(&garden, 3, &["a cherry-pick or a revert is in progress", "git cherry-pick --abort", end]);
        garden.git(&["cherry-pick", "--quit"]);
        garden.git(&["reset", "-q", "--hard", before.trim()]);
        garden.forget_history();
    }
    works_after(&garden);
}

fn works_after(garden: &Garden) {
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(garden.steps().ends_with(&STEPS.map(str::to_owned)));
}

#[test]
fn r15_conflicts_only_in_the_index() {
    let garden = divided();
    garden.try_git(&["merge", "side"]);
    fs::remove_file(garden.top().join(".git/MERGE_HEAD")).unwrap();
    refuses(&garden, 3, &["conflicts", "Your files were not touched"]);
}

/// The file of a loose object.
fn object(garden: &Garden, revision: &str) -> PathBuf {
    let id = garden.git(&["rev-parse", revision]);
    garden.top().join(".git/objects").join(&id[..2]).join(&id[2..])
}

/// Overwrites a file that may be read-only.
fn overwrite(file: &Path, content: &[u8]) {
    fs::remove_file(file).unwrap();
    fs::write(file, content).unwrap();
}

#[test]
fn r16_a_damaged_commit_is_named_and_its_task_is_not_shown_as_pending() {
    for content in [&b""[..], b"garbage"] {
        let garden = plain();
        garden.write("a", "a\n");
        garden.commit("A");
        let id = garden.git(&["rev-parse", "HEAD"]);
        garden.write("b", "b\n");
        garden.commit("B");
        overwrite(&object(&garden, "HEAD~1"), content);
        for command in ["gardener", "status", "next"] {
            let ended = run_damaged(&garden, &[command]);
            ended.assert(3, &["git fsck", &id[..7]]);
            assert_eq!(ended.stdout, "");
        }
        assert_eq!(garden.asked(), [""; 0]);
    }
}

#[test]
fn r17_a_damaged_pack() {
    let garden = plain();
    for number in 0..20 {
        garden.write("a", &format!("{number}\n"));
        garden.commit("A");
    }
    garden.git(&["repack", "-adq"]);
    let pack =
        fs::read_dir(garden.top().join(".git/objects/pack")).unwrap().map(|entry| entry.unwrap().path());
    let pack = pack.into_iter().find(|path| path.extension().unwrap() == "pack").unwrap();
    let mut bytes = fs::read(&pack).unwrap();
    let middle = bytes.len() / 2;
    bytes[60..middle].fill(0x55);
    overwrite(&pack, &bytes);
    for command in ["gardener", "status", "next"] {
        let ended = run_damaged(&garden, &[command]);
        ended.assert(3, &["git fsck"]);
        assert_eq!(ended.stdout, "");
    }
    assert_eq!(garden.asked(), [""; 0]);
}

#[test]
fn r18_a_damaged_commit_graph_does_not_matter() {
    let garden = plain();
    garden.git(&["commit-graph", "write", "--reachable"]);
    overwrite(&garden.top().join(".git/objects/info/commit-graph"), b"CGPH garbage");
    let ended = run_damaged(&garden, &["gardener"]);
    ended.assert(0, &[]);
    assert_eq!(run_damaged(&garden, &["status", "--short"]).stdout.lines().count(), 1);
}

#[test]
fn r19_a_damaged_index_is_found_before_any_work_and_the_remedy_repairs_it() {
    let garden = plain();
    garden.write("a file", "a\n");
    garden.commit("A");
    let index = garden.top().join(".git/index");
    let whole = fs::read(&index).unwrap();
    let place = whole.windows(6).position(|window| window == b"a file").unwrap();
    let mut flipped = whole.clone();
    flipped[place] = b'b';
    let mut other_id = whole.clone();
    other_id[place - 10] ^= 1;
    for damaged in [&b""[..], b"garbage", &whole[..whole.len() / 2], &flipped, &other_id] {
        fs::write(&index, damaged).unwrap();
        let ended = run_damaged(&garden, &["gardener"]);
        ended.assert(3, &["index", "git reset", "Your files were not touched"]);
        assert_eq!(garden.asked(), [""; 0]);
        fs::remove_file(&index).unwrap();
        garden.git(&["reset", "-q"]);
        assert_eq!(garden.status(), [""; 0]);
    }
}

#[test]
fn r20_broken_references() {
    for (file, content) in [
        (".git/refs/heads/main", ""),
        (".git/refs/heads/main", "garbage\n"),
        (".git/refs/heads/main", "0123456789012345678901234567890123456789\n"),
        (".git/HEAD", "garbage\n"),
    ] {
        let garden = plain();
        fs::write(garden.top().join(file), content).unwrap();
        for command in ["gardener", "status"] {
            let ended = run_damaged(&garden, &[command]);
            ended.assert(3, &[]);
            assert_eq!(ended.stdout, "", "{file} {content:?}");
            assert!(!ended.stderr.contains("no commits yet"), "{ended:#?}");
        }
        assert_eq!(garden.asked(), [""; 0]);
    }
}

#[test]
fn r21_replaced_objects_are_read_as_they_are() {
    let garden = plain();
    garden.run(&["gardener"]).assert(0, &[]);
    let complete = garden.git(&["rev-parse", "HEAD~1"]);
    let other = garden.git(&["commit-tree", "-p", "HEAD~2", "-m", "Nothing", "HEAD^{tree}"]);
    garden.git(&["replace", &complete, &other]);
    assert!(garden.git(&["log", "-1", "--format=%s", "HEAD~1"]).contains("Nothing"));
    assert_eq!(garden.run(&["gardener"]).stdout, "1/1 complete\n");
    let shown = garden.run(&["status", "--short"]);
    assert!(shown.stdout.starts_with("1/1"), "{shown:#?}");
}

#[test]
fn r22_an_unknown_extension_is_reported_in_gits_words() {
    let garden = plain();
    garden.config("core.repositoryFormatVersion", "1");
    garden.config("extensions.nobodyKnows", "true");
    for command in ["gardener", "status"] {
        run_damaged(&garden, &[command]).assert(3, &["nobodyknows"]);
    }
}

#[test]
fn r23_alternates_that_are_gone() {
    let origin = plain();
    let garden = clone_of(origin.top().to_str().unwrap(), &["--shared"]);
    fs::rename(origin.top(), origin.root().join("away")).unwrap();
    for command in ["gardener", "status"] {
        let ended = run_damaged(&garden, &[command]);
        ended.assert(3, &[]);
        assert_eq!(ended.stdout, "");
    }
    assert_eq!(garden.asked(), [""; 0]);
}

/// A history of 25,000 tasks with four steps each, written as `git fast-import` reads it.
fn long_history(tasks: usize) -> String {
    let mut text = String::from("reset refs/heads/main\n");
    let mut commit = |message: &str, file: Option<(&str, &str)>| {
        let person = "A <a@example.com> 1700000000 +0000";
        text.push_str(&format!(
            "commit refs/heads/main\nauthor {person}\ncommitter {person}\ndata {}\n{message}\n",
            message.len()
        ));
        if let Some((path, content)) = file {
            text.push_str(&format!("M 100644 inline {path}\ndata {}\n{content}\n", content.len()));
        }
    };
    let node = |n: usize| format!("\"T{n}\": {{\"id\": \"T{n}\", \"name\": \"N{n}\"}}");
    let nodes: Vec<String> = (0..=tasks).map(node).collect();
    commit("Add the plan", Some(("task-tree.json", &format!("{{\"nodes\": {{{}}}}}", nodes.join(",")))));
    for n in 0..tasks {
        for (step, rest) in [
            ("implement", "Arborist-Result: pass\nArborist-Retry: 0"),
            ("test", "Arborist-Test: pass\nArborist-Retry: 0"),
            ("review", "Arborist-Review: approved\nArborist-Retry: 0"),
            ("complete", "Arborist-Result: pass\nArborist-Report: r.json"),
        ] {
            commit(&format!("task(T{n}): {step} \"N{n}\"\n\nArborist-Step: {step}\n{rest}\n"), None);
        }
    }
    text
}

#[test]
#[ignore = "takes a quarter of a minute"]
fn r24_a_hundred_thousand_commits_are_read_in_bounded_memory() {
    let garden = plain();
    let file = garden.root().join("history");
    fs::write(&file, long_history(25_000)).unwrap();
    let mut import = garden.command("git");
    import.args(["fast-import", "--quiet", "--force"]).stdin(fs::File::open(&file).unwrap());
    assert!(import.status().unwrap().success());
    garden.git(&["reset", "-q", "--hard"]);
    for command in ["status --short", "next"] {
        let mut shell = garden.command("/bin/sh");
        shell.args(["-c", &format!("ulimit -v 800000; exec git-arborist-{command}")]);
        let ended = garden.start(shell).wait();
        ended.assert(0, &[]);
        assert!(ended.stdout.contains("T25000"), "{ended:#?}");
    }
}

#[test]
fn r25_branches_with_any_name() {
    let long = "x".repeat(200);
    side_by_side(["-evil", "ünï/кот", "refs/heads/@1", &long], |name| {
        let garden = plain();
        garden.git(&["symbolic-ref", "HEAD", &format!("refs/heads/{name}")]);
        garden.git(&["update-ref", &format!("refs/heads/{name}"), "refs/heads/main"]);
        works(&garden);
        assert_eq!(garden.git(&["symbolic-ref", "HEAD"]), format!("refs/heads/{name}"));
        assert_eq!(garden.git(&["rev-list", "--count", "refs/heads/main"]), "1", "{name}");
    });
}

#[test]
fn r25_a_branch_and_a_tag_called_head_cause_no_confusion() {
    for name in ["refs/heads/HEAD", "refs/tags/HEAD"] {
        let garden = plain();
        garden.git(&["commit", "-q", "--allow-empty", "-m", "Elsewhere"]);
        garden.git(&["update-ref", name, "HEAD"]);
        garden.git(&["reset", "-q", "--hard", "main~1"]);
        works(&garden);
        assert_eq!(garden.git(&["log", "-1", "--format=%s", name]), "Elsewhere");
    }
}

#[test]
fn r27_a_plan_whose_commit_was_reverted_or_that_was_never_committed() {
    let garden = plain();
    garden.run(&["gardener"]).assert(0, &[]);
    let plan = garden.git(&["rev-list", "--max-parents=0", "HEAD"]);
    garden.git(&["revert", "--no-edit", &plan]);
    garden.run(&["status"]).assert(2, &["there is no task-tree.json"]);
    // Reverting the revert brings the plan back, as a new run.
    garden.git(&["revert", "--no-edit", "HEAD"]);
    let shown = garden.run(&["status", "--short"]);
    assert!(shown.stdout.starts_with("0/1"), "{shown:#?}");

    let never = Garden::empty();
    never.git(&["init", "-q", "-b", "main"]);
    never.write("README", "x\n");
    never.commit("Begin");
    never.agent("");
    never.write("task-tree.json", &plan_text());
    never.run(&["status", "--short"]).assert(0, &[]);
    refuses(&never, 3, &["task-tree.json", "not committed"]);
    assert_eq!(look(&never).1.trim(), "?? task-tree.json");
}

fn plan_text() -> String {
    plan(&[("p1", "", &[], &[]), ("T001", "p1", &[], &[])]).to_string()
}
