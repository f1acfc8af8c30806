//! Finds commands that succeed whatever happens. Such a command also succeeds in an empty folder, where there is nothing to test.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::counts::no_test_ran;
use crate::plan::TestCommand;
use crate::suite::{Framework, NoResults, TestRun, TestRunner, Unheard, is_silent};
use crate::text::simple_commands;
use crate::worktree::EmptyFolder;

/// How long a command may take where there is nothing to do.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Whether a command is tried: it starts a known test runner, which fails where there are no tests, or its end hides how it
/// went. One that leads out of its folder is not.
fn is_tried(command: &str) -> bool {
    let simple = simple_commands(command);
    let runs_tests = simple.iter().any(|words| Framework::guess(&words.join(" ")).is_some());
    let end = command.trim_end().rsplit("||").next().unwrap_or_default();
    let is_hidden =
        simple.len() > 1 && simple.last().is_some_and(|words| is_silent(words)) || end.contains('|');
    let leads_out = |word: &String| {
        let is_out =
            |part: &str| part.starts_with(['/', '~', '$']) || part.split('/').any(|name| name == "..");
        word.split(['=', ':']).any(is_out) || ["cd", "pushd", "chdir"].contains(&word.as_str())
    };
    (runs_tests || is_hidden) && !simple.iter().flatten().any(leads_out)
}

/// Whether a command that was tried cannot fail. One that says that it found no test may be asked not to fail because of that.
fn is_deaf(run: &TestRun) -> bool {
    let says = |captured: &crate::process::Captured| {
        String::from_utf8_lossy(&captured.to_bytes_with_note()).to_lowercase().contains("no test")
    };
    let found_none = run.counts.is_some_and(|counts| no_test_ran(counts).is_some())
        || says(&run.result.stdout)
        || says(&run.result.stderr);
    run.passed() && !found_none
}

/// Tries commands in an empty folder outside of every project, with a HOME of their own, each once in the life of this process,
/// and returns those that cannot fail. `runner` runs the commands of the task.
///
/// # Errors
/// If the user asks to stop, or a command cannot be started.
pub fn cannot_fail<'c>(
    runner: &TestRunner<'_>,
    commands: &'c [TestCommand],
) -> Result<Vec<&'c TestCommand>, NoResults> {
    static TRIED: Mutex<BTreeMap<String, bool>> = Mutex::new(BTreeMap::new());
    // It stays locked, so that no other worker tries the same at the same time.
    let mut tried = TRIED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut deaf = Vec::new();
    for command in commands.iter().filter(|command| command.kind.judges() && is_tried(&command.command)) {
        let is_known = tried.get(&command.command).copied();
        let is_it = match (is_known, EmptyFolder::make()) {
            (Some(is_it), _) => is_it,
            (None, Some(folder)) => is_deaf(&run_in(&folder, runner, command)?),
            // Without a place for it, nothing is known.
            (None, None) => false,
        };
        tried.insert(command.command.clone(), is_it);
        deaf.extend(is_it.then_some(command));
    }
    Ok(deaf)
}

/// Runs a command in an empty folder.
fn run_in(
    folder: &EmptyFolder,
    runner: &TestRunner<'_>,
    command: &TestCommand,
) -> Result<TestRun, NoResults> {
    let runner = TestRunner {
        launch: folder.launch(&runner.launch),
        shell: runner.shell.clone(),
        timeout: TIMEOUT,
        confirm: 0,
        live: runner.live.clone(),
        listener: &Unheard,
        names: runner.names,
        diff: None,
    };
    let command = TestCommand { timeout: None, coverage: None, ..command.clone() };
    let mut results = runner.run(&[command])?;
    Ok(results.runs.remove(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_stay_in_their_folder_and_test_or_hide_something_are_tried() {
        for (command, expected) in [
            ("pytest -q", true),
            ("npx jest", true),
            ("sh check.sh || true", true),
            ("sh check.sh; true", true),
            ("sh check.sh | tee log", true),
            ("sh check.sh && echo done", true),
            ("sh check.sh || sh other.sh", false),
            ("sh check.sh", false),
            ("make test", false),
            ("cd app && pytest", false),
            ("pytest ../tests", false),
            ("PYTHONPATH=/usr/x pytest", false),
            ("pytest $TESTS", false),
        ] {
            assert_eq!(is_tried(command), expected, "{command}");
        }
    }
}
