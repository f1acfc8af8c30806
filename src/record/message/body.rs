//! The body of a message: our own words, lists that are read back, and the output of other programs.

use super::{Attempt, Block, StepMessage, TaskRef, subject};
use crate::record::lines::is_label;
use crate::record::lists::{Line, List, Paragraph};
use crate::record::{Outcome, Severity, Step, TrailerKey};
use crate::text::{clean, defuse, one_line, tail};

impl StepMessage {
    /// The same message with a sentence of ours as another paragraph.
    #[must_use]
    pub fn with_sentence(mut self, sentence: &str) -> Self {
        let sentence = as_words(&defuse(&clean(sentence.as_bytes())));
        if !sentence.is_empty() {
            self.body.push(Paragraph::Text(sentence));
        }
        self
    }

    /// The same message with a sentence of ours before all other paragraphs.
    #[must_use]
    pub fn opening_with(mut self, sentence: &str) -> Self {
        let rest = std::mem::take(&mut self.body);
        self = self.with_sentence(sentence);
        self.body.extend(rest);
        self
    }

    /// The same message with lines that are read back as another paragraph, if there are any.
    pub(super) fn with_lines(mut self, lines: Vec<Line>) -> Self {
        if !lines.is_empty() {
            self.body.push(Paragraph::Lines(lines));
        }
        self
    }

    /// The same before all other paragraphs.
    pub(super) fn opening_with_lines(mut self, lines: Vec<Line>) -> Self {
        let rest = std::mem::take(&mut self.body);
        self = self.with_lines(lines);
        self.body.extend(rest);
        self
    }

    /// The same message with another program's output, cleaned and shortened. Empty output is left out.
    #[must_use]
    pub fn with_block(mut self, block: &Block) -> Self {
        let text = defuse(&tail(&clean(&block.text), block.limit));
        if !text.trim().is_empty() {
            self.body.push(Paragraph::Text(format!("{}\n{text}", block.label)));
        }
        self
    }

    /// The same message without secrets: `mask` masks those in a text. Nothing may be added to it afterwards, and nothing
    /// may be cut before: the subject of a step has its whole name until the message is written.
    #[must_use]
    pub fn masked(&self, mask: impl Fn(&str) -> String) -> Self {
        let paragraph = |paragraph: &Paragraph| match paragraph {
            Paragraph::Text(text) => Paragraph::Text(mask(text)),
            // A value is masked before it is written, so that its quotation marks and what they escape stay as they are.
            Paragraph::Lines(lines) => Paragraph::Lines(lines.iter().map(|line| line.map(&mask)).collect()),
        };
        // All others are ids, numbers, paths of ours and words of a table.
        let trailer = |(key, value): &(TrailerKey, String)| match key {
            TrailerKey::Reason | TrailerKey::Runner => (*key, mask(value)),
            _ => (*key, value.clone()),
        };
        Self {
            name: self.name.as_deref().map(&mask),
            body: self.body.iter().map(paragraph).collect(),
            trailers: self.trailers.iter().map(trailer).collect(),
            ..self.clone()
        }
    }

    /// The same message with no line of its body longer than this, as far as that is possible.
    pub(in crate::record) fn in_width(mut self, width: usize, broken: impl Fn(&str) -> String) -> Self {
        self.width = Some(width);
        for paragraph in &mut self.body {
            if let Paragraph::Text(text) = paragraph {
                *text = broken(text);
            }
        }
        self
    }

    /// The same step after a hook has refused its commit: the step has failed, and the output of the hook comes before that of
    /// others.
    ///
    /// # Panics
    /// If it is not the message of a step.
    #[must_use]
    pub fn refused(mut self, task: TaskRef<'_>, attempt: Attempt, block: &Block) -> Self {
        let step = self.step();
        self.subject = subject(step, task.id, attempt, Outcome::Fail);
        self.name = Some(one_line(task.name));
        let fits = |key| step.uses(key).any(|used| used.when.covers(Outcome::Fail));
        self.trailers.retain(|(key, _)| fits(*key));
        for (key, value) in &mut self.trailers {
            if Some(*key) == step.row().outcome_key() {
                Outcome::Fail.word(step).clone_into(value);
            }
        }
        let is_quote = |paragraph: &Paragraph| match paragraph {
            Paragraph::Text(text) => text.lines().next().is_some_and(is_label),
            Paragraph::Lines(_) => false,
        };
        let own = self.body.iter().position(is_quote).unwrap_or(self.body.len());
        let others = self.body.split_off(own);
        self = self.with_block(block);
        self.body.extend(others);
        self
    }

    /// The step that it records.
    pub(super) fn step(&self) -> Step {
        let mut words = self.trailers.iter().filter(|(key, _)| *key == TrailerKey::Step);
        words.next().and_then(|(_, word)| Step::from_word(word)).expect("every step names itself")
    }

    /// The whole message, ending in a newline.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = self.subject().into_owned();
        text.push_str("\n\n");
        let width = self.width.unwrap_or(usize::MAX);
        for paragraph in &self.body {
            match paragraph {
                Paragraph::Text(words) => text.push_str(words.trim_matches('\n')),
                Paragraph::Lines(lines) => {
                    let lines: Vec<String> = lines.iter().map(|line| line.written(width)).collect();
                    text.push_str(&lines.join("\n"));
                }
            }
            text.push_str("\n\n");
        }
        for (key, value) in &self.trailers {
            text.push_str(key.name());
            text.push_str(": ");
            text.push_str(value);
            text.push('\n');
        }
        text
    }
}

/// Words that somebody else may have chosen, in such a form that no line of them is read as one of ours.
fn as_words(text: &str) -> String {
    let is_ours = |line: &str| {
        let severities = [Severity::Error, Severity::Warning];
        is_label(line)
            || List::ALL.iter().any(|list| list.heading() == line)
            || severities
                .iter()
                .any(|severity| line.strip_prefix(severity.word()).is_some_and(|rest| rest.starts_with('[')))
    };
    let lines = text.lines().map(|line| if is_ours(line) { format!("  {line}") } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}
