//! Tests that Graphviz draws what `git arborist status` prints.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::cli::arborist;
use crate::support::reports::hostile_names;
use crate::support::skip::has;

#[test]
fn graphviz_draws_every_task_and_every_dependency_whatever_their_names() {
    let repo = hostile_names();
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
