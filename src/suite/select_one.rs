//! Makes the command that runs one test out of a command that runs many.

use super::Framework;
use super::command_programs::started;
use super::names_wanted::SHELL;
use crate::text::shell_word;

/// A list of words with blanks between them.
type Words = &'static str;

/// What is known of the options of a framework's program.
#[derive(Debug)]
pub struct RunnerOptions {
    /// The names of its programs, or of their commands.
    pub programs: Words,
    /// The options that select tests by name.
    pub by_name: Words,
    /// The options that take the next word.
    pub with_value: Words,
}

/// The options of cargo and of nextest that take the next word.
const OF_CARGO: Words = "-p --package --exclude --features -F --target --target-dir --manifest-path --profile \
     --cargo-profile -j --jobs --color --config -Z --message-format --test --bin --test-threads \
     --format --logfile -P --retries";

impl Framework {
    /// The options of its program, as far as they say which tests run.
    #[must_use]
    pub const fn options(self) -> RunnerOptions {
        let (programs, by_name, with_value) = match self {
            Self::Pytest => ("pytest py.test", "-k -m --lf --last-failed", "-n -p -c -o -W -r --ignore"),
            Self::Unittest => ("unittest", "-k", "-p -t"),
            Self::NodeTest => ("node", "--test-name-pattern --test-only", "--import --require -r --loader"),
            Self::Jest => ("jest", "-t --testNamePattern -o --onlyChanged", "-c --config"),
            Self::Vitest => ("vitest", "-t --testNamePattern", "-c --config --project"),
            Self::Go => ("test", "-run --run", "-tags -timeout -coverprofile -count -p"),
            Self::CargoTest => ("test t", "--doc --bench --example", OF_CARGO),
            Self::Nextest => ("run r", "-E --filter-expr --filterset", OF_CARGO),
            Self::Tap => ("", "", ""),
        };
        RunnerOptions { programs, by_name, with_value }
    }
}

/// The command that runs only this test, of those that a command runs. It may run others of the same name, as in another package
/// or suite, and none if the test cannot be found like this: what it prints about this test counts, and not how it ends. None
/// if the command is more than the plain start of a framework, or already selects tests by their names.
#[must_use]
pub fn select_one(command: &str, test: &str) -> Option<String> {
    if command.contains(SHELL) || test.contains(char::is_control) {
        return None;
    }
    let words: Vec<&str> = command.split_whitespace().collect();
    let (framework, arguments) = started(&words)?;
    let start = &words[..words.len() - arguments.len()];
    let plain = plain_arguments(&framework.options(), arguments)?;
    let mut kept = arguments.to_vec();
    let (front, back) = match framework {
        Framework::Pytest if test.contains("::") => {
            // Paths would be run, too. After an option, such a word may be its value, and some options change what names mean.
            let has_place = |word: &&str| *word == "-c" || word.starts_with("--rootdir");
            let is_value = |at: &usize| at.checked_sub(1).is_some_and(|at| arguments[at].starts_with("--"));
            if arguments.iter().any(has_place) || plain.iter().any(is_value) {
                return None;
            }
            for at in plain.into_iter().rev() {
                kept.remove(at);
            }
            (String::new(), shell_word(test))
        }
        // Without an asterisk, a part of a name is enough.
        Framework::Unittest if !test.contains(['*', '?', '[']) => {
            (String::new(), format!("-k {}", shell_word(&format!("*{test}"))))
        }
        Framework::Jest => (String::new(), format!("-t {}", shell_word(&whole(test, " › ")))),
        Framework::Vitest => {
            let (file, name) = test.split_once(" > ")?;
            let select = format!("-t {}", shell_word(&whole(name, " > ")));
            let names_files = plain.iter().any(|at| arguments[*at] != "run");
            let file = if names_files { String::new() } else { shell_word(file) + " " };
            (String::new(), file + &select)
        }
        Framework::NodeTest => {
            // Older versions compare only the last part of a name.
            let last = test.rsplit(" > ").next().unwrap_or(test);
            let pattern = format!("(^| > ){}$", escaped(last));
            (format!("--test-name-pattern={}", shell_word(&pattern)), String::new())
        }
        Framework::Go => {
            let parts: Vec<String> = test.split('/').map(|part| format!("^{}$", escaped(part))).collect();
            (format!("-run {}", shell_word(&parts.join("/"))), String::new())
        }
        Framework::CargoTest if plain.is_empty() && !test.contains(' ') => {
            let dashes = if arguments.contains(&"--") { "" } else { "-- " };
            (String::new(), format!("{dashes}--exact {}", shell_word(test)))
        }
        Framework::Nextest if plain.is_empty() && !test.contains(['(', ')']) => {
            let (binary, name) = test.split_once(' ')?;
            let filter = format!("binary_id(={binary}) and test(={name})");
            (format!("-E {}", shell_word(&filter)), String::new())
        }
        _ => return None,
    };
    let words = [start, &[&front], &kept, &[&back]].concat();
    Some(words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
}

/// Which of the arguments are neither options nor their values. None if an option selects tests by name.
fn plain_arguments(options: &RunnerOptions, arguments: &[&str]) -> Option<Vec<usize>> {
    let is_in = |list: Words, word: &str| list.split_whitespace().any(|known| known == word);
    let mut plain = Vec::new();
    let mut numbered = arguments.iter().enumerate();
    while let Some((at, word)) = numbered.next() {
        let option = word.split('=').next().unwrap_or(word);
        if is_in(options.by_name, option) {
            return None;
        } else if is_in(options.with_value, word) {
            numbered.next();
        } else if !word.starts_with('-') {
            plain.push(at);
        }
    }
    Some(plain)
}

/// The regular expression for a whole name, in which blanks may stand between the names of suites.
fn whole(name: &str, sign: &str) -> String {
    let parts: Vec<String> = name.split(sign).map(escaped).collect();
    // Some versions of Vitest put a blank before a name.
    format!("^ ?{}$", parts.join(&format!("( |{sign})")))
}

/// The regular expression for a text.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if r"\^$.*+?()[]{}|/".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_framework_is_told_to_run_one_test() {
        for (command, test, expected) in [
            ("pytest -q tests", "tests/test_a.py::test_x[a b]", "pytest -q 'tests/test_a.py::test_x[a b]'"),
            ("python3 -m pytest -n 2 -x a b", "a.py::T::x", "python3 -m pytest -n 2 -x a.py::T::x"),
            ("uv run --with pytest pytest", "a.py::x", "uv run --with pytest pytest a.py::x"),
            ("python -m unittest discover -s t", "a.T.x", "python -m unittest discover -s t -k '*a.T.x'"),
            ("npx jest --ci", "suite › adds (1)", r"npx jest --ci -t '^ ?suite( | › )adds \(1\)$'"),
            ("vitest run", "src/a.test.ts > s > x", "vitest run src/a.test.ts -t '^ ?s( | > )x$'"),
            ("npx vitest run src", "src/a.test.ts > it's", r"npx vitest run src -t '^ ?it'\''s$'"),
            ("node --test lib", "suite > a/b", r"node --test-name-pattern='(^| > )a\/b$' --test lib"),
            ("go test ./...", "TestA/b_c(1)", r"go test -run '^TestA$/^b_c\(1\)$' ./..."),
            ("cargo test -p x", "tests::x", "cargo test -p x -- --exact tests::x"),
            ("cargo t -- --nocapture", "tests::x", "cargo t -- --nocapture --exact tests::x"),
            (
                "cargo nextest run --all",
                "pkg::it tests::x",
                "cargo nextest run -E 'binary_id(=pkg::it) and test(=tests::x)' --all",
            ),
        ] {
            assert_eq!(select_one(command, test).as_deref(), Some(expected), "{command}");
        }
    }

    #[test]
    fn nothing_is_selected_where_it_is_not_sure() {
        for (command, test) in [
            ("make test", "x"),
            ("npm test", "x"),
            ("cd a && pytest", "a.py::x"),
            ("pytest | tail", "a.py::x"),
            ("pytest -k a", "a.py::x"),
            ("pytest --new-option value", "a.py::x"),
            ("pytest --rootdir=a", "a.py::x"),
            ("pytest", "a.py"),
            ("go test -run=TestA ./...", "TestA"),
            ("cargo test price", "tests::price"),
            ("cargo test", "src/lib.rs - add (line 5)"),
            ("cargo test -- a", "tests::a"),
            ("cargo nextest run a", "x tests::a"),
            ("vitest run", "x"),
            ("bats test", "x"),
        ] {
            assert_eq!(select_one(command, test), None, "{command}");
        }
    }
}
