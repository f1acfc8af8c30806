//! Large and odd shapes: nothing recurses, nothing is quadratic.

use std::time::{Duration, Instant};

use super::super::{Readiness, Standing, TaskTree};
use super::{order, problems};
use crate::task::State;

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

/// Loads, and fails if that takes as long as a quadratic way would. The bound holds for a build without optimisation too.
fn load_in_time(json: &str) -> TaskTree {
    let begin = Instant::now();
    let tree = super::tree(json);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    tree
}

#[test]
fn a_chain_of_a_hundred_thousand_parents_loads() {
    let json =
        numbered(100_000, |n| if n == 0 { String::new() } else { format!("\"parent\": \"N{}\"", n - 1) });
    let tree = load_in_time(&json);
    assert_eq!(order(&tree), ["N99999"]);
    assert_eq!(tree.node(tree.order()[0]).depth(), 99_999);
    assert_eq!(tree.ancestors(tree.order()[0]).count(), 99_999);
    assert_eq!(tree.leaves_below(tree.roots()[0]).count(), 1);
    drop(tree.clone());
}

#[test]
fn a_chain_of_a_hundred_thousand_dependencies_loads() {
    let json = numbered(100_000, |n| {
        if n == 99_999 { String::new() } else { format!("\"depends_on\": [\"N{}\"]", n + 1) }
    });
    let tree = load_in_time(&json);
    assert_eq!(order(&tree)[0], "N99999");
    let first_failed = |ix| if ix == tree.order()[0] { State::Failed } else { State::Pending };
    let all = Readiness::new(&tree, first_failed);
    let last = tree.order()[99_999];
    assert_eq!(all.standing(last), Standing::Blocked);
    assert_eq!(all.blocked_by(last), [tree.order()[0]]);
    assert_eq!(all.waits_for(last), [tree.order()[99_998]]);
}

#[test]
fn a_cycle_of_a_hundred_thousand_is_found() {
    let begin = Instant::now();
    let json = numbered(100_000, |n| format!("\"depends_on\": [\"N{}\"]", (n + 1) % 100_000));
    let said = problems(&json);
    assert_eq!(said.len(), 1, "{said:#?}");
    assert!(said[0].contains("N0 → N1 → ") && said[0].contains(" → N99999 → N0."), "{}", said[0]);
    let json = numbered(100_000, |n| format!("\"parent\": \"N{}\"", (n + 1) % 100_000));
    assert_eq!(problems(&json).len(), 1);
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

#[test]
fn a_phase_of_thousands_that_depends_on_one_of_thousands_loads() {
    let json = numbered(10_002, |n| match n {
        0 => String::new(),
        1 => "\"depends_on\": [\"N0\"]".to_owned(),
        n => format!("\"parent\": \"N{}\"", n % 2),
    });
    let tree = load_in_time(&json);
    let half = 5_000;
    assert!(tree.order()[..half].iter().all(|leaf| tree.phase_of(*leaf) == tree.roots()[0]));
    let begin = Instant::now();
    let one_left = |ix| if ix == tree.order()[half - 1] { State::Testing } else { State::Complete };
    let all = Readiness::new(&tree, |ix| {
        if tree.phase_of(ix) == tree.roots()[0] { one_left(ix) } else { State::Pending }
    });
    for leaf in &tree.order()[half..] {
        assert_eq!(all.standing(*leaf), Standing::Waiting);
        assert_eq!(all.waits_for(*leaf), [tree.order()[half - 1]]);
    }
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
}

#[test]
fn ten_thousand_wrong_ids_are_all_named_in_time() {
    let begin = Instant::now();
    let said = problems(&numbered(10_000, |n| format!("\"depends_on\": [\"Nx{n}\"]")));
    assert_eq!(said.len(), 10_000);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

#[test]
fn deeply_nested_values_that_nobody_asks_for_do_no_harm() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(problems(&numbered(1, |_| format!("\"extra\": {deep}"))), [""; 0]);
    let said = problems(&numbered(1, |_| format!("\"children\": {deep}")));
    assert_eq!(
        said,
        ["f:6: nodes.N0.children[0] is a list, where a string belongs. Write it in double quotes."; 1]
            .map(|text| text.replace("f:6", "f:5"))
    );
}

/// Measures what formats.md §6 promises; run with `cargo test --release -- --ignored --nocapture ten_thousand_nodes`.
#[test]
#[ignore = "a measurement, meaningful only in a release build"]
fn ten_thousand_nodes_load_in_well_under_fifty_milliseconds() {
    let text =
        "Design and create it, with care, and with tests that show that it does what it is for. ".repeat(3);
    let json = numbered(10_000, |n| {
        match n {
        n if n % 100 == 0 => "\"description\": \"\", \"parent\": null, \"depends_on\": [], \"is_leaf\": false".to_owned(),
        n => format!(
            "\"description\": \"{text}\",\n      \"parent\": \"N{}\",\n      \"children\": [],\n      \"depends_on\": [{}],\n      \
             \"is_leaf\": true,\n      \"test_commands\": [{{\"type\": \"unit\", \"command\": \"make test\", \"timeout\": 60}}]",
            n / 100 * 100,
            if n % 100 == 1 { String::new() } else { format!("\"N{}\", \"N{}\"", n - 1, n / 100 * 100 + 1) },
        )
        .replace(&format!("\"N{}\", \"N{}\"", n - 1, n - 1), &format!("\"N{}\"", n - 1)),
    }
    });
    let mut times: Vec<(Duration, Duration)> = (0..20)
        .map(|_| {
            let begin = Instant::now();
            let tree = super::tree(&json);
            let loaded = begin.elapsed();
            let all = Readiness::new(&tree, |_| State::Pending);
            assert_eq!(all.ready().count(), 100);
            (loaded, begin.elapsed() - loaded)
        })
        .collect();
    times.sort();
    let (loaded, ready) = times[times.len() / 2];
    println!("{} bytes: load and order {loaded:?}, readiness {ready:?}", json.len());
    assert!(loaded < Duration::from_millis(50));
}
