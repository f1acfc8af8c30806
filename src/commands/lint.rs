//! `git arborist lint`: finds what is doubtful in the plan before an agent works on it.

mod passing;

use std::path::Path;

use clap::Args;

use super::{Call, Command, Exit, Group, Session, Summary};
use crate::error::{Error, Kind, Result};
use crate::plan::{
    LintFinding, LintLevel, LintRule, Outside, UnknownFramework, lint, passing_findings, sort_findings,
};
use crate::report::{self, LintView};
use crate::suite::CountSource;
use crate::text::{one_line, wrapped};
use crate::worktree::{DocumentTrouble, document_trouble};
use passing::{Confirming, passing_tests};

/// The arguments of `lint`.
#[derive(Args, Debug)]
pub struct Lint {
    /// Execute the test commands of tasks that were not begun yet, and name those that pass already
    #[arg(long, conflicts_with = "explain")]
    run: bool,
    /// Confirm the commands that --run executes, which otherwise has to be done on a terminal once
    #[arg(short, long, requires = "run")]
    yes: bool,
    /// Exit with status 1 also if there are only warnings
    #[arg(long, conflicts_with = "explain")]
    strict: bool,
    /// Print one JSON document
    #[arg(long, conflicts_with = "explain")]
    json: bool,
    /// Explain a rule, for example P003; `all` lists the rules
    #[arg(long, value_name = "RULE")]
    explain: Option<String>,
}

impl Command for Lint {
    const SUMMARY: Summary = Summary {
        name: "lint",
        group: Group::Start,
        about: "find what is doubtful in the plan before an agent works on it",
    };

    const MANUAL: &'static str = include_str!("manual/lint.md");

    fn run(self, call: &Call) -> Result<Exit> {
        if let Some(rule) = &self.explain {
            report::print(&explained(rule)?)?;
            return Ok(Exit::Done);
        }
        let session = Session::open(call, Vec::new())?;
        let file = session.plan_file()?;
        let screen = session.screen;
        let mut findings = lint(file.bytes(), &InWorkTree(&session.work_tree.top));
        let is_usable = findings.iter().all(|finding| finding.rule.level() == LintLevel::Warning);
        if self.run && is_usable {
            findings.extend(passing_findings(
                file.bytes(),
                &passing_tests(session, call, Confirming { yes: self.yes, may_ask: !self.json })?,
            ));
            sort_findings(&mut findings);
        }
        let view = LintView { file: file.shown(), findings: &findings };
        let text = if self.json { view.json() } else { view.text(&screen) };
        report::print(&call.mask(&text))?;
        if !self.json {
            report::eprint(&match view.tally() {
                none if none.is_empty() => format!("{}: nothing is doubtful.", file.shown()),
                some => {
                    format!("{}: {some}. `git arborist lint --explain RULE` explains a rule.", file.shown())
                }
            });
        }
        let counts = |level| view.count(level) > 0;
        let found = counts(LintLevel::Error) || self.strict && counts(LintLevel::Warning);
        Ok(if found { Exit::No } else { Exit::Done })
    }
}

/// What is doubtful in the plan, in one clause; `None` if nothing is. Tasks without tests do not count, because there may be
/// many and the tree shows them, and neither do short descriptions, because a name alone may describe a task.
pub(super) fn doubtful_places(session: &Session) -> Option<String> {
    let file = session.plan_file().ok()?;
    let mut findings: Vec<LintFinding> = lint(file.bytes(), &InWorkTree(&session.work_tree.top));
    findings.retain(|finding| !matches!(finding.rule, LintRule::NoTests | LintRule::ShortDescription));
    let mut rules: Vec<&str> = findings.iter().map(|finding| finding.rule.id()).collect();
    rules.sort_unstable();
    rules.dedup();
    match findings.len() {
        0 => None,
        1 => Some(format!("{} has 1 doubtful place ({})", file.shown(), rules.join(", "))),
        count => Some(format!("{} has {count} doubtful places ({})", file.shown(), rules.join(", "))),
    }
}

/// What the work tree with this top knows about the names in a plan.
struct InWorkTree<'a>(&'a Path);

impl Outside for InWorkTree<'_> {
    fn unknown_framework(&self, name: &str) -> Option<UnknownFramework> {
        unknown_framework(name)
    }

    fn document_trouble(&self, path: &str) -> Option<String> {
        document_trouble(self.0, path).map(DocumentTrouble::what)
    }
}

/// Why a test framework is not known; `None` if it is.
pub(super) fn unknown_framework(name: &str) -> Option<UnknownFramework> {
    let problem = CountSource::parse(name).err()?;
    Some(UnknownFramework { what: problem.to_string(), help: problem.remedy() })
}

/// The explanation of a rule, or the list of all.
fn explained(id: &str) -> Result<String> {
    if id == "all" {
        let line = |rule: LintRule| format!("{}  {:<8} {}\n", rule.id(), rule.level().word(), rule.about());
        return Ok(LintRule::ALL.into_iter().map(line).collect());
    }
    let Some(rule) = LintRule::find(id) else {
        return Err(Error::new(
            Kind::Input,
            format!("`{}` is not a rule for plans", one_line(id)),
            "`git arborist lint --explain all` lists them.",
        ));
    };
    Ok(format!(
        "{} {} ({}): {}\n\n{}\n",
        rule.id(),
        rule.name(),
        rule.level().word(),
        rule.about(),
        wrapped(rule.why())
    ))
}
