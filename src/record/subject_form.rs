//! The form of the subjects of step commits: ours, or one of the user's own choice, such as a Conventional Commit.
//!
//! Under a subject of the user's own choice, forges and people make titles that look like that of a step: a forge appends ` (#12)` to
//! the title of the only commit of a request, and keeps its trailers. So the reader wants exactly what the writer writes: the summary
//! of the step at the end of the title, and the id as a word before it.

use super::step::Ending;

/// How long a line may be in a message under a subject of the user's own choice: what commitlint allows by default.
pub(super) const LINE: usize = 100;
/// How much of a text a trailer then has.
pub(super) const VALUE: usize = 80;

/// How titles begin that git, forges and people make from others.
const DERIVED: [&str; 5] = ["fixup!", "squash!", "amend!", "Revert", "Merge"];

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

    /// The form in this text; `None` if it has no `{id}` as a word of its own, does not end in `{summary}`, or begins as no step does.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let head = text.trim().strip_suffix("{summary}")?;
        let rest = head.replacen("{id}", "", 1);
        let is_fit = rest.len() < head.len()
            && !rest.contains(['{', '}'])
            && !rest.chars().any(char::is_control)
            && !head.starts_with(char::is_whitespace);
        let form = Self { head: head.to_owned() };
        let is_read = is_head(&form.head_of("T1"), "T1") && !is_derived(head);
        (is_fit && is_read).then_some(form)
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

/// Whether a title was made from that of another commit.
pub(super) fn is_derived(title: &str) -> bool {
    DERIVED.iter().any(|start| title.starts_with(start))
}

/// Whether a title ends with exactly the summary of a step that has ended so, behind the id of its task or phase.
pub(super) fn is_title_of(title: &str, id: &str, ending: &Ending) -> bool {
    // Anything may stand for a name or a claimant, and numbers for the rest.
    let free = ["{name}", "{claimant}"].into_iter().find_map(|hole| ending.subject.split_once(hole));
    let Some((before, behind)) = free else {
        return title.strip_suffix(ending.subject).is_some_and(|head| is_head(head, id));
    };
    let Some(rest) = without_end(title, behind) else { return false };
    let mut starts = rest.match_indices(before);
    starts.any(|(at, _)| at + before.len() < rest.len() && is_head(&rest[..at], id))
}

/// The text without its end, which must be this one with numbers in its places.
fn without_end<'t>(text: &'t str, end: &str) -> Option<&'t str> {
    let Some((start, last)) = end.rsplit_once('}') else { return text.strip_suffix(end) };
    let (start, _) = start.rsplit_once('{').expect("a place in the table of steps has both braces");
    let filled = text.strip_suffix(last)?;
    let text = filled.trim_end_matches(|c: char| c.is_ascii_digit() || c == '/');
    if text.len() == filled.len() { None } else { without_end(text, start) }
}

/// Whether this can stand before the summary of a step of this task or phase: it has the id in it as a word.
fn is_head(head: &str, id: &str) -> bool {
    let is_of_id = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    let names_id = head.match_indices(id).any(|(at, _)| {
        !is_of_id(head[..at].chars().next_back()) && !is_of_id(head[at + id.len()..].chars().next())
    });
    names_id && !head.ends_with(char::is_alphanumeric)
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
        for text in [
            "",
            "{summary}",
            "chore({id})",
            "{summary} {id}",
            "{id} {name}: {summary}",
            "a\n{id} {summary}",
            "T{id}: {summary}",
            "{id}{summary}",
            "Merge {id}: {summary}",
            "Revert {id}: {summary}",
        ] {
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
        for title in ["fixup! ", "Revert \"", "Revert ", "Merge ", "Export (#12)\n\n* ", "About T0012\n\n* "]
        {
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
    fn a_title_with_more_or_less_than_the_summary_of_its_step_is_no_step() {
        let title_is_read = |step: &str, title: &str| {
            let message = format!("{title}\n\nArborist-Step: {step}\nArborist-Task: T001\n");
            commit_kind(message.as_bytes()) != CommitKind::Other
        };
        let complete = "complete\nArborist-Result: pass";
        for (step, title, expected) in [
            (complete, "chore(T001): complete \"Export\"", true),
            (complete, "[T001] complete \"Say \"hi\" and complete \"it\"\"", true),
            (complete, "chore(T001): complete \"Export\" (#12)", false),
            (complete, "chore(T001): complete", false),
            (complete, "chore(T001): complete \"\"", false),
            (complete, "chore(T001): bla", false),
            (complete, "chore(T0010): complete \"Export\"", false),
            (complete, "chore: complete \"T001\"", false),
            (complete, "chore(T001): failed \"Export\" after 5 retries", false),
            ("complete\nArborist-Result: fail", "chore(T001): failed \"Export\" after 5 retries", true),
            ("complete\nArborist-Result: fail", "chore(T001): failed \"Export\" after some retries", false),
            ("test\nArborist-Test: fail", "chore(T001): tests fail for \"Export\" (attempt 2/5)", true),
            ("test\nArborist-Test: pass", "chore(T001): tests fail for \"Export\" (attempt 2/5)", false),
            ("test\nArborist-Test: fail", "chore(T001): tests fail for \"Export\" (attempt 2/5) (!7)", false),
            ("claim", "chore(T001): claimed by ci-7", true),
        ] {
            assert_eq!(title_is_read(step, title), expected, "{step} / {title}");
        }
        for spelling in ["arborist-task: T001", "Arborist-Task:T001", "ARBORIST-TASK:   T001"] {
            let message = format!(
                "chore(T001): complete \"x\"\n\nArborist-Step: complete\nArborist-Result: pass\n{spelling}\n"
            );
            assert!(matches!(commit_kind(message.as_bytes()), CommitKind::Task(..)), "{spelling}");
        }
    }

    #[test]
    fn a_subject_of_ours_and_a_trailer_that_names_another_task_are_no_step() {
        for (trailer, expected) in [
            ("Arborist-Task: T001", true),
            ("Arborist-Task: T002", false),
            ("Arborist-Phase: T001", false),
            ("Arborist-Task: T001\nArborist-Task: T002", false),
        ] {
            let message = format!(
                "task(T001): complete \"x\"\n\nArborist-Step: complete\nArborist-Result: pass\n{trailer}\n"
            );
            let is_step = commit_kind(message.as_bytes()) != CommitKind::Other;
            assert_eq!(is_step, expected, "{trailer}");
        }
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
