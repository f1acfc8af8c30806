//! A run on a remote repository, and workers in clones of their own.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::server::{Server, run};
use crate::support::garden::{Ended, Garden, plan};

/// A repository whose branch `main` is on a server, and the server.
pub(super) struct Field {
    pub(super) garden: Garden,
    pub(super) server: Server,
}

impl Field {
    /// A field with this plan. `None` where there is no git daemon.
    pub(super) fn new(plan: &Value) -> Option<Self> {
        let server = Server::start()?;
        let garden = Garden::new(plan);
        garden.git(&["remote", "add", "origin", &server.url()]);
        garden.git(&["push", "-q", "origin", "HEAD:refs/heads/main"]);
        Some(Self { garden, server })
    }

    /// Three tasks of which the last depends on the first.
    pub(super) fn of_three() -> Option<Self> {
        Self::new(&plan(&[
            ("p1", "", &[], &[]),
            ("T001", "p1", &[], &["test -f T001.txt"]),
            ("T002", "p1", &[], &["test -f T002.txt"]),
            ("T003", "p1", &["T001"], &["test -f T003.txt"]),
        ]))
    }

    /// `git arborist work` for the server.
    pub(super) fn work(&self, args: &[&str]) -> Command {
        let temporary = self.garden.root().join("temporary");
        fs::create_dir_all(&temporary).unwrap();
        let mut command = self.garden.arborist(&["work", "--remote", "origin", "--branch", "main"]);
        command.args(args).env("TMPDIR", temporary);
        command
    }

    /// Runs it to its end.
    pub(super) fn worked(&self, args: &[&str]) -> Ended {
        self.garden.finish(self.work(args))
    }

    /// git in the repository of the server, which must succeed.
    pub(super) fn there(&self, args: &[&str]) -> String {
        run(&self.server.bare(), args)
    }

    /// The branches of the server.
    pub(super) fn branches(&self) -> Vec<String> {
        let listed = self.there(&["for-each-ref", "--format=%(refname:lstrip=2)"]);
        listed.lines().map(str::to_owned).collect()
    }

    /// The subjects of a branch of the server, newest first.
    pub(super) fn subjects(&self, branch: &str) -> Vec<String> {
        self.there(&["log", "--format=%s", branch, "--"]).lines().map(str::to_owned).collect()
    }

    /// The folders that workers have left.
    pub(super) fn left(&self) -> usize {
        fs::read_dir(self.garden.root().join("temporary")).map_or(0, Iterator::count)
    }

    /// Asserts that every task was integrated exactly once, that nothing is left, and that nothing is damaged.
    #[track_caller]
    pub(super) fn check_merged(&self, tasks: &[&str]) {
        let merges = self.there(&["log", "--first-parent", "--format=%s", "main"]);
        for task in tasks {
            let count = merges.lines().filter(|line| line.ends_with(&format!("/{task})"))).count();
            assert_eq!(count, 1, "{task}: {merges}");
            let ends = format!("task({task}): complete ");
            let made = self.subjects("main").iter().filter(|subject| subject.starts_with(&ends)).count();
            assert!(made >= 1, "{task}");
        }
        assert_eq!(self.branches(), ["main"]);
        self.there(&["fsck", "--strict", "--no-dangling"]);
    }

    /// The same, and that the history has no faults.
    #[track_caller]
    pub(super) fn check_complete(&self, tasks: &[&str]) {
        self.check_merged(tasks);
        let clone = self.garden.root().join("checked");
        self.garden.git(&["clone", "-q", &self.server.url(), clone.to_str().unwrap()]);
        let mut status = self.garden.arborist(&["status", "--json"]);
        status.current_dir(&clone);
        let ended = self.garden.start(status).wait();
        let document: Value = serde_json::from_str(&ended.stdout).unwrap();
        for task in document["tasks"].as_array().unwrap() {
            assert_eq!(task["state"], "complete", "{document:#}");
        }
        let mut check = self.garden.arborist(&["check", "--run"]);
        check.current_dir(&clone);
        self.garden.start(check).wait().assert(0, &[]);
        fs::remove_dir_all(clone).unwrap();
    }

    /// Writes a hook of the server.
    pub(super) fn hook(&self, name: &str, script: &str) {
        let file = self.server.bare().join("hooks").join(name);
        self.garden.program(&file, script);
    }
}
