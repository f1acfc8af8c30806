//! What every step of a run gets: the repository, the plan, the settings and services of the run, and which task, step and
//! attempt it is. The lowest folder of the engine: nothing here knows how a step is done or recorded.

pub(in crate::engine) mod assignment;
pub(in crate::engine) mod budget;
pub(in crate::engine) mod clock;
pub(in crate::engine) mod context;
pub(in crate::engine) mod limits;
pub(in crate::engine) mod merge_facts;
pub(in crate::engine) mod settings;
pub(in crate::engine) mod trace_context;
