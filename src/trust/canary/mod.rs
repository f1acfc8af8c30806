//! Writes a test that fails, in the form and place of the tests of a task.
//!
//! A command that passes in spite of it cannot fail: its runner, its assertions or its exit status do not work. So the test
//! is added to a file whose tests ran, and asserts in the way that this file does most often.

mod forms;
mod scripts;
#[cfg(test)]
mod tests;

pub use scripts::{SCRIPT_SAYS, script_canary};

use super::scan::{Source, names_path, words};
use crate::suite::{Arguments, Framework, Language, TestNames, TestOutcome};
use crate::text::simple_commands;

/// The failing test, and the file that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canary {
    /// The path of the file.
    pub path: String,
    /// The file with the test in it.
    pub content: String,
    /// A text that is in the name of this test and of no other, as `test_arborist_canary`. Of a script, it is what it says.
    pub name: &'static str,
}

/// A test that fails, for a command whose output shows `framework`. `names` are the tests that the command has named, and
/// `files` the files with tests, the preferred ones first. None if no file fits, or if the command selects tests by name.
#[must_use]
pub fn canary(framework: Framework, files: &[Source], names: &TestNames, command: &str) -> Option<Canary> {
    let language = framework.language()?;
    let name = match language {
        Language::Python => "test_arborist_canary",
        Language::Go => "TestArboristCanary",
        _ => "arborist_canary",
    };
    let commands = simple_commands(command);
    let chosen = chosen(framework, &framework.arguments_in(&commands), files)?;
    let passed: Vec<&str> = names.with(TestOutcome::Passed).collect();
    let mut ranked: Vec<(u8, &Source)> = files
        .iter()
        .filter(|file| Language::of(&file.path) == Some(language))
        .filter(|file| chosen.is_empty() || chosen.iter().any(|place| is_at(&file.path, place)))
        .map(|file| (rank(file, &passed), file))
        .filter(|(rank, _)| *rank > 0)
        .collect();
    // The sort is stable: what the caller prefers stays first.
    ranked.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    ranked.into_iter().find_map(|(_, file)| {
        Some(Canary { path: file.path.clone(), content: forms::added(framework, file)?, name })
    })
}

/// The files and folders to which a command limits the tests, as far as there are such files. None if it selects tests by their
/// names, so that another one would not run.
fn chosen(framework: Framework, arguments: &Arguments<'_>, files: &[Source]) -> Option<Vec<String>> {
    let is_unittest = framework == Framework::Unittest;
    // What is not an option of cargo is a part of a test's name.
    let is_cargo = matches!(framework, Framework::CargoTest | Framework::Nextest);
    if arguments.is_by_name || is_cargo && !arguments.plain.is_empty() {
        return None;
    }
    let mut chosen = Vec::new();
    for word in &arguments.plain {
        let place = word.trim_start_matches("./").trim_end_matches("...").trim_end_matches('/');
        let line = place.rsplit_once(':').and_then(|(_, line)| line.parse::<u32>().ok());
        if place.contains("::") || line.is_some() {
            return None;
        }
        // `tests.test_a.TestA` is a class in a module.
        let is_module = is_unittest && !place.ends_with(".py");
        let place = if is_module { place.replace('.', "/") } else { place.to_owned() };
        for file in files.iter().filter(|_| !place.is_empty()) {
            let module = file.path.strip_suffix(".py").filter(|_| is_module);
            match module.and_then(|module| place.strip_prefix(module)) {
                Some("") => chosen.push(file.path.clone()),
                Some(inner) if inner.starts_with('/') => return None,
                _ if is_at(&file.path, &place) => chosen.push(place.clone()),
                _ => {}
            }
        }
    }
    Some(chosen)
}

/// Whether a file is the named one, or in the named folder, also where the command has changed the folder before.
fn is_at(path: &str, named: &str) -> bool {
    path.strip_suffix(named).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        || path.strip_prefix(named).is_some_and(|rest| rest.starts_with('/'))
        || path.contains(&format!("/{named}/"))
}

/// How sure it is that the tests of a file ran: 3 if a name has its path, 2 if it contains what a name ends with, 1 if no
/// test was named at all.
fn rank(file: &Source, passed: &[&str]) -> u8 {
    let has_title = |name: &str| {
        let name = name.split('[').next().unwrap_or(name);
        let title =
            [" > ", " › "].iter().find_map(|sign| name.rsplit_once(sign)).map_or(name, |(_, title)| title);
        let last = title.rsplit(['.', ':', ' ']).next();
        [Some(title), last, title.split('/').next()]
            .into_iter()
            .flatten()
            .any(|part| !part.is_empty() && words(file.text.as_bytes(), part).next().is_some())
    };
    match passed {
        [] => 1,
        names if names.iter().any(|name| names_path(name, &file.path)) => 3,
        names if names.iter().any(|name| has_title(name)) => 2,
        _ => 0,
    }
}
