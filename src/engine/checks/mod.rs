//! The checks of what a step has changed: what must not be committed is held back or refused, and what a person should
//! look at is named.

pub(super) mod adopted;
pub(super) mod conflicts;
pub(super) mod counts;
pub(super) mod coverage;
pub(super) mod lost_tests;
pub(super) mod protected;
pub(super) mod proven;
pub(super) mod secret_files;
