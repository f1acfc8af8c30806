//! Whether the files from which a plan was built say something else by now. A plan that is built once would otherwise look complete
//! while its source has more to do.

use std::collections::HashSet;
use std::path::PathBuf;

use super::search::named;
use super::sources::settle_sources;
use crate::history::Run;
use crate::plan::building::BuildRecord;
use crate::plan::formats::Format;
use crate::record::State;
use crate::report;
use crate::run::{Plan, PlanSearch, read_run};
use crate::session::Session;
use crate::text::{advice, counted, listed, one_line};

/// What the sources of a plan say and the plan does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SourceChanges {
    sources: Vec<String>,
    new: Vec<String>,
    renamed: Vec<String>,
    gone: Vec<String>,
    /// Tasks that are done there, and of which no step was made.
    ticked: Vec<String>,
}

impl SourceChanges {
    /// Compares a plan with its sources; `None` if there is nothing to say. Line ends, prose and the order of tasks do not count,
    /// and neither do sources that are gone: a finished plan may have been put away.
    pub(crate) fn of(session: &Session, plan: &Plan, run: Option<&Run>) -> Option<Self> {
        let tree = &plan.tree;
        if tree.spec_files.is_empty() {
            return None;
        }
        let record = BuildRecord::of(&String::from_utf8_lossy(plan.bytes()))?;
        let top = &session.work_tree.top;
        // A plan that an agent has drafted has no source that could be read.
        let search = PlanSearch { top, from: Some(Format::from_name(&record.recipe.format)?) };
        let files: Vec<PathBuf> = tree.spec_files.iter().map(|file| top.join(file)).collect();
        let sources = named(search, &files).ok()?;
        // A source with mistakes is told when it is built.
        let settled = settle_sources(top, &sources, &record.recipe, Some(&record), false).ok()?;
        if !settled.problems.is_empty() {
            return None;
        }
        let mut changes = Self { sources: tree.spec_files.clone(), ..Self::default() };
        for task in settled.tasks() {
            let id = task.id.to_string();
            let ix = tree.find(&id).filter(|ix| tree.is_leaf(*ix));
            let is_open = |ix| run.is_some_and(|run| plan.state(run, ix) == State::Pending);
            if !record.has(&id) && tree.find(&id).is_none() {
                changes.new.push(id);
            } else if ix.is_some() && !record.is_name(&id, &task.read.name) {
                changes.renamed.push(id);
            } else if ix.is_some_and(|ix| task.read.claimed && is_open(ix)) {
                changes.ticked.push(id);
            }
        }
        // What was deleted in the plan by hand may be gone.
        let leaves = tree.order().iter().map(|leaf| tree.node(*leaf).id.as_str()).filter(|id| record.has(id));
        let there: HashSet<&str> = settled.nodes.iter().map(|node| node.id.as_str()).collect();
        let gone = leaves.filter(|id| !there.contains(id));
        changes.gone = gone.map(str::to_owned).collect();
        let all = [&changes.new, &changes.renamed, &changes.gone, &changes.ticked];
        all.iter().any(|ids| !ids.is_empty()).then_some(changes)
    }

    /// What has changed, as a clause, and what to do about it, as sentences.
    pub(crate) fn words(&self) -> (String, String) {
        let Self { sources, new, renamed, gone, ticked } = self;
        let kinds = [(new, "new"), (renamed, "renamed"), (gone, "gone"), (ticked, "ticked")];
        let is = |(ids, word): (&Vec<String>, &str)| {
            let verb = if ids.len() == 1 { "is" } else { "are" };
            let named = if ids.len() > FEW { counted(ids.len(), "task") } else { listed(ids) };
            (!ids.is_empty()).then(|| format!("{named} {verb} {word}"))
        };
        let kinds: Vec<String> = kinds.into_iter().filter_map(is).collect();
        let have = if sources.len() == 1 { "has" } else { "have" };
        let shown =
            if sources.len() > FEW { counted(sources.len(), "source") } else { one_line(&listed(sources)) };
        let (kinds, only_ticked) = (kinds.join(", "), [new, renamed, gone].iter().all(|ids| ids.is_empty()));
        if !only_ticked {
            let what = format!("{shown} {have} changed since the plan was built: {kinds}");
            return (what, format!("{} takes that into the plan.", advice::build_update()));
        }
        let command = match ticked.as_slice() {
            [first, others @ ..] if others.len() < FEW => advice::complete(first).of(others),
            _ => advice::build_update_adopt(),
        };
        // It may have been so when the plan was built.
        let what = format!("{kinds} in {shown}, and no commit shows that");
        (what, format!("{command} says that you vouch for that; otherwise a run does the work."))
    }

    /// Warns of what has changed.
    pub(crate) fn warn(session: &Session, plan: &Plan, run: &Run) {
        if let Some(changes) = Self::of(session, plan, Some(run)) {
            let (what, remedy) = changes.words();
            report::warn(&session.screen, &format!("{what}. {remedy}"));
        }
    }

    /// The same at the end of a run, which has changed the history. What cannot be read then was told already.
    pub(crate) fn warn_after_run(session: &Session) {
        let Ok(plan) = session.plan_file().and_then(Plan::from_file) else { return };
        if let Ok(run) = read_run(&session.repository, &plan, &session.work_tree) {
            Self::warn(session, &plan, &run);
        }
    }
}

/// How many ids or files are named.
const FEW: usize = 5;
