//! Follows the agents that are at work in a repository, by their transcripts, for `git arborist show --follow`.

use std::collections::HashMap;
use std::path::PathBuf;

use super::transcript::{step, unreadable};
use crate::agents::Transcripts;
use crate::config::Setting;
use crate::error::Result;
use crate::record::TaskId;
use crate::report::Screen;
use crate::run::JournalView;
use crate::session::Session;
use crate::worktree::active_runs;

/// What was shown of the agents at work.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    /// How much was shown of each step: the folder of its run, its task, its step and its attempt.
    shown: HashMap<(PathBuf, TaskId, &'static str, u32), usize>,
}

impl Followed {
    /// What agents have done since the last look, all of them or that of one task; `None` if no run is at work.
    ///
    /// # Errors
    /// If a transcript cannot be read.
    pub(crate) fn news(
        &mut self,
        session: &Session,
        only: Option<&TaskId>,
        screen: &Screen,
    ) -> Result<Option<String>> {
        let keep = session.config.number(Setting::TranscriptsKeep) as usize;
        let unreadable = |error| unreadable("a transcript", &error);
        let runs: Vec<_> =
            active_runs(&session.work_tree).into_iter().filter(|run| !run.was_killed).collect();
        if runs.is_empty() {
            return Ok(None);
        }
        let mut text = String::new();
        for run in runs {
            let Some(unit) = JournalView::read(&run.git_dir).unit.map(|unit| unit.unit.begun) else {
                continue;
            };
            if only.is_some_and(|only| *only != unit.task) {
                continue;
            }
            let stored = Transcripts::below(&run.git_dir, keep).of_task(&unit.task).map_err(unreadable)?;
            let is_it = |one: &&crate::agents::StoredTranscript| {
                one.step == unit.step && one.attempt == unit.attempt.number
            };
            let Some(stored) = stored.iter().rfind(is_it) else { continue };
            let told = step(stored).map_err(unreadable)?;
            let key = (run.git_dir, unit.task.clone(), unit.step.word(), unit.attempt.number);
            let shown = self.shown.entry(key).or_default();
            let (new, all) = told.after(unit.task.as_str(), *shown, screen);
            text.push_str(&new);
            *shown = all;
        }
        Ok(Some(text))
    }
}
