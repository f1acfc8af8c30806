//! Tests that the README and the pages in docs/ are right: their tables agree with the code, the commands work, and the
//! sample output is that of a real run.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::agents::say;
use crate::support::cli::{Said, git_with_commands};
use crate::support::docs::{check_table, page, project, rust_files, table};
use crate::support::garden::Garden;
use git_arborist::agents::AGENTS;
use git_arborist::check::RULES;
use git_arborist::cli::TABLE;
use git_arborist::config::Setting;
use git_arborist::error::{EXIT_STATUSES, Kind};
use git_arborist::hooks::Hook;
use git_arborist::record::{Effect, Ending, Outcome, Owner, Step, TrailerKey};
use git_arborist::suite::Framework;

/// The README and all pages of the manual.
fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(project().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.chain([project().join("README.md")]).collect()
}

/// The fenced blocks of a page that are in this language.
fn blocks(path: &str, language: &str) -> Vec<String> {
    let text = page(path);
    let fenced = text.split("```").skip(1).step_by(2);
    let of_language =
        fenced.filter_map(|block| block.strip_prefix(language).and_then(|rest| rest.strip_prefix('\n')));
    of_language.map(str::to_owned).collect()
}

/// A page with every run of white space as one blank, so that a sentence can be found across lines.
fn on_one_line(path: &str) -> String {
    page(path).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_table_of_commands_agrees_with_the_code() {
    let rows = TABLE.iter().map(|row| row.summary).fold(String::new(), |mut text, command| {
        writeln!(text, "| `git arborist {}` | {} |", command.name, command.about).unwrap();
        text
    });
    check_table("docs/reference.md", "| command | what it is for |", &rows);
}

#[test]
fn the_table_of_hooks_agrees_with_the_code() {
    let sets: [(&str, &[Hook]); 2] =
        [("in a work tree", &Hook::OF_WORK_TREE), ("in a bare repository", &Hook::OF_SERVER)];
    let rows: Vec<String> = sets
        .into_iter()
        .flat_map(|(set_up, hooks)| {
            hooks.iter().map(move |hook| format!("| `{}` | {set_up} | {} |\n", hook.name(), hook.about()))
        })
        .collect();
    assert_eq!(rows.len(), Hook::ALL.len());
    check_table("docs/checking.md", "| hook | set up | what it does |", &rows.concat());
}

#[test]
fn the_table_of_settings_agrees_with_the_code() {
    let rows = Setting::EVERYDAY.into_iter().fold(String::new(), |mut text, setting| {
        let rule = setting.rule();
        let default = rule.default.map(|default| format!(" `{default}`")).unwrap_or_default();
        let env = rule.env.map(|env| format!(" `{env}`")).unwrap_or_default();
        // Even in code, a bare one would end the cell.
        let about = rule.about.replace('|', "\\|");
        writeln!(text, "| `arborist.{}` |{env} |{default} | {about} |", rule.key).unwrap();
        text
    });
    check_table(
        "docs/configuration.md",
        "| git's configuration | environment | default | what it is |",
        &rows,
    );
}

#[test]
fn the_table_of_exit_statuses_has_them_all() {
    let kinds =
        [Kind::No, Kind::Input, Kind::Repository, Kind::Environment, Kind::Busy, Kind::Unsafe, Kind::Person];
    let statuses = kinds.map(|kind| kind.exit_status().to_string());
    let signals = [1, 2, 15].map(|signal| Kind::Signal(signal).exit_status().to_string()).join(", ");
    let expected: Vec<String> = ["0".to_owned()].into_iter().chain(statuses).chain([signals]).collect();
    assert_eq!(EXIT_STATUSES.map(|(status, _)| status).as_slice(), expected);
    let rows = EXIT_STATUSES.map(|(status, meaning)| format!("| {status} | {meaning} |\n"));
    check_table("docs/exit-status.md", "| exit status | meaning |", &rows.concat());
}

#[test]
fn the_rule_about_unknown_keys_names_all_keys() {
    let rule = RULES.iter().find(|rule| rule.id == "A010").unwrap();
    let words: BTreeSet<&str> = rule.why.split([' ', ',', '.']).collect();
    for key in TrailerKey::ALL {
        let short = key.name().strip_prefix("Arborist").unwrap();
        assert!(words.contains(short) || words.contains(key.name()), "{}", key.name());
    }
}

#[test]
fn the_table_of_subjects_agrees_with_the_code() {
    let mut rows = String::new();
    for step in Step::all() {
        let row = step.row();
        let owner = if row.owner == Owner::Phase { "phase" } else { "task" };
        // A phase that is not complete has no marker.
        let is_written = |ending: &&Ending| row.word != "phase-complete" || ending.outcome == Outcome::Pass;
        for ending in row.endings.iter().filter(is_written) {
            let word = if row.outcome.is_some() { ending.word } else { "" };
            let subject = ending
                .subject
                .replace("{name}", "NAME")
                .replace("{attempt}", "K/MAX")
                .replace("{max}", "MAX")
                .replace("{claimant}", "CLAIMANT");
            writeln!(rows, "| {} | {word} | `{owner}(ID): {subject}` |", row.word).unwrap();
        }
    }
    check_table("docs/commits.md", "| step | outcome | subject |", &rows);
}

#[test]
fn the_table_of_states_agrees_with_the_code() {
    let mut rows = String::from("| none | pending |\n");
    for step in Step::all().filter(|step| step.row().owner == Owner::Task) {
        let row = step.row();
        if row.effect == Effect::None {
            writeln!(rows, "| {} | the state after the step before it |", row.word).unwrap();
            continue;
        }
        let [pass, others @ ..] = row.endings else { panic!("{step:?} cannot pass") };
        for other in others.iter().filter(|other| other.state != pass.state) {
            let key = row.outcome_key().unwrap().name();
            writeln!(rows, "| {}, with `{key}: {}` | {} |", row.word, other.word, other.state.word())
                .unwrap();
        }
        writeln!(rows, "| {} | {} |", row.word, pass.state.word()).unwrap();
    }
    check_table("docs/commits.md", "| latest step | state |", &rows);
}

#[test]
fn the_tables_of_documents_and_events_agree_with_the_schemas() {
    let listed = table("docs/json.md", "| command or file | definition |");
    let all: Value = serde_json::from_str(&page("docs/schema.json")).unwrap();
    let definitions = all["$defs"].as_object().unwrap();
    // The others are parts of these.
    let printed: Vec<_> =
        definitions.iter().filter(|(_, definition)| definition["title"].is_string()).collect();
    for (name, definition) in &printed {
        let title = definition["title"].as_str().unwrap();
        let (document, how) = title.split_once(": ").unwrap_or((title, ""));
        let how = if how.is_empty() { String::new() } else { format!(", {how}") };
        let row = format!("| `{document}`{how} | `{name}` |\n");
        assert!(listed.contains(&row), "docs/json.md must have\n\n{row}");
    }
    assert_eq!(listed.lines().count(), printed.len());

    let schema = &definitions["event"];
    let events = schema["oneOf"].as_array().unwrap();
    let rows = events.iter().fold(String::new(), |mut text, event| {
        let word = event["properties"]["event"]["const"].as_str().unwrap();
        let row = format!("| `{word}` | {} |\n", event["description"].as_str().unwrap());
        // An event about a phase or a task has a schema for each of them.
        if !text.ends_with(&row) {
            text.push_str(&row);
        }
        text
    });
    check_table("docs/json.md", "| event | meaning |", &rows);
}

#[test]
fn every_agent_every_framework_and_every_finding_is_named() {
    let rows = AGENTS.iter().fold(String::new(), |mut text, agent| {
        let seen = if agent.reports_events() { "events" } else { "text" };
        writeln!(text, "| `{}` | {seen} | `{}` |", agent.name, agent.install.replace('|', "\\|")).unwrap();
        text
    });
    check_table("docs/agents.md", "| agent | the run sees | installed by |", &rows);
    let plans = on_one_line("docs/plans.md");
    for framework in Framework::ALL {
        let word = match framework {
            Framework::Go => "go test",
            Framework::CargoTest => "cargo test",
            Framework::Nextest => "cargo nextest",
            Framework::NodeTest => "node's test runner",
            Framework::Tap => "Test Anything Protocol",
            other => other.names()[0],
        };
        assert!(plans.contains(word), "{word}");
    }
}

#[test]
fn the_command_that_runs_the_tests_is_the_one_of_ci() {
    let ci = page(".ci/run");
    for file in ["README.md", "CONTRIBUTING.md"] {
        let page = page(file);
        let command = page.lines().find(|line| line.starts_with("cargo test ")).unwrap();
        let command = command.split('#').next().unwrap().trim();
        assert!(ci.contains(&format!(" phase tests {command} ")), "{file}: {command}");
    }
}

/// The anchors that a page has, as forges derive them from headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        words
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
            .collect::<String>()
            .replace(' ', "-")
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_leads_to_an_existing_file_and_heading() {
    let mut links = 0;
    for from in pages() {
        let text = fs::read_to_string(&from).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            if path.starts_with("https://") {
                continue;
            }
            let target = if path.is_empty() { from.clone() } else { from.parent().unwrap().join(path) };
            assert!(target.exists(), "{}: {link}", from.display());
            if !anchor.is_empty() {
                let there = anchors(&fs::read_to_string(&target).unwrap());
                assert!(there.contains(anchor), "{}: {link}: {there:?}", from.display());
            }
            links += 1;
        }
    }
    assert!(links > 20, "{links}");
}

#[test]
fn the_start_page_links_to_every_page_and_the_package_contains_them() {
    let start = page("docs/README.md");
    for path in pages().iter().filter(|path| !path.ends_with("README.md")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(start.contains(&format!("({name})")), "{name}");
    }
    assert!(page("README.md").contains("(docs/README.md)"));
    assert!(start.lines().count() <= 50, "the start page is longer than a screen");
    let include = page("Cargo.toml");
    let include = include.lines().find(|line| line.starts_with("include = ")).unwrap();
    assert!(include.contains("\"/docs\""), "{include}");
}

/// A line in which commit ids, times and folders, which differ from run to run, are made the same.
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

/// The line of a log without its time.
fn without_time(line: &str) -> &str {
    let has_time = line.get(..20).is_some_and(|time| {
        time.chars().all(|c| c.is_ascii_digit() || "-: ".contains(c)) && time.starts_with("20")
    });
    if has_time { &line[20..] } else { line }
}

#[test]
fn the_sample_output_is_that_of_a_real_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = git_with_commands(folder.path(), &["arborist", "demo", "--dir", "demo"]);
    let said = Said::of(command.output().unwrap());
    assert_eq!(said.code, 0, "{}", said.err);
    let mut show = git_with_commands(&folder.path().join("demo"), &["log", "--format=%B"]);
    let log = Said::of(show.output().unwrap()).answer();

    let proofs = git_with_commands(&folder.path().join("demo"), &["arborist", "prove"]).output().unwrap();
    let proofs = Said::of(proofs);
    let real = [&said.err, &said.out, &proofs.out, &proofs.err].map(String::as_str).concat();
    let pictures = blocks("docs/reference.md", "").into_iter().map(|picture| (picture, real.clone()));
    let commits = blocks("docs/commits.md", "").into_iter().map(|commit| (commit, log.clone()));
    let all: Vec<(String, String)> = pictures.chain(commits).collect();
    assert_eq!(all.len(), 3);
    for (picture, real) in all {
        // The pictures are of a terminal, on which a reason has a line of its own and lines have no time.
        let picture =
            picture.replace("\n    failing: ", "  failing: ").replace("\n    Messages", "  Messages");
        let mut lines = real.lines().map(without_time).map(without_particulars);
        let shown = picture.lines().filter(|line| *line != "..." && !line.starts_with("$ "));
        for line in shown.map(without_particulars) {
            assert!(lines.any(|real| real == line), "no such line, or not in this order: {line}\n{real}");
        }
    }
}

/// The commands of a section of the README, in order.
fn commands_under(heading: &str) -> Vec<String> {
    let readme = page("README.md");
    let start = readme.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("there is no {heading}"));
    let section = &readme[start + heading.len() + 2..];
    let section = &section[..section.find("\n## ").unwrap_or(section.len())];
    let blocks = section.split("```").skip(1).step_by(2);
    blocks.filter_map(|block| block.strip_prefix("sh\n")).flat_map(str::lines).map(str::to_owned).collect()
}

#[test]
fn the_five_minute_guide_works_as_written() {
    let garden = Garden::empty();
    garden.git(&["init", "-q", "-b", "main"]);
    let plan = &blocks("README.md", "json")[0];
    assert_eq!(*plan, blocks("docs/plans.md", "json")[0], "the plan is the same on both pages");
    garden.write("task-tree.json", plan);
    // A runner that is chosen by name is looked for on PATH.
    let agent = r#"case $ARBORIST_TASK-$ARBORIST_STEP in
        T001-implement) echo 'echo "Hello, world"' >greet.sh; say Done ;;
        T002-implement) echo 'echo "Hello, ${1:-world}"' >greet.sh; say Done ;;
        *-review) say APPROVED ;;
        esac"#;
    garden.program(&garden.root().join("git/claude"), &format!("{}\n{agent}", say("claude")));
    let lines = commands_under("## Five minutes in a repository of your own");
    for line in &lines {
        let mut command = garden.command("/bin/sh");
        // Otherwise `doctor` would tell root that claude does not work.
        command.args(["-c", line]).env("IS_SANDBOX", "1");
        let ended = garden.finish(command);
        assert_eq!(ended.status, 0, "{line}: {ended:#?}");
        if line == "git arborist status" {
            assert!(ended.stdout.contains("  2/2 complete  "), "{ended:#?}");
        }
    }
    let of_ours: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("git arborist ")).collect();
    let all = [
        "doctor",
        "gardener --dry-run",
        "gardener",
        "status",
        "show T001",
        "report -o report.html",
        "land",
        "prune",
    ];
    assert!(of_ours.starts_with(&all), "{of_ours:?}");
    assert!(!garden.exists("spec/reports"), "they are pruned");
}

#[test]
fn the_tests_that_the_page_about_the_tests_names_exist() {
    let page = page("tests/README.md");
    let is_name = |word: &&str| {
        word.len() > 25 && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    let named: BTreeSet<&str> = page.split('`').skip(1).step_by(2).filter(is_name).collect();
    assert!(named.len() > 40, "{named:?}");
    let files: Vec<String> =
        ["tests", "src"].into_iter().flat_map(rust_files).map(|(_, text)| text).collect();
    let is_there = |name: &&str| files.iter().any(|text| text.contains(&format!("fn {name}()")));
    let missing: Vec<&&str> = named.iter().filter(|name| !is_there(name)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}
