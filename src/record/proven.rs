//! What the runs of a proof have shown, as the trailer `Arborist-Proof` records it on the test step and on the complete step:
//! `clean=pass old=none red=pass literals=pass canary=na evidence=3 ran=4 took=8.4 is=proven`.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::proof_word::{ProofWord, RunWord};
use super::trailer_keys::{rounded_seconds, seconds};
use super::words::words;
use crate::text::{counted, duration};

/// The record of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ProofRecord {
    /// The runs and how each ended, in order.
    pub runs: Vec<(ProofRun, RunWord)>,
    /// How many tests notice the change.
    pub evidence: Option<ProofEvidence>,
    /// What it has cost, in the step that made it.
    pub cost: Option<ProofCost>,
    /// What follows.
    pub is: ProofWord,
}

/// How many tests pass with a change, and fail in another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofEvidence {
    /// Without the change.
    Red(u32),
    /// With empty values in the place of what the change adds, without which they may not even load.
    Hollow(u32),
}

impl ProofEvidence {
    /// The number.
    #[must_use]
    pub fn tests(self) -> u32 {
        let (Self::Red(count) | Self::Hollow(count)) = self;
        count
    }
}

/// What a proof has cost: how often the test commands ran for it, and how long all of that took together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProofCost {
    /// How often the test commands ran.
    pub runs: u32,
    /// How many seconds they took.
    #[serde(rename = "seconds", serialize_with = "as_seconds", deserialize_with = "of_seconds")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub time: Duration,
}

impl ProofCost {
    /// The cost of several proofs together; `None` if there are none.
    pub fn sum(costs: impl IntoIterator<Item = Self>) -> Option<Self> {
        costs.into_iter().reduce(|sum, cost| Self {
            runs: sum.runs.saturating_add(cost.runs),
            time: sum.time.saturating_add(cost.time),
        })
    }
}

impl fmt::Display for ProofCost {
    /// As part of a line: `proof 4 runs 8.4 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "proof {} {}", counted(self.runs as usize, "run"), duration(self.time))
    }
}

fn as_seconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    rounded_seconds(*time).serialize(serializer)
}

fn of_seconds<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    Duration::try_from_secs_f64(f64::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}

words! {
    /// The runs of a proof, in order.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum ProofRun {
        /// The commit as it is.
        #[default]
        Clean "clean",
        /// With the files that judge as they were before the task.
        Old "old",
        /// Without the task's change to the source.
        Red "red",
        /// With other values in the tests that notice the change.
        Literals "literals",
        /// With one more test, which fails.
        Canary "canary",
    }
}

impl ProofRecord {
    /// Reads the value of the trailer; `None` if it has another form.
    #[must_use]
    pub fn parse(value: &str) -> Option<Self> {
        let (mut runs, mut evidence, mut is) = (Vec::new(), None, None);
        let (mut ran, mut took) = (None, None);
        for part in value.split(' ') {
            let (name, word) = part.split_once('=')?;
            match name {
                // How many changed statements a test has noticed, which earlier versions looked for.
                "hunks" => {
                    let (noticed, all) = word.split_once('/')?;
                    (noticed.parse::<u32>().ok()? <= all.parse().ok()?).then_some(())?;
                }
                "evidence" => evidence = Some(ProofEvidence::Red(word.parse().ok()?)),
                "hollow" => evidence = Some(ProofEvidence::Hollow(word.parse().ok()?)),
                "ran" => ran = Some(word.parse().ok()?),
                "took" => took = Some(Duration::try_from_secs_f64(word.parse().ok()?).ok()?),
                "is" => is = Some(ProofWord::from_word(word)?),
                name => {
                    runs.push((ProofRun::from_word(name)?, RunWord::from_word(word)?));
                }
            }
        }
        let cost = ran.zip(took).map(|(runs, time)| ProofCost { runs, time });
        (ran.is_some() == took.is_some()).then_some(Self { runs, evidence, cost, is: is? })
    }

    /// How a run ended.
    #[must_use]
    pub fn run(&self, run: ProofRun) -> Option<RunWord> {
        self.runs.iter().find(|(made, _)| *made == run).map(|(_, word)| *word)
    }

    /// Whether a test failed without the change.
    #[must_use]
    pub fn shows_red(&self) -> bool {
        self.run(ProofRun::Red) == Some(RunWord::Pass)
    }
}

impl From<ProofRecord> for String {
    fn from(record: ProofRecord) -> Self {
        record.to_string()
    }
}

impl TryFrom<String> for ProofRecord {
    type Error = String;

    fn try_from(value: String) -> Result<Self, String> {
        Self::parse(&value).ok_or_else(|| format!("`{value}` is no record of a proof"))
    }
}

impl fmt::Display for ProofRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.runs.iter().map(|(run, word)| format!("{}={}", run.word(), word.word()));
        let evidence = self.evidence.map(|evidence| match evidence {
            ProofEvidence::Red(count) => format!("evidence={count}"),
            ProofEvidence::Hollow(count) => format!("hollow={count}"),
        });
        let cost = self.cost.map(|cost| format!("ran={} took={}", cost.runs, seconds(cost.time)));
        let is = format!("is={}", self.is.word());
        let parts: Vec<String> = runs.chain(evidence).chain(cost).chain([is]).collect();
        f.write_str(&parts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_written_and_read_back() {
        let text = "clean=pass old=none red=pass canary=na evidence=3 ran=4 took=8.412 is=proven";
        let record = ProofRecord::parse(text).unwrap();
        assert_eq!(record.to_string(), text);
        assert_eq!(record.run(ProofRun::Old), Some(RunWord::None));
        assert_eq!(record.evidence, Some(ProofEvidence::Red(3)));
        let hollow = text.replace("evidence", "hollow");
        assert_eq!(ProofRecord::parse(&hollow).unwrap().to_string(), hollow);
        let cost = record.cost.unwrap();
        assert_eq!(cost, ProofCost { runs: 4, time: Duration::from_millis(8412) });
        assert_eq!(cost.to_string(), "proof 4 runs 8.4 s");
        assert_eq!(record.is, ProofWord::Proven);
        let earlier = text.replace("evidence", "hunks=17/19 evidence");
        assert_eq!(ProofRecord::parse(&earlier).unwrap(), record);
        let without = "clean=pass is=tested";
        assert_eq!(ProofRecord::parse(without).unwrap().to_string(), without);
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
            "ran=4 is=proven",
            "ran=4 took=-1 is=proven",
            "ran=x took=1 is=proven",
            "clean=pass",
        ] {
            assert_eq!(ProofRecord::parse(text), None, "{text:?}");
        }
    }
}
