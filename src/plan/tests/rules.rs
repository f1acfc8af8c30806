//! Tests every rule with a file that breaks it and the resulting error, and with a file that only just does not.

use super::{Nodes, file, file_with, order, problems, tree, warnings};

#[test]
fn a_broken_rule_is_reported_with_its_line_and_a_remedy() {
    let cases: &[(Nodes<'_>, &[&str])] = &[
        // Ids.
        (
            &[("-rf", "")],
            &[
                "f:2: the id -rf cannot be used: it begins with '-', not with a letter or digit. Use at most 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit.",
            ],
        ),
        (
            &[("T1 ", ""), ("T1", "")],
            &[
                "f:2: the id \"T1 \" cannot be used: it contains ' '. Use at most 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit.",
            ],
        ),
        (
            &[("T1", ""), ("T2", ""), ("T1", "")],
            &["f:4: the entry T1 appears twice, on line 2 and on line 4. Keep one of them."],
        ),
        // Unknown nodes.
        (
            &[("T009", r#""depends_on": ["T042"]"#)],
            &["f:2: T009 depends on T042, which is not in the plan. Add T042, or remove it from depends_on."],
        ),
        (
            &[("T001", ""), ("T002", r#""depends_on": ["t001"]"#)],
            &[
                "f:3: T002 depends on t001, which is not in the plan. Did you mean T001? Otherwise add t001, or remove it from depends_on.",
            ],
        ),
        (
            &[("T001", r#""parent": "phase9""#)],
            &[
                "f:2: T001 has the parent phase9, which is not in the plan. Add phase9, or remove it from parent.",
            ],
        ),
        (
            &[("p", r#""children": ["T1", "T2"]"#), ("T1", "")],
            &["f:2: p has the child T2, which is not in the plan. Add T2, or remove it from children."],
        ),
        // Parents and children.
        (
            &[("p", r#""children": ["T1"]"#), ("T1", r#""parent": null"#)],
            &["f:2: T1 has no parent, but p lists it as a child. Correct its parent, or the children."],
        ),
        (
            &[("p", r#""children": []"#), ("T1", r#""parent": "p""#)],
            &[
                "f:3: T1 has the parent p, but p does not list it as a child. Correct its parent, or the children.",
            ],
        ),
        (
            &[("p", ""), ("q", r#""children": ["T1"]"#), ("T1", r#""parent": "p""#)],
            &["f:4: T1 has the parent p, but q lists it as a child. Correct its parent, or the children."],
        ),
        (
            &[("p", r#""children": ["T1"]"#), ("q", r#""children": ["T1"]"#), ("T1", "")],
            &["f:3: T1 is listed as a child of p and of q. Keep it in one of them."],
        ),
        (
            &[("p", r#""parent": "p""#)],
            &["f:2: p is below itself: its parents are p → p. Correct the parent of one of them."],
        ),
        (
            &[
                ("a", r#""parent": "c""#),
                ("b", r#""parent": "a""#),
                ("c", r#""parent": "b""#),
                ("x", r#""parent": "a""#),
            ],
            &["f:2: a is below itself: its parents are a → c → b → a. Correct the parent of one of them."],
        ),
        // Dependencies.
        (
            &[("T1", r#""depends_on": ["T1"]"#)],
            &[
                "f:2: T1 depends on itself. Remove it from depends_on, or name the tasks there that it waits for.",
            ],
        ),
        (
            &[("p", ""), ("q", r#""parent": "p""#), ("T1", r#""parent": "q", "depends_on": ["p"]"#)],
            &[
                "f:4: T1 depends on p, which it is part of. Remove it from depends_on, or name the tasks there that it waits for.",
            ],
        ),
        (
            &[("p", r#""depends_on": ["T1"]"#), ("T1", r#""parent": "p""#)],
            &[
                "f:2: p depends on T1, which is part of it. Remove it from depends_on, or name the tasks there that it waits for.",
            ],
        ),
        (
            &[("T001", r#""depends_on": ["T004"]"#), ("T004", r#""depends_on": ["T001"]"#)],
            &["f:2: the dependencies form a cycle: T001 → T004 → T001. Remove one of these dependencies."],
        ),
        (
            &[
                ("p", r#""children": ["T1"]"#),
                ("q", r#""children": ["T3"], "depends_on": ["p"]"#),
                ("T1", r#""depends_on": ["T3"]"#),
                ("T3", ""),
            ],
            &[
                "f:4: the dependencies form a cycle: T1 → T3 → q → p → T1 (T3 is part of q, T1 is part of p). Remove one of these dependencies.",
            ],
        ),
        // Each knot has its own line, which shows the shortest cycle.
        (
            &[
                ("a", r#""depends_on": ["b"]"#),
                ("b", r#""depends_on": ["c"]"#),
                ("c", r#""depends_on": ["a", "b"]"#),
                ("d", r#""depends_on": ["a"]"#),
                ("x", r#""depends_on": ["y"]"#),
                ("y", r#""depends_on": ["x"]"#),
            ],
            &[
                "f:3: the dependencies form a cycle: b → c → b. Remove one of these dependencies.",
                "f:6: the dependencies form a cycle: x → y → x. Remove one of these dependencies.",
            ],
        ),
    ];
    for (nodes, expected) in cases {
        assert_eq!(problems(&file(nodes)), *expected, "{}", file(nodes));
    }
}

#[test]
fn a_file_that_only_just_keeps_the_rules_is_accepted_silently() {
    let cases: &[Nodes<'_>] = &[
        &[("T1", "")],
        &[("T1", ""), ("T10", r#""depends_on": ["T1"]"#)],
        &[("p", r#""children": ["T1"]"#), ("T1", "")],
        &[("p", ""), ("T1", r#""parent": "p""#)],
        &[("p", r#""children": ["T1"], "parent": null"#), ("T1", r#""parent": "p", "children": []"#)],
        &[
            ("p", r#""children": null, "depends_on": null, "test_commands": null"#),
            ("T1", r#""parent": "p""#),
        ],
        &[("p", ""), ("T1", r#""parent": "p""#), ("T2", r#""parent": "p", "depends_on": ["T1"]"#)],
        &[
            ("p", ""),
            ("T1", r#""parent": "p""#),
            ("q", r#""depends_on": ["p"]"#),
            ("T2", r#""parent": "q", "depends_on": ["T1"]"#),
        ],
        &[("T2", r#""depends_on": ["T1"]"#), ("T1", ""), ("T3", r#""depends_on": ["T1", "T2"]"#)],
        &[("T1", r#""unknown": {"nested": [1, 2]}, "priority": "high""#)],
    ];
    for nodes in cases {
        assert_eq!(warnings(&file(nodes)), [""; 0], "{}", file(nodes));
    }
}

#[test]
fn all_problems_are_reported_at_once_in_the_order_of_the_lines() {
    let json = file_with(
        r#""spec_id": 5"#,
        &[
            ("p", r#""children": ["T1", "T8"]"#),
            ("T1", r#""parent": "p", "depends_on": ["T9", "T1"]"#),
            ("T2", r#""depends_on": ["T3"], "test_commands": [{"type": "x", "timeout": 0}]"#),
            ("T3", r#""depends_on": ["T2"]"#),
        ],
    );
    let said = problems(&json);
    let lines: Vec<&str> = said.iter().map(|text| &text[..4]).collect();
    assert_eq!(lines, ["f:2:", "f:3:", "f:3:", "f:4:", "f:4:", "f:4:", "f:4:", "f:5:"], "{said:#?}");
}

#[test]
fn one_mistake_is_reported_once() {
    // If the key of a node is not its id, or its id cannot be used, nodes that mention it are not reported as well.
    let renamed = r#"{"nodes": {"p": {"id": "p", "name": "n", "children": ["T001"]},
        "T1": {"id": "T001", "name": "n", "parent": "p"}, "T2": {"id": "T2", "name": "n", "depends_on": ["T001"]}}}"#;
    assert_eq!(problems(renamed).len(), 1, "{:#?}", problems(renamed));
    let listed_twice =
        file(&[("p", r#""children": ["T1"]"#), ("q", r#""children": ["T1"]"#), ("T1", r#""parent": "q""#)]);
    assert_eq!(problems(&listed_twice).len(), 1, "{:#?}", problems(&listed_twice));
    let unusable = file(&[("T 1", ""), ("T2", r#""depends_on": ["T 1"], "parent": "T 1""#)]);
    assert_eq!(problems(&unusable).len(), 1, "{:#?}", problems(&unusable));
}

#[test]
fn wrong_fields_that_follow_from_others_are_computed_with_a_warning() {
    let nodes: Nodes<'_> = &[
        ("p", r#""children": ["T2", "T1"]"#),
        ("T1", ""),
        ("T2", ""),
        ("q", r#""depends_on": ["p"]"#),
        ("T3", r#""parent": "q""#),
    ];
    let computed = "Correct it or remove it; the order is computed instead.";
    let file_order = "Correct root_ids or remove it; the order of the file is used instead.";
    let cases = [
        (r#""execution_order": ["T1", "T2", "T3"]"#, vec![], ["T1", "T2", "T3"]),
        (r#""execution_order": null"#, vec![], ["T2", "T1", "T3"]),
        (r#""root_ids": ["p", "q"]"#, vec![], ["T2", "T1", "T3"]),
        (
            r#""execution_order": ["T1", "T2"]"#,
            vec![format!("f:6: execution_order leaves out T3. {computed}")],
            ["T2", "T1", "T3"],
        ),
        (
            r#""execution_order": []"#,
            vec![format!("f:6: execution_order leaves out T2. {computed}")],
            ["T2", "T1", "T3"],
        ),
        (
            r#""execution_order": ["T1", "T3", "T2"]"#,
            vec!["f:6: execution_order lists T3 before a task that must come first. Correct the order; that task is done first all the same.".to_owned()],
            ["T1", "T2", "T3"],
        ),
        (
            r#""execution_order": ["T1", "T2", "T3", "T1"]"#,
            vec![format!("f:6: execution_order names T1, which it has named already. {computed}")],
            ["T2", "T1", "T3"],
        ),
        (
            r#""execution_order": ["T1", "T2", "q"]"#,
            vec![format!("f:6: execution_order names q, which is not a task: it has children. {computed}")],
            ["T2", "T1", "T3"],
        ),
        (
            r#""execution_order": ["T1", "T2", "T4"]"#,
            vec![format!("f:6: execution_order names T4, which is not in the plan. {computed}")],
            ["T2", "T1", "T3"],
        ),
        (
            r#""root_ids": ["p"]"#,
            vec![format!("f:6: root_ids leaves out q. {file_order}")],
            ["T2", "T1", "T3"],
        ),
        (
            r#""root_ids": ["p", "q", "p"]"#,
            vec![format!("f:6: root_ids names p, which it has named already. {file_order}")],
            ["T2", "T1", "T3"],
        ),
        (
            r#""root_ids": ["p", "T3", "q"]"#,
            vec![format!("f:6: root_ids names T3, which has a parent. {file_order}")],
            ["T2", "T1", "T3"],
        ),
        (
            r#""root_ids": ["p", "r"]"#,
            vec![format!("f:6: root_ids names r, which is not in the plan. {file_order}")],
            ["T2", "T1", "T3"],
        ),
    ];
    for (field, warned, ordered) in cases {
        let json = file_with(field, nodes);
        assert_eq!(warnings(&json), warned, "{field}");
        assert_eq!(order(&tree(&json)), ordered, "{field}");
    }
}

#[test]
fn a_node_that_stands_twice_in_a_list_counts_once_and_is_named() {
    let twice = file(&[
        ("p", r#""children": ["T1", "T2", "T1"]"#),
        ("T1", ""),
        ("T2", r#""depends_on": ["T1", "T1"]"#),
    ]);
    assert_eq!(
        warnings(&twice),
        [
            "f:2: children of p names T1 twice. Remove one of them.",
            "f:4: depends_on of T2 names T1 twice. Remove one of them."
        ]
    );
}

#[test]
fn doubtful_things_are_warned_about() {
    let cases: &[(Nodes<'_>, &str)] = &[
        (
            &[("p", r#""is_leaf": false"#)],
            "f:2: p has no children, although is_leaf is false. Correct is_leaf, or its children.",
        ),
        (
            &[("p", r#""is_leaf": true"#), ("T1", r#""parent": "p""#)],
            "f:2: p has children, although is_leaf is true. Correct is_leaf, or its children.",
        ),
        (
            &[("T1", ""), ("T2", r#""dependsOn": ["T1"]"#)],
            "f:3: the field nodes.T2.dependsOn is not known and has no effect. Did you mean depends_on?",
        ),
        (
            &[("T1", r#""test_commands": [{"command": "x", "timeuot": 5}]"#)],
            "f:2: the field nodes.T1.test_commands[0].timeuot is not known and has no effect. Did you mean timeout?",
        ),
    ];
    for (nodes, said) in cases {
        assert_eq!(warnings(&file(nodes)), [*said]);
    }
}

#[test]
fn an_id_that_stands_twice_in_a_list_is_named_with_its_line() {
    let json = file(&[
        ("p", r#""children": ["T1", "T2", "T1"]"#),
        ("T1", ""),
        ("T2", r#""depends_on": ["T1", "T1"]"#),
    ]);
    let twice = |of: &str, line: usize| format!("f:{line}: {of} names T1 twice. Remove one of them.");
    let said = [twice("children of p", 2), twice("depends_on of T2", 4)];
    assert_eq!(warnings(&json), said);
}
