//! Tests `git arborist demo`, which newcomers see first, on any machine.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::cli::{Said, arborist, git_with_commands};
use crate::support::repo::{Repo, git, write_program};
use tempfile::TempDir;

/// The subjects of a run, oldest first.
const SUBJECTS: &str = "\
Plan a converter of Roman numerals
task(T001): implement \"Write numbers as Roman numerals\"
task(T001): tests pass for \"Write numbers as Roman numerals\"
task(T001): review approved for \"Write numbers as Roman numerals\"
task(T001): complete \"Write numbers as Roman numerals\"
task(T002): implement \"Read Roman numerals\"
task(T002): tests fail for \"Read Roman numerals\" (attempt 1/5)
task(T002): implement \"Read Roman numerals\"
task(T002): tests pass for \"Read Roman numerals\"
task(T002): review approved for \"Read Roman numerals\"
task(T002): complete \"Read Roman numerals\"
phase(phase1): complete
task(T003): implement \"Convert in both directions\"
task(T003): tests pass for \"Convert in both directions\"
task(T003): review approved for \"Convert in both directions\"
task(T003): complete \"Convert in both directions\"
task(T004): implement \"Refuse what is not a number\"
task(T004): tests pass for \"Refuse what is not a number\"
task(T004): review rejected for \"Refuse what is not a number\" (attempt 1/5)
task(T004): implement \"Refuse what is not a number\"
task(T004): tests pass for \"Refuse what is not a number\"
task(T004): review approved for \"Refuse what is not a number\"
task(T004): complete \"Refuse what is not a number\"
task(T005): implement \"Explain how it is used\"
task(T005): tests pass for \"Explain how it is used\"
task(T005): review approved for \"Explain how it is used\"
task(T005): complete \"Explain how it is used\"
phase(phase2): complete";

/// The trailers that git reads from the commits of T002, oldest first, with `N` for seconds and `STAMP` for a time.
const TRAILERS_OF_T002: &str = "\
Arborist-Step: implement
Arborist-Result: pass
Arborist-Retry: 0
Arborist-Runner: scripted
Arborist-Duration: N

Arborist-Step: test
Arborist-Test: fail
Arborist-Retry: 0
Arborist-Test-Log: spec/logs/T002_test_STAMP.log
Arborist-Test-Type: unit
Arborist-Test-Passed: 5
Arborist-Test-Failed: 5
Arborist-Test-Skipped: 0
Arborist-Test-Runtime: N

Arborist-Step: implement
Arborist-Result: pass
Arborist-Retry: 1
Arborist-Runner: scripted
Arborist-Duration: N

Arborist-Step: test
Arborist-Test: pass
Arborist-Retry: 1
Arborist-Test-Type: unit
Arborist-Test-Passed: 10
Arborist-Test-Failed: 0
Arborist-Test-Skipped: 0
Arborist-Test-Runtime: N
Arborist-Proof: clean=pass old=none red=pass literals=na canary=na hollow=10 ran=2 took=N is=proven

Arborist-Step: review
Arborist-Review: approved
Arborist-Retry: 1
Arborist-Review-Log: spec/logs/T002_review_STAMP.log
Arborist-Runner: scripted
Arborist-Duration: N

Arborist-Step: complete
Arborist-Result: pass
Arborist-Report: spec/reports/T002_run_STAMP.json
Arborist-Proof: clean=pass old=none red=pass literals=na canary=na hollow=10 is=proven";

/// The files of the repository without artifacts.
const CODE: &str = "\
.gitignore
README.md
from_roman.sh
roman.sh
task-tree.json
tests/convert.sh
tests/expect.sh
tests/from_roman.sh
tests/help.sh
tests/refuse.sh
tests/round_trip.sh
tests/to_roman.sh
to_roman.sh";

/// `git arborist demo ARGS`, with temporary files in this folder.
fn demo(folder: &Path, args: &[&str]) -> Command {
    let mut command = git_with_commands(folder, &[&["arborist", "demo"], args].concat());
    command.env("TMPDIR", folder);
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
        command.env_remove(name);
    }
    command
}

fn run(mut command: Command) -> Said {
    Said::of(command.output().unwrap())
}

/// The output of git in a folder. It must succeed.
fn said_by_git(folder: &Path, args: &[&str]) -> String {
    let output = git(folder, args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

fn temp() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    (folder, path)
}

/// The text with digits after these keys, and stamps in paths, made the same for all runs.
fn without_times(trailers: &str) -> String {
    let line = |line: &str| match line.split_once(": ") {
        Some((key, value)) if key.ends_with("-Duration") || key.ends_with("-Runtime") => {
            assert!(value.parse::<f64>().unwrap() >= 0.0, "{line}");
            format!("{key}: N\n")
        }
        Some((key, path)) if path.contains('/') && !key.ends_with("-Proof") => {
            let (start, rest) = path.rsplit_once('_').unwrap();
            let (stamp, ending) = rest.split_once('.').unwrap();
            let (day, time) = stamp.split_once('T').unwrap();
            assert!((day.len(), time.len()) == (8, 6), "{line}");
            format!("{key}: {start}_STAMP.{ending}\n")
        }
        _ => match line.split_once(" took=") {
            Some((proof, rest)) => {
                let (took, word) = rest.split_once(' ').unwrap();
                assert!(took.parse::<f64>().unwrap() > 0.0, "{line}");
                format!("{proof} took=N {word}\n")
            }
            None => format!("{line}\n"),
        },
    };
    trailers.lines().map(line).collect::<String>().trim_end().to_owned()
}

#[test]
fn the_demo_runs_to_the_end_with_exactly_this_history_is_proven_and_stays_complete_after_a_prune() {
    let (_keep, folder) = temp();
    // A name that is taken is left alone.
    std::fs::create_dir(folder.join("git-arborist-demo")).unwrap();
    let said = run(demo(&folder, &[]));
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.starts_with("5/5 complete\n\nroman-numerals  5/5 complete  █"), "{}", said.out);
    let dir = folder.join("git-arborist-demo-2");
    assert!(said.out.contains(&format!("Look around:\n  cd {}\n", dir.display())), "{}", said.out);
    for part in ["T002 test        fail ", "5 passed, 5 failed", "T004 review      rejected", "attempt 2/5"] {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }

    assert_eq!(said_by_git(&dir, &["log", "--reverse", "--format=%s"]), SUBJECTS);
    let of_t002 = ["log", "--reverse", "--format=%(trailers)", "--grep=^task(T002)"];
    assert_eq!(without_times(&said_by_git(&dir, &of_t002)), TRAILERS_OF_T002);
    let bodies = said_by_git(&dir, &["log", "--format=%b"]);
    for part in [
        "Runner output (truncated to 2000 chars):\nWrote to_roman.sh",
        "Test (unit) stdout (last 1000 chars):\nok    I\nok    III\nFAIL  IV: expected 4, got 6\n",
        "Review:\nThis line prints an error",
        "Completed after 2 attempt(s). Report: spec/reports/T004_run_",
    ] {
        assert!(bodies.contains(part), "{part}");
    }
    assert_eq!(said_by_git(&dir, &["status", "--porcelain"]), "");
    assert_eq!(said_by_git(&dir, &["log", "-1", "--format=%an <%ae>"]), "Arborist Demo <demo@example.com>");

    let proofs = arborist(&dir, &["prove", "--json"]);
    assert!(proofs.code == 0 && proofs.err.contains("5 proven."), "{proofs:?}");
    let document: serde_json::Value = serde_json::from_str(&proofs.out).unwrap();
    for proof in document["proofs"].as_array().unwrap() {
        for run in proof["runs"].as_array().unwrap() {
            assert!(["pass", "none", "na"].contains(&run["verdict"].as_str().unwrap()), "{proof:#}");
        }
    }
    assert_prunes(&dir);
}

/// Takes the logs away but one that the user has changed, and asserts that everything else stays.
fn assert_prunes(dir: &Path) {
    let commits = || said_by_git(dir, &["rev-list", "--count", "HEAD"]).parse::<u32>().unwrap();
    let before = commits();
    let edited = said_by_git(dir, &["ls-files", "spec/logs/T002_test_*"]);
    std::fs::write(dir.join(&edited), "mine now\n").unwrap();
    said_by_git(dir, &["commit", "-qam", "Keep a note"]);

    let said = arborist(dir, &["prune"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains(&edited), "{}", said.err);
    assert_eq!(commits(), before + 2);
    assert_eq!(said_by_git(dir, &["ls-files", ":!spec"]), CODE);
    assert_eq!(said_by_git(dir, &["ls-files", "spec"]), edited);
    let status = arborist(dir, &["status"]).answer();
    assert!(status.contains("  5/5 complete  "), "{status}");
}

#[test]
fn the_demo_needs_only_git_and_a_shell_whatever_the_user_has_set_and_whatever_is_around_it() {
    let outer = Repo::init(&[]);
    let hooks = outer.path().join("hooks");
    for name in ["pre-commit", "commit-msg", "post-commit"] {
        write_program(&hooks.join(name), b"#!/bin/sh\nexit 1\n");
    }
    let config = outer.path().join("hostile");
    std::fs::write(outer.path().join("ignored"), "*.sh\n*.json\nspec/\n").unwrap();
    std::fs::write(outer.path().join("attributes"), "* filter=missing text eol=crlf\n").unwrap();
    let own = outer.path().display();
    let text = format!(
        "[commit]\n gpgSign = true\n template = /nowhere\n cleanup = scissors\n verbose = true\n[gpg]\n program = false\n\
         [core]\n hooksPath = {own}/hooks\n autocrlf = true\n safecrlf = true\n excludesFile = {own}/ignored\n \
         attributesFile = {own}/attributes\n[filter \"missing\"]\n clean = false\n required = true\n\
         [init]\n defaultBranch = odd\n templateDir = {own}/hooks\n[user]\n useConfigOnly = true\n\
         [color]\n ui = always\n[status]\n showUntrackedFiles = no\n[trailer]\n separators = =\n\
         [arborist]\n runner = claude\n maxAttempts = 1\n review = false\n tree = elsewhere.json\n reportDir = odd\n"
    );
    std::fs::write(&config, text).unwrap();
    outer.git(&["add", "--all"]);
    outer.git(&["commit", "-qm", "All that is here"]);
    let (head, index) = (outer.head(), std::fs::read(outer.path().join(".git/index")).unwrap());

    // It needs git and a shell, and no other program.
    let (_keep, programs) = temp();
    for name in ["git", "sh"] {
        symlink(which::which(name).unwrap(), programs.join(name)).unwrap();
    }
    let mut command = demo(outer.path(), &["--dir", "new/inside"]);
    let own = Path::new(env!("CARGO_BIN_EXE_git-arborist")).parent().unwrap();
    command.env("PATH", std::env::join_paths([own, &programs]).unwrap());
    command.env("GIT_CONFIG_GLOBAL", &config).env("GIT_DIR", outer.path().join(".git"));
    command.env("ARBORIST_RUNNER", "codex").env("ARBORIST_STEP_REVIEW_RUNNER", "gemini");
    // Reviewers work in scratch work trees, which are in no other work tree.
    let outside = tempfile::tempdir().unwrap();
    command.env("TMPDIR", outside.path());
    let said = run(command);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("inside is inside the work tree of "), "{}", said.err);
    assert!(said.out.starts_with("5/5 complete\n"), "{}", said.out);
    let dir = outer.path().join("new/inside");
    assert_eq!(said_by_git(&dir, &["log", "--reverse", "--format=%s", "main"]), SUBJECTS);
    assert_eq!(said_by_git(&dir, &["ls-files", ":!spec"]), CODE);
    assert_eq!(outer.head(), head);
    assert_eq!(std::fs::read(outer.path().join(".git/index")).unwrap(), index);
}

#[test]
fn the_demo_refuses_a_folder_that_is_not_empty_and_leaves_it_alone() {
    let (_keep, folder) = temp();
    std::fs::write(folder.join("mine"), "mine\n").unwrap();
    for (dir, why) in [(".", "is not empty"), ("mine", "is not a folder")] {
        let said = run(demo(&folder, &["--dir", dir]));
        assert_eq!((said.code, said.out.as_str()), (2, ""));
        assert!(said.err.contains(why), "{}", said.err);
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    assert_eq!(std::fs::read_to_string(folder.join("mine")).unwrap(), "mine\n");
}

#[test]
fn the_demo_refuses_a_tree_file_of_the_user() {
    let (_keep, folder) = temp();
    let said = run(demo(&folder, &["--tree", "task-tree.json"]));
    assert_eq!(said.code, 2);
    assert!(said.err.contains("brings its own plan"), "{}", said.err);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn the_second_act_refuses_an_agent_that_cheats_in_five_ways() {
    let (_keep, folder) = temp();
    let said = run(demo(&folder, &["--trust"]));
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.starts_with("5/5 complete\n"), "{}", said.out);
    let refusals = [
        "protect: Tests in their version from before the change fail on the new source: a negative number",
        "fewer-tests: More tests are skipped than before the task (1 instead of 0)",
        "counts: No test ran",
        "T004 red         fail",
        "prove: ",
    ];
    for refusal in refusals {
        assert!(said.err.contains(refusal), "{refusal}: {}", said.err);
    }
    let dir = folder.join("git-arborist-demo");
    let proofs = [
        "log",
        "--reverse",
        "--format=%(trailers:key=Arborist-Proof,valueonly,separator=)",
        "--grep=: complete \"",
    ];
    assert_eq!(said_by_git(&dir, &proofs).lines().filter(|line| line.ends_with(" is=proven")).count(), 5);
}
