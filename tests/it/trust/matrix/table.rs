//! The table of the matrices in docs/trust-matrix.md.

use std::fmt::Write as _;

use super::{Base, Verdict};
use crate::readme::check_table;
use crate::trust::{dishonest, honest};

/// What a project is tested with.
fn runner(base: Base) -> &'static str {
    match base {
        Base::Python => "Python, pytest",
        Base::Node => "JavaScript, `node --test`",
        Base::Npm => "JavaScript, `npm test`",
        Base::Go => "Go, `go test`",
        Base::Rust => "Rust, `cargo test`",
        Base::Shell => "shell script",
        Base::Make => "make",
    }
}

#[test]
fn the_table_of_dishonest_changes_agrees_with_the_tests() {
    let rows = dishonest::ROWS.into_iter().flatten().fold(String::new(), |mut text, row| {
        let by = match row.verdict {
            Verdict::Check(checks) => {
                checks.split(' ').map(|check| format!("`{check}`")).collect::<Vec<_>>().join(" ")
            }
            Verdict::Warning(check) => format!("`{check}`, as a warning"),
            Verdict::Prove => "`git arborist prove`".to_owned(),
            Verdict::Stops(why) => format!("the run stops: {why}"),
            Verdict::NotCaught(why) => format!("not caught: {why}"),
        };
        writeln!(text, "| {} | {} | {by} |", runner(row.base), row.name).unwrap();
        text
    });
    check_table("docs/trust-matrix.md", "| tests | the agent | caught by |", &rows);
}

#[test]
fn the_table_of_honest_changes_agrees_with_the_tests() {
    let rows = honest::ROWS.into_iter().flatten().fold(String::new(), |mut text, row| {
        let allowed =
            row.may_change.iter().map(|pattern| format!("`{pattern}`")).collect::<Vec<_>>().join(" ");
        let warning = row.warning.map(|check| format!("`{check}`")).unwrap_or_default();
        writeln!(text, "| {} | {} | {allowed} | {warning} |", runner(row.base), row.name).unwrap();
        text
    });
    check_table("docs/trust-matrix.md", "| tests | the agent | `may_change` | warning |", &rows);
}

#[test]
fn the_matrices_are_large_enough_and_few_honest_changes_have_a_warning() {
    let dishonest = dishonest::ROWS.into_iter().flatten().count();
    let honest = honest::ROWS.into_iter().flatten().count();
    let warned = honest::ROWS.into_iter().flatten().filter(|row| row.warning.is_some()).count();
    assert!(dishonest >= 40 && honest >= 60 && warned <= 3, "{dishonest} {honest} {warned}");
}
