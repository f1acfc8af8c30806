//! `doctor --probe`: asks each runner to answer one word, in the same way as a run would ask it.

use std::path::Path;
use std::time::Duration;

use super::questions::OwnFolder;
use super::runners::{configs_of_tasks, role_name};
use crate::agents::{Activity, Invocation, Limits, Lookup, Protocol, Runner, RunnerChain, RunnerResult};
use crate::config::{Environment, Setting};
use crate::error::{Kind, Result};
use crate::launch::consultation::{Answer, Consultation, Fault, Question};
use crate::record::Role;
use crate::report::Diagnosis;
use crate::session::Session;
use crate::text::{advice, duration, ellipsis, one_line};

/// The prompt for a runner.
const PROMPT: &str = "This is a test of whether you can work here. Answer with the single word READY. Do not use any tool, \
                      and do not change any file.\n";

/// The longest time that an answer may take.
const LIMIT: Duration = Duration::from_secs(180);

/// What to do about changes of a runner that was only asked for a word.
const PUT_BACK: &str = "Look at what was changed, and put it back before you run anything else here.";

/// What to do about a runner whose service cannot work now.
const LATER: &str = "Try again later, or choose another runner with --runner.";

/// What to do about a runner that fails for a reason that is not known.
fn by_hand() -> String {
    format!("Try it by hand: {} shows how it is started.", advice::gardener_dry_run())
}

/// How much of an answer is shown, in characters.
const SHOWN: usize = 60;

/// Asks the runner of each step, one after the other. If one command does both steps, it is asked once.
pub(crate) fn diagnose(
    session: &Session,
    environment: &Environment,
    lookup: &Lookup,
) -> Result<Vec<Diagnosis>> {
    let probe = match Probe::begin(session, environment, "doctor --probe")? {
        Ok(probe) => probe,
        Err(busy) => return Ok(vec![busy]),
    };
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
            let who = format!("{} {}", role_name(role), runner.label());
            let Probed { diagnosis, goes_on, .. } = probe.ask(runner, role, &who)?;
            diagnoses.push(diagnosis);
            if !goes_on {
                return Ok(diagnoses);
            }
            asked.push(invocation);
        }
    }
    Ok(diagnoses)
}

/// Asks runners for one word.
pub(crate) struct Probe<'a> {
    session: &'a Session,
    environment: &'a Environment,
    consultation: Consultation<'a>,
}

/// What asking a runner has shown.
pub(crate) struct Probed {
    /// Whether it answered.
    pub(crate) diagnosis: Diagnosis,
    /// Whether more may run here. If a runner has changed what decides which programs run, somebody must look at it first.
    pub(crate) goes_on: bool,
    /// What it reported while it worked; `None` if it did what it must not do.
    pub(crate) activity: Option<Activity>,
}

impl<'a> Probe<'a> {
    /// Takes the lock of the work tree. If a run is active, no runner can be asked, and a diagnosis says so.
    pub(crate) fn begin(
        session: &'a Session,
        environment: &'a Environment,
        command: &str,
    ) -> Result<std::result::Result<Self, Diagnosis>> {
        match Consultation::begin(session, environment, command) {
            Ok(consultation) => Ok(Ok(Self { session, environment, consultation })),
            Err(error) if error.kind() == Kind::Busy => {
                let words = format!("no runner was asked: {}", error.what());
                Ok(Err(Diagnosis::note("probe", &words, "Try again when that has ended.")))
            }
            Err(error) => Err(error),
        }
    }

    /// Asks a runner, which messages call `who`.
    pub(crate) fn ask(&self, runner: &Runner, role: Role, who: &str) -> Result<Probed> {
        let limit = self.session.config.duration(Setting::RunnerTimeout).min(LIMIT);
        let limits = Limits::default();
        // What an agent leaves in a folder of its own is gone afterwards. A command may name files of the work tree.
        let own_folder = match runner.known_agent() {
            Some(_) => Some(OwnFolder::make(self.environment, "probe")?),
            None => None,
        };
        let place = own_folder.as_deref();
        let (prompt, step, schema) = (PROMPT, "probe", None);
        let question = Question { runner, role, who, prompt, step, limit, limits, place, schema };
        let Answer { result, fault } = self.consultation.ask(question)?;
        let (diagnosis, goes_on) = match fault {
            Some(Fault::Repository(words)) => (Diagnosis::bad("probe", &words, PUT_BACK), false),
            Some(Fault::Files(words)) => {
                let remedy = "Look at them, and take back what you do not want.";
                (Diagnosis::bad("probe", &words, remedy), true)
            }
            None => {
                let diagnosis = match self.probe_result(runner, &result) {
                    Ok(words) => Diagnosis::good("probe", &format!("{who} {words}")),
                    Err((words, remedy)) => Diagnosis::bad("probe", &format!("{who}: {words}"), &remedy),
                };
                return Ok(Probed { diagnosis, goes_on: true, activity: Some(result.activity) });
            }
        };
        Ok(Probed { diagnosis, goes_on, activity: None })
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
                runner.remedy(unavailable.cause).unwrap_or_else(|| LATER.to_owned()),
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
            (Some(end), _) => {
                let last = result.last_line().map(|line| format!("; its last line is `{line}`"));
                Err((format!("{end}{}", last.unwrap_or_default()), by_hand()))
            }
        }
    }
}

/// Whether the stream of a runner could be read; nothing if it prints text.
pub(crate) fn stream(runner: &Runner, activity: &Activity) -> Option<Diagnosis> {
    const STREAM: &str = "stream";
    if runner.protocol() == Protocol::Text {
        return None;
    }
    let turns = activity.turns;
    let turns = format!("{turns} turn{}", if turns == 1 { "" } else { "s" });
    Some(if activity.final_message.is_some() {
        Diagnosis::good(STREAM, &format!("it was read: {turns} and a final message"))
    } else if *activity == Activity::default() {
        Diagnosis::note(
            STREAM,
            "nothing of it could be read",
            "Either nothing was printed, or in another form.",
        )
    } else {
        Diagnosis::note(STREAM, &format!("it was read: {turns}, but no final message"), "")
    })
}

/// The last line that is not blank, shortened.
fn last_line(text: &str) -> Option<String> {
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(ellipsis(one_line(line).trim(), SHOWN))
}
