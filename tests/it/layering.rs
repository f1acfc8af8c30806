//! The layers of the source: who may use whom, and the one door for each way out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Every module and what it may use. A module stands below all that it may not be used by: the list has no cycle, for
/// whatever a module may use stands further down.
const MAY_USE: &[(&str, &[&str])] = &[
    ("bin", &["cli", "stub"]),
    ("stub", &[]),
    ("cli", &["commands", "runner", "config", "output", "task", "error", "suggest"]),
    (
        "commands",
        &[
            "pipeline", "check", "hooks", "spec", "suite", "runner", "config", "history", "git", "output",
            "task", "files", "error", "suggest",
        ],
    ),
    (
        "pipeline",
        &[
            "check", "spec", "suite", "runner", "config", "history", "git", "task", "files", "error",
            "suggest",
        ],
    ),
    ("hooks", &["check", "config", "history", "git", "task", "files", "error"]),
    ("runner", &["config", "task", "files", "error", "suggest"]),
    ("config", &["check", "git", "task", "files", "error", "suggest"]),
    ("history", &["git", "task", "files", "error"]),
    ("spec", &["task", "error"]),
    ("suite", &["task", "error", "suggest"]),
    ("git", &["task", "files", "error"]),
    ("output", &["check", "task", "error"]),
    ("check", &["task", "error", "suggest"]),
    ("task", &["suggest"]),
    ("files", &[]),
    ("error", &[]),
    ("suggest", &[]),
];

/// Ways out of the program, the words that give each away, and the modules that may use it.
const DOORS: &[(&str, &[&str], &[&str])] = &[
    (
        "starts programs",
        &["process::Command", "duct::", "process_wrap::", "CommandExt", "Command::new(", "Stdio::"],
        &["git", "runner", "stub"],
    ),
    ("opens files that others wrote", &["fs::read(", "fs::read_to_string(", "File::open("], &["files"]),
    ("reads the environment", &["std::env", "env::var", "env!(\"PATH"], &["config", "stub"]),
    ("guesses which word was meant", &["strsim::"], &["suggest"]),
    ("prints", &["println!", "print!", "dbg!", "io::stdout", "io::stderr"], &["output", "stub"]),
    (
        "ends the process",
        &["process::exit", "process::abort", "panic!(", "unreachable!(", "todo!(", "unimplemented!("],
        &[],
    ),
];

/// Lines that have a right to be where they are: the file, a part of the line, and the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("cli/mod.rs", "std::env::args_os()", "the arguments are the call, not its surroundings"),
    ("cli/mod.rs", "clap::Command::new(", "a description of arguments, not a program"),
    ("git/locks.rs", "std::fs::read", "all that it reads lies in /proc"),
    ("runner/signals.rs", "/proc/self/status", "the kernel writes this file"),
    ("runner/supervisor/processes.rs", "File::open(format!(\"/proc", "the kernel writes this file"),
    ("runner/supervisor/processes.rs", "fs::read(\"/proc/self/stat\")", "the kernel writes this file"),
];

/// A line of code, without comments and tests.
struct Line {
    module: String,
    file: String,
    number: usize,
    text: String,
}

impl Line {
    fn place(&self) -> String {
        format!("src/{}:{}: {}", self.file, self.number, self.text.trim())
    }

    /// The modules of this crate that the line names.
    fn uses(&self) -> impl Iterator<Item = &str> {
        let behind = |mark: &'static str| self.text.split(mark).skip(1).map(word);
        behind("git_arborist::").chain(behind("crate::"))
    }
}

fn word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// All code of the package. Tests in it may do what they like; they stand at the end of a file, or in their own.
fn code() -> Vec<Line> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    files_below(&source, &mut files);
    let mut lines = Vec::new();
    for path in files {
        let file = path.strip_prefix(&source).unwrap().to_str().unwrap().to_owned();
        if file == "lib.rs" || file.ends_with("tests.rs") || file.contains("/tests/") {
            continue;
        }
        let module = file.split(['/', '.']).next().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let own = text.split("\n#[cfg(test)]\nmod tests").next().unwrap();
        for (number, line) in (1..).zip(own.lines()) {
            let text = line.split("//").next().unwrap().to_owned();
            lines.push(Line { module: module.clone(), file: file.clone(), number, text });
        }
    }
    lines
}

fn check(offences: &[String]) {
    assert!(offences.is_empty(), "\n{}\n", offences.join("\n"));
}

#[test]
fn modules_use_only_what_lies_below_them() {
    let may_use: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    let mut offences = Vec::new();
    for line in code() {
        let Some(allowed) = may_use.get(line.module.as_str()) else {
            offences.push(format!("src/{} is of no layer: say in MAY_USE what it may use", line.file));
            continue;
        };
        for used in line.uses() {
            if used != line.module && !allowed.contains(&used) {
                offences.push(format!("{} must not use {used}: {}", line.module, line.place()));
            }
        }
    }
    check(&offences);
}

#[test]
fn the_layers_have_no_cycle() {
    for (place, (module, used)) in MAY_USE.iter().enumerate() {
        let below: BTreeSet<&str> = MAY_USE[place + 1..].iter().map(|(name, _)| *name).collect();
        for name in *used {
            assert!(below.contains(name), "{module} may use {name}, which does not stand below it");
        }
    }
}

#[test]
fn every_way_out_has_one_door() {
    let mut offences = Vec::new();
    for line in code() {
        let excused = |(file, part, _): &(&str, &str, &str)| line.file == *file && line.text.contains(part);
        if EXCEPTIONS.iter().any(excused) {
            continue;
        }
        for (what, signs, doors) in DOORS {
            if !doors.contains(&line.module.as_str()) && signs.iter().any(|sign| line.text.contains(sign)) {
                offences.push(format!("{} {what}: {}", line.module, line.place()));
            }
        }
    }
    check(&offences);
}

#[test]
fn the_domain_is_pure() {
    let impure =
        ["std::fs", "std::io", "std::net", "std::thread", "Instant", "SystemTime", "Utc::now", "unsafe"];
    let pure = ["task", "check", "suggest"];
    let dirty = |line: &Line| {
        pure.contains(&line.module.as_str()) && impure.iter().any(|sign| line.text.contains(sign))
    };
    check(&code().iter().filter(|line| dirty(line)).map(Line::place).collect::<Vec<_>>());
}

#[test]
fn every_exception_is_still_needed() {
    let lines = code();
    for (file, part, reason) in EXCEPTIONS {
        let used = lines.iter().any(|line| line.file == *file && line.text.contains(part));
        assert!(used, "nothing in src/{file} needs `{part}` ({reason})");
    }
}

#[test]
fn every_file_says_what_it_is_for_and_stays_short() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    files_below(&source, &mut files);
    let mut offences = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let shown = path.strip_prefix(&source).unwrap().display();
        if !text.starts_with("//! ") {
            offences.push(format!("src/{shown} does not begin with a sentence on what it is for"));
        }
        if text.lines().count() > 400 {
            offences.push(format!("src/{shown} has more than 400 lines"));
        }
    }
    check(&offences);
}
