//! Finds the changes that the user wants to have proven.

use std::collections::HashSet;

use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::history::{Range, StepValidity, TaskStep, read_all_steps};
use crate::plan::{Expect, NodeIx, PathPattern, TestCommand};
use crate::record::{CommitId, Outcome, State, StepFacts, TaskId, TaskWord};
use crate::run::awaited::AwaitedAt;
use crate::run::{
    LandedProof, LandedTask, LandedTasks, LandedToProve, Plan, Provable, StepsOfTasks, TaskToProve, read_run,
};
use crate::session::Session;
use crate::text::{advice, one_line};
use crate::trust::prove::{NothingRan, OwnChange, ProofSubject};

/// A change that the user wants to have proven.
pub(crate) struct Change {
    /// The tasks that it belongs to: several, if they were landed in one commit.
    pub(crate) tasks: Vec<ChangedTask>,
    /// The ids of the tasks, or what was asked for.
    pub(crate) title: String,
    pub(crate) provable: Provable,
}

/// A task to which a change belongs.
pub(crate) struct ChangedTask {
    pub(crate) id: TaskId,
    pub(crate) name: String,
    /// What is known of it by itself, if it was landed with others; `None` if the proof of the change is its own.
    pub(crate) with_others: Option<WithOthers>,
}

/// A task whose work is in one commit with that of others.
#[derive(Clone, Copy)]
pub(crate) struct WithOthers {
    /// What kind of change it is by itself.
    pub(crate) expect: Expect,
    /// What the run has recorded of it, as far as that is here.
    pub(crate) recorded: Option<TaskWord>,
}

/// What the user wants to have proven.
pub(crate) struct ProofRequest {
    /// The plan whose commands judge it; `None` if it is judged by `arborist.suite`.
    pub(crate) plan: Option<Plan>,
    pub(crate) changes: Vec<Change>,
}

impl Change {
    pub(crate) fn subject(&self) -> Option<&ProofSubject> {
        match &self.provable {
            Provable::Yes(subject) => Some(subject),
            Provable::No(_) => None,
        }
    }
}

impl ProofRequest {
    /// The commands that would run, each with the task that it judges.
    pub(crate) fn commands(&self) -> impl Iterator<Item = (&str, &str)> {
        self.changes.iter().flat_map(|change| {
            let commands = change.subject().map(|subject| subject.commands.as_slice()).unwrap_or_default();
            commands.iter().map(|command| (command.command.as_str(), change.title.as_str()))
        })
    }
}

/// The changes that `what` names; all complete tasks if it is `None`.
pub(crate) fn asked_for(session: &Session, what: Option<&str>) -> Result<ProofRequest> {
    let plan = session.plan();
    let Some(what) = what else {
        let finder = Finder::new(session, plan?)?;
        let changes = finder.complete_below(None)?;
        return Ok(ProofRequest { plan: Some(finder.plan), changes });
    };
    if let Ok(plan) = plan {
        let finder = Finder::new(session, plan)?;
        let changes = match finder.plan.tree.find(what) {
            Some(node) if finder.plan.tree.is_leaf(node) => finder.tasks(std::iter::once(node))?,
            Some(node) => finder.complete_below(Some(node))?,
            None => finder.in_commits(&commits_of(session, what, &finder.plan)?)?,
        };
        if !changes.is_empty() {
            return Ok(ProofRequest { plan: Some(finder.plan), changes });
        }
        return plain(session, what, &commits_of(session, what, &finder.plan)?);
    }
    let Some(commits) = named_commits(session, what)? else { return Err(nothing_named(session, what, "")?) };
    plain(session, what, &commits)
}

/// The commits that the user has named.
struct NamedCommits {
    /// The commit before them.
    before: Option<CommitId>,
    /// The newest one.
    head: CommitId,
    /// All of them.
    all: HashSet<CommitId>,
}

fn commits_of(session: &Session, what: &str, plan: &Plan) -> Result<NamedCommits> {
    named_commits(session, what)?.map_or_else(|| Err(nothing_named(session, what, &plan.shown)?), Ok)
}

fn nothing_named(session: &Session, what: &str, plan: &str) -> Result<Error> {
    let in_plan = if plan.is_empty() { String::new() } else { format!("a task or phase of {plan}, ") };
    let what = format!("{} cannot be proven: it is not {in_plan}a commit or a range", one_line(what));
    let fetch = session.git.fetch_of_records()?;
    let fetch = fetch.map(|fetch| format!(" `{fetch}` fetches the commits of runs that were landed."));
    let remedy = format!("{} lists the tasks.{}", advice::status(), fetch.unwrap_or_default());
    Ok(Error::new(Kind::Input, what, remedy))
}

fn named_commits(session: &Session, what: &str) -> Result<Option<NamedCommits>> {
    let git = &session.git;
    let (before, head) = match what.split_once("..") {
        Some((from, to)) => {
            let to = to.trim_start_matches('.');
            let named = |name: &str| git.commit_named(if name.is_empty() { "HEAD" } else { name });
            let (Some(from), Some(to)) = (named(from)?, named(to)?) else { return Ok(None) };
            (Some(from), to)
        }
        None => match git.commit_named(what)? {
            Some(head) => (session.repository.first_parent(&head)?, head),
            None => return Ok(None),
        },
    };
    let all = match (what.contains(".."), &before) {
        (true, Some(before)) => git.commits_between(before, &head)?.into_iter().collect(),
        _ => HashSet::from([head]),
    };
    Ok(Some(NamedCommits { before, head, all }))
}

/// A change that belongs to no task, judged by the suite.
fn plain(session: &Session, what: &str, commits: &NamedCommits) -> Result<ProofRequest> {
    let Some(suite) = session.config.optional(Setting::Suite) else {
        return Err(Error::new(
            Kind::Input,
            format!("{} belongs to no task, and there is no command that could judge it", one_line(what)),
            "Set the command that runs all tests: `git config arborist.suite \"npm test\"`.",
        ));
    };
    let provable = match commits.before {
        Some(before) => Provable::Yes(Box::new(ProofSubject {
            own: vec![OwnChange { before, after: commits.head }],
            ..ProofSubject::of_commit(commits.head, vec![TestCommand::suite(&suite)])
        })),
        None => Provable::No(NothingRan::Obstacle("it is the first commit of the history".to_owned())),
    };
    Ok(ProofRequest {
        plan: None,
        changes: vec![Change { tasks: Vec::new(), title: what.to_owned(), provable }],
    })
}

/// Finds tasks in a run.
struct Finder<'s> {
    session: &'s Session,
    plan: Plan,
    run: crate::history::Run,
    /// The steps of each task, newest first.
    steps: StepsOfTasks,
    landed: LandedTasks,
    /// The user's patterns of further files that judge.
    protected: Vec<PathPattern>,
}

impl<'s> Finder<'s> {
    fn new(session: &'s Session, plan: Plan) -> Result<Self> {
        let run = read_run(&session.repository, &plan, &session.work_tree)?;
        let steps = read_all_steps(&session.repository, &run.range)?;
        let landed = LandedTasks::read(&session.repository, &run)?;
        let protected = session.config.paths(Setting::Protect);
        Ok(Self { session, plan, run, steps, landed, protected })
    }

    /// These tasks. Those that one landed commit contains are one change.
    fn tasks(&self, leaves: impl Iterator<Item = NodeIx>) -> Result<Vec<Change>> {
        let (mut changes, mut together) = (Vec::new(), Vec::<(usize, CommitId, Vec<NodeIx>)>::new());
        for leaf in leaves {
            let id = &self.plan.tree.node(leaf).id;
            let steps = self.steps.get(id).map_or(&[][..], Vec::as_slice);
            // A merge of a whole run brings its steps, which say more than the merge.
            let landed = self.landed.get(id).filter(|_| !is_ended(steps));
            if let Some(landed) = landed.filter(|landed| landed.step.record().outcome == Outcome::Skip) {
                changes.push(Some(self.with_steps(leaf, std::slice::from_ref(&landed.step))?));
                continue;
            }
            let Some(LandedTask { commit, .. }) = landed else {
                changes.push(Some(self.with_steps(leaf, steps)?));
                continue;
            };
            match together.iter_mut().find(|(_, other, _)| other == commit) {
                Some((_, _, leaves)) => leaves.push(leaf),
                None => {
                    together.push((changes.len(), *commit, vec![leaf]));
                    changes.push(None);
                }
            }
        }
        for (place, commit, leaves) in together {
            changes[place] = Some(self.landed_change(commit, &leaves)?);
        }
        Ok(changes.into_iter().flatten().collect())
    }

    /// The work of tasks that one landed commit contains.
    fn landed_change(&self, commit: CommitId, leaves: &[NodeIx]) -> Result<Change> {
        let Session { git, repository, .. } = self.session;
        let nodes: Vec<_> = leaves.iter().map(|leaf| self.plan.tree.node(*leaf)).collect();
        let ids: Vec<TaskId> = nodes.iter().map(|node| node.id.clone()).collect();
        let to_prove =
            LandedToProve { git, repository, plan: &self.plan, commit, protected: &self.protected };
        let LandedProof { mut provable, expects, has_joint_part } = to_prove.subject(&ids)?;
        if let Provable::Yes(subject) = &mut provable {
            let is_landed = |leaf, _: &crate::history::Run| leaves.contains(&leaf);
            let at = AwaitedAt::of_tasks(repository, &self.plan, &self.run, commit, is_landed)?;
            subject.awaited = at.may_fail;
        }
        let task = |(node, expect): (&&crate::plan::Node, Expect)| {
            let landed = self.landed.get(&node.id);
            let recorded = || {
                let mut steps = landed?.record.iter();
                let end = steps.find(|step| step.validity == StepValidity::Counts)?;
                TaskWord::of(&end.step.record, node.is_tested())
            };
            let is_joint = has_joint_part || landed.is_some_and(|landed| landed.step.step.record.is_joint);
            ChangedTask {
                id: node.id.clone(),
                name: node.name.clone(),
                with_others: is_joint.then(|| WithOthers { expect, recorded: recorded() }),
            }
        };
        let tasks = nodes.iter().zip(expects).map(task).collect();
        let title = ids.iter().map(TaskId::as_str).collect::<Vec<_>>().join(", ");
        Ok(Change { tasks, title, provable })
    }

    fn with_steps(&self, leaf: NodeIx, steps: &[TaskStep]) -> Result<Change> {
        let node = self.plan.tree.node(leaf);
        let Session { git, repository, .. } = self.session;
        let (plan, id, protected) = (&self.plan, &node.id, &self.protected);
        let mut provable = TaskToProve { git, repository, plan, id, steps, protected }.subject()?;
        if let Provable::Yes(subject) = &mut provable
            && self.may_have_awaited_tests()
        {
            let is_it = |other, _: &crate::history::Run| other == leaf;
            let at = AwaitedAt::of_tasks(repository, &self.plan, &self.run, subject.head, is_it)?;
            subject.awaited = at.may_fail;
        }
        let task = ChangedTask { id: node.id.clone(), name: node.name.clone(), with_others: None };
        Ok(Change { title: node.id.to_string(), tasks: vec![task], provable })
    }

    /// Whether a task of the run may have written tests before their code.
    fn may_have_awaited_tests(&self) -> bool {
        let mut steps = self.steps.values().flatten();
        steps.any(|step| StepFacts::of(&step.message).awaited.failing() > 0) || !self.landed.is_empty()
    }

    /// The complete tasks, or those of them that are below a node.
    fn complete_below(&self, node: Option<NodeIx>) -> Result<Vec<Change>> {
        let tree = &self.plan.tree;
        let below: Option<HashSet<NodeIx>> = node.map(|node| tree.leaves_below(node).collect());
        let is_asked = |leaf: &NodeIx| below.as_ref().is_none_or(|below| below.contains(leaf));
        let is_complete = |leaf: &NodeIx| self.plan.state(&self.run, *leaf) == State::Complete;
        self.tasks(tree.order().iter().copied().filter(is_asked).filter(is_complete))
    }

    /// The tasks of which one of these commits is a step, as they were at the newest of these steps, and those that one of them
    /// landed. What is said of a range follows from the range, wherever HEAD is: where the branch does not have its newest commit, the
    /// run is read to that one.
    fn in_commits(&self, commits: &NamedCommits) -> Result<Vec<Change>> {
        let git = &self.session.git;
        let is_here = git.is_ancestor(&commits.head, &self.run.range.head())?;
        if let (false, Some(before)) = (is_here, commits.before) {
            // The task may have begun before the range.
            let begin = match self.run.range.anchor() {
                Some(anchor) if git.is_ancestor(&anchor, &before)? => anchor,
                _ => before,
            };
            if git.is_ancestor(&begin, &commits.head)? {
                let range = Range::behind(begin, commits.head);
                let changes = self.steps_in(commits, &read_all_steps(&self.session.repository, &range)?)?;
                if !changes.is_empty() {
                    return Ok(changes);
                }
            }
        }
        let is_meant = |leaf: &NodeIx| {
            let id = &self.plan.tree.node(*leaf).id;
            let is_done_here = self.steps.get(id).is_some_and(|steps| is_ended(steps));
            let landed = self.landed.get(id).filter(|_| !is_done_here);
            landed.is_some_and(|landed| commits.all.contains(&landed.commit))
        };
        let mut changes = self.tasks(self.plan.tree.order().iter().copied().filter(is_meant))?;
        changes.extend(self.steps_in(commits, &self.steps)?);
        Ok(changes)
    }

    fn steps_in(&self, commits: &NamedCommits, steps: &StepsOfTasks) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        for leaf in self.plan.tree.order() {
            let steps = steps.get(&self.plan.tree.node(*leaf).id).map_or(&[][..], Vec::as_slice);
            if let Some(newest) = steps.iter().position(|step| commits.all.contains(&step.step.id)) {
                changes.push(self.with_steps(*leaf, &steps[newest..])?);
            }
        }
        Ok(changes)
    }
}

/// Whether the newest of these steps that counts ends its task well.
fn is_ended(newest_first: &[TaskStep]) -> bool {
    let newest = newest_first.iter().find(|step| step.validity == StepValidity::Counts);
    newest.is_some_and(|step| step.step.record.state().is_done())
}
