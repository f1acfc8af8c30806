//! `git arborist lint`: finds what is doubtful in the plan before an agent works on it.

use clap::Args;

use crate::error::{Error, Kind, Result};
use crate::launch::doubts::InWorkTree;
use crate::launch::passing_tests::{Confirming, passing_tests};
use crate::plan::{LintLevel, LintRule, lint, passing_findings, sort_findings};
use crate::report::{self, LintView};
use crate::session::{Call, Command, Exit, Group, Session, Summary};
use crate::text::{advice, one_line, wrapped};

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
            let confirming = Confirming { yes: self.yes, may_ask: !self.json };
            findings.extend(passing_findings(file.bytes(), &passing_tests(session, call, confirming)?));
            sort_findings(&mut findings);
        }
        let view = LintView { file: file.shown(), findings: &findings };
        let text = if self.json { view.json() } else { view.text(&screen) };
        report::print(&text)?;
        if !self.json {
            report::eprint(&match view.tally() {
                none if none.is_empty() => format!("{}: nothing is doubtful.", file.shown()),
                some => {
                    format!(
                        "{}: {some}. {lint_explain} explains a rule.",
                        file.shown(),
                        lint_explain = advice::lint_explain("RULE")
                    )
                }
            });
        }
        let counts = |level| view.count(level) > 0;
        let found = counts(LintLevel::Error) || self.strict && counts(LintLevel::Warning);
        Ok(if found { Exit::No } else { Exit::Done })
    }
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
            format!("{} lists them.", advice::lint_explain("all")),
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
