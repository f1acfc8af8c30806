//! Values that several files of a run folder have.

use serde_json::{Map, Value};

use crate::report::run_report::Moment;
use crate::report::text::rfc3339;

/// `lines=85.3 branches=82` as an object.
pub(super) fn coverage(text: Option<&str>) -> Option<Value> {
    let numbers: Map<String, Value> = text?
        .split(' ')
        .filter_map(|part| {
            let (name, percent) = part.split_once('=')?;
            Some((name.to_owned(), Value::from(percent.parse::<f64>().ok()?)))
        })
        .collect();
    Some(Value::Object(numbers))
}

/// A moment as the files write it.
pub(super) fn moment(time: Moment) -> Option<String> {
    rfc3339(time.0)
}
