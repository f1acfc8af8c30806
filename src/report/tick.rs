//! Shows which boxes `build --tick` has ticked.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::json::{Printed, json_document};
use crate::plan::formats::BoxFound;
use crate::text::{advice, listed, one_line};

/// The completed tasks, and their boxes in the sources of the plan.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TickView {
    /// The tree file.
    pub file: String,
    /// The commit that was made; `None` without --commit, or if there was nothing to commit.
    pub commit: Option<String>,
    /// The completed tasks and phases of the plan that come from a source.
    pub tasks: Vec<TickedTask>,
    /// The tasks that are not complete, although their boxes are ticked.
    pub early: Vec<TickedTask>,
}

/// A task or phase, and its box.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TickedTask {
    /// Its id.
    pub id: String,
    /// The source that describes it.
    pub file: String,
    /// The line of the source, or the one on which it was when the plan was built.
    pub line: u32,
    /// Whether it is a task, and not a node above tasks.
    #[serde(skip)]
    pub is_leaf: bool,
    /// What became of its box: it is ticked now, it was ticked before, there is none, the line has another task now, or the
    /// source cannot be read.
    #[serde(rename = "box", serialize_with = "word_of_box")]
    #[cfg_attr(test, schemars(with = "String", extend("enum" = ["ticked", "was-ticked", "none", "moved", "unreadable"])))]
    pub found: Option<BoxFound>,
}

fn word_of_box<S: Serializer>(found: &Option<BoxFound>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match found {
        Some(BoxFound::Open) => "ticked",
        Some(BoxFound::Ticked) => "was-ticked",
        Some(BoxFound::NoBox) => "none",
        Some(BoxFound::NotTheTask) => "moved",
        None => "unreadable",
    })
}

impl TickView {
    /// The tasks whose boxes were ticked, by their sources.
    #[must_use]
    pub fn text(&self) -> String {
        let mut ticked: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for one in self.tasks.iter().filter(|one| one.found == Some(BoxFound::Open)) {
            ticked.entry(&one.file).or_default().push(one.id.clone());
        }
        if ticked.is_empty() {
            return "there is no box to tick\n".to_owned();
        }
        let line =
            |(file, ids): (&str, Vec<String>)| format!("{}: ticked {}\n", one_line(file), listed(&ids));
        let mut text: String = ticked.into_iter().map(line).collect();
        if let Some(commit) = &self.commit {
            text.push_str(&format!("committed as {}\n", &commit[..commit.len().min(7)]));
        }
        text
    }

    /// A sentence for each task whose box was left alone although it is not ticked, or is ticked although the task is not complete.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let one = |one: &TickedTask| {
            let TickedTask { file, id, line, is_leaf, found } = one;
            let place = format!("{}:{line}", one_line(file));
            match (*found)? {
                BoxFound::NotTheTask => Some(format!(
                    "{place} does not have {id} any more, so nothing was ticked for it. {build_update} reads the file again.",
                    build_update = advice::build_update()
                )),
                BoxFound::NoBox if *is_leaf => {
                    Some(format!("{place} has {id}, but no box, so nothing was ticked for it"))
                }
                BoxFound::NoBox | BoxFound::Open | BoxFound::Ticked => None,
            }
        };
        let early = |TickedTask { file, id, line, .. }: &TickedTask| {
            format!("{}:{line} is ticked, but {id} is not complete", one_line(file))
        };
        self.tasks.iter().filter_map(one).chain(self.early.iter().map(early)).collect()
    }

    /// One JSON document.
    #[must_use]
    pub fn json(&self) -> String {
        json_document(&Printed::new("build-tick", self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<TickView>("build-tick", "git arborist build --tick --json");
    }
}
