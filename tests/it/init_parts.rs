//! Tests `git arborist init PART...`: which files it writes, and that it never writes over those of others.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::support::cli::{Said, arborist};
use crate::support::repo::{Repo, command};
use crate::support::skip::skip;

/// All files below a folder, by their paths, with their contents.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                found.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    found
}

#[test]
fn man_pages_and_completions_are_written_once_and_a_second_call_changes_nothing() {
    // Outside of every repository.
    let folder = tempfile::tempdir().unwrap();
    let args = ["init", "man", "completions", "--prefix", "here"];
    let shown = arborist(folder.path(), &[&args[..], &["--dry-run"]].concat()).answer();
    assert!(shown.contains("here/share/man/man1/git-arborist.1 would be written\n"), "{shown}");
    assert!(shown.ends_with("Nothing was changed.\n") && files(folder.path()).is_empty(), "{shown}");

    let said = arborist(folder.path(), &args).answer();
    let share = folder.path().canonicalize().unwrap().join("here/share");
    let expected =
        format!("The man pages are now in {0}/man.\nThe completions are now in {0}.\n", share.display());
    assert_eq!(said, expected);
    let written = files(folder.path());
    for path in [
        "man/man1/git-arborist.1",
        "man/man1/git-arborist-status.1",
        "man/man5/gitarborist-config.5",
        "man/man5/gitarborist-plans.5",
        "man/man7/gitarborist-trailers.7",
        "bash-completion/completions/git-arborist",
        "bash-completion/completions/git-arborist-status",
        "zsh/site-functions/_git-arborist",
        "fish/vendor_completions.d/git-arborist.fish",
        "fish/vendor_conf.d/git-arborist.fish",
    ] {
        assert!(written.contains_key(&format!("here/share/{path}")), "{path}: {:?}", written.keys());
    }
    let again = arborist(folder.path(), &args).answer();
    assert_eq!(again.matches("nothing was changed").count(), 2, "{again}");
    assert_eq!(files(folder.path()), written);
}

#[test]
fn every_small_program_has_completions_under_its_name() {
    let folder = tempfile::tempdir().unwrap();
    arborist(folder.path(), &["init", "completions", "--prefix", "."]).answer();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin");
    let mut programs: Vec<String> = std::fs::read_dir(sources)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".rs").map(str::to_owned))
        .collect();
    programs.sort();
    let mut bash: Vec<String> = std::fs::read_dir(folder.path().join("share/bash-completion/completions"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    bash.sort();
    assert_eq!(bash, programs);
    for program in programs {
        assert!(folder.path().join(format!("share/fish/vendor_completions.d/{program}.fish")).exists());
    }
}

#[test]
fn a_file_of_an_older_version_is_replaced_and_one_of_somebody_else_stays() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["init", "man", "--prefix", "."];
    arborist(folder.path(), &args).answer();
    let man = folder.path().join("share/man/man1");
    let fresh = std::fs::read_to_string(man.join("git-arborist-next.1")).unwrap();
    std::fs::write(man.join("git-arborist-next.1"), fresh.replace("git-arborist 0", "git-arborist 00"))
        .unwrap();
    std::fs::write(man.join("git-arborist-show.1"), "of somebody else\n").unwrap();
    std::fs::remove_file(man.join("git-arborist-done.1")).unwrap();
    symlink("nowhere", man.join("git-arborist-done.1")).unwrap();
    let said = arborist(folder.path(), &args);
    assert_eq!(said.code, 1, "{said:#?}");
    for name in ["git-arborist-show.1", "git-arborist-done.1"] {
        assert!(said.out.contains(&format!("{name} was not written by git-arborist")), "{said:#?}");
    }
    assert_eq!(std::fs::read_to_string(man.join("git-arborist-next.1")).unwrap(), fresh);
    assert_eq!(std::fs::read_to_string(man.join("git-arborist-show.1")).unwrap(), "of somebody else\n");
    assert!(man.join("git-arborist-done.1").symlink_metadata().unwrap().is_symlink());
}

#[test]
fn a_place_that_cannot_be_written_is_one_error_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let said = arborist(folder.path(), &["init", "man", "--prefix", "file"]);
    assert_eq!((said.code, said.out.as_str()), (4, ""), "{said:#?}");
    if rustix::process::geteuid().is_root() {
        skip("root may write everywhere");
        return;
    }
    let closed = folder.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o555)).unwrap();
    let said = arborist(folder.path(), &["init", "man", "completions", "--prefix", "closed"]);
    assert_eq!((said.code, said.out.as_str()), (4, ""), "{said:#?}");
    assert_eq!(said.err.matches("error:").count(), 1, "{said:#?}");
    assert!(said.err.contains("--prefix ~/.local"), "{said:#?}");
}

#[test]
fn without_a_prefix_pages_lie_beside_the_program_and_completions_with_the_user() {
    let prefix = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let home = tempfile::tempdir().unwrap();
    let run = |bin: &str, data: Option<&Path>| {
        std::fs::create_dir_all(prefix.path().join(bin)).unwrap();
        let program = prefix.path().join(bin).join("git-arborist");
        if !program.exists() {
            std::fs::hard_link(env!("CARGO_BIN_EXE_git-arborist"), &program).unwrap();
        }
        let mut init = command(home.path(), program.to_str().unwrap());
        init.args(["init", "man", "completions"]).env_remove("XDG_DATA_HOME").env_remove("XDG_DATA_DIRS");
        if let Some(data) = data {
            init.env("XDG_DATA_DIRS", data);
        }
        Said::of(init.output().unwrap())
    };
    let said = run("bin", None).answer();
    assert!(prefix.path().join("share/man/man1/git-arborist.1").exists(), "{said}");
    let functions = home.path().join(".local/share/zsh/site-functions");
    assert!(functions.join("_git-arborist").exists(), "{said}");
    assert!(said.contains(&format!("fpath=({} $fpath)", functions.display())), "{said}");
    assert!(!prefix.path().join("share/zsh").exists());
    // Where the shells are told to look, they need no other place.
    let said = run("bin", Some(&prefix.path().join("share"))).answer();
    assert!(prefix.path().join("share/zsh/site-functions/_git-arborist").exists(), "{said}");
    // A program that was only built is not installed anywhere.
    let said = run("debug", None);
    assert_eq!(said.code, 2, "{said:#?}");
    assert!(said.err.contains("is not in a folder named bin") && said.err.contains("--prefix"), "{said:#?}");
}

#[test]
fn parts_of_the_repository_can_be_prepared_alone() {
    let repo = Repo::init(&[]);
    let said = arborist(repo.path(), &["init", "hooks"]).answer();
    assert!(said.contains("commit-msg: installed in"), "{said}");
    let again = arborist(repo.path(), &["init", "hooks"]).answer();
    assert!(again.contains("commit-msg: is in"), "{again}");
    let bare = Repo::init(&[]);
    // An agent that is missing would be named.
    bare.git(&["config", "arborist.runner.mine.command", "true"]);
    bare.git(&["config", "arborist.runner", "mine"]);
    let said = arborist(bare.path(), &["init", "settings", "--suite", "make test"]).answer();
    assert!(said.contains("arborist.suite is now `make test`"), "{said}");
    assert!(arborist(bare.path(), &["hooks", "status"]).answer().contains("commit-msg: not installed"));
}

#[test]
fn wrong_parts_and_a_prefix_without_files_are_refused() {
    let repo = Repo::init(&[]);
    let said = arborist(repo.path(), &["init", "mann"]);
    assert_eq!(said.code, 2, "{said:#?}");
    assert!(said.err.contains("exists: 'man'"), "{said:#?}");
    for args in [&["init", "--prefix", "x"][..], &["init", "hooks", "--prefix", "x"]] {
        let said = arborist(repo.path(), args);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{said:#?}");
        assert!(said.err.contains("git arborist init man completions"), "{said:#?}");
    }
}
