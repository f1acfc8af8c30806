//! A run as one page that needs nothing else: no network, no script.

mod diff;
mod graph;
mod layers;
mod overview;
mod page;
mod scale;
mod story;
mod timeline;
mod tree;
mod words;

pub(super) use page::{MARK, html};
