//! Makes the runs of a proof, each in a scratch work tree of its own.

use std::path::PathBuf;
use std::time::Duration;

use super::files::{ChangedFile, ChangedFiles, Undo};
use super::judged;
use super::report::{Proof, ProofRun, RunReport, Verdict};
use super::subject::Subject;
use crate::error::{Error, Kind, Result};
use crate::git::{Git, PathEntry};
use crate::history::Repository;
use crate::plan::{TestCommand, TestType};
use crate::process::LiveLine;
use crate::suite::{Failure, NoResults, TestListener, TestNames, TestResults, TestRunner};
use crate::text::one_line;
use crate::worktree::{Purpose, Scratch, Scratches, unlink};

/// Hears of a proof while it is made.
pub trait ProofWatcher {
    /// A run begins. The line that it returns will show what the programs are doing.
    fn begins(&self, run: &str) -> LiveLine;

    /// There is something that the user ought to know.
    fn warns(&self, text: &str);
}

/// How test commands are run.
#[derive(Clone)]
pub struct Judge<'a> {
    /// The shell that runs the commands.
    pub shell: PathBuf,
    /// How long a command may take that has no timeout of its own.
    pub timeout: Duration,
    /// How often a failed command is run again where it must succeed.
    pub confirm: u32,
    /// Hears of the commands.
    pub listener: &'a dyn TestListener,
}

/// Proves changes.
pub struct Prover<'a> {
    /// git, called at the top of the user's work tree.
    pub git: &'a Git,
    /// Its history.
    pub repository: &'a Repository,
    /// Makes the scratch work trees.
    pub scratches: &'a Scratches,
    /// Runs the test commands.
    pub judge: Judge<'a>,
    /// Hears of the runs.
    pub watcher: &'a dyn ProofWatcher,
}

/// What a tree must do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Success,
    Failure,
}

impl Prover<'_> {
    /// Makes the three runs.
    ///
    /// # Errors
    /// If a work tree cannot be made or prepared, a command cannot be started, or the user asks to stop. That is not a
    /// verdict.
    pub fn prove(&self, subject: &Subject) -> Result<Proof> {
        let files = ChangedFiles::read(self.git, self.repository, subject)?;
        if let Some(why) = obstacle(subject, &files) {
            return Ok(Proof::not_applicable(why));
        }
        let clean = self.tests_of(ProofRun::Clean, subject, &[])?;
        let report = judged::clean(&clean);
        if report.verdict != Verdict::Proven {
            let why = "the tests fail already without anything undone";
            let rest =
                [ProofRun::Red, ProofRun::Old].map(|run| RunReport::without_run(run, Verdict::NotRun, why));
            return Ok(Proof { runs: [report].into_iter().chain(rest).collect(), not_applicable: None });
        }
        let red = self.red(subject, &files)?;
        let old = self.old(subject, &files)?;
        let red = match red {
            Ok(results) => judged::red(&results, &clean, old.before.as_ref()),
            Err(report) => report,
        };
        Ok(Proof { runs: vec![report, red, old.report], not_applicable: None })
    }

    /// Makes the clean run alone: the tests on the files of the commit as they are.
    ///
    /// # Errors
    /// As for [`Prover::prove`].
    pub fn clean(&self, subject: &Subject) -> Result<RunReport> {
        Ok(judged::clean(&self.tests_of(ProofRun::Clean, subject, &[])?))
    }

    /// The results without the change to the source, or a report that says why there are none.
    fn red(
        &self,
        subject: &Subject,
        files: &ChangedFiles,
    ) -> Result<std::result::Result<TestResults, RunReport>> {
        let none = |why: String| Ok(Err(RunReport::without_run(ProofRun::Red, Verdict::NotApplicable, why)));
        if let Some(file) = files.files.iter().find(|file| matches!(file.red, Undo::Unknown(_))) {
            return none(cannot_be_split(file, &file.red));
        }
        let source: Vec<PathEntry> = files.files.iter().filter_map(|file| undone(file, &file.red)).collect();
        if source.is_empty() {
            return none("the change has no source that could be undone".to_owned());
        }
        self.tests_of(ProofRun::Red, subject, &source).map(Ok)
    }

    fn old(&self, subject: &Subject, files: &ChangedFiles) -> Result<OldRun> {
        let protected: Vec<&ChangedFile> = files.protected_tests(subject).collect();
        let allowed = files.files.iter().filter(|file| file.old != Undo::Keep).count() - protected.len();
        if let Some(file) = protected.iter().find(|file| matches!(file.old, Undo::Unknown(_))) {
            return Ok(OldRun::without_run(Verdict::NotApplicable, &cannot_be_split(file, &file.old)));
        }
        let unchanged = "no test that was there before was changed";
        if protected.is_empty() {
            return Ok(match allowed {
                0 => OldRun::without_run(Verdict::Proven, unchanged),
                _ => OldRun::without_run(
                    Verdict::NotApplicable,
                    "only tests that the plan lets the task change were changed",
                ),
            });
        }
        let put = |keep: fn(&ChangedFile) -> bool| -> Vec<PathEntry> {
            let files = protected.iter().filter(|file| keep(file));
            files.filter_map(|file| undone(file, &file.old)).collect()
        };
        let all = put(|_| true);
        let results = self.tests_of(ProofRun::Old, subject, &all)?;
        let report = judged::old(&results);
        // A new file of tests weakens no other test. New data and configuration of tests may.
        let are_new = protected.iter().all(|file| file.is_new_test());
        if are_new && report.verdict != Verdict::Proven {
            return Ok(OldRun::without_run(Verdict::Proven, unchanged));
        }
        if matches!(report.failure, None | Some(Failure::Tests)) {
            let is_whole = results.counts().is_some_and(|counts| results.names().agree_with(counts));
            let before = (allowed == 0 && is_whole).then(|| results.names());
            return Ok(OldRun { report, before });
        }
        // The commands may need the new files, for example because they name them.
        let existing = put(|file| file.without.is_some());
        if existing.is_empty() {
            let why = "no test that the commands run was there before the change";
            return Ok(OldRun::without_run(Verdict::NotApplicable, why));
        }
        if existing.len() == all.len() {
            return Ok(OldRun { report, before: None });
        }
        let results = self.tests_of(ProofRun::Old, subject, &existing)?;
        Ok(OldRun { report: judged::old(&results), before: None })
    }

    /// Runs the commands on the commit with these files changed.
    fn tests_of(&self, run: ProofRun, subject: &Subject, changed: &[PathEntry]) -> Result<TestResults> {
        let (purpose, wanted) = match run {
            ProofRun::Clean => (Purpose::new("prove-clean"), Wanted::Success),
            ProofRun::Red => (Purpose::new("prove-red"), Wanted::Failure),
            ProofRun::Old => (Purpose::new("prove-old"), Wanted::Success),
        };
        let live = self.watcher.begins(run.word());
        let scratch = self.scratches.make(purpose, &subject.head)?;
        put(&scratch, changed)?;
        self.scratches.prepare(&scratch, &live)?;
        let results = self.judge_in(&scratch, &subject.commands, wanted, &live)?;
        self.remove(scratch);
        Ok(results)
    }

    /// Removes a scratch work tree. If that fails, the results still count.
    pub(super) fn remove(&self, scratch: Scratch) {
        if let Err(error) = scratch.remove() {
            self.watcher.warns(&format!("{}. {}", error.what(), error.remedy()));
        }
    }

    /// Runs commands in a scratch work tree.
    pub(super) fn judge_in(
        &self,
        scratch: &Scratch,
        commands: &[TestCommand],
        wanted: Wanted,
        live: &LiveLine,
    ) -> Result<TestResults> {
        let judge = &self.judge;
        let runner = TestRunner {
            launch: scratch.launch(),
            shell: judge.shell.clone(),
            timeout: judge.timeout,
            // Where a failure is wanted, there is nothing to confirm.
            confirm: if wanted == Wanted::Success { judge.confirm } else { 0 },
            live: live.clone(),
            listener: judge.listener,
            diff: None,
        };
        runner.run(commands).map_err(|none| match none {
            NoResults::Stopped => Error::stopped(None, "Nothing was changed. Run the same command again."),
            NoResults::CouldNotStart { command, error } => Error::new(
                Kind::Environment,
                format!("the test command `{}` did not start: {error}", one_line(&command)),
                "A POSIX shell `sh` is needed on PATH.",
            ),
        })
    }
}

/// The old run, and the names of all tests that there were before the change, if they are known.
struct OldRun {
    report: RunReport,
    before: Option<TestNames>,
}

/// Why nothing can be proven.
fn obstacle(subject: &Subject, files: &ChangedFiles) -> Option<&'static str> {
    if !subject.commands.iter().any(|command| command.kind.judges() && command.kind != TestType::Mutation) {
        Some("it has no test command")
    } else if files.files.is_empty() {
        Some("it changes no file")
    } else if files.are_documentation() {
        Some("it changes only documentation")
    } else {
        None
    }
}

impl OldRun {
    fn without_run(verdict: Verdict, seen: &str) -> Self {
        Self { report: RunReport::without_run(ProofRun::Old, verdict, seen), before: None }
    }
}

fn undone(file: &ChangedFile, undo: &Undo) -> Option<PathEntry> {
    match undo {
        Undo::Put(entry) => Some(PathEntry { path: file.path.clone(), entry: entry.clone() }),
        Undo::Keep | Undo::Unknown(_) => None,
    }
}

fn cannot_be_split(file: &ChangedFile, undo: &Undo) -> String {
    let why = if let Undo::Unknown(why) = undo { why } else { "" };
    format!("the tests in {} cannot be told from its source: {why}", file.shown())
}

/// Changes files of a scratch work tree, as git would check them out.
pub(super) fn put(scratch: &Scratch, changed: &[PathEntry]) -> Result<()> {
    let there = |entry: &&PathEntry| entry.entry.is_some();
    scratch.git.set_index(changed)?;
    for gone in changed.iter().filter(|entry| !there(entry)) {
        unlink(&scratch.work_tree.top, &gone.path)?;
    }
    let paths: Vec<Vec<u8>> = changed.iter().filter(there).map(|entry| entry.path.clone()).collect();
    scratch.git.check_out_index(&paths)
}
