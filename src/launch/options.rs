//! The options that `garden` and `gardener` share, and how they become settings.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use chrono::{DateTime, Local};
use clap::Args;

use super::defaults::{DefaultOf, open_with_defaults};
use super::moment::next_moment;
use crate::agents::Independence;
use crate::config::{
    Config, DOLLARS, DURATION, Override, Setting, TOKENS, parse_dollars, parse_duration, parse_tokens,
};
use crate::engine::{
    Backoff, Budget, CoverageSettings, DirtyTree, FirstRefusal, OnBlocked, ReviewSettings, SecretFiles,
    Settings, TaskSettings, TimeLimits, TimeSpan, TrustSettings, clock,
};
use crate::error::Result;
use crate::plan::PerTask;
use crate::record::{Attribution, Cost, grouped};
use crate::run::{BriefSettings, policy};
use crate::session::{Call, Session};
use crate::text::{duration, shell_word};

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
    /// The runner that implements
    #[arg(long, value_name = "NAME")]
    implement_runner: Option<String>,
    /// The runner that reviews
    #[arg(long, value_name = "NAME")]
    review_runner: Option<String>,
    /// How many attempts each task gets [default: 5]
    #[arg(long, alias = "max-retries", value_name = "N")]
    max_attempts: Option<String>,
    /// How long a runner may work: seconds, or a time such as 30m or 2h [default: 30m]
    #[arg(long, value_name = "TIME")]
    runner_timeout: Option<String>,
    /// How long a test command may take [default: 5m]
    #[arg(long, value_name = "TIME")]
    test_timeout: Option<String>,
    /// Let an agent write failing tests for each task that has test commands, before another writes the code
    #[arg(long)]
    test_first: bool,
    /// The sandbox of agents: none, bwrap, sandbox-exec, or a command that is put before the agent [default: none]
    #[arg(long, value_name = "SANDBOX")]
    sandbox: Option<String>,
    /// The sandbox of test commands [default: none]
    #[arg(long, value_name = "SANDBOX")]
    test_sandbox: Option<String>,
    /// Complete a task when its tests pass, without a review
    #[arg(long)]
    no_review: bool,
    /// The folder for reports [default: spec/reports]
    #[arg(long, value_name = "DIR")]
    report_dir: Option<String>,
    /// The folder for logs [default: spec/logs]
    #[arg(long, value_name = "DIR")]
    log_dir: Option<String>,
    /// If a runner has hit a usage limit or cannot reach its service, wait and then continue
    #[arg(long)]
    wait: bool,
    /// The longest time to wait without a break, for example 90, 30m, 6h or 2d [default: 6h]
    #[arg(long, value_name = "TIME", requires = "wait", value_parser = length_of_time)]
    max_wait: Option<Duration>,
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
    /// On which branches steps are committed: `none` on the one that is checked out, `phase` or `task` on one for each phase or
    /// task, which is merged when that is complete [default: none]
    #[arg(long, value_name = "HOW")]
    branches: Option<String>,
    /// The branch into which phases are merged [default: the one that is checked out when the run begins]
    #[arg(long, value_name = "BRANCH")]
    base: Option<String>,
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
    heartbeat: Option<Heartbeat>,
    /// What is set unless the user has set it.
    #[arg(skip)]
    defaults: Vec<DefaultOf>,
}

/// After how much time without a line another one shows that a run is at work; `None` for never.
#[derive(Clone, Copy, Debug)]
struct Heartbeat(Option<Duration>);

fn heartbeat(text: &str) -> std::result::Result<Heartbeat, String> {
    if text.trim() == "0" {
        return Ok(Heartbeat(None));
    }
    length_of_time(text).map(|length| Heartbeat(Some(length)))
}

impl RunOptions {
    /// The options of a command that takes the user's uncommitted changes as its input. `yes` confirms the commands of the
    /// plan.
    pub(crate) fn with_users_changes(yes: bool) -> Self {
        Self { allow_dirty: true, yes, ..Self::default() }
    }

    /// After how much time without a line another one shows that the run is at work; `None` for never.
    pub(crate) fn heartbeat(&self) -> Option<Duration> {
        self.heartbeat.unwrap_or(Heartbeat(Some(HEARTBEAT))).0
    }

    /// Opens the repository with the settings of these options.
    ///
    /// # Errors
    /// As for [`Session::open`].
    pub(crate) fn open(&self, call: &Call) -> Result<Session> {
        open_with_defaults(call, self.overrides(), &self.defaults)
    }

    /// The settings that the options choose.
    pub(crate) fn overrides(&self) -> Vec<Override> {
        let options = [
            (Setting::Runner, "--runner", &self.runner),
            (Setting::Model, "--model", &self.model),
            (Setting::ImplementRunner, "--implement-runner", &self.implement_runner),
            (Setting::ReviewRunner, "--review-runner", &self.review_runner),
            (Setting::MaxAttempts, "--max-attempts", &self.max_attempts),
            (Setting::RunnerTimeout, "--runner-timeout", &self.runner_timeout),
            (Setting::TestTimeout, "--test-timeout", &self.test_timeout),
            (Setting::Sandbox, "--sandbox", &self.sandbox),
            (Setting::TestSandbox, "--test-sandbox", &self.test_sandbox),
            (Setting::ReportDir, "--report-dir", &self.report_dir),
            (Setting::LogDir, "--log-dir", &self.log_dir),
            (Setting::Branches, "--branches", &self.branches),
            (Setting::Base, "--base", &self.base),
        ];
        let given = options.into_iter().filter_map(|(setting, option, text)| {
            text.as_ref().map(|text| Override::new(setting, option, text))
        });
        let mut overrides: Vec<Override> = given.collect();
        if self.test_first {
            overrides.push(Override::new(Setting::TestFirst, "--test-first", "true"));
        }
        if self.no_review {
            overrides.push(Override::new(Setting::Review, "--no-review", "false"));
        }
        overrides
    }

    /// The options of the run that a command makes on a branch of its own, with these defaults.
    pub(crate) fn on_own_branch(&self, defaults: Vec<DefaultOf>) -> Self {
        Self { base: None, dry_run: false, json: false, defaults, ..self.clone() }
    }

    /// The revision or branch of `--base`.
    pub(crate) fn base(&self) -> Option<&str> {
        self.base.as_deref()
    }

    /// How long to wait for a runner that cannot work.
    #[must_use]
    pub(crate) fn backoff(&self) -> Backoff {
        if self.wait { Backoff::UpTo(self.max_wait.unwrap_or(MAX_WAIT)) } else { Backoff::None }
    }

    /// The time that a run has that begins now.
    pub(crate) fn time(&self) -> TimeLimits {
        let max_time = self.max_time.map(|length| TimeSpan { began: Instant::now(), length });
        TimeLimits { until: self.until, max_time }
    }

    /// What the steps of the run may use.
    pub(crate) fn budget(&self) -> Budget {
        Budget { max_cost: self.max_cost, max_tokens: self.max_tokens, max_time: None }
    }

    /// When the run begins no more steps, as sentences.
    pub(crate) fn limits(&self) -> Vec<String> {
        let until = self.until.map(|until| format!("No step begins after {} (--until).", clock(&until)));
        let max_time = self.max_time;
        let max_time =
            max_time.map(|length| format!("No step begins after {} (--max-time).", duration(length)));
        let max_cost = self.max_cost.map(Cost::told);
        let max_cost = max_cost.map(|cost| format!("No step begins after a cost of {cost} (--max-cost)."));
        let max_tokens = self.max_tokens.map(grouped);
        let max_tokens =
            max_tokens.map(|tokens| format!("No step begins after {tokens} tokens (--max-tokens)."));
        until.into_iter().chain(max_time).chain(max_cost).chain(max_tokens).collect()
    }

    /// The arguments of a worker that takes one task through its steps in this run. When the run ends is not among them: the
    /// run ends its workers.
    pub(crate) fn for_workers(&self) -> Vec<String> {
        let texts = [
            ("--runner", &self.runner),
            ("--model", &self.model),
            ("--implement-runner", &self.implement_runner),
            ("--review-runner", &self.review_runner),
            ("--max-attempts", &self.max_attempts),
            ("--runner-timeout", &self.runner_timeout),
            ("--test-timeout", &self.test_timeout),
            ("--sandbox", &self.sandbox),
            ("--test-sandbox", &self.test_sandbox),
            ("--report-dir", &self.report_dir),
            ("--log-dir", &self.log_dir),
        ];
        let switches =
            [("--test-first", self.test_first), ("--no-review", self.no_review), ("--wait", self.wait)];
        let max_wait = self.max_wait.map(|most| format!("--max-wait={}", most.as_secs()));
        let given =
            texts.into_iter().filter_map(|(option, text)| Some(format!("{option}={}", text.as_ref()?)));
        let on = switches.into_iter().filter(|(_, on)| *on).map(|(option, _)| option.to_owned());
        let always = ["--branches=task", "--json", "--yes"].map(str::to_owned);
        given.chain(on).chain(max_wait).chain(always).collect()
    }

    /// The options that a command which continues this run has to have too.
    pub(crate) fn to_repeat(&self) -> String {
        let options = [("--branches", &self.branches), ("--base", &self.base)];
        let given = options.into_iter().filter_map(|(option, value)| Some((option, value.as_ref()?)));
        given.map(|(option, value)| format!(" {option} {}", shell_word(value))).collect()
    }

    /// Whether work may begin although there are uncommitted changes.
    #[must_use]
    pub(crate) fn dirty(&self) -> DirtyTree {
        if self.allow_dirty { DirtyTree::Allow } else { DirtyTree::Refuse }
    }
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

/// What the steps of a task may use.
pub(crate) fn task_budget(config: &Config) -> Budget {
    Budget { max_cost: config.max_cost(), max_tokens: config.max_tokens(), max_time: config.max_time() }
}

/// The settings of a task.
fn task_settings(config: &Config) -> TaskSettings {
    TaskSettings {
        policy: policy(config),
        runner_timeout: config.duration(Setting::RunnerTimeout),
        budget: task_budget(config),
    }
}

/// The settings of a run, with those of each task.
#[must_use]
pub(crate) fn settings(config: &Config, tasks: &PerTask<Config>, brief: BriefSettings) -> Settings {
    Settings {
        tasks: tasks.map(task_settings),
        test_timeout: config.duration(Setting::TestTimeout),
        confirm: config.number(Setting::Confirm),
        trust: TrustSettings {
            tests: config.check_level(Setting::TrustTests),
            counts: config.check_level(Setting::TrustCounts),
            baseline: config.check_level(Setting::TrustBaseline),
            protect: config.check_level(Setting::TrustProtect),
            rewritten_tests: config.check_level(Setting::TrustRewrittenTests),
            merge: config.check_level(Setting::TrustMerge),
            protected: config.paths(Setting::Protect),
            prove: config.check_level(Setting::TrustProve),
            prove_time: config.duration(Setting::ProveTime),
            suite: config.check_level(Setting::TrustSuite),
        },
        coverage: CoverageSettings {
            level: config.check_level(Setting::TrustCoverage),
            lines: config.percent(Setting::CoverageLines),
            branches: config.percent(Setting::CoverageBranches),
            functions: config.percent(Setting::CoverageFunctions),
            statements: config.percent(Setting::CoverageStatements),
            diff: config.percent(Setting::CoverageDiff),
        },
        suite: config.optional(Setting::Suite),
        hook_timeout: config.duration(Setting::HookTimeout),
        first_refusal: if config.text(Setting::HookRefusal) == "attempt" {
            FirstRefusal::FailAttempt
        } else {
            FirstRefusal::Stop
        },
        on_blocked: match config.text(Setting::OnBlocked).as_str() {
            "fail" => OnBlocked::Fail,
            // Whoever started the run puts the question, and the run waits for the answer.
            _ => OnBlocked::Wait,
        },
        secret_files: secret_files(config),
        grace: config.duration(Setting::Grace),
        min_free: u64::from(config.count(Setting::MinFree).get()) << 20,
        attribution: config.optional(Setting::Attribution).and_then(|text| Attribution::parse(&text)),
        records_runner: config.is_on(Setting::RecordRunner),
        report_dir: config.text(Setting::ReportDir),
        log_dir: config.text(Setting::LogDir),
        slot_folder: config.optional(Setting::WorktreeDir).map(PathBuf::from),
        swap_folder: None,
        user_attributes: None,
        backoff: Backoff::None,
        limit_margin: config.duration(Setting::LimitMargin),
        retries: config.number(Setting::Retries),
        retry_pause: config.duration(Setting::RetryPause),
        stall: config.duration(Setting::Stall),
        resume_session: config.is_on(Setting::ResumeSession),
        transcripts: config.number(Setting::TranscriptsKeep) as usize,
        brief,
        review: ReviewSettings {
            probe: config.is_on(Setting::ReviewProbe),
            fixes: config.text(Setting::ReviewFix) == "should",
        },
        independence: Independence::of(config),
    }
}

/// What happens to new files that look like a secret.
pub(crate) fn secret_files(config: &Config) -> SecretFiles {
    match config.text(Setting::SecretFiles).as_str() {
        "off" => SecretFiles::Off,
        "warn" => SecretFiles::Warn,
        _ => SecretFiles::Refuse,
    }
}
