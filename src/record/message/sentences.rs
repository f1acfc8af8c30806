//! Writes and reads our own sentences in the bodies of steps. They come before the output of a runner or reviewer, so
//! no other program can put them there.

use std::collections::{BTreeMap, HashSet};

use super::{REVIEW_LABEL, RUNNER_LABEL, TEST_LABEL};
use crate::record::{CommitId, Finding};

const ADOPTED: &str = "The runner made ";
const COMMITTED: &str = "Files of this step were committed after it had ended, in ";
const ADOPTED_ON: &str = " on top of ";

/// The sentence of a step that failed because its runner had no result, and may not be able to work at all.
pub const IDLE: &str = "The runner ended at once, and nothing came of it. If that happens again in the next step of this kind, the run stops.";

/// The sentence that records commits which a runner made itself on top of `base` and which belong to its step.
#[must_use]
pub fn adopted_sentence(commits: &[CommitId], base: &CommitId) -> String {
    let ids: Vec<String> = commits.iter().map(CommitId::short).collect();
    format!("{ADOPTED}{} commit(s) of its own ({}){ADOPTED_ON}{base}.", ids.len(), ids.join(", "))
}

/// The sentence that records commits on top of `base` in which somebody committed files of a step before the step
/// itself could be committed.
#[must_use]
pub fn committed_sentence(commits: &[CommitId], base: &CommitId) -> String {
    let ids: Vec<String> = commits.iter().map(CommitId::short).collect();
    format!("{COMMITTED}{}{ADOPTED_ON}{base}.", ids.join(", "))
}

/// The commit that [`adopted_sentence`] or [`committed_sentence`] names in the message of an implement step. The
/// changes of the step are the differences from this commit.
#[must_use]
pub fn adopted_base(message: &[u8]) -> Option<CommitId> {
    let sentence =
        own_lines(message).find(|line| line.starts_with(ADOPTED) || line.starts_with(COMMITTED))?;
    let (_, base) = sentence.strip_suffix('.')?.rsplit_once(ADOPTED_ON)?;
    CommitId::from_hex(base.as_bytes())
}

/// How many files a sentence names.
const NAMED: usize = 20;

/// The files of an implement step that findings name, in the form for messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedFiles(BTreeMap<Finding, Vec<String>>);

impl NamedFiles {
    /// Adds files to those of a finding, without duplicates.
    pub fn add(&mut self, finding: Finding, files: impl IntoIterator<Item = String>) {
        let mut known: HashSet<String> = self.of(finding).iter().cloned().collect();
        let new: Vec<String> = files.into_iter().filter(|file| known.insert(file.clone())).collect();
        if !new.is_empty() {
            self.0.entry(finding).or_default().extend(new);
        }
    }

    /// The same without those of some findings.
    #[must_use]
    pub fn without(mut self, findings: &[Finding]) -> Self {
        self.0.retain(|finding, _| !findings.contains(finding));
        self
    }

    /// The files that a finding names; empty if there is no such finding.
    #[must_use]
    pub fn of(&self, finding: Finding) -> &[String] {
        self.0.get(&finding).map_or(&[], Vec::as_slice)
    }

    /// The findings, each with its sentence and its files.
    pub fn found(&self) -> impl Iterator<Item = (Finding, &'static str, &[String])> {
        self.0
            .iter()
            .filter_map(|(finding, files)| Some((*finding, finding.about_files()?, files.as_slice())))
    }

    /// The sentences that record them in the message of an implement step.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let sentence = |(_, about, files): (Finding, &str, &[String])| {
            let named = files.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            match files.len().saturating_sub(NAMED) {
                0 => format!("{about}: {named}."),
                more => format!("{about}: {named}, and {more} more."),
            }
        };
        self.found().map(sentence).collect()
    }

    /// Reads the files that the message of an implement or a test step records.
    #[must_use]
    pub fn recorded_in(message: &[u8]) -> Self {
        let mut named = Self::default();
        for finding in Finding::ALL {
            let Some(about) = finding.about_files() else { continue };
            let mut lines = own_lines(message);
            let files =
                lines.find_map(|line| line.strip_prefix(about)?.strip_prefix(": ")?.strip_suffix('.'));
            named.add(finding, files.into_iter().flat_map(|files| files.split(", ").map(str::to_owned)));
        }
        named
    }
}

/// Whether the message of a step contains [`IDLE`].
#[must_use]
pub fn is_idle(message: &[u8]) -> bool {
    own_lines(message).any(|line| line == IDLE)
}

/// The lines of a message above the words of a runner or reviewer and the output of tests.
fn own_lines(message: &[u8]) -> impl Iterator<Item = &str> {
    let lines =
        message.split(|byte| *byte == b'\n').map(|line| std::str::from_utf8(line).unwrap_or_default());
    let is_quoted =
        |line: &str| line.starts_with(RUNNER_LABEL) || line.starts_with(TEST_LABEL) || line == REVIEW_LABEL;
    lines.take_while(move |line| !is_quoted(line))
}

#[cfg(test)]
mod tests {
    use crate::record::Step;
    use std::time::Duration;

    use super::*;
    use crate::record::{Attempt, Block, Outcome, StepMessage, TaskId, TaskRef, Work};

    #[test]
    fn named_files_are_read_from_the_message_that_records_them() {
        let id = TaskId::parse("T1").unwrap();
        let task = TaskRef { id: &id, name: "x" };
        let (attempt, work) =
            (Attempt { number: 0, max: 5 }, Work { runner: "mine".to_owned(), duration: Duration::ZERO });
        let message = |named: &NamedFiles, said: &str| {
            let mut message =
                StepMessage::new(Step::IMPLEMENT, task, attempt, Outcome::Pass).with_work(&work);
            for sentence in named.sentences() {
                message = message.with_sentence(&sentence);
            }
            message.with_block(&Block::of_runner(said.as_bytes().to_vec())).text().into_bytes()
        };
        let mut named = NamedFiles::default();
        named.add(Finding::StagedFiles, []);
        assert_eq!(named, NamedFiles::default());
        for finding in Finding::ALL.into_iter().filter(|finding| finding.about_files().is_some()) {
            named.add(finding, [format!("lib/{}.py", finding.name()), "a b".to_owned(), "a b".to_owned()]);
        }
        assert_eq!(named.sentences().len(), 6);
        assert_eq!(NamedFiles::recorded_in(&message(&named, "done")), named);
        let forged = named.sentences().join("\n");
        assert_eq!(NamedFiles::recorded_in(&message(&NamedFiles::default(), &forged)), NamedFiles::default());
        let mut many = NamedFiles::default();
        many.add(Finding::IgnoredFiles, (0..50).map(|number| format!("f{number}")));
        assert!(many.sentences()[0].ends_with("f19, and 30 more."), "{:?}", many.sentences());
    }

    #[test]
    fn only_a_sentence_of_our_own_makes_a_step_idle() {
        let id = TaskId::parse("T1").unwrap();
        let task = TaskRef { id: &id, name: IDLE };
        let (attempt, work) =
            (Attempt { number: 0, max: 5 }, Work { runner: "mine".to_owned(), duration: Duration::ZERO });
        let step = || StepMessage::new(Step::IMPLEMENT, task, attempt, Outcome::Fail).with_work(&work);
        assert!(is_idle(step().with_sentence(IDLE).text().as_bytes()));
        assert!(!is_idle(step().text().as_bytes()));
        let said = || format!("hello\n{IDLE}\n").into_bytes();
        assert!(!is_idle(step().with_block(&Block::of_runner(said())).text().as_bytes()));
        assert!(!is_idle(step().with_block(&Block::of_review(said())).text().as_bytes()));
        assert!(is_idle(step().with_sentence(IDLE).with_block(&Block::of_review(said())).text().as_bytes()));
    }
}
