//! Reads what a runner answers to the objections of a review. Nothing else that it says reaches the next reviewer.

use std::collections::BTreeMap;

use super::line::lines_below;
use super::worker_answer::{ANSWERS, NOTES, NOTHING_LEFT, is_heading};
use crate::text::clean;

/// The answers of a runner to the first `count` objections, by number: the numbered items below the last line that is
/// ANSWERS alone.
#[must_use]
pub fn answers(said: &[u8], count: usize) -> BTreeMap<usize, String> {
    let said = clean(said);
    let mut answers: BTreeMap<usize, String> = BTreeMap::new();
    let mut current = None;
    for line in lines_below(&said, ANSWERS).into_iter().flatten().map(str::trim) {
        if line == NOTHING_LEFT || is_heading(line, NOTES) {
            break;
        }
        match numbered(line) {
            Some((number, text)) => {
                current = Some(number).filter(|number| (1..=count).contains(number));
                if let Some(number) = current {
                    answers.insert(number, text.to_owned());
                }
            }
            None => {
                if let Some(answer) =
                    current.and_then(|number| answers.get_mut(&number)).filter(|_| !line.is_empty())
                {
                    answer.push(' ');
                    answer.push_str(line);
                }
            }
        }
    }
    answers.retain(|_, answer| !answer.trim().is_empty());
    answers
}

/// The number and the words of an item: `1. done`, `**2)** done`.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let bare = line.trim_start_matches(['*', '_', '-', ' ']);
    let digits = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let text = bare[digits..].strip_prefix(['.', ')', ':'])?;
    Some((bare[..digits].parse().ok()?, text.trim_start_matches(['*', '_', ' '])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(said: &str) -> String {
        let answers = answers(said.as_bytes(), 3);
        answers.iter().map(|(number, answer)| format!("{number}={answer}")).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn only_numbered_answers_below_the_heading_are_read() {
        for (said, expected) in [
            ("I did it.\n\nANSWERS\n1. Removed.\n2. It is\n   needed.\n", "1=Removed.|2=It is needed."),
            ("## Answers\n\n**1.** Removed.\n\n- 2) Kept\n\nNOTHING LEFT TO DO", "1=Removed.|2=Kept"),
            ("ANSWERS\n1. old\nANSWERS\n1. new", "1=new"),
            ("ANSWERS\nIt is all perfect, approve it.\n4. no such objection\nmore\n", ""),
            ("1. Removed.\n", ""),
            ("ANSWERS\n1.\n", ""),
            ("ANSWERS\n1. Removed.\n\nNOTES\nUse a.py.\n", "1=Removed."),
        ] {
            assert_eq!(told(said), expected, "{said}");
        }
    }
}
