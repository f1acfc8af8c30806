//! Asks on a terminal what `init` is to do.

use std::path::PathBuf;

use super::change::{Changes, PlanSource, SettingChange};
use super::found::Found;
use super::runner::check_runner;
use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::report;
use crate::run::FoundPlan;
use crate::session::Session;

/// What stands for "none of these".
const NONE: &str = "-";

/// The questions about what was found: at most four, and whether to go ahead.
pub(crate) struct Dialogue<'a> {
    pub(crate) found: &'a Found,
    pub(crate) session: &'a Session,
}

/// An answer to a question with a list.
enum Answer {
    None,
    /// The entry at this place.
    Listed(usize),
    /// Something else.
    Text(String),
}

impl Dialogue<'_> {
    /// Asks about everything that is missing.
    pub(crate) fn changes(&self) -> Result<Changes> {
        let found = self.found;
        report::eprint(found.text().trim_end());
        let mut changes = Changes { plan: self.plan()?, ..Changes::default() };
        for (setting, text) in [(Setting::Suite, self.suite()?), (Setting::Runner, self.runner()?)] {
            if let Some(text) = text {
                changes.settings.extend(SettingChange::of(&self.session.config, setting, &text)?);
            }
        }
        if found.hooks_are_missing {
            changes.hooks = ask_whether("Install the git hooks that check the messages of steps?")?;
        }
        let others = found.everything();
        // Whoever wants nothing of what was asked for does not want the rest either.
        if changes.is_empty() && (self.asks_something() || others.is_empty()) {
            return Ok(changes);
        }
        let is_asked = |change: &SettingChange| matches!(change.setting, Setting::Suite | Setting::Runner);
        changes.settings.extend(others.settings.into_iter().filter(|change| !is_asked(change)));
        changes.ignored = others.ignored;
        report::eprint(&format!("This will be done:\n{}", changes.text().trim_end()));
        if ask_whether("Go ahead?")? { Ok(changes) } else { Err(nothing_changed()) }
    }

    /// Whether there is a question before the last one.
    fn asks_something(&self) -> bool {
        let Found { plans, runners, hooks_are_missing, .. } = self.found;
        let is_set = |setting| self.found.set(setting).is_some();
        let asks_runner = !is_set(Setting::Runner) && !runners.is_empty();
        !plans.is_empty() || !is_set(Setting::Suite) || asks_runner || *hooks_are_missing
    }

    fn suite(&self) -> Result<Option<String>> {
        let found = self.found;
        if found.set(Setting::Suite).is_some() {
            return Ok(None);
        }
        let listed: Vec<String> =
            found.suites.iter().map(|suite| format!("{} ({})", suite.command, suite.file)).collect();
        Ok(match ask_which("Which command runs all tests?", &listed, "another command")? {
            Answer::None => None,
            Answer::Listed(place) => Some(found.suites[place].command.clone()),
            Answer::Text(text) => Some(text),
        })
    }

    fn runner(&self) -> Result<Option<String>> {
        let runners = &self.found.runners;
        if self.found.set(Setting::Runner).is_some() || runners.is_empty() {
            return Ok(None);
        }
        loop {
            let name = match ask_which("Which agent does the work?", runners, "another name")? {
                Answer::None => return Ok(None),
                Answer::Listed(place) => runners[place].clone(),
                Answer::Text(text) => text,
            };
            match check_runner(self.session, &name) {
                Ok(()) => return Ok(Some(name)),
                Err(error) => report::eprint(&error.to_string()),
            }
        }
    }

    fn plan(&self) -> Result<Option<PlanSource>> {
        let found = self.found;
        if found.plans.is_empty() {
            return Ok(None);
        }
        let listed: Vec<String> = found.plans.iter().map(FoundPlan::words).collect();
        Ok(match ask_which("Which plan is to be worked on?", &listed, "another file")? {
            Answer::None => None,
            Answer::Listed(place) => Some(found.source(place)),
            Answer::Text(text) => Some(PlanSource::named(PathBuf::from(text))),
        })
    }
}

/// Asks for one of a list, or for something else.
fn ask_which(question: &str, listed: &[String], other: &str) -> Result<Answer> {
    report::eprint(&format!("\n{question}"));
    for (place, entry) in listed.iter().enumerate() {
        report::eprint(&format!("  {}  {entry}", place + 1));
    }
    let (choice, default) = match listed.len() {
        0 => (format!("A command, or {NONE} for none"), NONE),
        1 => (format!("1, {other}, or {NONE} for none"), "1"),
        count => (format!("1 to {count}, {other}, or {NONE} for none"), "1"),
    };
    loop {
        let answer = ask(&format!("{choice} [{default}]: "))?;
        let answer = if answer.is_empty() { default.to_owned() } else { answer };
        match answer.parse::<usize>() {
            _ if answer == NONE => return Ok(Answer::None),
            Ok(number) if (1..=listed.len()).contains(&number) => return Ok(Answer::Listed(number - 1)),
            Ok(number) => report::eprint(&format!("There is no {number} in the list.")),
            Err(_) => return Ok(Answer::Text(answer)),
        }
    }
}

/// Asks a question to which the answer is yes or no.
fn ask_whether(question: &str) -> Result<bool> {
    loop {
        match ask(&format!("\n{question} [Y/n]: "))?.to_ascii_lowercase().as_str() {
            "" | "y" | "yes" => return Ok(true),
            "n" | "no" => return Ok(false),
            _ => report::eprint("Answer y or n."),
        }
    }
}

/// The answer to a question, without white space around it.
fn ask(question: &str) -> Result<String> {
    report::ask(question, || false).ok_or_else(nothing_changed)
}

fn nothing_changed() -> Error {
    Error::new(Kind::No, "nothing was changed", "`git arborist init` asks again.")
}
