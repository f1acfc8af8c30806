//! `git arborist check`: checks commit messages, one by one and as a history.

mod explain;
mod parse;
mod sources;

use clap::{Args, ValueEnum};

use crate::check::{Checked, Draft, Level, check, fix};
use crate::commands::{Call, Command, Common, Exit, Group, Summary};
use crate::error::{Error, Kind, Result};
use crate::hooks::{Inspected, Surroundings, check_commits, inspect};
use crate::report::{self, FindingFormat};
use crate::text::one_line;

use sources::{Around, Source};

/// The arguments of `check`.
#[derive(Args, Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Check {
    #[command(flatten)]
    common: Common,
    /// A message file, `-` for standard input, a commit, or a range A..B [default: HEAD]
    #[arg(value_name = "FILE|COMMIT|RANGE", conflicts_with_all = ["run", "explain"])]
    input: Option<String>,
    /// Check the message on standard input
    #[arg(long, conflicts_with_all = ["input", "run", "explain"])]
    stdin: bool,
    /// Check all commits of the current run, and the order of its steps
    #[arg(long, conflicts_with = "explain")]
    run: bool,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Treat warnings as errors
    #[arg(long)]
    strict: bool,
    /// Correct the message file where it is certain what was meant; for standard input, print the corrected message
    #[arg(long, conflicts_with_all = ["run", "explain", "parse"])]
    fix: bool,
    /// Explain a rule, for example A001; `all` lists them
    #[arg(long, value_name = "ID")]
    explain: Option<String>,
    /// Print what git reads as trailers, one JSON object per line
    #[arg(long, conflicts_with_all = ["run", "explain"])]
    parse: bool,
}

/// How findings are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Each finding with the line that it is about
    Human,
    /// One line per finding
    Short,
    /// One JSON document
    Json,
    /// Annotations for a GitHub workflow
    Github,
}

impl From<Format> for FindingFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Human => Self::Human,
            Format::Short => Self::Short,
            Format::Json => Self::Json,
            Format::Github => Self::Github,
        }
    }
}

impl Command for Check {
    const SUMMARY: Summary = Summary {
        name: "check",
        group: Group::Trust,
        about: "check commit messages: a file, a commit, a range or the current run",
    };

    fn common(&self) -> &Common {
        &self.common
    }

    fn run(self, call: &Call) -> Result<Exit> {
        if let Some(id) = &self.explain {
            return explain::explain(id).map(|()| Exit::Done);
        }
        let around = Around::open(call, &self)?;
        let source = Source::of(&self, call, &around)?;
        if self.parse {
            return parse::parse(&source, call, &around).map(|()| Exit::Done);
        }
        if self.fix {
            return self.mend(&source, call, &around);
        }
        let checked = match source {
            Source::Message { text, name, path } => {
                let editor = crate::hooks::editor_of(&call.environment, path.as_deref());
                let Inspected { report, .. } = inspect(&text, editor, &around.surroundings);
                vec![Checked { name, subject: None, text, report }]
            }
            Source::Commits { git, revisions, beyond } => {
                let checked = check_commits(&git, &revisions, &around.surroundings, &beyond)?;
                if checked.is_empty() && !git.has_commits(&revisions)? {
                    self.say_that_nothing_was_checked();
                }
                checked
            }
        };
        self.answer(call, &checked)
    }
}

impl Check {
    fn say_that_nothing_was_checked(&self) {
        report::say(&match &self.input {
            Some(range) => format!(
                "There are no commits in {}, so nothing was checked. `git arborist check --run` checks the current run.",
                one_line(range)
            ),
            None => "There are no commits in the current run, so nothing was checked.".to_owned(),
        });
    }

    fn answer(&self, call: &Call, checked: &[Checked]) -> Result<Exit> {
        report::answer(&report::findings(self.format.into(), call.screen.out, checked))?;
        let tally = report::tally(checked);
        if !tally.is_empty() && self.format == Format::Human {
            report::say(&format!("{tally}. `git arborist check --explain ID` explains a rule."));
        }
        let failed = checked.iter().any(|one| one.report.count(Level::Error) > 0);
        Ok(if failed { Exit::No } else { Exit::Done })
    }

    fn mend(&self, source: &Source, call: &Call, around: &Around) -> Result<Exit> {
        let Source::Message { text, name, path } = source else {
            return Err(Error::new(
                Kind::Input,
                "commits cannot be corrected, because steps are never rewritten",
                "Name the message file, for example .git/COMMIT_EDITMSG.",
            ));
        };
        let Surroundings { policy, .. } = &around.surroundings;
        let editor = crate::hooks::editor_of(&call.environment, path.as_deref());
        let prediction = inspect(text, editor, &around.surroundings).prediction;
        let mended = fix(text, &prediction, policy);
        match (path, &mended) {
            (Some(path), Some(mended)) => {
                std::fs::write(path, mended).map_err(|error| sources::unwritable(name, &error))?;
                report::say(&format!("{name} was corrected."));
            }
            (Some(_), None) => report::say(&format!("{name}: nothing could be corrected safely.")),
            (None, _) => report::answer(&String::from_utf8_lossy(mended.as_ref().unwrap_or(text)))?,
        }
        let text = mended.unwrap_or_else(|| text.clone());
        let report = check(&Draft::predicted(&text, &prediction), policy);
        if path.is_none() {
            return Ok(if report.count(Level::Error) > 0 { Exit::No } else { Exit::Done });
        }
        self.answer(call, &[Checked { name: name.clone(), subject: None, text, report }])
    }
}
