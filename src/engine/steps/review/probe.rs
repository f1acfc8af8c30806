//! The test that a reviewer may leave: finds it, and runs it on the change.

mod verdict;

use std::path::{Component, Path};

use super::place::Place;
use crate::agents::LiveLine;
use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::RunContext;
use crate::engine::steps::test_run::{StepTests, run_tests_in};
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::plan::TestCommand;
use crate::record::{CommitId, Counts};
use crate::suite::TestResults;
use crate::text::{one_line, show_path};
use crate::trust::files::{FileKind, kind_of};
use crate::workflow::QuotedTest;
use crate::worktree::Scratch;
pub(super) use verdict::{ProbeOutcome, ReviewTestOutcome};

/// The largest test that is taken, in bytes.
const LARGEST: u64 = 64 << 10;

/// A test that a reviewer has left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReviewTest {
    /// The file, from the top of the work tree.
    path: String,
    text: Vec<u8>,
}

/// The test that a reviewer has left in its work tree or, if there is none, in its answer; `None` if it has left none. If
/// what it has left is not taken, why.
///
/// # Errors
/// If git cannot read the work tree.
pub(super) fn left_by(
    place: &Place,
    quoted: Option<QuotedTest>,
) -> Result<Option<std::result::Result<ReviewTest, ReviewTestOutcome>>> {
    let top = &place.scratch.work_tree.top;
    let mut new: Vec<String> = place
        .scratch
        .git
        .new_files_since(&place.head)?
        .difference(&place.files)
        .filter_map(|path| String::from_utf8(path.clone()).ok())
        .filter(|path| is_test(path))
        .collect();
    new.sort();
    let refused = |path: &str, why: &str| Some(Err(ReviewTestOutcome::not_run(path, why)));
    Ok(match (new.as_slice(), quoted) {
        ([], None) => None,
        ([], Some(QuotedTest { path, text, .. })) => {
            let is_there = || top.join(&path).symlink_metadata().is_ok();
            if !is_inside(&path) || !is_test(&path) {
                refused(&path, "that is not the name of a new test in this repository")
            } else if is_there() {
                refused(&path, "there is a file of that name already")
            } else {
                Some(Ok(ReviewTest { path, text: text.into_bytes() }))
            }
        }
        ([path], _) => {
            let file = top.join(path);
            let is_file = file.symlink_metadata().is_ok_and(|meta| meta.is_file());
            match files::read(&file, LARGEST) {
                Ok(text) if is_file => Some(Ok(ReviewTest { path: path.clone(), text })),
                _ => refused(path, "it is not a file of at most 64 KiB"),
            }
        }
        (several, _) => refused(&several.join(", "), "only one test is taken"),
    })
}

/// Whether a file has the name of a test.
fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    kind_of(path) == FileKind::Test || name.contains("arborist-probe") || name.contains("arborist_probe")
}

/// Whether a path leads to a place in the work tree, and not into the git directory.
fn is_inside(path: &str) -> bool {
    let parts = Path::new(path).components();
    let is_plain =
        |part: Component<'_>| matches!(part, Component::Normal(name) if !name.eq_ignore_ascii_case(".git"));
    !path.is_empty() && parts.into_iter().all(is_plain)
}

/// Runs tests of reviewers.
pub(super) struct ProbeRunner<'r, 'a> {
    pub(super) run: &'r RunContext<'a>,
    pub(super) job: Assignment<'r>,
    /// The commit that is reviewed.
    pub(super) head: CommitId,
    /// The tests that ran in the test step, if they could be counted.
    pub(super) counted: Option<Counts>,
}

impl ProbeRunner<'_, '_> {
    /// Runs a test on a clean checkout of the change. If that is not possible, nothing is known.
    ///
    /// # Errors
    /// If the user asks to stop.
    pub(super) fn try_on_change(&self, probe: ReviewTest) -> Result<ReviewTestOutcome> {
        match self.outcome_of(&probe) {
            Ok(outcome) => Ok(ReviewTestOutcome { path: one_line(&probe.path), text: probe.text, outcome }),
            Err(error) if matches!(error.kind(), Kind::Signal(_)) => Err(error),
            Err(error) => Ok(ReviewTestOutcome::not_run(&probe.path, error.what())),
        }
    }

    fn outcome_of(&self, probe: &ReviewTest) -> Result<ProbeOutcome> {
        let commands = &self.run.plan.tree.node(self.job.leaf).test_commands;
        if !commands.iter().any(|command| command.kind.judges()) {
            return Ok(ProbeOutcome::Unknown("the task has no test command".to_owned()));
        }
        let scratch = self.run.programs.scratches.make("probe", &self.head)?;
        self.run.programs.scratches.prepare(&scratch, &LiveLine::new())?;
        write(&scratch, probe)?;
        let with = self.tests(&scratch, commands)?;
        let outcome = if let Some(known) = verdict::of_pass(&with, self.counted) {
            match (known, verdict::aimed_at(commands, &probe.path)) {
                (ProbeOutcome::Unknown(_), Some(aimed)) => verdict::of_aimed(&self.tests(&scratch, &aimed)?),
                (known, _) => known,
            }
        } else {
            std::fs::remove_file(scratch.work_tree.top.join(&probe.path))
                .map_err(|error| Error::not_written(&probe.path, &error))?;
            verdict::of_failure(&with, &self.tests(&scratch, commands)?, &probe.path)
        };
        if let Err(error) = scratch.remove() {
            self.run.warn(&error.to_string());
        }
        Ok(outcome)
    }

    fn tests(&self, scratch: &Scratch, commands: &[TestCommand]) -> Result<TestResults> {
        let tests = StepTests { job: self.job, head: &self.head, commands };
        run_tests_in(self.run, tests, scratch.launch(), &LiveLine::new())
    }
}

/// Writes a test into a work tree, in which it is new.
fn write(scratch: &Scratch, probe: &ReviewTest) -> Result<()> {
    let top = &scratch.work_tree.top;
    let file = top.join(&probe.path);
    let not_written = |error: std::io::Error| Error::not_written(show_path(probe.path.as_bytes()), &error);
    let folder = file.parent().unwrap_or(top);
    for above in folder.ancestors().take_while(|above| above.starts_with(top)) {
        if above.symlink_metadata().is_ok_and(|meta| !meta.is_dir()) {
            return Err(not_written(std::io::ErrorKind::NotADirectory.into()));
        }
    }
    std::fs::create_dir_all(folder).map_err(not_written)?;
    let mut out = std::fs::File::create_new(&file).map_err(not_written)?;
    std::io::Write::write_all(&mut out, &probe.text).map_err(not_written)?;
    // A shell script may be started by its name.
    if probe.text.starts_with(b"#!") {
        use std::os::unix::fs::PermissionsExt as _;
        out.set_permissions(std::fs::Permissions::from_mode(0o755)).map_err(not_written)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_of_a_test_in_the_work_tree_is_taken() {
        for (path, is_taken) in [
            ("tests/test_probe.py", true),
            ("src/arborist-probe.sh", true),
            ("pkg/arborist_probe_test.go", true),
            ("src/main.py", false),
            ("conftest.py", false),
            ("../tests/test_x.py", false),
            ("/tests/test_x.py", false),
            ("./tests/test_x.py", false),
            (".git/hooks/arborist-probe", false),
            ("", false),
        ] {
            assert_eq!(is_inside(path) && is_test(path), is_taken, "{path}");
        }
    }
}
