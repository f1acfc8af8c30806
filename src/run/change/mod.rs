//! What a task has changed, as its reviewer and the checks see it.

pub(crate) mod judging_facts;
pub(crate) mod task_change;
pub(crate) mod test_code;
pub(crate) mod trace;
