//! Tests values of wrong types, missing values, and values out of range.

use super::{file, problems, tree};

#[test]
fn wrong_types_are_named_by_their_path() {
    let cases = [
        (
            r#""depends_on": ["a", "b", 3]"#,
            "nodes.T1.depends_on[2] is a number, but it must be a string. Write it in double quotes.",
        ),
        (
            r#""depends_on": "T2""#,
            "nodes.T1.depends_on is a string, but it must be a list. Write it in square brackets.",
        ),
        (
            r#""children": {}"#,
            "nodes.T1.children is an object, but it must be a list. Write it in square brackets.",
        ),
        (
            r#""children": [null]"#,
            "nodes.T1.children[0] is null, but it must be a string. Write it in double quotes.",
        ),
        (
            r#""parent": 7"#,
            "nodes.T1.parent is a number, but it must be a string. Write it in double quotes.",
        ),
        (
            r#""description": ["a"]"#,
            "nodes.T1.description is a list, but it must be a string. Write it in double quotes.",
        ),
        (
            r#""description": "\ud800""#,
            "nodes.T1.description has a \\u escape that is not a character. Write the character itself.",
        ),
        (
            r#""is_leaf": "yes""#,
            "nodes.T1.is_leaf is a string, but it must be true or false. Write it without quotes.",
        ),
        (
            r#""source_line": "3""#,
            "nodes.T1.source_line is a string, but it must be a number. Write the line as a whole number, or leave the field out.",
        ),
        (
            r#""source_line": -3"#,
            "nodes.T1.source_line is -3, which is not a line number. Write the line as a whole number, or leave the field out.",
        ),
        (
            r#""source_line": 99999999999999999999"#,
            "nodes.T1.source_line is 99999999999999999999, which is not a line number. Write the line as a whole number, or leave the field out.",
        ),
        (
            r#""test_commands": "true""#,
            "nodes.T1.test_commands is a string, but it must be a list. Write it in square brackets.",
        ),
        (
            r#""test_commands": ["true"]"#,
            "nodes.T1.test_commands[0] is a string, but it must be an object. Write it in braces.",
        ),
        (
            r#""test_commands": [{}]"#,
            "nodes.T1.test_commands[0] has no command. Write a shell command, or remove the whole entry.",
        ),
        (
            r#""test_commands": [{"command": " "}]"#,
            "nodes.T1.test_commands[0].command is empty. Write a shell command, or remove the whole entry.",
        ),
        (
            r#""test_commands": [{"command": "a\u0000"}]"#,
            "nodes.T1.test_commands[0].command contains a NUL character. Write a shell command, or remove the whole entry.",
        ),
        (
            r#""test_commands": [{"command": "x"}, {"command": "x", "type": "unti"}]"#,
            "nodes.T1.test_commands[1].type is unti, which is not known. Did you mean unit? Write one of unit, integration, e2e, setup, teardown, mutation.",
        ),
        (
            r#""test_commands": [{"command": "x", "type": "smoke"}]"#,
            "nodes.T1.test_commands[0].type is smoke, which is not known. Write one of unit, integration, e2e, setup, teardown, mutation.",
        ),
        (
            r#""touches": "src""#,
            "nodes.T1.touches is a string, but it must be a list. Write it in square brackets.",
        ),
        (
            r#""touches": ["src", "/etc/passwd"]"#,
            "nodes.T1.touches[1] is \"/etc/passwd\", which can match no file: it is an absolute path. Write a path from the top of the repository, with `*` for any name and `**` for any folders, for example \"src/api/**\".",
        ),
        (r#""name": "again""#, "the field nodes.T1.name appears twice, on line 2. Keep one of them."),
    ];
    for (field, said) in cases {
        let json = file(&[("T1", field), ("a", ""), ("b", "")]);
        assert_eq!(problems(&json), [format!("f:2: {said}")], "{field}");
    }
}

#[test]
fn a_timeout_is_a_number_of_seconds_above_zero() {
    let with = |timeout: &str| {
        file(&[("T1", &format!(r#""test_commands": [{{"command": "x", "timeout": {timeout}}}]"#))])
    };
    for bad in ["0", "-1", "0.0", "1e-12", "1e999", "1e300", "99999999999"] {
        let said =
            format!("nodes.T1.test_commands[0].timeout is {bad}, which is not a valid number of seconds");
        assert!(problems(&with(bad))[0].contains(&said), "{bad}: {:?}", problems(&with(bad)));
    }
    assert!(problems(&with("\"60\""))[0].contains("is a string, but it must be a number of seconds"));
    for (good, millis) in [("60", Some(60_000)), ("0.5", Some(500)), ("null", None)] {
        let tree = tree(&with(good));
        let timeout = tree.node(tree.order()[0]).test_commands[0].timeout;
        assert_eq!(timeout.map(|span| span.as_millis()), millis, "{good}");
    }
}

#[test]
fn a_node_needs_its_id_and_a_name() {
    let cases = [
        (r#"{"nodes": {"T1": {"name": "n"}}}"#, "f:1: nodes.T1 has no id. Add \"id\": \"T1\"."),
        (r#"{"nodes": {"T1": {"id": null, "name": "n"}}}"#, "f:1: nodes.T1 has no id. Add \"id\": \"T1\"."),
        (
            r#"{"nodes": {"T1": {"id": "T01", "name": "n"}}}"#,
            "f:1: the entry at the key T1 has the id T01. Make the key and the id the same.",
        ),
        (
            r#"{"nodes": {"T1": {"id": "T1"}}}"#,
            "f:1: nodes.T1 has no name. Write one line that says what it is.",
        ),
        (
            r#"{"nodes": {"T1": {"id": "T1", "name": " \n "}}}"#,
            "f:1: nodes.T1.name is empty. Write one line that says what it is.",
        ),
        (
            r#"{"nodes": {"T1": null}}"#,
            "f:1: nodes.T1 is null, but it must be an object. Write it in braces.",
        ),
        (
            r#"{"nodes": {}}"#,
            "f:1: the plan has no tasks: \"nodes\" is empty. Add one, for example \"nodes\": {\"T001\": {\"id\": \"T001\", \"name\": \"What is to be done\"}}.",
        ),
        (
            r#"{"nodes": null}"#,
            "f:1: the plan has no tasks: there is no field \"nodes\". Add one, for example \"nodes\": {\"T001\": {\"id\": \"T001\", \"name\": \"What is to be done\"}}.",
        ),
        (
            r#"{"spec_id": "x"}"#,
            "f:1: the plan has no tasks: there is no field \"nodes\". Add one, for example \"nodes\": {\"T001\": {\"id\": \"T001\", \"name\": \"What is to be done\"}}.",
        ),
        (
            r#"{"nodes": [{"id": "T1"}]}"#,
            "f:1: nodes is a list, but it must be an object that maps ids to nodes. Write it as {\"T001\": {\"id\": \"T001\", \"name\": ...}}.",
        ),
        (r#"[1]"#, "f:1: the plan is a list, but it must be an object. Write it in braces."),
        (
            r#"{"nodes": {"T1": {"id": "T1", "name": "n"}}, "nodes": {}}"#,
            "f:1: the field nodes appears twice, on line 1. Keep one of them.",
        ),
    ];
    for (json, said) in cases {
        assert_eq!(problems(json), [said], "{json}");
    }
}

#[test]
fn the_files_that_a_node_touches_apply_below_it_until_another_node_says_otherwise() {
    let tree = tree(&file(&[
        ("P1", r#""touches": ["src/**"], "children": ["T1", "T2", "T3"]"#),
        ("T1", ""),
        ("T2", r#""touches": ["docs"]"#),
        ("T3", r#""touches": []"#),
        ("T4", r#""touches": null"#),
    ]));
    let touches = |id: &str| {
        let patterns = tree.touches(tree.find(id).unwrap());
        patterns.iter().map(|pattern| pattern.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(touches("P1"), ["src/**"]);
    assert_eq!(touches("T1"), ["src/**"]);
    assert_eq!(touches("T2"), ["docs"]);
    assert_eq!(touches("T3"), [""; 0], "this is not known");
    assert_eq!(touches("T4"), [""; 0]);
}
