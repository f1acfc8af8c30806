//! Reads the test commands of a node, and tells which of them name every test that fails.

use super::coverage::{CoverageProblem, CoverageSource};
use super::fields::Fields;
use super::guide::{COMMAND_FIELDS, names};
use super::json::Value;
use super::node::{TestCommand, TestType};
use super::notes::{Notes, ValuePath};
use super::problem::shown;
use crate::suggest::nearest;
use crate::text::simple_commands;

const KNOWN: [&str; COMMAND_FIELDS.len()] = names(&COMMAND_FIELDS);

/// Reads `test_commands` of the node at `place`. Problems go to `notes`.
pub(super) fn read_commands<'a>(
    fields: &Fields<'a, '_>,
    place: ValuePath<'_>,
    notes: &mut Notes<'a>,
) -> Vec<TestCommand> {
    let place = ValuePath::Field(&place, "test_commands");
    let items = fields.list("test_commands", notes);
    let read = |(index, item)| read_command(item, ValuePath::Item(&place, index), notes);
    items.into_iter().enumerate().filter_map(read).collect()
}

fn read_command<'a>(value: Value<'a>, place: ValuePath<'_>, notes: &mut Notes<'a>) -> Option<TestCommand> {
    let fields = Fields::read(value, place, &KNOWN, notes)?;
    let kind = read_type(&fields, place, notes);
    let command = read_line(&fields, place, notes.at(value), notes);
    let framework = fields.line("framework", notes).filter(|name| !name.is_empty());
    let timeout = fields.seconds("timeout", notes);
    let coverage = read_coverage(&fields, place, notes);
    Some(TestCommand { kind: kind?, command: command?, framework, timeout, coverage })
}

/// The coverage report of a command. The user relies on it, so one that cannot be read is a problem.
fn read_coverage<'a>(
    fields: &Fields<'a, '_>,
    place: ValuePath<'_>,
    notes: &mut Notes<'a>,
) -> Option<CoverageSource> {
    let value = fields.get("coverage")?;
    let text = fields.text("coverage", notes)?;
    match CoverageSource::parse(&text) {
        Ok(source) => Some(source),
        Err(CoverageProblem { what, remedy }) => {
            notes.problem(notes.at(value), format!("{place}.coverage is {}, {what}", shown(&text)), &remedy);
            None
        }
    }
}

/// The command itself. It must not be blank, or contain anything that cannot be passed to a program.
fn read_line<'a>(
    fields: &Fields<'a, '_>,
    place: ValuePath<'_>,
    at: usize,
    notes: &mut Notes<'a>,
) -> Option<String> {
    let remedy = "Write a shell command, or remove the whole entry.";
    if fields.get("command").is_none() {
        notes.problem(at, format!("{place} has no command"), remedy);
        return None;
    }
    let command = fields.text("command", notes)?;
    let fault = if command.trim().is_empty() {
        "is empty"
    } else if command.contains('\0') {
        "contains a NUL character"
    } else {
        return Some(command.into_owned());
    };
    notes.problem(at, format!("{place}.command {fault}"), remedy);
    None
}

/// The type of a command, by default `unit`; `None` if the value is not a type.
fn read_type<'a>(fields: &Fields<'a, '_>, place: ValuePath<'_>, notes: &mut Notes<'a>) -> Option<TestType> {
    let Some(value) = fields.get("type") else { return Some(TestType::Unit) };
    let word = fields.text("type", notes)?;
    let kind = TestType::from_word(&word);
    if kind.is_none() {
        let words = TestType::ALL.map(TestType::word);
        let remedy = match nearest(&word, words) {
            Some(meant) => format!("Did you mean {meant}?"),
            None => format!("Write one of {}.", words.join(", ")),
        };
        notes.problem(
            notes.at(value),
            format!("{place}.type is {}, which is not a known type", shown(&word)),
            remedy,
        );
    }
    kind
}

/// What a test command tells about tests that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestNaming {
    /// It may name them.
    Possible,
    /// It does not name them all, or does not say how many tests ran: tests of a compiled language, without the options that are
    /// needed for that.
    Nameless,
}

/// What a test command tells about tests that fail. Only tools of compiled languages are known here: where tests are not built
/// before they run, their names are there.
#[must_use]
pub fn naming_of(command: &str) -> TestNaming {
    let is_nameless = |words: &Vec<String>| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let has = |options: &[&str]| words.iter().any(|word| options.contains(word));
        let program = words.iter().position(|word| !word.contains('=')).and_then(|at| words.get(at..));
        match program.map(|program| (base_name(program[0]), &program[1..])) {
            Some(("go", rest)) => rest.contains(&"test") && !has(&["-v", "-json"]),
            Some(("cargo", rest)) => {
                rest.iter().any(|word| ["test", "t", "nextest"].contains(word)) && !has(&["--no-fail-fast"])
            }
            Some(("mvn" | "mvnw" | "gradle" | "gradlew" | "sbt", _)) => true,
            Some(("dotnet" | "swift", rest)) => rest.first() == Some(&"test"),
            _ => false,
        }
    };
    if simple_commands(command).iter().any(is_nameless) { TestNaming::Nameless } else { TestNaming::Possible }
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_compiled_languages_need_options_to_name_all_tests_that_fail() {
        for (command, naming) in [
            ("go test ./...", TestNaming::Nameless),
            ("go test -v ./...", TestNaming::Possible),
            ("go vet ./... && go test -json ./...", TestNaming::Possible),
            ("cargo test", TestNaming::Nameless),
            ("cargo test --workspace --no-fail-fast", TestNaming::Possible),
            ("RUST_BACKTRACE=1 cargo nextest run", TestNaming::Nameless),
            ("cargo build", TestNaming::Possible),
            ("./gradlew test", TestNaming::Nameless),
            ("mvn -q test", TestNaming::Nameless),
            ("dotnet test", TestNaming::Nameless),
            ("dotnet build", TestNaming::Possible),
            ("pytest", TestNaming::Possible),
            ("npm test", TestNaming::Possible),
        ] {
            assert_eq!(naming_of(command), naming, "{command}");
        }
    }
}
