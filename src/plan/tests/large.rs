//! Tests large and odd shapes: nothing recurses, and nothing takes quadratic time.

use std::time::{Duration, Instant};

use super::super::{Readiness, TreeReadiness};
use super::{order, problems, tree};
use crate::growth::assert_linear;
use crate::record::State;

/// A file of nodes `N0`, `N1`, ..., each with the fields that `fields` gives for its number.
fn numbered(count: usize, fields: impl Fn(usize) -> String) -> String {
    let node = |n: usize| {
        let more = fields(n);
        let comma = if more.is_empty() { "" } else { ", " };
        format!(
            "    \"N{n}\": {{\n      \"id\": \"N{n}\",\n      \"name\": \"Node {n}\"{comma}{more}\n    }}"
        )
    };
    let nodes: Vec<String> = (0..count).map(node).collect();
    format!("{{\n  \"nodes\": {{\n{}\n  }}\n}}\n", nodes.join(",\n"))
}

/// Far more levels than the stack of a thread could hold, if anything recursed.
const MANY: usize = 20_000;

/// A chain of parents.
fn ancestors(count: usize) -> String {
    numbered(count, |n| if n == 0 { String::new() } else { format!("\"parent\": \"N{}\"", n - 1) })
}

/// A chain of dependencies, the first of which is the last node.
fn dependencies(count: usize) -> String {
    numbered(
        count,
        |n| {
            if n + 1 == count { String::new() } else { format!("\"depends_on\": [\"N{}\"]", n + 1) }
        },
    )
}

/// A cycle through the parents of all nodes.
fn ring_of_parents(count: usize) -> String {
    numbered(count, |n| format!("\"parent\": \"N{}\"", (n + 1) % count))
}

/// A cycle through the dependencies of all nodes.
fn ring_of_dependencies(count: usize) -> String {
    numbered(count, |n| format!("\"depends_on\": [\"N{}\"]", (n + 1) % count))
}

/// Two phases, the second of which depends on the first, with `count` tasks each.
fn two_phases(count: usize) -> String {
    numbered(2 * count + 2, |n| match n {
        0 => String::new(),
        1 => "\"depends_on\": [\"N0\"]".to_owned(),
        n => format!("\"parent\": \"N{}\"", n % 2),
    })
}

/// Every node depends on one that does not exist.
fn missing(count: usize) -> String {
    numbered(count, |_| "\"depends_on\": [\"gone\"]".to_owned())
}

/// Every node depends on one that does not exist, and whose id is like those of others.
fn misspelt(count: usize) -> String {
    numbered(count, |n| format!("\"depends_on\": [\"Nx{n}\"]"))
}

#[test]
fn the_work_of_loading_grows_with_the_number_of_nodes_and_not_with_its_square() {
    let valid = [
        ("parents", ancestors as fn(usize) -> String),
        ("dependencies", dependencies),
        ("phases", two_phases),
    ];
    for (name, json) in valid {
        assert_linear(name, 500, json, |json| tree(json).order().len());
        let read = |count| tree(&json(count));
        assert_linear(name, 500, read, |tree| TreeReadiness::new(tree, |_| State::Pending).ready().count());
    }
    let wrong = [
        ("a cycle of parents", ring_of_parents as fn(usize) -> String),
        ("a cycle of dependencies", ring_of_dependencies),
        ("missing nodes", missing),
        ("misspelt nodes", misspelt),
    ];
    for (name, json) in wrong {
        assert_linear(name, 500, json, |json| problems(json).len());
    }
}

#[test]
fn a_chain_of_very_many_parents_loads() {
    let tree = tree(&ancestors(MANY));
    assert_eq!(order(&tree), [format!("N{}", MANY - 1)]);
    assert_eq!(tree.node(tree.order()[0]).depth, MANY - 1);
    assert_eq!(tree.ancestors(tree.order()[0]).count(), MANY - 1);
    assert_eq!(tree.leaves_below(tree.roots()[0]).count(), 1);
    drop(tree.clone());
}

#[test]
fn a_chain_of_very_many_dependencies_loads() {
    let tree = tree(&dependencies(MANY));
    assert_eq!(order(&tree)[0], format!("N{}", MANY - 1));
    let first_failed = |ix| if ix == tree.order()[0] { State::Failed } else { State::Pending };
    let all = TreeReadiness::new(&tree, first_failed);
    let last = tree.order()[MANY - 1];
    assert_eq!(all.of(last), Readiness::Blocked);
    assert_eq!(all.blocked_by(last), [tree.order()[0]]);
    assert_eq!(all.waits_for(last), [tree.order()[MANY - 2]]);
}

#[test]
fn at_most_a_thousand_problems_are_listed_and_all_are_counted() {
    for (count, listed, more) in
        [(1000, 1000, None), (1001, 1000, Some("f: and 1 more")), (5000, 1000, Some("f: and 4000 more"))]
    {
        let lines = problems(&missing(count));
        assert_eq!(lines.iter().filter(|line| line.contains("gone")).count(), listed, "{count}");
        assert_eq!(lines.get(listed).map(String::as_str), more, "{count}");
        assert!(lines[0].starts_with("f:5: "), "{}", lines[0]);
    }
    assert_eq!(problems(&misspelt(5000)).last().unwrap(), "f: and 4000 more");
    // The number of warnings is limited in the same way.
    let json = numbered(5000, |_| "\"is_leaf\": false".to_owned());
    assert_eq!(super::warnings(&json).len(), 1001);
}

#[test]
fn cycles_of_very_many_are_found() {
    for json in [ring_of_parents(MANY), ring_of_dependencies(MANY)] {
        let said = problems(&json);
        assert_eq!(said.len(), 1, "{said:#?}");
        let end = format!(" → N{} → N0.", MANY - 1);
        assert!(said[0].contains("N0 → N1 → ") && said[0].contains(&end), "{}", said[0]);
    }
}

#[test]
fn a_phase_of_thousands_that_depends_on_one_of_thousands_loads() {
    let half = 5_000;
    let tree = tree(&two_phases(half));
    let (first, second) = tree.order().split_at(half);
    assert!(first.iter().all(|leaf| tree.phase_of(*leaf) == tree.roots()[0]));
    let last = first[half - 1];
    let state = |ix| match ix {
        ix if ix == last => State::Testing,
        ix if ix < last => State::Complete,
        _ => State::Pending,
    };
    let all = TreeReadiness::new(&tree, state);
    assert!(second.iter().all(|leaf| all.of(*leaf) == Readiness::Waiting && all.waits_for(*leaf) == [last]));
}

#[test]
fn deeply_nested_values_in_unknown_fields_do_no_harm() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(problems(&numbered(1, |_| format!("\"extra\": {deep}"))), [""; 0]);
    let said = problems(&numbered(1, |_| format!("\"children\": {deep}")));
    assert_eq!(
        said,
        ["f:5: nodes.N0.children[0] is a list, but it must be a string. Write it in double quotes."]
    );
}

/// A plan like those that planners write: phases of a hundred tasks, each depending on the one before it.
fn ordinary(count: usize) -> String {
    let text = "Design and create it, with care, and with tests that show that it does what it is for. ";
    numbered(count, |n| {
        let (phase, place) = (n / 100 * 100, n % 100);
        if place == 0 {
            return "\"parent\": null, \"depends_on\": [], \"is_leaf\": false".to_owned();
        }
        let dependency = if place == 1 { String::new() } else { format!("\"N{}\"", n - 1) };
        let test = r#"{"type": "unit", "command": "make test", "framework": "pytest", "timeout": 60}"#;
        format!(
            "\"description\": \"{text}{text}{text}\",\n      \"parent\": \"N{phase}\",\n      \"children\": [],
      \"depends_on\": [{dependency}],\n      \"is_leaf\": true,\n      \"test_commands\": [{test}]"
        )
    })
}

/// Measures how long ten thousand nodes take; run with `cargo test --release -- --ignored --nocapture ten_thousand_nodes`.
#[test]
#[ignore = "a measurement, meaningful only in a release build"]
fn ten_thousand_nodes_load_in_well_under_fifty_milliseconds() {
    let json = ordinary(10_000);
    let mut times: Vec<(Duration, Duration)> = (0..20)
        .map(|_| {
            let begin = Instant::now();
            let tree = tree(&json);
            let loaded = begin.elapsed();
            let all = TreeReadiness::new(&tree, |_| State::Pending);
            assert_eq!(all.ready().count(), 100);
            (loaded, begin.elapsed() - loaded)
        })
        .collect();
    times.sort();
    let (loaded, ready) = times[times.len() / 2];
    println!("{} bytes: load and order {loaded:?}, readiness {ready:?}", json.len());
    assert!(loaded < Duration::from_millis(50));
}
