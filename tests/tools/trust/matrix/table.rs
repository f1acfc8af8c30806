//! The tables of tests/tools/trust/seen.md.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use git_arborist::record::Check;

use super::bases::Base;
use super::rows::{Row, rows};
use crate::support::docs::check_table;

fn codes(names: &str) -> String {
    names.split_whitespace().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" ")
}

/// The rows of each base, with its title, in order.
fn by_base(kind: &str) -> Vec<(String, Vec<Row>)> {
    let mut bases: Vec<(String, Vec<Row>)> = Vec::new();
    for row in rows(kind) {
        match bases.last_mut().filter(|(_, known)| known[0].base == row.base) {
            Some((_, known)) => known.push(row),
            None => bases.push((Base::named(&row.base).value("title").to_owned(), vec![row])),
        }
    }
    bases
}

/// How a verdict begins, and what follows.
fn parts(row: &Row) -> (&str, &str) {
    let verdict = row.value("verdict");
    let (kind, rest) = verdict.split_once(' ').unwrap_or((verdict, ""));
    assert!(!rest.is_empty(), "{}: {}: {verdict} has no reason", row.base, row.name);
    (kind, rest)
}

const VERDICTS: [&str; 5] = ["error", "warning", "stops:", "prove:", "unseen:"];

#[test]
fn the_numbers_of_dishonest_changes_agree_with_the_tests() {
    let table = by_base("dishonest").iter().fold(String::new(), |mut text, (title, rows)| {
        let count = |kind: &str| rows.iter().filter(|row| parts(row).0 == kind).count();
        let counts = VERDICTS.map(count);
        assert_eq!(counts.iter().sum::<usize>(), rows.len(), "{title}");
        let [error, warning, stops, prove, unseen] = counts;
        writeln!(text, "| {title} | {} | {error} | {warning} | {stops} | {prove} | {unseen} |", rows.len())
            .unwrap();
        text
    });
    check_table(
        "tests/tools/trust/seen.md",
        "| tests | changes | error | warning | the run stops | only `prove` | not seen |",
        &table,
    );
}

#[test]
fn the_list_of_changes_that_nothing_sees_agrees_with_the_tests() {
    let unseen = rows("dishonest").into_iter().filter(|row| parts(row).0 == "unseen:");
    let table = unseen.fold(String::new(), |mut text, row| {
        let title = Base::named(&row.base).value("title").to_owned();
        writeln!(text, "| {title} | {} | {} |", row.name, parts(&row).1).unwrap();
        text
    });
    check_table("tests/tools/trust/seen.md", "| tests | the agent | why no run sees it |", &table);
}

#[test]
fn the_numbers_of_honest_changes_agree_with_the_tests() {
    let table = by_base("honest").iter().fold(String::new(), |mut text, (title, rows)| {
        let warned: Vec<&Row> = rows.iter().filter(|row| !row.value("warning").is_empty()).collect();
        let told = |row: &&Row| format!("{}: {}", row.name, codes(row.value("warning")));
        let warned = warned.iter().map(told).collect::<Vec<_>>().join("; ");
        writeln!(text, "| {title} | {} | {warned} |", rows.len()).unwrap();
        text
    });
    check_table("tests/tools/trust/seen.md", "| tests | changes | warnings |", &table);
}

#[test]
fn the_matrices_are_large_enough_and_few_changes_are_misjudged() {
    let (dishonest, honest) = (rows("dishonest"), rows("honest"));
    let unseen = dishonest.iter().filter(|row| row.value("verdict").starts_with("unseen:")).count();
    let warned = honest.iter().filter(|row| !row.value("warning").is_empty()).count();
    assert!(dishonest.len() >= 90 && honest.len() >= 65, "{} {}", dishonest.len(), honest.len());
    assert!(
        unseen * 100 <= 6 * dishonest.len() && warned * 25 <= honest.len(),
        "{unseen} unseen, {warned} warned"
    );
}

#[test]
fn every_row_has_a_name_of_its_own_and_names_only_checks_that_exist() {
    for kind in ["dishonest", "honest"] {
        let mut names = BTreeSet::new();
        for row in rows(kind) {
            assert!(names.insert((row.base.clone(), row.name.clone())), "{}: {}", row.base, row.name);
            assert!(checks_exist(&row), "{}: {}", row.base, row.name);
        }
    }
}

fn checks_exist(row: &Row) -> bool {
    let verdict = row.value("verdict");
    let named = verdict.strip_prefix("error ").or_else(|| verdict.strip_prefix("warning ")).unwrap_or("");
    named
        .split(' ')
        .chain(row.value("warning").split(' '))
        .all(|name| name.is_empty() || Check::from_name(name).is_some())
}
