//! Tests the guard of branches: commands that would drop steps are stopped, and everything else works as before.
//! Decisions without git are tested by a table in `src/hooks/transaction/tests.rs`.

use std::cell::RefCell;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, Weak};

use crate::support::sandbox::{Said, Sandbox, step};
use crate::support::skip::skip;

const INSTALL: [&str; 5] = ["arborist", "hooks", "install", "--type", "reference-transaction"];
/// The setting with which steps can be dropped all the same.
const ALL_THE_SAME: [&str; 2] = ["-c", "arborist.hook.level.H206=off"];

/// The formats of repositories, as options of `git init`.
const FORMATS: [&str; 3] = ["", "--object-format=sha256", "--ref-format=reftable"];

/// Guarded repositories that all tests copy, made once and removed with the last test.
struct Models(Mutex<Weak<Vec<Sandbox>>>);

impl Models {
    const fn none_yet() -> Self {
        Self(Mutex::new(Weak::new()))
    }

    fn copies(&self, formats: &[&str]) -> Vec<Sandbox> {
        let mut shared = self.0.lock().unwrap();
        let made = shared.upgrade().unwrap_or_else(|| {
            let all = Sandbox::in_formats(formats);
            all.iter().for_each(fill);
            Arc::new(all)
        });
        *shared = Arc::downgrade(&made);
        drop(shared);
        thread_local!(static HELD: RefCell<Option<Arc<Vec<Sandbox>>>> = const { RefCell::new(None) });
        HELD.set(Some(Arc::clone(&made)));
        made.iter().map(Sandbox::copied).collect()
    }
}

/// A guarded repository: on `main` a person's commit, two steps of T1 and another one of a person's; on `side` the first
/// of these and a step of T2.
fn guarded() -> Vec<Sandbox> {
    static MODELS: Models = Models::none_yet();
    MODELS.copies(&FORMATS[..1])
}

/// The same in every format of repositories, where ids or the storage of references could make a difference.
fn guarded_in_every_format() -> Vec<Sandbox> {
    static MODELS: Models = Models::none_yet();
    MODELS.copies(&FORMATS)
}

fn fill(sandbox: &Sandbox) {
    sandbox.git(&INSTALL).ok();
    grow(sandbox, "first\n").quiet();
    sandbox.git(&["switch", "-q", "-c", "side"]).quiet();
    grow(sandbox, &step("T2", "implement", "pass")).quiet();
    sandbox.git(&["switch", "-q", "main"]).quiet();
    grow(sandbox, &step("T1", "implement", "pass")).quiet();
    grow(sandbox, &step("T1", "test", "pass")).quiet();
    grow(sandbox, "a person's\n").quiet();
}

/// Commits a file of its own.
fn grow(sandbox: &Sandbox, message: &str) -> Said {
    let count = sandbox.git(&["rev-list", "--count", "--all", "--reflog"]).out;
    sandbox.write(&format!("file-{}", count.trim()), message);
    sandbox.git(&["add", "-A"]).ok();
    sandbox.git(&["commit", "-q", "-m", message])
}

fn references(sandbox: &Sandbox) -> String {
    sandbox.git(&["for-each-ref"]).ok().out
}

fn id(sandbox: &Sandbox, revision: &str) -> String {
    sandbox.git(&["rev-parse", revision]).ok().out.trim().to_owned()
}

fn with_input(sandbox: &Sandbox, args: &[&str], input: &str) -> Said {
    with_input_in(sandbox, &sandbox.repo(), args, input)
}

fn with_input_in(sandbox: &Sandbox, folder: &Path, args: &[&str], input: &str) -> Said {
    let mut command = sandbox.command(folder, "git");
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Said::of(child.wait_with_output().unwrap())
}

/// Makes so many steps on `main` of another repository.
fn import_steps(sandbox: &Sandbox, folder: &Path, count: usize) {
    let mut stream = String::new();
    for number in 0..count {
        let message = step(&format!("T{number}"), "implement", "pass");
        let from = if number == 0 { "from refs/heads/main^0\n" } else { "" };
        stream += &format!(
            "commit refs/heads/main\ncommitter A <a@example.com> {} +0000\ndata {}\n{message}\n{from}\n",
            2_000_000_000 + number,
            message.len()
        );
    }
    with_input_in(sandbox, folder, &["fast-import", "--quiet"], &stream).ok();
}

/// Asserts that the command succeeded and the guard printed nothing.
trait Passes {
    fn quiet(self) -> Self;
    fn stopped(self, subject: &str) -> Self;
}

impl Passes for Said {
    #[track_caller]
    fn quiet(self) -> Self {
        let said = self.ok();
        assert!(!said.err.contains("arborist") && !said.err.contains("H206"), "{said:?}");
        said
    }

    /// Asserts that the guard stopped the command because of a step with this subject.
    #[track_caller]
    fn stopped(self, subject: &str) -> Self {
        let said = self.refused();
        for words in ["error[H206]", subject, "No branch was changed", "git -c arborist.hook.level.H206=off"]
        {
            assert!(said.err.contains(words), "{words}: {said:?}");
        }
        said
    }
}

#[test]
fn the_guard_is_installed_only_on_request_and_shown_and_removed_with_the_others() {
    let sandbox = Sandbox::with_repo();
    let file = sandbox.hook_path("reference-transaction");
    assert!(!sandbox.arborist(&["hooks", "install"]).ok().out.contains("reference-transaction"));
    assert!(!file.exists());
    let status = sandbox.arborist(&["hooks", "status"]).ok().out;
    assert!(status.contains("reference-transaction: not installed"), "{status}");
    sandbox.git(&INSTALL).ok();
    assert!(sandbox.git(&INSTALL).ok().out.contains("reference-transaction: is in"));
    assert!(sandbox.arborist(&["hooks", "status"]).ok().out.contains("reference-transaction: is in"));
    sandbox.arborist(&["hooks", "uninstall"]).ok();
    assert!(!file.exists());
    let bare = sandbox.root().join("bare.git");
    sandbox.git(&["init", "-q", "--bare", bare.to_str().unwrap()]).ok();
    sandbox.git_in(&bare, &["arborist", "hooks", "install"]).ok();
    let status = sandbox.git_in(&bare, &["arborist", "hooks", "status"]).ok().out;
    assert!(status.contains("pre-receive: is in"), "{status}");
    assert!(status.contains("reference-transaction: not installed"), "{status}");
}

#[test]
fn commands_that_would_drop_steps_of_the_current_branch_are_stopped() {
    for sandbox in guarded_in_every_format() {
        let before = references(&sandbox);
        for args in [
            &["reset", "-q", "--hard", "HEAD~3"][..],
            &["reset", "-q", "--soft", "HEAD~3"],
            &["reset", "-q", "--keep", "HEAD~3"],
            &["checkout", "-q", "-B", "main", "HEAD~3"],
            &["switch", "-q", "-C", "main", "HEAD~3"],
            &["switch", "-q", "-C", "main", "side"],
            &["update-ref", "refs/heads/main", "HEAD~3"],
            &["update-ref", "HEAD", "HEAD~3", "HEAD"],
            &["update-ref", "-d", "refs/heads/main"],
            &["update-ref", "-d", "HEAD", "HEAD"],
        ] {
            let said = sandbox.git(args).stopped("task(T1): implement");
            assert!(said.err.contains("would drop 2 step(s) from main"), "{said:?}");
            assert!(said.err.contains("task(T1): tests pass") && !said.err.contains("T2"), "{said:?}");
            assert_eq!(references(&sandbox), before, "{args:?}");
            sandbox.git(&["reset", "-q", "--hard"]).quiet();
            assert_eq!(sandbox.git(&["status", "--porcelain"]).out, "", "{args:?}");
        }
        // A person's commit on top may go, and then the step below it is rewritten.
        sandbox.git(&["reset", "-q", "--hard", "HEAD~"]).quiet();
        let before = references(&sandbox);
        let said = sandbox.git(&["commit", "-q", "--amend", "-m", "better words"]);
        assert!(!said.stopped("task(T1): tests pass").err.contains("task(T1): implement"));
        assert_eq!(references(&sandbox), before);
    }
}

#[test]
fn commands_that_would_drop_steps_of_another_branch_are_stopped() {
    for sandbox in guarded_in_every_format() {
        sandbox.git(&["branch", "bare", "HEAD~3"]).quiet();
        let old = id(&sandbox, "side");
        for packed in [false, true] {
            if packed {
                sandbox.git(&["pack-refs", "--all"]).quiet();
            }
            let before = references(&sandbox);
            for args in [
                &["branch", "-D", "side"][..],
                &["branch", "-D", "bare", "side"],
                &["branch", "-f", "side", "main"],
                &["checkout", "-q", "-B", "side", "main"],
                &["update-ref", "refs/heads/side", "main"],
                &["update-ref", "refs/heads/side", "main", &old],
                &["update-ref", "-d", "refs/heads/side"],
                &["update-ref", "-d", "refs/heads/side", &old],
                &["fetch", "-q", ".", "+main:side"],
                &["push", "-q", ".", "+main:side"],
                &["push", "-q", ".", ":side"],
            ] {
                let said = sandbox.git(args).stopped("task(T2): implement");
                assert!(!said.err.contains("T1"), "{said:?}");
                assert_eq!(references(&sandbox), before, "{args:?}");
                assert_eq!(sandbox.git(&["status", "--porcelain"]).out, "", "{args:?}");
            }
        }
    }
}

#[test]
fn a_rebase_of_steps_ends_before_the_branch_moves_and_the_way_back_is_named() {
    for sandbox in guarded() {
        let before = references(&sandbox);
        let said = sandbox.git(&["rebase", "-q", "side"]).stopped("task(T1): implement");
        assert!(said.err.contains("`git rebase --abort`"), "{said:?}");
        sandbox.git(&["rebase", "--abort"]).quiet();
        let said = sandbox.git(&["rebase", "-q", "--apply", "side"]).stopped("task(T1): implement");
        assert!(said.err.contains("`git rebase --quit` and `git switch main`"), "{said:?}");
        sandbox.git(&["rebase", "--quit"]).quiet();
        sandbox.git(&["switch", "-q", "main"]).quiet();
        assert_eq!(references(&sandbox), before);
        assert_eq!(sandbox.git(&["status", "--porcelain"]).out, "");
        // Told to, it goes on from there.
        sandbox.git(&["rebase", "-q", "side"]).stopped("task(T1): implement");
        sandbox.git(&[&ALL_THE_SAME[..], &["rebase", "--continue"]].concat()).quiet();
        assert_eq!(id(&sandbox, "main~3"), id(&sandbox, "side"));
    }
}

#[test]
fn a_branch_that_becomes_symbolic_is_guarded_if_git_announces_it() {
    for sandbox in guarded_in_every_format() {
        let announced = sandbox.root().join("announced");
        sandbox.script(
            &sandbox.hook_path("../hooks.pre-arborist/reference-transaction"),
            &format!("grep -q ref: && touch '{}'; :", announced.display()),
        );
        sandbox.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]).quiet();
        let said = sandbox.git(&["symbolic-ref", "refs/heads/side", "refs/heads/main"]);
        if !announced.exists() {
            skip("this git says nothing of references that name others");
            continue;
        }
        said.stopped("task(T2): implement");
        // A symbolic reference keeps no commits: it neither loses any nor saves its branch.
        sandbox.git(&["reset", "-q", "--hard", "HEAD~3"]).stopped("task(T1): implement");
        sandbox.git(&["symbolic-ref", "-d", "refs/heads/alias"]).quiet();
        sandbox.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]).quiet();
        sandbox.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/side"]).quiet();
        sandbox.git(&["branch", "-D", "alias"]).quiet();
    }
}

#[test]
fn a_symbolic_reference_to_a_branch_does_not_keep_its_steps() {
    for sandbox in guarded() {
        sandbox.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]).quiet();
        sandbox.git(&["reset", "-q", "--hard", "HEAD~3"]).stopped("task(T1): implement");
        sandbox.git(&["reset", "-q", "--hard"]).quiet();
        // Through the other name it is the same branch.
        sandbox.git(&["symbolic-ref", "HEAD", "refs/heads/alias"]).quiet();
        sandbox.git(&["reset", "-q", "--hard", "HEAD~3"]).stopped("task(T1): implement");
        sandbox.git(&["reset", "-q", "--hard"]).quiet();
        grow(&sandbox, "another person's\n").quiet();
        sandbox.git(&["commit", "-q", "--amend", "-m", "other words"]).quiet();
    }
}

#[test]
fn the_guard_can_be_overridden() {
    for sandbox in guarded() {
        let told = |args: &[&str]| sandbox.git(&[&ALL_THE_SAME[..], args].concat()).quiet();
        told(&["branch", "-D", "side"]);
        told(&["reset", "-q", "--hard", "HEAD~2"]);
        told(&["commit", "-q", "--amend", "-m", "other words"]);
        sandbox.git(&["config", "arborist.hook.level.H206", "warning"]).ok();
        grow(&sandbox, &step("T1", "implement", "pass")).quiet();
        let said = sandbox.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
        assert!(said.err.contains("warning[H206]") && !said.err.contains("No branch"), "{said:?}");
        sandbox.git(&["config", "--unset", "arborist.hook.level.H206"]).ok();
        grow(&sandbox, &step("T1", "implement", "pass")).quiet();
        sandbox.git(&["reset", "-q", "--hard", "HEAD~"]).stopped("task(T1): implement");
        sandbox.git(&["-c", "core.hooksPath=/dev/null", "reset", "-q", "--hard", "HEAD~"]).quiet();
        grow(&sandbox, &step("T1", "implement", "pass")).quiet();
        sandbox.arborist(&["hooks", "uninstall", "--type", "reference-transaction"]).ok();
        sandbox.git(&["reset", "-q", "--hard", "HEAD~"]).quiet();
    }
}

#[test]
fn steps_that_another_reference_keeps_may_be_removed_from_a_branch() {
    for sandbox in guarded() {
        let tip = id(&sandbox, "main");
        for keeper in
            ["refs/heads/other", "refs/tags/kept", "refs/remotes/origin/main", "refs/arborist/rescue/x"]
        {
            sandbox.git(&["update-ref", keeper, &tip]).quiet();
            sandbox.git(&["reset", "-q", "--hard", "HEAD~3"]).quiet();
            sandbox.git(&["reset", "-q", "--hard", &tip]).quiet();
            if keeper != "refs/heads/other" {
                sandbox.git(&["update-ref", "-d", keeper]).quiet();
            } else {
                sandbox.git(&["branch", "-D", "other"]).quiet();
            }
            sandbox.git(&["reset", "-q", "--hard", "HEAD~3"]).stopped("task(T1): implement");
            sandbox.git(&["reset", "-q", "--hard"]).quiet();
        }
        sandbox.git(&["tag", "-a", "-m", "kept", "kept", &tip]).quiet();
        sandbox.git(&["reset", "-q", "--hard", "HEAD~3"]).quiet();
        // A step that a transaction removes from one branch and adds to another is not lost, in any order.
        let side = id(&sandbox, "side");
        let moved = format!("delete refs/heads/side\ncreate refs/heads/moved {side}\n");
        with_input(&sandbox, &["update-ref", "--stdin"], &moved).quiet();
        let lost = format!("delete refs/heads/moved\ncreate refs/heads/new {tip}\n");
        with_input(&sandbox, &["update-ref", "--stdin"], &lost).stopped("task(T2): implement");
    }
}

#[test]
fn people_can_still_rewrite_their_own_commits() {
    for sandbox in guarded() {
        let git = |args: &[&str]| sandbox.git(args).quiet();
        git(&["commit", "-q", "--amend", "-m", "better words"]);
        git(&["switch", "-q", "-c", "topic", "side"]);
        for number in 0..4 {
            grow(&sandbox, &format!("topic {number}\n")).quiet();
        }
        git(&["rebase", "-q", "--onto", "main", "side"]);
        git(&["rebase", "-q", "--apply", "--onto", "side", "main"]);
        git(&[
            "-c",
            "core.editor=:",
            "-c",
            "sequence.editor=sed -i 2s/pick/squash/",
            "rebase",
            "-q",
            "-i",
            "HEAD~3",
        ]);
        git(&["commit", "-q", "--allow-empty", "-m", "fixup! topic 3"]);
        git(&["-c", "sequence.editor=:", "rebase", "-q", "-i", "--autosquash", "HEAD~3"]);
        git(&["reset", "-q", "--hard", "HEAD~2"]);
        git(&["switch", "-q", "main"]);
        git(&["branch", "-D", "topic"]);
        git(&["branch", "old", "HEAD~1"]);
        git(&["branch", "-f", "old", "HEAD~2"]);
        git(&["branch", "-f", "old", "HEAD"]);
        git(&["branch", "-d", "old"]);
        git(&["merge", "-q", "-m", "Merge side", "side"]);
        git(&["branch", "-d", "side"]);
        git(&["revert", "--no-edit", "HEAD~1"]);
        git(&["switch", "-q", "--orphan", "empty"]);
        git(&["switch", "-q", "main"]);
        git(&["switch", "-q", "--detach", "HEAD~2"]);
        git(&["cherry-pick", "main"]);
        git(&["reset", "-q", "--hard", "HEAD~2"]);
        git(&["switch", "-q", "main"]);
        sandbox.write("file-0", "changed\n");
        git(&["stash", "-q"]);
        git(&["stash", "pop", "-q"]);
        git(&["commit", "-qam", "changed"]);
        git(&["notes", "add", "-m", "a note"]);
        git(&["tag", "v1"]);
        git(&["tag", "-d", "v1"]);
        git(&["bisect", "start", "HEAD", "HEAD~2"]);
        git(&["bisect", "reset"]);
        git(&["fsck", "--strict", "--no-progress"]);
    }
}

#[test]
fn fetching_pulling_and_cloning_work_as_before() {
    for sandbox in guarded() {
        let origin = sandbox.root().join("origin.git");
        let bare = origin.to_str().unwrap();
        let git = |args: &[&str]| sandbox.git(args).quiet();
        git(&["clone", "-q", "--bare", ".", bare]);
        git(&["remote", "add", "origin", bare]);
        git(&["fetch", "-q", "origin"]);
        git(&["branch", "-q", "-u", "origin/main"]);
        // In the other repository, many commits are made, some of them steps, and branches are created and deleted.
        let other = sandbox.root().join("other");
        sandbox.git_in(sandbox.root(), &["clone", "-q", bare, "other"]).ok();
        import_steps(&sandbox, &other, 150);
        sandbox.git_in(&other, &["push", "-q", "origin", "main", "main:gone", ":side"]).ok();
        git(&["fetch", "-q", "--prune", "origin"]);
        git(&["fetch", "-q", "origin", "main:copy"]);
        git(&["merge", "-q", "--ff-only", "origin/main"]);
        sandbox.git_in(&other, &["reset", "-q", "--hard", "HEAD~10"]).ok();
        sandbox.git_in(&other, &["commit", "-q", "--allow-empty", "-m", "a person's"]).ok();
        sandbox.git_in(&other, &["push", "-q", "--force", "origin", "main", ":gone"]).ok();
        git(&["pull", "-q", "--no-rebase", "--no-edit", "--prune"]);
        sandbox.git_in(&other, &["commit", "-q", "--allow-empty", "-m", "another person's"]).ok();
        sandbox.git_in(&other, &["push", "-q"]).ok();
        git(&["branch", "-q", "-D", "copy"]);
        git(&["fetch", "-q", "origin", "+main:copy"]);
        // Fetched steps that are gone on the other side are not lost as long as a local branch has them, but a
        // remote-tracking branch may be the last.
        sandbox.git(&["fetch", "-q", "origin", "+main:side"]).stopped("task(T2): implement");
        git(&["remote", "rename", "origin", "upstream"]);
        git(&["remote", "remove", "upstream"]);
    }
}

#[test]
fn branches_can_be_renamed_as_before() {
    for sandbox in guarded_in_every_format() {
        let git = |args: &[&str]| sandbox.git(args).quiet();
        let (main, side) = (id(&sandbox, "main"), id(&sandbox, "side"));
        for packed in [false, true] {
            let pack = || packed.then(|| git(&["pack-refs", "--all"]));
            pack();
            git(&["branch", "-m", "side", "away"]);
            pack();
            git(&["branch", "-m", "main", "trunk"]);
            pack();
            git(&["branch", "-m", "away", "away/below"]);
            pack();
            git(&["branch", "-m", "away/below", "away"]);
            pack();
            git(&["branch", "-m", "away", "side"]);
            git(&["branch", "-m", "main"]);
            pack();
            assert_eq!((id(&sandbox, "main"), id(&sandbox, "side")), (main.clone(), side.clone()));
        }
        // Over one that has fewer steps.
        git(&["branch", "less", "main~2"]);
        git(&["branch", "-M", "main", "less"]);
        git(&["branch", "-m", "main"]);
        git(&["branch", "-c", "side", "copy"]);
        git(&["branch", "-M", "side", "copy"]);
        git(&["branch", "-M", "copy", "side"]);
        assert_eq!((id(&sandbox, "main"), id(&sandbox, "side")), (main, side));
    }
}

#[test]
fn renaming_over_a_branch_with_other_steps_only_leads_to_a_warning() {
    for sandbox in guarded() {
        for packed in [false, true] {
            if packed {
                sandbox.git(&["pack-refs", "--all"]).quiet();
            }
            sandbox.git(&["branch", "plain", "main~3"]).quiet();
            let (plain, side) = (id(&sandbox, "plain"), id(&sandbox, "side"));
            let said = sandbox.git(&["branch", "-M", "plain", "side"]).ok();
            assert_eq!(id(&sandbox, "side"), plain);
            assert_ne!(sandbox.git(&["rev-parse", "-q", "--verify", "plain"]).status, 0);
            sandbox.git(&["branch", "-f", "side", &side]).quiet();
            if sandbox.repo().join(".git/reftable").exists() {
                skip("git announces no renaming where references are in tables");
                break;
            }
            assert!(said.err.contains("warning[H206]: this drops 1 step(s) from side"), "{said:?}");
            assert!(said.err.contains(&format!("`git branch NAME {}`", &side[..7])), "{said:?}");
        }
    }
}

#[test]
fn packing_references_and_collecting_garbage_work_as_before() {
    for sandbox in guarded_in_every_format() {
        let git = |args: &[&str]| sandbox.git(args).quiet();
        for number in 0..20 {
            git(&["branch", &format!("branch-{number}"), "main"]);
        }
        let before = references(&sandbox);
        git(&["pack-refs", "--all"]);
        assert_eq!(references(&sandbox), before);
        git(&["branch", "-f", "branch-1", "main~3"]);
        grow(&sandbox, &step("T1", "review", "approved")).quiet();
        sandbox.git(&["switch", "-q", "side"]).quiet();
        grow(&sandbox, &step("T2", "test", "pass")).quiet();
        let before = references(&sandbox);
        git(&["pack-refs", "--all"]);
        git(&["reflog", "expire", "--expire=now", "--all"]);
        git(&["gc", "-q", "--prune=now"]);
        git(&["maintenance", "run"]);
        assert_eq!(references(&sandbox), before);
        sandbox.git(&["branch", "-D", "main"]).stopped("task(T1): review");
        if sandbox.repo().join(".git/packed-refs").exists() {
            assert!(!sandbox.repo().join(".git/refs/heads/main").exists(), "it is packed");
        }
        sandbox.git(&["update-ref", "-d", "refs/heads/side"]).stopped("task(T2): test");
    }
}

#[test]
fn linked_work_trees_are_guarded_too_and_can_be_added_and_removed() {
    for sandbox in guarded() {
        let linked = sandbox.root().join("linked");
        sandbox.git(&["worktree", "add", "-q", "../linked", "side"]).quiet();
        let git = |args: &[&str]| sandbox.git_in(&linked, args);
        git(&["commit", "-q", "--allow-empty", "-m", &step("T2", "test", "pass")]).quiet();
        git(&["reset", "-q", "--hard", "HEAD~2"]).stopped("task(T2): tests pass");
        git(&["reset", "-q", "--hard"]).quiet();
        git(&["branch", "-D", "main"]).refused();
        git(&["branch", "-m", "renamed"]).quiet();
        sandbox.git(&["branch", "-m", "renamed", "side"]).quiet();
        git(&["checkout", "-q", "--detach"]).quiet();
        sandbox.git(&["branch", "-D", "side"]).stopped("task(T2): implement");
        git(&["switch", "-q", "side"]).quiet();
        sandbox.git(&["worktree", "move", "../linked", "../moved"]).quiet();
        sandbox.git(&["worktree", "remove", "../moved"]).quiet();
    }
}

#[test]
fn in_a_bare_repository_branches_can_be_renamed_but_not_rewound() {
    for sandbox in guarded_in_every_format() {
        let bare = sandbox.root().join("bare.git");
        sandbox.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]).quiet();
        let git = |args: &[&str]| sandbox.git_in(&bare, args);
        git(&INSTALL).ok();
        git(&["branch", "-f", "side", "main"]).stopped("task(T2): implement");
        git(&["update-ref", "refs/heads/side", "main"]).stopped("task(T2): implement");
        for _ in 0..2 {
            git(&["branch", "-m", "side", "away"]).quiet();
            git(&["branch", "-m", "away", "side"]).quiet();
            git(&["pack-refs", "--all"]).quiet();
        }
        sandbox.git(&["push", "-q", "--force", bare.to_str().unwrap(), "main~3:main"]).stopped("task(T1): ");
        sandbox.git(&["push", "-q", bare.to_str().unwrap(), "main:new"]).quiet();
    }
}

#[test]
fn an_existing_hook_sees_all_states_and_lines_first_and_may_refuse() {
    for sandbox in guarded() {
        let seen = sandbox.root().join("seen");
        let hook = sandbox.hook_path("../hooks.pre-arborist/reference-transaction");
        sandbox.script(&hook, &format!("echo \"$1\" >> '{0}'; cat >> '{0}'", seen.display()));
        grow(&sandbox, "another person's\n").quiet();
        let text = fs::read_to_string(&seen).unwrap();
        let (head, old) = (id(&sandbox, "HEAD"), id(&sandbox, "HEAD~"));
        for state in ["prepared", "committed"] {
            assert!(text.contains(&format!("{state}\n")), "{text}");
        }
        assert!(text.contains(&format!("{old} {head} refs/heads/main\n")), "{text}");
        sandbox.git(&["reset", "-q", "--hard", "HEAD~4"]).stopped("task(T1): implement");
        sandbox.git(&["reset", "-q", "--hard"]).quiet();
        sandbox.script(&hook, "[ \"$1\" != prepared ] || { echo no >&2; exit 3; }");
        let said = grow(&sandbox, "one more\n").refused();
        assert!(said.err.starts_with("no\n") && !said.err.contains("arborist"), "{said:?}");
    }
}

#[test]
fn a_transaction_of_many_references_is_checked_completely() {
    for sandbox in guarded_in_every_format() {
        let tip = id(&sandbox, "main");
        let tags = |from: usize| -> String {
            (from..from + 100).map(|number| format!("create refs/tags/t{number} {tip}\n")).collect()
        };
        with_input(&sandbox, &["update-ref", "--stdin"], &tags(0)).quiet();
        let first = id(&sandbox, "main~3");
        let lines = format!("{}update refs/heads/side {first}\n", tags(100));
        with_input(&sandbox, &["update-ref", "--stdin"], &lines).stopped("task(T2): implement");
        let branches: String =
            (0..100).map(|number| format!("create refs/heads/b{number} {tip}\n")).collect();
        with_input(&sandbox, &["update-ref", "--stdin"], &branches).quiet();
        let moved = branches.replace("create", "update").replace(&tip, &first);
        with_input(&sandbox, &["update-ref", "--stdin"], &moved).quiet();
    }
}

#[test]
fn an_error_of_the_guard_itself_stops_nothing() {
    for sandbox in guarded() {
        // The program is missing.
        let system = sandbox.path_without_us();
        let alone = std::env::join_paths(&system).unwrap();
        let with_path = |path: &std::ffi::OsStr, args: &[&str]| {
            let mut git = sandbox.command(&sandbox.repo(), "git");
            sandbox.run(git.env("PATH", path).args(args))
        };
        let commit = ["commit", "-q", "--allow-empty", "-m", "one more"];
        let said = with_path(&alone, &commit).ok();
        assert_eq!(said.err, "git-arborist-hooks is not on PATH: dropped steps are not noticed\n");
        // The program fails in some way, or has another version.
        for end in ["exit 2", "exit 101", "kill -9 $$", "exit 127"] {
            let folder = sandbox.root().join("broken");
            sandbox.script(&folder.join("git-arborist-hooks"), end);
            let path = std::env::join_paths(std::iter::once(folder).chain(system.clone())).unwrap();
            with_path(&path, &commit).ok();
            with_path(&path, &["reset", "-q", "--hard", "HEAD~"]).ok();
        }
        // What git says is not understood.
        for text in ["x y refs/heads/main\n", "refs/heads/main refs/heads/main\n", "1 2 3 refs/heads/main\n"]
        {
            let mut hook = sandbox.command(&sandbox.repo(), ".git/hooks/reference-transaction");
            hook.arg("prepared").stdin(Stdio::piped()).stderr(Stdio::piped());
            let mut child = hook.spawn().unwrap();
            child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
            let said = Said::of(child.wait_with_output().unwrap()).ok();
            assert!(said.err.contains("git continues"), "{said:?}");
        }
        // What the branch names is broken.
        let tip = id(&sandbox, "side");
        let object = sandbox.repo().join(format!(".git/objects/{}/{}", &tip[..2], &tip[2..]));
        if object.is_file() {
            fs::remove_file(&object).unwrap();
            let said = sandbox.git(&["update-ref", "-d", "refs/heads/side"]).ok();
            assert!(said.err.contains("git continues"), "{said:?}");
        }
    }
}

#[test]
fn a_whole_run_works_in_a_guarded_repository() {
    for sandbox in Sandbox::in_formats(&FORMATS) {
        sandbox.git(&INSTALL).ok();
        let nodes = r#"{"nodes": {"p": {"id": "p", "name": "P", "children": ["T1", "T2"]},
            "T1": {"id": "T1", "name": "x", "parent": "p", "test_commands": [{"type": "unit", "command": "test -s T1"}]},
            "T2": {"id": "T2", "name": "y", "parent": "p", "test_commands": [{"type": "unit", "command": "test -s T2"}]}}}"#;
        sandbox.write("task-tree.json", nodes);
        sandbox.git(&["add", "-A"]).ok();
        sandbox.git(&["commit", "-q", "-m", "Add the plan"]).quiet();
        sandbox.git(&["config", "arborist.runner", "mine"]).ok();
        let agent = "cat >prompt; rm prompt; case $ARBORIST_STEP-$ARBORIST_ATTEMPT in implement-0) : >$ARBORIST_TASK;; \
                     implement-*) echo done >$ARBORIST_TASK;; *) echo APPROVED;; esac";
        sandbox.git(&["config", "arborist.runner.mine.command", agent]).ok();
        let run = |args: &[&str]| {
            let said = sandbox.arborist(args).ok();
            assert!(!said.err.contains("H206") && !said.err.contains("git continues"), "{said:?}");
            said
        };
        run(&["gardener"]);
        assert!(run(&["status"]).out.contains("2/2 complete"));
        run(&["prune"]);
        run(&["rescue", "list"]);
        let steps = sandbox.git(&["log", "--format=%(trailers:key=Arborist-Step,valueonly)"]).out;
        assert!(steps.lines().filter(|line| !line.is_empty()).count() >= 13, "{steps}");
        sandbox.git(&["reset", "-q", "--hard", "HEAD~2"]).stopped("phase(p): complete");
    }
}

#[test]
fn with_husky_the_guard_says_that_it_would_never_run() {
    let sandbox = Sandbox::with_repo();
    fs::create_dir_all(sandbox.repo().join(".husky/_")).unwrap();
    sandbox.git(&["config", "core.hooksPath", ".husky/_"]).ok();
    let said = sandbox.git(&INSTALL).refused();
    assert!(
        said.out.contains("reference-transaction: not installed, since husky has no such hook"),
        "{said:?}"
    );
    assert!(!Path::new(&sandbox.repo().join(".husky/reference-transaction")).exists());
}
