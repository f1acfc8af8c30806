//! All pages of the manual, and the words by which people ask for them.

use super::entry::Catalogue;
use super::page::Page;
use super::{command, config, overview, plans, topic_pages, trailers};

/// What the names of the pages of commands begin with.
const PROGRAM: &str = "git-arborist";

/// All pages.
#[must_use]
pub fn pages(catalogue: Catalogue) -> Vec<Page> {
    let commands = (catalogue.0)();
    let mut pages = vec![overview::page(&commands)];
    pages.extend(commands.iter().map(|entry| command::page(entry, &commands)));
    pages.extend([config::page(), plans::page(), trailers::page()]);
    pages.extend(topic_pages::pages());
    pages
}

/// The page for a word: the name of a command, `config`, `plans`, `trust` and so on, or the full name of a page.
#[must_use]
pub fn topic(catalogue: Catalogue, word: &str) -> Option<Page> {
    let full = [format!("{PROGRAM}-{word}"), format!("gitarborist-{word}"), format!("git-{word}")];
    pages(catalogue).into_iter().find(|page| page.name == word || full.contains(&page.name))
}

/// The words for which there is a page: the commands first.
#[must_use]
pub fn topics(catalogue: Catalogue) -> Vec<String> {
    let pages = pages(catalogue);
    let short = |page: &Page| {
        let word = page.name.strip_prefix(PROGRAM).or_else(|| page.name.strip_prefix("gitarborist"));
        word.and_then(|word| word.strip_prefix('-')).map(str::to_owned)
    };
    pages.iter().filter_map(short).collect()
}
