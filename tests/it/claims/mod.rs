//! Claims: who works on a task of a run on many machines.

mod record;
