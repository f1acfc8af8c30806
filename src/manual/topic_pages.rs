//! The pages about what concerns several commands.

use super::page::Page;
use crate::record::Check;

/// Name, purpose and text of each page.
const TOPICS: [(&str, &str, &str); 4] = [
    ("agents", "runners, reviewers, attempts and limits of git arborist", include_str!("pages/agents.md")),
    ("trust", "what git arborist checks before a task is complete", include_str!("pages/trust.md")),
    ("safety", "what git arborist guards while agents and tests work", include_str!("pages/safety.md")),
    ("parallel", "several tasks at once with git arborist", include_str!("pages/parallel.md")),
];

/// All of them.
pub(super) fn pages() -> impl Iterator<Item = Page> {
    TOPICS.into_iter().map(|(name, about, text)| {
        let text = text.replace("{findings}", &findings());
        let (description, chapters) = text.split_once("\n# ").expect("each page has chapters");
        Page {
            name: format!("gitarborist-{name}"),
            section: 7,
            about: about.to_owned(),
            command: None,
            description: description.to_owned(),
            chapters: format!("# {chapters}\n# See also\n\n`git-arborist`(1), `gitarborist-config`(5)\n"),
        }
    })
}

/// An item for each finding.
fn findings() -> String {
    let item = |check: Check| format!("- `{}`: {}", check.name(), check.about());
    Check::ALL.map(item).join("\n")
}
