//! Tests that Graphviz draws what `git arborist status` prints.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::cli::{Story, arborist};
use crate::support::repo::Repo;
use crate::support::skip::has;

/// A plan whose names are as bad as names can be.
fn hostile() -> Repo {
    let name = r##"a "b" \ <script>alert(1)</script> `c` [d] {e} | f; end #quot; %% --> $x ~ ü 日本"##;
    let tests = json!([{"type": "unit", "command": "true"}]);
    let nodes = json!({
        "end": {"id": "end", "name": name, "children": ["T1", "graph"]},
        "T1": {"id": "T1", "name": name, "parent": "end", "test_commands": tests},
        "graph": {"id": "graph", "name": name, "parent": "end", "depends_on": ["T1"], "test_commands": tests},
        "subgraph": {"id": "subgraph", "name": name, "children": ["T2"], "depends_on": ["end"]},
        "T2": {"id": "T2", "name": name, "parent": "subgraph", "test_commands": tests},
    });
    Story::of(&json!({"spec_id": name, "nodes": nodes}).to_string()).whole("T1").told(0).0
}

#[test]
fn graphviz_draws_every_task_and_every_dependency_whatever_their_names() {
    let repo = hostile();
    let said = arborist(repo.path(), &["status", "--dot"]).answer();
    assert!(said.contains(r#""end""#) || said.contains(r#""cluster_end""#), "{said}");
    if !has("dot") {
        return;
    }
    let mut dot =
        Command::new("dot").arg("-Tplain").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    dot.stdin.take().unwrap().write_all(said.as_bytes()).unwrap();
    let output = dot.wait_with_output().unwrap();
    assert!(output.status.success(), "{said}");
    let drawn = String::from_utf8(output.stdout).unwrap();
    let first = |kind: &str| -> BTreeSet<String> {
        let lines = drawn.lines().filter_map(|line| line.strip_prefix(kind));
        lines
            .map(|line| {
                line.split(' ').take(if kind == "edge " { 2 } else { 1 }).collect::<Vec<_>>().join(">")
            })
            .collect()
    };
    let nodes: BTreeSet<String> = ["T1", "T2", "graph"].map(str::to_owned).into();
    assert_eq!(
        first("node ").iter().map(|id| id.trim_matches('"').to_owned()).collect::<BTreeSet<_>>(),
        nodes
    );
    assert_eq!(first("edge ").len(), 2, "{drawn}");
}
