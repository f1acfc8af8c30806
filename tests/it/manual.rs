//! Tests the pages of the manual: that they say everything the code knows, that `man` can read them, and how they are
//! shown.

use crate::support::cli::{Said, Story, arborist};
use crate::support::repo::{Repo, command};
use git_arborist::cli::{CATALOGUE, TABLE};
use git_arborist::config::Setting;
use git_arborist::error::EXIT_STATUSES;
use git_arborist::manual::{VERSION, pages, topics};
use git_arborist::plan::{COMMAND_FIELDS, FILE_FIELDS, NODE_FIELDS, TaskField};
use git_arborist::record::{Step, TrailerKey};

/// What `man` reads of a page, without its fonts and escapes.
fn source_of(name: &str) -> String {
    let page =
        pages(CATALOGUE).into_iter().find(|page| page.name == name).unwrap_or_else(|| panic!("{name}"));
    let marks = [
        ("\\fB", ""),
        ("\\fI", ""),
        ("\\fR", ""),
        ("\\&", ""),
        ("\\-", "-"),
        ("\\*(Aq", "'"),
        ("\\\\", "\\"),
    ];
    marks.into_iter().fold(page.roff(VERSION), |text, (mark, letter)| text.replace(mark, letter))
}

/// The text of a page, with every run of white space as one blank.
fn text_of(name: &str) -> String {
    on_one_line(&source_of(name))
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a page explains: options, settings, steps and so on.
fn terms(name: &str) -> Vec<String> {
    let text = source_of(name);
    let lines: Vec<&str> = text.lines().collect();
    lines.windows(2).filter(|pair| pair[0] == ".TP").map(|pair| pair[1].to_owned()).collect()
}

#[test]
fn every_command_has_a_page_with_a_description_an_example_and_all_its_options() {
    for row in TABLE {
        let name = row.summary.name;
        assert!(!row.prose.is_empty(), "`const MANUAL` of {name} must describe it (src/commands/manual)");
        assert!(row.prose.contains("\n# Examples\n"), "{name} has no examples");
        let page = format!("git-arborist-{name}");
        let text = text_of(&page);
        assert!(text.contains(&on_one_line(&format!("{page} - {}", row.summary.about))), "{text}");
        let terms = terms(&page);
        let mut definition = (row.definition)();
        definition.build();
        let below = definition.get_subcommands().filter(|command| !command.is_hide_set());
        for command in
            std::iter::once(&definition).chain(below.filter(|command| command.get_name() != "help"))
        {
            // What every command has is on the page of the whole program.
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set() && arg.get_id() != "tree") {
                let Some(long) = arg.get_long() else { continue };
                let spelt = format!("--{long}");
                let is_there = |term: &String| term.split([' ', ',', '[']).any(|word| word == spelt);
                assert!(terms.iter().any(is_there), "{page} does not explain {spelt}: {terms:#?}");
            }
        }
        for (status, _) in EXIT_STATUSES {
            assert!(terms.iter().any(|term| term.starts_with(status)), "{page}: {status}");
        }
    }
}

#[test]
fn the_page_of_git_arborist_lists_every_command() {
    let text = text_of("git-arborist");
    for row in TABLE {
        assert!(text.contains(&format!("git-arborist-{}(1)", row.summary.name)), "{}", row.summary.name);
    }
}

#[test]
fn the_pages_about_files_name_every_setting_trailer_step_and_field() {
    let config = terms("gitarborist-config");
    let text = text_of("gitarborist-config");
    for rule in Setting::ALL.map(Setting::rule) {
        assert!(config.contains(&format!("arborist.{}", rule.key)), "{}", rule.key);
        if let Some(env) = rule.env {
            assert!(text.contains(&format!("The environment variable is {env}.")), "{env}");
        }
        let default = rule.default.map(|default| format!("The default is {default}."));
        assert!(default.is_none_or(|default| text.contains(&default)), "{}", rule.key);
    }
    let trailers = terms("gitarborist-trailers");
    for name in TrailerKey::ALL.map(TrailerKey::name).into_iter().chain(Step::all().map(Step::word)) {
        assert!(trailers.iter().any(|term| term.split(' ').next() == Some(name)), "{name}");
    }
    let plans = terms("gitarborist-plans");
    let tables = [&FILE_FIELDS[..], &NODE_FIELDS, &COMMAND_FIELDS];
    let fields = tables.concat().into_iter().chain(TaskField::ALL.map(TaskField::help));
    for field in fields {
        assert!(plans.iter().any(|term| term.split(' ').next() == Some(field.name)), "{}", field.name);
    }
}

#[test]
fn the_plan_in_the_page_about_plans_is_valid() {
    let page = pages(CATALOGUE).into_iter().find(|page| page.name == "gitarborist-plans").unwrap();
    let text = page.plain(1000);
    let plan = text.split_once("two tasks:\n").unwrap().1.split_once("\nSee also").unwrap().0;
    let (repo, _) = Story::of(plan).told(0);
    let said = arborist(repo.path(), &["status"]).answer();
    assert!(said.contains("T002 Greet by name"), "{said}");
}

#[test]
fn the_commands_in_the_examples_have_options_that_exist() {
    let mut tried = 0;
    for page in pages(CATALOGUE) {
        for line in page.plain(1000).lines() {
            let Some(words) = line.strip_prefix("    git arborist ") else { continue };
            let words: Vec<&str> = words.split(" | ").next().unwrap().split_whitespace().collect();
            let Some(row) = TABLE.iter().find(|row| row.summary.name == words[0]) else {
                panic!("{}: {line}", page.name)
            };
            // An argument in quotes counts as one word.
            let joined = words.join(" ");
            let args: Vec<&str> = joined
                .split('\'')
                .enumerate()
                .flat_map(
                    |(place, part)| {
                        if place % 2 == 1 { vec![part] } else { part.split_whitespace().collect() }
                    },
                )
                .collect();
            if let Err(error) = (row.definition)().try_get_matches_from(&args) {
                assert_eq!(error.exit_code(), 0, "{}: {line}\n{error}", page.name);
            }
            tried += 1;
        }
    }
    assert!(tried > 30, "{tried}");
}

#[test]
fn help_and_the_long_option_show_the_page_and_the_short_option_a_summary() {
    let repo = Repo::init(&[]);
    let overview = arborist(repo.path(), &["help", "git-arborist"]).answer();
    assert!(["--tree", "--help", "--version"].iter().all(|option| overview.contains(option)), "{overview}");
    for name in TABLE.iter().map(|row| row.summary.name) {
        let page = arborist(repo.path(), &["help", name]).answer();
        assert!(page.starts_with(&format!("git-arborist-{name} - ")), "{page}");
        for part in ["\nUsage: git arborist", "\nExit status:\n", "\nExamples:\n", "\nSee also:\n"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert_eq!(arborist(repo.path(), &[name, "--help"]).answer(), page);
        let summary = arborist(repo.path(), &[name, "-h"]).answer();
        assert!(summary.contains("Usage: git arborist"), "{summary}");
    }
    // git itself answers `git arborist --help`, by `man git-arborist`.
    let mut direct = command(repo.path(), env!("CARGO_BIN_EXE_git-arborist"));
    let page = Said::of(direct.arg("--help").output().unwrap()).answer();
    assert!(page.starts_with("git-arborist - "), "{page}");
    for (word, title) in [
        ("config", "gitarborist-config - "),
        ("trailers", "gitarborist-trailers - "),
        ("plans", "gitarborist-plans - "),
    ] {
        for word in [word.to_owned(), format!("gitarborist-{word}")] {
            let page = arborist(repo.path(), &["help", &word]).answer();
            assert!(page.starts_with(title), "{page}");
            assert!(page.is_ascii() && !page.contains(['\u{8}', '\u{1b}']), "{word}");
        }
    }
}

#[test]
fn an_unknown_topic_is_an_error_that_names_the_most_similar_one() {
    let repo = Repo::init(&[]);
    for (wrong, near) in [("confg", "config"), ("statsu", "status"), ("trailer", "trailers")] {
        let said = arborist(repo.path(), &["help", wrong]);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{wrong}");
        assert!(said.err.contains(&format!("Did you mean `git arborist help {near}`?")), "{}", said.err);
    }
    let said = arborist(repo.path(), &["help", "stats"]);
    assert!(said.code == 2 && said.err.contains("`git arborist report -o report.html`"), "{}", said.err);
    let said = arborist(repo.path(), &["help", "zzzzzz"]);
    assert!(said.code == 2 && said.err.contains(&topics(CATALOGUE).join(", ")), "{}", said.err);
}

#[test]
fn a_page_has_the_width_of_its_terminal() {
    let page = &pages(CATALOGUE)[1];
    for columns in [40, 80, 100] {
        let long: Vec<String> = page
            .plain(columns)
            .lines()
            // Commands are not broken.
            .filter(|line| line.chars().count() > columns && !line.contains("git arborist "))
            .map(str::to_owned)
            .collect();
        assert_eq!(long, [""; 0], "{columns}");
    }
}
