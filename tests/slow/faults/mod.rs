//! The fault matrix: kills, concurrency, disks, agents and tests that misbehave; each test begins with the id of its
//! row.
//!
//! After every case, the repository is undamaged, the branch has only grown, none of our processes is running, no byte
//! that was in the work tree is lost, no panic is shown, and the exit status is one of the documented ones.

mod agents;
mod branches;
mod chance;
mod concurrency;
mod disk;
mod killed;
pub(crate) mod kills;
mod locks;
mod questions;
mod shim;
mod signals;
mod states;
mod suite;
mod tasks;
mod without_proc;
