//! The tables of docs/trust-matrix.md.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use git_arborist::record::Check;

use super::bases::Base;
use super::rows::{Row, rows};
use crate::readme::check_table;

fn codes(names: &str) -> String {
    names.split_whitespace().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" ")
}

/// What the table says about a verdict.
fn told(verdict: &str) -> String {
    let (kind, rest) = verdict.split_once(' ').unwrap_or((verdict, ""));
    match kind {
        "error" => codes(rest),
        "warning" => format!("{}, as a warning", codes(rest)),
        "prove" => "`git arborist prove`".to_owned(),
        "stops:" => format!("the run stops: {rest}"),
        "unseen:" => format!("not seen: {rest}"),
        _ => panic!("{verdict} is no verdict"),
    }
}

#[test]
fn the_table_of_dishonest_changes_agrees_with_the_tests() {
    let rows = rows("dishonest").into_iter().fold(String::new(), |mut text, row| {
        let title = Base::named(&row.base).value("title").to_owned();
        writeln!(text, "| {title} | {} | {} |", row.name, told(row.value("verdict"))).unwrap();
        text
    });
    check_table("docs/trust-matrix.md", "| tests | the agent | seen by |", &rows);
}

#[test]
fn the_table_of_honest_changes_agrees_with_the_tests() {
    let rows = rows("honest").into_iter().fold(String::new(), |mut text, row| {
        let title = Base::named(&row.base).value("title").to_owned();
        let allowed = codes(row.value("may_change"));
        writeln!(text, "| {title} | {} | {allowed} | {} |", row.name, codes(row.value("warning"))).unwrap();
        text
    });
    check_table("docs/trust-matrix.md", "| tests | the agent | `may_change` | warning |", &rows);
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
