//! Whether the files from which a plan was built say something else by now. A plan that is built once would otherwise look complete
//! while its source has more to do.

use std::collections::HashSet;
use std::path::PathBuf;

use super::sources::{Search, settle_sources};
use crate::history::Run;
use crate::plan::building::{BuildRecord, SettledNode};
use crate::plan::formats::Format;
use crate::record::State;
use crate::report;
use crate::run::{Plan, read_run};
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
        if tree.spec_files().is_empty() {
            return None;
        }
        let record = BuildRecord::of(&String::from_utf8_lossy(plan.bytes()))?;
        let top = &session.work_tree.top;
        // A plan that an agent has drafted has no source that could be read.
        let search = Search { top, from: Some(Format::from_name(&record.recipe.format)?) };
        let files: Vec<PathBuf> = tree.spec_files().iter().map(|file| top.join(file)).collect();
        let sources = search.named(&files).ok()?;
        // A source with mistakes is told when it is built.
        let settled = settle_sources(top, &sources, &record.recipe, Some(&record), false).ok()?;
        if !settled.problems.is_empty() {
            return None;
        }
        let mut changes = Self { sources: tree.spec_files().to_vec(), ..Self::default() };
        for task in settled.tasks() {
            changes.compare(&record, plan, run, task);
        }
        // What was deleted in the plan by hand may be gone.
        let leaves = tree.order().iter().map(|leaf| tree.node(*leaf).id.as_str()).filter(|id| record.has(id));
        let there: HashSet<&str> = settled.nodes.iter().map(|node| node.id.as_str()).collect();
        let gone = leaves.filter(|id| !there.contains(id));
        changes.gone = gone.map(str::to_owned).collect();
        (!changes.is_empty()).then_some(changes)
    }

    fn compare(&mut self, record: &BuildRecord, plan: &Plan, run: Option<&Run>, task: &SettledNode) {
        let id = task.id.to_string();
        let ix = plan.tree.find(&id).filter(|ix| plan.tree.is_leaf(*ix));
        if !record.has(&id) && plan.tree.find(&id).is_none() {
            self.new.push(id);
        } else if ix.is_some() && !record.is_name(&id, &task.read.name) {
            self.renamed.push(id);
        } else if let Some(ix) = ix
            && task.read.claimed
            && run.is_some_and(|run| plan.state(run, ix) == State::Pending)
        {
            self.ticked.push(id);
        }
    }

    fn is_empty(&self) -> bool {
        [&self.new, &self.renamed, &self.gone, &self.ticked].iter().all(|ids| ids.is_empty())
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
