//! Tests what stays and what goes when the work tree of a proof is switched.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::tests::Place;
use super::*;
use crate::git::PathEntry;

/// Runs a command in a work tree, as a test would.
fn test_runs(tree: &ProofTree, script: &str) {
    let mut command = Command::new("/bin/sh");
    for change in &tree.launch(Home::Own).env {
        match change {
            EnvChange::Set(name, value) => command.env(name, value),
            EnvChange::Remove(name) => command.env_remove(name),
        };
    }
    let script = format!("set -e\n{script}");
    assert!(command.args(["-c", &script]).current_dir(tree.top()).status().unwrap().success(), "{script}");
}

fn make(scratches: &Scratches, head: &CommitId, live: &LiveLine) -> Result<ProofTree> {
    ProofTree::make(UsersTree { scratches, ignored: &scratches.git.ignored_paths()? }, head, live)
}

fn move_to(tree: &mut ProofTree, head: &CommitId, scratches: &Scratches) -> Result<()> {
    let users = UsersTree { scratches, ignored: &scratches.git.ignored_paths()? };
    tree.move_to(head, users, &LiveLine::new())
}

fn proof_tree(place: &Place) -> ProofTree {
    let mut tree = make(&place.scratches(), &place.id("HEAD"), &LiveLine::new()).unwrap();
    tree.switch(&[]).unwrap();
    tree
}

fn home(tree: &ProofTree) -> PathBuf {
    let env = tree.launch(Home::Own).env;
    let home = env.iter().find_map(|change| match change {
        EnvChange::Set(name, value) if name == "HOME" => Some(value.into()),
        _ => None,
    });
    home.unwrap()
}

#[test]
fn nothing_that_tests_leave_is_there_in_the_next_run() {
    let place = Place::new();
    place.write("node_modules/a/index.js", "a");
    place.write("node_modules/a/package.json", "{}");
    let mut tree = proof_tree(&place);
    let before = (place.git(&["rev-parse", "main"]), std::fs::read(tree.top().join(".git")).unwrap());
    test_runs(
        &tree,
        "echo x > conftest.py; git add -f conftest.py
        echo bad > file; git add file; git update-index --assume-unchanged .gitignore; echo '*' > .gitignore
        git config core.fsmonitor 'echo /; true'; git config core.trustctime false
        git symbolic-ref HEAD refs/heads/main; touch \"$(git rev-parse --git-dir)/index.lock\"
        mkdir -p \"$HOME/lib\"; echo x > \"$HOME/lib/usercustomize.py\"; echo x > \"$TMPDIR/left\"
        echo bad > node_modules/a/index.js; rm node_modules/a/package.json
        mkdir -p node_modules/b node_modules/.vite; touch node_modules/b/index.js node_modules/.vite/results.json
        rm .git; mkdir .git; echo x > .git/left",
    );
    let dirty: Vec<String> =
        tree.dirty().unwrap().iter().map(|path| String::from_utf8_lossy(path).into()).collect();
    for path in ["conftest.py", "file", ".gitignore"] {
        assert!(dirty.iter().any(|dirty| dirty == path), "{path} is missing: {dirty:?}");
    }
    let packages = tree.changed_packages();
    let expected = ["a/index.js", "a/package.json", "b"].map(|path| Path::new("node_modules").join(path));
    assert_eq!((packages.paths, packages.is_installer), (expected.into(), false));
    tree.switch(&[]).unwrap();
    let content = |path: &str| std::fs::read_to_string(tree.top().join(path)).ok();
    assert_eq!(content("file").as_deref(), Some("two\n"));
    assert_eq!(content(".gitignore").as_deref(), Some("node_modules/\n.env\n"));
    assert_eq!(content("node_modules/a/index.js").as_deref(), Some("a"));
    assert_eq!(content("node_modules/a/package.json").as_deref(), Some("{}"));
    for path in ["conftest.py", "node_modules/b", "node_modules/.vite"] {
        assert!(!tree.top().join(path).exists(), "{path} is still there");
    }
    assert_eq!(std::fs::read_dir(home(&tree)).unwrap().count(), 0);
    assert_eq!((place.git(&["rev-parse", "main"]), std::fs::read(tree.top().join(".git")).unwrap()), before);
    place.git(&["config", "--unset", "core.fsmonitor"]);
    test_runs(&tree, "! git symbolic-ref -q HEAD; [ -z \"$(git status --porcelain)\" ]");
    assert_eq!(tree.dirty().unwrap(), Vec::<Vec<u8>>::new(), "git status changes no entry of the index");
    assert_eq!(tree.changed_packages(), ChangedPackages::default());
}

#[test]
fn caches_and_installers_are_no_secret_change_of_packages() {
    let place = Place::new();
    place.write("node_modules/a/index.js", "a");
    let tree = &mut proof_tree(&place);
    test_runs(tree, "mkdir -p node_modules/.cache node_modules/a/__pycache__; touch node_modules/.cache/x");
    assert_eq!(tree.changed_packages(), ChangedPackages::default());
    test_runs(tree, "echo new > node_modules/a/index.js; echo '{}' > node_modules/.package-lock.json");
    let packages = tree.changed_packages();
    assert!(packages.is_installer && packages.paths.len() == 2, "{packages:?}");
    tree.switch(&[]).unwrap();
    test_runs(tree, "[ \"$(cat node_modules/a/index.js)\" = a ]; [ \"$(ls -A node_modules)\" = a ]");
}

#[test]
fn packages_below_a_folder_of_added_files_stay_where_the_files_are_taken_out() {
    let place = Place::new();
    place.commit("tests/e2e/a.js", "");
    place.write("tests/e2e/node_modules/x/index.js", "x");
    let mut tree = proof_tree(&place);
    test_runs(&tree, "mkdir tests/e2e/left; touch tests/e2e/left/file tests/e2e/other");
    tree.switch(&[PathEntry { path: b"tests/e2e/a.js".to_vec(), entry: None }]).unwrap();
    let is_there = |path: &str| tree.top().join("tests/e2e").join(path).exists();
    assert_eq!(
        ["node_modules/x/index.js", "a.js", "left", "other"].map(is_there),
        [true, false, false, false]
    );
}

#[test]
fn only_what_cargo_has_built_stays() {
    let place = Place::new();
    place.commit("crates/a/Cargo.toml", "");
    place.write(".gitignore", "target/\n");
    place.commit("b/file", "");
    let mut tree = proof_tree(&place);
    test_runs(
        &tree,
        "for at in . crates/a b; do mkdir -p $at/target; touch $at/target/x; done; touch b/Cargo.toml",
    );
    tree.switch(&[]).unwrap();
    let is_there = |path: &str| tree.top().join(path).join("target/x").exists();
    assert_eq!(["crates/a", "b", "."].map(is_there), [true, false, false]);
}

#[test]
fn a_preparation_that_failed_is_made_again() {
    let place = Place::new();
    let (wanted, live) = (place.top.with_file_name("wanted"), LiveLine::new());
    std::fs::write(&wanted, "").unwrap();
    let setup = format!("test -e '{}' && echo made > made", wanted.display());
    let scratches = Scratches { setup: Some(setup), ..place.scratches() };
    let mut tree = make(&scratches, &place.id("HEAD"), &live).unwrap();
    std::fs::remove_file(&wanted).unwrap();
    place.commit("package.json", "{}");
    let head = place.id("HEAD");
    assert_eq!(move_to(&mut tree, &head, &scratches).unwrap_err().kind(), Kind::Environment);
    assert!(!tree.top().join("made").exists());
    std::fs::write(&wanted, "").unwrap();
    move_to(&mut tree, &head, &scratches).unwrap();
    assert!(tree.top().join("made").exists());
    std::fs::remove_file(wanted).unwrap();
}

#[test]
fn submodules_follow_the_commit_and_lose_what_tests_leave_there() {
    let (place, inner) = (Place::new(), Place::new());
    place.git(&["submodule", "--quiet", "add", inner.top.to_str().unwrap(), "lib"]);
    place.git(&["commit", "--quiet", "--message", "add a submodule"]);
    let mut tree = proof_tree(&place);
    test_runs(
        &tree,
        "[ \"$(cat lib/file)\" = two ]; echo bad > lib/file; touch lib/left; git -C lib add --all",
    );
    tree.switch(&[]).unwrap();
    test_runs(&tree, "[ \"$(cat lib/file)\" = two ]; [ ! -e lib/left ]; echo bad > lib/file; rm lib/.git");
    let in_lib = |args: &[&str]| {
        let user = ["-C", "lib", "-c", "user.name=A", "-c", "user.email=a@example.com"];
        place.git(&[&user, args].concat())
    };
    place.write("lib/file", "three\n");
    in_lib(&["commit", "--quiet", "--all", "--message", "three"]);
    place.git(&["commit", "--quiet", "--all", "--message", "move the submodule"]);
    move_to(&mut tree, &place.id("HEAD"), &place.scratches()).unwrap();
    test_runs(&tree, "[ \"$(cat lib/file)\" = three ]; [ -z \"$(git status --porcelain)\" ]");
}

#[test]
fn other_attributes_write_the_same_content_in_another_way() {
    let place = Place::new();
    place.commit("a/b", "b\n");
    let before = place.id("HEAD");
    place.commit(".gitattributes", "file text eol=crlf\na/* text eol=crlf\n");
    let mut tree = proof_tree(&place);
    let has = |tree: &ProofTree, file: &str, inner: &str| {
        let content = |path: &str| std::fs::read_to_string(tree.top().join(path)).unwrap();
        assert_eq!((content("file").as_str(), content("a/b").as_str()), (file, inner));
        assert_eq!(tree.dirty().unwrap(), Vec::<Vec<u8>>::new());
    };
    has(&tree, "two\r\n", "b\r\n");
    tree.switch(&[PathEntry { path: b".gitattributes".to_vec(), entry: None }]).unwrap();
    has(&tree, "two\n", "b\n");
    tree.switch(&[]).unwrap();
    has(&tree, "two\r\n", "b\r\n");
    move_to(&mut tree, &before, &place.scratches()).unwrap();
    has(&tree, "two\n", "b\n");
}
