//! Measures the time and memory for reading a run, as ratios to `git log` over the same commits.
//!
//! `cargo bench --bench history` makes histories of 25 to 25,000 tasks, four commits each, and one of 1,000 task
//! commits over 300,000 older ones, one with a branch for each phase, and measures on each of them: `git log --format='%H%n%s%n%(trailers)' A..HEAD`
//! (the measure of all), the history library alone, and the commands that are there. `cargo bench --bench history --
//! 2500 deep` takes only those, and `-- edits` compares a run whose plan was edited a hundred times with one whose plan was not. The
//! histories are kept in the target folder.

#![allow(clippy::print_stdout, reason = "it prints what it measured")]

#[path = "history/make.rs"]
mod make;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use git_arborist::git::DiscoveryStart;
use git_arborist::history::{AnchorRule, Query, RepoPath, Repository, read_run};
use git_arborist::record::TaskId;
use make::{Branches, Shape, TREE, git, history, output, phase_of, task_name};

/// The same work under a plan that is never edited, and under one that is edited a hundred times.
const EDITS: [Shape; 2] = [
    Shape {
        name: "unedited",
        tasks: 2_500,
        older: 20,
        words: 30,
        edits: 0,
        branches: Branches::None,
        rounds: 25,
    },
    Shape {
        name: "edited",
        tasks: 2_500,
        older: 20,
        words: 30,
        edits: 100,
        branches: Branches::None,
        rounds: 25,
    },
];

const SHAPES: [Shape; 6] = [
    Shape { name: "25", tasks: 25, older: 20, words: 0, edits: 0, branches: Branches::None, rounds: 101 },
    Shape { name: "250", tasks: 250, older: 20, words: 0, edits: 0, branches: Branches::None, rounds: 51 },
    Shape { name: "2500", tasks: 2_500, older: 20, words: 0, edits: 0, branches: Branches::None, rounds: 25 },
    Shape {
        name: "25000",
        tasks: 25_000,
        older: 20,
        words: 0,
        edits: 0,
        branches: Branches::None,
        rounds: 9,
    },
    Shape {
        name: "merged",
        tasks: 2_500,
        older: 20,
        words: 0,
        edits: 0,
        branches: Branches::PerPhase,
        rounds: 25,
    },
    Shape {
        name: "deep",
        tasks: 250,
        older: 300_000,
        words: 0,
        edits: 0,
        branches: Branches::None,
        rounds: 25,
    },
];

fn main() {
    let args: Vec<_> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.as_slice() {
        [flag, folder, count] if flag.starts_with("--read") => {
            let open = match flag.as_str() {
                "--read" => Repository::open,
                "--read-by-git" => Repository::open_with_program,
                _ => panic!("no such flag: {flag}"),
            };
            let place = DiscoveryStart::Folder(PathBuf::from(folder));
            read_as_child(
                &open(place, Path::new("git")).expect("a repository"),
                count.parse().expect("a number"),
            );
        }
        [name] if name == "edits" => measure_edits(),
        names => {
            let shapes: Vec<_> = names.iter().map(|name| shape(name)).collect();
            let shapes = if shapes.is_empty() { SHAPES.to_vec() } else { shapes };
            let results: Vec<_> = shapes.into_iter().map(|shape| (shape, measure(&shape))).collect();
            report_growth(&results);
            if names.is_empty() {
                measure_edits();
            }
        }
    }
}

fn shape(name: &str) -> Shape {
    SHAPES.into_iter().find(|shape| shape.name == name).unwrap_or_else(|| panic!("no such history: {name}"))
}

/// The work of a child of this program: reads the run of `count` tasks, as a command would.
fn read_as_child(repository: &Repository, count: usize) {
    let head = repository.head().expect("HEAD").expect("a commit");
    let id = |text: String| TaskId::parse(&text).expect("an id");
    let tasks: HashMap<_, _> = (0..count).map(|task| (id(task_name(task)), id(phase_of(task)))).collect();
    let path = RepoPath::new(TREE.as_bytes()).expect("a path");
    let run = read_run(
        repository,
        head,
        &Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &tasks },
    )
    .expect("a run");
    assert_eq!(run.tasks.len(), count);
    assert!(run.range.anchor().is_some());
}

/// The median time and the peak memory of a command, and the command's name.
struct Result {
    name: &'static str,
    time: Duration,
    memory: Option<u64>,
}

/// A command to measure.
struct Contender {
    name: &'static str,
    command: Command,
}

impl Contender {
    fn new(name: &'static str, command: Command) -> Self {
        Self { name, command }
    }
}

fn measure(shape: &Shape) -> Vec<Result> {
    let folder = history(shape);
    let mut contenders = contenders(&folder, shape);
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); contenders.len()];
    for round in 0..=shape.rounds {
        for (times, contender) in times.iter_mut().zip(&mut contenders) {
            let start = Instant::now();
            let status = contender.command.status().expect("a program");
            // The first round warms the caches of the system.
            if round > 0 {
                times.push(start.elapsed());
            }
            // `next` answers no if everything is complete.
            assert!(matches!(status.code(), Some(0 | 1)), "{} failed", contender.name);
        }
    }
    let results: Vec<_> = contenders
        .iter_mut()
        .zip(times)
        .map(|(contender, mut times)| {
            times.sort();
            let memory = peak_memory(&mut contender.command);
            Result { name: contender.name, time: times[times.len() / 2], memory }
        })
        .collect();
    report(shape, &results);
    report_start(&results);
    results
}

/// How much longer it takes to read a run whose plan was edited. The programs for both take turns.
fn measure_edits() {
    println!("\nedits: 100 in a run of 2,500 tasks, as multiples of the time without");
    let [mut without, mut with] = EDITS.map(|shape| contenders(&history(&shape), &shape));
    for (without, with) in without.iter_mut().zip(&mut with) {
        let name = with.name;
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..=EDITS[0].rounds {
            for (times, contender) in times.iter_mut().zip([&mut *without, &mut *with]) {
                let start = Instant::now();
                let status = contender.command.status().expect("a program");
                if round > 0 {
                    times.push(start.elapsed());
                }
                assert!(matches!(status.code(), Some(0 | 1)), "{} failed", contender.name);
            }
        }
        let [without, with] = times.map(|mut times| {
            times.sort();
            times[times.len() / 2].as_secs_f64()
        });
        println!("  {name:20} {:9.2} ms  {:9.2} ms  {:5.2}x", without * 1e3, with * 1e3, with / without);
    }
}

fn contenders(folder: &Path, shape: &Shape) -> Vec<Contender> {
    let anchor = output(folder, &["log", "-1", "--format=%H", "--", TREE]);
    let mut log = git(folder);
    log.args(["log", "--format=%H%n%s%n%(trailers)", &format!("{anchor}..HEAD")]);
    let read = |flag: &str| {
        let mut read = Command::new(std::env::current_exe().expect("this program"));
        read.arg(flag).arg(folder).arg(shape.tasks.to_string());
        read
    };
    let programs = Path::new(env!("CARGO_BIN_EXE_git-arborist")).parent().expect("a folder");
    let ours = |program: &str, args: &[&str]| {
        let mut command = make::program(&programs.join(program), folder);
        command.args(args);
        command
    };
    let mut contenders = vec![
        Contender::new("git log", log),
        Contender::new("library", read("--read")),
        Contender::new("library by git", read("--read-by-git")),
        Contender::new("status --json", ours("git-arborist-status", &["--json"])),
        Contender::new("status --short", ours("git-arborist-status", &["--short"])),
        Contender::new("status", ours("git-arborist-status", &[])),
        Contender::new("next", ours("git-arborist-next", &[])),
    ];
    if shape.tasks == 25 {
        contenders.extend(through_dispatch(folder, programs));
    }
    for contender in &mut contenders {
        contender.command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    }
    contenders
}

/// The shortest git command, and `status` as it is typed: by git's own dispatch.
fn through_dispatch(folder: &Path, programs: &Path) -> [Contender; 2] {
    let mut version = git(folder);
    version.arg("--version");
    let mut status = git(folder);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(programs.to_owned()).chain(std::env::split_paths(&path));
    status.args(["arborist", "status"]).env("PATH", std::env::join_paths(folders).expect("a search path"));
    [Contender::new("git --version", version), Contender::new("by dispatch", status)]
}

fn report(shape: &Shape, results: &[Result]) {
    let Shape { name, tasks, older, .. } = shape;
    println!("\n{name}: {tasks} tasks over {older} older commits");
    let log = &results[0];
    for result in results {
        let time = result.time.as_secs_f64();
        print!("  {:20} {:9.2} ms  {:5.2}x", result.name, time * 1e3, time / log.time.as_secs_f64());
        match (result.memory, log.memory) {
            (Some(memory), Some(base)) => println!("  {memory:7} KiB  {:5.2}x", memory as f64 / base as f64),
            _ => println!(),
        }
    }
}

/// How long `git arborist status` takes with little to read, compared with the shortest git command.
fn report_start(results: &[Result]) {
    let of = |name| results.iter().find(|result| result.name == name).map(|result| result.time.as_secs_f64());
    if let (Some(status), Some(version)) = (of("by dispatch"), of("git --version")) {
        println!("  git arborist status takes {:.2} times as long as git --version", status / version);
    }
}

/// How time grows with the number of tasks: 1 means proportionally.
fn report_growth(results: &[(Shape, Vec<Result>)]) {
    println!();
    for pair in results.windows(2) {
        let [(small, before), (large, after)] = pair else { continue };
        for (before, after) in before.iter().zip(after) {
            let times = after.time.as_secs_f64() / before.time.as_secs_f64();
            if (large.older, large.branches) == (small.older, small.branches) {
                let exponent = times.ln() / (large.tasks as f64 / small.tasks as f64).ln();
                println!(
                    "{} -> {}: {} grows with exponent {exponent:.2}",
                    small.name, large.name, after.name
                );
            }
        }
    }
    let find = |name: &str| results.iter().find(|(shape, _)| shape.name == name);
    if let (Some((_, shallow)), Some((_, deep))) = (find("250"), find("deep")) {
        for (shallow, deep) in shallow.iter().zip(deep) {
            let ratio = deep.time.as_secs_f64() / shallow.time.as_secs_f64();
            println!("deep against 250: {} takes {ratio:.2}x", deep.name);
        }
    }
}

/// The peak memory of a command in KiB, sampled from `/proc` where it exists.
fn peak_memory(command: &mut Command) -> Option<u64> {
    let mut child = command.spawn().ok()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    while child.try_wait().ok()?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        peak = peak.max(now);
        std::thread::sleep(Duration::from_micros(100));
    }
    peak
}
