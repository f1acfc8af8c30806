//! Reads what is on a request from a file (docs/pull-requests.md).

use std::collections::HashSet;

use serde::Deserialize as _;

use super::check_state::CheckState;
use super::followed::FollowedRequest;
use crate::text::one_line;

/// Reads a file with what is on a request.
///
/// # Errors
/// What is wrong with it, as a clause.
pub(crate) fn read_file(bytes: &[u8]) -> Result<FollowedRequest, String> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let document: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|error| format!("it is not JSON: {error}"))?;
    if document["version"] != 1 {
        return Err("it has no `\"version\": 1`".to_owned());
    }
    let request = FollowedRequest::deserialize(&document).map_err(|error| error.to_string())?;
    let mut seen = HashSet::new();
    for (number, thread) in request.threads.iter().enumerate() {
        if thread.id.is_empty() {
            return Err(format!("thread {} has no `id`", number + 1));
        }
        if !seen.insert(thread.id.as_str()) {
            return Err(format!("several threads have the id {}", one_line(&thread.id)));
        }
        if thread.comments.iter().any(|comment| comment.at.is_empty()) {
            return Err(format!("a comment of the thread {} has no `at`", one_line(&thread.id)));
        }
    }
    if request
        .checks
        .iter()
        .any(|check| check.name.is_empty() || check.state == CheckState::Failure && request.head.is_empty())
    {
        return Err("a check has no `name`, or it fails and there is no `head`".to_owned());
    }
    Ok(request)
}
