//! What `autopilot --resume` goes on with: the words with which the command was started on a branch.
//!
//! They are a hint and never state: what is done already is read from history.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, FromArgMatches as _};

use crate::error::{Error, Kind, Result};
use crate::files;
use crate::session::{Call, Common, Session};
use crate::text::{one_line, shell_word};

/// The runs of `autopilot` that were begun in a repository and are not at their end.
pub(super) struct Paused {
    file: PathBuf,
    /// The words of each branch.
    words: BTreeMap<String, Vec<String>>,
}

/// A command line that was put together again.
pub(super) struct Resumed<A> {
    pub(super) arguments: A,
    pub(super) call: Call,
}

impl Paused {
    /// What was begun in this repository. A file that cannot be read says nothing.
    pub(super) fn in_repository(session: &Session) -> Self {
        let file = session.work_tree.common_dir.join("arborist").join("autopilot.json");
        let bytes = files::read(&file, files::LARGE).unwrap_or_default();
        Self { file, words: serde_json::from_slice(&bytes).unwrap_or_default() }
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
        let folder = self.file.parent().expect("the file is in a folder");
        std::fs::create_dir_all(folder)
            .and_then(|()| files::replace(&self.file, &text))
            .map_err(|error| Error::not_written(self.file.display(), &error))
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
                "`git arborist autopilot TASK` begins one.",
            )),
            (None, several) => {
                let switches = self.words.keys().map(|branch| format!("  git switch {}", shell_word(branch)));
                Err(Error::new(
                    Kind::Input,
                    format!("{several} runs of autopilot are paused here"),
                    format!(
                        "Switch to the branch of the one that is meant, and run the same command again:\n{}",
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
        let words: Vec<String> = self.of(branch)?.iter().chain(added).cloned().collect();
        let definition = clap::Command::new("autopilot").no_binary_name(true).args_override_self(true);
        let definition = Common::augment_args(A::augment_args(definition));
        let parsed = definition
            .try_get_matches_from(words.clone())
            .and_then(|matches| Ok((A::from_arg_matches(&matches)?, Common::from_arg_matches(&matches)?)));
        let (arguments, common) = parsed.map_err(|error| {
            let what = error.to_string();
            let what = one_line(what.lines().next().unwrap_or_default().trim_start_matches("error: "));
            Error::new(
                Kind::Input,
                format!("the run cannot go on with `{}`: {what}", one_line(&words.join(" "))),
                "`git arborist autopilot TASK` with the options that you want goes on, too.",
            )
        })?;
        Ok(Resumed { arguments, call: Call { common, words, ..call.again() } })
    }
}
