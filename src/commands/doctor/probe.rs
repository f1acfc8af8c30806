//! `doctor --probe`: asks each runner to answer one word, in the same way as a run would ask it.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use super::runners::{configs_of_tasks, role_name};
use crate::agents::{Invocation, Limits, Lookup, Runner, RunnerChain, RunnerResult};
use crate::commands::Session;
use crate::commands::consultation::{Answer, Consultation, Fault, Question};
use crate::config::{Environment, Setting};
use crate::error::{Kind, Result};
use crate::record::Role;
use crate::report::Diagnosis;
use crate::text::{duration, ellipsis, one_line};

/// The prompt for a runner.
const PROMPT: &str = "This is a test of whether you can work here. Answer with the single word READY. Do not use any tool, \
                      and do not change any file.\n";

/// The longest time that an answer may take.
const LIMIT: Duration = Duration::from_secs(180);

/// What to do about changes of a runner that was only asked for a word.
const PUT_BACK: &str = "Look at what was changed, and put it back before you run anything else here.";

/// How much of an answer is shown, in characters.
const SHOWN: usize = 60;

/// Asks the runner of each step, one after the other. If one command does both steps, it is asked once.
pub(super) fn diagnose(
    session: &Session,
    environment: &Environment,
    lookup: &Lookup,
) -> Result<Vec<Diagnosis>> {
    let consultation = match Consultation::begin(session, environment, "doctor --probe") {
        Ok(consultation) => consultation,
        Err(error) if error.kind() == Kind::Busy => {
            let words = format!("no runner was asked: {}", error.what());
            return Ok(vec![Diagnosis::note("probe", &words, "Try again when that has ended.")]);
        }
        Err(error) => return Err(error),
    };
    let probe = Probe { session, consultation };
    let mut asked: Vec<Invocation> = Vec::new();
    let mut diagnoses = Vec::new();
    let shared = configs_of_tasks(session);
    let roles = [Role::Implementer, Role::TestWriter, Role::Reviewer].into_iter();
    for (role, shared) in roles.flat_map(|role| shared.iter().map(move |shared| (role, shared))) {
        if !shared.asks(role) {
            continue;
        }
        let config = &shared.config;
        // Another check reports that there is none.
        let Ok(chains) = RunnerChain::choose_all(config, lookup, role) else { continue };
        for runner in chains.iter().flat_map(RunnerChain::iter) {
            let invocation = runner.invocation(role, Path::new(""));
            if asked.contains(&invocation) {
                continue;
            }
            match probe.ask(runner, role)? {
                ControlFlow::Continue(diagnosis) => diagnoses.push(diagnosis),
                ControlFlow::Break(diagnosis) => {
                    diagnoses.push(diagnosis);
                    return Ok(diagnoses);
                }
            }
            asked.push(invocation);
        }
    }
    Ok(diagnoses)
}

struct Probe<'a> {
    session: &'a Session,
    consultation: Consultation<'a>,
}

impl Probe<'_> {
    /// Asks a runner. If it has changed what decides which programs run, nothing else may run here before that was looked at.
    fn ask(&self, runner: &Runner, role: Role) -> Result<ControlFlow<Diagnosis, Diagnosis>> {
        let who = format!("{} {}", role_name(role), runner.label());
        let limit = self.session.config.duration(Setting::RunnerTimeout).min(LIMIT);
        let limits = Limits::default();
        let question = Question { runner, role, who: &who, prompt: PROMPT, step: "probe", limit, limits };
        let Answer { result, fault } = self.consultation.ask(question)?;
        match fault {
            Some(Fault::Repository(words)) => {
                return Ok(ControlFlow::Break(Diagnosis::bad("probe", &words, PUT_BACK)));
            }
            Some(Fault::Files(words)) => {
                let remedy = "Look at them, and take back what you do not want.";
                return Ok(ControlFlow::Continue(Diagnosis::bad("probe", &words, remedy)));
            }
            None => {}
        }
        Ok(ControlFlow::Continue(match self.probe_result(runner, &result) {
            Ok(words) => Diagnosis::good("probe", &format!("{who} {words}")),
            Err((words, remedy)) => Diagnosis::bad("probe", &format!("{who}: {words}"), &remedy),
        }))
    }

    /// The answer of a runner, or why there was none and what to do.
    fn probe_result(
        &self,
        runner: &Runner,
        called: &RunnerResult,
    ) -> std::result::Result<String, (String, String)> {
        let result = &called.job;
        if let Some(unavailable) = &called.unavailable {
            return Err((
                unavailable.words(&runner.label()),
                runner.remedy(unavailable.cause).unwrap_or_default(),
            ));
        }
        let answer = last_line(&result.stdout.tail_lossy(1000));
        match (&called.failure, answer) {
            (None, Some(answer)) => Ok(format!("answered `{answer}` after {}", duration(result.duration))),
            (None, None) => Err((
                "it succeeded, but printed nothing".to_owned(),
                "A runner prints what it has done, and a reviewer its verdict, on standard output."
                    .to_owned(),
            )),
            (Some(end), answer) => {
                let said = last_line(&result.stderr.tail_lossy(1000)).or(answer);
                let said = said.map(|said| format!(" (it says: {said})")).unwrap_or_default();
                Err((format!("{}{said}", end), String::new()))
            }
        }
    }
}

/// The last line that is not blank, shortened.
fn last_line(text: &str) -> Option<String> {
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(ellipsis(one_line(line).trim(), SHOWN))
}
