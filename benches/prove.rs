//! Measures the time of `prove`, compared with its three test runs and their set-up.
//!
//! `cargo bench --bench prove` proves one task in repositories of 100 and of 20,000 files. Its tests take half a second, and
//! its set-up a tenth. A bare loop does the same with git alone: for each of the three runs it adds a work tree, takes
//! the other version of the source or of the tests from git, runs the set-up and the tests, and removes the work tree. Both
//! take turns in one repository. The time of `prove`, its start included, is printed as a multiple of that of the loop.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How many files the work tree has, and how often both are run.
const SIZES: [(usize, usize); 2] = [(100, 11), (20_000, 5)];
const SETUP: &str = "sleep 0.1";
const TESTS: &str = "sleep 0.5; grep -q new src/lib.txt && grep -q test tests/a.txt";
const PLAN: &str = r#"{"nodes": {"T1": {"id": "T1", "name": "Change it", "test_commands": [{"type": "unit", "command": "TESTS"}]}}}"#;
const AGENT: &str = "cat > /dev/null; case $ARBORIST_STEP in \
                     implement) echo new > src/lib.txt; echo test more > tests/a.txt;; *) echo APPROVED;; esac";

fn main() {
    for (files, rounds) in SIZES {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        let place = Place::new(folder.path(), files);
        let mut ratios = Vec::new();
        let (mut proofs, mut loops) = (Vec::new(), Vec::new());
        for round in 0..=rounds {
            let (bare, proof) = (place.bare_loop(), place.prove());
            // The first round warms the caches.
            if round > 0 {
                ratios.push(proof.as_secs_f64() / bare.as_secs_f64());
                proofs.push(proof.as_secs_f64());
                loops.push(bare.as_secs_f64());
            }
        }
        println!(
            "{files} files: prove {:.2} s, three test runs with their set-up {:.2} s: x {:.3}",
            median(proofs),
            median(loops),
            median(ratios)
        );
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

struct Place {
    top: PathBuf,
    home: PathBuf,
}

impl Place {
    fn new(root: &Path, files: usize) -> Self {
        let place = Self { top: root.join("work"), home: root.join("home") };
        for folder in [&place.top, &place.home] {
            std::fs::create_dir_all(folder).expect("a folder");
        }
        place.git(&["init", "-q", "-b", "main"]);
        for (key, value) in [
            ("gc.auto", "0"),
            ("arborist.runner", "mine"),
            ("arborist.runner.mine.command", AGENT),
            ("arborist.trust.protect", "off"),
            ("arborist.worktree.setup", SETUP),
        ] {
            place.git(&["config", key, value]);
        }
        for number in 0..files {
            place.write(&format!("lib/part{}/file{number}.txt", number / 100), &format!("file {number}\n"));
        }
        place.write("src/lib.txt", "old\n");
        place.write("tests/a.txt", "test\n");
        place.write("task-tree.json", &PLAN.replace("TESTS", TESTS));
        place.git(&["add", "-A"]);
        place.git(&["commit", "-q", "-m", "Begin"]);
        place.git(&["repack", "-adq"]);
        run(&mut place.arborist(&["gardener"]));
        place
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.top.join(path);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("a file");
    }

    fn command(&self, program: &str) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(program);
        command.current_dir(&self.top).env_clear().env("PATH", path).env("HOME", &self.home);
        command.envs([("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C"), ("ARBORIST_TRUST_PLAN", "true")]);
        command.envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.com")]);
        command.envs([("GIT_COMMITTER_NAME", "A"), ("GIT_COMMITTER_EMAIL", "a@example.com")]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn arborist(&self, args: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_git-arborist"));
        command.args(args);
        command
    }

    fn git(&self, args: &[&str]) {
        run(self.command("git").args(args));
    }

    fn prove(&self) -> Duration {
        let began = Instant::now();
        run(&mut self.arborist(&["prove", "T1"]));
        began.elapsed()
    }

    fn bare_loop(&self) -> Duration {
        let began = Instant::now();
        for other in [None, Some("src"), Some("tests")] {
            let tree = self.top.with_file_name("tree");
            let name = tree.to_str().expect("a name");
            self.git(&["worktree", "add", "-q", "--detach", name, "HEAD"]);
            if let Some(folder) = other {
                self.git(&["-C", name, "checkout", "-q", "HEAD~4", "--", folder]);
            }
            for script in [SETUP, TESTS] {
                // The tests fail in the second tree.
                let _ = self.command("sh").args(["-c", script]).current_dir(&tree).status();
            }
            self.git(&["worktree", "remove", "--force", name]);
        }
        began.elapsed()
    }
}

fn run(command: &mut Command) {
    let status = command.status().expect("the program starts");
    assert!(status.success(), "{command:?}: {status}");
}
