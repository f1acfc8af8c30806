//! Which plan a step claims to belong to (`Arborist-Plan`), and what begins the run of a plan.

use super::TrailerKey;
use super::ours::Ours;
use super::words::words;
use crate::text::one_line;

words! {
    /// What begins a run.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum AnchorRule {
        /// A commit that added the tree file, changed its `spec_id`, or replaced what was not a plan.
        #[default]
        Plan "plan",
        /// Any commit that changed the tree file.
        File "file",
    }
}

/// The tree files that the trailers of a step name. Usually there are none, because most repositories have one plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PlanClaim {
    paths: Vec<String>,
}

impl PlanClaim {
    /// Reads a message.
    #[must_use]
    pub fn of(message: &[u8]) -> Self {
        Self::among(&Ours::of(message))
    }

    /// That of a message with these trailers.
    pub(super) fn among(ours: &Ours<'_>) -> Self {
        Self { paths: ours.values(TrailerKey::Plan).map(written).collect() }
    }

    /// Whether a plan is named.
    #[must_use]
    pub fn is_made(&self) -> bool {
        !self.paths.is_empty()
    }

    /// Whether the step may belong to the plan at this path from the top of the work tree; `None` is a plan outside of
    /// it. A step that names no plan may belong to any, and one that names two belongs to none.
    #[must_use]
    pub fn fits(&self, path: Option<&[u8]>) -> bool {
        if !self.is_made() {
            return true;
        }
        path.is_some_and(|path| self.paths.iter().all(|named| *named == written(path)))
    }
}

/// A path on one line, as in trailers.
fn written(path: &[u8]) -> String {
    one_line(&String::from_utf8_lossy(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(trailers: &str) -> PlanClaim {
        PlanClaim::of(format!("task(T1): x\n\nbody\n\nArborist-Step: test\n{trailers}").as_bytes())
    }

    #[test]
    fn a_step_belongs_to_the_plan_that_it_names() {
        let other = claim("arborist-plan:  specs/b.json\n");
        assert!(other.fits(Some(b"specs/b.json")) && !other.fits(Some(b"b.json")) && !other.fits(None));
        assert!(claim("Arborist-Plan: a  b\n").fits(Some(b"a  b")), "white space is as trailers have it");
    }

    #[test]
    fn a_step_that_names_no_plan_may_belong_to_any_and_one_that_names_two_to_none() {
        let none = claim("Arborist-Test: pass\n");
        assert!(none.fits(Some(b"a")) && none.fits(None) && !none.is_made());
        let in_the_body = PlanClaim::of(b"task(T1): x\n\nArborist-Plan: a\n\nArborist-Step: test\n");
        assert!(in_the_body.fits(Some(b"b")));
        let two = claim("Arborist-Plan: a\nArborist-Plan: b\n");
        assert!(!two.fits(Some(b"a")) && !two.fits(Some(b"b")));
        assert!(!claim("Arborist-Plan:\n").fits(Some(b"a")));
    }
}
