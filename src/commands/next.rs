//! `git arborist next`: what to do next, for a person, a script or an agent.

use std::collections::HashMap;

use clap::Args;

use super::after_done::unit_name;
use crate::agents::{Lookup, Runner, RunnerChain};
use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::history::{FollowedRun, TaskStep, pick_steps, read_steps};
use crate::launch::briefs::brief_settings;
use crate::plan::{NodeIx, PerTask, Readiness, TreeReadiness};
use crate::record::{CommitKind, Outcome, StepCommit, TaskId, TrailerKey, trailers};
use crate::report::{
    self, FeedbackView, MergeView, MergedWith, NextStep, Printed, RunDocument, Unit, UnitWork, Units,
    json_document,
};
use crate::run::{
    MergePlace, MergingBranch, Prompt, PromptOf, Prompts, ReviewPlace, StepMerge, feedback_of, policy,
    step_merge, unit_digest,
};
use crate::session::plan_state::PlanState;
use crate::session::{Call, Command, Exit, Group, Session, Summary};
use crate::text::{advice, clean};
use crate::workflow::{AnswerForm, FailedTask, HandedOut, MergeFacts, Policy, next_action};

/// Arguments of `git arborist next`.
#[derive(Args, Debug)]
pub struct Next {
    /// The task to look at [default: the next ready one]. A failed task that you name would start over
    #[arg(value_name = "TASK", conflicts_with = "all")]
    task: Option<String>,

    /// List all ready tasks, in the order in which a run would take them
    #[arg(long, conflicts_with = "prompt")]
    all: bool,

    /// Print what comes next as one JSON document
    #[arg(long, conflicts_with = "prompt")]
    json: bool,

    /// Print exactly the prompt that `garden` would send
    #[arg(long)]
    prompt: bool,

    /// Also print how many characters each section of the prompt has, on standard error
    #[arg(long, requires = "prompt")]
    sizes: bool,
}

impl Command for Next {
    const SUMMARY: Summary = Summary {
        name: "next",
        group: Group::Inspect,
        about: "say what to do next, for a person, a script or an agent",
    };

    const MANUAL: &'static str = include_str!("manual/next.md");

    fn run(self, call: &Call) -> Result<Exit> {
        let plan_state = &PlanState::open(call)?;
        let leaves = self.choose(plan_state)?;
        let mut notice = call.mask(&report::open_questions(&plan_state.questions));
        let text = match leaves.as_slice() {
            [] => {
                report::eprint(&plan_state.availability().all_done(&plan_state.session.repository)?);
                return Ok(Exit::No);
            }
            [leaf, ..] if self.prompt => {
                let next_step = next_step(plan_state, *leaf, self.policies(plan_state).of(*leaf))?;
                let Prompt { text, sizes } = PromptSource { call, plan_state }.demand(*leaf, next_step)?;
                notice.push_str(if self.sizes { &sizes } else { "" });
                text
            }
            leaves => match (self.json, self.units(call, plan_state, leaves)?.as_slice()) {
                (false, units) => units.iter().map(|unit| unit.line(&plan_state.session.screen)).collect(),
                (true, [unit]) if !self.all => json_document(&Printed::new("next", unit)),
                (true, tasks) => json_document(&Printed::new("next-all", &Units { tasks })),
            },
        };
        if !notice.is_empty() {
            report::eprint(&notice);
        }
        let text = call.mask(&text);
        if self.json || self.prompt {
            report::print(&text)?;
        } else {
            report::print_sentences(&text)?;
        }
        Ok(Exit::Done)
    }
}

impl Next {
    /// Asks for the unit of a task, or the next one, as a document.
    pub(super) fn document(task: Option<String>) -> Self {
        Self { task, all: false, json: true, prompt: false, sizes: false }
    }

    /// How the tasks are worked on. A failed one that is named starts over.
    fn policies(&self, plan_state: &PlanState) -> PerTask<Policy> {
        let failed = if self.task.is_some() { FailedTask::StartOver } else { FailedTask::Leave };
        plan_state.tasks.map(|config| Policy { failed, ..policy(config) })
    }

    /// The next steps of these tasks as units of work; for a document, with all that is needed to do them.
    ///
    /// # Errors
    /// If there is no next step, or history cannot be read.
    pub(super) fn units<'a>(
        &self,
        call: &Call,
        plan_state: &'a PlanState,
        leaves: &[NodeIx],
    ) -> Result<Vec<Unit<'a>>> {
        let PlanState { session: Session { git, work_tree, repository, .. }, plan, run, .. } = plan_state;
        let policies = self.policies(plan_state);
        let document = plan_state.document(plan_state.known());
        let mut steps = if self.json { steps_of(plan_state, leaves)? } else { HashMap::new() };
        let state = match repository.head()?.filter(|_| self.json) {
            Some(commit) => Some(HandedOut { commit, digest: unit_digest(git, work_tree, plan)? }),
            None => None,
        };
        let unit = |leaf: &NodeIx| {
            let next_step = next_step(plan_state, *leaf, policies.of(*leaf))?;
            let mut unit = document.unit(*leaf, next_step);
            if self.json {
                let steps = steps.remove(leaf).unwrap_or_default();
                let source = PromptSource { call, plan_state };
                unit.work = Some(self.work(&document, *leaf, next_step, &source, &steps)?);
            }
            let name = |state| unit_name(run, &plan.tree.node(*leaf).id, next_step, state).to_string();
            unit.unit = state.clone().map(name);
            Ok(unit)
        };
        leaves.iter().map(unit).collect()
    }

    /// What is needed to do a step, with its prompt unless all units are listed. `steps` are those of the task, newest first.
    fn work<'a>(
        &self,
        document: &RunDocument<'a>,
        leaf: NodeIx,
        next_step: NextStep,
        source: &PromptSource<'_>,
        steps: &[TaskStep],
    ) -> Result<UnitWork<'a>> {
        let merge = source.merge(leaf, next_step, steps)?;
        let mut work = document.work_on(leaf);
        work.merge = merge.as_ref().map(|merge| source.merge_view(merge));
        if !self.all {
            let merge = merge.as_ref().map(|merge| &merge.facts);
            let prompt = source.of(leaf, next_step, ReviewPlace::Elsewhere, merge)?;
            work.prompt = prompt.map(|prompt| source.call.mask(&prompt.text));
        }
        let feedback = feedback_of(steps, next_step.step).into_iter();
        let feedback =
            feedback.map(|item| FeedbackView { title: item.title, text: clean(item.text.as_bytes()) });
        work.feedback = feedback.collect();
        let log = |step: &TaskStep| {
            let found = trailers(&step.message);
            let log = found.into_iter().find(|trailer| {
                let key = TrailerKey::from_name(&trailer.key);
                matches!(key, Some(TrailerKey::TestLog | TrailerKey::ReviewLog))
            });
            log.map(|trailer| crate::text::one_line(&String::from_utf8_lossy(&trailer.value)))
        };
        let counted = steps.iter().filter(|step| step.validity == crate::history::StepValidity::Counts);
        work.logs = counted.filter_map(log).collect();
        Ok(work)
    }

    /// The tasks to describe; empty if all are complete.
    ///
    /// # Errors
    /// If no task is ready because some have failed or wait for a person, or the named one cannot be worked on.
    pub(super) fn choose(&self, plan_state: &PlanState) -> Result<Vec<NodeIx>> {
        let plan = &plan_state.plan;
        let readiness = plan_state.availability().readiness();
        if let Some(id) = &self.task {
            let leaf = plan.leaf_meant(id)?;
            return named(plan_state, &readiness, leaf).map(|()| vec![leaf]);
        }
        let most = if self.all { usize::MAX } else { 1 };
        let leaves: Vec<NodeIx> = readiness.ready().take(most).collect();
        if leaves.is_empty()
            && let Some(failed) = plan_state.availability().nothing_ready(&plan_state.session.repository)?
        {
            return Err(failed);
        }
        Ok(leaves)
    }
}

/// Refuses a task that cannot be worked on now.
fn named(plan_state: &PlanState, readiness: &TreeReadiness<'_>, leaf: NodeIx) -> Result<()> {
    let id = &plan_state.plan.tree.node(leaf).id;
    if readiness.of(leaf) == Readiness::Held {
        return Err(plan_state.availability().held(leaf));
    }
    if readiness.of(leaf) == Readiness::Asked {
        return Err(plan_state.availability().asked(&plan_state.session.repository, leaf)?);
    }
    if let Some(to_merge) = plan_state.availability().to_merge(|task| task == leaf) {
        return Err(Error::new(Kind::No, format!("there is nothing left to do for {id}"), to_merge));
    }
    if readiness.of(leaf) == Readiness::Done {
        let state = plan_state.plan.state(&plan_state.run, leaf);
        return Err(Error::new(
            Kind::No,
            format!("{id} is {}", state.word()),
            format!("{} shows its steps; {} begins it again.", advice::show(id), advice::reopen(id)),
        ));
    }
    if readiness.dependencies_are_met(leaf) {
        return Ok(());
    }
    let remedy = |first: &str| {
        format!("{} shows what comes before it; {} shows {first}.", advice::status(), advice::show(first))
    };
    Err(plan_state.availability().not_ready(leaf, remedy))
}

fn next_step(plan_state: &PlanState, leaf: NodeIx, policy: &Policy) -> Result<NextStep> {
    let latest = plan_state.plan.latest(&plan_state.run, leaf);
    NextStep::of(next_action(latest, policy), latest).ok_or_else(|| {
        let id = &plan_state.plan.tree.node(leaf).id;
        Error::new(Kind::No, format!("there is no next step for {id}"), "")
    })
}

/// What a prompt is made of.
struct PromptSource<'a> {
    call: &'a Call,
    plan_state: &'a PlanState,
}

impl PromptSource<'_> {
    /// The prompt of a step; `None` if no agent does it.
    fn of(
        &self,
        leaf: NodeIx,
        next_step: NextStep,
        place: ReviewPlace,
        merge: Option<&MergeFacts>,
    ) -> Result<Option<Prompt>> {
        let Some(role) = next_step.step.role() else { return Ok(None) };
        let PlanState { session, plan, run, tasks, .. } = self.plan_state;
        let lookup = Lookup::new(&self.call.environment, &session.work_tree.top);
        // The prompt can also be read where no agent is installed.
        let runners = RunnerChain::choose_all(tasks.of(leaf), &lookup, role).unwrap_or_default();
        let reads: Vec<_> = runners.iter().flat_map(RunnerChain::iter).map(Runner::reads).collect();
        let followed = FollowedRun::new(&session.repository, plan.query(), run.clone());
        let prompts = Prompts {
            merge,
            earlier: None,
            git: &session.git,
            work_tree: &session.work_tree,
            plan,
            followed: &followed,
            brief: &brief_settings(self.call, session)?,
            reads: &reads,
            form: AnswerForm::of(RunnerChain::take_schema(&runners)),
            place,
        };
        let pipeline = policy(tasks.of(leaf)).pipeline;
        prompts.of(PromptOf { step: next_step.step, leaf, pipeline })
    }

    /// The merge of which a step is part, if it is part of one. `steps` are those of the task, newest first.
    fn merge(&self, leaf: NodeIx, next_step: NextStep, steps: &[TaskStep]) -> Result<Option<StepMerge>> {
        let PlanState { session, plan, run, .. } = self.plan_state;
        let (Some(attempt), Some(head)) = (next_step.merge, session.repository.head()?) else {
            return Ok(None);
        };
        let branch = run.branches.tasks.get(&plan.tree.node(leaf).id);
        let (tip, onto) = branch.map_or((head, None), |branch| (branch.tip, Some(head)));
        let (reports, logs) = (session.config.text(Setting::ReportDir), session.config.text(Setting::LogDir));
        let Session { git, repository, .. } = session;
        let place = MergePlace { git, repository, plan, artifacts: [&reports, &logs] };
        step_merge(place, MergingBranch { leaf, attempt, tip, onto, steps })
    }

    fn merge_view(&self, merge: &StepMerge) -> MergeView {
        let StepMerge { attempt, ours, theirs, facts } = merge;
        let session = &self.plan_state.session;
        let is_here = session.repository.head().is_ok_and(|head| head == Some(*theirs));
        let branch = session.repository.branch().ok().filter(|_| is_here);
        let tasks = facts.tasks.iter();
        MergeView {
            attempt: *attempt,
            made: facts.is_made,
            why: facts.why.clone(),
            branch: branch.map(|head| head.branch_name().to_owned()),
            commit: *theirs,
            own: *ours,
            tasks: tasks
                .map(|task| MergedWith { task: task.id.to_string(), name: task.name.clone() })
                .collect(),
            conflicts: facts.conflicts.clone(),
        }
    }

    /// The prompt of a step that has one, as a run would send it.
    fn demand(&self, leaf: NodeIx, next_step: NextStep) -> Result<Prompt> {
        let PlanState { session, plan, run, .. } = self.plan_state;
        let steps = read_steps(&session.repository, &run.range, &plan.tree.node(leaf).id)?;
        let merge = self.merge(leaf, next_step, &steps)?;
        if let Some(prompt) =
            self.of(leaf, next_step, ReviewPlace::Scratch, merge.as_ref().map(|merge| &merge.facts))?
        {
            return Ok(prompt);
        }
        let does = match next_step.result {
            Some(Outcome::Fail) => "records that it failed",
            Some(Outcome::Pass | Outcome::Skip) | None => next_step.step.row().does,
        };
        let id = &plan.tree.node(leaf).id;
        Err(Error::new(
            Kind::No,
            format!("the next step of {id} is {}, which needs no prompt", next_step.step.word()),
            format!("{} {does}.", advice::garden(id)),
        ))
    }
}

/// The steps of these tasks, newest first, read in one pass.
fn steps_of(plan_state: &PlanState, leaves: &[NodeIx]) -> Result<HashMap<NodeIx, Vec<TaskStep>>> {
    let PlanState { session, plan, run, .. } = plan_state;
    if let &[leaf] = leaves {
        let steps = read_steps(&session.repository, &run.range, &plan.tree.node(leaf).id)?;
        return Ok(HashMap::from([(leaf, steps)]));
    }
    let wanted: HashMap<&TaskId, NodeIx> =
        leaves.iter().map(|leaf| (&plan.tree.node(*leaf).id, *leaf)).collect();
    let picked = pick_steps(&session.repository, &run.range, |kind, message| match kind {
        CommitKind::Task(id, record) => wanted.get(id).map(|leaf| (*leaf, *record, message.to_vec())),
        _ => None,
    })?;
    let mut steps: HashMap<NodeIx, Vec<TaskStep>> = HashMap::new();
    for found in picked {
        let (leaf, record, message) = found.value;
        let step = StepCommit { id: found.id, time: found.time, record };
        steps.entry(leaf).or_default().push(TaskStep { step, validity: found.validity, message });
    }
    Ok(steps)
}
