//! The checks of `doctor`. Each gives diagnoses.

pub(crate) mod agents;
pub(crate) mod first_run;
pub(crate) mod forge;
pub(crate) mod plan;
pub(crate) mod probe;
pub(crate) mod questions;
pub(crate) mod repository;
pub(crate) mod runners;
pub(crate) mod sandboxes;
pub(crate) mod slots;
pub(crate) mod state;
