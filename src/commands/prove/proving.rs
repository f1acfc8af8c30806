//! Proves changes one after the other, and shows what is being done.

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::subjects::Change;
use crate::agents::{JobResult, Lookup};
use crate::commands::scratches::scratches;
use crate::commands::{Call, Session};
use crate::config::Setting;
use crate::engine::Provable;
use crate::error::Result;
use crate::plan::TestCommand;
use crate::process::{Cancel, LiveLine};
use crate::record::{Finding, Severity};
use crate::report::{self, HunksView, LiveView, ProofRunView, ProofView, Screen, Verdict};
use crate::suite::{Failure, StoppedTeardown, TestListener};
use crate::trust::prove::{
    self, HunkLimits, HunkReport, Judge, Proof, ProofWatcher, Prover, RunReport, Subject,
};
use crate::worktree::Scratches;
use crate::worktree::tokens::without_tokens;

/// After how much time no further piece of a change is taken back.
const HUNK_TIME: Duration = Duration::from_secs(600);

/// Proves changes in the repository of a session.
pub(in crate::commands) struct Proving<'a> {
    session: &'a Session,
    scratches: Scratches,
    shell: PathBuf,
    shown: Shown,
}

impl<'a> Proving<'a> {
    pub(in crate::commands) fn new(session: &'a Session, call: &Call, cancel: &Cancel) -> Result<Self> {
        let lookup = Lookup::new(&call.environment, &session.work_tree.top);
        let shell = lookup.find("sh")?.unwrap_or_else(|| PathBuf::from("/bin/sh"));
        let scratches = scratches(session, call, &shell, cancel)?;
        let shown = Shown { screen: session.screen, title: RefCell::default(), line: RefCell::default() };
        Ok(Self { session, scratches, shell, shown })
    }

    /// Proves one change.
    pub(super) fn prove(&self, change: &Change, hunks: Option<usize>) -> Result<ProofView> {
        let prover = self.prover(change.title());
        let (proof, hunks) = match &change.provable {
            Provable::No(why) => (Proof::not_applicable(why.clone()), None),
            Provable::Yes(subject) => {
                let proof = prover.prove(subject)?;
                let is_clean = proof.succeeded().next().is_some();
                let limits = hunks.filter(|_| is_clean).map(|most| HunkLimits { most, time: HUNK_TIME });
                (proof, limits.map(|limits| prover.try_hunks(subject, limits)).transpose()?)
            }
        };
        self.shown.line.replace(None);
        Ok(view(change, &proof, hunks))
    }

    /// Runs the tests on the files of a commit as they are. The title says what is tested.
    pub(in crate::commands) fn test(&self, title: &str, subject: &Subject) -> Result<RunReport> {
        let report = self.prover(title).clean(subject);
        self.shown.line.replace(None);
        report
    }

    fn prover(&self, title: &str) -> Prover<'_> {
        self.shown.title.replace(title.to_owned());
        let Session { git, repository, config, .. } = self.session;
        Prover {
            git,
            repository,
            scratches: &self.scratches,
            judge: Judge {
                shell: self.shell.clone(),
                timeout: config.duration(Setting::TestTimeout),
                confirm: config.number(Setting::Confirm),
                listener: &Masked,
            },
            watcher: &self.shown,
        }
    }
}

fn view(change: &Change, proof: &Proof, hunks: Option<HunkReport>) -> ProofView {
    let look = format!("git arborist prove {}", change.title());
    let mut findings = proof.findings(Severity::Error, &look);
    findings.extend(hunks.as_ref().and_then(|hunks| hunks.finding(&look)));
    ProofView {
        task: change.task.clone(),
        name: change.name.clone(),
        commit: change.subject().map(|subject| subject.head.to_string()),
        verdict: verdict(proof.verdict()),
        why: proof.not_applicable.clone(),
        runs: proof.runs.iter().map(run).collect(),
        findings: findings.into_iter().collect::<Vec<Finding>>(),
        hunks: hunks.map(|hunks| HunksView {
            all: hunks.all,
            tried: hunks.tried,
            unnoticed: hunks.unnoticed.iter().map(prove::UnnoticedHunk::place).collect(),
            why: hunks.not_applicable.map(str::to_owned),
        }),
    }
}

fn run(report: &RunReport) -> ProofRunView {
    let view = ProofRunView {
        run: report.run.word(),
        verdict: verdict(report.verdict),
        seen: report.to_string(),
        tests: report.tests.clone(),
        pass_either_way: report.indifferent.clone(),
        failure: report.failure.map(failure),
        passed: None,
        failed: None,
        skipped: None,
        seconds: crate::record::rounded_seconds(report.duration),
        output: report.output.clone(),
    };
    view.counted(report.counts)
}

fn verdict(verdict: prove::Verdict) -> Verdict {
    match verdict {
        prove::Verdict::Proven => Verdict::Proven,
        prove::Verdict::NotProven => Verdict::NotProven,
        prove::Verdict::NotApplicable => Verdict::NotApplicable,
        prove::Verdict::NotRun => Verdict::NotRun,
    }
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
struct Shown {
    screen: Screen,
    title: RefCell<String>,
    line: RefCell<Option<LiveView>>,
}

impl ProofWatcher for Shown {
    fn begins(&self, run: &str) -> LiveLine {
        self.line.replace(None);
        let live = LiveLine::new();
        let shown = live.clone();
        let what = format!("{} {run}", self.title.borrow());
        self.line.replace(Some(LiveView::of_one(&self.screen, what, move || shown.get())));
        live
    }

    fn warns(&self, text: &str) {
        self.line.replace(None);
        report::warn(&self.screen, text);
    }
}

/// Keeps tokens out of what is shown.
struct Masked;

impl TestListener for Masked {
    fn ended(&self, _command: &TestCommand, result: JobResult, _started: SystemTime) -> JobResult {
        result.map_outputs(without_tokens)
    }

    fn after_stop(&self, _command: &TestCommand, _teardown: StoppedTeardown<'_>) {}
}
