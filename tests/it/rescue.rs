//! `git arborist rescue`: what was saved is listed, shown, given back and dropped, by names that git accepts too.

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
fn without_a_name_the_newest_is_shown_and_given_back() {
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
fn what_is_dropped_is_gone_from_the_list_and_can_be_brought_back() {
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
