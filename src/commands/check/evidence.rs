//! Reads the evidence for the tasks of a run from its commits.

use crate::check::evidence::{EvidenceStep, TaskEvidence, changed_since, contradictions, evidence};
use crate::check::history::HistoryFinding;
use crate::commands::Session;
use crate::error::Result;
use crate::history::{Range, StepValidity, TreeComparison, changed_paths, pick_steps};
use crate::record::CommitKind;
use crate::text::show_path;

/// The evidence of a run, and what contradicts it.
pub(super) struct Audit {
    pub(super) tasks: Vec<TaskEvidence>,
    pub(super) found: Vec<HistoryFinding>,
}

impl Audit {
    /// Reads the steps of a run.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(super) fn of(session: &Session, range: &Range) -> Result<Self> {
        let picked = pick_steps(&session.repository, range, |kind, message| match kind {
            CommitKind::Task(task, record) => Some((task.clone(), *record, message.to_vec())),
            _ => None,
        })?;
        let counted = picked.into_iter().filter(|step| step.validity == StepValidity::Counts);
        let steps: Vec<EvidenceStep> = counted
            .map(|step| {
                let (task, record, message) = step.value;
                EvidenceStep::of(&task, step.id, record, &message)
            })
            .collect();
        let tasks = evidence(&steps);
        let mut found = contradictions(&steps);
        for task in &tasks {
            found.extend(changed_since(task, &changed_after(session, task)?));
        }
        Ok(Self { tasks, found })
    }
}

/// The files of a task that were changed between its review, or its tests if it has none, and its completion.
fn changed_after(session: &Session, task: &TaskEvidence) -> Result<Vec<String>> {
    let Some(judged) = task.reviewed.or(task.tested) else { return Ok(Vec::new()) };
    let Some(before) = session.repository.first_parent(&task.commit)? else { return Ok(Vec::new()) };
    let later = TreeComparison { commit: before, base: Some(judged) };
    let later = changed_paths(&session.repository, &[later])?;
    if later.is_empty() {
        return Ok(Vec::new());
    }
    let own: Vec<TreeComparison> =
        task.changes.iter().map(|commit| TreeComparison { commit: *commit, base: None }).collect();
    let own = changed_paths(&session.repository, &own)?;
    Ok(later.iter().filter(|path| own.binary_search(path).is_ok()).map(|path| show_path(path)).collect())
}
