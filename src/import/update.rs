//! What `build --update` asks before it writes: which tasks are the same although their names were corrected, and whether to write.

use std::collections::HashSet;

use super::target::Built;
use crate::error::{Error, Kind, Result};
use crate::plan::building::Renamed;
use crate::report::{self, Screen};
use crate::session::Call;
use crate::session::plan_state::PlanState;
use crate::text::advice;

/// An update of the plan.
pub(crate) struct Update<'a> {
    pub(crate) call: &'a Call,
    pub(crate) screen: &'a Screen,
    /// Whether questions are asked.
    pub(crate) asks: bool,
    /// Whether everything is confirmed already.
    pub(crate) is_confirmed: bool,
}

impl Update<'_> {
    /// The ids of tasks whose names were corrected and of which the user says that they are the same. Tasks of which no step was made
    /// are not asked about.
    ///
    /// # Errors
    /// [`Kind::Input`] if one of the tasks in `named` has its old name, or is not there. [`Kind::No`] if a person has to say whether
    /// a task is the same, but cannot be asked: once the plan is written, its old name is gone.
    pub(crate) fn same_tasks(&self, built: &Built, named: &[String]) -> Result<Vec<String>> {
        let renamed = built.merged.as_ref().map_or(&[][..], |merged| &merged.renamed);
        if let Some(id) = named.iter().find(|id| renamed.iter().all(|task| task.id != **id)) {
            let what = format!("no task {id} has a different name in the sources than in the plan");
            let remedy = "Leave it out, or correct its id. Nothing was written.";
            return Err(Error::new(Kind::Input, what, remedy));
        }
        let open: Vec<&Renamed> = renamed.iter().filter(|task| !task.is_same).collect();
        if open.is_empty() {
            return Ok(Vec::new());
        }
        let begun = begun(self.call);
        let mut same = Vec::new();
        for Renamed { id, before, now, .. } in open.into_iter().filter(|task| begun.contains(&task.id)) {
            let text = format!("{id} {before:?} is now {now:?}.");
            if self.is_confirmed {
                report::warn(self.screen, &format!("{text} Its steps do not count under another name."));
            } else if !self.asks {
                let remedy = format!(
                    "Nothing was written. If it is the same task: {}. If it is another one, so that its steps no \
                     longer count: {}.",
                    advice::build_update_same(id),
                    advice::build_update_yes()
                );
                return Err(Error::new(Kind::No, text.trim_end_matches('.'), remedy));
            } else if report::confirm(&text, "Is that the same task, so that its steps still count?")
                == Some(true)
            {
                same.push(id.clone());
            }
        }
        Ok(same)
    }
}

/// The tasks of the plan as it is now that have steps; none if the plan cannot be read.
fn begun(call: &Call) -> HashSet<String> {
    let state = PlanState::open(call);
    state.map(|state| state.run.tasks.keys().map(ToString::to_string).collect()).unwrap_or_default()
}
