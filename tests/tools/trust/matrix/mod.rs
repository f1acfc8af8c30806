//! Changes that agents make, honest and dishonest, each in a whole run with real test runners, and which check notices
//! them.

mod bases;
mod plain;
mod rows;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::json;

use git_arborist::record::Check;

use crate::support::garden::{Ended, Garden, one_task, programs, side_by_side};
use crate::support::proofs::with_default_checks;
use crate::support::skip::missing;
use bases::Base;
pub(super) use plain::pass_by_themselves;
pub(super) use rows::{Row, rows};

/// Which rows are tried.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// Those that are marked as quick.
    Quick,
    /// All of them.
    Whole,
}

/// What was seen of a run.
#[derive(Debug)]
struct Seen {
    ended: Ended,
    /// Names of the checks whose findings are errors and warnings.
    errors: Vec<String>,
    warnings: Vec<String>,
    /// The word of the task's proof.
    word: String,
}

/// Runs dishonest changes. With `UPDATE_TABLES`, the rows get the verdicts that were seen, for review.
#[track_caller]
pub(super) fn run_dishonest(part: Part) {
    let wrong = try_all(rows("dishonest"), part, |row, garden, seen| {
        let verdict = verdict_on(garden, seen);
        (!agrees(&verdict, row.value("verdict"))).then_some(verdict)
    });
    if std::env::var_os("UPDATE_TABLES").is_some() {
        let mut verdicts: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for (row, verdict, _) in &wrong {
            verdicts.entry(row.base.clone()).or_default().insert(row.name.clone(), verdict.clone());
        }
        verdicts.iter().for_each(|(base, verdicts)| rows::write_verdicts(base, verdicts));
    }
    report(&wrong, "verdict");
}

/// Runs honest changes.
#[track_caller]
pub(super) fn run_honest(part: Part) {
    let wrong = try_all(rows("honest"), part, |row, _, seen| {
        let expected: Vec<&str> = row.value("warning").split_whitespace().collect();
        let word = if row.value("word").is_empty() { "proven" } else { row.value("word") };
        let fine = seen.ended.status == 0 && seen.errors.is_empty() && seen.warnings == expected;
        (!fine || seen.word != word)
            .then(|| format!("{}: errors {:?} warnings {:?}", seen.word, seen.errors, seen.warnings))
    });
    report(&wrong, "warning");
}

type Wrong = (Row, String, String);

#[track_caller]
fn report(wrong: &[Wrong], key: &str) {
    let told = |(row, seen, told): &Wrong| {
        format!("{}: {}: {seen} instead of {:?}\n{told}", row.base, row.name, row.value(key))
    };
    assert!(wrong.is_empty(), "{}", wrong.iter().map(told).collect::<Vec<_>>().join("\n\n"));
}

/// Tries rows, and gives those about which `judge` has something to say, with that and the end of their history.
fn try_all(
    rows: Vec<Row>,
    part: Part,
    judge: impl Fn(&Row, &Garden, &Seen) -> Option<String> + Sync,
) -> Vec<Wrong> {
    let only = std::env::var("MATRIX_ROWS").unwrap_or_default();
    let is_meant = |row: &Row| match part {
        Part::Quick => row.is_quick(),
        Part::Whole => format!("{}: {}", row.base, row.name).contains(&only),
    };
    let shelf = Shelf::default();
    let wrong = Mutex::new(Vec::new());
    side_by_side(rows.into_iter().filter(is_meant), |row| {
        let Some(garden) = shelf.copy(&row) else { return };
        let base = Base::named(&row.base);
        let mut seen = play(&garden, &row);
        seen.warnings.retain(|warning| !base.is_ambient(warning));
        if let Some(said) = judge(&row, &garden, &seen) {
            let told = format!("{}\n{}", seen.ended.stderr, garden.git(&["log", "--format=%B", "-6"]));
            wrong.lock().unwrap().push((row, said, told));
        }
    });
    wrong.into_inner().unwrap()
}

/// What became of a dishonest change, as rows write it.
fn verdict_on(garden: &Garden, seen: &Seen) -> String {
    if !seen.errors.is_empty() {
        return format!("error {}", seen.errors.join(" "));
    }
    if seen.ended.status != 0 {
        return "stops: ".to_owned();
    }
    if !seen.warnings.is_empty() {
        return format!("warning {}", seen.warnings.join(" "));
    }
    if garden.finish(surrounded(garden, &["prove", "T001"])).status == 0 {
        "unseen: ".to_owned()
    } else {
        "prove: ".to_owned()
    }
}

fn agrees(verdict: &str, expected: &str) -> bool {
    verdict == expected || verdict.ends_with(": ") && expected.starts_with(verdict)
}

/// The functions that the scripts of rows use.
const FUNCTIONS: &str = r#"good() { cp "$ROOT/good" "$(cat "$ROOT/path")"; }
half() { cp "$ROOT/half" "$(cat "$ROOT/path")"; }
"#;

/// Lets an agent work on the task, with a reviewer who approves.
fn play(garden: &Garden, row: &Row) -> Seen {
    garden.agent(&format!(
        "{FUNCTIONS}case $ARBORIST_STEP in implement)\nset -e\n{}\necho done\nexit 0;; esac",
        row.script
    ));
    let attempts = row.attempts().to_string();
    let ended = garden.finish(surrounded(garden, &["garden", "T001", "--max-attempts", &attempts]));
    // The first attempt of several is meant to fail.
    let last = if row.attempts() > 1 { "HEAD~5.." } else { "HEAD" };
    let text = garden.git(&["log", "--format=%B", last]);
    let named = |severity: &str| {
        let mut names: Vec<String> = text
            .lines()
            .filter_map(|line| line.strip_prefix(severity)?.strip_prefix('[')?.split_once("]: "))
            .filter(|(name, _)| Check::from_name(name).is_some())
            .map(|(name, _)| name.to_owned())
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let proof = "--format=%(trailers:key=Arborist-Proof,valueonly)";
    let proof = garden.git(&["log", "-1", proof, "--grep=^task(T001): complete"]);
    let word = proof.split_whitespace().find_map(|value| value.strip_prefix("is=")).unwrap_or("none");
    Seen { ended, errors: named("error"), warnings: named("warning"), word: word.to_owned() }
}

/// One of our programs, with what test runners need: their programs, caches that all runs share, and the checks' defaults.
fn surrounded(garden: &Garden, args: &[&str]) -> Command {
    let mut command = garden.arborist(args);
    surroundings(&mut command);
    command
}

pub(super) fn surroundings(command: &mut Command) {
    let mut folders = vec![programs().to_owned()];
    folders.extend(cargo_folder());
    // Where the system has its own Python, its pytest is there, too.
    folders.extend(["/usr/bin", "/bin"].map(PathBuf::from));
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    command.env("PATH", std::env::join_paths(folders).unwrap());
    with_default_checks(command);
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("trust");
    command.env("GOCACHE", cache.join("go")).env("GOPROXY", "off").env("CARGO_HOME", cache.join("cargo"));
    command.env("npm_config_update_notifier", "false").env("CARGO_TERM_COLOR", "never");
}

/// The folder of the real cargo, and not of the program that chooses one.
fn cargo_folder() -> Option<PathBuf> {
    Some(Path::new(&std::env::var_os("CARGO")?).parent()?.to_owned())
}

/// Whether a program is on PATH.
pub(super) fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Projects that were prepared, each once.
#[derive(Default)]
struct Shelf {
    gardens: Mutex<BTreeMap<[String; 5], Arc<Garden>>>,
}

impl Shelf {
    /// A copy of a row's project. None, with a message, if a program is missing.
    fn copy(&self, row: &Row) -> Option<Garden> {
        let base = Base::named(&row.base);
        if let Some(program) = base.missing_program() {
            missing(&format!("{program} is not installed"));
            return None;
        }
        let mut gardens = self.gardens.lock().unwrap();
        let garden = gardens.entry(row.project()).or_insert_with(|| Arc::new(prepare(&base, row))).clone();
        drop(gardens);
        Some(garden.copy())
    }
}

/// A project with its plan.
fn prepare(base: &Base, row: &Row) -> Garden {
    let command = Some(row.value("command")).filter(|command| !command.is_empty());
    let mut tree = one_task(&[command.unwrap_or(base.value("command"))]);
    let task = &mut tree["nodes"]["T001"];
    task["name"] = json!("Prices");
    if !base.value("framework").is_empty() {
        task["test_commands"][0]["framework"] = json!(base.value("framework"));
    }
    for key in ["may_change", "expect"] {
        match (key, row.value(key)) {
            (_, "") => {}
            ("may_change", value) => task[key] = json!(value.split(' ').collect::<Vec<_>>()),
            (_, value) => task[key] = json!(value),
        }
    }
    let garden = Garden::new(&tree);
    for (path, text) in &base.files {
        garden.write(path, text);
    }
    for (name, text) in [("path", base.value("good")), ("good", &base.good), ("half", &base.half)] {
        std::fs::write(garden.root().join(name), text).unwrap();
    }
    let before = garden.command("sh").args(["-ec", row.value("before")]).output().unwrap();
    assert!(before.status.success(), "{}: {before:?}", row.name);
    garden.commit("Add calc");
    garden
}
