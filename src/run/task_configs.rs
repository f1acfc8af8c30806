//! The settings of every task: those of the call, with the fields of the plan that choose settings, and the policy that
//! follows from them.

use super::Plan;
use crate::config::{Config, PlanChoice, Setting};
use crate::plan::{Expect, FieldEntry, FieldSet, NodeIx, PerTask, TaskField};
use crate::workflow::{FailedTask, Gate, OptionalSteps, Pipeline, Policy};

/// The settings of every task of a plan.
#[must_use]
pub fn task_configs(config: &Config, plan: &Plan) -> PerTask<Config> {
    let tree = &plan.tree;
    PerTask::by_key(
        tree,
        |leaf: NodeIx| {
            let node = tree.node(leaf);
            let has_tests = node.test_commands.iter().any(|test| test.kind.judges());
            (choices(&node.fields), has_tests && tree.expect(leaf) == Expect::Change)
        },
        |(choices, may_be_test_first)| {
            let config = config.for_task(&plan.shown, choices);
            // Without a command that judges it, nothing can show that a test fails; and only a change of behaviour makes one fail.
            if *may_be_test_first { config } else { config.without(Setting::TestFirst) }
        },
    )
}

/// The settings of the pipeline.
#[must_use]
pub fn policy(config: &Config) -> Policy {
    Policy {
        max_attempts: config.count(Setting::MaxAttempts),
        merge_attempts: config.count(Setting::MergeAttempts),
        pipeline: Pipeline::with(OptionalSteps {
            is_test_first: config.is_on(Setting::TestFirst),
            is_reviewed: config.is_on(Setting::Review),
        }),
        gate: if config.is_on(Setting::Approval) { Gate::Closed } else { Gate::Open },
        failed: FailedTask::Leave,
    }
}

/// The fields that choose a setting, with that setting.
const CHOOSING: [(TaskField, Setting); 10] = [
    (TaskField::Runner, Setting::ImplementRunner),
    (TaskField::Model, Setting::ImplementModel),
    (TaskField::MaxRetries, Setting::MaxAttempts),
    (TaskField::Timeout, Setting::RunnerTimeout),
    (TaskField::MaxCost, Setting::TaskMaxCost),
    (TaskField::MaxTokens, Setting::TaskMaxTokens),
    (TaskField::MaxTime, Setting::TaskMaxTime),
    (TaskField::TestFirst, Setting::TestFirst),
    (TaskField::Review, Setting::Review),
    (TaskField::Gate, Setting::Approval),
];

fn choices(fields: &FieldSet) -> Vec<PlanChoice> {
    let chosen = CHOOSING.into_iter().filter_map(|(field, setting)| {
        let entry = fields.get(field).filter(|entry| is_meant(entry, fields))?;
        Some(PlanChoice { setting, text: entry.value.to_string() })
    });
    chosen.collect()
}

/// A model that is set above the node that chooses the runner was meant for another runner.
fn is_meant(entry: &FieldEntry, fields: &FieldSet) -> bool {
    let runner = fields.get(TaskField::Runner);
    entry.field != TaskField::Model || runner.is_none_or(|runner| entry.set_by >= runner.set_by)
}
