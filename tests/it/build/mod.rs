//! Tests `git arborist build`: plans of other tools become task trees.

mod command;
mod expected;
mod planner;
mod tick;
