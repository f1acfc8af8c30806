//! Large and odd shapes: nothing recurses, nothing is quadratic.

use std::time::{Duration, Instant};

use super::super::{Readiness, Standing};
use super::{order, problems, tree};
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

/// Does it, and fails if that takes as long as a quadratic way would: minutes for the numbers used here.
/// What is linear takes a few seconds, even without optimisation.
fn in_time<T>(work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let done = work();
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
    done
}

#[test]
fn a_chain_of_a_hundred_thousand_parents_loads() {
    let json =
        numbered(100_000, |n| if n == 0 { String::new() } else { format!("\"parent\": \"N{}\"", n - 1) });
    let tree = in_time(|| tree(&json));
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
    let tree = in_time(|| tree(&json));
    assert_eq!(order(&tree)[0], "N99999");
    let first_failed = |ix| if ix == tree.order()[0] { State::Failed } else { State::Pending };
    let all = Readiness::new(&tree, first_failed);
    let last = tree.order()[99_999];
    assert_eq!(all.standing(last), Standing::Blocked);
    assert_eq!(all.blocked_by(last), [tree.order()[0]]);
    assert_eq!(all.waits_for(last), [tree.order()[99_998]]);
}

#[test]
fn of_very_many_problems_a_thousand_are_listed_and_all_are_counted() {
    for (count, listed, more) in
        [(1000, 1000, None), (1001, 1000, Some("f: and 1 more")), (100_000, 1000, Some("f: and 99000 more"))]
    {
        let json = numbered(count, |_| "\"depends_on\": [\"gone\"]".to_owned());
        let lines = in_time(|| problems(&json));
        assert_eq!(lines.iter().filter(|line| line.contains("gone")).count(), listed, "{count}");
        assert_eq!(lines.get(listed).map(String::as_str), more, "{count}");
        assert!(lines[0].starts_with("f:5: "), "{}", lines[0]);
    }
    // Of doubts there are as few.
    let json = numbered(5000, |_| "\"is_leaf\": false".to_owned());
    assert_eq!(super::warnings(&json).len(), 1001);
}

#[test]
fn cycles_of_a_hundred_thousand_are_found() {
    let ring = |field: &str| {
        let json = numbered(100_000, |n| format!("\"{field}\": {}", field_value(field, (n + 1) % 100_000)));
        let said = in_time(|| problems(&json));
        assert_eq!(said.len(), 1, "{said:#?}");
        assert!(said[0].contains("N0 → N1 → ") && said[0].contains(" → N99999 → N0."), "{}", said[0]);
    };
    std::thread::scope(|scope| {
        scope.spawn(|| ring("depends_on"));
        ring("parent");
    });
}

fn field_value(field: &str, other: usize) -> String {
    if field == "parent" { format!("\"N{other}\"") } else { format!("[\"N{other}\"]") }
}

#[test]
fn a_phase_of_thousands_that_depends_on_one_of_thousands_loads() {
    let half = 50_000;
    let json = numbered(2 * half + 2, |n| match n {
        0 => String::new(),
        1 => "\"depends_on\": [\"N0\"]".to_owned(),
        n => format!("\"parent\": \"N{}\"", n % 2),
    });
    let tree = in_time(|| tree(&json));
    let (first, second) = tree.order().split_at(half);
    assert!(first.iter().all(|leaf| tree.phase_of(*leaf) == tree.roots()[0]));
    let last = first[half - 1];
    let state = |ix| match ix {
        ix if ix == last => State::Testing,
        ix if ix < last => State::Complete,
        _ => State::Pending,
    };
    let all = in_time(|| Readiness::new(&tree, state));
    assert!(
        second.iter().all(|leaf| all.standing(*leaf) == Standing::Waiting && all.waits_for(*leaf) == [last])
    );
}

#[test]
fn tens_of_thousands_of_wrong_ids_are_all_counted() {
    let json = numbered(20_000, |n| format!("\"depends_on\": [\"Nx{n}\"]"));
    assert_eq!(in_time(|| problems(&json)).last().unwrap(), "f: and 19000 more");
}

#[test]
fn deeply_nested_values_that_nobody_asks_for_do_no_harm() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(problems(&numbered(1, |_| format!("\"extra\": {deep}"))), [""; 0]);
    let said = problems(&numbered(1, |_| format!("\"children\": {deep}")));
    assert_eq!(
        said,
        ["f:5: nodes.N0.children[0] is a list, where a string belongs. Write it in double quotes."]
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

/// Measures what formats.md §6 promises; run with `cargo test --release -- --ignored --nocapture ten_thousand_nodes`.
#[test]
#[ignore = "a measurement, meaningful only in a release build"]
fn ten_thousand_nodes_load_in_well_under_fifty_milliseconds() {
    let json = ordinary(10_000);
    let mut times: Vec<(Duration, Duration)> = (0..20)
        .map(|_| {
            let begin = Instant::now();
            let tree = tree(&json);
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
