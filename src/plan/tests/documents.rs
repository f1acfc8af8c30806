//! Tests what a plan says about itself, its documents and its acceptance criteria.

use super::{file, file_with, problems, tree};
use crate::plan::{DocumentKind, TaskTree};

fn documents<'t>(tree: &'t TaskTree, id: &str) -> Vec<(&'t str, DocumentKind)> {
    let all = tree.documents(tree.find(id).unwrap());
    all.into_iter().map(|document| (document.path.as_str(), document.kind)).collect()
}

#[test]
fn a_task_has_its_own_documents_then_those_above_it_then_those_of_the_plan_each_once() {
    use DocumentKind::{Contract, DataModel, Design, Requirements, Research};
    let tree = tree(&file_with(
        r#""title": " The\tplan ", "summary": "What it is for.\n\nAnd why.", "documents": [
            {"path": "spec.md", "for": "requirements"}, {"path": "api.yaml", "for": "contract"}]"#,
        &[
            ("P1", r#""children": ["P2"], "documents": [{"path": "phase.md", "for": "research"}]"#),
            ("P2", r#""children": ["T1", "T2"], "documents": null"#),
            (
                "T1",
                r#""documents": [{"path": "docs/own.md", "for": "data model"}, {"path": "spec.md", "for": "design"}]"#,
            ),
            ("T2", ""),
            ("T3", ""),
        ],
    ));
    let (phase, spec, api) = (("phase.md", Research), ("spec.md", Requirements), ("api.yaml", Contract));
    assert_eq!(documents(&tree, "T1"), [("docs/own.md", DataModel), ("spec.md", Design), phase, api]);
    assert_eq!(documents(&tree, "T2"), [phase, spec, api]);
    assert_eq!(documents(&tree, "T3"), [spec, api]);
    assert_eq!(tree.about.title.as_deref(), Some("The plan"));
    assert_eq!(tree.about.summary.as_deref(), Some("What it is for.\n\nAnd why."));
}

#[test]
fn a_task_without_acceptance_criteria_has_those_of_the_nearest_node_above_it() {
    let tree = tree(&file_with(
        r#""spec_id": "a""#,
        &[
            ("P1", r#""children": ["T1", "T2"], "acceptance": ["1.1 WHEN x\nTHEN y", "1.2"]"#),
            ("T1", r#""acceptance": ["2.1"]"#),
            ("T2", r#""acceptance": []"#),
            ("T3", ""),
        ],
    ));
    let of = |id: &str| tree.acceptance(tree.find(id).unwrap());
    assert_eq!(of("T1"), ["2.1"]);
    assert_eq!(of("T2"), ["1.1 WHEN x\nTHEN y", "1.2"]);
    assert_eq!(of("T3"), [""; 0]);
}

#[test]
fn a_document_outside_of_the_repository_and_an_entry_that_is_not_one_are_refused() {
    let path = "Write the path of a file from the top of the repository, for example \"docs/spec.md\".";
    let words = "one of requirements, design, conventions, research, contract, data model.";
    let kind = format!("Write \"for\": with {words}");
    let of = format!("Write {words}");
    for (entry, expected) in [
        (r#"{"path": "/etc/passwd", "for": "design"}"#, format!(".path is \"/etc/passwd\", which is not a file of the repository: it is an absolute path. {path}")),
        (r#"{"path": "a/../../b", "for": "design"}"#, format!(".path is \"a/../../b\", which is not a file of the repository: a part of it is empty, \".\" or \"..\". {path}")),
        (r#"{"path": "docs/", "for": "design"}"#, format!(".path is \"docs/\", which is not a file of the repository: it is a folder. {path}")),
        (r#"{"path": "", "for": "design"}"#, format!(".path is \"\", which is not a file of the repository: it is empty. {path}")),
        (r#"{"path": "a\nb", "for": "design"}"#, format!(".path is \"a\\nb\", which is not a file of the repository: it has an invisible character in it. {path}")),
        (r#"{"for": "design"}"#, format!(" has no path. {path}")),
        (r#"{"path": "a.md"}"#, format!(" does not say what the document is for. {kind}")),
        (r#"{"path": "a.md", "for": "fun"}"#, format!(".for is fun, which is not known. {of}")),
        (r#""a.md""#, " is a string, but it must be an object. Write it as {\"path\": \"docs/spec.md\", \"for\": \"requirements\"}.".to_owned()),
    ] {
        let node = format!(r#""documents": [{entry}]"#);
        assert_eq!(problems(&file(&[("T1", &node)])), [format!("f:2: nodes.T1.documents[0]{expected}")], "{entry}");
        let top = file_with(&node, &[("T1", "")]);
        assert_eq!(problems(&top), [format!("f:2: documents[0]{expected}")], "{entry}");
    }
}

#[test]
fn what_is_said_twice_or_says_nothing_is_ignored() {
    let twice = r#""documents": [{"path": "a.md", "for": "design"}, {"path": "a.md", "for": "research"}]"#;
    assert_eq!(documents(&tree(&file(&[("T1", twice)])), "T1"), [("a.md", DocumentKind::Design)]);
    let blank = tree(&file(&[("T1", r#""acceptance": ["\n", "a"]"#)]));
    assert_eq!(blank.acceptance(blank.order()[0]), ["a"]);
    let empty = file_with(r#""title": "", "summary": " \n""#, &[("T1", "")]);
    assert_eq!(problems(&empty).len(), 2, "{:?}", problems(&empty));
}
