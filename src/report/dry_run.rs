//! Prints a dry run: the steps that a run would make, as lines for people and as JSON (docs/schema.json).

use serde::Serialize;

use super::json::{Printed, json_line};
use super::step_line::fit;
use super::text::first_few;
use crate::record::{Attempt, Goal, Step};
use crate::text::one_line;

/// The maximum width of the name of a task, in columns.
const NAME_COLUMNS: usize = 100;

/// The plan of a run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DryRunView {
    /// The tasks, in the order in which they would be worked on.
    pub tasks: Vec<PlannedTask>,
    /// What else there is to say about the run, in sentences.
    pub notes: Vec<String>,
}

/// The steps of a run for one task.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlannedTask {
    /// Its id.
    pub task: String,
    /// Its name.
    pub name: String,
    /// The steps that would follow, if each of them passes.
    pub steps: Vec<PlannedStep>,
}

/// A step that the run would make.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlannedStep {
    /// The step.
    pub step: Step,
    /// The attempt.
    #[serde(flatten)]
    pub attempt: Attempt,
    /// The commands that would be started, in order.
    pub commands: Vec<String>,
    /// The first line of the prompt, if there is one.
    pub prompt: Option<String>,
    /// The subject of the commit that would be made.
    pub subject: String,
}

impl DryRunView {
    /// A dry run over these tasks, with notes.
    #[must_use]
    pub fn new(tasks: Vec<PlannedTask>, notes: Vec<String>) -> Self {
        Self { tasks, notes }
    }

    /// A line for each task with its steps, and each command once, with the tasks for which it is started if not for all.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = if self.tasks.is_empty() { "nothing to do\n".to_owned() } else { String::new() };
        let mut commands: Vec<(Step, String, Vec<&str>)> = Vec::new();
        for (place, task) in self.tasks.iter().enumerate() {
            let steps: Vec<&str> = task.steps.iter().map(|step| step.step.word()).collect();
            let (name, steps) = (fit(&task.name, NAME_COLUMNS), steps.join(", "));
            text.push_str(&format!("{}. {} {name}: {steps}\n", place + 1, task.task));
            for step in &task.steps {
                let is_untested = step.step.row().goal == Goal::TestsPass && step.commands.is_empty();
                let lines = step.commands.iter().map(|line| one_line(line));
                for line in lines.chain(is_untested.then(|| "(untested)".to_owned())) {
                    match commands.iter_mut().find(|(of, known, _)| *of == step.step && *known == line) {
                        Some((.., tasks)) => tasks.push(&task.task),
                        None => commands.push((step.step, line, vec![&task.task])),
                    }
                }
            }
        }
        // Those of the same step come together, in the order of the steps.
        let order: Vec<Step> =
            self.tasks.iter().flat_map(|task| &task.steps).map(|planned| planned.step).collect();
        commands.sort_by_key(|(step, ..)| order.iter().position(|one| one == step));
        for (step, line, tasks) in commands {
            let whose = match tasks.len() == self.tasks.len() {
                true => String::new(),
                false => format!("  ({})", first_few(tasks.into_iter())),
            };
            text.push_str(&format!("   {:<10} {line}{whose}\n", step.word()));
        }
        for note in &self.notes {
            text.push_str(&format!("{}\n", one_line(note)));
        }
        text
    }

    /// The document, on one line.
    #[must_use]
    pub fn json(&self) -> String {
        json_line(&Printed::new("dry-run", self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<DryRunView>("dry-run", "git arborist gardener --dry-run --json");
    }
}
