//! Tests `git arborist status --watch` in a pipe.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::support::watched::{go, waiting_garden};

#[test]
fn in_a_pipe_the_state_is_printed_again_when_it_has_changed_until_nobody_reads_it() {
    let garden = waiting_garden();
    let mut command = garden.arborist(&["status", "--watch", "--short"]);
    let mut watching = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert_eq!(next(), "0/4 OK  0 ...  0 FAIL  next T001");
    go(&garden, "T001");
    garden.run(&["garden", "T001"]).assert(0, &[]);
    let mut seen = Vec::new();
    while seen.last().is_none_or(|line: &String| line != "1/4 OK  0 ...  0 FAIL  next T002") {
        seen.push(next());
    }
    assert!(seen.windows(2).all(|lines| lines[0] != lines[1]), "{seen:?}");
    drop(lines);
    assert_eq!(watching.wait().unwrap().code(), Some(0));
}

#[test]
fn the_first_document_is_the_one_that_status_prints() {
    let garden = waiting_garden();
    go(&garden, "T001");
    garden.run(&["garden", "T001"]).assert(0, &[]);
    let document = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let printed = document(&garden.run(&["status", "--json"]).stdout);
    assert_eq!(printed["attempt_count"], 1);
    let mut watching =
        garden.arborist(&["status", "--watch", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    assert_eq!(document(&lines.next().unwrap().unwrap()), printed);
    drop(lines);
    go(&garden, "T002");
    garden.run(&["garden", "T002"]).assert(0, &[]);
    assert_eq!(watching.wait().unwrap().code(), Some(0));
}
