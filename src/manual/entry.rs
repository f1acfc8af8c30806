//! What the manual has to know about the commands.

/// A command, as the pages describe it.
#[derive(Clone, Debug)]
pub struct CommandEntry {
    /// The name after `git arborist`.
    pub name: &'static str,
    /// The heading of its group.
    pub group: &'static str,
    /// Its purpose, as one clause.
    pub about: &'static str,
    /// The description and the examples, as people write them.
    pub prose: &'static str,
    /// Its arguments and options.
    pub definition: fn() -> clap::Command,
}

/// The table of commands. It is made when it is needed, so that it costs other commands nothing.
#[derive(Clone, Copy, Debug)]
pub struct Catalogue(pub fn() -> Vec<CommandEntry>);
