//! The common part of the fault tests: a plan of three tasks with an agent that keeps a ledger of everything that it
//! wrote, a git that fails or kills on demand, and the invariants.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::support::garden::{Ended, Garden, plan};
use crate::support::skip::{has, skip};

/// The beginning of the scripted agents: `note FILE...` records the content of files in the work tree so that it can be
/// checked later, and `again` is true if this agent is asked for the same work again.
pub(crate) const PROLOGUE: &str = r#"cat > /dev/null
work=$ARBORIST_TASK.$ARBORIST_STEP.$ARBORIST_ATTEMPT${ARBORIST_MERGE:+.merge$ARBORIST_MERGE}
test -d "$ROOT/asked" || mkdir -p "$ROOT/ledger" "$ROOT/asked"
noted=0
note() { for file in "$@"; do
  noted=$((noted + 1)); copy=$work-$$-$noted
  cp "$file" "$ROOT/$copy" && mv "$ROOT/$copy" "$ROOT/ledger"; done; }
{ read -r before < "$ROOT/asked/$work"; } 2>/dev/null || before=0
again() { test "$before" -gt 0; }
echo $((before + 1)) > "$ROOT/asked/$work"
"#;

/// Well-behaved work: a new file, and a line in one that all tasks share.
const WORK: &str = r#"
case $ARBORIST_STEP in
implement)
  test -d src || mkdir src
  echo "$work" > "src/$ARBORIST_TASK.txt"; note "src/$ARBORIST_TASK.txt"
  echo "$work" >> shared.txt; note shared.txt
  echo done;;
review) echo APPROVED;;
esac
"#;

/// A repository with this plan, and an agent that runs `script` before it does its work.
pub(crate) fn garden(plan: &Value, script: &str) -> Garden {
    let garden = Garden::new(plan);
    garden.runner("mine", &format!("{PROLOGUE}{script}\n{WORK}"));
    garden.write("shared.txt", "begun\n");
    garden.commit("Begin");
    garden
}

/// Three tasks in one phase, the first of which fails its test once: 15 step commits.
pub(crate) fn three_tasks() -> Garden {
    let plan = plan(&[
        ("p1", "", &[], &["true"]),
        ("T001", "p1", &[], &["grep -q implement.1 src/T001.txt"]),
        ("T002", "p1", &["T001"], &["true"]),
        ("T003", "p1", &["T002"], &["true"]),
    ]);
    garden(&plan, "")
}

/// Two tasks whose tests are written first: once the new test passes already, and once a reviewer rejects the tests. 16
/// step commits.
pub(crate) fn tests_first() -> Garden {
    let mut plan = plan(&[
        ("p1", "", &[], &["true"]),
        ("T001", "p1", &[], &["sh tests/T001.sh"]),
        ("T002", "p1", &["T001"], &["sh tests/T002.sh"]),
    ]);
    plan["nodes"]["p1"]["test_first"] = true.into();
    garden(
        &plan,
        r#"
case $ARBORIST_STEP in
red)
  test -d tests || mkdir tests
  test=tests/$ARBORIST_TASK.sh
  case $work in
  T001.red.0) echo true > $test;;
  *) echo "grep -q implement.$ARBORIST_ATTEMPT src/$ARBORIST_TASK.txt # $work" > $test;;
  esac
  note $test;;
review) test $work != T002.review.0 || { echo TESTS REJECTED; exit 0; };;
esac"#,
    )
}

/// A single task with a test that passes: five step commits.
pub(crate) fn one_task(script: &str) -> Garden {
    garden(&crate::support::garden::one_task(&["true"]), script)
}

/// The result of a run: the step history, and every file with its content, except for parts that differ from run to
/// run.
pub(crate) fn outcome(garden: &Garden) -> (Vec<String>, Vec<String>) {
    let files = garden.lines(&["ls-tree", "-r", "HEAD", "--format=%(path) %(objectname)"]);
    let masked = |line: String| {
        let artifact = line.starts_with("spec/");
        if artifact { line.split_once('_').map_or(line.clone(), |(start, _)| start.to_owned()) } else { line }
    };
    (garden.steps(), files.into_iter().map(masked).collect())
}

/// The result of a run on several branches: the history of the base branch, the steps, and the files in the end.
pub(crate) fn outcome_of_branches(garden: &Garden) -> [Vec<String>; 3] {
    let mut steps = garden.lines(&["log", "--format=%s", "--no-merges", "main"]);
    steps.sort();
    let files = garden.lines(&["ls-tree", "-r", "main", "--format=%(path) %(objectname)"]);
    let files = files.into_iter().filter(|line| !line.starts_with("spec/")).collect();
    [garden.lines(&["log", "--first-parent", "--reverse", "--format=%s", "main"]), steps, files]
}

/// Asserts the invariants after a case.
pub(crate) fn assert_sound(garden: &Garden) {
    garden.check_repository();
    assert_all_ended_and_kept(garden);
}

fn assert_all_ended_and_kept(garden: &Garden) {
    garden.assert_nothing_runs();
    assert_nothing_lost(garden);
}

/// The same, after a program has ended.
pub(crate) fn assert_sound_after(garden: &Garden, ended: &Ended) {
    garden.check(ended);
    assert_all_ended_and_kept(garden);
}

/// Asserts that all content that an agent recorded is in a commit that some reference leads to, or in the work tree.
pub(crate) fn assert_nothing_lost(garden: &Garden) {
    let Ok(ledger) = fs::read_dir(garden.root().join("ledger")) else { return };
    let noted: Vec<String> =
        ledger.map(|entry| entry.unwrap().path().into_os_string().into_string().unwrap()).collect();
    if noted.is_empty() || !garden.top().join(".git").exists() {
        return;
    }
    let kept =
        garden.lines(&["rev-list", "--objects", "--all", "--filter=blob:none", "--filter-print-omitted"]);
    let mut kept: BTreeSet<String> =
        kept.iter().map(|line| line.trim_start_matches('~')[..40].to_owned()).collect();
    kept.extend(hashes(garden, &files_below(&garden.top())));
    for (hash, file) in hashes(garden, &noted).iter().zip(&noted) {
        assert!(kept.contains(hash), "lost: {:?}", fs::read_to_string(file));
    }
}

fn hashes(garden: &Garden, files: &[String]) -> Vec<String> {
    if files.is_empty() {
        return Vec::new();
    }
    let mut args = vec!["hash-object", "--no-filters", "--"];
    args.extend(files.iter().map(String::as_str));
    garden.lines(&args)
}

fn files_below(top: &std::path::Path) -> Vec<String> {
    let (mut found, mut folders) = (Vec::new(), vec![top.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let small = entry.metadata().is_ok_and(|meta| meta.len() < 1 << 20);
            match entry.path().into_os_string().into_string() {
                Ok(path) if kind.is_file() && small => found.push(path),
                Ok(path) if kind.is_dir() && !path.ends_with("/.git") => folders.push(path.into()),
                _ => {}
            }
        }
    }
    found
}

/// What the shim, which runs in place of the real git, does at one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    FailBefore,
    FailAfter,
    KillBefore,
    KillAfter,
}

impl Mode {
    pub(crate) const ALL: [Self; 4] = [Self::FailBefore, Self::FailAfter, Self::KillBefore, Self::KillAfter];

    fn word(self) -> &'static str {
        match self {
            Self::FailBefore => "fail-before",
            Self::FailAfter => "fail-after",
            Self::KillBefore => "kill-before",
            Self::KillAfter => "kill-after",
        }
    }
}

/// A git that counts its calls, and at call `$SHIM_AT` does what `$SHIM_MODE` says; it kills its caller.
const SHIM: &str = r#"real=$ROOT/git/git
read -r number < "$ROOT/shim/count"
number=$((number + 1))
echo "$number" > "$ROOT/shim/count"
if [ "$number" = "$SHIM_AT" ] || [ "$SHIM_AT" = each ]; then
  : > "$ROOT/shim/hit"
  case $SHIM_MODE in
  fail-before) echo "fatal: the shim fails this call" >&2; exit 128;;
  fail-after) "$real" "$@"; echo "fatal: the shim fails this call" >&2; exit 128;;
  kill-before) kill -9 "$PPID"; exit 128;;
  kill-after) "$real" "$@"; kill -9 "$PPID"; exit 128;;
  script) . "$ROOT/shim/script";;
  esac
fi
exec "$real" "$@"
"#;

/// One of our commands, with the shim as its git.
pub(crate) fn shimmed(garden: &Garden, args: &[&str]) -> Command {
    let folder = garden.root().join("shim");
    if !folder.exists() {
        garden.program(&folder.join("git"), SHIM);
    }
    fs::write(folder.join("count"), "0\n").unwrap();
    let _ = fs::remove_file(folder.join("hit"));
    let mut command = garden.arborist(args);
    command.env("PATH", garden.path_with(&folder));
    command
}

/// The same, with one failing call.
pub(crate) fn shimmed_at(garden: &Garden, args: &[&str], (mode, number): (Mode, usize)) -> Command {
    let mut command = shimmed(garden, args);
    command.env("SHIM_AT", number.to_string()).env("SHIM_MODE", mode.word());
    command
}

/// How often the shim was called since the last [`shimmed`].
pub(crate) fn git_calls(garden: &Garden) -> usize {
    fs::read_to_string(garden.root().join("shim/count")).unwrap().trim().parse().unwrap()
}

/// Whether the failing call was reached.
pub(crate) fn was_hit(garden: &Garden) -> bool {
    garden.root().join("shim/hit").exists()
}

/// One of our commands. At one call of git, this script runs instead; `$real` is the real git.
pub(crate) fn script_at(garden: &Garden, args: &[&str], (number, script): (usize, &str)) -> Command {
    let mut command = shimmed(garden, args);
    fs::write(garden.root().join("shim/script"), format!("{script}\n")).unwrap();
    command.env("SHIM_AT", number.to_string()).env("SHIM_MODE", "script");
    command
}

/// One of our commands. This script runs before every git command that has this word among its arguments.
pub(crate) fn script_before(garden: &Garden, args: &[&str], (word, script): (&str, &str)) -> Command {
    let mut command =
        script_at(garden, args, (0, &format!("case \" $* \" in *\" {word} \"*) {script};; esac")));
    command.env("SHIM_AT", "each");
    command
}

/// Lets each call of git fail in each mode, two at the same time, and tells which of them do not hold. `$FAULTS_AT` chooses one
/// call.
pub(crate) fn at_every_call(calls: usize, one_fault: impl Fn((Mode, usize)) + Sync) {
    let only = std::env::var("FAULTS_AT").ok().map(|text| text.parse::<usize>().unwrap());
    let points: Vec<(Mode, usize)> = Mode::ALL
        .into_iter()
        .flat_map(|mode| (1..=calls).map(move |number| (mode, number)))
        .filter(|(_, number)| only.is_none_or(|only| *number == only))
        .collect();
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(point) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if catch_unwind(AssertUnwindSafe(|| one_fault(*point))).is_err() {
                        failed.lock().unwrap().push(*point);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    println!("{} points of {calls} calls, {} held", points.len(), points.len() - failed.len());
    assert!(failed.is_empty(), "{failed:?}");
}

/// The references to saved work.
pub(crate) fn rescued(garden: &Garden) -> Vec<String> {
    garden.lines(&["for-each-ref", "--format=%(refname)", "refs/arborist/rescue"])
}

/// Whether system calls can be made to fail. Prints a message if not.
pub(crate) fn has_strace() -> bool {
    if !has("strace") {
        return false;
    }
    let works = Command::new("strace").args(["-o", "/dev/null", "true"]).status().unwrap().success();
    if !works {
        skip("strace cannot be used here");
    }
    works
}
