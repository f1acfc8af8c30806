//! Tests repositories of every shape, and broken ones: the answer is either right or an error that says what to do,
//! never "nothing was done".

use crate::support::repo;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::repo::{Commit, Repo, git_can_init, tasks};
use git_arborist::error::{Error, Kind, Result};
use git_arborist::git::DiscoveryStart;
use git_arborist::history::{AnchorRule, Backend, Query, RepoPath, Repository, Run, read_run};
use git_arborist::record::CommitId;

const TREE: &str = "task-tree.json";

/// A plan, and one completed task behind it.
fn history() -> Vec<Commit> {
    let commit = |place: usize, message: &str, file: &str| Commit {
        parents: place.checked_sub(1).into_iter().collect(),
        time: 1_700_000_000 + i64::try_from(place).unwrap(),
        message: message.to_owned(),
        files: vec![(file.to_owned(), Some(format!("{place}\n")))],
    };
    vec![
        commit(0, "begin", "src"),
        commit(1, "plan", TREE),
        commit(
            2,
            "task(T1): x\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n",
            "src",
        ),
        commit(3, "task(T1): x\n\nArborist-Step: complete\nArborist-Result: pass\n", "src"),
    ]
}

fn made(args: &[&str]) -> (Repo, Vec<CommitId>) {
    let repo = Repo::init(args);
    let ids = repo.import(&history());
    repo.git(&["reset", "-q", "--hard"]);
    (repo, ids)
}

fn open(folder: &Path) -> Result<Repository> {
    Repository::open(DiscoveryStart::Folder(folder.to_owned()), Path::new("git"))
}

fn read(repository: &Repository) -> Result<Run> {
    let (path, leaves) = (RepoPath::new(TREE.as_bytes()).unwrap(), tasks(&[("T1", "p"), ("T2", "p")]));
    let head = repository.head()?.expect("a commit");
    read_run(repository, head, &Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &leaves })
}

fn open_and_read(folder: &Path) -> Result<Run> {
    read(&open(folder)?)
}

fn assert_read(folder: &Path, ids: &[CommitId]) {
    let run = open_and_read(folder).unwrap();
    assert_eq!((run.range.anchor(), run.range.head()), (Some(ids[1]), ids[3]));
    assert_eq!(run.tasks["T1"].id, ids[3]);
}

/// The file of a loose object.
fn object(repo: &Repo, id: &str) -> PathBuf {
    let file = repo.path().join(".git/objects").join(&id[..2]).join(&id[2..]);
    if !file.exists() {
        repo.git(&["config", "core.looseCompression", "0"]);
        let packs = repo.path().join(".git/objects/pack");
        for pack in std::fs::read_dir(&packs).unwrap().map(|entry| entry.unwrap().path()) {
            if pack.extension().is_some_and(|extension| extension == "pack") {
                let aside = repo.path().join("aside.pack");
                std::fs::rename(&pack, &aside).unwrap();
                let input = std::fs::File::open(&aside).unwrap();
                let status = repo::git(repo.path(), &["unpack-objects", "-q"]).stdin(input).status();
                assert!(status.unwrap().success());
            }
        }
    }
    file
}

fn overwrite(file: &Path, content: &[u8]) {
    std::fs::remove_file(file).unwrap();
    std::fs::write(file, content).unwrap();
}

fn assert_names_object(error: &Error, id: &str) {
    assert_eq!(error.kind(), Kind::Repository, "{error}");
    assert!(error.what().contains(id), "{error}");
    assert!(error.remedy().contains("git fsck"), "{error}");
}

#[test]
fn an_ordinary_repository_is_read_in_this_process_from_any_folder_of_it() {
    let (repo, ids) = made(&[]);
    let below = repo.path().join("a/b");
    std::fs::create_dir_all(&below).unwrap();
    assert_eq!(open(&below).unwrap().backend(), Backend::Library);
    assert_read(&below, &ids);
    let repository = open(&below).unwrap();
    read(&repository).unwrap();
    assert_eq!(repository.backend(), Backend::Library, "git was not needed");
}

#[test]
fn reftable_and_sha256_repositories_are_read_by_git() {
    for format in [
        &["--ref-format=reftable"][..],
        &["--object-format=sha256"],
        &["--ref-format=reftable", "--object-format=sha256"],
    ] {
        if !git_can_init(format) {
            continue;
        }
        let (repo, ids) = made(format);
        assert_eq!(open(repo.path()).unwrap().backend(), Backend::Program, "{format:?}");
        assert_read(repo.path(), &ids);
    }
}

#[test]
fn a_linked_work_tree_has_its_own_head() {
    let (repo, ids) = made(&[]);
    let linked = tempfile::tempdir().unwrap();
    let folder = linked.path().join("linked");
    repo.git(&["worktree", "add", "-q", "-b", "other", folder.to_str().unwrap(), "HEAD~1"]);
    let run = open_and_read(&folder).unwrap();
    assert_eq!((run.range.head(), run.range.anchor()), (ids[2], Some(ids[1])));
    assert_read(repo.path(), &ids);
}

#[test]
fn bare_repositories_and_detached_heads_are_read() {
    let (repo, ids) = made(&[]);
    repo.git(&["checkout", "-q", "--detach"]);
    assert_read(repo.path(), &ids);
    let bare = Repo::clone_of(repo.path().to_str().unwrap(), &["--bare"]);
    assert_read(bare.path(), &ids);
}

#[test]
fn replacements_and_grafts_change_nothing() {
    let (repo, ids) = made(&[]);
    let forged = repo.git(&["commit-tree", "HEAD^{tree}", "-m", "nothing was ever done"]);
    repo.git(&["replace", &ids[3].to_string(), &forged]);
    std::fs::write(repo.path().join(".git/info/grafts"), format!("{}\n", ids[3])).unwrap();
    assert_read(repo.path(), &ids);
    let program = repo.open_with_program();
    assert_eq!(read(&program).unwrap().tasks["T1"].id, ids[3]);
}

#[test]
fn a_commit_graph_that_is_broken_does_not_matter() {
    let (repo, ids) = made(&[]);
    repo.git(&["commit-graph", "write", "--reachable"]);
    overwrite(&repo.path().join(".git/objects/info/commit-graph"), b"CGPH broken");
    assert_read(repo.path(), &ids);
}

#[test]
fn a_shallow_clone_that_is_cut_before_the_anchor_is_an_error_that_names_the_remedy() {
    let (repo, ids) = made(&[]);
    let url = format!("file://{}", repo.path().display());
    for depth in ["1", "2", "3"] {
        let clone = Repo::clone_of(&url, &["--depth", depth]);
        for repository in [clone.open(), clone.open_with_program()] {
            let error = read(&repository).unwrap_err();
            assert_eq!(error.kind(), Kind::Repository);
            assert!(error.remedy().contains("git fetch --unshallow"), "{error}");
        }
    }
    let deep_enough = Repo::clone_of(&url, &["--depth", "4"]);
    assert_read(deep_enough.path(), &ids);
}

#[test]
fn a_damaged_or_missing_commit_is_an_error_that_names_it() {
    let (repo, ids) = made(&[]);
    let id = ids[2].to_string();
    let file = object(&repo, &id);
    let whole = std::fs::read(&file).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0xff;
    let other = std::fs::read(object(&repo, &repo.git(&["rev-parse", "HEAD^{tree}"]))).unwrap();
    for content in
        [&b""[..], b"not zlib", &whole[..1], &whole[..20], &whole[..whole.len() - 1], &flipped, &other]
    {
        overwrite(&file, content);
        assert_names_object(&open_and_read(repo.path()).unwrap_err(), &id);
    }
    let (repo, ids) = made(&[]);
    let id = ids[2].to_string();
    std::fs::remove_file(object(&repo, &id)).unwrap();
    assert_names_object(&open_and_read(repo.path()).unwrap_err(), &id);
}

#[test]
fn a_missing_tree_on_the_way_to_the_anchor_is_an_error_that_names_it() {
    let (repo, ids) = made(&[]);
    let tree = repo.git(&["rev-parse", &format!("{}^{{tree}}", ids[0])]);
    std::fs::remove_file(object(&repo, &tree)).unwrap();
    assert_names_object(&open_and_read(repo.path()).unwrap_err(), &tree);
}

#[test]
fn a_damaged_pack_is_an_error() {
    let (repo, _) = made(&[]);
    repo.git(&["repack", "-a", "-d", "-q"]);
    let packs = std::fs::read_dir(repo.path().join(".git/objects/pack")).unwrap();
    let pack = packs
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "pack"));
    let pack = pack.unwrap();
    let mut content = std::fs::read(&pack).unwrap();
    let end = content.len() - 20;
    content[12..end].fill(0xff);
    overwrite(&pack, &content);
    let error = open_and_read(repo.path()).unwrap_err();
    assert_eq!(error.kind(), Kind::Repository);
    assert!(error.to_string().contains("git fsck"), "{error}");
}

#[test]
fn missing_alternates_are_an_error() {
    let (repo, _) = made(&[]);
    let clone = Repo::clone_of(repo.path().to_str().unwrap(), &["--shared"]);
    assert!(open_and_read(clone.path()).is_ok());
    std::fs::write(clone.path().join(".git/objects/info/alternates"), "/nowhere/objects\n").unwrap();
    let error = open_and_read(clone.path()).unwrap_err();
    assert_eq!(error.kind(), Kind::Repository, "{error}");
}

#[test]
fn a_partial_clone_without_trees_gets_them_through_git() {
    let (repo, ids) = made(&[]);
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    repo.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let url = format!("file://{}", repo.path().display());
    let clone = Repo::clone_of(&url, &["--filter=tree:0", "--no-checkout"]);
    assert_read(clone.path(), &ids);
}

#[test]
fn a_branch_without_commits_is_not_reported_as_broken() {
    for format in [&[][..], &["--object-format=sha256"], &["--ref-format=reftable"]] {
        if !git_can_init(format) {
            continue;
        }
        let empty = Repo::init(format);
        assert_eq!(open(empty.path()).unwrap().head().unwrap(), None, "{format:?}");
        assert_eq!(empty.open_with_program().head().unwrap(), None, "{format:?}");
        // Others whose names begin with its name are not it.
        empty.git(&["symbolic-ref", "HEAD", "refs/heads/a/b"]);
        empty.git(&["commit", "-q", "--allow-empty", "-m", "elsewhere"]);
        empty.git(&["symbolic-ref", "HEAD", "refs/heads/a"]);
        assert_eq!(empty.open_with_program().head().unwrap(), None, "{format:?}");
    }
    for content in ["", "garbage\n", "0123456789012345678901234567890123456789\n"] {
        let (repo, _) = made(&[]);
        std::fs::write(repo.path().join(".git/refs/heads/main"), content).unwrap();
        let library = open_and_read(repo.path()).expect_err(content);
        let program = repo.open_with_program().head().expect_err(content);
        for error in [library, program] {
            assert_eq!(error.kind(), Kind::Repository, "{error}");
            assert!(error.remedy().contains("git fsck"), "{error}");
        }
    }
}

#[test]
fn a_folder_without_repository_is_refused_in_gits_words() {
    let folder = tempfile::tempdir().unwrap();
    let error = open(folder.path()).err().unwrap();
    assert_eq!(error.kind(), Kind::Repository);
    assert!(error.what().starts_with("not a git repository"), "{error}");
    assert!(error.remedy().contains("git init"), "{error}");
}

#[test]
fn commits_and_packs_of_other_programs_are_noticed() {
    let (repo, _) = made(&[]);
    for repository in [repo.open(), repo.open_with_program()] {
        read(&repository).unwrap();
        let backend = repository.backend();
        for round in 0..3 {
            let message = format!("task(T2): round {round}\n\nArborist-Step: test\nArborist-Test: pass\n");
            repo.git(&["commit", "-q", "--allow-empty", "-m", &message]);
            assert_eq!(read(&repository).unwrap().tasks["T2"].id, repo.head());
            repo.git(&["gc", "-q", "--prune=now"]);
            assert_eq!(read(&repository).unwrap().tasks["T2"].id, repo.head());
        }
        assert_eq!(repository.backend(), backend);
    }
}

#[test]
fn objects_are_borrowed_from_another_repository() {
    let (repo, ids) = made(&[]);
    let clone = Repo::clone_of(repo.path().to_str().unwrap(), &["--shared"]);
    assert_read(clone.path(), &ids);
    let id = ids[2].to_string();
    let file = object(&repo, &id);
    let whole = std::fs::read(&file).unwrap();
    overwrite(&file, &whole[..whole.len() / 2]);
    assert_names_object(&open_and_read(clone.path()).unwrap_err(), &id);
}

#[test]
fn a_missing_git_is_an_error_only_if_git_is_needed() {
    let (repo, _) = made(&[]);
    // Only git reads objects that are not packed.
    repo.git(&["repack", "-a", "-d", "-q"]);
    let nowhere = Path::new("/nowhere/git");
    assert!(read(&Repository::open(repo.place(), nowhere).unwrap()).is_ok());
    let (repo, _) = made(&["--object-format=sha256"]);
    let error = Repository::open(repo.place(), nowhere).err().unwrap();
    assert_eq!(error.kind(), Kind::Environment);
    assert!(error.what().contains("/nowhere/git"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_repository_of_another_user_is_refused_with_gits_own_remedy() {
    let (repo, _) = made(&[]);
    for place in [repo.path().to_owned(), repo.path().join(".git")] {
        if std::os::unix::fs::chown(&place, Some(12_345), None).is_err() {
            // Only root can give files away.
            return;
        }
    }
    let error = open(repo.path()).err().unwrap();
    assert_eq!(error.kind(), Kind::Repository);
    assert!(error.what().contains("dubious ownership"), "{error}");
    assert!(error.remedy().contains("git config --global --add safe.directory"), "{error}");
}

/// Read by [`the_environment_names_the_repository_as_it_does_for_git`] in a process of its own.
#[test]
#[ignore = "needs GIT_DIR, which another test sets"]
fn child_that_reads_the_repository_of_the_environment() {
    for repository in [
        Repository::open(DiscoveryStart::Environment, Path::new("git")).unwrap(),
        Repository::open_with_program(DiscoveryStart::Environment, Path::new("git")).unwrap(),
    ] {
        println!("read {}", read(&repository).unwrap().tasks["T1"].id);
    }
}

/// The program of these tests, as it was called, because not every system tells which program runs.
fn this_program() -> PathBuf {
    let called = std::env::args_os().next().unwrap();
    std::env::current_dir().unwrap().join(called)
}

#[test]
fn the_environment_names_the_repository_as_it_does_for_git() {
    let (repo, ids) = made(&[]);
    let elsewhere = tempfile::tempdir().unwrap();
    let output = Command::new(this_program())
        .args([
            "--ignored",
            "--exact",
            "--nocapture",
            "history::shapes::child_that_reads_the_repository_of_the_environment",
        ])
        .current_dir(elsewhere.path())
        .env("GIT_DIR", repo.path().join(".git"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.matches(&format!("read {}", ids[3])).count(), 2, "{text}");
}

#[test]
fn a_named_folder_is_read_even_if_the_environment_names_another_repository() {
    let (repo, ids) = made(&[]);
    let (other, _) = made(&["--object-format=sha256"]);
    let output = Command::new(this_program())
        .args(["--ignored", "--exact", "--nocapture", "history::shapes::child_that_reads_a_named_folder"])
        .current_dir(other.path())
        .env("GIT_DIR", repo.path().join(".git"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("64 digits"), "{text}");
    assert!(!text.contains(&ids[3].to_string()), "{text}");
}

/// Read by [`a_named_folder_is_read_even_if_the_environment_names_another_repository`] in a process of its own.
#[test]
#[ignore = "needs GIT_DIR, which another test sets"]
fn child_that_reads_a_named_folder() {
    let id = open_and_read(Path::new(".")).unwrap().range.head().to_string();
    println!("{id}: {} digits", id.len());
}
