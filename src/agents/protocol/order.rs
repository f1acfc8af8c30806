//! The order of the objects in a stream, by the times at which they were printed.

use serde_json::Value;

use super::fields::Fields;

/// The time of the latest object so far, as text that sorts like the time.
#[derive(Debug, Default)]
pub(super) struct Order {
    latest: String,
}

impl Order {
    /// Whether no object before this one, which was printed at the time at `pointer`, was printed later. An object without
    /// a time is in order.
    pub(super) fn keeps(&mut self, object: &Value, pointer: &str) -> bool {
        let time = match object.count(pointer) {
            Some(number) => format!("{number:020}"),
            None => object.text(pointer).unwrap_or_default().to_owned(),
        };
        let is_in_order = time.is_empty() || time >= self.latest;
        if is_in_order && !time.is_empty() {
            self.latest = time;
        }
        is_in_order
    }
}
