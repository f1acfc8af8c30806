//! Tests what belongs to packages: every way to install puts the same files into the same places.

use std::path::Path;
use std::process::Command;

use crate::support::cli::Said;

#[test]
fn make_and_init_install_the_same_files_and_make_removes_them_again() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let built = Path::new(env!("CARGO_BIN_EXE_git-arborist")).parent().unwrap();
    if which::which("make").is_err() || built != top.join("target/debug") {
        eprintln!("skipped: make is not installed, or the programs are not in target/debug");
        return;
    }
    let mut check = Command::new(top.join("packaging/check-places"));
    check.arg("dev").current_dir(std::env::temp_dir()).env_remove("MAKEFLAGS");
    let said = Said::of(check.output().unwrap()).answer();
    assert!(said.ends_with(" files are in the same places\n"), "{said}");
}

#[test]
fn the_package_for_debian_contains_every_folder_that_is_installed() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(top.join("Cargo.toml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    crate::support::cli::arborist(folder.path(), &["init", "man", "completions", "--prefix", place]).answer();
    let mut open = vec![folder.path().join("share")];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let below = next.strip_prefix(folder.path()).unwrap().display();
                assert!(
                    manifest.contains(&format!("[\"target/deb/usr/{below}/*\"")),
                    "{below} is not in the package"
                );
            }
        }
    }
}
