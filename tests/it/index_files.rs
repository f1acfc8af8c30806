//! Tests that the index that is read without git is the same as git's.

use std::fs;
use std::path::Path;

use crate::support::dice::Dice;
use crate::support::repo::{Repo, git_can_init};
use crate::support::skip::has_proc;
use git_arborist::git::{Git, LocalFiles, Selection};

/// The paths of an index: those in which git overlooks changes, and the folders of submodules.
type Paths = (Vec<Vec<u8>>, Vec<Vec<u8>>);

fn paths(git: &Git) -> Option<Paths> {
    Some((git.overlooked_paths().ok()?, git.submodule_paths().ok()?))
}

fn by_git(repo: &Repo) -> Paths {
    paths(&Git::find(repo.path()).unwrap().discovering_from_folder_alone()).unwrap()
}

/// What is read without git: it is called in a folder that does not exist, so that it cannot answer.
fn here(repo: &Repo) -> Option<Paths> {
    let index = Some(repo.path().join(".git/index"));
    let nowhere = Git::find(repo.path()).unwrap().in_dir(Path::new("/nonexistent"));
    paths(&nowhere.reading(LocalFiles { index, ..LocalFiles::default() }))
}

fn write(repo: &Repo, path: &str, text: &str) {
    let file = repo.path().join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// Puts entries into the index that need not exist: lines of `MODE ID STAGE<tab>PATH`.
fn put(repo: &Repo, lines: &[String]) {
    for line in lines {
        let (head, path) = line.split_once('\t').unwrap();
        let [mode, id] = [head.split(' ').next().unwrap(), head.split(' ').nth(1).unwrap()];
        repo.git(&["update-index", "--add", "--cacheinfo", &format!("{mode},{id},{path}")]);
    }
}

fn id(of: char) -> String {
    of.to_string().repeat(40)
}

#[test]
fn random_indexes_are_read_as_by_git() {
    let mut dice = Dice(0x0fee_d00d);
    let repo = Repo::init(&[]);
    let long = format!("{}/end", ["x".repeat(200).as_str(); 25].join("/"));
    put(&repo, &[format!("100644 {}\t{long}", id('1'))]);
    for round in 0..60 {
        let name = format!("{}{}", ["a", "a/b/", "lib/ü ", "z"][dice.below(4)], dice.below(30));
        match dice.below(7) {
            0 | 1 => {
                write(&repo, &name, "text");
                repo.git(&["add", "--force", "--", &name]);
                let flag = ["--assume-unchanged", "--no-assume-unchanged"][dice.below(2)];
                repo.git(&["update-index", flag, "--", &name]);
            }
            2 => put(&repo, &[format!("160000 {}\tsub{}", id('2'), dice.below(9))]),
            3 => put(&repo, &[format!("120000 {}\t{name}-link", id('3'))]),
            4 => {
                write(&repo, "new", "text");
                repo.git(&["add", "--intent-to-add", "--", "new"]);
            }
            5 => {
                repo.git(&["update-index", "--index-version", ["2", "4"][dice.below(2)]]);
            }
            _ => {
                repo.git(&["write-tree", "--missing-ok"]);
            }
        }
        assert_eq!(here(&repo), Some(by_git(&repo)), "round {round}");
    }
    let (overlooked, submodules) = by_git(&repo);
    assert!(!overlooked.is_empty() && !submodules.is_empty());
}

#[test]
fn conflicts_in_an_index_are_read_as_by_git() {
    let repo = Repo::init(&[]);
    write(&repo, "a", "text");
    repo.git(&["add", "a"]);
    repo.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "a"]);
    for (branch, text) in [("one", "1"), ("two", "2")] {
        repo.git(&["switch", "-q", "-c", branch, "main"]);
        write(&repo, "a", text);
        repo.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-a", "-m", branch]);
    }
    let merge = crate::support::repo::git(repo.path(), &["merge", "-q", "one"]).output().unwrap();
    assert!(!merge.status.success());
    assert_eq!(here(&repo), Some(by_git(&repo)));
}

#[test]
fn indexes_that_only_git_can_interpret_are_left_to_git() {
    let with_file = |args: &[&str]| {
        let repo = Repo::init(args);
        write(&repo, "a", "text");
        repo.git(&["add", "a"]);
        repo
    };
    let repo = with_file(&[]);
    assert!(here(&repo).is_some());
    // git clears this flag where a file is there in spite of it, if the checkout is sparse.
    repo.git(&["update-index", "--skip-worktree", "a"]);
    assert_eq!(here(&repo), None, "outside of a sparse checkout");
    let repo = with_file(&[]);
    repo.git(&["update-index", "--split-index"]);
    assert_eq!(here(&repo), None, "split");
    let repo = with_file(&[]);
    repo.git(&["config", "index.skipHash", "true"]);
    repo.git(&["update-index", "--force-write-index"]);
    assert_eq!(here(&repo), Some(by_git(&repo)), "without a checksum");
    let repo = with_file(&[]);
    let index = repo.path().join(".git/index");
    let mut damaged = fs::read(&index).unwrap();
    damaged[70] ^= 4;
    fs::write(&index, damaged).unwrap();
    assert_eq!(here(&repo), None, "with a wrong checksum");
    if git_can_init(&["--object-format=sha256"]) {
        assert_eq!(here(&with_file(&["--object-format=sha256"])), None, "longer ids");
    }
    assert_eq!(here(&Repo::init(&[])), None, "no index");
}

#[test]
fn many_files_of_which_one_cannot_be_added_leave_no_unfinished_pack() {
    if !has_proc() {
        return;
    }
    let repo = Repo::init(&[]);
    let mut there: Vec<Vec<u8>> = (0..150).map(|number| format!("file-{number}").into_bytes()).collect();
    for number in 0..150 {
        write(&repo, &format!("file-{number}"), &format!("the content of {number}\n"));
    }
    let git = Git::find(repo.path()).unwrap().discovering_from_folder_alone();
    let packs = || {
        let entries = fs::read_dir(repo.path().join(".git/objects/pack")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    there.push(b"missing".to_vec());
    assert!(git.stage(&Selection { there: there.clone(), gone: Vec::new() }).is_err());
    assert_eq!(packs(), [""; 0]);
    there.pop();
    git.stage(&Selection { there, gone: Vec::new() }).unwrap();
    assert_eq!(packs().iter().filter(|name| name.ends_with(".pack")).count(), 1, "{:?}", packs());
}
