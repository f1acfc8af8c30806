//! Tests what becomes of plans that nobody writes on purpose.

use super::*;

fn plan_of(format: Format, text: &str) -> ImportedPlan {
    read(format, &[SourceFile { path: "plan.md".to_owned(), text: text.to_owned() }], None)
}

fn said(notes: &[SourceNote]) -> Vec<String> {
    notes.iter().map(|note| format!("{}: {}", note.place.line, note.what)).collect()
}

#[test]
fn values_of_records_are_taken_or_named() {
    let rows = [
        (Format::TaskMaster, r#""description": ["Two inches", {"name": "Copper", "from": "Oslo"}]"#, ""),
        (Format::TaskMaster, r#""priority": "someday""#, r#"1: the field "priority" of "A" is not read"#),
        (Format::Beads, r#""id": ["x"]"#, r#"1: the field "id" is not read"#),
        (Format::TaskMaster, r#""title": "B""#, r#"1: the field "title" of "A" is not read"#),
        (Format::TaskMaster, r#""owner": "me""#, "1: these fields are not read: owner"),
        (Format::Beads, r#""owner": "me", "priority": "P1""#, ""),
        (Format::Beads, r#""parent": "x-9""#, "1: 1 is a part of x-9, which is not among these tasks"),
        (Format::Beads, r#""parent": "1""#, "1: 1 is a part of 1, which is a part of it in turn"),
        (
            Format::Beads,
            r#""dependencies": [{"depends_on_id": "2", "type": "needs"}]"#,
            "1: the dependency on 2 of the kind needs is not read",
        ),
        (Format::Beads, r#""dependencies": [{"depends_on_id": "2", "type": "related"}]"#, ""),
        (
            Format::Beads,
            r#""dependencies": [{"depends_on_id": "2", "type": "blocks", "weight": 3}]"#,
            "1: these fields are not read: weight\n1: 1 depends on 2, which is not among these tasks and counts as done",
        ),
        (Format::Prd, r#""priority": "high", "steps": ["Look", "Touch"]"#, ""),
        (Format::Prd, r#""passes": {"by": "me"}"#, r#"1: the field "passes" of "A" is not read"#),
    ];
    for (format, field, expected) in rows {
        let task = format!(r#"{{"id": "1", "title": "A", {field}}}"#);
        let text = match format {
            Format::TaskMaster => format!(r#"{{"tasks": [{task}]}}"#),
            Format::Prd => format!("[{task}]"),
            _ => task,
        };
        let plan = plan_of(format, &text);
        assert_eq!(
            (said(&plan.problems), said(&plan.warnings).join("\n")),
            (vec![], expected.to_owned()),
            "{field}"
        );
    }
    let plan = plan_of(
        Format::TaskMaster,
        r#"{"tasks": [{"id": 1, "title": "A", "details": ["x", {"name": "y", "z": 2}]}]}"#,
    );
    assert_eq!(plan.nodes[0].description, "- x\n- y; z: 2");
    let long = "word ".repeat(40);
    let plan = plan_of(Format::Prd, &format!(r#"[{{"title": "{long}"}}]"#));
    assert!(plan.nodes[0].name.ends_with("...") && plan.nodes[0].description == long.trim());
}

#[test]
fn a_plan_with_too_much_in_it_is_refused() {
    let rows = [
        (Format::Prd, format!("[{}]", vec!["0"; 1_000_001].join(",")), "more than 1000000 values"),
        (Format::Prd, format!("{}{}", "[".repeat(102), "]".repeat(102)), "nested in more than 100 levels"),
    ];
    for (format, text, expected) in rows {
        let problems = said(&plan_of(format, &text).problems);
        assert!(problems[0].contains(expected), "{problems:?}");
    }
}

#[test]
fn a_dividing_line_at_the_top_begins_no_front_matter() {
    for (text, tasks) in [
        ("---\n\n# House\n\n- [ ] Roof\n\n---\n\n- [ ] Door\n", 2),
        ("---\nNote: all of it\n- [ ] Roof\n---\n", 1),
        ("---\ntitle: House\n# a remark\nlist:\n  - Roof\n---\n- [ ] Door\n", 1),
    ] {
        assert_eq!(plan_of(Format::Checklist, text).nodes.len(), tasks, "{text}");
    }
}

#[test]
fn commands_below_run_are_one_command() {
    for (fence, command) in [
        ("cd app\nA=1 pytest a.py \\\n  -x \\\n  -q", "cd app && A=1 pytest a.py -x -q"),
        ("$ make a\n# then\n$ make b", "make a && make b"),
        ("for f in a b; do\n  ./check.sh $f\ndone", "set -e\nfor f in a b; do\n  ./check.sh $f\ndone"),
    ] {
        let text = format!("### Task 1: A\n\nRun:\n\n```sh\n{fence}\n```\n\nExpected: PASS\n");
        let plan = plan_of(Format::Superpowers, &text);
        assert_eq!(plan.nodes[0].tests[0], command);
    }
}

#[test]
fn arrows_of_a_diagram_lead_to_what_comes_next() {
    let plan = plan_of(
        Format::Arborist,
        "- [ ] T001 A\n- [ ] T002 B\n\n## Dependencies\n\n```mermaid\ngraph TD\n  T002[B] --> T001[A]\n```\n",
    );
    assert_eq!(plan.nodes[0].needs[0].on, Needed::Id("T002".to_owned()));
}

#[test]
fn numbers_that_are_words_of_a_title_are_no_ids() {
    let text = "- [ ] 1. Sign up\n- [ ] 2 factor login\n- [ ] 404 page\n- [ ] 4. Export\n";
    let plan = plan_of(Format::Kiro, text);
    let names: Vec<&str> = plan.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["Sign up", "2 factor login", "404 page", "Export"]);
    let plan = plan_of(Format::Kiro, "- [ ] 1 Sign up\n- [ ] 2 Log in\n");
    assert_eq!(plan.nodes[1].id, ImportedId::Given("2".to_owned()));
}

#[test]
fn tasks_in_a_section_that_is_left_out_are_named() {
    let text = "- [ ] 1. Sign up\n\n## Legend\n\n- [ ] Not started\n- [x] Done\n- [ ] Draw the legend below the map of the garden\n\n\
                ## Progress summary screen\n\n- [ ] 2. Show how far each task is\n";
    let plan = plan_of(Format::OpenSpec, text);
    let names: Vec<&str> = plan.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["Sign up", "Progress summary screen", "Show how far each task is"]);
    assert_eq!(said(&plan.warnings), ["7: this box is outside of the tasks and is not read as one"]);
}

#[test]
fn code_may_be_as_deep_as_it_likes() {
    let text = format!("- [ ] Roof\n\n```\n{}x\n```\n\n- [ ] Door\n", " ".repeat(500));
    assert_eq!(plan_of(Format::Checklist, &text).nodes.len(), 2);
    let text = format!("- [ ] Roof\n{}- x\n", " ".repeat(500));
    assert_eq!(said(&plan_of(Format::Checklist, &text).problems), ["2: lists are nested too deeply here"]);
}

#[test]
fn a_numbered_list_without_boxes_beside_boxes_is_named() {
    let text = "## A\n\n- [ ] Roof\n\n## B\n\n1. Door\n2. Window\n\n## Notes\n\n1. Look at it\n\n## Ideas\n\n- Garden\n";
    let plan = plan_of(Format::Checklist, text);
    assert_eq!(said(&plan.warnings), ["7: 2 items have no box and are not read as tasks (lines 7, 8)"]);
}
