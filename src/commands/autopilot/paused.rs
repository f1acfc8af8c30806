//! What `autopilot --resume` goes on with: the words with which the command was started on a branch.
//!
//! They are a hint and never state: what is done already is read from history.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, FromArgMatches as _};

use crate::error::{Error, Kind, Result};
use crate::files::{Folder, LARGE};
use crate::report;
use crate::session::{Call, Common, Session};
use crate::text::advice::{self, Advice};
use crate::text::{one_line, shell_word};

/// The options that decide neither what is executed nor what is believed, so that they may come from a file that an agent of the
/// same user could have changed. All others have to be said again.
const HARMLESS: [&str; 9] =
    ["expand", "resume", "no-push", "no-pr", "no-land", "no-probe", "max-attempts", "verbose", "heartbeat"];

/// The runs of `autopilot` that were begun in a repository and are not at their end.
pub(super) struct Paused {
    common_dir: PathBuf,
    /// The words of each branch.
    words: BTreeMap<String, Vec<String>>,
}

/// A command line that was put together again.
pub(super) struct Resumed<A> {
    pub(super) arguments: A,
    pub(super) call: Call,
}

/// The file in our folder of the common git directory.
const NAME: &str = "autopilot.json";

impl Paused {
    /// What was begun in this repository. A file that cannot be read says nothing.
    pub(super) fn in_repository(session: &Session) -> Self {
        let common_dir = session.work_tree.common_dir.clone();
        let bytes = Folder::own(&common_dir, "").and_then(|own| own.read(NAME, LARGE)).unwrap_or_default();
        Self { common_dir, words: serde_json::from_slice(&bytes).unwrap_or_default() }
    }

    /// Remembers the words of the command that works on a branch.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(super) fn begin(mut self, branch: &str, words: &[String]) -> Result<()> {
        self.words.insert(branch.to_owned(), words.to_vec());
        self.write()
    }

    /// Forgets a branch whose run is at its end.
    ///
    /// # Errors
    /// If that cannot be written.
    pub(super) fn end(mut self, branch: &str) -> Result<()> {
        if self.words.remove(branch).is_none() { Ok(()) } else { self.write() }
    }

    fn write(&self) -> Result<()> {
        let text = serde_json::to_vec(&self.words).expect("names and words can be written as JSON");
        Folder::make_own(&self.common_dir, "")
            .and_then(|own| own.replace(NAME, &text))
            .map_err(|error| Error::not_written(NAME, &error))
    }

    /// The words with which the run on this branch was started; if none is on it, those of the only one that there is.
    ///
    /// # Errors
    /// [`Kind::Input`] if there is none, or if it is not clear which one is meant.
    fn of(&self, branch: Option<&str>) -> Result<&[String]> {
        let here = branch.and_then(|branch| self.words.get(branch));
        match (here, self.words.len()) {
            (Some(words), _) => Ok(words),
            (None, 1) => Ok(self.words.values().next().expect("there is one")),
            (None, 0) => Err(Error::new(
                Kind::Input,
                "no run of autopilot is paused here",
                format!("{} begins one.", advice::autopilot("TASK")),
            )),
            (None, several) => {
                let switches = self.words.keys().map(|branch| format!("  git switch {}", shell_word(branch)));
                Err(Error::new(
                    Kind::Input,
                    format!("{several} runs of autopilot are paused here"),
                    format!(
                        "Switch to the branch of the run that you mean, and run the same command again:\n{}",
                        switches.collect::<Vec<_>>().join("\n")
                    ),
                ))
            }
        }
    }

    /// The command that goes on: as it was started, with what these words say in addition.
    ///
    /// # Errors
    /// As for [`Paused::of`], or if the words do not fit together.
    pub(super) fn resumed<A: Args>(&self, branch: Option<&str>, call: &Call) -> Result<Resumed<A>> {
        let added = call.words.iter().filter(|word| *word != "--resume");
        let remembered = self.of(branch)?;
        let words: Vec<String> = remembered.iter().chain(added.clone()).cloned().collect();
        let definition = definition_of::<A>();
        let said: Vec<String> = added.cloned().collect();
        confirm(&definition, remembered, &said)?;
        let parsed = definition
            .try_get_matches_from(words.clone())
            .and_then(|matches| Ok((A::from_arg_matches(&matches)?, Common::from_arg_matches(&matches)?)));
        let (arguments, common) = parsed.map_err(|error| {
            let what = error.to_string();
            let what = one_line(what.lines().next().unwrap_or_default().trim_start_matches("error: "));
            Error::new(
                Kind::Input,
                format!("the run cannot go on with `{}`: {what}", one_line(&words.join(" "))),
                format!("{} with the options that you want goes on as well.", advice::autopilot("TASK")),
            )
        })?;
        Ok(Resumed { arguments, call: Call { common, words, ..call.clone() } })
    }
}

fn definition_of<A: Args>() -> clap::Command {
    let definition = clap::Command::new("autopilot").no_binary_name(true).args_override_self(true);
    Common::augment_args(A::augment_args(definition))
}

/// The command that goes on with a run that these words have started, with everything that has to be said again.
pub(super) fn resume_command<A: Args>(words: &[String]) -> Advice {
    resume_with(&decisive(&definition_of::<A>(), words).concat())
}

fn resume_with(words: &[String]) -> Advice {
    advice::resume().of(words)
}

/// The options among these words, each with its value, that a person has to say again.
fn decisive(definition: &clap::Command, words: &[String]) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        let is_named = |arg: &&clap::Arg| match (name.strip_prefix("--"), name.strip_prefix('-')) {
            (Some(long), _) => arg.get_long() == Some(long),
            (None, Some(short)) => arg.get_short().is_some_and(|letter| short.starts_with(letter)),
            (None, None) => false,
        };
        let Some(option) = definition.get_arguments().find(is_named) else {
            // The node, or something that will be refused.
            if word.starts_with('-') {
                found.push(vec![word.clone()]);
            }
            continue;
        };
        let mut one = vec![word.clone()];
        if option.get_action().takes_values() && !word.contains('=') && name.len() == word.len() {
            one.extend(words.next().cloned());
        }
        let is_harmless = option.get_long().is_some_and(|long| HARMLESS.contains(&long));
        if !is_harmless && !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// Makes sure that a person says again what decides what is executed and believed.
fn confirm(definition: &clap::Command, remembered: &[String], said: &[String]) -> Result<()> {
    let (remembered, said) = (decisive(definition, remembered), decisive(definition, said));
    let all: Vec<String> = remembered.concat();
    if remembered.iter().all(|one| said.contains(one)) {
        return Ok(());
    }
    let whole = resume_with(&all);
    if report::confirm(&format!("This goes on as {whole}."), "Is that what you want?") == Some(true) {
        return Ok(());
    }
    Err(Error::new(
        Kind::Input,
        "the run was started with options that decide what is executed, and which an agent could have changed since",
        format!("Nothing was changed. If they are yours, say them again: {whole}."),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::Autopilot;
    use super::*;

    fn resumed(words: &str) -> Advice {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        resume_command::<Autopilot>(&words)
    }

    #[test]
    fn what_decides_about_commands_is_said_again_and_the_rest_is_remembered() {
        let cases = [
            ("42", ""),
            ("42 --no-push --max-attempts 2 --no-probe", ""),
            ("42 --yes", " --yes"),
            ("-y 42 --runner claude --no-pr", " -y --runner claude"),
            ("--runner=claude 42 --no-prove", " --runner=claude --no-prove"),
            ("--max-attempts 2 --tree other.json 42 --base main", " --tree other.json --base main"),
        ];
        for (words, said) in cases {
            assert_eq!(
                resumed(words).to_string(),
                format!("`git arborist autopilot --resume{said}`"),
                "{words}"
            );
        }
    }
}
