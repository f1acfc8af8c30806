//! Classifies the headings and ids of plans with phases.

use super::checkbox::{Tick, split_box, split_id};
use super::texts::name_of;

/// The letters of ids that usually name requirements.
const REQUIREMENTS: [&str; 10] = ["AC", "FR", "NFR", "SC", "US", "REQ", "ADR", "RFC", "ISO", "UTF"];

/// Which ids are the ids of tasks.
#[derive(Clone, Copy)]
pub(super) enum TaskIds {
    /// Those with the letter T. Others, such as `AC-012`, are requirements.
    OnlyT,
    /// All but those that usually name requirements.
    Any,
}

impl TaskIds {
    /// Splits the id of a task off a text.
    pub(super) fn split(self, text: &str) -> Option<(&str, &str)> {
        split_id(text).filter(|(id, _)| match self {
            Self::OnlyT => is_t(id),
            Self::Any => !REQUIREMENTS.contains(&id.split('-').next().unwrap_or_default()),
        })
    }
}

/// Whether an id is a `T` with a number.
pub(super) fn is_t(id: &str) -> bool {
    let rest = id.strip_prefix(['T', 't']).unwrap_or_default();
    rest.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit())
}

pub(super) fn is_user_story(name: &str) -> bool {
    let lower = name.to_lowercase();
    lower.contains("user stor") || lower.split(|c: char| !c.is_alphanumeric()).any(is_story_number)
}

/// Whether a word in lower case is the number of a user story, such as `us1`.
fn is_story_number(word: &str) -> bool {
    word.strip_prefix("us")
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Words that may come before "dependencies" in the heading of a section about dependencies.
const BEFORE: [&str; 8] = ["task", "phase", "story", "stories", "user", "key", "summary", "graph"];

pub(super) fn is_about_dependencies(lower: &str) -> bool {
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let Some(at) = words.iter().position(|word| word.starts_with("dependenc")) else { return false };
    words[..at].iter().all(|word| BEFORE.contains(word) || word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a heading in lower case is one below which spec-kit has checklists that are not tasks.
pub(super) fn is_prose(lower: &str) -> bool {
    const WORDS: [&str; 12] = [
        "validation checklist",
        "reconciliation",
        "path conventions",
        "parallel example",
        "parallel execution",
        "implementation strategy",
        "execution order",
        "notes",
        "format:",
        "execution flow",
        "summary",
        "out of scope",
    ];
    WORDS.iter().any(|word| lower.contains(word))
}

/// The text of a heading without its `#`.
pub(super) fn heading_text(raw: &str) -> &str {
    raw.lines().next().unwrap_or_default().trim_start_matches('#').trim_end_matches('#').trim()
}

/// The word for a phase in several languages.
const PHASE_WORDS: [&str; 10] =
    ["Phase", "phase", "PHASE", "Fase", "Etapa", "Этап", "フェーズ", "阶段", "階段", "단계"];

/// The number and the name of a heading of a phase.
pub(super) fn phase_of(heading: &str) -> Option<(String, String)> {
    let heading = heading.trim_start_matches(|c: char| !c.is_alphanumeric());
    let rest = PHASE_WORDS.iter().find_map(|word| heading.strip_prefix(word))?;
    let rest = match rest.strip_prefix([' ', '-', '\u{a0}']) {
        Some(rest) => rest.trim_start(),
        None if heading.is_ascii() => return None,
        None => rest,
    };
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(rest.len());
    let number = rest[..end].trim_end_matches('.');
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) || number.len() == 1;
    if number.is_empty() || number.len() > 8 || !is_number {
        return None;
    }
    let name = rest[number.len()..]
        .trim_start_matches(|c: char| !(c.is_alphanumeric() || "([`\"【（［".contains(c)));
    let name = name_of(name);
    let name = if name.is_empty() { format!("Phase {number}") } else { name };
    Some((number.to_owned(), name))
}

/// The id and the title of a heading that is a task: `#### T001: Title [P]`, `### Task T001 - Title`.
pub(super) fn task_heading(heading: &str) -> Option<(&str, &str)> {
    let (_, heading) = split_box(heading).unwrap_or((Tick::Open, heading));
    let heading = heading.trim_start();
    let (id, rest) = split_id(heading.strip_prefix("Task ").unwrap_or(heading))?;
    (!rest.trim().is_empty() && !rest.trim_start().starts_with("to ")).then_some((id, rest))
}
