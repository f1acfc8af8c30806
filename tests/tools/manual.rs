//! Tests that the readers of manuals can read our pages, and that `man` shows them.

use std::path::Path;
use std::process::{Command, Stdio};

use git_arborist::cli::CATALOGUE;
use git_arborist::manual::{Page, VERSION, pages};

use crate::support::cli::Said;
use crate::support::repo::{Repo, command};
use crate::support::skip::has;

/// A folder of pages as `man` wants it.
fn written(pages: &[Page]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for page in pages {
        let path = folder.path().join(page.file());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, page.roff(VERSION)).unwrap();
    }
    folder
}

/// Asserts that a program complains about no page.
fn complaints(program: &str, args: &[&str]) {
    if !has(program) {
        return;
    }
    let pages = pages(CATALOGUE);
    let folder = written(&pages);
    for page in &pages {
        let mut checker = command(folder.path(), program);
        checker
            .args(args)
            .arg(folder.path().join(page.file()))
            .env("LC_ALL", "C.UTF-8")
            .env("MANWIDTH", "80");
        let output = checker.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let out = if program == "man" { String::new() } else { out };
        assert!(output.status.success() && said.is_empty() && out.is_empty(), "{}: {said}{out}", page.name);
    }
}

#[test]
fn man_reads_every_page_without_a_warning() {
    complaints("man", &["--warnings", "-E", "UTF-8", "-l"]);
}

#[test]
fn mandoc_finds_no_errors() {
    // clap_mangen writes line breaks beside vertical space, which man skips and mandoc warns about.
    complaints("mandoc", &["-T", "lint", "-W", "error"]);
}

/// What a shell command prints on a terminal.
fn on_terminal(folder: &Path, path: &std::ffi::OsStr, line: &str) -> Option<String> {
    if !has("script") {
        return None;
    }
    let mut script = command(folder, "script");
    script.args(["-qec", line, "/dev/null"]).env("PATH", path).env("LC_ALL", "C.UTF-8").env("PAGER", "cat");
    script.env("GIT_PAGER", "cat").env("MANPAGER", "cat").env("TERM", "dumb").stdin(Stdio::null());
    Some(String::from_utf8_lossy(&script.output().unwrap().stdout).replace('\r', ""))
}

#[test]
fn on_a_terminal_the_installed_page_is_shown_by_man_and_also_by_git_help() {
    if !has("man") {
        return;
    }
    // Where man finds the pages by itself: beside the folder `bin` of the program.
    let prefix = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let bin = prefix.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let built = Path::new(env!("CARGO_BIN_EXE_git-arborist")).parent().unwrap();
    for name in ["git-arborist", "git-arborist-status"] {
        std::fs::hard_link(built.join(name), bin.join(name)).unwrap();
    }
    let repo = Repo::init(&[]);
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(bin.clone()).chain(std::env::split_paths(&rest))).unwrap();
    let Some(before) = on_terminal(repo.path(), &path, "git arborist help status") else { return };
    assert!(before.contains("git-arborist-status - show the plan"), "{before}");
    let install =
        Command::new(bin.join("git-arborist")).args(["init", "man"]).current_dir(repo.path()).output();
    let installed = Said::of(install.unwrap()).answer();
    assert!(installed.contains("share/man"), "{installed}");
    // A mark by which the installed page can be told.
    let file = prefix.path().join("share/man/man1/git-arborist-status.1");
    let text =
        std::fs::read_to_string(&file).unwrap().replace("show the plan", "shown by man: show the plan");
    std::fs::write(&file, text).unwrap();
    for line in ["git arborist help status", "git arborist status --help", "git arborist-status --help"] {
        let shown = on_terminal(repo.path(), &path, line).unwrap();
        assert!(shown.contains("shown by man"), "{line}: {shown}");
    }
    let overview = on_terminal(repo.path(), &path, "git arborist --help").unwrap();
    assert!(overview.contains("git-arborist - let coding agents"), "{overview}");
    assert_eq!(on_terminal(repo.path(), &path, "git help arborist").unwrap(), overview);
    // In a pipe, nothing of man is needed.
    let plain = Command::new(bin.join("git-arborist")).args(["help", "status"]).output().unwrap();
    assert!(!Said::of(plain).answer().contains("shown by man"));
}
