//! The merges of a run, in the order of its branch.

use maud::{Markup, html};

use crate::report::run_report::{MergeFact, merge_line};
use crate::report::visible::visible_line;

/// A list of the merges, also of those that failed.
pub(super) fn merges(merges: &[MergeFact]) -> Markup {
    html! {
        ol {
            @for merge in merges {
                li { (visible_line(&merge_line(merge))) }
            }
        }
    }
}
