//! The time zone of this machine, to compare with the names of zones that agents print.
//!
//! An agent prints times in the zone of the machine that it runs on, which is this one. So a table of all zones, which
//! would add 1.8 MB to the program, is not needed: a time in any zone but this one and UTC counts as unknown, and
//! waiting then tries again from time to time.

use std::path::{Path, PathBuf};

use chrono::FixedOffset;
use regex_lite::Regex;

use crate::config::Environment;
use crate::files;

/// The folder in which systems keep the description of every zone, in a file with its name.
const ZONES: &str = "/usr/share/zoneinfo";
/// The description of the zone of this machine: a link to one of the files there, or a copy.
const OWN: &str = "/etc/localtime";

/// The zone of local times in this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LocalZone {
    zones: PathBuf,
    own: PathBuf,
}

impl LocalZone {
    /// The zone that `TZ` names, otherwise that of the machine.
    pub(super) fn of(environment: &Environment) -> Self {
        let named = environment.get("TZ").map(|name| name.strip_prefix(':').unwrap_or(name));
        // An absolute path replaces the folder that it is joined to, which is what `TZ=/path` means.
        let own = named.map_or_else(|| PathBuf::from(OWN), |name| Path::new(ZONES).join(name));
        Self { zones: ZONES.into(), own }
    }

    /// Whether this zone has that name, or another name of the same zone. Zones are compared by their rules, so
    /// `Asia/Calcutta` is `Asia/Kolkata`. If the system has no descriptions of zones, the answer is false.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let is_plain = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte))
        };
        let read = |path: &Path| files::read(path, files::SMALL).ok();
        name.split('/').all(is_plain)
            && read(&self.zones.join(name)).is_some_and(|rules| read(&self.own) == Some(rules))
    }
}

/// The zone with this offset from UTC: `UTC`, `UTC+2`, `GMT-05:30`, `+02:00`.
pub(super) fn fixed(name: &str) -> Option<FixedOffset> {
    let zone = Regex::new(r"^(?:(?:Etc/)?UTC|GMT|Z)?(?:([+-])(\d\d?)(?::(\d\d?))?)?$")
        .expect("the pattern is valid");
    let parts = zone.captures(name).filter(|_| !name.is_empty())?;
    let number = |group, most| match parts.get(group) {
        Some(digits) => digits.as_str().parse::<i32>().ok().filter(|number| *number <= most),
        None => Some(0),
    };
    let seconds = number(2, 14)? * 3600 + number(3, 59)? * 60;
    FixedOffset::east_opt(if parts.get(1).is_some_and(|sign| sign.as_str() == "-") {
        -seconds
    } else {
        seconds
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_recognised_by_its_rules_under_every_name() {
        let dir = tempfile::tempdir().unwrap();
        let zones = dir.path().join("zones");
        std::fs::create_dir_all(zones.join("Asia")).unwrap();
        for (name, rules) in [("Asia/Kolkata", "india"), ("Asia/Calcutta", "india"), ("Asia/Tokyo", "japan")]
        {
            std::fs::write(zones.join(name), rules).unwrap();
        }
        let own = dir.path().join("localtime");
        std::fs::write(&own, "india").unwrap();
        let zone = LocalZone { zones: zones.clone(), own };
        let is_ours = |name| zone.is_called(name);
        assert!(is_ours("Asia/Kolkata") && is_ours("Asia/Calcutta"));
        for other in
            ["Asia/Tokyo", "Asia/Nowhere", "Asia", "", "../localtime", "Asia/../../localtime", "/etc/passwd"]
        {
            assert!(!is_ours(other), "{other}");
        }
        let without = LocalZone { own: dir.path().join("missing"), zones };
        assert!(!without.is_called("Asia/Kolkata") && !without.is_called("Asia/Nowhere"));
    }

    #[test]
    fn the_variable_names_a_zone_or_a_file() {
        let own = |pairs: &[(&str, &str)]| LocalZone::of(&Environment::of(pairs)).own;
        assert_eq!(own(&[]), Path::new(OWN));
        assert_eq!(own(&[("TZ", "")]), Path::new(OWN));
        assert_eq!(own(&[("TZ", "Asia/Tokyo")]), Path::new(ZONES).join("Asia/Tokyo"));
        assert_eq!(own(&[("TZ", ":/etc/zone")]), Path::new("/etc/zone"));
    }

    #[test]
    fn an_offset_from_utc_is_a_zone() {
        let cases = [
            ("UTC", Some(0)),
            ("Z", Some(0)),
            ("Etc/UTC", Some(0)),
            ("GMT", Some(0)),
            ("UTC+2", Some(7200)),
            ("GMT-05:30", Some(-19800)),
            ("+02:00", Some(7200)),
            ("UTC+25", None),
            ("UTC+2:75", None),
            ("UTC+", None),
            ("UTC+é", None),
            ("UTCx", None),
            ("CET", None),
            ("é", None),
            ("", None),
        ];
        for (name, seconds) in cases {
            assert_eq!(fixed(name).map(|zone| zone.local_minus_utc()), seconds, "{name:?}");
        }
    }
}
