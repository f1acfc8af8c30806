//! Proves changes one after the other, and shows what is being done.

use std::cell::RefCell;
use std::time::SystemTime;

use super::subjects::{Change, ChangedTask, WithOthers};
use crate::agents::JobResult;
use crate::config::Setting;
use crate::error::Result;
use crate::launch::programs::Programs;
use crate::plan::{Expect, TestCommand};
use crate::process::{Cancel, LiveLine};
use crate::record::{CommitId, Landing, ProofEvidence, ProofResult, Severity, TaskWord, TrailerKey};
use crate::report::{self, LiveView, ProofRunView, ProofView, Screen};
use crate::run::Provable;
use crate::session::{Call, Session};
use crate::suite::{Failure, TestListener};
use crate::text::advice;
use crate::trust::prove::{
    Proof, ProofRunReport, ProofSeverity, ProofStage, ProofSubject, ProofWatcher, Prover, ProverParts,
};
use crate::worktree::tokens::without_tokens;
use crate::worktree::{ProofTree, Scratch, Scratches, UsersTree};

/// Runs a suite on the files of a commit.
///
/// # Errors
/// If a scratch work tree cannot be made or prepared.
pub(crate) fn run_suite(
    call: &Call,
    session: &Session,
    command: &str,
    commit: &CommitId,
) -> Result<ProofRunReport> {
    let cancel = Cancel::new();
    let _signals = crate::process::StopSignals::watch(&cancel)?;
    let mut proving = Proving::new(session, call, &cancel)?;
    let suite = TestCommand::suite(command);
    let subject = ProofSubject::of_commit(*commit, vec![suite]);
    proving.test("suite", &subject).map_err(|error| call.mask_error(&error))
}

/// Proves changes in the repository of a session.
pub(crate) struct Proving<'a> {
    session: &'a Session,
    scratches: Scratches,
    /// The paths that git ignores in the work tree.
    ignored: Vec<Vec<u8>>,
    shown: RunDisplay,
    /// The scratch work tree, which all proofs use.
    tree: Option<ProofTree>,
}

impl<'a> Proving<'a> {
    pub(crate) fn new(session: &'a Session, call: &Call, cancel: &Cancel) -> Result<Self> {
        let scratches = Programs::new(session, &call.environment, cancel).scratches()?;
        let shown =
            RunDisplay { screen: session.screen, title: RefCell::default(), line: RefCell::default() };
        let ignored = scratches.git.ignored_paths()?;
        Ok(Self { session, scratches, ignored, shown, tree: None })
    }

    /// Proves one change: one view for each task that it belongs to.
    pub(crate) fn prove(&mut self, change: &Change) -> Result<Vec<ProofView>> {
        let proof = match &change.provable {
            Provable::No(why) => Proof::of_nothing(Expect::default(), why.clone()),
            Provable::Yes(subject) => self.with_prover(&change.title, |prover| prover.prove(subject))?,
        };
        self.shown.line.replace(None);
        let says_run = match change.subject() {
            Some(subject) => {
                !Landing::all_in(&self.session.repository.commit(&subject.head)?.message).is_empty()
            }
            None => false,
        };
        if change.tasks.is_empty() {
            return Ok(vec![view(change, None, &proof)]);
        }
        let of_task = |task| {
            let mut view = view(change, Some(task), &proof);
            if let Some(with_others) = task.with_others {
                together(&mut view, with_others, self.session.git.fetch_of_records()?, says_run);
            }
            Ok(view)
        };
        change.tasks.iter().map(of_task).collect()
    }

    /// Runs the tests on the files of a commit as they are. The title says what is tested.
    pub(crate) fn test(&mut self, title: &str, subject: &ProofSubject) -> Result<ProofRunReport> {
        let report = self.with_prover(title, |prover| prover.clean(subject));
        self.shown.line.replace(None);
        report
    }

    /// Does something in a scratch work tree that stands on a commit.
    pub(crate) fn at_commit<T>(
        &mut self,
        commit: &CommitId,
        then: impl FnOnce(&Scratch) -> Result<T>,
    ) -> Result<T> {
        let users = UsersTree { scratches: &self.scratches, ignored: &self.ignored };
        let tree = match &mut self.tree {
            Some(tree) => {
                tree.move_to(commit, users, &LiveLine::new())?;
                tree
            }
            none => none.insert(ProofTree::make(users, commit, &LiveLine::new())?),
        };
        then(&tree.scratch)
    }

    /// Removes the scratch work tree. If that fails, the results still count.
    pub(crate) fn end(&mut self) {
        if let Some(Err(error)) = self.tree.take().map(ProofTree::remove) {
            self.shown.line.replace(None);
            report::warn(&self.shown.screen, &format!("{}. {}", error.what(), error.remedy()));
        }
    }

    fn with_prover<T>(&mut self, title: &str, prove: impl FnOnce(&mut Prover<'_>) -> Result<T>) -> Result<T> {
        self.shown.title.replace(title.to_owned());
        let Session { git, repository, config, .. } = self.session;
        let parts = ProverParts {
            git,
            repository,
            users: UsersTree { scratches: &self.scratches, ignored: &self.ignored },
            shell: self.scratches.programs.shell.clone(),
            timeout: config.duration(Setting::TestTimeout),
            listener: &Masked,
            watcher: &self.shown,
            time: None,
        };
        prove(&mut Prover::new(parts, &mut self.tree))
    }
}

fn view(change: &Change, task: Option<&ChangedTask>, proof: &Proof) -> ProofView {
    let look = match change.subject() {
        Some(subject) if change.tasks.len() > 1 => advice::prove_one(subject.head.short()).line(),
        _ => advice::prove_one(&change.title).line(),
    };
    let severity =
        ProofSeverity { prove: Severity::Error, old: Severity::Error, counts: Some(Severity::Error) };
    ProofView {
        task: task.map(|task| task.id.to_string()),
        name: task.map_or_else(|| change.title.clone(), |task| task.name.clone()),
        commit: change.subject().map(|subject| subject.head.to_string()),
        is: proof.result(),
        words: proof.words(),
        enough: proof.is_enough(),
        runs: proof.runs.iter().map(run).collect(),
        evidence: proof.evidence().map(ProofEvidence::tests),
        findings: proof.findings(severity, &look),
        notes: proof.notes.clone(),
    }
}

/// What a joint commit says of one of its tasks: the tests of the others may be those that notice the change. `fetch` is the command that
/// fetches the records of runs, where there is a place to fetch them from. A commit that a person has marked does not say which run it has.
fn together(
    view: &mut ProofView,
    WithOthers { expect, recorded }: WithOthers,
    fetch: Option<String>,
    says_run: bool,
) {
    let run = match says_run {
        true => format!("`{}: BASE..TIP` is in the message of the commit", TrailerKey::Run.name()),
        false => "BASE is the commit on which the run began, and TIP its newest one".to_owned(),
    };
    let place = match fetch {
        Some(fetch) => format!("`{fetch}` fetches it, and"),
        None => "in the repository of that run,".to_owned(),
    };
    view.notes.push(format!(
        "Its commit has the work of other tasks too, which proves nothing for each of them. The record of the run does: \
         {place} {prove} repeats its proofs, where {run}.",
        prove = advice::prove_one("BASE..TIP"),
    ));
    let word = match (recorded, view.is) {
        (_, result) if !matches!(result, ProofResult::Proven | ProofResult::Equal | ProofResult::Tested) => {
            return;
        }
        (Some(TaskWord::Untested | TaskWord::VouchedFor), _) => TaskWord::Untested,
        _ => TaskWord::TestedWithOthers,
    };
    view.is = word.landed().into();
    view.words = word.shown().to_owned();
    // Where all runs end as they must, nothing more can be asked of that commit.
    let ends_well = view.enough || expect == Expect::Tests;
    view.enough = expect.needs_no_proof() || word.is_tested() && ends_well;
}

fn run(report: &ProofRunReport) -> ProofRunView {
    let view = ProofRunView {
        run: report.run.word(),
        verdict: report.verdict,
        seen: report.to_string(),
        tests: report.tests.clone(),
        failure: report.failure.map(failure),
        passed: None,
        failed: None,
        skipped: None,
        seconds: crate::record::rounded_seconds(report.duration.unwrap_or_default()),
        output: report.output.clone(),
    };
    view.counted(report.counts)
}

fn failure(failure: Failure) -> &'static str {
    match failure {
        Failure::Tests => "tests",
        Failure::Build => "build",
        Failure::Unclear => "unclear",
        Failure::NotRun => "not-run",
    }
}

/// Shows which run is being made.
struct RunDisplay {
    screen: Screen,
    title: RefCell<String>,
    line: RefCell<Option<LiveView>>,
}

impl ProofWatcher for RunDisplay {
    fn begins(&self, stage: ProofStage, is_again: bool) -> LiveLine {
        self.line.replace(None);
        let live = LiveLine::new();
        let shown = live.clone();
        let again = if is_again { " again" } else { "" };
        let what = format!("{} {}{again}", self.title.borrow(), stage.word());
        self.line.replace(Some(LiveView::of_one(&self.screen, what, move || shown.get())));
        live
    }
}

/// Keeps tokens out of what is shown.
struct Masked;

impl TestListener for Masked {
    fn ended(&self, _command: &TestCommand, result: JobResult, _started: SystemTime) -> JobResult {
        result.map_outputs(without_tokens)
    }
}
