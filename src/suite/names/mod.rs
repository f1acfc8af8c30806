//! Reads the names of single tests and how each of them ended, as far as a framework prints them.
//!
//! Many print only the names of the tests that fail, unless they are asked for more. So the names are for people, and a
//! sentence like "3 of 7 new tests" is only written if the names agree with the counts ([`TestNames::agree_with`]).

mod javascript;
mod other;
mod python;

use super::output::Streams;
use super::test_names::TestNames;
use super::{Framework, Output};

/// The tests that `framework` names in its output.
#[must_use]
pub fn read_names(framework: Framework, output: &Output<'_>) -> TestNames {
    let streams = Streams::new(output);
    let mut names = TestNames::default();
    for text in [&streams.stdout, &streams.stderr] {
        let lines: Vec<&str> = text.lines().collect();
        names.extend(names_in(framework, &lines));
    }
    names
}

/// The tests that `framework` names in these lines.
pub(super) fn names_in(framework: Framework, lines: &[&str]) -> TestNames {
    let mut names = TestNames::default();
    match framework {
        Framework::Pytest => python::pytest(lines, &mut names),
        Framework::Unittest => python::unittest(lines, &mut names),
        Framework::Jest => javascript::jest(lines, &mut names),
        Framework::Vitest => javascript::vitest(lines, &mut names),
        Framework::NodeTest => javascript::node(lines, &mut names),
        Framework::Go => other::go(lines, &mut names),
        Framework::CargoTest => other::cargo(lines, &mut names),
        Framework::Nextest => other::nextest(lines, &mut names),
        Framework::Tap => javascript::tap_points(lines, &mut names),
    }
    names
}
