//! How a worker waits: for answers of the remote repository, and until it is asked to end.

use std::time::{Duration, Instant};

use super::messages;
use crate::config::{Environment, Setting, parse_duration};
use crate::error::{Error, Result};
use crate::git::{ConfigEntry, Git};
use crate::process::{Cancel, CancelLevel, StopSignals};
use crate::session::StopWish;

/// The first time to wait for an answer.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The longest time to wait for one.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How often a worker that waits checks whether it has to end.
const TICK: Duration = Duration::from_millis(100);

/// What git says of a remote repository that will not answer differently soon: the address, the login or the rights are wrong.
const FINAL: [&str; 9] = [
    "Authentication failed",
    "Host key verification failed",
    "Permission denied",
    "access denied or repository not exported",
    "could not read Username",
    "does not appear to be a git repository",
    "does not exist",
    "not found",
    "unable to find remote helper",
];

/// How a worker waits.
#[derive(Clone)]
pub(super) struct WorkerPatience {
    pub(super) cancel: Cancel,
    signals: StopSignals,
    /// How long the remote repository may be silent.
    length: Duration,
}

/// Since when the remote repository has not answered, and how often it was asked again. One question may take minutes.
pub(super) struct Silence {
    since: Instant,
    questions: u32,
}

impl Silence {
    /// The silence of a remote repository that is about to be asked.
    pub(super) fn new() -> Self {
        Self { since: Instant::now(), questions: 0 }
    }

    /// Whether a question before the last one was not answered either.
    pub(super) fn has_lasted(&self) -> bool {
        self.questions > 0
    }
}

/// What came of a question.
pub(super) enum RemoteAnswer<T> {
    Given(T),
    /// There was none; what git says.
    Silent(String),
}

impl WorkerPatience {
    /// # Errors
    /// If signals cannot be watched.
    pub(super) fn new(stop: &StopWish) -> Result<Self> {
        let (cancel, signals) = stop.watch()?;
        Ok(Self { cancel, signals, length: Duration::ZERO })
    }

    /// Waits so long for the remote repository.
    pub(super) fn set_length(&mut self, length: Duration) {
        self.length = length;
    }

    /// How many questions in a row may stay without an answer: as many as are asked in that time if none of them takes any.
    pub(super) fn questions(&self) -> u32 {
        let (mut waited, mut questions) = (Duration::ZERO, 0);
        while waited < self.length {
            waited += wait_after(questions);
            questions += 1;
        }
        questions
    }

    /// Waits before the question is asked again. Returns false, at once, if the remote repository has been silent for too long.
    ///
    /// # Errors
    /// [`Kind::Signal`](crate::error::Kind::Signal) if the user asks to stop.
    pub(super) fn wait_out(&self, silence: &mut Silence) -> Result<bool> {
        if self.is_over(silence) {
            return Ok(false);
        }
        let wait = wait_after(silence.questions);
        silence.questions += 1;
        self.pause(wait).map(|()| true)
    }

    fn is_over(&self, silence: &Silence) -> bool {
        silence.since.elapsed() >= self.length
    }

    /// Asks the remote repository at this address for the first time, until it answers. If it says that something is wrong that does
    /// not change by itself, it is not asked again.
    ///
    /// # Errors
    /// [`Kind::Environment`](crate::error::Kind::Environment) if it does not answer;
    /// [`Kind::Signal`](crate::error::Kind::Signal) if the user asks to stop; or the error of the question.
    pub(super) fn ask_first<T>(
        &self,
        address: &str,
        say: &dyn Fn(&str),
        mut ask: impl FnMut() -> Result<RemoteAnswer<T>>,
    ) -> Result<T> {
        let mut silence = Silence::new();
        loop {
            let said = match ask()? {
                RemoteAnswer::Given(answer) => return Ok(answer),
                RemoteAnswer::Silent(said) => said,
            };
            let is_final = FINAL.iter().any(|words| said.contains(words));
            if !is_final && silence.questions == 0 && !self.is_over(&silence) {
                say(&messages::asked_again(address, &said));
            }
            if is_final || !self.wait_out(&mut silence)? {
                return Err(messages::no_first_answer(address, &said));
            }
        }
    }

    /// Waits, unless the user asks to stop.
    ///
    /// # Errors
    /// [`Kind::Signal`](crate::error::Kind::Signal) if the user does.
    pub(super) fn pause(&self, length: Duration) -> Result<()> {
        let until = Instant::now() + length;
        while Instant::now() < until {
            self.check_stop()?;
            std::thread::sleep(TICK.min(until.saturating_duration_since(Instant::now())));
        }
        Ok(())
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.cancel.level() != CancelLevel::None
    }

    /// # Errors
    /// [`Kind::Signal`](crate::error::Kind::Signal) if the user asks to stop.
    pub(super) fn check_stop(&self) -> Result<()> {
        if self.is_stopped() { Err(self.stopped()) } else { Ok(()) }
    }

    pub(super) fn stopped(&self) -> Error {
        messages::stopped(self.signals.last())
    }
}

/// How long to wait after so many questions without an answer.
pub(super) fn wait_after(silent: u32) -> Duration {
    FIRST_WAIT.saturating_mul(1 << silent.min(6)).min(LONGEST_WAIT)
}

/// What the user has set, if the settings of no repository count.
///
/// # Errors
/// If git cannot read its configuration.
pub(super) fn set_outside(git: &Git, environment: &Environment, setting: Setting) -> Result<Option<String>> {
    if let Some((_, value)) = environment.setting(setting) {
        return Ok(Some(value.to_owned()));
    }
    let entries = git.ask_config()?.entries()?;
    let key = format!("arborist.{}", setting.rule().key).to_lowercase();
    let counts = |entry: &&ConfigEntry| {
        entry.key.to_lowercase() == key && !matches!(entry.scope.as_str(), "local" | "worktree")
    };
    Ok(entries.iter().rev().find(counts).map(|entry| entry.value.clone()))
}

/// For how long the user lets workers wait for the remote repository, if the settings of no repository count.
///
/// # Errors
/// If git cannot read its configuration.
pub(super) fn length_outside(git: &Git, environment: &Environment) -> Result<Duration> {
    let set = set_outside(git, environment, Setting::Patience)?;
    let default = Setting::Patience.rule().default.and_then(parse_duration);
    // A value that cannot be read is an error as soon as the plan is there.
    let length = set.as_deref().and_then(parse_duration).or(default);
    Ok(length.expect("the default of arborist.patience is a length of time"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    fn patience(seconds: u64) -> WorkerPatience {
        let length = Duration::from_secs(seconds);
        WorkerPatience { cancel: Cancel::new(), signals: StopSignals::default(), length }
    }

    #[test]
    fn the_time_that_questions_take_counts() {
        let patience = patience(180);
        let is_over = |seconds| {
            let since = Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
            patience.is_over(&Silence { since, questions: 1 })
        };
        assert!(!is_over(100) && is_over(180));
    }

    #[test]
    fn three_minutes_are_ten_questions_more() {
        assert_eq!([0, 1, 3, 31, 180].map(|seconds| patience(seconds).questions()), [0, 1, 2, 5, 10]);
    }

    #[test]
    fn a_hiccup_is_waited_out_and_a_wrong_address_is_not() {
        let mut asked = 0;
        let mut ask = |answers: &[&str], length| {
            asked = 0;
            patience(length).ask_first("R", &|_| {}, || {
                asked += 1;
                Ok(match answers.get(asked - 1).copied().unwrap_or_default() {
                    "" => RemoteAnswer::Given(asked),
                    said => RemoteAnswer::Silent(said.to_owned()),
                })
            })
        };
        assert_eq!(ask(&["Connection refused"], 3).unwrap(), 2);
        let error = ask(&["fatal: Authentication failed for 'https://h'", ""], 3).unwrap_err();
        assert!(error.what().contains("R does not answer: fatal: Authentication failed"), "{error}");
        let error = ask(&["Connection refused"], 0).unwrap_err();
        assert_eq!(error.kind(), Kind::Environment);
    }
}
