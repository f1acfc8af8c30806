//! What the user wants from `autopilot`: the tasks, and the parts that are left out.

use clap::Args;

use crate::config::{Override, Setting};
use crate::history::Run;
use crate::plan::NodeIx;
use crate::run::Plan;

/// The parts that are left out.
#[derive(Args, Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(super) struct Without {
    /// Do not ask the runners whether they can work
    #[arg(long)]
    pub(super) no_probe: bool,
    /// Write no failing tests first
    #[arg(long)]
    pub(super) no_red: bool,
    /// Require no coverage
    #[arg(long)]
    pub(super) no_coverage: bool,
    /// Do not run the whole suite
    #[arg(long)]
    pub(super) no_suite: bool,
    /// Run no command of arborist.format.command and arborist.lint.command
    #[arg(long)]
    pub(super) no_lint: bool,
    /// Do not repeat the proof of the tasks
    #[arg(long)]
    pub(super) no_prove: bool,
    /// Make no branch with one commit for each task
    #[arg(long)]
    pub(super) no_land: bool,
    /// Push nothing, and so open no request
    #[arg(long)]
    pub(super) no_push: bool,
    /// Push the branch, and open no request
    #[arg(long)]
    pub(super) no_pr: bool,
}

impl Without {
    /// The settings that they choose.
    pub(super) fn settings(self) -> Vec<Override> {
        let red = self.no_red.then(|| Override::new(Setting::TestFirst, "--no-red", "false"));
        let coverage =
            self.no_coverage.then(|| Override::new(Setting::TrustCoverage, "--no-coverage", "off"));
        red.into_iter().chain(coverage).collect()
    }

    /// Whether a request is opened for the branch, which is pushed before.
    pub(super) fn opens_request(self) -> bool {
        !self.no_push && !self.no_pr
    }
}

/// What is to be done.
pub(super) struct Target {
    /// The node; `None` for the whole plan.
    pub(super) node: Option<NodeIx>,
    /// Its tasks.
    pub(super) leaves: Vec<NodeIx>,
}

impl Target {
    /// The tasks that are not done yet.
    pub(super) fn open(&self, plan: &Plan, run: &Run) -> Vec<NodeIx> {
        self.leaves.iter().copied().filter(|leaf| !plan.state(run, *leaf).is_done()).collect()
    }
}
