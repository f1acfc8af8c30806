//! Which tests a command selects.

use super::source::TestFile;
use crate::suite::Framework;
use crate::text::simple_commands;
use crate::trust::scan::is_listed;

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

/// The endings of files that may have tests.
const ENDINGS: &str = "py js jsx mjs cjs ts tsx mts cts go rs bats sh t";

impl TestSelection {
    pub(super) fn read(framework: Framework, command: &str, files: &[TestFile<'_>]) -> Self {
        let mut selection = Self::default();
        let is_cargo = matches!(framework, Framework::CargoTest | Framework::Nextest);
        let commands = simple_commands(command);
        let arguments = framework.arguments_in(&commands);
        selection.is_by_name = arguments.is_by_name;
        for word in arguments.plain.iter().filter(|word| !word.is_empty()) {
            // What is not an option of cargo is a part of a test's name.
            selection.is_by_name |= is_cargo;
            selection.add(framework == Framework::Unittest, word, files);
        }
        let names_target = |option: &&str| {
            is_listed("--test --lib --bin --bins", option.split('=').next().unwrap_or(option))
        };
        selection.names_a_file |= is_cargo && arguments.options.iter().any(names_target);
        selection
    }

    /// Takes in an argument that is not an option.
    fn add(&mut self, is_unittest: bool, word: &str, files: &[TestFile<'_>]) {
        let word = word.trim_start_matches("./").trim_end_matches("...").trim_end_matches('/');
        if let Some((file, line)) = word.rsplit_once(':') {
            self.is_by_name |= word.contains("::") || ends_as_file(file) && line.parse::<u32>().is_ok();
        }
        self.names_a_file |= ends_as_file(word);
        let word = if is_unittest && !ends_as_file(word) { &word.replace('.', "/") } else { word };
        for file in files {
            let stem = file.path.strip_suffix(".py").filter(|_| is_unittest);
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
