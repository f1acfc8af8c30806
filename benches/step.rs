//! Measures the time of a step of `gardener`, compared with the git commands that it cannot do without.
//!
//! `cargo bench --bench step` takes 25 tasks through implement, test, review and complete in work trees of 100 and of
//! 50,000 files, once by `gardener` and once by a bare loop that starts the same agent, test and reviewer and calls
//! `git status`, `git add` and `git commit` where a step needs them. What agents, tests and reviewers take, measured in the
//! loop, is taken off both; what is left of `gardener`, its start included, is printed as a multiple of what is left
//! of the loop. Both take turns on two copies of one repository. `cargo bench --bench step -- 100` takes one size only.
//!
//! Each task adds a test, so that the checks of test counts and of protected files have something to look at. What they
//! take is the difference between `gardener` with its defaults and `gardener` with these checks off. Proofs are off:
//! they run the user's tests again.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TASKS: usize = 25;
/// The steps of a task that goes well.
const STEPS: usize = 4;
/// How many files the work tree has, and how often both are run.
const SIZES: [(usize, usize); 2] = [(100, 11), (50_000, 5)];
/// The agent and the reviewer, as a command of the user's own.
const RUNNER: &str = "cat > /dev/null; case $ARBORIST_STEP in \
                      implement) mkdir -p tests; echo \"assert True\" > \"tests/test_$ARBORIST_TASK.py\";; *) echo APPROVED;; esac";

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|size| size.parse().ok()).collect();
    for (files, rounds) in SIZES {
        if sizes.is_empty() || sizes.contains(&files) {
            measure(files, rounds);
        }
    }
}

/// What is left of one run of each, without what it started for the work itself.
struct Round {
    gardener: Duration,
    /// `gardener` without the checks of counts and protected files.
    unchecked: Duration,
    bare: Duration,
    work: Duration,
}

fn measure(files: usize, rounds: usize) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let (ours, bare) = (Copy::new(folder.path(), "ours", files), Copy::new(folder.path(), "bare", files));
    let mut taken = Vec::new();
    for round in 0..=rounds {
        let (loop_, work) = bare.bare_loop();
        // They take turns in going first.
        let mut timed = [Duration::ZERO; 2];
        for place in [round % 2, 1 - round % 2] {
            timed[place] = ours.gardener([Checks::On, Checks::Off][place]);
            ours.start_again();
        }
        let [gardener, unchecked] = timed;
        // The first round warms the caches.
        if round > 0 {
            let left = |time: Duration| time.saturating_sub(work);
            let (gardener, unchecked) = (left(gardener), left(unchecked));
            taken.push(Round { gardener, unchecked, bare: left(loop_), work });
        }
        bare.start_again();
    }
    let steps = (TASKS * STEPS) as f64;
    let a_step = |time: Duration| time.as_secs_f64() * 1e3 / steps;
    let median = |value: &dyn Fn(&Round) -> f64| {
        let mut values: Vec<f64> = taken.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    println!(
        "{files} files: a step of gardener {:.2} ms, its git calls alone {:.2} ms: x {:.2} (agents and tests, taken off: {:.2} ms)",
        median(&|round| a_step(round.gardener)),
        median(&|round| a_step(round.bare)),
        median(&|round| round.gardener.as_secs_f64() / round.bare.as_secs_f64()),
        median(&|round| a_step(round.work)),
    );
    println!(
        "{files} files: counts and protected files take {:.2} ms a step (x {:.3})",
        median(&|round| a_step(round.gardener) - a_step(round.unchecked)),
        median(&|round| round.gardener.as_secs_f64() / round.unchecked.as_secs_f64()),
    );
}

/// Whether test counts and protected files are checked.
#[derive(Clone, Copy)]
enum Checks {
    On,
    Off,
}

/// One of the two repositories.
struct Copy {
    folder: PathBuf,
    home: PathBuf,
}

impl Copy {
    fn new(root: &Path, name: &str, files: usize) -> Self {
        let (folder, home) = (root.join(name), root.join("home"));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::create_dir_all(&home).expect("a folder");
        let copy = Self { folder, home };
        copy.git(&["init", "-q", "-b", "main"], b"");
        copy.git(&["config", "gc.auto", "0"], b"");
        copy.git(&["config", "maintenance.auto", "false"], b"");
        for number in 0..files {
            let folder = copy.folder.join(format!("lib/part{}", number / 100));
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(folder.join(format!("file{number}.txt")), format!("file {number}\n"))
                .expect("a file");
        }
        std::fs::write(copy.folder.join("task-tree.json"), plan()).expect("the plan");
        copy.git(&["add", "-A"], b"");
        copy.git(&["commit", "-q", "-m", "Begin"], b"");
        copy.git(&["config", "arborist.runner", "mine"], b"");
        copy.git(&["config", "arborist.runner.mine.command", RUNNER], b"");
        // An index in which every file is older than the index itself: otherwise each status reads the newest files.
        std::thread::sleep(Duration::from_millis(1100));
        copy.git(&["update-index", "-q", "--really-refresh"], b"");
        copy.git(&["repack", "-adq"], b"");
        copy.git(&["tag", "begun"], b"");
        copy
    }

    fn command(&self, program: &str) -> Command {
        let bin = Path::new(env!("CARGO_BIN_EXE_git-arborist")).parent().expect("a folder of programs");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(program);
        command.current_dir(&self.folder).env_clear().env("PATH", format!("{}:{path}", bin.display()));
        command.envs([("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C")]);
        command.envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.com")]);
        command.envs([("GIT_COMMITTER_NAME", "A"), ("GIT_COMMITTER_EMAIL", "a@example.com")]);
        command.env("HOME", &self.home).env("ARBORIST_TRUST_PLAN", "true");
        command.env("ARBORIST_TRUST_PROVE", "off").stdout(Stdio::null());
        command
    }

    fn git(&self, args: &[&str], stdin: &[u8]) {
        let mut command = self.command("git");
        run(command.args(args), stdin);
    }

    /// The whole plan by `gardener`.
    fn gardener(&self, checks: Checks) -> Duration {
        let mut command = self.command(env!("CARGO_BIN_EXE_git-arborist-gardener"));
        if matches!(checks, Checks::Off) {
            command.envs([("ARBORIST_TRUST_COUNTS", "off"), ("ARBORIST_TRUST_PROTECT", "off")]);
        }
        let start = Instant::now();
        run(command.stderr(Stdio::null()), b"");
        start.elapsed()
    }

    /// The whole plan by hand: all that was taken, and what the work itself took of it.
    fn bare_loop(&self) -> (Duration, Duration) {
        let (start, mut work) = (Instant::now(), Duration::ZERO);
        for number in 0..TASKS {
            let task = format!("T{number:03}");
            let source = format!("tests/test_{task}.py");
            work += self.work(&task, "implement", RUNNER);
            self.status();
            self.add(&source);
            self.commit(&task, "implement");
            work += self.work(&task, "test", "true");
            self.status();
            self.commit(&task, "test");
            work += self.work(&task, "review", RUNNER);
            self.status();
            self.add_artifact(&format!("spec/logs/{task}.log"));
            self.commit(&task, "review");
            self.add_artifact(&format!("spec/reports/{task}.json"));
            self.commit(&task, "complete");
        }
        (start.elapsed(), work)
    }

    fn work(&self, task: &str, step: &str, script: &str) -> Duration {
        let start = Instant::now();
        let mut command = self.command("sh");
        command.args(["-c", script]).env("ARBORIST_TASK", task).env("ARBORIST_STEP", step);
        run(&mut command, b"Do the work.\n");
        start.elapsed()
    }

    fn status(&self) {
        self.git(&["status", "--porcelain=v2", "-z", "--untracked-files=all"], b"");
    }

    fn add(&self, path: &str) {
        self.git(&["-c", "core.fsync=committed", "add", "--", path], b"");
    }

    fn add_artifact(&self, path: &str) {
        let file = self.folder.join(path);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, format!("{path}\n")).expect("a file");
        self.add(path);
    }

    fn commit(&self, task: &str, step: &str) {
        let message = format!("task({task}): {step}\n\nSaid.\n\nArborist-Step: {step}\nArborist-Retry: 0\n");
        let args = ["-c", "core.fsync=committed"];
        let commit = ["commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-"];
        self.git(&[&args[..], &commit[..]].concat(), message.as_bytes());
    }

    fn start_again(&self) {
        self.git(&["reset", "-q", "--hard", "begun"], b"");
        self.git(&["clean", "-qfdx"], b"");
    }
}

fn run(command: &mut Command, stdin: &[u8]) {
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program starts");
    // A program may end without having read all.
    let _ = child.stdin.take().expect("a pipe").write_all(stdin);
    let status = child.wait().expect("the program ends");
    assert!(status.success(), "{command:?} failed");
}

fn plan() -> String {
    let names: Vec<String> = (0..TASKS).map(|number| format!("T{number:03}")).collect();
    let tasks = names.iter().map(|name| {
        format!(
            r#""{name}": {{"id": "{name}", "name": "Write {name}", "parent": "p", "test_commands": [{{"type": "unit", "command": "true"}}]}}"#
        )
    });
    let tasks: Vec<String> = tasks.collect();
    format!(
        r#"{{"spec_id": "bench", "nodes": {{"p": {{"id": "p", "name": "All", "children": {names:?}}}, {}}}}}"#,
        tasks.join(", ")
    )
}
