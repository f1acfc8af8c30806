//! What can be seen of a repository from the names of its files and from the commands of a task.

use std::collections::BTreeMap;

use crate::plan::NodeIx;
use crate::run::plan::Plan;
use crate::suite::Framework;
use crate::suite::Language;
use crate::text::show_path;
use crate::trust::files::{FileKind, kind_of};
use crate::workflow::Surroundings;

/// How many languages and folders are named.
const NAMED: usize = 3;
/// How many files are looked at.
const FILES: usize = 20_000;
/// The instructions that agents of many vendors share.
const INSTRUCTIONS: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// The surroundings of a task in a repository with these files. `reads` are the instructions that its agents read by
/// themselves, for each of them.
pub(crate) fn surroundings(plan: &Plan, leaf: NodeIx, paths: &[Vec<u8>], reads: &[&[&str]]) -> Surroundings {
    let names: Vec<String> = paths.iter().take(FILES).map(|path| show_path(path)).collect();
    let (mut languages, mut places) = (BTreeMap::new(), BTreeMap::new());
    for name in &names {
        if let Some(word) = Language::of(name).and_then(Language::word) {
            *languages.entry(word.to_owned()).or_insert(0) += 1;
        }
        if kind_of(name) == FileKind::Test {
            let folder = name.split_once('/').map_or(".", |(folder, _)| folder);
            *places.entry(format!("`{folder}`")).or_insert(0) += 1;
        }
    }
    let mut frameworks: Vec<String> = Vec::new();
    for test in &plan.tree.node(leaf).test_commands {
        let guessed = || Framework::guess(&test.command).map(|framework| framework.names()[0].to_owned());
        let framework = test.framework.clone().or_else(guessed).filter(|name| !frameworks.contains(name));
        frameworks.extend(framework);
    }
    let there = INSTRUCTIONS.into_iter().filter(|file| names.iter().any(|name| name == file));
    let there: Vec<String> = there.map(str::to_owned).collect();
    let reads_none = |reads: &&[&str]| !there.iter().any(|file| reads.contains(&file.as_str()));
    let instructions = if reads.iter().any(reads_none) { there } else { Vec::new() };
    Surroundings {
        branch: String::new(),
        languages: most_frequent(languages),
        frameworks,
        test_places: most_frequent(places),
        instructions,
    }
}

/// The most frequent words, in order.
fn most_frequent(counts: BTreeMap<String, usize>) -> Vec<String> {
    let mut words: Vec<(String, usize)> = counts.into_iter().collect();
    words.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    words.into_iter().take(NAMED).map(|(word, _)| word).collect()
}
