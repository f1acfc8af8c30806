//! Tells what `autopilot` does next.

use crate::report::{self, Screen, Symbols};

/// Tells what is done next.
pub(super) fn step(screen: &Screen, what: &str) {
    report::eprint(&format!("{} {what}", arrow(screen)));
}

/// The sign before what is done.
pub(super) fn arrow(screen: &Screen) -> &'static str {
    match screen.symbols {
        Symbols::Unicode => "→",
        Symbols::Ascii => "->",
    }
}
