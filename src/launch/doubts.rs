//! What is doubtful in a plan in this work tree.

use crate::agents::{CommandCheck, Lookup, Missing, check_command};
use crate::config::{Environment, Setting};
use crate::plan::{Problem, TaskTree, lint};
use crate::report;
use crate::session::Session;
use crate::text::counted;

/// What is doubtful in the plan with these bytes, which belongs to this work tree; nothing if it is none.
pub(crate) fn doubts_in(plan: &[u8], session: &Session, environment: &Environment) -> Vec<Problem> {
    let Ok(loaded) = TaskTree::from_json(plan) else { return Vec::new() };
    let lookup = Lookup::new(environment, &session.work_tree.top);
    // A script that is missing does not count, because a task may be meant to write it.
    let missing_program = |command: &str| match check_command(command, environment, &lookup) {
        CommandCheck::Missing(Missing::NotOnPath(program)) => Some(program),
        _ => None,
    };
    lint(&loaded.tree, session.config.optional(Setting::Suite).is_some(), &missing_program)
}

/// How many doubtful places of a plan are named.
const MOST_DOUBTS: usize = 10;

/// Warns of what is doubtful in the plan with these bytes, whose file is called `shown`.
pub(crate) fn warn_of_doubts(plan: &[u8], shown: &str, session: &Session, environment: &Environment) {
    let doubts = doubts_in(plan, session, environment);
    for doubt in doubts.iter().take(MOST_DOUBTS) {
        report::warn(&session.screen, &doubt.in_file(shown));
    }
    if doubts.len() > MOST_DOUBTS {
        let more = counted(doubts.len() - MOST_DOUBTS, "more doubtful place");
        report::warn(&session.screen, &format!("{shown}: and {more}"));
    }
}
