//! `git arborist`: coding agents work through a plan, and every step is one commit.

pub mod check;
pub mod cli;
pub mod commands;
pub mod config;
pub mod error;
pub mod files;
pub mod git;
pub mod history;
pub mod hooks;
pub mod output;
pub mod pipeline;
pub mod process;
pub mod runner;
pub mod stub;
pub mod suggest;
pub mod suite;
pub mod task;
