//! Tests what is refused before anything is asked of an agent or recorded, and that the answer is the same each time.

use super::*;

/// What begins and ends a row, the options, the exit status and what is said.
type Row<'a> = (&'a dyn Fn(), &'a dyn Fn(), &'a [&'a str], i32, &'a str);

fn round_up(story: &Story, branch: &str) -> Value {
    let words = comment("ann", true, "2026-11-30T08:00:00Z", "Round up.");
    let mut document = json!({"version": 1, "base": "main", "head": story.tip(branch)});
    document["threads"] = json!([thread("t1", "T001.txt", 2, &story.tip(branch), &[words])]);
    document
}

#[test]
fn what_could_only_be_refused_at_the_end_is_refused_before_anything_is_recorded() {
    let story = Story::landed();
    let document = round_up(&story, "work-landed");
    let before = story.tip("work");
    let beside = story.garden.root().join("beside");
    let git = |args: &[&str]| drop(story.garden.git(args));
    let rows: [Row<'_>; 6] = [
        (&|| (), &|| (), &["--allow-dirty"], 2, "--allow-dirty"),
        (
            &|| story.garden.config("arborist.pr.enabled", "false"),
            &|| story.garden.config("arborist.pr.enabled", "true"),
            &[],
            2,
            "pull requests are turned off here",
        ),
        (
            &|| drop(story.garden.git(&["worktree", "add", "-q", beside.to_str().unwrap(), "work-landed"])),
            &|| drop(story.garden.git(&["worktree", "remove", "--force", beside.to_str().unwrap()])),
            &[],
            3,
            "is checked out in",
        ),
        (
            &|| story.garden.config("arborist.runner", "nosuch"),
            &|| story.garden.config("arborist.runner", "mine"),
            &[],
            2,
            "there is no runner named nosuch",
        ),
        (
            &|| git(&["branch", "-q", "-D", "work-landed"]),
            &|| git(&["branch", "-q", "work-landed", "origin/work-landed"]),
            &[],
            2,
            "`git branch work-landed origin/work-landed` makes one",
        ),
        (
            &|| git(&["switch", "-q", "work-landed"]),
            &|| git(&["switch", "-q", "work"]),
            &[],
            2,
            "`git switch work` goes there",
        ),
    ];
    for (begin, end, args, status, words) in rows {
        begin();
        story.garden.forget_history();
        story.follow_file(&document, args).assert(status, &[words]);
        story.follow_file(&document, &[args, &["--dry-run"]].concat()).assert(status, &[words]);
        assert_eq!((story.tip("work"), story.prompts().len()), (before.clone(), 0), "{words}");
        end();
    }
    assert_eq!(story.origins(), [""; 0]);
}

#[test]
fn the_landed_branch_of_another_folder_is_not_taken_for_that_of_the_run() {
    let story = Story::done("", AGENT);
    story.push("work");
    story.garden.git(&["update-ref", "refs/remotes/origin/feature/work-landed", "HEAD"]);
    story.garden.run(&["pr", "--dry-run"]).assert(0, &[]);
    story.garden.git(&["update-ref", "refs/remotes/origin/work-landed", "HEAD"]);
    let advised = "`git branch work-landed origin/work-landed` makes one";
    story.garden.run(&["pr", "--dry-run"]).assert(2, &[advised]);
}

#[test]
fn a_branch_that_was_never_landed_and_lacks_commits_of_others_is_refused_at_once() {
    let story = Story::done("", AGENT);
    story.push("work");
    let document = round_up(&story, "work");
    let before = story.tip("work");
    story.others_commit("work", "theirs.txt", "theirs\n", "Help");
    for _ in 0..2 {
        let words = [
            "has commits that yours does not have",
            "`git log work..FETCH_HEAD`",
            "`git branch -m work NEW`",
        ];
        story.follow_file(&document, &[]).assert(3, &words);
        story.follow_file(&document, &["--dry-run"]).assert(3, &words);
    }
    assert_eq!((story.tip("work"), story.origins().len(), story.prompts().len()), (before, 0, 0));
    // With them, it goes on.
    story.garden.git(&["pull", "-q", "--ff-only", "origin", "work"]);
    story.garden.forget_history();
    story.follow_file(&document, &[]).assert(0, &["Pushed work to origin"]);
}

#[test]
fn a_branch_that_was_rewritten_gets_the_same_answer_each_time() {
    let story = Story::landed();
    let document = round_up(&story, "work-landed");
    let before = [story.tip("work"), story.tip("work-landed")];
    let other = story.garden.git(&["commit-tree", "-m", "Rewritten", "-p", "main", "work-landed^{tree}"]);
    story.garden.git(&[
        "push",
        "-q",
        "--force",
        "origin",
        &format!("{}:refs/heads/work-landed", other.trim()),
    ]);
    for args in [&[][..], &["--dry-run"], &[]] {
        story.follow_file(&document, args).assert(3, &["was rewritten"]);
        assert_eq!([story.tip("work"), story.tip("work-landed")], before);
    }
}

#[test]
fn a_task_that_failed_is_tried_again_with_the_command_that_is_advised_and_not_before() {
    let story = Story::landed();
    let document = round_up(&story, "work-landed");
    story.garden.agent("echo $$ >> noise.txt; : > $ARBORIST_TASK.txt; echo It is done.; exit 0");
    let failed = |said: &Ended| {
        assert!(
            said.status != 0 && said.stderr.contains("`git arborist gardener --failed` tries it again"),
            "{said:#?}"
        );
    };
    failed(&story.follow_file(&document, &[]));
    let before = story.tip("work");
    failed(&story.follow_file(&document, &[]));
    assert_eq!(story.tip("work"), before);
    story.garden.agent(AGENT);
    story.garden.run(&["gardener", "--failed"]).assert(0, &[]);
    story.follow_file(&document, &[]).assert(0, &["Pushed work-landed"]);
}

#[test]
fn a_dry_run_sees_a_conflict_with_a_base_that_was_never_fetched() {
    let story = Story::landed();
    story.others_commit("main", "T002.txt", "theirs\n", "Begin T002 differently");
    story.garden.git(&["update-ref", "-d", "refs/remotes/origin/main"]);
    let before = story.tip("work");
    story.follow_file(&story.document(&[], &[]), &["--dry-run"]).assert(0, &["merge main", "T002.txt"]);
    assert_eq!(story.tip("work"), before);
}

#[test]
fn on_a_terminal_each_job_and_each_open_thread_is_asked_about_before_anything_is_done() {
    let story = Story::on_github();
    story.pull(|pull| {
        let threads = pull["reviewThreads"]["nodes"].as_array_mut().unwrap();
        threads[0]["comments"]["nodes"][0]["pullRequestReview"]["state"] = json!("COMMENTED");
        let mut other = threads[0].clone();
        other["id"] = json!("PRRT_kwDOAAA2");
        other["path"] = json!("T002.txt");
        threads.push(other);
    });
    let before = story.tip("work");
    let Some(said) = story.type_to(&["pr", "--follow"], "n\ny\nn\nn\n") else { return };
    for words in [
        "Let the check unit (ubuntu) run again? [y/N]",
        "ann on T001.txt:2:",
        "Take this up as well? [y/N]",
        "Left: review of T002.txt:2 by ann.",
        "Take this up? [y/N]",
        "nothing was taken up, because you said no",
    ] {
        assert!(said.status == 1 && said.stdout.contains(words), "{words}: {said:#?}");
    }
    let calls = fs::read_to_string(story.garden.root().join("forge/calls")).unwrap();
    assert!(!calls.contains("run rerun"), "{calls}");
    assert_eq!((story.tip("work"), story.origins().len()), (before, 0));
    let said = story.type_to(&["pr", "--follow"], "n\ny\nn\ny\ny\ny\ny\n").unwrap();
    assert!(said.status == 0 && said.stdout.contains("Pushed work-landed"), "{said:#?}");
    let origins = story.origins().concat();
    assert!(origins.contains("PRRT_kwDOAAA1@") && !origins.contains("PRRT_kwDOAAA2@"), "{origins}");
}

#[test]
fn a_watch_waits_until_it_is_ended() {
    let story = Story::landed();
    let file = story.garden.root().join("request.json");
    fs::write(&file, story.document(&[], &[]).to_string()).unwrap();
    let args = ["pr", "--follow", file.to_str().unwrap(), "--watch", "--yes"];
    let running = story.garden.start(story.garden.arborist(&args));
    story.garden.wait_until("the wait", || running.said().contains("The next look is in five minutes"));
    running.signal("INT");
    running.wait().assert(130, &["There is nothing new to take up", "Nothing is at work"]);
}

#[test]
fn commits_of_others_that_cannot_be_taken_in_are_refused_with_and_without_a_dry_run() {
    let story = Story::landed();
    let theirs = story.others_commit("work-landed", "T001.txt", "theirs\n", "Apply a suggestion");
    let mut document = round_up(&story, "work-landed");
    document["head"] = theirs.clone().into();
    let before = [story.tip("work"), story.tip("work-landed")];
    let both = |document: &Value, status: i32, words: &str| {
        for args in [&["--dry-run"][..], &[]] {
            story.follow_file(document, args).assert(status, &[words]);
        }
    };
    both(&document, 7, "has commits of people who may not write here");
    document["commits"] = json!([{"id": theirs, "author": "ann", "may_write": true}]);
    let shown = story.follow_file(&document, &["--dry-run"]);
    shown
        .assert(0, &["Taken into the run first: 1 commit of others", "T001 (Do T001): review of T001.txt:2"]);
    assert_eq!([story.tip("work"), story.tip("work-landed")], before);
    story.garden.write("T001.txt", "ours\n");
    story.garden.commit("Change the same line");
    both(&document, 1, "does not fit on the run: T001.txt differs");
    // What nobody can add to the plan is refused before anything is asked.
    let story = Story::landed();
    let mut document = round_up(&story, "work-landed");
    document["threads"][0]["path"] = "nowhere.txt".into();
    let mut plan: Value = serde_json::from_str(&story.garden.read("task-tree.json")).unwrap();
    plan["nodes"]["review-1"] =
        json!({"id": "review-1", "name": "x", "description": "", "test_commands": []});
    let before = story.tip("work");
    story.follow_file(&document, &["--dry-run"]).assert(0, &["a new task: review of nowhere.txt:2"]);
    assert_eq!(story.tip("work"), before, "{plan}");
}

#[test]
fn nothing_is_taken_in_merged_or_added_for_a_runner_that_nobody_knows() {
    let story = Story::landed();
    let mut document = round_up(&story, "work-landed");
    document["threads"][0]["path"] = "nowhere.txt".into();
    let theirs = story.others_commit("work-landed", "T001.txt", "theirs\n", "Apply a suggestion");
    let suggested = json!({"version": 1, "commits": [{"id": theirs, "author": "ann", "may_write": true}]});
    let before = [story.tip("work"), story.tip("work-landed")];
    story.garden.config("arborist.runner", "nosuch");
    story.garden.forget_history();
    let refused = |document: &Value| {
        for args in [&["--dry-run"][..], &[]] {
            story.follow_file(document, args).assert(2, &["there is no runner named nosuch"]);
            assert_eq!([story.tip("work"), story.tip("work-landed")], before, "{document}");
        }
    };
    refused(&suggested);
    let there = format!("{}:refs/heads/work-landed", before[1]);
    story.garden.git(&["push", "-q", "--force", "origin", &there]);
    story.garden.git(&["update-ref", "-d", "refs/remotes/origin/work-landed"]);
    story.garden.git(&["fetch", "-q", "origin"]);
    refused(&document);
    story.others_commit("main", "T002.txt", "theirs\n", "Begin T002 differently");
    refused(&json!({"version": 1, "base": "main", "conflict": true}));
}

#[test]
fn what_is_said_of_an_older_commit_is_not_said_of_the_newest_and_a_dry_run_says_the_same() {
    let check = json!({"name": "unit", "state": "success"});
    for is_approved in [true, false] {
        let story = Story::landed();
        let mut document = story.document(&[], std::slice::from_ref(&check));
        document["approved"] = is_approved.into();
        let theirs = story.others_commit("work-landed", "T001.txt", "theirs\n", "Apply a suggestion");
        document["commits"] = json!([{"id": theirs, "author": "ann", "may_write": true}]);
        let waits = format!(
            "There is nothing new to take up: the checks of the newest commit, {}, are not known yet",
            &theirs[..7]
        );
        let shown = story.follow_file(&document, &["--dry-run"]);
        shown.assert(0, &["Taken into the run first: 1 commit of others", &waits]);
        let done = story.follow_file(&document, &[]);
        done.assert(0, &["Took 1 commit of others into the run", &waits]);
        assert!(![shown.stderr, done.stderr].concat().contains("What was taken up before"));
        document["head"] = theirs.into();
        let words = match is_approved {
            true => "is approved, its checks pass, and nothing is open",
            false => "There is nothing new to take up.",
        };
        for args in [&["--dry-run"][..], &[]] {
            story.follow_file(&document, args).assert(0, &[words]);
        }
    }
    // The same where the newest commit is not taken in yet.
    let story = Story::landed();
    let theirs = story.others_commit("work-landed", "T001.txt", "theirs\n", "Apply a suggestion");
    let mut document = story.document(&[], &[]);
    document["head"] = theirs.clone().into();
    document["commits"] = json!([{"id": theirs, "author": "ann", "may_write": true}]);
    for args in [&["--dry-run"][..], &[]] {
        story.follow_file(&document, args).assert(0, &["There is nothing new to take up."]);
    }
}

#[test]
fn what_a_file_names_that_is_no_commit_leads_to_the_last_task_that_changed_the_file() {
    let story = Story::landed();
    let ids = [story.tip("work:"), story.tip("work:T001.txt"), "1".repeat(40), "no id".to_owned()];
    for id in ids {
        for side in ["old", "new"] {
            let words = comment("ann", true, "2026-11-30T08:00:00Z", "Why?");
            let mut thread = thread("t1", "T001.txt", 1, &id, &[words]);
            thread["side"] = side.into();
            let document = story.document(&[thread], &[]);
            let ended = story.follow_file(&document, &["--dry-run"]);
            ended.assert(0, &["T001 (Do T001): review of T001.txt:1"]);
            assert!(!ended.stderr.contains("fatal"), "{side} {id}: {ended:#?}");
        }
    }
}

#[test]
fn what_is_left_to_wait_for_is_said_plainly() {
    let story = Story::landed();
    let check = |state: &str| json!({"name": "unit", "state": state, "log": "T001.txt is wrong"});
    let unchanged = json!({});
    let rows: [(Value, Value, i32, &str); 8] = [
        (json!([]), unchanged.clone(), 0, "is approved, it has no checks, and nothing is open"),
        (
            json!([check("success")]),
            unchanged.clone(),
            0,
            "is approved, its checks pass, and nothing is open",
        ),
        (json!([]), json!({"checks_expected": true}), 0, "nothing new to take up: no check has reported"),
        (
            json!([check("success")]),
            json!({"checks_expected": true}),
            0,
            "nothing new to take up: a check is expected that has not reported",
        ),
        (json!([check("pending")]), unchanged.clone(), 0, "the check unit has not ended"),
        (json!([]), json!({"state": "merged"}), 0, "is merged"),
        (json!([]), json!({"state": "closed"}), 0, "is closed"),
        (json!([check("cancelled")]), unchanged, 7, "the check unit was cancelled"),
    ];
    for (checks, more, status, words) in rows {
        let mut document = story.document(&[], checks.as_array().unwrap());
        document["approved"] = true.into();
        document.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let before = story.tip("work");
        for args in [&[][..], &["--dry-run"]] {
            story.follow_file(&document, args).assert(status, &[words]);
        }
        assert_eq!(story.tip("work"), before, "{words}");
    }
    // A check that two repairs have not made green is left to a person, also where all else is well.
    for round in 0..2 {
        let mut document = story.document(&[], &[check("failure")]);
        document["approved"] = true.into();
        story.follow_file(&document, &[]).assert(0, &["the check unit fails"]);
        let mut new = story.document(&[], &[]);
        new["approved"] = true.into();
        let words = "no check has reported on the newest commit yet";
        story.follow_file(&new, &[]).assert(0, &[words]);
        assert_eq!(story.origins().len(), round + 1);
    }
    let mut document = story.document(&[], &[check("failure")]);
    document["approved"] = true.into();
    for args in [&[][..], &["--dry-run"], &["--watch"]] {
        story.follow_file(&document, args).assert(7, &["the check unit still fails, after two repairs"]);
    }
}
