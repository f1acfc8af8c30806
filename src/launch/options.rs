//! The options that commands which run tasks share.

use std::time::{Duration, Instant};

use chrono::{DateTime, Local};
use clap::Args;

use super::moment::next_moment;
use crate::config::{
    DOLLARS, DURATION, Origin, Override, Setting, TOKENS, parse_dollars, parse_duration, parse_tokens,
};
use crate::engine::{Budget, DirtyTree, TimeLimits, TimeSpan, clock, put_back_owed_by_runs};
use crate::error::Result;
use crate::record::{Cost, UsageTotal, grouped};
use crate::report;
use crate::session::{Call, Session};
use crate::text::advice::Advice;
use crate::text::duration;

/// How long to wait for a runner by default.
const MAX_WAIT: Duration = Duration::from_secs(6 * 60 * 60);

/// After how much time a run shows by default that it is at work.
const HEARTBEAT: Duration = Duration::from_secs(60);

/// Options of a run.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RunOptions {
    /// The runner for each step without a runner of its own in the configuration: an agent such as claude or codex, or one
    /// defined in git config. Those after a comma step in for it on a limit
    #[arg(long, value_name = "NAME")]
    runner: Option<String>,
    /// The model that this runner uses
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// The runner that reviews
    #[arg(long, value_name = "NAME")]
    review_runner: Option<String>,
    /// How many attempts each task gets [default: 5]
    #[arg(long, value_name = "N")]
    max_attempts: Option<String>,
    /// How long a runner may work: seconds, or a time such as 30m or 2h [default: 30m]
    #[arg(long, value_name = "TIME")]
    runner_timeout: Option<String>,
    /// Let an agent write failing tests for each task that has test commands, before another writes the code
    #[arg(long)]
    test_first: bool,
    /// Complete a task when its tests pass, without a review
    #[arg(long)]
    no_review: bool,
    /// How long to wait in a row for a runner that has hit a usage limit or cannot reach its service, for example 30m, 6h or
    /// 2d [default: 6h]
    #[arg(long, value_name = "TIME", value_parser = length_of_time)]
    max_wait: Option<Duration>,
    /// End the run instead of waiting
    #[arg(long, conflicts_with = "max_wait")]
    no_wait: bool,
    #[command(flatten)]
    pub(crate) limits: LimitOptions,
    /// On which branches steps are committed: `none` on the one that is checked out, `phase` or `task` on one for each phase or
    /// task, which is merged when that is complete [default: none]
    #[arg(long, value_name = "HOW")]
    branches: Option<String>,
    /// The branch into which phases are merged [default: the one that is checked out when the run begins]
    #[arg(long, value_name = "BRANCH")]
    pub(crate) base: Option<String>,
    /// Show what would be done, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Start even if there are uncommitted changes; they stay uncommitted
    #[arg(long)]
    allow_dirty: bool,
    /// Confirm the test commands of the plan, which otherwise has to be done on a terminal once
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Print every event as one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print more about each step
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Where standard error is no terminal, print a line after so much time without one, to show that the run is still at
    /// work; 0 prints none [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = heartbeat)]
    heartbeat: Option<Duration>,
    /// What is set unless the user has set it.
    #[arg(skip)]
    defaults: Vec<DefaultOf>,
    /// What further options of a command have chosen.
    #[arg(skip)]
    chosen: Vec<Override>,
}

/// After what a run begins no more steps.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LimitOptions {
    /// Begin no step after this time: a time of day such as 06:30, or a date and a time
    #[arg(long, value_name = "TIME", value_parser = next_moment)]
    until: Option<DateTime<Local>>,
    /// Begin no step after this much time, for example 90 (seconds), 30m or 8h
    #[arg(long, value_name = "TIME", value_parser = length_of_time)]
    max_time: Option<Duration>,
    /// Begin no step after the steps of this run have cost this many US dollars, as far as their runners report it
    #[arg(long, value_name = "DOLLARS", value_parser = amount_of_money)]
    max_cost: Option<Cost>,
    /// Begin no step after the steps of this run have used this many tokens, for example 500k or 2M, as far as their
    /// runners report them
    #[arg(long, value_name = "N", value_parser = number_of_tokens)]
    max_tokens: Option<u64>,
}

fn heartbeat(text: &str) -> std::result::Result<Duration, String> {
    // Elsewhere, no time is no length of time.
    if text.trim() == "0" { Ok(Duration::ZERO) } else { length_of_time(text) }
}

impl RunOptions {
    /// The options of a command that takes the user's uncommitted changes as its input, so a person waits for its answer. `yes`
    /// confirms the commands of the plan.
    pub(crate) fn with_users_changes(yes: bool) -> Self {
        Self { allow_dirty: true, yes, no_wait: true, ..Self::default() }
    }

    /// The same options with other limits.
    pub(crate) fn with_limits(&self, limits: LimitOptions) -> Self {
        Self { limits, ..self.clone() }
    }

    /// The options of a run that a command makes within these limits; `yes` confirms the commands of the plan.
    pub(crate) fn within(limits: LimitOptions, yes: bool) -> Self {
        Self { limits, yes, ..Self::default() }
    }

    /// After how much time without a line another one shows that the run is at work; `None` for never.
    pub(crate) fn heartbeat(&self) -> Option<Duration> {
        Some(self.heartbeat.unwrap_or(HEARTBEAT)).filter(|interval| !interval.is_zero())
    }

    /// Opens the repository with the settings of these options. Branches that an earlier run could not put back are put back before
    /// anything reads them.
    ///
    /// # Errors
    /// As for [`Session::open`], and if a branch without which there is no history cannot be put back.
    pub(crate) fn open(&self, call: &Call) -> Result<Session> {
        let session = open_with_defaults(call, self.overrides(), &self.defaults)?;
        match put_back_owed_by_runs(&session.git, &session.work_tree) {
            Ok(warnings) => warnings.iter().for_each(|warning| report::warn(&session.screen, warning)),
            Err(error) if session.repository.branch().is_err() => return Err(error),
            // The lock of a killed git may be in the way, which the run removes before it tries again.
            Err(_) => {}
        }
        Ok(session)
    }

    /// The settings that the options choose.
    pub(crate) fn overrides(&self) -> Vec<Override> {
        let mut overrides = self.of_each_task();
        overrides.extend(given(Setting::Branches, "--branches", &self.branches));
        overrides.extend(given(Setting::Base, "--base", &self.base));
        overrides.extend(self.test_first.then(|| Override::new(Setting::TestFirst, "--test-first", "true")));
        overrides.extend(self.no_review.then(|| Override::new(Setting::Review, "--no-review", "false")));
        overrides.extend(self.chosen.iter().cloned());
        overrides
    }

    /// The settings that hold for a worker on a single task too.
    fn of_each_task(&self) -> Vec<Override> {
        let options = [
            (Setting::Runner, "--runner", &self.runner),
            (Setting::Model, "--model", &self.model),
            (Setting::ReviewRunner, "--review-runner", &self.review_runner),
            (Setting::MaxAttempts, "--max-attempts", &self.max_attempts),
            (Setting::RunnerTimeout, "--runner-timeout", &self.runner_timeout),
        ];
        options.into_iter().filter_map(|(setting, option, text)| given(setting, option, text)).collect()
    }

    /// The options of the run that a command makes on a branch of its own, with these defaults and what its own options have
    /// chosen.
    pub(crate) fn on_own_branch(&self, defaults: Vec<DefaultOf>, chosen: Vec<Override>) -> Self {
        Self { base: None, dry_run: false, json: false, defaults, chosen, ..self.clone() }
    }

    /// How long to wait in a row for a runner that cannot work.
    #[must_use]
    pub(crate) fn max_wait(&self) -> Duration {
        if self.no_wait { Duration::ZERO } else { self.max_wait.unwrap_or(MAX_WAIT) }
    }

    /// The arguments of a worker that takes one task through its steps in this run. When the run ends is not among them: the
    /// run ends its workers.
    pub(crate) fn for_workers(&self) -> Vec<String> {
        let given = self.of_each_task();
        let given = given.into_iter().map(|one| format!("{}={}", one.option, one.text));
        let switches =
            [("--test-first", self.test_first), ("--no-review", self.no_review), ("--no-wait", self.no_wait)];
        let max_wait = self.max_wait.map(|most| format!("--max-wait={}", most.as_secs()));
        let on = switches.into_iter().filter(|(_, on)| *on).map(|(option, _)| option.to_owned());
        let always = ["--branches=task", "--json", "--yes"].map(str::to_owned);
        given.chain(on).chain(max_wait).chain(always).collect()
    }

    /// The command with the options that have to be repeated if it continues this run.
    pub(crate) fn repeated_in(&self, again: Advice) -> Advice {
        let again = match &self.branches {
            Some(mode) => again.branches(mode),
            None => again,
        };
        match &self.base {
            Some(base) => again.base(base),
            None => again,
        }
    }

    /// Whether work may begin although there are uncommitted changes.
    #[must_use]
    pub(crate) fn dirty(&self) -> DirtyTree {
        if self.allow_dirty { DirtyTree::Allow } else { DirtyTree::Refuse }
    }
}

impl LimitOptions {
    /// The time that a run has that begins now.
    pub(crate) fn time(&self) -> TimeLimits {
        let max_time = self.max_time.map(|length| TimeSpan { began: Instant::now(), length });
        TimeLimits { until: self.until, max_time }
    }

    /// What the steps of the run may use.
    pub(crate) fn budget(&self) -> Budget {
        Budget { max_cost: self.max_cost, max_tokens: self.max_tokens, max_time: None }
    }

    /// What is left of these limits after this much time and use.
    pub(crate) fn less(&self, passed: Duration, used: &UsageTotal) -> Self {
        let cost = used.cost.unwrap_or_default();
        Self {
            until: self.until,
            max_time: self.max_time.map(|most| most.saturating_sub(passed)),
            max_cost: self.max_cost.map(|most| most.less(cost)),
            max_tokens: self.max_tokens.map(|most| most.saturating_sub(used.tokens.total().unwrap_or(0))),
        }
    }

    /// Whether nothing is left of one of them.
    pub(crate) fn is_used_up(&self) -> bool {
        self.until.is_some_and(|until| until <= Local::now())
            || self.max_time == Some(Duration::ZERO)
            || self.max_cost == Some(Cost::default())
            || self.max_tokens == Some(0)
    }

    /// When the run begins no more steps, as sentences.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let limits = [
            self.until.map(|until| format!("{} (--until)", clock(&until))),
            self.max_time.map(|length| format!("{} (--max-time)", duration(length))),
            self.max_cost.map(|cost| format!("a cost of {} (--max-cost)", cost.told())),
            self.max_tokens.map(|tokens| format!("{} tokens (--max-tokens)", grouped(tokens))),
        ];
        limits.into_iter().flatten().map(|limit| format!("No step begins after {limit}.")).collect()
    }
}

/// The setting of an option, if it was given.
fn given(setting: Setting, option: &'static str, text: &Option<String>) -> Option<Override> {
    text.as_ref().map(|text| Override::new(setting, option, text))
}

pub(crate) fn length_of_time(text: &str) -> std::result::Result<Duration, String> {
    parse_duration(text).ok_or_else(|| format!("it must be {DURATION}"))
}

fn amount_of_money(text: &str) -> std::result::Result<Cost, String> {
    parse_dollars(text).ok_or_else(|| format!("it must be {DOLLARS}"))
}

fn number_of_tokens(text: &str) -> std::result::Result<u64, String> {
    parse_tokens(text).ok_or_else(|| format!("it must be {TOKENS}"))
}

/// What a command sets unless the user has set it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DefaultOf {
    pub(crate) setting: Setting,
    pub(crate) text: &'static str,
}

/// Opens the repository with these options, and with these defaults for what is not set.
///
/// # Errors
/// As for [`Session::open`].
fn open_with_defaults(call: &Call, mut overrides: Vec<Override>, defaults: &[DefaultOf]) -> Result<Session> {
    if defaults.is_empty() {
        return Session::open(call, overrides);
    }
    let session = Session::open(call, overrides.clone())?;
    let is_open = |default: &&DefaultOf| {
        session.config.value(default.setting).is_none_or(|value| value.origin == Origin::Default)
    };
    let missing = defaults.iter().filter(is_open);
    overrides.extend(missing.map(|default| Override::new(default.setting, "autopilot", default.text)));
    Session::open(call, overrides)
}
