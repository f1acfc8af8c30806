//! Tests long lines of commits: the answer is the same as when git reads them one by one.

use crate::support::repo::{Commit, Repo, command, tasks};
use git_arborist::error::{Kind, Result};
use git_arborist::history::{AnchorRule, Query, RepoPath, Repository, Run, read_run};
use git_arborist::record::CommitId;

const PLAN: &str = r#"{"nodes": {"T1": {"id": "T1", "name": "one"}, "T2": {"id": "T2", "name": "two"}}}"#;
/// More than what is read at once in any way.
const LENGTH: usize = 700;

/// Ten older commits, a plan, and steps of its tasks. `parents` gives the parents of each commit, the first before the
/// others.
fn history(parents: impl Fn(usize) -> Vec<usize>) -> (Repo, Vec<CommitId>) {
    let message = |place: usize| match place {
        0..10 => "older".to_owned(),
        10 => "plan".to_owned(),
        _ => format!(
            "task(T{}): x\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: {place}\n",
            1 + place % 2
        ),
    };
    let commit = |place: usize| Commit {
        parents: parents(place),
        time: 1_700_000_000 + i64::try_from(place).unwrap(),
        message: message(place),
        files: if place == 10 {
            vec![("task-tree.json".to_owned(), Some(PLAN.to_owned()))]
        } else {
            Vec::new()
        },
    };
    Repo::with(&(0..LENGTH).map(commit).collect::<Vec<_>>())
}

fn line(place: usize) -> Vec<usize> {
    place.checked_sub(1).into_iter().collect()
}

fn read(repository: &Repository, head: CommitId) -> Result<Run> {
    let (path, leaves) = (RepoPath::new(b"task-tree.json").unwrap(), tasks(&[("T1", "p"), ("T2", "p")]));
    read_run(repository, head, &Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &leaves })
}

/// Unpacks everything into loose objects.
fn unpack(repo: &Repo) {
    let packs = repo.path().join(".git/objects/pack");
    let script =
        r#"mv "$0" packs; for pack in packs/*.pack; do git unpack-objects -q <"$pack" || exit 1; done"#;
    let mut shell = command(repo.path(), "sh");
    assert!(shell.args(["-c", script]).arg(packs).status().unwrap().success());
}

/// Reads with one open repository from the end, and then from somewhere else. Each answer is that of git.
fn assert_same(repo: &Repo, heads: &[CommitId]) {
    let repository = repo.open();
    for head in heads {
        let run = read(&repository, *head).unwrap();
        assert_eq!(run, read(&repo.open_with_program(), *head).unwrap());
    }
}

#[test]
fn a_long_line_of_commits_is_read_as_git_reads_it_loose_or_packed() {
    let (repo, ids) = history(line);
    let heads = [ids[LENGTH - 1], ids[400], ids[LENGTH - 2], ids[11]];
    repo.git(&["repack", "-a", "-d", "-q"]);
    assert_same(&repo, &heads);
    unpack(&repo);
    assert_same(&repo, &heads);
    assert_eq!(read(&repo.open(), ids[LENGTH - 1]).unwrap().range.anchor(), Some(ids[10]));
}

#[test]
fn a_merge_after_a_long_line_is_read_as_git_reads_it() {
    // Commit 300 merges an older one, and commit 200 continues from a commit long before.
    let (repo, ids) = history(|place| match place {
        200 => vec![50],
        300 => vec![299, 150],
        place => line(place),
    });
    assert_same(&repo, &[ids[LENGTH - 1], ids[290]]);
}

#[test]
fn a_commit_that_is_missing_far_behind_is_an_error_that_names_it() {
    let (repo, ids) = history(line);
    unpack(&repo);
    let id = ids[100].to_string();
    let object = repo.path().join(".git/objects").join(&id[..2]).join(&id[2..]);
    std::fs::remove_file(object).unwrap();
    let error = read(&repo.open(), ids[LENGTH - 1]).unwrap_err();
    assert_eq!(error.kind(), Kind::Repository);
    assert!(error.to_string().contains(&id), "{error}");
}
