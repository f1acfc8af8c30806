//! `git arborist show`: one task with all its attempts, or a parent with its tasks.

use std::time::Duration;

use clap::Args;

use super::reading::Reading;
use super::{Call, Command, Common, Exit};
use crate::error::Result;
use crate::history::{Standing, TaskStep, read_steps};
use crate::output::{self, Account, ArtifactView, ParentView, StepView, TaskView};
use crate::pipeline::body_of;
use crate::task::{Counts, NodeIx, RawTrailer, TrailerKey, one_line, trailers};

/// Arguments of `git arborist show`.
#[derive(Args, Debug)]
pub struct Show {
    /// The task, or a phase or another parent
    #[arg(value_name = "TASK")]
    task: String,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Print plain ASCII without colours
    #[arg(long, conflicts_with = "json")]
    plain: bool,

    #[command(flatten)]
    common: Common,
}

impl Command for Show {
    const NAME: &'static str = "show";

    fn common(&self) -> &Common {
        &self.common
    }

    fn run(self, call: &Call) -> Result<Exit> {
        let reading = Reading::open(call)?;
        let screen = reading.session.screen;
        let screen = if self.plain { screen.plain() } else { screen };
        let tree = &reading.plan.tree;
        output::answer(&match tree.find(&self.task).filter(|ix| !tree.is_leaf(*ix)) {
            Some(node) => {
                let marker = reading.run.phases.get(&tree.node(node).id);
                let view = ParentView { board: reading.board(), node, marker };
                if self.json { view.json() } else { view.text(&screen) }
            }
            None => {
                let view = task_view(&reading, reading.plan.leaf(&self.task)?)?;
                if self.json { view.json() } else { view.text(&screen) }
            }
        })?;
        Ok(Exit::Done)
    }
}

fn task_view(reading: &Reading, leaf: NodeIx) -> Result<TaskView<'_>> {
    let id = &reading.plan.tree.node(leaf).id;
    let steps = read_steps(&reading.session.repository, &reading.run.range, id)?;
    Ok(TaskView { board: reading.board(), leaf, steps: steps.iter().rev().map(step_view).collect() })
}

fn step_view(step: &TaskStep) -> StepView {
    let read = trailers(&step.message);
    let artifact = [
        (TrailerKey::Report, ArtifactView::Report),
        (TrailerKey::TestLog, ArtifactView::TestLog),
        (TrailerKey::ReviewLog, ArtifactView::ReviewLog),
    ];
    let duration = value(&read, TrailerKey::Duration).or_else(|| value(&read, TrailerKey::TestRuntime));
    StepView {
        commit: step.step.id,
        time: step.step.time,
        record: step.step.record,
        account: match step.standing {
            Standing::Counts => Account::Counts,
            Standing::Reverted => Account::Reverted,
        },
        runner: value(&read, TrailerKey::Runner),
        duration: duration.and_then(|text| Duration::try_from_secs_f64(text.parse().ok()?).ok()),
        tests: counts(&read),
        artifact: artifact.into_iter().find_map(|(key, kind)| Some((kind, value(&read, key)?))),
        body: body_of(&step.message),
    }
}

/// The counts of tests, where the message has any.
fn counts(read: &[RawTrailer]) -> Option<Counts> {
    let count = |key| value(read, key)?.parse::<u32>().ok();
    let [passed, failed, skipped] =
        [TrailerKey::TestPassed, TrailerKey::TestFailed, TrailerKey::TestSkipped].map(count);
    passed.or(failed).or(skipped)?;
    Some(Counts { passed: passed.unwrap_or(0), failed: failed.unwrap_or(0), skipped: skipped.unwrap_or(0) })
}

fn value(read: &[RawTrailer], key: TrailerKey) -> Option<String> {
    let found = read.iter().find(|trailer| TrailerKey::from_name(&trailer.key) == Some(key))?;
    Some(one_line(&String::from_utf8_lossy(&found.value)))
}
