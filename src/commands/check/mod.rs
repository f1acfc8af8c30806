//! `git arborist check`: checks commit messages, one by one and as a history.

mod arguments;
mod attested;
mod evidence;
mod explain;
mod parse;
mod plan;
mod sources;

use crate::check::evidence::TaskEvidence;
use crate::check::{Checked, Draft, Level, check, fix};
use crate::commands::{Call, Command, Exit, Group, Summary};
use crate::error::{Error, Kind, Result};
use crate::hooks::{CheckContext, Inspection, check_commits, inspect};
use crate::report;
use crate::text::one_line;

pub use arguments::Check;
use arguments::Format;
use sources::{Repo, Source};

impl Command for Check {
    const SUMMARY: Summary = Summary {
        name: "check",
        group: Group::Trust,
        about: "check commit messages: a file, a commit, a range or the current run",
    };

    const MANUAL: &'static str = include_str!("../manual/check.md");

    fn run(self, call: &Call) -> Result<Exit> {
        if let Some(id) = &self.explain {
            return explain::explain(id).map(|()| Exit::Done);
        }
        if let Some(source) = &self.plan {
            return plan::check_plan(source, call, self.format() == Format::Json);
        }
        let repo = Repo::open(call, &self)?;
        let source = Source::of(&self, call, &repo)?;
        if self.parse {
            return parse::parse(&source, call, &repo).map(|()| Exit::Done);
        }
        if self.fix {
            return self.mend(&source, call, &repo);
        }
        let mut told = None;
        let checked = match source {
            Source::Message { text, name, path } => {
                let editor = crate::hooks::editor_of(&call.environment, path.as_deref());
                let Inspection { report, .. } = inspect(&text, editor, &repo.context);
                vec![Checked { name, subject: None, text, report }]
            }
            Source::Commits { git, revisions, range_checks, evidence } => {
                told = evidence;
                let checked = check_commits(&git, &revisions, &repo.context, &range_checks)?;
                if checked.is_empty() && !git.has_commits(&revisions)? {
                    self.eprint_nothing_checked();
                }
                checked
            }
        };
        self.print_report(call, &checked, told.as_deref())
    }
}

impl Check {
    fn eprint_nothing_checked(&self) {
        report::eprint(&match &self.input {
            Some(range) => format!(
                "There are no commits in {}, so nothing was checked. `git arborist check --run` checks the current run.",
                one_line(range)
            ),
            None => "There are no commits in the current run, so nothing was checked.".to_owned(),
        });
    }

    fn print_report(
        &self,
        call: &Call,
        checked: &[Checked],
        evidence: Option<&[TaskEvidence]>,
    ) -> Result<Exit> {
        let text = match self.format() {
            Format::Json => report::findings_json(checked, evidence),
            format => report::findings(format.into(), call.screen.out, checked),
        };
        report::print(&text)?;
        let tally = report::tally(checked);
        if !tally.is_empty() && self.format() == Format::Human {
            report::eprint(&format!("{tally}. `git arborist check --explain ID` explains a rule."));
        }
        if let Some(evidence) = evidence.filter(|_| self.format() == Format::Human) {
            report::eprint(&report::evidence_summary(evidence));
        }
        let failed = checked.iter().any(|one| one.report.count(Level::Error) > 0);
        Ok(if failed { Exit::No } else { Exit::Done })
    }

    fn mend(&self, source: &Source, call: &Call, repo: &Repo) -> Result<Exit> {
        let Source::Message { text, name, path } = source else {
            return Err(Error::new(
                Kind::Input,
                "commits cannot be corrected, because steps are never rewritten",
                "Name the message file, for example .git/COMMIT_EDITMSG.",
            ));
        };
        let CheckContext { policy, .. } = &repo.context;
        let editor = crate::hooks::editor_of(&call.environment, path.as_deref());
        let prediction = inspect(text, editor, &repo.context).prediction;
        let mended = fix(text, &prediction, policy);
        match (path, &mended) {
            (Some(path), Some(mended)) => {
                std::fs::write(path, mended).map_err(|error| sources::unwritable(name, &error))?;
                report::eprint(&format!("{name} was corrected."));
            }
            (Some(_), None) => report::eprint(&format!("{name}: nothing could be corrected safely.")),
            (None, _) => report::print(&String::from_utf8_lossy(mended.as_ref().unwrap_or(text)))?,
        }
        let text = mended.unwrap_or_else(|| text.clone());
        let report = check(&Draft::predicted(&text, &prediction), policy);
        if path.is_none() {
            return Ok(if report.count(Level::Error) > 0 { Exit::No } else { Exit::Done });
        }
        self.print_report(call, &[Checked { name: name.clone(), subject: None, text, report }], None)
    }
}
