//! Measures the time and memory of `build` on a large plan.
//!
//! `cargo bench --bench plan` makes a Markdown plan of 5,000 tasks. It prints the time of `build`, the median of some runs, also
//! as a multiple of what `git hash-object` takes to read the same file. Both take turns.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 15;
const BUILT: usize = 5_000;
const A_PHASE: usize = 25;
const WORDS: [&str; 16] = [
    "the", "of", "test", "file", "changed", "error", "module", "added", "function", "line", "value",
    "config", "parser", "with", "fixed", "handler",
];

fn main() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let top = folder.path();
    run(program("git", top).args(["init", "-q"]));
    std::fs::create_dir_all(top.join("specs/001")).expect("a folder");
    std::fs::write(top.join("specs/001/tasks.md"), markdown()).expect("a file");
    let build = ["build", "specs/001/tasks.md", "-o", "built.json"];
    compare(&format!("build of {BUILT} tasks"), top, &build, "specs/001/tasks.md");
}

/// Prints how long our command takes, and `git hash-object` on the file that it reads.
fn compare(name: &str, top: &Path, args: &[&str], file: &str) {
    let (mut ours, mut git) = (program(env!("CARGO_BIN_EXE_git-arborist"), top), program("git", top));
    ours.args(args);
    git.args(["hash-object", file]);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (times, command) in times.iter_mut().zip([&mut ours, &mut git]) {
            let _ = std::fs::remove_file(top.join("built.json"));
            let start = Instant::now();
            run(command);
            times.push(start.elapsed());
        }
    }
    let [ours_took, git_took] = times.map(median);
    let _ = std::fs::remove_file(top.join("built.json"));
    let memory = peak_memory(&mut ours).map(|kib| format!(", {} MiB", kib >> 10)).unwrap_or_default();
    println!(
        "{name}: {:.0} ms, {:.1} times as long as git hash-object{memory}",
        ours_took.as_secs_f64() * 1e3,
        ours_took.as_secs_f64() / git_took.as_secs_f64()
    );
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// A program in a folder, away from all settings of the machine.
fn program(name: &str, folder: &Path) -> Command {
    let mut command = Command::new(name);
    command.current_dir(folder).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn run(command: &mut Command) {
    assert!(command.status().expect("a program").success(), "{command:?} failed");
}

/// The peak memory of a command in KiB, sampled from `/proc` where it exists.
fn peak_memory(command: &mut Command) -> Option<u64> {
    let mut child = command.spawn().ok()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    while child.try_wait().ok()?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = peak.max(line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()));
        std::thread::sleep(Duration::from_micros(100));
    }
    peak
}

/// Some words that depend on a number.
fn words(number: usize, count: usize) -> String {
    let word = |place: usize| WORDS[(number * 7 + place * place * 3 + number / 5) % WORDS.len()];
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

fn markdown() -> String {
    let mut text = "# Tasks\n".to_owned();
    for task in 0..BUILT {
        if task % A_PHASE == 0 {
            write!(text, "\n## Phase {}: {}\n\n", task / A_PHASE + 1, words(task, 3)).expect("a string");
        }
        writeln!(
            text,
            "- [ ] T{:04} [US1] {} in src/m{}/f{task}.rs\n  - {}",
            task + 1,
            words(task, 12),
            task % 300,
            words(task + 3, 10)
        )
        .expect("a string");
    }
    text
}
