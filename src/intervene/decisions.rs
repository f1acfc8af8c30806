//! The common part of `mark` and `note`: takes the lock, commits what a person decides, and says what was committed.

use std::collections::{HashSet, VecDeque};
use std::io::Read as _;
use std::path::PathBuf;

use clap::Args;

use crate::config::{Config, Setting};
use crate::engine::{Decided, Decisions, FromRequest, PlanFileCommit, StatedDecision, put_back_owed_by_runs};
use crate::error::{Error, Kind, Result};
use crate::history::FollowedRun;
use crate::plan::{NodeIx, PerTask};
use crate::process::{CallLimit, CancelLevel, Secrets};
use crate::record::{CommitId, OpenQuestion};
use crate::run::Plan;
use crate::session::plan_state::PlanState;
use crate::session::require_person;
use crate::session::take_lock::lock_between_steps;
use crate::session::{Call, Exit, Session};
use crate::text::{advice, clean, listed};
use crate::workflow::Decision;
use crate::worktree::Lock;
use crate::{files, report};

/// How many bytes a person's words may have.
const LONGEST: u64 = 100_000;

/// A person's words.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Words {
    /// The text; several are joined as paragraphs
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    message: Vec<String>,
    /// Read the text from FILE, or from standard input if it is `-`
    #[arg(short = 'F', long, value_name = "FILE", conflicts_with = "message")]
    file: Option<PathBuf>,
}

impl Words {
    /// These words.
    pub(crate) fn of(text: &str) -> Self {
        Self { message: vec![text.to_owned()], file: None }
    }

    /// The text; empty if there is none.
    ///
    /// # Errors
    /// [`Kind::Input`] if the file cannot be read, or the text is too long.
    pub(crate) fn text(&self, call: &Call) -> Result<String> {
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
    pub(crate) fn required(&self, call: &Call, why: &str) -> Result<String> {
        let text = self.text(call)?;
        if clean(text.as_bytes()).trim().is_empty() {
            let remedy = "`-m TEXT` gives it on the command line, `-F FILE` reads it from a file.";
            return Err(Error::new(Kind::Input, format!("say {why}"), remedy));
        }
        Ok(text)
    }
}

/// Decisions about tasks, with one text for all of them.
pub(crate) struct Recording<'a> {
    /// The name of the command.
    pub(crate) command: &'static str,
    pub(crate) decision: Decision,
    /// The person's words.
    pub(crate) words: &'a str,
    /// Where the words come from, if they were taken in from a request.
    pub(crate) request: Option<FromRequest<'a>>,
}

impl Recording<'_> {
    /// Records the decision about the tasks that `choose` finds, one commit for each. If one of them cannot take it,
    /// nothing is committed.
    ///
    /// # Errors
    /// If a task cannot take the decision, or a commit cannot be made.
    pub(crate) fn record(
        &self,
        call: &Call,
        choose: impl Fn(&PlanState) -> Result<Vec<Chosen>>,
    ) -> Result<Exit> {
        self.record_in(call, Session::open(call, Vec::new())?, choose)
    }

    /// The same in a session that is open already.
    ///
    /// # Errors
    /// As for [`Self::record`].
    pub(crate) fn record_in(
        &self,
        call: &Call,
        session: Session,
        choose: impl Fn(&PlanState) -> Result<Vec<Chosen>>,
    ) -> Result<Exit> {
        require_person(call, &session, self.command)?;
        let (cancel, signals) = call.stop.watch()?;
        // The state is read under the lock: a run that ends at this moment may still commit something before.
        let lock = lock_between_steps(&session, self.command, &cancel, &signals)?;
        for warning in put_back_owed_by_runs(&session.git, &session.work_tree)? {
            report::warn(&session.screen, &warning);
        }
        let plan = session.plan()?;
        let plan_state = &PlanState::of(session, plan)?;
        let PlanState { session, plan, run, questions, .. } = plan_state;
        let limit = CallLimit::new(session.config.duration(Setting::HookTimeout), &cancel);
        let git = session.git.clone().with_limit(limit);
        let followed = FollowedRun::new(&session.repository, plan.query(), run.clone());
        let secrets = Secrets::of(call.environment.variables());
        let work_tree = &session.work_tree;
        let subject = &session.config.subject_form();
        let decisions = Decisions {
            git: &git,
            work_tree,
            plan,
            followed: &followed,
            secrets: &secrets,
            subject,
            lock: &lock,
        };
        let chosen = choose(plan_state)?;
        let mut decided: VecDeque<Decided> = self.decide(&decisions, &chosen, &plan_state.tasks)?.into();
        let ids: Vec<String> =
            decided.iter().map(|decided| plan.tree.node(decided.leaf).id.to_string()).collect();
        while let Some(next) = decided.pop_front() {
            let progress = RecordedSoFar { ids: &ids, recorded: ids.len() - decided.len() - 1 };
            let is_stopped = || cancel.level() != CancelLevel::None;
            if is_stopped() {
                return Err(Error::stopped(signals.last(), progress.says()));
            }
            let place = next.beside().map(|branch| format!(" (on {branch})")).unwrap_or_default();
            let title = format!("{}{place}", next.subject(subject));
            let commit = decisions.commit(next).map_err(|error| match is_stopped() {
                false => progress.state_in(call.mask_error(&error)),
                true => Error::stopped(signals.last(), progress.says()),
            })?;
            report::print(&format!("{} {title}\n", commit.short()))?;
        }
        if matches!(self.decision, Decision::Note) {
            let is_left = |open: &&OpenQuestion| open.needs_reopening && ids.contains(&open.task.to_string());
            for open in questions.iter().filter(is_left) {
                report::eprint(&report::how_to_answer(open));
            }
        }
        Ok(Exit::Done)
    }

    fn decide(
        &self,
        decisions: &Decisions<'_>,
        chosen: &[Chosen],
        tasks: &PerTask<Config>,
    ) -> Result<Vec<Decided>> {
        let state = |leaf: NodeIx| {
            let max_attempts = tasks.of(leaf).count(Setting::MaxAttempts);
            StatedDecision { decision: self.decision, words: self.words, max_attempts, request: self.request }
        };
        let decide = |leaf: NodeIx| decisions.decide(leaf, state(leaf));
        let mut decided = Vec::new();
        for (number, one) in chosen.iter().enumerate() {
            // The same command may have recorded the first ones before it was killed, but not the last one.
            let may_be_recorded = decided.is_empty() && number + 1 < chosen.len();
            match one {
                Chosen::Task(leaf) if may_be_recorded && decisions.is_recorded(*leaf, state(*leaf))? => {
                    let id = &decisions.plan.tree.node(*leaf).id;
                    report::eprint(&format!("{id}: this is recorded already"));
                }
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
pub(crate) enum Chosen {
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
    pub(crate) fn named(plan_state: &PlanState, ids: &[String]) -> Result<Vec<Self>> {
        let plan = &plan_state.plan;
        let nodes = ids.iter().map(|id| decided_about(plan, id)).collect::<Result<Vec<NodeIx>>>()?;
        // A task that is named itself must be able to take the decision, even if its phase is named too.
        let mut seen: HashSet<NodeIx> =
            nodes.iter().copied().filter(|node| plan.tree.is_leaf(*node)).collect();
        let mut tasks = seen.clone();
        let chosen = |node: NodeIx| match plan.tree.is_leaf(node) {
            true => tasks.remove(&node).then_some(Self::Task(node)),
            false => {
                let below: Vec<NodeIx> =
                    plan.tree.leaves_below(node).filter(|leaf| seen.insert(*leaf)).collect();
                (!below.is_empty()).then_some(Self::Below(below))
            }
        };
        Ok(nodes.into_iter().filter_map(chosen).collect())
    }
}

/// Commits files of the plan, which a command has just written. `None` if they are committed as they are.
///
/// # Errors
/// As for [`PlanFileCommit::make`].
pub(crate) fn commit_plan_files(
    session: &Session,
    paths: &[String],
    message: &str,
    lock: &Lock,
) -> Result<Option<CommitId>> {
    let Session { git, work_tree, repository, .. } = session;
    PlanFileCommit { git, work_tree, repository, paths, message, lock }.make()
}

fn read_input() -> Result<Vec<u8>> {
    let mut text = Vec::new();
    std::io::stdin().take(LONGEST + 1).read_to_end(&mut text).map_err(|error| {
        let what = format!("standard input cannot be read: {error}");
        Error::new(Kind::Input, what, "Give the text with `-m TEXT`.")
    })?;
    Ok(text)
}

/// How many of the decisions are recorded.
struct RecordedSoFar<'a> {
    /// The tasks, in order.
    ids: &'a [String],
    /// How many of them are recorded.
    recorded: usize,
}

impl RecordedSoFar<'_> {
    /// Which tasks are recorded, and which are left, as sentences.
    fn says(&self) -> String {
        match self.ids.split_at(self.recorded) {
            ([], _) => format!("{} shows what is recorded.", advice::status()),
            (recorded, left) => format!(
                "It is recorded for {}. Only {} {} left to name the next time.",
                listed(recorded),
                listed(left),
                if left.len() == 1 { "is" } else { "are" }
            ),
        }
    }

    /// The error, which also says this if some of the decisions are recorded.
    fn state_in(&self, error: Error) -> Error {
        if self.recorded == 0 { error } else { error.stating(&self.says()) }
    }
}

/// The node with this id. On a terminal, a beginning of its id is enough; then the whole id is printed, because the decision
/// becomes a commit.
///
/// # Errors
/// [`Kind::Input`](crate::error::Kind::Input) if there is no such node, or if several ids begin like this.
pub(crate) fn decided_about(plan: &Plan, word: &str) -> Result<NodeIx> {
    if report::can_ask() { Ok(told(plan, word, plan.node_meant(word)?)) } else { plan.node(word) }
}

/// The same for a task.
///
/// # Errors
/// As for [`decided_about`], or if the node has tasks below it.
pub(crate) fn leaf_decided_about(plan: &Plan, word: &str) -> Result<NodeIx> {
    if report::can_ask() { Ok(told(plan, word, plan.leaf_meant(word)?)) } else { plan.leaf(word) }
}

/// The node, after its whole id was printed where only its beginning was written.
fn told(plan: &Plan, word: &str, node: NodeIx) -> NodeIx {
    let id = plan.tree.node(node).id.as_str();
    if id != word {
        report::eprint(&format!("{word} is {id}."));
    }
    node
}
