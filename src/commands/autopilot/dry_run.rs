//! What `autopilot` prints: the plan of a dry run, and how to go on after a pause.

use super::branch::Place;
use super::preflight::AutopilotChecks;
use super::target::Target;
use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::history::Run;
use crate::plan::NodeIx;
use crate::publish::MessageRules;
use crate::record::State;
use crate::report::{self, AutopilotView, Diagnosis, OpenTask, Symbols};
use crate::run::{Plan, landed_name};
use crate::setup::found::suite_of;
use crate::text::advice::{self, Advice};
use crate::text::one_line;

/// What will be done.
pub(super) struct DryRunPlan<'a> {
    /// What is known before it begins.
    pub(super) checks: &'a AutopilotChecks<'a>,
    /// Whether an agent splits the task first.
    pub(super) expand: bool,
    /// How the messages of landed commits are written.
    pub(super) rules: MessageRules,
}

impl DryRunPlan<'_> {
    /// The plan as text, or as a JSON document.
    ///
    /// # Errors
    /// If the files of the repository cannot be listed.
    pub(super) fn text(&self, checks: &[Diagnosis], json: bool) -> Result<String> {
        let AutopilotChecks { session, plan, own, target, .. } = *self.checks;
        let open = target.open(plan, self.checks.run);
        if json {
            let task = |leaf: &NodeIx| {
                let node = plan.tree.node(*leaf);
                let tests = node.test_commands.iter().map(|test| test.command.as_str()).collect();
                let depends_on = self.dependencies(*leaf);
                OpenTask { id: node.id.as_str(), name: &node.name, depends_on, tests }
            };
            let view = AutopilotView {
                branch: &own.name,
                base: &own.target,
                creates_branch: own.place == Place::New,
                expands: self.expand,
                preflight: checks,
                tasks: open.iter().map(task).collect(),
                finish: self.finish()?,
            };
            return Ok(view.json());
        }
        let title = format!("Autopilot plan for {}", self.title());
        let arrow = session.screen.arrow();
        let line =
            if session.screen.symbols == Symbols::Ascii { "-" } else { "─" }.repeat(title.chars().count());
        let mut text =
            format!("{title}\n{line}\n\nPreflight:\n{}", report::diagnoses_text(checks, &session.screen));
        let branch = match own.place {
            Place::New => {
                format!("{arrow} Make the branch {} at {} ({})", own.name, own.target, own.start.short())
            }
            Place::There => format!("{arrow} Switch to {}, which holds this run already", own.name),
            Place::Here => format!("{arrow} Stay on {}, which holds this run already", own.name),
        };
        text.push_str(&format!("\nBranch:\n{branch}\n"));
        if self.expand {
            text.push_str(&format!("{arrow} Let an agent split the task, and commit its subtasks\n"));
        }
        text.push_str(&format!("\nTasks ({} open):\n", open.len()));
        for (number, leaf) in open.iter().enumerate() {
            text.push_str(&self.task(number + 1, *leaf));
        }
        text.push_str("\nFinish:\n");
        for part in self.finish()? {
            text.push_str(&format!("{arrow} {part}\n"));
        }
        text.push_str("\nRun without --dry-run to execute.\n");
        Ok(text)
    }

    fn title(&self) -> String {
        let tree = &self.checks.plan.tree;
        let spec = tree.spec_id().map(|spec| format!(" [{spec}]")).unwrap_or_default();
        match self.checks.target.node.map(|node| tree.node(node)) {
            Some(node) => format!("task #{}{spec}: {}", node.id, one_line(&node.name)),
            None => format!("the whole plan{spec}"),
        }
    }

    fn dependencies(&self, leaf: NodeIx) -> Vec<&str> {
        let tree = &self.checks.plan.tree;
        tree.dependencies(leaf).into_iter().map(|needed| tree.node(needed).id.as_str()).collect()
    }

    /// What will be done for a task. Which files an agent will change is not known.
    fn task(&self, number: usize, leaf: NodeIx) -> String {
        let node = self.checks.plan.tree.node(leaf);
        let needs = match self.dependencies(leaf).as_slice() {
            [] => String::new(),
            needed => format!(" [depends on {}]", needed.join(", ")),
        };
        let mut text = format!("{number}. {}: {}{needs}\n", node.id, one_line(&node.name));
        let commands: Vec<String> =
            node.test_commands.iter().map(|test| format!("`{}`", one_line(&test.command))).collect();
        let tests = if commands.is_empty() {
            "a review, because it has no test commands".to_owned()
        } else {
            commands.join(", ")
        };
        if self.checks.session.config.is_on(Setting::TestFirst) && node.is_tested() {
            text.push_str(&format!("   - RED: write failing tests, judged by {tests}\n"));
        }
        text.push_str(&format!("   - GREEN: write the code, judged by {tests}\n"));
        let phase = self.checks.plan.tree.node(self.checks.plan.tree.phase_of(leaf)).id.as_str();
        let title = self.rules.title(node.id.as_str(), &node.name, phase);
        text.push_str(&format!("   - COMMIT: \"{title}\"\n"));
        text
    }

    /// What will be done at the end.
    fn finish(&self) -> Result<Vec<String>> {
        let AutopilotChecks { call, session, own, without, .. } = *self.checks;
        let mut parts = Vec::new();
        for (setting, what) in [(Setting::FormatCommand, "Format"), (Setting::LintCommand, "Lint")] {
            let command = session.config.optional(setting).filter(|_| !without.no_lint);
            parts.extend(command.map(|command| format!("{what}: {}", one_line(&command))));
        }
        if let (Some(command), false) = (suite_of(session, call)?, without.no_suite) {
            parts.push(format!("Run the suite on a clean checkout: {}", one_line(&command)));
        }
        if !without.no_prove {
            parts.push("Prove every task from its commits".to_owned());
        }
        let delivered = if without.no_land { own.name.clone() } else { landed_name(&own.name) };
        if !without.no_land {
            parts.push(format!("Land one commit for each task on {delivered}"));
        }
        let asks = if self.checks.yes { "" } else { " (asks first)" };
        if !without.no_push {
            parts.push(format!("Push {delivered}{asks}"));
        }
        if without.opens_request() {
            let title = self.checks.target.node.map(|node| {
                let node = self.checks.plan.tree.node(node);
                let spec =
                    self.checks.plan.tree.spec_id().map(|spec| format!(" [{spec}]")).unwrap_or_default();
                format!(": \"Task #{}{spec}: {}\"", node.id, one_line(&node.name))
            });
            parts.push(format!(
                "Open a draft request into {}{asks}{}",
                own.target,
                title.unwrap_or_default()
            ));
        }
        Ok(parts)
    }
}

/// The error that says how to go on with a run that has not come to its end. `why` is a clause.
pub(super) fn paused(why: &str, plan: &Plan, run: &Run, target: &Target, resume: &Advice) -> Error {
    let failed = target.leaves.iter().find(|leaf| plan.state(run, **leaf) == State::Failed);
    let Some(failed) = failed.map(|leaf| plan.tree.node(*leaf)) else {
        return Error::new(Kind::No, format!("paused: {why}"), format!("{resume} goes on."));
    };
    let id = &failed.id;
    let last = run.tasks.get(&failed.id).map(|step| step.id.short()).unwrap_or_default();
    let steps = format!(
        "Next steps:\n- Look at what the last attempt changed: `git log --stat -3 {last}`\n- Look at every attempt and the output \
         of its tests: {}\n- Look at the facts of the run: {}\n- Repair it by hand, record that with {}, \
         and go on: {resume}",
        advice::show(id),
        advice::report_json_of(id),
        advice::done(id)
    );
    Error::new(Kind::No, format!("paused: {why}"), steps)
}
