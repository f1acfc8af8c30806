//! Tests the layers of the source: which module may use which, and which one may start programs, print and so on.

mod injected;
mod parameters;
mod rules;
mod source;

use std::sync::LazyLock;

use parameters::tuple_parameters;
use rules::{Door, Exception, Rules, cycles, scattered_methods, unneeded, violations};
use source::Package;

use crate::support::docs::rust_files;

const RULES: Rules<'static> = Rules {
    may_use: &[
        ("bin", &["cli"]),
        (
            "cli",
            &[
                "commands", "manual", "agents", "process", "config", "report", "record", "text", "error",
                "suggest",
            ],
        ),
        (
            "commands",
            &[
                "claim", "manual", "mcp", "engine", "run", "export", "forge", "trust", "worktree", "check",
                "hooks", "suite", "agents", "process", "config", "history", "git", "report", "sandbox",
                "workflow", "plan", "record", "text", "files", "error", "suggest",
            ],
        ),
        ("manual", &["config", "plan", "record", "error"]),
        ("mcp", &[]),
        ("export", &["plan", "text"]),
        (
            "engine",
            &[
                "claim", "run", "forge", "trust", "worktree", "sandbox", "check", "suite", "agents",
                "process", "config", "history", "git", "workflow", "plan", "record", "text", "files",
                "error", "suggest",
            ],
        ),
        (
            "run",
            &[
                "trust", "worktree", "suite", "config", "history", "git", "workflow", "plan", "record",
                "text", "files", "error", "suggest",
            ],
        ),
        ("forge", &["process", "git", "record", "text", "files", "error"]),
        (
            "trust",
            &["worktree", "suite", "history", "git", "process", "plan", "record", "text", "files", "error"],
        ),
        (
            "worktree",
            &["sandbox", "agents", "process", "config", "history", "git", "record", "text", "files", "error"],
        ),
        ("sandbox", &["agents", "process", "config", "git", "error"]),
        ("hooks", &["check", "config", "history", "git", "plan", "record", "text", "files", "error"]),
        ("agents", &["process", "config", "plan", "record", "text", "files", "error", "suggest"]),
        ("config", &["check", "git", "plan", "record", "text", "files", "error", "suggest"]),
        ("history", &["git", "plan", "record", "files", "error"]),
        ("suite", &["process", "plan", "record", "text", "files", "error", "suggest"]),
        ("git", &["process", "record", "text", "files", "error"]),
        ("report", &["check", "workflow", "plan", "record", "text", "error"]),
        ("check", &["workflow", "plan", "record", "text", "error", "suggest"]),
        ("claim", &["record"]),
        ("workflow", &["plan", "record", "text"]),
        ("plan", &["record", "text", "suggest"]),
        ("record", &["text"]),
        ("process", &["text", "files", "error"]),
        ("text", &[]),
        ("files", &[]),
        ("error", &[]),
        ("suggest", &[]),
    ],
    doors: &[
        Door {
            what: "starts programs",
            signs: &["std::process::Command", "std::os::unix::process", "duct", "process_wrap"],
            layers: &["git", "process", "bin"],
        },
        Door {
            what: "reads the environment",
            signs: &["std::env", "env!", "option_env!"],
            layers: &["config", "bin"],
        },
        Door {
            what: "opens files that others wrote",
            signs: &[
                "std::fs::read",
                "std::fs::read_to_string",
                "std::fs::File::open",
                "std::fs::OpenOptions",
            ],
            layers: &["files"],
        },
        Door { what: "guesses which word was meant", signs: &["strsim"], layers: &["suggest"] },
        Door {
            what: "prints",
            signs: &[
                "println!",
                "print!",
                "eprintln!",
                "eprint!",
                "dbg!",
                "std::io::stdout",
                "std::io::stderr",
            ],
            layers: &["report", "bin"],
        },
        Door {
            what: "ends the process",
            signs: &[
                "std::process::exit",
                "std::process::abort",
                "panic!",
                "unreachable!",
                "todo!",
                "unimplemented!",
            ],
            layers: &[],
        },
        Door {
            what: "is not pure",
            signs: &[
                "std::fs",
                "std::io",
                "std::net",
                "std::thread",
                "std::time::Instant",
                "std::time::SystemTime",
                "chrono::Utc::now",
                "chrono::Local",
            ],
            layers: &[
                "bin", "cli", "commands", "engine", "worktree", "sandbox", "hooks", "agents", "process",
                "config", "history", "suite", "git", "report", "files", "error",
            ],
        },
    ],
    exceptions: &[
        Exception {
            file: "trust/prove/hunks.rs",
            sign: "std::time::Instant",
            reason: "it begins nothing more after a time",
        },
        Exception {
            file: "trust/prove/prover.rs",
            sign: "std::time::Instant",
            reason: "it begins nothing more after a time",
        },
        Exception {
            file: "git/holders.rs",
            sign: "std::fs::read",
            reason: "all that it reads lies in /proc",
        },
        Exception {
            file: "git/holders.rs",
            sign: "std::fs::read_to_string",
            reason: "all that it reads lies in /proc",
        },
        Exception {
            file: "git/outlived.rs",
            sign: "std::fs::read",
            reason: "all that it reads lies in /proc",
        },
        Exception {
            file: "process/signals.rs",
            sign: "std::fs::read_to_string",
            reason: "the kernel writes this file",
        },
        Exception {
            file: "process/processes.rs",
            sign: "std::fs::File::open",
            reason: "the kernel writes this file",
        },
        Exception {
            file: "process/processes.rs",
            sign: "std::fs::read",
            reason: "the kernel writes this file",
        },
        Exception {
            file: "process/instance.rs",
            sign: "std::fs::read",
            reason: "the kernel writes this file",
        },
        Exception {
            file: "process/job_marker.rs",
            sign: "std::fs::read",
            reason: "the kernel writes this file",
        },
        Exception {
            file: "process/supervise.rs",
            sign: "std::fs::OpenOptions",
            reason: "it opens /dev/null, which answers at once",
        },
        Exception {
            file: "run/plan/links.rs",
            sign: "std::fs",
            reason: "it reads where a link leads, which no file can keep it waiting for",
        },
        Exception {
            file: "run/plan/file.rs",
            sign: "std::io",
            reason: "the kind of an error of reading decides what the message advises",
        },
        Exception {
            file: "run/journal.rs",
            sign: "std::time::SystemTime",
            reason: "it turns a number of the journal into a time, and asks no clock",
        },
        Exception {
            file: "worktree/give_back.rs",
            sign: "std::fs::OpenOptions",
            reason: "it only makes files that were not there before",
        },
        Exception {
            file: "process/helper/start.rs",
            sign: "std::env",
            reason: "it asks for the path of this program, and reads no variable",
        },
        Exception {
            file: "cli/mod.rs",
            sign: "std::env",
            reason: "the arguments are the call, not its environment",
        },
        Exception {
            file: "history/cache.rs",
            sign: "env!",
            reason: "the version is known when it is compiled",
        },
    ],
};

/// This package.
static PACKAGE: LazyLock<Package> = LazyLock::new(|| Package::read(rust_files("src")));

#[track_caller]
fn none(found: &[String]) {
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn the_source_keeps_to_its_layers_and_its_ways_out() {
    none(&violations(&PACKAGE, &RULES));
}

#[test]
fn every_exception_is_still_needed() {
    none(&unneeded(&PACKAGE, &RULES));
}

#[test]
fn no_files_depend_on_each_other_in_a_cycle() {
    none(&cycles(&PACKAGE));
}

#[test]
fn no_function_takes_a_tuple() {
    none(&tuple_parameters(&PACKAGE));
}

#[test]
fn the_methods_of_a_type_are_in_one_file_or_one_folder() {
    none(&scattered_methods(&PACKAGE));
}

#[test]
fn every_file_says_what_it_is_for_and_stays_short() {
    let mut found = Vec::new();
    for (file, text) in &PACKAGE.files {
        if !text.starts_with("//! ") {
            found.push(format!("src/{file} does not begin with a sentence on what it is for"));
        }
        if text.lines().count() > 400 {
            found.push(format!("src/{file} has more than 400 lines"));
        }
    }
    none(&found);
}
