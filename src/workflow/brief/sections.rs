//! The table of sections: which brief has which of them, and in which order.

use crate::record::{Role, Step};

/// What a brief is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BriefPurpose {
    /// To write code.
    Implement,
    /// To write failing tests before the code.
    Red,
    /// To judge the change.
    Review,
    /// To judge nothing but the tests, which the implementer calls wrong.
    Claim,
}

impl BriefPurpose {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Implement, Self::Red, Self::Review, Self::Claim];

    /// That of a step; `None` if no agent does it.
    #[must_use]
    pub fn of(step: Step) -> Option<Self> {
        Some(match step.role()? {
            Role::Implementer => Self::Implement,
            Role::TestWriter => Self::Red,
            Role::Reviewer => Self::Review,
        })
    }

    /// The first line of the brief of a task.
    #[must_use]
    pub fn title(self, id: &str, name: &str) -> String {
        let asks = match self {
            Self::Implement => "Implement task",
            Self::Red => "Write failing tests for task",
            Self::Review => "Review the change for task",
            Self::Claim => "Judge the tests of task",
        };
        if name.is_empty() { format!("{asks} {id}:") } else { format!("{asks} {id}: {name}") }
    }

    /// Whether paragraphs with this condition are for it; `None` if this is no such condition.
    pub(super) fn fits(self, condition: &str) -> Option<bool> {
        use BriefPurpose::{Claim, Implement, Red, Review};
        let purposes: &[Self] = match condition {
            "implement" => &[Implement],
            "red" => &[Red],
            "review" => &[Review],
            "claim" => &[Claim],
            "worker" => &[Implement, Red],
            "judge" => &[Review, Claim],
            "coded" => &[Implement, Review],
            _ => return None,
        };
        Some(purposes.contains(&self))
    }
}

/// A row of the table.
#[derive(Debug)]
pub(super) struct SectionRow {
    /// The placeholder for it in the templates of users.
    pub(super) name: &'static str,
    /// The heading above it in a brief and above its text in `implement_and_review.txt`.
    pub(super) heading: &'static str,
    /// The letters of the briefs that have it.
    of: &'static str,
}

/// The sections in their order: I for implement, R for red, V for a review, C for a judgement of a claim.
pub(super) const TABLE: &[SectionRow] = &[
    SectionRow { name: "task", heading: "Task", of: "IRVC" },
    SectionRow { name: "place", heading: "Place", of: "IRV" },
    SectionRow { name: "surroundings", heading: "Surroundings", of: "IR" },
    SectionRow { name: "goal", heading: "Goal of the plan", of: "IRV" },
    SectionRow { name: "documents", heading: "Read first", of: "IRV" },
    SectionRow { name: "done", heading: "Done before", of: "IR" },
    SectionRow { name: "others", heading: "Not yours", of: "IRV" },
    SectionRow { name: "judged", heading: "How it is judged", of: "IRV" },
    SectionRow { name: "before", heading: "Before this task", of: "IRV" },
    SectionRow { name: "merge", heading: "Merge", of: "IV" },
    SectionRow { name: "attempts", heading: "Earlier attempts", of: "IRV" },
    SectionRow { name: "saved", heading: "Saved work", of: "IR" },
    SectionRow { name: "notes", heading: "Notes", of: "IRVC" },
    SectionRow { name: "change", heading: "The change", of: "VC" },
    SectionRow { name: "rules", heading: "Rules", of: "IRVC" },
    SectionRow { name: "answer", heading: "Answer", of: "IRVC" },
    SectionRow { name: "extra", heading: "Conventions", of: "IRVC" },
];

/// The texts of all sections.
const TEXTS: &str = include_str!("../prompts/implement_and_review.txt");

impl SectionRow {
    /// The rows of a brief.
    pub(super) fn all_of(purpose: BriefPurpose) -> impl Iterator<Item = &'static Self> {
        let letter = match purpose {
            BriefPurpose::Implement => 'I',
            BriefPurpose::Red => 'R',
            BriefPurpose::Review => 'V',
            BriefPurpose::Claim => 'C',
        };
        TABLE.iter().filter(move |row| row.of.contains(letter))
    }

    /// Its text, with placeholders.
    pub(super) fn text(&self) -> &'static str {
        let is_own = |text: &&str| text.strip_prefix(self.heading).is_some_and(|rest| rest.starts_with('\n'));
        let own = TEXTS.split("## ").find(is_own).expect("a test looks up the text of every section");
        own[self.heading.len()..].trim()
    }
}
