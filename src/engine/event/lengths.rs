//! Times and lengths of time as events write them in JSON, and how they are read back.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};

/// A length of time as a number of seconds.
pub(super) mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de};

    use crate::record::rounded_seconds;

    pub(in crate::engine::event) fn serialize<S: Serializer>(
        length: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(rounded_seconds(*length))
    }

    pub(in crate::engine::event) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// A length of time as a whole number of seconds.
pub(super) mod whole_seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(in crate::engine::event) fn serialize<S: Serializer>(
        length: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(length.as_secs())
    }

    pub(in crate::engine::event) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_secs)
    }
}

pub(super) fn to_the_second<S: Serializer>(
    time: &Option<DateTime<Utc>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    time.map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, false)).serialize(serializer)
}

pub(super) fn to_the_millisecond<S: Serializer>(
    time: &DateTime<Utc>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&time.to_rfc3339_opts(SecondsFormat::Millis, false))
}
