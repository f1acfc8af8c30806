//! The part of a tree file on which the history of a run depends: the name of the plan and the names of its nodes.
//!
//! This is read separately from [`super::TaskTree`] and is less strict. A plan with a cycle or an unknown dependency
//! cannot be run, but correcting it must not begin a new run. And a later version of this program with other checks
//! must not find the beginning of a run elsewhere.

use std::collections::HashMap;

use serde::Deserialize;

/// The name of a plan and of its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The plan's own name.
    pub spec_id: Option<String>,
    /// The name of every node by its id, with every run of white space replaced by one blank.
    pub names: HashMap<String, String>,
}

#[derive(Deserialize)]
struct File {
    spec_id: Option<String>,
    nodes: HashMap<String, Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    name: String,
}

impl Outline {
    /// Reads the bytes of a tree file; `None` if they are not JSON, or name no node.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let File { spec_id, nodes } = serde_json::from_slice(bytes).ok()?;
        if nodes.is_empty() || nodes.iter().any(|(key, node)| *key != node.id) {
            return None;
        }
        let name = |node: Node| (node.id, node.name.split_whitespace().collect::<Vec<_>>().join(" "));
        Some(Self { spec_id, names: nodes.into_values().map(name).collect() })
    }

    /// Whether this is an edited version of the other plan: the plan has the same name, and at least half of the nodes
    /// of the smaller version have the same ids and names.
    #[must_use]
    pub fn continues(&self, other: &Self) -> bool {
        let same = self.names.iter().filter(|(id, name)| other.names.get(*id) == Some(name)).count();
        self.spec_id == other.spec_id && 2 * same >= self.names.len().min(other.names.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Outline> {
        Outline::read(text.as_bytes())
    }

    fn plan(spec: &str, nodes: &[(&str, &str)]) -> Outline {
        let nodes: Vec<String> =
            nodes.iter().map(|(id, name)| format!(r#""{id}": {{"id": "{id}", "name": "{name}"}}"#)).collect();
        read(&format!(r#"{{"spec_id": "{spec}", "nodes": {{{}}}}}"#, nodes.join(","))).unwrap()
    }

    #[test]
    fn names_are_read_despite_other_content_and_with_any_spacing() {
        let text = "\u{feff}{\"other\": [[[1]]], \"nodes\": {\"T1\": {\"id\": \"T1\", \"depends_on\": [\"T1\", \"no\"], \"name\": \" a\\n  b \"}}}";
        let outline = read(text).unwrap();
        assert_eq!(outline.spec_id, None);
        assert_eq!(outline.names, HashMap::from([("T1".to_owned(), "a b".to_owned())]));
        let deep = format!(
            r#"{{"x": {}{}, "nodes": {{"T1": {{"id": "T1", "name": "a"}}}}}}"#,
            "[".repeat(10_000),
            "]".repeat(10_000)
        );
        assert!(read(&deep).is_some(), "nesting in unknown fields does no harm");
    }

    #[test]
    fn anything_but_a_plan_has_no_outline() {
        for bad in [
            "",
            "plan",
            "[]",
            "{}",
            r#"{"nodes": {}}"#,
            r#"{"nodes": []}"#,
            r#"{"nodes": {"T1": {"id": "T2", "name": "a"}}}"#,
            r#"{"nodes": {"T1": {"id": "T1"}}}"#,
            r#"{"nodes": {"T1": {"id": "T1", "name": "a"}}} x"#,
            r#"{"spec_id": 1, "nodes": {"T1": {"id": "T1", "name": "a"}}}"#,
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_plan_continues_another_with_the_same_name_and_half_of_its_tasks() {
        let old = plan("s", &[("T1", "a"), ("T2", "b"), ("T3", "c")]);
        assert!(plan("s", &[("T1", "a"), ("T2", "b"), ("T3", "x"), ("T4", "y")]).continues(&old));
        assert!(plan("s", &[("T1", "a"), ("T2", "x")]).continues(&old));
        assert!(!plan("s", &[("T1", "a"), ("T2", "x"), ("T3", "y")]).continues(&old));
        assert!(!plan("t", &[("T1", "a"), ("T2", "b"), ("T3", "c")]).continues(&old));
    }
}
