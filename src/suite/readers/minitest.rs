//! Reads Minitest and test-unit: `4 runs, 2 assertions, 1 failures, 1 errors, 1 skips`, in minitest-reporters `4 tests`, and
//! `3 tests, 2 assertions, 1 failures, 0 errors, 0 pendings, 1 omissions, 0 notifications`.

use super::block::blocks;
use super::{Reading, tally};
use crate::suite::Counts;
use crate::suite::output::Text;

pub(super) fn read(text: &Text) -> Reading {
    blocks(text, |lines| {
        let (total, failed, skipped) = match tally::items(lines.first()?, ", ")?[..] {
            [
                (runs, "runs" | "tests"),
                (_, "assertions"),
                (failures, "failures"),
                (errors, "errors"),
                (skips, "skips"),
            ] => (runs, failures.checked_add(errors)?, skips),
            [
                (tests, "tests"),
                (_, "assertions"),
                (failures, "failures"),
                (errors, "errors"),
                (pendings, "pendings"),
                (omissions, "omissions"),
                (_, "notifications"),
            ] => (tests, failures.checked_add(errors)?, pendings.checked_add(omissions)?),
            _ => return None,
        };
        Some(Counts { passed: total.checked_sub(failed)?.checked_sub(skipped)?, failed, skipped })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Captured;
    use crate::suite::output::Stream;

    #[test]
    fn the_summary_of_minitest_reporters_is_read() {
        let text = b"4 tests, 2 assertions, 1 failures, 1 errors, 1 skips\n";
        let counts = read(&Text::new(Captured::Whole(text), Stream::Stdout)).counts();
        assert_eq!(counts, Some(Counts { passed: 1, failed: 2, skipped: 1 }));
    }
}
