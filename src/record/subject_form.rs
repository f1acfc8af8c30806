//! The form of the subjects of step commits: ours, or one of the user's own choice, such as a Conventional Commit.

use super::message::NAME_LIMIT;
use super::{StepMessage, TrailerKey};
use crate::text::ellipsis;

/// How long a line may be under a subject of the user's own choice: what commitlint allows by default.
const LINE: usize = 100;
/// How much of a text a trailer then has.
const VALUE: usize = 80;

/// The form of subjects, for example `chore({id}): {summary}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectForm {
    /// Everything before the summary.
    head: String,
}

impl Default for SubjectForm {
    fn default() -> Self {
        Self { head: "task({id}): ".to_owned() }
    }
}

impl SubjectForm {
    /// The form that hooks of commitlint accept as they are usually set up.
    pub const CONVENTIONAL: &'static str = "chore({id}): {summary}";

    /// The form [`SubjectForm::CONVENTIONAL`].
    ///
    /// # Panics
    /// Never.
    #[must_use]
    pub fn conventional() -> Self {
        Self::parse(Self::CONVENTIONAL).expect("it has an id and ends in the summary")
    }

    /// The form in this text; `None` if it has no `{id}`, or does not end in `{summary}`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let head = text.trim().strip_suffix("{summary}")?;
        let rest = head.replacen("{id}", "", 1);
        let is_fit = rest.len() < head.len()
            && !rest.contains(['{', '}'])
            && !rest.chars().any(char::is_control)
            && !head.starts_with(char::is_whitespace);
        is_fit.then(|| Self { head: head.to_owned() })
    }

    /// The title of a commit of ours that is no step: where steps have other subjects than ours, hooks ask for Conventional Commits.
    #[must_use]
    pub fn title(&self, text: &str) -> String {
        let mut letters = text.chars();
        match (*self == Self::default(), letters.next()) {
            (false, Some(first)) => format!("chore: {}{}", first.to_lowercase(), letters.as_str()),
            _ => text.to_owned(),
        }
    }

    /// What comes before the summary of a task or a phase.
    fn head_of(&self, id: &str) -> String {
        self.head.replacen("{id}", id, 1)
    }
}

impl StepMessage {
    /// The same message with a subject of this form. Then a trailer names the task or the phase, and no line is longer than
    /// commitlint usually allows.
    #[must_use]
    pub fn in_form(mut self, form: &SubjectForm) -> Self {
        if *form == SubjectForm::default() {
            return self;
        }
        let whole = self.subject().into_owned();
        let owners = [("task(", TrailerKey::Task), ("phase(", TrailerKey::Phase)];
        let owner = owners.iter().find_map(|(start, key)| {
            let (id, summary) = whole.strip_prefix(start)?.split_once("): ")?;
            Some((*key, id.to_owned(), summary.to_owned()))
        });
        let Some((key, id, summary)) = owner else { return self };
        let head = form.head_of(&id);
        let subject = format!("{head}{}", fitted(&summary, LINE.saturating_sub(head.chars().count())));
        let reason =
            self.trailers().iter().find(|(key, _)| *key == TrailerKey::Reason).map(|(_, text)| text.clone());
        if let Some(reason) = reason.filter(|reason| reason.chars().count() > VALUE) {
            self = self.with_sentence(&reason).with_value(TrailerKey::Reason, &ellipsis(&reason, VALUE));
        }
        self.in_width(LINE, broken).with_subject(subject).with_value(key, &id)
    }
}

/// A summary in so many characters: the name in it is cut.
fn fitted(summary: &str, room: usize) -> String {
    let length = summary.chars().count();
    let quoted = summary.find('"').zip(summary.rfind('"')).filter(|(first, last)| first < last);
    let Some((first, last)) = quoted.filter(|_| length > room) else { return summary.to_owned() };
    let name = &summary[first + 1..last];
    let left = name.chars().count().min(NAME_LIMIT).saturating_sub(length - room);
    format!("{}{}{}", &summary[..=first], ellipsis(name, left.max(4)), &summary[last..])
}

/// A paragraph whose lines are broken where they are too long, at blanks if there are any.
fn broken(paragraph: &str) -> String {
    let mut lines = Vec::new();
    for line in paragraph.split('\n') {
        let mut rest = line;
        while let Some((end, _)) = rest.char_indices().nth(LINE) {
            let at = rest[..end].rfind(' ').filter(|at| !rest[..*at].trim().is_empty()).unwrap_or(end);
            lines.push(&rest[..at]);
            rest = rest[at..].strip_prefix(' ').unwrap_or(&rest[at..]);
        }
        lines.push(rest);
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::record::{Attempt, CommitKind, Outcome, Step, TaskId, TaskRef, commit_kind};

    fn message(name: &str) -> StepMessage {
        let id = TaskId::parse("T001").unwrap();
        let attempt = Attempt::new(0, NonZeroU32::new(5).unwrap());
        StepMessage::new(Step::IMPLEMENT, TaskRef { id: &id, name }, attempt, Outcome::Fail)
    }

    #[test]
    fn a_form_names_the_id_and_ends_in_the_summary() {
        for text in ["chore({id}): {summary}", "chore: [{id}] {summary}", " {id} {summary} "] {
            assert!(SubjectForm::parse(text).is_some(), "{text}");
        }
        for text in
            ["", "{summary}", "chore({id})", "{summary} {id}", "{id} {name}: {summary}", "a\n{id} {summary}"]
        {
            assert_eq!(SubjectForm::parse(text), None, "{text}");
        }
        assert_eq!(SubjectForm::parse("task({id}): {summary}"), Some(SubjectForm::default()));
    }

    #[test]
    fn a_step_with_another_subject_is_read_back_by_its_trailer() {
        let form = SubjectForm::parse("chore({id}): {summary}").unwrap();
        let plain = message("Add the export");
        let formed = plain.clone().in_form(&form);
        assert_eq!(formed.subject(), "chore(T001): implement \"Add the export\" (failed, attempt 1/5)");
        assert_eq!(commit_kind(formed.text().as_bytes()), commit_kind(plain.text().as_bytes()));
        assert!(matches!(commit_kind(formed.text().as_bytes()), CommitKind::Task(..)));
        assert_eq!(formed.clone().in_form(&form), formed, "a second time changes nothing");
        assert_eq!(plain.clone().in_form(&SubjectForm::default()), plain);
        for title in ["fixup! ", "Revert \"", "Export (#12)\n\n* ", "About T0012\n\n* "] {
            let text = format!("{title}{}", formed.text());
            assert_eq!(commit_kind(text.as_bytes()), CommitKind::Other, "{title}");
        }
        let several = format!("Everything about T001\n\n* {0}\n\n* {0}", formed.text());
        assert_eq!(
            commit_kind(several.as_bytes()),
            CommitKind::Other,
            "what several steps were squashed into is none"
        );
    }

    #[test]
    fn no_line_is_longer_than_commitlint_allows() {
        let form = SubjectForm::parse("chore({id}): {summary} ").unwrap();
        let long = "word ".repeat(40);
        let formed = message(&long).with_sentence(&"x".repeat(250)).with_sentence(&long).in_form(&form);
        let text = formed.text();
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(
            text.contains(&"x".repeat(100)) && matches!(commit_kind(text.as_bytes()), CommitKind::Task(..))
        );
    }
}
