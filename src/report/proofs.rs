//! Shows what a proof has found: the runs of one task, or a table of several.

use std::collections::BTreeMap;

use serde::Serialize;

use super::json::{Printed, json_document};
use super::screen::{Screen, Style, Symbols};
use crate::record::{Counts, Finding, ProofResult, RunWord};
use crate::text::one_line;

/// The proofs of some changes.
#[derive(Clone, Debug)]
pub struct ProofsView {
    /// The changes, in order.
    pub proofs: Vec<ProofView>,
}

/// Whether changes are proven. The exit status is 0 if nothing more can be asked of any of them, and 1 otherwise.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    /// Whether there is something to prove, and nothing more can be asked of any of it.
    enough: bool,
    /// How many changes have each word.
    counts: BTreeMap<ProofResult, usize>,
    /// The changes, in order.
    proofs: &'a [ProofView],
}

/// The proof of one change.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProofView {
    /// The task; `None` for a change that belongs to none.
    pub task: Option<String>,
    /// Its name, or what was asked for.
    pub name: String,
    /// The commit that was judged.
    pub commit: Option<String>,
    /// What is known of it, in a word.
    pub is: ProofResult,
    /// The same in a few words, with the reason.
    pub words: String,
    /// Whether nothing more can be asked of it.
    pub enough: bool,
    /// The runs, in order.
    pub runs: Vec<ProofRunView>,
    /// How many tests notice the change: they pass with it, and fail without it or with empty values in the place of what it adds.
    pub evidence: Option<u32>,
    /// What to look at.
    pub findings: Vec<Finding>,
    /// What a reader should know, as sentences.
    pub notes: Vec<String>,
}

/// One run of a proof.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProofRunView {
    /// Its word.
    #[cfg_attr(test, schemars(extend("enum" = ["clean", "old", "red", "literals", "canary"])))]
    pub run: &'static str,
    /// How it ended.
    pub verdict: RunWord,
    /// What was seen, as a sentence.
    pub seen: String,
    /// The tests or files that the sentence is about.
    pub tests: Vec<String>,
    /// Why the test commands failed: `tests`, `build`, `unclear` or `not-run`.
    #[cfg_attr(test, schemars(extend("enum" = ["tests", "build", "unclear", "not-run", null])))]
    pub failure: Option<&'static str>,
    /// The number of tests that passed.
    pub passed: Option<u32>,
    /// The number of tests that failed.
    pub failed: Option<u32>,
    /// The number of tests that were skipped.
    pub skipped: Option<u32>,
    /// How long the test commands took.
    pub seconds: f64,
    /// The last lines of a command that did not do what it should.
    pub output: String,
}

impl ProofRunView {
    /// The same with these counts.
    #[must_use]
    pub fn counted(self, counts: Option<Counts>) -> Self {
        let of = |number: fn(Counts) -> u32| counts.map(number);
        Self {
            passed: of(|counts| counts.passed),
            failed: of(|counts| counts.failed),
            skipped: of(|counts| counts.skipped),
            ..self
        }
    }
}

fn mark(word: RunWord, screen: &Screen) -> String {
    let (mark, ascii, style) = match word {
        RunWord::Pass => ("✓", "ok", Style::Green),
        RunWord::Fail => ("✗", "no", Style::Red),
        _ => ("–", "--", Style::Dim),
    };
    screen.out.paint(style, if screen.symbols == Symbols::Unicode { mark } else { ascii })
}

impl ProofView {
    fn title(&self) -> String {
        let task = self.task.as_ref().map(|task| format!("{task} ")).unwrap_or_default();
        format!("{task}{}", one_line(&self.name))
    }

    fn style(&self) -> Style {
        match (self.enough, self.is) {
            (true, _) => Style::Green,
            (false, ProofResult::Unproven | ProofResult::Untested | ProofResult::NotTried) => Style::Red,
            (false, _) => Style::Dim,
        }
    }

    /// All runs, one on a line.
    fn block(&self, screen: &Screen) -> String {
        let words = screen.out.paint(self.style(), &one_line(&self.words));
        let mut text = format!("{}: {words}\n", screen.out.paint(Style::Bold, &self.title()));
        for run in &self.runs {
            text.push_str(&format!(
                "  {:<8} {} {}\n",
                run.run,
                mark(run.verdict, screen),
                one_line(&run.seen)
            ));
            for line in run.output.lines() {
                text.push_str(&format!("             {}\n", screen.out.paint(Style::Dim, line.trim_end())));
            }
        }
        let said = |finding: &&Finding| {
            !self.runs.iter().any(|run| run.seen.to_lowercase().contains(&finding.seen.to_lowercase()))
        };
        for finding in self.findings.iter().filter(said) {
            let severity = finding.severity.word();
            text.push_str(&format!(
                "  {severity}[{}]: {}\n",
                finding.check.name(),
                one_line(&finding.sentence())
            ));
        }
        for note in &self.notes {
            text.push_str(&format!("  {}\n", one_line(note)));
        }
        text
    }

    /// One line of a table: the marks of the runs, and what is known.
    fn line(&self, screen: &Screen, width: usize) -> String {
        let marks: String =
            self.runs.iter().map(|run| format!("{} {} ", run.run, mark(run.verdict, screen))).collect();
        let task = self.task.as_deref().unwrap_or("-");
        let task = screen.out.paint(Style::Cyan, &format!("{task:<width$}"));
        let words = screen.out.paint(self.style(), &one_line(&self.words));
        format!("{task} {marks} {words}\n")
    }
}

impl ProofsView {
    /// Whether there is something to prove, and nothing more can be asked of any of it.
    #[must_use]
    pub fn is_enough(&self) -> bool {
        !self.proofs.is_empty() && self.proofs.iter().all(|proof| proof.enough)
    }

    /// One change in full; of several, a line each, and in full those that are not proven.
    #[must_use]
    pub fn text(&self, screen: &Screen) -> String {
        if let [only] = self.proofs.as_slice() {
            return only.block(screen);
        }
        let width =
            self.proofs.iter().filter_map(|proof| proof.task.as_ref()).map(String::len).max().unwrap_or(1);
        let mut text: String = self.proofs.iter().map(|proof| proof.line(screen, width)).collect();
        let shown = |proof: &&ProofView| proof.is == ProofResult::Unproven;
        let mut judged = Vec::new();
        for proof in self.proofs.iter().filter(shown) {
            // Tasks that one commit has landed were judged by the same runs.
            if !judged.contains(&&proof.commit) || proof.commit.is_none() {
                judged.push(&proof.commit);
                text.push_str(&format!("\n{}", proof.block(screen)));
            }
        }
        text
    }

    /// One sentence about all of them.
    #[must_use]
    pub fn tally(&self) -> String {
        let counted = ProofResult::ALL.map(|word| {
            let count = self.proofs.iter().filter(|proof| proof.is == word).count();
            (count > 0).then(|| format!("{count} {}", word.shown()))
        });
        let counted: Vec<String> = counted.into_iter().flatten().collect();
        if counted.is_empty() { "Nothing to prove.".to_owned() } else { format!("{}.", counted.join("; ")) }
    }

    /// One JSON document.
    #[must_use]
    pub fn json(&self) -> String {
        let count = |word: ProofResult| self.proofs.iter().filter(|proof| proof.is == word).count();
        let document = Document {
            enough: self.is_enough(),
            counts: ProofResult::ALL.into_iter().map(|word| (word, count(word))).collect(),
            proofs: &self.proofs,
        };
        json_document(&Printed::new("prove", &document))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Document<'_>>("prove", "git arborist prove --json");
    }
}
