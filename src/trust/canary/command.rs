//! Which tests a command selects.

use super::super::scan::is_listed;
use super::form::TestFile;
use crate::suite::{Framework, RunnerOptions};
use crate::text::simple_commands;

/// What a command says about the tests that it runs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TestSelection {
    /// It selects tests by their names, so that another test would not run.
    pub(super) is_by_name: bool,
    /// It names a file, so that another file would not run.
    pub(super) names_a_file: bool,
    /// The files and folders that it names, as far as there are such files.
    paths: Vec<String>,
}

/// A list of words with blanks between them.
type Words = &'static str;

/// The endings of files that may have tests.
const ENDINGS: Words = "py js jsx mjs cjs ts tsx mts cts go rs bats sh t";

impl TestSelection {
    pub(super) fn read(framework: Framework, command: &str, files: &[TestFile<'_>]) -> Self {
        let name = framework.names()[0];
        let RunnerOptions { programs, by_name, with_value } = framework.options();
        let mut selection = Self::default();
        let commands = simple_commands(command);
        let behind = |is_it: &dyn Fn(&String) -> bool| {
            commands.iter().find_map(|words| Some(&words[words.iter().position(is_it)? + 1..]))
        };
        let is_program = |word: &String| is_listed(programs, word.rsplit('/').next().unwrap_or(word));
        // Behind `--`, `npm test` and `tox` pass on what is for the runner.
        let Some(arguments) = behind(&is_program).or_else(|| behind(&|word| word == "--")) else {
            return selection;
        };
        let is_cargo = matches!(name, "cargo" | "nextest");
        let mut arguments = arguments.iter();
        while let Some(word) = arguments.next() {
            let option = word.split('=').next().unwrap_or(word);
            let is_glued =
                |flag: &str| flag.len() == 2 && flag != "-o" && word.len() > 2 && word.starts_with(flag);
            let has_glued = name == "pytest" && by_name.split(' ').any(is_glued);
            if is_listed(by_name, option) || has_glued {
                selection.is_by_name = true;
            } else if is_cargo && matches!(option, "--test" | "--lib" | "--bin" | "--bins") {
                selection.names_a_file = true;
            }
            if is_listed(with_value, word) {
                arguments.next();
            } else if !word.is_empty() && !word.starts_with('-') {
                selection.add(name, word, files);
            }
        }
        selection
    }

    /// Takes in an argument that is not an option.
    fn add(&mut self, framework: &str, word: &str, files: &[TestFile<'_>]) {
        if matches!(framework, "cargo" | "nextest") {
            self.is_by_name = true;
            return;
        }
        let word = word.trim_start_matches("./").trim_end_matches("...").trim_end_matches('/');
        if let Some((file, line)) = word.rsplit_once(':') {
            self.is_by_name |= word.contains("::") || ends_as_file(file) && line.parse::<u32>().is_ok();
        }
        if ends_as_file(word) {
            self.names_a_file = true;
        }
        let word =
            if framework == "unittest" && !ends_as_file(word) { &word.replace('.', "/") } else { word };
        for file in files {
            let stem = file.path.strip_suffix(".py").filter(|_| framework == "unittest");
            let is_inside =
                stem.is_some_and(|stem| word.strip_prefix(stem).is_some_and(|rest| rest.starts_with('/')));
            self.is_by_name |= is_inside;
            if stem == Some(word) {
                self.names_a_file = true;
                self.paths.push(file.path.to_owned());
            } else if !word.is_empty() && is_at(file.path, word) {
                self.paths.push(word.to_owned());
            }
        }
    }

    /// Whether the command runs this file, as far as it names any.
    pub(super) fn covers(&self, path: &str) -> bool {
        self.paths.is_empty() || self.paths.iter().any(|named| is_at(path, named))
    }
}

fn ends_as_file(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(_, ending)| is_listed(ENDINGS, ending)) && !word.contains('*')
}

/// Whether a file is the named one, or in the named folder, also where the command has changed the folder before.
fn is_at(path: &str, named: &str) -> bool {
    path.strip_suffix(named).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        || path.strip_prefix(named).is_some_and(|rest| rest.starts_with('/'))
        || path.contains(&format!("/{named}/"))
}
