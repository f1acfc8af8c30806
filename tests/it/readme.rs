//! The README says what is so: its tables are those of the code, its commands work, its picture is one of a real run.

use std::fmt::Write as _;
use std::path::Path;

use crate::support::cli::{Said, git_with_commands};
use crate::support::garden::Garden;
use git_arborist::agents::AGENTS;
use git_arborist::cli::TABLE;
use git_arborist::config::Setting;
use git_arborist::error::{EXIT_STATUSES, Kind};
use git_arborist::hooks::Hook;
use git_arborist::record::{Step, TrailerKey, ValueKind, steps_with, words_of};
use git_arborist::suite::Framework;

const README: &str = include_str!("../../README.md");

/// The rows of the table under this heading row, without its rule.
fn table(heading: &str) -> String {
    let start =
        README.find(&format!("{heading}\n|")).unwrap_or_else(|| panic!("there is no table {heading}"));
    let rows = README[start..].lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.fold(String::new(), |text, row| text + row + "\n")
}

/// Compares a table with its rows in the code, and shows those where they differ.
#[track_caller]
fn check_table(heading: &str, rows: &str) {
    assert!(table(heading) == rows, "under `{heading}` the README must have\n\n{rows}");
}

/// The fenced blocks in this language.
fn blocks(language: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    for (place, part) in README.split("```").enumerate() {
        if let Some(text) = part.strip_prefix(language).and_then(|rest| rest.strip_prefix('\n'))
            && place % 2 == 1
        {
            found.push(text);
        }
    }
    found
}

#[test]
fn the_table_of_commands_is_that_of_the_code() {
    let rows = TABLE.iter().map(|row| row.summary).fold(String::new(), |mut text, command| {
        writeln!(text, "| `git arborist {}` | {} |", command.name, command.about).unwrap();
        text
    });
    check_table("| command | what it is for |", &rows);
}

#[test]
fn the_table_of_hooks_is_that_of_the_code() {
    let sets: [(&str, &[Hook]); 3] = [
        ("in a work tree", &Hook::OF_WORK_TREE),
        ("in a bare repository", &Hook::OF_SERVER),
        ("on request", &Hook::ON_REQUEST),
    ];
    let rows: Vec<String> = sets
        .into_iter()
        .flat_map(|(set_up, hooks)| {
            hooks.iter().map(move |hook| format!("| `{}` | {set_up} | {} |\n", hook.name(), hook.about()))
        })
        .collect();
    assert_eq!(rows.len(), Hook::ALL.len());
    check_table("| hook | set up | what it does |", &rows.concat());
}

#[test]
fn the_table_of_settings_is_that_of_the_code() {
    let rows = Setting::ALL.into_iter().fold(String::new(), |mut text, setting| {
        let rule = setting.rule();
        let default = rule.default.map(|default| format!(" `{default}`")).unwrap_or_default();
        writeln!(text, "| `arborist.{}` | `{}` |{default} | {} |", rule.key, rule.env, rule.about).unwrap();
        text
    });
    check_table("| git's configuration | environment | default | what it is |", &rows);
}

#[test]
fn the_table_of_trailers_is_that_of_the_code() {
    let rows = TrailerKey::ALL.into_iter().fold(String::new(), |mut text, key| {
        let rule = key.rule();
        let values = match rule.value {
            ValueKind::Step | ValueKind::Outcome | ValueKind::Words(_) => {
                words_of(key).iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" ")
            }
            ValueKind::Count => "integer".to_owned(),
            ValueKind::Seconds => "seconds".to_owned(),
            ValueKind::Path => "path".to_owned(),
            ValueKind::Text => "text".to_owned(),
        };
        let steps: Vec<&str> = steps_with(key).map(Step::word).collect();
        writeln!(text, "| `{}` | {values} | {} | {} |", rule.name, steps.join(", "), rule.about).unwrap();
        text
    });
    check_table("| trailer | values | on | what it says |", &rows);
}

#[test]
fn the_table_of_exit_statuses_has_them_all() {
    let kinds = [Kind::No, Kind::Input, Kind::Repository, Kind::Surroundings, Kind::Busy, Kind::Unsafe];
    let statuses = kinds.map(|kind| kind.exit_status().to_string());
    let signals = [1, 2, 15].map(|signal| Kind::Signal(signal).exit_status().to_string()).join(", ");
    let expected: Vec<String> = ["0".to_owned()].into_iter().chain(statuses).chain([signals]).collect();
    assert_eq!(EXIT_STATUSES.map(|(status, _)| status).as_slice(), expected);
    let rows = EXIT_STATUSES.map(|(status, meaning)| format!("| {status} | {meaning} |\n"));
    check_table("| exit status | meaning |", &rows.concat());
}

#[test]
fn every_agent_and_every_framework_is_named() {
    let text = README.split_whitespace().collect::<Vec<_>>().join(" ");
    let agents: Vec<String> = AGENTS.iter().map(|agent| format!("`{}`", agent.name)).collect();
    let (last, others) = agents.split_last().unwrap();
    assert!(text.contains(&format!("{} and {last} are known by name", others.join(", "))));
    for framework in Framework::ALL {
        let word = match framework {
            Framework::Go => "go test",
            Framework::CargoTest => "cargo test",
            Framework::Nextest => "cargo nextest",
            Framework::NodeTest => "node's test runner",
            Framework::Rspec => "RSpec",
            other => other.names()[0],
        };
        assert!(text.contains(word), "{word}");
    }
}

#[test]
fn the_command_that_runs_the_tests_is_the_one_of_ci() {
    let ci = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/run")).unwrap();
    let command = blocks("sh")[1].trim();
    assert!(command.starts_with("cargo test "), "{command}");
    assert!(ci.contains(&format!("\n    {command} ")), "{command}");
}

/// A line with what differs from run to run, ids of commits, times and folders, made the same.
fn without_particulars(line: &str) -> String {
    let word = |word: &str| {
        let hex = word.len() >= 7 && word.chars().all(|c| c.is_ascii_hexdigit());
        let seconds = word.contains('.') && word.parse::<f64>().is_ok();
        let folder = word.starts_with('/');
        let stamp = word.starts_with("spec/");
        if hex || seconds || folder || stamp { "_".to_owned() } else { word.to_owned() }
    };
    line.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_pictures_are_those_of_a_real_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = git_with_commands(folder.path(), &["arborist", "demo", "--dir", "demo"]);
    let said = Said::of(command.output().unwrap());
    assert_eq!(said.code, 0, "{}", said.err);
    let mut show = git_with_commands(&folder.path().join("demo"), &["log", "--format=%B"]);
    let log = Said::of(show.output().unwrap()).answer();

    let pictures = blocks("");
    assert_eq!(pictures.len(), 2);
    for (picture, real) in pictures.into_iter().zip([said.err + &said.out, log]) {
        let mut lines = real.lines().map(without_particulars);
        for line in picture.lines().filter(|line| *line != "...").map(without_particulars) {
            assert!(lines.any(|real| real == line), "no such line, or not in this order: {line}\n{real}");
        }
    }
}

/// The commands of a section, in order.
fn commands_under(heading: &str) -> Vec<&'static str> {
    let start = README.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("there is no {heading}"));
    let section = &README[start + heading.len() + 2..];
    let section = &section[..section.find("\n## ").unwrap_or(section.len())];
    let blocks = section.split("```").skip(1).step_by(2);
    blocks.filter_map(|block| block.strip_prefix("sh\n")).flat_map(str::lines).collect()
}

#[test]
fn the_five_minutes_work_as_they_are_written() {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    garden.write("task-tree.json", blocks("json")[0]);
    // What is chosen by name is looked for on PATH.
    let agent = r#"case $ARBORIST_TASK-$ARBORIST_STEP in
        T001-implement) echo 'echo "Hello, world"' >greet.sh ;;
        T002-implement) echo 'echo "Hello, ${1:-world}"' >greet.sh ;;
        *-review) echo APPROVED ;;
        esac"#;
    garden.program(&garden.root().join("git/claude"), agent);
    let lines = commands_under("## Five minutes in a repository of your own");
    for line in &lines {
        let mut command = garden.command("/bin/sh");
        // Else doctor says, to the superuser, that claude does not work for them.
        command.args(["-c", line]).env("IS_SANDBOX", "1");
        let ended = garden.finish(command);
        assert_eq!(ended.status, 0, "{line}: {ended:#?}");
        if *line == "git arborist status" {
            assert!(ended.stdout.contains("  2/2 complete  "), "{ended:#?}");
        }
    }
    let of_ours: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("git arborist ")).collect();
    let all = ["doctor", "gardener --dry-run", "gardener", "status", "show T001", "prune"];
    assert!(of_ours.starts_with(&all), "{of_ours:?}");
    assert!(!garden.exists("spec/reports"), "they are pruned");
}
