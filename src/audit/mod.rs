//! Examines a history after the fact: which messages are checked, what the evidence is, and what can be proven.

pub(crate) mod evidence;
pub(crate) mod messages;
pub(crate) mod proving;
pub(crate) mod subjects;
