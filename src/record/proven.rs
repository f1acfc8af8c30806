//! What the runs of a proof have shown, as the trailer `Arborist-Proof` records it on the test step and on the complete step:
//! `clean=pass old=none red=pass literals=pass canary=na hunks=17/19 evidence=3 is=proven`.

use std::fmt;

use super::message::StepMessage;
use super::proof_word::{ProofWord, RunWord};
use super::trailer_keys::TrailerKey;

/// The record of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofRecord {
    /// The word of each run and how it ended, in order.
    pub runs: Vec<(String, RunWord)>,
    /// How many changed statements were noticed by a test, of how many that were judged.
    pub hunks: Option<(u32, u32)>,
    /// How many tests fail without the change and pass with it.
    pub evidence: Option<u32>,
    /// What follows.
    pub is: ProofWord,
}

/// The words of the runs, in order.
pub const PROOF_RUNS: [&str; 5] = ["clean", "old", "red", "literals", "canary"];

impl ProofRecord {
    /// Reads the value of the trailer; `None` if it has another form.
    #[must_use]
    pub fn parse(value: &str) -> Option<Self> {
        let (mut runs, mut hunks, mut evidence, mut is) = (Vec::new(), None, None, None);
        for part in value.split(' ') {
            let (name, word) = part.split_once('=')?;
            match name {
                "hunks" => {
                    let (noticed, all) = word.split_once('/')?;
                    let (noticed, all) = (noticed.parse().ok()?, all.parse().ok()?);
                    hunks = (noticed <= all).then_some((noticed, all));
                    hunks?;
                }
                "evidence" => evidence = Some(word.parse().ok()?),
                "is" => is = Some(ProofWord::from_word(word)?),
                run if PROOF_RUNS.contains(&run) => runs.push((run.to_owned(), RunWord::from_word(word)?)),
                _ => return None,
            }
        }
        Some(Self { runs, hunks, evidence, is: is? })
    }

    /// How a run ended.
    #[must_use]
    pub fn run(&self, run: &str) -> Option<RunWord> {
        self.runs.iter().find(|(name, _)| name == run).map(|(_, word)| *word)
    }

    /// Whether a test failed without the change.
    #[must_use]
    pub fn shows_red(&self) -> bool {
        self.run("red") == Some(RunWord::Pass)
    }
}

impl fmt::Display for ProofRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.runs.iter().map(|(run, word)| format!("{run}={}", word.word()));
        let hunks = self.hunks.map(|(noticed, all)| format!("hunks={noticed}/{all}"));
        let evidence = self.evidence.map(|count| format!("evidence={count}"));
        let is = format!("is={}", self.is.word());
        let parts: Vec<String> = runs.chain(hunks).chain(evidence).chain([is]).collect();
        f.write_str(&parts.join(" "))
    }
}

impl StepMessage {
    /// The same message with what a proof has shown.
    #[must_use]
    pub fn with_proof(mut self, proof: &ProofRecord) -> Self {
        self.set(TrailerKey::Proof, &proof.to_string());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_written_and_read_back() {
        let text = "clean=pass old=none red=pass canary=na hunks=17/19 evidence=3 is=proven";
        let record = ProofRecord::parse(text).unwrap();
        assert_eq!(record.to_string(), text);
        assert_eq!(record.run("old"), Some(RunWord::None));
        assert_eq!((record.hunks, record.evidence), (Some((17, 19)), Some(3)));
        assert_eq!(record.is, ProofWord::Proven);
    }

    #[test]
    fn anything_else_is_no_record() {
        for text in [
            "",
            "proven",
            "clean=yes",
            "hunks=3/2 is=proven",
            "hunks=3 is=proven",
            "is=perfect",
            "clean=pass  is=proven",
            "a=b",
            "clean=pass",
        ] {
            assert_eq!(ProofRecord::parse(text), None, "{text:?}");
        }
    }
}
