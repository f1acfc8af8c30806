//! Tries the command that runs all tests before it is relied on.

use std::time::Duration;

use crate::agents::Lookup;
use crate::audit::proving::run_suite;
use crate::config::Setting;
use crate::error::Result;
use crate::record::{CommitId, Counts, RunWord};
use crate::report::{self, Health};
use crate::session::{Call, Session};
use crate::setup::change::SettingChange;
use crate::setup::checks::first_run::{ProgramLookup, SuiteTrial};
use crate::setup::dialogue::another_suite;
use crate::setup::test_files::is_test_file;
use crate::text::{advice, one_line};

/// Runs the command that tests everything once on the files of a commit.
///
/// # Errors
/// If a scratch work tree cannot be made or prepared.
pub(super) fn try_suite(
    session: &Session,
    call: &Call,
    suite: &str,
    commit: &CommitId,
) -> Result<SuiteTrial> {
    let run = run_suite(call, session, suite, commit)?;
    let mut files = session.git.files_in(commit, &[])?.into_iter();
    Ok(SuiteTrial {
        command: one_line(suite),
        failure: (run.verdict != RunWord::Pass).then(|| run.to_string()),
        tests: run.counts.map(Counts::total),
        duration: run.duration.unwrap_or_default(),
        test_file: files.find(|file| is_test_file(file)),
    })
}

/// The command that runs all tests, if one was accepted, and how long it took when it was tried.
pub(super) struct Accepted {
    pub(super) suite: Option<SettingChange>,
    pub(super) took: Option<Duration>,
}

/// The command that runs all tests, after it was tried on the newest commit. One that finds no test where test files are would let
/// everything pass; another one is asked for, and without a terminal there is none.
pub(super) fn accepted_suite(session: &Session, call: &Call, suite: SettingChange) -> Result<Accepted> {
    let untried = |suite| Ok(Accepted { suite, took: None });
    let Some(head) = session.repository.head()? else { return untried(Some(suite)) };
    let lookup = &Lookup::new(&call.environment, &session.work_tree.top);
    let around = ProgramLookup { session, environment: &call.environment, lookup };
    let mut suite = suite;
    loop {
        if around.suite_program(&suite.text).health != Health::Good {
            return untried(Some(suite));
        }
        report::eprint(&format!("Running `{}` once on the newest commit ...", one_line(&suite.text)));
        let trial = try_suite(session, call, &suite.text, &head)?;
        let (seen, took) = (trial.diagnosis(), Some(trial.duration));
        if seen.health == Health::Good {
            report::eprint(&format!("{}.", seen.words));
            return Ok(Accepted { suite: Some(suite), took });
        }
        let remedy = if trial.misses_tests() { "" } else { &seen.remedy };
        report::warn(&session.screen, format!("{}. {remedy}", seen.words).trim_end());
        if !trial.misses_tests() {
            return Ok(Accepted { suite: Some(suite), took });
        }
        if !report::can_ask() {
            report::eprint(&format!("arborist.suite is not set; {} sets it.", advice::init_suite()));
            return untried(None);
        }
        let Some(other) = another_suite()? else { return untried(None) };
        match SettingChange::of(&session.config, Setting::Suite, &other)? {
            Some(other) => suite = other,
            None => return untried(None),
        }
    }
}
