//! Claims: who works on a task of a run on many machines.

mod adverse;
mod clones;
mod conflicts;
mod field;
mod model;
mod pushes;
mod record;
mod requests;
mod server;
mod unlucky;
mod watching;
mod work;
