//! Reading histories: whole runs, merges, shapes of repositories, and random graphs against a slow reader.

mod edits;
mod graphs;
mod landed;
mod long;
mod merges;
mod plans;
mod reverts;
mod runs;
mod shapes;
mod tree_diff;
