//! Changes that agents make, honest and dishonest, each in a whole run with real test runners, and which check notices
//! them.

mod bases;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use git_arborist::record::Check;

use crate::support::garden::{Ended, Garden, one_task, programs};

/// The project that a change is made to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Base {
    Python,
    Node,
    /// The same, tested with `npm test`.
    Npm,
    Go,
    Rust,
    Shell,
    /// The same, tested with `make test`.
    Make,
}

/// A change that does not do what the task asks for, but looks as if it did.
pub(super) struct Dishonest {
    pub(super) name: &'static str,
    pub(super) base: Base,
    /// What the agent does, as a shell script; `good` does the task well.
    pub(super) agent: &'static str,
    pub(super) verdict: Verdict,
}

/// What becomes of a dishonest change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// These checks fail the attempt.
    Check(&'static str),
    /// The run ends well, with this warning.
    Warning(&'static str),
    /// `git arborist prove` finds out.
    Prove,
    /// The run does not go on, because of something that is no check.
    Stops(&'static str),
    /// Nothing notices; why not.
    NotCaught(&'static str),
}

/// A change that is fine.
pub(super) struct Honest {
    pub(super) name: &'static str,
    pub(super) base: Base,
    pub(super) agent: &'static str,
    /// What the plan lets the task change.
    pub(super) may_change: &'static [&'static str],
    /// The warning that it has all the same.
    pub(super) warning: Option<&'static str>,
}

/// What was seen of a run.
#[derive(Debug)]
struct Seen {
    ended: Ended,
    /// Names of the checks whose findings are errors and warnings.
    errors: Vec<String>,
    warnings: Vec<String>,
}

/// Runs all dishonest changes to projects of these kinds.
#[track_caller]
pub(super) fn run_dishonest(rows: &[&[Dishonest]], bases: &[Base]) {
    let mut shelf = Shelf::default();
    let mut wrong = Vec::new();
    for row in rows.iter().copied().flatten().filter(|row| bases.contains(&row.base)) {
        let Some(garden) = shelf.copy(row.base, &[]) else { continue };
        let seen = play(&garden, row.agent, &[]);
        let verdict = verdict_on(&garden, &seen);
        if !agrees(&verdict, row.verdict) {
            wrong.push(format!(
                "{:?}: {}: {verdict} instead of {:?}\n{}",
                row.base,
                row.name,
                row.verdict,
                seen.told(&garden)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Runs all honest changes to projects of these kinds.
#[track_caller]
pub(super) fn run_honest(rows: &[&[Honest]], bases: &[Base]) {
    let mut shelf = Shelf::default();
    let mut wrong = Vec::new();
    for row in rows.iter().copied().flatten().filter(|row| bases.contains(&row.base)) {
        let Some(garden) = shelf.copy(row.base, row.may_change) else { continue };
        let seen = play(&garden, row.agent, &[]);
        let expected: Vec<&str> = row.warning.into_iter().collect();
        if seen.ended.status != 0 || !seen.errors.is_empty() || seen.warnings != expected {
            wrong.push(format!(
                "{:?}: {}: {:?} {:?}\n{}",
                row.base,
                row.name,
                seen.errors,
                seen.warnings,
                seen.told(&garden)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Runs the dishonest changes without the checks, and makes sure that they deceive the tests: otherwise it would be no wonder
/// that the attempts fail.
#[track_caller]
pub(super) fn run_unchecked(rows: &[&[Dishonest]]) {
    let off = [("ARBORIST_TRUST_PROTECT", "off"), ("ARBORIST_TRUST_COUNTS", "off")];
    let mut shelf = Shelf::default();
    let mut failed = Vec::new();
    for row in rows.iter().copied().flatten() {
        let is_checked = matches!(row.verdict, Verdict::Check(_) | Verdict::Warning(_));
        let Some(garden) = shelf.copy(row.base, &[]).filter(|_| is_checked) else { continue };
        let seen = play(&garden, row.agent, &off);
        if seen.ended.status != 0 {
            failed.push(format!("{:?}: {}\n{}", row.base, row.name, seen.told(&garden)));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// What became of a dishonest change, in a word.
fn verdict_on(garden: &Garden, seen: &Seen) -> String {
    if !seen.errors.is_empty() {
        return format!("check {}", seen.errors.join(" "));
    }
    if seen.ended.status != 0 {
        return "stops".to_owned();
    }
    if prove(garden).status != 0 {
        return "prove".to_owned();
    }
    seen.warnings.first().map_or_else(|| "not caught".to_owned(), |check| format!("warning {check}"))
}

fn agrees(verdict: &str, expected: Verdict) -> bool {
    match expected {
        Verdict::Check(check) => verdict == format!("check {check}"),
        Verdict::Warning(check) => verdict == format!("warning {check}"),
        Verdict::Prove => verdict == "prove",
        Verdict::Stops(_) => verdict == "stops",
        Verdict::NotCaught(_) => verdict == "not caught",
    }
}

impl Seen {
    fn told(&self, garden: &Garden) -> String {
        format!("{}\n{}", self.ended.stderr, garden.git(&["log", "--format=%B", "-4"]))
    }
}

/// Lets an agent work on the task once, with a reviewer who approves.
fn play(garden: &Garden, agent: &str, settings: &[(&str, &str)]) -> Seen {
    garden.agent(&format!(
        "good() {{ cp \"$ROOT/good\" \"$(cat \"$ROOT/path\")\"; }}\ncase $ARBORIST_STEP in implement)\nset -e\n{agent}\necho done\nexit 0;; esac"
    ));
    let mut command = garden.arborist(&["garden", "T001", "--max-attempts", "1"]);
    surroundings(&mut command);
    command.envs(settings.iter().copied());
    let ended = garden.finish(command);
    let text = garden.git(&["log", "--format=%B", "HEAD"]);
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
    Seen { ended, errors: named("error"), warnings: named("warning") }
}

fn prove(garden: &Garden) -> Ended {
    let mut command = garden.arborist(&["prove", "T001"]);
    surroundings(&mut command);
    garden.finish(command)
}

/// What the test runners need: their programs, and caches that all runs share.
fn surroundings(command: &mut Command) {
    let mut folders = vec![programs().to_owned()];
    folders.extend(cargo_folder());
    // Where the system has its own Python, its pytest is there, too.
    folders.extend(["/usr/bin", "/bin"].map(PathBuf::from));
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    command.env("PATH", std::env::join_paths(folders).unwrap());
    command.env_remove("ARBORIST_TRUST_BASELINE");
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("trust");
    command.env("GOCACHE", cache.join("go")).env("GOFLAGS", "-mod=mod").env("GOPROXY", "off");
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("npm_config_update_notifier", "false");
    command.env("CARGO_TERM_COLOR", "never").env("CARGO_HOME", cache.join("cargo"));
}

/// The folder of the real cargo, and not of the program that chooses one.
fn cargo_folder() -> Option<PathBuf> {
    Some(Path::new(&std::env::var_os("CARGO")?).parent()?.to_owned())
}

/// Projects that were prepared, each once.
#[derive(Default)]
struct Shelf {
    gardens: BTreeMap<(Base, &'static [&'static str]), Garden>,
}

impl Shelf {
    /// A copy of a project. None, with a message, if a program is missing.
    fn copy(&mut self, base: Base, may_change: &'static [&'static str]) -> Option<Garden> {
        let missing = base.project().programs.iter().find(|program| !is_there(program));
        if let Some(program) = missing {
            eprintln!("skipped: there is no {program}");
            return None;
        }
        let garden = self.gardens.entry((base, may_change)).or_insert_with(|| prepare(base, may_change));
        Some(garden.copy())
    }
}

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// A project with its plan. The tests have run once, so that their results are known.
fn prepare(base: Base, may_change: &[&str]) -> Garden {
    let project = base.project();
    let mut tree = one_task(&[project.command]);
    let task = &mut tree["nodes"]["T001"];
    task["name"] = json!("Prices");
    if let Some(framework) = project.framework {
        task["test_commands"][0]["framework"] = json!(framework);
    }
    if !may_change.is_empty() {
        task["may_change"] = json!(may_change);
    }
    let garden = Garden::new(&tree);
    for (path, text) in project.files {
        garden.write(path, text);
    }
    garden.commit("Add calc");
    let (path, good) = project.good;
    std::fs::write(garden.root().join("path"), path).unwrap();
    std::fs::write(garden.root().join("good"), good).unwrap();
    let rehearsal = garden.copy();
    play(&rehearsal, "exit 1", &[]);
    for folder in [".git/arborist/baselines", "target"] {
        let from = rehearsal.top().join(folder);
        if from.exists() {
            let to = garden.top().join(folder);
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
        }
    }
    garden
}
