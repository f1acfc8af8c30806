//! Tests `git arborist rescue`: saved work is listed, shown, restored and dropped, by names that git accepts too.

use crate::support::garden::{Garden, one_task};

/// Three saved works: two of T001, then one of T002. Each adds a file that is called after its content.
fn with_three() -> Garden {
    let garden = Garden::new(&one_task(&[]));
    let saved = [
        ("T001", "20260101T000000", "one"),
        ("T001", "20260101T000000-2", "two"),
        ("T002", "20260102T000000", "three"),
    ];
    for (task, stamp, word) in saved {
        garden.write(&format!("{word}.txt"), word);
        garden.git(&["add", "--all"]);
        let tree = garden.git(&["write-tree"]);
        let (date, _) = stamp.split_once('T').unwrap();
        let mut commit = garden.command("git");
        commit.args(["commit-tree", "-p", "HEAD", "-m", &format!("rescue({task}): {word}"), &tree]);
        commit.env("GIT_COMMITTER_DATE", format!("{}-{}-{}T00:00:00Z", &date[..4], &date[4..6], &date[6..]));
        let id = String::from_utf8(commit.output().unwrap().stdout).unwrap();
        garden.git(&["update-ref", &format!("refs/arborist/rescue/{task}/{stamp}"), id.trim()]);
        garden.git(&["reset", "-q", "--hard"]);
    }
    garden
}

/// The names of all that is saved.
fn saved(garden: &Garden) -> Vec<String> {
    garden.lines(&["for-each-ref", "--format=%(refname)", "refs/arborist/rescue"])
}

#[test]
fn the_list_is_newest_first_and_has_names_that_git_accepts() {
    let garden = with_three();
    let listed = garden.run(&["rescue"]).stdout;
    let names: Vec<&str> = listed.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(
        names,
        [
            "refs/arborist/rescue/T002/20260102T000000",
            "refs/arborist/rescue/T001/20260101T000000-2",
            "refs/arborist/rescue/T001/20260101T000000",
        ]
    );
    for name in names {
        garden.git(&["cat-file", "-e", name]);
    }
    let json: serde_json::Value =
        serde_json::from_str(&garden.run(&["rescue", "list", "--json"]).stdout).unwrap();
    assert_eq!(json["rescued"][0]["ref"], "refs/arborist/rescue/T002/20260102T000000");
    assert_eq!(json["rescued"][0]["name"], "T002/20260102T000000");
}

#[test]
fn without_a_name_the_newest_saved_work_is_shown_and_restored() {
    let garden = with_three();
    let shown = garden.run(&["rescue", "show"]).stdout;
    assert!(shown.contains("rescue(T002): three") && shown.contains("+three"), "{shown}");
    let ended = garden.run(&["rescue", "apply"]);
    ended.assert(0, &["git arborist rescue drop T002/20260102T000000"]);
    assert_eq!(
        ended.stdout,
        "put 1 file from refs/arborist/rescue/T002/20260102T000000 into the work tree\n"
    );
    assert_eq!(garden.read("three.txt"), "three");
    assert_eq!(saved(&garden).len(), 3, "it is still saved");
}

#[test]
fn a_name_may_be_short_full_or_without_refs_or_a_task_or_a_commit() {
    let garden = with_three();
    let commit = garden.git(&["rev-parse", "refs/arborist/rescue/T001/20260101T000000"]);
    let cases = [
        ("T001/20260101T000000", "one"),
        ("arborist/rescue/T001/20260101T000000", "one"),
        ("refs/arborist/rescue/T001/20260101T000000-2", "two"),
        (&commit, "one"),
        (&commit[..7], "one"),
        ("T001", "two"),
    ];
    for (name, word) in cases {
        let shown = garden.run(&["rescue", "show", name]).stdout;
        assert!(shown.contains(&format!("rescue(T001): {word}\n")), "{name}: {shown}");
    }
    garden.run(&["rescue", "show", "T001/20260101T00000"]).assert(2, &["Did you mean T001/20260101T000000?"]);
    garden.run(&["rescue", "show", "nothing"]).assert(2, &["nothing is saved under nothing", "rescue list"]);
}

#[test]
fn dropped_work_disappears_from_the_list_and_can_be_brought_back() {
    let garden = with_three();
    let name = "refs/arborist/rescue/T001/20260101T000000";
    let commit = garden.git(&["rev-parse", name]);
    let ended = garden.run(&["rescue", "drop", "T001/20260101T000000"]);
    ended.assert(0, &[]);
    assert_eq!(ended.stdout, format!("dropped {name}; `git update-ref {name} {commit}` brings it back\n"));
    assert_eq!(saved(&garden).len(), 2);
    garden.git(&["update-ref", name, &commit]);
    garden.run(&["rescue", "drop", "--all"]).assert(0, &[]);
    assert_eq!(saved(&garden), [""; 0]);
    assert_eq!(garden.run(&["rescue"]).stdout, "nothing is saved\n");
    for action in ["show", "apply"] {
        garden.run(&["rescue", action]).assert(1, &["nothing is saved"]);
    }
}

#[test]
fn nothing_is_dropped_that_was_not_named() {
    let garden = with_three();
    garden.run(&["rescue", "drop"]).assert(2, &["<NAME>"]);
    garden.run(&["rescue", "drop", "T001"]).assert(2, &["nothing is saved under T001"]);
    garden.run(&["rescue", "drop", "T001/20260101T000000", "wrong"]).assert(2, &["under wrong"]);
    assert_eq!(saved(&garden).len(), 3);
}

/// A garden whose agent did this in its first attempt and was killed with its run.
fn killed_after(work: &str) -> Garden {
    let garden = Garden::new(&one_task(&[]));
    garden.write("file", "committed\n");
    garden.commit("Add a file");
    garden.agent(&format!(
        "if [ $work = T001.implement.0 ] && ! [ -e \"$ROOT/started\" ]; then {work}
         echo $$ > \"$ROOT/pid\"; : > \"$ROOT/started\"; while :; do sleep 0.05; done; fi"
    ));
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    garden.kill_with_agent(running);
    garden
}

#[test]
fn files_changed_after_a_kill_are_saved_and_can_be_restored() {
    let garden = killed_after("echo half > half.txt; echo half > file");
    garden.write("file", "mine\n");
    garden.write("notes.txt", "mine\n");
    garden.run(&["gardener"]).assert(0, &["is saved", "rescue apply T001/"]);
    assert_eq!(garden.status(), [""; 0]);
    garden.run(&["rescue", "apply"]).assert(0, &[]);
    assert_eq!((garden.read("file"), garden.read("notes.txt")), ("mine\n".to_owned(), "mine\n".to_owned()));
    assert_eq!(garden.read("half.txt"), "half\n");
}

#[test]
fn a_version_that_was_only_staged_is_saved_shown_and_named_when_the_rest_is_restored() {
    let garden =
        killed_after("echo one > new; echo staged > file; git add new file; echo two > new; rm file");
    garden.run(&["gardener"]).assert(0, &["saved also as it was staged: file, new\n"]);
    let shown = garden.run(&["rescue", "show"]).stdout;
    let (work_tree, staged) = shown.split_once("staged, and not in the work tree:").unwrap();
    assert!(work_tree.contains("+two") && work_tree.contains("-committed"), "{shown}");
    assert!(staged.contains("+one") && staged.contains("+staged"), "{shown}");
    let ended = garden.run(&["rescue", "apply"]);
    ended.assert(0, &["git restore --staged --source="]);
    assert!(!garden.exists("file"));
    assert_eq!(garden.read("new"), "two\n");
    let [saved] = &saved(&garden)[..] else { panic!("{:?}", saved(&garden)) };
    assert_eq!(garden.git(&["show", &format!("{saved}^2:file")]), "staged");
}

#[test]
fn files_that_git_does_not_see_are_not_overwritten() {
    let lie = |garden: &Garden, script: &str| {
        assert!(garden.command("/bin/sh").args(["-ec", script]).status().unwrap().success());
    };
    let garden = killed_after(
        "echo 'ignored*' > .gitignore; mkdir ignored; echo a > ignored/a; git add -f ignored; echo b > b; rm file",
    );
    garden.run(&["gardener"]).assert(0, &[]);
    garden.write(".git/info/exclude", "ignored*\nb\n");
    for (script, place) in [
        ("mkdir ignored; echo mine > ignored/a", "ignored/a"),
        ("echo mine > ignored", "ignored"),
        ("mkdir ignored; mkfifo ignored/a", "ignored/a"),
        ("mkdir b; echo mine > b/c", "b/c"),
        ("ln -s /nowhere b", "b"),
    ] {
        lie(&garden, script);
        let before = garden.git(&["ls-files", "--others"]);
        garden
            .run(&["rescue", "apply"])
            .assert(3, &["something else is in the place of these files now", place, "Nothing was touched"]);
        assert_eq!(garden.git(&["ls-files", "--others"]), before, "{script}");
        assert!(garden.exists("file"), "{script}");
        lie(&garden, "rm -rf ignored b");
    }
    lie(&garden, "mkdir -p b/empty");
    garden.run(&["rescue", "apply"]).assert(0, &[]);
    assert_eq!((garden.read("ignored/a"), garden.read("b")), ("a\n".to_owned(), "b\n".to_owned()));
    assert!(!garden.exists("file"));
}

#[test]
fn changes_in_files_that_git_is_told_to_overlook_are_not_overwritten() {
    let garden = killed_after("echo half > file; echo half > half.txt");
    garden.run(&["gardener"]).assert(0, &["is saved"]);
    for mark in ["skip-worktree", "assume-unchanged"] {
        garden.git(&["update-index", &format!("--{mark}"), "file"]);
        garden.write("file", "my own\n");
        garden
            .run(&["rescue", "apply"])
            .assert(3, &["overlook changes to these files: file", "Nothing was touched"]);
        assert_eq!(garden.read("file"), "my own\n");
        assert!(!garden.exists("half.txt"));
        garden.write("file", "committed\n");
        garden.git(&["update-index", &format!("--no-{mark}"), "file"]);
    }
    garden.run(&["rescue", "apply"]).assert(0, &[]);
    assert_eq!(garden.read("file"), "half\n");
}
