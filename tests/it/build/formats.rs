//! Tests what holds for every format: ids stay when tasks are added, and line ends, byte order marks and tabs change
//! nothing.

use std::path::Path;

use git_arborist::plan::formats::Format;
use serde_json::{Map, Value, json};

use super::expected::{cases, copy};
use crate::support::garden::Garden;

/// A plan of a format.
struct Sample {
    format: &'static str,
    path: &'static str,
    text: &'static str,
    /// Texts of the plan, each with what is inserted before it.
    inserted: &'static [(&'static str, &'static str)],
}

const SAMPLES: [Sample; 11] = [
    Sample {
        format: "arborist",
        path: "spec/tasks.md",
        text: "# Plan\n\n## Phase 1: One\n\n- [ ] T001 Write src/a.rs\n  All of it.\n  Test: `make a`\n- [ ] T002 Write \
               src/b.rs (depends on T001)\n\n### Part\n\n- [ ] T003 Write src/c.rs\n  - [ ] with care\n    - [ ] and \
               tests\n\n## Phase 2: Two\n\n- [ ] T004 Write docs\n",
        inserted: &[
            ("- [ ] T002", "- [ ] T009 Write more\n"),
            ("## Phase 2", "## Phase 9: Nine\n\n- [ ] T010 New\n\n"),
        ],
    },
    Sample {
        format: "spec-kit",
        path: "specs/001-a/tasks.md",
        text: "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Write src/a.rs\n  - All of it\n    - with care\n- [ ] T002 [P] \
               Write src/b.rs\n\n## Phase 2: Story\n\n**Independent Test**: It works\n\n- [ ] T003 [US1] Write src/c.rs\n",
        inserted: &[("- [ ] T002", "- [ ] T009 Write more\n"), ("- [ ] T003", "- [ ] T010 [US1] New\n")],
    },
    Sample {
        format: "openspec",
        path: "openspec/changes/a/tasks.md",
        text: "## 1. Group\n\n- [ ] 1.1 Write a\n  - [ ] a step\n- [ ] 1.2 Write b\n\n## Without number\n\n- [ ] Write \
               docs\n- [ ] Write more docs\n",
        inserted: &[
            ("- [ ] 1.2", "- [ ] 1.9 New\n"),
            ("- [ ] Write more", "- [ ] Newer\n"),
            ("## Without", "## New\n\n- [ ] Newest\n\n"),
        ],
    },
    Sample {
        format: "kiro",
        path: ".kiro/specs/a/tasks.md",
        text: "# Plan\n\n- [ ] 1. First\n  - [ ] 1.1 Part\n    - Details of it\n    - _Requirements: 1.1_\n  - [ ]* 1.2 \
               Part two\n- [ ] 2. Second\n- [ ] Without number\n",
        inserted: &[
            ("  - [ ]* 1.2", "  - [ ] 1.9 New\n"),
            ("- [ ] 2.", "- [ ] 9. Newer\n"),
            ("- [ ] Without", "- [ ] Newest\n"),
        ],
    },
    Sample {
        format: "superpowers",
        path: "docs/superpowers/plans/2026-01-01-a.md",
        text: "# Plan\n\n### Task 1: Write a\n\n**Files:**\n- Create: `src/a.rs`\n\n- [ ] **Step 1: Write**\n  - with \
               care\n\nRun: `make a`\nExpected: PASS\n\n### Task 2: Write b\n\n- [ ] **Step 1: Write**\n",
        inserted: &[("### Task 2", "### Task 9: New\n\n- [ ] **Step 1: Write**\n\n")],
    },
    Sample {
        format: "task-master",
        path: ".taskmaster/tasks/tasks.json",
        text: "{\n  \"master\": {\n    \"tasks\": [\n      {\"id\": 1, \"title\": \"A\", \"subtasks\": [\n        {\"id\": 1, \
               \"title\": \"Part\"},\n        {\"id\": 2, \"title\": \"Part two\"}\n      ]},\n      {\"id\": 2, \"title\": \
               \"B\", \"dependencies\": [1]}\n    ]\n  }\n}\n",
        inserted: &[
            ("{\"id\": 2, \"title\": \"Part two", "{\"id\": 9, \"title\": \"New\"},\n        "),
            ("{\"id\": 2, \"title\": \"B", "{\"id\": 9, \"title\": \"Newer\"},\n      "),
        ],
    },
    Sample {
        format: "backlog",
        path: "backlog/tasks/task-2 - b.md",
        text: "---\nid: task-2\ntitle: Write b\nstatus: To Do\nlabels: [x]\n---\n\n## Description\n\nAll of it.\n\n- one\n- \
               two\n",
        inserted: &[],
    },
    Sample {
        format: "ralph",
        path: "prd.json",
        text: "{\n  \"project\": \"A\",\n  \"userStories\": [\n    {\"id\": \"US-1\", \"title\": \"A\", \"priority\": 1, \
               \"acceptanceCriteria\": [\"It works\"]},\n    {\"title\": \"B\", \"priority\": 2},\n    {\"title\": \"C\", \
               \"priority\": 3}\n  ]\n}\n",
        inserted: &[("{\"title\": \"C", "{\"title\": \"New\", \"priority\": 3},\n    ")],
    },
    Sample {
        format: "ralphex",
        path: "docs/plans/a.md",
        text: "# Plan: A\n\n## Validation Commands\n\n- `make test`\n\n### Task 1: Write a\n\n- [ ] Write\n  - with \
               care\n\n### Task 2: Write b\n\n- [ ] Write\n",
        inserted: &[("### Task 2", "### Task 9: New\n\n- [ ] Write\n\n")],
    },
    Sample {
        format: "beads",
        path: ".beads/issues.jsonl",
        text: "{\"id\": \"b-1\", \"title\": \"A\", \"issue_type\": \"task\"}\n{\"id\": \"b-2\", \"title\": \"B\", \"issue_type\": \
               \"task\"}\n",
        inserted: &[("{\"id\": \"b-2", "{\"id\": \"b-9\", \"title\": \"New\", \"issue_type\": \"task\"}\n")],
    },
    Sample {
        format: "checklist",
        path: "TODO.md",
        text: "# Later\n\n## One\n\n- [ ] Write a\n  All of it.\n  - [ ] Part\n    - [ ] Part of it\n- [ ] Write b\n\n## \
               Two\n\n1. [ ] Write a\n2. [ ] Write c\n",
        inserted: &[
            ("- [ ] Write b", "- [ ] New\n"),
            ("  - [ ] Part\n", "  - [ ] Newer\n"),
            ("2. [ ] Write c", "2. [ ] Newest\n"),
            ("## Two", "## New\n\n- [ ] Write a\n\n"),
        ],
    },
];

/// Builds a plan and returns the tree file.
#[track_caller]
fn build(sample: &Sample, files: &[(&str, &str)]) -> String {
    let garden = Garden::empty();
    garden.git(&["init", "-q"]);
    for (path, text) in files {
        garden.write(path, text);
    }
    let ended = garden.run(&["build"]);
    assert_eq!(ended.status, 0, "{}: {ended:?}", sample.format);
    assert!(ended.stdout.contains(&format!("({})", sample.format)), "{ended:?}");
    garden.read("task-tree.json")
}

/// Builds a plan, changes its text, and returns the updated tree file.
#[track_caller]
fn update(sample: &Sample, changed: &str) -> String {
    let garden = Garden::empty();
    garden.git(&["init", "-q"]);
    garden.write(sample.path, sample.text);
    garden.run(&["build"]).assert(0, &[]);
    garden.write(sample.path, changed);
    garden.run(&["build", "--update", "--yes"]).assert(0, &[]);
    garden.read("task-tree.json")
}

fn names(tree: &str) -> Map<String, Value> {
    let tree: Value = serde_json::from_str(tree).unwrap();
    let nodes = tree["nodes"].as_object().unwrap();
    nodes.iter().map(|(id, node)| (id.clone(), node["name"].clone())).collect()
}

#[test]
fn every_format_has_a_sample() {
    for row in Format::all() {
        assert!(SAMPLES.iter().any(|sample| sample.format == row.name), "{}", row.name);
    }
}

#[test]
fn a_task_that_is_inserted_changes_no_id_of_another_one_in_any_format() {
    for sample in &SAMPLES {
        let before = names(&build(sample, &[(sample.path, sample.text)]));
        let mut more = sample.text.to_owned();
        for (place, new) in sample.inserted {
            assert_eq!(more.matches(place).count(), 1, "{}: {place}", sample.format);
            more = more.replace(place, &format!("{new}{place}"));
        }
        let mut files = vec![(sample.path, more.as_str())];
        if sample.format == "backlog" {
            let other = "---\nid: task-1\ntitle: New\nstatus: To Do\n---\n";
            files.push(("backlog/tasks/task-1 - new.md", other));
        }
        let after = match sample.format {
            // Tasks without ids are numbered, so only an update knows which of them were there.
            "checklist" => names(&update(sample, &more)),
            _ => names(&build(sample, &files)),
        };
        assert!(after.len() > before.len(), "{}: {after:?}", sample.format);
        for (id, name) in &before {
            assert_eq!(after.get(id), Some(name), "{}: {id}: {after:?}", sample.format);
        }
    }
}

#[test]
fn line_ends_byte_order_marks_and_tabs_change_nothing_in_any_format() {
    for sample in &SAMPLES {
        let before = build(sample, &[(sample.path, sample.text)]);
        // YAML knows no tabs at the beginning of a line, but the samples have none there.
        let tabs: String = sample.text.split_inclusive('\n').map(with_tabs).collect();
        let is_indented = sample.text.contains("\n  ");
        assert_eq!(tabs != sample.text, is_indented, "{}", sample.format);
        let with_returns = tabs.replace('\n', "\r\n");
        for text in [&tabs, &format!("\u{feff}{}", sample.text), &format!("\u{feff}{with_returns}")] {
            assert_eq!(build(sample, &[(sample.path, text)]), before, "{}: {text:?}", sample.format);
        }
    }
}

/// The line with a tab in place of every two spaces at its beginning.
fn with_tabs(line: &str) -> String {
    let text = line.trim_start_matches(' ');
    let spaces = line.len() - text.len();
    format!("{}{}{text}", "\t".repeat(spaces / 2), " ".repeat(spaces % 2))
}

#[test]
fn line_ends_and_byte_order_marks_change_nothing_in_any_plan() {
    for (_, case) in cases() {
        let expected = case.join("expected/tree.json");
        if !expected.exists() {
            continue;
        }
        let garden = Garden::empty();
        garden.git(&["init", "-q"]);
        copy(&case, &garden.top());
        convert(&garden.top());
        let args = std::fs::read_to_string(case.join("expected/arguments")).unwrap_or_default();
        let ended = garden.run(&["build"].into_iter().chain(args.lines()).collect::<Vec<_>>());
        assert_eq!(ended.status, 0, "{}: {ended:?}", case.display());
        assert_eq!(
            garden.read("task-tree.json"),
            std::fs::read_to_string(expected).unwrap(),
            "{}",
            case.display()
        );
    }
}

/// Gives every file of a folder a byte order mark and the line ends of Windows.
fn convert(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().is_some_and(|name| name == ".git") {
            continue;
        }
        if path.is_dir() {
            convert(&path);
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\n', "\r\n");
        std::fs::write(&path, format!("\u{feff}{text}")).unwrap();
    }
}

#[test]
fn the_documented_example_has_its_documented_dependencies_with_both_arrows() {
    let plan = |dependencies: &str| {
        format!(
            "# My project\n\n## Phase 1: Database Layer\n\n- [ ] T001 Create schema\n- [ ] T002 Add migrations\n\n## Phase 2: \
             API Layer\n\n- [ ] T003 Build endpoints\n- [ ] T004 Add tests\n\n## Dependencies\n\n{dependencies}\n"
        )
    };
    let stated = [
        // The left task depends on the right one.
        "T003 -> T001  # T003 depends on T001\nT004 -> T003  # T004 depends on T003",
        // The left task comes before the right one.
        "T001 → T003\nT003 → T004",
        "- T003 -> T001\n- T004 -> T003",
    ];
    for dependencies in stated {
        let garden = Garden::empty();
        garden.git(&["init", "-q"]);
        garden.write("spec/tasks.md", &plan(dependencies));
        garden.run(&["build"]).assert(0, &[]);
        let tree: Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
        let nodes = &tree["nodes"];
        assert_eq!(nodes["T001"]["depends_on"], json!([]));
        assert_eq!(nodes["T003"]["depends_on"], json!(["T001"]));
        assert_eq!(nodes["T004"]["depends_on"], json!(["T003"]));
        assert_eq!(tree["execution_order"], json!(["T001", "T002", "T003", "T004"]));
        assert_eq!(tree["root_ids"], json!(["phase1", "phase2"]));
    }
    let garden = Garden::empty();
    garden.git(&["init", "-q"]);
    garden.write("spec/tasks.md", &plan("T003 -> T001\nT003 → T004"));
    let both = garden.run(&["build"]);
    assert!(both.status == 0 && both.stderr.contains("spec/tasks.md:1"), "{both:?}");
    assert!(both.stderr.contains("->") && both.stderr.contains('→'), "{both:?}");
}
