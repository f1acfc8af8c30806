//! Asks on a terminal what `init` is to do.

use std::path::{Path, PathBuf};

use super::change::{Changes, PlanSource, SettingChange};
use super::found::Found;
use super::settings::check_runner;
use super::suite::FoundSuite;
use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::import::search::knows;
use crate::report;
use crate::run::{FoundPlan, PlanSearch};
use crate::session::Session;
use crate::text::advice;

/// What stands for "none of these".
const NONE: &str = "-";
/// What asks for an explanation of the question.
const HELP: &str = "?";

/// A question to which the answer is a name.
struct NameQuestion {
    /// The question in a word, before a single proposal.
    word: &'static str,
    /// The question as a sentence.
    sentence: &'static str,
    /// What may be typed instead of a proposal.
    other: &'static str,
    /// Why it is asked.
    help: &'static str,
}

const PLAN: NameQuestion = NameQuestion {
    word: "Plan",
    sentence: "Which plan?",
    other: "another file",
    help: "Agents work through this plan: init makes task-tree.json of it, and leaves the plan as it is.",
};
const IDEA: NameQuestion = NameQuestion {
    word: "Plan",
    sentence: "What do you want to build? A sentence, or a file",
    other: "",
    help: "The agent drafts a plan of it, and may ask back. You read the plan with its test commands before it is written.",
};
const TESTS: NameQuestion = NameQuestion {
    word: "Tests",
    sentence: "Which command runs all tests?",
    other: "another command",
    help: "Type the command that runs all tests. Without one, nothing that the agents do is tested, unless the plan names tests.",
};
const AGENT: NameQuestion = NameQuestion {
    word: "Agent",
    sentence: "Which agent does the work?",
    other: "another name",
    help: "It is started for every task, as you, on this machine.",
};
const HOOKS: &str = "git hooks check the messages of commits that say which task they belong to (with Arborist-... lines), and \
                     refuse a push that would lose such commits. Your other commits are not touched.";
fn more_about_hooks() -> String {
    format!(
        "They are commit-msg, pre-push and post-rewrite. Hooks that are there already keep running, and {} removes ours.",
        advice::hooks_uninstall()
    )
}

/// The questions about what was found: at most four, and whether to go ahead.
pub(crate) struct Dialogue<'a> {
    pub(crate) found: &'a Found,
    pub(crate) session: &'a Session,
}

/// An answer to a question with a list.
enum ListAnswer {
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
        if self.asks_something() {
            report::eprint(&format!(
                "\nEnter takes what is in brackets, {NONE} means none, and {HELP} explains a question.\n"
            ));
        }
        let mut changes = Changes { idea: self.idea()?, plan: self.plan()?, ..Changes::default() };
        // A plan of a known format needs no agent.
        let search = PlanSearch { top: &self.session.work_tree.top, from: None };
        if let Some(file) = changes.idea.take_if(|idea| knows(search, Path::new(idea))) {
            changes.plan = Some(PlanSource::named(PathBuf::from(file)));
        }
        changes.first_commit = changes.idea.is_some() && self.session.repository.head()?.is_none();
        let suite = self.suite()?;
        changes.agreed = suite.clone().or_else(|| Some(found.set(Setting::Suite)?.text.clone()));
        for (setting, text) in [(Setting::Suite, suite), (Setting::Runner, self.runner()?)] {
            if let Some(text) = text {
                changes.settings.extend(SettingChange::of(&self.session.config, setting, &text)?);
            }
        }
        if let Some(missing) = &found.hooks.missing {
            report::eprint(&format!("\nHooks: {HOOKS}"));
            let question = match &missing.shared_folder {
                None => YesOrNo { sentence: "Install them?", default: true },
                Some(folder) => {
                    report::eprint(&format!(
                        "They would be added to {folder}, which everybody shares who works on this repository."
                    ));
                    YesOrNo { sentence: "Add them for everybody?", default: false }
                }
            };
            changes.hooks = question.ask(&more_about_hooks())?;
        }
        let others = found.everything();
        // A user who declines everything that was asked about does not want the rest either.
        if changes.is_empty() && (self.asks_something() || others.is_empty()) {
            return Ok(changes);
        }
        let is_asked = |change: &SettingChange| matches!(change.setting, Setting::Suite | Setting::Runner);
        changes.settings.extend(others.settings.into_iter().filter(|change| !is_asked(change)));
        changes.ignored = others.ignored;
        report::eprint(&format!("\nThis will be done:\n{}", changes.text().trim_end()));
        let no_more = if changes.first_commit { "nothing else" } else { "nothing" };
        let help = &format!("This is done step by step, and {no_more} is committed.");
        if (YesOrNo { sentence: "Go ahead?", default: true }).ask(help)? {
            Ok(changes)
        } else {
            Err(nothing_changed())
        }
    }

    /// Whether there is a question before the last one.
    fn asks_something(&self) -> bool {
        let Found { plans, runners, hooks, .. } = self.found;
        let is_set = |setting| self.found.set(setting).is_some();
        let asks_runner = !is_set(Setting::Runner) && !runners.is_empty();
        !plans.is_empty()
            || self.found.can_draft()
            || !is_set(Setting::Suite)
            || asks_runner
            || hooks.missing.is_some()
    }

    /// What an agent is to draft a plan of.
    fn idea(&self) -> Result<Option<String>> {
        if !self.found.can_draft() {
            return Ok(None);
        }
        loop {
            match ask_which(&IDEA, &[])? {
                ListAnswer::Text(text) if is_like_a_path(&text) && !Path::new(&text).is_file() => {
                    report::eprint(&format!("There is no file {text}."));
                }
                ListAnswer::Text(text) => return Ok(Some(text)),
                ListAnswer::None | ListAnswer::Listed(_) => return Ok(None),
            }
        }
    }

    fn suite(&self) -> Result<Option<String>> {
        let found = self.found;
        if found.set(Setting::Suite).is_some() {
            return Ok(None);
        }
        let proposed: Vec<&FoundSuite> = found.suites.iter().chain(&found.guess).collect();
        let listed: Vec<String> = proposed.iter().map(|suite| suite.words()).collect();
        Ok(match ask_which(&TESTS, &listed)? {
            ListAnswer::None => None,
            ListAnswer::Listed(place) => Some(proposed[place].command.clone()),
            ListAnswer::Text(text) => Some(text),
        })
    }

    fn runner(&self) -> Result<Option<String>> {
        let runners = &self.found.runners;
        if self.found.set(Setting::Runner).is_some() || runners.is_empty() {
            return Ok(None);
        }
        loop {
            let name = match ask_which(&AGENT, runners)? {
                ListAnswer::None => return Ok(None),
                ListAnswer::Listed(place) => runners[place].clone(),
                ListAnswer::Text(text) => text,
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
        Ok(match ask_which(&PLAN, &listed)? {
            ListAnswer::None => None,
            ListAnswer::Listed(place) => Some(found.source(place)),
            ListAnswer::Text(text) => Some(PlanSource::named(PathBuf::from(text))),
        })
    }
}

/// Whether an answer is meant as the path of a file, and not as a sentence.
fn is_like_a_path(text: &str) -> bool {
    let ending = Path::new(text).extension().and_then(|ending| ending.to_str());
    !text.contains(char::is_whitespace)
        && (text.contains('/') || ending.is_some_and(|ending| ["md", "txt", "json"].contains(&ending)))
}

/// Asks for one of a list, or for something else. A list of one is no list.
fn ask_which(question: &NameQuestion, listed: &[String]) -> Result<ListAnswer> {
    let NameQuestion { word, sentence, other, help } = question;
    let (prompt, default) = match listed {
        [] => (format!("{sentence} [none]: "), NONE),
        [only] => (format!("{word} [{only}]: "), "1"),
        several => {
            report::eprint(&format!("\n{sentence}"));
            for (place, entry) in several.iter().enumerate() {
                report::eprint(&format!("  {}  {entry}", place + 1));
            }
            (format!("1 to {}, or {other} [1]: ", several.len()), "1")
        }
    };
    loop {
        let answer = ask(&prompt)?;
        let answer = if answer.is_empty() { default.to_owned() } else { answer };
        match answer.parse::<usize>() {
            _ if answer == NONE => return Ok(ListAnswer::None),
            _ if answer == HELP => report::eprint(help),
            Ok(number) if (1..=listed.len()).contains(&number) => return Ok(ListAnswer::Listed(number - 1)),
            Ok(number) => report::eprint(&format!("There is no {number} in the list.")),
            Err(_) => return Ok(ListAnswer::Text(answer)),
        }
    }
}

/// A question to which the answer is yes or no.
pub(crate) struct YesOrNo {
    pub(crate) sentence: &'static str,
    pub(crate) default: bool,
}

impl YesOrNo {
    /// Asks it. `help` is for those who want to know more.
    ///
    /// # Errors
    /// [`Kind::No`] if there is no answer.
    pub(crate) fn ask(&self, help: &str) -> Result<bool> {
        let Self { sentence, default } = self;
        report::eprint("");
        let choice = if *default { "[Y/n]" } else { "[y/N]" };
        loop {
            match ask(&format!("{sentence} {choice}: "))?.to_ascii_lowercase().as_str() {
                "" => return Ok(*default),
                "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                HELP => report::eprint(help),
                _ => report::eprint("Answer y or n."),
            }
        }
    }
}

/// Asks for another command that runs all tests; `None` for none.
pub(crate) fn another_suite() -> Result<Option<String>> {
    Ok(match ask_which(&TESTS, &[])? {
        ListAnswer::Text(text) => Some(text),
        ListAnswer::None | ListAnswer::Listed(_) => None,
    })
}

/// The answer to a question, without white space around it.
fn ask(question: &str) -> Result<String> {
    report::ask(question, || false).ok_or_else(nothing_changed)
}

fn nothing_changed() -> Error {
    Error::new(Kind::No, "nothing was changed", format!("{} asks again.", advice::init()))
}
