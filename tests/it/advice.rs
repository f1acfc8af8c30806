//! Tests that every command of ours that somebody reads exists, with the options that are named.
//!
//! Messages take commands from `src/text/advice.rs`, where a unit test parses each of them, and no other string may have one. The
//! border: what explains commands instead of advising one (the manual pages, the tables from which they are made, the comments that
//! clap prints as help) is prose; the commands in it are taken out of the source here and looked up. What a message advises is
//! executed by tests of its own (`runs::states`, `runs::advice`, `autopilot`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use git_arborist::cli::TABLE;

/// How an advice begins.
const BEGIN: &str = "git arborist ";

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension {
            _ if path.is_dir() => sources(&path, found),
            Some("rs" | "md") => found.push(path),
            _ => {}
        }
    }
}

/// The commands that a text names, without the line breaks that Rust ignores in a string.
fn advice(text: &str) -> Vec<String> {
    let mut whole = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        match line.strip_suffix('\\') {
            Some(begun) if lines.peek().is_some() => {
                whole.push_str(begun);
                let next = lines.next().unwrap().trim_start();
                whole.push_str(next.strip_suffix('\\').unwrap_or(next));
            }
            _ => whole.push_str(line),
        }
        whole.push('\n');
    }
    let ends = |c: char| "`\"\n|;&()<>#,".contains(c);
    whole
        .match_indices(BEGIN)
        .map(|(at, _)| {
            let rest = &whole[at + BEGIN.len()..];
            rest[..rest.find(ends).unwrap_or(rest.len())].trim().to_owned()
        })
        .filter(|words| words.starts_with(|c: char| c.is_ascii_lowercase()))
        .collect()
}

/// Whether a command, or one of its subcommands, has an option as it is written.
fn has_option(definition: &clap::Command, word: &str) -> bool {
    let name = word.split(['=', '{', '.', ':', '\'']).next().unwrap_or_default();
    let own = definition.get_arguments().any(|arg| match (name.strip_prefix("--"), name.strip_prefix('-')) {
        (Some(long), _) => {
            arg.get_long() == Some(long)
                || arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&long))
        }
        (None, Some(short)) => arg.get_short().is_some_and(|letter| short.starts_with(letter)),
        (None, None) => true,
    });
    own || matches!(name, "--help" | "-h" | "--" | "-" | "--version" | "--tree")
        || definition.get_subcommands().any(|below| has_option(below, word))
}

#[test]
fn every_command_that_is_advised_exists_with_its_options() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let mut advised: BTreeMap<String, PathBuf> = BTreeMap::new();
    for file in files {
        for words in advice(&fs::read_to_string(&file).unwrap()) {
            advised.entry(words).or_insert_with(|| file.clone());
        }
    }
    assert!(advised.len() > 60, "the manual is there: {}", advised.len());
    let mut wrong = Vec::new();
    for (words, file) in &advised {
        let mut words = words.split_whitespace();
        let command = words.next().unwrap_or_default().trim_end_matches(['.', ':', '?']);
        if matches!(command, "help" | "version") || command.contains('{') {
            continue;
        }
        let Some(row) = TABLE.iter().find(|row| row.summary.name == command) else {
            // A sentence such as "git arborist is ..." is no advice.
            if words.clone().any(|word| word.starts_with("--")) {
                wrong.push(format!("{}: there is no command {command}", file.display()));
            }
            continue;
        };
        let definition = (row.definition)();
        let options = words.filter(|word| word.starts_with('-'));
        for option in options.filter(|option| !has_option(&definition, option)) {
            wrong.push(format!("{}: `{command}` has no option {option}", file.display()));
        }
    }
    assert_eq!(wrong, [""; 0], "{wrong:#?}");
}

/// The sources in which strings may have commands: the one place of those that messages advise, tables that are printed as help or
/// manual, and the first line of an exported file.
const PROSE: [&str; 6] = [
    "text/advice.rs",
    "text/gone.rs",
    "config/settings.rs",
    "check/rule/table.rs",
    "plan/fields.rs",
    "export/header.rs",
];

#[test]
fn no_message_has_a_command_that_is_not_a_value() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut found = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        if !name.ends_with(".rs") || PROSE.contains(&name.as_str()) || name.contains("tests") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let with = lines.filter(|line| line.contains("`git arborist ") || line.contains("`git arborist\\"));
        found.extend(with.map(|line| format!("src/{name}: {}", line.trim())));
    }
    assert_eq!(found, [""; 0], "a command in a message is a value of src/text/advice.rs");
}
