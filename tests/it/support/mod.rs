//! Repositories, plans, scripted agents and random numbers that the tests share.

pub(crate) mod agents;
pub(crate) mod cli;
pub(crate) mod dice;
pub(crate) mod garden;
#[path = "../../../src/growth.rs"]
pub(crate) mod growth;
pub(crate) mod repo;
pub(crate) mod sandbox;
pub(crate) mod shell;
pub(crate) mod terminal;
