//! Tests that what is read of commits and trees without git is the same as git's answer.

use std::path::Path;

use crate::support::repo::{Commit, Repo};
use git_arborist::git::{Git, LocalFiles};
use git_arborist::record::CommitId;

fn by_git(repo: &Repo) -> Git {
    Git::find(repo.path()).unwrap().discovering_from_folder_alone()
}

/// A git that is called in a folder that does not exist, so that it cannot answer.
fn here(repo: &Repo) -> Git {
    let common_dir = Some(repo.path().join(".git"));
    let nowhere = Git::find(repo.path()).unwrap().in_dir(Path::new("/nonexistent"));
    nowhere.reading(LocalFiles { common_dir, ..LocalFiles::default() })
}

fn commit(parents: &[usize], message: &str, files: &[(&str, Option<&str>)]) -> Commit {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.map(str::to_owned)));
    Commit {
        parents: parents.to_vec(),
        time: 1_700_000_000 + i64::try_from(parents.iter().max().map_or(0, |last| last + 1)).unwrap(),
        message: message.to_owned(),
        files: files.collect(),
    }
}

/// A history with a merge, and files of all kinds in its last commit.
fn repository() -> (Repo, Vec<CommitId>) {
    let (repo, mut ids) = Repo::with(&[
        commit(&[], "Begin\n", &[("a", Some("1")), ("a.b/c", Some("2")), ("x/y/z", Some("3"))]),
        commit(&[0], "One [mark]: side\n", &[("x/ü ", Some("4"))]),
        commit(&[0], "Other\n\n[mark]: in the body\n", &[("a0", Some("5"))]),
        commit(&[1, 2], "Merge [mark] without a colon\n", &[("x/y/z", Some("6"))]),
    ]);
    repo.git(&["reset", "-q", "--hard"]);
    let of_submodule = format!("160000,{},sub", ids[0]);
    repo.git(&["update-index", "--add", "--cacheinfo", &of_submodule]);
    let blob = repo.git(&["rev-parse", "HEAD:a"]);
    for (mode, path) in [("100755", "x/run"), ("120000", "link")] {
        repo.git(&["update-index", "--add", "--cacheinfo", &format!("{mode},{blob},{path}")]);
    }
    let person = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    repo.git(&[&person[..], &["commit", "-q", "-m", "Kinds of files\n\n[mark]: last"]].concat());
    ids.push(CommitId::from_hex(repo.git(&["rev-parse", "HEAD"]).as_bytes()).unwrap());
    (repo, ids)
}

#[test]
fn trees_are_read_as_by_git() {
    let (repo, ids) = repository();
    let (git, here) = (by_git(&repo), here(&repo));
    let paths: Vec<Vec<u8>> =
        ["a", "a.b", "a.b/c", "a/c", "x", "x/y/z", "x/ü ", "x/run", "link", "sub", "sub/a", "gone", "x/gone"]
            .map(|path| path.as_bytes().to_vec())
            .into();
    for id in &ids {
        assert_eq!(here.paths_in(id).unwrap(), git.paths_in(id).unwrap());
        let many = [&paths[..], &vec![b"nothing".to_vec(); 100]].concat();
        for paths in [&paths, &many] {
            assert_eq!(here.entries(id, paths).unwrap(), git.entries(id, paths).unwrap());
        }
        for path in paths.iter().map(|path| std::str::from_utf8(path).unwrap()).filter(|path| *path != "sub")
        {
            assert_eq!(here.has_file(id, path).unwrap(), git.has_file(id, path).unwrap(), "{path}");
        }
    }
    // git gives these paths a meaning of its own, or looks for an object that is not there.
    for path in ["", "x/", "./a", "x/../a", "x//y"] {
        assert!(here.entries(&ids[4], &[path.as_bytes().to_vec()]).is_err(), "{path:?}");
        assert!(here.has_file(&ids[4], path).is_err(), "{path:?}");
    }
    let nothing = CommitId::from_hex("1".repeat(40).as_bytes()).unwrap();
    assert!(here.paths_in(&nothing).is_err() && here.entries(&nothing, &paths).is_err());
}

#[test]
fn histories_are_searched_as_by_git_unless_parents_are_cut_off() {
    let (repo, ids) = repository();
    let (git, here) = (by_git(&repo), here(&repo));
    for head in &ids {
        for base in [None].into_iter().chain(ids.iter().copied().map(Some)) {
            let found = here.commits_saying("[mark]: ", base, head).unwrap();
            let mut expected = git.commits_saying("[mark]: ", base, head).unwrap();
            let mut sorted = found.clone();
            sorted.sort();
            expected.sort();
            assert_eq!(sorted, expected, "{base:?}..{head}");
        }
        for ancestor in &ids {
            assert_eq!(here.is_ancestor(ancestor, head).unwrap(), git.is_ancestor(ancestor, head).unwrap());
        }
    }
    std::fs::write(repo.path().join(".git/shallow"), format!("{}\n", ids[3])).unwrap();
    assert!(here.commits_saying("[mark]: ", None, &ids[4]).is_err());
    assert!(here.is_ancestor(&ids[0], &ids[4]).is_err());
    assert!(!git.is_ancestor(&ids[0], &ids[4]).unwrap());
}
