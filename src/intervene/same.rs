//! `git arborist mark same`: writes into the plan that a task whose name was corrected by hand is still the same one, so that its
//! steps count.

use super::allow::{committed_files, valid_plan};
use super::decisions::commit_plan_files;
use super::decisions::leaf_decided_about;
use crate::error::{Error, Kind, Result};
use crate::history::{StepValidity, read_all_steps};
use crate::plan::{NodeIx, with_earlier_names};
use crate::record::CommitId;
use crate::run::StepsOfTasks;
use crate::session::plan_state::PlanState;
use crate::session::refuse_inside;
use crate::session::take_lock::lock;
use crate::session::{Call, Exit, Session};
use crate::text::{advice, listed};
use crate::{files, report};

/// Tasks that are the same ones under their new names.
pub(crate) struct MarkSame<'a> {
    pub(crate) tasks: &'a [String],
}

impl MarkSame<'_> {
    /// Commits the plan with the earlier names of the tasks in `was`. Edits of it that are not committed yet are part of that.
    ///
    /// # Errors
    /// [`Kind::No`] if a task had no other name; [`Kind::Input`] if the plan cannot be written.
    pub(crate) fn record(&self, call: &Call) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        refuse_inside(call, &session, "mark")?;
        let lock = lock(&session, "mark")?;
        let plan = session.plan()?;
        let plan_state = PlanState::of(session, plan)?;
        let PlanState { session, plan, run, .. } = &plan_state;
        let paths = committed_files(plan, "was")?;
        let names = NameSearch {
            plan_state: &plan_state,
            head: session.repository.branch()?.commit,
            steps: read_all_steps(&session.repository, &run.range)?,
        };
        let (mut bytes, mut ids) = (plan.bytes().to_vec(), Vec::new());
        for word in self.tasks {
            let leaf = leaf_decided_about(plan, word)?;
            let id = plan.tree.node(leaf).id.to_string();
            let text = with_earlier_names(&bytes, &id, &names.of(leaf)?);
            bytes = valid_plan(plan, text, "was")?.into_bytes();
            ids.push(id);
        }
        files::write_whole(&plan.file, &bytes).map_err(|error| Error::not_written(&plan.shown, &error))?;
        let (is, has, its, it) = match ids.len() {
            1 => ("is", "has", "Its", "It"),
            _ => ("are", "have", "Their", "They"),
        };
        let title = session.config.subject_form().title(&format!("Say that {} {is} the same", listed(&ids)));
        let message = format!("{title}\n\n{it} {has} another name now. {its} steps still count.\n");
        if let Some(made) = commit_plan_files(session, &paths, &message, &lock)? {
            report::print(&format!("{} {title}\n", made.short()))?;
        }
        Ok(Exit::Done)
    }
}

/// Where the earlier names of tasks are found.
struct NameSearch<'a> {
    plan_state: &'a PlanState,
    head: CommitId,
    steps: StepsOfTasks,
}

impl NameSearch<'_> {
    /// The names that a task had in the committed plan and at its steps that do not count, besides those that it may have.
    fn of(&self, leaf: NodeIx) -> Result<Vec<String>> {
        let PlanState { session, plan, .. } = self.plan_state;
        let node = plan.tree.node(leaf);
        let known = plan.earlier_names(&node.id);
        let steps = self.steps.get(&node.id).map_or(&[][..], Vec::as_slice);
        let outdated = steps.iter().filter(|step| step.validity == StepValidity::Outdated);
        let mut names: Vec<String> = Vec::new();
        for commit in outdated.map(|step| step.step.id).chain([self.head]) {
            let Some(then) = plan.tree_at(&session.git, &commit) else { continue };
            let name = then.find(node.id.as_str()).map(|then_leaf| then.node(then_leaf).name.clone());
            let is_new = |name: &String| *name != node.name && !known.contains(name) && !names.contains(name);
            names.extend(name.filter(is_new));
        }
        if names.is_empty() {
            return Err(Error::new(
                Kind::No,
                format!("no step of {} was made under another name", node.id),
                format!("Nothing was changed. {} shows its steps.", advice::show(&node.id)),
            ));
        }
        Ok(names)
    }
}
