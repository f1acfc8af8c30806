//! The clock by which agents tell when a limit resets.

use chrono::{DateTime, TimeZone};

/// The clock of this machine, which agents use for times of day.
pub(in crate::agents) struct LocalClock<'a, Z: TimeZone> {
    /// The time, in the zone of the machine.
    pub(in crate::agents) now: &'a DateTime<Z>,
    /// Whether that zone has this name.
    pub(in crate::agents) is_zone: &'a dyn Fn(&str) -> bool,
}
