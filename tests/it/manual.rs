//! Tests the pages of the manual: that they say everything the code knows, that `man` can read them, and how they are
//! shown.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::cli::{Said, Story, arborist};
use crate::support::repo::{Repo, command};
use git_arborist::cli::{CATALOGUE, TABLE};
use git_arborist::config::Setting;
use git_arborist::error::EXIT_STATUSES;
use git_arborist::manual::{Page, VERSION, pages, topics};
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
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
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

/// A folder of pages as `man` wants it.
fn written(pages: &[Page]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for page in pages {
        let path = folder.path().join(page.file());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, page.roff(VERSION)).unwrap();
    }
    folder
}

/// What a program says about each page, unless it is not here.
fn complaints(program: &str, args: &[&str]) {
    if which::which(program).is_err() {
        eprintln!("skipped: {program} is not installed");
        return;
    }
    let pages = pages(CATALOGUE);
    let folder = written(&pages);
    for page in &pages {
        let mut checker = command(folder.path(), program);
        checker
            .args(args)
            .arg(folder.path().join(page.file()))
            .env("LC_ALL", "C.UTF-8")
            .env("MANWIDTH", "80");
        let output = checker.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let out = if program == "man" { String::new() } else { out };
        assert!(output.status.success() && said.is_empty() && out.is_empty(), "{}: {said}{out}", page.name);
    }
}

#[test]
fn man_reads_every_page_without_a_warning() {
    complaints("man", &["--warnings", "-E", "UTF-8", "-l"]);
}

#[test]
fn mandoc_finds_nothing_to_warn_about() {
    complaints("mandoc", &["-T", "lint", "-W", "warning"]);
}

#[test]
fn help_and_the_long_option_show_the_page_and_the_short_option_a_summary() {
    let repo = Repo::init(&[]);
    for name in TABLE.iter().map(|row| row.summary.name) {
        let page = arborist(repo.path(), &["help", name]).answer();
        assert!(page.starts_with(&format!("git-arborist-{name} - ")), "{page}");
        for part in
            ["\nUsage: git arborist", "\nOptions:\n", "\nExit status:\n", "\nExamples:\n", "\nSee also:\n"]
        {
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
    let said = arborist(repo.path(), &["help", "zzzzzz"]);
    assert!(said.code == 2 && said.err.contains(&topics(CATALOGUE).join(", ")), "{}", said.err);
}

/// What a shell command prints on a terminal.
fn on_terminal(folder: &Path, path: &std::ffi::OsStr, line: &str) -> Option<String> {
    if which::which("script").is_err() {
        eprintln!("skipped: script is not installed");
        return None;
    }
    let mut script = command(folder, "script");
    script.args(["-qec", line, "/dev/null"]).env("PATH", path).env("LC_ALL", "C.UTF-8").env("PAGER", "cat");
    script.env("GIT_PAGER", "cat").env("MANPAGER", "cat").env("TERM", "dumb").stdin(Stdio::null());
    Some(String::from_utf8_lossy(&script.output().unwrap().stdout).replace('\r', ""))
}

#[test]
fn on_a_terminal_the_installed_page_is_shown_by_man_and_also_by_git_help() {
    if which::which("man").is_err() {
        eprintln!("skipped: man is not installed");
        return;
    }
    // Where man finds the pages by itself: beside the folder `bin` of the program.
    let prefix = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let bin = prefix.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let built = Path::new(env!("CARGO_BIN_EXE_git-arborist")).parent().unwrap();
    for name in ["git-arborist", "git-arborist-status"] {
        std::fs::hard_link(built.join(name), bin.join(name)).unwrap();
    }
    let repo = Repo::init(&[]);
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(bin.clone()).chain(std::env::split_paths(&rest))).unwrap();
    let Some(before) = on_terminal(repo.path(), &path, "git arborist help status") else { return };
    assert!(before.contains("git-arborist-status - show the plan"), "{before}");
    let install =
        Command::new(bin.join("git-arborist")).args(["init", "man"]).current_dir(repo.path()).output();
    let installed = Said::of(install.unwrap()).answer();
    assert!(installed.contains("share/man"), "{installed}");
    // A mark by which the installed page can be told.
    let file = prefix.path().join("share/man/man1/git-arborist-status.1");
    let text =
        std::fs::read_to_string(&file).unwrap().replace("show the plan", "shown by man: show the plan");
    std::fs::write(&file, text).unwrap();
    for line in ["git arborist help status", "git arborist status --help", "git arborist-status --help"] {
        let shown = on_terminal(repo.path(), &path, line).unwrap();
        assert!(shown.contains("shown by man"), "{line}: {shown}");
    }
    let overview = on_terminal(repo.path(), &path, "git arborist --help").unwrap();
    assert!(overview.contains("git-arborist - let coding agents"), "{overview}");
    assert_eq!(on_terminal(repo.path(), &path, "git help arborist").unwrap(), overview);
    // In a pipe, nothing of man is needed.
    let plain = Command::new(bin.join("git-arborist")).args(["help", "status"]).output().unwrap();
    assert!(!Said::of(plain).answer().contains("shown by man"));
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
