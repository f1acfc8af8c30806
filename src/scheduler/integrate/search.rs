//! Searches a red batch, which is a list of tasks whose tests fail once all of them are merged. It looks for the longest beginning of
//! the list that passes, and for the first task that breaks something. With help, several beginnings are tested at the same time;
//! without, only the one that ends in the middle.

use super::parts::{FinishedTask, NewTip, Trial};
use crate::plan::TestCommand;

/// A search among tasks whose merge is red.
#[derive(Debug)]
pub(super) struct RedSearch {
    /// All of them, in the order of their merges.
    all: Vec<FinishedTask>,
    /// Beginnings of this order, the shortest first.
    parts: Vec<TestedPart>,
}

/// A merge of tasks that is tested: of all of them, or of the first ones of a red batch.
#[derive(Debug)]
pub(super) struct TestedPart {
    pub(super) tip: NewTip,
    pub(super) commands: Vec<TestCommand>,
    /// Whether its tests have passed, as far as that is known.
    pub(super) passes: Option<bool>,
}

/// What a search has found.
#[derive(Debug)]
pub(super) struct SearchResult {
    /// The longest beginning that passes.
    pub(super) green: Option<NewTip>,
    /// The tasks after it, of which the first that breaks something is one.
    pub(super) red: Vec<FinishedTask>,
    /// The others.
    pub(super) rest: Vec<FinishedTask>,
}

impl TestedPart {
    /// How many tasks it has.
    pub(super) fn count(&self) -> usize {
        self.tip.merged.len()
    }

    pub(super) fn trial(&self) -> Trial {
        self.tip.trial(&self.commands)
    }
}

impl RedSearch {
    /// A search among these tasks by these parts, of which there is at least one.
    pub(super) fn new(all: Vec<FinishedTask>, parts: Vec<TestedPart>) -> Self {
        Self { all, parts }
    }

    /// The place of the part that is tested here: the middle, which tells most if no other part is tested.
    fn own_place(&self) -> usize {
        self.parts.len() / 2
    }

    /// The part that is tested here.
    pub(super) fn own(&mut self) -> &mut TestedPart {
        let place = self.own_place();
        self.parts.get_mut(place).expect("a search has parts")
    }

    /// The part that was tested here, and the tasks after it, if it has a single task, which breaks something.
    pub(super) fn single(mut self) -> Result<(TestedPart, Vec<FinishedTask>), Self> {
        let own = self.own();
        if own.count() != 1 || own.passes != Some(false) {
            return Err(self);
        }
        let place = self.own_place();
        Ok((self.parts.swap_remove(place), self.all.split_off(1)))
    }

    /// The parts that others may test.
    pub(super) fn of_others(&self) -> Vec<Trial> {
        let own = self.own_place();
        let others = self.parts.iter().enumerate().filter(|(place, _)| *place != own);
        others.map(|(_, part)| part.trial()).collect()
    }

    /// Takes what others have found, in the order of [`RedSearch::of_others`]. Returns whether nothing more can be learned.
    pub(super) fn learn(&mut self, answers: &[Option<bool>]) -> bool {
        let own = self.own_place();
        let others = self.parts.iter_mut().enumerate().filter(|(place, _)| *place != own);
        for ((_, part), answer) in others.zip(answers) {
            part.passes = *answer;
        }
        let known: Vec<Option<bool>> = self.parts.iter().map(|part| part.passes).collect();
        let (green, red) = interval(&known);
        red == green
    }

    /// What was found.
    pub(super) fn found(mut self) -> SearchResult {
        let known: Vec<Option<bool>> = self.parts.iter().map(|part| part.passes).collect();
        let (green, red) = interval(&known);
        let end = self.parts.get(red).map_or(self.all.len(), TestedPart::count);
        let green = green.checked_sub(1).map(|place| self.parts.swap_remove(place).tip);
        let rest = self.all.split_off(end);
        let red = self.all.split_off(green.as_ref().map_or(0, |tip| tip.merged.len()));
        SearchResult { green, red, rest }
    }
}

/// After how many parts the last one ends that passes, and after how many of the others the first one that fails after it begins. What
/// is between them is not known.
fn interval(known: &[Option<bool>]) -> (usize, usize) {
    let green = known.iter().rposition(|passes| *passes == Some(true)).map_or(0, |place| place + 1);
    let after = known.iter().skip(green).position(|passes| *passes == Some(false));
    (green, after.map_or(known.len(), |place| green + place))
}

/// How many tasks the parts of a red batch have, if up to so many are tested at the same time.
pub(super) fn sizes(batch: usize, testers: usize) -> Vec<usize> {
    let parts = testers.clamp(1, batch.saturating_sub(1).max(1));
    let mut sizes: Vec<usize> = (1..=parts).map(|nth| nth * batch / (parts + 1)).collect();
    sizes.retain(|size| (1..batch).contains(size));
    sizes.dedup();
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many rounds of tests it takes to be left with the task at this place, which alone breaks something.
    fn rounds(batch: usize, bad: usize, testers: usize) -> usize {
        let (mut from, mut to, mut rounds) = (0, batch, 0);
        while to - from > 1 {
            let sizes = sizes(to - from, testers);
            let known: Vec<Option<bool>> = sizes.iter().map(|size| Some(from + size <= bad)).collect();
            let (green, red) = interval(&known);
            (from, to) = (
                green.checked_sub(1).map_or(from, |place| from + sizes[place]),
                sizes.get(red).map_or(to, |size| from + size),
            );
            rounds += 1;
        }
        assert_eq!(from, bad);
        rounds
    }

    #[test]
    fn with_eight_who_help_a_bad_task_among_32_is_found_in_two_rounds_and_alone_in_five() {
        for bad in 0..32 {
            assert!(rounds(32, bad, 9) <= 2, "{bad}");
            assert!(rounds(32, bad, 1) <= 5, "{bad}");
        }
        for (batch, testers) in [(2, 1), (2, 9), (3, 9), (7, 3), (300, 9)] {
            (0..batch).for_each(|bad| assert!(rounds(batch, bad, testers) <= 9));
        }
    }

    #[test]
    fn what_is_not_known_is_between_the_last_part_that_passes_and_the_next_one_that_fails() {
        const Y: Option<bool> = Some(true);
        const N: Option<bool> = Some(false);
        for (known, between) in [
            (&[Y, Y, N, N][..], (2, 2)),
            (&[Y, None, N], (1, 2)),
            (&[None, Y, None], (2, 3)),
            (&[N, None], (0, 0)),
            // What passes may be merged, whatever else has failed.
            (&[N, Y, N], (2, 2)),
            (&[None], (0, 1)),
        ] {
            assert_eq!(interval(known), between, "{known:?}");
        }
    }
}
