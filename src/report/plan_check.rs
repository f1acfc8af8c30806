//! Shows which ticked boxes of a plan are backed by commits.

use serde::Serialize;

use super::Screen;
use super::json_document;
use super::mark::verdict_mark;
use crate::record::{By, State};
use crate::text::one_line;

/// The ticked boxes of a source.
#[derive(Clone, Debug)]
pub struct ClaimsView<'a> {
    /// The tree file.
    pub tree: &'a str,
    /// The source.
    pub source: &'a str,
    /// The boxes, in the order of the source.
    pub claims: Vec<ClaimView<'a>>,
}

/// A task that its source calls done.
#[derive(Clone, Debug)]
pub struct ClaimView<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The line of its box.
    pub line: u32,
    /// What the history says about it.
    pub backing: Backing,
}

/// What the history says about a task that its source calls done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backing {
    /// These commits complete it, or all tasks below it.
    Complete(Vec<Completion>),
    /// It is not complete, or a task below it is not.
    Open {
        /// The task below it.
        task: Option<String>,
        /// The state of the task.
        state: State,
    },
    /// The plan does not have it.
    NotInPlan,
    /// In the plan, it has another name.
    Renamed,
}

/// A commit that completes a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Its id.
    pub commit: String,
    /// Whether it has evidence, or only the word of a person.
    pub by: By,
}

/// How many of these tasks have only the word of a person.
fn vouched(completions: &[Completion]) -> usize {
    completions.iter().filter(|completion| completion.by == By::User).count()
}

impl Backing {
    fn words(&self) -> String {
        match self {
            Self::Complete(commits) => match commits.as_slice() {
                [only] => {
                    let how = if only.by == By::User { "vouched for by a person in" } else { "completed by" };
                    format!("{how} {}", &only.commit[..only.commit.len().min(7)])
                }
                several => match vouched(several) {
                    0 => format!("all {} tasks below it are complete", several.len()),
                    count => format!(
                        "all {} tasks below it are complete, {count} of them vouched for by a person",
                        several.len()
                    ),
                },
            },
            Self::Open { task: None, state } => format!("not complete: {}", state.word()),
            Self::Open { task: Some(task), state } => {
                format!("not complete: {task} below it is {}", state.word())
            }
            Self::NotInPlan => "not in the plan".to_owned(),
            Self::Renamed => "not complete: the task has another name in the plan".to_owned(),
        }
    }
}

/// Which ticked boxes of a source are backed by commits.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    version: u32,
    /// The tree file.
    tree: &'a str,
    /// The source.
    source: &'a str,
    /// How many boxes are ticked.
    claims: usize,
    /// How many of them are not backed by a commit. If there are any, the exit status is 1.
    unbacked: usize,
    /// The ticked boxes, in the order of the source.
    boxes: Vec<Entry<'a>>,
}

/// A ticked box.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Entry<'a> {
    /// The id of the task.
    id: &'a str,
    /// Its name.
    name: &'a str,
    /// The line of the box.
    line: u32,
    /// Whether commits complete the task, or all tasks below it.
    backed: bool,
    /// Why: it is complete; it, or a task below it, is not; the plan does not have it; in the plan, it has another name.
    #[cfg_attr(test, schemars(extend("enum" = ["complete", "open", "not-in-plan", "renamed"])))]
    why: &'static str,
    /// The state of the task, or of the first task below it that is not complete.
    state: &'static str,
    /// The ids of the commits that complete it, or the tasks below it.
    commits: Vec<&'a str>,
    /// How many of these commits have no evidence, only the word of a person.
    vouched: usize,
}

impl ClaimsView<'_> {
    /// Whether all boxes are backed.
    #[must_use]
    pub fn is_backed(&self) -> bool {
        self.unbacked() == 0
    }

    fn unbacked(&self) -> usize {
        self.claims.iter().filter(|claim| !matches!(claim.backing, Backing::Complete(_))).count()
    }

    /// One line for each box.
    #[must_use]
    pub fn text(&self, screen: &Screen) -> String {
        let one = |claim: &ClaimView<'_>| {
            let mark = verdict_mark(Some(matches!(claim.backing, Backing::Complete(_))), screen);
            let place = format!("{}:{}", one_line(self.source), claim.line);
            format!("{mark} {place}: {} {} ({})\n", claim.id, one_line(claim.name), claim.backing.words())
        };
        self.claims.iter().map(one).collect()
    }

    /// One sentence about all boxes.
    #[must_use]
    pub fn tally(&self) -> String {
        let source = one_line(self.source);
        match (self.claims.len(), self.unbacked()) {
            (0, _) => format!("{source} has no ticked box."),
            (1, 0) => format!("{source}: the ticked box is backed by a commit."),
            (1, 1) => format!("{source}: the ticked box is not backed by a commit."),
            (all, 0) => format!("{source}: all {all} ticked boxes are backed by commits."),
            (all, unbacked) => {
                let are = if unbacked == 1 { "is" } else { "are" };
                format!("{source}: {unbacked} of {all} ticked boxes {are} not backed by a commit.")
            }
        }
    }

    /// One JSON document.
    #[must_use]
    pub fn json(&self) -> String {
        json_document(&Document {
            version: 1,
            tree: self.tree,
            source: self.source,
            claims: self.claims.len(),
            unbacked: self.unbacked(),
            boxes: self.claims.iter().map(entry).collect(),
        })
    }
}

fn entry<'a>(claim: &'a ClaimView<'_>) -> Entry<'a> {
    let (why, completions, state): (_, &[Completion], _) = match &claim.backing {
        Backing::Complete(completions) => ("complete", completions, State::Complete.word()),
        Backing::Open { state, .. } => ("open", &[], state.word()),
        Backing::NotInPlan => ("not-in-plan", &[], State::Pending.word()),
        Backing::Renamed => ("renamed", &[], State::Pending.word()),
    };
    Entry {
        id: claim.id,
        name: claim.name,
        line: claim.line,
        backed: matches!(claim.backing, Backing::Complete(_)),
        why,
        state,
        commits: completions.iter().map(|one| one.commit.as_str()).collect(),
        vouched: vouched(completions),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Document<'_>>(
            "check-plan",
            "git arborist check --plan FILE --json",
        );
    }
}
