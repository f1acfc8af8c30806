//! The settings of a run and of its tasks, as the configuration has them.

use std::path::PathBuf;

use super::before_run::Start;
use super::briefs::{brief_settings, files_of_briefs};
use crate::agents::Patience;
use crate::config::{Config, OnBlocked, SecretFiles, Setting};
use crate::engine::{
    Budget, CommitSettings, CoverageSettings, RunnerSettings, Settings, TaskSettings, TestSettings,
    TrustSettings,
};
use crate::error::Result;
use crate::run::policy;

/// What the steps of a task may use.
pub(crate) fn task_budget(config: &Config) -> Budget {
    Budget { max_cost: config.max_cost(), max_tokens: config.max_tokens(), max_time: config.max_time() }
}

/// The settings of a run, with those of each task.
///
/// # Errors
/// As for [`brief_settings`].
pub(crate) fn settings(start: Start<'_>) -> Result<Settings> {
    let Start { call, options, session, tasks, .. } = start;
    let config = &session.config;
    Ok(Settings {
        tasks: tasks.map(|config| TaskSettings {
            policy: policy(config),
            runner_timeout: config.duration(Setting::RunnerTimeout),
            budget: task_budget(config),
        }),
        runner: RunnerSettings {
            max_wait: options.max_wait(),
            patience: patience(config),
            on_blocked: config.choice(Setting::OnBlocked, OnBlocked::from_word),
        },
        tests: TestSettings {
            timeout: config.duration(Setting::TestTimeout),
            confirm: config.number(Setting::Confirm),
            suite: config.optional(Setting::Suite),
            coverage: CoverageSettings {
                level: config.check_level(Setting::TrustCoverage),
                lines: config.percent(Setting::CoverageLines),
                branches: config.percent(Setting::CoverageBranches),
                functions: config.percent(Setting::CoverageFunctions),
                statements: config.percent(Setting::CoverageStatements),
                diff: config.percent(Setting::CoverageDiff),
            },
        },
        trust: TrustSettings {
            counts: config.check_level(Setting::TrustCounts),
            protect: config.check_level(Setting::TrustProtect),
            protected: config
                .paths(Setting::Protect)
                .into_iter()
                .chain(files_of_briefs(config, &session.work_tree.top))
                .collect(),
            prove: config.check_level(Setting::TrustProve),
            prove_time: config.duration(Setting::ProveTime),
            suite: config.check_level(Setting::TrustSuite),
        },
        commit: CommitSettings {
            hook_timeout: config.duration(Setting::HookTimeout),
            subject: config.subject_form(),
        },
        secret_files: config.choice(Setting::SecretFiles, SecretFiles::from_word),
        brief: brief_settings(call, session)?,
        report_dir: config.text(Setting::ReportDir),
        log_dir: config.text(Setting::LogDir),
        slot_folder: config.optional(Setting::WorktreeDir).map(PathBuf::from),
        user_attributes: call.environment.git_folder().map(|folder| folder.join("attributes")),
    })
}

/// How long an agent may take without getting on.
pub(crate) fn patience(config: &Config) -> Patience {
    Patience { limit: config.duration(Setting::LimitPatience), silence: config.duration(Setting::Silence) }
}
