//! Reads counts from the lines that a framework prints; there is one reader per framework.

mod cargo_test;
mod go;
mod jest;
mod nextest;
mod node_test;
mod pytest;
mod reading;
mod sessions;
mod tap;
mod unittest;
mod vitest;

pub(super) use go::ended as go_test_ended;
pub(super) use reading::{FrameworkRun, Reading};
pub(super) use tap::point;

use super::output::{Streams, Text};
use super::{Counts, Framework, Output};

/// Reads the output of `framework`; `None` if there are no counts or they are uncertain.
///
/// If output was cut, summaries at its end are read, but not counts that would have to include the missing part.
#[must_use]
pub fn read_counts(framework: Framework, output: &Output<'_>) -> Option<Counts> {
    read(framework, &Streams::new(output)).counts()
}

/// What the reader of `framework` finds.
pub(super) fn read(framework: Framework, streams: &Streams) -> Reading {
    match framework {
        Framework::Pytest => first_of([&streams.stdout, &streams.stderr], pytest::read),
        Framework::Unittest => first_of([&streams.stderr, &streams.stdout], unittest::read),
        Framework::Jest => first_of([&streams.stderr, &streams.stdout], jest::read),
        Framework::Vitest => vitest::read(streams),
        Framework::Go => first_of([&streams.stdout, &streams.stderr], go::read),
        Framework::CargoTest => cargo_test::read(streams),
        Framework::Nextest => first_of([&streams.stderr, &streams.stdout], nextest::read),
        Framework::NodeTest => first_of([&streams.stdout, &streams.stderr], node_test::read),
        Framework::Tap => first_of([&streams.stdout, &streams.stderr], tap::read),
    }
}

/// Reads the stream to which a framework prints, or the other one if the first has no counts (`pytest >&2`).
fn first_of(texts: [&Text; 2], read: fn(&Text) -> Reading) -> Reading {
    let [usual, other] = texts;
    match read(usual) {
        Reading::Absent => read(other),
        reading => reading,
    }
}
