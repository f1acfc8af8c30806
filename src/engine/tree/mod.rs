//! The work tree of a run: what is known about it, what the journal notes about it, and how it is prepared. Above `step` and
//! `commit`, below everything that judges or records a step.

pub(in crate::engine) mod artifact;
pub(in crate::engine) mod changed_packages;
pub(in crate::engine) mod ignored;
pub(in crate::engine) mod journal;
pub(in crate::engine) mod named;
pub(in crate::engine) mod overlooked;
pub(in crate::engine) mod pending;
pub(in crate::engine) mod plan_on_disk;
pub(in crate::engine) mod preflight;
pub(in crate::engine) mod tips;
pub(in crate::engine) mod unit;
pub(in crate::engine) mod unread;
pub(in crate::engine) mod users_files;
pub(in crate::engine) mod workspace;
