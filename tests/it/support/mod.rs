//! Repositories, plans, scripted agents and random numbers that the tests share.

pub(crate) mod cli;
pub(crate) mod dice;
pub(crate) mod garden;
pub(crate) mod repo;
pub(crate) mod sandbox;
