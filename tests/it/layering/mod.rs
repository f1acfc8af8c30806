//! Tests the layers of the source: which module may use which, and which one may start programs, print and so on.

mod crates;
mod injected;
mod parameters;
mod rooms;
mod rules;
mod source;
mod words;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crates::{Allowed, dependencies, foreign_crates};
use parameters::tuple_parameters;
use rooms::{Room, against_order, knots};
use rules::{Door, Exception, Rules, cycles, is_sign, place, scattered_methods, unneeded, violations};
use source::Package;
use words::{Compared, compared_in, compared_words};

use crate::support::docs::{check_table, page, rust_files, table};

const RULES: Rules<'static> = Rules {
    may_use: &[
        ("bin", &["cli"]),
        (
            "cli",
            &[
                "commands", "launch", "inspect", "hooks", "session", "manual", "agents", "config", "report",
                "process", "text", "error", "suggest",
            ],
        ),
        (
            "commands",
            &[
                "setup",
                "audit",
                "import",
                "intervene",
                "launch",
                "inspect",
                "hooks",
                "session",
                "scheduler",
                "publish",
                "serve",
                "export",
                "engine",
                "run",
                "forge",
                "trust",
                "worktree",
                "agents",
                "config",
                "history",
                "suite",
                "git",
                "report",
                "check",
                "workflow",
                "plan",
                "record",
                "process",
                "text",
                "files",
                "error",
                "suggest",
            ],
        ),
        (
            "setup",
            &[
                "import", "launch", "hooks", "session", "publish", "manual", "engine", "run", "forge",
                "worktree", "agents", "config", "git", "report", "record", "process", "text", "files",
                "error", "suggest",
            ],
        ),
        (
            "audit",
            &[
                "launch", "hooks", "session", "run", "trust", "worktree", "agents", "config", "history",
                "suite", "git", "report", "check", "plan", "record", "process", "text", "files", "error",
                "suggest",
            ],
        ),
        (
            "import",
            &[
                "intervene",
                "launch",
                "session",
                "run",
                "worktree",
                "agents",
                "config",
                "history",
                "report",
                "workflow",
                "plan",
                "record",
                "process",
                "text",
                "files",
                "error",
            ],
        ),
        (
            "intervene",
            &[
                "session", "engine", "run", "worktree", "config", "history", "git", "report", "workflow",
                "plan", "record", "process", "text", "files", "error",
            ],
        ),
        (
            "scheduler",
            &[
                "launch", "session", "engine", "run", "trust", "worktree", "agents", "config", "history",
                "suite", "git", "report", "workflow", "plan", "record", "process", "text", "files", "error",
            ],
        ),
        (
            "launch",
            &[
                "session", "engine", "run", "worktree", "sandbox", "agents", "config", "history", "suite",
                "git", "report", "workflow", "plan", "record", "process", "text", "files", "error",
                "suggest",
            ],
        ),
        (
            "inspect",
            &[
                "hooks", "session", "publish", "engine", "run", "worktree", "agents", "config", "history",
                "suite", "git", "report", "check", "plan", "record", "text", "files", "error",
            ],
        ),
        (
            "hooks",
            &[
                "session", "worktree", "config", "history", "git", "report", "check", "plan", "record",
                "text", "files", "error",
            ],
        ),
        (
            "session",
            &[
                "manual", "run", "forge", "worktree", "agents", "config", "history", "git", "report", "plan",
                "record", "process", "text", "files", "error",
            ],
        ),
        (
            "publish",
            &["engine", "run", "worktree", "history", "git", "check", "plan", "record", "text", "error"],
        ),
        (
            "serve",
            &["engine", "run", "worktree", "config", "git", "workflow", "plan", "record", "text", "error"],
        ),
        ("manual", &["config", "plan", "record", "error"]),
        ("export", &["plan", "text"]),
        (
            "engine",
            &[
                "run", "forge", "trust", "worktree", "sandbox", "check", "suite", "agents", "process",
                "config", "history", "git", "workflow", "plan", "record", "text", "files", "error",
                "suggest",
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
        ("agents", &["process", "config", "plan", "record", "text", "files", "error", "suggest"]),
        ("config", &["process", "check", "git", "plan", "record", "text", "files", "error", "suggest"]),
        ("history", &["git", "plan", "record", "files", "error"]),
        ("suite", &["process", "plan", "record", "text", "files", "error", "suggest"]),
        ("git", &["process", "record", "text", "files", "error"]),
        ("report", &["check", "workflow", "plan", "record", "text", "error"]),
        ("check", &["workflow", "plan", "record", "text", "error", "suggest"]),
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
            signs: &["std::process::Command", "std::os::unix::process", "process_wrap"],
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
                ".canonicalize",
                ".exists",
                ".is_dir",
                ".is_file",
                ".is_symlink",
                ".metadata",
                ".read_dir",
                ".read_link",
                ".symlink_metadata",
                ".try_exists",
            ],
            layers: &[
                "bin",
                "cli",
                "commands",
                "setup",
                "audit",
                "import",
                "intervene",
                "launch",
                "inspect",
                "session",
                "scheduler",
                "publish",
                "serve",
                "engine",
                "run",
                "worktree",
                "sandbox",
                "hooks",
                "agents",
                "process",
                "config",
                "history",
                "suite",
                "git",
                "report",
                "files",
                "error",
            ],
        },
        Door {
            what: "changes files",
            signs: &[
                "std::fs::DirBuilder",
                "std::fs::File::create",
                "std::fs::copy",
                "std::fs::create_dir",
                "std::fs::create_dir_all",
                "std::fs::hard_link",
                "std::fs::remove_dir",
                "std::fs::remove_dir_all",
                "std::fs::remove_file",
                "std::fs::rename",
                "std::fs::set_permissions",
                "std::fs::write",
                "std::os::unix::fs::symlink",
                "crate::files::open_own",
                "crate::files::replace",
                "crate::files::write_whole",
            ],
            layers: &[
                "commands",
                "setup",
                "audit",
                "import",
                "intervene",
                "inspect",
                "session",
                "scheduler",
                "engine",
                "worktree",
                "sandbox",
                "hooks",
                "agents",
                "process",
                "history",
                "suite",
                "git",
                "files",
            ],
        },
        Door { what: "takes in source that is not looked at", signs: &["include!"], layers: &[] },
    ],
    exceptions: &[
        Exception {
            file: "trust/prove/prover.rs",
            sign: "std::time::Instant",
            reason: "it begins nothing more after a time",
        },
        Exception {
            file: "process/proc_files.rs",
            sign: "std::fs::File::open",
            reason: "the kernel writes these files",
        },
        Exception {
            file: "process/proc_files.rs",
            sign: "std::fs::read",
            reason: "the kernel writes these files",
        },
        Exception {
            file: "process/supervise.rs",
            sign: "std::fs::OpenOptions",
            reason: "it opens /dev/null, which answers at once",
        },
        Exception {
            file: "process/own_program.rs",
            sign: "std::env",
            reason: "it asks for the path of this program",
        },
        Exception {
            file: "cli/mod.rs",
            sign: "std::env",
            reason: "the arguments are the call, not its environment",
        },
    ],
};

/// The crates that each layer may use.
const CRATES: Allowed<'static> = &[
    ("cli", &["clap"]),
    ("commands", &["clap", "serde_json"]),
    ("setup", &["rustix", "serde_json"]),
    ("intervene", &["clap"]),
    ("launch", &["chrono", "clap", "serde"]),
    ("inspect", &["chrono"]),
    ("session", &["clap"]),
    ("manual", &["clap", "clap_mangen", "pulldown_cmark", "roff"]),
    ("scheduler", &["rustix", "serde", "serde_json"]),
    ("serve", &["serde", "serde_json"]),
    ("export", &["serde_json"]),
    ("engine", &["chrono", "serde", "serde_json"]),
    ("run", &["serde", "serde_json", "sha1_smol"]),
    ("forge", &["serde", "serde_json"]),
    ("trust", &["memchr", "regex_lite", "serde_json", "toml"]),
    (
        "worktree",
        &["aho_corasick", "chrono", "memchr", "rustix", "serde", "serde_json", "sha1_smol", "which"],
    ),
    ("sandbox", &["rustix"]),
    ("agents", &["chrono", "memchr", "regex_lite", "rustix", "serde", "serde_json", "which"]),
    ("config", &["serde_json"]),
    ("history", &["git2", "memchr"]),
    ("suite", &["regex_lite", "roxmltree", "serde", "serde_json"]),
    ("git", &["duct", "git2", "memchr", "rustix", "serde", "serde_json", "sha1_smol", "which"]),
    ("report", &["chrono", "maud", "rustix", "serde", "serde_json", "unicode_width"]),
    ("check", &["memchr"]),
    ("workflow", &["serde", "serde_json"]),
    ("plan", &["glob", "pulldown_cmark", "regex_lite", "saphyr_parser", "serde", "serde_json", "sha1_smol"]),
    ("record", &["memchr", "serde", "serde_json"]),
    (
        "process",
        &["aho_corasick", "memchr", "process_wrap", "rustix", "serde", "serde_json", "signal_hook", "which"],
    ),
    ("files", &["rustix"]),
    ("suggest", &["strsim"]),
];

/// The rooms whose folders have an order.
const ROOMS: &[Room<'static>] = &[Room {
    name: "engine",
    order: &["run_loop", "steps", "branches", "record", "checks", "tree", "commit", "run_context", "event"],
}];

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

/// Folders in rooms that act which only decide: somebody else looks at files and clocks for them.
const PURE_FOLDERS: [&str; 2] = ["scheduler/claim/", "serve/mcp/"];

#[test]
fn protocols_are_pure_though_their_rooms_are_not() {
    let door = RULES.doors.iter().find(|door| door.what == "is not pure").expect("the rules have this door");
    let in_folder = |file: &str| PURE_FOLDERS.iter().any(|folder| file.starts_with(folder));
    assert!(PACKAGE.files.keys().any(|file| in_folder(file)), "the folders have other names");
    let impure = PACKAGE.references.iter().filter(|referred| in_folder(&referred.file));
    let impure = impure.filter(|referred| door.signs.iter().any(|sign| is_sign(referred, sign)));
    none(&impure.map(place).collect::<Vec<_>>());
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
fn the_folders_of_a_room_keep_to_their_order() {
    none(&against_order(&PACKAGE, ROOMS));
}

#[test]
fn no_modules_of_a_room_depend_on_each_other_in_a_circle() {
    none(&knots(&PACKAGE));
}

#[test]
fn the_page_about_the_architecture_lists_the_rooms_in_their_order_with_their_size() {
    const PAGE: &str = "docs/architecture.md";
    const HEADING: &str = "| room | what is in it | lines |";
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &PACKAGE.code {
        let room = file.split(['/', '.']).next().expect("a split text has a first part");
        let code = PACKAGE.files[file].split("#[cfg(test)]\nmod ").next();
        *lines.entry(room).or_default() += code.map_or(0, |code| code.lines().count());
    }
    let rows = table(PAGE, HEADING);
    let rooms = RULES.may_use.iter().map(|(room, _)| *room);
    let named: Vec<&str> = rows.lines().filter_map(|row| row.split('`').nth(1)).collect();
    assert_eq!(named, rooms.collect::<Vec<_>>());
    let mut current = String::new();
    let mut differs = false;
    for (row, room) in rows.lines().zip(named) {
        let [_, name, what, told, _] = row.split('|').collect::<Vec<_>>().try_into().expect("three columns");
        let (told, counted) = (told.trim().parse::<usize>().unwrap_or(0), lines[room]);
        differs |= told.abs_diff(counted) > counted / 10;
        current.push_str(&format!("|{name}|{what}| {counted} |\n"));
    }
    // The numbers tell how large a room is, and need not change with every commit.
    if differs {
        check_table(PAGE, HEADING, &current);
    }
    let lines = page(PAGE).lines().count();
    assert!(lines <= 150, "a page of {lines} lines is not read");
}

#[test]
fn each_layer_uses_only_its_crates_of_others() {
    let manifest = include_str!("../../../Cargo.toml");
    none(&foreign_crates(&PACKAGE, CRATES, &dependencies(manifest)));
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

/// The rooms that decide what a run does. Whoever reads the words of others (git, agents, test frameworks) compares these, and
/// the rooms above write words for people.
const DECIDING: [&str; 11] = [
    "engine",
    "run",
    "history",
    "session",
    "scheduler",
    "launch",
    "inspect",
    "intervene",
    "report",
    "commands",
    "serve",
];

/// Where these rooms read a word all the same, and whose it is.
const READERS: [(&str, &str); 10] = [
    ("commands/gardener.rs", "an option"),
    ("commands/land.rs", "an option"),
    ("commands/report.rs", "the end of the name of a file"),
    ("launch/before_run.rs", "a setting of git"),
    ("report/out.rs", "the answer of a person"),
    ("run/change/test_code.rs", "the end of a block in Ruby"),
    ("scheduler/remote/waiting.rs", "where git has found a setting"),
    ("serve/mcp/session.rs", "a method of the protocol"),
    ("session/mod.rs", "a setting of git"),
    ("session/paging.rs", "a setting of git, and a pager that shows everything at once"),
];

#[test]
fn what_decides_compares_no_words() {
    let found = compared_words(&PACKAGE, &DECIDING);
    let is_reader = |compared: &&Compared| READERS.iter().any(|(file, _)| *file == compared.file);
    let sentence = |compared: &Compared| {
        let Compared { file, line, word } = compared;
        format!("src/{file}:{line} compares a word, where an enum should decide: {word}")
    };
    let mut wrong: Vec<String> = found.iter().filter(|one| !is_reader(one)).map(sentence).collect();
    let has_any = |file: &str| found.iter().any(|compared| compared.file == file);
    let idle = READERS.iter().filter(|(file, _)| !has_any(file));
    wrong.extend(idle.map(|(file, _)| format!("src/{file} reads no word any more")));
    none(&wrong);
}

#[test]
fn a_comparison_with_a_word_is_found_in_each_form() {
    for (code, count) in [
        ("self.name == \"done\"", 1),
        ("Some(\"done\") != setting.as_deref()", 1),
        ("one.word() == other", 1),
        ("proof.word() == ProofWord::Untested", 0),
        ("text == \"\" || text == \"...\"", 0),
        ("match step.as_str() { \"test\" | \"red\" => 1, _ => 2 }", 2),
        ("match step { Step::Test => \"test\", _ => \"red\" }", 0),
        ("matches!(word, Some(\"a\" | \"b\"))", 2),
        ("format!(\"{}\", if a == \"b\" { 1 } else { 2 })", 1),
        ("if let Some(\"x\") = word { 1 } else { 2 }", 1),
    ] {
        let found = compared_in("x.rs", &format!("fn x() {{ {code}; }}"));
        assert_eq!(found.len(), count, "{code}");
        let in_tests = format!("#[cfg(test)]\nmod tests {{ fn x() {{ {code}; }} }}");
        assert!(compared_in("x.rs", &in_tests).is_empty(), "{code}");
    }
}
