//! What every step of a run gets: the repository, the plan, the settings and services of the run, and which task, step and
//! attempt it is. The lowest folder of the engine: nothing here knows how a step is done or recorded.

pub(crate) mod assignment;
pub(crate) mod budget;
pub(crate) mod context;
pub(crate) mod limits;
pub(crate) mod made_merge;
pub(crate) mod settings;
pub(crate) mod trace_context;
