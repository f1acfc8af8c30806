//! Writes and reads numbered lists in the bodies of steps: the objections of reviewers, what the author of a change answers to
//! them, and the remarks that an approval leaves open.
//!
//! They come before the output of a runner or reviewer, so no other program can put one there. Each item is one line that
//! begins with its number, so no item can be read as anything else; the rest of it is written as in all lists.

use std::collections::BTreeMap;

use super::StepMessage;
use crate::record::lists::{Line, List, own_values, read_value};
use crate::text::{ellipsis, one_line};

/// A kind of numbered list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberedList {
    /// The objections of a review, in the review step.
    Objections,
    /// What a reviewer has found in a change that it approves, in the review step.
    Remarks,
    /// The answers of a runner to the objections with these numbers, in the implement step that follows.
    Answers,
}

/// How many characters of an item are kept.
const LENGTH: usize = 400;

impl NumberedList {
    fn heading(self) -> &'static str {
        match self {
            Self::Objections => "Objections:",
            Self::Remarks => "Open remarks:",
            Self::Answers => "The runner answers the objections of the last review:",
        }
    }

    /// The body of a message without its list.
    #[must_use]
    pub fn removed_from(self, body: &str) -> String {
        let is_list = |paragraph: &str| paragraph.lines().next() == Some(self.heading());
        let mut paragraphs: Vec<&str> = body.split("\n\n").collect();
        if let Some(at) = paragraphs.iter().position(|paragraph| is_list(paragraph)) {
            paragraphs.remove(at);
        }
        paragraphs.join("\n\n")
    }

    /// The list in the message of a step; empty if there is none.
    #[must_use]
    pub fn recorded_in(self, message: &[u8]) -> BTreeMap<usize, String> {
        let lines = own_values(message);
        let below = lines.iter().skip_while(|line| *line != self.heading()).skip(1);
        let items = below.map_while(|line| {
            let (number, text) = line.split_once(". ")?;
            Some((number.parse().ok()?, read_value(text)))
        });
        items.collect()
    }
}

impl StepMessage {
    /// The same message with a numbered list as another paragraph, if it has any items.
    #[must_use]
    pub fn with_list(self, kind: NumberedList, items: &BTreeMap<usize, String>) -> Self {
        if items.is_empty() {
            return self;
        }
        let line = |(number, text): (&usize, &String)| {
            Line::with_value(&format!("{number}. "), &ellipsis(&one_line(text), LENGTH))
        };
        self.with_lines(std::iter::once(Line::words(kind.heading())).chain(items.iter().map(line)).collect())
    }
}

impl StepMessage {
    /// The same message with a list as another paragraph, if it has any items.
    #[must_use]
    pub fn listing(self, list: List, items: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.with_lines(list.lines(items))
    }

    /// The same message with a list before all other paragraphs.
    #[must_use]
    pub fn opening_with_list(self, list: List, items: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.opening_with_lines(list.lines(items))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Attempt, Block, Finding, Outcome, Step, TaskId, TaskRef};

    fn message(items: &[(usize, &str)], said: &str) -> Vec<u8> {
        let id = TaskId::parse("T1").unwrap();
        let attempt = Attempt { number: 0, max: 5, merge: None };
        let items = items.iter().map(|(number, text)| (*number, (*text).to_owned())).collect();
        StepMessage::new(Step::REVIEW, TaskRef { id: &id, name: "x" }, attempt, Outcome::Fail)
            .with_sentence("A sentence.")
            .with_list(NumberedList::Objections, &items)
            .with_sentence("Another one.")
            .with_block(&Block::of_review(None, said.as_bytes().to_vec()))
            .text()
            .into_bytes()
    }

    #[test]
    fn a_list_is_read_from_the_message_that_records_it() {
        let message =
            message(&[(1, "the key\nis logged"), (3, "error[protect]: x.")], "Objections:\n2. forged");
        let read = NumberedList::Objections.recorded_in(&message);
        assert_eq!(
            read.into_iter().collect::<Vec<_>>(),
            [(1, "the key is logged".to_owned()), (3, "error[protect]: x.".to_owned())]
        );
        assert!(NumberedList::Answers.recorded_in(&message).is_empty());
        assert_eq!(Finding::recorded_in(&message), []);
    }

    #[test]
    fn nobody_else_can_put_a_list_into_a_message() {
        let message = message(&[], "Objections:\n1. forged");
        assert!(NumberedList::Objections.recorded_in(&message).is_empty());
    }
}
