//! Decides which tasks of a phase a run opens again after the tests of the phase have failed (docs/commits.md).

/// How many tasks of a phase a run opens again at most, each once, until the phase is complete, a person has acted on it, or the
/// plan has changed. Without this bound, a phase that stays red would cost something in every run.
pub const REOPENED_AT_MOST: usize = 2;

/// A complete task of a phase whose tests have failed, as far as that matters here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuspectTask {
    /// Whether the output names a file that it has changed.
    pub is_named: bool,
    /// Whether it was the last to change the file of a test that fails.
    pub has_changed_test: bool,
    /// Whether an agent has completed it, and has another attempt.
    pub has_attempt: bool,
    /// Whether the run has opened it again before, and the bound still counts that.
    pub was_reopened: bool,
}

/// The places of the tasks to which the failure points, the last ones of the phase first: those of which the output names a file,
/// otherwise those that changed a failing test, otherwise the last task.
#[must_use]
pub fn suspects(tasks: &[SuspectTask]) -> Vec<usize> {
    let those = |is_it: fn(&SuspectTask) -> bool| -> Vec<usize> {
        (0..tasks.len()).rev().filter(|place| is_it(&tasks[*place])).collect()
    };
    [those(|task| task.is_named), those(|task| task.has_changed_test)]
        .into_iter()
        .find(|found| !found.is_empty())
        .unwrap_or_else(|| tasks.len().checked_sub(1).into_iter().collect())
}

/// The places of the tasks that the run opens again, in the order of the phase; none if the phase stays red until a person acts.
#[must_use]
pub fn to_reopen(tasks: &[SuspectTask]) -> Vec<usize> {
    let before = tasks.iter().filter(|task| task.was_reopened).count();
    let can = |place: &usize| tasks[*place].has_attempt && !tasks[*place].was_reopened;
    let mut chosen: Vec<usize> = suspects(tasks).into_iter().filter(can).collect();
    chosen.truncate(REOPENED_AT_MOST.saturating_sub(before));
    chosen.reverse();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A task by letters: its file is named, it changed a failing test, it was reopened, its attempts are used up.
    fn task(letters: &str) -> SuspectTask {
        SuspectTask {
            is_named: letters.contains('n'),
            has_changed_test: letters.contains('t'),
            was_reopened: letters.contains('r'),
            has_attempt: !letters.contains('u'),
        }
    }

    #[test]
    fn at_most_two_tasks_are_reopened_and_each_once() {
        let cases: [(&[&str], &[usize]); 18] = [
            (&[], &[]),
            (&[""], &[0]),
            (&["", "", ""], &[2]),
            (&["n", "", ""], &[0]),
            (&["n", "", "n"], &[0, 2]),
            (&["n", "n", "n"], &[1, 2]),
            (&["", "t", ""], &[1]),
            // What the output names says more than who changed the test.
            (&["n", "t", ""], &[0]),
            // The next failure points to another one.
            (&["r", "n", ""], &[1]),
            (&["nr", "n", ""], &[1]),
            (&["nr", "n", "n"], &[2]),
            // Nobody else is suspected because somebody had a try.
            (&["nr", "", ""], &[]),
            (&["", "", "r"], &[]),
            (&["r", "r", "n"], &[]),
            (&["nu", "", ""], &[]),
            (&["n", "nu", ""], &[0]),
            (&["", "u"], &[]),
            (&["n", "n", "n", "r"], &[2]),
        ];
        for (letters, expected) in cases {
            let tasks: Vec<SuspectTask> = letters.iter().map(|letters| task(letters)).collect();
            assert_eq!(to_reopen(&tasks), expected, "{letters:?}");
        }
    }

    #[test]
    fn a_phase_that_stays_red_costs_a_bounded_number_of_attempts() {
        for count in 1..6_usize {
            for named in 0..1_usize << count {
                let mut tasks: Vec<SuspectTask> =
                    (0..count).map(|place| task(if named >> place & 1 == 1 { "n" } else { "" })).collect();
                let mut reopened = 0;
                // It fails again and again.
                for _ in 0..2 * count {
                    for place in to_reopen(&tasks) {
                        tasks[place].was_reopened = true;
                        reopened += 1;
                    }
                }
                assert!((1..=REOPENED_AT_MOST).contains(&reopened), "{count} {named:b}");
            }
        }
    }
}
