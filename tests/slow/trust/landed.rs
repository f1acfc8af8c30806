//! Tests that landed work is proven, shown and checked in a fresh clone, which does not have the commits of the run.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::shell_library::library;
use crate::support::garden::{Ended, Garden};

/// Three tasks of these kinds, on a new branch, and a bare repository `origin` that has what was there before.
fn three_tasks(kinds: [&str; 3]) -> Garden {
    let task = |id: &str, expect: &str| {
        let command = json!([{"type": "unit", "command": "sh tests/run.sh", "framework": "cargo"}]);
        json!({"id": id, "name": format!("Do {id}"), "description": "", "expect": expect, "test_commands": command})
    };
    let nodes = json!({"T1": task("T1", kinds[0]), "T2": task("T2", kinds[1]), "T3": task("T3", kinds[2])});
    let garden = library(&json!({"spec_id": "calc", "nodes": nodes}), "");
    let bare = garden.root().join("origin.git");
    garden.git(&["init", "-q", "--bare", "-b", "main", bare.to_str().unwrap()]);
    garden.git(&["remote", "add", "origin", bare.to_str().unwrap()]);
    garden.git(&["push", "-q", "origin", "HEAD:main"]);
    garden.git(&["switch", "-q", "-c", "work"]);
    garden
}

/// Two tasks that change behaviour and a refactoring, done, with a bare repository `origin` that has what was there before.
fn delivered() -> Garden {
    let garden = begun();
    garden.run(&["gardener"]).assert(0, &[]);
    garden
}

/// The same before anything is done.
fn begun() -> Garden {
    let garden = three_tasks(["change", "change", "refactor"]);
    garden.agent(
        r#"case $ARBORIST_STEP.$ARBORIST_TASK in
implement.T1) echo 'sub() { echo $(($1 - $2)); }' >> lib.sh; printf '. ./lib.sh\n[ "$(sub 5 3)" = 2 ]\n' > tests/sub_test.sh; exit 0;;
implement.T2) echo 'mul() { echo $(($1 * $2)); }' >> lib.sh; printf '. ./lib.sh\n[ "$(mul 5 3)" = 15 ]\n' > tests/mul_test.sh; exit 0;;
implement.T3) echo '# A library of functions' >> lib.sh; exit 0;;
esac"#,
    );
    garden
}

/// A clone of the default branch that has nothing else.
struct Cloned<'g> {
    garden: &'g Garden,
    folder: PathBuf,
}

impl<'g> Cloned<'g> {
    fn of(garden: &'g Garden, name: &str) -> Self {
        let folder = garden.root().join(format!("clone-{name}"));
        let from = format!("file://{}", garden.root().join("origin.git").display());
        garden.git(&["clone", "-q", "--single-branch", &from, folder.to_str().unwrap()]);
        Self { garden, folder }
    }

    fn run(&self, args: &[&str]) -> Ended {
        let mut command = self.garden.arborist(args);
        command.current_dir(&self.folder);
        self.garden.finish(command)
    }

    fn json(&self, args: &[&str]) -> Value {
        let ended = self.run(args);
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}: {ended:#?}"))
    }

    fn git(&self, args: &[&str]) -> String {
        self.garden.git(&[&["-C", self.folder.to_str().unwrap()], args].concat())
    }

    /// What is known of each task after a proof.
    fn proven(&self, args: &[&str]) -> Vec<String> {
        let document = self.json(&[&["prove", "--yes", "--json"], args].concat());
        let proofs = document["proofs"].as_array().unwrap();
        proofs
            .iter()
            .map(|proof| format!("{} {}", proof["task"].as_str().unwrap(), proof["is"].as_str().unwrap()))
            .collect()
    }

    fn states(&self) -> Vec<String> {
        let status = self.json(&["status", "--json"]);
        let tasks = status["tasks"].as_array().unwrap();
        tasks.iter().map(|task| task["state"].as_str().unwrap().to_owned()).collect()
    }

    fn has(&self, commit: &str) -> bool {
        self.garden.try_git(&["-C", self.folder.to_str().unwrap(), "cat-file", "-e", commit]).status.success()
    }
}

fn id(garden: &Garden, revision: &str) -> String {
    garden.git(&["rev-parse", revision])
}

/// Makes `main` of the origin what `merge` makes of it in a clone that has the landed branch.
fn merged(garden: &Garden, name: &str, merge: impl Fn(&Cloned<'_>)) {
    let here = Cloned::of(garden, name);
    here.git(&["config", "user.name", "M"]);
    here.git(&["config", "user.email", "m@example.com"]);
    here.git(&["fetch", "-q", "origin", "work-landed:landed"]);
    merge(&here);
    here.git(&["push", "-q", "origin", "+HEAD:main"]);
}

const EACH: [&str; 3] = ["T1 proven", "T2 proven", "T3 equal"];
/// A joint commit proves nothing for each of its tasks.
const TOGETHER: [&str; 3] = ["T1 tested", "T2 tested", "T3 tested"];
const DONE: [&str; 3] = ["complete"; 3];

#[test]
fn what_a_run_has_proven_is_proven_in_a_fresh_clone_of_each_landed_branch() {
    let garden = delivered();
    let run = garden.run(&["prove", "--json"]);
    let run: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        run["counts"],
        json!({"proven": 2, "equal": 1, "tested": 0, "unproven": 0, "untested": 0, "vouched-for": 0, "skipped": 0, "not-tried": 0})
    );
    for (style, words) in [("task", EACH), ("merge", EACH), ("one", TOGETHER)] {
        let branch = format!("landed-{style}");
        garden
            .run(&["land", "--style", style, "--branch", &branch, "--base", "refs/heads/main"])
            .assert(0, &[]);
        garden.git(&["push", "-q", "origin", &format!("+{branch}:main")]);
        let clone = Cloned::of(&garden, style);
        assert_eq!(clone.has(&id(&garden, "work")), style == "merge", "only a merge brings the run");
        assert_eq!(clone.states(), DONE, "{style}");
        assert_eq!(clone.proven(&[]), words, "{style}");
        let status = clone.run(&["status"]).stdout;
        let prove = clone.run(&["prove", "--yes", "T1"]);
        if style == "one" {
            // All runs end as they must there, so nothing more can be asked of that commit.
            prove.assert(0, &[]);
            assert!(prove.stdout.contains("T1 Do T1: tested with other tasks"), "{prove:?}");
            assert!(prove.stdout.contains("git fetch origin 'refs/arborist/runs/*"), "{prove:?}");
            assert_eq!(status.matches("(complete, tested with other tasks)").count(), 3, "{status}");
        } else {
            prove.assert(0, &[]);
            // The run made no proofs.
            assert!(!status.contains("with other tasks"), "{status}");
        }
        let audit = clone.json(&["check", "--run", "--json"]);
        assert_eq!(audit["evidence"]["complete"], 3, "{style}");
        clone.run(&["check", "--run", "--strict"]).assert(0, &["3 complete"]);
    }
}

/// A way in which commits come to the default branch.
type Way<'w> = &'w dyn Fn(&Cloned<'_>);

#[test]
fn each_ordinary_way_to_merge_keeps_the_state_and_the_proof() {
    let garden = delivered();
    garden.run(&["land"]).assert(0, &[]);
    garden.git(&["push", "-q", "origin", "work-landed"]);
    let start = id(&garden, "origin/main");
    let body = garden.run(&["land", "--message"]).stdout;
    let ways: [(&str, [&str; 3], Way<'_>); 6] = [
        ("merge", EACH, &|here| _ = here.git(&["merge", "-q", "--no-ff", "--no-edit", "landed"])),
        ("rebase", EACH, &|here| _ = here.git(&["cherry-pick", "HEAD..landed"])),
        ("body", TOGETHER, &|here| {
            here.git(&["merge", "-q", "--squash", "landed"]);
            here.git(&["commit", "-q", "-m", &body]);
        }),
        ("appended", TOGETHER, &|here| {
            here.git(&["merge", "-q", "--squash", "landed"]);
            here.git(&[
                "commit",
                "-q",
                "-m",
                &format!("Work (#7)\n\n{body}\n\nCo-authored-by: B <b@example.com>\n"),
            ]);
        }),
        ("messages", TOGETHER, &|here| {
            here.git(&["merge", "-q", "--squash", "landed"]);
            let all = here.git(&["log", "--reverse", "--format=* %B", "HEAD..landed"]);
            here.git(&["commit", "-q", "-m", &format!("Work (#7)\n\n{all}\n")]);
        }),
        ("git", TOGETHER, &|here| {
            here.git(&["merge", "-q", "--squash", "landed"]);
            here.git(&["commit", "-q", "--no-edit"]);
        }),
    ];
    for (name, words, merge) in ways {
        merged(&garden, &format!("{name}-here"), |here| {
            here.git(&["reset", "-q", "--hard", &start]);
            std::fs::write(here.folder.join("README"), "more\n").unwrap();
            here.git(&["add", "README"]);
            here.git(&["commit", "-q", "-m", "Add a README"]);
            merge(here);
        });
        let clone = Cloned::of(&garden, name);
        assert_eq!(clone.states(), DONE, "{name}");
        assert_eq!(clone.proven(&[]), words, "{name}");
        let range = format!("{}..HEAD", clone.git(&["rev-parse", &start]));
        assert_eq!(clone.proven(&[&range]), words, "{name}, as a range");
    }
}

#[test]
fn a_squash_of_which_a_forge_keeps_only_the_title_is_recorded_in_one_command() {
    let garden = delivered();
    garden.run(&["land", "--push", "--yes"]).assert(0, &[]);
    merged(&garden, "here", |here| {
        let lib = here.folder.join("lib.sh");
        let text = std::fs::read_to_string(&lib).unwrap();
        std::fs::write(&lib, format!("# Ours\n{text}")).unwrap();
        here.git(&["commit", "-qam", "Say whose it is (#6)"]);
        here.git(&["merge", "-q", "--squash", "-X", "theirs", "landed"]);
        let text = std::fs::read_to_string(&lib).unwrap();
        std::fs::write(&lib, format!("{text}# The end\n")).unwrap();
        here.git(&["commit", "-qam", "Work (#7)"]);
    });
    let clone = Cloned::of(&garden, "clone");
    clone.git(&["fetch", "-q", "origin", "refs/arborist/runs/*:refs/arborist/runs/*"]);
    assert_eq!(clone.states(), ["pending"; 3]);
    let short = clone.git(&["rev-parse", "--short=7", "HEAD"]);
    clone.git(&["config", "user.name", "C"]);
    clone.git(&["config", "user.email", "c@example.com"]);
    clone.run(&["mark", "landed", &short, "T1", "T2", "T3"]).assert(0, &[]);
    assert_eq!(clone.states(), DONE);
    assert_eq!(clone.proven(&[]), TOGETHER);
    assert!(!clone.run(&["status"]).stdout.contains("In doubt"));
}

/// A task that writes tests before their code, one that has nothing to do with them, and one that makes them pass.
fn awaiting() -> Garden {
    let garden = three_tasks(["tests", "change", "change"]);
    garden.agent(
        r#"case $ARBORIST_STEP.$ARBORIST_TASK in
implement.T1) printf '. ./lib.sh\n[ "$(mul 5 3)" = 15 ]\n' > tests/mul_test.sh; exit 0;;
implement.T2) echo 'sub() { echo $(($1 - $2)); }' >> lib.sh; printf '. ./lib.sh\n[ "$(sub 5 3)" = 2 ]\n' > tests/sub_test.sh; exit 0;;
implement.T3) echo 'mul() { echo $(($1 * $2)); }' >> lib.sh; exit 0;;
esac"#,
    );
    garden
}

#[test]
fn tests_that_were_written_before_their_code_are_awaited_on_each_landed_branch() {
    let garden = awaiting();
    garden.run(&["gardener"]).assert(0, &[]);
    let proven = |ended: Ended| -> Vec<String> {
        let document: Value = serde_json::from_str(&ended.stdout).unwrap();
        let proofs = document["proofs"].as_array().unwrap().iter();
        proofs.map(|proof| format!("{} {}", proof["task"], proof["is"])).collect()
    };
    let run = garden.run(&["prove", "--json"]);
    assert_eq!(run.status, 0, "{run:?}");
    let words = proven(run);
    for style in ["task", "merge", "one"] {
        let branch = format!("landed-{style}");
        garden
            .run(&["land", "--verify", "--style", style, "--branch", &branch, "--base", "refs/heads/main"])
            .assert(0, &["Landed"]);
        garden.git(&["push", "-q", "origin", &format!("+{branch}:main")]);
        let clone = Cloned::of(&garden, style);
        assert_eq!(clone.states(), DONE, "{style}");
        let ended = clone.run(&["prove", "--yes", "--json"]);
        assert_eq!(ended.status, 0, "{style}: {ended:?}");
        if style != "one" {
            assert_eq!(proven(ended), words, "{style}");
        }
        clone.run(&["check", "--run", "--strict"]).assert(0, &["3 complete"]);
    }
    let message = |commit: &str| garden.git(&["log", "-1", "--format=%B", commit]);
    assert!(
        message("landed-task~2").contains("\n\nAwaited:\n- mul\n\nArborist-Complete: T1\n"),
        "{}",
        message("landed-task~2")
    );
    assert!(message("landed-task").contains("\n\nNo longer awaited:\n- mul\n\nArborist-Complete: T3\n"));
    assert!(!message("landed-one").contains("waited"), "{}", message("landed-one"));
}

#[test]
fn each_landed_commit_has_the_tests_that_were_awaited_when_it_was_made() {
    for rework in ["tests/mul_test.sh", "tests/other_test.sh"] {
        let garden = awaiting();
        garden.run(&["gardener"]).assert(0, &[]);
        garden.agent(&format!(
            r#"case $ARBORIST_STEP.$ARBORIST_TASK in
implement.T1) printf '. ./lib.sh\n[ "$(mul 2 2)" = 4 ]\n' > {rework}; exit 0;;
esac"#
        ));
        garden.run(&["mark", "reopen", "T1", "-m", "Test more"]).assert(0, &[]);
        garden.run(&["gardener"]).assert(0, &[]);
        garden.run(&["land", "--verify"]).assert(0, &["3 tasks in"]);
        let landed = garden.lines(&["log", "--format=%s", "main..work-landed"]);
        assert_eq!(landed, ["Do T1 (T1), again", "Do T3 (T3)", "Do T2 (T2)", "Do T1 (T1)"]);
        // The proof of those in between knows what the first commit of T1 awaited.
        garden.git(&["switch", "-q", "work-landed"]);
        garden.forget_history();
        garden.run(&["prove", "--yes"]).assert(0, &[]);
    }
}

#[test]
fn a_run_goes_on_where_awaited_tests_were_landed() {
    let garden = awaiting();
    garden.run(&["gardener", "T1"]).assert(0, &[]);
    garden.run(&["land", "T1"]).assert(0, &[]);
    garden.git(&["switch", "-q", "work-landed"]);
    garden.git(&["branch", "-q", "-D", "work"]);
    garden.forget_history();
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(garden.message("task(T3): complete").contains("\nNo longer awaited:\n- mul\n"));
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
    garden.run(&["prove"]).assert(0, &[]);
}

#[test]
fn the_record_travels_with_a_landed_branch_after_a_question() {
    let garden = delivered();
    let tip = id(&garden, "work");
    let records = || garden.lines(&["ls-remote", "origin", "refs/arborist/*"]);
    let ended = garden.run(&["land", "--push"]);
    ended.assert(0, &["The record of the run", "was not pushed", "--yes"]);
    assert_eq!(records().len(), 0, "nobody could answer");
    garden.run(&["land", "--push", "--yes"]).assert(0, &["Pushed the record of the run to origin."]);
    assert_eq!(records(), [format!("{tip}\trefs/arborist/runs/{tip}")]);
    let report = garden.run(&["report"]).stdout;
    let command =
        report.lines().find(|line| line.starts_with("git fetch origin refs/arborist/runs/")).unwrap();
    let (fetch, prove) = command.split_once(" && git arborist prove ").unwrap();
    garden.git(&["push", "-q", "origin", "+work-landed:main"]);
    let clone = Cloned::of(&garden, "clone");
    let shown = clone.run(&["show", "T1"]).stdout;
    assert!(shown.contains("recorded in the run, not here") && shown.contains("git fetch origin"), "{shown}");
    let ended = clone.run(&["prove", "--yes", prove]);
    ended.assert(2, &["refs/arborist/runs"]);
    clone.git(&fetch.split(' ').skip(1).collect::<Vec<_>>());
    assert_eq!(clone.proven(&[prove]), EACH, "the printed command proves the run");
    let shown = clone.run(&["show", "T1"]).stdout;
    assert!(
        shown.contains("Attempt 1") && shown.contains("Landed") && !shown.contains("not here"),
        "{shown}"
    );
    let report = clone.run(&["report"]).stdout;
    assert!(report.contains("approved by") && !report.contains("Recorded in the run"), "{report}");
    clone.run(&["check", "--run"]).assert(0, &["3 complete, as their commits claim: 3 tested, 3 reviewed"]);
    // A longer run replaces the record of its beginning, without another question.
    garden.run(&["note", "T1", "-m", "well done"]).assert(0, &[]);
    garden.run(&["land", "--push", "--base", "refs/heads/main"]).assert(0, &["Pushed the record"]);
    let tip = id(&garden, "work");
    assert_eq!(records(), [format!("{tip}\trefs/arborist/runs/{tip}")]);
}

#[test]
fn what_is_proven_of_a_range_follows_from_the_range_wherever_head_is() {
    let garden = begun();
    garden.run(&["mark", "skip", "T3", "-m", "not now"]).assert(0, &[]);
    garden.run(&["gardener", "T1"]).assert(0, &[]);
    let first = id(&garden, "HEAD");
    garden.run(&["gardener"]).assert(0, &[]);
    let range = format!("{}..{}", id(&garden, "origin/main"), id(&garden, "work"));
    let proven = || {
        let document: Value =
            serde_json::from_str(&garden.run(&["prove", "--yes", "--json", &range]).stdout).unwrap();
        document["counts"].clone()
    };
    let expected = proven();
    assert_eq!((&expected["proven"], &expected["skipped"]), (&json!(2), &json!(1)), "{expected}");
    garden.run(&["land"]).assert(0, &[]);
    garden.git(&["branch", "older", &first]);
    for branch in ["work-landed", "older"] {
        garden.git(&["switch", "-q", branch]);
        garden.forget_history();
        assert_eq!(proven(), expected, "{branch}");
    }
}

#[test]
fn a_server_that_takes_no_records_is_named_once() {
    let garden = delivered();
    let hook = garden.root().join("origin.git/hooks/update");
    garden.program(
        Path::new(&hook),
        "case $1 in refs/arborist/*) echo 'no such names here' >&2; exit 1;; esac",
    );
    let ended = garden.run(&["land", "--push", "--yes"]);
    ended.assert(0, &["does not take the record", "Pushed work-landed"]);
    let again = garden.run(&["land", "--push", "--yes"]);
    again.assert(0, &[]);
    assert!(!again.stderr.contains("does not take"), "{again:#?}");
}

#[test]
fn a_squash_that_lost_everything_is_recorded_by_one_command() {
    let garden = delivered();
    garden.run(&["land"]).assert(0, &[]);
    garden.git(&["push", "-q", "origin", "work-landed"]);
    merged(&garden, "here", |here| {
        here.git(&["merge", "-q", "--squash", "landed"]);
        here.git(&["commit", "-q", "-m", "The work"]);
        assert_eq!(here.states(), ["pending"; 3]);
        here.run(&["mark", "landed", "HEAD", "--yes"]).assert(0, &["T1, T2, T3 landed in"]);
        here.run(&["check", "--run"]).assert(0, &[]);
    });
    let clone = Cloned::of(&garden, "clone");
    assert_eq!(clone.states(), DONE);
    assert_eq!(clone.proven(&[]), TOGETHER);
    clone.run(&["mark", "landed", "HEAD~9"]).assert(2, &["is not a commit of this branch"]);
    clone.git(&["config", "user.name", "a"]);
    clone.git(&["config", "user.email", "a@example.com"]);
    let folder = clone.folder.to_str().unwrap();
    // There is nothing to undo in the files, so git leaves the commit to the user.
    garden.try_git(&["-C", folder, "revert", "--no-edit", "HEAD"]);
    clone.git(&["commit", "-q", "--allow-empty", "--no-edit"]);
    assert_eq!(clone.states(), ["pending"; 3], "it can be taken back");
}

#[test]
fn a_revert_of_landed_work_is_believed_wherever_it_is_made() {
    let garden = delivered();
    garden.run(&["land"]).assert(0, &[]);
    garden.git(&["switch", "-q", "work-landed"]);
    garden.forget_history();
    garden.git(&["revert", "--no-edit", "HEAD"]);
    garden.git(&["push", "-q", "origin", "work-landed"]);
    garden.git(&["switch", "-q", "work"]);
    let start = id(&garden, "origin/main");
    let open = ["complete", "complete", "pending"];
    let ways: [(&str, Way<'_>); 4] = [
        ("merge", &|here| _ = here.git(&["merge", "-q", "--no-ff", "--no-edit", "landed"])),
        ("rebase", &|here| _ = here.git(&["cherry-pick", "HEAD..landed"])),
        ("messages", &|here| {
            here.git(&["merge", "-q", "--squash", "landed"]);
            let all = here.git(&["log", "--reverse", "--format=* %B", "HEAD..landed"]);
            here.git(&["commit", "-q", "-m", &format!("Work (#7)\n\n{all}\n")]);
        }),
        ("git", &|here| {
            here.git(&["merge", "-q", "--squash", "landed"]);
            here.git(&["commit", "-q", "--no-edit"]);
        }),
    ];
    for (name, merge) in ways {
        merged(&garden, &format!("{name}-here"), |here| {
            here.git(&["reset", "-q", "--hard", &start]);
            std::fs::write(here.folder.join("README"), "more\n").unwrap();
            here.git(&["add", "README"]);
            here.git(&["commit", "-q", "-m", "Add a README"]);
            merge(here);
        });
        assert_eq!(Cloned::of(&garden, name).states(), open, "{name}");
    }
    // A forge squashes its own revert of a request: it quotes the title and names no commit.
    merged(&garden, "forge-here", |here| {
        here.git(&["reset", "-q", "--hard", &start]);
        here.git(&["merge", "-q", "--squash", "landed~"]);
        here.git(&[
            "commit",
            "-q",
            "-m",
            &format!("Work (#7)\n\n{}", garden.run(&["land", "--message"]).stdout),
        ]);
        here.git(&["revert", "--no-commit", "HEAD"]);
        here.git(&["commit", "-q", "-m", "Revert \"Work (#7)\" (#8)\n\nReverts o/n#7"]);
    });
    assert_eq!(Cloned::of(&garden, "forge").states(), ["pending"; 3]);
}

#[test]
fn a_clone_without_the_settings_of_a_run_finds_no_errors_in_it() {
    let garden = delivered();
    garden.run(&["mark", "reopen", "T1", "T2", "T3", "-m", "again"]).assert(0, &[]);
    garden.config("arborist.review", "false");
    garden.agent(
        "case $ARBORIST_STEP in implement) echo \"# $ARBORIST_TASK\" >> $ARBORIST_TASK.txt; exit 0;; esac",
    );
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
    garden.git(&["push", "-q", "origin", "+work:main"]);
    let clone = Cloned::of(&garden, "clone");
    clone.run(&["check", "--run", "--strict"]).assert(0, &["3 complete"]);
    garden.git(&["push", "-q", "origin", "+work~1:main"]);
}

#[test]
fn prove_says_no_if_anything_cannot_be_proven() {
    let garden = delivered();
    garden.run(&["mark", "reopen", "T2"]).assert(0, &[]);
    garden.run(&["mark", "complete", "T2", "-m", "I looked at it"]).assert(0, &[]);
    garden.run(&["prove", "T2"]).assert(1, &[]);
    garden.run(&["prove"]).assert(1, &[]);
}

#[test]
fn a_task_that_was_done_again_after_a_squash_is_one_change_with_what_the_squash_has() {
    let garden = delivered();
    garden.run(&["land"]).assert(0, &[]);
    let body = garden.run(&["land", "--message"]).stdout;
    garden.git(&["push", "-q", "origin", "work-landed"]);
    merged(&garden, "squash", |here| {
        here.git(&["merge", "-q", "--squash", "landed"]);
        here.git(&["commit", "-q", "-m", &body]);
    });
    garden.git(&["fetch", "-q", "origin"]);
    // Its own test from the first time expects something else.
    garden.agent(
        r#"sed -i 's/sub() .*/sub() { echo "difference $(($1 - $2))"; }/' lib.sh
printf '. ./lib.sh\n[ "$(sub 5 3)" = "difference 2" ]\n' > tests/sub_test.sh"#,
    );
    garden.run(&["mark", "reopen", "T1", "-m", "Say what it is"]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["prove", "T1"]).assert(0, &[]);
    garden.run(&["land", "--branch", "second", "--base", "origin/main"]).assert(0, &["1 task in 1 commit"]);
    garden.git(&["push", "-q", "origin", "+second:work-landed"]);
    merged(&garden, "second", |here| drop(here.git(&["merge", "-q", "--no-edit", "landed"])));
    let clone = Cloned::of(&garden, "again");
    assert_eq!(clone.states(), DONE);
    let prove = clone.run(&["prove", "--yes", "T1"]);
    prove.assert(0, &[]);
    assert!(prove.stdout.contains("tested with other tasks"), "{prove:?}");
}
