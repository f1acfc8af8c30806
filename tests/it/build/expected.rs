//! Compares what `build` makes of plans as they are found in the wild with trees and messages that were reviewed.
//!
//! Every folder `tests/fixtures/plans/FORMAT/CASE` is a repository with a plan; its folder `expected` has the tree and
//! the messages. With `UPDATE_EXPECTED=1` the test writes these files instead; review them before you commit them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::garden::Garden;
use crate::support::repo::fixture;

/// All cases: the name of the format, and the folder.
pub(super) fn cases() -> Vec<(String, PathBuf)> {
    let mut cases = Vec::new();
    for format in fs::read_dir(fixture("plans")).unwrap() {
        let format = format.unwrap();
        for case in fs::read_dir(format.path()).unwrap() {
            let case = case.unwrap().path();
            // Those of `table` are files.
            if case.is_dir() {
                cases.push((format.file_name().into_string().unwrap(), case));
            }
        }
    }
    cases.sort();
    cases
}

/// Copies the files of a case into the work tree.
pub(super) fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() == "expected" {
            continue;
        }
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn every_plan_becomes_the_expected_tree_with_the_expected_messages() {
    let update = std::env::var_os("UPDATE_EXPECTED").is_some();
    let mut wrong = Vec::new();
    for (format, case) in cases() {
        let garden = Garden::empty();
        garden.git(&["init", "-q"]);
        copy(&case, &garden.top());
        let expected = case.join("expected");
        let args = fs::read_to_string(expected.join("arguments")).unwrap_or_default();
        let args: Vec<&str> = ["build"].into_iter().chain(args.lines()).collect();
        let ended = garden.run(&args);
        let tree = fs::read_to_string(garden.top().join("task-tree.json")).unwrap_or_default();
        // What is doubtful in the plan depends on the programs of this machine, and is tested elsewhere.
        let is_of_source = |line: &&str| !line.starts_with("warning: task-tree.json:");
        let said: String = ended.stderr.split_inclusive('\n').filter(is_of_source).collect();
        let messages = format!("exit status {}\n{said}{}", ended.status, ended.stdout);
        assert_eq!(tree.is_empty(), ended.status != 0, "{}: {messages}", case.display());
        if ended.status == 0 {
            assert!(messages.contains(&format!("({format})")), "{}: {messages}", case.display());
            let again = garden.run(&args);
            assert_eq!(again.status, 0, "{again:?}");
            assert_eq!(garden.read("task-tree.json"), tree, "the same plan gives the same bytes");
        }
        for (name, text) in [("tree.json", tree), ("messages.txt", messages)] {
            let file = expected.join(name);
            if update {
                fs::create_dir_all(&expected).unwrap();
                if text.is_empty() {
                    _ = fs::remove_file(&file);
                } else {
                    fs::write(&file, &text).unwrap();
                }
            } else if fs::read_to_string(&file).unwrap_or_default() != text {
                wrong.push(format!("{} differs:\n{text}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\nUPDATE_EXPECTED=1 writes them anew", wrong.join("\n"));
}

#[test]
fn every_format_has_at_least_five_plans_two_of_which_are_messy() {
    for row in git_arborist::plan::formats::Format::all() {
        let of_format = || cases().into_iter().filter(|(format, _)| format == row.name);
        assert!(of_format().count() >= 5, "{} has {}", row.name, of_format().count());
        let is_messy = |case: &Path| {
            let messages = fs::read_to_string(case.join("expected/messages.txt")).unwrap();
            messages.lines().any(|line| line.starts_with("warning: ") || line.starts_with("error: "))
        };
        let messy = of_format().filter(|(_, case)| is_messy(case)).count();
        assert!(messy >= 2, "{} has {messy}", row.name);
    }
}
