//! Claims: who works on a task of a run on many machines.

mod model;
mod pushes;
mod record;
mod server;
