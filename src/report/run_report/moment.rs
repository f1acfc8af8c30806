//! Points in time, as the document of a run has them.

use serde::{Serialize, Serializer};

use crate::report::text::rfc3339;
/// A point in time, in seconds since the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct Moment(
    #[cfg_attr(test, schemars(with = "Option<crate::schema::Time>"))] pub(in crate::report) i64,
);

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        rfc3339(self.0).serialize(serializer)
    }
}
