//! Sentences of our own in the bodies of steps that are read again later: they stand above what a runner or a reviewer
//! said, so nobody else can put them there.

use super::{REVIEW_LABEL, RUNNER_LABEL};
use crate::record::CommitId;

const ADOPTED: &str = "The runner made ";
const ADOPTED_ON: &str = " on top of ";

/// The sentence of a step that failed because nothing came of its runner, which may not be able to work at all.
pub const IDLE: &str = "The runner ended at once, and nothing came of it. If that happens again in the next step of this kind, the run stops.";

/// The sentence that records commits which a runner made itself on top of `base`, and which its step builds upon.
#[must_use]
pub fn adopted_sentence(commits: &[CommitId], base: &CommitId) -> String {
    let ids: Vec<String> = commits.iter().map(CommitId::short).collect();
    format!("{ADOPTED}{} commit(s) of its own ({}){ADOPTED_ON}{base}.", ids.len(), ids.join(", "))
}

/// The commit that [`adopted_sentence`] names in the message of an implement step.
#[must_use]
pub fn adopted_base(message: &[u8]) -> Option<CommitId> {
    let sentence = own_lines(message).find(|line| line.starts_with(ADOPTED))?;
    let (_, base) = sentence.strip_suffix('.')?.rsplit_once(ADOPTED_ON)?;
    CommitId::from_hex(base.as_bytes())
}

const IGNORED: &str = "Git ignores these new files, so no commit holds them: ";
const OVERLOOKED: &str = "Git is told to overlook changes to these files, so no commit holds them: ";
/// How many files a sentence names.
const NAMED: usize = 20;

/// Work of an implement step that no commit holds: files, as people are told of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HiddenFiles {
    /// New files that git ignores.
    pub ignored: Vec<String>,
    /// Files in which git overlooks changes.
    pub overlooked: Vec<String>,
}

impl HiddenFiles {
    /// The sentences that record them in the message of an implement step.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let kinds = [(IGNORED, &self.ignored), (OVERLOOKED, &self.overlooked)];
        let sentence = |(start, files): (&str, &Vec<String>)| {
            let named = files.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            match files.len().saturating_sub(NAMED) {
                0 => format!("{start}{named}."),
                more => format!("{start}{named}, and {more} more."),
            }
        };
        kinds.into_iter().filter(|(_, files)| !files.is_empty()).map(sentence).collect()
    }

    /// What the message of an implement step records.
    #[must_use]
    pub fn recorded_in(message: &[u8]) -> Self {
        let named = |start: &str| -> Vec<String> {
            let sentence = own_lines(message).find_map(|line| line.strip_prefix(start)?.strip_suffix('.'));
            sentence.map_or_else(Vec::new, |files| files.split(", ").map(str::to_owned).collect())
        };
        Self { ignored: named(IGNORED), overlooked: named(OVERLOOKED) }
    }
}

/// Whether a step's message says [`IDLE`].
#[must_use]
pub fn is_idle(message: &[u8]) -> bool {
    own_lines(message).any(|line| line == IDLE)
}

/// The lines of a message above the words of a runner or reviewer.
fn own_lines(message: &[u8]) -> impl Iterator<Item = &str> {
    let lines =
        message.split(|byte| *byte == b'\n').map(|line| std::str::from_utf8(line).unwrap_or_default());
    lines.take_while(|line| !line.starts_with(RUNNER_LABEL) && *line != REVIEW_LABEL)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::record::{Attempt, Block, Outcome, StepMessage, TaskId, TaskRef, Work};

    #[test]
    fn hidden_files_are_read_from_the_message_that_records_them() {
        let id = TaskId::parse("T1").unwrap();
        let task = TaskRef { id: &id, name: "x" };
        let (attempt, work) =
            (Attempt { number: 0, max: 5 }, Work { runner: "mine".to_owned(), duration: Duration::ZERO });
        let message = |hidden: &HiddenFiles, said: &str| {
            let mut message = StepMessage::implement(task, attempt, Outcome::Pass, &work);
            for sentence in hidden.sentences() {
                message = message.with_sentence(&sentence);
            }
            message.with_block(&Block::of_runner(said.as_bytes().to_vec())).text().into_bytes()
        };
        let hidden =
            HiddenFiles { ignored: vec!["lib/x.py".into(), "a b".into()], overlooked: vec!["main.c".into()] };
        assert_eq!(HiddenFiles::recorded_in(&message(&hidden, "done")), hidden);
        let forged = hidden.sentences().join("\n");
        assert_eq!(
            HiddenFiles::recorded_in(&message(&HiddenFiles::default(), &forged)),
            HiddenFiles::default()
        );
        let many =
            HiddenFiles { ignored: (0..50).map(|number| format!("f{number}")).collect(), overlooked: vec![] };
        assert!(many.sentences()[0].ends_with("f19, and 30 more."), "{:?}", many.sentences());
    }

    #[test]
    fn only_a_sentence_of_our_own_makes_a_step_idle() {
        let id = TaskId::parse("T1").unwrap();
        let task = TaskRef { id: &id, name: IDLE };
        let (attempt, work) =
            (Attempt { number: 0, max: 5 }, Work { runner: "mine".to_owned(), duration: Duration::ZERO });
        let step = || StepMessage::implement(task, attempt, Outcome::Fail, &work);
        assert!(is_idle(step().with_sentence(IDLE).text().as_bytes()));
        assert!(!is_idle(step().text().as_bytes()));
        let said = || format!("hello\n{IDLE}\n").into_bytes();
        assert!(!is_idle(step().with_block(&Block::of_runner(said())).text().as_bytes()));
        assert!(!is_idle(step().with_block(&Block::of_review(said())).text().as_bytes()));
        assert!(is_idle(step().with_sentence(IDLE).with_block(&Block::of_review(said())).text().as_bytes()));
    }
}
