//! Measures how much time the hook adds to a commit, and how long `check` takes for a history, compared with git or the
//! shell alone.
//!
//! `cargo bench --bench hooks` runs every pair in turn, so that both see the same machine, and prints medians and the
//! median of the paired differences or ratios. `strace`, where it is installed, counts the programs that the hook starts
//! and the files of the repository that it opens on a person's message.

#![expect(clippy::print_stdout, reason = "a measurement prints, and stops where it cannot measure")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const COMMITS: usize = 10_000;

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let repo = folder.path().join("repo");
    std::fs::create_dir(&repo).expect("a folder for the repository");
    let bench = Bench { folder: folder.path().to_owned(), repo };
    bench.run(bench.git(&["init", "-q", "-b", "main"]));
    bench.hook();
    bench.commits();
    for (name, every) in [("all of them steps", 1), ("every tenth a step", 10)] {
        bench.check(name, every);
    }
}

struct Bench {
    folder: PathBuf,
    repo: PathBuf,
}

/// Medians of two programs that ran in turn, and of their paired differences and ratios.
struct Pair {
    first: Duration,
    second: Duration,
    more: f64,
    factor: f64,
}

impl Bench {
    fn command(&self, program: &str) -> Command {
        let bin = Path::new(env!("CARGO_BIN_EXE_git-arborist-hooks")).parent().expect("a folder of programs");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(program);
        command.current_dir(&self.repo).env_clear().env("PATH", format!("{}:{path}", bin.display()));
        command.envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("LC_ALL", "C")]);
        command.envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.com")]);
        command.envs([("GIT_COMMITTER_NAME", "A"), ("GIT_COMMITTER_EMAIL", "a@example.com")]);
        command.env("HOME", &self.folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn git(&self, args: &[&str]) -> Command {
        let mut git = self.command("git");
        git.args(args);
        git
    }

    fn run(&self, mut command: Command) {
        let status = command.status().expect("the program starts");
        assert!(status.success(), "{command:?} failed");
    }

    fn pair(
        &self,
        rounds: usize,
        mut first: impl FnMut() -> Command,
        mut second: impl FnMut() -> Command,
    ) -> Pair {
        let time = |mut command: Command| {
            let start = Instant::now();
            let status = command.status().expect("the program starts");
            let taken = start.elapsed();
            assert!(status.success(), "{command:?} failed");
            taken
        };
        let times: Vec<(Duration, Duration)> =
            (0..rounds + 2).map(|_| (time(first()), time(second()))).skip(2).collect();
        let of = |value: &dyn Fn(&(Duration, Duration)) -> f64| {
            let mut values: Vec<f64> = times.iter().map(value).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        Pair {
            first: Duration::from_secs_f64(of(&|(first, _)| first.as_secs_f64())),
            second: Duration::from_secs_f64(of(&|(_, second)| second.as_secs_f64())),
            more: of(&|(first, second)| second.as_secs_f64() - first.as_secs_f64()),
            factor: of(&|(first, second)| second.as_secs_f64() / first.as_secs_f64()),
        }
    }

    fn hook(&self) {
        self.run(self.git(&["arborist", "hooks", "install", "--type", "commit-msg"]));
        let message = self.folder.join("message");
        let text = "Read sizes from the header\n\nThe parser guessed them, and was wrong for files over 4 GiB.\n\n\
                    Signed-off-by: A <a@example.com>\n";
        std::fs::write(&message, text).expect("the message can be written");
        let shell = || {
            let mut shell = self.command("sh");
            shell.args(["-c", ":"]);
            shell
        };
        let hook = || {
            let mut hook = self.command(self.repo.join(".git/hooks/commit-msg").to_str().expect("a path"));
            hook.arg(&message);
            hook
        };
        let program = || {
            let mut program = self.command(env!("CARGO_BIN_EXE_git-arborist-hooks"));
            program.args(["run", "commit-msg"]).arg(&message);
            program
        };
        self.report("sh -c :", "the hook on a person's message", &self.pair(300, shell, hook));
        self.report("sh -c :", "its program alone", &self.pair(300, shell, program));
        let mut trace = self.command("strace");
        trace.args(["-f", "-e", "trace=execve,openat", "-o", "trace"]);
        trace.arg(env!("CARGO_BIN_EXE_git-arborist-hooks")).args(["run", "commit-msg"]).arg(&message);
        if trace.status().is_ok_and(|status| status.success()) {
            let trace = std::fs::read_to_string(self.repo.join("trace")).unwrap_or_default();
            let started = trace.lines().filter(|line| line.contains("execve(")).count();
            let opened = trace
                .lines()
                .filter(|line| line.contains(".git"))
                .filter(|line| line.contains("openat"))
                .count();
            println!("programs started by it: {}; files opened in .git: {opened}", started.saturating_sub(1));
        }
    }

    fn commits(&self) {
        let commit = |hooks: &str| {
            self.git(&["-c", hooks, "commit", "-q", "--allow-empty", "-m", "Read sizes from the header"])
        };
        let pair = self.pair(100, || commit("core.hooksPath=/dev/null"), || commit("core.editor=true"));
        self.report("git commit without the hook", "git commit with it", &pair);
    }

    /// `check` over a range beside `git log` of the same one.
    fn check(&self, name: &str, every: usize) {
        let branch = format!("refs/heads/history{every}");
        let mut import = self.git(&["fast-import", "--quiet"]);
        let mut child = import.stdin(Stdio::piped()).spawn().expect("git starts");
        let mut input = child.stdin.take().expect("a pipe");
        for number in 0..=COMMITS {
            let message = message(number, every);
            let head = format!(
                "commit {branch}\ncommitter A <a@example.com> {} +0000\ndata {}\n{message}\n",
                1_700_000_000 + number,
                message.len()
            );
            let file = if number == 0 { "M 100644 inline spec/reports/T.json\ndata 3\n{}\n\n" } else { "" };
            input
                .write_all(head.as_bytes())
                .and_then(|()| input.write_all(file.as_bytes()))
                .expect("git reads");
        }
        drop(input);
        assert!(child.wait().expect("git ends").success(), "fast-import failed");
        let range = format!("{branch}~{COMMITS}..{branch}");
        let pair = self.pair(
            25,
            || self.git(&["log", "--format=%B", &range]),
            || {
                let mut check = self.command(env!("CARGO_BIN_EXE_git-arborist-check"));
                check.arg(&range);
                check
            },
        );
        self.report(&format!("git log --format=%B, {COMMITS} commits"), &format!("check ({name})"), &pair);
    }

    fn report(&self, first: &str, second: &str, pair: &Pair) {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        println!(
            "{first}: {:.2} ms; {second}: {:.2} ms; {:+.2} ms, x {:.2}",
            ms(pair.first),
            ms(pair.second),
            pair.more * 1e3,
            pair.factor
        );
    }
}

/// The steps of one task after the other, with people's commits between where not all are steps.
fn message(number: usize, every: usize) -> String {
    let body = "What was printed, line by line, as a runner does it.\n".repeat(12);
    if !number.is_multiple_of(every) {
        return format!("Change {number}\n\n{body}");
    }
    let step = number / every;
    let task = format!("T{}", step / 4);
    match step % 4 {
        0 => format!(
            "task({task}): implement \"x\"\n\n{body}\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n"
        ),
        1 => format!(
            "task({task}): tests pass for \"x\"\n\n{body}\nArborist-Step: test\nArborist-Test: pass\nArborist-Retry: 0\n\
             Arborist-Test-Type: unit\nArborist-Test-Runtime: 1.5\n"
        ),
        2 => format!(
            "task({task}): review approved for \"x\"\n\n{body}\nArborist-Step: review\nArborist-Review: approved\n\
             Arborist-Retry: 0\n"
        ),
        _ => format!(
            "task({task}): complete \"x\"\n\nArborist-Step: complete\nArborist-Result: pass\n\
             Arborist-Report: spec/reports/T.json\n"
        ),
    }
}
