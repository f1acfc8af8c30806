//! Reads Maven's Surefire and Failsafe: `[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0` below `Results:`, once for
//! each module. The same line with the time of one class is a part of it.

use super::reading::FrameworkRun;
use super::{Reading, reading};
use crate::suite::Counts;
use crate::suite::output::Text;

pub(super) fn read(text: &Text) -> Reading {
    let mut sessions = Vec::new();
    let mut is_in_results = false;
    for (at, line) in text.lines().enumerate() {
        let line = ["[INFO] ", "[WARNING] ", "[ERROR] "]
            .iter()
            .find_map(|level| line.strip_prefix(level))
            .unwrap_or(line);
        if matches!(line.trim_end(), "Results:" | "Results :") {
            is_in_results = true;
        } else if let Some(counts) = summary(line).filter(|_| is_in_results) {
            is_in_results = false;
            sessions.push(FrameworkRun { counts, at: Some(text.place(at)) });
        }
    }
    Reading::of(sessions)
}

fn summary(line: &str) -> Option<Counts> {
    let mut numbers = line.split(", ").zip(["Tests run: ", "Failures: ", "Errors: ", "Skipped: "]);
    let mut number = || numbers.next().and_then(|(item, name)| reading::number(item.strip_prefix(name)?));
    let (total, failures, errors, skipped) = (number()?, number()?, number()?, number()?);
    // Tests that passed when they were run again have passed.
    let is_end = |rest: &[&str]| matches!(rest, []) || matches!(rest, [last] if last.starts_with("Flakes: "));
    is_end(&line.split(", ").skip(4).collect::<Vec<_>>()).then_some(())?;
    let failed = failures.checked_add(errors)?;
    Some(Counts { passed: total.checked_sub(failed)?.checked_sub(skipped)?, failed, skipped })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::KeptOutput;
    use crate::suite::output::Stream;

    fn counts(text: &str) -> Option<Counts> {
        read(&Text::new(KeptOutput::Whole(text.as_bytes()), Stream::Stdout)).counts()
    }

    #[test]
    fn the_results_of_modules_are_added_and_those_of_classes_are_parts_of_them() {
        let class =
            "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in a.ATest\n";
        let module =
            "[INFO] \n[INFO] Results:\n[INFO] \n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1\n";
        let failed = "[ERROR] Failures: \n[ERROR]   ATest.x:3\n[ERROR] Tests run: 2, Failures: 1, Errors: 1, Skipped: 0\n";
        let sure = |passed, failed, skipped| Some(Counts { passed, failed, skipped });
        assert_eq!(counts(class), None);
        assert_eq!(counts(&format!("{class}{module}")), sure(2, 0, 1));
        assert_eq!(counts(&format!("{class}{module}{module}")), sure(4, 0, 2));
        let flaky =
            "[WARNING] Results:\n[WARNING] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Flakes: 1\n";
        assert_eq!(counts(&format!("{module}{flaky}")), sure(4, 0, 1));
        assert_eq!(counts(&format!("[INFO] Results:\n{failed}")), sure(0, 2, 0));
        assert_eq!(counts(failed), None, "without a heading");
        assert_eq!(counts("Results :\n\nTests run: 1, Failures: 0, Errors: 0, Skipped: 0\n"), sure(1, 0, 0));
    }
}
