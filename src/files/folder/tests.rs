//! Tests that nothing outside of an open folder is reached from it.

use super::*;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

/// A folder of ours, and a folder of the user with a file.
fn place() -> (tempfile::TempDir, Folder, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let users = dir.path().join("users");
    fs::create_dir_all(dir.path().join("git/arborist/units")).unwrap();
    fs::create_dir(&users).unwrap();
    fs::write(users.join("file"), "kept").unwrap();
    let own = Folder::own(&dir.path().join("git"), "units").unwrap();
    (dir, own, users)
}

fn is_kept(users: &Path) -> bool {
    fs::read(users.join("file")).is_ok_and(|content| content == b"kept")
        && fs::read_dir(users).unwrap().count() == 1
}

#[test]
fn a_link_in_the_place_of_a_folder_of_ours_is_refused_at_each_level() {
    for level in ["arborist", "arborist/units"] {
        let (dir, _own, users) = place();
        let git = dir.path().join("git");
        fs::create_dir(users.join("units")).unwrap();
        fs::remove_dir_all(git.join(level)).unwrap();
        symlink(&users, git.join(level)).unwrap();
        for opened in [Folder::own(&git, "units"), Folder::make_own(&git, "units")] {
            let error = opened.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotADirectory, "{level}: {error}");
        }
    }
}

#[test]
fn a_link_that_is_planted_after_a_folder_was_opened_leads_nowhere() {
    let (dir, own, users) = place();
    fs::rename(own.path(), dir.path().join("moved")).unwrap();
    symlink(&users, own.path()).unwrap();
    own.replace("file", b"ours").unwrap();
    own.open_own("new").unwrap();
    own.remove_file("file").unwrap();
    own.remove_all("file").unwrap();
    assert!(is_kept(&users));
    assert_eq!(own.names().unwrap(), ["new"]);
}

#[test]
fn only_single_names_are_taken() {
    let (_dir, own, users) = place();
    for name in ["..", ".", "", "../units", "a/b", "a/", "/", "./a"] {
        assert!(own.remove_all(name).is_err() && own.remove_file(name).is_err(), "{name}");
        assert!(own.replace(name, b"").is_err() && own.open_own(name).is_err(), "{name}");
    }
    assert!(own.inner(Path::new("../../../users")).is_err() && is_kept(&users));
}

#[test]
fn a_file_with_a_second_name_is_neither_written_nor_is_more_than_its_name_removed() {
    let (_dir, own, users) = place();
    fs::hard_link(users.join("file"), own.path().join("linked")).unwrap();
    assert_eq!(own.open_own("linked").unwrap_err().kind(), ErrorKind::InvalidInput);
    own.replace("linked", b"ours").unwrap();
    assert!(is_kept(&users));
    fs::hard_link(users.join("file"), own.path().join("again")).unwrap();
    own.remove_all("again").unwrap();
    assert!(is_kept(&users));
}

#[test]
fn everything_is_removed_in_spite_of_permissions_and_no_link_is_followed() {
    let (_dir, own, users) = place();
    let tree = own.path().join("tree");
    fs::create_dir_all(tree.join("a/b")).unwrap();
    fs::write(tree.join("a/b/file"), "").unwrap();
    fs::write(tree.join(".git"), "").unwrap();
    symlink(&users, tree.join("a/link")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(tree.join("pipe")).status().unwrap().success());
    for (name, mode) in [("a/b", 0o000), ("a", 0o500), (".", 0o500)] {
        fs::set_permissions(tree.join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    own.remove_all("tree").unwrap();
    assert!(own.names().unwrap().is_empty() && is_kept(&users));
    own.remove_all("tree").unwrap();
    symlink(&users, own.path().join("tree")).unwrap();
    own.remove_all("tree").unwrap();
    assert!(own.names().unwrap().is_empty() && is_kept(&users));
}

#[test]
fn the_root_of_a_file_system_is_a_mount_point() {
    let root = Folder::open(Path::new("/")).unwrap();
    let inner = tempfile::tempdir().unwrap();
    let inner = Folder::open(inner.path()).unwrap();
    assert_eq!(root.require_no_mount(&root).is_err(), cfg!(target_os = "linux"));
    inner.require_no_mount(&inner).unwrap();
}
