//! Compares what a task asks for in two versions of the file of the plan.

/// The fields of a task that require nothing.
const NO_REQUIREMENTS: [&str; 3] = ["was", "labels", "priority"];

/// Whether a task has other fields in one version of the file than in another, apart from those that require nothing. If a
/// version cannot be read, or the task is in one of them only, nothing is known, and the answer is no.
#[must_use]
pub fn asks_otherwise(then: &[u8], now: &[u8], id: &str) -> bool {
    match (fields_of(then, id), fields_of(now, id)) {
        (Some(then), Some(now)) => then != now,
        _ => false,
    }
}

fn fields_of(text: &[u8], id: &str) -> Option<serde_json::Map<String, serde_json::Value>> {
    let text = std::str::from_utf8(text).ok()?;
    let mut tree: serde_json::Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let serde_json::Value::Object(mut node) = tree.get_mut("nodes")?.get_mut(id)?.take() else { return None };
    node.retain(|field, _| !NO_REQUIREMENTS.contains(&field.as_str()));
    Some(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_asks_otherwise_if_a_field_of_it_differs() {
        let tree = |fields: &str| format!(r#"{{"nodes": {{"T1": {{{fields}}}, "T2": {{}}}}}}"#);
        for (then, now, expected) in [
            (r#""id": "T1", "name": "a""#, r#""name": "a", "id": "T1""#, false),
            (r#""id": "T1""#, r#""id": "T1", "may_change": ["tests/a.py"]"#, true),
            (r#""id": "T1", "labels": ["x"], "priority": 1"#, r#""id": "T1", "was": ["T0"]"#, false),
        ] {
            assert_eq!(asks_otherwise(tree(then).as_bytes(), tree(now).as_bytes(), "T1"), expected, "{now}");
        }
        assert!(!asks_otherwise(b"{", tree("").as_bytes(), "T1"));
        assert!(!asks_otherwise(tree("").as_bytes(), tree("").as_bytes(), "T9"));
    }
}
