//! Tests which commits count as landed though only a title is left of their messages: those that make the changes of a run whose
//! end is here.

use super::landed::{DONE, IMPLEMENT, OPEN, TREE, block, commit, done, id, read, states, step, with_query};
use crate::support::repo::Repo;
use git_arborist::history::read_run;
use git_arborist::record::State;

fn plan(name: &str) -> String {
    let leaf = |id: &str, name: &str, parent: &str| {
        format!(r#""{id}":{{"id":"{id}","name":"{name}","parent":"{parent}"}}"#)
    };
    let root =
        |id: &str, children: &str| format!(r#""{id}":{{"id":"{id}","name":"{id}","children":[{children}]}}"#);
    let nodes = [
        root("p", r#""T1","T2""#),
        root("q", r#""T3""#),
        leaf("T1", name, "p"),
        leaf("T2", "Do T2", "p"),
        leaf("T3", "Do T3", "q"),
    ];
    format!(r#"{{"spec_id":"s","nodes":{{{}}}}}"#, nodes.join(","))
}

/// A repository with a plan, and a file that everybody changes.
fn begun() -> Repo {
    let repo = Repo::init(&[]);
    commit(&repo, "Begin", &[("README", "x\n"), ("shared", &shared(""))]);
    commit(&repo, "Add the plan", &[(TREE, &plan("Do T1"))]);
    repo
}

/// The shared file, with a line before the first of its parts and one in the last.
fn shared(last: &str) -> String {
    let lines: Vec<String> = (0..40).map(|line| format!("line {line}")).collect();
    format!("{}\n{last}", lines.join("\n"))
}

/// A run on the branch `run` has completed T1 and T2. `main` is checked out, as it was.
fn finished() -> Repo {
    let repo = begun();
    repo.git(&["switch", "-q", "-c", "run"]);
    done(&repo, "T1");
    done(&repo, "T2");
    repo.git(&["switch", "-q", "main"]);
    repo
}

/// Squashes a branch as a forge does, with a title alone.
fn squash(repo: &Repo, branch: &str, title: &str) -> String {
    repo.git(&["merge", "-q", "--squash", branch]);
    commit(repo, title, &[])
}

/// Squashes the run without its generated files.
fn squash_landed(repo: &Repo, title: &str) -> String {
    repo.git(&["merge", "-q", "--squash", "run"]);
    repo.git(&["rm", "-q", "-r", "-f", "spec"]);
    commit(repo, title, &[])
}

fn keep_record(repo: &Repo, tip: &str) {
    repo.git(&["update-ref", &format!("refs/arborist/runs/{tip}"), tip]);
}

fn possible(repo: &Repo) -> Vec<Vec<String>> {
    let run = read(repo);
    let tasks = |squash: &git_arborist::history::PossibleSquash| {
        squash.tasks.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    run.squashes.possible().iter().map(tasks).collect()
}

#[test]
fn a_squash_counts_where_the_end_of_its_run_is_known() {
    for with_generated in [true, false] {
        let repo = finished();
        let tip = id(&repo, "run");
        let landed = match with_generated {
            true => squash(&repo, "run", "Work (#12)"),
            false => squash_landed(&repo, "Work (#12)"),
        };
        commit(&repo, "Go on (#13)", &[("README", "y\n")]);
        assert_eq!(states(&repo), DONE, "by the branch of the run");
        let run = read(&repo);
        assert_eq!(run.tasks["T1"].id.to_string(), landed);
        assert_eq!((run.phases["p"].id.to_string(), run.doubts), (landed, Vec::new()));
        repo.git(&["branch", "-D", "run"]);
        assert_eq!(states(&repo), OPEN, "nothing is known");
        for name in ["refs/heads/a/b", "refs/remotes/origin/x", &format!("refs/arborist/runs/{tip}")] {
            repo.git(&["update-ref", name, &tip]);
            assert_eq!(states(&repo), DONE, "by {name}");
            repo.git(&["update-ref", "-d", name]);
        }
        for name in ["refs/tags/x", "refs/arborist/rescue/x", "refs/arborist/runs/0123456789"] {
            repo.git(&["update-ref", name, &tip]);
            assert_eq!(states(&repo), OPEN, "by {name}");
        }
    }
}

#[test]
fn only_a_title_with_the_number_of_a_request_counts() {
    for (message, expected) in [
        ("Work (#12)", DONE),
        ("Work (#12)\n\nSome text.\n", DONE),
        ("task(T2): complete \"Do T2\" (#12)", DONE),
        ("Work", OPEN),
        ("Work (#12) again", OPEN),
        ("Work (12)", OPEN),
        ("Work\n\n(#12)\n", OPEN),
    ] {
        let repo = finished();
        squash(&repo, "run", message);
        assert_eq!(states(&repo), expected, "{message}");
    }
}

#[test]
fn other_changes_on_the_branch_do_not_matter() {
    for (name, elsewhere) in [("README", "y\n".to_owned()), ("src/other", "z\n".to_owned())] {
        let repo = finished();
        commit(&repo, "Else (#1)", &[(name, &elsewhere)]);
        squash(&repo, "run", "Work (#12)");
        commit(&repo, "Later (#14)", &[("src/T1", "other code\n")]);
        assert_eq!(states(&repo), DONE, "{name}");
    }
}

#[test]
fn a_file_that_was_changed_elsewhere_as_well_is_compared_line_by_line() {
    let repo = begun();
    repo.git(&["switch", "-q", "-c", "run"]);
    commit(&repo, &step("T1", "implement", IMPLEMENT), &[("shared", &shared("the end\n"))]);
    done(&repo, "T1");
    repo.git(&["switch", "-q", "main"]);
    commit(&repo, "Else", &[("shared", &format!("first\n{}", shared("")))]);
    let start = id(&repo, "main");
    squash(&repo, "run", "Work (#12)");
    assert_eq!(states(&repo), ["complete", "pending", "pending"]);
    // Somebody has resolved it in another way.
    repo.git(&["reset", "-q", "--hard", &start]);
    repo.git(&["merge", "-q", "--squash", "run"]);
    commit(&repo, "Work (#12)", &[("shared", &format!("first\n{}", shared("another end\n")))]);
    assert_eq!((states(&repo), possible(&repo)), (OPEN.to_vec(), vec![vec!["T1".to_owned()]]));
}

/// Makes commits.
type Make = fn(&Repo);

#[test]
fn a_squash_with_other_files_counts_for_nothing() {
    let squashes: [(&str, Make); 6] = [
        ("a part of the run", |repo| {
            squash(repo, "run~2", "Work (#12)");
        }),
        ("more than the run", |repo| {
            repo.git(&["merge", "-q", "--squash", "run"]);
            commit(repo, "Work (#12)", &[("more", "x\n")]);
        }),
        ("other content", |repo| {
            repo.git(&["merge", "-q", "--squash", "run"]);
            commit(repo, "Work (#12)", &[("src/T1", "other\n")]);
        }),
        ("another mode", |repo| {
            repo.git(&["merge", "-q", "--squash", "run"]);
            repo.git(&["update-index", "--chmod=+x", "src/T1"]);
            repo.git(&["commit", "-q", "-m", "Work (#12)"]);
        }),
        ("nothing", |repo| {
            commit(repo, "Work (#12)", &[]);
        }),
        ("another name", |repo| {
            repo.git(&["merge", "-q", "--squash", "run"]);
            repo.git(&["mv", "src/T1", "src/T9"]);
            commit(repo, "Work (#12)", &[]);
        }),
    ];
    for (what, make) in squashes {
        let repo = finished();
        make(&repo);
        assert_eq!((states(&repo), possible(&repo).len()), (OPEN.to_vec(), 0), "{what}");
    }
}

#[test]
fn a_run_that_changed_no_file_cannot_be_recognized() {
    let repo = begun();
    repo.git(&["switch", "-q", "-c", "run"]);
    commit(&repo, &step("T1", "complete", "Arborist-Step: complete\nArborist-Result: pass"), &[]);
    repo.git(&["switch", "-q", "main"]);
    let before = id(&repo, "main");
    commit(&repo, "Else (#11)", &[("README", "y\n")]);
    commit(&repo, "Take it back (#12)", &[("README", "x\n")]);
    commit(&repo, "Nothing (#13)", &[]);
    assert_eq!(id(&repo, "main^{tree}"), id(&repo, &format!("{before}^{{tree}}")));
    assert_eq!(states(&repo), OPEN);
}

#[test]
fn modes_links_submodules_and_renames_are_changes_like_others() {
    let repo = begun();
    let other = id(&repo, "main");
    repo.git(&["switch", "-q", "-c", "run"]);
    repo.git(&["update-index", "--add", "--chmod=+x", "README"]);
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{other},module")]);
    repo.git(&["mv", "shared", "moved"]);
    repo.git(&["commit", "-q", "-m", &step("T1", "implement", IMPLEMENT)]);
    repo.git(&["reset", "-q", "--hard"]);
    commit(&repo, &step("T1", "complete", "Arborist-Step: complete\nArborist-Result: pass"), &[]);
    repo.git(&["switch", "-q", "-f", "main"]);
    let tree = id(&repo, "run^{tree}");
    let landed = repo.git(&["commit-tree", &tree, "-p", "main", "-m", "Work (#12)"]);
    repo.git(&["update-ref", "refs/heads/main", &landed]);
    assert_eq!(states(&repo), ["complete", "pending", "pending"]);
}

#[test]
fn a_revert_of_a_squash_takes_it_back_whichever_words_are_left_of_it() {
    let repo = finished();
    let landed = squash(&repo, "run", "Work (#12)");
    repo.git(&["revert", "--no-edit", &landed]);
    assert_eq!(states(&repo), OPEN, "by git");
    repo.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(states(&repo), DONE, "and back by git");
    for title in ["Revert \"Work (#12)\" (#13)", "Take the work back (#13)"] {
        repo.git(&["reset", "-q", "--hard", &landed]);
        repo.git(&["revert", "--no-commit", "HEAD"]);
        commit(&repo, title, &[]);
        assert_eq!((states(&repo), possible(&repo).len()), (OPEN.to_vec(), 0), "{title}");
        repo.git(&["revert", "--no-commit", "HEAD"]);
        commit(&repo, "Reapply \"Work (#12)\" (#14)", &[]);
        assert_eq!(states(&repo), DONE, "back after {title}");
    }
    // What somebody has changed besides does not matter.
    repo.git(&["reset", "-q", "--hard", &landed]);
    repo.git(&["revert", "--no-commit", "HEAD"]);
    commit(&repo, "Revert \"Work (#12)\" (#13)", &[("src/T1", "kept\n")]);
    assert_eq!(states(&repo), OPEN);
}

#[test]
fn what_was_reverted_or_unfinished_in_the_run_is_not_complete() {
    let repo = finished();
    repo.git(&["switch", "-q", "run"]);
    repo.git(&["revert", "--no-edit", "HEAD", "HEAD~1"]);
    commit(&repo, &step("T3", "implement", IMPLEMENT), &[("src/T3", "half\n")]);
    repo.git(&["switch", "-q", "main"]);
    squash(&repo, "run", "Work (#12)");
    assert_eq!(states(&repo), ["complete", "pending", "pending"]);
}

#[test]
fn of_two_runs_with_the_same_changes_only_what_both_completed_counts() {
    let repo = finished();
    repo.git(&["branch", "longer", "run"]);
    repo.git(&["switch", "-q", "longer"]);
    commit(&repo, &step("T3", "complete", "Arborist-Step: complete\nArborist-Result: pass"), &[]);
    repo.git(&["switch", "-q", "main"]);
    squash(&repo, "run", "Work (#12)");
    assert_eq!((states(&repo), possible(&repo)), (DONE.to_vec(), vec![vec!["T3".to_owned()]]));
    repo.git(&["branch", "-D", "run"]);
    assert_eq!(states(&repo), ["complete"; 3], "only one is known");
}

#[test]
fn a_branch_with_the_same_changes_and_no_steps_says_nothing() {
    let repo = finished();
    repo.git(&["switch", "-q", "-c", "feature"]);
    squash(&repo, "run", "Work");
    repo.git(&["branch", "-D", "run"]);
    repo.git(&["switch", "-q", "main"]);
    squash(&repo, "feature", "Work (#12)");
    assert_eq!(states(&repo), OPEN);
}

#[test]
fn a_squash_of_a_squash_counts() {
    let repo = finished();
    repo.git(&["switch", "-q", "-c", "integration"]);
    squash(&repo, "run", "Work (#12)");
    commit(&repo, "More (#13)", &[("README", "y\n")]);
    repo.git(&["switch", "-q", "main"]);
    commit(&repo, "Else (#14)", &[("else", "z\n")]);
    squash(&repo, "integration", "Integrate (#15)");
    assert_eq!(states(&repo), DONE);
    repo.git(&["branch", "-D", "run"]);
    assert_eq!(states(&repo), OPEN);
}

#[test]
fn a_squash_may_contain_the_plan_and_follow_a_merge_into_the_run() {
    let repo = Repo::init(&[]);
    commit(&repo, "Begin", &[("README", "x\n")]);
    repo.git(&["switch", "-q", "-c", "run"]);
    commit(&repo, "Add the plan", &[(TREE, &plan("Do T1"))]);
    done(&repo, "T1");
    repo.git(&["switch", "-q", "main"]);
    commit(&repo, "Else (#11)", &[("README", "y\n")]);
    repo.git(&["switch", "-q", "run"]);
    repo.git(&["merge", "-q", "--no-edit", "main"]);
    done(&repo, "T2");
    repo.git(&["switch", "-q", "main"]);
    squash(&repo, "run", "Work (#12)");
    assert_eq!(states(&repo), DONE);
    // On a side branch that is merged later.
    repo.git(&["reset", "-q", "--hard", "HEAD~"]);
    repo.git(&["switch", "-q", "-c", "side"]);
    squash(&repo, "run", "Work (#12)");
    repo.git(&["switch", "-q", "main"]);
    commit(&repo, "Else", &[("else", "z\n")]);
    repo.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    repo.git(&["branch", "-D", "side"]);
    assert_eq!(states(&repo), DONE);
}

#[test]
fn a_task_with_another_name_and_another_plan_are_not_meant() {
    for other in [plan("Another"), plan("Do T1").replace("\"s\"", "\"other\""), "no plan".to_owned()] {
        let repo = finished();
        repo.git(&["switch", "-q", "run"]);
        commit(&repo, "Rename", &[(TREE, &other)]);
        repo.git(&["switch", "-q", "main"]);
        commit(&repo, "Rename", &[(TREE, &plan("Do T1 well"))]);
        let start = id(&repo, "main");
        repo.git(&["restore", "-s", "run", "--", "src"]);
        commit(&repo, "Work (#12)", &[]);
        assert_ne!(states(&repo)[0], "complete", "{start}");
    }
}

#[test]
fn tasks_with_steps_of_their_own_are_left_alone() {
    let repo = finished();
    commit(&repo, &step("T1", "implement", IMPLEMENT), &[("README", "half\n")]);
    squash(&repo, "run", "Work (#12)");
    assert_eq!(states(&repo), ["implementing", "complete", "pending"]);
    let reopened = "Arborist-Step: reopen\nArborist-By: user\nArborist-Reason: wrong";
    commit(&repo, &step("T2", "reopened", reopened), &[]);
    assert_eq!(states(&repo), ["implementing", "pending", "pending"]);
}

#[test]
fn work_that_was_there_before_the_run_parted_is_not_landed_by_it() {
    let repo = begun();
    done(&repo, "T1");
    repo.git(&["switch", "-q", "-c", "run"]);
    done(&repo, "T2");
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["revert", "--no-edit", "HEAD", "HEAD~1"]);
    squash(&repo, "run", "Work (#12)");
    assert_eq!(states(&repo), ["pending", "complete", "pending"]);
}

#[test]
fn trailers_say_more_than_files() {
    let repo = finished();
    let message = format!("Work (#12)\n\n{}", block("T1", &id(&repo, "main"), &id(&repo, "run")));
    squash(&repo, "run", &message);
    assert_eq!(states(&repo), ["complete", "pending", "pending"]);
}

#[test]
fn a_shallow_clone_without_the_place_where_both_parted_knows_nothing() {
    let repo = finished();
    let tip = id(&repo, "run");
    keep_record(&repo, &tip);
    squash(&repo, "run", "Work (#12)");
    let from = format!("file://{}", repo.path().display());
    let full = Repo::clone_of(&from, &["--single-branch", "--branch", "main"]);
    assert_eq!(states(&full), OPEN);
    full.git(&["fetch", "-q", "origin", "refs/arborist/runs/*:refs/arborist/runs/*"]);
    assert_eq!(states(&full), DONE);
    let shallow = Repo::clone_of(&from, &["--depth", "2", "--single-branch", "--branch", "main"]);
    shallow.git(&["fetch", "-q", "--depth", "1", "origin", "refs/arborist/runs/*:refs/arborist/runs/*"]);
    let read = with_query(|query| read_run(&shallow.open(), shallow.head(), query));
    // The plan may be cut off too; but no other history is an error of this one.
    assert!(read.is_err() || read.is_ok_and(|run| run.tasks.is_empty()));
}

#[test]
fn a_damaged_reference_beside_the_run_does_not_matter() {
    let repo = finished();
    squash(&repo, "run", "Work (#12)");
    let blob = id(&repo, "main:README");
    repo.git(&["update-ref", &format!("refs/arborist/runs/{blob}"), &blob]);
    let gone = "0123456789012345678901234567890123456789";
    std::fs::write(repo.path().join(format!(".git/refs/arborist/runs/{gone}")), format!("{gone}\n")).unwrap();
    std::fs::create_dir_all(repo.path().join(".git/refs/remotes/origin")).unwrap();
    std::fs::write(repo.path().join(".git/refs/remotes/origin/HEAD"), "ref: refs/remotes/origin/gone\n")
        .unwrap();
    let run = with_query(|query| read_run(&repo.open(), repo.head(), query)).unwrap();
    assert!(["T1", "T2"].iter().all(|task| run.tasks[*task].record.state() == State::Complete));
}
