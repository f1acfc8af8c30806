//! `git arborist note`: records a note for the agents that work on a task.

use clap::Args;

use crate::error::Result;
use crate::intervene::decisions::{Chosen, Recording, Words};
use crate::session::{Call, Command, Exit, Group, Summary};
use crate::workflow::Decision;

/// The arguments of `note`.
#[derive(Args, Clone, Debug)]
pub struct Note {
    /// The tasks; a phase means the tasks below it
    #[arg(value_name = "TASK", required = true)]
    tasks: Vec<String>,
    #[command(flatten)]
    words: Words,
}

impl Command for Note {
    const SUMMARY: Summary =
        Summary { name: "note", group: Group::Intervene, about: "add a note to the next prompts of a task" };

    const MANUAL: &'static str = include_str!("manual/note.md");

    fn run(self, call: &Call) -> Result<Exit> {
        let words = self.words.required(call, "what the agents should know")?;
        let recording =
            Recording { command: Self::SUMMARY.name, decision: Decision::Note, words: &words, request: None };
        recording.record(call, |plan_state| Chosen::named(plan_state, &self.tasks))
    }
}
