//! Shows moments in the time of this machine.

use chrono::{DateTime, Local, TimeZone};

/// A moment in local time: the time of day, and the date if it is not today.
pub fn clock<Z: TimeZone>(at: &DateTime<Z>) -> String {
    let (at, now) = (at.with_timezone(&Local), Local::now());
    let format = if at.date_naive() == now.date_naive() { "%H:%M" } else { "%Y-%m-%d %H:%M" };
    at.format(format).to_string()
}
