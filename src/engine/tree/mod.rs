//! The work tree of a run: what is known about it, what the journal notes about it, and how it is prepared. Above
//! `run_context` and `commit`, below everything that judges or records a step.

pub(crate) mod artifact;
pub(crate) mod changed_packages;
pub(crate) mod handover;
pub(crate) mod journal;
pub(crate) mod pending;
pub(crate) mod plan_on_disk;
pub(crate) mod preflight;
pub(crate) mod tips;
pub(crate) mod unit;
pub(crate) mod unread;
pub(crate) mod users_files;
pub(crate) mod workspace;
