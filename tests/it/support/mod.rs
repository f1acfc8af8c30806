//! Repositories, plans, scripted agents and random numbers that the tests share.

pub(crate) mod agents;
pub(crate) mod cli;
pub(crate) mod dice;
pub(crate) mod docs;
pub(crate) mod garden;
#[path = "../../../src/growth.rs"]
pub(crate) mod growth;
pub(crate) mod harness;
pub(crate) mod hooks;
pub(crate) mod jobs;
pub(crate) mod live;
pub(crate) mod mask;
pub(crate) mod mcp;
pub(crate) mod panel;
pub(crate) mod proofs;
pub(crate) mod questions;
pub(crate) mod repo;
pub(crate) mod reports;
pub(crate) mod rich;
pub(crate) mod sandbox;
pub(crate) mod sandboxes;
pub(crate) mod schemas;
pub(crate) mod skip;
pub(crate) mod watched;
