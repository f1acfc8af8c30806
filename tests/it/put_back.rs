//! Tests that a branch which cannot be put back is neither deleted nor forgotten: the next run puts it back first.

use std::fs;

use crate::support::garden::{Ended, Garden, one_task, side_by_side};

/// Ways in which an agent moves the branch.
const ATTACKS: [(&str, &str); 5] = [
    ("rewritten", "git update-ref HEAD $(git commit-tree -p HEAD~2 -m rewritten HEAD^{tree})"),
    ("reset", "git reset -q --hard HEAD~1"),
    ("deleted", "git update-ref -d refs/heads/main"),
    ("damaged", "echo damaged > .git/refs/heads/main"),
    ("forged", "git commit -q --allow-empty -m 'task(T001): complete' -m 'Arborist-Step: complete'"),
];
/// What keeps git from writing the branch: a lock, and one that cannot be removed like a file.
const LOCK: &str = ".git/refs/heads/main.lock";
const STALE: &str = ": > .git/refs/heads/main.lock";
const STUCK: &str = "mkdir .git/refs/heads/main.lock; : > .git/refs/heads/main.lock/file";

/// Runs a command after which the branch need not have grown.
fn run(garden: &Garden, args: &[&str]) -> Ended {
    garden.start(garden.arborist(args)).wait()
}

/// Two commits of a person. Returns the newer one.
fn with_work(garden: &Garden) -> String {
    for text in ["mine 1", "mine 2"] {
        garden.write("mine.txt", text);
        garden.commit(text);
    }
    garden.head()
}

/// A repository with the same plan that keeps its references in tables.
fn with_reftables() -> Garden {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "--ref-format=reftable", "--initial-branch=main"]);
    garden.write("task-tree.json", &one_task(&["test -f T001.txt"]).to_string());
    garden.commit("Add a plan");
    garden
}

/// Whether some reference leads to a commit.
fn is_named(garden: &Garden, commit: &str) -> bool {
    !garden.git(&["for-each-ref", "--contains", commit]).is_empty()
}

#[test]
fn behind_a_stale_lock_the_branch_is_put_back_when_the_lock_is_gone() {
    let is_there = |attack: &(&str, &str)| !matches!(attack.0, "deleted" | "damaged");
    side_by_side(ATTACKS.into_iter().filter(is_there), |(_, script)| {
        let garden = Garden::new(&one_task(&["test -f T001.txt"]));
        let tip = with_work(&garden);
        garden.agent(&format!("{script}; {STALE}"));
        let told = ["refs/heads/main could not be put back", "main.lock (", " old)", "`rm ", "removes it"];
        run(&garden, &["gardener"]).assert(6, &told);
        fs::remove_file(garden.top().join(LOCK)).unwrap();
        garden.agent("");
        let ended = garden.run(&["gardener"]);
        ended.assert(0, &["refs/heads/main, which an earlier run could not put back, names "]);
        garden.git(&["merge-base", "--is-ancestor", &tip, "main"]);
    });
}

#[test]
fn the_lock_of_an_agent_that_was_killed_is_removed_and_the_branch_is_put_back_by_the_same_run() {
    let garden = Garden::new(&one_task(&["test -f T001.txt"]));
    let tip = with_work(&garden);
    garden.agent(&format!("{}; {STALE}; kill -9 $$", ATTACKS[0].1));
    garden.run(&["gardener"]).assert(6, &["refs/heads/main could not be put back", "refs/heads/main, which"]);
    assert_eq!(garden.head(), tip);
    garden.agent("");
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn what_could_not_be_put_back_is_put_back_first_by_the_next_run() {
    let cases = ATTACKS.iter().map(|attack| (attack, false)).chain([(&ATTACKS[0], true)]);
    side_by_side(cases, |((name, script), is_packed)| {
        let what = format!("{name}, packed: {is_packed}");
        let garden = Garden::new(&one_task(&["test -f T001.txt"]));
        let tip = with_work(&garden);
        if is_packed {
            garden.git(&["pack-refs", "--all"]);
        }
        garden.agent(&format!("{script}; {STUCK}"));
        let ended = run(&garden, &["gardener"]);
        assert_eq!(ended.status, 6, "{what}: {ended:?}");
        assert!(ended.stderr.contains("refs/heads/main could not be put back"), "{what}: {ended:?}");
        assert!(is_named(&garden, &tip), "{what}: {ended:?}");
        garden.agent("");
        // It still cannot be put back, by whichever command.
        let commands: [&[&str]; 3] = [&["gardener"], &["mark", "skip", "T001", "-m", "Why"], &["land"]];
        // Each of them waits for the lock.
        let is_first = *name == ATTACKS[0].0 && !is_packed;
        for command in commands.into_iter().filter(|_| is_first) {
            let ended = run(&garden, command);
            assert!(matches!(ended.status, 2..=6), "{what}, {command:?}: {ended:?}");
            assert!(is_named(&garden, &tip), "{what}, {command:?}: {ended:?}");
            let is_told =
                [tip.as_str(), "main.lock", "no commits yet"].iter().any(|word| ended.stderr.contains(*word));
            assert!(is_told, "{what}, {command:?}: {ended:?}");
        }
        fs::remove_dir_all(garden.top().join(LOCK)).unwrap();
        let ended = run(&garden, &["gardener"]);
        assert_eq!(ended.status, 0, "{what}: {ended:?}");
        assert!(ended.stderr.contains("names ") && ended.stderr.contains("again"), "{what}: {ended:?}");
        garden.git(&["merge-base", "--is-ancestor", &tip, "main"]);
        garden.check_repository();
    });
}

#[test]
fn another_branch_in_the_way_and_a_lock_of_tables_are_named_and_the_branch_is_put_back_later() {
    type Case = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);
    let cases: [Case; 2] = [
        (
            "files",
            "tip=$(git rev-parse HEAD); git update-ref -d refs/heads/main; git update-ref refs/heads/main/inner $tip~1",
            &["refs/heads/main/inner"],
            &["update-ref", "-d", "refs/heads/main/inner"],
        ),
        (
            "reftable",
            "git update-ref HEAD $(git commit-tree -p HEAD~2 -m rewritten HEAD^{tree}); mkdir .git/reftable/tables.list.lock; : > .git/reftable/tables.list.lock/file",
            &["cannot lock references"],
            &[],
        ),
    ];
    side_by_side(cases, |(format, script, words, remedy)| {
        if format == "reftable" && !Garden::git_has_reftables() {
            return;
        }
        let garden = match format {
            "reftable" => with_reftables(),
            _ => Garden::new(&one_task(&["test -f T001.txt"])),
        };
        let tip = with_work(&garden);
        garden.agent(script);
        let ended = run(&garden, &["gardener"]);
        assert_eq!(ended.status, 6, "{format}: {ended:?}");
        assert!(ended.stderr.contains(&tip), "{format}: {ended:?}");
        assert!(words.iter().all(|word| ended.stderr.contains(word)), "{format}: {ended:?}");
        // Where no reference can be written at all, the log of the branch still has it.
        assert!(is_named(&garden, &tip) || !ended.stderr.contains("Nothing is lost"), "{format}: {ended:?}");
        if remedy.is_empty() {
            fs::remove_dir_all(garden.top().join(".git/reftable/tables.list.lock")).unwrap();
        } else {
            garden.git(remedy);
        }
        garden.agent("");
        let ended = run(&garden, &["gardener"]);
        assert_eq!(ended.status, 0, "{format}: {ended:?}");
        garden.git(&["merge-base", "--is-ancestor", &tip, "main"]);
    });
}

#[test]
fn a_person_who_moves_the_branch_on_or_drops_what_is_kept_is_not_overruled() {
    side_by_side(["moved on", "moved elsewhere"], |way| {
        let garden = Garden::new(&one_task(&["test -f T001.txt"]));
        let tip = with_work(&garden);
        garden.agent(&format!("{}; {STUCK}", ATTACKS[0].1));
        assert_eq!(run(&garden, &["gardener"]).status, 6);
        garden.agent("");
        fs::remove_dir_all(garden.top().join(LOCK)).unwrap();
        let start = if way == "moved on" { &tip } else { "HEAD~1" };
        garden.git(&["reset", "-q", "--hard", start]);
        garden.write("more.txt", "");
        garden.git(&["add", "."]);
        garden.git(&["commit", "-q", "-m", "More"]);
        let now = garden.head();
        if way == "moved elsewhere" {
            let ended = run(&garden, &["gardener"]);
            assert_eq!(ended.status, 6, "{ended:?}");
            assert!(
                ended.stderr.contains("was moved again since") && ended.stderr.contains("update-ref -d"),
                "{ended:?}"
            );
            let kept = garden.git(&["for-each-ref", "--format=%(refname)", "refs/arborist/rescue/wanted"]);
            garden.git(&["update-ref", "-d", &kept]);
        }
        let ended = run(&garden, &["gardener"]);
        assert_eq!(ended.status, 0, "{way}: {ended:?}");
        garden.git(&["merge-base", "--is-ancestor", &now, "main"]);
    });
}

#[test]
fn a_reference_in_the_way_of_ours_is_moved_and_named_whoever_made_it() {
    const NAMES: [&str; 3] = ["refs/arborist", "refs/arborist/rescue", "refs/arborist/rescue/replaced"];
    let cases = NAMES.into_iter().flat_map(|name| [(name, true), (name, false)]);
    side_by_side(cases, |(name, by_agent)| {
        let garden = Garden::new(&one_task(&["test -f T001.txt"]));
        let tip = with_work(&garden);
        let make = format!("git update-ref {name} HEAD~1");
        // The other commit has to be kept where the reference is.
        garden.agent(&if by_agent { format!("{make}; {}", ATTACKS[0].1) } else { ATTACKS[0].1.to_owned() });
        if !by_agent {
            garden.git(&["update-ref", name, "HEAD~1"]);
        }
        let ended = run(&garden, &["gardener"]);
        assert_eq!(ended.status, 6, "{name}: {ended:?}");
        assert!(ended.stderr.contains(&format!("the reference {name} was in the way")), "{name}: {ended:?}");
        assert_eq!(garden.head(), tip, "{name}");
        let before = garden.git(&["rev-parse", "HEAD~1"]);
        let kept =
            garden.lines(&["for-each-ref", "--format=%(refname)", "--points-at", &before, "refs/arborist"]);
        assert!(
            matches!(&kept[..], [kept] if kept.starts_with("refs/arborist/rescue/moved/")),
            "{name}: {kept:?}"
        );
        garden.agent("");
        garden.run(&["gardener"]).assert(0, &[]);
        garden.check_repository();
    });
}

#[test]
fn a_branch_that_was_renamed_is_put_back_and_the_way_back_to_it_is_named() {
    let garden = Garden::new(&one_task(&["test -f T001.txt"]));
    let tip = with_work(&garden);
    garden.agent("git branch -m main other");
    garden
        .run(&["gardener"])
        .assert(6, &["renamed or deleted the branch main", "HEAD is on other", "`git switch main`"]);
    assert_eq!(garden.git(&["rev-parse", "main"]), tip);
    garden.git(&["switch", "-q", "main"]);
    garden.agent("");
    garden.run(&["gardener"]).assert(0, &[]);
}
