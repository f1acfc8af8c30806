//! `git arborist`: coding agents work through a plan, and every step is one commit.

pub mod agents;
pub mod audit;
pub mod check;
pub mod cli;
pub mod commands;
pub mod config;
pub mod engine;
pub mod error;
mod export;
pub mod files;
mod forge;
pub mod git;
#[cfg(test)]
mod growth;
pub mod history;
pub mod hooks;
mod import;
pub mod inspect;
pub mod intervene;
pub mod launch;
pub mod manual;
pub mod plan;
pub mod process;
pub mod publish;
pub mod record;
pub mod report;
pub mod run;
pub mod sandbox;
pub mod scheduler;
#[cfg(test)]
mod schema;
pub mod serve;
pub mod session;
pub mod setup;
pub mod suggest;
pub mod suite;
pub mod text;
pub mod trust;
pub mod workflow;
pub mod worktree;
