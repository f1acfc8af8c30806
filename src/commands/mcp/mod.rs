//! `git arborist mcp`: serves work units over the Model Context Protocol.

mod answers;
mod prompt_files;
mod server;

use clap::Args;

use crate::error::Result;
use crate::session::{Call, Command, Exit, Group, Summary};
use server::Server;

/// The arguments of `mcp`.
#[derive(Args, Clone, Debug)]
pub struct Mcp {}

impl Command for Mcp {
    const SUMMARY: Summary = Summary {
        name: "mcp",
        group: Group::Others,
        about: "serve work units to a client of the Model Context Protocol",
    };

    const MANUAL: &'static str = include_str!("../manual/mcp.md");

    fn run(self, call: &Call) -> Result<Exit> {
        Server::start(call)?.serve()
    }
}
