//! Pushes against a real server: who wins, and how every other answer is understood.

use std::fs;
use std::path::Path;

use git_arborist::git::{BranchesToFetch, Fetching, Git, NewCommit, PushEnd, RefUpdate};
use git_arborist::record::CommitId;

use crate::support::repo::write_program;

use super::server::{Server, clone_of, run};

fn git_in(folder: &Path) -> Git {
    Git::find(folder).unwrap()
}

fn id(folder: &Path, revision: &str) -> CommitId {
    CommitId::from_hex(run(folder, &["rev-parse", revision]).as_bytes()).unwrap()
}

/// A commit on top of another one, which nobody else makes.
fn own(git: &Git, on: CommitId, words: &str) -> CommitId {
    let tree = run(git.dir(), &["rev-parse", &format!("{on}^{{tree}}")]);
    let message = format!("claimed {words}\n").into_bytes();
    git.new_commit(&NewCommit { tree, parents: vec![on], message, author: None, date: None, signed: false })
        .unwrap()
}

fn update(branch: &str, from: Option<CommitId>, to: Option<CommitId>) -> RefUpdate {
    RefUpdate { branch: branch.to_owned(), from, to }
}

/// How many rounds there are: a few, or as many as the variable `CLAIM_ROUNDS` says.
fn rounds() -> usize {
    std::env::var("CLAIM_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(20)
}

#[test]
fn of_eight_who_claim_a_task_at_once_exactly_one_wins() {
    const CLAIMANTS: usize = 8;
    let Some(server) = Server::start() else { return };
    let clone = clone_of(&server.url());
    let base = id(clone.path(), "HEAD");
    let git_dir = clone.path().join(".git");
    for round in 0..rounds() {
        let branch = format!("arborist/p/T{round}");
        let barrier = std::sync::Barrier::new(CLAIMANTS);
        let claims: Vec<CommitId> = (0..CLAIMANTS)
            .map(|claimant| own(&git_in(clone.path()), base, &format!("{round} {claimant}")))
            .collect();
        let ends: Vec<PushEnd> = std::thread::scope(|scope| {
            let push = |claim: CommitId| {
                let (branch, barrier, folder, git_dir) = (&branch, &barrier, clone.path(), &git_dir);
                scope.spawn(move || {
                    barrier.wait();
                    git_in(folder)
                        .push_updates(git_dir, "origin", &[update(branch, None, Some(claim))])
                        .unwrap()
                })
            };
            let pushing: Vec<_> = claims.iter().copied().map(push).collect();
            pushing.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let winners: Vec<usize> = (0..CLAIMANTS).filter(|one| ends[*one] == PushEnd::Moved).collect();
        let [winner] = winners[..] else { panic!("round {round}: {ends:?}") };
        assert_eq!(id(&server.bare(), &branch), claims[winner], "round {round}");
        assert!(
            ends.iter().all(|end| matches!(end, PushEnd::Moved | PushEnd::Elsewhere)),
            "round {round}: {ends:?}"
        );
    }
}

#[test]
fn a_push_expects_what_it_has_seen_and_never_goes_back() {
    let Some(server) = Server::start() else { return };
    let clone = clone_of(&server.url());
    let git = git_in(clone.path());
    let base = id(clone.path(), "HEAD");
    let git_dir = clone.path().join(".git");
    let (first, other) = (own(&git, base, "first"), own(&git, base, "other"));
    let second = own(&git, first, "second");
    let push = |from, to| git.push_updates(&git_dir, "origin", &[update("arborist/p/T1", from, to)]).unwrap();
    assert_eq!(push(None, Some(first)), PushEnd::Moved);
    // The same again, after an answer that was lost.
    assert_eq!(push(None, Some(first)), PushEnd::Moved);
    assert_eq!(push(None, Some(other)), PushEnd::Elsewhere);
    assert_eq!(push(Some(base), Some(second)), PushEnd::Elsewhere);
    assert_eq!(push(Some(first), Some(other)), PushEnd::Elsewhere);
    assert_eq!(push(Some(first), Some(second)), PushEnd::Moved);
    assert_eq!(push(Some(first), None), PushEnd::Elsewhere);
    assert_eq!(id(&server.bare(), "arborist/p/T1"), second);
    // A branch that is gone does not come back.
    assert_eq!(push(Some(second), None), PushEnd::Moved);
    assert_eq!(push(Some(second), Some(own(&git, second, "late"))), PushEnd::Elsewhere);
    // Both or none.
    assert_eq!(push(None, Some(first)), PushEnd::Moved);
    let merge = own(&git, base, "merge");
    let both = |expected| {
        let updates =
            [update("main", Some(base), Some(merge)), update("arborist/p/T1", Some(expected), None)];
        git.push_updates(&git_dir, "origin", &updates).unwrap()
    };
    assert_eq!(both(second), PushEnd::Elsewhere);
    assert_eq!(id(&server.bare(), "main"), base);
    assert_eq!(both(first), PushEnd::Moved);
    assert_eq!(run(&server.bare(), &["for-each-ref", "--format=%(refname)"]), "refs/heads/main");
}

#[test]
fn only_the_branches_that_are_wanted_are_fetched() {
    let Some(server) = Server::start() else { return };
    let clone = clone_of(&server.url());
    let git = git_in(clone.path());
    let base = id(clone.path(), "HEAD");
    let git_dir = clone.path().join(".git");
    for branch in ["arborist/p/T1", "arborist/p/T10", "arborist/other/T1", "topic"] {
        let made = own(&git, base, branch);
        assert_eq!(
            git.push_updates(&git_dir, "origin", &[update(branch, None, Some(made))]).unwrap(),
            PushEnd::Moved
        );
    }
    let fetch = |branch, below: &[&str]| {
        let below: Vec<String> = below.iter().map(|&start| start.to_owned()).collect();
        git.fetch_tips("origin", BranchesToFetch { branch, below: &below }).unwrap()
    };
    let names = |fetching| match fetching {
        Fetching::Tips(tips) => tips.into_keys().collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(names(fetch(Some("main"), &["arborist/p/"])), ["arborist/p/T1", "arborist/p/T10", "main"]);
    assert_eq!(names(fetch(None, &["arborist/none/"])), [""; 0]);
    run(&server.bare(), &["update-ref", "-d", "refs/heads/arborist/p/T10"]);
    assert_eq!(names(fetch(Some("main"), &["arborist/p/T1"])), ["arborist/p/T1", "main"]);
    assert_eq!(fetch(Some("nowhere"), &[]), Fetching::Missing("nowhere".to_owned()));
    let url = server.url();
    drop(server);
    let end = fetch(Some("main"), &[]);
    assert!(matches!(&end, Fetching::Silent(said) if !said.is_empty()), "{url}: {end:?}");
}

#[test]
fn a_remote_repository_that_does_not_accept_pushes_says_so_and_a_silent_one_is_unclear() {
    let Some(server) = Server::start() else { return };
    let clone = clone_of(&server.url());
    let git = git_in(clone.path());
    let base = id(clone.path(), "HEAD");
    let git_dir = clone.path().join(".git");
    let claim = own(&git, base, "a");
    let push =
        || git.push_updates(&git_dir, "origin", &[update("arborist/p/T1", None, Some(claim))]).unwrap();
    let hook = |name: &str, text: &str| {
        let file = server.bare().join("hooks").join(name);
        write_program(&file, format!("#!/bin/sh\n{text}\n").as_bytes());
        file
    };
    let refused = |words: &str| match push() {
        PushEnd::Refused(said) => assert!(said.contains(words), "{said}"),
        other => panic!("{other:?}"),
    };
    for name in ["pre-receive", "update"] {
        let file = hook(name, "echo 'no branches today' >&2; exit 1");
        refused("no branches today");
        fs::remove_file(file).unwrap();
    }
    run(&server.bare(), &["update-ref", "refs/heads/arborist/p", &base.to_string()]);
    refused("cannot create");
    run(&server.bare(), &["update-ref", "-d", "refs/heads/arborist/p"]);
    let local = clone.path().join(".git/hooks/pre-push");
    write_program(&local, b"#!/bin/sh\necho 'not from here' >&2; exit 1\n");
    refused("not from here");
    fs::remove_file(&local).unwrap();
    // A remote repository that is only read.
    let path = server.bare();
    run(clone.path(), &["remote", "set-url", "origin", path.to_str().unwrap()]);
    assert_eq!(run(&path, &["config", "transfer.hideRefs", "refs/heads/arborist"]), "");
    refused("hidden ref");
    run(&path, &["config", "--unset", "transfer.hideRefs"]);
    // It goes away in the middle of the answer.
    let file = hook("post-receive", "kill -9 $(ps -o ppid= -p $PPID) $PPID");
    let end = push();
    assert!(matches!(end, PushEnd::Unclear(_) | PushEnd::Moved), "{end:?}");
    fs::remove_file(file).unwrap();
    run(clone.path(), &["remote", "set-url", "origin", "git://127.0.0.1:1/none"]);
    assert!(matches!(push(), PushEnd::Unclear(_)));
}
