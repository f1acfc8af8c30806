//! Tests the guard of pushes on both sides: steps are never dropped, and broken ones never arrive.

use std::fs;
use std::path::PathBuf;

use crate::support::sandbox::{Sandbox, step};

/// A repository with a bare one as its `origin`; on which side the hooks are.
fn pair(server: &[&str]) -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::with_repo();
    let bare = sandbox.root().join("origin.git");
    fs::create_dir(&bare).unwrap();
    sandbox.git_in(&bare, &["init", "-q", "--bare", "-b", "main"]).ok();
    if !server.is_empty() {
        let args = [&["arborist", "hooks", "install"][..], server].concat();
        sandbox.git_in(&bare, &args).ok();
    }
    sandbox.git(&["remote", "add", "origin", bare.to_str().unwrap()]).ok();
    sandbox.commit("first\n").ok();
    sandbox.commit(&step("T1", "implement", "pass")).ok();
    sandbox.commit(&step("T1", "test", "pass")).ok();
    sandbox.commit("a person's\n").ok();
    (sandbox, bare)
}

#[test]
fn a_server_refuses_to_drop_steps_and_names_them() {
    let (sandbox, bare) = pair(&["--type", "pre-receive"]);
    sandbox.git(&["push", "-q", "origin", "main"]).ok();
    // A person's commit may go.
    sandbox.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
    sandbox.git(&["push", "-q", "--force", "origin", "main"]).ok();
    let before = sandbox.git_in(&bare, &["rev-parse", "main"]).out;
    sandbox.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
    let said = sandbox.git(&["push", "--force", "origin", "main"]).refused();
    assert!(said.err.contains("H206") && said.err.contains("task(T1): tests pass"), "{said:?}");
    assert!(!said.err.contains("task(T1): implement"), "{said:?}");
    assert!(sandbox.git(&["push", "origin", ":main"]).refused().err.contains("would drop 2 step(s)"));
    assert_eq!(sandbox.git_in(&bare, &["rev-parse", "main"]).out, before);
    // As long as another branch holds them, nothing is dropped.
    sandbox.git_in(&bare, &["branch", "keep", "main"]).ok();
    sandbox.git(&["push", "-q", "--force", "origin", "main"]).ok();
    assert!(sandbox.git(&["push", "origin", ":keep"]).refused().err.contains("H206"));
}

#[test]
fn a_server_refuses_broken_trailers_and_names_the_commit() {
    let (sandbox, bare) = pair(&[]);
    sandbox.git_in(&bare, &["arborist", "hooks", "install"]).ok();
    sandbox.commit(&(step("T1", "review", "approved") + "\nCo-authored-by: B <b@example.com>\n")).ok();
    let id = sandbox.git(&["rev-parse", "--short=7", "HEAD"]).out;
    let said = sandbox.git(&["push", "origin", "main"]).refused();
    assert!(said.err.contains("A001") && said.err.contains(id.trim()), "{said:?}");
    assert_ne!(sandbox.git_in(&bare, &["rev-parse", "-q", "--verify", "main"]).status, 0);
    // All or nothing, in one process for all branches.
    sandbox.git(&["branch", "good", "HEAD~"]).ok();
    sandbox.git(&["push", "origin", "main", "good"]).refused();
    sandbox.git(&["push", "-q", "origin", "good"]).ok();
}

#[test]
fn one_pushed_commit_with_countless_findings_is_refused_with_a_short_answer() {
    let (sandbox, _) = pair(&["--type", "pre-receive"]);
    sandbox.git(&["push", "-q", "origin", "main"]).ok();
    let many: String = (0..20_000).map(|number| format!("Arborist-Retri{number}: 1\n")).collect();
    sandbox.commit(&format!("task(T1): x\n\n{many}")).ok();
    let said = sandbox.git(&["push", "origin", "main"]).refused();
    assert!(
        said.err.contains("A010") && said.err.contains("more findings are not shown"),
        "{}",
        said.err.len()
    );
    assert!(said.err.lines().count() < 1000, "{}", said.err.lines().count());
    // And many commits with a few findings each.
    sandbox.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
    (0..30).for_each(|_| drop(sandbox.commit("task(T1): no trailers\n").ok()));
    let said = sandbox.git(&["push", "origin", "main"]).refused();
    assert_eq!(said.err.matches("error[A005]").count(), 20, "{}", said.err);
    assert!(said.err.contains("findings in 10 more commits"), "{}", said.err);
}

#[test]
fn the_pre_push_hook_refuses_the_same_as_the_server() {
    let (sandbox, _) = pair(&[]);
    sandbox.arborist(&["hooks", "install"]).ok();
    assert_eq!(sandbox.git(&["push", "-q", "-u", "origin", "main"]).ok().err, "");
    sandbox.git(&["reset", "-q", "--hard", "HEAD~2"]).ok();
    let said = sandbox.git(&["push", "--force", "origin", "main"]).refused();
    assert!(said.err.contains("H206") && said.err.contains("task(T1): tests pass"), "{said:?}");
    sandbox.git(&["push", "-q", "--force", "--no-verify", "origin", "main"]).ok();
    sandbox.git(&["commit", "-q", "--allow-empty", "--no-verify", "-m", "task(T1): no trailers"]).ok();
    assert!(sandbox.git(&["push", "origin", "main:new"]).refused().err.contains("A005"));
}

#[test]
fn a_push_over_unknown_commits_is_left_to_the_other_side() {
    let (sandbox, bare) = pair(&[]);
    sandbox.git(&["push", "-q", "origin", "main"]).ok();
    let other = sandbox.root().join("other");
    sandbox.git_in(sandbox.root(), &["clone", "-q", bare.to_str().unwrap(), "other"]).ok();
    sandbox.git_in(&other, &["commit", "-q", "--allow-empty", "-m", "elsewhere"]).ok();
    sandbox.git_in(&other, &["push", "-q", "origin", "main"]).ok();
    sandbox.arborist(&["hooks", "install"]).ok();
    let said = sandbox.git(&["push", "--force", "origin", "main"]).ok();
    assert!(said.err.contains("only the other side can tell"), "{said:?}");
}

#[test]
fn a_symbolic_reference_does_not_keep_the_steps_of_its_branch_on_the_other_side() {
    let (sandbox, bare) = pair(&["--type", "pre-receive"]);
    sandbox.git_in(&bare, &["symbolic-ref", "refs/heads/alias", "refs/heads/main"]).ok();
    sandbox.git(&["push", "-q", "origin", "main"]).ok();
    // A clone has such a name of its own, for the branch that HEAD names there.
    sandbox.git(&["remote", "set-head", "origin", "main"]).ok();
    sandbox.git(&["reset", "-q", "--hard", "HEAD~2"]).ok();
    let said = sandbox.git(&["push", "--force", "origin", "main"]).refused();
    assert!(
        said.err.contains("remote: error[H206]") && said.err.contains("task(T1): tests pass"),
        "{said:?}"
    );
    sandbox.arborist(&["hooks", "install", "--type", "pre-push"]).ok();
    let said = sandbox.git(&["push", "--force", "origin", "main"]).refused();
    assert!(said.err.contains("error[H206]") && !said.err.contains("remote:"), "{said:?}");
}
