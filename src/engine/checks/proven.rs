//! The proof of a task, which a run makes in its test step unless the user leaves it to `git arborist prove`.

use crate::config::CheckLevel;
use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::RunContext;
use crate::engine::tree::changed_packages::AgentPackages;
use crate::engine::tree::workspace::ProofPlace;
use crate::error::{Kind, Result};
use crate::history::TaskStep;
use crate::process::LiveLine;
use crate::record::{
    AwaitedTests, Check, CommitId, Counts, Finding, ProofRun, ProofWord, Quote, RunWord, Severity, StepDraft,
};
use crate::run::{Provable, TaskToProve};
use crate::text::{advice, one_line};
use crate::trust::prove::{
    NothingRan, Proof, ProofRunReport, ProofSeverity, ProofStage, ProofSubject, ProofWatcher, Prover,
    ProverParts,
};
use crate::worktree::UsersTree;

/// What a proof has shown.
#[derive(Debug, Default)]
pub(crate) struct Proven {
    /// What was found.
    pub(crate) findings: Vec<Finding>,
    /// Without runs if none was made.
    pub(crate) proof: Proof,
}

impl Proven {
    /// Adds to a test step what each run has shown, the tests that notice the change, and those that it took out.
    pub(crate) fn describe(&self, draft: &mut StepDraft) {
        let Self { proof, .. } = self;
        for report in &proof.runs {
            let run = report.run.word();
            draft.notes.push(match (report.run, report.verdict) {
                // The tests that notice the change are listed.
                (ProofRun::Red, RunWord::Pass) => {
                    draft.facts.noticing = report.tests.iter().take(NOTICING).cloned().collect();
                    format!("Proof, {run}: {}.", report.seen)
                }
                _ => format!("Proof, {run}: {report}"),
            });
        }
        draft.notes.extend(proof.notes.iter().cloned());
        draft.facts.took_out.clone_from(&proof.took_out);
        draft.facts.proof = proof.record();
    }

    /// The output of the runs that failed, for the next agent: it saw that all of its tests pass.
    pub(crate) fn output(&self) -> Vec<Quote> {
        let failed = self.proof.runs.iter().filter(|report| report.verdict == RunWord::Fail);
        let quote = |report: &ProofRunReport| {
            Quote::test(&format!("proof, {}", report.run.word()), "output", report.output.as_bytes())
        };
        failed.map(quote).collect()
    }
}

/// Proves a task at this commit, unless the user leaves that to `git arborist prove`. A proof that cannot be made finds nothing
/// and proves nothing.
///
/// # Errors
/// If a commit cannot be read, or the user asks to stop. That is no verdict.
pub(crate) fn prove(
    run: &RunContext<'_>,
    job: Assignment<'_>,
    head: ProvenAt<'_>,
    mut place: ProofPlace<'_>,
) -> Result<Proven> {
    let ProvenAt { commit, steps, awaited, has_rewritten_tests, packages, before, live } = head;
    let trust = &run.settings.trust;
    if trust.prove == CheckLevel::Off {
        return Ok(Proven::default());
    }
    let task = TaskToProve {
        git: &run.git,
        repository: run.repository,
        plan: run.plan,
        id: job.task.id,
        steps,
        protected: &trust.protected,
    };
    let Provable::Yes(subject) = task.at(commit)? else { return Ok(Proven::default()) };
    let packages = packages.during(job.leaf).map(|path| path.display().to_string()).collect();
    let subject =
        ProofSubject { before, awaited: awaited.clone(), has_rewritten_tests, packages, ..*subject };
    let proof = match with_prover(run, live, &mut place, |prover| prover.prove(&subject)) {
        Err(error) if !matches!(error.kind(), Kind::Signal(_)) => {
            // Half of its preparation may be missing.
            *place.tree = None;
            run.warn(&format!("{} cannot be proven: {}. {}", job.task.id, error.what(), error.remedy()));
            Proof::of_nothing(subject.expect, NothingRan::Obstacle(one_line(error.what())))
        }
        proof => proof?,
    };
    let look = advice::prove_one(job.task.id).line();
    let mut findings = proof.findings(severity_of(run), &look);
    let lacks =
        !proof.is_enough() && proof.word() != ProofWord::Untested && !findings.iter().any(Finding::is_error);
    if trust.prove == CheckLevel::Require && lacks {
        let seen = format!("The task is not proven ({})", proof.words());
        findings.push(Finding::new(Check::Prove, Severity::Error, &seen).look(&look));
    }
    Ok(Proven { findings, proof })
}

/// Lets a prover work in the scratch work tree of a run.
///
/// # Errors
/// Those of the work.
pub(crate) fn with_prover<T>(
    run: &RunContext<'_>,
    live: &LiveLine,
    place: &mut ProofPlace<'_>,
    work: impl FnOnce(&mut Prover<'_>) -> Result<T>,
) -> Result<T> {
    let parts = ProverParts {
        git: &run.git,
        repository: run.repository,
        users: UsersTree { scratches: &run.programs.scratches, ignored: place.ignored },
        shell: run.programs.shell.clone(),
        timeout: run.settings.tests.timeout,
        listener: run,
        watcher: &OneLine(live),
        time: Some(run.settings.trust.prove_time),
    };
    work(&mut Prover::new(parts, place.tree))
}

/// What a failure does to the attempt. Tests from before the task that fail with it are an error unless the user wants a
/// warning.
fn severity_of(run: &RunContext<'_>) -> ProofSeverity {
    let trust = &run.settings.trust;
    let prove = trust.prove.severity().unwrap_or(Severity::Warning);
    let old = if trust.protect == CheckLevel::Require { Severity::Error } else { Severity::Warning };
    ProofSeverity { prove, old, counts: trust.counts.severity() }
}

/// How many tests that notice the change a commit names.
const NOTICING: usize = 40;

/// Where a task is proven.
#[derive(Clone, Copy)]
pub(crate) struct ProvenAt<'a> {
    /// The commit with its work.
    pub(crate) commit: CommitId,
    /// Its steps so far.
    pub(crate) steps: &'a [TaskStep],
    /// The tests that may fail.
    pub(crate) awaited: &'a AwaitedTests,
    /// Whether tests of the task that failed in an attempt were changed since.
    pub(crate) has_rewritten_tests: bool,
    /// The installed packages that were changed.
    pub(crate) packages: &'a AgentPackages,
    /// The number of tests before the task, if it is known.
    pub(crate) before: Option<Counts>,
    /// The line that shows what is being done.
    pub(crate) live: &'a LiveLine,
}

/// Shows everything in the line of the step.
struct OneLine<'r>(&'r LiveLine);

impl ProofWatcher for OneLine<'_> {
    fn begins(&self, stage: ProofStage, _is_again: bool) -> LiveLine {
        // What the tests print would tell of failures that the proof wants.
        self.0.show(&format!("proof: {}", in_words(stage)));
        LiveLine::new()
    }
}

/// What a proof does, for people who wait for it.
fn in_words(stage: ProofStage) -> &'static str {
    match stage {
        ProofStage::Setup => "preparing a work tree",
        ProofStage::Before => "the tests before the task",
        ProofStage::Run(ProofRun::Clean) => "the tests on the commit alone",
        ProofStage::Run(ProofRun::Old) | ProofStage::EarlierTests => "with the tests as they were before",
        ProofStage::Run(ProofRun::Red) => "with the change removed",
        ProofStage::Run(ProofRun::Canary) => "with a test that must fail",
        ProofStage::Run(ProofRun::Literals) => "with other values in the tests",
        ProofStage::Hollow => "with functions that give empty values",
        ProofStage::OldChecks => "with linters and libraries as they were before",
        ProofStage::ChangedCheck => "with a file of the command as it was before",
    }
}
