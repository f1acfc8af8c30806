//! The state of a run as a client in a conversation gets it.

use serde::Serialize;

use super::{RunDocument, RunState, RunTask, TaskCounts};
use crate::record::State;

/// The state of a run, in short.
#[derive(Clone, Debug, Serialize)]
pub struct RunInShort<'a> {
    spec_id: Option<&'a str>,
    branch: Option<&'a str>,
    counts: TaskCounts,
    next: Option<&'a str>,
    run: RunState,
    failed: Vec<String>,
    ready: Vec<String>,
    active: Vec<String>,
}

impl<'a> RunDocument<'a> {
    /// The state of the run, with at most so many tasks of each kind.
    #[must_use]
    pub fn in_short(&self, most: usize) -> RunInShort<'a> {
        let those = |wanted: fn(&RunTask<'_>) -> bool| {
            few(self.tasks.iter().filter(|task| wanted(task)).map(|task| task.id.to_string()).collect(), most)
        };
        RunInShort {
            spec_id: self.spec_id,
            branch: self.branch,
            counts: self.counts,
            next: self.next,
            run: self.run.state,
            failed: those(|task| task.state == State::Failed),
            ready: those(|task| task.ready),
            active: those(|task| {
                matches!(task.state, State::Implementing | State::Testing | State::Reviewing)
            }),
        }
    }
}

/// The first items of a list, and how many more there are.
#[must_use]
pub fn few(mut items: Vec<String>, most: usize) -> Vec<String> {
    let more = items.len().saturating_sub(most);
    items.truncate(most);
    items.extend((more > 0).then(|| format!("and {more} more")));
    items
}
