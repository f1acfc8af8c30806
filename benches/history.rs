//! How long reading a run takes and how much memory, as ratios to `git log` over the same commits, in one go.
//!
//! `cargo bench --bench history` makes histories of 25 to 25,000 tasks, four commits each, and one of 1,000 task
//! commits over 300,000 older ones, and measures on each of them: `git log --format='%H%n%s%n%(trailers)' A..HEAD`
//! (the measure of all), the history library alone, and the commands that are there. `cargo bench --bench history --
//! 2500 deep` takes only those. The histories are kept in the target folder.

use std::collections::HashMap;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use git_arborist::git::Place;
use git_arborist::history::{Query, RepoPath, Repository, read_run};
use git_arborist::task::TaskId;

const TREE: &str = "task-tree.json";
const TASKS_A_PHASE: usize = 25;

/// A history to measure on.
#[derive(Clone, Copy)]
struct Shape {
    name: &'static str,
    tasks: usize,
    /// Commits before the plan.
    older: usize,
    rounds: usize,
}

const SHAPES: [Shape; 5] = [
    Shape { name: "25", tasks: 25, older: 20, rounds: 101 },
    Shape { name: "250", tasks: 250, older: 20, rounds: 51 },
    Shape { name: "2500", tasks: 2_500, older: 20, rounds: 25 },
    Shape { name: "25000", tasks: 25_000, older: 20, rounds: 9 },
    Shape { name: "deep", tasks: 250, older: 300_000, rounds: 25 },
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
            let place = Place::Folder(PathBuf::from(folder));
            read_as_child(
                &open(place, Path::new("git")).expect("a repository"),
                count.parse().expect("a number"),
            );
        }
        names => {
            let shapes: Vec<_> = names.iter().map(|name| shape(name)).collect();
            let shapes = if shapes.is_empty() { SHAPES.to_vec() } else { shapes };
            let results: Vec<_> = shapes.into_iter().map(|shape| (shape, measure(&shape))).collect();
            report_growth(&results);
        }
    }
}

fn shape(name: &str) -> Shape {
    SHAPES.into_iter().find(|shape| shape.name == name).unwrap_or_else(|| panic!("no such history: {name}"))
}

/// What a child of this program does: reads the run of `count` tasks, as a command would.
fn read_as_child(repository: &Repository, count: usize) {
    let head = repository.head().expect("HEAD").expect("a commit");
    let id = |text: String| TaskId::parse(&text).expect("an id");
    let tasks: HashMap<_, _> =
        (0..count).map(|task| (id(task_name(task)), id(phase_name(task / TASKS_A_PHASE)))).collect();
    let path = RepoPath::new(TREE.as_bytes()).expect("a path");
    let run = read_run(repository, head, &Query { tree_file: Some(&path), tasks: &tasks }).expect("a run");
    assert_eq!(run.tasks.len(), count);
    assert!(run.range.anchor().is_some());
}

/// The median time and the peak memory of a command, and the command's name.
struct Result {
    name: &'static str,
    time: Duration,
    memory: Option<u64>,
}

fn measure(shape: &Shape) -> Vec<Result> {
    let folder = history(shape);
    let mut commands = commands(&folder, shape);
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); commands.len()];
    for round in 0..=shape.rounds {
        for (times, (name, command)) in times.iter_mut().zip(&mut commands) {
            let start = Instant::now();
            let status = command.status().expect("a program");
            // The first round warms the caches.
            if round > 0 {
                times.push(start.elapsed());
            }
            assert!(status.success(), "{name} failed");
        }
    }
    let results: Vec<_> = commands
        .iter_mut()
        .zip(times)
        .map(|((name, command), mut times)| {
            times.sort();
            Result { name, time: times[times.len() / 2], memory: peak_memory(command) }
        })
        .collect();
    report(shape, &results);
    results
}

fn commands(folder: &Path, shape: &Shape) -> Vec<(&'static str, Command)> {
    let anchor = output(folder, &["log", "-1", "--format=%H", "--", TREE]);
    let mut log = git(folder);
    log.args(["log", "--format=%H%n%s%n%(trailers)", &format!("{anchor}..HEAD")]);
    let read = |flag: &str| {
        let mut read = Command::new(std::env::current_exe().expect("this program"));
        read.arg(flag).arg(folder).arg(shape.tasks.to_string());
        read
    };
    let mut commands =
        vec![("git log", log), ("library", read("--read")), ("library by git", read("--read-by-git"))];
    let programs = Path::new(env!("CARGO_BIN_EXE_git-arborist")).parent().expect("a folder");
    for (name, program, args) in [
        ("status --json", "git-arborist-status", &["--json"][..]),
        ("status", "git-arborist-status", &[]),
        ("next", "git-arborist-next", &[]),
    ] {
        let program = programs.join(program);
        if program.exists() {
            let mut command = Command::new(program);
            command.args(args).current_dir(folder);
            commands.push((name, command));
        }
    }
    for (_, command) in &mut commands {
        command.stdin(Stdio::null()).stdout(Stdio::null());
    }
    commands
}

fn report(shape: &Shape, results: &[Result]) {
    let Shape { name, tasks, older, .. } = shape;
    println!("\n{name}: {tasks} tasks over {older} older commits");
    let log = &results[0];
    for result in results {
        let time = result.time.as_secs_f64();
        print!("  {:14} {:9.2} ms  {:5.2}x", result.name, time * 1e3, time / log.time.as_secs_f64());
        match (result.memory, log.memory) {
            (Some(memory), Some(base)) => println!("  {memory:7} KiB  {:5.2}x", memory as f64 / base as f64),
            _ => println!(),
        }
    }
}

/// How time grows with the number of tasks: 1 is in proportion.
fn report_growth(results: &[(Shape, Vec<Result>)]) {
    println!();
    for pair in results.windows(2) {
        let [(small, before), (large, after)] = pair else { continue };
        for (before, after) in before.iter().zip(after) {
            let times = after.time.as_secs_f64() / before.time.as_secs_f64();
            if large.older == small.older {
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

/// The most memory that a command had at once, in KiB; looked at again and again, where `/proc` says it.
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

fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}

fn output(folder: &Path, args: &[&str]) -> String {
    let output = git(folder).args(args).output().expect("git");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").trim_end().to_owned()
}

fn task_name(task: usize) -> String {
    format!("T{task:05}")
}

fn phase_name(phase: usize) -> String {
    format!("phase{phase}")
}

/// The folder of a history, which is made if it is not there.
fn history(shape: &Shape) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("history-{}", shape.name));
    let ready = folder.join(".git/ready");
    if !ready.exists() {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        output(&folder, &["init", "-q", "-b", "main"]);
        let mut import = git(&folder);
        let mut child =
            import.args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("git fast-import");
        let mut stream = Stream::new(BufWriter::new(child.stdin.take().expect("a pipe")));
        stream.history(shape);
        drop(stream);
        assert!(child.wait().expect("git fast-import").success());
        output(&folder, &["gc", "--quiet"]);
        output(&folder, &["reset", "-q", "--mixed"]);
        output(&folder, &["checkout", "--", TREE]);
        std::fs::write(ready, "").expect("a mark");
    }
    folder
}

/// Writes what `git fast-import` reads.
struct Stream<W: Write> {
    to: W,
    time: u64,
    dice: u64,
}

impl<W: Write> Stream<W> {
    fn new(to: W) -> Self {
        Self { to, time: 1_600_000_000, dice: 0x2545_f491_4f6c_dd1d }
    }

    fn history(&mut self, shape: &Shape) {
        for number in 0..shape.older {
            let body = self.words(20);
            let file = format!("src/module{}/file{}.rs", self.below(20), self.below(25));
            let content = self.words(60);
            self.commit(&format!("Change number {number}\n\n{body}"), &[(&file, &content)]);
        }
        self.commit("Add task tree", &[(TREE, &tree(shape.tasks))]);
        for task in 0..shape.tasks {
            self.task(task);
        }
    }

    /// The four commits of a task that goes well.
    fn task(&mut self, task: usize) {
        let name = task_name(task);
        let title = format!("\"Build part {task} of the thing\"");
        let file = format!("src/module{}/file{}.rs", self.below(20), self.below(25));
        let test = format!("tests/test{}.rs", self.below(100));
        let stamp = format!("20261120T{:06}", task % 240_000);
        let (code, checks, printed) = (self.words(150), self.words(80), self.words(180));
        self.commit(
            &format!(
                "task({name}): implement {title}\n\nRunner output (truncated to 2000 chars):\n\n{printed}\n\n\
                 Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\nArborist-Runner: claude\n\
                 Arborist-Duration: 93.4\n"
            ),
            &[(&file, &code), (&test, &checks)],
        );
        let printed = self.words(100);
        self.commit(
            &format!(
                "task({name}): tests pass for {title}\n\nTest (unit) stdout (last 1000 chars):\n\n{printed}\n\n\
                 Arborist-Step: test\nArborist-Test: pass\nArborist-Retry: 0\nArborist-Test-Type: unit\n\
                 Arborist-Test-Passed: 42\nArborist-Test-Failed: 0\nArborist-Test-Skipped: 0\n\
                 Arborist-Test-Runtime: 3.201\n"
            ),
            &[],
        );
        let log = format!("spec/logs/{name}_review_{stamp}.log");
        let (review, kept) = (self.words(80), format!("spec/logs/{}.log", task % 500));
        self.commit(
            &format!(
                "task({name}): review approved for {title}\n\nReview:\n\n{review}\nAPPROVED\n\n\
                 Arborist-Step: review\nArborist-Review: approved\nArborist-Retry: 0\nArborist-Review-Log: {log}\n"
            ),
            &[(&kept, &review)],
        );
        let report = format!("spec/reports/{name}_run_{stamp}.json");
        let kept = format!("spec/reports/{}.json", task % 500);
        self.commit(
            &format!(
                "task({name}): complete {title}\n\nCompleted after 1 attempt(s). Report: {report}\n\n\
                 Arborist-Step: complete\nArborist-Result: pass\nArborist-Report: {report}\n"
            ),
            &[(&kept, &format!("{{\"task_id\": \"{name}\", \"result\": \"pass\", \"retries\": 0}}"))],
        );
    }

    fn commit(&mut self, message: &str, files: &[(&str, &str)]) {
        self.time += 60;
        let person = format!("Gardener <gardener@example.com> {} +0000", self.time);
        let mut text = format!("commit refs/heads/main\nauthor {person}\ncommitter {person}\n");
        text += &format!("data {}\n{message}\n", message.len());
        for (path, content) in files {
            text += &format!("M 100644 inline {path}\ndata {}\n{content}\n", content.len());
        }
        self.to.write_all(text.as_bytes()).expect("git fast-import reads");
    }

    fn below(&mut self, limit: usize) -> usize {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        (self.dice >> 33) as usize % limit
    }

    /// Lines of words, of which some are often there and some hardly ever.
    fn words(&mut self, count: usize) -> String {
        const OFTEN: [&str; 24] = [
            "the", "of", "test", "ok", "file", "changed", "error", "in", "module", "added", "a", "function",
            "passed", "line", "now", "returns", "value", "config", "parser", "with", "when", "fixed",
            "handler", "and",
        ];
        let mut text = String::new();
        for number in 0..count {
            match self.below(4) {
                0 => text += &format!("{:x}", self.below(1 << 24)),
                _ => text += OFTEN[self.below(OFTEN.len())],
            }
            text.push(if number % 12 == 11 { '\n' } else { ' ' });
        }
        text.trim_end().to_owned()
    }
}

/// A task tree of this many leaves.
fn tree(tasks: usize) -> String {
    let mut nodes = Vec::new();
    for phase in 0..tasks.div_ceil(TASKS_A_PHASE) {
        let leaves = phase * TASKS_A_PHASE..tasks.min((phase + 1) * TASKS_A_PHASE);
        let id = phase_name(phase);
        let children: Vec<_> = leaves.clone().map(|task| format!("\"{}\"", task_name(task))).collect();
        nodes.push(format!(
            "\"{id}\": {{\"id\": \"{id}\", \"name\": \"Phase {phase}\", \"children\": [{}]}}",
            children.join(", ")
        ));
        for task in leaves {
            let name = task_name(task);
            nodes.push(format!(
                "\"{name}\": {{\"id\": \"{name}\", \"name\": \"Build part {task}\", \"parent\": \"{id}\"}}"
            ));
        }
    }
    format!("{{\"spec_id\": \"bench\", \"nodes\": {{\n{}\n}}}}\n", nodes.join(",\n"))
}
