//! Tests that everything that people read uses one word for one thing: a plan has phases and tasks, and a task has attempts.

use crate::support::docs::{page, project, rust_files, table};
use git_arborist::cli::CATALOGUE;
use git_arborist::manual::pages;

/// Words that stand for something that has another name, and that name.
const OLD: [(&[&str], &str); 7] = [
    (&["task", "tree"], "plan"),
    (&["task", "trees"], "plans"),
    (&["tree", "file"], "plan, or the file of the plan"),
    (&["tree", "files"], "plans"),
    (&["node"], "task or phase"),
    (&["nodes"], "tasks and phases"),
    (&["retries"], "attempts"),
];

/// Where the words mean something else, or may not change. A line with one of these is read without it.
const KEPT: &[&str] = &[
    // The program for JavaScript, and its tests.
    "node --test",
    "`node`",
    "node:test",
    "node:assert",
    "node nodejs",
    "|node",
    "node:coveragedisable",
    "node-test",
    "node's",
    "/node",
    "node or npm",
    "where node,",
    "without node",
    "(node",
    // The field of a plan, and what plans with it are called in their JSON documents.
    "\"nodes\"",
    "`nodes`",
    "nodes.",
    "nodes is ",
    "ids to nodes",
    // The subject of a failed task, as in the histories that are there.
    "after MAX retries",
    "after {max} retries",
    // The same field in a message, placeholders, and words of HTML.
    "'nodes'",
    "{node}",
    "{nodes}",
    "node n-",
    "env node",
    "{{retries}}",
    // A query of GraphQL.
    "node(id:",
    // A machine of a cluster.
    "node$",
];

/// The old words in a text, with their lines.
fn old_words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    // A line with nothing else names the field.
    for line in text.lines().filter(|line| line.trim() != "nodes") {
        let read = KEPT.iter().fold(line.to_owned(), |line, kept| line.replace(kept, " "));
        let lower = read.to_lowercase();
        let words: Vec<&str> = lower
            .split(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)))
            .map(|word| word.trim_matches('.'))
            .collect();
        for (old, name) in OLD {
            if words.windows(old.len()).any(|window| window == old) {
                found.push(format!("{} is {name}: {}", old.join(" "), line.trim()));
            }
        }
    }
    found
}

/// The texts in quotes of a Rust file before its tests, with a blank in them: what is printed, and not words of a program.
fn messages(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]").next().unwrap();
    let mut messages = Vec::new();
    for line in source.replace("\\\"", "'").lines().filter(|line| !line.trim_start().starts_with("//")) {
        let parts = line.split('"').skip(1).step_by(2);
        messages.extend(parts.filter(|part| part.contains(' ')).map(str::to_owned));
        // The rest of a text that goes on in the next line, and a line of such a text without any quote.
        if line.trim_end().ends_with('\\') && line.matches('"').count() % 2 == 0 {
            messages.push(line.to_owned());
        }
    }
    messages
}

#[test]
fn messages_use_one_word_for_one_thing() {
    let mut found = Vec::new();
    let files = rust_files("src");
    for (name, text) in
        files.iter().filter(|(name, _)| !name.ends_with("tests.rs") && !name.contains("/tests/"))
    {
        let words = messages(text).iter().flat_map(|message| old_words(message)).collect::<Vec<_>>();
        found.extend(words.into_iter().map(|words| format!("{name}: {words}")));
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_manual_and_the_pages_use_one_word_for_one_thing() {
    let mut found = Vec::new();
    for page in pages(CATALOGUE) {
        let words = old_words(&page.plain(1000));
        found.extend(words.into_iter().map(|words| format!("{}: {words}", page.name)));
    }
    let docs = std::fs::read_dir(project().join("docs")).unwrap().map(|entry| entry.unwrap().file_name());
    let docs = docs.filter_map(|name| name.to_str().map(|name| format!("docs/{name}")));
    // What is said of the inside of the program uses the words of the code.
    let is_for_users = |name: &String| !name.ends_with("architecture.md");
    for name in docs.filter(|name| name.ends_with(".md")).filter(is_for_users).chain(["README.md".to_owned()])
    {
        found.extend(old_words(&page(&name)).into_iter().map(|words| format!("{name}: {words}")));
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// A mechanism that a user need not know has no name in help, documents and messages.
const GLOSSARY: [&str; 12] = [
    "plan",
    "task",
    "phase",
    "step",
    "attempt",
    "runner",
    "review",
    "finding",
    "proof",
    "proven, tested, untested, vouched for",
    "land",
    "slot",
];

#[test]
fn the_glossary_has_the_words_that_a_user_meets_and_no_others() {
    let rows = table("docs/reference.md", "| word | what it means here |");
    let words: Vec<&str> = rows.lines().filter_map(|row| Some(row.split('|').nth(1)?.trim())).collect();
    assert_eq!(words, GLOSSARY);
}

#[test]
fn old_words_are_found_and_what_may_not_change_is_kept() {
    assert_eq!(old_words("Build the task tree.").len(), 1);
    assert_eq!(old_words("three retries").len(), 1);
    assert_eq!(old_words("a work tree, `node --test`, the field `nodes`, Node.js, node_modules").len(), 0);
    assert_eq!(messages("let x = \"a node\"; // \"no\"\n\"word\"\n"), ["a node"]);
}
