//! Tests `git arborist build`: plans of other tools become task trees.

mod bad_input;
mod command;
mod corrections;
mod documents;
mod expected;
mod formats;
mod planner;
mod sources;
mod table;
mod tick;
mod updates;
