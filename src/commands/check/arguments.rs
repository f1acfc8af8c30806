//! The arguments of `git arborist check`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::report::FindingFormat;

/// The arguments of `check`.
#[derive(Args, Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Check {
    /// A message file, `-` for standard input, a commit, or a range A..B [default: HEAD]
    #[arg(value_name = "FILE|COMMIT|RANGE", conflicts_with_all = ["run", "explain"])]
    pub(super) input: Option<String>,
    /// Check the message on standard input
    #[arg(long, conflicts_with_all = ["input", "run", "explain"])]
    pub(super) stdin: bool,
    /// Check all commits of the current run, and the order of its steps
    #[arg(long, conflicts_with = "explain")]
    pub(super) run: bool,
    /// Count only what attestations vouch for: those in this file, or those in refs/arborist/attest/
    #[arg(long, value_name = "FILE", num_args = 0..=1, requires = "run")]
    pub(super) attested: Option<Option<PathBuf>>,
    /// Compare the ticked boxes of this source of the plan with the commits that complete their tasks
    #[arg(long, value_name = "FILE", conflicts_with_all = ["input", "stdin", "run", "explain", "fix", "parse", "strict"])]
    pub(super) plan: Option<PathBuf>,
    /// The same as --format json
    #[arg(long, conflicts_with_all = ["format", "explain"])]
    pub(super) json: bool,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(super) format: Format,
    /// Treat warnings as errors
    #[arg(long)]
    pub(super) strict: bool,
    /// Correct the message file where it is certain what was meant; for standard input, print the corrected message
    #[arg(long, conflicts_with_all = ["run", "explain", "parse"])]
    pub(super) fix: bool,
    /// Explain a rule, for example A001; `all` lists them
    #[arg(long, value_name = "ID")]
    pub(super) explain: Option<String>,
    /// Print what git reads as trailers, one JSON object per line
    #[arg(long, conflicts_with_all = ["run", "explain"])]
    pub(super) parse: bool,
}

/// How findings are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Each finding with the line that it is about
    Human,
    /// One line per finding
    Short,
    /// One JSON document
    Json,
    /// Annotations for a GitHub workflow
    Github,
}

impl Check {
    /// How findings are shown.
    pub(super) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
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
