//! The common part of `mark` and `note`: takes the lock, commits what a person decides, and says what was committed.

use std::io::Read as _;
use std::path::PathBuf;

use clap::Args;

use super::plan_state::PlanState;
use super::{Call, Exit};
use crate::config::{Config, Setting};
use crate::engine::{Decided, Decisions, Statement};
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::history::FollowedRun;
use crate::plan::{NodeIx, PerTask};
use crate::process::{CallLimit, Cancel, CancelLevel, Secrets, StopSignals};
use crate::report;
use crate::workflow::Decision;

/// How many bytes a person's words may have.
const LONGEST: u64 = 100_000;

/// A person's words.
#[derive(Args, Clone, Debug)]
pub(super) struct Words {
    /// The text; several are joined as paragraphs
    #[arg(short, long, value_name = "TEXT")]
    message: Vec<String>,
    /// Read the text from FILE, or from standard input if it is `-`
    #[arg(short = 'F', long, value_name = "FILE", conflicts_with = "message")]
    file: Option<PathBuf>,
}

impl Words {
    /// The text; empty if there is none.
    ///
    /// # Errors
    /// [`Kind::Input`] if the file cannot be read, or the text is too long.
    pub(super) fn text(&self, call: &Call) -> Result<String> {
        let text = match &self.file {
            Some(file) if file.as_os_str() == "-" => read_input()?,
            Some(file) => {
                let path = call.environment.folder()?.join(file);
                let unreadable = |error: std::io::Error| {
                    let what = format!("{} cannot be read: {error}", file.display());
                    Error::new(Kind::Input, what, "Name a text file, or give the text with `-m TEXT`.")
                };
                files::read(&path, LONGEST).map_err(unreadable)?
            }
            None => self.message.join("\n\n").into_bytes(),
        };
        if text.len() as u64 > LONGEST {
            let what = format!("the text has more than {LONGEST} bytes, which is too much for a commit");
            let remedy = "Put it into a file of the repository, and name that file.";
            return Err(Error::new(Kind::Input, what, remedy));
        }
        let text = String::from_utf8(text)
            .map_err(|_| Error::new(Kind::Input, "the text is not valid UTF-8", "Write it in UTF-8."))?;
        Ok(text.trim().to_owned())
    }

    /// The text, which must not be empty. `why` says what it is for, as a clause: "why the task is skipped".
    ///
    /// # Errors
    /// [`Kind::Input`] if there is none.
    pub(super) fn required(&self, call: &Call, why: &str) -> Result<String> {
        let text = self.text(call)?;
        if text.is_empty() {
            let remedy = "`-m TEXT` gives it on the command line, `-F FILE` reads it from a file.";
            return Err(Error::new(Kind::Input, format!("say {why}"), remedy));
        }
        Ok(text)
    }
}

/// Decisions about tasks, with one text for all of them.
pub(super) struct Recording<'a> {
    /// The name of the command.
    pub(super) command: &'static str,
    /// The decision.
    pub(super) decision: Decision,
    /// The person's words.
    pub(super) words: &'a str,
}

impl Recording<'_> {
    /// Records the decision about the tasks that `choose` finds, one commit for each. If one of them cannot take it,
    /// nothing is committed.
    ///
    /// # Errors
    /// If a task cannot take the decision, or a commit cannot be made.
    pub(super) fn record(
        &self,
        call: &Call,
        choose: impl Fn(&PlanState) -> Result<Vec<Chosen>>,
    ) -> Result<Exit> {
        self.record_in(call, &PlanState::open(call)?, choose)
    }

    /// The same for a plan that is open already.
    ///
    /// # Errors
    /// As for [`Self::record`].
    pub(super) fn record_in(
        &self,
        call: &Call,
        plan_state: &PlanState,
        choose: impl Fn(&PlanState) -> Result<Vec<Chosen>>,
    ) -> Result<Exit> {
        let cancel = Cancel::new();
        let signals = StopSignals::watch(&cancel)?;
        let PlanState { session, plan, run, .. } = plan_state;
        let lock = session.lock(self.command)?;
        let limit = CallLimit::new(session.config.duration(Setting::HookTimeout), &cancel);
        let git = session.git.clone().with_limit(limit);
        let followed = FollowedRun::new(&session.repository, plan.query(), run.clone());
        let secrets = Secrets::of(call.environment.variables());
        let work_tree = &session.work_tree;
        let decisions =
            Decisions { git: &git, work_tree, plan, followed: &followed, secrets: &secrets, lock: &lock };
        let chosen = choose(plan_state)?;
        let decided = self.decide(&decisions, &chosen, &plan_state.tasks)?;
        for decided in decided {
            let subject = decided.subject().to_owned();
            let commit = decisions.commit(decided).map_err(|error| match cancel.level() {
                CancelLevel::None => call.mask_error(&error),
                CancelLevel::Soon | CancelLevel::Now => stopped(&signals, self.command),
            })?;
            report::print(&format!("{} {subject}\n", commit.short()))?;
        }
        Ok(Exit::Done)
    }

    fn decide(
        &self,
        decisions: &Decisions<'_>,
        chosen: &[Chosen],
        tasks: &PerTask<Config>,
    ) -> Result<Vec<Decided>> {
        let decide = |leaf: NodeIx| {
            let max_attempts = tasks.of(leaf).count(Setting::MaxAttempts);
            let statement = Statement { decision: self.decision, words: self.words, max_attempts };
            decisions.decide(leaf, statement)
        };
        let mut decided = Vec::new();
        for chosen in chosen {
            match chosen {
                Chosen::Task(leaf) => decided.push(decide(*leaf)?),
                Chosen::Below(leaves) => {
                    let before = decided.len();
                    let mut refused = None;
                    for leaf in leaves {
                        match decide(*leaf) {
                            Ok(one) => decided.push(one),
                            Err(error) => refused = Some(error),
                        }
                    }
                    if let Some(error) = refused.filter(|_| decided.len() == before) {
                        return Err(error);
                    }
                }
            }
        }
        Ok(decided)
    }
}

/// Tasks that a person has named.
#[derive(Clone, Debug)]
pub(super) enum Chosen {
    /// One task, which must be able to take the decision.
    Task(NodeIx),
    /// The tasks below a node, of which those are meant that can take it.
    Below(Vec<NodeIx>),
}

impl Chosen {
    /// The tasks with these names, or below them, each only once.
    ///
    /// # Errors
    /// [`Kind::Input`] if the plan has no such node.
    pub(super) fn named(plan_state: &PlanState, ids: &[String]) -> Result<Vec<Self>> {
        let plan = &plan_state.plan;
        let mut nodes: Vec<NodeIx> = Vec::new();
        for id in ids {
            let node = plan.node(id)?;
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
        let chosen = |node: NodeIx| match plan.tree.is_leaf(node) {
            true => Self::Task(node),
            false => Self::Below(plan.tree.leaves_below(node).collect()),
        };
        Ok(nodes.into_iter().map(chosen).collect())
    }
}

fn read_input() -> Result<Vec<u8>> {
    let mut text = Vec::new();
    std::io::stdin().take(LONGEST + 1).read_to_end(&mut text).map_err(|error| {
        let what = format!("standard input cannot be read: {error}");
        Error::new(Kind::Input, what, "Give the text with `-m TEXT`.")
    })?;
    Ok(text)
}

fn stopped(signals: &StopSignals, command: &str) -> Error {
    Error::stopped(
        signals.last(),
        format!("Every commit that was printed is made. `git arborist {command}` again makes the others."),
    )
}
