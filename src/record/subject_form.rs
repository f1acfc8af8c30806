//! The form of the subjects of step commits: ours, or one of the user's own choice, such as a Conventional Commit.

/// How long a line may be in a message under a subject of the user's own choice: what commitlint allows by default.
pub(super) const LINE: usize = 100;
/// How much of a text a trailer then has.
pub(super) const VALUE: usize = 80;

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
    pub(super) fn head_of(&self, id: &str) -> String {
        self.head.replacen("{id}", id, 1)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::record::{Attempt, CommitKind, Outcome, Step, StepDraft, TaskId, TaskRef, commit_kind};

    fn draft(name: &str) -> StepDraft {
        let id = TaskId::parse("T001").unwrap();
        let attempt = Attempt::new(0, NonZeroU32::new(5).unwrap());
        StepDraft::new(Step::IMPLEMENT, TaskRef { id: &id, name }, attempt, Outcome::Fail)
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
        let draft = draft("Add the export");
        let plain = draft.message(str::to_owned, &SubjectForm::default());
        let formed = draft.message(str::to_owned, &form);
        assert_eq!(formed.subject, "chore(T001): implement \"Add the export\" (failed, attempt 1/5)");
        assert_eq!(commit_kind(formed.text.as_bytes()), commit_kind(plain.text.as_bytes()));
        assert!(matches!(commit_kind(formed.text.as_bytes()), CommitKind::Task(..)));
        for title in ["fixup! ", "Revert \"", "Export (#12)\n\n* ", "About T0012\n\n* "] {
            let text = format!("{title}{}", formed.text);
            assert_eq!(commit_kind(text.as_bytes()), CommitKind::Other, "{title}");
        }
        let several = format!("Everything about T001\n\n* {0}\n\n* {0}", formed.text);
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
        let mut draft = draft(&long);
        draft.notes = vec!["x".repeat(250), long];
        let text = draft.message(str::to_owned, &form).text;
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(
            text.contains(&"x".repeat(100)) && matches!(commit_kind(text.as_bytes()), CommitKind::Task(..))
        );
    }
}
