//! The five ways in which a plan is worked on, with a repository for each.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::support::garden::{Ended, Garden, plan};

/// How a plan is worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    OneBranch,
    Phases,
    Tasks,
    Jobs,
    Work,
}

pub(super) const ALL: [Mode; 5] = [Mode::OneBranch, Mode::Phases, Mode::Tasks, Mode::Jobs, Mode::Work];

/// What the agent knows, and what it does once, in the first step of T001.
const ACT: &str = r#"
OWN=$(git symbolic-ref -q HEAD) RUN=refs/heads/main FIRST=$(git rev-list --max-parents=0 HEAD)
GIT=$(git rev-parse --absolute-git-dir) DIR=$(cd "$(git rev-parse --git-common-dir)" && pwd)
USER=$(dirname "$DIR") OTHER=refs/heads/arborist/trial/$THE_OTHER
forge() { git commit-tree -p "$1" -m "task($2): complete \"Do $2\"" -m "Arborist-Step: complete
Arborist-Result: pass
Arborist-Report: spec/reports/$2.json" "$1^{tree}"; }
plain() { git commit-tree -p "$1" -m Plain "$1^{tree}"; }
"#;

/// A run, its agent, and what belongs to the user.
pub(super) struct Site {
    pub(super) mode: Mode,
    pub(super) garden: Garden,
}

impl Site {
    /// A plan of two tasks in two phases. The user has a branch, a tag, and saved work.
    pub(super) fn new(mode: Mode) -> Self {
        let rows: &[_] = &[
            ("p1", "", &[][..], &[][..]),
            ("T001", "p1", &[], &["test -f T001.txt"]),
            ("p2", "", &[], &[]),
            ("T002", "p2", &[], &["test -f T002.txt"]),
        ];
        let garden = Garden::new(&plan(rows));
        garden.write("kept", "kept\n");
        garden.commit("Kept");
        garden.git(&["switch", "-q", "-c", "precious"]);
        garden.git(&["commit", "-q", "--allow-empty", "-m", "Precious"]);
        garden.git(&["switch", "-q", "main"]);
        for name in ["refs/arborist/rescue/x", "refs/tags/v1"] {
            garden.git(&["update-ref", name, "HEAD"]);
        }
        let site = Self { mode, garden };
        if mode == Mode::Work {
            let bare = site.garden.root().join("bare.git").display().to_string();
            site.garden.git(&["clone", "-q", "--bare", ".", &bare]);
            site.garden.git(&["remote", "add", "origin", &bare]);
        }
        site
    }

    /// Lets the agent of T001 do this once, while T002 is worked on if it can be.
    pub(super) fn agent(&self, act: &str) {
        let other = if self.mode == Mode::Phases { "p2" } else { "T002" };
        let wait =
            if self.mode == Mode::Jobs { "until test -e \"$ROOT/acted\"; do sleep 0.05; done" } else { ":" };
        // Where the agent does not work in the user's work tree, the user commits there meanwhile.
        let users = match self.mode {
            Mode::Tasks | Mode::Jobs => {
                "(cd $USER; echo mine > mine; git add mine; git commit -q -m Mine; sleep 0.3)"
            }
            _ => ":",
        };
        // In a clone, the user's branches are not there.
        let theirs = match self.mode {
            Mode::Work => {
                "git update-ref refs/heads/precious HEAD; git update-ref refs/arborist/rescue/x HEAD; git tag v1"
            }
            _ => ":",
        };
        self.garden.agent(&format!(
            "THE_OTHER={other}\ncase $work in\nT001.implement.0) test -e \"$ROOT/acted\" || {{ {ACT}\n{users}\n{theirs}\n\
             ( {act} ) > \"$ROOT/act.log\" 2>&1; touch \"$ROOT/acted\"; }};;\nT002.implement.0) {wait};;\nesac"
        ));
    }

    fn command(&self) -> Command {
        let args: &[&str] = match self.mode {
            Mode::OneBranch => &["gardener"],
            Mode::Phases => &["gardener", "--branches", "phase"],
            Mode::Tasks => &["gardener", "--branches", "task"],
            Mode::Jobs => &["gardener", "--jobs", "2"],
            Mode::Work => &["work", "--remote", "origin", "--branch", "main"],
        };
        let mut command = self.garden.arborist(args);
        let temporary = self.garden.root().join("temporary");
        std::fs::create_dir_all(&temporary).unwrap();
        command.env("TMPDIR", temporary);
        command
    }

    /// Works on the plan until the run ends.
    pub(super) fn run(&self) -> Ended {
        self.garden.start(self.command()).wait()
    }

    /// The repository that has the results: in a fleet, a new clone of the remote one.
    fn place(&self) -> PathBuf {
        if self.mode != Mode::Work {
            return self.garden.top();
        }
        let clone = self.garden.root().join("clone");
        let _ = fs::remove_dir_all(&clone);
        self.garden.git(&["clone", "-q", "../bare.git", &clone.display().to_string()]);
        clone
    }

    /// A command there.
    pub(super) fn ask(&self, args: &[&str]) -> Ended {
        let mut command = self.garden.arborist(args);
        command.current_dir(self.place());
        self.garden.start(command).wait()
    }

    /// git there.
    pub(super) fn git(&self, args: &[&str]) -> String {
        let output = self.garden.command("git").current_dir(self.place()).args(args).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// The subjects of the user's commits, as far as they were made.
    pub(super) fn users_commits(&self) -> Vec<&'static str> {
        let meanwhile = matches!(self.mode, Mode::Tasks | Mode::Jobs);
        ["Kept", "Precious"].into_iter().chain(meanwhile.then_some("Mine")).collect()
    }

    /// What the user does after a run that was stopped: goes back to the branch, and looks at nothing else.
    pub(super) fn clean_up(&self) {
        let top = self.garden.top();
        for file in [".git/shallow", ".git/objects/info/alternates", ".git/info/grafts"] {
            let _ = fs::remove_file(top.join(file));
        }
        let git = |args: &[&str]| drop(self.garden.try_git(args));
        let head = String::from_utf8_lossy(&self.garden.try_git(&["symbolic-ref", "-q", "HEAD"]).stdout)
            .into_owned();
        match self.mode {
            Mode::Phases if head.contains("/main") || head.contains("/arborist/") => {}
            Mode::Phases => git(&["symbolic-ref", "HEAD", "refs/heads/arborist/trial/p1"]),
            _ => git(&["symbolic-ref", "HEAD", "refs/heads/main"]),
        }
        let _ = fs::remove_dir_all(top.join(".git/refs/replace"));
        git(&["worktree", "remove", "--force", "../evil"]);
        git(&["config", "--unset", "commit.gpgsign"]);
        git(&["config", "--unset", "arborist.review"]);
        git(&["clean", "-q", "-f", "evil"]);
        let slots = fs::read_dir(self.garden.root().join("work.arborist")).into_iter().flatten().flatten();
        for place in slots.map(|slot| slot.path()).chain([top]).filter(|place| place.is_dir()) {
            let files = ["kept", "task-tree.json"];
            for args in [
                &["update-index", "--no-assume-unchanged", "--no-skip-worktree"][..],
                &["checkout", "-q", "HEAD"],
            ] {
                let mut command = self.garden.command("git");
                command.current_dir(&place).args(args).arg("--").args(files);
                let _ = command.output();
            }
        }
    }

    /// The tasks that are complete, as `status` says.
    pub(super) fn complete(&self) -> Vec<String> {
        let document: Value =
            serde_json::from_str(&self.ask(&["status", "--json"]).stdout).unwrap_or_default();
        let tasks = document["tasks"].as_array().cloned().unwrap_or_default();
        let is_complete = |task: &&Value| task["state"] == "complete";
        tasks.iter().filter(is_complete).map(|task| task["id"].as_str().unwrap().to_owned()).collect()
    }

    /// What the act said.
    pub(super) fn said(&self) -> String {
        fs::read_to_string(self.garden.root().join("act.log")).unwrap_or_default()
    }
}
