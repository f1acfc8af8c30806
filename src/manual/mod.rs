//! Makes the pages of the manual from the tables in the code: one page for each command, and pages about the settings,
//! the plan, the trailers and what concerns several commands. A page can be written for `man`, and as plain text. clap lays out
//! the options of commands; everything else is a small part of Markdown.

mod command_pages;
mod config;
mod markdown;
mod options;
mod page;
mod plans;
mod trailers;

use crate::record::Check;

pub use crate::config::VERSION;
pub use command_pages::{Catalogue, CommandEntry};
pub use page::{MARK, Page};

/// What the names of the pages of commands begin with.
const PROGRAM: &str = "git-arborist";

/// All pages.
#[must_use]
pub fn pages(catalogue: Catalogue) -> Vec<Page> {
    let commands = (catalogue.0)();
    let mut pages = vec![command_pages::overview(&commands)];
    pages.extend(commands.iter().map(|entry| command_pages::page(entry, &commands)));
    pages.extend([config::page(), plans::page(), trailers::page()]);
    pages.extend(TOPICS.map(TopicPage::page));
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

/// A page about what concerns several commands.
#[derive(Clone, Copy)]
struct TopicPage {
    name: &'static str,
    about: &'static str,
    text: &'static str,
}

const TOPICS: [TopicPage; 4] = [
    TopicPage {
        name: "agents",
        about: "runners, reviewers, attempts and limits of git arborist",
        text: include_str!("pages/agents.md"),
    },
    TopicPage {
        name: "trust",
        about: "what git arborist checks before a task is complete",
        text: include_str!("pages/trust.md"),
    },
    TopicPage {
        name: "safety",
        about: "what git arborist guards while agents and tests work",
        text: include_str!("pages/safety.md"),
    },
    TopicPage {
        name: "parallel",
        about: "several tasks at once with git arborist",
        text: include_str!("pages/parallel.md"),
    },
];

impl TopicPage {
    fn page(self) -> Page {
        let text = self.text.replace("{findings}", &findings());
        let (description, chapters) = text.split_once("\n# ").expect("each page has chapters");
        Page {
            name: format!("gitarborist-{}", self.name),
            section: 7,
            about: self.about.to_owned(),
            command: None,
            description: description.to_owned(),
            chapters: format!("# {chapters}\n# See also\n\n`git-arborist`(1), `gitarborist-config`(5)\n"),
        }
    }
}

/// An item for each finding.
fn findings() -> String {
    let item = |check: Check| format!("- `{}`: {}", check.name(), check.about());
    Check::ALL.map(item).join("\n")
}
