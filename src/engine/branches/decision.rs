//! Decides, from facts about branches alone, what brings a work tree to the branch of a phase, and what merges it.

use crate::run::branches::survey::BranchState;

/// What is checked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckedOut {
    /// The branch of the phase.
    Own,
    /// Another branch.
    Elsewhere,
}

/// A change of branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BranchMove {
    /// The branch of the phase is made at the tip of the base branch.
    Create,
    /// It is moved forward to the tip of the base branch. It is not checked out then.
    Advance,
    /// The base branch is checked out.
    SwitchToBase,
    /// The branch of the phase is checked out.
    SwitchToPhase,
    /// The branch of the phase is merged into the base branch, which is checked out.
    Merge,
}

/// The moves after which the branch of a phase is checked out and can be worked on. Each of them may be the last before the
/// run is killed: what is left is then found in the same way.
pub(super) fn moves_to_phase(branch: BranchState, here: CheckedOut) -> &'static [BranchMove] {
    use BranchMove::{Advance, Create, SwitchToBase, SwitchToPhase};
    match (branch, here) {
        (BranchState::Missing, _) => &[Create, SwitchToPhase],
        (BranchState::Open | BranchState::InBase { is_level: true }, CheckedOut::Own) => &[],
        (BranchState::Open | BranchState::InBase { is_level: true }, CheckedOut::Elsewhere) => {
            &[SwitchToPhase]
        }
        (BranchState::InBase { is_level: false }, CheckedOut::Own) => &[SwitchToBase, Advance, SwitchToPhase],
        (BranchState::InBase { is_level: false }, CheckedOut::Elsewhere) => &[Advance, SwitchToPhase],
    }
}

/// The moves after which the branch of a phase that is complete is merged and the base branch is checked out.
pub(super) fn moves_to_merge(branch: BranchState, is_at_base: bool) -> &'static [BranchMove] {
    use BranchMove::{Merge, SwitchToBase};
    match (branch, is_at_base) {
        (BranchState::Open, true) => &[Merge],
        (BranchState::Open, false) => &[SwitchToBase, Merge],
        (BranchState::InBase { .. } | BranchState::Missing, true) => &[],
        (BranchState::InBase { .. } | BranchState::Missing, false) => &[SwitchToBase],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVEL: BranchState = BranchState::InBase { is_level: true };
    const BEHIND: BranchState = BranchState::InBase { is_level: false };
    const BRANCHES: [BranchState; 4] = [BranchState::Missing, LEVEL, BEHIND, BranchState::Open];

    /// The state after one move.
    fn after(step: BranchMove, state: (BranchState, CheckedOut)) -> (BranchState, CheckedOut) {
        let (branch, here) = state;
        match step {
            BranchMove::Create => {
                assert_eq!(branch, BranchState::Missing, "git refuses to make a branch twice");
                (LEVEL, here)
            }
            BranchMove::Advance => {
                assert_eq!(
                    (branch, here),
                    (BEHIND, CheckedOut::Elsewhere),
                    "only an older branch that is not in use moves"
                );
                (LEVEL, here)
            }
            BranchMove::SwitchToBase => (branch, CheckedOut::Elsewhere),
            BranchMove::SwitchToPhase => (branch, CheckedOut::Own),
            BranchMove::Merge => panic!("nothing is merged before it is worked on"),
        }
    }

    #[test]
    fn a_run_that_is_killed_after_any_move_still_comes_to_the_branch_of_the_phase() {
        for branch in BRANCHES {
            for here in [CheckedOut::Own, CheckedOut::Elsewhere] {
                if (branch, here) == (BranchState::Missing, CheckedOut::Own) {
                    continue;
                }
                let mut state = (branch, here);
                let mut count = 0;
                // One move at a time, as if each run were killed after its first.
                while let Some(step) = moves_to_phase(state.0, state.1).first() {
                    state = after(*step, state);
                    count += 1;
                    assert!(count < 5, "{branch:?} {here:?}");
                }
                assert_eq!(state.1, CheckedOut::Own);
                assert!([LEVEL, BranchState::Open].contains(&state.0));
                assert_eq!(
                    state.0 == BranchState::Open,
                    branch == BranchState::Open,
                    "no work appears or is lost"
                );
            }
        }
    }

    #[test]
    fn a_run_that_is_killed_after_any_move_still_merges_a_phase_once_and_ends_on_the_base_branch() {
        for branch in BRANCHES {
            for is_at_base in [true, false] {
                let (mut branch, mut at_base, mut merges) = (branch, is_at_base, 0);
                let was_open = branch == BranchState::Open;
                while let Some(step) = moves_to_merge(branch, at_base).first() {
                    match step {
                        BranchMove::SwitchToBase => at_base = true,
                        BranchMove::Merge => {
                            assert!(at_base, "a merge goes into the branch that is checked out");
                            (branch, merges) = (BEHIND, merges + 1);
                        }
                        _ => panic!("{step:?}"),
                    }
                }
                assert!(at_base);
                assert_eq!(merges, usize::from(was_open));
            }
        }
    }
}
