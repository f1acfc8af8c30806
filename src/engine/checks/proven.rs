//! The proof of a task, which a run makes in its test step if the user wants it before every complete.

use crate::engine::assignment::Assignment;
use crate::engine::context::RunContext;
use crate::engine::proof::{Provable, TaskToProve};
use crate::error::Result;
use crate::history::TaskStep;
use crate::process::LiveLine;
use crate::record::{CommitId, Finding, Severity};
use crate::trust::prove::{Judge, ProofRun, ProofWatcher, Prover};

/// What a proof has shown.
#[derive(Debug, Default)]
pub(in crate::engine) struct Proven {
    /// What went wrong.
    pub(in crate::engine) findings: Vec<Finding>,
    /// The runs that succeeded, as the trailer lists them; empty if there are none.
    pub(in crate::engine) runs: String,
}

/// Proves a task at this commit. `steps` are its steps so far. A proof that cannot be made finds nothing and proves nothing.
///
/// # Errors
/// If a scratch work tree cannot be made or prepared, or the user asks to stop. That is no verdict.
pub(in crate::engine) fn prove(
    run: &RunContext<'_>,
    job: Assignment<'_>,
    head: ProvenAt<'_>,
) -> Result<Proven> {
    let ProvenAt { commit, steps, severity, live } = head;
    let task =
        TaskToProve { git: &run.git, repository: run.repository, plan: run.plan, id: job.task.id, steps };
    let Provable::Yes(subject) = task.at(commit)? else { return Ok(Proven::default()) };
    let prover = Prover {
        git: &run.git,
        repository: run.repository,
        scratches: &run.scratches,
        judge: Judge {
            shell: run.shell.clone(),
            timeout: run.settings.test_timeout,
            confirm: run.settings.confirm,
            listener: run,
        },
        watcher: &OneLine { run, live },
    };
    let proof = prover.prove(&subject)?;
    let runs: Vec<&str> = proof.succeeded().map(ProofRun::word).collect();
    let look = format!("git arborist prove {}", job.task.id);
    Ok(Proven { findings: proof.findings(severity, &look), runs: runs.join(" ") })
}

/// Where and how a task is proven.
#[derive(Clone, Copy)]
pub(in crate::engine) struct ProvenAt<'a> {
    /// The commit with its work.
    pub(in crate::engine) commit: CommitId,
    /// Its steps so far.
    pub(in crate::engine) steps: &'a [TaskStep],
    /// What a failure does to the attempt.
    pub(in crate::engine) severity: Severity,
    /// The line that shows what is being done.
    pub(in crate::engine) live: &'a LiveLine,
}

/// Shows everything in the line of the step.
struct OneLine<'r, 'a> {
    run: &'r RunContext<'a>,
    live: &'r LiveLine,
}

impl ProofWatcher for OneLine<'_, '_> {
    fn begins(&self, _run: &str) -> LiveLine {
        self.live.clone()
    }

    fn warns(&self, text: &str) {
        self.run.warn(text);
    }
}
