//! Words lists, numbers and lengths of time for messages, and breaks paragraphs into lines.

use std::time::Duration;

/// A few of these names, and how many more there are.
pub(crate) fn listed(names: &[String]) -> String {
    listed_up_to(8, names)
}

/// The same with another number of names that are shown.
pub(crate) fn listed_up_to(most: usize, names: &[String]) -> String {
    let first: Vec<String> = names.iter().take(most).map(|name| super::one_line(name)).collect();
    let first = first.join(", ");
    match names.len().saturating_sub(most) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// A number of things: `1 task`, `2 tasks`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A paragraph in lines of at most 80 characters.
#[must_use]
pub fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last().map_or(0, |line| line.chars().count());
        if last > 0 && last + 1 + word.chars().count() > 80 {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}

/// Units in seconds.
const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A length of time in its two largest units: `0.3 s`, `12 s`, `3 min 05 s`, `2 h 07 min`, `1 day 4 h`.
#[must_use]
pub fn duration(length: Duration) -> String {
    let seconds = length.as_secs();
    match seconds {
        // A measured time has a fraction unless it is zero. A configured time, such as a limit of one second, has none.
        0..10 if seconds == 0 || length.subsec_nanos() > 0 => format!("{:.1} s", length.as_secs_f64()),
        MINUTE..HOUR if !seconds.is_multiple_of(MINUTE) => {
            format!("{} {:02} s", whole(seconds), seconds % MINUTE)
        }
        HOUR..DAY if seconds % HOUR >= MINUTE => {
            format!("{} {:02} min", whole(seconds), seconds % HOUR / MINUTE)
        }
        DAY.. if seconds % DAY >= HOUR => format!("{} {} h", whole(seconds), seconds % DAY / HOUR),
        _ => whole(seconds),
    }
}

/// A length of time only in its largest unit: `12 s`, `3 min`, `2 h`, `1 day`.
pub(crate) fn whole(seconds: u64) -> String {
    match seconds {
        0..MINUTE => format!("{seconds} s"),
        MINUTE..HOUR => format!("{} min", seconds / MINUTE),
        HOUR..DAY => format!("{} h", seconds / HOUR),
        _ if seconds < 2 * DAY => "1 day".to_owned(),
        _ => format!("{} days", seconds / DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_shortened_and_says_how_many_are_missing() {
        let names: Vec<String> = (1..=10).map(|number| number.to_string()).collect();
        assert_eq!(listed(&names), "1, 2, 3, 4, 5, 6, 7, 8 and 2 more");
        assert_eq!(listed(&names[..2]), "1, 2");
    }

    #[test]
    fn durations_read_well_at_every_length() {
        for (millis, text) in [
            (0, "0.0 s"),
            (40, "0.0 s"),
            (1_000, "1 s"),
            (1_250, "1.2 s"),
            (12_900, "12 s"),
            (60_000, "1 min"),
            (185_000, "3 min 05 s"),
            (3_600_000, "1 h"),
            (3_659_000, "1 h"),
            (7_620_000, "2 h 07 min"),
            (18_000_000, "5 h"),
            (86_400_000, "1 day"),
            (100_800_000, "1 day 4 h"),
            (190_000_000, "2 days 4 h"),
            (864_000_000, "10 days"),
        ] {
            assert_eq!(duration(Duration::from_millis(millis)), text);
        }
    }
}
