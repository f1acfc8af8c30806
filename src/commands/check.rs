//! `git arborist check`: checks commit messages, one by one and as a history.

use clap::{Args, ValueEnum};

use crate::audit::messages::{Repo, Source};
use crate::check::evidence::TaskEvidence;
use crate::check::{ALL_RULES, Checked, Level, MessageDraft, Prediction, RULES, Rule, RuleInfo};
use crate::error::{Error, Kind, Result};
use crate::hooks::{check_commits, editor_of, inspect};
use crate::record::trailers;
use crate::report::{self, FindingFormat, Screen};
use crate::session::{Call, Command, Exit, Group, Summary};
use crate::text::{advice, one_line, wrapped};

/// The arguments of `check`.
#[derive(Args, Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Check {
    /// A message file, `-` for standard input, a commit, or a range A..B [default: HEAD]
    #[arg(value_name = "FILE|COMMIT|RANGE", conflicts_with_all = ["run", "explain"])]
    input: Option<String>,
    /// Check the message on standard input
    #[arg(long, conflicts_with_all = ["input", "run", "explain"])]
    stdin: bool,
    /// Check all commits of the current run, and the order of its steps
    #[arg(long, conflicts_with = "explain")]
    run: bool,
    /// The same as --format json
    #[arg(long, conflicts_with_all = ["format", "explain"])]
    json: bool,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    format: CheckFormat,
    /// Treat warnings as errors
    #[arg(long)]
    strict: bool,
    /// Explain a rule, for example A001; `all` lists them
    #[arg(long, value_name = "ID")]
    explain: Option<String>,
    /// Print what git reads as trailers, one JSON object per line
    #[arg(long, conflicts_with_all = ["run", "explain"])]
    parse: bool,
}

/// How findings are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// Each finding with the line that it is about
    Human,
    /// One line per finding
    Short,
    /// One JSON document
    Json,
    /// Annotations for a GitHub workflow
    Github,
}

impl Command for Check {
    const SUMMARY: Summary = Summary {
        name: "check",
        group: Group::Trust,
        about: "check commit messages: a file, a commit, a range or the current run",
    };

    const MANUAL: &'static str = include_str!("manual/check.md");

    fn run(self, call: &Call) -> Result<Exit> {
        if let Some(id) = &self.explain {
            return explain(id).map(|()| Exit::Done);
        }
        let repo = Repo::open(call, self.strict)?;
        let source = self.source(call, &repo)?;
        if self.parse {
            return parse(&source, call, &repo).map(|()| Exit::Done);
        }
        let mut told = None;
        let checked = match source {
            Source::Message { text, name, path } => {
                let editor = editor_of(&call.environment, path.as_deref());
                let report = inspect(&text, editor, &repo.context);
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
        self.print_report(&repo.screen, &checked, told.as_deref())
    }
}

impl Check {
    /// How findings are shown.
    fn format(&self) -> CheckFormat {
        if self.json { CheckFormat::Json } else { self.format }
    }

    /// The messages to check.
    fn source(&self, call: &Call, repo: &Repo) -> Result<Source> {
        if self.run {
            return Source::of_run(call, repo);
        }
        match self.input.as_deref() {
            Some("-") => Source::of_stdin(),
            None if self.stdin => Source::of_stdin(),
            None => Source::of_revision("HEAD", repo),
            Some(input) => Source::named(input, repo),
        }
    }

    fn eprint_nothing_checked(&self) {
        report::eprint(&match &self.input {
            Some(range) => format!(
                "There are no commits in {}, so nothing was checked. {check_run} checks the current run.",
                one_line(range),
                check_run = advice::check_run()
            ),
            None => "No step of the current run is on this branch, so no message was checked.".to_owned(),
        });
    }

    fn print_report(
        &self,
        screen: &Screen,
        checked: &[Checked],
        evidence: Option<&[TaskEvidence]>,
    ) -> Result<Exit> {
        let findings = |format| report::findings(format, screen.out, checked);
        let text = match self.format() {
            CheckFormat::Json => report::findings_json(checked, evidence),
            CheckFormat::Human => findings(FindingFormat::Human),
            CheckFormat::Short => findings(FindingFormat::Short),
            CheckFormat::Github => findings(FindingFormat::Github),
        };
        report::print(&text)?;
        let tally = report::tally(checked);
        if !tally.is_empty() && self.format() == CheckFormat::Human {
            report::eprint(&format!("{tally}. {} explains a rule.", advice::explain("ID")));
        }
        if let Some(evidence) = evidence.filter(|_| self.format() == CheckFormat::Human) {
            report::eprint(&report::evidence_summary(evidence));
        }
        let failed = checked.iter().any(|one| one.report.count(Level::Error) > 0);
        Ok(if failed { Exit::No } else { Exit::Done })
    }
}

/// Explains one rule, or lists all.
fn explain(id: &str) -> Result<()> {
    if id == ALL_RULES {
        let line = |info: &RuleInfo| format!("{}  {:<8} {}\n", info.id, info.level.word(), info.about);
        return report::print(&RULES.iter().map(line).collect::<String>());
    }
    let Some(rule) = Rule::from_id(id) else {
        return Err(Error::new(
            Kind::Input,
            format!("`{}` is not a rule", one_line(id)),
            format!("{} lists them.", advice::explain(ALL_RULES)),
        ));
    };
    report::print(&explanation(rule.info()))
}

fn explanation(info: &RuleInfo) -> String {
    let indented = |example: &str| {
        let shown: String =
            example.chars().map(|c| if c == '\n' || !c.is_control() { c } else { '?' }).collect();
        shown.lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect::<String>()
    };
    format!(
        "{} {} ({}): {}\n\n{}\n\nWrong:\n\n{}\nRight:\n\n{}\nTo change its level: git config arborist.hook.level.{} \
         error|warning|off\n",
        info.id,
        info.name,
        info.level.word(),
        info.about,
        wrapped(info.why),
        indented(info.wrong),
        indented(info.right),
        info.id
    )
}

/// Prints each trailer as one object per line. For a file, these are the trailers of the message that git would commit.
fn parse(source: &Source, call: &Call, repo: &Repo) -> Result<()> {
    let mut lines = String::new();
    match source {
        Source::Message { text, path, .. } => {
            let editor = editor_of(&call.environment, path.as_deref());
            let prediction = Prediction::of(text, editor, &repo.context.settings);
            add_trailers(MessageDraft::predicted(text, &prediction).text(), &mut lines);
        }
        Source::Commits { git, revisions, .. } => {
            git.each_message(revisions, |commit| add_trailers(commit.bytes, &mut lines))?;
        }
    }
    report::print(&lines)
}

fn add_trailers(message: &[u8], lines: &mut String) {
    for trailer in trailers(message) {
        let [key, value] = [&trailer.key, &trailer.value].map(|part| String::from_utf8_lossy(part));
        lines.push_str(&report::trailer_json(&key, &value));
    }
}
