//! Which files two commits differ in, against `git diff-tree`.

use std::process::{Command, Stdio};

use crate::support::repo::{Commit, Repo, git_can_init};
use git_arborist::history::{Repository, TreeComparison, changed_paths};
use git_arborist::record::CommitId;
use proptest::prelude::*;

/// Paths of which some are files in one commit and folders in another, and some sort differently as one and the other.
const PATHS: [&str; 10] = ["a", "a/b", "a/b/c", "a.b", "a-b", "b", "b/x y", "b/ü", "c/d/e/f/g", "z"];

/// A commit that sets each of these paths to a content; 0 removes it.
fn commit(place: usize, parents: Vec<usize>, changes: &[(usize, u8)]) -> Commit {
    let content = |content: u8| (content > 0).then(|| content.to_string());
    // git takes a file and what lies below it for one path: the later one wins.
    let files = changes.iter().map(|(path, new)| (PATHS[*path].to_owned(), content(*new))).collect();
    Commit { parents, time: 1_700_000_000 + i64::try_from(place).unwrap(), message: String::new(), files }
}

fn by_git(repo: &Repo, commit: CommitId, base: Option<CommitId>) -> Vec<Vec<u8>> {
    let mut diff = Command::new("git");
    diff.args(["diff-tree", "-r", "--root", "-z", "--name-only", "--no-commit-id", "--no-renames"]);
    diff.args(base.map(|base| base.to_string())).arg(commit.to_string());
    let output = diff.current_dir(repo.path()).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success());
    let paths = output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let mut paths: Vec<Vec<u8>> = paths.map(<[u8]>::to_vec).collect();
    paths.sort();
    paths
}

#[track_caller]
fn assert_same(repo: &Repo, repository: &Repository, commit: CommitId, base: Option<CommitId>) {
    let found = changed_paths(repository, &[TreeComparison { commit, base }]).unwrap();
    assert_eq!(found, by_git(repo, commit, base), "{commit} against {base:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn any_two_trees_differ_where_git_says_so(
        changes in prop::collection::vec(prop::collection::vec((0..PATHS.len(), 0..3u8), 0..6), 2..6),
    ) {
        let chain: Vec<Commit> = changes
            .iter()
            .enumerate()
            .map(|(place, changes)| commit(place, place.checked_sub(1).into_iter().collect(), changes))
            .collect();
        let (repo, ids) = Repo::with(&chain);
        for repository in [repo.open(), repo.open_with_program()] {
            for id in &ids {
                assert_same(&repo, &repository, *id, None);
            }
            assert_same(&repo, &repository, ids[0], ids.last().copied());
            assert_same(&repo, &repository, *ids.last().unwrap(), Some(ids[0]));
        }
    }
}

#[test]
fn links_submodules_and_modes_are_changes_too() {
    let (repo, ids) = Repo::with(&[commit(0, vec![], &[(0, 1), (5, 1), (9, 1)])]);
    repo.git(&["reset", "-q", "--hard"]);
    repo.git(&["update-index", "--chmod=+x", "a"]);
    std::fs::remove_file(repo.path().join("b")).unwrap();
    std::os::unix::fs::symlink("a", repo.path().join("b")).unwrap();
    repo.git(&["add", "b"]);
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},module", ids[0])]);
    repo.git(&["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "second"]);
    let repository = repo.open();
    let found = changed_paths(&repository, &[TreeComparison { commit: repo.head(), base: None }]).unwrap();
    assert_eq!(found, [&b"a"[..], b"b", b"module"]);
    assert_same(&repo, &repository, repo.head(), Some(ids[0]));
}

#[test]
fn a_merge_alone_changes_nothing_and_several_commits_are_summed_up() {
    let chain = [
        commit(0, vec![], &[(0, 1)]),
        commit(1, vec![0], &[(5, 1)]),
        commit(2, vec![0], &[(9, 1)]),
        commit(3, vec![1, 2], &[(9, 1)]),
    ];
    let (repo, ids) = Repo::with(&chain);
    let alone = |commit: &CommitId| TreeComparison { commit: *commit, base: None };
    let repository = repo.open();
    assert!(changed_paths(&repository, &[alone(&ids[3])]).unwrap().is_empty());
    let all: Vec<TreeComparison> = ids.iter().map(alone).collect();
    assert_eq!(changed_paths(&repository, &all).unwrap(), [&b"a"[..], b"b", b"z"]);
    assert_same(&repo, &repository, ids[3], Some(ids[1]));
}

#[test]
fn at_the_boundary_of_a_shallow_clone_every_file_is_new() {
    let (repo, _) = Repo::with(&[commit(0, vec![], &[(0, 1)]), commit(1, vec![0], &[(5, 1)])]);
    let clone = Repo::clone_of(&format!("file://{}", repo.path().display()), &["--depth=1"]);
    for repository in [clone.open(), clone.open_with_program()] {
        assert_same(&clone, &repository, clone.head(), None);
    }
}

#[test]
fn in_a_repository_with_long_ids_git_itself_is_asked() {
    if !git_can_init(&["--object-format=sha256"]) {
        return;
    }
    let repo = Repo::init(&["--object-format=sha256"]);
    let ids = repo.import(&[commit(0, vec![], &[(0, 1)]), commit(1, vec![0], &[(1, 1)])]);
    assert_same(&repo, &repo.open(), ids[1], None);
}
