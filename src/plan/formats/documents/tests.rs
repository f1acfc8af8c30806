//! Tests which documents belong to a plan and to its tasks.

use std::collections::BTreeMap;

use super::super::read;
use super::*;

/// Files in memory. One of them cannot be read.
struct Files(BTreeMap<&'static str, &'static str>);

const BROKEN: &str = "specs/1/contracts/photo.png";

impl Nearby for Files {
    fn below(&self, folder: &str) -> Vec<String> {
        let folder = format!("{folder}/");
        self.0.keys().filter(|path| path.starts_with(&folder)).map(|path| (*path).to_owned()).collect()
    }

    fn read(&self, path: &str) -> Result<Option<String>, String> {
        if path == BROKEN {
            return Err("it is no text".to_owned());
        }
        Ok(self.0.get(path).map(|text| (*text).to_owned()))
    }
}

/// The plan in these sources among these files.
fn plan(format: Format, sources: &[&str], files: &[(&'static str, &'static str)]) -> ImportedPlan {
    with_tag(format, None, sources, files)
}

/// The plan with this tag in a file of Task Master.
fn tagged(tag: &str, sources: &[&str], files: &[(&'static str, &'static str)]) -> ImportedPlan {
    with_tag(Format::TaskMaster, Some(tag), sources, files)
}

fn with_tag(
    format: Format,
    tag: Option<&str>,
    sources: &[&str],
    files: &[(&'static str, &'static str)],
) -> ImportedPlan {
    let files = Files(files.iter().copied().collect());
    let source = |path: &&str| SourceFile { path: (*path).to_owned(), text: files.0[path].to_owned() };
    let sources: Vec<SourceFile> = sources.iter().map(source).collect();
    let mut plan = read(format, &sources, tag);
    add_documents(format, &sources, &files, &mut plan);
    plan
}

fn shown(documents: &[Document]) -> Vec<String> {
    documents.iter().map(|document| format!("{} {}", document.path, document.kind.word())).collect()
}

const TASKS: &str = "## Phase 1: Setup\n\n- [ ] T001 Do it\n";

#[test]
fn what_all_sources_share_belongs_to_the_plan_and_the_rest_to_the_phases_of_each() {
    let files = [
        ("app/.specify/memory/constitution.md", "# Rules"),
        (".specify/memory/constitution.md", "# Other rules"),
        ("app/specs/1/tasks.md", TASKS),
        ("app/specs/1/spec.md", "# Feature Specification: One"),
        ("app/specs/2/tasks.md", TASKS),
        ("app/specs/2/spec.md", "# Feature Specification: Two"),
    ];
    let both = plan(Format::SpecKit, &["app/specs/1/tasks.md", "app/specs/2/tasks.md"], &files);
    assert_eq!(shown(&both.about.documents), ["app/.specify/memory/constitution.md conventions"]);
    let of_nodes: Vec<Vec<String>> = both.nodes.iter().map(|node| shown(&node.documents)).collect();
    assert_eq!(of_nodes[0], ["app/specs/1/spec.md requirements"]);
    assert_eq!(of_nodes[2], ["app/specs/2/spec.md requirements"]);
    assert!(of_nodes[1].is_empty() && of_nodes[3].is_empty(), "{of_nodes:?}");
    assert_eq!(both.about.title, None);
    let one = plan(Format::SpecKit, &["app/specs/1/tasks.md"], &files);
    assert_eq!(one.about.documents.len(), 2);
    assert_eq!(one.about.title.as_deref(), Some("One"));
}

#[test]
fn a_file_that_cannot_be_a_document_gives_a_warning_and_is_not_listed() {
    let files = [("specs/1/tasks.md", TASKS), (BROKEN, ""), ("specs/1/contracts/a.yaml", "a: 1")];
    let plan = plan(Format::SpecKit, &["specs/1/tasks.md"], &files);
    assert_eq!(shown(&plan.about.documents), ["specs/1/contracts/a.yaml contract"]);
    let warnings: Vec<&str> = plan.warnings.iter().map(|warning| warning.what.as_str()).collect();
    assert_eq!(warnings, ["specs/1/contracts/photo.png is not listed as a document: it is no text"]);
}

#[test]
fn a_source_outside_of_the_work_tree_has_no_documents_inside() {
    let files = [
        ("/tmp/specs/1/tasks.md", TASKS),
        ("/tmp/specs/1/spec.md", "# Spec"),
        (".specify/memory/constitution.md", "# Rules"),
    ];
    assert_eq!(plan(Format::SpecKit, &["/tmp/specs/1/tasks.md"], &files).about.documents, []);
}

#[test]
fn of_a_large_folder_only_the_first_files_are_listed() {
    let mut files = vec![("specs/1/tasks.md", TASKS)];
    files.extend((0..MOST + 5).map(|at| (&*format!("specs/1/contracts/{at:03}.md").leak(), "c")));
    let plan = plan(Format::SpecKit, &["specs/1/tasks.md"], &files);
    assert_eq!(plan.about.documents.len(), MOST);
    assert_eq!(plan.warnings.len(), 1, "{:?}", plan.warnings);
}

#[test]
fn the_prd_of_task_master_belongs_to_its_usual_tag() {
    let tasks =
        r#"{"master": {"tasks": [{"id": 1, "title": "A"}]}, "loop": {"tasks": [{"id": 1, "title": "B"}]}}"#;
    let source = ".taskmaster/tasks/tasks.json";
    let files = [(source, tasks), (".taskmaster/docs/prd.txt", "# All")];
    for (tag, expected) in [("master", vec![".taskmaster/docs/prd.txt requirements"]), ("loop", vec![])] {
        let plan = tagged(tag, &[source], &files);
        assert_eq!(shown(&plan.about.documents), expected, "{tag}");
    }
}
