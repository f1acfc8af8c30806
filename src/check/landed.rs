//! Checks whether the trailers of a landed commit are complete (A018).

use crate::record::TrailerKey;

use super::Rule;
use super::finding::Collector;
use super::message::Message;

/// Checks that the tasks and the run that a landed commit names come together.
pub(super) fn check(message: &Message<'_>, findings: &mut Collector<'_>) {
    for (key, other, value) in
        [(TrailerKey::Complete, TrailerKey::Run, "BASE..TIP"), (TrailerKey::Run, TrailerKey::Complete, "ID")]
    {
        let Some(there) = message.find(key).filter(|_| message.find(other).is_none()) else { continue };
        let what = format!("`{}` has no effect without `{}`", key.name(), other.name());
        let help = format!("add `{}: {value}`, or remove it", other.name());
        findings.at(Rule::Required, there.key_bytes.clone(), what, help);
    }
}
