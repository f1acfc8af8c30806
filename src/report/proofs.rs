//! Shows what a proof has found: the runs of one task, or a table of several.

use serde::Serialize;

use super::json_document;
use super::{Screen, Style, Symbols};
use crate::record::{Counts, Finding};
use crate::text::one_line;

/// The proofs of some changes.
#[derive(Clone, Debug)]
pub struct ProofsView {
    /// The changes, in order.
    pub proofs: Vec<ProofView>,
}

/// The proof of one change.
#[derive(Clone, Debug, Serialize)]
pub struct ProofView {
    /// The task; `None` for a change that belongs to none.
    pub task: Option<String>,
    /// Its name, or what was asked for.
    pub name: String,
    /// The commit that was judged.
    pub commit: Option<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why nothing can be proven.
    pub why: Option<String>,
    /// The runs, in order.
    pub runs: Vec<ProofRunView>,
    /// What to look at.
    pub findings: Vec<Finding>,
    /// What taking back single pieces has shown, if that was asked for.
    pub hunks: Option<HunksView>,
}

/// The verdict on a change or on one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It went as it must.
    Proven,
    /// It did not.
    NotProven,
    /// It cannot tell.
    NotApplicable,
    /// The run was not made.
    NotRun,
}

/// One run of a proof.
#[derive(Clone, Debug, Serialize)]
pub struct ProofRunView {
    /// Its word.
    pub run: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// What was seen, as a sentence.
    pub seen: String,
    /// The tests or files that the sentence is about.
    pub tests: Vec<String>,
    /// New tests that pass in a red run too.
    pub pass_either_way: Vec<String>,
    /// Why the test commands failed: `tests`, `build`, `unclear` or `not-run`.
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

/// What taking back single pieces of a change has shown.
#[derive(Clone, Debug, Serialize)]
pub struct HunksView {
    /// How many pieces the change has.
    pub all: usize,
    /// How many were taken back.
    pub tried: usize,
    /// Where no test noticed it: `FILE:LINES`.
    pub unnoticed: Vec<String>,
    /// Why none was taken back.
    pub why: Option<String>,
}

impl HunksView {
    fn words(&self) -> String {
        if let Some(why) = &self.why {
            return format!("none was taken back: {why}.");
        }
        let tried = match self.tried {
            1 => "1 piece of the change".to_owned(),
            tried if tried < self.all => format!("{tried} of {} pieces of the change", self.all),
            tried => format!("{tried} pieces of the change"),
        };
        match self.unnoticed.len() {
            0 => format!("{tried} taken back, and a test noticed each."),
            count => {
                format!("{tried} taken back, and no test noticed {count}: {}.", self.unnoticed.join(", "))
            }
        }
    }
}

impl Verdict {
    fn words(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::NotProven => "not proven",
            Self::NotApplicable => "cannot be proven",
            Self::NotRun => "not run",
        }
    }

    fn mark(self, screen: &Screen) -> String {
        let (mark, style) = match (self, screen.symbols) {
            (Self::Proven, Symbols::Unicode) => ("✓", Style::Green),
            (Self::Proven, Symbols::Ascii) => ("ok", Style::Green),
            (Self::NotProven, Symbols::Unicode) => ("✗", Style::Red),
            (Self::NotProven, Symbols::Ascii) => ("no", Style::Red),
            (_, Symbols::Unicode) => ("–", Style::Dim),
            (_, Symbols::Ascii) => ("--", Style::Dim),
        };
        screen.out.paint(style, mark)
    }

    fn style(self) -> Style {
        match self {
            Self::Proven => Style::Green,
            Self::NotProven => Style::Red,
            Self::NotApplicable | Self::NotRun => Style::Dim,
        }
    }
}

impl ProofView {
    fn title(&self) -> String {
        let task = self.task.as_ref().map(|task| format!("{task} ")).unwrap_or_default();
        format!("{task}{}", one_line(&self.name))
    }

    /// All runs, one on a line.
    fn block(&self, screen: &Screen) -> String {
        let verdict = screen.out.paint(self.verdict.style(), self.verdict.words());
        let mut text = format!("{}: {verdict}", screen.out.paint(Style::Bold, &self.title()));
        if let Some(why) = &self.why {
            text.push_str(&format!(", because {why}"));
        }
        text.push('\n');
        for run in &self.runs {
            text.push_str(&format!(
                "  {:<6} {} {}\n",
                run.run,
                run.verdict.mark(screen),
                one_line(&run.seen)
            ));
            for line in run.output.lines() {
                text.push_str(&format!("           {}\n", screen.out.paint(Style::Dim, line.trim_end())));
            }
        }
        if let Some(hunks) = &self.hunks {
            let verdict = match (&hunks.why, hunks.unnoticed.is_empty()) {
                (Some(_), _) => Verdict::NotApplicable,
                (None, true) => Verdict::Proven,
                (None, false) => Verdict::NotProven,
            };
            text.push_str(&format!("  hunks  {} {}\n", verdict.mark(screen), one_line(&hunks.words())));
        }
        text
    }

    /// One line of a table: the marks of the runs, and the sentence that says most.
    fn line(&self, screen: &Screen, width: usize) -> String {
        let marks: String =
            self.runs.iter().map(|run| format!("{} {} ", run.run, run.verdict.mark(screen))).collect();
        let of = |verdict: Verdict| self.runs.iter().find(|run| run.verdict == verdict);
        let red = self.runs.iter().find(|run| run.run == "red");
        let telling = of(Verdict::NotProven).or(red).map(|run| one_line(&run.seen));
        let words = self.why.as_ref().map(|why| format!("{}: {why}.", self.verdict.words()));
        let task = self.task.as_deref().unwrap_or("-");
        let task = format!("{task:<width$}");
        format!(
            "{} {marks} {}\n",
            screen.out.paint(Style::Cyan, &task),
            words.or(telling).unwrap_or_default()
        )
    }
}

impl ProofsView {
    fn count(&self, verdict: Verdict) -> usize {
        self.proofs.iter().filter(|proof| proof.verdict == verdict).count()
    }

    /// Whether something was proven, and nothing failed.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.count(Verdict::Proven) > 0 && self.count(Verdict::NotProven) == 0
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
        let shown = |proof: &&ProofView| {
            proof.verdict == Verdict::NotProven
                || proof.hunks.as_ref().is_some_and(|hunks| !hunks.unnoticed.is_empty())
        };
        for proof in self.proofs.iter().filter(shown) {
            text.push_str(&format!("\n{}", proof.block(screen)));
        }
        text
    }

    /// One sentence about all of them.
    #[must_use]
    pub fn tally(&self) -> String {
        let counted = [Verdict::Proven, Verdict::NotProven, Verdict::NotApplicable].map(|verdict| {
            let count = self.count(verdict);
            (count > 0).then(|| format!("{count} {}", verdict.words()))
        });
        let counted: Vec<String> = counted.into_iter().flatten().collect();
        if counted.is_empty() { "Nothing to prove.".to_owned() } else { format!("{}.", counted.join(", ")) }
    }

    /// One JSON document.
    #[must_use]
    pub fn json(&self) -> String {
        json_document(&serde_json::json!({
            "version": 1,
            "proven": self.count(Verdict::Proven),
            "not_proven": self.count(Verdict::NotProven),
            "not_applicable": self.count(Verdict::NotApplicable),
            "proofs": self.proofs,
        }))
    }
}
