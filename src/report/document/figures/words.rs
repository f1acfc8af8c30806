//! The numbers of a run as people read them.

use super::{Figures, Rejections};
use crate::record::{FETCH_RECORDS, UsageTotal, grouped};
use crate::text;

/// The numbers as sentences, each with its label.
pub(crate) fn lines(total: &Figures) -> [(&'static str, String); 8] {
    let used = match total.usage {
        usage if usage.is_known() => usage.to_string(),
        usage if usage.steps == 0 => "nothing".to_owned(),
        _ => "unknown: no agent reported it".to_owned(),
    };
    [
        ("Tasks", tasks(total)),
        ("First pass", first_pass(total)),
        ("Attempts", attempts(total)),
        ("Rejected", rejected(total)),
        ("Time", time(total)),
        ("Elapsed", elapsed(total)),
        ("By people", by_people(total)),
        ("Used", used),
    ]
}

fn tasks(total: &Figures) -> String {
    let mut parts = vec![format!("{} of {} complete", total.complete, total.tasks)];
    let others = [(total.failed, "failed"), (total.skipped, "skipped")];
    parts
        .extend(others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    parts.join(", ")
}

fn first_pass(total: &Figures) -> String {
    match percentage(total.first_pass, total.ended) {
        Some(share) => format!("{} of {} tasks that have ended ({share} %)", total.first_pass, total.ended),
        None if total.complete > 0 => {
            format!(
                "unknown: the attempts are recorded in the run, which is not here; `{FETCH_RECORDS}` fetches it"
            )
        }
        None => "no task has ended yet".to_owned(),
    }
}

/// A share in whole percent; `None` of nothing. Only all of it is 100 %.
fn percentage(part: u32, whole: u32) -> Option<u32> {
    let share = (part.saturating_mul(100).saturating_add(whole / 2)).checked_div(whole)?;
    Some(if part < whole { share.min(99) } else { share })
}

fn attempts(total: &Figures) -> String {
    let count = total.attempts;
    match total.attempts_until_complete {
        Some(average) => {
            format!(
                "{count}; a complete task needed {average:.1} on average and {} at most",
                total.most_attempts
            )
        }
        None => count.to_string(),
    }
}

fn rejected(total: &Figures) -> String {
    let Rejections { tests, review, checks, agent, merge } = total.rejected;
    let by = [
        (tests, "tests"),
        (review, "a review"),
        (checks, "a check"),
        (agent, "the agent itself"),
        (merge, "a failed merge"),
    ];
    let by = by.into_iter().filter(|(count, _)| *count > 0);
    let by: Vec<String> = by.map(|(count, what)| format!("{count} by {what}")).collect();
    if by.is_empty() { "none".to_owned() } else { by.join(", ") }
}

fn time(total: &Figures) -> String {
    let (agents, tests) = (text::duration(total.agents), text::duration(total.tests));
    let proofs = match total.proof_runs {
        0 => String::new(),
        runs => {
            let runs = text::counted(runs as usize, "run");
            format!(", proofs {} in {runs}", text::duration(total.proofs))
        }
    };
    format!("{} (agents {agents}, tests {tests}{proofs})", text::duration(total.worked()))
}

fn elapsed(total: &Figures) -> String {
    match total.span {
        Some(span) => format!("{} from the first step to the newest", text::duration(span.duration())),
        None => "nobody has begun yet".to_owned(),
    }
}

fn by_people(total: &Figures) -> String {
    match percentage(total.person_steps, total.steps) {
        Some(share) => format!("{} of {} steps ({share} %)", total.person_steps, total.steps),
        None => "no step".to_owned(),
    }
}

/// The tokens that were read and written, with a plus if more were used that no agent reported.
pub(crate) fn tokens(usage: &UsageTotal) -> String {
    match (usage.with_tokens, usage.steps) {
        (0, _) => "-".to_owned(),
        (known, all) => format!("{}{}", grouped(usage.known_tokens()), if known < all { "+" } else { "" }),
    }
}

/// The cost, with a plus if more was spent that no agent reported.
pub(crate) fn cost(usage: &UsageTotal) -> String {
    match usage.cost {
        None => "-".to_owned(),
        Some(cost) => format!("{}{}", cost.told(), if usage.with_cost < usage.steps { "+" } else { "" }),
    }
}
