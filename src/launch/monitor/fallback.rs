//! What people are told when one runner works instead of another.

use chrono::{DateTime, Utc};

use crate::engine::{Fallback, clock};

/// What happens, as clauses.
pub(crate) fn words(fallback: &Fallback) -> String {
    let Fallback { runner, reason, instead, until, .. } = fallback;
    let account = runner.split('/').next().unwrap_or(runner);
    format!("{reason}; {instead} works instead, and {account} is left alone {}", left_until(*until))
}

fn left_until(until: Option<DateTime<Utc>>) -> String {
    until.map_or_else(|| "for the rest of the run".to_owned(), |at| format!("until {}", clock(&at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Step, TaskId};

    #[test]
    fn the_words_name_both_runners_and_say_for_how_long_one_is_left_alone() {
        let fallback = |until| Fallback {
            task: TaskId::parse("T001").unwrap(),
            step: Step::IMPLEMENT,
            runner: "claude/opus".to_owned(),
            reason: "claude/opus has no credit left".to_owned(),
            until,
            instead: "codex".to_owned(),
        };
        assert_eq!(
            words(&fallback(None)),
            "claude/opus has no credit left; codex works instead, and claude is left alone for the rest of the run"
        );
        let told = words(&fallback(DateTime::from_timestamp(1_795_000_000, 0)));
        assert!(told.contains(" is left alone until 20"), "{told}");
    }
}
